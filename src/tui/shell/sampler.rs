//! Reads the counters of a machine at work once a second, or plays readings that were recorded.

use crate::counters::seconds_between;
use crate::explore::state::counters::{Recorded, Sample};
use crate::explore::vocabulary::action::Action;
use crate::formats::schedstat;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// From one reading to the next.
const EVERY: Duration = Duration::from_secs(1);
/// Reading takes at most one part of so many of the time.
const SHARE: u32 = 100;

/// What is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sampling {
    /// Nothing.
    Off,
    /// This machine.
    Live,
    /// What was recorded.
    Recorded,
}

/// A thread that reads.
pub(super) struct Sampler {
    wanted: Sender<Sampling>,
    now: Sampling,
    /// Whether there is something recorded to be played.
    pub(super) has_recorded: bool,
}

impl Sampler {
    /// A sampler that reads nothing yet, and hands its readings to `report` until that says nobody listens.
    pub(super) fn start(recorded: Option<Recorded>, report: impl Fn(Action) -> bool + Send + 'static) -> Self {
        let (wanted, orders) = channel();
        let has_recorded = recorded.is_some();
        thread::spawn(move || serve(&orders, recorded.as_ref(), &report));
        Self { wanted, now: Sampling::Off, has_recorded }
    }

    /// Reads this from now on.
    pub(super) fn follow(&mut self, sampling: Sampling) {
        if std::mem::replace(&mut self.now, sampling) != sampling {
            // The thread ends with the loop only.
            let _ = self.wanted.send(sampling);
        }
    }
}

fn serve(orders: &Receiver<Sampling>, recorded: Option<&Recorded>, report: &dyn Fn(Action) -> bool) {
    let mut sampling = Sampling::Off;
    let mut last: Option<Instant> = None;
    let mut played = 0;
    let mut pause = Duration::ZERO;
    loop {
        let order = match sampling {
            Sampling::Off => orders.recv().map_err(|_| RecvTimeoutError::Disconnected),
            _ => orders.recv_timeout(pause),
        };
        match order {
            Ok(wanted) => (sampling, last, played, pause) = (wanted, None, 0, Duration::ZERO),
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {
                let start = Instant::now();
                let sample = match sampling {
                    Sampling::Off => continue,
                    Sampling::Live => read(last.replace(start), start),
                    Sampling::Recorded => match recorded.and_then(|recorded| play(recorded, played)) {
                        Some(sample) => Ok(sample),
                        None => {
                            sampling = Sampling::Off;
                            continue;
                        }
                    },
                };
                played += 1;
                let goes_on = sample.is_ok();
                if !report(Action::Sampled(sample)) {
                    return;
                }
                if !goes_on {
                    sampling = Sampling::Off;
                }
                // The first difference is there soon; then once a second, or less often where reading takes long.
                pause = if played == 1 { EVERY / 4 } else { EVERY.max(start.elapsed() * SHARE) };
            }
        }
    }
}

fn read(last: Option<Instant>, now: Instant) -> Result<Sample, String> {
    let stat = Arc::new(schedstat::live().map_err(|error| error.to_string())?);
    let seconds = last.map_or(0.0, |last| (now - last).as_secs_f64());
    Ok(Sample { stat, seconds, switched_off: schedstat::is_switched_off() })
}

fn play(recorded: &Recorded, at: usize) -> Option<Sample> {
    let stat = Arc::clone(recorded.readings.get(at)?);
    let before = at.checked_sub(1).and_then(|before| recorded.readings.get(before));
    let seconds = before.map_or(0.0, |before| seconds_between(before, &stat, recorded.hz));
    Some(Sample { stat, seconds, switched_off: false })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::schedstat::Schedstat;
    use std::sync::mpsc::sync_channel;

    #[test]
    fn recorded_readings_are_played_once_in_order() {
        let reading = |timestamp| Arc::new(Schedstat { version: 15, timestamp, ..Schedstat::default() });
        let recorded = Recorded { readings: vec![reading(100), reading(600)], hz: 250 };
        let (send, played) = sync_channel(8);
        let mut sampler = Sampler::start(Some(recorded), move |action| send.send(action).is_ok());
        sampler.follow(Sampling::Recorded);
        let seconds: Vec<f64> = played
            .iter()
            .take(2)
            .map(|action| if let Action::Sampled(Ok(sample)) = action { sample.seconds } else { f64::NAN })
            .collect();
        assert_eq!(seconds, [0.0, 2.0]);
    }
}

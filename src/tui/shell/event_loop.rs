//! The loop: wait for something, take what has queued up, update, draw once, sleep.

use super::recovery::{self, RecoveryWriter};
use super::sampler::{Sampler, Sampling};
use super::terminal::{self, TerminalGuard};
use super::watch::Watch;
use super::{disk, events, jobs, session};
use crate::explore::derived::build_view::{BuildRequest, BuildView};
use crate::explore::state::model::{Model, Tone};
use crate::explore::state::start::Start;
use crate::explore::text;
use crate::explore::update::{self, builds, files, lesson, update};
use crate::explore::vocabulary::action::Action;
use crate::explore::vocabulary::effect::{Disk, Effect, Job, Session, Terminal};
use crate::explore::vocabulary::source::Source;
use crate::tui::view::{self, ViewState};
use crossterm::event::{self, Event};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// Builds that took less than this are made between two frames; longer ones on a thread of their own.
const QUICK: Duration = Duration::from_millis(16);
/// Files of more bytes than this take longer to read than nobody notices.
const SLOW: u64 = 1 << 20;
/// Findings are looked for once nothing new was built for this long: while a key is held its edits have the processor.
const SETTLED: Duration = Duration::from_millis(50);
/// Events taken before a frame is drawn, so that a flood of them still shows something.
const BATCH: usize = 256;
/// Events that may wait; the reader waits with the terminal's when there are more.
const QUEUE: usize = 1024;

/// How the explorer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Somebody quit.
    Quit,
    /// This signal came; the exit code is 128 more.
    Signal(i32),
}

/// What wakes the loop.
enum Wake {
    Terminal(Event),
    Signal(i32),
    Done(Action),
    Closed(io::Error),
}

/// Runs the explorer until somebody leaves it.
///
/// # Errors
/// When the terminal can't be used or goes away.
pub fn run(start: Start) -> io::Result<Exit> {
    let (state, recorded) = (start.state.clone(), start.recorded.clone());
    let mut model = update::start(start);
    if let Some(state) = &state {
        files::recall(&mut model, session::load(state));
    }
    let (wake, woken) = sync_channel(QUEUE);
    watch_signals(wake.clone())?;
    let terminal = TerminalGuard::new(model.options.mouse)?;
    read_terminal(wake.clone());
    let workers = Workers::start(&wake);
    let readings = wake.clone();
    // Not `send`: at the end the loop waits for the recovery writer and takes nothing any more.
    let report = move |action| drop(wake.try_send(Wake::Done(action)));
    let recovery = state.as_deref().map(|state| RecoveryWriter::new(state, report));
    let (view, watch) = (ViewState::default(), Watch::default());
    let sampler = Sampler::start(recorded, move |action| readings.send(Wake::Done(action)).is_ok());
    let first = model.source.clone();
    let (request, unexamined, exit) = (None, None, None);
    Loop { model, view, terminal, workers, recovery, watch, sampler, first, request, unexamined, exit }.run(&woken)
}

fn watch_signals(wake: SyncSender<Wake>) -> io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGHUP, SIGINT, SIGTSTP, SIGCONT])?;
    thread::spawn(move || {
        let mut asked = false;
        for signal in signals.forever() {
            let ends = matches!(signal, SIGTERM | SIGHUP | SIGINT);
            if ends && asked {
                // The loop did not answer the first one.
                terminal::leave();
                signal_hook::low_level::exit(128 + signal);
            }
            asked |= ends;
            if wake.send(Wake::Signal(signal)).is_err() {
                return;
            }
        }
    });
    Ok(())
}

fn read_terminal(wake: SyncSender<Wake>) {
    thread::spawn(move || {
        loop {
            let next = match event::read() {
                Ok(event) => Wake::Terminal(event),
                Err(error) => Wake::Closed(error),
            };
            let closed = matches!(next, Wake::Closed(_));
            if wake.send(next).is_err() || closed {
                return;
            }
        }
    });
}

/// Threads for jobs that take longer than a frame, one for each kind.
struct Workers {
    build: Sender<Job>,
    compare: Sender<Job>,
    examine: Sender<Job>,
    repair: Sender<Job>,
    simulate: Sender<Job>,
    count: Sender<Job>,
}

impl Workers {
    fn start(wake: &SyncSender<Wake>) -> Self {
        let worker = || start_worker(wake.clone());
        Self {
            build: worker(),
            compare: worker(),
            examine: worker(),
            repair: worker(),
            simulate: worker(),
            count: worker(),
        }
    }

    fn send(&self, job: Job) {
        let worker = match job {
            Job::Build(_) => &self.build,
            Job::Compare(_) => &self.compare,
            Job::Examine(_) => &self.examine,
            Job::Repair(_) => &self.repair,
            Job::Simulate(_) => &self.simulate,
            Job::Count(_) => &self.count,
        };
        // The workers live as long as the loop does.
        let _ = worker.send(job);
    }
}

/// A thread that does jobs; of jobs that pile up only the newest is done.
fn start_worker(wake: SyncSender<Wake>) -> Sender<Job> {
    let (send, queue) = channel::<Job>();
    thread::spawn(move || {
        while let Ok(first) = queue.recv() {
            let newest = queue.try_iter().last().unwrap_or(first);
            if wake.send(Wake::Done(jobs::perform(newest))).is_err() {
                return;
            }
        }
    });
    send
}

struct Loop {
    model: Model,
    view: ViewState,
    terminal: TerminalGuard,
    workers: Workers,
    recovery: Option<RecoveryWriter>,
    watch: Watch,
    sampler: Sampler,
    /// What was opened first: what was recorded is of it.
    first: Option<Source>,
    /// The newest build asked for and not begun.
    request: Option<BuildRequest>,
    /// The newest build to look for findings of, and when.
    unexamined: Option<(Instant, Arc<BuildView>)>,
    exit: Option<Exit>,
}

impl Loop {
    fn run(mut self, woken: &Receiver<Wake>) -> io::Result<Exit> {
        self.watch_file();
        self.draw()?;
        let mut effects = builds::examine(&self.model);
        effects.extend(lesson::welcome(&mut self.model));
        for effect in effects {
            self.perform(effect)?;
        }
        self.perform(Session::FindEdits.into())?;
        self.build_newest()?;
        self.draw()?;
        while let Some(first) = self.wait(woken)? {
            let mut changed = self.take(first)?;
            for next in woken.try_iter().take(BATCH) {
                if self.exit.is_some() {
                    break;
                }
                changed |= self.take(next)?;
            }
            // The mouse passing over the screen is no reason to draw it again.
            if !changed {
                continue;
            }
            if let Some(recovery) = &mut self.recovery {
                recovery.note(&self.model);
            }
            if let Some(exit) = self.exit {
                if let Some(recovery) = &mut self.recovery {
                    recovery.remember(self.model.memory());
                    if exit == Exit::Quit {
                        recovery.clear();
                    }
                }
                return Ok(exit);
            }
            self.build_newest()?;
            self.draw()?;
        }
        Ok(Exit::Quit)
    }

    /// What happens next. Nothing is drawn for what has to be done in the meantime and shows nothing.
    fn wait(&mut self, woken: &Receiver<Wake>) -> io::Result<Option<Wake>> {
        let tick = self.model.pulse().map(|pulse| Instant::now() + pulse);
        loop {
            let keep = self.recovery.as_ref().and_then(RecoveryWriter::due);
            let examine = self.unexamined.as_ref().map(|(due, _)| *due);
            let Some(due) = keep.into_iter().chain(self.watch.due()).chain(tick).chain(examine).min() else {
                return Ok(woken.recv().ok());
            };
            match woken.recv_timeout(due.saturating_duration_since(Instant::now())) {
                Ok(wake) => return Ok(Some(wake)),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let now = Instant::now();
            if let Some(recovery) = self.recovery.as_mut().filter(|_| keep.is_some_and(|due| due <= now)) {
                recovery.flush();
            }
            if let Some((_, built)) = self.unexamined.take_if(|(due, _)| *due <= now) {
                self.workers.send(Job::Examine(built));
            }
            if let Some(path) = self.watch.look(now) {
                return Ok(Some(Wake::Done(Action::Changed(path))));
            }
            if tick.is_some_and(|due| due <= now) {
                return Ok(Some(Wake::Done(Action::Tick)));
            }
        }
    }

    /// Watches the file the machine came from, as it is now, and reads the counters of a machine at work.
    fn watch_file(&mut self) {
        self.sampler.follow(match &self.model.source {
            source if self.sampler.has_recorded && *source == self.first => Sampling::Recorded,
            Some(Source::Live) => Sampling::Live,
            _ => Sampling::Off,
        });
        self.watch.follow(match &self.model.source {
            Some(Source::File(path)) => Some(path),
            _ => None,
        });
    }

    /// Stops until continued. A stopped process may never go on: what is unsaved is kept before.
    fn suspend(&mut self) -> io::Result<()> {
        if let Some(recovery) = &mut self.recovery {
            recovery.note(&self.model);
            recovery.settle();
        }
        self.terminal.suspend()
    }

    fn draw(&mut self) -> io::Result<()> {
        let (model, view) = (&self.model, &mut self.view);
        self.terminal.draw(|frame| view::draw(model, view, frame))?;
        let drawn = self.view.drawn();
        self.act(Action::Drawn(drawn))
    }

    /// Lets something happen; whether there may be something to draw.
    fn take(&mut self, wake: Wake) -> io::Result<bool> {
        match wake {
            Wake::Terminal(event) => {
                let resized = matches!(event, Event::Resize(..));
                let Some(action) = events::action_of(&self.model, &self.view, event) else { return Ok(resized) };
                self.act(action)?;
            }
            Wake::Done(action) => self.act(action)?,
            Wake::Signal(SIGTSTP) => self.suspend()?,
            Wake::Signal(SIGCONT) => self.terminal.retake()?,
            Wake::Signal(signal) => self.exit = Some(Exit::Signal(signal)),
            Wake::Closed(error) => return Err(error),
        }
        Ok(true)
    }

    fn act(&mut self, action: Action) -> io::Result<()> {
        let is_file_known = matches!(action, Action::Saved(_) | Action::Loaded(..));
        for effect in update(&mut self.model, action) {
            self.perform(effect)?;
        }
        if is_file_known {
            self.watch_file();
        }
        Ok(())
    }

    fn perform(&mut self, effect: Effect) -> io::Result<()> {
        match effect {
            Effect::Job(job) => {
                self.perform_job(job);
                Ok(())
            }
            Effect::Disk(disk) => self.perform_disk(disk),
            Effect::Terminal(terminal) => self.perform_terminal(terminal),
            Effect::Session(session) => self.perform_session(session),
            Effect::Quit => {
                self.exit = Some(Exit::Quit);
                Ok(())
            }
        }
    }

    /// A build waits until everything that came with it is taken, findings until nothing new is built.
    fn perform_job(&mut self, job: Job) {
        match job {
            Job::Build(request) => self.request = Some(request),
            Job::Examine(built) => self.unexamined = Some((Instant::now() + SETTLED, built)),
            job @ (Job::Compare(_) | Job::Repair(_) | Job::Simulate(_) | Job::Count(_)) => self.workers.send(job),
        }
    }

    fn perform_disk(&mut self, disk: Disk) -> io::Result<()> {
        // A large file is read here, so that no key comes in between; that it takes a while is said first.
        if let Disk::Load(source @ Source::File(path)) = &disk
            && disk::is_large(source, SLOW)
        {
            self.model.report(Tone::Done, format!("reading {}", text::visible_path(path)));
            self.draw()?;
        }
        let done = terminal::shielded(|| disk::perform(disk, &self.model));
        self.act(done.unwrap_or_else(Action::Failed))
    }

    fn perform_terminal(&mut self, wanted: Terminal) -> io::Result<()> {
        match wanted {
            Terminal::Copy(text) => self.terminal.copy(&text),
            Terminal::PaneText => {
                let text = view::pane_text(&self.model, self.model.focus);
                self.act(Action::PaneText(text))
            }
            Terminal::Mouse(on) => self.terminal.set_mouse(on),
            Terminal::Redraw => self.terminal.redraw(),
            Terminal::Suspend => self.suspend(),
        }
    }

    fn perform_session(&mut self, session: Session) -> io::Result<()> {
        let Some(recovery) = &mut self.recovery else { return Ok(()) };
        let done = match session {
            Session::FindEdits => recovery.find(&self.model),
            Session::Forget(path) => recovery::forget(&path),
            Session::Adopt(path) => {
                recovery.adopt(path);
                None
            }
            Session::Remember(memory) => {
                recovery.remember(memory);
                None
            }
        };
        done.map_or(Ok(()), |action| self.act(action))
    }

    /// Begins the build asked for last, here or on its thread.
    fn build_newest(&mut self) -> io::Result<()> {
        let Some(request) = self.request.take() else { return Ok(()) };
        if self.model.built.took < QUICK {
            return self.act(jobs::perform(Job::Build(request)));
        }
        self.workers.send(Job::Build(request));
        Ok(())
    }
}

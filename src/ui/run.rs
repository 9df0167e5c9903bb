//! The loop: wait for something, take what has queued up, update, draw once, sleep.

use super::action::{Action, Effect, Request};
use super::facts::Built;
use super::memory::Memory;
use super::model::{Model, Start, Tone};
use super::picker::Source;
use super::recovery::Keeper;
use super::repair;
use super::screens::compare;
use super::terminal::{self, Taken};
use super::update::update;
use super::view::{self, ViewState};
use super::watch::Watch;
use super::{input, outside};
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
    let state = start.state.clone();
    let mut model = Model::new(start);
    if let Some(state) = &state {
        model.recall(Memory::load(state));
    }
    let (wake, woken) = sync_channel(QUEUE);
    watch_signals(wake.clone())?;
    let terminal = Taken::new(model.options.mouse)?;
    read_terminal(wake.clone());
    let builder = start_worker(wake.clone(), build);
    let examiner = start_worker(wake.clone(), examine);
    let repairer = start_worker(wake.clone(), repair);
    let comparer = start_worker(wake.clone(), compare);
    // Not `send`: at the end the loop waits for the keeper and takes nothing any more.
    let tell = move |action| drop(wake.try_send(Wake::Done(action)));
    let keeper = state.as_deref().map(|state| Keeper::new(state, tell));
    let (view, watch) = (ViewState::default(), Watch::default());
    Loop {
        model,
        view,
        terminal,
        builder,
        examiner,
        repairer,
        comparer,
        keeper,
        watch,
        request: None,
        unexamined: None,
        exit: None,
    }
    .run(&woken)
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

/// A thread for work that takes longer than a frame; of requests that pile up only the newest is answered.
fn start_worker<T: Send + 'static>(wake: SyncSender<Wake>, work: impl Fn(T) -> Action + Send + 'static) -> Sender<T> {
    let (send, requests) = channel::<T>();
    thread::spawn(move || {
        while let Ok(first) = requests.recv() {
            let newest = requests.try_iter().last().unwrap_or(first);
            if wake.send(Wake::Done(work(newest))).is_err() {
                return;
            }
        }
    });
    send
}

fn examine(built: Arc<Built>) -> Action {
    match terminal::shielded(|| outside::perform(Effect::Examine(built))) {
        Ok(Some(action)) => action,
        Ok(None) => Action::Failed("no findings: no result".to_owned()),
        Err(why) => Action::Failed(format!("no findings: {why}")),
    }
}

fn compare(order: compare::Order) -> Action {
    let compared = terminal::shielded(|| order.compare().map(Arc::new));
    Action::Compared(order, compared.unwrap_or_else(Err))
}

fn repair(order: repair::Order) -> Action {
    let found = terminal::shielded(|| order.search());
    Action::Repaired(order.progress, found)
}

fn build(request: Request) -> Action {
    let generation = request.generation;
    let built = terminal::shielded(|| outside::perform(Effect::Build(request)));
    built.map_or_else(
        |why| Action::BuildFailed(generation, why),
        |action| action.unwrap_or_else(|| Action::BuildFailed(generation, "no result".to_owned())),
    )
}

struct Loop {
    model: Model,
    view: ViewState,
    terminal: Taken,
    builder: Sender<Request>,
    examiner: Sender<Arc<Built>>,
    repairer: Sender<repair::Order>,
    comparer: Sender<compare::Order>,
    keeper: Option<Keeper>,
    watch: Watch,
    /// The newest build asked for and not begun.
    request: Option<Request>,
    /// The newest build to look for findings of, and when.
    unexamined: Option<(Instant, Arc<Built>)>,
    exit: Option<Exit>,
}

impl Loop {
    fn run(mut self, woken: &Receiver<Wake>) -> io::Result<Exit> {
        self.watch_file();
        self.draw()?;
        let mut effects = self.model.examine();
        effects.extend(self.model.welcome());
        for effect in effects {
            self.perform(effect)?;
        }
        self.perform(Effect::FindEdits)?;
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
            if let Some(keeper) = &mut self.keeper {
                keeper.note(&self.model);
            }
            if let Some(exit) = self.exit {
                if let Some(keeper) = &mut self.keeper {
                    keeper.remember(self.model.memory());
                    if exit == Exit::Quit {
                        keeper.clear();
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
            let keep = self.keeper.as_ref().and_then(Keeper::due);
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
            if let Some(keeper) = self.keeper.as_mut().filter(|_| keep.is_some_and(|due| due <= now)) {
                keeper.flush();
            }
            if let Some((_, built)) = self.unexamined.take_if(|(due, _)| *due <= now) {
                // The examiner lives as long as this loop does.
                let _ = self.examiner.send(built);
            }
            if let Some(path) = self.watch.look(now) {
                return Ok(Some(Wake::Done(Action::Changed(path))));
            }
            if tick.is_some_and(|due| due <= now) {
                return Ok(Some(Wake::Done(Action::Tick)));
            }
        }
    }

    /// Watches the file the machine came from, as it is now.
    fn watch_file(&mut self) {
        self.watch.follow(match &self.model.source {
            Some(Source::File(path)) => Some(path),
            _ => None,
        });
    }

    /// Stops until continued. A stopped process may never go on: what is unsaved is kept before.
    fn suspend(&mut self) -> io::Result<()> {
        if let Some(keeper) = &mut self.keeper {
            keeper.note(&self.model);
            keeper.settle();
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
                let Some(action) = input::action_of(&self.model, &self.view, event) else { return Ok(resized) };
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
            Effect::Quit => self.exit = Some(Exit::Quit),
            Effect::Suspend => return self.suspend(),
            Effect::Redraw => return self.terminal.redraw(),
            Effect::FindEdits => {
                let found = self.keeper.as_ref().and_then(|keeper| keeper.find(&self.model));
                return found.map_or(Ok(()), |found| self.act(found));
            }
            Effect::Adopt(path) => {
                if let Some(keeper) = &mut self.keeper {
                    keeper.adopt(path);
                }
            }
            Effect::Remember(memory) => {
                if let Some(keeper) = &self.keeper {
                    keeper.remember(memory);
                }
            }
            Effect::Copy(text) => return self.terminal.copy(&text),
            Effect::Mouse(on) => return self.terminal.set_mouse(on),
            Effect::Build(request) => self.request = Some(request),
            Effect::Examine(built) => self.unexamined = Some((Instant::now() + SETTLED, built)),
            // Those that compare and look for repairs live as long as this loop does.
            Effect::Compare(order) => drop(self.comparer.send(order)),
            Effect::Repair(order) => drop(self.repairer.send(order)),
            effect => {
                self.announce(&effect)?;
                return self.perform_outside(effect);
            }
        }
        Ok(())
    }

    /// Says what takes a while before it is begun: a large file is read here, so that no key comes in between.
    fn announce(&mut self, effect: &Effect) -> io::Result<()> {
        if let Effect::Load(source @ Source::File(path)) = effect
            && outside::is_large(source, SLOW)
        {
            self.model.say(Tone::Done, format!("reading {}", outside::visible_path(path)));
            self.draw()?;
        }
        Ok(())
    }

    fn perform_outside(&mut self, effect: Effect) -> io::Result<()> {
        match terminal::shielded(|| outside::perform(effect)) {
            Ok(Some(action)) => return self.act(action),
            Ok(None) => {}
            Err(why) => return self.act(Action::Failed(why)),
        }
        Ok(())
    }

    /// Begins the build asked for last, here or on its thread.
    fn build_newest(&mut self) -> io::Result<()> {
        let Some(request) = self.request.take() else { return Ok(()) };
        if self.model.built.took < QUICK {
            return self.act(build(request));
        }
        // The builder lives as long as this loop does.
        let _ = self.builder.send(request);
        Ok(())
    }
}

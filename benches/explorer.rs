//! The real program in a real pseudo-terminal: time to the first frame, key to screen with the rebuild included, bytes
//! written per edit, bytes written when idle, and memory. Its baseline is the same on the ring of four.
//!
//! Keys come as a keyboard repeats one that is held. What counts is the frame in which every pane shows the new build;
//! on a large machine the findings come in a frame of their own, once the key is let go.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use ratatui::buffer::Buffer;
use schedtopo::cli::bench::median;
use schedtopo::explore::state::start::Start;
use schedtopo::explore::vocabulary::action::Action;
use schedtopo::explore::vocabulary::command::Command;
use schedtopo::explore::vocabulary::pane::{Pane, Screen};
use schedtopo::formats::json;
use schedtopo::kernel::Release;
use schedtopo::presets;
use schedtopo::topology::generate::{Machine, Shape};
use schedtopo::topology::{Arch, Topology};
use schedtopo::tui::shell::headless::Headless;
use schedtopo::tui::view::{self, ViewState};
use std::io::{Read, Write};
use std::num::NonZero;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Output has settled when nothing has come for this long.
const QUIET: Duration = Duration::from_millis(150);
/// How often a keyboard repeats a key.
const REPEAT: Duration = Duration::from_millis(33);
/// How often a key is held down this way and that, and how many times it repeats.
const HOLDS: usize = 4;
const KEYS: usize = 50;
const ROWS: NonZero<u16> = NonZero::new(60).expect("not zero");
const COLUMNS: NonZero<u16> = NonZero::new(200).expect("not zero");
/// What ends a frame.
const FRAME_END: &[u8] = b"\x1b[?2026l";

struct Session {
    child: Box<dyn Child + Send + Sync>,
    _master: Box<dyn MasterPty + Send>,
    keyboard: Box<dyn Write + Send>,
    output: Receiver<(Instant, Vec<u8>)>,
    /// What the terminal shows.
    screen: vt100::Parser,
    /// Output after the last whole frame.
    rest: Vec<u8>,
}

/// Output up to a moment, and the frames it ended.
struct Seen {
    at: Instant,
    frames: usize,
    bytes: usize,
}

impl Session {
    /// Starts the program; returns it with the time its first frame took.
    fn start(machine: &str) -> (Self, Duration) {
        let size = PtySize { rows: ROWS.get(), cols: COLUMNS.get(), pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_schedtopo"));
        command.args([machine, "--kernel", "v6.12"]);
        command.env("TERM", "xterm-256color");
        command.env("LC_ALL", "C.UTF-8");
        command.env("XDG_STATE_HOME", std::env::temp_dir().join("schedtopo-bench"));
        let begin = Instant::now();
        let child = pair.slave.spawn_command(command).expect("the program starts");
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().expect("output can be read");
        let (send, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            while let Ok(read @ 1..) = reader.read(&mut buffer) {
                if send.send((Instant::now(), buffer[..read].to_vec())).is_err() {
                    return;
                }
            }
        });
        let keyboard = pair.master.take_writer().expect("keys can be typed");
        let screen = vt100::Parser::new(ROWS, COLUMNS, 0);
        let mut session = Self { child, _master: pair.master, keyboard, output, screen, rest: Vec::new() };
        // The frames after the first have findings and the like.
        let first = session.next(Duration::from_secs(5)).map_or(begin, |seen| seen.at);
        session.settle();
        (session, first - begin)
    }

    /// Waits until a frame is over; `None` when there is none in time.
    fn next(&mut self, patience: Duration) -> Option<Seen> {
        let mut seen = Seen { at: Instant::now(), frames: 0, bytes: 0 };
        while seen.frames == 0 {
            let (at, read) = self.output.recv_timeout(patience).ok()?;
            seen.at = at;
            seen.bytes += read.len();
            self.rest.extend_from_slice(&read);
            while let Some(end) = self.rest.windows(FRAME_END.len()).position(|bytes| bytes == FRAME_END) {
                let frame: Vec<u8> = self.rest.drain(..end + FRAME_END.len()).collect();
                self.screen.process(&frame);
                seen.frames += 1;
            }
        }
        Some(seen)
    }

    /// Waits until output stops; how many bytes came.
    fn settle(&mut self) -> usize {
        let mut bytes = 0;
        while let Some(seen) = self.next(QUIET) {
            bytes += seen.bytes;
        }
        bytes + self.rest.len()
    }

    /// Presses a key; how long until the panes show what was built of it, and how many bytes came by then. The title
    /// says while a build is behind, and on a large machine that a new one is yet to be examined.
    fn press(&mut self, key: &[u8], large: bool) -> (Duration, usize) {
        let begin = Instant::now();
        self.keyboard.write_all(key).expect("keys can be typed");
        let mut bytes = 0;
        loop {
            let seen = self.next(Duration::from_secs(2)).expect("an edit changes the screen");
            bytes += seen.bytes;
            let title = self.screen.screen().rows(0, COLUMNS.get()).next().unwrap_or_default();
            if !title.contains("rebuilding") && title.contains("examining") == large {
                return (seen.at - begin, bytes);
            }
        }
    }

    /// After a key: how long until the findings are there.
    fn findings(&mut self, since: Instant) -> Duration {
        while let Some(seen) = self.next(Duration::from_secs(2)) {
            let title = self.screen.screen().rows(0, COLUMNS.get()).next().unwrap_or_default();
            if !title.contains("examining") {
                return seen.at - since;
            }
        }
        since.elapsed()
    }

    /// Peak memory in KiB, where the system tells.
    fn peak(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.process_id()?)).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
        line.split_whitespace().nth(1)?.parse().ok()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // It ends with the terminal anyway.
        let _ = self.child.kill();
    }
}

fn measure(name: &str, machine: &str, large: bool) {
    let mut starts: Vec<Duration> = (0..9).map(|_| Session::start(machine).1).collect();
    starts.sort_unstable();
    let (mut session, _) = Session::start(machine);
    let (mut edits, mut findings): (Vec<(Duration, usize)>, Vec<Duration>) = (Vec::new(), Vec::new());
    for hold in 0..HOLDS {
        for i in 0..KEYS {
            let begin = Instant::now();
            edits.push(session.press(if hold % 2 == 0 { b"+" } else { b"-" }, large));
            if i + 1 < KEYS {
                std::thread::sleep(REPEAT.saturating_sub(begin.elapsed()));
            } else if large {
                findings.push(session.findings(begin));
            }
        }
        session.settle();
    }
    edits.sort_unstable();
    findings.sort_unstable();
    let at = |share: usize| edits[(edits.len() - 1) * share / 100].0.as_secs_f64() * 1e3;
    let bytes = edits.iter().map(|edit| edit.1).sum::<usize>() / edits.len();
    let idle = session.settle();
    let peak = session.peak().map_or_else(|| "?".to_owned(), |kib| format!("{:.1}", kib as f64 / 1024.0));
    let last = findings.get(findings.len() / 2).map_or_else(
        || "with the panes".to_owned(),
        |time| format!("{:.1} ms after the last key", time.as_secs_f64() * 1e3),
    );
    println!(
        "{name:<22} start {:>6.1} ms  edit to panes p50 {:>6.1} ms  p99 {:>6.1} ms  {bytes:>6} bytes an edit  {idle} idle  peak {peak} MiB  findings {last}",
        starts[starts.len() / 2].as_secs_f64() * 1e3,
        at(50),
        at(99),
    );
}

/// Time to draw one whole frame at 200×60, nothing worked out anew: each screen, and each pane alone on Explore.
fn draw(name: &str, topology: Topology) {
    let release = Release::parse("v6.12").expect("the release is known");
    let mut stage = Headless::new(Start::new(topology, release), 200, 60);
    stage.model.built.examine();
    for screen in Screen::ALL {
        stage.act(Action::Do(Command::Show(screen)));
        time_frame(name, screen.name(), &stage);
    }
    stage.act(Action::Do(Command::Show(Screen::Explore)));
    stage.act(Action::Do(Command::Zoom));
    for pane in Pane::ALL {
        stage.act(Action::Do(Command::Focus(pane)));
        time_frame(name, pane.name(), &stage);
    }
}

fn time_frame(name: &str, what: &str, stage: &Headless) {
    let mut view = ViewState::default();
    let area = stage.screen.area;
    let mut buffer = Buffer::empty(area);
    let ns = median(|| {
        view::render(&stage.model, &mut view, area, &mut buffer);
    });
    println!("{name:<22} draw {what:<10} {:.3} ms a frame", ns as f64 / 1e6);
}

fn large() -> Topology {
    let shape = Shape::parse("hypercube:32").expect("the shape is well formed");
    let machine = Machine { threads_per_core: 2, llc_cpus: Some(256), ..Machine::new(32, 256) };
    let topology = machine.topology("8192 CPUs", shape.distances()).expect("the machine is valid");
    Topology { arch: Arch::X86, ..topology }
}

fn main() {
    let file = tempfile::Builder::new().suffix(".json").tempfile().expect("a temporary file");
    let path: &Path = file.path();
    std::fs::write(path, json::write(&large())).expect("the file can be written");
    println!(
        "200×60, v6.12; an edit is `+` or `-` on a distance, held, timed until the last byte of the frame with the new build"
    );
    draw("ring of 4 (baseline)", presets::find("ring4").expect("a preset").topology().expect("presets are valid"));
    draw("32 nodes, 8192 CPUs", large());
    measure("ring of 4 (baseline)", "ring4", false);
    measure("32 nodes, 8192 CPUs", &path.to_string_lossy(), true);
}

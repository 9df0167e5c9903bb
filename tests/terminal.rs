//! The real program in a real pseudo-terminal: whatever ends it, the terminal is as it was.

#![expect(clippy::unwrap_used, reason = "a test that can't go on fails")]

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::num::NonZero;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Long enough for a loaded machine; nothing waits this long when all is well.
const PATIENCE: Duration = Duration::from_secs(20);

struct Session {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    keyboard: Box<dyn Write + Send>,
    output: Arc<Mutex<Vec<u8>>>,
    home: Option<TempDir>,
}

impl Session {
    fn start(rows: u16, cols: u16, variables: &[(&str, &str)]) -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), rows, cols, variables)
    }

    /// A session whose home is `home`.
    fn start_in(home: TempDir, rows: u16, cols: u16, variables: &[(&str, &str)]) -> Self {
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_schedtopo"));
        command.args(["ring4", "--kernel", "v4.11"]);
        command.env("TERM", "xterm-256color");
        command.env("LC_ALL", "C.UTF-8");
        command.env_remove("NO_COLOR");
        command.env("XDG_STATE_HOME", home.path());
        command.env("XDG_CONFIG_HOME", home.path());
        for (name, value) in variables {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let output = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&output);
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = reader.read(&mut buffer) {
                sink.lock().unwrap().extend_from_slice(&buffer[..read]);
            }
        });
        let keyboard = pair.master.take_writer().unwrap();
        let session = Self { child, master: pair.master, keyboard, output, home: Some(home) };
        session.wait_for("Distances");
        session
    }

    fn raw(&self) -> String {
        String::from_utf8_lossy(&self.output.lock().unwrap()).into_owned()
    }

    /// What a terminal would show of the output so far.
    fn screen(&self) -> vt100::Parser {
        let size = self.master.get_size().unwrap();
        let (rows, cols) = (NonZero::new(size.rows).unwrap(), NonZero::new(size.cols).unwrap());
        let mut parser = vt100::Parser::new(rows, cols, 0);
        parser.process(&self.output.lock().unwrap());
        parser
    }

    fn wait_for(&self, text: &str) {
        self.wait_until(text, |screen| screen.contains(text));
    }

    fn wait_until(&self, what: &str, done: impl Fn(&str) -> bool) {
        let start = Instant::now();
        loop {
            let screen = self.screen().screen().contents();
            if done(&screen) {
                return;
            }
            assert!(start.elapsed() < PATIENCE, "no {what} on the screen:\n{screen}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn press(&mut self, keys: &str) -> &mut Self {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
        self
    }

    fn signal(&self, name: &str) {
        let pid = self.child.process_id().unwrap().to_string();
        assert!(Command::new("kill").args([&format!("-{name}"), &pid]).status().unwrap().success());
    }

    fn exit_code(&mut self) -> u32 {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                // The reader thread may still be reading the last of it.
                std::thread::sleep(Duration::from_millis(100));
                return status.exit_code();
            }
            assert!(start.elapsed() < PATIENCE, "it does not end:\n{}", self.screen().screen().contents());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn assert_restored(&self) {
        let screen = self.screen();
        let screen = screen.screen();
        assert!(!screen.alternate_screen(), "still in the alternate screen");
        assert!(!screen.hide_cursor(), "the cursor is hidden");
        assert!(!screen.bracketed_paste(), "pastes are still bracketed");
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

#[test]
fn quitting_restores_the_terminal() {
    let mut session = Session::start(24, 80, &[]);
    assert!(session.screen().screen().alternate_screen());
    session.press("q");
    assert_eq!(session.exit_code(), 0);
    session.assert_restored();
}

#[test]
fn signals_restore_the_terminal_and_say_so() {
    for (name, code) in [("TERM", 143), ("HUP", 129), ("INT", 130)] {
        let mut session = Session::start(24, 80, &[]);
        session.signal(name);
        assert_eq!(session.exit_code(), code, "{name}");
        session.assert_restored();
    }
}

#[test]
fn typing_rebuilds_and_unsaved_edits_are_asked_about() {
    let mut session = Session::start(40, 120, &[]);
    session.press("25\r");
    session.wait_for("unsaved");
    session.press("q");
    session.wait_for("quit without saving");
    session.press("y");
    assert_eq!(session.exit_code(), 0);
    session.assert_restored();
}

#[test]
fn a_bracketed_paste_is_one_table() {
    let mut session = Session::start(40, 120, &[]);
    session.press("\x1b[200~10 15\r15 10\r\x1b[201~");
    session.wait_for("2 nodes");
    session.press("u");
    session.wait_for("4 nodes");
    session.press("q");
    assert_eq!(session.exit_code(), 0);
}

#[test]
fn a_resize_is_followed_both_ways() {
    let session = Session::start(24, 80, &[]);
    let resize = |rows, cols| {
        session.master.resize(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
    };
    resize(10, 40);
    session.wait_for("needs more room");
    resize(40, 120);
    session.wait_until("6 Findings", |screen| screen.contains("6 Findings") && screen.contains("5 Capacity"));
}

#[test]
fn no_color_means_none() {
    let mut session = Session::start(24, 80, &[("NO_COLOR", "1")]);
    session.press("q");
    session.exit_code();
    let raw = session.raw();
    let colours = raw.split("\x1b[").skip(1).filter(|sequence| {
        let Some((numbers, _)) = sequence
            .split_once('m')
            .filter(|(numbers, _)| numbers.bytes().all(|byte| byte.is_ascii_digit() || byte == b';'))
        else {
            return false;
        };
        numbers.split(';').any(|number| matches!(number.parse::<u32>(), Ok(30..=38 | 40..=48 | 90..=107)))
    });
    assert_eq!(colours.count(), 0, "{raw:?}");
    // Still, the chosen cell stands out.
    assert!(raw.contains("\x1b[7m") || raw.contains(";7m"), "{raw:?}");
}

#[test]
fn ctrl_z_gives_the_terminal_back_until_it_is_continued() {
    let mut session = Session::start(24, 80, &[]);
    session.press("\x1a");
    let start = Instant::now();
    while session.screen().screen().alternate_screen() {
        assert!(start.elapsed() < PATIENCE, "it does not stop");
        std::thread::sleep(Duration::from_millis(20));
    }
    session.assert_restored();
    session.signal("CONT");
    session.wait_for("Distances");
    session.press("q");
    assert_eq!(session.exit_code(), 0);
    session.assert_restored();
}

#[test]
fn copying_goes_through_the_terminal() {
    let mut session = Session::start(24, 80, &[]);
    session.press("yc");
    session.wait_for("copied");
    assert!(session.raw().contains("\x1b]52;c;MzA=\x07"), "{:?}", session.raw());
    session.press("q");
    assert_eq!(session.exit_code(), 0);
}

impl Session {
    /// Files of unsaved edits.
    fn kept(&self) -> usize {
        let folder = self.home.as_ref().unwrap().path().join("schedtopo/recovery");
        std::fs::read_dir(folder).map_or(0, Iterator::count)
    }

    /// Ends as `kill -9` ends things, and gives its home back.
    fn slay(mut self) -> TempDir {
        self.signal("KILL");
        self.exit_code();
        self.home.take().unwrap()
    }
}

#[test]
fn edits_survive_being_killed() {
    let mut session = Session::start(40, 120, &[]);
    session.press("25\r");
    session.wait_for("unsaved");
    let edited = Instant::now();
    while session.kept() == 0 {
        assert!(edited.elapsed() < PATIENCE, "nothing is kept");
        std::thread::sleep(Duration::from_millis(10));
    }
    let mut session = Session::start_in(session.slay(), 40, 120, &[]);
    session.wait_for("were left behind");
    // Killed before an answer: still there.
    session = Session::start_in(session.slay(), 40, 120, &[]);
    session.wait_for("were left behind");
    session.press("y");
    session.wait_for("recovered");
    session.wait_for("25");
    session.press("q");
    session.wait_for("quit without saving");
    session.press("y");
    assert_eq!(session.exit_code(), 0);
    assert_eq!(session.kept(), 0);
}

#[test]
fn a_signal_writes_what_is_not_yet_kept() {
    let mut session = Session::start(40, 120, &[]);
    session.press("25\r");
    session.wait_for("unsaved");
    session.signal("TERM");
    assert_eq!(session.exit_code(), 143);
    assert_eq!(session.kept(), 1);
}

#[test]
fn what_is_worked_out_on_other_threads_arrives() {
    let mut session = Session::start(30, 100, &[]);
    session.press("\x1b6r").wait_for("This change of 2 distances removes it");
    session.press("\r").wait_for("set 2 distances; u takes it back");
    session.press("\x1bORe").wait_for("before → now");
    session.press("u").wait_for("no edit so far changes what is built");
    session.press("q");
    assert_eq!(session.exit_code(), 0);
    session.assert_restored();
}

#[test]
fn the_lesson_is_taken_up_in_the_next_session() {
    let mut session = Session::start(30, 100, &[]);
    session.press("\x1b[17~").wait_for("Lesson 1 of");
    session.press(" ").wait_for("Lesson 2 of");
    session.press("q");
    assert_eq!(session.exit_code(), 0);
    let mut session = Session::start_in(session.home.take().unwrap(), 30, 100, &[]);
    session.press("\x1b[17~").wait_for("Lesson 2 of");
    session.press("q");
    assert_eq!(session.exit_code(), 0);
}

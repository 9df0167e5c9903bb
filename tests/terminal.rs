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
        Self::start_with(home, &["ring4", "--kernel", "v4.11"], (rows, cols), variables)
    }

    /// A session with these arguments, in its home.
    fn start_with(home: TempDir, args: &[&str], (rows, cols): (u16, u16), variables: &[(&str, &str)]) -> Self {
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_schedtopo"));
        command.args(args);
        command.cwd(home.path());
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
        // A file that is still being written has a name that begins with a dot.
        let whole = |entry: &std::fs::DirEntry| !entry.file_name().to_string_lossy().starts_with('.');
        std::fs::read_dir(folder).map_or(0, |entries| entries.filter_map(Result::ok).filter(whole).count())
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
fn stopping_writes_what_is_not_yet_kept() {
    let mut session = Session::start(40, 120, &[]);
    session.press("25\r\x1a");
    let start = Instant::now();
    while session.screen().screen().alternate_screen() || !session.raw().contains("\x1b[?1049l") {
        assert!(start.elapsed() < PATIENCE, "it does not stop");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(session.kept(), 1);
}

/// A mouse report: button 0 pressed, moved with (32 more) or released, at a column and row counted from 1.
fn report(button: u8, column: u16, row: u16, end: char) -> String {
    format!("\x1b[<{button};{column};{row}{end}")
}

#[test]
fn a_border_pulled_by_the_mouse_stays_for_the_next_session() {
    let mut session = Session::start(40, 120, &[]);
    session.wait_for("2 CPUs by level");
    let column = |session: &Session, text: &str| {
        let screen = session.screen().screen().contents();
        let line = screen.lines().find(|line| line.contains(text)).unwrap_or_default().to_owned();
        line.split(text).next().unwrap().chars().count() as u16
    };
    let before = column(&session, "┌ 2 CPUs");
    session.press(
        &(report(0, before + 1, 20, 'M') + &report(32, before + 11, 20, 'M') + &report(0, before + 11, 20, 'm')),
    );
    session.wait_until("the border where it was put", |screen| {
        screen.lines().any(|line| {
            line.split("┌ 2 CPUs").next().is_some_and(|start| start.chars().count() == usize::from(before) + 10)
        })
    });
    session.press("q");
    assert_eq!(session.exit_code(), 0);
    let session = Session::start_in(session.home.take().unwrap(), 40, 120, &[]);
    session.wait_for("2 CPUs by level");
    assert_eq!(column(&session, "┌ 2 CPUs"), before + 10);
}

#[test]
fn a_click_chooses_and_the_wheel_moves() {
    let mut session = Session::start(40, 120, &[]);
    session.wait_for("CPU 0 · node 0");
    // Three rows down, over the list of CPUs.
    session.press(&report(65, 50, 8, 'M'));
    session.wait_for("CPU 3 · node 3");
    let (row, column) = {
        let screen = session.screen().screen().contents();
        let row = screen.lines().position(|line| line.contains("F4 Reach")).unwrap();
        let line: Vec<char> = screen.lines().nth(row).unwrap().chars().collect();
        let text: String = line.iter().collect();
        (row as u16, text.split("Reach").next().unwrap().chars().count() as u16)
    };
    session.press(&report(0, column + 1, row + 1, 'M'));
    session.wait_until("Reach", |screen| screen.contains("puller") || screen.contains("pull"));
    session.press("q");
    assert_eq!(session.exit_code(), 0);
}

#[test]
fn the_palette_runs_what_it_finds() {
    let mut session = Session::start(40, 120, &[]);
    session.press(":");
    session.wait_for("Commands");
    session.press("add a node like\r");
    session.wait_for("5 nodes");
    session.press("qy");
    assert_eq!(session.exit_code(), 0);
}

#[test]
fn a_file_that_changes_is_read_again_unless_edits_would_be_lost() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("machine.txt");
    std::fs::write(&file, "10 20\n20 10\n").unwrap();
    let mut session = Session::start_with(home, &["machine.txt"], (40, 120), &[]);
    session.wait_for("2 nodes");
    std::fs::write(&file, "10 20 30\n20 10 20\n30 20 10\n").unwrap();
    session.wait_for("3 nodes");
    session.press("99\r");
    session.wait_for("unsaved");
    std::fs::write(&file, "10\n").unwrap();
    session.wait_for("changed, and there are unsaved edits");
    session.press("\x1b");
    session.wait_until("the edits", |screen| screen.contains("3 nodes") && !screen.contains("changed, and"));
    session.press("q");
    session.wait_for("quit without saving");
    session.press("y");
    assert_eq!(session.exit_code(), 0);
}

#[test]
fn keys_come_from_the_persons_own_file_and_a_bad_one_is_named() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("schedtopo");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), "[keys]\nquit = [\"X\"]\n").unwrap();
    let mut session = Session::start_in(home, 40, 120, &[]);
    session.press("q");
    session.press("X");
    assert_eq!(session.exit_code(), 0);
    let bad = folder.join("config.toml");
    std::fs::write(&bad, "[keys]\nundo = [\"ctrl-z\"]\n").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_schedtopo")).arg("--config").arg(&bad).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(error.contains("config.toml:2:8: undo: `ctrl-z` is also the key of `suspend`"), "{error}");
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

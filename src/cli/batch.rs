//! `schedtopo batch`: JSON lines in, JSON lines out, in order, on all cores, with bounded memory.

use super::error::CliError;
use super::outcome::Outcome;
use super::{input, lines};
use crate::formats::json;
use crate::formats::record::Record;
use crate::kernel::{self, Build, Release};
use crate::topology::Topology;
use serde_json::json;
use std::io::{self, BufRead, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Machines of more CPUs than this are written straight to the output: their records can take hundreds of megabytes.
const WRITE_DIRECTLY_ABOVE: usize = 1024;

/// Arguments of `batch`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The kernel to model: 6.12, v5.10.7, `uname -r` text, lauro-p2, newest
    #[arg(long, short, value_name = "RELEASE", default_value = "newest")]
    pub kernel: String,
}

/// Builds every topology of standard input.
///
/// # Errors
/// A bad `--kernel`, or input and output that fail. Bad lines are no errors: each gets a line of its own.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let release = input::release(&args.kernel)?;
    // A count between the lines of the output itself would be in the way.
    let shown = io::stderr().is_terminal() && !io::stdout().is_terminal();
    let mut progress = Progress::new(if shown { Box::new(io::stderr()) } else { Box::new(io::sink()) });
    batch(&release, io::stdin().lock(), out, &mut progress)
}

/// What became of one line.
enum Line {
    /// Its record, ready to print.
    Record(Vec<u8>),
    /// A machine too large to hold its record.
    Large(Box<(Topology, Build)>),
    /// Not a topology: its name if it has one, and why.
    Bad(Option<String>, String),
}

/// Builds every topology of `input`, and says on `progress` how far it is.
///
/// # Errors
/// Input and output that fail.
pub fn batch(
    release: &Release,
    mut input: impl BufRead,
    out: &mut dyn Write,
    progress: &mut Progress,
) -> Result<Outcome, CliError> {
    let mut outcome = Outcome::Clean;
    loop {
        let lines = lines::read_some(&mut input)?;
        if lines.is_empty() {
            break;
        }
        let done = lines::on_all_cores(&lines, |line| build_line(release, line));
        progress.add(done.len());
        for line in done {
            if matches!(line, Line::Bad(..)) {
                outcome = Outcome::BadInput;
            }
            write_line(out, line)?;
        }
    }
    progress.finish();
    out.flush()?;
    Ok(outcome)
}

fn build_line(release: &Release, line: &lines::Line) -> Line {
    let text = match line.text() {
        Ok(text) => text,
        Err(error) => return Line::Bad(None, error.to_string()),
    };
    let topology = match json::read(text) {
        Ok(topology) => topology,
        Err(error) => return Line::Bad(json::name_of(text), error.to_string()),
    };
    let build = kernel::build(&topology, release);
    if topology.nr_cpus > WRITE_DIRECTLY_ABOVE {
        return Line::Large(Box::new((topology, build)));
    }
    match serde_json::to_vec(&Record { build: &build, topology: &topology }) {
        Ok(record) => Line::Record(record),
        Err(error) => Line::Bad(Some(topology.name), error.to_string()),
    }
}

fn write_line(out: &mut dyn Write, line: Line) -> io::Result<()> {
    match line {
        Line::Record(record) => out.write_all(&record)?,
        Line::Large(large) => {
            let (topology, build) = *large;
            serde_json::to_writer(&mut *out, &Record { build: &build, topology: &topology })?;
        }
        Line::Bad(name, error) => serde_json::to_writer(&mut *out, &json!({ "name": name, "input_error": error }))?,
    }
    out.write_all(b"\n")
}

/// A count for a person who waits, and in the end how fast it went.
pub struct Progress {
    out: Box<dyn Write>,
    lines: usize,
    begun: Instant,
    next: Duration,
}

impl Progress {
    const EVERY: Duration = Duration::from_millis(200);

    /// Written to `out`, from now on.
    pub fn new(out: Box<dyn Write>) -> Self {
        Self { out, lines: 0, begun: Instant::now(), next: Self::EVERY }
    }

    fn add(&mut self, lines: usize) {
        self.lines += lines;
        let passed = self.begun.elapsed();
        if passed >= self.next {
            self.next = passed + Self::EVERY;
            // A terminal that can't take the count is no reason to stop.
            let _ = write!(self.out, "\r{} topologies", self.lines);
        }
    }

    fn finish(&mut self) {
        let seconds = self.begun.elapsed().as_secs_f64();
        let rate = self.lines as f64 / seconds.max(f64::EPSILON);
        let _ = writeln!(self.out, "\r{} topologies in {seconds:.1} s, {rate:.0} a second", self.lines);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::MAX_BYTES;
    use std::cell::{Cell, RefCell};
    use std::fmt::Write as _;
    use std::io::Read;
    use std::rc::Rc;

    fn silent() -> Progress {
        Progress::new(Box::new(io::sink()))
    }

    fn batch_text(input: &[u8]) -> (Outcome, Vec<serde_json::Value>) {
        let release = Release::parse("v6.12").unwrap();
        let mut out = Vec::new();
        let outcome = batch(&release, input, &mut out, &mut silent()).unwrap();
        let lines = String::from_utf8(out).unwrap();
        (outcome, lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
    }

    #[test]
    fn bad_lines_say_so_and_the_rest_goes_on() {
        let good = r#"{"name":"a","node_cpus":["0-1"],"distance":[[10]]}"#;
        let mut input = format!("{good}\n\nnonsense\n{{\"name\":\"b\",\"node_cpus\":[\"0\",\"0\"]}}\n").into_bytes();
        input.extend_from_slice(b"\xff\xfe\n");
        input.extend_from_slice(good.replace("\"a\"", "\"c\"").as_bytes());
        let (outcome, lines) = batch_text(&input);
        assert_eq!(outcome, Outcome::BadInput);
        assert_eq!(lines.len(), 5);
        assert_eq!(lines[0]["name"], "a");
        assert_eq!(lines[0]["cpus"].as_array().unwrap().len(), 2);
        assert!(lines[1]["input_error"].is_string() && lines[1]["name"].is_null());
        assert!(lines[2]["input_error"].is_string() && lines[2]["name"] == "b");
        assert!(lines[3]["input_error"].is_string());
        assert_eq!(lines[4]["name"], "c");
    }

    #[test]
    fn order_is_kept_over_many_lines() {
        let mut input = String::new();
        for i in 0..500 {
            let last = i % 7;
            writeln!(input, r#"{{"name":"{i}","node_cpus":["0-{last}"],"distance":[[10]]}}"#).unwrap();
        }
        let (outcome, lines) = batch_text(input.as_bytes());
        assert_eq!(outcome, Outcome::Clean);
        let names = lines.iter().map(|line| line["name"].as_str().unwrap().parse::<usize>().unwrap());
        assert!(names.eq(0..500));
        assert_eq!(lines.len(), 500);
    }

    #[test]
    fn an_endless_line_is_dropped_unread() {
        let long = io::repeat(b'x').take(MAX_BYTES + 5000);
        let rest: &[u8] = b"\n{\"name\":\"z\",\"node_cpus\":[\"0\"],\"distance\":[[10]]}\n";
        let release = Release::newest();
        let mut out = Vec::new();
        let outcome = batch(&release, io::BufReader::new(long.chain(rest)), &mut out, &mut silent()).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(outcome, Outcome::BadInput);
        assert_eq!(text.lines().count(), 2);
        assert!(text.lines().nth(1).unwrap().starts_with("{\"name\":\"z\""));
    }

    /// Endless input that counts how many of its lines were read.
    struct Source<'a> {
        line: &'static [u8],
        at: usize,
        lines: &'a Cell<usize>,
        most: usize,
    }

    impl Read for Source<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.lines.get() == self.most {
                return Ok(0);
            }
            let read = (&self.line[self.at..]).read(buffer)?;
            self.at += read;
            if self.at == self.line.len() {
                self.at = 0;
                self.lines.set(self.lines.get() + 1);
            }
            Ok(read)
        }
    }

    /// Output that notes the most lines that were read and not yet written.
    struct Sink<'a> {
        read: &'a Cell<usize>,
        written: usize,
        ahead: usize,
    }

    impl Write for Sink<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.ahead = self.ahead.max(self.read.get() - self.written);
            self.written += bytes.split(|&byte| byte == b'\n').count() - 1;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn no_more_lines_are_held_than_keep_the_cores_busy() {
        let lines = Cell::new(0);
        let line = b"{\"node_cpus\":[\"0\"],\"distance\":[[10]]}\n";
        let source = io::BufReader::with_capacity(64, Source { line, at: 0, lines: &lines, most: 3000 });
        let mut sink = Sink { read: &lines, written: 0, ahead: 0 };
        batch(&Release::newest(), source, &mut sink, &mut silent()).unwrap();
        assert_eq!(sink.written, 3000);
        let most = lines::PER_CORE * rayon::current_num_threads() + 2;
        assert!(sink.ahead <= most, "{} lines were held", sink.ahead);
    }

    /// A terminal to look at afterwards.
    #[derive(Clone, Default)]
    struct Terminal(Rc<RefCell<Vec<u8>>>);

    impl Write for Terminal {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.borrow_mut().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_terminal_is_told_how_many_and_how_fast() {
        let terminal = Terminal::default();
        let mut progress = Progress::new(Box::new(terminal.clone()));
        progress.next = Duration::ZERO;
        let input = b"{\"node_cpus\":[\"0\"],\"distance\":[[10]]}\nnonsense\n";
        batch(&Release::newest(), &input[..], &mut io::sink(), &mut progress).unwrap();
        let told = String::from_utf8(terminal.0.borrow().clone()).unwrap();
        assert!(told.starts_with("\r2 topologies\r2 topologies in "), "{told:?}");
        assert!(told.ends_with(" a second\n"), "{told:?}");
    }
}

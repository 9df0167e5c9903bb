//! The command line: parses it, runs it, maps errors to exit codes.

use clap::Parser;
use schedtopo::cli::{self, CliError, args::Cli};
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::parse();
    // Not locked: a signal that ends the explorer must be able to restore the terminal.
    let mut out = BufWriter::new(io::stdout());
    let outcome = cli::run(cli, &mut out).and_then(|outcome| {
        out.flush()?;
        Ok(outcome)
    });
    match outcome {
        Ok(outcome) => outcome.into(),
        // Whoever reads our output has seen enough.
        Err(CliError::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            // What was printed so far belongs before the error; if it can't be, there is nobody to tell.
            let _ = out.flush();
            let _ = writeln!(io::stderr(), "schedtopo: {error}");
            ExitCode::from(2)
        }
    }
}

//! Taking the terminal and giving it back: after a quit, an error, a panic, a signal.
//!
//! Everything switched on here is switched off here, whoever asks and however often: ratatui's own restore knows
//! neither mouse nor paste modes, and with an aborting panic nothing else would show the cursor again.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use crossterm::cursor::{Hide, Show};
use crossterm::event::{DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture};
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode,
};
use crossterm::{execute, queue};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use std::cell::Cell;
use std::io::{self, BufWriter, Stdout, Write as _};
use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

/// The screen, drawn in whole frames.
pub(super) type Screen = Terminal<CrosstermBackend<BufWriter<Stdout>>>;

/// Whether the terminal is ours at the moment; the panic hook and signals ask.
static TAKEN: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Whether a panic on this thread will be caught and must leave the terminal alone.
    static SHIELDED: Cell<bool> = const { Cell::new(false) };
}

/// Takes the terminal. Dropping it gives the terminal back.
pub(super) struct TerminalGuard {
    /// The screen.
    pub(super) screen: Screen,
    mouse: bool,
}

impl TerminalGuard {
    /// Raw mode, alternate screen, paste and, if wanted, the mouse.
    pub(super) fn new(mouse: bool) -> io::Result<Self> {
        install_hook();
        // Themes decide about colour; the library's own idea of NO_COLOR would also cancel reverse video.
        crossterm::style::force_color_output(true);
        enter(mouse)?;
        let backend = CrosstermBackend::new(BufWriter::with_capacity(1 << 16, io::stdout()));
        let screen = Terminal::new(backend).inspect_err(|_| leave())?;
        Ok(Self { screen, mouse })
    }

    /// Draws one frame; terminals that can show it all at once.
    pub(super) fn draw(&mut self, view: impl FnOnce(&mut ratatui::Frame)) -> io::Result<()> {
        queue!(self.screen.backend_mut(), BeginSynchronizedUpdate)?;
        self.screen.draw(view)?;
        execute!(self.screen.backend_mut(), EndSynchronizedUpdate)
    }

    /// Takes or releases the mouse.
    pub(super) fn set_mouse(&mut self, on: bool) -> io::Result<()> {
        self.mouse = on;
        if on {
            execute!(self.screen.backend_mut(), EnableMouseCapture)
        } else {
            execute!(self.screen.backend_mut(), DisableMouseCapture)
        }
    }

    /// Puts text on the clipboard, as far as the terminal lets programs do that (OSC 52). Not inside a frame.
    pub(super) fn copy(&mut self, text: &str) -> io::Result<()> {
        let encoded = BASE64_STANDARD.encode(text);
        let out = self.screen.backend_mut();
        write!(out, "\x1b]52;c;{encoded}\x07")?;
        out.flush()
    }

    /// Draws everything in the next frame, whatever the terminal shows now.
    ///
    /// Not with `Terminal::clear`: that asks the terminal where its cursor is, and the thread that reads the terminal
    /// would swallow the answer.
    pub(super) fn redraw(&mut self) -> io::Result<()> {
        let size = self.screen.size()?;
        self.screen.resize(Rect::new(0, 0, size.width, size.height))
    }

    /// Takes the terminal again after somebody else had it.
    pub(super) fn retake(&mut self) -> io::Result<()> {
        enter(self.mouse)?;
        self.redraw()
    }

    /// Gives the terminal back, stops until continued, and takes it again.
    pub(super) fn suspend(&mut self) -> io::Result<()> {
        leave();
        signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)?;
        self.retake()
    }
}

impl Drop for TerminalGuard {
    fn drop(&mut self) {
        leave();
    }
}

fn enter(mouse: bool) -> io::Result<()> {
    enable_raw_mode()?;
    TAKEN.store(true, Ordering::SeqCst);
    let mut out = io::stdout();
    execute!(out, EnterAlternateScreen, EnableBracketedPaste, Hide)?;
    if mouse { execute!(out, EnableMouseCapture) } else { Ok(()) }
}

/// Gives the terminal back, if it is taken. Errors are of no use here: there may be no terminal any more.
pub(super) fn leave() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    let mut out = io::stdout();
    let _ =
        execute!(out, EndSynchronizedUpdate, DisableMouseCapture, DisableBracketedPaste, LeaveAlternateScreen, Show);
    let _ = out.flush();
    let _ = disable_raw_mode();
}

/// A panic gives the terminal back before it prints.
fn install_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let next = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !SHIELDED.get() {
                leave();
                next(info);
            }
        }));
    });
}

/// Runs `work`; a panic in it is an error in words, and the terminal stays as it is.
pub(super) fn shielded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let before = SHIELDED.replace(true);
    let result = panic::catch_unwind(panic::AssertUnwindSafe(work));
    SHIELDED.set(before);
    result.map_err(|payload| {
        let text = payload.downcast_ref::<String>().cloned();
        text.or_else(|| payload.downcast_ref::<&str>().map(|&text| text.to_owned()))
            .unwrap_or_else(|| "a panic without a message".to_owned())
    })
}

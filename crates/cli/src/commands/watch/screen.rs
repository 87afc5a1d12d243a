//! The full screen of a terminal while a campaign is shown, and its restoration.
//!
//! The screen is the alternate one, so the text before it comes back. Keys are neither read nor echoed.
//!
//! Invariant: after the end of the view, a panic, or a signal other than KILL the terminal is as it was.
//! Never here: what is shown.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use ratatui_core::backend::{Backend, ClearType, WindowSize};
use ratatui_core::buffer::Cell;
use ratatui_core::layout::{Position, Size};
use ratatui_core::style::{Color, Modifier};
use ratatui_core::terminal::Terminal;
use rustix::termios::{self, LocalModes, OptionalActions, Termios};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use super::frame;
use super::shown::CampaignShown;
use crate::commands::terminal::has_colour;

/// The shortest time between two frames.
pub(crate) const FRAME_EVERY: Duration = Duration::from_millis(250);
/// The time after which all cells are written again, because another program may have written over them.
const REFRESH_EVERY: Duration = Duration::from_secs(30);
/// Enters the alternate screen and hides the cursor; leaves it and shows the cursor.
const ENTER: &str = "\u{1b}[?1049h\u{1b}[?25l";
const LEAVE: &str = "\u{1b}[0m\u{1b}[?25h\u{1b}[?1049l";
/// The size of a terminal that does not know its own.
const USUAL: Size = Size { width: 80, height: 24 };

/// The screen of this process.
static SCREEN: Mutex<Option<OpenScreen>> = Mutex::new(None);
/// What to restore. It has a lock of its own, because a panic may happen while a frame is made.
static BEFORE: Mutex<Option<TerminalBefore>> = Mutex::new(None);
/// Whether the screen has been left for good.
static IS_CLOSED: AtomicBool = AtomicBool::new(false);

/// The stream that is a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScreenStream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

impl ScreenStream {
    fn with<T>(self, body: impl FnOnce(BorrowedFd<'_>) -> T) -> T {
        match self {
            Self::Out => body(io::stdout().as_fd()),
            Self::Err => body(io::stderr().as_fd()),
        }
    }

    fn write(self, text: &[u8]) -> io::Result<()> {
        match self {
            Self::Out => io::stdout().lock().write_all(text).and_then(|()| io::stdout().flush()),
            Self::Err => io::stderr().lock().write_all(text),
        }
    }

    /// Whether a view can be shown: it is a terminal that obeys escapes, and this process is in its
    /// foreground.
    pub(crate) fn can_show(self) -> bool {
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
        self.with(|fd| fd.is_terminal() && !is_dumb && is_in_foreground(fd))
    }

    fn size(self) -> Size {
        let known = self.with(|fd| termios::tcgetwinsize(fd)).ok();
        let known = known.filter(|size| size.ws_col > 0 && size.ws_row > 0);
        known.map_or(USUAL, |size| Size { width: size.ws_col, height: size.ws_row })
    }

    /// The number of columns; 100 if it is no terminal.
    pub(crate) fn columns(self) -> usize {
        let is_terminal = self.with(|fd| fd.is_terminal());
        if is_terminal { usize::from(self.size().width).max(40) } else { 100 }
    }
}

/// Whether this process may write to the terminal and change it.
fn is_in_foreground(fd: BorrowedFd<'_>) -> bool {
    termios::tcgetpgrp(fd).is_ok_and(|group| group == rustix::process::getpgrp())
}

/// The terminal before the alternate screen.
struct TerminalBefore {
    stream: ScreenStream,
    modes: Option<Termios>,
}

impl TerminalBefore {
    fn restore(&self) {
        // A terminal that is gone needs no restoration.
        let _ = self.stream.write(LEAVE.as_bytes());
        if let Some(modes) = &self.modes {
            // A process in the background would be stopped by this call.
            let _ = self.stream.with(|fd| match is_in_foreground(fd) {
                true => termios::tcsetattr(fd, OptionalActions::Now, modes),
                false => Ok(()),
            });
        }
    }
}

/// The alternate screen.
struct OpenScreen {
    terminal: Terminal<AnsiBackend>,
    drawn: Option<Instant>,
    refreshed: Instant,
}

impl OpenScreen {
    fn enter(stream: ScreenStream) -> io::Result<Self> {
        let modes = stream.with(|fd| termios::tcgetattr(fd)).ok();
        let silent = modes.clone();
        *BEFORE.lock().unwrap_or_else(PoisonError::into_inner) = Some(TerminalBefore { stream, modes });
        if let Some(mut silent) = silent {
            silent.local_modes -= LocalModes::ECHO | LocalModes::ICANON;
            let _ = stream.with(|fd| termios::tcsetattr(fd, OptionalActions::Now, &silent));
        }
        stream.write(ENTER.as_bytes())?;
        let terminal = Terminal::new(AnsiBackend { stream, has_colour: has_colour(), out: String::new() })?;
        Ok(Self { terminal, drawn: None, refreshed: Instant::now() })
    }
}

/// Draws a frame on the terminal, at most every [`FRAME_EVERY`]. The first frame opens the screen. Returns
/// whether the view is open; it is not after [`close`].
pub(crate) fn show(stream: ScreenStream, shown: &dyn Fn() -> CampaignShown) -> bool {
    restore_after_panics();
    let mut screen = SCREEN.lock().unwrap_or_else(PoisonError::into_inner);
    if IS_CLOSED.load(Ordering::Acquire) {
        return false;
    }
    if screen.is_none() {
        match OpenScreen::enter(stream) {
            Ok(opened) => *screen = Some(opened),
            Err(_) => return false,
        }
    }
    let Some(open) = screen.as_mut() else { return false };
    if open.drawn.is_some_and(|drawn| drawn.elapsed() < FRAME_EVERY) {
        return true;
    }
    if open.refreshed.elapsed() >= REFRESH_EVERY {
        open.refreshed = Instant::now();
        let _ = open.terminal.clear();
    }
    let shown = shown();
    // A terminal that cannot be written to must not stop a campaign.
    let _ = open.terminal.draw(|area| frame::draw(&shown, area.buffer_mut()));
    open.drawn = Some(Instant::now());
    true
}

/// Leaves the screen for good, if it is open.
pub(crate) fn close() {
    IS_CLOSED.store(true, Ordering::Release);
    leave();
}

/// Leaves the screen. The next frame opens it again unless it is closed.
fn leave() {
    // A frame that is being written is finished before.
    let mut screen = SCREEN.lock().unwrap_or_else(PoisonError::into_inner);
    let before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner).take();
    before.iter().for_each(TerminalBefore::restore);
    *screen = None;
}

/// Restores the terminal before the message of a panic.
fn restore_after_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            IS_CLOSED.store(true, Ordering::Release);
            // The panic may have happened in this thread while it drew a frame, so the screen is not locked.
            let before = match BEFORE.try_lock() {
                Ok(mut before) => before.take(),
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner().take(),
                Err(TryLockError::WouldBlock) => None,
            };
            before.iter().for_each(TerminalBefore::restore);
            usual(panic);
        }));
    });
}

/// A flag that becomes true when this process is asked to end. The view is closed before. A second request
/// ends the process at once. Ctrl-Z leaves the screen until the process continues.
pub(crate) fn stop_on_request() -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGTSTP])?;
    let flag = Arc::clone(&stop);
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in signals.forever() {
            if signal == SIGTSTP {
                leave();
                let _ = emulate_default_handler(signal);
                continue;
            }
            close();
            if flag.swap(true, Ordering::AcqRel) {
                let _ = emulate_default_handler(signal);
            }
        }
    })?;
    Ok(stop)
}

/// Writes cells with the escapes that all terminals of today obey.
struct AnsiBackend {
    stream: ScreenStream,
    has_colour: bool,
    /// What [`Backend::flush`] writes.
    out: String,
}

impl AnsiBackend {
    fn put(&mut self, text: &str) -> io::Result<()> {
        self.out.push_str(text);
        Ok(())
    }

    /// The escape for the style of a cell.
    fn style(&self, cell: &Cell) -> String {
        let mut style = "\u{1b}[0".to_owned();
        for (modifier, code) in [(Modifier::BOLD, ";1"), (Modifier::DIM, ";2")] {
            style.push_str(if cell.modifier.contains(modifier) { code } else { "" });
        }
        let colour = match cell.fg {
            _ if !self.has_colour => "",
            Color::Red => ";31",
            Color::Green => ";32",
            Color::Yellow => ";33",
            _ => "",
        };
        style + colour + "m"
    }
}

impl Backend for AnsiBackend {
    type Error = io::Error;

    fn draw<'a, I: Iterator<Item = (u16, u16, &'a Cell)>>(&mut self, content: I) -> io::Result<()> {
        let (mut next, mut style) = (None, String::new());
        for (x, y, cell) in content {
            if next != Some((x, y)) {
                let _ = write!(self.out, "\u{1b}[{};{}H", y + 1, x + 1);
            }
            let own = self.style(cell);
            if own != style {
                self.out.push_str(&own);
                style = own;
            }
            self.out.push_str(cell.symbol());
            // A wide character moves the cursor further, so the next place is always given after one.
            next = cell.symbol().is_ascii().then_some((x + 1, y));
        }
        self.put("\u{1b}[0m")
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.put("\u{1b}[?25l")
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.put("\u{1b}[?25h")
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        Ok(Position::ORIGIN)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        let Position { x, y } = position.into();
        self.put(&format!("\u{1b}[{};{}H", y + 1, x + 1))
    }

    fn clear(&mut self) -> io::Result<()> {
        self.put("\u{1b}[2J")
    }

    fn clear_region(&mut self, region: ClearType) -> io::Result<()> {
        self.put(match region {
            ClearType::All => "\u{1b}[2J",
            ClearType::AfterCursor => "\u{1b}[J",
            ClearType::BeforeCursor => "\u{1b}[1J",
            ClearType::CurrentLine => "\u{1b}[2K",
            ClearType::UntilNewLine => "\u{1b}[K",
        })
    }

    fn size(&self) -> io::Result<Size> {
        Ok(self.stream.size())
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        Ok(WindowSize { columns_rows: self.stream.size(), pixels: Size::default() })
    }

    fn flush(&mut self) -> io::Result<()> {
        let out = std::mem::take(&mut self.out);
        self.stream.write(out.as_bytes())
    }
}

#[cfg(test)]
#[path = "screen_tests.rs"]
mod tests;

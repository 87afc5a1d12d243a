//! Text output to people. A closed pipe is not an error, a full disk is.
//!
//! Invariant: no control character or invisible character of a name or an output reaches the terminal.

use std::io::{self, ErrorKind, IsTerminal, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use units::visible_lines;

/// Prints `text`. Fails if it cannot be written, but not if the reader has closed the pipe.
pub(crate) fn say(text: &str) -> io::Result<()> {
    say_rendered(&visible_lines(text))
}

/// The same for text of a renderer, which escapes names itself and may use colours.
pub(crate) fn say_rendered(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}

/// Prints a line, or a message of several, to standard error in one write. So lines of other ranks do not mix
/// with it. If this fails too, the line is lost.
pub(crate) fn complain(line: &str) {
    let _ = io::stderr().lock().write_all(format!("{}\n", visible_lines(line)).as_bytes());
}

/// A progress line on standard error by `template`, with the number of `steps` if it is known. It is hidden
/// if standard error is not a terminal, and appears with the first message.
pub(crate) fn living_line(template: &str, steps: Option<u64>) -> ProgressBar {
    match io::stderr().is_terminal() {
        true => ProgressBar::with_draw_target(steps, ProgressDrawTarget::stderr())
            .with_style(ProgressStyle::with_template(template).expect("a sound template")),
        false => ProgressBar::hidden(),
    }
}

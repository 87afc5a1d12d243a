//! Words out: a reader that has gone away is no failure, a full disk is.

use std::io::{self, ErrorKind, IsTerminal, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Prints `text`; fails where it cannot be kept, but not where nobody reads any more.
pub(crate) fn say(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}

/// Complains in one line, written at once, so that other ranks' words are not inside it; where even that
/// cannot be written there is nobody to tell.
pub(crate) fn complain(line: &str) {
    let _ = io::stderr().lock().write_all(format!("{line}\n").as_bytes());
}

/// A line on standard error that says by `template` how far things are, of so many steps where that is known;
/// hidden where that is no terminal. It is drawn with the first that is said.
pub(crate) fn living_line(template: &str, steps: Option<u64>) -> ProgressBar {
    match io::stderr().is_terminal() {
        true => ProgressBar::with_draw_target(steps, ProgressDrawTarget::stderr())
            .with_style(ProgressStyle::with_template(template).expect("a sound template")),
        false => ProgressBar::hidden(),
    }
}

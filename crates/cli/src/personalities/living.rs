//! The output of a program with a line of progress on the terminal, and its warnings, which come last.

use std::io;

use indicatif::ProgressBar;

use super::printer::Printer;
use crate::speech::living_line;

/// Prints below a line of progress.
pub(crate) struct LivingText {
    line: ProgressBar,
    warnings: Vec<String>,
    printer: Printer,
}

impl LivingText {
    pub(crate) fn to_stdout() -> Self {
        Self { line: living_line("{msg}", None), warnings: Vec::new(), printer: Printer::to_stdout(false) }
    }

    #[cfg(test)]
    pub(crate) fn to_nowhere() -> Self {
        Self { printer: Printer::new(io::sink(), false), ..Self::to_stdout() }
    }

    /// Prints text while the line is hidden.
    pub(crate) fn put(&mut self, text: &str) {
        self.line.suspend(|| self.printer.put(text));
    }

    /// Shows how far the program is.
    pub(crate) fn progress(&self, text: String) {
        self.line.set_message(text);
    }

    /// Removes the line until the next progress.
    pub(crate) fn clear(&self) {
        self.line.finish_and_clear();
    }

    /// Keeps a warning for the end.
    pub(crate) fn warn(&mut self, text: String) {
        self.warnings.push(text);
    }

    /// Prints `last` and the warnings. Fails if anything could not be printed.
    pub(crate) fn finish(&mut self, last: &str) -> io::Result<()> {
        self.clear();
        let warnings = std::mem::take(&mut self.warnings);
        let warnings: String = warnings.iter().map(|text| format!("assay: warning: {text}\n")).collect();
        self.put(&(last.to_owned() + &warnings));
        self.printer.finish()
    }
}

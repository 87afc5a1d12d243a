//! Entries from files of other programs. They have no evidence, and their entries say where they come from.
//!
//! Invariant: pure, text in and entries out. What cannot be read is an error with its line, never left out.
//! Never here: files.

pub mod csv;
mod date;
pub mod io500;
pub mod json;
#[cfg(test)]
mod output_tests;
pub mod outputs;
#[cfg(test)]
mod record_tests;
pub mod records;
pub mod tables;
#[cfg(test)]
mod tests;
mod words;

pub use date::seconds;

use std::fmt;

/// Names that the user gives.
#[derive(Clone, Copy, Debug, Default)]
pub struct ImportNames<'a> {
    /// The system.
    pub system: Option<&'a str>,
    /// The file system.
    pub place: Option<&'a str>,
    /// The test, instead of its command line.
    pub test: Option<&'a str>,
    /// The time, instead of the date in a file: seconds since 1970.
    pub time_s: Option<f64>,
}

/// A measured number. It is finite, because JSON and SQL have no other numbers.
fn number(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| format!("`{text}` is not a number of 0 or more"))
}

/// Why a text cannot be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportError {
    /// The line, from 1; 0 for the whole text.
    pub line: u64,
    /// What is wrong, and what to do.
    pub what: String,
}

impl ImportError {
    fn at(line: u64, what: impl Into<String>) -> Self {
        Self { line, what: what.into() }
    }

    /// The same, in this line if it has none.
    pub fn or_at(self, line: u64) -> Self {
        let line = if self.line == 0 { line } else { self.line };
        Self { line, ..self }
    }

    /// A run without the line that ends it. It begins in this line.
    pub fn not_ended(line: u64) -> Self {
        Self::at(line, "the run that begins here has not ended, or was killed")
    }
}

impl fmt::Display for ImportError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => out.write_str(&self.what),
            line => write!(out, "line {line}: {}", self.what),
        }
    }
}

impl std::error::Error for ImportError {}

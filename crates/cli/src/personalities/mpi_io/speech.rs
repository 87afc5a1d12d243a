//! What the ranks tell the program that started them: lines of JSON among what else they print.

use results::record::Case;
use serde::{Deserialize, Serialize};

/// How such a line begins; nothing that a launcher prints does.
const MARK: &str = "{\"mpi_io\":";

/// One thing that rank 0 tells.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "mpi_io", rename_all = "snake_case")]
pub(super) enum Line {
    /// The ranks are there.
    Ready { ranks: u32, nodes: u32, host: String, mpi: Option<String>, library: String },
    /// A case begins in a directory, and ends within so many seconds.
    Begin { name: String, dir: String, limit_s: u64 },
    /// It has ended.
    End { case: Box<Case> },
    /// A directory stays, and why.
    Left { path: String, why: String },
    /// All have ended.
    Done,
}

impl Line {
    /// The line as it is printed, with its end.
    pub(super) fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }

    /// What a printed line tells, if it is one of these. A launcher may put its own words before it.
    pub(super) fn read(line: &str) -> Option<Self> {
        let at = line.find(MARK)?;
        serde_json::from_str(line[at..].trim_end()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_back_also_behind_a_launchers_words() {
        let case = Case { name: "posix.a".into(), seconds: 0.5, ..Case::default() };
        for line in [
            Line::Begin { name: "posix.a".into(), dir: "/d\"".into(), limit_s: 60 },
            Line::End { case: Box::new(case) },
            Line::Done,
        ] {
            assert!(line.text().starts_with(MARK), "{}", line.text());
            assert_eq!(Line::read(&format!("[1,0]<stdout>: {}", line.text())), Some(line));
        }
        assert_eq!(Line::read("PASS posix.a"), None);
        assert_eq!(Line::read("{\"mpi_io\":\"unknown\"}"), None);
    }
}

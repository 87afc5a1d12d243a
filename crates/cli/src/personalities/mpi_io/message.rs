//! Messages from the ranks to the driver that started them: lines of JSON among their other output.

use results::record::Case;
use serde::{Deserialize, Serialize};

/// The beginning of a message; no line of a launcher begins like this.
const PREFIX: &str = "{\"mpi_io\":";

/// One message of rank 0.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "mpi_io", rename_all = "snake_case")]
pub(super) enum Message {
    /// The ranks have started.
    Ready { ranks: u32, nodes: u32, host: String, mpi: Option<String>, library: String },
    /// A case begins in a directory, with a time limit in seconds.
    Begin { name: String, dir: String, limit_s: u64 },
    /// A case has ended.
    End { case: Box<Case> },
    /// A directory remains, for this reason.
    Left { path: String, why: String },
    /// All cases have ended.
    Done,
}

impl Message {
    /// The message as a line, with its end.
    pub(super) fn line(&self) -> String {
        serde_json::to_string(self).expect("a message is text and numbers") + "\n"
    }

    /// The message in a line of output, if there is one. A launcher may put its own text before it.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let at = line.find(PREFIX)?;
        serde_json::from_str(line[at..].trim_end()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_read_back_also_after_text_of_a_launcher() {
        let case = Case { name: "posix.a".into(), seconds: 0.5, ..Case::default() };
        for message in [
            Message::Begin { name: "posix.a".into(), dir: "/d\"".into(), limit_s: 60 },
            Message::End { case: Box::new(case) },
            Message::Done,
        ] {
            assert!(message.line().starts_with(PREFIX), "{}", message.line());
            assert_eq!(Message::parse(&format!("[1,0]<stdout>: {}", message.line())), Some(message));
        }
        assert_eq!(Message::parse("PASS posix.a"), None);
        assert_eq!(Message::parse("{\"mpi_io\":\"unknown\"}"), None);
    }
}

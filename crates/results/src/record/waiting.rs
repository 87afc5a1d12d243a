//! The call on a file that a rank was in when its job was asked to end.
//!
//! Each process writes those of its ranks into a file of its own beside the records. Rank 0 cannot learn of
//! them: a rank that waits in a call takes part in nothing.
//!
//! Never here: whether a call lasted too long.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

/// A call on a file that has not returned.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitingCall {
    /// The rank.
    pub rank: u32,
    /// Its node.
    pub node: String,
    /// The call, such as `write`.
    pub call: String,
    /// The path of the file; empty if it is not known.
    pub path: String,
    /// The offset in the file, bytes; absent if the call has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// For how long it has lasted at least, seconds.
    pub seconds: u64,
    /// The moment of this by the clock of the node, milliseconds since 1970.
    pub at_unix_ms: u64,
}

/// The start of the names of these files. The first rank of the process follows.
pub const WAITS: &str = "waits.";

impl WaitingCall {
    /// Writes the calls of the ranks of one process into `dir`, a line for each. Without calls it does
    /// nothing.
    pub fn write_all(dir: &Path, calls: &[Self]) -> io::Result<()> {
        let Some(first) = calls.first() else { return Ok(()) };
        let lines: Vec<String> = calls.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
        let mut file = File::create_new(dir.join(format!("{WAITS}{}.jsonl", first.rank)))?;
        file.write_all(format!("{}\n", lines.join("\n")).as_bytes())
    }

    /// The calls in the text of such a file. A line that was not written completely is left out.
    pub fn read_all(text: &str) -> Vec<Self> {
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_read_as_they_were_written_and_a_torn_line_is_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let calls: Vec<WaitingCall> = [(3, Some(4096)), (5, None)]
            .map(|(rank, offset)| WaitingCall {
                rank,
                offset,
                path: "/a b".into(),
                seconds: 61,
                ..Default::default()
            })
            .into();
        WaitingCall::write_all(dir.path(), &calls).unwrap();
        let text = std::fs::read_to_string(dir.path().join("waits.3.jsonl")).unwrap();
        assert_eq!(WaitingCall::read_all(&text), calls);
        assert_eq!(WaitingCall::read_all(&text[..text.len() - 9]), calls[..1]);
        WaitingCall::write_all(dir.path(), &[]).unwrap();
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}

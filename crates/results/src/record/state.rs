//! A state that a file system was brought to before anything is measured on it.

use serde::{Deserialize, Serialize};

/// What was asked for and what was reached. Shares are parts of the whole file system, 0 to 1, with what
/// others hold there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReachedState {
    /// Which kind of state: `age`, or `preload` (files counted in directories beforehand).
    pub kind: String,
    /// The directory.
    pub dir: String,
    /// Share of the blocks that was to be used; absent where none was asked for.
    pub blocks_target: Option<f64>,
    /// Share of the inodes that was to be used; absent where none was asked for.
    pub inodes_target: Option<f64>,
    /// Share of the blocks in use before.
    pub blocks_before: f64,
    /// Share of the inodes in use before; 0 where they are not counted.
    pub inodes_before: f64,
    /// Share of the blocks in use now.
    pub blocks: f64,
    /// Share of the inodes in use now; 0 where they are not counted.
    pub inodes: f64,
    /// Size of the file system, bytes.
    pub fs_bytes: u64,
    /// Inodes of the file system; 0 where they are not counted.
    pub fs_inodes: u64,
    /// Share of blocks and of inodes that was never to be passed.
    pub ceiling: f64,
    /// Files that were left.
    pub files: u64,
    /// Directories that were left.
    pub directories: u64,
    /// Length of these files, bytes.
    pub bytes: u64,
    /// Written in all, bytes.
    pub written_bytes: u64,
    /// How many times what lay there was to be written anew.
    pub cycles_target: f64,
    /// How many times it was.
    pub cycles: f64,
    /// Operations on files and directories.
    pub operations: u64,
    /// Extents after the first fill; absent where the file system does not tell.
    pub extents_first: Option<StateExtents>,
    /// Extents now; absent where the file system does not tell.
    pub extents: Option<StateExtents>,
    /// Where the sequence of operations began.
    pub seed: u64,
    /// SHA-256 of the profile of sizes, tree and operations.
    pub profile_sha256: String,
    /// Files and directories that were made anew when the run was taken up again, because they were missing
    /// or of another length.
    pub made_anew: u64,
    /// Files that were removed then, because they were not to be there.
    pub left_over: u64,
    /// How long it took, seconds; of a run that was taken up again, the last part.
    pub seconds: f64,
}

/// In how many pieces files lie, of those that were looked at and hold bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StateExtents {
    /// Files that were looked at.
    pub files: u64,
    /// Their extents; those that follow each other on the medium are one.
    pub extents: u64,
    /// Files with more than one.
    pub fragmented: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The most of any file.
    pub most: u64,
}

impl StateExtents {
    /// Extents a file; 0 where there are no files.
    pub fn mean(&self) -> f64 {
        self.extents as f64 / self.files.max(1) as f64
    }

    /// Share of the files with more than one, 0 to 1; 0 where there are no files.
    pub fn share_fragmented(&self) -> f64 {
        self.fragmented as f64 / self.files.max(1) as f64
    }

    /// One file more, of so many bytes.
    pub fn add(&mut self, extents: u64, bytes: u64) {
        self.files += 1;
        self.extents += extents;
        self.fragmented += u64::from(extents > 1);
        self.bytes += bytes;
        self.most = self.most.max(extents);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Record;

    #[test]
    fn extents_are_counted_file_by_file() {
        let mut found = StateExtents::default();
        assert_eq!((found.mean(), found.share_fragmented()), (0.0, 0.0));
        [(1, 10), (5, 20), (0, 7), (2, 3)].into_iter().for_each(|(extents, bytes)| found.add(extents, bytes));
        assert_eq!(found, StateExtents { files: 4, extents: 8, fragmented: 2, bytes: 40, most: 5 });
        assert_eq!((found.mean(), found.share_fragmented()), (2.0, 0.5));
    }

    #[test]
    fn a_state_reads_back_whole_in_part_and_with_what_a_later_format_adds() {
        let extents = StateExtents { files: 3, extents: 7, fragmented: 1, bytes: 9, most: 5 };
        let state = ReachedState {
            kind: "age".into(),
            blocks_target: Some(0.8),
            blocks: 0.799,
            extents: Some(extents),
            ..ReachedState::default()
        };
        let record = Record::State(Box::new(state));
        let text = serde_json::to_string(&record).unwrap();
        assert!(text.starts_with(r#"{"record":"state","kind":"age""#), "{text}");
        assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record);
        let part = r#"{"record":"state","kind":"preload","files":7,"added_later":[1]}"#;
        let wanted = ReachedState { kind: "preload".into(), files: 7, ..ReachedState::default() };
        assert_eq!(serde_json::from_str::<Record>(part).unwrap(), Record::State(Box::new(wanted)));
    }
}

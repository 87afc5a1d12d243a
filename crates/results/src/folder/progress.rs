//! The progress of a phase while it runs, as a job shows it: a line of `--live`, and the file of
//! `--progress`.
//!
//! Invariant: shown progress is no evidence. No verdict uses it, and the file disappears with its job.
//! Never here: how a rank counts.

use serde::{Deserialize, Serialize};

use super::hash::sha256;

/// The size of the file of `--progress`, bytes. It has one line: JSON, spaces, and the first digits of the
/// SHA-256 of both, by which a reader finds a line that was just being written.
pub const PROGRESS_BYTES: usize = 1024;
/// The number of these digits.
const DIGITS: usize = 16;
/// The bytes before them.
const CHECKED_BYTES: usize = PROGRESS_BYTES - DIGITS - 1;

/// One reading of the progress.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProgressShown {
    /// Number of the test.
    pub test: u32,
    /// In which repetition.
    pub repetition: u32,
    /// `write`, `read`, …
    pub phase: String,
    /// Seconds since the phase began.
    pub seconds: f64,
    /// Counted transfers of the visible ranks. Transfers within the ramp are excluded.
    pub transfers: u64,
    /// Bytes of these transfers; 0 for operations on files and directories.
    pub bytes: u64,
    /// Bytes per second since the previous reading, including the ramp.
    pub bytes_per_second: f64,
    /// Transfers or operations per second since the previous reading, including the ramp.
    pub transfers_per_second: f64,
    /// Highest 99th percentile of latency that a rank showed for its last tenth of a second, in seconds.
    pub p99_seconds: f64,
    /// The rank with the fewest transfers.
    pub slowest_rank: u32,
    /// Its counted transfers.
    pub slowest_transfers: u64,
    /// Share done, 0 to 1: of the transfers, or of the time if the time ends the phase sooner.
    pub done: f64,
    /// Seconds since a reading last showed finished transfers.
    pub idle_seconds: f64,
    /// Seconds left at the speed up to the last finished transfer; absent if unknown.
    pub seconds_left: Option<f64>,
    /// Number of visible ranks.
    pub ranks_seen: u32,
    /// Number of ranks.
    pub ranks: u32,
    /// Whether the phase has ended. The numbers are then those of its record.
    pub ended: bool,
}

impl ProgressShown {
    /// The contents of the file of `--progress`; `None` if they are too long for it.
    pub fn to_file(&self) -> Option<[u8; PROGRESS_BYTES]> {
        let text = serde_json::to_vec(self).ok()?;
        let mut file = [b' '; PROGRESS_BYTES];
        file[..CHECKED_BYTES - 1].get_mut(..text.len())?.copy_from_slice(&text);
        let digits = sha256(&file[..CHECKED_BYTES]);
        file[CHECKED_BYTES..PROGRESS_BYTES - 1].copy_from_slice(&digits.as_bytes()[..DIGITS]);
        file[PROGRESS_BYTES - 1] = b'\n';
        Some(file)
    }

    /// The progress in the file of `--progress`; `None` if it was just being written.
    pub fn of_file(bytes: &[u8]) -> Option<Self> {
        if bytes.len() != PROGRESS_BYTES {
            return None;
        }
        let (checked, digits) = bytes.split_at(CHECKED_BYTES);
        if sha256(checked).as_bytes()[..DIGITS] != digits[..DIGITS] {
            return None;
        }
        let shown: Self = serde_json::from_slice(checked).ok()?;
        let numbers = [
            shown.seconds,
            shown.bytes_per_second,
            shown.transfers_per_second,
            shown.p99_seconds,
            shown.done,
            shown.idle_seconds,
            shown.seconds_left.unwrap_or_default(),
        ];
        numbers.iter().all(|number| number.is_finite() && *number >= 0.0).then_some(shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_has_one_size_and_a_torn_or_absurd_one_is_not_read() {
        let shown = ProgressShown { phase: "write".into(), done: 0.5, seconds: 2.0, ..Default::default() };
        let file = shown.to_file().expect("it fits");
        assert_eq!((file.len(), ProgressShown::of_file(&file)), (PROGRESS_BYTES, Some(shown.clone())));
        let later = ProgressShown { seconds: 1e300, transfers: u64::MAX, bytes: u64::MAX, ..shown.clone() };
        assert_eq!(ProgressShown::of_file(&later.to_file().expect("it fits")), Some(later.clone()));
        let torn = [&later.to_file().expect("it fits")[..60], &file[60..]].concat();
        assert_eq!(ProgressShown::of_file(&torn), None);
        assert_eq!(ProgressShown::of_file(&file[..100]), None, "half of it");
        let absurd = ProgressShown { bytes_per_second: -1.0, ..shown.clone() };
        assert_eq!(ProgressShown::of_file(&absurd.to_file().expect("it fits")), None);
        let long = ProgressShown { phase: "p".repeat(PROGRESS_BYTES), ..shown };
        assert_eq!(long.to_file(), None);
    }
}

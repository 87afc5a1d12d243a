//! What `age` prints: its progress, and a table of the result.

use std::fmt::Write;
use std::time::Instant;

use indicatif::ProgressBar;
use results::progress::ProgressShown;
use results::record::StateExtents;
use units::{bytes_binary, count, duration, percent};
use workloads::ageing::{AgeingOutcome, AgeingProgress, Removed};
use workloads::kit::observer::EventObserver;

use crate::personalities::classic::live::{LiveFiles, StateFile};
use crate::speech::living_line;

/// Steps of the bar.
const STEPS: u64 = 1000;

/// The progress of ageing: a line on a terminal, and the file of `--progress`.
pub(super) struct LiveLine {
    bar: ProgressBar,
    file: Option<StateFile>,
    /// The ranks of the run. Only rank 0 reports.
    pub(super) ranks: u32,
    begun: Instant,
}

impl LiveLine {
    /// A line that is hidden if standard error is not a terminal.
    pub(super) fn new(files: LiveFiles) -> Self {
        let bar = living_line("{prefix:<6} [{bar:30}] {msg}", Some(STEPS));
        Self { bar, file: files.state_file(), ranks: 1, begun: Instant::now() }
    }

    /// Removes the line.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// The progress as campaigns read it, after this time.
fn shown(progress: &AgeingProgress, ranks: u32, seconds: f64) -> ProgressShown {
    ProgressShown {
        phase: progress.step.to_owned(),
        seconds,
        bytes: progress.bytes,
        bytes_per_second: progress.bytes_per_second,
        done: progress.share,
        seconds_left: progress.left_s,
        ranks_seen: 1,
        ranks,
        ..ProgressShown::default()
    }
}

/// The text after the bar.
fn words(progress: &AgeingProgress) -> String {
    let left = progress.left_s.map_or(String::new(), |left| format!(", {} left", duration(left.ceil())));
    format!(
        "{}{left}; rank 0: {} files, {}, {:.2} overwrite cycles",
        percent(progress.share, 0),
        count(progress.files as f64),
        bytes_binary(progress.bytes as f64),
        progress.cycles
    )
}

impl EventObserver<AgeingProgress> for LiveLine {
    fn event(&mut self, progress: &AgeingProgress) {
        self.bar.set_prefix(progress.step);
        self.bar.set_position((progress.share * STEPS as f64) as u64);
        self.bar.set_message(words(progress));
        if let Some(file) = &mut self.file {
            file.write(&shown(progress, self.ranks, self.begun.elapsed().as_secs_f64()));
        }
    }
}

fn row(text: &mut String, name: &str, values: [&str; 4]) {
    let [a, b, c, d] = values;
    let line = format!("{name:<26}{a:>14}{b:>14}{c:>14}{d:>14}");
    let _ = writeln!(text, "{}", line.trim_end());
}

pub(super) fn report(outcome: &AgeingOutcome) -> String {
    let mut text = String::new();
    let reached = &outcome.reached;
    let target = |target: Option<f64>| target.map_or("-".to_owned(), |share| percent(share, 2));
    row(&mut text, "Utilization", ["before", "target", "after", "of"]);
    row(
        &mut text,
        "blocks",
        [
            &percent(reached.blocks_before, 2),
            &target(reached.blocks_target),
            &percent(reached.blocks, 2),
            &bytes_binary(reached.fs_bytes as f64),
        ],
    );
    if reached.fs_inodes > 0 {
        row(
            &mut text,
            "inodes",
            [
                &percent(reached.inodes_before, 2),
                &target(reached.inodes_target),
                &percent(reached.inodes, 2),
                &reached.fs_inodes.to_string(),
            ],
        );
    }
    text.push('\n');
    row(&mut text, "Extents", ["a file", "files > 1", "most", "bytes each"]);
    for (name, extents) in [("after the first fill", reached.extents_first), ("now", reached.extents)] {
        extents_row(&mut text, name, extents);
    }
    text.push('\n');
    let done = &outcome.operations;
    for (name, value) in [
        ("files", reached.files.to_string()),
        ("directories", reached.directories.to_string()),
        ("bytes", bytes_binary(reached.bytes as f64)),
        ("written", bytes_binary(reached.written_bytes as f64)),
        ("overwrite cycles", format!("{:.2}", reached.cycles)),
        ("operations", reached.operations.to_string()),
        ("  create, delete", format!("{}, {}", done.create, done.delete)),
        ("  append, overwrite", format!("{}, {}", done.append, done.overwrite)),
        ("  rename, mkdir, truncate", format!("{}, {}, {}", done.rename, done.make_dir, done.cut)),
        ("size factor of profile", format!("{:.3}", outcome.size_factor)),
        ("seed", reached.seed.to_string()),
        ("profile (SHA-256)", reached.profile_sha256.get(..16).unwrap_or_default().to_owned()),
        ("time", duration(reached.seconds) + if outcome.resumed { " since --resume" } else { "" }),
    ] {
        let _ = writeln!(text, "{name:<26} {value}");
    }
    let (made, removed) = (reached.made_anew, reached.left_over);
    if (made, removed) != (0, 0) {
        let _ = writeln!(
            text,
            "restored by --resume       {made} files or directories recreated, {removed} leftovers removed"
        );
    }
    text
}

fn extents_row(text: &mut String, name: &str, extents: Option<StateExtents>) {
    match extents {
        None => row(text, name, ["not reported", "-", "-", "-"]),
        Some(extents) => row(
            text,
            name,
            [
                &format!("{:.3}", extents.mean()),
                &percent(extents.share_fragmented(), 2),
                &extents.most.to_string(),
                &bytes_binary(extents.bytes as f64 / extents.extents.max(1) as f64),
            ],
        ),
    }
}

pub(super) fn removed(removed: &Removed) -> String {
    let Removed { files, dirs, foreign, .. } = removed;
    let left = if *foreign > 0 {
        format!(". {foreign} foreign files or directories remain.")
    } else {
        String::new()
    };
    format!("removed {files} files and {dirs} directories{left}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_shows_the_share_done_and_the_time_left() {
        let progress = AgeingProgress {
            step: "age",
            share: 0.416,
            left_s: Some(89.2),
            files: 12_345,
            bytes: 3 << 30,
            cycles: 0.25,
            bytes_per_second: 2e9,
        };
        let shown = shown(&progress, 4, 7.0);
        assert_eq!((&*shown.phase, shown.done, shown.bytes_per_second), ("age", 0.416, 2e9));
        assert_eq!((shown.ranks_seen, shown.ranks, shown.seconds_left), (1, 4, Some(89.2)));
        assert_eq!(
            words(&progress),
            "42 %, 90.0 s left; rank 0: 12.3 k files, 3.00 GiB, 0.25 overwrite cycles"
        );
        let unknown = AgeingProgress { left_s: None, ..progress };
        assert_eq!(words(&unknown), "42 %; rank 0: 12.3 k files, 3.00 GiB, 0.25 overwrite cycles");
    }
}

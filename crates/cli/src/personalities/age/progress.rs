//! How far ageing is: a living line on a terminal, nothing elsewhere.

use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use units::{bytes_binary, count, duration};
use workloads::ageing::AgeingProgress;
use workloads::kit::observer::EventObserver;

/// Steps of the bar.
const STEPS: u64 = 1000;

/// The line.
pub(super) struct LiveLine(Option<ProgressBar>);

impl LiveLine {
    /// Finds out what standard error is.
    pub(super) fn new() -> Self {
        Self(io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{prefix:<6} [{bar:30}] {msg}");
            bar.set_style(style.unwrap_or(ProgressStyle::default_bar()));
            bar
        }))
    }

    /// Takes the line away.
    pub(super) fn clear(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

/// What stands behind the bar.
fn words(progress: &AgeingProgress) -> String {
    let left = progress.left_s.map_or(String::new(), |left| format!(", {} left", duration(left.ceil())));
    format!(
        "{:.0} %{left}; rank 0: {} files, {}, {:.2} turnovers",
        progress.share * 100.0,
        count(progress.files as f64),
        bytes_binary(progress.bytes as f64),
        progress.turnovers
    )
}

impl EventObserver<AgeingProgress> for LiveLine {
    fn event(&mut self, progress: &AgeingProgress) {
        if let Some(bar) = &self.0 {
            bar.set_prefix(progress.step);
            bar.set_position((progress.share * STEPS as f64) as u64);
            bar.set_message(words(progress));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_far_it_is_and_how_long_it_takes_yet() {
        let progress = AgeingProgress {
            step: "age",
            share: 0.416,
            left_s: Some(89.2),
            files: 12_345,
            bytes: 3 << 30,
            turnovers: 0.25,
        };
        assert_eq!(words(&progress), "42 %, 90.0 s left; rank 0: 12.3 k files, 3.00 GiB, 0.25 turnovers");
        let unknown = AgeingProgress { left_s: None, ..progress };
        assert_eq!(words(&unknown), "42 %; rank 0: 12.3 k files, 3.00 GiB, 0.25 turnovers");
    }
}

//! The command line of `pfind`, the parallel find of IO500.

mod pattern;

use std::path::PathBuf;

use units::Usage;

pub use pattern::NamePattern;

use crate::clap_line;
use crate::planned::{PlannedLine, check_options, check_place, check_stray};

/// The options that have one dash and a long name.
const SINGLE_DASH: [&str; 3] = ["-newer", "-size", "-name"];

/// Search a tree with all ranks like `pfind`, the parallel find of IO500
///
/// Counts the files of a tree, and those that meet all conditions. Ranks without work take some from others.
/// No file is changed. Links are not followed. Names are counted, not printed.
///
/// Exit status: 0 done; 2 wrong usage; 4 a call failed, or no file meets the conditions.
#[derive(Clone, Debug, PartialEq, clap::Parser)]
#[command(name = "pfind", max_term_width = 100, arg_required_else_help = true)]
pub struct PfindOptions {
    /// Search this directory
    #[arg(value_name = "DIR", required = true)]
    pub dir: Option<PathBuf>,
    /// Only files whose status changed when FILE's did, or later (also: -newer)
    #[arg(long, value_name = "FILE")]
    pub newer: Option<PathBuf>,
    /// Only files of this many bytes, such as 3901c (also: -size)
    #[arg(long, value_name = "BYTESc", value_parser = parse_size)]
    pub size: Option<u64>,
    /// Only files whose name contains the text; * is any text (also: -name)
    ///
    /// Unlike with GNU find, the text may be anywhere in the name.
    #[arg(long, value_name = "TEXT", value_parser = NamePattern::parse)]
    pub name: Option<NamePattern>,
    /// Only count, as always
    #[arg(short = 'C')]
    pub count: bool,
    /// Keep at most this many entries to examine on each rank
    #[arg(short, value_name = "N", default_value_t = 100_000)]
    #[arg(value_parser = clap::value_parser!(u32).range(10..=10_000_000))]
    pub queue: u32,
    /// Take work from the previous rank with half of the requests
    #[arg(short = 'N')]
    pub next: bool,
    /// Print the numbers of every rank, also of many
    #[arg(short = 'P')]
    pub per_rank: bool,
    /// With `rates`: print the rate in the line [DONE]
    #[arg(short = 'D', value_name = "rates", value_parser = ["rates"])]
    pub debug: Option<String>,
    /// Start this many ranks as threads of this process
    #[arg(short = 'n', value_name = "RANKS")]
    pub ranks: Option<u32>,
    /// Drop the kernel's caches on all nodes before (root only)
    ///
    /// A warning reports caches that cannot be dropped.
    #[arg(long)]
    pub cold: bool,
    /// Continue after a failed call
    ///
    /// Failures are counted and listed, and the exit status is 4.
    #[arg(long = "continue")]
    pub keep_going: bool,
    /// Write the records as JSON lines to this new file
    #[arg(long, value_name = "FILE")]
    pub record: Option<String>,
}

/// The words of a command line with two dashes before long names, which clap needs.
pub fn with_two_dashes(words: &[String]) -> Vec<String> {
    let dashed = |word: &String| {
        if SINGLE_DASH.contains(&word.as_str()) { format!("-{word}") } else { word.clone() }
    };
    words.iter().map(dashed).collect()
}

fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text.strip_suffix('c').filter(|digits| !digits.starts_with('+'));
    digits
        .unwrap_or_default()
        .parse()
        .map_err(|_| "give a number of bytes with a `c` after it, such as 3901c".to_owned())
}

impl PfindOptions {
    /// The options in `words`, as far as they can be read.
    pub fn read(words: &[String]) -> Self {
        clap_line::read(&with_two_dashes(words))
    }

    /// The first fault in `words`.
    pub(crate) fn fault(words: &[String]) -> Option<String> {
        clap_line::fault::<Self>(&with_two_dashes(words))
    }
}

impl PlannedLine for PfindOptions {
    fn check_planned(&self) -> Result<(), Usage> {
        if let Some(dir) = self.dir() {
            if !dir.starts_with("{dir}") {
                return check_stray("pfind", Some(dir));
            }
            check_place("DIR", dir)?;
        }
        if let Some(newer) = self.newer.as_ref().and_then(|path| path.to_str()) {
            check_place("-newer", newer)?;
        }
        if self.ranks.is_some() {
            return Err(Usage::new("`-n`: the plan's `ranks` sets the number of ranks. Leave -n out."));
        }
        check_options(&[("record", self.record.is_some())])
    }

    fn phases(&self) -> Vec<&'static str> {
        vec!["find", "directories"]
    }

    fn dir(&self) -> Option<&str> {
        self.dir.as_ref()?.to_str()
    }

    fn creates(&self) -> bool {
        false
    }

    fn removes(&self) -> bool {
        false
    }

    fn reads_any_files(&self) -> bool {
        true
    }

    fn shares_names(&self) -> bool {
        true
    }

    fn drops_caches(&self) -> bool {
        self.cold
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_io500_is_read_and_its_faults_are_found() {
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let line = "/d -newer /r/timestampfile -size 3901c -name *01* -C -q 10000 -N";
        let options = PfindOptions::read(&words(line));
        assert_eq!(options.dir, Some("/d".into()));
        assert_eq!((options.size, options.queue, options.next), (Some(3901), 10_000, true));
        assert_eq!(options.newer, Some("/r/timestampfile".into()));
        assert!(options.name.is_some() && options.count);
        assert_eq!(PfindOptions::fault(&words(line)), None);
        for (line, why) in [
            ("-size 4k /d", "give a number of bytes"),
            ("-size c /d", "give a number of bytes"),
            ("-size +3901c /d", "give a number of bytes"),
            ("-name a?c /d", "`?`"),
            ("-q 5 /d", "5 is not in 10..=10000000"),
            ("-H 1 /d", "unexpected argument '-H'"),
            ("-D all /d", "[possible values: rates]"),
        ] {
            let fault = PfindOptions::fault(&words(line)).unwrap();
            assert!(fault.contains(why), "{line}: {fault}");
        }
    }
}

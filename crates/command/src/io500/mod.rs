//! The command line of `io500`, its configuration, and the command lines of its phases.

mod hash;
mod ini;
mod lines;
mod sections;

use std::path::PathBuf;

pub use hash::{ScoreHash, text_hash};
pub use ini::Config;
pub use lines::PhaseLines;
pub use sections::{Effect, Phase, PhaseTool, SECTIONS, ScoreGroup, Section, phases};

use crate::clap_line;
use crate::planned::PlannedLine;

/// Run all phases of IO500 in one job, with its configuration and its files of results
///
/// The order of the phases, their command lines, the scores and the files are those of IO500. The results are
/// not official: those come only from its own program.
///
/// Exit status: 0 done, also if the run is marked [INVALID]; 1 --verify found a difference or an invalid run;
/// 2 wrong usage; 4 a call failed or data was wrong.
#[derive(Clone, Debug, PartialEq, clap::Parser)]
#[command(name = "io500", max_term_width = 100, arg_required_else_help = true)]
pub struct Io500Options {
    /// The configuration; `--list` prints one
    #[arg(value_name = "INI", required_unless_present_any = ["list", "list_mandatory"])]
    pub ini: Option<PathBuf>,
    /// Print a configuration with all options and their defaults
    #[arg(short, long)]
    pub list: bool,
    /// Print one for the phases that each run has (also: -lm)
    #[arg(long)]
    pub list_mandatory: bool,
    /// Print the hash of the configuration
    #[arg(long)]
    pub config_hash: bool,
    /// Check the hashes of a result.txt that was made with INI
    #[arg(long, value_name = "RESULT")]
    pub verify: Option<PathBuf>,
    /// Print the command lines of the phases, and run none
    #[arg(long)]
    pub dry_run: bool,
    /// Run only the phases that delete, after a run that failed; give its --timestamp and --mode
    #[arg(long)]
    pub cleanup: bool,
    /// Which phases
    #[arg(long, value_enum, default_value_t)]
    pub mode: Mode,
    /// Name the directories of this run TEXT instead of the present time
    #[arg(long, value_name = "TEXT", value_parser = parse_timestamp)]
    pub timestamp: Option<String>,
    /// Note times in result.txt, as without it; `--verbose 0` leaves them out
    #[arg(short, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// The same as a number
    #[arg(long = "verbose", value_name = "LEVEL", conflicts_with = "verbose")]
    pub verbosity: Option<u32>,
    /// Start this many ranks as threads of this process
    #[arg(short = 'n', value_name = "RANKS")]
    pub ranks: Option<u32>,
    /// Write the records as JSON lines to this new file
    #[arg(long, value_name = "FILE")]
    pub record: Option<String>,
}

/// Which phases are run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Mode {
    /// Those of each run
    #[default]
    Standard,
    /// All
    Extended,
}

impl Mode {
    /// Its word on the command line and in results.
    pub fn word(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Extended => "extended",
        }
    }
}

fn parse_timestamp(text: &str) -> Result<String, String> {
    let is_name = !text.is_empty() && !text.contains('/') && ![".", ".."].contains(&text);
    let why = || "give the name of a directory, without a `/`".to_owned();
    if is_name { Ok(text.to_owned()) } else { Err(why()) }
}

/// The words of a command line with the long name of `-lm`, which clap needs.
pub fn with_long_names(words: &[String]) -> impl Iterator<Item = String> {
    words.iter().map(|word| if word == "-lm" { "--list-mandatory".to_owned() } else { word.clone() })
}

impl Io500Options {
    /// The options in `words`, as far as they can be read.
    pub fn read(words: &[String]) -> Self {
        clap_line::read(&with_long_names(words).collect::<Vec<_>>())
    }
}

/// A plan cannot run it: each of its phases is a test of its own.
impl PlannedLine for Io500Options {}

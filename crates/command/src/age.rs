//! The options of `age`.

use std::path::PathBuf;

/// Fill a file system to a stated utilization and age it
///
/// Fills until --blocks and --inodes are reached. These are shares of the whole file system, including the
/// files of others. Then creates, deletes, appends, overwrites and renames until --cycles times
/// the size of all files was written, and settles at the targets.
///
/// The files remain. --remove removes them. --resume continues a run that was stopped or killed.
#[derive(Clone, Debug, PartialEq, clap::Args)]
pub struct AgeArgs {
    /// Fill and age in this directory, which must be empty or missing
    #[arg(value_name = "DIR", required_unless_present = "print_profile")]
    pub dir: Option<PathBuf>,
    /// Use this share of the blocks at the end, for example 80%
    #[arg(long, value_name = "SHARE")]
    pub blocks: Option<String>,
    /// Use this share of the inodes at the end, for example 20%
    #[arg(long, value_name = "SHARE")]
    pub inodes: Option<String>,
    /// Stop before blocks or inodes exceed this share [default: 90%]
    ///
    /// Blocks and inodes that other users fill count too.
    #[arg(long, value_name = "SHARE")]
    pub ceiling: Option<String>,
    /// Write X times the size of all files after the fill [default: 1]
    #[arg(long, value_name = "X")]
    pub cycles: Option<f64>,
    /// Seed the random choices with this whole number [default: 0]
    ///
    /// The same seed, ranks, profile and file system give the same files and operations.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Read sizes, tree and mix of operations from this file
    #[arg(long, value_name = "FILE.toml")]
    pub profile: Option<PathBuf>,
    /// Print the built-in profile with its sources, then exit
    #[arg(long)]
    pub print_profile: bool,
    /// Continue a stopped run in DIR, or extend it with more --cycles
    #[arg(long, conflicts_with = "remove")]
    pub resume: bool,
    /// Remove what age created in DIR, and nothing else
    #[arg(long, conflicts_with_all = [
        "blocks", "inodes", "ceiling", "cycles", "seed", "profile", "timeout", "record"
    ])]
    pub remove: bool,
    /// Stop after this time, for example 30min [default: no limit]
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<String>,
    /// Write the result as JSON lines to this new file
    #[arg(long, value_name = "FILE")]
    pub record: Option<String>,
    /// Keep the present progress in this new small file
    #[arg(long, value_name = "FILE", conflicts_with = "remove")]
    pub progress: Option<String>,
}

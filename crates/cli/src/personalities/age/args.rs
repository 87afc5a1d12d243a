//! The options of `age`.

use std::path::{Path, PathBuf};

use units::{Dimension, Quantity, Usage, utf8_text};
use workloads::ageing::{AgeingRequest, Profile};

use crate::personalities::classic::live::LiveFiles;
use crate::personalities::run_records::RunRecords;

/// Fill a file system to a stated utilization and age it
///
/// Fills until --blocks and --inodes are reached. These are shares of the whole file system, including the
/// files of others. Then creates, deletes, appends, overwrites and renames until --cycles times
/// the size of all files was written, and settles at the targets.
///
/// The files remain. --remove removes them. --resume continues a run that was stopped or killed.
#[derive(clap::Args)]
pub(crate) struct AgeArgs {
    /// Fill and age in this directory, which must be empty or missing
    #[arg(value_name = "DIR", required_unless_present = "print_profile")]
    dir: Option<PathBuf>,
    /// Use this share of the blocks at the end, for example 80%
    #[arg(long, value_name = "SHARE")]
    blocks: Option<String>,
    /// Use this share of the inodes at the end, for example 20%
    #[arg(long, value_name = "SHARE")]
    inodes: Option<String>,
    /// Stop before blocks or inodes exceed this share [default: 90%]
    ///
    /// Blocks and inodes that other users fill count too.
    #[arg(long, value_name = "SHARE")]
    ceiling: Option<String>,
    /// Write X times the size of all files after the fill [default: 1]
    #[arg(long, value_name = "X")]
    cycles: Option<f64>,
    /// Seed the random choices with this whole number [default: 0]
    ///
    /// The same seed, ranks, profile and file system give the same files and operations.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Read sizes, tree and mix of operations from this file
    #[arg(long, value_name = "FILE.toml")]
    profile: Option<PathBuf>,
    /// Print the built-in profile with its sources, then exit
    #[arg(long)]
    pub(super) print_profile: bool,
    /// Continue a stopped run in DIR, or extend it with more --cycles
    #[arg(long, conflicts_with = "remove")]
    resume: bool,
    /// Remove what age created in DIR, and nothing else
    #[arg(long, conflicts_with_all = [
        "blocks", "inodes", "ceiling", "cycles", "seed", "profile", "timeout", "record"
    ])]
    remove: bool,
    /// Stop after this time, for example 30min [default: no limit]
    #[arg(long, value_name = "TIME")]
    timeout: Option<String>,
    /// Write the result as JSON lines to this new file
    #[arg(long, value_name = "FILE")]
    record: Option<String>,
    /// Keep the present progress in this new small file
    #[arg(long, value_name = "FILE", conflicts_with = "remove")]
    progress: Option<String>,
}

pub(super) struct MeantAgeing {
    pub(super) request: AgeingRequest,
    pub(super) remove: bool,
    profile: Option<PathBuf>,
    pub(super) record: Option<String>,
    progress: Option<String>,
}

/// A share above 0 and below 1.
fn share(option: &str, text: Option<&String>) -> Result<Option<f64>, Usage> {
    let Some(text) = text else { return Ok(None) };
    let wrong = |why: String| {
        Usage(format!("{option} {text}: {why}. Give a share between 0 and 100 %, such as 80%."))
    };
    // The first sentence is the reason. The remedy of the parser is for any quantity, and is replaced here.
    let reason =
        |usage: Usage| usage.0.split(". ").next().unwrap_or_default().trim_end_matches('.').to_owned();
    let quantity: Quantity = text.parse().map_err(|usage| wrong(reason(usage)))?;
    match quantity {
        Quantity { value, dimension: Dimension::Fraction } if value > 0.0 && value < 1.0 => Ok(Some(value)),
        Quantity { dimension: Dimension::Fraction, .. } => Err(wrong("out of range".to_owned())),
        _ => Err(wrong("not a share".to_owned())),
    }
}

fn seconds(option: &str, text: Option<&String>) -> Result<Option<f64>, Usage> {
    let Some(text) = text else { return Ok(None) };
    match text.parse::<Quantity>() {
        Ok(Quantity { value, dimension: Dimension::Seconds }) if value > 0.0 => Ok(Some(value)),
        _ => Err(Usage(format!(
            "{option} {text}: not a time. Give a time with its unit, such as 90 s or 2 h."
        ))),
    }
}

impl AgeArgs {
    /// Reads the values.
    pub(super) fn meant(self) -> Result<MeantAgeing, Usage> {
        let request = AgeingRequest {
            dir: self.dir.unwrap_or_default(),
            resume: self.resume,
            blocks: share("--blocks", self.blocks.as_ref())?,
            inodes: share("--inodes", self.inodes.as_ref())?,
            ceiling: share("--ceiling", self.ceiling.as_ref())?,
            cycles: self.cycles,
            seed: self.seed,
            profile: None,
            timeout_s: seconds("--timeout", self.timeout.as_ref())?,
        };
        if request.cycles.is_some_and(|cycles| !(0.0..=1e6).contains(&cycles)) {
            return Err(Usage::new("--cycles: not a number from 0 to 1000000. Give one in this range."));
        }
        // Records hold seeds as JSON numbers, which many readers store as floating point.
        if request.seed.is_some_and(|seed| seed > 1 << 53) {
            return Err(Usage::new("--seed: more than 2^53. Give a whole number up to 2^53."));
        }
        let targets = request.blocks.is_some() || request.inodes.is_some();
        if !(targets || self.resume || self.remove) {
            return Err(Usage::new("no target is given. Give --blocks 80%, --inodes 20%, or both."));
        }
        request.check()?;
        let Self { remove, profile, record, progress, .. } = self;
        Ok(MeantAgeing { request, remove, profile, record, progress })
    }
}

impl MeantAgeing {
    /// The text of the profile, if one is given, the records, and the file of `--progress`.
    pub(super) fn outside(&self) -> Result<(Option<String>, RunRecords, LiveFiles), Usage> {
        let profile = self.profile.as_deref().map(profile).transpose()?;
        let records = RunRecords::open(self.record.as_deref())?;
        match LiveFiles::create(None, self.progress.as_deref()) {
            Ok(files) => Ok((profile, records, files)),
            Err(usage) => {
                records.discard();
                Err(usage)
            }
        }
    }

    /// Rejects a profile that is wrong or that a job in another directory would not find.
    pub(super) fn found_from_anywhere(&self) -> Result<(), Usage> {
        let Some(path) = &self.profile else { return Ok(()) };
        if path.is_relative() {
            let path = path.display();
            return Err(Usage(format!(
                "--profile {path}: a job runs in its own directory. Give the absolute path."
            )));
        }
        profile(path).map(drop)
    }
}

/// The text of a profile, after a check.
fn profile(path: &Path) -> Result<String, Usage> {
    let wrong = |why: String| Usage(format!("--profile {}: {why}", path.display()));
    let bytes = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
    let text = utf8_text(bytes).map_err(|error| wrong(error.to_string()))?;
    Profile::read(&text).map_err(|usage| wrong(usage.0))?;
    Ok(text)
}

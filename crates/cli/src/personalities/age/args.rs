//! The options of `age`.

use std::path::{Path, PathBuf};

use units::{Dimension, Quantity, Usage};
use workloads::ageing::{AgeingRequest, Profile};

use crate::personalities::run_records::RunRecords;

/// Fill a file system to a stated utilization and age it
///
/// Fills until the shares of --blocks and --inodes are in use (of the whole file system, with what others
/// hold), then creates, deletes, appends, overwrites and renames until as many bytes as lie there were
/// written --cycles times, then settles at the targets. It leaves its files: --remove takes them away. A
/// run that was stopped or killed goes on with --resume.
#[derive(clap::Args)]
pub(crate) struct AgeArgs {
    /// Directory of its own: empty, or not there yet
    #[arg(value_name = "DIR", required_unless_present = "print_profile")]
    dir: Option<PathBuf>,
    /// Share of the blocks to be used in the end, such as 80%
    #[arg(long, value_name = "SHARE")]
    blocks: Option<String>,
    /// Share of the inodes to be used in the end, such as 20%
    #[arg(long, value_name = "SHARE")]
    inodes: Option<String>,
    /// Stop before blocks or inodes are above this share, whoever fills them [default: 90%]
    #[arg(long, value_name = "SHARE")]
    ceiling: Option<String>,
    /// How often what lies there is written anew [default: 1]
    #[arg(long, value_name = "X")]
    cycles: Option<f64>,
    /// Same seed, ranks, profile and file system: same files and operations [default: 0]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Sizes, tree and mix of operations from a file
    #[arg(long, value_name = "FILE.toml")]
    profile: Option<PathBuf>,
    /// Print the built-in profile, and its source, and end
    #[arg(long)]
    pub(super) print_profile: bool,
    /// Go on where a run in DIR stopped, or further with more --cycles
    #[arg(long, conflicts_with = "remove")]
    resume: bool,
    /// Remove what was made in DIR, and nothing else
    #[arg(long, conflicts_with_all = [
        "blocks", "inodes", "ceiling", "cycles", "seed", "profile", "timeout", "record"
    ])]
    remove: bool,
    /// Stop after this time, such as 30 min
    #[arg(long, value_name = "TIME")]
    timeout: Option<String>,
    /// Keep what was reached in a file of records
    #[arg(long, value_name = "FILE")]
    record: Option<String>,
}

pub(super) struct MeantAgeing {
    pub(super) request: AgeingRequest,
    pub(super) remove: bool,
    profile: Option<PathBuf>,
    record: Option<String>,
}

/// A share between nothing and all.
fn share(option: &str, text: Option<&String>) -> Result<Option<f64>, Usage> {
    let Some(text) = text else { return Ok(None) };
    let wrong =
        |why: String| Usage(format!("{option} {text}: {why}; give a share between 0 and 100 %, as 80%"));
    // What else would do is said here, and for a share.
    let reason = |usage: Usage| usage.0.split("; ").next().unwrap_or_default().to_owned();
    let quantity: Quantity = text.parse().map_err(|usage| wrong(reason(usage)))?;
    match quantity {
        Quantity { value, dimension: Dimension::Fraction } if value > 0.0 && value < 1.0 => Ok(Some(value)),
        Quantity { dimension: Dimension::Fraction, .. } => Err(wrong("out of range".to_owned())),
        _ => Err(wrong("is no share".to_owned())),
    }
}

fn seconds(option: &str, text: Option<&String>) -> Result<Option<f64>, Usage> {
    let Some(text) = text else { return Ok(None) };
    match text.parse::<Quantity>() {
        Ok(Quantity { value, dimension: Dimension::Seconds }) if value > 0.0 => Ok(Some(value)),
        _ => Err(Usage(format!("{option} {text}: give a time with its unit, such as 90 s or 2 h"))),
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
            return Err(Usage::new("--cycles: give a number from 0 to 1000000"));
        }
        // Records tell seeds as numbers of JSON, which many readers hold as floating point.
        if request.seed.is_some_and(|seed| seed > 1 << 53) {
            return Err(Usage::new("--seed: give a whole number up to 2^53"));
        }
        let targets = request.blocks.is_some() || request.inodes.is_some();
        if !(targets || self.resume || self.remove) {
            return Err(Usage::new("nothing to reach; give --blocks 80%, --inodes 20%, or both"));
        }
        Ok(MeantAgeing { request, remove: self.remove, profile: self.profile, record: self.record })
    }
}

impl MeantAgeing {
    /// The profile's text, if one is named, and where records go.
    pub(super) fn outside(&self) -> Result<(Option<String>, RunRecords), Usage> {
        let profile = self.profile.as_deref().map(profile).transpose()?;
        Ok((profile, RunRecords::open(self.record.as_deref())?))
    }

    /// Says no to a profile that a job in another folder would not find, or not understand.
    pub(super) fn found_from_anywhere(&self) -> Result<(), Usage> {
        let Some(path) = &self.profile else { return Ok(()) };
        if path.is_relative() {
            let path = path.display();
            return Err(Usage(format!(
                "--profile {path}: a job runs in a folder of its own; give the whole path, from / on"
            )));
        }
        profile(path).map(drop)
    }
}

/// The text of a profile that can be read.
fn profile(path: &Path) -> Result<String, Usage> {
    let wrong = |why: String| Usage(format!("--profile {}: {why}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    Profile::read(&text).map_err(|usage| wrong(usage.0))?;
    Ok(text)
}

//! From the options of `age` to what they request.

use std::path::{Path, PathBuf};

use command::age::AgeArgs;
use units::{Dimension, Quantity, Usage, utf8_text};
use workloads::ageing::{AgeingRequest, Profile};

pub(super) struct MeantAgeing {
    pub(super) request: AgeingRequest,
    pub(super) remove: bool,
    profile: Option<PathBuf>,
    pub(super) record: Option<String>,
    pub(super) progress: Option<String>,
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

impl MeantAgeing {
    /// Reads the values.
    pub(super) fn read(args: AgeArgs) -> Result<MeantAgeing, Usage> {
        let request = AgeingRequest {
            dir: args.dir.unwrap_or_default(),
            resume: args.resume,
            blocks: share("--blocks", args.blocks.as_ref())?,
            inodes: share("--inodes", args.inodes.as_ref())?,
            ceiling: share("--ceiling", args.ceiling.as_ref())?,
            cycles: args.cycles,
            seed: args.seed,
            profile: None,
            timeout_s: seconds("--timeout", args.timeout.as_ref())?,
        };
        if request.cycles.is_some_and(|cycles| !(0.0..=1e6).contains(&cycles)) {
            return Err(Usage::new("--cycles: not a number from 0 to 1000000. Give one in this range."));
        }
        // Records hold seeds as JSON numbers, which many readers store as floating point.
        if request.seed.is_some_and(|seed| seed > 1 << 53) {
            return Err(Usage::new("--seed: more than 2^53. Give a whole number up to 2^53."));
        }
        let targets = request.blocks.is_some() || request.inodes.is_some();
        if !(targets || args.resume || args.remove) {
            return Err(Usage::new("no target is given. Give --blocks 80%, --inodes 20%, or both."));
        }
        request.check()?;
        let AgeArgs { remove, profile, record, progress, .. } = args;
        Ok(MeantAgeing { request, remove, profile, record, progress })
    }

    /// The text of the profile, if one is given.
    pub(super) fn profile(&self) -> Result<Option<String>, Usage> {
        self.profile.as_deref().map(profile).transpose()
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

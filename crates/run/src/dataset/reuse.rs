//! Whether the files of a kept dataset are what this campaign would create.
//!
//! Never here: creating them.

use std::io;

use jiff::Timestamp;
use results::folder::{DatasetReuse, Manifest, Recipe, names};
use results::reason::{Reason, reason};
use results::records;

use plan::dataset_check as fit;

use super::{KeptDataset, differing, hash, list, walk};
use crate::machine::now;
use plan::Dataset;

/// The content of the directory of a kept dataset.
#[derive(Debug)]
pub enum KeptContent {
    /// Nothing yet.
    Nothing,
    /// The dataset of its manifest, intact and large enough.
    Whole(Box<Manifest>),
    /// Something that cannot be used, for this reason. The dataset must be created again.
    Unusable(Reason),
}

/// Checks what is kept as `dataset`, created by `recipe`.
pub fn find(dataset: &Dataset, recipe: &Recipe, kept: &KeptDataset) -> io::Result<KeptContent> {
    if !kept.is_finished() {
        return Ok(match kept.is_begun() {
            true => KeptContent::Unusable(reason!(KeptUnfinished)),
            false => KeptContent::Nothing,
        });
    }
    let mut made = match kept.manifest() {
        Ok(made) => made,
        Err(error) => return Ok(KeptContent::Unusable(unreadable(&error))),
    };
    let (by, when) = (&made.campaign, &made.made);
    let unusable = |reason: Reason| {
        Ok(KeptContent::Unusable(reason!(KeptChanged { campaign: by, made: when, ..reason })))
    };
    if made.recipe_sha256 != hash(recipe) || made.recipe != *recipe {
        return unusable(reason!(KeptOtherRecipe { .. }));
    }
    let lacks = |name: &&&str| !kept.original(name).is_file();
    if let Some(name) = [names::STDOUT, names::STDERR, names::RECORDS].iter().find(lacks) {
        return unusable(reason!(KeptIncomplete { file: *name, .. }));
    }
    if is_too_old(&made, dataset) {
        return unusable(reason!(KeptExpired { .. }));
    }
    // Files that cannot be read are treated like changed files.
    match walk::changed(&kept.files(), &made, false) {
        Ok(None) => {}
        Ok(Some(what)) => return unusable(reason!(KeptChanged { cause: what, .. })),
        Err(error) => return unusable(unreadable(&error)),
    }
    let compared = match differing(&kept.files(), &made.samples) {
        Ok((None, compared)) => compared,
        Ok((Some((path, offset)), _)) => {
            return unusable(reason!(KeptChanged { path, offset, .. }));
        }
        Err(error) => return unusable(unreadable(&error)),
    };
    let records = records::load(&kept.original(names::RECORDS)).unwrap_or_default();
    if let Some(why) = fit::lacking(dataset, &made, &records) {
        return unusable(reason!(KeptNotEnough { cause: why, .. }));
    }
    let files = if made.counted.is_empty() { made.list.len() as u64 } else { made.files };
    made.reused = Some(DatasetReuse { taken: now(), files, samples: compared });
    Ok(KeptContent::Whole(Box::new(made)))
}

fn unreadable(error: &io::Error) -> Reason {
    reason!(KeptUnreadable { error: error.to_string() })
}

/// Whether it is older than its own `keep` or that of this plan allows.
fn is_too_old(made: &Manifest, dataset: &Dataset) -> bool {
    let asked = Manifest { keep_s: dataset.keep_s, ..made.clone() };
    let over = |made: &Manifest| list::expires(made).is_none_or(|end| end <= Timestamp::now());
    over(made) || over(&asked)
}

//! Whether files that an earlier campaign kept are what this one would make.
//!
//! Never here: making them.

use std::io;

use jiff::Timestamp;
use results::folder::{Manifest, Recipe, Reused, names};
use results::records;

use plan::dataset_check as fit;

use super::{Kept, differing, hash, list, walk};
use crate::machine::now;
use plan::Dataset;

/// What lies where a dataset is kept.
#[derive(Debug)]
pub enum Found {
    /// Nothing yet.
    Nothing,
    /// The dataset, as its manifest has it, whole and enough.
    Whole(Box<Manifest>),
    /// Something else, for this reason; it has to be made anew.
    Unusable(String),
}

/// Looks at what is kept as `dataset`, made by `recipe`.
pub fn find(dataset: &Dataset, recipe: &Recipe, kept: &Kept) -> io::Result<Found> {
    if !kept.is_finished() {
        return Ok(match kept.is_begun() {
            true => Found::Unusable("what lay there was never finished".to_owned()),
            false => Found::Nothing,
        });
    }
    let mut made = match kept.manifest() {
        Ok(made) => made,
        Err(error) => return Ok(Found::Unusable(error.to_string())),
    };
    let (by, when) = (&made.campaign, &made.made);
    let unusable = |why: &str| Ok(Found::Unusable(format!("that of {by}, made {when}, {why}")));
    if made.recipe_sha256 != hash(recipe) || made.recipe != *recipe {
        return unusable("was made by another recipe");
    }
    let lacks = |name: &&&str| !kept.original(name).is_file();
    if let Some(name) = [names::STDOUT, names::STDERR, names::RECORDS].iter().find(lacks) {
        return unusable(&format!("lacks {name}"));
    }
    if is_too_old(&made, dataset) {
        return unusable("had expired");
    }
    // What cannot be read is as bad as what is another.
    let of_files =
        |looked: io::Result<Option<String>>| looked.unwrap_or_else(|error| Some(error.to_string()));
    if let Some(what) = of_files(walk::changed(&kept.files(), &made, false)) {
        return unusable(&format!("was changed since: {what}"));
    }
    let (samples, compared) = match differing(&kept.files(), &made.samples) {
        Ok((differs, compared)) => (differs, compared),
        Err(error) => (Some(error.to_string()), 0),
    };
    if let Some(what) = samples {
        return unusable(&format!("was changed since: {what}"));
    }
    let records = records::load(&kept.original(names::RECORDS)).unwrap_or_default();
    if let Some(why) = fit::lacking(dataset, &made, &records) {
        return unusable(&format!("is not enough: {why}"));
    }
    let files = if made.counted.is_empty() { made.list.len() as u64 } else { made.files };
    made.reused = Some(Reused { taken: now(), files, samples: compared });
    Ok(Found::Whole(Box::new(made)))
}

/// Whether it is older than it was to become, or than this plan allows.
fn is_too_old(made: &Manifest, dataset: &Dataset) -> bool {
    let asked = Manifest { keep_s: dataset.keep_s, ..made.clone() };
    let over = |made: &Manifest| list::expires(made).is_none_or(|end| end <= Timestamp::now());
    over(made) || over(&asked)
}

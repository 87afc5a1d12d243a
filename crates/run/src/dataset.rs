//! Datasets: files that are created once, described by a manifest, and read by several tests and campaigns.
//!
//! When its job has ended, a dataset is walked and sampled ([`described`]). Its records and its manifest then
//! show whether it is complete and large enough ([`dataset_check::unfit`]). Before each reader starts, it is
//! checked again ([`changed`]). A kept dataset is in a directory of its own ([`KeptDataset`]), where later
//! campaigns find it by the hash of its recipe.
//!
//! Invariant: a dataset that is unfinished, too small or changed is never read as if it were complete.
//! Never here: launching, verdicts.

mod kept;
mod list;
mod reuse;
mod sample;
mod walk;

use std::path::Path;
use std::time::Duration;

use results::folder::{CampaignKey, DATASET_SCHEMA, FileSystemFacts, Manifest, Recipe, sha256};
use results::record::Record;

use crate::machine::now;
use plan::line::has_stamped_data;
use plan::{Dataset, dataset_check};

pub use kept::KeptDataset;
pub use list::{ListedDataset, list, remove};
pub use reuse::{KeptContent, find};
pub use sample::differing;
pub use walk::changed;

/// The time limit for sampling.
const SAMPLING: Duration = Duration::from_secs(20);

/// All facts that determine `dataset`, created by `tool` on the file system `fs`.
pub fn recipe(dataset: &Dataset, tool: &str, fs: &FileSystemFacts, key: Option<&CampaignKey>) -> Recipe {
    let placement = &dataset.placement;
    Recipe {
        tool: tool.to_owned(),
        workload: dataset.line.workload().to_owned(),
        words: dataset.line.placed(&[]),
        setup: dataset.setup.clone(),
        ranks: placement.ranks,
        nodes: placement.nodes,
        ppn: placement.ppn,
        kind: fs.kind.clone(),
        device: fs.device.clone(),
        data_key: key
            .filter(|_| has_stamped_data(dataset.line.workload(), dataset.line.words()))
            .map(|key| key.facts.id.clone()),
    }
}

/// SHA-256 of a recipe, hexadecimal.
pub fn hash(recipe: &Recipe) -> String {
    sha256(&serde_json::to_vec(recipe).unwrap_or_default())
}

/// The manifest of the files in `dir`, after the job that created them has recorded `records`. If the files
/// could not be examined, the manifest has the error.
pub fn described(dataset: &Dataset, recipe: Recipe, dir: &Path, records: &[Record]) -> Manifest {
    let mut made = Manifest {
        schema: DATASET_SCHEMA,
        name: dataset.name.clone(),
        recipe_sha256: hash(&recipe),
        keep_s: dataset.keep_s,
        recipe,
        ..Manifest::default()
    };
    let examined = match dataset.line.as_ior() {
        Some(_) => files(&mut made, dir, records),
        None => walk::count(dir).map(|counted| {
            made.files = counted.iter().map(|(_, files)| files).sum();
            made.counted = counted;
        }),
    };
    made.fault = examined.err().map(|error| error.to_string());
    made.made = now();
    made
}

/// Lists and samples files of data.
fn files(made: &mut Manifest, dir: &Path, records: &[Record]) -> std::io::Result<()> {
    let stem = dataset_check::stem(records);
    let kind = made.recipe.kind.clone();
    made.list = walk::settled(dir, &kind, &|name| dataset_check::is_data(name, &stem))?;
    made.files = made.list.len() as u64;
    made.bytes = made.list.iter().map(|file| file.bytes).sum();
    let allocated: u64 = made.list.iter().map(|file| file.allocated_bytes).sum();
    // Some FUSE file systems report no blocks at all.
    let is_reported = allocated > 0 || !kind.starts_with("fuse");
    made.allocated_bytes = is_reported.then_some(allocated);
    made.samples = sample::taken(dir, &made.data().collect::<Vec<_>>(), SAMPLING)?;
    Ok(())
}

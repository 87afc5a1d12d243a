//! `assay datasets`: lists and removes the datasets that campaigns kept on a file system.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use run::dataset::{self, ListedDataset};
use units::{Usage, bytes_binary, several};

use super::aligned::aligned;
use crate::speech::say;
use crate::status::DONE;

/// List or remove the datasets that campaigns kept for later campaigns
///
/// A plan keeps a dataset with `keep`. It is stored in a directory of its own in DIR/assay-datasets.
/// A dataset is not removed while a campaign uses it, if another user owns it, or if it contains other files.
#[derive(clap::Args)]
pub(crate) struct DatasetsArgs {
    /// The directory under test, as given to `assay run --dir`
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Remove this dataset, by its name in the list; may be repeated
    #[arg(long, value_name = "NAME")]
    remove: Vec<String>,
    /// Remove all datasets that have expired
    #[arg(long)]
    remove_expired: bool,
}

pub(crate) fn run(args: DatasetsArgs) -> Result<u8> {
    let at = args.dir.display();
    let dir = args.dir.canonicalize().map_err(|error| Usage(format!("{at}: {error}. Give a directory.")))?;
    let mut names = args.remove;
    if args.remove_expired {
        let all = listed(&dir)?;
        names.extend(all.iter().filter(|kept| kept.is_expired()).map(|kept| kept.name.clone()));
    } else if names.is_empty() {
        say(&table(&args.dir, &listed(&dir)?))?;
        return Ok(DONE);
    }
    names.sort();
    names.dedup();
    for name in &names {
        dataset::remove(&dir, name).with_context(|| at.to_string())??;
        say(&format!("removed {name}\n"))?;
    }
    if names.is_empty() {
        say("nothing has expired\n")?;
    }
    Ok(DONE)
}

fn listed(dir: &Path) -> Result<Vec<ListedDataset>> {
    dataset::list(dir).with_context(|| dir.display().to_string())
}

/// A row for each dataset.
fn table(dir: &Path, all: &[ListedDataset]) -> String {
    if all.is_empty() {
        return format!("no datasets are kept in {}\n", dir.display());
    }
    let header = ["Name", "Size", "Files", "Created", "Expires", "Campaign"].map(str::to_owned);
    let rows: Vec<[String; 6]> = std::iter::once(header).chain(all.iter().map(row)).collect();
    let bytes: u64 = all.iter().filter_map(|kept| kept.made.as_ref()).map(|made| made.bytes).sum();
    let number = several(all.len() as u64, "dataset");
    format!(
        "{}{number}, {}. Remove one with: assay datasets {} --remove NAME\n",
        aligned(&rows),
        bytes_binary(bytes as f64),
        dir.display()
    )
}

fn row(kept: &ListedDataset) -> [String; 6] {
    let dash = || "-".to_owned();
    let short = |time: &str| time.get(..16).unwrap_or(time).replace('T', " ");
    let state = match (&kept.busy, &kept.made) {
        (Some(_), Some(_)) => Some("in use"),
        (Some(_), None) => Some("being created"),
        (None, None) => Some("incomplete"),
        (None, Some(_)) if kept.is_expired() => Some("expired"),
        _ => None,
    };
    let expires = kept.expires().map_or_else(dash, |time| short(&time));
    let expires = match state {
        Some(state) if kept.made.is_none() => state.to_owned(),
        Some(state) => format!("{expires} ({state})"),
        None => expires,
    };
    match &kept.made {
        Some(made) => {
            let size = if made.counted.is_empty() { bytes_binary(made.bytes as f64) } else { dash() };
            let (name, campaign) = (kept.name.clone(), made.campaign.clone());
            [name, size, made.files.to_string(), short(&made.made), expires, campaign]
        }
        None => [kept.name.clone(), dash(), dash(), dash(), expires, kept.campaign.clone()],
    }
}

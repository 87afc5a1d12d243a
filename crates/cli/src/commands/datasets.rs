//! `assay datasets`: what campaigns have kept on a file system, and removing it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use run::dataset::{self, ListedDataset};
use units::{Usage, bytes_binary, several};

use crate::speech::say;

/// List the datasets that campaigns have kept on a file system, or remove some.
///
/// They lie in DIR/assay-datasets, each in a directory of its own, and are there because a plan says
/// `keep`. One that a campaign works on, that belongs to somebody else, or that holds files which are no
/// part of it is not removed. Exit status: 0 done; 2 rejected.
#[derive(clap::Args)]
pub(crate) struct DatasetsArgs {
    /// The directory under test, as `assay run --dir` had it
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Remove this one, by the name in the list; may be given several times
    #[arg(long, value_name = "NAME")]
    remove: Vec<String>,
    /// Remove all that later campaigns may no longer use
    #[arg(long)]
    remove_expired: bool,
}

pub(crate) fn run(args: DatasetsArgs) -> Result<u8> {
    let at = args.dir.display();
    let dir = args.dir.canonicalize().map_err(|error| Usage(format!("{at}: {error}; name a directory")))?;
    let mut names = args.remove;
    if args.remove_expired {
        let all = listed(&dir)?;
        names.extend(all.iter().filter(|kept| kept.is_expired()).map(|kept| kept.name.clone()));
    } else if names.is_empty() {
        say(&table(&args.dir, &listed(&dir)?))?;
        return Ok(0);
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
    Ok(0)
}

fn listed(dir: &Path) -> Result<Vec<ListedDataset>> {
    dataset::list(dir).with_context(|| dir.display().to_string())
}

/// A line for each.
fn table(dir: &Path, all: &[ListedDataset]) -> String {
    if all.is_empty() {
        return format!("no datasets are kept in {}\n", dir.display());
    }
    let header = ["Name", "Size", "Files", "Made", "Expires", "Campaign"].map(str::to_owned);
    let rows: Vec<[String; 6]> = std::iter::once(header).chain(all.iter().map(row)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..5).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        for (word, width) in row.iter().zip(&widths) {
            text.push_str(&format!("{word:<width$}  "));
        }
        text.push_str(&row[5]);
        text.push('\n');
    }
    let bytes: u64 = all.iter().filter_map(|kept| kept.made.as_ref()).map(|made| made.bytes).sum();
    let number = several(all.len() as u64, "dataset");
    format!(
        "{text}{number}, {}; `assay datasets {} --remove NAME` removes one\n",
        bytes_binary(bytes as f64),
        dir.display()
    )
}

fn row(kept: &ListedDataset) -> [String; 6] {
    let dash = || "-".to_owned();
    let short = |time: &str| time.get(..16).unwrap_or(time).replace('T', " ");
    let state = match (&kept.busy, &kept.made) {
        (Some(_), Some(_)) => Some("in use"),
        (Some(_), None) => Some("being made"),
        (None, None) => Some("never finished"),
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

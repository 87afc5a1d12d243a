//! `assay index`: one page over many campaigns.

use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};
use evidence::state::ExaminedCampaign;
use report::document::{IndexEntry, IndexedCampaign};
use results::Verdict;
use results::folder::{self, Campaign, names};
use units::{Usage, several};

use super::notes::note;
use super::output_file::{directory, has_marker, rejected_inside};
use crate::personalities::drifted;
use crate::speech::say;
use crate::status::{DONE, UNDECIDED};

/// The most folders of an index.
const FOLDERS_MAX: usize = 1000;

/// Write one HTML page over many campaigns
///
/// Each campaign has a line with its result and its evidence. Each plan has a table of its clauses over its
/// campaigns. Each campaign is checked and evaluated again. A folder that cannot be read is listed with the
/// reason. An existing file is replaced only if it is an index of assay.
#[derive(clap::Args)]
pub(crate) struct IndexArgs {
    /// Campaign folders, or archives of them
    #[arg(value_name = "FOLDER", required = true)]
    folders: Vec<PathBuf>,
    /// The file to write
    #[arg(short, long, value_name = "FILE", default_value = "index.html")]
    out: PathBuf,
}

pub(crate) fn run(args: IndexArgs) -> Result<u8> {
    let (out, count) = (&args.out, args.folders.len());
    if count > FOLDERS_MAX {
        let what = format!("{count} folders are given. Give at most {FOLDERS_MAX} at once.");
        return Err(Usage(what).into());
    }
    rejected_inside("--out", out, &args.folders)?;
    replaceable(out)?;
    let entries: Vec<IndexEntry> = args.folders.iter().map(|path| entry(path, out)).collect();
    let page = report::index_html(&entries)?;
    folder::write_whole(out, page.as_bytes()).with_context(|| format!("cannot write {}", out.display()))?;
    let unread = entries.iter().filter(|entry| entry.campaign.is_none());
    unread.for_each(|entry| note(format!("{} cannot be read: {}", entry.name, entry.error)));
    let read = || entries.iter().filter_map(|entry| entry.campaign.as_ref());
    say(&format!("Index: {} ({})\n", out.display(), several(count as u64, "campaign")))?;
    let is_whole = read().count() == count && read().all(|one| one.is_usable);
    Ok(if is_whole { DONE } else { UNDECIDED })
}

/// Rejects a file that exists and is not an index of this program.
fn replaceable(out: &Path) -> Result<(), Usage> {
    let at = out.display();
    match out.symlink_metadata().is_err() || has_marker(out, report::INDEX_MARKER) {
        true => Ok(()),
        false => Err(Usage(format!("{at} exists and is not an index of assay. Give another file with -o."))),
    }
}

/// The campaign at `path` for an index that is written to `out`.
fn entry(path: &Path, out: &Path) -> IndexEntry {
    let name = path.display().to_string();
    match ExaminedCampaign::open(path, drifted) {
        Ok(one) => IndexEntry {
            name,
            report: report_from(path, out),
            campaign: Some(indexed(one)),
            error: String::new(),
        },
        Err(error) => IndexEntry { name, error: format!("{error:#}"), ..IndexEntry::default() },
    }
}

/// What an index shows of a campaign.
pub(super) fn indexed(one: ExaminedCampaign) -> IndexedCampaign {
    let ExaminedCampaign { campaign, head, evidence, is_usable, .. } = one;
    IndexedCampaign {
        system: system(&campaign),
        has_open_findings: campaign.summary.has_open_findings(),
        plan: campaign.info.plan,
        title: campaign.info.title,
        started: campaign.info.started,
        tool: campaign.info.tool,
        evidence,
        is_usable,
        head,
        verdicts: campaign.verdicts.into_iter().map(shortened).collect(),
    }
}

/// The verdict without what the index does not show, so that many campaigns fit into memory.
fn shortened(verdict: Verdict) -> Verdict {
    Verdict {
        statistics: None,
        warnings: Vec::new(),
        notes: Vec::new(),
        jobs: Vec::new(),
        time_windows: Vec::new(),
        ..verdict
    }
}

/// The measured system of the plan, the machine, and its file systems.
fn system(campaign: &Campaign) -> String {
    let machine = campaign.before.as_ref();
    let file_systems = machine.iter().flat_map(|machine| &machine.file_systems);
    let mut parts: Vec<String> = file_systems.map(|fs| format!("{} on {}", fs.kind, fs.device)).collect();
    parts.dedup();
    let named = [campaign.summary.measured_on.clone(), machine.map_or(String::new(), |one| one.host.clone())];
    named.into_iter().chain(parts).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// The path of the report of a campaign folder, relative to the directory of the index. `None` for an
/// archive, for a folder without a report, and for a path that is not UTF-8.
pub(super) fn report_from(campaign: &Path, out: &Path) -> Option<String> {
    if folder::is_archive(campaign) || !folder::has(campaign, names::REPORT) {
        return None;
    }
    relative(&campaign.canonicalize().ok()?.join(names::REPORT), out)
}

/// The path of a file relative to the directory of `out`. `None` for a path that is not UTF-8.
pub(super) fn relative(file: &Path, out: &Path) -> Option<String> {
    let from = directory(out).canonicalize().ok()?;
    let same = from.components().zip(file.components()).take_while(|(one, other)| one == other).count();
    let up = from.components().skip(same).map(|_| "..".to_owned());
    let down = file.components().skip(same).map(|component| match component {
        Component::Normal(name) => name.to_str().map(str::to_owned),
        _ => None,
    });
    let parts = up.map(Some).chain(down).collect::<Option<Vec<String>>>()?;
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_report_is_linked_relative_to_the_index() {
        let place = tempfile::tempdir().unwrap();
        let campaign = place.path().join("a/b c");
        fs::create_dir_all(&campaign).unwrap();
        fs::create_dir(place.path().join("d")).unwrap();
        assert_eq!(report_from(&campaign, &place.path().join("index.html")), None, "it has no report");
        fs::write(campaign.join(names::REPORT), "").unwrap();
        for (out, wanted) in [
            ("index.html", "a/b c/report.html"),
            ("a/index.html", "b c/report.html"),
            ("d/index.html", "../a/b c/report.html"),
        ] {
            assert_eq!(report_from(&campaign, &place.path().join(out)).as_deref(), Some(wanted));
        }
    }
}

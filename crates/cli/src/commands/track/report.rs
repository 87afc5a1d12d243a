//! `assay track report`: pages of the history for a browser.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use ::report::history::{HISTORY_MARKER, HistoryLinks, HistoryView, overview_page, series_file, series_page};
use anyhow::{Context, Result};
use results::folder::{self, names};
use results::history::EntrySource;
use track::store::EntrySummary;
use units::{Usage, several};

use super::super::index::{relative, report_from};
use super::super::output_file::has_marker;
use super::list::one_or_more;
use super::{FallArgs, StorePlace, view};
use crate::speech::{living_line, say};
use crate::status::DONE;

/// The page with all series.
const OVERVIEW: &str = "index.html";
/// The ends of names of imported files that are linked. A browser shows them as text.
const TEXT_ENDS: [&str; 4] = ["csv", "txt", "log", "out"];

/// Write the history as pages for a browser
///
/// DIR/index.html has a small plot of each series, the events, and the series that fell since their baseline.
/// Each series has a page with its changes, and its points with their evidence. The pages need no network. A
/// directory is replaced only if it has pages of this command. Its other files are left as they are.
#[derive(clap::Args)]
pub(super) struct HistoryReportArgs {
    #[command(flatten)]
    store: StorePlace,
    /// The directory to write
    #[arg(short, long, value_name = "DIR", default_value = "history-report")]
    out: PathBuf,
    #[command(flatten)]
    fall: FallArgs,
    /// Only series with all of these texts in their names
    #[arg(value_name = "TEXT")]
    texts: Vec<String>,
}

pub(super) fn run(args: &HistoryReportArgs) -> Result<u8> {
    let store = args.store.open()?;
    let series = one_or_more(&store, &args.texts)?;
    outside_of_campaigns(&args.out)?;
    let old = replaceable(&args.out)?;
    let view = view::view(&store, series, args.fall.rule())?;
    fs::create_dir_all(&args.out).with_context(|| format!("cannot make {}", args.out.display()))?;
    let bytes = write(&view, &args.out)?;
    let written: BTreeSet<String> =
        view.courses.iter().map(|course| series_file(course.summary.id)).collect();
    for name in old.iter().filter(|name| name.as_str() != OVERVIEW && !written.contains(*name)) {
        let file = args.out.join(name);
        fs::remove_file(&file).with_context(|| format!("cannot remove {}", file.display()))?;
    }
    let fallen = (0..view.courses.len()).filter(|at| view.has_fallen(*at)).count();
    say(&format!(
        "Pages: {} ({}, {fallen} fell, {:.1} MB)\n",
        args.out.join(OVERVIEW).display(),
        several(view.courses.len() as u64, "series"),
        bytes as f64 / 1e6
    ))?;
    Ok(DONE)
}

/// Writes all pages, the overview last. Returns their bytes.
fn write(view: &HistoryView, out: &Path) -> Result<usize> {
    let evidence = evidence(view, out);
    let links = HistoryLinks {
        overview: OVERVIEW,
        series: &series_file,
        evidence: &|entry| evidence.get(&entry.id).cloned(),
        navigation: &[],
    };
    let line = living_line("{pos} of {len} pages {wide_msg}", Some(view.courses.len() as u64));
    let mut bytes = 0;
    let mut put = |name: &str, page: String| {
        let file = out.join(name);
        bytes += page.len();
        folder::write_whole(&file, page.as_bytes())
            .with_context(|| format!("cannot write {}", file.display()))
    };
    for (at, course) in view.courses.iter().enumerate() {
        put(&series_file(course.summary.id), series_page(view, at, &links)?)?;
        line.inc(1);
    }
    put(OVERVIEW, overview_page(view, &links)?)?;
    line.finish_and_clear();
    Ok(bytes)
}

/// The path from the pages to the report of each campaign, or to the imported file, if it can be opened.
fn evidence(view: &HistoryView, out: &Path) -> BTreeMap<i64, String> {
    let page = out.join(OVERVIEW);
    let used: BTreeSet<i64> =
        view.courses.iter().flat_map(|course| course.points.iter().map(|point| point.entry)).collect();
    let entries = used.iter().filter_map(|id| view.entries.get(id));
    entries.filter_map(|entry| Some((entry.id, path_to(entry, &page)?))).collect()
}

fn path_to(entry: &EntrySummary, page: &Path) -> Option<String> {
    let location = Path::new(&entry.location);
    if entry.source == EntrySource::Campaign {
        return report_from(location, page);
    }
    let is_text = location.extension().is_some_and(|end| TEXT_ENDS.iter().any(|text| end == *text));
    (is_text && location.is_file()).then(|| relative(location, page))?
}

/// Rejects a directory inside a campaign folder, also if a link leads there.
fn outside_of_campaigns(out: &Path) -> Result<(), Usage> {
    // A directory that does not exist yet will be below the first one that does.
    let named = |one: &Path| if one == Path::new("") { PathBuf::from(".") } else { one.to_owned() };
    let place = out.ancestors().find_map(|one| named(one).canonicalize().ok()).unwrap_or_default();
    match place.ancestors().find(|one| folder::has(one, names::CAMPAIGN)) {
        Some(campaign) => Err(Usage(format!(
            "-o {} is inside the campaign folder {}. Give another directory.",
            out.display(),
            campaign.display()
        ))),
        None => Ok(()),
    }
}

/// The names of the pages that this command made in a directory before. Rejects a directory with other
/// files only, and a file of the same name that is no page.
fn replaceable(out: &Path) -> Result<Vec<String>, Usage> {
    let at = out.display();
    let rejected = |what: String| Usage(format!("{what}. Give another directory with -o."));
    let Ok(facts) = out.symlink_metadata() else { return Ok(Vec::new()) };
    if !facts.is_dir() {
        return Err(rejected(format!("{at} is not a directory")));
    }
    let entries = fs::read_dir(out).map_err(|error| rejected(format!("{at} cannot be read: {error}")))?;
    let names: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    if names.is_empty() {
        return Ok(names);
    }
    if !has_marker(&out.join(OVERVIEW), HISTORY_MARKER) {
        return Err(rejected(format!("{at} has files, and no {OVERVIEW} of assay track report")));
    }
    Ok(names
        .into_iter()
        .filter(|name| is_own_name(name) && has_marker(&out.join(name), HISTORY_MARKER))
        .collect())
}

/// Whether a file with this name can be a page of this command.
fn is_own_name(name: &str) -> bool {
    let id = name.strip_prefix("series-").and_then(|rest| rest.strip_suffix(".html"));
    name == OVERVIEW || id.is_some_and(|id| id.len() == 16 && id.chars().all(|c| c.is_ascii_hexdigit()))
}

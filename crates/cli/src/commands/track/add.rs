//! `assay track add`: campaigns and files of other programs into the history.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ::judge::EntryNames;
use anyhow::Result;
use evidence::state::ExaminedCampaign;
use jiff::Timestamp;
use results::history::HistoryEntry;
use results::reason::Code;
use track::import::csv::{self, CsvMapping};
use track::import::{ImportNames, seconds};
use track::store::{Added, Store};
use units::{Usage, several};

use super::super::notes::note;
use super::files::ImportedEntry;
use super::{StorePlace, files};
use crate::personalities::drifted;
use crate::speech::{living_line, say};
use crate::status::{DONE, UNDECIDED};

/// Entries that are added in one transaction.
const TOGETHER: usize = 200;

/// Add campaigns, or files of other programs, to the history
///
/// A campaign is a folder or an archive. Its evidence is checked as `assay verify` does, and it is evaluated
/// again. A campaign that has not ended, or whose evidence is rejected, is not added. What is in the history
/// already is not added again.
///
/// Other files are logs with the output of ior or mdtest, also of several runs; JSON and CSV of ior; CSV of
/// mdtest (--saveRankPerformanceDetails); the records of a run (--record); and the summary or the folder of
/// an IO500 run. Another file whose name ends with .csv is a table with a line for each point.
#[derive(clap::Args)]
pub(super) struct AddArgs {
    /// Campaign folders, archives of them, or files of other programs
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    store: StorePlace,
    /// The name of the system, instead of what the campaign has
    ///
    /// A campaign names the host of a local file system. The servers of a network file system name it.
    #[arg(long, value_name = "NAME")]
    system: Option<String>,
    /// The name of the file system, instead of its type and device
    #[arg(long, value_name = "NAME")]
    place: Option<String>,
    /// The column of a field in a CSV file; may be repeated
    ///
    /// Fields are time, value, unit, system, place, plan, scale, test, metric, fill and concurrency. A column
    /// with the name of a field needs no option.
    #[arg(long, value_name = "FIELD=COLUMN", value_parser = pair)]
    map: Vec<(String, String)>,
    /// The value of a field in all lines of a CSV file; may be repeated
    ///
    /// test=NAME also names the test of an output of ior or mdtest and of records. It is otherwise its
    /// command line.
    ///
    /// time=DATE is also the time of an output or of an IO500 run, instead of the date in it.
    /// The CSV of ior and mdtest has neither.
    #[arg(long, value_name = "FIELD=VALUE", value_parser = pair)]
    set: Vec<(String, String)>,
}

/// `FIELD=TEXT` with a field of a CSV file.
fn pair(text: &str) -> Result<(String, String), String> {
    let (field, value) = text.split_once('=').ok_or("write FIELD=TEXT, such as time=epoch")?;
    let known = || csv::FIELDS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    match csv::FIELDS.iter().any(|(name, _)| *name == field) && !value.is_empty() {
        true => Ok((field.to_owned(), value.to_owned())),
        false => Err(format!("write FIELD=TEXT with one of the fields {}", known())),
    }
}

/// What became of the paths.
#[derive(Default)]
struct Tally {
    added: usize,
    points: usize,
    known: usize,
    rejected: usize,
}

pub(super) fn run(args: AddArgs) -> Result<u8> {
    let mapping = mapping(&args)?;
    let mut store = args.store.open_or_create()?;
    let mut tally = Tally::default();
    let line = living_line("{pos} of {len} {wide_msg}", Some(args.paths.len() as u64));
    let mut waiting = Vec::new();
    for path in &args.paths {
        line.set_message(path.display().to_string());
        for entry in entries(path, &args, &mapping)? {
            match entry {
                Ok(entry) => waiting.push(entry),
                Err(why) => {
                    tally.rejected += 1;
                    line.suspend(|| note(format!("{} is not added: {why}", path.display())));
                }
            }
        }
        if waiting.len() >= TOGETHER {
            add(&mut store, &mut waiting, &mut tally)?;
        }
        line.inc(1);
    }
    add(&mut store, &mut waiting, &mut tally)?;
    line.finish_and_clear();
    say(&format!(
        "Added: {}, {}. Known before: {}. History: {}\n",
        several(tally.added as u64, "entry"),
        several(tally.points as u64, "point"),
        tally.known,
        store.location()
    ))?;
    Ok(if tally.rejected > 0 { UNDECIDED } else { DONE })
}

/// The mapping of the options. `--system` and `--place` are constants too.
fn mapping(args: &AddArgs) -> Result<CsvMapping, Usage> {
    let mut constants: BTreeMap<String, String> = BTreeMap::new();
    let given = [("system", &args.system), ("place", &args.place)];
    let given = given.into_iter().filter_map(|(field, value)| Some((field.to_owned(), value.clone()?)));
    for (field, value) in args.set.iter().cloned().chain(given) {
        if constants.insert(field.clone(), value).is_some() {
            return Err(Usage(format!("--set {field} is given twice. Give it once.")));
        }
    }
    let mut columns = BTreeMap::new();
    for (field, column) in &args.map {
        if columns.insert(field.clone(), column.clone()).is_some() {
            return Err(Usage(format!("--map {field} is given twice. Give it once.")));
        }
    }
    Ok(CsvMapping { columns, constants })
}

fn add(store: &mut Store, waiting: &mut Vec<HistoryEntry>, tally: &mut Tally) -> Result<()> {
    for added in store.add(waiting, measure::unix_seconds())? {
        match added {
            Added::New(points) => {
                tally.added += 1;
                tally.points += points;
            }
            Added::Known => tally.known += 1,
        }
    }
    waiting.clear();
    Ok(())
}

/// The entries of a path, and why it or one of its runs has none.
fn entries(path: &Path, args: &AddArgs, mapping: &CsvMapping) -> Result<Vec<ImportedEntry>> {
    let location = path.canonicalize().map_err(|error| Usage(format!("{}: {error}", path.display())))?;
    let location = location.display().to_string();
    let (system, place) = (args.system.as_deref(), args.place.as_deref());
    if files::is_import(path) {
        let test = mapping.constants.get("test").map(String::as_str);
        let names = ImportNames { system, place, test, time_s: given_time(mapping)? };
        return Ok(files::entries(path, &location, mapping, names).unwrap_or_else(|why| vec![Err(why)]));
    }
    Ok(vec![of_campaign(path, &location, EntryNames { system, place })])
}

/// The time that the user gives.
fn given_time(mapping: &CsvMapping) -> Result<Option<f64>, Usage> {
    let Some(text) = mapping.constants.get("time") else { return Ok(None) };
    let time = seconds(text).ok_or_else(|| {
        Usage(format!(
            "--set time={text}: this is not a time. Write for example 2026-11-25 or 2026-11-25T02:30Z."
        ))
    })?;
    Ok(Some(time))
}

/// The entry of an ended campaign whose evidence is intact, or why it has none.
pub(super) fn of_campaign(
    path: &Path,
    location: &str,
    names: EntryNames<'_>,
) -> Result<HistoryEntry, String> {
    let mut one = ExaminedCampaign::open(path, drifted).map_err(|error| format!("{error:#}"))?;
    if !one.is_usable {
        return Err(report::sentences::sentence(&one.evidence));
    }
    if one.evidence.code == Code::EvidenceSoFar {
        return Err("the campaign has not ended. Add it after its verdicts.".to_owned());
    }
    let started: Timestamp = one
        .campaign
        .info
        .started
        .parse()
        .map_err(|_| format!("its start `{}` is not a time", one.campaign.info.started))?;
    one.name = location.to_owned();
    let entry = ::judge::history_entry(&one.evaluated(), started.as_duration().as_secs_f64(), names);
    entry.ok_or_else(|| "it has no evidence hash".to_owned())
}

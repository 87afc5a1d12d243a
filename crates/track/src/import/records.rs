//! Files that `--record` writes.
//!
//! The rules are those of campaigns, as far as they need no plan. A run that failed, wrong data, failed
//! operations and data from the page cache give points without values.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use results::Record;
use results::comparison::{ComparedFact, MetricDirection};
use results::history::{EntryFact, EntrySource, HistoryEntry, MeasuredPoint, SeriesId};
use results::reason::{Code, Datum};
use results::record::{self, CACHED_SHARE, End, MetricRow, Mounted, Phase, Run, SCHEMA, is_local};

use super::words::without_places;
use super::{ImportError, ImportNames, seconds};

/// The most names that a fact lists.
const NAMES_MAX: usize = 16;

/// Whether a text looks like such a file.
pub fn is_records(text: &str) -> bool {
    text.trim_start().starts_with("{\"record\":")
}

/// The entry of a file with this hash, from its records.
pub fn entry(
    records: &[Record],
    hash: &str,
    location: &str,
    names: ImportNames<'_>,
) -> Result<HistoryEntry, ImportError> {
    let (run, end) = bounds(records).map_err(|what| ImportError::at(0, what))?;
    let time_s = seconds(&run.started)
        .ok_or_else(|| ImportError::at(1, format!("its start `{}` is not a time", run.started)))?;
    let of_all = unusable(records, end);
    let mut points: Vec<MeasuredPoint> = Vec::new();
    let mut place_of: BTreeMap<(u32, &str), usize> = BTreeMap::new();
    for phase in record::phases(records).filter(|phase| !phase.phase.ends_with("_check")) {
        let place = *place_of.entry((phase.test, phase.phase.as_str())).or_insert(points.len());
        if place == points.len() {
            points.push(point(run, phase, time_s, names));
        }
        let point = &mut points[place];
        let value = phase.metric(MetricRow::rate_of(phase.counts).name).map(|metric| metric.value);
        point.values.extend(value);
        let why = of_all.or_else(|| unusable_phase(phase)).or(value.is_none().then_some(Code::NoValues));
        point.why = point.why.or(why);
    }
    for point in points.iter_mut().filter(|point| point.why.is_some()) {
        point.values.clear();
    }
    match points.is_empty() {
        true => Err(ImportError::at(0, format!("this run of {} recorded no rates", run.workload))),
        false => Ok(HistoryEntry {
            hash: hash.to_owned(),
            campaign: hash.to_owned(),
            source: EntrySource::Records,
            location: location.to_owned(),
            plan: EntrySource::Records.word().to_owned(),
            tool: run.tool.clone(),
            started_s: time_s,
            facts: facts(run),
            points,
            ..HistoryEntry::default()
        }),
    }
}

/// The first and the last record of a run that ended.
fn bounds(records: &[Record]) -> Result<(&Run, &End), String> {
    let Some(Record::Run(run)) = records.first() else {
        return Err("its first line is not the record of a run".to_owned());
    };
    if run.schema > SCHEMA {
        let found = run.schema;
        return Err(format!(
            "its records have format {found}, and this program reads up to {SCHEMA}. Use a newer assay."
        ));
    }
    if let Some(at) = records.iter().skip(1).position(|record| matches!(record, Record::Run(_))) {
        return Err(format!(
            "line {}: a second run begins here. Add the file of each run by itself.",
            at + 2
        ));
    }
    match records.last() {
        Some(Record::End(end)) => Ok((run, end)),
        _ => Err("the run has not ended, or was killed: the last record is missing".to_owned()),
    }
}

/// Why no value of a run can be used.
fn unusable(records: &[Record], end: &End) -> Option<Code> {
    let has = |is: fn(&Phase) -> bool| record::phases(records).any(is);
    let is_wrong = |phase: &Phase| phase.check.as_ref().is_some_and(|check| check.bad_transfers > 0);
    let rules = [
        (has(|phase| command::discards_data(&phase.backend)), Code::DummyBackend),
        (has(is_wrong), Code::WrongData),
        (has(|phase| phase.failed.is_some()), Code::OperationsFailed),
        (end.exit != 0, Code::JobFailed),
    ];
    rules.into_iter().find(|(applies, _)| *applies).map(|(_, code)| code)
}

/// Why the value of a phase cannot be used.
fn unusable_phase(phase: &Phase) -> Option<Code> {
    if phase.sampled.as_ref().is_some_and(|sampled| sampled.wrong > 0) {
        return Some(Code::SampledWrong);
    }
    phase.cached_before.is_some_and(|share| share > CACHED_SHARE).then_some(Code::CachedRead)
}

/// The point of a phase, without values.
fn point(run: &Run, phase: &Phase, time_s: f64, names: ImportNames<'_>) -> MeasuredPoint {
    let row = MetricRow::rate_of(phase.counts);
    let (name, unit) = (row.name, row.dimension(phase.counts).unit());
    let mounted = mounted(run, phase);
    let own_system = if mounted.is_none_or(|fs| is_local(&fs.kind)) { run.host.as_str() } else { "" };
    let command = command(run, phase);
    let test = names.test.unwrap_or(&command);
    MeasuredPoint {
        series: Arc::new(SeriesId {
            system: names.system.unwrap_or(own_system).to_owned(),
            place: names.place.map_or_else(|| mounted.map_or(String::new(), Mounted::words), str::to_owned),
            plan: EntrySource::Records.word().to_owned(),
            scale: String::new(),
            // A script has several tests with one command line.
            test: if phase.test == 0 { test.to_owned() } else { format!("{test} #{}", phase.test + 1) },
            metric: format!("{}.{name}", phase.phase),
            unit: unit.to_owned(),
        }),
        direction: MetricDirection::HigherIsFaster,
        time_s,
        values: Vec::new(),
        why: None,
        outcome: None,
        threshold: None,
        setup: setup(run, phase, command),
        fill: None,
        concurrency: None,
    }
}

/// The file system of the files of a phase: that of the longest directory above them, or the only one.
fn mounted<'r>(run: &'r Run, phase: &Phase) -> Option<&'r Mounted> {
    let all = run.clients.as_ref().map_or(&[][..], |clients| &clients.mounted);
    let above = all.iter().filter(|fs| Path::new(&phase.path).starts_with(&fs.dir));
    above.max_by_key(|fs| fs.dir.len()).or(all.first())
}

/// The workload and its arguments without the names of files.
fn command(run: &Run, phase: &Phase) -> String {
    let file = |word: &String| word.rsplit('/').next() == Some(run.workload.as_str());
    let from = run.argv.iter().position(file).map_or(1, |at| at + 1);
    let words = run.argv.get(from..).unwrap_or_default();
    let kept = without_places(&run.workload, words).into_iter().filter(|word| *word != phase.path);
    std::iter::once(run.workload.clone()).chain(kept).collect::<Vec<_>>().join(" ")
}

/// What must be the same.
fn setup(run: &Run, phase: &Phase, command: String) -> BTreeMap<String, String> {
    let parameters = phase.parameters().into_iter().map(|(name, value)| format!("{name} {value}"));
    let parts = [
        ("command", command),
        ("ranks", run.ranks.to_string()),
        ("nodes", run.nodes.to_string()),
        ("parameters", parameters.collect::<Vec<_>>().join(", ")),
    ];
    parts.into_iter().map(|(name, text)| (name.to_owned(), text)).collect()
}

/// What may explain a change, with the words of campaigns.
fn facts(run: &Run) -> Vec<EntryFact> {
    let nodes = run.clients.iter().flat_map(|clients| &clients.nodes).map(|node| node.name.clone());
    let mut nodes: Vec<String> = nodes.chain([run.host.clone()]).filter(|name| !name.is_empty()).collect();
    nodes.sort();
    nodes.dedup();
    nodes.truncate(NAMES_MAX);
    let all = [
        (ComparedFact::ProgramVersion, Some(Datum::from(&run.tool))),
        (ComparedFact::Mpi, run.mpi.as_ref().map(Datum::from)),
        (ComparedFact::NodeNames, (!nodes.is_empty()).then(|| Datum::from(nodes))),
    ];
    let fact = |(fact, value): (ComparedFact, Option<Datum>)| {
        Some(EntryFact { fact: fact.word().to_owned(), about: String::new(), value: value? })
    };
    all.into_iter().filter_map(fact).collect()
}

//! Support for tests: local ranks in a temporary directory, and an observer that stores events.

use std::path::Path;

use command::mdtest::Request;
use command::{POSIX, Settings};
use measure::CycleClock;
use ranks::{Comm, Halt, local};
use results::Record;
use results::record::Phase;
use storage::Storage;

use super::observer::MdtestEvent;
use super::{MdtestSummary, run};
use crate::kit::observer::EventObserver;

/// Stores every event as text.
#[derive(Default)]
struct MdtestEventLog(Vec<String>);

impl EventObserver<MdtestEvent<'_>> for MdtestEventLog {
    fn event(&mut self, event: &MdtestEvent<'_>) {
        self.0.push(match event {
            MdtestEvent::Notice(reason) => format!("Notice {reason}"),
            _ => format!("{event:?}"),
        });
    }
}

/// The result of one rank.
#[derive(Debug)]
pub(super) struct MdtestRankResult {
    pub(super) done: Result<MdtestSummary, Halt>,
    pub(super) records: Vec<Record>,
    pub(super) events: Vec<String>,
}

impl MdtestRankResult {
    pub(super) fn phases(&self) -> Vec<&Phase> {
        let mut phases = Vec::new();
        for record in &self.records {
            if let Record::Phase(phase) = record {
                phases.push(&**phase);
            }
        }
        phases
    }

    pub(super) fn phase(&self, name: &str) -> &Phase {
        let found = self.phases().into_iter().find(|phase| phase.phase == name);
        found.unwrap_or_else(|| panic!("no phase {name} in {:?}", self.records))
    }

    pub(super) fn events(&self, begin: &str) -> Vec<&str> {
        self.events.iter().map(String::as_str).filter(|event| event.starts_with(begin)).collect()
    }
}

/// The files of this machine.
pub(super) fn posix() -> Box<dyn Storage> {
    (storage::driver(POSIX).expect("it is there").open)(&Settings::default()).expect("it opens")
}

/// Runs on `ranks` local ranks and returns the result of each.
pub(super) fn play_on(ranks: u32, parameters: &Request, storage: &dyn Storage) -> Vec<MdtestRankResult> {
    parameters.check(ranks).expect("sound parameters");
    let clock = CycleClock::new();
    let body = |comm: &dyn Comm| {
        let (mut clock, mut records, mut log) = (clock.clone(), Vec::new(), MdtestEventLog::default());
        let done = run(parameters, storage, comm, &mut clock, &mut records, None, &mut log, 7, None);
        MdtestRankResult { done, records, events: log.0 }
    };
    local::run(ranks, body).into_iter().map(|rank| rank.expect("no rank panics")).collect()
}

/// The same with files in `dir`: the directories of `parameters` are in it.
pub(super) fn play_in(dir: &Path, ranks: u32, parameters: &Request) -> Vec<MdtestRankResult> {
    play_on(ranks, &within(dir, parameters), &*posix())
}

/// The parameters with their directories in `dir`.
pub(super) fn within(dir: &Path, parameters: &Request) -> Request {
    let dirs = parameters.dirs.iter().map(|name| dir.join(name).display().to_string()).collect();
    Request { dirs, ..parameters.clone() }
}

/// Only the creation phases, in `A`.
pub(super) fn only_create() -> Request {
    Request { stat: false, read: false, rename: false, remove: false, ..all_phases() }
}

/// All phases, in `A`.
pub(super) fn all_phases() -> Request {
    Request { dirs: vec!["A".into()], ..Request::default() }
}

/// Every path below `dir`, sorted. Directories end in `/`, and files with data are followed by their size.
pub(super) fn names_in(dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    collect(dir, dir, &mut found);
    found.sort();
    found
}

fn collect(top: &Path, dir: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(dir).expect("it can be read") {
        let path = entry.expect("it can be read").path();
        let name = path.strip_prefix(top).expect("it is below").display().to_string();
        let kept = path.symlink_metadata().expect("it is there");
        if kept.is_dir() {
            found.push(format!("{name}/"));
            collect(top, &path, found);
        } else if kept.len() > 0 {
            found.push(format!("{name} {}", kept.len()));
        } else {
            found.push(name);
        }
    }
}

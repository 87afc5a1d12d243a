//! The records of a run of any workload: who measured, what was measured, how the run ended.
//!
//! Invariant: the record of the run comes first, after the clocks of the ranks were compared.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use jiff::Zoned;
use measure::CycleClock;
use ranks::Halt;
use results::Record;
use results::record::{Clients, ClockFacts, End, Failure, Run, SCHEMA};
use results::records::{Nowhere, RecordFile, Sink};
use units::Usage;
use workloads::kit::failed_call::recorded;

/// The records of a run, on rank 0.
pub(crate) struct RunRecords {
    sink: Box<dyn Sink + Send>,
    path: Option<String>,
    /// The record of the run, until it is written.
    run: Option<Run>,
    /// Whether a record could not be written and the ranks stopped because of that.
    broken: bool,
}

impl RunRecords {
    /// Creates the file of `--record`, if it was given. An existing file is rejected.
    pub(crate) fn open(record: Option<&str>) -> Result<Self, Usage> {
        let sink: Box<dyn Sink + Send> = match record {
            None => Box::new(Nowhere),
            Some(path) => match RecordFile::create(Path::new(path)) {
                Ok(file) => Box::new(file),
                Err(error) => {
                    let what = format!("--record {path}: {error}. Choose a file that does not exist yet.");
                    return Err(Usage(what));
                }
            },
        };
        Ok(Self { sink, path: record.map(str::to_owned), run: None, broken: false })
    }

    /// Removes the file, which was just created and holds no results. The next run would reject a file that
    /// remained.
    pub(crate) fn discard(self) {
        let _ = self.path.map(std::fs::remove_file);
    }

    /// Sets the facts that are known before the run, and the node of rank 0.
    pub(crate) fn about(&mut self, run: Run, node: &str) {
        self.run = Some(Run { host: node.to_owned(), ..run });
    }

    /// Writes the last records: why all ranks stopped, if they did, and the exit status. Fails if they cannot
    /// be written, unless an earlier failure to write already stopped the ranks.
    pub(crate) fn end(&mut self, halt: Option<&Halt>, exit: u8) -> io::Result<()> {
        if let Some(halt) = halt {
            let Halt { step, rank, node, why, call } = halt.clone();
            let call = call.map(|call| recorded(*call));
            let _ = self.sink.put(&Record::Failure(Failure { step, rank, node, why, call }));
        }
        let reported = self.broken;
        self.put(&Record::End(End { exit, finished: rfc3339(), libraries: parallel_libraries() }))
            .or_else(|error| if reported { Ok(()) } else { Err(error) })
    }
}

impl Sink for RunRecords {
    fn put(&mut self, record: &Record) -> io::Result<()> {
        self.sink.put(record).map_err(|error| {
            self.broken = true;
            let path = self.path.as_deref().unwrap_or_default();
            io::Error::new(error.kind(), format!("{path}: {error}"))
        })
    }

    fn begin(&mut self, nodes: u32, offset_uncertainty_ns: u64, clients: &Clients) -> io::Result<()> {
        match self.run.take() {
            None => Ok(()),
            Some(mut run) => {
                run.nodes = nodes;
                run.clock.offset_uncertainty_ns = offset_uncertainty_ns;
                run.clients =
                    Some(Box::new(clients.clone())).filter(|clients| **clients != Clients::default());
                self.put(&Record::Run(run))
            }
        }
    }
}

/// What is known of a run before it begins. Rank 0 adds the rest.
pub(crate) fn run_record(
    workload: &str,
    argv: &[String],
    ranks: u32,
    mpi: Option<&str>,
    clock: &CycleClock,
) -> Run {
    let quality = clock.quality();
    Run {
        schema: SCHEMA,
        tool: concat!("assay ", env!("CARGO_PKG_VERSION")).to_owned(),
        workload: workload.to_owned(),
        argv: argv.to_vec(),
        started: rfc3339(),
        ranks,
        mpi: mpi.map(str::to_owned),
        clock: ClockFacts {
            source: quality.source.to_owned(),
            resolution_ns: quality.resolution_ns,
            cost_ns: quality.cost_ns,
            offset_uncertainty_ns: 0,
        },
        ..Run::default()
    }
}

fn rfc3339() -> String {
    Zoned::now().strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
}

/// Prefixes of the file names of parallel libraries.
const PARALLEL: &[&str] =
    &["libmpi", "libhdf5", "libpnetcdf", "libucp", "libfabric", "libpmi", "libpals", "liblustreapi"];

/// The parallel libraries that this process has loaded, from the kernel's map of its memory.
pub(crate) fn parallel_libraries() -> Vec<String> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let files = maps.lines().filter_map(|line| line.find('/').map(|at| &line[at..]));
    let parallel = |file: &&str| {
        let name = file.rsplit('/').next().unwrap_or_default();
        name.contains(".so") && PARALLEL.iter().any(|begin| name.starts_with(begin))
    };
    let found: BTreeSet<String> = files.filter(parallel).map(str::to_owned).collect();
    found.into_iter().collect()
}

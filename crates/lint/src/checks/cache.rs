//! Whether data was in the memory of clients when the clock stopped, or came from there.
//!
//! The records of the run decide what was read from caches. Before the run such a finding is therefore info.

use command::ior::{self, ReadShift};
use command::{Packet, PlannedLine, WorkloadLine};
use results::finding::Severity::{Error, Info, NeedsWaiver};
use results::finding::{Finding, Severity};
use results::reason::{Reason, reason};
use units::KIB;

use crate::subject::{LineRole, LineSubject};

/// Data below this multiple of a node's memory may stay in memory (NERSC-10).
const MEMORY_MULTIPLE: f64 = 1.5;
/// Transfers up to this size belong to a test of operations, not of bandwidth.
const SMALL: u64 = 64 * KIB;
/// Share of the memory that must be occupied for reads to be cold (NERSC-10).
const HOG: f64 = 0.8;

/// Whether a cache may merge its small random writes before they reach the servers.
fn is_gathered(line: &ior::Line) -> bool {
    let small = line.transfer_bytes().is_some_and(|bytes| bytes <= SMALL);
    line.writes() && line.is_random() && small && !line.is_direct() && !line.sync_each
}

/// write-iops-buffered
pub(crate) fn write_iops(subject: &LineSubject) -> Option<Finding> {
    let line = subject.ior().filter(|line| is_gathered(line) && subject.measures_write())?;
    let transfer = line.transfer_bytes().unwrap_or(0);
    Some(Finding::new(NeedsWaiver, reason!(WriteIopsBuffered { transfer })).at(subject.word('z')))
}

/// Memory of a node that remains for caches.
fn memory_left(subject: &LineSubject, line: &ior::Line) -> Option<f64> {
    let ram = subject.ram_bytes? as f64;
    let share = line.hog_share().unwrap_or(0.0);
    Some((ram * (1.0 - share) - line.hog_bytes().unwrap_or(0) as f64).max(0.0))
}

/// Bytes that a node writes until the deadline, at most the requested bytes. The second value is the
/// deadline, if that limits them.
fn written_per_node(subject: &LineSubject, line: &ior::Line) -> Option<(f64, Option<f64>)> {
    let asked = subject.bytes_per_node().map(|bytes| bytes as f64);
    let until = || {
        let (rate, nodes) = (subject.target_bytes()?, subject.nodes()? as f64);
        let seconds = (line.deadline > 0).then_some(f64::from(line.deadline))?;
        Some((rate * seconds / nodes, seconds))
    };
    match (asked, until()) {
        (asked, Some((bytes, seconds))) if asked.is_none_or(|asked| bytes < asked) => {
            Some((bytes, Some(seconds)))
        }
        (asked, _) => Some((asked?, None)),
    }
}

/// client-cache-fit
pub(crate) fn cache_fit(subject: &LineSubject) -> Vec<Finding> {
    let Some(line) = subject.ior() else { return Vec::new() };
    let Some(memory) = memory_left(subject, line) else { return Vec::new() };
    let least = memory * MEMORY_MULTIPLE;
    let found = |severity: Severity, reason: Reason, phase: &str| {
        Finding::new(severity, reason).at(subject.word('b')).of_phase(phase)
    };
    let mut findings = Vec::new();
    let cached = !line.persists() || is_gathered(line);
    if let Some((bytes, deadline)) = written_per_node(subject, line)
        && subject.measures_write()
        && cached
        && bytes < least
    {
        let reason = reason!(ClientCacheFit { written: bytes, deadline, memory, least });
        findings.push(found(NeedsWaiver, reason, "write"));
    }
    let cold = line.drop_caches || line.is_direct() || line.hog_share().is_some_and(|share| share >= HOG);
    if let Some(bytes) = subject.bytes_per_node().map(|bytes| bytes as f64)
        && subject.measures_read()
        && line.writes()
        && !line.mixes()
        && !cold
        && bytes < least
    {
        findings.push(found(Info, reason!(ClientCacheFit { read: bytes, memory, least }), "read"));
    }
    findings
}

/// missing-persist
pub(crate) fn persist(subject: &LineSubject) -> Option<Finding> {
    subject.ior().filter(|line| subject.measures_write() && !line.persists())?;
    // No clause depends on the rate of a reported or hero test.
    let shown_only = subject.reported || subject.role == Some(LineRole::Hero);
    let severity = if shown_only { NeedsWaiver } else { Error };
    let found = Finding::new(severity, reason!(MissingPersist));
    Some(found.at(subject.word('w')).of_phase("write"))
}

/// Whether readers are on other nodes than writers, judged from the command line alone.
fn shifts(subject: &LineSubject, line: &ior::Line) -> bool {
    match (line.shift(), subject.nodes()) {
        (_, Some(1)) | (ReadShift::None, _) => false,
        (ReadShift::Random, _) => true,
        (ReadShift::Nodes(by), nodes) => nodes.is_none_or(|nodes| by % nodes != 0),
    }
}

/// Whether the written data is so large that none of it is left in memory when it is read (NERSC-10).
fn outgrows(subject: &LineSubject, line: &ior::Line) -> bool {
    let bytes = subject.bytes_per_node().map(|bytes| bytes as f64);
    bytes.zip(memory_left(subject, line)).is_some_and(|(bytes, memory)| bytes >= MEMORY_MULTIPLE * memory)
}

/// wr-same-launch
pub(crate) fn same_launch(subject: &LineSubject) -> Option<Finding> {
    let line = subject.ior().filter(|line| line.writes() && line.reads() && !line.mixes())?;
    let proven = line.drop_caches || line.is_direct() || (outgrows(subject, line) && shifts(subject, line));
    let no_reader = matches!(subject.role, Some(LineRole::Dataset | LineRole::Write));
    // role-mismatch then reports that it writes at all.
    let is_mismatch = subject.role == Some(LineRole::Read) && !line.names_phase();
    if proven || subject.cache_warm || no_reader || is_mismatch {
        return None;
    }
    let implied = (!line.names_phase()).then_some("-w -r");
    Some(Finding::new(Info, reason!(WrSameLaunch { implied })).at(subject.word('r')).of_phase("read"))
}

/// reader-is-writer
pub(crate) fn reader_is_writer(subject: &LineSubject) -> Option<Finding> {
    let line = subject.ior()?;
    let reads = subject.measures_read() || (line.read_check && !subject.cache_warm);
    let only_writes = matches!(subject.role, Some(LineRole::Dataset | LineRole::Write));
    if !reads || only_writes || line.mixes() || line.drop_caches || line.is_direct() {
        return None;
    }
    let reason = match (line.shift(), subject.nodes()) {
        (_, Some(1)) => reason!(ReaderIsWriter { nodes: 1_u64 }),
        (ReadShift::None, _) => reason!(ReaderIsWriter),
        // `reorder-own-node` is about a shift that leads back.
        (ReadShift::Nodes(_) | ReadShift::Random, _) => return None,
    };
    let place = subject.word('r').or(subject.word('R'));
    Some(Finding::new(Info, reason).at(place).of_phase("read"))
}

/// reorder-own-node
pub(crate) fn reorder_own_node(subject: &LineSubject) -> Option<Finding> {
    let of_ior = || {
        let line = subject.ior().filter(|line| line.reads() || line.read_check)?;
        let ReadShift::Nodes(shift) = line.shift() else { return None };
        (!line.drop_caches && !line.is_direct()).then_some(("-Q", shift))
    };
    let of_mdtest = || {
        let line = subject.mdtest().filter(|line| line.looks_up() || line.remove)?;
        Some(("-N", line.rank_shift().filter(|_| !line.runs_commands())?))
    };
    let (option, shift) = of_ior().or_else(of_mdtest).filter(|(_, shift)| *shift > 0)?;
    let nodes = subject.nodes().filter(|nodes| *nodes > 1 && shift % nodes == 0 && !subject.cache_warm)?;
    Some(Finding::new(Info, reason!(ReorderOwnNode { option, shift, nodes })).at(subject.word('Q')))
}

/// sparse-random-write
pub(crate) fn sparse(subject: &LineSubject) -> Option<Finding> {
    let line = subject.ior().filter(|line| subject.measures_write() && line.is_random() && !line.mixes())?;
    let filled = line.is_prefilled() || line.use_existing || subject.source.is_some();
    let found = Finding::new(NeedsWaiver, reason!(SparseRandomWrite));
    (!filled).then(|| found.at(subject.word('z')))
}

/// cb-state-unset
pub(crate) fn collective(subject: &LineSubject) -> Option<Finding> {
    let line = subject.ior().filter(|line| line.collective)?;
    command::backend(&line.backend).ok().filter(|backend| backend.abilities.file_views)?;
    let found = Finding::new(NeedsWaiver, reason!(CbStateUnset));
    (!line.has_hints() && !subject.hints).then(|| found.at(subject.word('c')))
}

/// compressible
pub(crate) fn compressible(subject: &LineSubject) -> Option<Finding> {
    let line = subject.ior().filter(|line| line.writes() && subject.fs.reduces)?;
    let repeats = !matches!(line.packet, Packet::Incompressible | Packet::Random | Packet::Stamped);
    repeats.then(|| {
        Finding::new(NeedsWaiver, reason!(Compressible { kind: subject.fs.kind.as_deref() }))
            .at(subject.word('l'))
    })
}

/// not-packed
pub(crate) fn packed(subject: &LineSubject) -> Option<Finding> {
    let (cores, ppn) = (subject.cores?, subject.ppn()?);
    let walks = matches!(subject.line, Some(WorkloadLine::Ls(_)));
    let meant = ppn >= cores || walks || subject.role == Some(LineRole::Dataset);
    (!meant).then(|| Finding::new(NeedsWaiver, reason!(NotPacked { ranks: ppn, cores })))
}

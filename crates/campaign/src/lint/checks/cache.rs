//! Where the bytes were when the clock stopped, and where they came from: the memory of clients.

use units::{KIB, bytes_binary, duration, several};

use crate::lint::ior_facts::{IorFacts, Shift};
use crate::lint::subject::{LineFacts, LineSubject, Role};
use crate::lint::{Found, Level};

/// Data below this multiple of a node's memory may stay in it (NERSC-10).
const MEMORY_MULTIPLE: f64 = 1.5;
/// Transfers up to this size are of a test of operations, not of bandwidth.
const SMALL: u64 = 64 * KIB;
/// Share of the memory that has to be taken away for reads to be cold (NERSC-10).
const HOG: f64 = 0.8;

/// Small random writes that a cache may gather before they go anywhere.
fn is_gathered(line: &IorFacts) -> bool {
    let small = line.transfer_bytes.is_some_and(|bytes| bytes <= SMALL);
    line.write && line.random && small && !line.direct && !line.fsync_each
}

/// write-iops-buffered
pub(crate) fn write_iops(subject: &LineSubject) -> Vec<Found> {
    let Some(line) = subject.ior().filter(|line| is_gathered(line) && subject.measures_write()) else {
        return Vec::new();
    };
    let size = bytes_binary(line.transfer_bytes.unwrap_or(0) as f64);
    let what = format!(
        "random writes of {size} without O_DIRECT or -Y: the client's cache gathers and reorders them, so \
         that the servers see other, fewer requests"
    );
    let remedy = "write with --posix.odirect from many clients, or call the number what a user sees and \
                  not the servers' IOPS";
    vec![Found::new(what, remedy).at(line.place('z'))]
}

/// Memory of a node that is left for caches.
fn memory_left(subject: &LineSubject, line: &IorFacts) -> Option<f64> {
    let ram = subject.ram_bytes? as f64;
    let share = line.hog_share.unwrap_or(0.0);
    Some((ram * (1.0 - share) - line.hog_bytes.unwrap_or(0) as f64).max(0.0))
}

/// Bytes that a node writes until the deadline, at most what the line asks for; and how they are told.
fn written_per_node(subject: &LineSubject, line: &IorFacts) -> Option<(f64, String)> {
    let asked = subject.bytes_per_node().map(|bytes| bytes as f64);
    let until = || {
        let (rate, nodes) = (subject.target_bytes()?, subject.nodes()? as f64);
        let seconds = (line.deadline_s > 0).then_some(line.deadline_s as f64)?;
        Some((rate * seconds / nodes, seconds))
    };
    match (asked, until()) {
        (asked, Some((bytes, seconds))) if asked.is_none_or(|asked| bytes < asked) => {
            let (bytes_told, seconds) = (bytes_binary(bytes), duration(seconds));
            Some((bytes, format!("{bytes_told} per node in the {seconds} of -D at the target rate")))
        }
        (Some(asked), _) => Some((asked, format!("{} per node", bytes_binary(asked)))),
        (None, _) => None,
    }
}

/// client-cache-fit
pub(crate) fn cache_fit(subject: &LineSubject) -> Vec<Found> {
    let Some(line) = subject.ior() else { return Vec::new() };
    let Some(memory) = memory_left(subject, line) else { return Vec::new() };
    let left = bytes_binary(memory);
    let mut found = Vec::new();
    let cached = !line.persists() || is_gathered(line);
    if let Some((bytes, told)) = written_per_node(subject, line)
        && subject.measures_write()
        && cached
        && bytes < MEMORY_MULTIPLE * memory
    {
        let what = format!("writes {told}, which a client's memory of {left} holds");
        let remedy = format!("write with --posix.odirect, or at least {} per node", least(memory));
        found.push(Found::new(what, remedy).level(Level::Waiver).at(line.place('b')).of_phase("write"));
    }
    let cold = line.drop_caches || line.direct || line.hog_share.is_some_and(|share| share >= HOG);
    if let Some(bytes) = subject.bytes_per_node().map(|bytes| bytes as f64)
        && subject.measures_read()
        && line.write
        && !line.mix
        && !cold
        && bytes < MEMORY_MULTIPLE * memory
    {
        let told = bytes_binary(bytes);
        let (level, whose) = match shifts(subject, line) {
            true => (Level::Waiver, "the servers' and the neighbours' caches may answer"),
            false => (Level::Error, "the node that reads has just written it"),
        };
        let what = format!("reads {told} per node, which a client's memory of {left} holds; {whose}");
        let least = least(memory);
        let remedy = format!("read in a launch of its own with --drop-caches, or move {least} per node");
        found.push(Found::new(what, remedy).level(level).at(line.place('b')).of_phase("read"));
    }
    found
}

fn least(memory: f64) -> String {
    bytes_binary(memory * MEMORY_MULTIPLE)
}

/// missing-persist
pub(crate) fn persist(subject: &LineSubject) -> Vec<Found> {
    let Some(line) = subject.ior().filter(|line| subject.measures_write() && !line.persists()) else {
        return Vec::new();
    };
    let what = "writes without -e, -Y or O_DIRECT: the clock stops while data is still in memory";
    let found = Found::new(what, "add -e").at(line.place('w')).of_phase("write");
    vec![if subject.reported || subject.role == Some(Role::Hero) {
        found.level(Level::Waiver)
    } else {
        found
    }]
}

/// Whether readers are on other nodes than the writers were, as far as the line can say.
fn shifts(subject: &LineSubject, line: &IorFacts) -> bool {
    match (line.shift, subject.nodes()) {
        (_, Some(1)) | (Shift::None, _) => false,
        (Shift::Random, _) => true,
        (Shift::Nodes(by), nodes) => nodes.is_none_or(|nodes| by % nodes != 0),
    }
}

/// Whether so much is written that none of it can be left in a node's memory when it is read (NERSC-10).
fn outgrows(subject: &LineSubject, line: &IorFacts) -> bool {
    let bytes = subject.bytes_per_node().map(|bytes| bytes as f64);
    bytes.zip(memory_left(subject, line)).is_some_and(|(bytes, memory)| bytes >= MEMORY_MULTIPLE * memory)
}

/// wr-same-launch
pub(crate) fn same_launch(subject: &LineSubject) -> Vec<Found> {
    let Some(line) = subject.ior().filter(|line| line.write && line.read && !line.mix) else {
        return Vec::new();
    };
    let proven = line.drop_caches || line.direct || (outgrows(subject, line) && shifts(subject, line));
    if proven || subject.cache_warm || matches!(subject.role, Some(Role::Dataset | Role::Write)) {
        return Vec::new();
    }
    // That it writes at all is then told as role-mismatch.
    if subject.role == Some(Role::Read) && !line.names_phase {
        return Vec::new();
    }
    let graded = subject.judges("read.") || subject.role == Some(Role::Read);
    let how = if line.names_phase { "" } else { " (no phase is named, so IOR does both)" };
    let what =
        format!("writes and reads in one launch{how}: what is read has just passed through the caches");
    let remedy = "read in a launch of its own (-w -k, then -r), or with --drop-caches; or write 1.5 times \
                  the memory of each node (--ram) and read on another (-C)";
    let level = if graded { Level::Error } else { Level::Waiver };
    vec![Found::new(what, remedy).level(level).at(line.place('r')).of_phase("read")]
}

/// reader-is-writer
pub(crate) fn reader_is_writer(subject: &LineSubject) -> Vec<Found> {
    let Some(line) = subject.ior() else { return Vec::new() };
    let (read, checked) = (subject.measures_read(), line.read_check && !subject.cache_warm);
    let only_writes = matches!(subject.role, Some(Role::Dataset | Role::Write));
    if !(read || checked) || only_writes || line.mix || line.drop_caches || line.direct {
        return Vec::new();
    }
    if shifts(subject, line) {
        return Vec::new();
    }
    let (why, remedy) = match (line.shift, subject.nodes()) {
        (_, Some(1)) => (
            "on one node every reader is where the writer was".to_owned(),
            "read with --drop-caches or --posix.odirect, or on several nodes with -C".to_owned(),
        ),
        (Shift::Nodes(by), Some(nodes)) => (
            format!("-C -Q {by} on {nodes} nodes leads every rank back to the node that wrote"),
            format!("give -Q no multiple of {nodes}, such as -Q 1; or --drop-caches"),
        ),
        _ => (
            "without -C (or -Z, or -Q of a node and more) each rank reads on the node that wrote".to_owned(),
            "add -C, which reads what another node wrote; or --drop-caches".to_owned(),
        ),
    };
    let what = format!("{why}, whose page cache may answer");
    let level = if read && !line.read_check { Level::Error } else { Level::Waiver };
    vec![Found::new(what, remedy).level(level).at(line.place('r').or(line.place('R'))).of_phase("read")]
}

/// sparse-random-write
pub(crate) fn sparse(subject: &LineSubject) -> Vec<Found> {
    let Some(line) = subject.ior() else { return Vec::new() };
    let filled = line.prefilled || line.existing || subject.source.is_some();
    if !(subject.measures_write() && line.random) || filled || line.mix {
        return Vec::new();
    }
    let what = "random writes into a new file: each also allocates space, which a file that is full does not";
    let remedy = "fill the file first with --randomPrefill 1m, or say that allocating is what is measured";
    vec![Found::new(what, remedy).at(line.place('z'))]
}

/// cb-state-unset
pub(crate) fn collective(subject: &LineSubject) -> Vec<Found> {
    let Some(line) = subject.ior() else { return Vec::new() };
    let moves = line.api == "MPIIO" && line.collective;
    if !moves || line.hints || subject.hints {
        return Vec::new();
    }
    let what = "collective calls of MPI-IO, and nothing says whether they are buffered: the library decides, \
                and rates differ by a factor";
    let remedy = "say it by hints, romio_cb_write=enable or disable and romio_cb_read likewise: \
                  --mpiio.hintsFileName FILE";
    vec![Found::new(what, remedy).at(line.place('c'))]
}

/// compressible
pub(crate) fn compressible(subject: &LineSubject) -> Vec<Found> {
    let Some(line) = subject.ior().filter(|line| line.write && subject.fs.reduces) else { return Vec::new() };
    if matches!(line.packet, Some('i' | 'r' | 's')) {
        return Vec::new();
    }
    let kind = subject.fs.kind.as_deref().unwrap_or("the file system");
    let what = format!("{kind} makes data smaller before it stores it, and the data of this line repeats");
    vec![Found::new(what, "write data that cannot be made smaller: -l random").at(line.place('l'))]
}

/// not-packed
pub(crate) fn packed(subject: &LineSubject) -> Vec<Found> {
    let (Some(cores), Some(ppn)) = (subject.cores, subject.ppn()) else { return Vec::new() };
    let walks = matches!(&subject.line, LineFacts::Walk(walk) if walk.plain);
    if ppn >= cores || walks || subject.role == Some(Role::Dataset) {
        return Vec::new();
    }
    let what = format!("{} on a node of {}", several(ppn, "rank"), several(cores, "core"));
    let remedy = format!("start {cores} on each node, or name the clause that says otherwise");
    vec![Found::new(what, remedy)]
}

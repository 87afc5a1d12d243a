//! What a command line of `md-workbench` requests: the settings of a run, as the engine runs it, and what is
//! rejected.

use units::Usage;

use crate::{Packet, Settings};

/// The most objects of a rank in all of its data sets. Sums over all ranks of fewer than 2^24 still fit.
const OBJECTS_MAX: u64 = 1 << 39;
/// The most bytes of an object.
const BYTES_MAX: u64 = 1 << 40;

/// The waiting factors of `-T`, each in a benchmark of its own.
const ADAPTIVE_WAITS: u32 = 8;

/// What a run does. Numbers of objects are those of one rank in one data set.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// `-a`, the backend.
    pub backend: String,
    /// Options of backends.
    pub settings: Settings,
    /// `-o`, the directory of all data sets.
    pub dir: String,
    /// `-O`, the ranks between those that write and read a data set.
    pub offset: u32,
    /// `-P`, the objects that exist at any time.
    pub per_set: u64,
    /// `-I`, the objects that an iteration uses.
    pub objects: u64,
    /// `-D`, the data sets of a rank.
    pub sets: u64,
    /// `-R`
    pub iterations: u32,
    /// `-S`, bytes of an object.
    pub object_bytes: u64,
    /// `-G`, the signature of the data; `None` for the seed of the run.
    pub signature: Option<i32>,
    /// `--dataPacketType`
    pub packet: Packet,
    /// `-t`, the wait after an operation as a multiple of its duration.
    pub waiting: f64,
    /// `-T`, repeat each iteration with growing waits.
    pub adaptive: bool,
    /// `-1`
    pub precreate: bool,
    /// `-2`
    pub benchmark: bool,
    /// `-3`
    pub cleanup: bool,
    /// `-w`, seconds of an iteration; 0 for none.
    pub deadline: u32,
    /// `-W`, after the deadline all ranks continue to the same number of objects.
    pub wear_out: bool,
    /// `-X`
    pub verify: bool,
    /// `--read-only`
    pub read_only: bool,
    /// `--ignore-precreate-errors`
    pub ignore_errors: bool,
    /// `--start-item`; 0 for none.
    pub start_item: u64,
    /// `-L`, the beginning of the names of latency files.
    pub latency: Option<String>,
    /// `--latency-all`
    pub latency_all: bool,
    /// `--run-info-file`
    pub run_info: String,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            backend: "POSIX".to_owned(),
            settings: Settings::default(),
            dir: "./out".to_owned(),
            offset: 1,
            per_set: 3000,
            objects: 1000,
            sets: 10,
            iterations: 3,
            object_bytes: 3901,
            signature: None,
            packet: Packet::Timestamp,
            waiting: 0.0,
            adaptive: false,
            precreate: true,
            benchmark: true,
            cleanup: true,
            deadline: 0,
            wear_out: false,
            verify: false,
            read_only: false,
            ignore_errors: false,
            start_item: 0,
            latency: None,
            latency_all: false,
            run_info: "md-workbench.status".to_owned(),
        }
    }
}

impl Request {
    /// Objects that all ranks together create and use, as the header shows them.
    pub fn objects_total(&self, ranks: u32) -> u64 {
        self.sets * (self.objects * u64::from(self.iterations) + self.per_set) * u64::from(ranks)
    }

    /// Bytes of the working set of all ranks.
    pub fn bytes_total(&self, ranks: u32) -> f64 {
        f64::from(ranks) * (self.sets * self.per_set) as f64 * self.object_bytes as f64
    }

    /// Whether a rank may find no object where it looks for one. Another rank may not have created it yet,
    /// the creation may have begun after it, or ranks have stopped at different objects. Objects of an
    /// earlier run may have been removed.
    pub fn may_miss_objects(&self) -> bool {
        self.objects > self.per_set || self.may_have_other_objects()
    }

    /// Whether it is unknown at the cleanup which objects exist.
    pub fn may_have_other_objects(&self) -> bool {
        !self.precreate || self.start_item > 0 || (self.deadline > 0 && !self.wear_out)
    }

    /// Benchmarks in one iteration. `-T` does one with each waiting factor.
    pub fn benchmarks_each(&self) -> u32 {
        if self.adaptive { ADAPTIVE_WAITS } else { 1 }
    }

    /// Rejects, with one line, settings that cannot run.
    pub fn check(&self) -> Result<(), Usage> {
        let abilities = crate::backend(&self.backend)?.abilities;
        let objects = self.objects.checked_mul(self.iterations.into());
        let objects = objects.and_then(|all| all.checked_add(self.per_set)?.checked_add(self.start_item));
        let objects = objects.and_then(|all| all.checked_mul(self.sets));
        let rules = [
            (
                !abilities.names || !abilities.write_only,
                "Backend doesn't support MD-Workbench. Use -a POSIX, AIO, URING or DUMMY",
            ),
            (self.dir.is_empty(), "-o: the directory has no name. Give one"),
            (
                objects.is_none_or(|all| all >= OBJECTS_MAX),
                "-P, -I, -D, -R, --start-item: more than 2^39 objects of a rank. Choose fewer",
            ),
            (
                self.object_bytes >= BYTES_MAX,
                "-S: an object of 2^40 bytes or more is not supported. Choose less",
            ),
            (
                !self.waiting.is_finite() || self.waiting < 0.0 || self.waiting > 1e6,
                "-t: the waiting time is a factor from 0 to 1000000",
            ),
            (
                self.packet == Packet::Stamped,
                "--dataPacketType=s: md-workbench has no stamped data. Choose t, o, i or r",
            ),
            (
                self.verify && !abilities.keeps_data,
                "-X: DUMMY keeps no data to compare. Use -a POSIX, or leave out -X",
            ),
            (
                self.verify && !self.precreate && self.signature.is_none(),
                "-X without -1 needs the signature of the written data. Add -G NUMBER",
            ),
        ];
        match rules.iter().find(|(wrong, _)| *wrong) {
            Some((_, why)) => Err(Usage((*why).to_owned())),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_cannot_run_are_rejected_with_a_remedy() {
        type Change = fn(&mut Request);
        let cases: &[(Change, &str)] = &[
            (|p| p.backend = "MPIIO".into(), "Use -a POSIX"),
            (|p| p.dir.clear(), "has no name"),
            (|p| p.per_set = u64::MAX, "Choose fewer"),
            (|p| (p.objects, p.iterations) = (1 << 20, 1 << 30), "Choose fewer"),
            (|p| p.object_bytes = 1 << 40, "Choose less"),
            (|p| p.waiting = f64::NAN, "from 0 to"),
            (|p| p.packet = Packet::Stamped, "Choose t, o, i or r"),
            (|p| (p.verify, p.backend) = (true, "dummy".into()), "DUMMY keeps no data"),
            (|p| (p.verify, p.precreate) = (true, false), "Add -G NUMBER"),
        ];
        for (change, wanted) in cases {
            let mut parameters = Request::default();
            assert_eq!(parameters.check(), Ok(()));
            change(&mut parameters);
            let why = parameters.check().expect_err("rejected").0;
            assert!(why.contains(wanted) && !why.contains('\n') && !why.ends_with('.'), "{why}");
        }
    }
}

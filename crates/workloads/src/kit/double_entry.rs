//! What the kernel counted during a phase, beside what the ranks counted: bytes and time. It also reports
//! whether a process is traced, or has a filter of system calls.
//!
//! One rank of each process reads the counters of its process, and one rank of each node those of a network
//! mount. They are read by instructions of this program, so a preloaded library cannot answer. Every rank
//! compares its clock with two clocks of the kernel. All this happens before a phase is prepared and when it
//! is recorded, while nothing is timed.
//!
//! Invariant: no collective of its own. The counts are reduced with the other numbers of a phase.
//! Never here: how much a measurement may differ from these counts.

use std::fs;

use measure::{Clock, Tick};
use ranks::Comm;
use results::mounts::Mount;
use results::record::{ClockPace, KernelCount, MountCount};
use storage::{KernelClock, read_clock};

use super::node::Node;
use super::parts::{PartPlace, ReducedParts, ReductionParts, TOP};
use super::process::{self, kernel_text};

/// A shorter time is not compared, seconds: the clocks are read within a microsecond of each other.
const COMPARED_S: f64 = 0.001;
/// A reduction carries shares in billionths.
const BILLION: f64 = 1e9;

/// What the kernel had counted at one moment.
#[derive(Clone, Debug)]
pub struct KernelMoment {
    /// On the first rank of each process.
    process: Option<[u64; 4]>,
    /// Whether the process is traced, and its seccomp mode.
    watched: [u64; 2],
    /// On the first rank of each node, on a mount whose client counts.
    mount: Option<[u64; 2]>,
    clocks: Option<Clocks>,
}

/// The same moment on three clocks, nanoseconds.
#[derive(Clone, Copy, Debug)]
struct Clocks {
    own: Tick,
    raw: i128,
    wall: i128,
}

impl KernelMoment {
    /// Reads the counters now. `mount` is that of the files.
    pub fn now(comm: &dyn Comm, node: &Node, mount: &Mount, clock: &impl Clock) -> Self {
        let process = leads_process(comm).then(process_bytes).flatten();
        let watched = if leads_process(comm) { watched() } else { [0; 2] };
        let mount = node.leads().then(|| mount_bytes(mount)).flatten();
        Self { process, watched, mount, clocks: Clocks::read(clock) }
    }

    /// Adds what was counted since `before`.
    pub fn add(
        &self,
        before: &Self,
        comm: &dyn Comm,
        clock: &impl Clock,
        parts: &mut ReductionParts,
    ) -> KernelPlaces {
        let process = grown(before.process, self.process);
        let own = process.map(|[_, _, read, written]| [read, written]);
        let on_mount = grown(before.mount, self.mount);
        let is_uncounted = leads_process(comm) && process.is_none();
        let counted = [process.is_some().into(), is_uncounted.into(), on_mount.is_some().into()];
        let counts = parts.sums(counted);
        let [traced, seccomp] = [0, 1].map(|at| self.watched[at].max(before.watched[at]));
        let (traced, seccomp) = (parts.sum(traced), parts.max(seccomp));
        let (process, mount) =
            (parts.sums(process.unwrap_or_default()), parts.sums(on_mount.unwrap_or_default()));
        let pair = before.clocks.zip(self.clocks);
        let mine = pair.and_then(|(from, to)| pace(from, to, clock));
        let billionths = |share: f64| (share * BILLION).min(BILLION * BILLION) as u64;
        // A rank without a comparison adds nothing, and such ranks are counted.
        let of_mine = mine.unwrap_or_default();
        let raw_and_wall = [of_mine.raw, of_mine.wall].map(|share| parts.max(billionths(share)));
        let shortest = parts.min(mine.map_or(TOP, |mine| (mine.seconds * BILLION) as u64));
        let unknown = parts.sum(mine.is_none().into());
        KernelPlaces { counts, traced, seccomp, process, mount, raw_and_wall, shortest, unknown, own }
    }
}

/// Where the counts of the kernel are.
#[derive(Clone, Copy, Debug)]
pub struct KernelPlaces {
    counts: [PartPlace; 3],
    traced: PartPlace,
    seccomp: PartPlace,
    process: [PartPlace; 4],
    mount: [PartPlace; 2],
    raw_and_wall: [PartPlace; 2],
    shortest: PartPlace,
    unknown: PartPlace,
    /// Bytes from and to storage of this process alone. They are a part of the bytes of all processes, so
    /// they are read at the same moment.
    pub own: Option<[u64; 2]>,
}

impl KernelPlaces {
    /// What was counted on `mount` and elsewhere, and the pace of all ranks' clocks.
    pub fn counted(self, reduced: &ReducedParts, mount: &Mount) -> (KernelCount, Option<ClockPace>) {
        let [processes, uncounted, mounts] = reduced.all(self.counts);
        let [read_call_bytes, write_call_bytes, read_bytes, written_bytes] = reduced.all(self.process);
        let [mount_read, mount_written] = reduced.all(self.mount);
        let count = KernelCount {
            processes: processes as u32,
            uncounted: uncounted as u32,
            read_bytes,
            written_bytes,
            read_call_bytes,
            write_call_bytes,
            traced: reduced.of(self.traced) as u32,
            seccomp: reduced.of(self.seccomp) as u32,
            mount: source(mount).filter(|_| mounts > 0).map(|source| MountCount {
                source: source.to_owned(),
                read_bytes: mount_read,
                written_bytes: mount_written,
            }),
        };
        let share = |value: u64| value as f64 / BILLION;
        let [raw, wall] = reduced.all(self.raw_and_wall).map(share);
        let seconds = share(reduced.of(self.shortest));
        (count, (reduced.of(self.unknown) == 0).then_some(ClockPace { seconds, raw, wall }))
    }
}

impl Clocks {
    /// Reads all three at one moment: the closest of several tries.
    fn read(clock: &impl Clock) -> Option<Self> {
        let once = |_| {
            let before = clock.now();
            let raw = read_clock(KernelClock::MonotonicRaw)?;
            let wall = read_clock(KernelClock::Realtime)?;
            let gap = clock.now().0.saturating_sub(before.0);
            Some((gap, Self { own: Tick(before.0 + gap / 2), raw, wall }))
        };
        let tries: Option<Vec<_>> = (0..8).map(once).collect();
        tries?.into_iter().min_by_key(|(gap, _)| *gap).map(|(_, clocks)| clocks)
    }
}

/// The difference of a rank's clock from the kernel's between two moments; `None` if they are too close.
fn pace(from: Clocks, to: Clocks, clock: &impl Clock) -> Option<ClockPace> {
    let own = clock.scale().ns(to.own.0.saturating_sub(from.own.0)) as f64;
    let [raw, wall] = [(from.raw, to.raw), (from.wall, to.wall)].map(|(from, to)| (to - from) as f64);
    let share = |kernel: f64| (own - kernel).abs() / own.max(1.0);
    let seconds = own.max(raw) * 1e-9;
    (seconds >= COMPARED_S).then(|| ClockPace { seconds, raw: share(raw), wall: share(wall) })
}

/// Whether this rank is the first one of its process: local ranks are threads of one.
pub(super) fn leads_process(comm: &dyn Comm) -> bool {
    comm.mpi().is_some() || comm.rank() == 0
}

/// How much counters grew; `None` if one is unknown or began again.
fn grown<const N: usize>(before: Option<[u64; N]>, now: Option<[u64; N]>) -> Option<[u64; N]> {
    let mut grown = now?;
    for (now, before) in grown.iter_mut().zip(before?) {
        *now = now.checked_sub(before)?;
    }
    Some(grown)
}

/// `rchar`, `wchar`, `read_bytes`, `write_bytes` of this process; `None` if the kernel does not count them.
fn process_bytes() -> Option<[u64; 4]> {
    process_bytes_in(&kernel_text("/proc/self/io"))
}

fn process_bytes_in(text: &str) -> Option<[u64; 4]> {
    let value = |name: &str| {
        let mut lines = text.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(key, _)| *key == name)?.1.trim().parse().ok()
    };
    Some([value("rchar")?, value("wchar")?, value("read_bytes")?, value("write_bytes")?])
}

/// Whether another process traces this one, 1 or 0, and the seccomp mode of this one.
fn watched() -> [u64; 2] {
    let (tracer, seccomp) = process::tracer_and_filter();
    [u64::from(tracer > 0), seccomp.into()]
}

/// Who counts for a mount, if its client does.
fn source(mount: &Mount) -> Option<&'static str> {
    match mount.kind.as_str() {
        "nfs" | "nfs4" => Some(MountCount::NFS),
        "lustre" => Some(MountCount::LUSTRE),
        _ => None,
    }
}

/// Bytes read and written by this node on the mount.
fn mount_bytes(mount: &Mount) -> Option<[u64; 2]> {
    match source(mount)? {
        MountCount::NFS => nfs_bytes(&kernel_text("/proc/self/mountstats"), &mount.point),
        _ => lustre_bytes(mount),
    }
}

/// Bytes from and to the server, the last two of the eight numbers after `bytes:` that are bytes
/// (`nfs_show_stats` of Linux).
fn nfs_bytes(mountstats: &str, point: &str) -> Option<[u64; 2]> {
    let begins = format!(" mounted on {point} with fstype nfs");
    let mut lines = mountstats.lines().skip_while(|line| !line.contains(&begins)).skip(1);
    let line = lines
        .by_ref()
        .take_while(|line| !line.starts_with("device "))
        .find_map(|line| line.trim_start().strip_prefix("bytes:"))?;
    let numbers: Vec<u64> = line.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    Some([*numbers.get(4)?, *numbers.get(5)?])
}

/// The sums of `read_bytes` and `write_bytes` of the client of this file system, in its two places (Lustre
/// 2.x).
fn lustre_bytes(mount: &Mount) -> Option<[u64; 2]> {
    let name = mount.device.rsplit_once(":/")?.1.split('/').next()?;
    let stats = ["/sys/kernel/debug/lustre/llite", "/proc/fs/lustre/llite"].into_iter().find_map(|root| {
        let dirs = fs::read_dir(root).ok()?.filter_map(Result::ok);
        let own = |dir: &fs::DirEntry| dir.file_name().to_string_lossy().starts_with(&format!("{name}-"));
        let text = kernel_text(dirs.into_iter().find(own)?.path().join("stats"));
        (!text.is_empty()).then_some(text)
    })?;
    Some(lustre_bytes_in(&stats))
}

fn lustre_bytes_in(stats: &str) -> [u64; 2] {
    ["read_bytes", "write_bytes"].map(|name| {
        let line = stats.lines().find(|line| line.split_whitespace().next() == Some(name));
        line.and_then(|line| line.split_whitespace().nth(6)?.parse().ok()).unwrap_or(0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use measure::{CycleClock, Scale};
    use ranks::{Halt, local};

    /// A clock that runs at `pace` times the pace of the real one, as with a preloaded `clock_gettime`.
    struct Skewed(CycleClock, u64);

    impl Clock for Skewed {
        fn now(&self) -> Tick {
            Tick(self.0.now().0 / 100 * self.1)
        }

        fn scale(&self) -> Scale {
            self.0.scale()
        }

        fn ns_at(&self, tick: Tick) -> u64 {
            self.0.ns_at(tick)
        }
    }

    /// What was counted since `before`.
    fn since(
        before: &KernelMoment,
        comm: &dyn Comm,
        node: &Node,
        clock: &impl Clock,
    ) -> Result<(KernelCount, Option<ClockPace>), Halt> {
        let (mount, mut parts) = (Mount::default(), ReductionParts::default());
        let now = KernelMoment::now(comm, node, &mount, clock);
        let places = now.add(before, comm, clock, &mut parts);
        Ok(places.counted(&parts.reduce(comm)?, &mount))
    }

    fn pace_of(clock: &(impl Clock + Sync)) -> ClockPace {
        let all = local::run(2, |comm| {
            let node = Node::find(comm)?;
            let before = KernelMoment::now(comm, &node, &Mount::default(), clock);
            std::thread::sleep(std::time::Duration::from_millis(30));
            since(&before, comm, &node, clock)
        });
        all.into_iter().map(|rank| rank.expect("no panic").expect("no halt")).next().unwrap().1.unwrap()
    }

    #[test]
    fn the_clock_of_a_rank_has_the_pace_of_the_kernels_clocks() {
        let pace = pace_of(&CycleClock::new());
        assert!(pace.raw < 0.005 && pace.wall < 0.005 && pace.seconds >= 0.03, "{pace:?}");
    }

    #[test]
    fn a_clock_that_runs_at_half_the_pace_is_found() {
        let pace = pace_of(&Skewed(CycleClock::new(), 50));
        assert!((pace.raw - 1.0).abs() < 0.02 && (pace.wall - 1.0).abs() < 0.02, "{pace:?}");
    }

    #[test]
    fn the_kernel_counts_the_bytes_of_local_ranks_once() {
        let dir = tempfile::tempdir().unwrap();
        let all = local::run(3, |comm| {
            let (node, clock, mount) = (Node::find(comm)?, CycleClock::new(), Mount::default());
            let before = KernelMoment::now(comm, &node, &mount, &clock);
            comm.barrier()?;
            fs::write(dir.path().join(comm.rank().to_string()), vec![1; 1 << 20]).unwrap();
            comm.barrier()?;
            since(&before, comm, &node, &clock)
        });
        let (count, _) = all.into_iter().next().unwrap().expect("no panic").expect("no halt");
        assert_eq!((count.processes, count.uncounted, &count.mount), (1, 0, &None));
        assert!((3 << 20..16 << 20).contains(&count.write_call_bytes), "{count:?}");
    }

    #[test]
    fn a_process_without_a_count_is_counted_as_such() {
        let all = local::run(1, |comm| {
            let (node, clock, mount) = (Node::find(comm)?, CycleClock::new(), Mount::default());
            let before = KernelMoment { process: None, ..KernelMoment::now(comm, &node, &mount, &clock) };
            since(&before, comm, &node, &clock)
        });
        let (count, _) = all.into_iter().next().unwrap().expect("no panic").expect("no halt");
        assert_eq!(count, KernelCount { uncounted: 1, seccomp: count.seccomp, ..KernelCount::default() });
    }

    #[test]
    fn the_bytes_of_a_process_are_those_at_the_moment_of_the_sum_of_all() {
        let dir = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let write = |name: &str| {
            let file = fs::File::create(dir.path().join(name)).unwrap();
            std::os::unix::fs::FileExt::write_all_at(&file, &vec![1; 1 << 20], 0).unwrap();
            file.sync_all().unwrap();
        };
        let all = local::run(1, |comm| {
            let (node, clock, mount) = (Node::find(comm)?, CycleClock::new(), Mount::default());
            let before = KernelMoment::now(comm, &node, &mount, &clock);
            write("before");
            let mut parts = ReductionParts::default();
            let places =
                KernelMoment::now(comm, &node, &mount, &clock).add(&before, comm, &clock, &mut parts);
            write("after");
            let (count, _) = places.counted(&parts.reduce(comm)?, &mount);
            Ok::<_, Halt>((places.own, count))
        });
        let (own, count) = all.into_iter().next().unwrap().expect("no panic").expect("no halt");
        assert_eq!(own, Some([count.read_bytes, count.written_bytes]));
    }

    #[test]
    fn counters_are_read_from_the_texts_of_the_kernel() {
        let io = "rchar: 12\nwchar: 34\nsyscr: 1\nsyscw: 1\nread_bytes: 4096\nwrite_bytes: 8192\n";
        assert_eq!(process_bytes_in(io), Some([12, 34, 4096, 8192]));
        assert_eq!(process_bytes_in("rchar: 12\n"), None);
        let nfs = "device /dev/sda mounted on / with fstype ext4\n\
                   device n:/a mounted on /s with fstype nfs4 statvers=1.1\n\tage:\t9\n\
                   \tbytes:\t1 2 3 4 500 600 7 8\n\
                   device n:/b mounted on /t with fstype nfs4 statvers=1.1\n\tbytes:\t0 0 0 0 9 8 0 0\n";
        assert_eq!(nfs_bytes(nfs, "/s"), Some([500, 600]));
        assert_eq!(nfs_bytes(nfs, "/t"), Some([9, 8]));
        assert_eq!((nfs_bytes(nfs, "/"), nfs_bytes(nfs, "/u")), (None, None));
        let lustre = "snapshot_time 1.2 secs.nsecs\nread_bytes 3 samples [bytes] 1 5 12 40\n\
                      write_bytes 2 samples [bytes] 4096 4096 8192\n";
        assert_eq!(lustre_bytes_in(lustre), [12, 8192]);
    }

    #[test]
    fn counters_that_began_again_are_not_known() {
        assert_eq!(grown(Some([3, 9]), Some([4, 9])), Some([1, 0]));
        assert_eq!(grown(Some([3, 9]), Some([4, 8])), None);
        assert_eq!(grown(None, Some([4, 8])), None);
    }
}

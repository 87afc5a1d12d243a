//! Whether the numbers of a phase are within what the kernel of the nodes counted: bytes, and time.
//!
//! A program can count bytes that never came from storage, and a clock can run slowly. The kernel counts both
//! for itself.
//!
//! Never here: the page cache before a read, and the threshold.

use plan::launcher::LaunchKind;
use results::reason::{Code, Reason, reason};
use results::record::{ClockPace, Counts, KernelCount, MountCount, Phase, Run};

use super::cached;
use crate::case::TestCriterion;
use crate::index::runs;

/// The least share of its bytes that the kernel must have moved. Reads of partial pages and read-ahead only
/// make the kernel's count larger. The rest is for data that the file system keeps with its metadata.
const COUNTED: f64 = 0.9;
/// Phases with fewer bytes are not compared.
const LEAST: u64 = 1 << 20;
/// The most by which a clock may differ from those of the kernel, as a share. NTP changes the pace of a clock
/// by at most 0.05 %. The sentences about it state 1 %.
const PACE: f64 = 0.01;
/// File systems on block devices, for which the kernel counts every byte from and to the device. It was
/// compared on these (docs/validation/kernel-counts.md).
const ON_DEVICES: &[&str] = &["btrfs", "ext2", "ext3", "ext4", "xfs"];

/// Data that is this multiple of a client's memory cannot stay in its page cache.
pub(crate) const MEMORY_MULTIPLE: f64 = 1.5;

/// What the kernel counted for a phase, and where.
struct KernelBytes<'p> {
    read: u64,
    written: u64,
    source: &'p str,
}

/// Whether the files of a phase are on a file system for which the kernel counts each process.
pub(crate) fn is_on_device(phase: &Phase) -> bool {
    phase.opened.as_ref().is_some_and(|opened| ON_DEVICES.contains(&opened.kind.as_str()))
}

/// The kernel's count for the file system of a phase; `None` where it does not count.
fn counted(phase: &Phase) -> Option<KernelBytes<'_>> {
    let kernel: &KernelCount = phase.kernel.as_ref()?;
    if is_on_device(phase) {
        let KernelCount { read_bytes, written_bytes, .. } = *kernel;
        let bytes = KernelBytes { read: read_bytes, written: written_bytes, source: "/proc/self/io" };
        return Some(bytes).filter(|_| kernel.uncounted == 0);
    }
    // The client of Lustre counts its calls, also those that its cache served.
    let mount = kernel.mount.as_ref().filter(|mount| mount.source == MountCount::NFS)?;
    Some(KernelBytes { read: mount.read_bytes, written: mount.written_bytes, source: &mount.source })
}

fn is_read(phase: &Phase) -> bool {
    !matches!(phase.phase.as_str(), "write" | "mixed_write")
}

/// Whether the bytes of a phase must have come from or reached storage.
fn needs_storage(case: &TestCriterion<'_>, phase: &Phase) -> bool {
    let flushed = phase.persisted || phase.direct;
    if is_read(phase) { cached::needs_cold_data(case) } else { flushed }
}

/// Whether a phase bypassed the page cache. With `data=journal` the kernel accepts O_DIRECT, but still uses
/// the page cache.
pub(crate) fn bypasses_cache(case: &TestCriterion<'_>, phase: &Phase) -> bool {
    let options = case.index.file_system(&case.test.fs).map_or("", |fs| &fs.options);
    phase.direct && !options.split([',', ';']).any(|option| option == "data=journal")
}

/// The phases of a criterion about the speed of transfers, each with its repetition.
fn transfers<'a>(case: &TestCriterion<'a>) -> impl Iterator<Item = (u32, &'a Phase)> + use<'a> {
    let is_compared = |phase: &Phase| phase.counts == Counts::Bytes && phase.bytes >= LEAST;
    case.numbered_phases().filter(move |(_, phase)| is_compared(phase))
}

fn of(code: Code, repetition: u32, phase: &Phase) -> Reason {
    reason!(KernelReadLess { repetition, phase: &phase.phase, bytes: phase.bytes, ..Reason::new(code) })
}

/// Data that must have come from or reached storage, of which the kernel moved only a part.
pub(super) fn moved(case: &TestCriterion<'_>) -> Result<(), Reason> {
    for (repetition, phase) in transfers(case).filter(|(_, phase)| needs_storage(case, phase)) {
        let Some(counted) = counted(phase) else { continue };
        let (code, found) = match is_read(phase) {
            true => (Code::KernelReadLess, counted.read),
            false => (Code::KernelWroteLess, counted.written),
        };
        if (found as f64) < COUNTED * phase.bytes as f64 {
            return Err(reason!(KernelReadLess {
                kernel_bytes: found,
                source: counted.source,
                ..of(code, repetition, phase)
            }));
        }
        if let Some((rank, moved, found)) = of_one_rank(phase) {
            return Err(reason!(KernelReadLess {
                bytes: moved,
                kernel_bytes: found,
                rank,
                source: counted.source,
                ..of(code, repetition, phase)
            }));
        }
    }
    Ok(())
}

/// Data that a job of one node flushed, and of which the device wrote only a part until the job had ended.
/// The campaign asked the kernel for this count itself. Of a job under a launcher, only that its node is the
/// campaign's follows from its records.
pub(super) fn on_device(case: &TestCriterion<'_>) -> Result<(), Reason> {
    let is_local = case.index.plan.launch_of(case.test).kind == LaunchKind::Local;
    for job in case.jobs() {
        let Some(device) = &job.info.device_writes else { continue };
        let is_there = |run: &Run| match run.clients.as_deref().map(|clients| &clients.nodes[..]) {
            Some([node]) => !node.boot_id.is_empty() && node.boot_id == device.boot_id,
            _ => false,
        };
        if !is_local && !runs(&[*job]).all(is_there) {
            continue;
        }
        // A file elsewhere is an error of its own. A phase that does not state its file is not compared.
        let is_on_it = |phase: &Phase| phase.opened.as_ref().is_some_and(|file| file.number == device.number);
        let flushed = |phase: &&Phase| {
            let is_write = !is_read(phase) && phase.counts == Counts::Bytes;
            is_write && (phase.persisted || phase.direct) && is_on_it(phase)
        };
        let phases: Vec<&Phase> = case.phases(job).filter(flushed).collect();
        let bytes = |phase: &&Phase| phase.bytes.saturating_sub(phase.repeated_bytes);
        let bytes = phases.iter().map(bytes).fold(0, u64::saturating_add);
        let Some(first) = phases.first().filter(|_| bytes >= LEAST) else { continue };
        if (device.bytes as f64) < COUNTED * bytes as f64 {
            let (repetition, phase, kernel_bytes) = (job.info.repetition, &first.phase, device.bytes);
            let source = format!("/sys/dev/block/{}/stat", device.number);
            return Err(reason!(KernelWroteLess { repetition, phase, bytes, kernel_bytes, source }));
        }
    }
    Ok(())
}

/// A rank with a file of its own of whose bytes the kernel moved only a part: rank, its bytes, and those of
/// the kernel. Of a shared file, the kernel can read ahead for one rank what another asks for.
fn of_one_rank(phase: &Phase) -> Option<(u32, u64, u64)> {
    let each = phase.each_rank.as_ref().filter(|_| phase.file_per_rank && is_on_device(phase))?;
    let column = if is_read(phase) { &each.kernel_read } else { &each.kernel_written };
    let of = |rank| Some((rank, each.moved.of(rank)?, column.of(rank)?));
    let is_less =
        |(_, moved, found): &(u32, u64, u64)| *moved >= LEAST && (*found as f64) < COUNTED * *moved as f64;
    (0..each.ranks).filter_map(of).find(is_less)
}

/// Data that was moved more than once, if nothing shows that each time reached storage. The page cache can
/// serve a second read, and one fsync flushes only the last write.
pub(super) fn once(case: &TestCriterion<'_>) -> Result<(), Reason> {
    let is_shown = |phase: &Phase| {
        let count = counted(phase).map(|count| if is_read(phase) { count.read } else { count.written });
        bypasses_cache(case, phase)
            || phase.persisted_each
            || exceeds_memory(case, phase)
            || count.is_some_and(|count| count as f64 >= COUNTED * phase.bytes as f64)
    };
    let again = |(_, phase): &(u32, &Phase)| {
        phase.repeated_bytes > 0 && needs_storage(case, phase) && !is_shown(phase)
    };
    let Some((repetition, phase)) = case.numbered_phases().find(again) else { return Ok(()) };
    let (bytes, repeated) = (phase.bytes, phase.repeated_bytes);
    Err(reason!(RepeatedData { repetition, phase: &phase.phase, bytes, repeated }))
}

/// Whether the data of a phase, counted once, is more than the page caches of its nodes can hold.
fn exceeds_memory(case: &TestCriterion<'_>, phase: &Phase) -> bool {
    let memory = case.index.campaign.before.as_ref().map_or(0, |machine| machine.memory_bytes);
    let nodes = runs(case.jobs()).map(Run::machines).max().unwrap_or(1);
    let once = phase.bytes.saturating_sub(phase.repeated_bytes) as f64;
    memory > 0 && once / f64::from(nodes) >= MEMORY_MULTIPLE * memory as f64
}

/// A clock that ran at another pace than those of the kernel.
pub(super) fn in_pace(case: &TestCriterion<'_>) -> Result<(), Reason> {
    for (repetition, phase) in case.numbered_phases() {
        let Some(ClockPace { raw, wall, .. }) = phase.pace else { continue };
        if raw > PACE {
            return Err(reason!(ClockPace { repetition, phase: &phase.phase, raw }));
        }
        if wall > PACE {
            return Err(reason!(ClockPace { repetition, phase: &phase.phase, wall }));
        }
    }
    Ok(())
}

//! The groups of the table, their contenders and their goals.

use super::group::{Bound, Contender, Group, Unit};
use super::lines::{Job, assay, bare, command, fio, ior};
use super::options::Sizes;
use super::outputs::OutputFormat;
use super::tools::Tools;

const KIB4: u64 = 4096;
const MIB: u64 = 1 << 20;
/// The usual options for a fast io_uring in fio.
const FIO_TUNED: &str =
    "io_uring --fixedbufs=1 --registerfiles=1 --iodepth_batch_submit=16 --iodepth_batch_complete_max=16";

/// Adds the same program of an earlier build, if one is given, after each program of this build. They run one
/// after the other, and the goal is that this build is not slower. The first contender stays the first.
pub(super) fn add_earlier_build(tools: &Tools, group: &mut Group) {
    let Some(before) = &tools.before else { return };
    let bound = if group.unit == Unit::PeakMib { Bound::AtMost(1.03) } else { Bound::AtLeast(0.97) };
    for ours in std::mem::take(&mut group.contenders) {
        let program = [&tools.assay, &tools.inside].into_iter().position(|program| *program == ours.words[0]);
        let earlier = program.map(|program| {
            let mut words = ours.words.clone();
            words[0].clone_from(&before[program]);
            Contender::new(format!("{}, before", ours.name), words, ours.format)
        });
        if let Some(earlier) = &earlier {
            group.add_goal(&ours.name, Some(&earlier.name), bound);
        }
        group.contenders.extend(std::iter::once(ours).chain(earlier));
    }
}

/// The cost of the loop without I/O.
pub(super) fn dummy(tools: &Tools, sizes: &Sizes) -> Group {
    let mut group = Group::new("no I/O, 4 KiB transfers", Unit::NsPerOp);
    let (ops, bytes) = (sizes.dummy_ops, sizes.dummy_ops * KIB4);
    for (order, op, goal_ns) in [
        ("sequential", "write", Some(12.0)),
        ("sequential", "read", Some(12.0)),
        ("random", "write", Some(20.0)),
        ("random", "read", Some(20.0)),
        ("ior", "read", None),
    ] {
        let name = match order {
            "ior" => format!("assay DUMMY, IOR's shuffle, {op}"),
            _ => format!("assay DUMMY, {order}, {op}"),
        };
        if let Some(limit) = goal_ns {
            group.add_goal(&name, None, Bound::AtMost(limit));
        }
        let line = command(&tools.inside, &format!("dummy {order} {op} {ops}"));
        group.add(name, line, OutputFormat::Line);
    }
    for (order, flag, rw) in [("sequential", "", "write"), ("random", " -z", "randwrite")] {
        if let Some(program) = &tools.ior {
            let line = command(program, &format!("-a DUMMY -w -t 4096 -b {bytes}{flag}"));
            group.add(format!("ior DUMMY, {order}, write"), line, OutputFormat::Ior);
        }
        if let Some(program) = &tools.fio {
            let line = format!(
                "--name=bench --ioengine=null --rw={rw} --bs=4096 --size={bytes} --output-format=json"
            );
            let line = command(program, &line);
            group.add(format!("fio null, {order}, write"), line, OutputFormat::Fio);
        }
    }
    group
}

/// The memory for an order of 67 million offsets.
pub(super) fn memory(tools: &Tools) -> Group {
    let mut group =
        Group::against_first("peak memory, 256 GiB in 4 KiB transfers, DUMMY, -w -D 1", Unit::PeakMib);
    let line = "-a DUMMY -b 256g -t 4k -w -D 1";
    for (suffix, flag) in [("", ""), (" -z", " -z")] {
        let ours = command(&tools.assay, &format!("ior {line}{flag}"));
        group.add(format!("assay{suffix}"), ours, OutputFormat::Records);
    }
    for (suffix, flag) in [("", ""), (" -z", " -z")] {
        if let Some(program) = &tools.ior {
            let line = command(program, &format!("{line}{flag}"));
            group.add(format!("ior{suffix}"), line, OutputFormat::Ior);
        }
    }
    // Leaves 5 % for the rounding of the allocator and for differences in loaded code pages.
    group.add_goal("assay -z", Some("assay"), Bound::AtMost(1.05));
    group
}

/// What a phase costs around its transfers: the kernel's counts, the identity of nodes, and the record.
pub(super) fn phases(tools: &Tools, sizes: &Sizes) -> Group {
    let mut group = Group::new("phases of one transfer without I/O", Unit::MicrosPerPhase);
    let line = command(&tools.assay, &format!("ior -a DUMMY -w -t 4k -b 4k -i {}", sizes.phases));
    group.add("assay", line, OutputFormat::Records);
    group.add_goal("assay", None, Bound::AtMost(1000.0));
    if let Some(program) = &tools.ior {
        let line = command(program, &format!("-a DUMMY -w -t 4k -b 4k -i {}", sizes.phases));
        group.add("ior", line, OutputFormat::Ior);
    }
    group
}

/// 4 KiB random reads of a file in the page cache.
pub(super) fn cached(tools: &Tools, sizes: &Sizes, place: &str, file: &str) -> Group {
    let job = Job {
        file: file.into(),
        bytes: sizes.file,
        transfer: KIB4,
        passes: sizes.passes,
        random: true,
        write: false,
        direct: false,
    };
    let mut group = Group::against_first(format!("4 KiB random reads, page cache, {place}"), Unit::PerSecond);
    group.contenders = vec![
        bare(tools, &job),
        assay(tools, &job, "POSIX", ""),
        assay(tools, &job, "URING", ""),
        assay(tools, &job, "MMAP", ""),
    ];
    group.contenders.extend(fio(tools, &job, "fio psync", "psync"));
    group.contenders.extend(ior(tools, &job));
    for (peer, least) in [("bare pread loop", 0.97), ("fio psync", 1.0), ("ior POSIX", 1.0)] {
        group.add_goal("assay POSIX", Some(peer), Bound::AtLeast(least));
    }
    group
}

/// 4 KiB random reads with O_DIRECT, queue depth 1.
pub(super) fn direct_single(tools: &Tools, job: &Job) -> Group {
    let mut group = Group::against_first("4 KiB random reads, O_DIRECT, depth 1", Unit::PerSecond);
    group.contenders = vec![bare(tools, job), assay(tools, job, "POSIX", "")];
    group.contenders.extend(fio(tools, job, "fio psync", "psync"));
    group.contenders.extend(fio(tools, job, "fio io_uring", "io_uring --iodepth=1"));
    group.contenders.extend(ior(tools, job));
    group.add_goal("assay POSIX", Some("fio io_uring"), Bound::AtLeast(1.0));
    group
}

/// 4 KiB random reads with O_DIRECT, queue depth 64.
pub(super) fn direct_deep(tools: &Tools, job: &Job) -> Group {
    let mut group = Group::new("4 KiB random reads, O_DIRECT, depth 64", Unit::PerSecond);
    let (uring, tuned) = ("assay URING iodepth 64", "fio io_uring, tuned");
    group.contenders.extend(fio(tools, job, "fio io_uring", "io_uring --iodepth=64"));
    group.contenders.extend(fio(tools, job, tuned, &format!("{FIO_TUNED} --iodepth=64")));
    group.contenders.extend(fio(tools, job, "fio libaio", "libaio --iodepth=64"));
    group.against = tools.fio.is_some().then_some(0);
    group.contenders.push(assay(tools, job, "URING", "--iodepth 64"));
    group.contenders.push(assay(tools, job, "AIO", "--iodepth 64"));
    group.add_goal(uring, Some("fio io_uring"), Bound::AtLeast(1.0));
    group.add_goal(uring, Some(tuned), Bound::AtLeast(1.0));
    group
}

/// The command line of the bare loop for this job, to test whether it works here.
pub(super) fn attempt(tools: &Tools, job: &Job) -> Vec<String> {
    bare(tools, job).words
}

/// A job of direct random reads.
pub(super) fn direct_job(file: &str, bytes: u64) -> Job {
    Job { file: file.into(), bytes, transfer: KIB4, passes: 1, random: true, write: false, direct: true }
}

/// Sequential 1 MiB transfers: writes a new file, or reads a file in memory.
pub(super) fn stream(tools: &Tools, sizes: &Sizes, write: bool, file: &str) -> Group {
    let passes = if write { 1 } else { sizes.passes };
    let what = if write { "written to a new file" } else { "read" };
    let mut group = Group::new(format!("1 MiB streams {what}, in memory"), Unit::Gigabytes(MIB as f64));
    let file = file.to_owned();
    let job = Job { file, bytes: sizes.file, transfer: MIB, passes, random: false, write, direct: false };
    group.against = Some(0);
    group.contenders = vec![bare(tools, &job), assay(tools, &job, "POSIX", "")];
    group.contenders.extend(fio(tools, &job, "fio psync", "psync"));
    group.contenders.extend(ior(tools, &job));
    group
}

/// The rate of generating and comparing data on one core, for each packet type.
pub(super) fn data(tools: &Tools, sizes: &Sizes, packets: &[String]) -> Group {
    let title = "1 MiB of data generated (fill) and compared (check), one core";
    let mut group = Group::against_first(title, Unit::Gigabytes(MIB as f64));
    let words = command(&tools.inside, &format!("copy {}", sizes.fill_ops));
    group.add("copy of 1 MiB (memcpy)", words, OutputFormat::Line);
    for packet in packets {
        for what in ["fill", "check"] {
            let words = command(&tools.inside, &format!("{what} {packet} {}", sizes.fill_ops));
            group.add(format!("{what} {packet}"), words, OutputFormat::Line);
        }
    }
    for what in ["fill stamped", "check stamped", "fill keyed", "check keyed"] {
        group.add_goal(what, None, Bound::AtLeast(20.0));
    }
    // Ten rounds of AES on one side, two products on the other.
    group.add_goal("fill keyed", Some("fill stamped"), Bound::AtLeast(0.4));
    group.add_goal("check keyed", Some("check stamped"), Bound::AtLeast(0.4));
    group
}

/// Writes and reads with all data compared, relative to the same without comparison.
pub(super) fn verified(tools: &Tools, sizes: &Sizes, packets: &[String], file: &str) -> Group {
    let mut group =
        Group::against_first("1 MiB write + read, verified, in memory", Unit::Gigabytes(MIB as f64));
    let line = format!("-a POSIX -w -t 1m -b {} -o {file}", sizes.file);
    let plain = command(&tools.assay, &format!("ior -r {line}"));
    group.add("assay, unverified", plain, OutputFormat::Records);
    for packet in packets.iter().filter(|packet| ["offset", "stamped"].contains(&packet.as_str())) {
        let name = format!("assay -R -l {packet}");
        let words = command(&tools.assay, &format!("ior -R -l {packet} {line}"));
        group.add_goal(&name, Some("assay, unverified"), Bound::AtLeast(0.9));
        group.add(name, words, OutputFormat::Records);
    }
    if let Some(program) = &tools.ior {
        let plain = command(program, &format!("-r {line}"));
        group.add("ior, unverified", plain, OutputFormat::Ior);
        let words = command(program, &format!("-r -R -l offset -G 7 {line}"));
        group.add("ior -R -l offset", words, OutputFormat::Ior);
    }
    group
}

#[cfg(test)]
mod tests {
    use super::super::tools::named;
    use super::*;

    /// A group with the programs of an earlier build added.
    fn with_earlier_build(group: impl Fn(&Tools) -> Group) -> Group {
        let tools = Tools { before: Some(["old/assay", "old/bench"].map(str::to_owned)), ..named() };
        let mut group = group(&tools);
        add_earlier_build(&tools, &mut group);
        group
    }

    fn programs(group: &Group) -> Vec<&str> {
        group.contenders.iter().map(|one| one.words[0].as_str()).collect()
    }

    #[test]
    fn the_earlier_build_follows_each_program_with_the_same_arguments() {
        let group = with_earlier_build(|tools| cached(tools, &Sizes::SMOKE, "tmpfs", "f"));
        let pairs = ["assay", "old/assay"].repeat(3);
        assert_eq!(programs(&group), [vec!["bare"], pairs, vec!["fio"]].concat());
        for pair in group.contenders[1..7].chunks(2) {
            assert_eq!(pair[0].words[1..], pair[1].words[1..]);
            assert_eq!(pair[1].name, format!("{}, before", pair[0].name));
        }
        assert_eq!(group.goals.len(), 3 + 3);
        let last = group.goals.last().unwrap();
        assert_eq!((last.of.as_str(), last.against.as_deref()), ("assay MMAP", Some("assay MMAP, before")));
        assert_eq!(last.bound, Bound::AtLeast(0.97));
    }

    #[test]
    fn groups_on_memory_and_in_process_have_the_earlier_build_too() {
        let group = with_earlier_build(memory);
        assert_eq!(group.goals.last().unwrap().bound, Bound::AtMost(1.03));
        let group = with_earlier_build(|tools| phases(tools, &Sizes::SMOKE));
        assert_eq!(programs(&group), ["assay", "old/assay"]);
        assert_eq!(
            group.goals.iter().map(|goal| goal.bound).collect::<Vec<_>>(),
            [Bound::AtMost(1000.0), Bound::AtLeast(0.97)]
        );
        let group = with_earlier_build(|tools| dummy(tools, &Sizes::SMOKE));
        assert_eq!(programs(&group), [["bench", "old/bench"].repeat(5), vec!["fio"; 2]].concat());
    }
}

//! What is measured: the groups of the table, their contenders and their goals.

use super::group::{Bound, Contender, Group, Unit};
use super::lines::{Job, assay, bare, command, fio, ior};
use super::options::Sizes;
use super::tools::Tools;
use super::words::Tongue;

const KIB4: u64 = 4096;
const MIB: u64 = 1 << 20;
/// What fio's users give io_uring for speed.
const FIO_TUNED: &str =
    "io_uring --fixedbufs=1 --registerfiles=1 --iodepth_batch_submit=16 --iodepth_batch_complete_max=16";

/// Sets the same program of an earlier build, where one was named, behind each of this build, so that they
/// run one after the other: ours should cost no more. The first contender stays the first.
pub(super) fn set_beside_earlier(tools: &Tools, group: &mut Group) {
    let Some(before) = &tools.before else { return };
    let bound = if group.unit == Unit::PeakMib { Bound::AtMost(1.03) } else { Bound::AtLeast(0.97) };
    for ours in std::mem::take(&mut group.contenders) {
        let program = [&tools.assay, &tools.inside].into_iter().position(|program| *program == ours.words[0]);
        let earlier = program.map(|program| {
            let mut words = ours.words.clone();
            words[0].clone_from(&before[program]);
            Contender::new(format!("{}, before", ours.name), words, ours.tongue)
        });
        if let Some(earlier) = &earlier {
            group.aim(&ours.name, Some(&earlier.name), bound);
        }
        group.contenders.extend(std::iter::once(ours).chain(earlier));
    }
}

/// What the loop costs where nothing moves.
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
            group.aim(&name, None, Bound::AtMost(limit));
        }
        let line = command(&tools.inside, &format!("dummy {order} {op} {ops}"));
        group.add(name, line, Tongue::Line);
    }
    for (order, flag, rw) in [("sequential", "", "write"), ("random", " -z", "randwrite")] {
        if let Some(program) = &tools.ior {
            let line = command(program, &format!("-a DUMMY -w -t 4096 -b {bytes}{flag}"));
            group.add(format!("ior DUMMY, {order}, write"), line, Tongue::Ior);
        }
        if let Some(program) = &tools.fio {
            let line = format!(
                "--name=bench --ioengine=null --rw={rw} --bs=4096 --size={bytes} --output-format=json"
            );
            let line = command(program, &line);
            group.add(format!("fio null, {order}, write"), line, Tongue::Fio);
        }
    }
    group
}

/// What an order of 67 million offsets costs in memory.
pub(super) fn memory(tools: &Tools) -> Group {
    let mut group = Group::against_first("memory held with 256 GiB in 4 KiB, DUMMY, -w -D 1", Unit::PeakMib);
    let line = "-a DUMMY -b 256g -t 4k -w -D 1";
    for (suffix, flag) in [("", ""), (" -z", " -z")] {
        let ours = command(&tools.assay, &format!("ior {line}{flag}"));
        group.add(format!("assay{suffix}"), ours, Tongue::Records);
    }
    for (suffix, flag) in [("", ""), (" -z", " -z")] {
        if let Some(program) = &tools.ior {
            let line = command(program, &format!("{line}{flag}"));
            group.add(format!("ior{suffix}"), line, Tongue::Ior);
        }
    }
    // The allocator's rounding and the pages of code that happened to be touched.
    group.aim("assay -z", Some("assay"), Bound::AtMost(1.05));
    group
}

/// 4 KiB random reads of a file that is in memory.
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
        group.aim("assay POSIX", Some(peer), Bound::AtLeast(least));
    }
    group
}

/// 4 KiB random reads past the page cache, one at a time.
pub(super) fn direct_single(tools: &Tools, job: &Job) -> Group {
    let mut group = Group::against_first("4 KiB random reads, O_DIRECT, depth 1", Unit::PerSecond);
    group.contenders = vec![bare(tools, job), assay(tools, job, "POSIX", "")];
    group.contenders.extend(fio(tools, job, "fio psync", "psync"));
    group.contenders.extend(fio(tools, job, "fio io_uring", "io_uring --iodepth=1"));
    group.contenders.extend(ior(tools, job));
    group.aim("assay POSIX", Some("fio io_uring"), Bound::AtLeast(1.0));
    group
}

/// 4 KiB random reads past the page cache, 64 under way.
pub(super) fn direct_deep(tools: &Tools, job: &Job) -> Group {
    let mut group = Group::new("4 KiB random reads, O_DIRECT, depth 64", Unit::PerSecond);
    let (uring, tuned) = ("assay URING iodepth 64", "fio io_uring, tuned");
    group.contenders.extend(fio(tools, job, "fio io_uring", "io_uring --iodepth=64"));
    group.contenders.extend(fio(tools, job, tuned, &format!("{FIO_TUNED} --iodepth=64")));
    group.contenders.extend(fio(tools, job, "fio libaio", "libaio --iodepth=64"));
    group.against = tools.fio.is_some().then_some(0);
    group.contenders.push(assay(tools, job, "URING", "--iodepth 64"));
    group.contenders.push(assay(tools, job, "AIO", "--iodepth 64"));
    group.aim(uring, Some("fio io_uring"), Bound::AtLeast(1.0));
    group.aim(uring, Some(tuned), Bound::AtLeast(1.0));
    group
}

/// A read of the job with the bare loop, to see whether it can be done at all.
pub(super) fn attempt(tools: &Tools, job: &Job) -> Vec<String> {
    bare(tools, job).words
}

/// A job of direct random reads.
pub(super) fn direct_job(file: &str, bytes: u64) -> Job {
    Job { file: file.into(), bytes, transfer: KIB4, passes: 1, random: true, write: false, direct: true }
}

/// 1 MiB transfers one after the other: a new file is written, or one that is in memory is read.
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

/// How fast data is made and compared on one core, for each packet type.
pub(super) fn data(tools: &Tools, sizes: &Sizes, packets: &[String]) -> Group {
    let title = "data of 1 MiB made (fill) and compared (check), one core";
    let mut group = Group::new(title, Unit::Gigabytes(MIB as f64));
    for packet in packets {
        for what in ["fill", "check"] {
            let words = command(&tools.inside, &format!("{what} {packet} {}", sizes.fill_ops));
            group.add(format!("{what} {packet}"), words, Tongue::Line);
        }
    }
    for what in ["fill stamped", "check stamped"] {
        group.aim(what, None, Bound::AtLeast(20.0));
    }
    group
}

/// Writing and reading a file with every word compared, against the same without.
pub(super) fn verified(tools: &Tools, sizes: &Sizes, packets: &[String], file: &str) -> Group {
    let mut group =
        Group::against_first("1 MiB write + read, verified, in memory", Unit::Gigabytes(MIB as f64));
    let line = format!("-a POSIX -w -t 1m -b {} -o {file}", sizes.file);
    let plain = command(&tools.assay, &format!("ior -r {line}"));
    group.add("assay, unverified", plain, Tongue::Records);
    for packet in packets.iter().filter(|packet| ["offset", "stamped"].contains(&packet.as_str())) {
        let name = format!("assay -R -l {packet}");
        let words = command(&tools.assay, &format!("ior -R -l {packet} {line}"));
        group.aim(&name, Some("assay, unverified"), Bound::AtLeast(0.9));
        group.add(name, words, Tongue::Records);
    }
    if let Some(program) = &tools.ior {
        let plain = command(program, &format!("-r {line}"));
        group.add("ior, unverified", plain, Tongue::Ior);
        let words = command(program, &format!("-r -R -l offset -G 7 {line}"));
        group.add("ior -R -l offset", words, Tongue::Ior);
    }
    group
}

#[cfg(test)]
mod tests {
    use super::super::tools::named;
    use super::*;

    /// With the programs of an earlier build set beside.
    fn beside_earlier(group: impl Fn(&Tools) -> Group) -> Group {
        let tools = Tools { before: Some(["old/assay", "old/bench"].map(str::to_owned)), ..named() };
        let mut group = group(&tools);
        set_beside_earlier(&tools, &mut group);
        group
    }

    fn programs(group: &Group) -> Vec<&str> {
        group.contenders.iter().map(|one| one.words[0].as_str()).collect()
    }

    #[test]
    fn each_program_of_this_build_is_followed_by_that_of_the_earlier_one_with_the_same_words() {
        let group = beside_earlier(|tools| cached(tools, &Sizes::SMOKE, "tmpfs", "f"));
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
    fn memory_should_not_grow_and_what_measures_in_process_has_its_earlier_one_too() {
        let group = beside_earlier(memory);
        assert_eq!(group.goals.last().unwrap().bound, Bound::AtMost(1.03));
        let group = beside_earlier(|tools| dummy(tools, &Sizes::SMOKE));
        assert_eq!(programs(&group), [["bench", "old/bench"].repeat(5), vec!["fio"; 2]].concat());
    }
}

//! Command lines of `ior` as plan and linter read them.

use std::collections::HashSet;

use super::*;
use crate::PlannedLine;

fn any(line: &str) -> Line {
    Line::read(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
}

fn read(line: &str) -> Line {
    Line::parse(line).expect(line)
}

#[test]
fn a_command_line_yields_its_phases() {
    for (line, phases) in [
        ("-w -F", &["write"][..]),
        ("-r", &["read"]),
        ("-wr", &["write", "read"]),
        ("-F -e", &["write", "read"]),
        ("-w -W -k", &["write", "write_check"]),
        ("-r -R", &["read_check"]),
        ("-w=1 -r=0", &["write"]),
        ("-W -wr=0 -w", &["write", "write_check"]),
        ("-w --rwmix 70 -R", &["write", "mixed_write", "mixed_read", "read_check"]),
        ("--rwmix=70 --rate 5000/s", &["mixed_write", "mixed_read"]),
        ("-O writeFile=1,checkRead=1", &["write", "read_check"]),
        ("./IOR -a POSIX -w", &["write"]),
    ] {
        assert_eq!(read(line).phases(), phases, "{line}");
    }
}

#[test]
fn a_command_line_yields_the_bytes_it_moves() {
    for (line, bytes) in [
        ("-w", 2 << 20),
        ("-w -b 1g -s 3", 6 << 30),
        ("-w -b1g", 2 << 30),
        ("-w -b=4k", 8 << 10),
        ("-w -b 1GiB", 2 << 30),
        ("-w -O blockSize=16m,segmentCount=2", 64 << 20),
    ] {
        assert_eq!(read(line).bytes(2), bytes, "{line}");
    }
}

#[test]
fn a_command_line_yields_its_stop_and_the_files_it_leaves() {
    let line = read("-w -k -D 3 -O stoneWallingWearOut=1,stoneWallingStatusFile={dir}/pairs -i 2 -o {dir}/f");
    assert!(line.keep && line.wears_out() && !line.multi_file);
    assert_eq!((line.status_file.as_deref(), line.file()), (Some("{dir}/pairs"), Some("{dir}/f")));
    assert_eq!((line.deadline, line.repetitions), (3, 2));
    assert!(!read("-w --posix.odirect --random-offset-seed 7").keep, "a long option's value is not a flag");
    assert!(!read("-w -t16k").keep, "a glued value is not a flag");
}

#[test]
fn a_command_line_yields_the_data_it_writes_and_expects() {
    for (line, packet, signature) in [
        ("-w", 's', None),
        ("-w -l timestamp -G 7", 't', Some(7)),
        ("-w --dataPacketType=offset -G=-1", 'o', Some(-1)),
        ("-w -O dataPacketType=i,setTimeStampSignature=9 -G 0", 'i', None),
    ] {
        let read = read(line);
        assert_eq!((read.packet.letter(), read.signature), (packet, signature), "{line}");
    }
}

#[test]
fn stamped_data_is_added_where_the_command_line_names_no_kind() {
    for line in ["-w -F", "-wrk", "./IOR -w -b 1m", ""] {
        let words = read(line).words;
        assert_eq!(words[words.len() - 2..], ["-l", "stamped"], "{line}");
    }
    for line in ["-w -l t", "-wlo", "-w -l=r -F", "-w --dataPacketType=o", "-w -O dataPacketType=i"] {
        assert_eq!(read(line).words, line.split_whitespace().collect::<Vec<_>>(), "{line}");
    }
    assert_eq!(read("-w --dataPacketType o").words.len(), 3);
}

#[test]
fn an_unreadable_argument_is_named() {
    for (line, error) in [
        ("-w big", "`big` is not an option of ior. Its options begin with `-`."),
        ("-w -b", "`-b` has no value. Write its value after it."),
        ("-w -b 1x", "`-b 1x` is not a size. Write for example `-b 1m`."),
        ("-f script", "`-f` hides its options from the plan. Write them on the command line."),
        (
            "-w -o /scratch/f",
            "`-o /scratch/f` lies outside the campaign's own directory. IOR would delete the file that is \
             there. Leave `-o` out, or begin it with `{dir}/`.",
        ),
        ("-w -O testFile=/f", "the campaign chooses the file. Leave `testFile` out."),
        ("-w --dryRun", "`--dryRun` does nothing that can be measured. Leave it out."),
        ("-w --record=x", "the campaign sets `--record` itself. Leave it out."),
    ] {
        assert_eq!(Line::parse(line).unwrap_err().0, error, "{line}");
    }
}

#[test]
fn written_data_is_compared_from_storage_where_the_backend_can_drop_its_pages() {
    let added = |line: &str| {
        let (before, after) = (read(line), read(line).verified());
        after.words[before.words.len()..].join(" ")
    };
    for (line, wanted) in [
        ("-w", "-W --drop-caches"),
        ("-w -a POSIX", "-W --drop-caches"),
        ("-w -a=posix", "-W --drop-caches"),
        ("-w -aPOSIX", "-W --drop-caches"),
        ("-wFa POSIX", "-W --drop-caches"),
        ("-w -O api=POSIX", "-W --drop-caches"),
        ("-w -a MPIIO -a URING", "-W --drop-caches"),
        ("-w -a AIO", "-W --drop-caches"),
        ("-w -a MMAP", "-W --drop-caches"),
        ("-w -a MPIIO", "-W"),
        ("-wFa MPIIO", "-W"),
        ("-w -O api=hdf5", "-W"),
        ("-w -a DUMMY", "-W"),
        ("-w --drop-caches=0", "-W"),
        ("-w --drop-caches", "-W"),
        ("-w -W", ""),
        ("-r", ""),
        ("--rwmix 70 -G 1", "-R -k --drop-caches"),
        ("--rwmix 70 -G 1 -k -a MPIIO", "-R"),
        ("-w --rwmix 70", "-W -R --drop-caches"),
        ("-w -W --rwmix 70 -R", ""),
        ("-w --rwmix 70 -r", "-W --drop-caches"),
    ] {
        assert_eq!(added(line), wanted, "{line}");
        let after = read(line).verified();
        let again = Line::parse(&after.words.join(" ")).unwrap();
        assert_eq!((&*after, &after.words), (&*again, &again.words), "{line}");
    }
}

#[test]
fn values_that_cannot_be_read_are_unknown() {
    let line = any("-r -b ${SMALLEST} -f script -o /scratch/f --record x stray");
    assert_eq!((line.block_bytes(), line.bytes_per_rank()), (None, None));
    assert_eq!((line.parsed.script.as_deref(), line.file()), (Some("script"), Some("/scratch/f")));
    assert_eq!(line.word('b'), Some((2, "-b".to_owned())));
    let line = any("--rwmix ${MIX} --rate ${RATE} -O minTimeDuration=${S},stoneWallingWearOut=${W}");
    assert!(line.mixes() && line.is_rate_limited() && line.has_minimum_time() && line.wears_out());
    assert!(line.names_phase() && !line.write);
}

#[test]
fn memory_that_is_occupied_is_a_share_or_bytes() {
    for (text, share, bytes) in [
        ("-M 80%", Some(0.8), None),
        // IOR reads a number up to 100 as percent; a run rejects it.
        ("-M 80", Some(0.8), None),
        ("-M 64g", None, Some(64 << 30)),
        ("-w", None, None),
    ] {
        let line = any(text);
        assert_eq!((line.hog_share(), line.hog_bytes()), (share, bytes), "{text}");
    }
}

#[test]
fn the_shift_decides_whose_data_is_read() {
    for (line, shift) in [
        ("-r", ReadShift::None),
        ("-r -C", ReadShift::Nodes(1)),
        ("-r -C -Q 0", ReadShift::None),
        ("-r -O reorderTasksConstant=1,taskPerNodeOffset=4", ReadShift::Nodes(4)),
        ("-r -C -Z", ReadShift::Random),
    ] {
        assert_eq!(any(line).shift(), shift, "{line}");
    }
}

#[test]
fn every_name_is_unique_and_every_row_has_help() {
    let (mut names, mut ids) = (HashSet::new(), HashSet::new());
    for row in IorOption::rows() {
        assert!(!row.about.is_empty() && !row.about.ends_with('.'), "{}", row.about);
        assert!(ids.insert(format!("{:?}", row.id)), "{:?} twice", row.id);
        let short = row.short.map(|letter| format!("-{letter}"));
        let long = row.long.map(|word| format!("--{word}"));
        let directives = row.directives.iter().map(|name| name.to_lowercase());
        for name in short.into_iter().chain(long).chain(directives) {
            assert!(names.insert(name.clone()), "{name} twice");
        }
    }
    for retired in RETIRED {
        let (letter, directive) = (retired.short, retired.directive.unwrap().to_lowercase());
        assert!(letter.is_none_or(|letter| !names.contains(&format!("-{letter}"))), "{letter:?} is used");
        assert!(!names.contains(&directive), "{directive} is used");
    }
}

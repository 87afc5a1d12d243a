//! Command lines of IOR as a campaign reads them.

use super::*;

fn read(line: &str) -> IorLine {
    IorLine::parse(line).expect(line)
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
    assert!(line.keep && line.wear_out && !line.multi_file);
    assert_eq!((line.status_file.as_deref(), line.file.as_deref()), (Some("{dir}/pairs"), Some("{dir}/f")));
    assert_eq!((line.deadline_s, line.repetitions), (3, 2));
    assert!(!read("-w --posix.odirect --random-offset-seed 7").keep, "a long option's value is not a flag");
    assert!(!read("-w -t16k").keep, "a glued value is not a flag");
}

#[test]
fn a_command_line_yields_the_data_it_writes_and_expects() {
    for (line, packet, signature) in [
        ("-w", 's', None),
        ("-w -l Timestamp -G 7", 't', Some("7")),
        ("-w --dataPacketType=offset -G=-1", 'o', Some("-1")),
        ("-w -O dataPacketType=i,setTimeStampSignature=9 -G 0", 'i', None),
    ] {
        let read = read(line);
        assert_eq!((read.packet, read.signature.as_deref()), (Some(packet), signature), "{line}");
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
        ("-w big", "`big` is not an option. Write IOR options as `-x [value]`."),
        ("-w -b", "`-b` has no value. Write its value after it."),
        ("-w -b 1x", "`-b 1x` is not a size. Write for example `-b 1m`."),
        ("-f script", "`-f` hides its options from the plan. Write them on the command line."),
        (
            "-w -o /scratch/f",
            "`-o /scratch/f` lies outside the campaign's own directory. IOR would delete the file that is \
             there. Leave `-o` out, or begin it with `{dir}/`.",
        ),
        ("-w -O testFile=/f", "the campaign chooses the file. Leave `testFile` out."),
        ("-w --dryRun", "`--dryRun` moves no data, so there is nothing to measure. Leave it out."),
        ("-w --record=x", "the campaign sets `--record` itself. Leave it out."),
    ] {
        assert_eq!(IorLine::parse(line).unwrap_err().0, error, "{line}");
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
        let again = IorLine::parse(&after.words.join(" ")).unwrap();
        assert_eq!(after, again, "the fields are those of the arguments: {line}");
    }
}

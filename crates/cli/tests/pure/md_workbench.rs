//! `md-workbench`: its text, its options, its system calls and its failures, on local ranks.
//!
//! `golden/md-workbench.txt` has the output of the original for each command line. `{N}` is a number with N
//! decimals, `{Ne}` one with an exponent.

use std::path::Path;
use std::process::Command;

use crate::common::options::{
    CEPHFS, Classic, Row, Seen, calls, fails, follows, no_beegfs, no_create_sharing, no_gpfs, not_on_lustre,
    works,
};
use crate::common::{Ran, assay, program, run};

fn workbench(dir: &Path, ranks: u32, words: &str) -> Ran {
    run(&mut assay(dir, &format!("-n {ranks} md-workbench {words}")))
}

/// The lines about failures.
fn complaints(ran: &Ran) -> Vec<&str> {
    ran.err.lines().filter(|line| line.starts_with("md-workbench: ")).collect()
}

/// A line with everything masked that differs from run to run.
fn mask(line: &str) -> String {
    if line.starts_with("Args: ") {
        return "Args: ...".to_owned();
    }
    let line = line.replace("4.1.0+dev", "VERSION");
    let line = match line.rsplit_once(" time: ") {
        Some((before, date)) if date.starts_with("20") => format!("{before} time: DATE"),
        _ => line,
    };
    if let Some(rest) = line.strip_prefix("Total runtime: ") {
        return format!("Total runtime: {{}}{}", rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    let mut text = String::new();
    let mut rest = line.as_str();
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let whole = end(rest);
        let Some(decimals) = rest[whole..].strip_prefix('.').map(end).filter(|count| *count > 0) else {
            text.push_str(&rest[..whole]);
            rest = &rest[whole..];
            continue;
        };
        rest = &rest[whole + 1 + decimals..];
        let exponent = rest.strip_prefix('e').is_some_and(|rest| rest.starts_with(['-', '+']));
        text.push_str(&format!("{{{decimals}{}}}", if exponent { "e" } else { "" }));
        rest = if exponent { &rest[4..] } else { rest };
    }
    text + rest
}

#[test]
fn the_text_is_that_of_md_workbench() {
    let dir = tempfile::tempdir().unwrap();
    let golden = include_str!("../golden/md-workbench.txt");
    for part in golden.split("\n$ ").skip(1) {
        let (words, text) = part.split_once('\n').unwrap();
        let out = workbench(dir.path(), 2, words).ok();
        let ours: Vec<String> =
            out.lines().take_while(|line| !line.starts_with("assay: ")).map(mask).collect();
        assert_eq!(ours.join("\n"), text.trim_end(), "{words}: {out}");
    }
    assert!(!dir.path().join("out").exists());
}

const WORKBENCH: Classic =
    Classic { name: "md-workbench", ranks: |_| "2", prepare: |_| {}, equip: |_, _| {} };

/// The successful operations of a phase, or of one kind in it.
fn ops(seen: &Seen, phase: &str) -> u64 {
    seen.phase(phase)["ops"].as_u64().unwrap()
}

fn whole(seen: &Seen) {
    assert_eq!((ops(seen, "precreate"), ops(seen, "cleanup")), (2 * 3, 2 * 3));
}

fn direct(seen: &Seen) {
    whole(seen);
    seen.direct("precreate", "/file-");
}

fn slept(seen: &Seen) {
    whole(seen);
    seen.slept("benchmark_create");
}

/// Changes one byte of a file.
fn damage(path: &Path) {
    let mut bytes = std::fs::read(path).unwrap();
    bytes[100] ^= 1;
    std::fs::write(path, bytes).unwrap();
}

/// Makes a directory of a file, so that it exists but cannot be read.
fn into_directory(path: &Path) {
    std::fs::remove_file(path).unwrap();
    std::fs::create_dir(path).unwrap();
}

const ROWS: &[Row] = &[
    works("-1", "-P 2 -D 1 -R 1 -I 1 {}", |seen| {
        assert_eq!(seen.phases(), ["precreate"]);
        assert_eq!(seen.size("out/1_0/file-1"), Some(3901));
        assert_eq!(seen.bytes("md-workbench.status"), b"pos: 0\n");
    }),
    follows("-2", "-1 -P 2 -D 1", "-P 2 -D 1 -I 1 -R 2 {}", |seen| {
        assert_eq!(seen.phases().len(), 2 * 5);
        assert_eq!((seen.size("out/0_0/file-1"), seen.size("out/0_0/file-2")), (None, Some(3901)));
        assert_eq!(seen.bytes("md-workbench.status"), b"pos: 2\n");
    }),
    follows("-3", "-1 -P 2 -D 1", "-P 2 -D 1 {}", |seen| {
        assert_eq!(seen.phases(), ["cleanup"]);
        assert!(!seen.dir.join("out").exists());
    }),
    works("-T", "-P 2 -D 1 -I 1 -R 1 {}", |seen| seen.out(" waiting_factor:4.00 ")),
    works("-W", "-P 2 -D 1 -I 1 -R 1 -w 9 {}", |seen| seen.out(" stonewall-iter:1 ")),
    works("-X", "-P 2 -D 1 -I 1 -R 1 --dataPacketType=r {}", |seen| seen.out("(0 errs)")),
    Row {
        before: "-1 -P 2 -D 1 -G 7",
        between: |dir| damage(&dir.join("out/1_0/file-0")),
        ..fails("-X", "-2 -P 2 -D 1 -I 1 -R 1 -G 7 {}", 4, |seen| {
            seen.out("(1 errs!!!)");
            seen.out("1_0/file-0");
        })
    },
    works("--read-only", "-P 2 -D 1 -I 1 -R 1 {}", |seen| {
        assert_eq!(seen.phases()[1..4], ["benchmark", "benchmark_read", "benchmark_stat"]);
    }),
    Row {
        before: "-1 -P 2 -D 1",
        ..fails("--ignore-precreate-errors", "-1 -P 2 -D 1 {}", 4, |seen| seen.out("(2 errs!!!)"))
    },
    works("--latency-all", "-P 2 -D 1 -I 1 -R 1 -L l {}", |seen| {
        assert_eq!(seen.bytes("l-0.00-0-read-all.csv").iter().filter(|byte| **byte == b'\n').count(), 3);
    }),
    works("--process-reports", "-P 2 -D 1 -I 1 -R 1 {}", |seen| seen.out("\n1: cleanup process max:")),
    works("--print-detailed-stats", "-P 2 -D 1 -I 1 -R 1 {}", |seen| seen.out("\nprecreate \t2\t0\t4\t")),
    works("-q", "-P 2 -D 1 -I 1 -R 1 {}", |seen| seen.no_out("Total runtime")),
    works("-v", "-P 2 -D 1 -I 1 -R 1 {}", |seen| seen.err("assay: note: -v has no effect")),
    fails("-h", "{}", 0, |seen| assert!(seen.ran.out.starts_with("Synopsis md-workbench\n"))),
    fails("--version", "{}", 0, |seen| seen.out("MD-Workbench-4.1.0+dev (assay ")),
    works("-a", "-P 2 -D 1 -I 1 -R 1 {dummy}", whole),
    works("-a", "-1 -P 2 -D 1 {dummy}", |seen| assert!(!seen.dir.join("out").exists())),
    works("-o", "-1 -P 1 -D 1 {other}", |seen| assert_eq!(seen.size("other/0_0/file-0"), Some(3901))),
    follows("-O", "-1 -P 2 -D 1", "-2 -P 2 -D 1 -I 1 -R 1 {0}", |seen| {
        assert_eq!(ops(seen, "benchmark_create"), 2);
    }),
    // Without the option, the other rank would find no file.
    Row {
        before: "-1 -P 2 -D 1",
        between: |dir| into_directory(&dir.join("out/1_0/file-0")),
        ..fails("-O", "-2 -P 2 -D 1 -I 1 -R 1 {0}", 4, |seen| {
            seen.err("md-workbench: benchmark: rank 1 ");
            seen.err(": ./out/1_0/file-0: read: ");
        })
    },
    works("-P", "-1 -D 1 {3}", |seen| assert_eq!(ops(seen, "precreate"), 2 * 4)),
    works("-I", "-P 3 -D 1 -R 1 {2}", |seen| assert_eq!(ops(seen, "benchmark_stat"), 2 * 2)),
    works("-D", "-P 1 -I 1 -R 1 {3}", |seen| assert_eq!(ops(seen, "benchmark_delete"), 2 * 3)),
    works("-R", "-P 1 -D 1 -I 1 {2}", |seen| assert_eq!(seen.phases().len(), 2 + 2 * 5)),
    works("-S", "-1 -P 1 -D 1 {1k}", |seen| assert_eq!(seen.size("out/0_0/file-0"), Some(1024))),
    works("-G", "-1 -P 1 -D 1 {7}", |seen| {
        assert_eq!((seen.word("out/0_0/file-0", 0), seen.word("out/1_0/file-0", 1)), (7, (1 << 32) + 8));
    }),
    works("-t", "-P 1 -D 1 -I 1 -R 1 {0.25}", |seen| seen.out(" waiting_factor:0.25 ")),
    works("-w", "-a DUMMY --dummy.delay-create=20000 -P 1 -D 1 -I 1 -R 1 {1}", |seen| {
        seen.no_out("stonewall-iter");
    }),
    // A rank would need 8 seconds for all objects.
    works("-w", "-a DUMMY --dummy.delay-xfer=20000 -P 1 -D 1 -I 200 -R 1 {1}", |seen| {
        seen.out(" stonewall-iter:");
        let done = ops(seen, "benchmark_create");
        assert!(0 < done && done < 2 * 200, "{done}");
    }),
    works("--dataPacketType", "-1 -P 2 -D 1 -G 7 {offset}", |seen| {
        assert_eq!((seen.word("out/0_0/file-1", 0), seen.word("out/0_0/file-1", 1)), (1, 8));
    }),
    works("--start-item", "-1 -P 3 -D 1 {2}", |seen| {
        seen.out("\nUsing start position 2\n");
        assert_eq!((seen.size("out/0_0/file-1"), seen.size("out/0_0/file-2")), (None, Some(3901)));
    }),
    works("-L", "-P 1 -D 1 -I 1 -R 1 {lat}", |seen| {
        assert!(seen.bytes("lat-0.00-1-cleanup.csv").starts_with(b"time,runtime\n0.0"));
    }),
    works("--run-info-file", "-1 -P 1 -D 1 {info}", |seen| assert_eq!(seen.bytes("info"), b"pos: 0\n")),
    works("--record", "-1 -P 1 -D 1 {rows}", |seen| assert!(seen.bytes("rows").starts_with(b"{"))),
    works("--aio.granularity", "-a AIO -P 2 -D 1 -I 1 -R 1 {4}", whole),
    works("--aio.max-pending", "-a AIO -P 2 -D 1 -I 1 -R 1 {32}", whole),
    fails("--aio.max-pending", "-a AIO -1 -P 2 -D 1 {4}", 2, |seen| seen.err("give at least 8")),
    calls("--aio.odirect", "-a AIO -P 2 -D 1 -I 1 -R 1 -S 4096 {}", direct),
    works("--dummy.delay-close", "-a DUMMY -P 2 -D 1 -I 1 -R 1 {100000}", slept),
    works("--dummy.delay-create", "-a DUMMY -P 2 -D 1 -I 1 -R 1 {100000}", slept),
    works(
        "--dummy.delay-only-rank0",
        "-a DUMMY -P 2 -D 1 -I 1 -R 1 --dummy.delay-create=100000 {}",
        |seen| {
            assert_eq!(seen.number("benchmark_create", "balance.slowest_rank"), 0.0);
            assert!(seen.number("benchmark_create", "latency.min_ns") < 1e8, "rank 1 does not sleep");
        },
    ),
    // The workload makes no sync: the first one would sleep for an hour.
    works("--dummy.delay-sync", "-a DUMMY -P 2 -D 1 -I 1 -R 1 {3600000000}", whole),
    works("--dummy.delay-xfer", "-a DUMMY -P 2 -D 1 -I 1 -R 1 {100000}", slept),
    works("--posix.beegfs.ChunkSize", "-P 2 -D 1 -I 1 -R 1 {64k}", no_beegfs),
    works("--posix.beegfs.NumTargets", "-P 2 -D 1 -I 1 -R 1 {4}", no_beegfs),
    works("--posix.gpfs.createsharing", "-P 2 -D 1 -I 1 -R 1 {}", no_create_sharing),
    works("--posix.gpfs.finegrainreadsharing", "-P 2 -D 1 -I 1 -R 1 {}", no_gpfs),
    works("--posix.gpfs.finegrainwritesharing", "-P 2 -D 1 -I 1 -R 1 {}", no_gpfs),
    works("--posix.gpfs.hintaccess", "-P 2 -D 1 -I 1 -R 1 {}", no_gpfs),
    works("--posix.gpfs.releasetoken", "-P 2 -D 1 -I 1 -R 1 {}", no_gpfs),
    fails("--posix.lustre.ignorelocks", "-P 2 -D 1 {}", 4, not_on_lustre),
    fails("--posix.lustre.pool", "-P 2 -D 1 --posix.lustre.stripecount=1 {p}", 4, not_on_lustre),
    fails("--posix.lustre.startost", "-P 2 -D 1 --posix.lustre.stripecount=1 {1}", 4, not_on_lustre),
    fails("--posix.lustre.stripecount", "-P 2 -D 1 {2}", 4, not_on_lustre),
    fails("--posix.lustre.stripesize", "-P 2 -D 1 {64k}", 4, not_on_lustre),
    calls("--posix.odirect", "-P 2 -D 1 -I 1 -R 1 -S 4096 {}", direct),
    calls("--posix.rangelocks", "-P 2 -D 1 -I 1 -R 1 {}", |seen| {
        assert_eq!(seen.called(&["fcntl(", "F_WRLCK"]), 2 * 3, "a lock for each write: {}", seen.trace);
    }),
    calls("--uring.odirect", "-a URING -P 2 -D 1 -I 1 -R 1 -S 4096 {}", direct),
    works("--uring.plain-buffers", "-a URING -P 2 -D 1 -I 1 -R 1 {}", whole),
];

#[test]
fn options_of_the_help_and_rows_agree_and_each_has_its_effect() {
    WORKBENCH.has_a_row_for_every_option(&[ROWS, CEPHFS]);
    WORKBENCH.walk(ROWS.iter().chain(CEPHFS));
}

#[test]
fn wrong_usage_is_one_line_with_status_2_and_creates_no_file() {
    let dir = tempfile::tempdir().unwrap();
    for (words, expected) in [
        ("-P", "md-workbench: -P takes a value: create this many objects"),
        ("-P five", "`five` is not a whole number"),
        ("-t much", "`much` is not a number, such as 0.5"),
        ("stray", "`stray` is not an option. Options begin with `-`; `md-workbench -h` lists them."),
        ("--red-only", "Did you mean `--read-only`?"),
        ("-a MPIIO", "Backend doesn't support MD-Workbench. Use -a POSIX"),
        ("-2 -X", "Add -G NUMBER"),
        ("-a DUMMY -X", "DUMMY keeps no data to compare"),
        ("--dataPacketType=s", "Choose t, o, i or r"),
        ("--record no/where", "--record no/where: No such file or directory"),
    ] {
        let ran = workbench(dir.path(), 2, words);
        assert_eq!((ran.status, complaints(&ran).len()), (Some(2), 1), "{words}: {ran:#?}");
        assert!(complaints(&ran)[0].contains(expected), "{words}: {ran:#?}");
        assert_eq!(dir.path().read_dir().unwrap().count(), 0, "{words}");
    }
    let ran = workbench(dir.path(), 2, "-2");
    let line = "md-workbench.status: it has no position of a run with -1. Run with -1 first, or add -1";
    assert_eq!((ran.status, complaints(&ran).len()), (Some(4), 1), "{ran:#?}");
    assert!(complaints(&ran)[0].contains(line), "{ran:#?}");
}

#[test]
fn a_failed_operation_ends_all_ranks_with_one_line() {
    let dir = tempfile::tempdir().unwrap();
    workbench(dir.path(), 3, "-1 -P 4 -D 2").ok();
    into_directory(&dir.path().join("out/2_1/file-1"));
    let ran = workbench(dir.path(), 3, "-2 -P 4 -D 2 -I 2 -R 1");
    assert_eq!((ran.status, complaints(&ran).len()), (Some(4), 1), "{ran:#?}");
    let line = complaints(&ran)[0];
    assert!(
        line.starts_with("md-workbench: benchmark: rank ") && line.contains("2_1/file-1: read: "),
        "{line}"
    );
    let ran = workbench(dir.path(), 3, "-1 -P 4 -D 2");
    assert!(complaints(&ran)[0].contains("mkdir: File exists"), "{ran:#?}");
}

#[test]
fn objects_that_were_removed_since_the_last_run_are_counted_with_status_0() {
    let dir = tempfile::tempdir().unwrap();
    for (words, row) in [
        ("", "(18 errs!!!)"),
        ("--print-detailed-stats", "benchmark err\t0\t0\t0\t0\t18\t0\n"),
        ("--print-detailed-stats --read-only", "benchmark err\t0\t0\t0\t0\t18\t0\n"),
    ] {
        workbench(dir.path(), 3, "-1 -P 4 -D 2").ok();
        std::fs::remove_dir_all(dir.path().join("out")).unwrap();
        let out = workbench(dir.path(), 3, &format!("-2 -P 4 -D 2 -I 3 -R 2 {words} --record rows")).ok();
        assert_eq!(out.matches(row).count(), 2, "{words}: {out}");
        let line = "\nassay: iteration 1: 18 of 18 objects do not exist, such as rank 0: ./out/2_0/file-";
        assert!(out.contains(line), "{words}: {out}");
        let rows = std::fs::read_to_string(dir.path().join("rows")).unwrap();
        let failed = |row: &&str| row.contains("benchmark_stat") && row.contains("\"operations\":18");
        assert_eq!(rows.lines().filter(failed).count(), 2, "{words}: {rows}");
        std::fs::remove_file(dir.path().join("rows")).unwrap();
        workbench(dir.path(), 3, "-3 -P 4 -D 2").ok();
    }
}

#[test]
fn each_operation_is_the_system_calls_of_md_workbench() {
    if Command::new("strace").arg("-V").output().is_err() {
        println!("SKIPPED: strace is not installed; `cargo xtask setup` installs it");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let mut command = Command::new("strace");
    command.args(["-f", "-y", "-s", "0", "-o", "trace", "-e", "trace=%file,%desc"]).arg(program());
    command.args("-n 1 md-workbench -P 3 -D 2 -I 2 -R 2 -S 100".split(' ')).current_dir(dir.path());
    run(&mut command).ok();
    let trace = std::fs::read_to_string(dir.path().join("trace")).unwrap();
    let called =
        |parts: &[&str]| trace.lines().filter(|line| parts.iter().all(|part| line.contains(part))).count();
    let (created, used, removed) = (2 * 3 + 2 * 2 * 2, 2 * 2 * 2, 2 * 2 * 2 + 2 * 3);
    assert_eq!(called(&["mkdir", "./out", "0775"]), 1 + 2, "{trace}");
    assert_eq!(called(&["open", "/file-", "O_RDWR|O_CREAT", "0664"]), created, "{trace}");
    assert_eq!(called(&["pwrite64(", "/file-", ", 100, 0)"]), created, "{trace}");
    assert_eq!(called(&["stat", "./out/0_", "/file-\""]), 0);
    let stats = trace.lines().filter(|line| line.contains("stat") && line.contains("\"./out/0_")).count();
    assert_eq!(stats, used, "{trace}");
    assert_eq!(called(&["open", "/file-", "O_RDONLY"]), used, "{trace}");
    assert_eq!(called(&["pread64(", "/file-", ", 100, 0)"]), used, "{trace}");
    assert_eq!(called(&["unlink", "/file-"]), removed, "{trace}");
    assert_eq!(called(&["close(", "/file-"]), created + used, "{trace}");
}

#[test]
fn a_link_of_that_name_is_the_program() {
    let dir = tempfile::tempdir().unwrap();
    let link = dir.path().join("md-workbench");
    std::os::unix::fs::symlink(program(), &link).unwrap();
    let mut command = Command::new(&link);
    let text = run(command.current_dir(dir.path()).args(["-P", "1", "-D", "1", "-I", "1", "-R", "1"])).ok();
    assert!(text.contains("\nMD-Workbench total objects: 2 workingset size: 0.004 MiB"), "{text}");
}

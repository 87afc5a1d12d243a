//! The rows of options with a value, with assay's own options last.

use crate::common::options::{Row, Seen, calls, fails, works};

/// The order of IOR's own shuffle with seed 7, blocks of 128 bytes and transfers of 32 bytes.
fn shuffled_by_ior(seen: &Seen) {
    let offsets: Vec<&str> = seen
        .trace
        .lines()
        .filter(|line| line.contains("pwrite64(") && line.contains("/f.00000000>"))
        .map(|line| line.split(", 32, ").nth(1).unwrap().split([')', ' ']).next().unwrap())
        .collect();
    assert_eq!(offsets, ["32", "96", "0", "64"]);
}

pub(super) const ROWS: &[Row] = &[
    works("-a", "-w {dummy}", |seen| seen.out("api                 : dummy\n")),
    works("-A", "-a DUMMY -w {7}", |seen| {
        let row = seen.ran.out.lines().rfind(|line| line.starts_with("write ")).unwrap();
        assert_eq!(row.split_whitespace().last(), Some("7"));
    }),
    works("-b", "-w -k -t 4k -o f {64k}", |seen| assert_eq!(seen.size("f"), Some(131_072))),
    works("-d", "-a DUMMY -w {1}", |seen| assert!(seen.number("write", "began_s") >= 1.0)),
    works("-d", "-a DUMMY -w {0.1}", |seen| {
        seen.err("assay: note: -d 0.1 waits 0 s: only whole seconds count")
    }),
    works("-D", "-a DUMMY -w -b 4g -t 8 -s 100000 {1}", |seen| {
        assert!(seen.number("write", "bytes") < seen.number("write", "expected_bytes"));
    }),
    works("-f", "-a DUMMY -w {script}", |seen| seen.out("TestID              : 1\n")),
    works("-G", "-w -k -b 64k -t 64k -o f {7}", |seen| {
        assert_eq!((seen.word("f", 0), seen.word("f", 8192)), (7, (1 << 32) + 7));
    }),
    works("-i", "-a DUMMY -w {2}", |seen| assert_eq!(seen.phases(), ["write", "write"])),
    works("-j", "-a DUMMY -w -b 8 -t 8 --dummy.delay-xfer=2500000 --dummy.delay-only-rank0 {1}", |seen| {
        seen.out("elapsed transfer time is ");
    }),
    works("-l", "-w -k -G 7 -b 64k -t 64k -o f {offset}", |seen| {
        assert_eq!((seen.word("f", 0), seen.word("f", 1), seen.word("f", 512)), (0, 8, 0));
    }),
    works("-M", "-a DUMMY -w {1m}", |seen| seen.out("memoryPerNode       : 1 MiB\n")),
    fails("-M", "-a DUMMY -w {1000t}", 4, |seen| seen.err("Ask for less")),
    fails("-M", "-a DUMMY -w {75}", 2, |seen| seen.err("Write 75% or 75m")),
    works("-N", "-a DUMMY -w {1}", |seen| seen.out("tasks               : 1\n")),
    works("-N", "-a DUMMY -w {-1}", |seen| seen.out("tasks               : 2\n")),
    fails("-N", "-a DUMMY -w {0}", 2, |seen| seen.err("Leave out -N")),
    works("-o", "-w -k -b 64k -t 64k {g}", |seen| assert_eq!(seen.size("g"), Some(131_072))),
    works("-O", "-w -b 64k -t 64k -o f {keepFile=1}", |seen| assert_eq!(seen.size("f"), Some(131_072))),
    works("-Q", "-a DUMMY -w -C {2}", |seen| seen.out("task offset         : 2\n")),
    works("-s", "-w -k -b 64k -t 64k -o f {3}", |seen| assert_eq!(seen.size("f"), Some(6 * 65536))),
    calls("-t", "-w -b 64k -o f {16k}", |seen| assert_eq!(seen.called(&["pwrite64(", ", 16384, "]), 8)),
    works("-T", "-w --dryRun -o f {1}", |seen| seen.out("; at most 1.00 MiB")),
    works("-X", "-a DUMMY -w -Z {5}", |seen| seen.out("reorder random seed : 5\n")),
    works("-O stoneWallingWearOut", "-a DUMMY -w -D 1 -b 4g -t 8 -s 100000 {1}", |seen| {
        seen.out("stonewalling pairs accessed min: ");
    }),
    works("-O stoneWallingWearOutIterations", "-w -k -F -b 64k -t 4k -o f {3}", |seen| {
        assert_eq!((seen.size("f.00000000"), seen.size("f.00000001")), (Some(12288), Some(12288)));
    }),
    works(
        "-O stoneWallingStatusFile",
        "-a DUMMY -w -k -D 1 -O stoneWallingWearOut=1 -b 4g -t 8 -s 100000 {st}",
        |seen| assert!(String::from_utf8(seen.bytes("st")).unwrap().parse::<u64>().unwrap() > 0),
    ),
    works("-O numNodes", "-a DUMMY -w {3}", |seen| seen.out("nodes               : 3\n")),
    works("-O numTasksOnNode0", "-a DUMMY -w {1}", |seen| seen.out("clients per node    : 1\n")),
    works("-O minTimeDuration", "-a DUMMY -w -b 64k -t 4k --dummy.delay-xfer=1000 {1}", |seen| {
        assert!(seen.number("write", "bytes") > seen.number("write", "expected_bytes"));
    }),
    works("-O interIODelay", "-a DUMMY -w -b 40k -t 4k {20000}", |seen| {
        assert!(seen.number("write", "spans.transfer_s") >= 9.0 * 0.02);
    }),
    works("-O memoryPerTask", "-a DUMMY -w {1m}", |seen| seen.out("memoryPerTask       : 1 MiB\n")),
    fails("-O memoryPerTask", "-a DUMMY -w {1000t}", 4, |seen| seen.err("Ask for less")),
    works("-O summaryFile", "-a DUMMY -w {results}", |seen| {
        let text = String::from_utf8(seen.bytes("results")).unwrap();
        assert!(text.contains("Summary of all tests:\n"), "{text}");
        assert!(!seen.ran.out.contains("Summary of all tests:"));
    }),
    works("-O summaryFormat", "-a DUMMY -w {JSON}", |seen| {
        let all: serde_json::Value = serde_json::from_str(&seen.ran.out).expect(&seen.ran.out);
        assert_eq!(all["tests"][0]["Parameters"]["api"], "DUMMY");
    }),
    works("-O summaryFormat", "-a DUMMY -w {csv}", |seen| {
        assert!(seen.ran.out.starts_with("access,bw(MiB/s),"), "{}", seen.ran.out);
    }),
    works("-O summaryAlways", "-a DUMMY -w -v {1}", |seen| {
        let tables = seen.ran.out.lines().filter(|line| line.starts_with("Operation ")).count();
        assert_eq!(tables, 2, "one table after the test, one at the end: {}", seen.ran.out);
    }),
    works("-O saveRankPerformanceDetailsCSV", "-a DUMMY -w {ranks}", |seen| {
        let text = String::from_utf8(seen.bytes("ranks")).unwrap();
        assert!(text.starts_with("access,rank,runtime-with-openclose,"), "{text}");
        assert_eq!(text.lines().filter(|line| line.starts_with("write,")).count(), 2, "{text}");
    }),
    works("-O savePerOpDataCSV", "-a DUMMY -w -b 64k -t 16k {ops}", |seen| {
        assert_eq!(String::from_utf8(seen.bytes("ops-0-00001.csv")).unwrap().lines().count(), 5);
    }),
    fails("-O allocateBufferOnGPU", "-w -o f {1}", 2, |seen| seen.err("this program does not support CUDA")),
    works("-O allocateBufferOnGPU", "-a DUMMY -w {0}", |seen| seen.out("memoryBuffer        : CPU\n")),
    fails("-O GPUid", "-w -o f {3}", 2, |seen| seen.err("this program does not support CUDA")),
    works("-O debug", "-a DUMMY -w {x}", |seen| seen.err("note: debug=x is accepted and has no effect")),
    works("-O platform", "-a DUMMY -w {x}", |seen| {
        seen.err("note: platform=x is accepted and has no effect")
    }),
    calls("--randomPrefill", "-w -z -F -b 64k -t 4k -o f {32k}", |seen| {
        assert_eq!(seen.called(&["pwrite64(", ", 32768, "]), 4);
    }),
    calls("--random-offset-seed", "-w -F -z --random-order=ior -b 128 -t 32 -o f {7}", shuffled_by_ior),
    calls("--random-order", "-w -F -z --random-offset-seed=7 -b 128 -t 32 -o f {ior}", shuffled_by_ior),
    works("--record", "-a DUMMY -w {r}", |seen| {
        assert!(String::from_utf8(seen.bytes("r")).unwrap().contains("\"record\":\"end\""));
    }),
    works("--live", "-a DUMMY -w {l}", |seen| {
        assert!(String::from_utf8(seen.bytes("l")).unwrap().contains("\"phase\":\"write\""));
    }),
    works("--progress", "-a DUMMY -w -b 2m -t 4k --rate 512/s {p}", |seen| {
        let text = String::from_utf8(seen.bytes("p")).unwrap();
        assert!(text.len() == 1024 && text.contains("\"phase\":\"write\""), "{text}");
    }),
    works("--compat", "-a DUMMY -w {3.3}", |seen| assert!(seen.ran.out.starts_with("IOR-3.3"))),
    works("--iodepth", "-a URING -w -b 64k -t 4k -o f {8}", |seen| {
        assert_eq!(seen.number("write", "depth"), 8.0);
    }),
    fails("--iodepth", "-a POSIX -w -o f {8}", 2, |seen| seen.err("Use -a URING or AIO")),
    works("--rwmix", "-w -b 400k -t 4k -o f {70}", |seen| {
        assert_eq!(seen.phases(), ["write", "mixed_write", "mixed_read"]);
        assert_eq!((seen.number("mixed_read", "ops"), seen.number("mixed_write", "ops")), (140.0, 60.0));
    }),
    works("--rate", "-a DUMMY -w -b 64k -t 4k {800/s}", |seen| {
        assert_eq!(seen.number("write", "rate_limit"), 800.0);
    }),
    works("--ramp", "-a DUMMY -w -b 2m -t 4k --rate 512/s {1}", |seen| {
        assert!(seen.number("write", "ops") < 1024.0, "transfers of the first second are excluded");
    }),
    works("--generation", "-w -k -l s -G 7 -b 64k -t 64k -o f {3}", |seen| {
        assert_eq!((seen.word("f", 1), seen.word("f", 4)), (7, 3), "signature and generation in the stamp");
    }),
    works("--data-key", "-w -R -k -l s -G 7 -b 64k -t 64k -o f {secret}", |seen| {
        assert_eq!(seen.word("f", 0), u64::from_le_bytes(*b"assaypk\x02"), "the layout of keyed data");
        seen.record_has("write", "data_key.sha256");
    }),
    fails("--data-key", "-w -o f {secret}", 2, |seen| seen.err("only stamped data is keyed")),
    fails("--data-key", "-w -l s -o f {old}", 2, |seen| seen.err("chmod 600")),
    works("--data-of", "-w -R -k -l s -G 7 -b 64k -t 64k -o f {part-1}", |seen| {
        // The number of the file as the page about stamped data defines it.
        assert_eq!(seen.word("f", 2), 0x595b_e54f_85ba_c1fb);
        assert_eq!(seen.number("read_check", "check.bytes"), 131_072.0);
    }),
    works("--nonce", "-w -R -k -l s -G 7 -b 64k -t 64k -o f {lot-7}", |seen| {
        assert_eq!(seen.word("f", 0), u64::from_le_bytes(*b"assaypk\x02"), "the layout of keyed data");
        seen.record_has("write", "data_key.nonce");
    }),
];

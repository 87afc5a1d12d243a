//! The rows of options with a value.

use super::Left as _;
use crate::common::options::{Row, calls, fails, follows, works};

pub(super) const ROWS: &[Row] = &[
    works("-a", "-C -n 2 {DUMMY}", |seen| {
        assert!(!seen.dir.join("out").exists());
        assert_eq!(seen.phase("file_creation")["backend"], "dummy");
    }),
    fails("-a", "-n 2 {MPIIO}", 2, |seen| seen.err("Backend doesn't support MDTest")),
    works("-b", "-C -F -z 1 -I 1 {2}", |seen| assert_eq!(seen.items(), (6, 0))),
    works("-d", "-C -F -n 1 {here}", |seen| {
        assert!(seen.dir.join("here/test-dir.0-0/mdtest_tree.0").is_dir())
    }),
    works("-d", "-C -F -n 1 -u {a@b}", |seen| {
        assert!(seen.dir.join("a/test-dir.0-0/mdtest_tree.0.0/file.mdtest.0.0").is_file());
        assert!(seen.dir.join("b/test-dir.0-0/mdtest_tree.1.0/file.mdtest.1.0").is_file());
    }),
    works("-B", "-n 1 {1}", |seen| seen.err("-B has no effect")),
    follows("-e", "-C -F -n 1 -w 64", "-E -F -n 1 {64}", |seen| {
        assert_eq!(seen.phase("file_read")["bytes"], 128);
        seen.no_out("Read bytes is 0");
    }),
    works("-f", "-F -n 1 -l 2 {2}", |seen| {
        seen.out("\n2 tasks, 2 files\n");
        seen.no_out("\n1 tasks");
    }),
    works("-G", "-C -F -n 1 -w 16 {7}", |seen| {
        let file = "out/test-dir.0-0/mdtest_tree.0/file.mdtest.1.0";
        assert_eq!((seen.word(file, 0), seen.word(file, 1)), (1 << 32 | 7, 1 << 32 | 8));
    }),
    works("-i", "-n 1 {3}", |seen| {
        seen.out("(of 3 iterations)");
        assert_eq!(seen.phases().iter().filter(|phase| **phase == "file_stat").count(), 3);
    }),
    works("-I", "-C -F {2}", |seen| assert_eq!(seen.items(), (4, 0))),
    works("-l", "-F -n 1 {1}", |seen| {
        seen.out("\n1 tasks, 1 files\n");
        assert_eq!(seen.phase("file_stat")["ranks"], 1);
    }),
    works("-n", "-C -F {3}", |seen| assert_eq!(seen.items(), (6, 0))),
    calls("-N", "-F -n 1 -u {1}", |seen| {
        seen.out("V-0: Rank   0 Line  2594 Shifting ranks by 1 for each phase.\n");
        assert_eq!(seen.called(&["open", "mdtest_tree.1.0/file.mdtest.0.0", "O_CREAT"]), 1, "{}", seen.trace);
    }),
    works("-p", "-F -n 1 -v {1}", |seen| seen.out("\ndelaying 1 seconds . . .\n")),
    works("--random-seed", "-F -n 20 {9}", |seen| seen.out("\nrandom seed: 9\n")),
    works("-s", "-F -n 1 -f 1 -l 2 {2}", |seen| {
        seen.out("\n1 tasks, 1 files\n");
        seen.no_out("\n2 tasks");
    }),
    works("-V", "-n 1 {1}", |seen| seen.out("V-1: Rank   0 Line  2442 api ")),
    works("-w", "-C -F -n 1 {100}", |seen| {
        assert_eq!(seen.bytes("out/test-dir.0-0/mdtest_tree.0/file.mdtest.0.0").len(), 100);
    }),
    works("-W", "-a DUMMY -C -F -n 1g {1}", |seen| {
        assert!(seen.phase("file_creation")["stonewall"]["transfers_max"].as_u64() < Some(1 << 30));
        seen.out("\nContinue stonewall hit min: ");
    }),
    follows("-W", "-C -F -n 1", "-T -F -n 1 {9}", |seen| seen.err("note: -W has no effect without -C")),
    works("-x", "-a DUMMY -C -F -n 1g -W 1 {st}", |seen| {
        let kept: u64 = String::from_utf8(seen.bytes("st")).unwrap().parse().unwrap();
        assert_eq!(seen.phase("file_creation")["stonewall"]["transfers_max"], kept);
    }),
    works("-z", "-C -F -I 1 {2}", |seen| {
        let deepest = "mdtest_tree.0/mdtest_tree.1/mdtest_tree.2/file.mdtest.0.2".to_owned();
        assert!(seen.tree().contains(&deepest), "{:?}", seen.tree());
    }),
    works("--dataPacketType", "-C -F -n 2 -w 8192 -G 3 {offset}", |seen| {
        let file = "out/test-dir.0-0/mdtest_tree.0/file.mdtest.0.1";
        assert_eq!((seen.word(file, 0), seen.word(file, 1), seen.word(file, 512)), (1, 4, 2));
    }),
    works("--data-key", "-C -F -n 2 -w 8192 -G 3 --dataPacketType s {secret}", |seen| {
        let file = "out/test-dir.0-0/mdtest_tree.0/file.mdtest.0.1";
        assert_eq!(seen.word(file, 0), u64::from_le_bytes(*b"assaypk\x02"), "the layout of keyed data");
        seen.record_has("file_creation", "data_key.sha256");
    }),
    works("--data-of", "-C -E -F -n 2 -w 8192 -e 8192 -X -G 3 --dataPacketType s {part-1}", |seen| {
        assert!(seen.number("file_read", "check.bytes") > 0.0);
        assert_eq!(seen.number("file_read", "check.bad_transfers"), 0.0);
    }),
    works("--nonce", "-C -F -n 2 -w 8192 -G 3 --dataPacketType s {lot-7}", |seen| {
        seen.record_has("file_creation", "data_key.nonce");
    }),
    works("--run-cmd-before-phase", "-C -F -n 1 {date>>before}", |seen| {
        assert_eq!(String::from_utf8(seen.bytes("before")).unwrap().lines().count(), 2, "for one phase");
    }),
    works("--run-cmd-after-phase", "-C -F -n 1 {date>>after}", |seen| {
        assert_eq!(String::from_utf8(seen.bytes("after")).unwrap().lines().count(), 2, "for one phase");
    }),
    works("--saveRankPerformanceDetails", "-n 2 {r.csv}", |seen| {
        let text = String::from_utf8(seen.bytes("r.csv")).unwrap();
        assert!(text.starts_with("rank,items,rate-Directory creation,time-Directory creation,"), "{text}");
        assert_eq!(text.lines().count(), 4, "{text}");
    }),
    works("--savePerOpDataCSV", "-n 2 -i 2 {op}", |seen| {
        let text = String::from_utf8(seen.bytes("op-File creation-00001.csv")).unwrap();
        assert!(text.starts_with("time,runtime,tp\n") && text.lines().count() == 3, "{text}");
        assert_eq!(String::from_utf8(seen.bytes("op.0-File creation-00001.csv")).unwrap().lines().count(), 3);
    }),
    fails("--allocateBufferOnGPU", "-n 2 {1}", 2, |seen| seen.err("this program does not support CUDA")),
    works("--allocateBufferOnGPU", "-n 2 {0}", |seen| seen.out("SUMMARY")),
    fails("--GPUid", "-n 2 {3}", 2, |seen| seen.err("this program does not support CUDA")),
    works("--GPUid", "-n 2 {-1}", |seen| seen.out("SUMMARY")),
    works("--operations", "-F -n 2 {list,statx}", |seen| {
        assert!(seen.phases().contains(&"directory_listing") && seen.phases().contains(&"file_statx"));
        seen.out("\n   Directory listing ");
    }),
    fails("--operations", "-F -n 2 {lisst}", 2, |seen| {
        seen.err("unknown operation lisst. Known operations: ")
    }),
    works("--preload", "-F -n 2 {3}", |seen| {
        seen.out("\nassay: preloaded 1 directories with 3 files each, counted, in ");
        assert!(!seen.dir.join("out").exists(), "the directory is removed at the end");
    }),
    works("--record", "-n 2 {kept}", |seen| {
        let text = String::from_utf8(seen.bytes("kept")).unwrap();
        assert!(
            text.starts_with("{\"record\":\"run\"") && text.contains("\"workload\":\"mdtest\""),
            "{text}"
        );
    }),
    works("--progress", "-p 1 -n 2 {p}", |seen| {
        let text = String::from_utf8(seen.bytes("p")).unwrap();
        let last_phase = text.contains("\"phase\":\"") && text.contains("\"ranks\":2,");
        assert!(text.len() == 1024 && last_phase, "{text}");
    }),
    works("--compat", "-n 2 {3.3}", |seen| {
        seen.out("\nmdtest-3.3.0 was launched with ");
        seen.no_out("rename");
    }),
    works("--compat", "-C -n 2 {1.9}", |seen| {
        assert!(
            seen.dir.join("#test-dir.0-0/mdtest_tree.0").is_dir(),
            "the directory of the run: {:#?}",
            seen.ran
        );
    }),
];

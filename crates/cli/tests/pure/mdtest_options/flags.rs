//! The rows of flags, and of options of mdtest 1.9.

use std::os::unix::fs::PermissionsExt;

use super::Left as _;
use crate::common::options::{Row, calls, fails, follows, works};

pub(super) const ROWS: &[Row] = &[
    works("-C", "-n 2 {}", |seen| {
        assert_eq!(
            seen.phases(),
            ["tree_creation", "directory_creation", "file_creation"],
            "no other files: {:#?}",
            seen.ran
        );
        assert_eq!(seen.items(), (4, 4));
    }),
    follows("-T", "-C -F -n 2", "-F -n 2 {}", |seen| assert_eq!(seen.phases(), ["file_stat"])),
    follows("-E", "-C -F -n 2", "-F -n 2 {}", |seen| assert_eq!(seen.phases(), ["file_read"])),
    follows("-r", "-C -F -n 2", "-F -n 2 {}", |seen| {
        assert_eq!(seen.phases(), ["file_removal", "tree_removal"]);
        assert!(!seen.dir.join("out/test-dir.0-0").exists());
    }),
    follows("-U", "-C -D -n 3", "-D -n 3 {}", |seen| {
        assert_eq!(seen.phases(), ["directory_rename"]);
        assert_eq!(seen.items(), (0, 6), "the files are the same as before");
    }),
    works("-D", "-C -n 2 {}", |seen| assert_eq!(seen.items(), (0, 4))),
    works("-F", "-C -n 2 {}", |seen| assert_eq!(seen.items(), (4, 0))),
    fails("-g", "-n 2 {}", 2, |seen| seen.err("lfs setdirstripe")),
    works("-g", "-n 2 {0}", |seen| seen.out("SUMMARY")),
    fails("-h", "{}", 0, |seen| assert!(seen.ran.out.starts_with("Synopsis mdtest\n"))),
    fails("--version", "{}", 0, |seen| assert!(seen.ran.out.starts_with("mdtest-4.1.0+dev (assay "))),
    calls("-k", "-C -F -n 2 {}", |seen| {
        assert_eq!(seen.called(&["mknod", "file.mdtest", "S_IFREG|0400"]), 4, "{}", seen.trace);
        assert_eq!(seen.called(&["open", "file.mdtest"]), 0);
        let file = seen.dir.join("out/test-dir.0-0/mdtest_tree.0/file.mdtest.1.1");
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o7777, 0o400);
        seen.err("assay: note: -k creates files with mknod, as mdtest does since IOR 3.3.");
    }),
    works("-L", "-C -F -z 1 -b 2 -I 1 {}", |seen| {
        let root = "mdtest_tree.0/file.mdtest.0.0".to_owned();
        assert_eq!(seen.items(), (4, 0));
        assert!(!seen.tree().contains(&root), "only in the leaves");
    }),
    works("-P", "-n 2 -Z {}", |seen| {
        seen.out("SUMMARY rate (in ops/sec)");
        seen.out("SUMMARY time (in seconds)");
    }),
    works("--print-all-procs", "-n 2 -F {}", |seen| seen.out("\nPer process result (rate):\niteration: 0\n")),
    works("-R", "-n 20 -F {}", |seen| seen.out("\nrandom seed: ")),
    works("-S", "-C -n 2 {}", |seen| {
        let shared =
            ["mdtest_tree.0", "mdtest_tree.0/file.mdtest.shared.0", "mdtest_tree.0/file.mdtest.shared.1"];
        assert_eq!(seen.tree(), shared);
        seen.out("2 tasks, 1 file\n");
    }),
    calls("-c", "-C -F -n 1 {}", |seen| {
        assert_eq!(seen.called(&["open", "file.mdtest", "O_CREAT"]), 2, "{}", seen.trace);
        assert_eq!(
            seen.called(&["open", "file.mdtest", "O_WRONLY"]),
            2,
            "then each rank opens its own files: {}",
            seen.trace
        );
    }),
    works("-t", "-u -v -n 2 {}", |seen| seen.out("time_unique_dir_overhead: True\n")),
    works("-t", "-n 2 {}", |seen| seen.err("-t has no effect without -u")),
    works("-u", "-C -F -n 1 {}", |seen| {
        for name in ["mdtest_tree.0.0/file.mdtest.0.0", "mdtest_tree.1.0/file.mdtest.1.0"] {
            assert!(seen.tree().contains(&name.to_owned()), "{:?}", seen.tree());
        }
    }),
    works("-v", "-n 2 {}", |seen| seen.out("V-1: Rank   0 Line  2063 main: * iteration 1 *\n")),
    works("-v", "-n 2 {2}", |seen| seen.out("V-2: Rank   0 Line  1995 Making directory ")),
    Row {
        before: "-C -F -n 2 -w 64 -G 5",
        ..fails("-X", "-E -F -n 2 -e 64 -G 6 {}", 4, |seen| {
            seen.out(
                "\nERROR: verifying the data on read (4 errors)! Take the performance values with care!\n\n",
            );
            assert_eq!(seen.phase("file_read")["check"]["bad_transfers"], 4);
        })
    },
    Row {
        before: "-C -F -n 2 -w 64 -G 5",
        ..works("-X", "-E -F -n 2 -e 64 -G 5 {}", |seen| {
            assert_eq!(seen.phase("file_read")["check"]["bad_transfers"], 0);
        })
    },
    works("--verify-write", "-C -F -n 2 -w 64 {}", |seen| {
        assert_eq!(seen.phase("file_creation")["check"]["bad_transfers"], 0);
        assert_eq!(seen.phase("file_creation")["check"]["bytes"], 256);
    }),
    fails("--verify-write", "-F -n 2 {}", 2, |seen| seen.err("--verify-write requires that files are")),
    fails("--verify-write", "-a DUMMY -F -n 2 -w 64 {}", 2, |seen| seen.err("DUMMY keeps no data")),
    works("-y", "-n 2 {}", |seen| seen.err("assay: note: -y has no effect: no file is ")),
    calls("-y", "-C -F -n 2 -w 64 {}", |seen| assert_eq!(seen.called(&["fsync(", "file.mdtest"]), 4)),
    calls("-Y", "-C -F -n 2 {}", |seen| {
        assert!(seen.called(&[" sync("]) == 2, "one sync per rank after the phase: {}", seen.trace);
    }),
    works("-Z", "-n 2 {}", |seen| {
        seen.out("SUMMARY time (in seconds)");
        seen.no_out("SUMMARY rate");
    }),
    Row {
        before: "-C -F -n 1",
        ..fails("--warningAsErrors", "-r -F -n 1 -x missing {}", 4, |seen| {
            seen.err("mdtest: --warningAsErrors: rank 0 ");
            seen.err("Could not read stonewall status file");
            seen.no_out("-- finished at");
        })
    },
    works("--showRankStatistics", "-n 2 -F {}", |seen| seen.out("   Operation     per Rank: Max ")),
    fails("--gpuDirect", "-n 2 {}", 2, |seen| seen.err("this program does not support CUDA")),
    works("--gpuDirect", "-n 2 {0}", |seen| seen.out("SUMMARY")),
    fails("--continue", "-T -F -n 2 {}", 4, |seen| {
        seen.out("assay: st-file, iteration 0: 4 of 4 operations failed: 4 No such file or directory\n");
        seen.out("-- finished at");
    }),
    works("--dryRun", "-n 2 {}", |seen| {
        assert!(seen.ran.out.starts_with("Dry run: nothing is opened, made or removed.\n"));
        let names: Vec<_> = seen.dir.read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["secret"], "the key of the rows, and nothing else");
    }),
    fails("-A", "-n 2 {key}", 2, |seen| seen.err("object stores")),
    works("-M", "-C -F -n 1 {}", |seen| {
        seen.err("is now -u");
        assert!(seen.tree().contains(&"mdtest_tree.1.0".to_owned()), "{:?}", seen.tree());
    }),
];

//! Command lines of the classic programs, as their users and their own two test scripts write them: flags
//! joined in one word, values behind `=`, files that one run leaves for the next. Each succeeds, under each
//! MPI, and in the order of the scripts.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{Mpi, Ran, mpis, run};

/// The ranks and the arguments of one command line.
type Line = (u32, &'static str);

/// Runs `PROGRAM LINE` in `dir`; `None` without this MPI.
fn started(mpi: Mpi, dir: &Path, ranks: u32, words: &str) -> Option<Ran> {
    mpi.command(dir, ranks, words).map(|mut command| run(&mut command))
}

/// Runs each command line in turn, in `dir`, with `between` before each. Gives their outputs, which are fewer
/// without this MPI. The scripts search the output of md-workbench for `!!!`, too.
fn outputs(mpi: Mpi, dir: &Path, program: &str, lines: &[Line], between: fn(&Path)) -> Vec<String> {
    let mut texts = Vec::new();
    for (ranks, words) in lines {
        between(dir);
        let Some(ran) = started(mpi, dir, *ranks, &format!("{program} {words}")) else { break };
        assert_eq!(ran.status, Some(0), "{mpi:?}: {program} {words}: {ran:#?}");
        assert!(!ran.out.contains("!!!"), "{mpi:?}: {program} {words}: {ran:#?}");
        texts.push(ran.out);
    }
    texts
}

/// Runs each command line in turn, in one directory of each MPI.
fn all_succeed(program: &str, lines: &[Line], between: fn(&Path)) {
    for &mpi in mpis() {
        let dir = tempfile::tempdir().unwrap();
        outputs(mpi, dir.path(), program, lines, between);
    }
}

/// The scripts remove the directory of mdtest before each run of it.
fn without_tree(dir: &Path) {
    let _ = fs::remove_dir_all(dir.join("d"));
}

/// They remove that of md-workbench, too, also between its phases.
fn without_sets(dir: &Path) {
    let _ = fs::remove_dir_all(dir.join("w"));
}

#[test]
fn files_of_one_ior_run_are_read_by_the_next_in_another_order() {
    all_succeed(
        "ior",
        &[
            (2, "-a POSIX -w -C -k -e -i1 -m -t 100k -b 200k -o f"),
            (2, "-a POSIX -r -k -e -i1 -m -t 100k -b 200k -s 10 -z -z -o f"),
            (1, "-a POSIX -w -z -F -Y -e -i1 -m -t 100k -b 2000k -o f"),
            (1, "-a POSIX -w -z -F -k -e -i2 -m -t 100k -b 200k -o f"),
            (1, "-a MMAP -r -z -F -k -e -i1 -m -t 100k -b 200k -o f"),
            (2, "-a POSIX -w -C -k -e -i1 -m -t 100k -b 200k -o f"),
            (2, "-a POSIX -r -k -e -i1 -m -t 100k -b 200k -s 10 -z -z -o f"),
            (2, "-a POSIX -w -z -C -F -k -e -i1 -m -t 100k -b 200k -o f"),
            (2, "-a POSIX -w -z -C -Q 1 -F -k -e -i1 -m -t 100k -b 200k -o f"),
            (2, "-a POSIX -r -z -Z -Q 2 -F -k -e -i1 -m -t 100k -b 200k -o f"),
            (2, "-a POSIX -r -z -Z -Q 3 -X 13 -F -k -e -i1 -m -t 100k -b 200k -o f"),
            (3, "-a POSIX -w -z -Z -Q 1 -X -13 -F -e -i1 -m -t 100k -b 200k -o f"),
        ],
        |_| (),
    );
}

#[test]
fn a_shared_file_is_written_and_read_with_joined_and_random_options() {
    all_succeed(
        "ior",
        &[
            (2, "-a POSIX -w -z -Y -e -i1 -m -t 100k -b 200k -o f"),
            (2, "-a POSIX -w -k -e -i1 -m -t 100k -b 200k -o f"),
            (2, "-a POSIX -r -z-k -e -i1 -m -t 100k -b 200k -o f"),
            (2, "-a POSIX -w -z -k -e -i1 -m -t 100k -b 200k -o f"),
            (2, "-a POSIX -w -z -k -e -i1 -m -t 100k -b 200k -o f"),
            (2, "-a POSIX -w -Z -i1 -m -t 100k -b 100k -d 0.1 -o f"),
            (2, "-a POSIX -wCkem -i1 -t 100k -b 200k -o f"),
        ],
        |_| (),
    );
}

/// A script with comments and blanks before them, options of a backend, and options after the first test.
const WITH_COMMENTS: &str = "# A comment before the first line.\n\
    ior start\n\
    \tapi=POSIX\n  writeFile =1\nrandomOffset=1\n\t  reorderTasks=1\nfilePerProc=1\n keepFile=1\nfsync=1\n\
    repetitions=1\n\t# another comment, behind a tab\nmultiFile=1\ntransferSize=10k\nblockSize=20k\n  \
    # and one behind blanks\nRUN\n\
    --dummy.delay-create=1000\nuseO_DIRECT=0\n#--posix.odirect=1\napi=DUMMY\n   IOR stop\n";

#[test]
fn a_script_with_comments_and_blanks_runs_both_of_its_tests() {
    for &mpi in mpis() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("comments.ior"), WITH_COMMENTS).unwrap();
        let lines = [(2, "-f comments.ior -o f")];
        let Some(text) = outputs(mpi, dir.path(), "ior", &lines, |_| ()).pop() else { continue };
        let apis: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("api  ")).collect();
        let apis: Vec<&str> = apis.iter().map(|line| line.rsplit(": ").next().unwrap()).collect();
        assert_eq!(apis, ["POSIX", "DUMMY"], "{mpi:?}: {text}");
        assert_eq!(text.matches("\nordering in a file  : random\n").count(), 2, "{mpi:?}: {text}");
        let size = |name: &str| fs::metadata(dir.path().join(name)).map(|file| file.len()).ok();
        assert_eq!(["f.00000000.0", "f.00000001.0"].map(size), [Some(20_480); 2], "{mpi:?}: {text}");
    }
}

#[test]
fn a_summary_file_is_valid_json_with_the_reference_number() {
    for &mpi in mpis() {
        let dir = tempfile::tempdir().unwrap();
        let words = "-a DUMMY -e -F -t 1m -b 1m -A 328883 -O summaryFormat=JSON -O summaryFile=OUT.json -o f";
        if outputs(mpi, dir.path(), "ior", &[(2, words)], |_| ()).is_empty() {
            continue;
        }
        let text = fs::read_to_string(dir.path().join("OUT.json")).unwrap();
        let summary: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        let test = &summary["tests"][0];
        assert_eq!(test["Parameters"]["refnum"], 328_883, "{mpi:?}: {text}");
        let accesses: Vec<&Value> =
            test["Results"].as_array().unwrap().iter().map(|row| &row["access"]).collect();
        assert_eq!(accesses, ["write", "read"], "{mpi:?}: {text}");
    }
}

#[test]
fn a_script_runs_with_one_rank_on_each_of_the_simulated_nodes() {
    let script = "IOR START\nreorderTasksConstant=1\nrepetitions=1\nsegmentCount=1\nverbose=0\nfsync=0\n\
        checkWrite=1\nblockSize=16\nsetTimeStampSignature=1234567\ncheckRead=0\nreadFile=1\nfilePerProc=0\n\
        writeFile=1\ntransferSize=16\nintraTestBarriers=0\n\nRUN\nIOR STOP\n";
    for &mpi in mpis() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("nodes.conf"), script).unwrap();
        let Some(mut command) = mpi.command(dir.path(), 2, "ior -a POSIX -f nodes.conf -o f") else {
            continue;
        };
        let ran = run(command.env("IOR_FAKE_TASK_PER_NODES", "1"));
        let note = "assay: note: IOR_FAKE_TASK_PER_NODES=1 in the environment replaces the detected number";
        assert!(ran.err.lines().any(|line| line == note), "{mpi:?}: {ran:#?}");
        let text = ran.ok();
        for line in ["clients per node    : 1", "task offset         : 1"] {
            assert!(text.lines().any(|other| other == line), "{mpi:?}: {line}: {text}");
        }
        assert_eq!(text.lines().filter(|line| line.starts_with("read  ")).count(), 2, "{mpi:?}: {text}");
    }
}

#[test]
fn a_status_file_of_a_deadline_limits_later_runs() {
    all_succeed(
        "ior",
        &[
            (
                2,
                "-a DUMMY -w -O stoneWallingStatusFile=s -O stoneWallingWearOut=1 -D 1 -t 1000 -b 1000 \
                 -s 15 -k -o f",
            ),
            (2, "-a DUMMY -r -O stoneWallingStatusFile=s -D 1 -t 1000 -b 1000 -s 30 -k -o f"),
            (2, "-a DUMMY -r -O stoneWallingStatusFile=s -t 1000 -b 1000 -s 30 -k -o f"),
            (2, "-a DUMMY -w -O stoneWallingStatusFile=s,stoneWallingWearOut=1 -D 1 -t 1k -b 1k -s 15 -k"),
        ],
        |_| (),
    );
    all_succeed(
        "mdtest",
        &[
            (2, "-I 20 -a DUMMY -W 1 -x s -C -d d -V=4"),
            (2, "-I 20 -a DUMMY -x s -T -v -d d -V=4"),
            (2, "-I 20 -a DUMMY -x s -D -v -d d -V=4"),
        ],
        without_tree,
    );
}

#[test]
fn trees_and_numbers_of_ranks_of_mdtest_are_taken() {
    all_succeed(
        "mdtest",
        &[
            (1, "-a POSIX -d d -V=4"),
            (2, "-a POSIX -W 2 -d d -V=4"),
            (1, "-C -T -r -F -I 1 -z 1 -b 1 -L -u -d d -V=4"),
            (1, "-C -T -I 1 -z 1 -b 1 -u -d d -V=4"),
            (2, "-n 1 -f 1 -l 2 -d d -V=4"),
        ],
        without_tree,
    );
    all_succeed(
        "mdtest",
        &[(1, "-CT -I 1 -z 1 -b 1 -u -d e -V=4"), (1, "-r -I 1 -z 1 -b 1 -u -d e")],
        |_| (),
    );
}

#[test]
fn the_phases_of_md_workbench_run_together_or_one_by_one() {
    let one_by_one: [Line; 3] = [
        (2, "-a POSIX -D=1 -P=2 -I=2 -R=2 -X -G=2252 -S 772 --dataPacketType=i -1 -o w"),
        (2, "-a POSIX -D=1 -P=2 -I=2 -R=2 -X -G=2252 -S 772 --dataPacketType=i -2 -o w"),
        (2, "-a POSIX -D=1 -P=2 -I=2 -R=2 -X -G=2252 -S 772 --dataPacketType=i -3 -o w"),
    ];
    all_succeed(
        "md-workbench",
        &[
            (3, "-a POSIX -O=1 -D=1 -G=10 -P=1 -I=1 -R=2 -X -o w"),
            (3, "-a POSIX -O=1 -D=4 -G=10 -P=4 -I=1 -R=2 -X -t=0.001 -L=latency.txt -o w"),
            (3, "-a POSIX -O=1 -D=2 -G=10 -P=4 -I=3 -R=2 -X -W -w 1 -o w"),
            (2, "-a POSIX -O=1 -D=1 -G=3 -P=2 -I=2 -R=2 -X -S 772 --dataPacketType=t -o w"),
        ],
        without_sets,
    );
    all_succeed("md-workbench", &one_by_one, |_| ());
}

#[test]
fn phases_of_md_workbench_whose_objects_were_removed_report_each_of_them_and_succeed() {
    const LINE: &str = "-a POSIX -O=1 -D=2 -G=10 -P=4 -I=3";
    const REST: &str = "-W -w 1 --run-info-file=mdw.tst --print-detailed-stats -o w";
    for &mpi in mpis() {
        let dir = tempfile::tempdir().unwrap();
        let steps = ["-1", "-2", "-2 -W -w 1 --read-only", "-2 -W -w 1 --read-only", "-3"];
        for step in steps {
            without_sets(dir.path());
            let words = format!("md-workbench {LINE} {step} {REST}");
            let Some(ran) = started(mpi, dir.path(), 3, &words) else { break };
            assert_eq!(ran.status, Some(0), "{mpi:?}: {words}: {ran:#?}");
            assert!(!ran.out.contains("!!!"), "{mpi:?}: {words}: {ran:#?}");
            let missing = ran.out.matches("benchmark err\t0\t0\t0\t0\t18\t0\n").count();
            let named = ran.out.matches(": 18 of 18 objects do not exist, such as rank ").count();
            let wanted = if step.starts_with("-2") { (3, 3) } else { (0, 0) };
            assert_eq!((missing, named), wanted, "{mpi:?}: {words}: {ran:#?}");
        }
    }
}

#[test]
fn the_phases_of_md_workbench_continue_where_the_last_one_ended() {
    all_succeed(
        "md-workbench",
        &[
            (
                3,
                "-a POSIX -O=1 -D=2 -G=10 -P=4 -I=3 -1 -W -w 1 --run-info-file=i --print-detailed-stats -o w",
            ),
            (
                3,
                "-a POSIX -O=1 -D=2 -G=10 -P=4 -I=3 -2 -W -w 1 --run-info-file=i --print-detailed-stats -o w",
            ),
            (3, "-a POSIX -O=1 -D=2 -G=10 -P=4 -I=3 -2 -W -w 1 --read-only --run-info-file=i -o w"),
            (3, "-a POSIX -O=1 -D=2 -G=10 -P=4 -I=3 -3 -W -w 1 --run-info-file=i -o w"),
        ],
        |_| (),
    );
}

#[test]
fn a_failed_rank_of_md_workbench_ends_all_with_one_line() {
    for &mpi in mpis() {
        let dir = tempfile::tempdir().unwrap();
        let Some(ran) = started(mpi, dir.path(), 3, "md-workbench -1 -P 3 -D 2") else { continue };
        assert_eq!(ran.status, Some(0), "{mpi:?}: {ran:#?}");
        let file = dir.path().join("out/1_1/file-0");
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        let ran = started(mpi, dir.path(), 3, "md-workbench -2 -P 3 -D 2 -I 2").unwrap();
        assert!(ran.status.is_some_and(|status| status != 0), "{mpi:?}: {ran:#?}");
        let lines: Vec<&str> = ran.err.lines().filter(|line| line.starts_with("md-workbench: ")).collect();
        assert_eq!(lines.len(), 1, "{mpi:?}: {ran:#?}");
        assert!(lines[0].contains("out/1_1/file-0: read: Is a directory"), "{mpi:?}: {ran:#?}");
    }
}

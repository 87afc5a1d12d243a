//! `assay lint` rejects the command lines that the program rejects, as real processes.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use command::classic::{ClassicOption, OptionKind};
use command::{IorOption, MdWorkbenchOption, MdtestOption};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::common::campaign::{Place, names};
use crate::common::{Ran, Running, only_in_all, program, run_for};

/// The longest run of an accepted line. It is then killed.
const ACCEPTED: Duration = Duration::from_secs(60);

/// Parts of rejections for what is not in the directory of the run.
const NOT_THERE: &[&str] = &["no tree of fdtree in", "No such file or directory", "no such tree"];

/// A new directory with the directories that command lines of the tests name. `9MB/s` may be a file.
fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    for name in ["d", "9MB"] {
        std::fs::create_dir(place.path().join(name)).unwrap();
    }
    place
}

/// The sentences of the errors of the linter about this command.
fn found(dir: &Path, command: &[String]) -> Vec<String> {
    let lint = [&["lint".to_owned(), "--json".to_owned(), "--".to_owned()], command].concat();
    let ran = run_for(Command::new(program()).current_dir(dir).args(&lint), ACCEPTED);
    let json: serde_json::Value =
        serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {command:?}: {ran:?}"));
    let findings = json["findings"].as_array().expect("findings").iter();
    let rejected = findings.filter(|finding| finding["reason"]["code"] == "line-rejected");
    let rejected = rejected.inspect(|finding| assert_eq!(finding["severity"], "error"));
    rejected
        .map(|finding| finding["reason"]["data"]["rejected"].as_str().expect("a text").to_owned())
        .collect()
}

/// The run of the command itself, in an empty directory.
fn ran(command: &[String]) -> Ran {
    let place = place();
    let mut process = Command::new(program());
    process.current_dir(place.path()).args(&command[1..]);
    Running::piped(&mut process).end(ACCEPTED)
}

/// The sentence of a rejection: its first paragraph without the program's name and the full stop.
fn sentence(err: &str) -> String {
    let lines: Vec<&str> = err.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
    let text = lines.join(" ");
    let text = text.split_once(": ").map_or(text.as_str(), |(_, text)| text);
    text.trim_end_matches('.').to_owned()
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// Command lines that were once accepted by the linter and rejected by the program.
const REJECTED: &[&str] = &[
    "assay ior -e -w -b 10m -t 3m",
    "assay ior -w -t 12 -b 24",
    "assay ior -r -R",
    "assay ior -W",
    "assay ior --iodepth 4",
    "assay ior -a URING --iodepth 100000 -b 64k -t 64k",
    "assay ior -a URING -b 2g -t 2g",
    "assay ior -a AIO --aio.granularity 0",
    "assay ior -a MMAP --posix.odirect",
    "assay ior -C -Z",
    "assay ior -z -C -b 1m -t 64k",
    "assay ior -u -o a@b",
    "assay ior -o f -O summaryFile=f",
    "assay ior -O stoneWallingWearOut=1",
    "assay ior --rwmix 101",
    "assay ior --nonce n",
    "assay ior -y",
    "assay -n 2 ior -a MPIIO",
    "assay -n 0 ior",
    "assay mdtest -n 45 -I 10",
    "assay -n 2 mdtest -d a@b",
    "assay mdtest -X -E",
    "assay mdtest -n 5 -l 2",
    "assay mdtest -n 5 -u -S",
    "assay -n 2 mdtest -n 5 -k -S",
    "assay mdtest -n 5 -a MPIIO",
    "assay mdtest -n 5 --operations nothing",
    "assay mdtest -n 5 --record r --progress r",
    "assay md-workbench -a NCMPI",
    "assay md-workbench -X -2",
    "assay md-workbench --dataPacketType s",
    "assay md-workbench --record r --run-info-file ./r -1",
    "assay fdtree -l 5000",
    "assay fdtree -R --base tree",
    "assay fdtree -C --base LEVEL0.x",
    "assay flash-io --size 0",
    "assay -n 2 flash-io -f f_",
    "assay flash-io -f f_ --alignment 4096",
    "assay ls-lr --entries 5 d",
    "assay -n 2 ls-lr d e f",
    "assay -n 2 ls-lr -n 2 d",
    "assay ls-lr --make --entries 0 d",
    "assay mpi-io --timeout 0 d",
    "assay mpi-io --only nothing d",
    "assay -n 2 mpi-io --launch mpirun d",
    "assay age d",
    "assay age --blocks 95% d",
    "assay age --blocks 80 d",
];

#[test]
fn each_kind_of_line_that_the_program_rejects_is_an_error_with_the_same_sentence() {
    for line in REJECTED {
        let command = words(line);
        let ran = ran(&command);
        assert_eq!(ran.status, Some(2), "{line}: {ran:?}");
        let found = found(place().path(), &command);
        assert_eq!(found, [sentence(&ran.err)], "{line}");
    }
}

#[test]
fn the_rules_know_the_ranks_of_the_command() {
    let place = place();
    let is_rejected = |command: &str| !found(place.path(), &words(command)).is_empty();
    for command in [
        "mdtest -d a@b -u -n 4",
        "mpirun -n 1 mdtest -d a@b -u -n 4",
        "mpirun -n 4 mdtest -n 4 -l 5",
        "mpirun -n 2 assay -n 2 mdtest -n 4",
        "srun mdtest -n 45 -I 10",
        "mpirun -n 2 ior -w -b 8m -t 3m -o $SCRATCH/f",
    ] {
        assert!(is_rejected(command), "{command}");
    }
    for command in [
        "mpirun -n 2 mdtest -d a@b -u -n 4",
        "mpirun -n 5 mdtest -n 4 -l 5",
        "srun mdtest -d a@b -u -n 4",
        "srun -n ALL mdtest -n 4 -l 5",
        "mpirun -n 2 ior -a MPIIO",
        "ior -w -b $BLOCK -t 3m",
        "ior -w -f script",
        "mdtest -n 4 -h",
        "fdtree -l $LEVELS -o [directory]",
        "ls -lR /tmp",
    ] {
        assert!(!is_rejected(command), "{command}");
    }
}

#[test]
fn what_only_this_machine_lacks_is_no_error_of_the_linter() {
    for line in [
        "assay ior -f no-script",
        "assay ior -l stamped --data-key no-key",
        "assay ior -O savePerOpDataCSV=no/where/x -b 64k -t 64k",
        "assay mdtest -n 1 --dataPacketType=s --data-key no-key",
        "assay fdtree -o no-dir",
        "assay ls-lr no-dir",
        "assay mpi-io no-dir",
        "assay age --blocks 80% --profile no-profile d",
    ] {
        let command = words(line);
        let ran = ran(&command);
        assert_eq!(ran.status, Some(2), "{line}: {ran:?}");
        assert_eq!(found(place().path(), &command), [""; 0], "{line}");
    }
}

#[test]
fn a_rejected_maker_of_a_dataset_is_reported() {
    let lint = |made: &str| {
        let words =
            ["lint", "--dataset", made, "--", "mpirun", "-n", "2", "ior", "-r", "-b", "9m", "-t", "3m"];
        run_for(Command::new(program()).args(words), ACCEPTED)
    };
    let rejected = lint("ior -w -b 10m -t 3m");
    assert_eq!(rejected.status, Some(2), "{rejected:?}");
    assert!(rejected.err.contains("--dataset: the command is rejected: -t 3145728 does not"), "{rejected:?}");
    assert_ne!(lint("ior -w -b 9m -t 3m").status, Some(2));
}

#[test]
fn a_plan_with_a_rejected_line_is_rejected_before_anything_runs() {
    let cases = [
        ("ior", "-w -e -b 10m -t 3m"),
        ("ior", "-w -e -b 64k -t 64k --iodepth 4"),
        ("ior", "-w -e -b 64k -t 64k -O summaryFile=x -O saveRankPerformanceDetailsCSV=./x"),
        ("ior", "-w -e -b 64k -t 64k -a URING --iodepth 100000"),
        ("mdtest", "-C -T -r -n 45 -I 10"),
        ("mdtest", "-n 10 -h"),
        ("md_workbench", "-X --dataPacketType s"),
        ("fdtree", "-l 5000"),
        ("ls_lr", "--make --entries 0"),
        ("ls_lr", "-n 2 --make"),
        ("mpi_io", "--timeout 0"),
    ];
    for (key, line) in cases {
        let place = Place::new();
        place.plan(&format!("[[test]]\nid = \"T\"\nrole = \"reported\"\n{key} = \"{line}\"\n"));
        for command in ["plan check p.toml", "run p.toml --dir dir"] {
            let ran = place.assay(command);
            assert_eq!(ran.status, Some(2), "{key} {line}: {command}: {ran:?}");
            assert!(ran.err.contains(":1: ") || ran.err.contains(": test T: "), "{key} {line}: {ran:?}");
        }
        assert_eq!(names(&place.dir()), [""; 0], "{key} {line}");
    }
}

/// Values that make short runs.
fn values(kind: OptionKind) -> &'static [&'static str] {
    match kind {
        OptionKind::Flag => &["", "", "=0", "=1"],
        OptionKind::Number => &["0", "1", "2", "-1", "x"],
        OptionKind::Size => &["0", "8", "12", "4k", "8k", "1x"],
        OptionKind::Text | OptionKind::Directives => {
            &["f", "g", "a@b", "dummy", "posix", "mmap", "mpiio", "s", "link", "9MB/s", "4.1", "1"]
        }
    }
}

/// The options of a classic program, each with one value, in the long spelling if it has one.
fn options<I: ClassicOption>(without: &'static [I]) -> Vec<String> {
    let rows = I::rows().filter(|row| !without.contains(&row.id));
    let all = rows.flat_map(|row| {
        let long = row.long.map(|long| format!("--{long}"));
        let name = long.or(row.short.map(|letter| format!("-{letter}")));
        let name = name.or(row.directives.first().map(|name| format!("-O{name}"))).expect("a name");
        let glue = if row.kind == OptionKind::Flag { "" } else { "=" };
        values(row.kind).iter().map(move |value| match name.strip_prefix("-O") {
            Some(directive) => format!("-O {directive}={}", value.trim_start_matches('=')),
            None => format!("{name}{glue}{value}"),
        })
    });
    all.collect()
}

/// Random lines of a workload: the beginning of each makes the run small.
fn lines(begin: &'static str, options: Vec<String>) -> impl Strategy<Value = String> {
    let line = vec(select(options), 0..5).prop_map(move |options| format!("{begin} {}", options.join(" ")));
    (select(vec!["", "-n 2 ", "-n 3 "]), line).prop_map(|(local, line)| format!("assay {local}{line}"))
}

/// The linter has an error if and only if the program ends with status 2, and one has the same sentence.
fn agrees(line: &str) -> Result<(), TestCaseError> {
    let command = words(line);
    let (ran, found) = (ran(&command), found(place().path(), &command));
    let is_same = match ran.status {
        Some(2) if found.is_empty() => NOT_THERE.iter().any(|part| ran.err.contains(part)),
        Some(2) => found.contains(&sentence(&ran.err)),
        _ => found.is_empty(),
    };
    prop_assert!(is_same, "{line}: {ran:?}, the linter found {found:?}");
    Ok(())
}

fn agree_on_random_lines(cases: u32, lines: impl Strategy<Value = String>) {
    let cases = if only_in_all("two of three random lines") { cases } else { cases / 3 };
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let ran = proptest::test_runner::TestRunner::new(config).run(&lines, |line| agrees(&line));
    ran.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn the_linter_agrees_with_runs_of_ior_on_random_lines() {
    use IorOption::{DataKey, MemoryPerNode, Script};
    let options = options::<IorOption>(&[DataKey, MemoryPerNode, Script]);
    agree_on_random_lines(150, lines("ior -t 8k -b 16k", options));
}

#[test]
fn the_linter_agrees_with_runs_of_mdtest_on_random_lines() {
    let options = options::<MdtestOption>(&[MdtestOption::DataKey]);
    agree_on_random_lines(100, lines("mdtest -n 4", options));
}

#[test]
fn the_linter_agrees_with_runs_of_md_workbench_on_random_lines() {
    agree_on_random_lines(60, lines("md-workbench -P 4 -I 2 -D 1", options::<MdWorkbenchOption>(&[])));
}

#[test]
fn the_linter_agrees_with_runs_of_the_other_workloads_on_random_lines() {
    let all = |text: &str| text.split(", ").map(str::to_owned).collect();
    let fdtree = "-l 1, -l 0, -l x, -d 2, -f 1, -s 1, -s -1, -C, -R, -D, -v, --base LEVEL0.x, --base tree, \
                  --continue, --dryRun, --record r, --nope, -o d, -h";
    let ls_lr = "--make, --make --entries 5, --entries 0, --walk, --remove, --per-dir 2, --fan-out 0, -i 0, \
                 -n 2, --shift 1, --min-window -1, --min-window=-1, --stat-only, -v, --nope, d, --help";
    agree_on_random_lines(60, lines("fdtree -l 1 -d 1", all(fdtree)));
    agree_on_random_lines(60, lines("ls-lr --make --entries 5 d", all(ls_lr)));
}

//! `assay lint`: commands, and the findings on them.

use crate::common::campaign::names;
use crate::common::{self, Ran, program, run};
use std::process::Command;

/// Runs `assay lint` with these arguments. A quoted argument stays one argument.
fn lint(words: &[&str]) -> Ran {
    run(Command::new(program()).arg("lint").args(words))
}

/// The same, with the options and the command as one text each.
fn of(options: &str, command: &str) -> Ran {
    let mut words: Vec<&str> = options.split_whitespace().collect();
    words.push("--");
    words.extend(command.split_whitespace());
    lint(&words)
}

/// The JSON of `--json`.
fn json(options: &str, command: &str) -> serde_json::Value {
    let ran = of(&format!("{options} --json"), command);
    assert!(ran.err.is_empty(), "{ran:?}");
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

/// Code, severity and place of every finding.
fn found(options: &str, command: &str) -> Vec<(String, String, String)> {
    let json = json(options, command);
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let all = json["findings"].as_array().expect("findings").iter().map(|finding| {
        let place = text(&finding["place"]["word"][1]);
        (text(&finding["reason"]["code"]), text(&finding["severity"]), place)
    });
    all.collect()
}

fn ids(options: &str, command: &str) -> Vec<String> {
    found(options, command).into_iter().map(|(lint, ..)| lint).collect()
}

#[test]
fn a_finding_has_place_reason_and_remedy() {
    let ran = of("--nodes 28 --ppn 8", "mpirun -n 184 --map-by node ./ior -w -e -C -F -t 4k -b 1g");
    assert_eq!(ran.status, Some(3), "{ran:?}");
    assert_eq!(
        ran.out,
        "error: geometry: 28 nodes with 8 ranks each have 224 ranks, but 184 are started. Start 224, or\n\
         \x20 state 23 nodes.\n\
         \x20 why: Ranks, nodes and sizes that contradict each other do not describe a run [Lockwood, IOR\n\
         \x20      results at NERSC (28 nodes × 8 and 184 ranks)]\n\n\
         1 error: correct the command, because an error cannot be waived\n\
         not checked, because not given: memory of a node (--ram), the file system under test (--mount),\n\
         \x20 the purpose (--role)\n"
    );
}

#[test]
fn the_exit_status_depends_on_the_most_severe_finding() {
    for (options, command, status) in [
        ("", "srun ior -w -F -e -b 1g", 0),
        ("", "ior -w -F", 3),
        ("", "ior -w -e -z -t 4k", 3),
        ("--mount /s", "ior -w -F -e -b 1g", 0),
        ("", "srun ./a.out -w", 2),
        ("--role nothing", "ior -w", 2),
        ("--target 3", "ior -w", 2),
        ("--target 30s", "ior -w", 2),
        ("--ram much", "ior -w", 2),
        ("--nodes 0", "ior -w", 2),
        ("--sustained -1", "ior -w", 2),
        ("--dataset mdtest", "ior -r", 2),
    ] {
        let ran = of(options, command);
        assert_eq!(ran.status, Some(status), "{options} -- {command}: {ran:?}");
        assert_eq!(ran.err.is_empty(), status != 2, "{ran:?}");
    }
    assert_eq!(lint(&["--json"]).status, Some(2), "no command is given");
    let bare = lint(&["ior", "-w"]);
    assert!(bare.err.contains("tip: put the command after `--`: assay lint -- ior -w\n"), "{bare:?}");
    assert_eq!(bare.status, Some(2));
    let typo = lint(&["--nods", "3", "--", "ior", "-w"]);
    assert!(typo.err.contains("'--nods'") && typo.err.contains("'--nodes'"), "{typo:?}");
    assert!(!typo.err.contains("put the command"), "the command is already after `--`: {typo:?}");
    let quoted = lint(&["--", "srun -n 4 ior -w -F"]);
    assert_eq!(quoted.status, Some(3), "a quoted command is split: {quoted:?}");
}

#[test]
fn d3_d8_d9_unknown_or_changed_options_are_reported_with_their_place() {
    let sample = "IOR -a POSIX -4 -D 120 -b 14763950080 -E -C -g -k -s 1 -t 4m -F -e";
    let findings = found("--role read", sample);
    let expected =
        |lint: &str, level: &str, place: &str| (lint.to_owned(), level.to_owned(), place.to_owned());
    assert!(findings.contains(&expected("line-rejected", "error", "-4")), "{findings:?}");
    let findings = found("", "mdtest -b 3 -v -z 3 -u -I 900 -k -i 4 -d [test_dir]");
    assert!(findings.contains(&expected("option-drift", "needs-waiver", "-k")), "{findings:?}");
    let cori = "./IOR -w -a MPIIO -c -C -g -b 8m -t 8m -k -H -v -s $((12*1024*1024/8/(960*32))) \
                -o $SCRATCH/IOR_file";
    let findings = found("--nodes 960 --ppn 32", cori);
    assert!(findings.contains(&expected("option-drift", "info", "-H")), "{findings:?}");
    assert_eq!(
        findings.iter().filter(|(lint, ..)| lint == "option-drift").count(),
        1,
        "a shell variable is not a finding"
    );
    let hero = "srun ./ior -w -F -e -g -vv -O lustrestripecount=1 -t 64m -b 64g -D 45 -k \
                -o /global/homes/g/glock/testFile";
    let findings = found("--mount /pscratch --role hero", hero);
    assert_eq!(
        findings,
        [
            expected("path-on-wrong-fs", "error", "-o"),
            expected("option-drift", "info", "lustrestripecount=1")
        ]
    );
}

#[test]
fn options_in_a_file_and_options_of_wrapper_programs_are_not_guessed() {
    let expected = vec![("options-in-file".to_owned(), "needs-waiver".to_owned(), "-f".to_owned())];
    assert_eq!(found("--role read", "ior -f s.ior"), expected);
    let ran = lint(&["--dataset", "ior -f s.ior", "--", "ior", "-r", "-C"]);
    assert_eq!(ran.status, Some(2), "{ran:?}");
    assert!(ran.err.contains("--dataset: -f hides the options"), "{ran:?}");
    assert_eq!(ids("", "mpirun -n 8 numactl -N 0 ior -w -e -b 1g"), [""; 0]);
    assert_eq!(ids("", "mpirun -n 8 singularity exec -H /home/x img ior -r -C -b 1g"), [""; 0]);
    assert_eq!(ids("", "jsrun -n ALL_HOSTS ior -w -e -b 1g"), [""; 0]);
}

#[test]
fn all_wrong_options_are_reported() {
    let findings = found("", "ior -w -e -4 -t 1m --nothing -b 1x stray");
    let slips: Vec<&str> = findings
        .iter()
        .filter(|(lint, ..)| lint == "line-rejected")
        .map(|(.., place)| place.as_str())
        .collect();
    assert_eq!(slips, ["-4", "--nothing", "-b", "stray"]);
}

/// Options, a published command, and all findings on it.
const PUBLISHED: &[(&str, &str, &[&str])] = &[
    (
        "--nodes 960 --ppn 4 --total 24t --role write",
        "./IOR -w -a POSIX -F -C -e -g -k -b 4m -t 4m -s 1638 -o $SCRATCH/IOR_file -v",
        &[],
    ),
    (
        "--nodes 960 --ppn 32 --total 12t --role write",
        "./IOR -w -a MPIIO -c -C -g -b 8m -t 8m -k -H -v -s 51 -o $SCRATCH/IOR_file",
        &["missing-persist", "cb-state-unset", "option-drift"],
    ),
    (
        "--nodes 1120 --ppn 4",
        "./IOR -a MPIIO -g -t 512k -b 8g -o $DW_JOB_STRIPED/IOR_file -v",
        &["missing-persist", "wr-same-launch", "reader-is-writer"],
    ),
    (
        "--nodes 1120 --ppn 4",
        "./IOR -a POSIX -F -e -g -t 4k -b 1g -o $DW_JOB_STRIPED/IOR_file -v -z",
        &["write-iops-buffered", "sparse-random-write", "wr-same-launch", "reader-is-writer"],
    ),
    (
        "--nodes 51 --ppn 8 --ram 128g --mount /global/cfs",
        "mpirun -n 408 --map-by node ./ior -w -r -e -C -F -t 1024k -b 32g -o /global/cfs/iorfppseqfile1MiB",
        &[],
    ),
    (
        "--nodes 1382 --ppn 4 --ram 512g --mount /pscratch --role write --sustained 30 --target 3TB/s",
        "srun ./ior -w -t 1m -b 1m -s 100000 -a POSIX -F -e -g -vv -C -o /pscratch/IOR-strided.out -D 45",
        &[],
    ),
    (
        "--nodes 230 --ppn 32 --ram 512g --role write --sustained 30 --target 24807129/s",
        "srun ./ior -w -t 4k -z -a POSIX -F -b 16g -e -g -vv -C -D 45 -o /pscratch/IOR-random.write.out",
        &["write-iops-buffered", "client-cache-fit", "sparse-random-write"],
    ),
    (
        "--nodes 4320 --ppn 1 --ram 64g --target 1TB/s --role write",
        "IOR -a POSIX -w -o [directory_path]/POSIX -D 180 -b 4096g -E -C -g -k -s 1 -t 4m -F -e",
        &[],
    ),
    (
        "--role read",
        "IOR -a POSIX -r -o [directory_path]/POSIX -D 120 -b ${SMALLEST} -E -C -g -k -s 1 -t 4m -F -e",
        &[],
    ),
    ("--nodes 48 --ppn 16", "mdtest -i 20 -v -u -n 1041", &["md-same-node", "md-too-short"]),
    ("--mount /scratch", "aprun -n 64 ./flash_benchmark_io /scratch/flashIO/test1/iotest.out", &[]),
    ("", "fdtree -l 3 -d 10 -o /p/gscratch3/x", &[]),
    ("", "ls -lR /p/gscratch3/tree", &["ls-walk"]),
];

#[test]
fn findings_on_published_commands_are_exactly_those_expected() {
    for (options, command, expected) in PUBLISHED {
        assert_eq!(ids(options, command), *expected, "{options} -- {command}");
    }
}

#[test]
fn a_reader_is_compared_with_the_command_that_created_its_files() {
    let made = "srun ./ior -w -t 4m -k -F -b 16g -e -C -D 45 -o /s/f -O stoneWallingWearOut=1";
    let words = ["--nodes", "230", "--ppn", "32", "--dataset", made, "--json", "--"];
    let reads = "srun ./ior -r -t 4k -z -F -b 16g -C -k -D 45 -o /s/f";
    let ran = lint(&words.iter().copied().chain(reads.split(' ')).collect::<Vec<_>>());
    assert!(ran.out.contains("read-beyond-written") && ran.out.contains("2.81 TB/s"), "{ran:?}");
}

#[test]
fn very_large_numbers_are_accepted() {
    let most = u64::MAX.to_string();
    for (options, command) in [
        ("--nodes MOST --ppn MOST", "ior -w -e -b 8p -s MOST"),
        ("--nodes 3 --ppn MOST", "srun -n 7 ior -w -e"),
        ("", "jsrun -n MOST -a MOST -r MOST ior -w"),
        ("", "mdtest -b MOST -z MOST -I MOST -n"),
        ("", "ior -D 99999999999999999999 -M 101% -t x -O ,=,a -"),
    ] {
        let ran = of(&options.replace("MOST", &most), &command.replace("MOST", &most));
        assert_eq!((ran.status, ran.err.as_str()), (Some(3), ""), "{options} -- {command}");
    }
}

#[test]
fn lints_are_listed_and_explained() {
    let list = lint(&["--list"]).ok();
    assert!(
        list.lines().count() > 30 && list.contains("write-iops-buffered    needs-waiver plan "),
        "{list}"
    );
    let text = lint(&["--explain", "write-iops-buffered"]).ok();
    let waivable = "write-iops-buffered (needs-waiver: a person must approve a waiver)\n";
    assert!(text.starts_with(waivable), "{text}");
    let text = lint(&["--explain", "missing-persist"]).ok();
    let both = "missing-persist (error: `assay run` does not start, and it cannot be waived)\n\
                \x20 but:    needs-waiver for reported and hero tests: no clause depends on them\n";
    assert!(text.starts_with(both), "{text}");
    let wrong = lint(&["--explain", "geometries-and-geometry"]);
    assert_eq!(
        wrong.err,
        "assay: unknown lint `geometries-and-geometry`. Did you mean `geometry`? `assay lint --list` lists \
         all lints.\n"
    );
    assert_eq!(wrong.status, Some(2));
}

#[test]
fn plan_check_prints_the_lint_findings() {
    let place = common::campaign::Place::new();
    let text = include_str!("../../../lint/tests/plans/seeds-literal.toml");
    std::fs::write(place.path("p.toml"), text).unwrap();
    let ran = place.assay("plan check p.toml");
    assert_eq!((ran.status, ran.err.as_str()), (Some(0), ""), "no finding is an error: {ran:#?}");
    let text = ran.out;
    let line =
        text.lines().find(|line| line.contains(" role-mismatch: ")).unwrap_or_else(|| panic!("{text}"));
    assert!(line.starts_with("lint: 60:7: BW-IOR4: info role-mismatch: "), "{line}");
    assert!(text.contains("(waived by storage lead: the user's view is intended)"), "{text}");
    for drift in [
        "BW-MD1: needs-waiver option-drift: ",
        "CORI-SSF: info option-drift: ",
        "PM-HERO: info option-drift: ",
    ] {
        assert_eq!(text.lines().filter(|line| line.contains(drift)).count(), 1, "{drift}: {text}");
    }
}

#[test]
fn a_plan_with_a_lint_error_needs_the_flag_to_start_and_its_clause_is_invalid() {
    let place = common::campaign::Place::new();
    let test = |id: &str, words: &str| {
        format!(
            "[[test]]\nid = \"{id}\"\nior = \"{words} -t 64k -b 64k\"\n\
             criterion = {{ metric = \"write.bw\", stat = \"mean\", op = \">=\", value = \"1 B/s\" }}\n"
        )
    };
    place.plan(&[test("A", "-w"), test("B", "-w"), test("C", "-w -e")].concat());
    let rejected = place.assay("run p.toml --dir dir");
    assert_eq!((rejected.status, rejected.err.lines().count()), (Some(2), 2), "{rejected:#?}");
    assert!(rejected.err.lines().next().unwrap().contains(" error missing-persist: "), "{rejected:#?}");
    assert!(rejected.err.contains("--allow-lint-errors"), "{rejected:#?}");
    assert_eq!(names(&place.dir()), [""; 0], "no file was created");
    let ran = place.assay("run p.toml --dir dir --allow-lint-errors");
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    let at = |id: &str| {
        let head = common::campaign::HEAD.lines().count();
        format!("{}:7: {id}", head + if id == "A" { 3 } else { 7 })
    };
    let line = format!("lint: {}, {}: error missing-persist: ", at("A"), at("B"));
    assert!(ran.err.starts_with(&line), "{ran:#?}");
    assert_eq!(place.outcomes(), ["A INVALID", "B INVALID", "C PASS"]);
    assert_eq!(place.codes(), ["lint-error", "lint-error", "threshold-met"]);
    assert_eq!(place.verdicts()[0].2["data"]["cause"]["code"], "missing-persist");
    let page = std::fs::read_to_string(place.folder().join("report.html")).unwrap();
    let page = page.replace('\u{a0}', " ");
    assert!(page.contains("The campaign was started despite 2 "), "the first page reports it");
    let only = place.assay("run p.toml --dir dir --only C");
    assert_eq!(
        (only.status, only.err.contains("lint:")),
        (Some(3), false),
        "the others were not run: {only:#?}"
    );
    assert!(!only.out.contains("was started despite"), "{only:#?}");
}

/// The tests with errors in the output of `run`, without their places.
fn announced(place: &common::campaign::Place, only: &str) -> String {
    let ran = place.assay(&format!("run p.toml --dir dir{only}"));
    let lines: Vec<&str> = ran.err.lines().filter_map(|line| line.strip_prefix("lint: ")).collect();
    let whom = lines.iter().filter_map(|line| line.split_once(": error "));
    let whom = whom.flat_map(|(whom, _)| whom.split(", "));
    let bare = |one: &str| one.rsplit(": ").next().unwrap_or_default().to_owned();
    whom.map(bare).collect::<Vec<_>>().join(", ")
}

#[test]
fn only_the_errors_of_selected_tests_are_reported() {
    let place = common::campaign::Place::new();
    let judged = |phase: &str| {
        format!(
            "criterion = {{ metric = \"{phase}.bw\", stat = \"mean\", op = \">=\", value = \"1 B/s\" }}\n"
        )
    };
    let (floor, part) = (judged("write"), "ior = \"-w -t 64k -b 64k\"\n");
    place.plan(&format!(
        "[[test]]\nid = \"W\"\nior = \"-w -k -t 64k -b 64k\"\n{floor}\
         [[test]]\nid = \"R\"\nuses = \"W\"\nior = \"-r -k -t 64k -b 64k\"\ncache = \"warm\"\n{}\
         [[test]]\nid = \"F\"\nnodes = {{ steps = [1] }}\n{part}{floor}\
         [[group]]\nid = \"G\"\n[[group.parts]]\nid = \"a\"\n{part}{floor}\
         [[group.parts]]\nid = \"b\"\n{part}{floor}",
        judged("read")
    ));
    for (only, about) in [
        ("", "W, F.n1, G.a, G.b"),
        (" --only W", "W"),
        (" --only R", "W"),
        (" --only F", "F.n1"),
        (" --only G.b", "G.a, G.b"),
    ] {
        assert_eq!(announced(&place, only), about, "{only}");
    }
}

#[test]
fn a_finding_that_needs_the_records_is_info_before_the_run_and_does_not_prevent_it() {
    let place = common::campaign::Place::new();
    place.plan(
        "[[test]]\nid = \"D\"\nior = \"-w -e -t 64k -b 64k -D 100\"\n\
         criterion = { metric = \"write.bw\", stat = \"mean\", op = \">=\", value = \"100 MB/s\" }\n",
    );
    let ran = place.assay("plan check p.toml");
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    assert!(ran.out.lines().any(|line| line.contains(": D: info out-of-data: ")), "{ran:#?}");
    assert_eq!(announced(&place, ""), "");
}

#[test]
fn plan_check_merges_equal_findings_and_prints_the_values_of_percentages() {
    let place = common::campaign::Place::new();
    let test = |id: &str, share: &str| {
        format!(
            "[[test]]\nid = \"{id}\"\nior = \"-w -e -t 64k -b 64k\"\n\
             criterion = {{ metric = \"write.bw\", stat = \"mean\", op = \">=\", value = \"{share}\" }}\n"
        )
    };
    let known = "[known.before]\nvalue = \"716_886 MiB/s\"\nsource = \"the report of 2015\"\n";
    place.plan(&[known, &test("A", "66% of known.before"), &test("B", "1 MB/s")].concat());
    let text = place.assay("plan check p.toml").ok();
    let share = "test A: write.bw >= 66% of known.before (716_886 MiB/s) = 473145 MiB/s\n";
    assert!(text.contains(share), "{text}");
    let unchecked: Vec<&str> =
        text.lines().filter(|line| line.contains("needs-waiver unchecked-data: ")).collect();
    let [line] = unchecked[..] else { panic!("{text}") };
    assert!(line.contains(": A, ") && line.contains(": B: needs-waiver "), "{line}");
}

#[test]
fn an_error_of_a_score_stops_a_campaign_that_selects_the_score() {
    let place = common::campaign::Place::new();
    let part = |id: &str| {
        format!("[[test]]\nid = \"{id}\"\nrole = \"reported\"\nior = \"-w -e -W -F -t 64k -b 64k\"\n")
    };
    place.plan(&format!(
        "{}{}[[score]]\nid = \"S\"\nof = [\"A.write.bw\", \"B.write.bw\"]\n\
         criterion = {{ op = \">=\", value = \"0 B/s\" }}\n",
        part("A"),
        part("B")
    ));
    for (only, about) in [("", "S"), (" --only S", "S"), (" --only A", "")] {
        assert_eq!(announced(&place, only), about, "{only}");
    }
}

#[test]
fn a_selected_score_is_evaluated_and_its_parts_are_listed() {
    let place = common::campaign::Place::new();
    let test = |id: &str| {
        format!(
            "[[test]]\nid = \"{id}\"\nior = \"-w -e -W -F -t 64k -b 64k\"\n\
             criterion = {{ metric = \"write.bw\", op = \">=\", value = \"900 PB/s\" }}\n"
        )
    };
    place.plan(&format!(
        "{}[[score]]\nid = \"S\"\nof = [\"A.write.bw\", \"B.write.bw\"]\n\
         criterion = {{ op = \">=\", value = \"1 B/s\" }}\n",
        ["A", "B", "C"].map(test).concat()
    ));
    let ran = place.assay("run p.toml --dir dir --only S");
    assert_eq!(place.outcomes(), ["A FAIL", "B FAIL", "C NOT_RUN", "S PASS"], "{ran:#?}");
    let shown = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        shown.contains(
            "Selected with --only: S. The plan has 3 other clauses. Also run, because a selected test needs \
             it: A, B."
        ),
        "{ran:#?}"
    );
    assert!(!shown.contains("FAIL"), "only the selected score is printed: {ran:#?}");
}

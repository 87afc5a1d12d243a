//! Plans, and the jobs that they become.

use super::*;

const PLAN: &str = r#"
schema = 1
plan = { id = "p", title = "t" }
fs.scratch = { dir = "{dir}" }
[defaults]
ranks = 2
repetitions = 2
[dataset.big]
ior = "-w -F -b 4m -k"
[[test]]
id = "W"
ior = "-w -b 1m -k"
role = "reported"
[[test]]
id = "R"
uses = "W"
ior = "-r -b 1m -k -D 1"
role = "reported"
[[test]]
id = "B"
uses = "dataset.big"
ior = "-r -F -b 4m -k"
repetitions = 3
role = "reported"
"#;

fn shown(jobs: &[PlannedJob]) -> Vec<String> {
    jobs.iter()
        .map(|job| {
            format!(
                "{} in {}{}",
                job.folder,
                job.files,
                if job.removes.contains(&job.files) { ", then gone" } else { "" }
            )
        })
        .collect()
}

#[test]
fn a_plan_becomes_these_jobs_in_this_order() {
    let plan = Plan::parse(PLAN, "p.toml").unwrap();
    let all = jobs(&plan, &[]).unwrap();
    assert_eq!(
        shown(&all),
        [
            "0001-W-r1 in tests/W-r1",
            "0002-W-r2 in tests/W-r2",
            "0003-R-r1 in tests/W-r1, then gone",
            "0004-R-r2 in tests/W-r2, then gone",
            "0005-dataset.big-r1 in datasets/big",
            "0006-B-r1 in datasets/big",
            "0007-B-r2 in datasets/big",
            "0008-B-r3 in datasets/big, then gone",
        ]
    );
    assert_eq!(all[3].needs, [("W".to_owned(), 2)]);
    assert_eq!(all.iter().map(|job| job.makes_files).filter(|makes| *makes).count(), 3);
}

#[test]
fn a_selected_test_brings_the_jobs_it_depends_on_and_keeps_its_numbers() {
    let plan = Plan::parse(PLAN, "p.toml").unwrap();
    assert_eq!(
        shown(&jobs(&plan, &["R".to_owned()]).unwrap())[2],
        "0003-R-r1 in tests/W-r1, then gone",
        "the writer runs too"
    );
    let chosen = jobs(&plan, &["B".to_owned()]).unwrap();
    assert_eq!(chosen.first().map(|job| job.folder.as_str()), Some("0005-dataset.big-r1"));
    let error = jobs(&plan, &["X".to_owned()]).unwrap_err();
    assert_eq!(error.0, "plan p has no test `X`. Known: W, R, B.");
}

#[test]
fn the_required_space_is_the_largest_at_any_time() {
    let plan = Plan::parse(PLAN, "p.toml").unwrap();
    let all = jobs(&plan, &[]).unwrap();
    let need = needs(&all)["scratch"];
    assert_eq!(
        need,
        Need { written_bytes: (2 + 2 + 8) << 20, peak_bytes: 8 << 20, peak_names: 2, peak_jobs: [4, 1] }
    );
    assert!(seconds(&all, 1e6) > 30.0 && seconds(&all, 1e9) < 1.5);
}

#[test]
fn a_state_is_made_before_its_first_test_and_removed_after_its_last() {
    let plan = r#"
schema = 1
plan = { id = "p", title = "t" }
fs.scratch = { dir = "{dir}" }
[state.aged]
age = "--blocks 80% --inodes 20%"
ranks = 4
[state.full]
preload = 1000000
[[test]]
id = "A"
fdtree = "-l 2"
role = "reported"
[[test]]
id = "B"
fdtree = "-l 2"
states = ["aged"]
role = "reported"
[[test]]
id = "C"
mdtest = "-F -n 5"
states = ["aged", "full"]
role = "reported"
"#;
    let plan = Plan::parse(plan, "p.toml").unwrap();
    let all = jobs(&plan, &[]).unwrap();
    let shown: Vec<String> = all
        .iter()
        .map(|job| {
            format!(
                "{}: {} {}, then {}",
                job.folder,
                job.workload,
                job.words.join(" "),
                job.removes.join(" ")
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            "0001-A-r1: fdtree -l 2 -o {dir}, then tests/A-r1",
            "0002-state.aged-r1: age {dir} --blocks 80% --inodes 20%, then ",
            "0003-B-r1: fdtree -l 2 -o {dir}, then tests/B-r1",
            "0004-C-r1: mdtest -F -n 5 --preload 1000000 -d {dir}/mdtest, then states/aged tests/C-r1",
        ]
    );
    assert_eq!((all[1].placement.ranks, all[3].needs.as_slice()), (4, &[("state.aged".to_owned(), 1)][..]));
    let one = 111 * 10 * 10 * 4096;
    assert_eq!(all[0].holds_bytes, one);
    assert_eq!(beside_states(&all), [(0, one, "B")], "only files made while the state exists");
    assert_eq!(plan.states[0].blocks(), Some(0.8));
    let chosen = jobs(&plan, &["A".to_owned()]).unwrap();
    assert_eq!(chosen.len(), 1, "no test needs the state");
}

#[test]
fn warm_ups_run_first_with_their_own_files_and_steps_alternate() {
    let plan = r#"
schema = 1
plan = { id = "p", title = "t" }
fs.scratch = { dir = "{dir}" }
clients = { delivered = 4 }
launch = { kind = "mpirun" }
defaults = { repetitions = 2 }
[[test]]
id = "N"
ior = "-w -F"
nodes = { steps = ["50%", "100%"] }
order = "interleaved"
warm_up = 1
role = "reported"
[[series]]
id = "S"
over = "transfer"
order = "interleaved"
steps = ["1m", "4m"]
[[series.phases]]
id = "w"
ior = "-w -k -t {step} -b 4m"
role = "reported"
[[series.phases]]
id = "r"
uses = "w"
ior = "-r -k -t {step} -b 4m"
role = "reported"
"#;
    let plan = Plan::parse(plan, "p.toml").unwrap();
    let all = jobs(&plan, &[]).unwrap();
    assert_eq!(
        shown(&all),
        [
            "0001-N.n2+warm-up-r1 in tests/N.n2+warm-up-r1, then gone",
            "0002-N.n4+warm-up-r1 in tests/N.n4+warm-up-r1, then gone",
            "0003-N.n2-r1 in tests/N.n2-r1, then gone",
            "0004-N.n4-r1 in tests/N.n4-r1, then gone",
            "0005-N.n2-r2 in tests/N.n2-r2, then gone",
            "0006-N.n4-r2 in tests/N.n4-r2, then gone",
            "0007-S.t1m.w-r1 in tests/S.t1m.w-r1",
            "0008-S.t1m.r-r1 in tests/S.t1m.w-r1, then gone",
            "0009-S.t4m.w-r1 in tests/S.t4m.w-r1",
            "0010-S.t4m.r-r1 in tests/S.t4m.w-r1, then gone",
            "0011-S.t1m.w-r2 in tests/S.t1m.w-r2",
            "0012-S.t1m.r-r2 in tests/S.t1m.w-r2, then gone",
            "0013-S.t4m.w-r2 in tests/S.t4m.w-r2",
            "0014-S.t4m.r-r2 in tests/S.t4m.w-r2, then gone",
        ]
    );
    assert_eq!(all[1].placement.nodes, Some(4));
    assert_eq!(all[9].needs, [("S.t4m.w".to_owned(), 1)]);
    let one = jobs(&plan, &["N.n4".to_owned()]).unwrap();
    assert_eq!(one.iter().map(|job| job.number).collect::<Vec<_>>(), [2, 4, 6], "numbers stay");
}

#[test]
fn the_files_of_the_parts_of_a_group_exist_at_the_same_time() {
    let plan = r#"
schema = 1
plan = { id = "p", title = "t" }
fs.scratch = { dir = "{dir}" }
fs.home = { dir = "/home" }
[state.aged]
age = "--blocks 80%"
fs = "scratch"
[[group]]
id = "G"
repetitions = 2
[[group.parts]]
id = "a"
ior = "-w -b 1m"
role = "reported"
fs = "scratch"
states = ["aged"]
[[group.parts]]
id = "b"
ior = "-w -b 2m"
role = "reported"
fs = "scratch"
states = ["aged"]
[[group.parts]]
id = "c"
ior = "-w -b 4m"
role = "reported"
fs = "home"
"#;
    let plan = Plan::parse(plan, "p.toml").unwrap();
    let all = jobs(&plan, &[]).unwrap();
    let (scratch, home) = (needs(&all)["scratch"], needs(&all)["home"]);
    assert_eq!((scratch.peak_bytes, scratch.peak_names), (3 << 20, 2));
    assert_eq!((scratch.written_bytes, home.peak_bytes), (6 << 20, 4 << 20));
    assert_eq!(beside_states(&all), [(0, 3 << 20, "G.b")]);
    assert_eq!(scratch.peak_jobs.map(|at| all[at].test.as_str()), ["G.b", "G.b"]);
}

/// Tests with every kind of dependency. E has no dependency, and no test depends on it.
const DEPENDENT: &str = r#"
schema = 1
plan = { id = "p", title = "t" }
fs.scratch = { dir = "{dir}" }
launch.kind = "mpirun"
[dataset.more]
ior = "-w -F -b 4m -k"
ranks = 4
[[test]]
id = "A"
ior = "-w -F -k"
nodes = 2
client_limit = { nodes = [4] }
criterion = { metric = "write.bw", op = ">=", value = "1 MB/s" }
[[test]]
id = "T"
ior = "-w -F"
nodes = { search = [2, 4], gain = "3 %" }
criterion = { metric = "write.bw", op = ">=", value = "1 MB/s" }
[[test]]
id = "B"
ior = "-w -F"
criterion = { metric = "write.bw", op = ">=", value = "1% of A.write.bw" }
[[test]]
id = "E"
ior = "-w"
role = "reported"
[[series]]
id = "S"
over = "transfer"
steps = ["64k", "128k", "256k"]
[[series.phases]]
id = "w"
ior = "-w -F -t {step}"
criterion = { metric = "write.bw", linear_within = "10%" }
[[group]]
id = "G"
criterion = { metric = "write.bw", op = ">=", value = "1% of B.write.bw" }
[[group.parts]]
id = "a"
ior = "-w -F -k"
[[group.parts]]
id = "b"
uses = "dataset.more"
ior = "-r -F -k -b 4m"
role = "reported"
[[test]]
id = "R"
uses = "G.a"
ior = "-r -F -k"
role = "reported"
"#;

#[test]
fn a_selected_test_brings_all_its_dependencies() {
    let plan = Plan::parse(DEPENDENT, "p.toml").unwrap();
    for (only, wanted) in [
        ("A", "A A.n4"),
        ("T", "T.n2 T.n4 T"),
        ("B", "A A.n4 B"),
        ("E", "E"),
        ("S.t256k.w", "S.t64k.w S.t256k.w"),
        ("S", "S.t64k.w S.t128k.w S.t256k.w"),
        ("R", "A A.n4 B dataset.more G.a G.b R"),
    ] {
        let chosen = jobs(&plan, &[only.to_owned()]).unwrap();
        let chosen: Vec<&str> = chosen.iter().map(|job| job.test.as_str()).collect();
        assert_eq!(chosen.join(" "), wanted, "--only {only}");
    }
}

#[test]
fn the_files_of_all_repetitions_exist_together_only_if_each_has_its_own() {
    for (words, written, peak, names) in [
        ("-w -F -k -b 1m -i 3", 6, 2, 2),
        ("-w -F -k -m -b 1m -i 3", 6, 6, 6),
        ("-w -F -m -b 1m -i 3", 6, 2, 2),
        ("-w -k -m -b 1m -i 3", 6, 6, 3),
    ] {
        let plan = format!(
            "schema = 1\nplan = {{ id = \"p\", title = \"t\" }}\nfs.s = {{ dir = \"/d\" }}\n[[test]]\n\
             id = \"T\"\nior = \"{words}\"\nranks = 2\nrole = \"reported\"\n"
        );
        let all = jobs(&Plan::parse(&plan, "p.toml").unwrap(), &[]).unwrap();
        let wanted = Need {
            written_bytes: written << 20,
            peak_bytes: peak << 20,
            peak_names: names,
            ..Need::default()
        };
        assert_eq!(needs(&all)["s"], wanted, "{words}");
    }
}

#[test]
fn a_command_line_with_a_deadline_needs_what_the_file_system_can_write_until_then() {
    let need = |rate: &str, words: &str| {
        let plan = format!(
            "schema = 1\nplan = {{ id = \"p\", title = \"t\" }}\nfs.s = {{ dir = \"/d\"{rate} }}\n\
             [dataset.d]\n\
             ior = \"-w -F -k -b 4096g -D 10 -O stoneWallingWearOut=1,stoneWallingStatusFile={{dir}}/p\"\n\
             [[test]]\nid = \"T\"\nior = \"{words}\"\nranks = 2\nrole = \"reported\"\n[[test]]\nid = \"R\"\n\
             uses = \"dataset.d\"\nior = \"-r -F -k -b 4096g -O stoneWallingStatusFile={{dir}}/p\"\n\
             role = \"reported\"\n"
        );
        needs(&jobs(&Plan::parse(&plan, "p.toml").unwrap(), &[]).unwrap())["s"]
    };
    let rate = ", rate = \"2 GB/s\"";
    let made = 2 * 10 * 1_500_000_000;
    for (rate, words, written, peak) in [
        ("", "-w -F -b 4096g -D 180", 3 << 42, 2 << 42),
        (rate, "-w -F -b 4096g -D 180", 540_000_000_000 + made, 540_000_000_000),
        (rate, "-w -F -b 4096g -D 180 -i 2", 2 * 540_000_000_000 + made, 540_000_000_000),
        (rate, "-w -F -b 1g -D 180", (2 << 30) + made, made),
        (rate, "-w -F -b 4096g", (2 << 42) + made, 2 << 42),
    ] {
        let need = need(rate, words);
        assert_eq!((need.written_bytes, need.peak_bytes), (written, peak), "{rate} {words}");
    }
}

#[test]
fn a_dataset_is_written_after_its_state_is_made_and_the_state_lasts_until_its_last_reader() {
    let text = r#"
schema = 1
plan = { id = "p", title = "t" }
fs.scratch = { dir = "{dir}" }
[state.aged]
age = "--blocks 70% --inodes 20%"
[dataset.d]
ior = "-w -k -F -b 1m"
states = ["aged"]
[dataset.e]
ior = "-w -k -F -b 1m"
[[test]]
id = "R"
uses = "dataset.d"
states = ["aged"]
ior = "-r -k -F -b 1m"
repetitions = 2
role = "reported"
[[test]]
id = "S"
uses = "dataset.e"
ior = "-r -k -F -b 1m"
role = "reported"
"#;
    let jobs = jobs(&Plan::parse(text, "p.toml").unwrap(), &[]).unwrap();
    let names: Vec<&str> = jobs.iter().map(|job| job.test.as_str()).collect();
    assert_eq!(names, ["state.aged", "dataset.d", "R", "R", "dataset.e", "S"]);
    assert_eq!(jobs[1].needs, [("state.aged".to_owned(), 1)]);
    assert_eq!(jobs[1].states, ["states/aged"]);
    let removed: Vec<usize> =
        (0..jobs.len()).filter(|at| jobs[*at].removes.contains(&"states/aged".to_owned())).collect();
    assert_eq!(removed, [3], "after the last reader");
    let only = super::jobs(&Plan::parse(text, "p.toml").unwrap(), &["R".to_owned()]).unwrap();
    assert_eq!(only.len(), 4);
}

#[test]
fn a_selected_score_runs_the_tests_of_its_parts_and_what_these_need() {
    let score = "[[score]]\nid = \"S\"\nof = [\"R.read.bw\", \"W.write.bw\"]\n\
                 [[score]]\nid = \"ALL\"\nof = [\"S\", \"R.read.iops\"]\npoints = [\"MB/s\", \"/s\"]\n";
    let plan = Plan::parse(&format!("{PLAN}{score}"), "p.toml").unwrap();
    let of = |only: &[&str]| {
        let only: Vec<String> = only.iter().map(ToString::to_string).collect();
        jobs(&plan, &only).map(|jobs| jobs.into_iter().map(|job| job.folder).collect::<Vec<_>>())
    };
    let parts = ["0001-W-r1", "0002-W-r2", "0003-R-r1", "0004-R-r2"];
    assert_eq!(of(&["S"]).unwrap(), parts);
    assert_eq!(of(&["ALL"]).unwrap(), parts, "a score of a score has the parts of both");
    let unknown = of(&["T"]).unwrap_err();
    assert!(unknown.to_string().contains("no test `T`. Known: W, R, B, S, ALL."), "{unknown}");
}

//! Differences between the nodes of a run, in the text, the records and verdicts: a node with the files on
//! another file system, and a node with a wrong wall clock. MPICH simulates two nodes on one machine.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::campaign::{Place, SmallFs, json, may_mount_alone};
use crate::common::{self, Mpi, program, run, shim};
use results::Record;
use results::record::{Clients, Run};

/// Runs the following command with another file system over the directory of the file after `-o`.
const ELSEWHERE: &str = "last=; for word; do if [ \"$last\" = -o ]; then \
                         mount -t tmpfs -o size=16m elsewhere \"${word%/*}\" || exit; fi; \
                         last=$word; done; exec \"$@\"";

/// Each of the two ranks is a simulated node.
const TWO_NODES: (&str, &str) = ("MPIR_CVAR_NUM_CLIQUES", "2");

/// The wall clock of one rank is this number of seconds ahead.
const AHEAD: i64 = 30;

/// `assay WORDS` on two simulated nodes of one rank each; `None`, with the reason printed, if impossible.
fn two_nodes(dir: &Path, words: &str) -> Option<Command> {
    let mut command = Mpi::Mpich.command(dir, 2, words)?;
    command.env(TWO_NODES.0, TWO_NODES.1);
    Some(command)
}

/// The environment variables that set the wall clock of this rank ahead.
fn ahead(rank: &str) -> [(&'static str, String); 4] {
    [
        ("LD_PRELOAD", shim().display().to_string()),
        ("ASSAY_SHIM_RANK", rank.to_owned()),
        ("ASSAY_SHIM_UNDER", "/".to_owned()),
        ("ASSAY_SHIM_FAULT", format!("ahead:{AHEAD}")),
    ]
}

/// The nodes in the record of a run.
fn recorded(dir: &Path) -> Clients {
    match results::records::load(&dir.join("records")).unwrap().swap_remove(0) {
        Record::Run(Run { clients, .. }) => *clients.expect("a record of the nodes"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_node_with_another_file_system_is_reported_below_the_table_and_in_the_record() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let words = &format!("ior -w -F -t 64k -b 128k -o {}/f --record records", dir.path().display());
    let Some(mut command) = Mpi::Mpich.command(dir.path(), 1, words) else { return };
    if !may_mount_alone(dir.path()) {
        return;
    }
    command
        .env(TWO_NODES.0, TWO_NODES.1)
        .args([":", "-n", "1", "unshare", "-m", "sh", "-c", ELSEWHERE, "sh"]);
    let out = run(command.arg(program()).args(words.split(' '))).ok();
    let warnings: Vec<&str> = out.lines().filter(|line| line.starts_with("assay: warning: ")).collect();
    let clients = recorded(dir.path());
    let [(node, there)] = &clients.elsewhere.first[..] else { panic!("{clients:?}") };
    assert_eq!((clients.elsewhere.nodes, &*there.kind, &*there.device), (1, "tmpfs", "elsewhere"));
    let [here] = &clients.mounted[..] else { panic!("{clients:?}") };
    assert!(!here.kind.is_empty() && here.device != "elsewhere" && node.ends_with("#2"), "{clients:?}");
    assert_eq!(here.dir, dir.path().canonicalize().unwrap().display().to_string());
    let host = node.trim_end_matches("#2");
    assert_eq!(
        warnings,
        [format!(
            "assay: warning: on 1 of 2 nodes the files are on another file system than on {host} ({}): \
             {node} (tmpfs elsewhere)",
            here.words()
        )]
    );
}

#[test]
fn the_map_of_md_workbench_marks_the_ranks_on_the_node_of_rank_0() {
    let dir = tempfile::tempdir().unwrap();
    let words = "md-workbench -P 1 -D 1 -I 1 -R 1";
    for (cliques, map) in [("1", "Nodemap: 11\n"), (TWO_NODES.1, "Nodemap: 10\n")] {
        let Some(mut command) = two_nodes(dir.path(), words) else { return };
        let out = run(command.env(TWO_NODES.0, cliques)).ok();
        assert!(out.contains(map), "{map}: {out}");
    }
}

#[test]
fn equal_nodes_and_ranks_of_one_node_give_no_warning() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let words = "ior -w -t 64k -b 128k -o f";
    common::ior(dir.path(), 2, "-w -t 64k -b 128k -o f --record records").ok();
    let one = recorded(dir.path());
    assert_eq!((one.mounted.len(), &one.farthest), (1, &None));
    fs::remove_file(dir.path().join("records")).unwrap();
    common::ior(dir.path(), 2, "-a DUMMY -w -t 64k -b 128k -o f --record records").ok();
    let first = results::records::load(&dir.path().join("records")).unwrap().swap_remove(0);
    assert!(
        matches!(&first, Record::Run(run) if run.clients.as_ref().is_some_and(|all| all.mounted.is_empty())),
        "no node is compared without files: {first:?}"
    );
    fs::remove_file(dir.path().join("records")).unwrap();
    let Some(mut command) = two_nodes(dir.path(), &format!("{words} --record records")) else { return };
    let out = run(&mut command).ok();
    assert!(!out.contains("another file system") && !out.contains("wall clock"), "{out}");
    let two = recorded(dir.path());
    let apart = two.farthest.expect("there are two nodes");
    assert!(is_off_by(0, apart.skew_ns, apart.uncertainty_ns), "{apart:?}");
    assert_eq!((two.mounted, two.elsewhere.nodes, two.other_server.nodes), (one.mounted, 0, 0));
}

/// Whether a skew is the expected one, within its uncertainty and the drift of an adjusted clock.
fn is_off_by(seconds: i64, skew_ns: i64, uncertainty_ns: u64) -> bool {
    skew_ns.abs_diff(seconds * 1_000_000_000) <= uncertainty_ns + 100_000
}

#[test]
fn a_wrong_wall_clock_is_reported_below_the_numbers_of_every_workload() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let small = dir.path().join("small");
    fs::create_dir(&small).unwrap();
    let mounted = SmallFs::mount(&small, "48m");
    let mut lines = vec![
        "ior -w -t 64k -b 128k -o f",
        "mdtest -n 2 -d m",
        "ls-lr --make --remove --entries 60 --per-dir 20 --fan-out 4 t",
        "pfind .",
        "fdtree -l 1 -d 2 -f 2 -s 1 -o .",
    ];
    lines.extend(mounted.as_ref().map(|_| "age small/aged --blocks 10% --cycles 0"));
    fs::create_dir(dir.path().join("t")).unwrap();
    for words in lines {
        let Some(mut command) = two_nodes(dir.path(), &format!("{words} --record records")) else { return };
        let out = run(command.envs(ahead("1"))).ok();
        let warning = out.lines().find(|line| line.contains("the wall clock of "));
        let warning = warning.unwrap_or_else(|| panic!("{out}"));
        assert!(warning.contains("#2 is 30.0 s ahead of that of "), "{words}: {warning}");
        let apart = recorded(dir.path()).farthest.expect("there are two nodes");
        assert!(is_off_by(AHEAD, apart.skew_ns, apart.uncertainty_ns), "{words}: {apart:?}");
        fs::remove_file(dir.path().join("records")).unwrap();
    }
}

/// A launch table with a script and these environment variables.
fn launch(place: &Place, script: &str, env: &[(&str, String)]) -> String {
    fs::write(place.path("launch.sh"), script).unwrap();
    let env: Vec<String> = env.iter().map(|(name, value)| format!("{name} = {value:?}")).collect();
    format!(
        "[launch]\nkind = \"mpirun\"\nargv = [\"sh\", {:?}, \"{{ranks}}\", \"{{cmd}}\"]\nenv = {{ {} }}\n",
        place.path("launch.sh"),
        env.join(", ")
    )
}

const CRITERION: &str = "criterion = { metric = \"write.bw\", op = \">=\", value = \"1 B/s\" }\n";

/// One separate test, and two tests that run at the same time.
fn tests() -> String {
    let part = |id: &str| {
        format!(
            "[[group.parts]]\nid = \"{id}\"\nior = \"-w -Y -F -t 64k -b 1m -O minTimeDuration=3\"\n\
             {CRITERION}"
        )
    };
    format!(
        "[[test]]\nid = \"W\"\nior = \"-w -e -F -t 64k -b 128k\"\n{CRITERION}\
         [[group]]\nid = \"G\"\noverlap = \"1%\"\n{}{}",
        part("a"),
        part("b")
    )
}

/// The findings with this code in a campaign: test and severity.
fn findings(place: &Place, code: &str) -> Vec<(String, String)> {
    let summary = json(&place.folder().join("summary.json"));
    let all = summary["findings"].as_array().unwrap().iter().filter(|one| one["reason"]["code"] == code);
    let word = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    all.map(|one| (word(&one["about"]), word(&one["severity"]))).collect()
}

#[test]
fn a_verdict_on_nodes_of_two_file_systems_is_invalid() {
    let place = Place::new();
    if !common::campaign::there("mpirun.mpich") || !may_mount_alone(&place.dir()) {
        return;
    }
    let script =
        format!("shift\nexec mpirun.mpich -n 1 \"$@\" : -n 1 unshare -m sh -c '{ELSEWHERE}' sh \"$@\"\n");
    let launch = launch(&place, &script, &[(TWO_NODES.0, TWO_NODES.1.to_owned())]);
    let test = format!("[[test]]\nid = \"W\"\nior = \"-w -e -F -t 64k -b 128k\"\n{CRITERION}");
    place.plan(&format!("{launch}{test}"));
    place.simulate_nodes();
    // A probe would find it before the first job.
    let ran = place.assay("run p.toml --dir dir --no-probe");
    let (_, outcome, reason) = place.verdicts().remove(0);
    assert_eq!((ran.status, outcome.as_str()), (Some(3), "INVALID"), "{ran:#?}");
    let data = &reason["data"];
    assert_eq!(
        (&reason["code"], &data["nodes"], &data["of"]),
        (&"path-on-wrong-fs".into(), &1.into(), &2.into())
    );
    assert!(data["there"].to_string().contains("#2 (tmpfs elsewhere)"), "{reason}");
    assert_eq!(findings(&place, "path-on-wrong-fs"), [("W".to_owned(), "error".to_owned())]);
}

#[test]
fn a_verdict_on_nodes_with_another_type_than_in_the_plan_is_invalid() {
    let place = Place::new();
    if !may_mount_alone(&place.dir()) {
        return;
    }
    // On the node of the campaign the type is that of the plan.
    let here = run::machine::file_system("s", &place.dir()).unwrap().kind;
    let script = format!(
        "ranks=$1; shift; program=$1; shift\n\
         exec unshare -m sh -c '{ELSEWHERE}' sh \"$program\" -n \"$ranks\" \"$@\"\n"
    );
    let test = format!("[[test]]\nid = \"W\"\nior = \"-w -e -F -t 64k -b 128k\"\n{CRITERION}");
    place.plan(&format!("{}{test}", launch(&place, &script, &[])));
    let plan = fs::read_to_string(place.path("p.toml")).unwrap();
    let typed = plan
        .replace("fs.s = { dir = \"{dir}\" }", &format!("fs.s = {{ dir = \"{{dir}}\", kind = {here:?} }}"));
    fs::write(place.path("p.toml"), typed).unwrap();
    let ran = place.campaign();
    let (_, outcome, reason) = place.verdicts().remove(0);
    assert_eq!((ran.status, outcome.as_str()), (Some(3), "INVALID"), "{ran:#?}");
    let data = &reason["data"];
    assert_eq!(
        (&reason["code"], &data["planned"]),
        (&"path-on-wrong-fs".into(), &here.as_str().into()),
        "{reason}"
    );
    assert!(data["found"].to_string().contains("tmpfs"), "{reason}");
}

#[test]
fn clock_skew_makes_concurrent_tests_invalid_and_is_a_note_on_separate_ones() {
    let place = Place::new();
    if !common::campaign::there("mpirun.mpich") {
        return;
    }
    let script = "ranks=$1; shift\nexec mpirun.mpich -n \"$ranks\" \"$@\"\n";
    let mut env = ahead("1").to_vec();
    env.push((TWO_NODES.0, TWO_NODES.1.to_owned()));
    place.plan(&format!("{}{}", launch(&place, script, &env), tests()));
    place.simulate_nodes();
    let ran = place.campaign();
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    let all = place.verdicts();
    assert_eq!(place.outcomes(), ["W PASS", "G.a INVALID", "G.b INVALID"], "{all:#?}");
    let skew = all[1].2["data"]["skew"]["value"].as_f64().unwrap();
    assert!(all[1].2["code"] == "clock-skew" && (29.0..31.0).contains(&skew), "{all:#?}");
    let levels = findings(&place, "clock-skew");
    let wanted = [("W", "info"), ("G.a", "error"), ("G.b", "error")];
    assert_eq!(levels, wanted.map(|(test, level)| (test.to_owned(), level.to_owned())));
}

#[test]
fn a_throttled_node_misses_its_floor_and_is_named() {
    let place = Place::new();
    if !common::campaign::there("mpirun.mpich") {
        return;
    }
    // 32 writes of rank 1 take at least 50 ms each: at most 2 MiB / 1.6 s.
    let env = [
        ("LD_PRELOAD", shim().display().to_string()),
        ("ASSAY_SHIM_RANK", "1".to_owned()),
        ("ASSAY_SHIM_UNDER", place.dir().display().to_string()),
        ("ASSAY_SHIM_FAULT", "slow:50".to_owned()),
        (TWO_NODES.0, TWO_NODES.1.to_owned()),
    ];
    let script = "ranks=$1; shift\nexec mpirun.mpich -n \"$ranks\" \"$@\"\n";
    let floor = "op = \">=\", value = \"1.4 MB/s\"";
    let criteria = [
        format!("{{ metric = \"write.node.min\", {floor} }}"),
        format!("{{ metric = \"write.rank.min\", {floor} }}"),
        "{ metric = \"write.duration.rank_max\", op = \"<=\", value = \"1.5 s\" }".to_owned(),
        "{ metric = \"write.latency.p95.rank_max\", op = \"<=\", value = \"49 ms\" }".to_owned(),
        "{ metric = \"write.node.spread\", op = \"<=\", value = \"20 %\" }".to_owned(),
    ];
    let test = format!(
        "[[test]]\nid = \"W\"\nior = \"-w -e -F -t 64k -b 2m\"\ncriterion = [{}]\n",
        criteria.join(", ")
    );
    place.plan(&format!("{}{test}", launch(&place, script, &env)));
    place.simulate_nodes();
    let ran = place.campaign();
    assert_eq!(place.outcomes(), ["W FAIL"; 5], "{ran:#?} {:#?}", place.verdicts());
    let verdicts = json(&place.folder().join("verdicts.json"));
    for (at, part) in ["node ", "rank 1 (", "rank 1 (", "rank 1 (", "node "].iter().enumerate() {
        let notes = verdicts[at]["notes"].as_array().unwrap();
        let slowest = notes.iter().find(|note| note["reason"]["code"] == "slowest-part");
        let named = slowest.unwrap()["reason"]["data"]["part"].to_string();
        assert!(named.contains(part) && named.contains("#2"), "{named}");
    }
}

#[test]
fn reads_on_the_node_that_wrote_the_data_are_counted() {
    let place = Place::new();
    if !common::campaign::there("mpirun.mpich") {
        return;
    }
    let script = "ranks=$1; shift\nexec mpirun.mpich -n \"$ranks\" \"$@\"\n";
    let launch = launch(&place, script, &[(TWO_NODES.0, TWO_NODES.1.to_owned())]);
    let reader = |id: &str, shift: &str| {
        format!(
            "[[test]]\nid = \"{id}\"\nior = \"-r -F -k -t 64k -b 128k {shift}\"\nuses = \"W\"\n\
             cache = \"warm\"\n\
             criterion = {{ metric = \"read.own_node_share\", op = \"<=\", value = \"0 %\" }}\n"
        )
    };
    place.plan(&format!(
        "{launch}[[test]]\nid = \"W\"\nior = \"-w -e -F -k -t 64k -b 128k\"\nrole = \"reported\"\n{}{}",
        reader("OTHER", "-C"),
        reader("OWN", "-C -Q 2")
    ));
    place.simulate_nodes();
    let ran = place.campaign();
    let verdicts = json(&place.folder().join("verdicts.json"));
    let found: Vec<_> = [0, 1].map(|at| (verdicts[at]["test"].clone(), verdicts[at]["value"].clone())).into();
    let shares = [("OTHER".into(), 0.0.into()), ("OWN".into(), 1.0.into())];
    assert_eq!(found, shares, "{ran:#?} {:#?}", place.verdicts());
    assert_eq!(place.outcomes()[0], "OTHER PASS");
}

#[test]
fn parts_with_another_wall_clock_than_the_campaign_are_invalid_with_both_times() {
    let place = Place::new();
    let script = "ranks=$1; shift; program=$1; shift\nexec \"$program\" -n \"$ranks\" \"$@\"\n";
    place.plan(&format!("{}{}", launch(&place, script, &ahead("0")), tests()));
    let ran = place.campaign();
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    let all = place.verdicts();
    assert_eq!(place.outcomes(), ["W PASS", "G.a INVALID", "G.b INVALID"], "{all:#?}");
    for (_, _, reason) in &all[1..] {
        assert_eq!(reason["code"], "clock-skew", "{reason}");
        for time in ["phases_from", "phases_to", "job_from", "job_to"] {
            assert!(reason["data"][time].is_string(), "{time}: {reason}");
        }
    }
}

//! Faults that are injected into a campaign, and the outcome of its clause. It is FAIL if the storage system
//! did not do it, INVALID if the measurement cannot be used, and status 5 if the file system was full.

use std::time::Duration;

use rustix::io::Errno;

use crate::common::campaign::{Place, there};
use crate::common::fuse::faults::{Call, Fault, FaultLayer};

/// Two ranks with a file of their own.
const IOR: &str = "ior = \"-w -r -F -e -o {dir}/f -b 256k -t 64k\"";
const COMPARED: &str = "ior = \"-w -R -F -e -o {dir}/f -b 256k -t 64k -G 7\"\nuncached = true";
const MDTEST: &str = "mdtest = \"-F -n 5\"";

/// A campaign of one test with this command line, in a directory with the fault.
fn campaign(layer: &FaultLayer, line: &str, metric: &str) -> Place {
    let place = Place::new();
    let op = match metric.ends_with("errors") {
        true => "op = \"==\", value = \"0 errors\"",
        false if metric.ends_with("rate") => "op = \">=\", value = \"0.001 /s\"",
        false => "op = \">=\", value = \"1 B/s\"",
    };
    let drop = if line.contains("uncached") { "" } else { "cache = \"warm\"\n" };
    let line = line.replace("\nuncached = true", "");
    place.plan(&format!(
        "[[test]]\nid = \"T\"\n{line}\n{drop}timeout = \"12 s\"\n\
         criterion = {{ metric = \"{metric}\", {op} }}\n"
    ));
    std::fs::remove_dir_all(layer.path().join("d")).unwrap_or_default();
    std::fs::create_dir(layer.path().join("d")).unwrap();
    place
}

fn run(place: &Place, layer: &FaultLayer) -> crate::common::Ran {
    let dir = layer.path().join("d").display().to_string();
    std::fs::create_dir_all(place.path("c")).unwrap();
    place.assay(&format!("run p.toml --dir {dir} --campaigns c --allow-lint-errors"))
}

/// The folder of the campaign, from the place.
fn folder(place: &Place) -> String {
    let names = crate::common::campaign::names(&place.path("c"));
    let found: Vec<&String> = names.iter().filter(|name| name.starts_with("assay-p-")).collect();
    assert_eq!(found.len(), 1, "{names:?}");
    format!("c/{}", found[0])
}

/// Outcome and reason of the only verdict.
fn verdict(place: &Place) -> (String, serde_json::Value) {
    let path = place.path(&folder(place)).join("verdicts.json");
    let verdicts = crate::common::campaign::json(&path);
    (verdicts[0]["outcome"].as_str().unwrap().to_owned(), verdicts[0]["reason"].clone())
}

#[test]
fn the_outcome_of_each_fault_says_who_failed() {
    let Some(layer) = FaultLayer::mount() else { return };
    let fails = |call, errno| Fault::Fails(call, errno, 200_000);
    let stalls = Fault::Stalls(Call::Write, Duration::from_secs(20), 200_000);
    for (line, metric, within, fault, outcome, code) in [
        (IOR, "write.bw", "f.0", fails(Call::Write, Errno::IO), "FAIL", "file-call-failed"),
        (IOR, "write.bw", "f.0", fails(Call::Fsync, Errno::IO), "FAIL", "file-call-failed"),
        (IOR, "write.bw", "f.0", fails(Call::Close, Errno::IO), "FAIL", "file-call-failed"),
        (IOR, "read.bw", "f.0", fails(Call::Read, Errno::STALE), "FAIL", "file-call-failed"),
        (IOR, "write.bw", "f.0", fails(Call::Open, Errno::TIMEDOUT), "FAIL", "file-call-failed"),
        (IOR, "write.bw", "f.0", fails(Call::Write, Errno::ROFS), "FAIL", "file-call-failed"),
        (IOR, "write.errors", "f.0", fails(Call::Write, Errno::IO), "FAIL", "file-call-failed"),
        (IOR, "write.errors", "nothing", fails(Call::Write, Errno::IO), "PASS", "threshold-met"),
        (IOR, "write.bw", "f.0", fails(Call::Write, Errno::ACCESS), "INVALID", "job-failed"),
        (IOR, "write.bw", "f.0", fails(Call::Open, Errno::NOMEM), "INVALID", "job-failed"),
        (IOR, "write.bw", "f.0", stalls, "FAIL", "call-never-returned"),
        (COMPARED, "read_check.errors", "f.0", Fault::Flipped(100_000), "FAIL", "wrong-data"),
        (COMPARED, "write.bw", "f.0", Fault::Flipped(100_000), "FAIL", "wrong-data"),
        (MDTEST, "file_stat.rate", "mdtest.1.3", fails(Call::Open, Errno::IO), "FAIL", "file-call-failed"),
        (MDTEST, "file_removal.rate", "mdtest.1.3", Fault::Ignored(Call::Remove), "FAIL", "file-call-failed"),
    ] {
        let what = format!("{line} {metric} {fault:?}");
        let place = campaign(&layer, line, metric);
        layer.set(within, fault);
        let ran = run(&place, &layer);
        layer.remove_fault();
        let (found, reason) = verdict(&place);
        assert_eq!((found.as_str(), reason["code"].as_str().unwrap()), (outcome, code), "{what}: {reason}");
        if outcome == "FAIL" && code != "wrong-data" {
            let data = &reason["data"];
            let known = ["rank", "node", "path", "call", "at"].map(|name| !data[name].is_null());
            assert!(known.iter().all(|known| *known), "{what}: {reason}");
            assert_eq!(ran.status, Some(1), "{what}: {ran:#?}");
        }
        assert_eq!(place.whole_jobs(place.path(&folder(&place))), 1, "{what}");
    }
}

#[test]
fn a_name_that_the_campaign_made_and_that_is_lost_fails_the_clause() {
    let Some(layer) = FaultLayer::mount() else { return };
    let place = campaign(&layer, "mdtest = \"-F -C -T -r -n 5\"", "file_stat.rate");
    // The name is found while it is created, but not by stat.
    layer.set("mdtest.1.3", Fault::Fails(Call::Lookup, Errno::NOENT, 0));
    let ran = run(&place, &layer);
    layer.remove_fault();
    let (outcome, reason) = verdict(&place);
    assert_eq!((outcome.as_str(), reason["code"].as_str()), ("FAIL", Some("file-call-failed")), "{ran:#?}");
    assert_eq!(reason["data"]["error"], "ENOENT");
}

#[test]
fn a_file_system_or_quota_that_one_rank_finds_full_pauses_the_campaign_and_it_resumes() {
    let Some(layer) = FaultLayer::mount() else { return };
    for errno in [Errno::NOSPC, Errno::DQUOT] {
        for (line, metric, within) in
            [(IOR, "write.bw", "f.00000001"), (MDTEST, "file_creation.rate", "mdtest.1.3")]
        {
            let place = campaign(&layer, line, metric);
            let call = if line == IOR { Call::Write } else { Call::Open };
            layer.set(within, Fault::Fails(call, errno, 200_000));
            let ran = run(&place, &layer);
            assert_eq!(ran.status, Some(5), "{errno:?}: {ran:#?}");
            for text in ["stopped after 0 of 1 jobs: /", "rank 1 on ", "Free space on that file system"] {
                assert!(ran.err.contains(text), "{text}: {ran:#?}");
            }
            layer.remove_fault();
            let folder = folder(&place);
            let resumed = place.assay(&format!("run --resume {folder}"));
            assert_eq!(place.outcomes_in(&folder), ["T PASS"], "{errno:?}: {resumed:#?}");
        }
    }
}

#[test]
fn a_rank_of_a_launcher_that_does_not_return_from_a_call_fails_the_clause() {
    let Some(layer) = FaultLayer::mount() else { return };
    for (launcher, more) in
        [("mpirun.openmpi", "\"--oversubscribe\", \"--allow-run-as-root\", "), ("mpirun.mpich", "")]
    {
        if !there(launcher) {
            continue;
        }
        let argv = format!("\"{launcher}\", {more}\"-n\", \"{{ranks}}\", \"{{cmd}}\"");
        let launch = format!("[launch]\nkind = \"mpirun\"\nargv = [{argv}]\nprobe = false\n");
        let place = campaign(&layer, IOR, "write.bw");
        let plan = std::fs::read_to_string(place.path("p.toml")).unwrap();
        std::fs::write(place.path("p.toml"), plan.replace("[[test]]", &format!("{launch}[[test]]"))).unwrap();
        layer.set("f.00000001", Fault::Stalls(Call::Write, Duration::from_secs(20), 200_000));
        let ran = run(&place, &layer);
        layer.remove_fault();
        let (outcome, reason) = verdict(&place);
        let found = (outcome.as_str(), reason["code"].as_str().unwrap(), &reason["data"]["rank"]);
        assert_eq!(found, ("FAIL", "call-never-returned", &1.into()), "{launcher}: {reason} {ran:#?}");
    }
}

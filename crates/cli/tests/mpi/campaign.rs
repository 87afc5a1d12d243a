//! Campaigns with jobs under a launcher of MPI.

use std::fs;
use std::path::Path;

use results::folder;

use crate::common::campaign::{Place, WRITTEN_AND_COMPARED, WRITTEN_AND_READ, json, there};

#[test]
fn a_plan_runs_under_each_mpi() {
    for (launcher, more) in
        [("mpirun.openmpi", "\"--oversubscribe\", \"--allow-run-as-root\", "), ("mpirun.mpich", "")]
    {
        if !there(launcher) {
            continue;
        }
        let place = Place::new();
        let argv = format!("\"{launcher}\", {more}\"-n\", \"{{ranks}}\", \"{{cmd}}\"");
        place.plan(&format!("[launch]\nkind = \"mpirun\"\nargv = [{argv}]\n{WRITTEN_AND_READ}"));
        let ran = place.campaign();
        assert!(ran.passed(), "{launcher}: {ran:#?}");
        assert_eq!(place.outcomes(), ["W PASS", "R PASS", "C PASS"]);
        let job = place.folder().join("jobs/0001-W-r1");
        assert_eq!(json(&job.join("job.json"))["argv"][0], launcher);
        let records = fs::read_to_string(job.join("records.jsonl")).unwrap();
        assert!(records.lines().next().is_some_and(|run| run.contains("\"ranks\":2")), "{records}");
    }
}

#[test]
fn launcher_and_libraries_are_recorded_with_their_hashes() {
    for (launcher, more) in
        [("mpirun.openmpi", "\"--oversubscribe\", \"--allow-run-as-root\", "), ("mpirun.mpich", "")]
    {
        if !there(launcher) {
            continue;
        }
        let place = Place::new();
        let argv = format!("\"{launcher}\", {more}\"-n\", \"{{ranks}}\", \"{{cmd}}\"");
        place.plan(&format!("[launch]\nkind = \"mpirun\"\nargv = [{argv}]\n{WRITTEN_AND_COMPARED}"));
        place.campaign().ok();
        let campaign = json(&place.folder().join("campaign.json"));
        let found = &campaign["launcher"];
        let path = Path::new(found["path"].as_str().unwrap());
        assert_eq!(found["sha256"], folder::sha256_of(path).unwrap(), "{found}");
        assert!(found["version"].as_str().unwrap().chars().any(|c| c.is_ascii_digit()), "{found}");
        let job = json(&place.folder().join("jobs/0001-W-r1/job.json"));
        let libraries = job["libraries"].as_array().unwrap();
        let mpi = libraries.iter().find(|library| library["path"].as_str().unwrap().contains("/libmpi"));
        let mpi = mpi.unwrap_or_else(|| panic!("{launcher}: {libraries:?}"));
        let path = Path::new(mpi["path"].as_str().unwrap());
        assert_eq!(mpi["sha256"], folder::sha256_of(path).unwrap(), "{mpi}");
    }
}

//! Checking a campaign's folder against the hashes in it.
//!
//! It finds what was changed after the fact by accident or in haste. Somebody who recomputes the
//! hashes as well is found only by comparing `campaign.json` with a copy kept elsewhere.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use super::{CampaignInfo, JobInfo, load::json, names, sha256_of};

/// One sentence for each file that is missing or differs from its hash; empty when all is as recorded.
/// Records are only hashed, so that one that cannot be read any more is named like every other.
pub fn verify(dir: &Path) -> io::Result<Vec<String>> {
    let info: CampaignInfo = json(&dir.join(names::CAMPAIGN))?;
    let mut faults = Vec::new();
    compare(dir, names::PLAN, &info.plan_sha256, &mut faults);
    let mut jobs = Vec::new();
    for entry in fs::read_dir(dir.join(names::JOBS))? {
        jobs.push(entry?.file_name().to_string_lossy().into_owned());
    }
    jobs.sort();
    // What was killed with its campaign has no hashes, and no verdict rests on it.
    for name in jobs.iter().filter(|name| !name.starts_with('.') && !name.contains(".killed-")) {
        let folder = format!("{}/{name}", names::JOBS);
        let file = format!("{folder}/{}", names::JOB);
        match fs::read(dir.join(&file)).map(|text| serde_json::from_slice::<JobInfo>(&text)) {
            Err(error) => faults.push(unread(&file, &error)),
            Ok(Err(error)) => faults.push(format!("{file} was changed: {error}")),
            Ok(Ok(job)) => {
                for (name, recorded) in job.sha256 {
                    compare(dir, &format!("{folder}/{name}"), &recorded, &mut faults);
                }
            }
        }
    }
    Ok(faults)
}

fn compare(dir: &Path, file: &str, recorded: &str, faults: &mut Vec<String>) {
    match sha256_of(&dir.join(file)) {
        Ok(found) if found == recorded => {}
        Ok(found) => faults.push(format!("{file} was changed: SHA-256 {found}, recorded was {recorded}")),
        Err(error) => faults.push(unread(file, &error)),
    }
}

fn unread(file: &str, error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => format!("{file} is missing"),
        _ => format!("{file} cannot be read: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::*;
    use super::*;
    use crate::record::{End, Record};
    use crate::records::{RecordFile, Sink};

    fn campaign(dir: &Path) -> JobInfo {
        let plan = "schema = 1\n";
        let info =
            CampaignInfo { plan: "p".into(), plan_sha256: sha256(plan.as_bytes()), ..Default::default() };
        create(dir, &info, plan).unwrap();
        write_machine(dir, names::BEFORE, &Machine { host: "n1".into(), ..Default::default() }).unwrap();
        let job = stage_job(dir, "0001-w-r1").unwrap();
        fs::write(job.dir().join(names::STDOUT), "hello\n").unwrap();
        let mut records = RecordFile::create(&job.dir().join(names::RECORDS)).unwrap();
        records.put(&Record::End(End::default())).unwrap();
        job.finish(JobInfo { number: 1, test: "w".into(), ..Default::default() }).unwrap()
    }

    #[test]
    fn a_folder_comes_back_as_it_was_written() {
        let place = tempfile::tempdir().unwrap();
        let dir = place.path().join("c");
        let info = campaign(&dir);
        let loaded = load(&dir).unwrap();
        assert_eq!(loaded.info.plan, "p");
        assert_eq!(loaded.plan, "schema = 1\n");
        assert_eq!(loaded.before.unwrap().host, "n1");
        assert_eq!(loaded.after, None);
        assert_eq!(loaded.verdicts, vec![]);
        assert_eq!(loaded.jobs.len(), 1);
        assert_eq!(loaded.jobs[0].folder, "jobs/0001-w-r1");
        assert_eq!(loaded.jobs[0].info, info);
        assert_eq!(loaded.jobs[0].records, [Record::End(End::default())]);
        assert_eq!(verify(&dir).unwrap(), Vec::<String>::new());
        assert!(create(&dir, &CampaignInfo::default(), "").is_err(), "a folder is never written over");
    }

    #[test]
    fn a_changed_and_a_missing_file_are_named() {
        let place = tempfile::tempdir().unwrap();
        let dir = place.path().join("c");
        campaign(&dir);
        fs::write(dir.join("jobs/0001-w-r1/stdout.txt"), "hullo\n").unwrap();
        fs::remove_file(dir.join("jobs/0001-w-r1/records.jsonl")).unwrap();
        let faults = verify(&dir).unwrap();
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert!(faults[0].starts_with("jobs/0001-w-r1/records.jsonl is missing"), "{faults:?}");
        assert!(faults[1].starts_with("jobs/0001-w-r1/stdout.txt was changed: SHA-256 "), "{faults:?}");
    }

    #[test]
    fn what_cannot_be_read_any_more_is_named_like_what_was_changed() {
        let place = tempfile::tempdir().unwrap();
        let dir = place.path().join("c");
        campaign(&dir);
        fs::write(dir.join("jobs/0001-w-r1/records.jsonl"), "{").unwrap();
        let faults = verify(&dir).unwrap();
        assert!(faults[0].starts_with("jobs/0001-w-r1/records.jsonl was changed: SHA-256 "), "{faults:?}");
        fs::write(dir.join("jobs/0001-w-r1/job.json"), "{").unwrap();
        let faults = verify(&dir).unwrap();
        assert!(faults[0].starts_with("jobs/0001-w-r1/job.json was changed: EOF"), "{faults:?}");
        fs::remove_file(dir.join("jobs/0001-w-r1/job.json")).unwrap();
        assert_eq!(verify(&dir).unwrap(), ["jobs/0001-w-r1/job.json is missing"]);
    }

    #[test]
    fn every_attempt_that_was_killed_is_kept_and_listed_but_is_no_job() {
        let place = tempfile::tempdir().unwrap();
        let dir = place.path().join("c");
        campaign(&dir);
        for attempt in 1..=2 {
            stage_job(&dir, "0002-r-r1").unwrap();
            assert_eq!(set_aside(&dir).unwrap(), [format!("jobs/0002-r-r1.killed-{attempt}")]);
        }
        let loaded = load(&dir).unwrap();
        assert_eq!(loaded.jobs.len(), 1);
        assert_eq!(loaded.killed, ["jobs/0002-r-r1.killed-1", "jobs/0002-r-r1.killed-2"]);
    }

    #[test]
    fn an_unreadable_file_is_named_and_an_empty_place_is_no_campaign() {
        let place = tempfile::tempdir().unwrap();
        assert!(load(place.path()).is_err());
        let dir = place.path().join("c");
        campaign(&dir);
        fs::write(dir.join(names::VERDICTS), "[").unwrap();
        let error = load(&dir).unwrap_err().to_string();
        assert!(error.contains("verdicts.json: EOF"), "{error}");
    }
}

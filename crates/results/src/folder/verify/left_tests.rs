//! Unusual entries that jobs and kills leave: odd file names, links, pipes, incomplete folders.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::process::Command;

use super::super::limits::UnpackLimits;
use super::super::unpack::unpack_within;
use super::super::*;
use super::tests::{campaign, end, info, job, place, resumed, verify, whole_campaign};
use super::*;
use crate::{Outcome, Record, Verdict};

const PLAN: &str = "schema = 1\n";

fn odd(name: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(name))
}

/// Packs the folder, unpacks it, and checks that it is unchanged.
fn comes_back(dir: &Path) {
    let place = tempfile::tempdir().unwrap();
    pack(dir, &place.path().join("a.tar.gz"), &[]).unwrap();
    fs::create_dir(place.path().join("u")).unwrap();
    let there = unpack(&place.path().join("a.tar.gz"), &place.path().join("u")).unwrap();
    assert_eq!(check(&there).unwrap(), check(dir).unwrap());
    fs::create_dir(place.path().join("tar")).unwrap();
    let mut tar = Command::new("tar");
    tar.arg("xzf").arg(place.path().join("a.tar.gz")).current_dir(place.path().join("tar"));
    assert!(tar.status().unwrap().success());
    assert_eq!(check(&place.path().join("tar/c")).unwrap(), check(dir).unwrap());
}

#[test]
fn files_with_names_that_are_not_text_are_evidence_like_all_others() {
    let (_place, dir) = place();
    campaign(&dir);
    let staged = stage_job(&dir, "0002-r-r1", &CampaignProcess::default()).unwrap();
    fs::create_dir(staged.dir().join(odd(b"d\xff"))).unwrap();
    for name in [&b"d\xff/core\xfe"[..], b"a\xff", b"a\xfe", b"a\\xff"] {
        fs::write(staged.dir().join(odd(name)), "dump").unwrap();
    }
    staged.finish(JobInfo::default()).unwrap();
    end(&dir);
    assert_eq!(verify(&dir).unwrap(), Vec::<String>::new());
    comes_back(&dir);
    let at = dir.join("jobs/0002-r-r1");
    fs::write(at.join(odd(b"a\xfe")), "dumb").unwrap();
    fs::remove_file(at.join(odd(b"d\xff/core\xfe"))).unwrap();
    fs::write(at.join(odd(b"b\xfe")), "").unwrap();
    let faults = verify(&dir).unwrap();
    assert_eq!(faults.len(), 3, "{faults:?}");
    assert!(faults[0].starts_with("jobs/0002-r-r1/a\\xfe was changed: "), "{faults:?}");
    assert_eq!(faults[1], "jobs/0002-r-r1/d\\xff/core\\xfe is missing");
    assert_eq!(faults[2], "jobs/0002-r-r1/b\\xfe was added: it is not in chain.jsonl");
}

#[test]
fn links_come_back_from_an_archive_byte_by_byte() {
    let (_place, dir) = place();
    campaign(&dir);
    let staged = stage_job(&dir, "0002-r-r1", &CampaignProcess::default()).unwrap();
    let long = format!("a//{}", "b/".repeat(80));
    let at_most = "x".repeat(100);
    for (number, target) in ["a//b", "./a/./b/", "../..//c", "..", &long, &at_most].iter().enumerate() {
        symlink(target, staged.dir().join(format!("l{number}"))).unwrap();
    }
    symlink(odd(b"t\xff"), staged.dir().join(format!("{}l", "n".repeat(120)))).unwrap();
    staged.finish(JobInfo::default()).unwrap();
    end(&dir);
    assert_eq!(verify(&dir).unwrap(), Vec::<String>::new());
    comes_back(&dir);
}

#[test]
fn links_out_of_the_folder_are_removed_with_a_note_and_a_folder_with_one_does_not_verify() {
    let (_place, dir) = place();
    campaign(&dir);
    for killed in [true, false] {
        let staged = stage_job(&dir, "0002-r-r1", &CampaignProcess::default()).unwrap();
        fs::create_dir(staged.dir().join("d")).unwrap();
        symlink("/etc/hosts", staged.dir().join("d/l")).unwrap();
        symlink("../../../x", staged.dir().join("up")).unwrap();
        symlink("d/l", staged.dir().join("stays")).unwrap();
        match killed {
            true => drop(resumed(&dir).unwrap()),
            false => drop(staged.finish(JobInfo::default()).unwrap()),
        }
    }
    end(&dir);
    assert_eq!(verify(&dir).unwrap(), Vec::<String>::new());
    comes_back(&dir);
    let chain = fs::read_to_string(dir.join(names::CHAIN)).unwrap();
    let note = r#""note":"removed, because a link out of the folder: d/l -> /etc/hosts, up -> ../../../x""#;
    assert_eq!(chain.matches(note).count(), 2, "{chain}");
    // A chain of another program may have the hash of such a link.
    fs::remove_file(dir.join(names::REPORT)).unwrap();
    symlink("/etc/hosts", dir.join(names::REPORT)).unwrap();
    let faults = verify(&dir).unwrap();
    assert!(faults.contains(&"report.html is a link that leads out of the folder".to_owned()), "{faults:?}");
}

#[test]
fn an_archive_beyond_its_limits_is_rejected() {
    let (place, dir) = place();
    whole_campaign(&dir);
    let archive = place.path().join("a.tar.gz");
    pack(&dir, &archive, &[]).unwrap();
    let all = || UnpackLimits::default();
    for (limits, why) in [
        (all(), None),
        (UnpackLimits { bytes: 1000, ..all() }, Some("its files have more than 1000 bytes")),
        (UnpackLimits { entries: 9, ..all() }, Some("it has more than 9 entries")),
        (UnpackLimits { ratio: 1, ratio_from: 0, ..all() }, Some("more than 1 times its size")),
    ] {
        let into = tempfile::tempdir().unwrap();
        let unpacked = unpack_within(&archive, into.path(), &limits);
        let error = unpacked.err().map(|error| error.to_string());
        assert_eq!(error.is_some(), why.is_some(), "{error:?}");
        assert!(error.unwrap_or_default().contains(why.unwrap_or_default()), "{why:?}");
    }
}

#[test]
fn an_archive_with_bytes_after_its_end_or_with_very_many_empty_entries_is_rejected() {
    let (place, dir) = place();
    whole_campaign(&dir);
    let archive = place.path().join("a.tar.gz");
    pack(&dir, &archive, &[]).unwrap();
    let whole = fs::read(&archive).unwrap();
    let rejection = |bytes: &[u8]| {
        fs::write(&archive, bytes).unwrap();
        let into = tempfile::tempdir().unwrap();
        unpack_within(&archive, into.path(), &UnpackLimits::default()).err().map(|error| error.to_string())
    };
    let compressed = |bytes: &[u8]| {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    };
    let mut tar = Vec::new();
    flate2::read::GzDecoder::new(&whole[..]).read_to_end(&mut tar).unwrap();
    assert_eq!(rejection(&whole), None);
    assert_eq!(rejection(&compressed(&[&tar[..], &[0; 10_240]].concat())), None, "zeros fill a record");
    let behind = [
        [&whole[..], b"x"].concat(),
        [&whole[..], &whole[..]].concat(),
        compressed(&[&tar[..], b"x"].concat()),
        compressed(&[&tar[..], &[0; 2 << 20]].concat()),
    ];
    for bytes in behind {
        let why = rejection(&bytes).unwrap_or_default();
        assert!(why.ends_with("it has bytes after its end"), "{why}");
    }
    let mut many = tar::Builder::new(Vec::new());
    for number in 0..20_000 {
        let mut header = tar::Header::new_gnu();
        header.set_size(0);
        header.set_mode(0o644);
        many.append_data(&mut header, number.to_string(), io::empty()).unwrap();
    }
    let why = rejection(&compressed(&many.into_inner().unwrap())).unwrap_or_default();
    assert!(why.contains("more than 100 times its size"), "{why}");
}

#[test]
fn pipes_and_sockets_are_removed_with_a_note() {
    let (_place, dir) = place();
    campaign(&dir);
    for killed in [true, false] {
        let staged = stage_job(&dir, "0002-r-r1", &CampaignProcess::default()).unwrap();
        fs::create_dir(staged.dir().join("d")).unwrap();
        let _socket = UnixListener::bind(staged.dir().join("d/socket")).unwrap();
        let made = Command::new("mkfifo").arg(staged.dir().join("pipe")).status().unwrap();
        assert!(made.success());
        match killed {
            true => drop(resumed(&dir).unwrap()),
            false => drop(staged.finish(JobInfo::default()).unwrap()),
        }
    }
    end(&dir);
    assert_eq!(verify(&dir).unwrap(), Vec::<String>::new());
    comes_back(&dir);
    let chain = fs::read_to_string(dir.join(names::CHAIN)).unwrap();
    let note = r#""note":"removed, because not a regular file: d/socket, pipe""#;
    assert_eq!(chain.matches(note).count(), 2, "{chain}");
}

#[test]
fn ten_thousand_jobs_are_in_order() {
    let (_place, dir) = place();
    campaign(&dir);
    for number in [10_000, 9_999] {
        let staged = stage_job(&dir, &format!("{number}-r-r1"), &CampaignProcess::default()).unwrap();
        staged.finish(JobInfo { number, ..JobInfo::default() }).unwrap();
    }
    let numbers: Vec<u32> = load(&dir).unwrap().jobs.iter().map(|job| job.info.number).collect();
    assert_eq!(numbers, [1, 9_999, 10_000]);
    for folder in ["jobs/10000-r-r1", "10000-r-r1", "jobs/.0001-r-r1", "jobs/0001-r-r1.killed-3"] {
        assert_eq!(job_of(folder), "r-r1", "{folder}");
    }
}

#[test]
fn malformed_records_affect_their_job_and_not_the_campaign() {
    let (_place, dir) = place();
    campaign(&dir);
    let staged = stage_job(&dir, "0002-r-r1", &CampaignProcess::default()).unwrap();
    fs::write(staged.dir().join(names::RECORDS), "none\nof them\n").unwrap();
    staged.finish(JobInfo { number: 2, ..JobInfo::default() }).unwrap();
    let [first, second] = &load(&dir).unwrap().jobs[..] else { panic!() };
    assert_eq!((first.records.len(), &first.unreadable), (1, &None));
    assert_eq!(second.records, Vec::<Record>::new());
    let why = second.unreadable.as_deref().unwrap();
    assert!(why.starts_with("jobs/0002-r-r1/records.jsonl line 1: expected "), "{why}");
}

#[test]
fn an_archive_with_a_second_folder_is_rejected() {
    let (place, dir) = place();
    whole_campaign(&dir);
    let out = place.path().join("a.tar.gz");
    fs::create_dir(place.path().join("other")).unwrap();
    let mut tar = Command::new("tar");
    assert!(tar.arg("czf").arg(&out).args(["other", "c"]).current_dir(&place).status().unwrap().success());
    fs::create_dir(place.path().join("u")).unwrap();
    let rejected = unpack(&out, &place.path().join("u")).unwrap_err().to_string();
    assert!(rejected.ends_with("it contains more than one campaign folder: c, other"), "{rejected}");
}

#[test]
fn only_a_folder_of_a_campaign_that_never_began_is_removed() {
    let (_place, dir) = place();
    for steps in 0..=8 {
        fs::create_dir(&dir).unwrap();
        let whole = tempfile::tempdir().unwrap();
        create(&whole.path().join("c"), &info(SCHEMA), PLAN).unwrap();
        let entry = fs::read(whole.path().join("c").join(names::CHAIN)).unwrap();
        let bytes = fs::read(whole.path().join("c").join(names::CAMPAIGN)).unwrap();
        let write = |name: &str, bytes: &[u8]| fs::write(dir.join(name), bytes).unwrap();
        for step in 1..=steps {
            match step {
                1 => fs::create_dir(dir.join(names::JOBS)).unwrap(),
                2 => write(names::CHAIN, b""),
                3 => write(".plan.toml.part", b"sche"),
                4 => write(".plan.toml.part", PLAN.as_bytes()),
                5 => write(".campaign.json.part", &bytes),
                6 => write(names::CHAIN, &entry[..20]),
                7 => write(names::CHAIN, &entry),
                _ => fs::rename(dir.join(".plan.toml.part"), dir.join(names::PLAN)).unwrap(),
            }
        }
        assert_eq!(unbegun(&dir), (steps >= 5).then(|| info(SCHEMA)), "{steps}");
        assert!(discard(&dir).unwrap() && !dir.exists(), "{steps}");
    }
    for mine in ["mine", "plan.toml", "jobs/mine", "campaign.json", "verdicts.json"] {
        fs::create_dir_all(dir.join(names::JOBS)).unwrap();
        fs::write(dir.join(mine), "precious").unwrap();
        assert!(!discard(&dir).unwrap() && dir.join(mine).exists(), "{mine}");
        fs::remove_file(dir.join(mine)).unwrap();
    }
    fs::remove_dir_all(&dir).unwrap();
    campaign(&dir);
    job(&dir, "0002-r-r1");
    assert!(!discard(&dir).unwrap() && check(&dir).unwrap().faults.is_empty());
}

#[test]
fn only_files_with_the_hash_in_the_chain_can_be_restored() {
    let (_place, dir) = place();
    whole_campaign(&dir);
    fs::remove_file(dir.join(names::VERDICTS)).unwrap();
    let other = Verdict { test: "t".into(), outcome: Outcome::Pass, ..Verdict::default() };
    assert!(!restore(&dir, names::VERDICTS, &verdicts_bytes(&[other]).unwrap()).unwrap());
    assert!(!dir.join(names::VERDICTS).exists());
    assert!(restore(&dir, names::VERDICTS, &verdicts_bytes(&[]).unwrap()).unwrap());
    assert_eq!(verify(&dir).unwrap(), Vec::<String>::new());
}

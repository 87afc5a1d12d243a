//! Faults of a file system, one at a time: each is reported with its place, and what was measured before is
//! kept.

use std::time::Duration;

use results::Record;
use results::reason::Code;
use rustix::io::Errno;

use crate::common::campaign::{Place, WRITTEN_AND_COMPARED, json, there};
use crate::common::fuse::faults::{Call, Fault, FaultLayer};
use crate::common::mdtest::complaints;
use crate::common::{Mpi, Ran, only_in_all, run};

/// Every call that can fail, and with which error.
const FAILING: [(Call, Errno); 7] = [
    (Call::Open, Errno::IO),
    (Call::Read, Errno::IO),
    (Call::Write, Errno::IO),
    (Call::Write, Errno::NOSPC),
    (Call::Write, Errno::DQUOT),
    (Call::Fsync, Errno::IO),
    (Call::Close, Errno::IO),
];
/// Two repetitions in files of their own, `f.RANK.REPETITION`.
const IOR: &str = "ior -w -r -F -e -k -m -i 2 -b 256k -t 64k";
const MDTEST: &str = "mdtest -n 5 -y -w 3901 -e 3901";

/// Runs `assay -n 2 WORDS` with records, in the layer. Gives also the records.
fn start(layer: &FaultLayer, words: &str) -> (Ran, String) {
    let place = Place::new();
    let path = layer.path().join("f").display().to_string();
    let target = match words.split(' ').next() {
        Some("ior") => format!("-o {path}"),
        Some("mdtest") => format!("-d {path}"),
        _ => String::new(),
    };
    let ran = place.assay(&format!("-n 2 {words} {target} --record r"));
    (ran, std::fs::read_to_string(place.path("r")).unwrap())
}

/// The message of an error number.
fn message(errno: Errno) -> String {
    let text = std::io::Error::from(errno).to_string();
    text.split(" (os error").next().unwrap().to_owned()
}

/// Asserts that the run ended with one line, which has these texts, and kept this number of phases.
fn assert_ended(ran: &Ran, records: &str, lines: &[&str], texts: &[&str], phases: usize) {
    assert!(ran.status == Some(4) && lines.len() == 1, "{ran:#?}");
    assert!(texts.iter().all(|text| lines[0].contains(text)), "{texts:?}: {}", lines[0]);
    let kept = records.matches("\"record\":\"phase\"").count();
    let is_reported = records.contains("\"record\":\"failure\"") && records.contains("\"exit\":4");
    assert!(kept == phases && is_reported, "{kept} of {phases} phases: {records}");
}

#[test]
fn each_failing_call_ends_ior_with_its_rank_path_and_offset() {
    let Some(layer) = FaultLayer::mount() else { return };
    let path = layer.path().join("f.00000001.1").display().to_string();
    for (call, errno) in FAILING {
        layer.set("f.00000001.1", Fault::Fails(call, errno, 200_000));
        let (ran, records) = start(&layer, IOR);
        let (phase, place, phases) = match call {
            Call::Open => ("write", format!("cannot create {path}: "), 2),
            Call::Read => ("read", format!("{path} at 196608: "), 3),
            Call::Write => ("write", format!("{path} at 196608: "), 2),
            Call::Fsync => ("write", format!("fsync {path}: "), 2),
            Call::Close => ("write", format!("close {path}: "), 2),
            Call::Lookup | Call::Remove => unreachable!("not among them"),
        };
        let begin = format!("ior: {phase}: rank 1 (node ");
        assert_ended(&ran, &records, &ran.complaints(), &[&begin, &place, &message(errno)], phases);
        assert!(layer.struck() > 0, "{call:?}");
    }
}

/// The error number of the call that ended a run.
fn failed_errno(records: &str) -> Option<i32> {
    let records = records.lines().filter_map(|line| serde_json::from_str(line).ok());
    { records }.find_map(|record: Record| match record {
        Record::Failure(failure) => failure.call?.errno,
        _ => None,
    })
}

#[test]
fn a_failure_of_mpi_io_is_recorded_with_the_error_number_of_the_system() {
    let Some(layer) = FaultLayer::mount() else { return };
    let dir = tempfile::tempdir().unwrap();
    for mpi in [Mpi::Open, Mpi::Mpich] {
        for (how, call, errno) in [
            ("-F", Call::Write, Errno::IO),
            ("-F", Call::Write, Errno::INVAL),
            ("-c", Call::Write, Errno::IO),
            ("-F", Call::Read, Errno::IO),
            ("-F", Call::Read, Errno::STALE),
            ("-F --mpiio.useFileView", Call::Read, Errno::NOMEM),
            ("-F", Call::Fsync, Errno::IO),
        ] {
            layer.set("", Fault::Fails(call, errno, 200_000));
            let path = layer.path().join("f");
            let words =
                format!("-a MPIIO {how} -w -r -e -b 256k -t 64k -o {} --record r.jsonl", path.display());
            let _ = std::fs::remove_file(dir.path().join("r.jsonl"));
            let Some(ran) = mpi.ior(dir.path(), 2, &words) else { continue };
            layer.remove_fault();
            let records = std::fs::read_to_string(dir.path().join("r.jsonl")).unwrap();
            let found = failed_errno(&records);
            assert_eq!(found, Some(errno.raw_os_error()), "{mpi:?} {how} {call:?}: {ran:#?}");
        }
    }
}

#[test]
fn a_fault_of_a_mapping_is_recorded_with_the_error_number_of_the_system() {
    let Some(layer) = FaultLayer::mount() else { return };
    for errno in [Errno::IO, Errno::STALE] {
        let words = "-a MMAP -F -k -b 256k -t 64k";
        start(&layer, &format!("ior -w {words}")).0.ok();
        layer.set("", Fault::Fails(Call::Read, errno, 200_000));
        let (ran, records) = start(&layer, &format!("ior -r {words}"));
        assert_eq!(failed_errno(&records), Some(errno.raw_os_error()), "{ran:#?}");
        // The kernel reads a page before it is written, and a plain write does not.
        let (ran, records) = start(&layer, &format!("ior -w {words}"));
        assert_eq!(failed_errno(&records), Some(Errno::IO.raw_os_error()), "{ran:#?}");
        layer.remove_fault();
    }
}

#[test]
fn each_failing_call_ends_mdtest_with_its_rank_and_item() {
    let Some(layer) = FaultLayer::mount() else { return };
    for (call, errno) in FAILING {
        layer.set("file.mdtest.1.3", Fault::Fails(call, errno, 2000));
        let (ran, records) = start(&layer, MDTEST);
        // The phases of the tree and of directories are before those of files.
        let (phase, phases) = if call == Call::Read { ("file read", 7) } else { ("file creation", 5) };
        let begin = format!("mdtest: {phase}: rank 1 (node ");
        assert_ended(
            &ran,
            &records,
            &complaints(&ran),
            &[&begin, "/file.mdtest.1.3", &message(errno)],
            phases,
        );
        assert!(layer.struck() > 0, "{call:?}");
        layer.remove_fault();
        std::fs::remove_dir_all(layer.path().join("f")).unwrap();
    }
}

#[test]
fn wrong_data_is_found_by_ior_at_its_place() {
    let Some(layer) = FaultLayer::mount() else { return };
    let path = layer.path().join("f").display().to_string();
    for (fault, place) in [
        (Fault::Lost(400_000), "at 393216: 65536 bytes zero"),
        (Fault::Torn(400_000), "at 425984: 32768 bytes zero"),
        (Fault::Shifted(400_000), "at 393216: 512 bytes zero"),
        (Fault::Flipped(400_000), "at 400000: 8 bytes flipped"),
        (Fault::Misread(400_000), "at 400000: 8 bytes flipped"),
    ] {
        for (words, check) in [("-w -W", "write"), ("-w -r -R", "read")] {
            let _ = std::fs::remove_file(&path);
            layer.set("", fault);
            let (ran, records) = start(&layer, &format!("ior {words} -e -k -G 7 -b 256k -t 64k"));
            let line = format!("assay: rank 1: {path} {place}, ");
            let classic = format!("WARNING: Incorrect data on {check} (1 errors found).");
            assert!(ran.out.contains(&line) && ran.out.contains(&classic), "{fault:?}: {ran:#?}");
            // The kernel may read the bad page ahead for one rank, and again for the other one.
            let is_once = layer.struck() == 1 || matches!(fault, Fault::Misread(_)) && layer.struck() > 0;
            assert!(ran.status == Some(4) && is_once, "{fault:?}: {ran:#?}");
            assert!(records.contains("\"bad_transfers\":1"), "{fault:?}: {records}");
        }
    }
}

#[test]
fn wrong_data_is_found_by_mdtest_at_its_place() {
    let Some(layer) = FaultLayer::mount() else { return };
    for (fault, place) in [
        (Fault::Lost(2000), "at 0: 3901 bytes truncated"),
        (Fault::Torn(2000), "at 1950: 1951 bytes truncated"),
        (Fault::Shifted(2000), "at 0: 512 bytes zero"),
        (Fault::Flipped(2000), "at 2000: 8 bytes flipped"),
        (Fault::Misread(2000), "at 2000: 8 bytes flipped"),
    ] {
        layer.set("file.mdtest.1.3", fault);
        let (ran, records) = start(&layer, &format!("{MDTEST} -G 7 -X"));
        let found = ran.out.lines().find(|line| line.starts_with("assay:   rank 1: ")).expect(&ran.out);
        assert!(found.contains(&format!("/file.mdtest.1.3 {place}, ")), "{fault:?}: {found}");
        assert!(ran.out.contains(" 1 files WRONG\n"), "{fault:?}: {ran:#?}");
        assert_eq!((ran.status, layer.struck()), (Some(4), 1), "{fault:?}: {ran:#?}");
        assert!(records.contains("\"code\":\"wrong-kinds\""), "{fault:?}: {records}");
    }
}

#[test]
fn a_campaign_never_passes_data_that_was_lost_or_changed_and_judge_derives_the_same_again() {
    let Some(layer) = FaultLayer::mount() else { return };
    for (fault, offset) in [
        (Fault::Lost(100_000), 65_536),
        (Fault::Torn(100_000), 98_304),
        (Fault::Shifted(100_000), 65_536),
        (Fault::Flipped(100_000), 100_000),
    ] {
        let place = Place::new();
        place.plan(WRITTEN_AND_COMPARED);
        layer.set("", fault);
        let dir = layer.path().display().to_string();
        let ran = place.assay(&format!("run p.toml --dir {dir} --campaigns {}", place.path("").display()));
        assert_eq!((ran.status, layer.struck()), (Some(1), 1), "{fault:?}: {ran:#?}");
        let assert_found = || {
            assert_eq!(place.outcomes(), ["W FAIL", "R FAIL"], "{fault:?}");
            for (_, _, reason) in place.verdicts() {
                let found = (reason["code"].as_str(), reason["data"]["offset"].as_u64());
                assert_eq!(found, (Some("wrong-data"), Some(offset)), "{fault:?}");
            }
        };
        assert_found();
        std::fs::remove_file(place.folder().join("verdicts.json")).unwrap();
        let again = place.assay(&format!("judge {}", place.folder().display()));
        assert_eq!(again.status, Some(1), "{fault:?}: {again:#?}");
        assert_found();
    }
}

#[test]
fn each_stalled_call_is_reported_while_it_lasts_and_the_run_ends_well() {
    let stalled = |call: Call, word: &str| {
        let Some(layer) = FaultLayer::mount() else { return };
        let path = layer.path().join("f").display().to_string();
        layer.set("f.00000001.0", Fault::Stalls(call, Duration::from_millis(2500), 200_000));
        let place = Place::new();
        // With barriers (-g), no rank is still opening its file while another one moves data.
        let ran =
            run(place.command(&format!("-n 2 {IOR} -g -o {path} --record r")).env("ASSAY_WAIT_REPORT", "1"));
        assert_eq!((ran.status, layer.struck()), (Some(0), 1), "{call:?}: {ran:#?}");
        let reported = format!("assay: rank 1 has been in {word}");
        let line =
            ran.err.lines().find(|line| line.starts_with(&reported)).unwrap_or_else(|| panic!("{ran:#?}"));
        // The kernel does not show the file of a descriptor that is being closed.
        let shows_path = call != Call::Close;
        assert_eq!(line.contains(&format!(" of {path}.00000001.0 for ")), shows_path, "{line}");
        let records = results::records::load(&place.path("r")).unwrap();
        let mut phases = results::record::phases(&records);
        // The file of the fault is that of the first repetition.
        let name = if call == Call::Read { "read" } else { "write" };
        let phase = phases.find(|phase| phase.phase == name).expect(name);
        let seconds = match call {
            Call::Read | Call::Write => {
                assert!(ran.out.contains(": no rank moved anything for "), "{ran:#?}");
                let is_stall =
                    |one: &Record| matches!(one, Record::Notice(notice) if notice.reason.code == Code::Stall);
                assert!(records.iter().any(is_stall), "{records:#?}");
                phase.balance.seconds_max
            }
            Call::Fsync => {
                // The call of rank 0 may wait behind that of rank 1. Then either can be the slowest.
                assert!(ran.out.contains(" s on rank "), "{ran:#?}");
                phase.sync.as_ref().expect("the time of fsync").seconds_max
            }
            Call::Open => phase.spans.open_s,
            Call::Close => phase.spans.close_s,
            Call::Lookup | Call::Remove => unreachable!("not among them"),
        };
        assert!(seconds >= 2.5, "{call:?}: {seconds} s: {phase:#?}");
    };
    std::thread::scope(|all| {
        for (call, word) in [
            (Call::Open, "open of "),
            (Call::Read, "read at "),
            (Call::Write, "write at "),
            (Call::Fsync, "fsync of "),
            (Call::Close, "close for "),
        ] {
            all.spawn(move || stalled(call, word));
        }
    });
}

#[test]
fn a_stalled_write_is_a_warning_in_the_verdict_of_its_test_and_of_no_other() {
    let Some(layer) = FaultLayer::mount() else { return };
    let test = |id: &str| {
        format!(
            "[[test]]\nid = \"{id}\"\nior = \"-w -F -e -g -t 64k -b 256k\"\n\
             criterion = {{ metric = \"write.bw\", stat = \"max\", op = \">=\", value = \"1 B/s\" }}\n"
        )
    };
    let place = Place::new();
    place.plan(&["A", "STALLED", "B"].map(test).concat());
    layer.set("/STALLED", Fault::Stalls(Call::Write, Duration::from_millis(2500), 200_000));
    let dir = layer.path().display().to_string();
    let ran = place.assay(&format!("run p.toml --dir {dir} --campaigns {}", place.path("").display()));
    assert!(ran.passed() && layer.struck() == 1, "{ran:#?}");
    let assert_named = || {
        let verdicts = json(&place.folder().join("verdicts.json"));
        for verdict in verdicts.as_array().unwrap() {
            let warnings = verdict["warnings"].as_array().unwrap();
            let stalls = warnings.iter().filter(|one| one["reason"]["code"] == "stall").count();
            assert_eq!(stalls, usize::from(verdict["test"] == "STALLED"), "{verdict:#?}");
        }
    };
    assert_named();
    std::fs::remove_file(place.folder().join("verdicts.json")).unwrap();
    assert!(place.assay(&format!("judge {}", place.folder().display())).passed());
    assert_named();
}

/// Ten hours, in seconds.
const AHEAD: [i64; 2] = [36_000, -36_000];

/// Sets the clock of the layer, and asserts that its files have the times of it.
fn set_clock(layer: &FaultLayer, ahead: i64) {
    layer.set("", Fault::Ahead(ahead));
    let path = layer.path().join("now");
    std::fs::write(&path, "now").unwrap();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs() as i64;
    let off = std::os::unix::fs::MetadataExt::mtime(&std::fs::metadata(&path).unwrap()) - now;
    std::fs::remove_file(path).unwrap();
    assert!((off - ahead).abs() < 60, "{off} s in place of {ahead} s");
}

#[test]
fn a_file_system_whose_clock_is_hours_off_gives_no_failure_and_no_negative_time() {
    let Some(layer) = FaultLayer::mount() else { return };
    for ahead in AHEAD {
        set_clock(&layer, ahead);
        let listed = format!("ls-lr --make --walk --remove --entries 300 {}", layer.path().display());
        for words in [&format!("{IOR} -W -R"), &format!("{MDTEST} -G 7 -X"), &listed] {
            let (ran, records) = start(&layer, words);
            assert_eq!((ran.status, ran.err.as_str()), (Some(0), ""), "{ahead} {ran:#?}");
            let numbers =
                records.split([',', '{', '[']).filter(|part| part.contains(":-") || part.starts_with('-'));
            assert_eq!(numbers.collect::<Vec<_>>(), Vec::<&str>::new(), "{ahead} {words}");
        }
        let place = Place::new();
        let cases = place.assay(&format!("-n 2 mpi-io --only posix.* {}", layer.path().display())).ok();
        assert!(cases.contains("PASS         posix.times.mtime"), "{cases}");
        place.plan(WRITTEN_AND_COMPARED);
        let layer = layer.path().display().to_string();
        let campaign = place.assay(&format!("run p.toml --dir {layer} --campaigns {layer}"));
        assert!(campaign.passed(), "{campaign:#?}");
    }
}

#[test]
fn cases_of_mpi_io_pass_where_the_clock_of_the_file_system_is_hours_off() {
    if !only_in_all("cases of MPI-IO take half a minute") || !there("mpirun.mpich") {
        return;
    }
    let Some(layer) = FaultLayer::mount() else { return };
    for ahead in AHEAD {
        set_clock(&layer, ahead);
        let place = Place::new();
        let mut command = place.command("mpi-io --only posix.* --only access.*.much --only atomic.*");
        run(command.args(["--launch", "mpirun.mpich -n 2"]).arg(layer.path())).ok();
    }
}

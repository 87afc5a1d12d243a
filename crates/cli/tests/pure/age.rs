//! `age` fills a file system, ages it, resumes after a kill, and removes what it created.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::age::{Mounted, SMALL, TARGETS, assert_rejected};
use crate::common::campaign::signal;
use crate::common::{self, Ran, assay, only_in_all, run};
use command::Settings;
use results::Record;
use results::progress::ProgressShown;
use results::record::ReachedState;

const GIB: u64 = 1 << 30;

fn state_of(records: &Path) -> ReachedState {
    let found = results::records::load(records).unwrap().into_iter().find_map(|record| match record {
        Record::State(state) => Some(*state),
        _ => None,
    });
    found.expect("a record of the state")
}

fn is_near(utilization: (f64, f64), blocks: f64, inodes: f64) -> bool {
    (utilization.0 - blocks).abs() <= 0.01 && (utilization.1 - inodes).abs() <= 0.01
}

/// Writes files of these sizes one after the other. Gives how many files have more than one extent, and the
/// number of files.
fn sequential(mounted: &Mounted, sizes: &[usize]) -> (u64, u64) {
    let mut word = 1_u64;
    let data: Vec<u8> = (0..32 << 20)
        .map(|_| {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (word >> 56) as u8
        })
        .collect();
    for (number, size) in sizes.iter().enumerate() {
        fs::write(mounted.root.join(format!("f{number}")), &data[..*size]).unwrap();
    }
    mounted.write_back();
    let posix = (storage::driver("posix").unwrap().open)(&Settings::default()).unwrap();
    let extents = (0..sizes.len()).map(|number| {
        posix.extents(&mounted.root.join(format!("f{number}"))).unwrap().expect("they are reported")
    });
    (extents.filter(|extents| *extents > 1).count() as u64, sizes.len() as u64)
}

/// Fills and ages a file system of 2 GiB, does something to it, and compares it with one that was filled in
/// sequence.
fn ages(mkfs: &str, ranks: u32, cycles: &str, then: impl FnOnce(&Mounted)) {
    let Some(mounted) = Mounted::on_loop(mkfs, 2 * GIB) else { return };
    let ran = mounted.age(ranks, &format!("{TARGETS} --cycles {cycles} --seed 5 --record r"));
    assert_eq!((ran.status, ran.err.as_str()), (Some(0), ""), "only the result is printed: {ran:#?}");
    assert!(is_near(mounted.utilization(), 0.8, 0.2), "{:?}", mounted.utilization());
    let state = state_of(&mounted.root.join("r"));
    assert!(is_near((state.blocks, state.inodes), 0.8, 0.2), "{state:?}");
    let wanted: f64 = cycles.parse().unwrap();
    assert!((wanted..wanted + 0.1).contains(&state.cycles), "{state:?}");
    let sizes: Vec<usize> = mounted.lengths().into_values().map(|length| length as usize).collect();
    assert_eq!((sizes.len() as u64, sizes.iter().sum::<usize>() as u64), (state.files, state.bytes));

    let (first, aged) = (state.extents_first.unwrap(), state.extents.unwrap());
    then(&mounted);
    drop(mounted);
    let plain = Mounted::on_loop(mkfs, 2 * GIB).unwrap();
    let (fragmented, files) = sequential(&plain, &sizes);
    let share = |part: u64, of: u64| part as f64 / of as f64;
    let (plain, filled, aged) =
        (share(fragmented, files), share(first.fragmented, first.files), share(aged.fragmented, aged.files));
    println!("{mkfs}: files in pieces: in sequence {plain:.4}, filled {filled:.4}, aged {aged:.4}");
    assert!(aged > 1.5 * plain && aged > plain + 0.002, "{mkfs}: aged {aged}, in sequence {plain}");
    assert!(aged > filled, "{mkfs}: aged {aged}, filled {filled}");
}

#[test]
fn the_file_of_progress_has_the_step_and_the_share() {
    let Some(mounted) = Mounted::in_memory("size=512m,nr_inodes=64k") else { return };
    let outside = tempfile::tempdir().unwrap();
    let file = outside.path().join("p");
    mounted.age(2, &format!("--blocks 60% --cycles 1 --progress {}", file.display())).ok();
    let shown = ProgressShown::of_file(&fs::read(&file).unwrap()).expect("it is complete");
    assert!(["fill", "age", "settle"].contains(&&*shown.phase) && shown.done > 0.0, "{shown:?}");
    assert!(shown.bytes_per_second > 0.0 && (shown.ranks_seen, shown.ranks) == (1, 2), "{shown:?}");
    let again = mounted.age(2, &format!("--resume --cycles 2 --progress {}", file.display()));
    assert_eq!(again.status, Some(2), "the file exists: {again:#?}");
}

#[test]
fn an_ext4_of_2_gib_reaches_its_targets_fragments_and_is_empty_again_after_remove() {
    ages("mkfs.ext4 -q -F -N 32768", 3, "0.3", remove_leaves_only_foreign_files);
}

fn remove_leaves_only_foreign_files(mounted: &Mounted) {
    let foreign = mounted.aged().join("rank.1/tree/d1/mine");
    fs::write(&foreign, "mine").unwrap();
    let ran = run(&mut assay(&mounted.root, "-n 2 age --remove aged"));
    assert_rejected(&ran, 4, "rank.1/tree/d1/mine: not created by this program. It remains.");
    assert_eq!(fs::read_to_string(&foreign).unwrap(), "mine");
    assert_eq!(mounted.lengths().len(), 1, "all others are gone");
    fs::remove_file(&foreign).unwrap();
    fs::write(mounted.aged().join("mine"), "mine").unwrap();
    let ran = run(&mut assay(&mounted.root, "age --remove aged"));
    assert_rejected(&ran, 4, "aged/mine: not created by this program. It remains.");
    let left: Vec<_> =
        fs::read_dir(mounted.aged()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["mine"]);
    assert!(mounted.utilization().0 < 0.05, "{:?}", mounted.utilization());
}

#[test]
fn an_xfs_of_2_gib_reaches_its_targets_and_fragments() {
    if !only_in_all("an ext4 of the same size is in the default set") {
        return;
    }
    ages("mkfs.xfs -q -f -i maxpct=2", 1, "0.3", |_| ());
}

#[test]
fn a_run_that_is_killed_several_times_has_the_result_of_an_uninterrupted_run() {
    let words = format!("{TARGETS} --cycles 1.5 --seed 3");
    let Some(straight) = Mounted::in_memory(SMALL) else { return };
    straight.age(2, &words).ok();
    let (wanted, lengths) = (straight.files(), straight.lengths());
    assert!(is_near(straight.utilization(), 0.8, 0.2), "{:?}", straight.utilization());
    drop(straight);

    let killed = Mounted::in_memory(SMALL).unwrap();
    let mut kills = 0;
    for stop_at in [60, 260, 420, 700, 1100, 1500] {
        let resume = if kills > 0 { "--resume" } else { "" };
        kills += u32::from(killed.killed_at(2, &format!("{words} {resume}"), stop_at));
    }
    assert!(kills >= 3, "the run was stopped only {kills} times");
    let out = killed.age(2, "--resume").ok();
    assert!(!out.contains("restored by --resume"), "a kill loses nothing: {out}");
    let found = killed.files();
    assert_eq!(killed.lengths(), lengths, "the same files, of the same lengths");
    assert!(found == wanted, "and of the same contents");
    killed.age(2, "--remove").ok();
    assert_eq!(fs::read_dir(killed.aged()).unwrap().count(), 0);
}

#[test]
fn ctrl_c_prints_the_directory_that_remains_and_how_to_continue() {
    let Some(mounted) = Mounted::in_memory(SMALL) else { return };
    let mut command = Command::new("env");
    command.arg("--default-signal=INT").arg(common::program()).current_dir(&mounted.root);
    command.args("-n 2 age aged --blocks 80% --cycles 100000".split(' '));
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    while mounted.operations() < 50 {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(signal("-INT", child.id()));
    let ended = child.wait_with_output().unwrap();
    let message = String::from_utf8_lossy(&ended.stderr).into_owned();
    let wanted = "age: interrupted. Left behind: aged. Continue with --resume, or remove it with --remove.\n";
    assert_eq!((ended.status.code(), message.as_str()), (Some(130), wanted));
    mounted.age(2, "--remove").ok();
}

#[test]
fn a_killed_run_that_is_never_resumed_is_removed_completely() {
    let Some(mounted) = Mounted::in_memory(SMALL) else { return };
    for (times, stop_at) in [(1, 1), (2, 333), (3, 900)] {
        assert!(mounted.killed_at(2, &format!("{TARGETS} --cycles 5"), stop_at));
        mounted.age(3, "--remove").ok();
        assert_eq!(fs::read_dir(mounted.aged()).unwrap().count(), 0, "kill number {times}");
    }
}

#[test]
fn resume_restores_lost_files_removes_leftovers_and_reports_both() {
    let Some(mounted) = Mounted::in_memory(SMALL) else { return };
    mounted.age(1, &format!("{TARGETS} --cycles 0")).ok();
    let wanted = mounted.files().keys().cloned().collect::<Vec<_>>();
    fs::remove_file(mounted.aged().join(&wanted[0])).unwrap();
    fs::write(mounted.aged().join(&wanted[1]), "another length, surely").unwrap();
    fs::write(mounted.aged().join("rank.0/tree/f4000000000"), "leftover").unwrap();
    fs::write(mounted.aged().join("rank.0/tree/notes"), "foreign").unwrap();
    let out = mounted.age(1, "--resume --record r").ok();
    assert!(out.contains("2 files or directories recreated, 1 leftovers removed"), "{out}");
    let time = out.lines().find(|line| line.starts_with("time ")).unwrap();
    assert!(time.ends_with(" since --resume"), "the last part only: {time}");
    let state = state_of(&mounted.root.join("r"));
    assert_eq!((state.made_anew, state.left_over), (2, 1));
    let found = mounted.files();
    assert!(wanted.iter().all(|path| found.contains_key(path)));
    assert!(!found.contains_key(Path::new("rank.0/tree/f4000000000")));
    assert_eq!(found[Path::new("rank.0/tree/notes")], b"foreign", "a foreign file stays");
}

#[test]
fn a_finished_run_continues_with_more_cycles() {
    let Some(mounted) = Mounted::in_memory(SMALL) else { return };
    mounted.age(2, &format!("{TARGETS} --cycles 0.5")).ok();
    mounted.age(2, "--resume --cycles 1.5 --record r").ok();
    let state = state_of(&mounted.root.join("r"));
    assert!((1.5..1.7).contains(&state.cycles), "{state:?}");
    assert!(is_near(mounted.utilization(), 0.8, 0.2), "{:?}", mounted.utilization());
    assert_eq!((state.seed, state.kind.as_str(), state.extents), (0, "age", None));
    assert_rejected(&mounted.age(3, "--resume"), 2, "was begun by 2 ranks, not 3; resume it with as many");
    assert_rejected(&mounted.age(2, "--resume --seed 9"), 2, "--seed is not as it was at the beginning");
    assert_rejected(&mounted.age(2, TARGETS), 2, "already has a tree. Resume it with --resume");
}

#[test]
fn foreign_data_stops_all_ranks_below_the_ceiling_and_the_run_can_resume() {
    let Some(mounted) = Mounted::in_memory(SMALL) else { return };
    let child = assay(&mounted.root, &format!("-n 2 age aged {TARGETS} --ceiling 85% --cycles 100000"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while mounted.operations() < 500 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let at_work = "odometer: another run is at work here";
    assert_rejected(&mounted.age(2, "--resume"), 4, at_work);
    assert_rejected(&mounted.age(2, "--remove"), 4, at_work);
    fs::write(mounted.root.join("other"), vec![1; 8 << 20]).unwrap();
    let ended = child.wait_with_output().unwrap();
    let err = String::from_utf8(ended.stderr).unwrap();
    let ran = Ran { status: ended.status.code(), out: String::new(), err };
    assert_rejected(&ran, 4, "but the ceiling is 85.0 %. Free space and continue with --resume");
    fs::remove_file(mounted.root.join("other")).unwrap();
    // The first number of cycles would take for ever.
    assert_rejected(&mounted.age(2, "--resume --timeout 300ms"), 4, "the time limit (--timeout) was reached");
    mounted.age(2, "--remove").ok();
}

#[test]
fn a_file_system_full_below_the_ceiling_stops_the_run_and_no_own_files_make_way_for_foreign_ones() {
    // Half of it is reserved for root, and the program does not run as root.
    let Some(mounted) = Mounted::on_loop("mkfs.ext4 -q -F -m 50 -N 2048", 64 << 20) else { return };
    fs::write(mounted.root.join("p.toml"), "[size]\nmedian_bytes = 100000\nsigma = 0.5\n").unwrap();
    std::os::unix::fs::chown(&mounted.root, Some(65534), Some(65534)).unwrap();
    let program = common::program();
    let as_other_user = |words: &str| {
        let mut command = std::process::Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program);
        command.current_dir(&mounted.root).args(words.split_whitespace());
        command
    };
    if !as_other_user("--version").output().is_ok_and(|output| output.status.success()) {
        println!("SKIPPED: another user cannot run the program here");
        return;
    }
    let ran = run(&mut as_other_user("-n 2 age aged --inodes 25% --profile p.toml"));
    assert_rejected(&ran, 4, "No space left on device (os error 28); blocks are at ");
    assert!(
        ran.err.contains("aged/rank.") && ran.err.contains("Free space and continue with --resume"),
        "{ran:?}"
    );
    // Root may continue to write. Other files then use the missing space, and no files of the run are removed
    // for them.
    mounted.age(2, "--resume").ok();
    assert!((mounted.utilization().1 - 0.25).abs() < 0.01, "{:?}", mounted.utilization());
    let before = mounted.lengths();
    (0..400).for_each(|number| fs::write(mounted.root.join(format!("other{number}")), "").unwrap());
    assert_rejected(&mounted.age(2, "--resume"), 4, "other users hold so much that more than half");
    assert_eq!(mounted.lengths(), before);
}

#[test]
fn a_directory_without_write_permission_is_rejected_before_the_start() {
    let Some(mounted) = Mounted::in_memory(SMALL) else { return };
    fs::create_dir(mounted.aged()).unwrap();
    for path in [&mounted.root, &mounted.aged()] {
        fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    let program = common::program();
    let as_other_user = |words: &str| {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program);
        command.current_dir(&mounted.root).args(words.split_whitespace());
        command
    };
    if !as_other_user("--version").output().is_ok_and(|output| output.status.success()) {
        println!("SKIPPED: another user cannot run the program here");
        return;
    }
    for words in ["-n 2 age aged --blocks 80%", "-n 2 age new --blocks 80%"] {
        let ran = run(&mut as_other_user(words));
        assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{words}: {ran:#?}");
        assert!(ran.err.contains("Permission denied"), "{ran:#?}");
    }
    assert!(!mounted.root.join("new").exists());
    assert_eq!(fs::read_dir(mounted.aged()).unwrap().count(), 0);
}

#[test]
fn wrong_arguments_are_rejected_in_one_line_before_anything_is_written() {
    let Some(mounted) = Mounted::in_memory(SMALL) else { return };
    fs::write(mounted.root.join("bad.toml"), "[size]\nsigma = 0\n").unwrap();
    fs::create_dir(mounted.root.join("full")).unwrap();
    fs::write(mounted.root.join("full/mine"), "").unwrap();
    for (words, says) in [
        ("aged", "no target is given. Give --blocks 80%, --inodes 20%, or both"),
        ("aged --blocks 80", "--blocks 80: `80` has no unit. Give a share between 0 and 100 %, such as 80%."),
        ("aged --blocks 1% --inodes 80%", "--blocks 1.0 %, --inodes 80.0 %: "),
        ("aged --blocks 120%", "--blocks 120%: out of range. Give a share between 0 and 100 %"),
        ("aged --inodes 20s", "--inodes 20s: not a share"),
        (
            "aged --blocks 90% --record r",
            "--blocks 90.0 %: is not below the ceiling of 90.0 %; raise --ceiling",
        ),
        ("aged --blocks 80% --timeout 5", "--timeout 5: not a time. Give a time with its unit"),
        ("aged --blocks 80% --cycles -1e9", "--cycles"),
        ("aged --blocks 80% --profile none.toml", "--profile none.toml: No such file"),
        ("aged --blocks 80% --profile bad.toml", "--profile bad.toml: size.sigma = 0: give a number above 0"),
        ("aged --inodes 20%", "would bring the blocks to"),
        ("aged --resume", "has no .assay-age.json, so it cannot be resumed"),
        ("full --remove --ceiling 50%", "the argument '--remove' cannot be used with '--ceiling <SHARE>'"),
        ("full --remove --timeout 5s", "the argument '--remove' cannot be used with '--timeout <TIME>'"),
        ("full --remove", "there is no .assay-age.json in it, so nothing is removed"),
        ("full --blocks 80%", "full is not empty (mine); name a directory that is empty"),
        ("none/aged --blocks 80%", "none: No such file or directory"),
    ] {
        let ran = run(&mut assay(&mounted.root, &format!("-n 2 age {words}")));
        if words.contains("-1e9") {
            assert_eq!(ran.status, Some(2), "{ran:?}");
        } else if says.starts_with("the argument") {
            assert!(ran.status == Some(2) && ran.err.contains(says), "{ran:?}");
        } else {
            assert_rejected(&ran, 2, says);
        }
        assert!(!mounted.aged().exists(), "{words}: nothing is written");
    }
    assert!(mounted.root.join("full/mine").exists() && !mounted.root.join("r").exists());
}

#[test]
fn one_target_is_enough_and_the_printed_profile_equals_the_built_in_one() {
    let Some(mounted) = Mounted::in_memory("size=64m,nr_inodes=60000") else { return };
    let profile = run(&mut assay(&mounted.root, "age --print-profile")).ok();
    fs::write(mounted.root.join("p.toml"), &profile).unwrap();
    mounted.age(1, "--blocks 50% --cycles 0 --profile p.toml --record r").ok();
    assert!((mounted.utilization().0 - 0.5).abs() < 0.01, "{:?}", mounted.utilization());
    let by_file = state_of(&mounted.root.join("r"));
    assert_eq!((by_file.inodes_target, by_file.cycles), (None, 0.0));
    mounted.age(1, "--remove").ok();
    mounted.age(1, "--blocks 50% --cycles 0 --record r2").ok();
    assert_eq!(state_of(&mounted.root.join("r2")).profile_sha256, by_file.profile_sha256);
    mounted.age(1, "--remove").ok();
    fs::write(mounted.root.join("p.toml"), "[size]\nmedian_bytes = 500\nsigma = 0.5\ntail_share = 0\n")
        .unwrap();
    mounted.age(1, "--inodes 10% --cycles 0 --profile p.toml").ok();
    assert!((mounted.utilization().1 - 0.1).abs() < 0.01, "{:?}", mounted.utilization());
    let sizes: Vec<usize> = mounted.files().values().map(Vec::len).collect();
    assert!(sizes.iter().all(|size| *size < 20_000), "as in the profile");
}

#[test]
fn no_block_of_data_is_zero_or_equals_another() {
    let Some(mounted) = Mounted::in_memory(SMALL) else { return };
    mounted.age(2, "--blocks 60% --inodes 30% --cycles 0.5").ok();
    let mut seen = std::collections::HashSet::new();
    let mut blocks = 0;
    for data in mounted.files().values() {
        for block in data.chunks_exact(4096) {
            blocks += 1;
            assert!(seen.insert(block.to_vec()), "two blocks are equal");
        }
    }
    assert!(blocks > 3000, "{blocks}");
    assert!(!seen.contains(&vec![0; 4096]));
}

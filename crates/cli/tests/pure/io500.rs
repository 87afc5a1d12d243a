//! `assay io500`: its phases, files and hashes, the configuration, failures, and what it leaves.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::campaign::{signal, until};
use crate::common::ls_lr::phases;
use crate::common::{self, PATIENCE, Ran, Running, assay, run};

/// A run of seconds.
const SMALL: &str = "[global]\ndatadir = data\nresultdir = results\n[debug]\nstonewall-time = 1\n\
                     [ior-easy]\nblockSize = 4m\n[ior-hard]\nsegmentCount = 20\n[mdtest-easy]\nn = 120\n\
                     [mdtest-hard]\nn = 120\n[mdworkbench]\nprecreatePerSet = 3\nfilesPerProc = 3\n";

fn place(config: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("c.ini"), config).unwrap();
    dir
}

/// Runs `assay -n 2 io500 c.ini WORDS`.
fn io500(dir: &Path, words: &str) -> Ran {
    run(&mut assay(dir, &format!("-n 2 io500 c.ini --timestamp t {words}")))
}

fn result(dir: &Path, name: &str) -> String {
    fs::read_to_string(dir.join("results/t").join(name)).unwrap()
}

/// The only line of a rejection.
fn rejection(ran: &Ran) -> &str {
    assert_eq!((ran.status, ran.err.lines().count(), ran.out.as_str()), (Some(2), 1, ""), "{ran:?}");
    ran.err.trim_end()
}

/// The rows of the phases: name, score, and what follows the time.
fn rows(summary: &str) -> Vec<(String, f64, String)> {
    let lines = summary.lines().filter(|line| line.starts_with("[RESULT]") || line.starts_with("[      ]"));
    let row = |line: &str| {
        let words: Vec<&str> = line[8..].split_whitespace().collect();
        let [name, score, _, ":", "time", _, "seconds", mark @ ..] = &words[..] else { panic!("{line}") };
        ((*name).to_owned(), score.parse().unwrap(), mark.concat())
    };
    lines.map(row).collect()
}

/// All phases in the order of the original.
const ORDER: [&str; 19] = [
    "ior-easy-write",
    "mdtest-easy-write",
    "mdworkbench-create",
    "timestamp",
    "find-easy",
    "ior-hard-write",
    "mdtest-hard-write",
    "find",
    "find-hard",
    "mdworkbench-bench",
    "ior-easy-read",
    "mdtest-easy-stat",
    "ior-hard-read",
    "mdtest-hard-stat",
    "mdworkbench-delete",
    "mdtest-easy-delete",
    "mdtest-hard-read",
    "mdtest-hard-delete",
    "ior-rnd4K-easy-read",
];

#[test]
fn all_phases_run_in_their_order_and_leave_the_files_of_results_only() {
    let dir = place(SMALL);
    let out = io500(dir.path(), "--mode=extended --record r").ok();
    let summary = result(dir.path(), "result_summary.txt");
    let rows = rows(&summary);
    assert_eq!(rows.iter().map(|(name, ..)| name.as_str()).collect::<Vec<_>>(), ORDER);
    for (name, score, mark) in &rows {
        assert!(*score > 0.0 || name == "timestamp", "{name}: {score}");
        assert_eq!(mark == "[INVALID]", name.ends_with("-write"), "{name}{mark}: {out}");
    }
    for line in summary.lines() {
        assert!(out.contains(&format!("{line}\n")), "{line}: {out}");
    }
    assert!(out.contains("\nThe result files are stored in the directory: results/t\n"), "{out}");
    assert!(out.contains("assay: ior-hard-read ") && out.contains("% of the median\n"), "{out}");
    assert!(out.contains("assay: warning: ior-easy-read: rd-check: 100 % of the data was in this"), "{out}");
    let cached = "; WARNING rd-check: 100 % of the data was in this client's page cache";
    assert!(result(dir.path(), "result.txt").contains(cached), "the file says so, too");
    assert!(!dir.path().join("data/t").exists() && !dir.path().join("results/t/ior-easy.stonewall").exists());
    let all = phases(&dir.path().join("r"));
    let scores: Vec<f64> = rows.iter().map(|(_, score, _)| *score).collect();
    for (at, name, metric, unit) in [
        (0, "write", "bw", 1_073_741_824.0),
        (6, "file_creation", "rate", 1000.0),
        (7, "find", "rate", 1000.0),
        (10, "read_check", "bw", 1_073_741_824.0),
        (17, "file_removal", "rate", 1000.0),
    ] {
        let record = all.iter().find(|phase| phase.test == at && phase.phase == name).unwrap();
        let value = record.metric(metric).unwrap().value / unit;
        assert!((value - scores[at as usize]).abs() < 1e-6, "{name}: {value} {}", scores[at as usize]);
    }
    // 240 files of each tree of mdtest, 60 objects, and 3 of ior.
    assert!(result(dir.path(), "result.txt").contains("\ntotal-files     = 543\n"));
    for name in ORDER.iter().filter(|name| **name != "timestamp") {
        assert!(result(dir.path(), &format!("{name}.txt")).len() > 100, "{name}");
    }
    assert!(result(dir.path(), "ior-easy-read.txt").contains("\nMax Read:  "));
    assert!(result(dir.path(), "mdtest-hard-stat.csv").starts_with("rank,items,"));
    assert_eq!(result(dir.path(), "config-orig.ini"), SMALL);
}

#[test]
fn the_scores_are_means_of_the_rows_and_their_hash_is_found_again() {
    let dir = place(SMALL);
    io500(dir.path(), "").ok();
    let rows = rows(&result(dir.path(), "result_summary.txt"));
    let mean = |bandwidth: bool| {
        let scored = rows.iter().filter(|(name, ..)| name != "timestamp" && name != "ior-rnd4K-easy-read");
        let of_group = scored.filter(|(name, ..)| name.starts_with("ior") == bandwidth);
        let scores: Vec<f64> = of_group.map(|(_, score, _)| *score).collect();
        (scores.iter().map(|score| score.ln()).sum::<f64>() / scores.len() as f64).exp()
    };
    let text = result(dir.path(), "result.txt");
    let stated = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("{key:<15} = ")));
        line.unwrap().split(' ').next().unwrap().parse::<f64>().unwrap()
    };
    for (key, value) in
        [("BW", mean(true)), ("MD", mean(false)), ("SCORE", (mean(true) * mean(false)).sqrt())]
    {
        // The rows have six digits after the point.
        assert!((stated(key) / value - 1.0).abs() < 1e-3, "{key}: {} {value}", stated(key));
    }
    let verify = |file: &str| run(&mut assay(dir.path(), &format!("io500 c.ini --verify {file}")));
    let verified = verify("results/t/result.txt");
    assert_eq!(verified.status, Some(1));
    assert!(verified.out.ends_with("\n[OK] But this is an invalid run!\n"), "{verified:?}");
    fs::write(dir.path().join("forged.txt"), text.replace("score           = ", "score           = 1"))
        .unwrap();
    let forged = verify("forged.txt");
    assert_eq!(forged.status, Some(1));
    assert!(forged.out.contains("\nERROR: Score hash expected: "), "{forged:?}");
    let again = io500(dir.path(), "");
    let why = "io500: [global] resultdir = results/t: it has files already. Choose another one.";
    assert_eq!(rejection(&again), why);
    assert_eq!(result(dir.path(), "result.txt"), text, "the results of the first run are as they were");
}

#[test]
fn a_configuration_that_cannot_be_run_is_rejected_in_one_line_before_anything_is_made() {
    for (config, why) in [
        ("[global]\nfoo = 1", "c.ini:2: [global] has no option `foo`."),
        ("[global]\nio-buffers-on-gpu = TRUE", "io-buffers-on-gpu: buffers are in memory only. Set FALSE."),
        ("[global]\napi = NONE", "[ior-easy-write] -a NONE"),
        ("[ior-easy]\nblockSize = 3k", "[ior-easy-write] "),
        ("[debug]\nstonewall-time = 0", "all data would be written. Give at least one second."),
        ("[find]\nnproc = 3", "[find] nproc = 3: this run has 2 ranks."),
        ("[mdworkbench]\nfilesPerProc = 3", "give both precreatePerSet and filesPerProc, or none."),
        ("[mdtest-easy]\nAPI = DUMMY", "[mdtest-easy-write] API = DUMMY: it keeps no data."),
        ("[ior-hard]\nAPI = POSIX -t 1m", "[ior-hard-write] API: `-t` is no option of POSIX."),
        ("[ior-easy]\nverbosity = 99999999", "[ior-easy-write] verbosity: give at most 10."),
        ("[find]\nnproc = 99999999999", "[find] nproc = 99999999999: this run has 2 ranks."),
        (
            "[find]\nexternal-script = ./none.sh",
            "[find] external-script = ./none.sh: it is no program to run.",
        ),
        ("[global]\ndatadir = /proc", "[global] datadir = /proc/t: No such file or directory"),
        ("[ior-hard]\nAPI = MPIIO", "this backend needs MPI. Start the ranks with mpirun instead of -n."),
    ] {
        let dir = place(config);
        let ran = io500(dir.path(), "");
        let rejected = rejection(&ran);
        assert!(rejected.starts_with("io500: ") && rejected.contains(why), "{config}: {rejected}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "{config}");
    }
    let dir = place(SMALL);
    fs::create_dir(dir.path().join("results")).unwrap();
    for (words, why) in [
        ("io500", "io500: no configuration is given. Give one, or `--list` to print one;"),
        ("io500 none.ini", "io500: none.ini: No such file or directory (os error 2). Give a configuration."),
        ("io500 c.ini --timestamp a/b", "give the name of a directory, without a `/`"),
        ("io500 c.ini --mode all", "invalid value 'all' for '--mode <MODE>'"),
        ("io500 c.ini --cleanup", "io500: --cleanup: of which run? Give its --timestamp."),
        ("io500 c.ini --cleanup --timestamp u", "--cleanup: results/u/result.txt: No such file or directory"),
        ("io500 c.ini --verify c.ini", "--verify c.ini: it has no config-hash or no hash of scores."),
    ] {
        let ran = run(&mut assay(dir.path(), words));
        let rejected = rejection(&ran);
        assert!(rejected.contains(why), "{words}: {rejected}");
    }
}

#[test]
fn a_configuration_is_listed_hashed_and_shown_as_command_lines_without_a_run() {
    let dir = place(SMALL);
    let ran = |words: &str| run(&mut assay(dir.path(), words)).ok();
    let listed = ran("io500 --list");
    assert!(listed.contains("\n[mdworkbench]\n") && listed.contains("\nblockSize = 9920000m\n"), "{listed}");
    let mandatory = ran("io500 -lm");
    assert!(!mandatory.contains("[mdworkbench]") && mandatory.contains("\n[ior-rnd4K-easy-read]\n"));
    fs::write(dir.path().join("list.ini"), &listed).unwrap();
    fs::write(dir.path().join("empty.ini"), "").unwrap();
    let hash = ran("io500 list.ini --config-hash");
    assert_eq!(hash, ran("io500 empty.ini --config-hash"));
    assert_ne!(hash, ran("io500 c.ini --config-hash"));
    let lines = ran("-n 2 io500 c.ini --timestamp t --dry-run");
    let search = "[find]\nexe             = ./pfind data/t -newer results/t/timestampfile -size 3901c \
                  -name *01* -C -q 10000\n";
    assert!(lines.contains(search), "{lines}");
    assert_eq!(lines.matches("\nexe ").count(), 13);
    let extended = ran("-n 2 io500 c.ini --timestamp t --dry-run --mode extended");
    assert!(
        extended.contains("[mdworkbench-bench]\n; -P and -I depend on the rate of mdtest-easy-write\nexe ")
    );
    assert!(!dir.path().join("results").exists() && !dir.path().join("data").exists());
}

#[test]
fn a_phase_that_is_left_out_makes_the_run_invalid_and_its_data_is_removed_later() {
    let dir = place(&format!("{SMALL}[mdtest-hard-delete]\nrun = FALSE\n[find]\nnproc = 1\n"));
    let out = io500(dir.path(), "").ok();
    assert!(
        out.contains("ERROR INVALID (mdtest-hard-delete) the configuration leaves it or its data out\n"),
        "{out}"
    );
    let left = "assay: warning: data remains in data/t/mdtest-hard. Remove it with the same configuration \
                and ranks, and `--cleanup --timestamp t --mode standard`\n";
    assert!(out.contains(left), "{out}");
    let text = result(dir.path(), "result.txt");
    assert!(text.contains("\nnproc           = 1\n"), "{text}");
    assert!(result(dir.path(), "find.txt").starts_with("pfind: 1 rank on 1 node\n"));
    let [deleted, csv] =
        ["txt", "csv"].map(|ending| result(dir.path(), &format!("mdtest-easy-delete.{ending}")));
    let other = run(&mut assay(dir.path(), "-n 3 io500 c.ini --timestamp t --cleanup"));
    assert_eq!(rejection(&other), "io500: --cleanup: that run had 2 ranks. Use as many.");
    let cleaned = io500(dir.path(), "--cleanup").ok();
    assert!(cleaned.contains("[RESULT]   mdtest-hard-delete "), "{cleaned}");
    assert!(!dir.path().join("data/t").exists(), "{cleaned}");
    assert_eq!(result(dir.path(), "result.txt"), text, "the results are as they were");
    assert_eq!(result(dir.path(), "mdtest-easy-delete.txt"), deleted);
    assert_eq!(result(dir.path(), "mdtest-easy-delete.csv"), csv);
    assert!(result(dir.path(), "cleanup-mdtest-hard-delete.txt").contains("File removal"));
}

#[test]
fn data_whose_write_is_left_out_is_not_looked_for() {
    let dir = place(&format!("{SMALL}[mdtest-easy-write]\nrun = FALSE\n"));
    let out = io500(dir.path(), "").ok();
    for name in ["mdtest-easy-write", "mdtest-easy-stat", "mdtest-easy-delete"] {
        let why = format!("ERROR INVALID ({name}) the configuration leaves it or its data out\n");
        assert!(out.contains(&why), "{out}");
    }
    assert!(out.contains("[SCORE ] ") && !dir.path().join("data/t").exists(), "{out}");
}

#[test]
fn data_and_results_of_others_stay() {
    let dir = place(
        &SMALL.replace("[global]\n", "[global]\ntimestamp-datadir = FALSE\ntimestamp-resultdir = FALSE\n"),
    );
    let at = |path: &str| dir.path().join(path);
    let rejected = |why: &str| {
        let ran = io500(dir.path(), "");
        assert!(rejection(&ran).ends_with(why), "{ran:?}");
    };
    fs::create_dir_all(at("data/ior-easy")).unwrap();
    fs::write(at("data/ior-easy/ior_file_easy.00000000"), "thesis").unwrap();
    rejected("[global] datadir = data: data/ior-easy has data already. Choose another one.");
    assert!(!at("results").exists());
    fs::rename(at("data"), at("thesis")).unwrap();
    std::os::unix::fs::symlink("thesis", at("data")).unwrap();
    rejected("[global] datadir = data: a link, which a search does not follow. Give what it leads to.");
    fs::remove_file(at("data")).unwrap();
    fs::create_dir_all(at("results")).unwrap();
    fs::write(at("results/find.txt"), "notes").unwrap();
    rejected("[global] resultdir = results: it has files already. Choose another one.");
    assert!(!at("data").exists());
    fs::remove_file(at("results/find.txt")).unwrap();
    // Directories that the user made with layouts of their own.
    fs::create_dir_all(at("data/ior-easy")).unwrap();
    fs::create_dir_all(at("data/mdtest-hard")).unwrap();
    fs::write(at("data/notes"), "thesis").unwrap();
    io500(dir.path(), "").ok();
    assert_eq!(fs::read_to_string(at("data/notes")).unwrap(), "thesis");
    assert!(at("data/ior-easy").exists() && !at("data/ior-hard").exists());
}

#[test]
fn an_external_program_searches_in_place_of_pfind() {
    let dir = place(&format!("{SMALL}[find]\nexternal-script = ./search.sh\nexternal-extra-args = --fast\n"));
    common::script(&dir.path().join("search.sh"), "echo \"$@\"\necho MATCHED 7/4000\n");
    let out = io500(dir.path(), "").ok();
    assert!(!out.contains("ERROR INVALID (find)"), "{out}");
    let text = result(dir.path(), "result.txt");
    assert!(text.contains("\ntotal-files     = 4000\nfound           = 7\nscore "), "{text}");
    let searched = "--fast data/t -newer results/t/timestampfile -size 3901c -name *01*\nMATCHED 7/4000\n";
    assert_eq!(result(dir.path(), "find.txt"), searched);
    fs::remove_dir_all(dir.path().join("results")).unwrap();
    common::script(&dir.path().join("search.sh"), "exit 3\n");
    let out = io500(dir.path(), "").ok();
    assert!(out.contains("ERROR INVALID (find) external-script ended with exit status: 3\n"), "{out}");
}

/// Starts a run that waits before `phase`, and gives the file that keeps it waiting.
fn paused(dir: &Path, phase: &str) -> (Running, std::path::PathBuf) {
    fs::write(dir.join("c.ini"), format!("{SMALL}[debug]\npause-dir = pause\n")).unwrap();
    let file = dir.join("pause").join(phase);
    fs::create_dir(dir.join("pause")).unwrap();
    fs::write(&file, "").unwrap();
    let program = common::program();
    let words = "io500 c.ini --timestamp t";
    let mut command = Command::new("env");
    command
        .arg("--default-signal=INT")
        .arg(program)
        .args(["-n", "2"])
        .args(words.split(' '))
        .current_dir(dir);
    let running = Running::start(command.stdout(Stdio::piped()).stderr(Stdio::piped()));
    let waits = format!("; Checking for pause file pause/{phase}\n");
    let text = dir.join("results/t/result.txt");
    until("the pause", || fs::read_to_string(&text).is_ok_and(|text| text.contains(&waits)));
    (running, file)
}

#[test]
fn data_that_was_changed_between_two_phases_is_wrong_and_the_run_is_invalid() {
    let dir = tempfile::tempdir().unwrap();
    let (running, file) = paused(dir.path(), "ior-hard-read");
    let data = dir.path().join("data/t/ior-hard/file");
    let mut bytes = fs::read(&data).unwrap();
    bytes[50_000] ^= 1;
    fs::write(&data, bytes).unwrap();
    fs::remove_file(file).unwrap();
    let ran = running.end(PATIENCE);
    assert_eq!(ran.status, Some(4), "{ran:?}");
    let why = "ERROR INVALID (ior-hard-read) calls failed, or data was wrong: see ior-hard-read.txt\n";
    assert!(ran.out.contains(why), "{ran:?}");
    assert!(result(dir.path(), "ior-hard-read.txt").contains("1 transfers WRONG"));
    assert!(ran.out.contains("ERROR INVALID (run) pause-dir is set\n"), "{ran:?}");
    assert!(!ran.out.contains("ERROR INVALID (ior-easy-read)"), "{ran:?}");
}

#[test]
fn a_phase_that_cannot_go_on_ends_the_run_and_an_interrupted_run_names_its_data() {
    let dir = tempfile::tempdir().unwrap();
    let (running, file) = paused(dir.path(), "mdtest-easy-stat");
    fs::remove_dir_all(dir.path().join("data/t/mdtest-easy")).unwrap();
    fs::remove_file(file).unwrap();
    let ran = running.end(PATIENCE);
    assert_eq!(ran.status, Some(4), "{ran:?}");
    assert!(ran.err.starts_with("io500: mdtest-easy-stat: ") && ran.err.lines().count() == 1, "{ran:?}");
    assert!(result(dir.path(), "result.txt").ends_with(&format!("; ERROR {}", &ran.err[7..])), "{ran:?}");
    assert!(
        ran.out.contains("assay: warning: data remains in data/t/ior-easy, data/t/ior-hard, "),
        "{ran:?}"
    );

    let dir = tempfile::tempdir().unwrap();
    let (running, _) = paused(dir.path(), "find");
    assert!(signal("-INT", running.id()));
    let ran = running.end(Duration::from_secs(20));
    assert_eq!(ran.status, Some(130), "{ran:?}");
    assert_eq!(ran.err, "io500: interrupted. Left behind: data/t. Remove it.\n");
}

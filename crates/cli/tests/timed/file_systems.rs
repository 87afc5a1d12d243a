//! Real file systems: what runs on each of them, and which promises each breaks.
//!
//! docs/validation/file-systems.md has the same table.

use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::common::campaign::{Place, json, names, there};
use crate::common::gluster::{Gluster, Volume};
use crate::common::known_cases::{KnownCases, OpenCases, SPARSE};
use crate::common::mounted::FileSystem;
use crate::common::{Ran, only_in_all, run};

/// The launcher of the runs with MPI.
const LAUNCHER: &str = "mpirun.mpich";
/// What runs on 4 ranks. All data is compared.
const RUNS: [(&str, &str); 15] = [
    ("try", "try DIR"),
    ("shared file", "-n 4 ior -wWrR -e -G 7 -b 512k -t 64k -s 2 -o DIR/f"),
    ("own files", "-n 4 ior -wWrR -F -e -G 7 -b 512k -t 64k -s 2 -o DIR/f"),
    ("random", "-n 4 ior -wWrR -z -G 7 -b 512k -t 16k -o DIR/f"),
    ("mixed", "-n 4 ior -wrR -G 7 --rwmix=50 -b 512k -t 16k -o DIR/f"),
    ("O_DIRECT", "-n 4 ior -wWrR --posix.odirect -G 7 -b 512k -t 64k -o DIR/f"),
    ("io_uring", "-n 4 ior -a URING -wWrR -G 7 -b 512k -t 64k -o DIR/f"),
    ("Linux AIO", "-n 4 ior -a AIO -wWrR -G 7 -b 512k -t 64k -o DIR/f"),
    ("mmap", "-n 4 ior -a MMAP -wWrR -G 7 -b 512k -t 64k -o DIR/f"),
    ("MPI-IO, collective", "MPI ior -a MPIIO -c -wWrR -G 7 -b 512k -t 64k -s 2 -o DIR/f"),
    ("mdtest, shared directory", "-n 4 mdtest -n 50 -w 3901 -e 3901 -d DIR/md"),
    ("mdtest, tree", "-n 4 mdtest -n 40 -u -z 2 -b 2 -i 2 -d DIR/md"),
    ("md-workbench", "-n 4 md-workbench -X -P 20 -I 10 -D 2 -R 2 -o DIR/mw"),
    ("fdtree", "-n 2 fdtree -l 2 -d 3 -f 3 -s 2 -o DIR"),
    ("ls -lR", "-n 2 ls-lr --make --walk --remove --entries 300 DIR"),
];
/// What runs by libcephfs, without a mount. The last ones write by the library what the mount shows, and the
/// other way round.
const RUNS_BY_LIBRARY: [&str; 10] = [
    "-n 4 ior -a CEPHFS -wWrR -e -G 7 -b 512k -t 64k -s 2 -o cephfs:/dir/f",
    "-n 4 ior -a CEPHFS -wWrR -F -e -z -G 7 -b 512k -t 64k -o cephfs:/dir/f",
    "MPI ior -a CEPHFS -wWrR -G 7 -b 512k -t 64k -s 2 -o cephfs:/dir/f",
    "MPI mdtest -a CEPHFS -n 40 -u -z 2 -b 2 -i 2 -w 3901 -e 3901 -d cephfs:/dir/md",
    "-n 4 md-workbench -a CEPHFS -X -P 20 -I 10 -D 2 -R 2 -o cephfs:/dir/mw",
    "-n 2 ior -a CEPHFS --cephfs.olazy -w -k -G 7 -b 512k -t 64k -o cephfs:/dir/seen",
    "-n 2 ior -R -k -G 7 -b 512k -t 64k -o DIR/seen",
    "-n 2 ior -w -e -k -G 8 -b 512k -t 64k -o DIR/seen",
    "-n 2 ior -a CEPHFS --cephfs.prefix=DIR -R -G 8 -b 512k -t 64k --cephfs.remote_prefix=/dir -o DIR/seen",
    "mdtest -a CEPHFS -n 40 --cephfs.user=admin -d cephfs:dir/md",
];

/// A campaign by the library, and a test on the mount that reads what the library wrote.
const CEPHFS_PLAN: &str = r#"
schema = 1
plan = { id = "cephfs", title = "CephFS by its library" }
fs.s = { dir = "{dir}" }
defaults = { ranks = 2, repetitions = 2, timeout = "1 min" }
dataset.d = { ior = "-a CEPHFS -w -F -e -t 64k -b 1m -k -G 7" }
[[test]]
id = "library"
ior = "-a CEPHFS -R -F -t 64k -b 1m -k -G 7"
uses = "dataset.d"
criterion = { metric = "read_check.errors", op = "==", value = "0 errors" }
[[test]]
id = "mount"
ior = "-R -F -t 64k -b 1m -k -G 7"
uses = "dataset.d"
criterion = { metric = "read_check.errors", op = "==", value = "0 errors" }
[[test]]
id = "names"
mdtest = "-a CEPHFS -n 20 -F -C -T -r"
criterion = { metric = "file_creation.errors", op = "==", value = "0 errors" }
"#;

/// The cases of conformance. Those of MPI-IO are a part: they use the same calls of the file system.
pub(super) const CASES: [&str; 5] =
    ["posix.*", "flock.*", "access.write_at.much", "access.*_all.contiguous-view", "atomic.*"];

/// Programs that check the promise of a case without assay. They end with 1 if it is broken.
const INDEPENDENT: [(&str, &str); 3] = [
    ("posix.link.count", "link_count.py"),
    ("posix.rename.atomic", "rename_atomic.py"),
    ("posix.unlink.while_open", "unlink_open.py"),
];

/// The processes that rename in one run of such a program, and in the next. The case has one.
const WRITERS: [u32; 2] = [1, 3];
/// The most runs of such a program, each of two seconds. Where a promise is not broken each time, it runs
/// until it finds that.
const TRIES_MAX: usize = 30;

/// Cases have time limits, and servers share this machine with their clients.
pub(super) static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// What is known of a file system.
struct Known {
    /// Runs that it rejects, and a part of the message.
    rejected: &'static [(&'static str, &'static str)],
    cases: KnownCases,
}

fn known(which: FileSystem) -> Known {
    const RENAME: &[&str] = &["posix.rename.atomic"];
    const LINKS: &[&str] = &["posix.link.count"];
    let (broken, sometimes): (&[_], &[_]) = match which {
        FileSystem::Mergerfs | FileSystem::Sshfs => (LINKS, RENAME),
        FileSystem::Nfs => (&["posix.unlink.while_open"], RENAME),
        FileSystem::Cephfs => (&[], &["posix.locks.close"]),
        FileSystem::GlusterDistribute | FileSystem::GlusterReplicate => (&[], RENAME),
        FileSystem::GlusterDisperse => (&[], &["posix.locks.shared", "posix.rename.atomic"]),
        _ => (&[], &[]),
    };
    let rejected: &[_] = match which {
        FileSystem::Mergerfs => &[("O_DIRECT", "Invalid argument")],
        _ => &[],
    };
    Known { rejected, cases: KnownCases { broken, sometimes, slow: &[], not_shown: &[SPARSE] } }
}

/// Runs everything on a file system, and compares the results with what is known.
fn examine(which: FileSystem) {
    if !only_in_all("a file system with all workloads takes minutes") || !there(LAUNCHER) {
        return;
    }
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(mounted) = which.mount() else { return };
    let (place, known) = (Place::new(), known(which));
    let dir = mounted.mount.join("dir");
    std::fs::create_dir(&dir).unwrap();
    let dir = dir.display().to_string();
    for (name, words) in RUNS {
        let ran = start(&place, &words.replace("DIR", &dir));
        if name == "try" {
            assert_is_answered(&ran, Path::new(&dir));
            continue;
        }
        match known.rejected.iter().find(|(rejected, _)| *rejected == name) {
            None => assert!(ran.status == Some(0), "{name}: {ran:#?}"),
            Some((_, message)) => {
                assert!(ran.status == Some(4) && ran.err.contains(message), "{name}: {ran:#?}");
            }
        }
    }
    known.cases.assert_are(&cases(&place, &dir));
    for (case, program) in INDEPENDENT {
        let may_break = known.cases.may_fail(case);
        let is_broken = may_break || known.cases.broken.contains(&case);
        let writers = WRITERS.iter().cycle().take(if may_break { TRIES_MAX } else { 1 });
        let last = writers.map(|count| independent(program, &dir, *count)).find(|ran| ran.status != Some(0));
        assert_eq!(last.as_ref().map(|ran| ran.status), is_broken.then_some(Some(1)), "{case}: {last:#?}");
    }
}

/// Runs a program of Python that checks a promise in a directory.
fn independent(program: &str, dir: &str, writers: u32) -> Ran {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/timed/independent").join(program);
    run(Command::new("python3").arg(path).args([dir, "2", &writers.to_string()]))
}

/// Runs `assay WORDS`, with `MPI` in front on 4 ranks of MPI.
fn start(place: &Place, words: &str) -> Ran {
    run(&mut command(place, words))
}

/// The command of such words.
fn command(place: &Place, words: &str) -> Command {
    match words.strip_prefix("MPI ") {
        None => place.command(words),
        Some(words) => {
            let assay = place.command(words);
            let mut command = Command::new(LAUNCHER);
            command.current_dir(assay.get_current_dir().unwrap()).args(["-n", "4"]);
            command.arg(assay.get_program()).args(assay.get_args());
            command
        }
    }
}

/// Asserts that the campaign of `try` was measured. A slow device may FAIL, or vary too much for a decision,
/// but no clause is INVALID or NOT RUN.
fn assert_is_answered(ran: &Ran, dir: &Path) {
    assert!(matches!(ran.status, Some(0 | 1 | 3)), "{ran:#?}");
    let folders = names(dir).into_iter().filter(|name| dir.join(name).join("verdicts.json").exists());
    let folders: Vec<String> = folders.collect();
    assert_eq!(folders.len(), 1, "{ran:#?}");
    let verdicts = json(&dir.join(&folders[0]).join("verdicts.json"));
    let verdicts = verdicts.as_array().unwrap();
    let outcomes = verdicts.iter().map(|verdict| verdict["outcome"].as_str().unwrap());
    let measured = ["PASS", "FAIL", "INCONCLUSIVE"];
    assert!(!verdicts.is_empty(), "{ran:#?}");
    assert!(outcomes.clone().all(|outcome| measured.contains(&outcome)), "{verdicts:#?} {ran:#?}");
}

/// The cases that do not pass in a directory.
fn cases(place: &Place, dir: &str) -> OpenCases {
    let mut command = place.command("mpi-io --record cases --timeout 60");
    command.args(["--launch", &format!("{LAUNCHER} -n 4")]);
    CASES.iter().for_each(|pattern| _ = command.args(["--only", pattern]));
    let ran = run(command.arg(dir));
    OpenCases::of(&ran, &place.path("cases"))
}

macro_rules! each_file_system {
    ($($name:ident: $which:ident,)*) => {
        $(
            #[test]
            fn $name() {
                examine(FileSystem::$which);
            }
        )*
    };
}

each_file_system! {
    all_runs_end_well_on_ext4: Ext4,
    all_runs_end_well_on_xfs: Xfs,
    all_runs_end_well_on_btrfs: Btrfs,
    all_runs_end_well_on_overlayfs: Overlay,
    all_runs_end_well_on_mergerfs: Mergerfs,
    all_runs_end_well_on_sshfs: Sshfs,
    all_runs_end_well_on_moosefs: Moosefs,
    all_runs_end_well_on_nfs: Nfs,
    all_runs_end_well_on_cephfs: Cephfs,
    all_runs_end_well_on_glusterfs_distribute: GlusterDistribute,
    all_runs_end_well_on_glusterfs_replicate: GlusterReplicate,
    all_runs_end_well_on_glusterfs_disperse: GlusterDisperse,
}

#[test]
fn all_runs_by_the_library_of_cephfs_end_well_and_the_mount_shows_what_they_wrote() {
    if !only_in_all("a CephFS is started") || !there(LAUNCHER) {
        return;
    }
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(mounted) = FileSystem::Cephfs.mount() else { return };
    let (place, dir) = (Place::new(), mounted.mount.join("dir"));
    std::fs::create_dir(&dir).unwrap();
    let config = mounted.mount.with_file_name("ceph.conf");
    let started = |words: &str| {
        let mut command = command(&place, &words.replace("DIR", &dir.display().to_string()));
        run(command.env("CEPH_CONF", &config))
    };
    for words in RUNS_BY_LIBRARY {
        let ran = started(words);
        assert!(ran.status == Some(0), "{words}: {ran:#?}");
    }
    assert_eq!(names(&dir), Vec::<String>::new(), "each run has removed its files");
    std::fs::write(place.path("p.toml"), CEPHFS_PLAN).unwrap();
    let campaign = started("run --campaigns . --allow-lint-errors p.toml --dir cephfs:/dir");
    let counted = campaign.out.contains("PASS WITH OPEN FINDINGS: All 3 clauses are met");
    assert!(campaign.status == Some(3) && counted, "{campaign:#?}");
    assert!(!campaign.out.contains("path-on-wrong-fs"), "{campaign:#?}");
    assert_eq!(names(&dir), Vec::<String>::new(), "the campaign has removed its directory");
    let elsewhere = started("run --campaigns . p.toml --dir .");
    assert_eq!(elsewhere.status, Some(2), "{elsewhere:#?}");
    assert!(elsewhere.err.contains("is not on CephFS, but `-a CEPHFS` of "), "{elsewhere:#?}");
    let nowhere = started("run --campaigns . p.toml --dir cephfs:/none");
    assert!(nowhere.status == Some(2) && nowhere.err.contains("cephfs:/none: no CephFS"), "{nowhere:#?}");
    // Another process has an empty memory; the one that wrote may read from it, as a clause then states.
    let again = started("ior -a CEPHFS -w -r -k -t 64k -b 1m -o cephfs:/dir/own");
    assert!(again.out.contains("100 % of the data was in this client's page cache"), "{again:#?}");
    let fresh = started("ior -a CEPHFS -r -t 64k -b 1m -o cephfs:/dir/own");
    assert!(fresh.status == Some(0) && !fresh.out.contains("page cache"), "{fresh:#?}");
    let wrong = started("ior -a CEPHFS --cephfs.remote_prefix=/none -w -o cephfs:/f");
    assert_eq!(wrong.status, Some(2), "{wrong:#?}");
    assert!(wrong.err.contains("cannot mount /none: No such file or directory"), "{wrong:#?}");
}

/// A dataset of 8 files that is kept, and tests that read it. The last one compares each byte.
const DATASET: &str = r#"
[dataset.d]
ranks = 8
ior = "-w -e -F -t 64k -b 1m -k -G 7"
keep = "7 days"
[[test]]
id = "R"
ranks = 8
uses = "dataset.d"
ior = "-r -F -C -t 64k -b 1m -k"
cache = "warm"
repetitions = 3
criterion = { metric = "read.bw", stat = "max", op = ">=", value = "1 B/s" }
[[test]]
id = "C"
ranks = 8
uses = "dataset.d"
ior = "-R -F -C -t 64k -b 1m -k -G 7"
criterion = { metric = "read_check.errors", op = "==", value = "0 errors" }
"#;

/// The bricks of a volume without the translator `ctime` have times of their own, and the client reports that
/// of any of them.
#[test]
fn a_dataset_on_glusterfs_disperse_is_used_again_if_the_times_of_its_bricks_are_near_each_other() {
    if !only_in_all("a volume of GlusterFS is started") {
        return;
    }
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(volume) = Gluster::unlimited(Volume::Disperse, 3) else { return };
    let place = Place::new();
    place.plan(DATASET);
    let mount = volume.mount().display().to_string();
    // The bricks write at the same time here. So their times are set apart, which is also another write if
    // it is more than a second.
    let apart = [("c1", 0, false), ("c2", 100, true), ("c3", 2000, false)];
    for (campaign, ms, is_used_again) in apart {
        (1..=3)
            .for_each(|brick| shift_times(&volume.data(brick as usize), Duration::from_millis(ms * brick)));
        // The client and the kernel keep times of files for a second each.
        std::thread::sleep(Duration::from_secs(3));
        std::fs::create_dir(place.path(campaign)).unwrap();
        let ran = place.assay(&format!("run p.toml --dir {mount} --campaigns {campaign}"));
        assert!(ran.passed(), "{ran:#?}");
        let folder = format!("{campaign}/{}", names(&place.path(campaign))[0]);
        assert_eq!(place.outcomes_in(&folder), ["R PASS", "C PASS"], "{ran:#?}");
        assert_eq!(ran.err.contains("reused: created by "), is_used_again, "{campaign}: {ran:#?}");
    }
}

/// Changes the times of the data of datasets on a brick.
fn shift_times(brick: &Path, by: Duration) {
    let home = brick.join("assay-datasets");
    let kept = if home.exists() { names(&home) } else { Vec::new() };
    let kept = kept.into_iter().filter(|name| name.starts_with("d-"));
    let files = kept.map(|name| home.join(name).join("files"));
    for (dir, name) in files.flat_map(|dir| names(&dir).into_iter().map(move |name| (dir.clone(), name))) {
        let file = std::fs::File::options().write(true).open(dir.join(name)).unwrap();
        file.set_modified(file.metadata().unwrap().modified().unwrap() + by).unwrap();
    }
}

//! Campaigns whose file system becomes full or read-only: that of the evidence, or that under test. They end
//! with a status of their own, spend no job on it, and resume.

use std::fs;
use std::path::Path;

use crate::common::Ran;
use crate::common::campaign::{Place, SmallFs, names, shell_test};

/// The types of file systems that are tried.
const KINDS: [&str; 3] = ["tmpfs", "ext4", "xfs"];
/// The smallest XFS has 300 MiB.
const XFS_BYTES: u64 = 512 << 20;
const FREE_SPACE: &str = "Free space on that file system, then run `assay run --resume ";
const MAKE_WRITABLE: &str = "Make that file system writable again, then run `assay run --resume ";

/// A small file system of this type over a directory of the place.
fn mounted(place: &Place, kind: &str, dir: &Path) -> Option<SmallFs> {
    match kind {
        "tmpfs" => SmallFs::mount(dir, "64m"),
        "xfs" => SmallFs::of_kind(kind, dir, &place.path("image"), XFS_BYTES),
        _ => SmallFs::of_kind(kind, dir, &place.path("image"), 64 << 20),
    }
}

/// A plan of three tests, and a directory for its campaigns. The job of the second test runs this command
/// when it starts for the first time.
fn place_with(before: &str, command: impl FnOnce(&Place) -> String) -> Place {
    let place = Place::new();
    let (once, command) = (place.path("once"), command(&place));
    let second = format!("if ! [ -e {0} ]; then : > {0}; {command}; fi", once.display());
    let tests = [("A", "true"), ("B", &second), ("C", "true")].map(|(id, command)| shell_test(id, command));
    place.plan(&(before.to_owned() + &tests.concat()));
    fs::create_dir(place.path("c")).unwrap();
    place
}

/// A command that uses up the free space of the file system of `dir`.
fn filling(dir: &Path) -> String {
    let dir = dir.display();
    format!(
        "n=0; size=268435456; while [ $size -ge 4096 ]; do if fallocate -l $size {dir}/fill$n 2>/dev/null; \
         then n=$((n+1)); else size=$((size/2)); fi; done; cat /dev/zero 2>/dev/null >> {dir}/fill"
    )
}

/// Removes what [`filling`] wrote.
fn free(dir: &Path) {
    for name in names(dir).iter().filter(|name| name.starts_with("fill")) {
        fs::remove_file(dir.join(name)).unwrap();
    }
}

fn sealing(dir: &Path) -> String {
    format!("mount -o remount,ro {}", dir.display())
}

/// The only campaign in `c`.
fn folder(place: &Place) -> String {
    let found: Vec<String> =
        names(&place.path("c")).into_iter().filter(|name| name.starts_with("assay-p-")).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    format!("c/{}", found[0])
}

fn resume(place: &Place) -> Ran {
    place.assay(&format!("run --resume {}", folder(place)))
}

/// Checks that a campaign ended with its own status and these texts.
fn assert_without_writes(ran: &Ran, what: &str, texts: &[&str]) {
    assert_eq!(ran.status, Some(5), "{what}: {ran:#?}");
    for text in texts {
        assert!(ran.err.contains(text), "{what}: {text} is not in {ran:#?}");
    }
}

/// Checks that the campaign resumes to its end, and that no job was spent before.
fn assert_resumes(place: &Place, what: &str) {
    let ran = resume(place);
    assert!(ran.passed(), "{what}: {ran:#?}");
    let folder = folder(place);
    assert_eq!(place.outcomes_in(&folder), ["A PASS", "B PASS", "C PASS"], "{what}");
    assert_eq!(place.whole_jobs(place.path(&folder)), 3, "{what}");
}

#[test]
fn a_campaign_folder_that_becomes_full_during_the_second_job_keeps_the_first_and_resumes() {
    for kind in KINDS {
        let place = place_with("", |place| filling(&place.path("c")));
        let Some(_mounted) = mounted(&place, kind, &place.path("c")) else { continue };
        let ran = place.assay("run p.toml --dir dir --campaigns c");
        let full = "No space left on device";
        assert_without_writes(&ran, kind, &["stopped after 1 of 3 jobs: ", full, FREE_SPACE]);
        assert_without_writes(&resume(&place), kind, &[full, FREE_SPACE]);
        free(&place.path("c"));
        assert_resumes(&place, kind);
    }
}

#[test]
fn a_campaign_folder_that_becomes_read_only_after_the_second_job_is_reported_to_the_command_and_resumes() {
    for kind in KINDS {
        let place = place_with("", |_| "true".to_owned());
        let Some(mounted) = mounted(&place, kind, &place.path("c")) else { continue };
        // While a job runs, its output is open for writing, so the file system cannot become read-only.
        let seal = format!("[ \"$ASSAY_TEST\" != B ] || {}", sealing(&place.path("c")));
        let heard = place.path("heard");
        let hear = format!("echo $ASSAY_EVENT $ASSAY_DONE $ASSAY_JOBS >> {}", heard.display());
        let mut command = place.command("run p.toml --dir dir --campaigns c --notify");
        let ran = crate::common::run(command.arg(format!("{hear}; {seal}")));
        let sealed = "Read-only file system";
        let lost = "The chain does not have a run of the command of --notify: ";
        assert_without_writes(&ran, kind, &["stopped after 2 of 3 jobs: ", sealed, MAKE_WRITABLE, lost]);
        let heard = fs::read_to_string(heard).unwrap();
        assert_eq!(heard.lines().collect::<Vec<_>>(), ["verdict", "verdict", "stopped 2 3"], "{kind}");
        assert_without_writes(&resume(&place), kind, &[sealed, MAKE_WRITABLE]);
        mounted.remount("rw");
        assert_resumes(&place, kind);
    }
}

#[test]
fn a_file_system_under_test_that_becomes_read_only_costs_no_job_and_the_campaign_resumes() {
    for kind in KINDS {
        let place = place_with("", |place| sealing(&place.dir()));
        let Some(mounted) = mounted(&place, kind, &place.dir()) else { continue };
        let texts = ["stopped after 2 of 3 jobs: ", "Read-only file system", MAKE_WRITABLE];
        let ran = place.assay("run p.toml --dir dir --campaigns c");
        assert_without_writes(&ran, kind, &texts);
        assert!(ran.err.contains("assay: stopped after 2 of 3 jobs: /"), "the path is the first: {ran:#?}");
        assert_without_writes(&resume(&place), kind, &texts);
        mounted.remount("rw");
        assert_resumes(&place, kind);
    }
}

#[test]
fn a_lost_mark_that_cannot_be_written_again_costs_no_job_and_the_campaign_resumes() {
    for (full, why, advice) in
        [(false, "Read-only file system", MAKE_WRITABLE), (true, "No space left on device", FREE_SPACE)]
    {
        let place = place_with("", |place| {
            let dir = place.dir();
            let then = if full { filling(&dir) } else { sealing(&dir) };
            format!("for mark in {}/*.data/.assay-campaign; do : > $mark; done; {then}", dir.display())
        });
        let Some(mounted) = mounted(&place, "tmpfs", &place.dir()) else { return };
        let ran = place.assay("run p.toml --dir dir --campaigns c");
        assert_without_writes(&ran, why, &["stopped after 2 of 3 jobs: ", why, advice]);
        assert_without_writes(&resume(&place), why, &["stopped after 2 of 3 jobs: ", why, advice]);
        if full {
            free(&place.dir())
        } else {
            mounted.remount("rw")
        }
        assert_resumes(&place, why);
    }
}

#[test]
fn a_campaign_with_a_kept_dataset_on_a_read_only_file_system_resumes_later() {
    let kept = "[dataset.d]\nior = \"-w -e -F -t 64k -b 256k -k -G 7\"\nkeep = \"7 days\"\n";
    let place = place_with(kept, |place| sealing(&place.dir()));
    let Some(mounted) = mounted(&place, "tmpfs", &place.dir()) else { return };
    let ran = place.assay("run p.toml --dir dir --campaigns c");
    assert_without_writes(&ran, "first", &["Read-only file system", MAKE_WRITABLE]);
    assert_without_writes(&resume(&place), "again", &["Read-only file system", MAKE_WRITABLE]);
    mounted.remount("rw");
    assert_resumes(&place, "writable again");
}

#[test]
fn a_program_that_fails_on_a_full_file_system_under_test_costs_no_job_and_the_campaign_resumes() {
    let place = place_with("", |place| format!("{}; exit 1", filling(&place.dir())));
    let Some(_mounted) = mounted(&place, "tmpfs", &place.dir()) else { return };
    let full = ["stopped after 1 of 3 jobs: /", "No space left on device", FREE_SPACE];
    let ran = place.assay("run p.toml --dir dir --campaigns c");
    assert_without_writes(&ran, "full", &full);
    free(&place.dir());
    assert_resumes(&place, "space again");
}

#[test]
fn wrong_data_on_a_full_file_system_fails_the_clause_and_is_not_read_again() {
    let place = Place::new();
    let spoil = format!("head -c 256K /dev/zero > {{dir}}/f; {} || true", filling(&place.dir()));
    place.plan(&format!(
        "[[test]]\nid = \"A\"\nior = \"-w -k -e -o {{dir}}/f -t 64k -b 128k -G 7\"\n\
         criterion = {{ metric = \"write.bw\", op = \">=\", value = \"1 B/s\" }}\n\
         [[test]]\nid = \"B\"\nuses = \"A\"\ncache = \"warm\"\nsetup = ['{spoil}']\n\
         ior = \"-R -k -o {{dir}}/f -t 64k -b 128k -G 7\"\n\
         criterion = {{ metric = \"read_check.errors\", op = \"==\", value = \"0 errors\" }}\n"
    ));
    fs::create_dir(place.path("c")).unwrap();
    let Some(_mounted) = mounted(&place, "tmpfs", &place.dir()) else { return };
    let ran = place.assay("run p.toml --dir dir --campaigns c --allow-lint-errors");
    assert_eq!(ran.status, Some(1), "{ran:#?}");
    assert_eq!(place.outcomes_in(&folder(&place)), ["A FAIL", "B FAIL"]);
}

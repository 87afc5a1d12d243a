//! File systems that break while a run writes: each run ends by itself, with one line that names the rank and
//! the file, and what it measured before is kept.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use results::{record, records};

use crate::common::campaign::{Place, until};
use crate::common::mounted::{FileSystem, Mounted};
use crate::common::{Ran, only_in_all};

/// The message of ENOTCONN.
const NOT_CONNECTED: &str = "Transport endpoint is not connected";
/// The longest time from the fault to the end of the run.
const END_WITHIN: Duration = Duration::from_secs(120);

/// Writes on 4 ranks, twice, for some seconds each time. `fault` comes in the second time.
fn run_into(mounted: &Mounted, fault: impl FnOnce()) -> (Ran, usize) {
    let place = Place::new();
    let dir = mounted.mount.join("dir");
    fs::create_dir(&dir).unwrap();
    let words = format!(
        "-n 4 ior -w -F -e -k -Y -i 2 -m -b 16m -t 64k --rate=16MiB/s --record=records -o {}",
        dir.join("f").display()
    );
    let mut command = place.command(&words);
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let measured = || {
        let all = records::load(&place.path("records")).unwrap_or_default();
        record::phases(&all).filter(|phase| phase.failed.is_none()).count()
    };
    until("the first repetition", || measured() == 1 || child.try_wait().unwrap().is_some());
    std::thread::sleep(Duration::from_secs(1));
    fault();
    let begin = std::time::Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(begin.elapsed() < END_WITHIN, "the run does not end");
        std::thread::sleep(Duration::from_millis(20));
    }
    let out = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (Ran { status: out.status.code(), out: text(&out.stdout), err: text(&out.stderr) }, measured())
}

/// Runs into the fault, and checks how the run ends. The line has one of the messages: a call that the fault
/// interrupts may have another error than the next one.
fn ends_with(mounted: &Mounted, messages: &[&str], fault: impl FnOnce()) {
    let (ran, measured) = run_into(mounted, fault);
    assert_eq!(ran.status, Some(4), "{ran:#?}");
    let complaints = ran.complaints();
    assert_eq!(complaints.len(), 1, "{ran:#?}");
    let line = complaints[0];
    let is_complete = line.starts_with("ior: write: rank ") && line.contains("/dir/f.");
    assert!(is_complete && messages.iter().any(|message| line.contains(message)), "{line}");
    let rows = ran.out.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let is_first = |row: &Vec<&str>| (row.len(), row.first(), row.last()) == (11, Some(&"write"), Some(&"0"));
    assert_eq!((measured, rows.filter(is_first).count()), (1, 1), "{ran:#?}");
}

fn command(program: &str, words: &[&str]) {
    let done = Command::new(program).args(words).output().unwrap();
    assert!(done.status.success(), "{program} {words:?}: {}", String::from_utf8_lossy(&done.stderr));
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn an_xfs_that_shuts_down_ends_the_run() {
    let Some(mounted) = FileSystem::Xfs.mount() else { return };
    ends_with(&mounted, &["Input/output error"], || {
        command("xfs_io", &["-x", "-c", "shutdown", text(&mounted.mount)]);
    });
}

#[test]
fn an_ext4_that_becomes_read_only_ends_the_run() {
    let Some(mounted) = FileSystem::Ext4.mount() else { return };
    ends_with(&mounted, &["Read-only file system", "Input/output error"], || {
        command("mount", &["-o", "remount,abort", text(&mounted.mount)]);
    });
}

#[test]
fn a_file_system_that_is_unmounted_lazily_ends_the_run_with_its_missing_files() {
    let Some(mounted) = FileSystem::Ext4.mount() else { return };
    ends_with(&mounted, &["bytes were written, but the file has 0"], || {
        command("umount", &["-l", text(&mounted.mount)]);
    });
}

#[test]
fn a_lost_connection_of_sshfs_ends_the_run() {
    if !only_in_all("sshfs is installed for the complete set only") {
        return;
    }
    let Some(mounted) = FileSystem::Sshfs.mount() else { return };
    ends_with(&mounted, &["Input/output error", NOT_CONNECTED], || mounted.kill("ssh"));
}

#[test]
fn bricks_that_are_killed_end_the_run() {
    let Some(mounted) = FileSystem::GlusterDistribute.mount() else { return };
    ends_with(&mounted, &[NOT_CONNECTED, "Input/output error", "bad state"], || mounted.kill("glusterfsd"));
}

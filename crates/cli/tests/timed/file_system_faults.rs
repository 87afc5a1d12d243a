//! File systems that break while a run writes: each run ends by itself, with one line that names the rank and
//! the file, and what it measured before is kept.

use std::fs;
use std::path::Path;
use std::time::Duration;

use results::reason::Code;
use results::{Record, record, records};

use crate::common::campaign::{Place, until};
use crate::common::gluster::{Gluster, Volume};
use crate::common::linked::LinkedSshfs;
use crate::common::mounted::{FileSystem, Mounted};
use crate::common::system::done;
use crate::common::{Ran, Running, only_in_all};

/// The message of ENOTCONN.
const NOT_CONNECTED: &str = "Transport endpoint is not connected";
/// The message of ECONNABORTED.
const ABORTED: &str = "Software caused connection abort";
/// The longest time from the fault to the end of the run.
const END_WITHIN: Duration = Duration::from_secs(120);
/// How long a server is stopped.
const STOPPED: Duration = Duration::from_secs(20);
/// How long a network is cut, if it comes back.
const CUT: Duration = Duration::from_secs(8);
const WAITING: &str = "servers that are stopped or cut off take half a minute";

/// Writes on 4 ranks, twice, for some seconds each time. `fault` comes in the second time. A call that lasts
/// `report` seconds is reported. Gives also the records.
fn run_into(mount: &Path, report: u32, fault: impl FnOnce()) -> (Ran, Vec<Record>) {
    let place = Place::new();
    let dir = mount.join("dir");
    fs::create_dir(&dir).unwrap();
    let words = format!(
        "-n 4 ior -w -F -e -k -Y -i 2 -m -b 16m -t 64k --rate=16MiB/s --record=records -o {}",
        dir.join("f").display()
    );
    let mut command = place.command(&words);
    command.env("ASSAY_WAIT_REPORT", report.to_string());
    let mut child = Running::piped(&mut command);
    let all = || records::load(&place.path("records")).unwrap_or_default();
    until("the first repetition", || measured(&all()) == 1 || child.has_ended());
    std::thread::sleep(Duration::from_secs(1));
    fault();
    (child.end(END_WITHIN), all())
}

/// The number of phases without a failure.
fn measured(all: &[Record]) -> usize {
    record::phases(all).filter(|phase| phase.failed.is_none()).count()
}

/// Runs into the fault, and checks how the run ends. The line has one of the messages: a call that the fault
/// interrupts may have another error than the next one. It has the offset, because a write fails.
fn ends_with(mounted: &Mounted, messages: &[&str], fault: impl FnOnce()) {
    ends_at(&mounted.mount, messages, fault);
}

/// The same at a mount point.
fn ends_at(mount: &Path, messages: &[&str], fault: impl FnOnce()) {
    let line = ends_at_some_call(mount, messages, fault);
    let rest = line.split_once(" at ").map(|(_, rest)| rest).unwrap_or_else(|| panic!("no offset: {line}"));
    let offset = rest.split_once(": ").and_then(|(offset, _)| offset.parse::<u64>().ok());
    // Each rank writes in steps of 64 KiB. The kernel may have taken a part of a step.
    assert!(offset.is_some_and(|offset| offset < 16 << 20), "{line}");
}

/// The same at any call. Gives the line.
fn ends_at_some_call(mount: &Path, messages: &[&str], fault: impl FnOnce()) -> String {
    let (ran, records) = run_into(mount, 60, fault);
    assert_eq!(ran.status, Some(4), "{ran:#?}");
    let complaints = ran.complaints();
    assert_eq!(complaints.len(), 1, "{ran:#?}");
    let line = complaints[0];
    let is_complete = line.starts_with("ior: write: rank ") && line.contains("/dir/f.");
    assert!(is_complete && messages.iter().any(|message| line.contains(message)), "{line}");
    let rows = ran.out.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let is_first = |row: &Vec<&str>| (row.len(), row.first(), row.last()) == (11, Some(&"write"), Some(&"0"));
    assert_eq!((measured(&records), rows.filter(is_first).count()), (1, 1), "{ran:#?}");
    line.to_owned()
}

/// Runs into a stall, and checks that the run ends well, and that the stall is reported while it lasts and
/// afterwards.
fn waits_and_ends_well(mount: &Path, stall: impl FnOnce()) {
    let (ran, records) = run_into(mount, 2, stall);
    assert_eq!((ran.status, measured(&records)), (Some(0), 2), "{ran:#?}");
    let is_report = |line: &&str| line.starts_with("assay: rank ") && line.contains("/dir/f.");
    let reported = ran.err.lines().find(is_report).unwrap_or_else(|| panic!("{ran:#?}"));
    assert!(reported.contains(" has been in ") && reported.ends_with(" s, in phase write"), "{reported}");
    let is_reported = |line: &str| line.starts_with("assay: warning: wr: no rank moved anything for ");
    assert!(ran.out.lines().any(|line| is_reported(line) && line.ends_with(" (iter 1)")), "{ran:#?}");
    let is_stall =
        |record: &Record| matches!(record, Record::Notice(notice) if notice.reason.code == Code::Stall);
    assert!(records.iter().any(is_stall), "{ran:#?}");
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn an_xfs_that_shuts_down_ends_the_run() {
    let Some(mounted) = FileSystem::Xfs.mount() else { return };
    ends_with(&mounted, &["Input/output error"], || {
        done("xfs_io", &["-x", "-c", "shutdown", text(&mounted.mount)]);
    });
}

#[test]
fn an_ext4_that_becomes_read_only_ends_the_run() {
    let Some(mounted) = FileSystem::Ext4.mount() else { return };
    ends_with(&mounted, &["Read-only file system", "Input/output error"], || {
        done("mount", &["-o", "remount,abort", text(&mounted.mount)]);
    });
}

#[test]
fn a_file_system_that_is_unmounted_lazily_ends_the_run_with_its_missing_files() {
    let Some(mounted) = FileSystem::Ext4.mount() else { return };
    ends_at_some_call(&mounted.mount, &["bytes were written, but the file has 0"], || {
        done("umount", &["-l", text(&mounted.mount)]);
    });
}

#[test]
fn a_lost_connection_of_sshfs_ends_the_run() {
    if !only_in_all("sshfs is installed for the complete set only") {
        return;
    }
    let Some(mounted) = FileSystem::Sshfs.mount() else { return };
    // sshfs does not wait for the answer to a write, so the failing call may be an fsync.
    let messages = ["Input/output error", NOT_CONNECTED, ABORTED];
    ends_at_some_call(&mounted.mount, &messages, || mounted.kill("ssh"));
}

#[test]
fn bricks_that_are_killed_end_the_run() {
    let Some(mounted) = FileSystem::GlusterDistribute.mount() else { return };
    ends_with(&mounted, &[NOT_CONNECTED, "Input/output error", "bad state"], || mounted.kill("glusterfsd"));
}

#[test]
fn bricks_that_stop_for_a_while_are_reported_and_the_run_ends_well() {
    if !only_in_all(WAITING) {
        return;
    }
    let Some(volume) = Gluster::unlimited(Volume::Distribute, 3) else { return };
    waits_and_ends_well(&volume.mount(), || {
        (1..=3).for_each(|brick| volume.signal(brick, "-STOP"));
        std::thread::sleep(STOPPED);
        (1..=3).for_each(|brick| volume.signal(brick, "-CONT"));
    });
}

#[test]
fn a_server_of_sshfs_that_stops_for_a_while_is_reported_and_the_run_ends_well() {
    if !only_in_all(WAITING) {
        return;
    }
    let Some(linked) = LinkedSshfs::mount("") else { return };
    waits_and_ends_well(&linked.path(), || {
        linked.signal("-STOP");
        std::thread::sleep(STOPPED);
        linked.signal("-CONT");
    });
}

#[test]
fn a_server_of_nfs_that_stops_for_a_while_is_reported_and_the_run_ends_well() {
    if !only_in_all(WAITING) {
        return;
    }
    let Some(mounted) = FileSystem::Nfs.mount() else { return };
    waits_and_ends_well(&mounted.mount, || {
        mounted.signal("-STOP", "ganesha.nfsd");
        std::thread::sleep(STOPPED);
        mounted.signal("-CONT", "ganesha.nfsd");
    });
}

#[test]
fn a_server_of_nfs_that_is_killed_ends_the_run() {
    if !only_in_all("NFS-Ganesha is installed for the complete set only") {
        return;
    }
    let Some(mounted) = FileSystem::Nfs.mount() else { return };
    ends_with(&mounted, &["Input/output error", "Connection reset", "Broken pipe"], || {
        mounted.kill("ganesha.nfsd");
    });
}

#[test]
fn a_network_that_is_cut_for_a_while_is_reported_and_the_run_ends_well() {
    if !only_in_all(WAITING) {
        return;
    }
    let Some(linked) = LinkedSshfs::mount("") else { return };
    waits_and_ends_well(&linked.path(), || {
        linked.link("down");
        std::thread::sleep(CUT);
        linked.link("up");
    });
}

#[test]
fn a_network_that_is_cut_ends_the_run_if_the_client_notices() {
    if !only_in_all(WAITING) {
        return;
    }
    // When sshfs finds its connection lost, a further call may start another one before it ends.
    let options = ",ServerAliveInterval=1,ServerAliveCountMax=3,ConnectTimeout=3";
    let Some(linked) = LinkedSshfs::mount(options) else { return };
    let messages = ["Input/output error", NOT_CONNECTED, ABORTED];
    ends_at_some_call(&linked.path(), &messages, || linked.link("down"));
}

#[test]
fn one_full_brick_ends_the_run_with_rank_path_and_offset() {
    if !only_in_all("bricks of GlusterFS that fill up take some seconds") {
        return;
    }
    let Some(volume) = Gluster::start(Volume::Distribute, &[0; 3]) else { return };
    ends_at(&volume.mount(), &["No space left on device"], || {
        let has_a_file = |brick: &usize| volume.data(*brick).join("dir/f.00000000.1").exists();
        volume.fill((1..=3).find(has_a_file).unwrap());
    });
}

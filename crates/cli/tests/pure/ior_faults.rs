//! A failure is reported in one line with rank, path and offset. It ends all ranks together, and keeps
//! earlier results.

use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::age::Mounted;
use crate::common::campaign::until;
use crate::common::tmpfs::Tmpfs;
use crate::common::{self, assay, complaint, ior, is_root, run};

#[test]
fn a_full_file_system_is_reported_with_rank_path_and_offset_and_results_are_kept() {
    let Some(small) = Tmpfs::new("size=6m") else { return };
    let records = tempfile::tempdir().unwrap();
    let record = records.path().join("r.jsonl");
    let words = format!("-w -F -b 4m -t 256k -o {}/f --record {}", small.path().display(), record.display());
    let line = complaint(&ior(small.path(), 2, &words), 4);
    assert!(line.starts_with("ior: write: rank ") && line.contains(" (node "), "{line}");
    assert!(
        line.contains("/f.0000000") && line.contains(" at ") && line.ends_with("No space left on device"),
        "{line}"
    );
    let text = std::fs::read_to_string(&record).unwrap();
    assert!(text.contains("\"record\":\"failure\"") && text.contains("\"exit\":4"), "{text}");
    let left: Vec<_> = small.path().read_dir().unwrap().collect();
    assert!(left.is_empty(), "partial files are removed: {left:?}");
}

#[test]
fn a_file_system_that_turns_read_only_is_reported_by_its_first_failed_write_and_not_by_an_fsync() {
    for (mkfs, turn) in [
        ("mkfs.ext4 -q -F", &["mount", "-o", "remount,abort"] as &[_]),
        ("mkfs.xfs -q -f", &["xfs_io", "-x", "-c", "shutdown"]),
    ] {
        let Some(mounted) = Mounted::on_loop(mkfs, 512 << 20) else { continue };
        let root = mounted.root.display();
        // With `-g` no rank writes before each has the file open.
        let words = format!("-n 3 ior -w -e -g -b 8m -t 64k -O minTimeDuration=60 -o {root}/f");
        let child =
            assay(&mounted.root, &words).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        until("data in the file", || mounted.root.join("f").metadata().is_ok_and(|meta| meta.len() > 0));
        let turned = Command::new(turn[0]).args(&turn[1..]).arg(&mounted.root).output().unwrap();
        assert!(turned.status.success(), "{turned:?}");
        let ended = child.wait_with_output().unwrap();
        let err = String::from_utf8_lossy(&ended.stderr);
        let line = err.lines().find(|line| line.starts_with("ior: write: rank ")).unwrap_or_default();
        assert!(line.contains(&format!("{root}/f at ")) && !line.contains("fsync"), "{mkfs}: {err}");
        assert!(line.contains(&format!(" (not removed: {root}/f: ")), "{mkfs}: {err}");
        assert_eq!(ended.status.code(), Some(4), "{err}");
    }
}

#[test]
fn a_failure_keeps_the_results_of_earlier_phases() {
    let Some(small) = Tmpfs::new("size=6m") else { return };
    let dir = tempfile::tempdir().unwrap();
    // The first repetition fits. The second needs another file in addition to the kept first one.
    let words = format!("-w -m -k -b 4m -t 1m -i 2 -o {}/f --record r.jsonl", small.path().display());
    let ran = ior(dir.path(), 1, &words);
    complaint(&ran, 4);
    assert!(ran.out.contains("Max Write: "), "the first repetition is reported\n{}", ran.out);
    let text = std::fs::read_to_string(dir.path().join("r.jsonl")).unwrap();
    assert_eq!(text.matches("\"record\":\"phase\"").count(), 1, "{text}");
}

#[test]
fn a_file_shorter_than_the_pattern_is_reported_with_its_end() {
    let dir = tempfile::tempdir().unwrap();
    ior(dir.path(), 2, "-w -k -b 1m -t 64k -o f").ok();
    std::fs::OpenOptions::new()
        .write(true)
        .open(dir.path().join("f"))
        .unwrap()
        .set_len((1 << 20) + 100_000)
        .unwrap();
    let line = complaint(&ior(dir.path(), 2, "-r -k -b 1m -t 64k -o f"), 4);
    assert!(
        line.contains("read: rank 1") && line.contains("f at 1148576: end of file: moved 34464 of 65536"),
        "{line}"
    );
    assert!(dir.path().join("f").exists(), "a file that was only read is kept with -k");
}

#[test]
fn a_read_only_directory_is_reported_with_its_file() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = assay(dir.path(), "-n 2 ior -w -o f");
    if is_root() {
        // Root may write everywhere, so another user runs a copy of the program.
        let copy = tempfile::Builder::new().prefix("assay").tempdir_in("/tmp").unwrap();
        let program = copy.path().join("assay");
        common::copy_of_program(&program);
        for path in [copy.path(), dir.path()] {
            std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        }
        command = Command::new(program);
        command.current_dir(dir.path()).args("-n 2 ior -w -o f".split(' ')).uid(65534).gid(65534);
        let line = complaint(&run(&mut command), 4);
        assert!(line.ends_with("cannot create f: Permission denied"), "{line}");
        return;
    }
    std::fs::set_permissions(dir.path(), std::os::unix::fs::PermissionsExt::from_mode(0o555)).unwrap();
    let line = complaint(&run(&mut command), 4);
    assert!(line.ends_with("cannot create f: Permission denied"), "{line}");
}

#[test]
fn a_flipped_byte_is_reported_with_its_address_and_an_exit_status() {
    let dir = tempfile::tempdir().unwrap();
    ior(dir.path(), 2, "-w -k -b 256k -t 64k -s 2 -o f -l o -G 9").ok();
    let mut file = std::fs::OpenOptions::new().read(true).write(true).open(dir.path().join("f")).unwrap();
    let mut byte = [0];
    file.seek(SeekFrom::Start(300_003)).unwrap();
    file.read_exact(&mut byte).unwrap();
    file.seek(SeekFrom::Start(300_003)).unwrap();
    file.write_all(&[byte[0] ^ 16]).unwrap();
    let ran = ior(dir.path(), 2, "-R -k -b 256k -t 64k -s 2 -o f -l o -G 9 --record r.jsonl");
    assert_eq!(ran.status, Some(4), "{ran:#?}");
    assert!(ran.out.contains("WARNING: Incorrect data on read (1 errors found)."), "{}", ran.out);
    assert!(ran.out.contains("assay: rank 1: f at 300000: 8 bytes flipped, expected 0x"), "{}", ran.out);
    let records = std::fs::read_to_string(dir.path().join("r.jsonl")).unwrap();
    assert!(records.contains("\"bad_transfers\":1") && records.contains("\"offset\":300000"), "{records}");
}

#[test]
fn data_of_another_signature_is_wrong_everywhere_and_not_status_0() {
    let dir = tempfile::tempdir().unwrap();
    ior(dir.path(), 1, "-w -k -b 1m -t 8k -o f -G 1").ok();
    // With 128 bad transfers the exit status of the original overflowed to 0.
    let ran = ior(dir.path(), 1, "-R -k -b 1m -t 8k -o f -G 2");
    assert_eq!(ran.status, Some(4));
    assert!(ran.out.contains("(128 errors found)"), "{}", ran.out);
}

#[test]
fn wrong_usage_is_one_line_and_status_2_and_creates_no_file() {
    let dir = tempfile::tempdir().unwrap();
    for (words, expected) in [
        ("-w -b 1m -t 3k", "-t 3072 does not divide -b 1048576. A block is a whole number of transfers"),
        ("-w --no-such-option", "unknown option `--no-such-option`. `ior -h` lists all options."),
        ("-w -L", "unknown option `-L`"),
        ("-w stray", "`stray` is not an option"),
        ("-w -b 8q", "unknown size suffix `q` in `8q`"),
        ("-w -b", "-b takes a value"),
        ("-w -a NOPE", "-a NOPE: unknown backend `NOPE`. Choose one of AIO, CEPHFS,"),
        ("-w -O keepFile", "is not of the form name=value"),
        ("-w -O nonsense=1", "-O nonsense: unknown directive"),
        ("-w -C -Z", "-C and -Z: both reorder the ranks"),
        ("-R", "Add -G NUMBER"),
        ("-w -N 0", "-N 0: a test needs at least one rank"),
        ("-w -a MPIIO", "this backend needs MPI"),
        ("-w --record no/such/dir/r", "--record no/such/dir/r"),
    ] {
        let line = complaint(&ior(dir.path(), 2, words), 2);
        assert!(line.contains(expected), "{words}: {line}");
    }
    assert_eq!(dir.path().read_dir().unwrap().count(), 0, "no file was created");
}

#[test]
fn records_are_never_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("r"), "precious").unwrap();
    let line = complaint(&ior(dir.path(), 1, "-w -o f --record r"), 2);
    assert!(line.contains("Choose a file that does not exist yet"), "{line}");
    assert_eq!(std::fs::read_to_string(dir.path().join("r")).unwrap(), "precious");
}

#[test]
fn a_launcher_without_an_mpi_library_is_rejected_with_the_names_of_the_libraries() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = assay(dir.path(), "ior -w -a DUMMY");
    command.env("PMI_RANK", "0").env("PMI_SIZE", "2").env("ASSAY_MPI_LIBRARY", dir.path());
    let line = complaint(&run(&mut command), 2);
    assert!(line.contains("libmpi"), "{line}");
}

#[test]
fn more_ranks_than_the_system_allows_threads_are_rejected() {
    let dir = tempfile::tempdir().unwrap();
    let line = complaint(&ior(dir.path(), 4_000_000_000, "-w -a DUMMY -b 8 -t 8"), 2);
    assert!(line.contains("-n 4000000000: at most ") && line.contains("vm.max_map_count"), "{line}");
}

#[test]
fn settings_beyond_the_limits_of_the_system_are_rejected_before_a_file_is_removed() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("f"), "earlier").unwrap();
    for (words, why) in [
        ("-a AIO --iodepth 100000000", "transfers at once"),
        ("-a AIO --aio.max-pending=100000000", "transfers at once"),
        ("-a URING --iodepth 100000", "-a URING: "),
        (
            "-O savePerOpDataCSV=gone/y",
            "savePerOpDataCSV=gone/y: the directory gone does not exist. Create it first",
        ),
    ] {
        let line = complaint(&ior(dir.path(), 2, &format!("-w -k -b 64k -t 4k -o f {words}")), 2);
        assert!(line.contains(why), "{line}");
        assert_eq!(std::fs::read(dir.path().join("f")).unwrap(), b"earlier", "{words}");
    }
}

#[test]
fn direct_transfers_of_partial_sectors_fail_with_a_remedy() {
    let dir = tempfile::tempdir().unwrap();
    for backend in ["POSIX", "AIO", "URING"] {
        let shape = format!("-a {backend} -w --posix.odirect -o f");
        let sound = ior(dir.path(), 1, &format!("{shape} -b 8k -t 4k")).status == Some(0);
        let odd = ior(dir.path(), 1, &format!("{shape} -b 1000 -t 1000"));
        if !sound || odd.status == Some(0) {
            println!("SKIPPED: O_DIRECT is rejected here, or accepts partial sectors");
            continue;
        }
        let line = complaint(&odd, 4);
        let end =
            "f at 0: Invalid argument. O_DIRECT moves whole sectors. Choose -t and -b as multiples of 4k";
        assert!(line.ends_with(end), "{line}");
        let line = complaint(&ior(dir.path(), 1, &format!("{shape} -z -b 8k -t 4k --randomPrefill=8")), 4);
        assert!(
            line.ends_with("O_DIRECT moves whole sectors. Choose --randomPrefill as multiples of 4k"),
            "{line}"
        );
    }
}

/// A block device on a file, detached at the end of the test.
struct Loop(String);

impl Loop {
    fn new(file: &Path) -> Option<Self> {
        let made = Command::new("losetup").args(["-f", "--show"]).arg(file).output();
        match made.ok().filter(|made| is_root() && made.status.success()) {
            Some(made) => Some(Self(String::from_utf8(made.stdout).unwrap().trim().to_owned())),
            None => {
                println!("SKIPPED: cannot create a block device here");
                None
            }
        }
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("-d").arg(&self.0).status();
    }
}

#[test]
fn devices_are_used_in_place_and_their_size_is_not_compared() {
    let dir = tempfile::tempdir().unwrap();
    for backend in ["POSIX", "URING"] {
        let ran = ior(dir.path(), 2, &format!("-w -E -k -b 1m -t 64k -o /dev/null -a {backend}"));
        assert!(!ran.ok().contains("aggregate file size"), "the size of a device is not compared");
    }
    let backing = dir.path().join("backing");
    std::fs::File::create(&backing).unwrap().set_len(8 << 20).unwrap();
    let Some(device) = Loop::new(&backing) else { return };
    let shape = format!("-E -k -b 2m -t 64k -l stamped -G 7 -o {}", device.0);
    let written = ior(dir.path(), 2, &format!("-w {shape} -e")).ok();
    assert!(!written.contains("aggregate file size"), "{written}");
    assert!(ior(dir.path(), 2, &format!("-R {shape}")).ok().contains("all as written"));
    ior(dir.path(), 2, &format!("--rwmix 50 {shape}")).ok();
    let small = ior(dir.path(), 2, &format!("--rwmix 50 {shape} -b 8m"));
    assert!(complaint(&small, 4).contains("the file has 8388608 bytes and --rwmix needs 16777216"));
}

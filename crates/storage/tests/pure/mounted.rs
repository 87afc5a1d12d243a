//! Properties of single backends on mounted file systems that not all backends have: faults of mappings,
//! range locks, layouts.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use command::Settings;
use ranks::local;
use rustix::fs::FlockOperation;
use storage::{Mode, Open, Parts, Storage};

const WRITE: Open =
    Open { mode: Mode::Write, shared: false, collective: false, bytes: 0, parts: Parts::NONE };
const READ: Open = Open { mode: Mode::Read, shared: false, collective: false, bytes: 0, parts: Parts::NONE };
const MIB: usize = 1 << 20;

fn opened(backend: &str, words: &[(&str, &str)]) -> Box<dyn Storage> {
    let mut settings = Settings::default();
    words.iter().for_each(|(name, value)| settings.set(name, *value));
    (storage::driver(backend).unwrap().open)(&settings).unwrap()
}

#[test]
fn a_file_truncated_under_its_mapping_is_an_error_and_not_a_crash() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    fs::write(&path, vec![7; MIB]).unwrap();
    let storage = opened("mmap", &[]);
    let comm = local::alone();
    let mut reader = storage.open(&comm, &path, READ).unwrap();
    let mut writer = storage.open(&comm, &path, Open { bytes: MIB as u64, ..WRITE }).unwrap();
    let other = dir.path().join("other");
    let mut unharmed = storage.open(&comm, &other, Open { bytes: MIB as u64, ..WRITE }).unwrap();
    let mut data = vec![0; 65536];
    assert_eq!(reader.read_at(&mut data, 0).unwrap(), 65536);

    fs::File::options().write(true).open(&path).unwrap().set_len(8192).unwrap();
    let error = reader.read_at(&mut data, 65536).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
    assert_eq!(error.to_string(), "the file was cut short to 8192 bytes while it was mapped");
    assert_eq!(writer.write_at(&data, 65536).unwrap_err().kind(), ErrorKind::UnexpectedEof);
    assert!(writer.write_at(&data, 65536).is_err(), "the replacement pages do not belong to the file");

    assert_eq!(unharmed.write_at(&[3; 65536], 65536).unwrap(), 65536, "another mapping still works");
    unharmed.sync().unwrap();
    for file in [reader, writer, unharmed] {
        file.close().unwrap();
    }
    assert_eq!(fs::metadata(&path).unwrap().len(), 8192, "nothing was written after the end");
    assert_eq!(fs::read(&other).unwrap()[65536..131_072], [3; 65536]);
    let mut again = storage.open(&comm, &path, READ).unwrap();
    assert_eq!(again.read_at(&mut data, 0).unwrap(), 8192, "a new mapping has no fault");
    again.close().unwrap();
}

#[test]
fn a_full_file_system_is_an_error_of_the_copy_into_its_mapping() {
    let dir = tempfile::tempdir().unwrap();
    let words = ["-t", "tmpfs", "-o", "size=256k", "none"];
    if !Command::new("mount").args(words).arg(dir.path()).status().is_ok_and(|status| status.success()) {
        println!("SKIPPED: only root can mount a small file system");
        return;
    }
    let storage = opened("mmap", &[]);
    let mut file =
        storage.open(&local::alone(), &dir.path().join("f"), Open { bytes: MIB as u64, ..WRITE }).unwrap();
    let error = (0..16).find_map(|block| file.write_at(&[1; 65536], block * 65536).err());
    let closed = file.close();
    let unmounted = Command::new("umount").arg("-l").arg(dir.path()).status();
    assert!(unmounted.is_ok_and(|status| status.success()));
    let error = error.expect("1 MiB does not fit into 256 KiB");
    assert_eq!(error.kind(), ErrorKind::StorageFull, "{error}");
    closed.unwrap();
}

#[test]
fn ranks_that_fault_at_the_same_time_each_get_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    fs::write(&path, vec![7; MIB]).unwrap();
    let storage = opened("mmap", &[]);
    let all = local::run(8, |comm| {
        let mut file = storage.open(comm, &path, READ).unwrap();
        comm.barrier().unwrap();
        if comm.rank() == 0 {
            fs::File::options().write(true).open(&path).unwrap().set_len(0).unwrap();
        }
        comm.barrier().unwrap();
        file.read_at(&mut [0; 65536], u64::from(comm.rank()) * 65536).unwrap_err().kind()
    });
    assert!(all.iter().all(|kind| *kind == Ok(ErrorKind::UnexpectedEof)), "{all:?}");
}

#[test]
fn a_mapping_extends_a_short_file_keeps_a_long_one_and_sees_it_grow() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    let storage = opened("mmap", &[("mmap.madv_pattern", "1"), ("mmap.madv_dont_need", "1")]);
    let comm = local::alone();
    let mut file = storage.open(&comm, &path, Open { bytes: 10_000, ..WRITE }).unwrap();
    assert_eq!(file.size().unwrap(), 10_000);
    assert_eq!(file.write_at(&[1; 8], 9_996).unwrap_err().kind(), ErrorKind::InvalidInput);
    assert_eq!(file.write_at(&[1; 8], 9_992).unwrap(), 8);
    file.sync().unwrap();
    file.close().unwrap();
    let file = storage.open(&comm, &path, Open { bytes: 10, ..WRITE }).unwrap();
    file.close().unwrap();
    assert_eq!(fs::metadata(&path).unwrap().len(), 10_000, "never shortened");

    let mut file = storage.open(&comm, &path, Open { bytes: 20_000, ..READ }).unwrap();
    let mut data = [0; 8192];
    assert_eq!(file.read_at(&mut data, 8192).unwrap(), 10_000 - 8192);
    fs::File::options().write(true).open(&path).unwrap().set_len(20_000).unwrap();
    assert_eq!(file.read_at(&mut data, 8192).unwrap(), 8192, "the file has grown");
    assert_eq!(data[1800..1808], [1; 8]);
    assert!(file.write_at(&data, 0).is_err(), "opened for reading");
    file.close().unwrap();
}

#[test]
fn a_transfer_waits_for_a_locked_range_and_then_locks_it_only_while_it_lasts() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    fs::write(&path, [1; 4096]).unwrap();
    let storage = opened("posix", &[("posix.rangelocks", "1")]);
    let holder = fs::File::options().read(true).write(true).open(&path).unwrap();
    rustix::fs::fcntl_lock(&holder, FlockOperation::NonBlockingLockExclusive).unwrap();
    let (ready, moved) = (AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut file = storage.open(&local::alone(), &path, READ).unwrap();
            ready.store(true, Ordering::SeqCst);
            assert_eq!(file.read_at(&mut [0; 64], 128).unwrap(), 64);
            moved.store(true, Ordering::SeqCst);
        });
        while !ready.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        // Without a lock the read ends long before this sleep; with a lock it waits for any length of time.
        std::thread::sleep(Duration::from_millis(100));
        assert!(!moved.load(Ordering::SeqCst), "the range is locked");
        rustix::fs::fcntl_lock(&holder, FlockOperation::Unlock).unwrap();
    });
    assert!(moved.load(Ordering::SeqCst));
    let mut file = storage.open(&local::alone(), &path, WRITE).unwrap();
    assert_eq!(file.write_at(&[2; 64], 0).unwrap(), 64);
    // The file is still open, but its range is not locked.
    rustix::fs::fcntl_lock(&holder, FlockOperation::NonBlockingLockExclusive).unwrap();
    assert_eq!(file.write_at(&[], 0).unwrap(), 0, "a transfer of 0 bytes takes no lock");
    file.close().unwrap();
}

#[test]
fn ranks_with_range_locks_write_one_file_at_the_same_time() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    let storage = opened("posix", &[("posix.rangelocks", "1")]);
    let all = local::run(4, |comm| {
        let mut file = storage.open(comm, &path, Open { shared: true, ..WRITE }).unwrap();
        for _ in 0..50 {
            assert_eq!(file.write_at(&[comm.rank() as u8; 4096], 0).unwrap(), 4096);
        }
        file.close().unwrap();
    });
    assert!(all.iter().all(Result::is_ok));
    let bytes = fs::read(&path).unwrap();
    assert!(bytes.iter().all(|byte| *byte == bytes[0]), "all bytes are from one write");
}

#[test]
fn a_lustre_layout_on_another_file_system_stops_all_ranks_with_one_reason() {
    let dir = tempfile::tempdir_in("/dev/shm").unwrap();
    for backend in ["posix", "aio", "uring"] {
        let path = dir.path().join(backend);
        let storage = opened(backend, &[("posix.lustre.stripecount", "4")]);
        for (shared, ranks) in [(true, 4), (true, 1), (false, 4)] {
            let how = Open { shared, ..WRITE };
            let all =
                local::run(ranks, |comm| storage.open(comm, &path, how).err().map(|error| error.to_string()));
            for (rank, one) in all.into_iter().enumerate() {
                let why = one.expect("no rank is left waiting").expect("an error");
                let whose = if shared && rank > 0 { " (rank 0)" } else { "" };
                let expected = format!("not on Lustre (found tmpfs). Leave out the lustre options{whose}");
                assert_eq!(why, expected, "{backend}");
            }
        }
        assert!(!path.exists(), "no file was created");
        fs::write(&path, "x").unwrap();
        storage.open(&local::alone(), &path, READ).unwrap().close().unwrap();
    }
    let free = opened("posix", &[("posix.lustre.stripecount", "1")]);
    let path: &Path = &dir.path().join("one");
    let all = local::run(4, |comm| {
        free.open(comm, path, Open { shared: true, ..WRITE }).map(drop).map_err(|error| error.to_string())
    });
    assert!(all.iter().all(|one| *one == Ok(Ok(()))), "{all:?}");
    let no_locks = opened("posix", &[("posix.lustre.ignorelocks", "1")]);
    let error = no_locks.open(&local::alone(), path, READ).err().expect("rejected");
    assert!(error.to_string().starts_with("not on Lustre (found tmpfs)"), "{error}");
}

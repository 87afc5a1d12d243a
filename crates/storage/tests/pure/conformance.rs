//! Properties of every backend, run over the table of backends; a new backend is included once it is in the
//! table.

use std::path::{Path, PathBuf};

use command::Settings;
use command::{BACKENDS, Backend, Needs};
use ranks::{Comm, local};
use storage::{Buffer, Mode, Open, Parts, Storage};

const WRITE: Open =
    Open { mode: Mode::Write, shared: false, collective: false, bytes: 0, parts: Parts::NONE };
const READ: Open = Open { mode: Mode::Read, shared: false, collective: false, bytes: 0, parts: Parts::NONE };

/// Calls `test` for every backend that runs on local ranks, each in its own directory.
fn each(test: impl Fn(&Backend, &dyn Storage, &dyn Comm, &Path)) {
    for backend in BACKENDS {
        if backend.needs != Needs::Nothing {
            // The program's tests run these backends under mpirun and check the same properties.
            continue;
        }
        let storage = (storage::driver(backend.name).unwrap().open)(&Settings::default())
            .expect("the defaults are valid");
        let dir = tempfile::tempdir().unwrap();
        test(backend, &*storage, &local::alone(), dir.path());
    }
}

fn pattern(length: usize, seed: u8) -> Vec<u8> {
    (0..length).map(|index| (index as u8).wrapping_mul(31).wrapping_add(seed)).collect()
}

fn put(storage: &dyn Storage, comm: &dyn Comm, path: &Path, data: &[u8], offset: u64) {
    let how = Open { bytes: offset + data.len() as u64, ..WRITE };
    let mut file = storage.open(comm, path, how).unwrap();
    assert_eq!(file.write_at(data, offset).unwrap(), data.len());
    file.close().unwrap();
}

#[test]
fn written_data_is_read_back_from_any_offset() {
    each(|backend, storage, comm, dir| {
        let path = dir.join("f");
        let mut file = storage.open(comm, &path, Open { bytes: 6 * 4096, ..WRITE }).unwrap();
        // Backwards and with a hole: a file is not a stream.
        for block in [5_u64, 3, 0] {
            assert_eq!(file.write_at(&pattern(4096, block as u8), block * 4096).unwrap(), 4096);
        }
        file.sync().unwrap();
        assert_eq!(file.size().unwrap(), 6 * 4096, "{}", backend.name);
        file.close().unwrap();
        if !backend.abilities.keeps_data {
            return;
        }
        let mut file = storage.open(comm, &path, READ).unwrap();
        let mut found = vec![7; 4096];
        for block in [0_u64, 3, 5] {
            assert_eq!(file.read_at(&mut found, block * 4096).unwrap(), 4096);
            assert_eq!(found, pattern(4096, block as u8), "{}, block {block}", backend.name);
        }
        assert_eq!(file.read_at(&mut found, 4096).unwrap(), 4096);
        assert!(found.iter().all(|byte| *byte == 0), "a hole reads as zeros");
        file.close().unwrap();
    });
}

#[test]
fn reading_beyond_the_end_returns_the_existing_bytes_and_then_none() {
    each(|backend, storage, comm, dir| {
        if !backend.abilities.keeps_data {
            return;
        }
        let path = dir.join("f");
        put(storage, comm, &path, &pattern(5000, 1), 0);
        let mut file = storage.open(comm, &path, READ).unwrap();
        let mut found = vec![0; 4096];
        assert_eq!(file.read_at(&mut found, 4096).unwrap(), 904, "{}", backend.name);
        assert_eq!(file.read_at(&mut found, 8192).unwrap(), 0, "{}", backend.name);
        file.close().unwrap();
    });
}

#[test]
fn opening_for_writing_keeps_the_existing_data() {
    each(|backend, storage, comm, dir| {
        if !backend.abilities.keeps_data {
            return;
        }
        let path = dir.join("f");
        put(storage, comm, &path, &pattern(8192, 1), 0);
        put(storage, comm, &path, &pattern(10, 9), 0);
        assert_eq!(storage.size(&path).unwrap(), Some(8192), "{}", backend.name);
    });
}

#[test]
fn opening_a_missing_file_is_an_error_and_it_has_no_size() {
    each(|backend, storage, comm, dir| {
        let path = dir.join("nothing");
        assert_eq!(storage.size(&path).unwrap(), None, "{}", backend.name);
        if backend.abilities.keeps_data {
            let error = storage.open(comm, &path, READ).err().expect("no such file");
            assert_eq!(error.kind(), std::io::ErrorKind::NotFound, "{}", backend.name);
            assert!(storage.remove(&path).is_err(), "{}", backend.name);
        }
    });
}

#[test]
fn a_removed_file_is_gone() {
    each(|backend, storage, comm, dir| {
        let path = dir.join("f");
        put(storage, comm, &path, &pattern(8, 1), 0);
        storage.remove(&path).unwrap();
        assert_eq!(storage.size(&path).unwrap(), None, "{}", backend.name);
    });
}

#[test]
fn ranks_write_one_file_at_the_same_time() {
    for backend in BACKENDS.iter().filter(|backend| backend.needs == Needs::Nothing) {
        let storage = (storage::driver(backend.name).unwrap().open)(&Settings::default()).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let path: PathBuf = dir.path().join("f");
        let how = Open { shared: true, bytes: 4 * 8 * 4096, ..WRITE };
        let all = local::run(4, |comm| {
            let mut file = storage.open(comm, &path, how).unwrap();
            let rank = comm.rank();
            for block in 0..8 {
                let offset = u64::from(block * 4 + rank) * 4096;
                file.write_at(&pattern(4096, (block * 4 + rank) as u8), offset).unwrap();
            }
            file.close().unwrap();
        });
        assert!(all.iter().all(Result::is_ok));
        if backend.abilities.keeps_data {
            let bytes = std::fs::read(&path).unwrap();
            for (index, block) in bytes.chunks(4096).enumerate() {
                assert_eq!(block, pattern(4096, index as u8), "{}, block {index}", backend.name);
            }
        }
    }
}

#[test]
fn direct_transfers_leave_nothing_in_the_page_cache() {
    // A file system in memory ignores O_DIRECT, so the test uses the file system of the build.
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = dir.path().join("f");
    let mut direct = Settings::default();
    direct.set("posix.odirect", "1");
    let storage = (storage::driver("posix").unwrap().open)(&direct).unwrap();
    let comm = local::alone();
    let mut buffer = Buffer::new(1 << 20).unwrap();
    let mut file = match storage.open(&comm, &path, WRITE) {
        Err(error) if error.kind() == std::io::ErrorKind::InvalidInput => {
            println!("SKIPPED: the file system under the build has no O_DIRECT");
            return;
        }
        file => file.unwrap(),
    };
    buffer.bytes_mut().copy_from_slice(&pattern(1 << 20, 3));
    assert_eq!(file.write_at(buffer.bytes(), 0).unwrap(), 1 << 20);
    file.close().unwrap();
    let mut cache = storage.page_cache(&path).unwrap().expect("posix can query the page cache");
    assert!(
        cache.resident(&[(0, 256 << 10), (512 << 10, 256 << 10)]).unwrap() < 0.01,
        "direct writes bypass the cache"
    );
    assert_eq!(std::fs::read(&path).unwrap(), buffer.bytes());
    assert!(
        cache.resident(&[(0, 256 << 10), (512 << 10, 256 << 10)]).unwrap() > 0.9,
        "buffered reads fill the cache"
    );
    cache.evict().unwrap();
    assert!(
        cache.resident(&[(0, 256 << 10), (512 << 10, 256 << 10)]).unwrap() < 0.01,
        "evicted pages are not in the cache"
    );
}

#[test]
fn a_failed_close_is_a_result() {
    // Every write to /dev/full fails; the close succeeds, and neither panics.
    let storage = (storage::driver("posix").unwrap().open)(&Settings::default()).unwrap();
    let mut file = storage.open(&local::alone(), Path::new("/dev/full"), WRITE).unwrap();
    let error = file.write_at(&[0; 8], 0).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
    file.close().unwrap();
}

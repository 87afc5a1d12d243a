//! Properties of every backend with metadata operations, run over the table of backends.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::io::ErrorKind;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::Path;

use command::BACKENDS;
use command::Settings;
use ranks::local;
use storage::{EntryKind, Mode, NameStatus, Names, Open, Parts, Storage};

fn c(dir: &Path, name: &str) -> CString {
    CString::new(dir.join(name).to_str().unwrap()).unwrap()
}

/// Calls `test` for every backend whose files and directories are kept.
fn each(test: impl Fn(&str, &dyn Storage, &dyn Names, &Path)) {
    let mut tried = 0;
    for backend in BACKENDS.iter().filter(|backend| backend.has_plain_files()) {
        let storage = (storage::driver(backend.name).unwrap().open)(&Settings::default()).unwrap();
        let names = storage.names().expect("they have names");
        let dir = tempfile::tempdir().unwrap();
        test(backend.name, &*storage, names, dir.path());
        tried += 1;
    }
    assert!(tried >= 4, "AIO, MMAP, POSIX, URING");
}

#[test]
fn directories_and_nodes_are_created_and_removed_and_errors_are_reported() {
    each(|backend, _, names, dir| {
        names.make_dir(&c(dir, "d"), 0o775).unwrap();
        assert_eq!(names.make_dir(&c(dir, "d"), 0o775).unwrap_err().kind(), ErrorKind::AlreadyExists);
        names.make_node(&c(dir, "d/n"), 0o400).unwrap();
        let made = std::fs::symlink_metadata(dir.join("d/n")).unwrap();
        assert_eq!((made.permissions().mode() & 0o777, made.len()), (0o400, 0), "{backend}");
        assert!(made.is_file() && !made.file_type().is_fifo());
        assert_eq!(names.remove_dir(&c(dir, "d")).unwrap_err().kind(), ErrorKind::DirectoryNotEmpty);
        assert!(names.unlink(&c(dir, "d")).is_err(), "a directory is not unlinked");
        names.unlink(&c(dir, "d/n")).unwrap();
        names.remove_dir(&c(dir, "d")).unwrap();
        assert_eq!(names.stat(&c(dir, "d")).unwrap_err().kind(), ErrorKind::NotFound, "{backend}");
    });
}

#[test]
fn stat_lstat_and_statx_report_the_same_status() {
    each(|backend, _, names, dir| {
        std::fs::write(dir.join("f"), vec![1; 5000]).unwrap();
        names.symlink(c"f", &c(dir, "s")).unwrap();
        names.link(&c(dir, "f"), &c(dir, "h")).unwrap();
        let wanted = NameStatus { directory: false, bytes: 5000 };
        for name in ["f", "h", "s"] {
            assert_eq!(names.stat(&c(dir, name)).unwrap(), wanted, "{backend} {name}");
        }
        assert_eq!(names.lstat(&c(dir, "h")).unwrap(), wanted);
        assert_eq!(names.statx(&c(dir, "h")).unwrap(), wanted);
        assert_eq!(names.lstat(&c(dir, "s")).unwrap().bytes, 1, "the link itself");
        assert_eq!(names.statx(&c(dir, "s")).unwrap().bytes, 1, "the link itself");
        assert!(names.stat(&c(dir, ".")).unwrap().directory && names.statx(&c(dir, ".")).unwrap().directory);
    });
}

#[test]
fn rename_truncate_chmod_and_attributes_take_effect() {
    each(|backend, _, names, dir| {
        std::fs::write(dir.join("a"), "abc").unwrap();
        std::fs::write(dir.join("b"), "b").unwrap();
        names.rename(&c(dir, "a"), &c(dir, "b")).unwrap();
        assert_eq!(std::fs::read(dir.join("b")).unwrap(), b"abc", "{backend}");
        names.truncate(&c(dir, "b"), 2).unwrap();
        assert_eq!(std::fs::read(dir.join("b")).unwrap(), b"ab");
        names.chmod(&c(dir, "b"), 0o640).unwrap();
        assert_eq!(std::fs::metadata(dir.join("b")).unwrap().permissions().mode() & 0o777, 0o640);
        match names.set_attribute(&c(dir, "b"), c"user.assay", b"xyz") {
            Ok(()) => {
                let mut value = [0; 8];
                assert_eq!(names.get_attribute(&c(dir, "b"), c"user.assay", &mut value).unwrap(), 3);
                assert_eq!(&value[..3], b"xyz");
                names.remove_attribute(&c(dir, "b"), c"user.assay").unwrap();
                assert!(names.get_attribute(&c(dir, "b"), c"user.assay", &mut value).is_err(), "{backend}");
            }
            Err(error) if error.raw_os_error() == Some(95) => {
                println!("SKIPPED: {} does not support user attributes", dir.display());
            }
            Err(error) => panic!("{backend}: {error}"),
        }
    });
}

#[test]
fn a_directory_that_needs_many_calls_is_listed_completely_and_once() {
    each(|backend, _, names, dir| {
        for number in 0..3000 {
            std::fs::write(dir.join(format!("file-with-a-long-name-{number}")), "").unwrap();
        }
        std::fs::create_dir(dir.join("sub")).unwrap();
        let mut found = BTreeMap::new();
        let count = names
            .list(&c(dir, ""), &mut |name, directory| {
                assert!(found.insert(name.to_owned(), directory).is_none(), "{name:?} came twice");
            })
            .unwrap();
        assert_eq!((count, found.len()), (3001, 3001), "{backend}");
        assert_ne!(found[&CString::new("sub").unwrap()], Some(false));
        assert_ne!(found[&CString::new("file-with-a-long-name-7").unwrap()], Some(true));
    });
}

#[test]
fn files_can_be_opened_for_update_or_truncated() {
    each(|backend, storage, _, dir| {
        if backend == "mmap" {
            return;
        }
        let comm = local::alone();
        let open = |mode| {
            storage.open(
                &comm,
                &dir.join("f"),
                Open { mode, shared: false, collective: false, bytes: 0, parts: Parts::NONE },
            )
        };
        assert_eq!(open(Mode::Update).err().unwrap().kind(), ErrorKind::NotFound, "{backend}");
        open(Mode::Truncate).unwrap().close().unwrap();
        let mode = std::fs::metadata(dir.join("f")).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode | 0o022, 0o666, "the umask applies");
        std::fs::write(dir.join("f"), "abc").unwrap();
        let mut file = open(Mode::Update).unwrap();
        assert_eq!(file.write_at(b"x", 1).unwrap(), 1);
        assert!(file.read_at(&mut [0; 4], 0).is_err(), "the file is open for writing only");
        file.close().unwrap();
        assert_eq!(std::fs::read(dir.join("f")).unwrap(), b"axc");
        open(Mode::Truncate).unwrap().close().unwrap();
        assert_eq!(std::fs::read(dir.join("f")).unwrap(), b"");
    });
}

#[test]
fn a_directory_is_listed_by_the_calls_of_ls() {
    each(|backend, _, names, dir| {
        let listing = names.listing().expect("mounted file systems can be listed");
        for number in 0..3000 {
            std::fs::write(dir.join(format!("file-with-a-long-name-{number}")), "").unwrap();
        }
        std::fs::create_dir(dir.join("sub")).unwrap();
        names.symlink(c"no/where", &c(dir, "s")).unwrap();
        let mut opened = listing.open_dir(&c(dir, "")).unwrap();
        let metadata = std::fs::metadata(dir).unwrap();
        assert_eq!(opened.identity().unwrap().inode, metadata.ino(), "{backend}");
        let mut found = BTreeMap::new();
        while let Some((name, kind)) = opened.next().unwrap() {
            assert!(found.insert(name.to_owned(), kind).is_none(), "{backend}: {name:?}");
        }
        assert_eq!(found.len(), 3002, "{backend}");
        for (name, kind) in [
            ("sub", EntryKind::Directory),
            ("s", EntryKind::Link),
            ("file-with-a-long-name-7", EntryKind::Other),
        ] {
            assert!([kind, EntryKind::Unknown].contains(&found[&CString::new(name).unwrap()]), "{name}");
            assert_eq!(listing.shown(&c(dir, name)).unwrap().kind, kind, "{name}");
        }
        let mut target = [0; 64];
        assert_eq!(listing.read_link(&c(dir, "s"), &mut target).unwrap(), 8);
        assert_eq!(&target[..8], b"no/where");
        assert!(listing.own_attribute(&c(dir, "s"), c"user.none", &mut []).is_err());
        assert_eq!(
            listing.attribute(&c(dir, "s"), c"user.none", &mut []).unwrap_err().kind(),
            ErrorKind::NotFound,
            "attributes of the file that the link leads to"
        );
        assert!(listing.open_dir(&c(dir, "s")).is_err());
    });
}

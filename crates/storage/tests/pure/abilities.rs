//! The abilities in the table of backends equal what each storage really offers, for all backends.

use command::Settings;
use command::{BACKENDS, Needs};
use ranks::local;
use storage::{Mode, Open, Parts};

#[test]
fn the_table_of_abilities_equals_what_each_storage_offers() {
    for backend in BACKENDS {
        let (name, able) = (backend.name, backend.abilities);
        let storage = (storage::driver(backend.name).unwrap().open)(&Settings::default())
            .expect("the defaults are valid");
        assert_eq!(storage.names().is_some(), able.names, "{name}: names");
        assert!(able.sync_bytes.is_power_of_two(), "{name}: unit of a sync");
        let mut settings = Settings::default();
        settings.set(&format!("{name}.useFileView"), "1");
        settings.set(&format!("{name}.useStridedDatatype"), "1");
        let viewed = (storage::driver(backend.name).unwrap().open)(&settings)
            .expect("an unknown option for views is ignored");
        assert_eq!(viewed.moves_all_segments(), able.file_views, "{name}: views");
        // `dummy` neither blocks nor queues.
        assert!(!able.blocking || storage.queue(Some(2), 4096).unwrap().is_none(), "{name}: a queue");
    }
}

#[test]
fn files_can_be_opened_for_writing_only_where_the_table_says_so() {
    for backend in BACKENDS.iter().filter(|backend| backend.needs == Needs::Nothing) {
        let storage = (storage::driver(backend.name).unwrap().open)(&Settings::default())
            .expect("the defaults are valid");
        let dir = tempfile::tempdir().unwrap();
        let how =
            Open { mode: Mode::Truncate, shared: false, collective: false, bytes: 8, parts: Parts::NONE };
        let opened = storage.open(&local::alone(), &dir.path().join("f"), how);
        assert_eq!(opened.is_ok(), backend.abilities.write_only, "{}", backend.name);
    }
}

#[test]
fn options_that_a_backend_takes_from_another_exist_and_work() {
    for backend in BACKENDS {
        for option in backend.also_takes {
            let (of, word) = option.split_once('.').expect("a backend and an option");
            let of = command::backend(of).expect("it is in the table");
            assert!(of.options.iter().any(|known| known.name == word), "{option}");
        }
        let mut settings = Settings::default();
        settings.set("posix.odirect", "1");
        let takes = backend.name == "posix" || backend.also_takes.contains(&"posix.odirect");
        // `mmap` rejects it with its own message.
        let direct =
            (storage::driver(backend.name).unwrap().open)(&settings).is_ok_and(|storage| storage.direct());
        assert_eq!(direct, takes, "{}", backend.name);
    }
}

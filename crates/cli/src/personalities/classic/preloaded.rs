//! Notes on libraries that were preloaded into a program.
//!
//! A preloaded library sees the calls on files that go through the C library. It may be a file system in user
//! space, or a profiler. A reader of the numbers must know of it.

use units::visible;
use workloads::kit::process;

use command::classic::OptionNote;

/// The notes for a program, and for its `backend` if it has a choice; none without a preloaded library.
pub(crate) fn notes(backend: Option<&str>) -> Vec<OptionNote> {
    let paths: Vec<_> = process::mapped_at_start().iter().map(|object| object.path.as_str()).collect();
    notes_on(&paths, backend)
}

fn notes_on(paths: &[&str], backend: Option<&str>) -> Vec<OptionNote> {
    let Some((first, others)) = paths.split_first() else { return Vec::new() };
    let library = visible(first);
    let which = if others.is_empty() { library.clone() } else { format!("{library} (with others)") };
    let mut notes = vec![OptionNote::of_run(format!(
        "{which} was loaded into this program at its start. It may record the calls on files, or answer them \
         itself"
    ))];
    let backend = backend.and_then(|name| command::backend(name).ok());
    if let Some(backend) = backend.filter(|backend| !backend.abilities.transfers_by_library) {
        notes.push(OptionNote::of_run(format!(
            "-a {} moves data without functions of the C library, so {library} does not see its transfers. \
             Choose -a POSIX",
            backend.name.to_uppercase()
        )));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether there is a note, and one on transfers that the library does not see.
    fn found(paths: &[&str], backend: &str) -> (bool, bool) {
        let notes: Vec<String> = notes_on(paths, Some(backend)).iter().map(ToString::to_string).collect();
        let text = notes.concat();
        assert!(paths.iter().take(1).all(|path| notes.iter().all(|note| note.contains(path))), "{text}");
        (!notes.is_empty(), text.contains(&format!("-a {}", backend.to_uppercase())))
    }

    #[test]
    fn transfers_without_functions_of_a_library_have_a_note_if_a_library_was_preloaded() {
        for backend in command::BACKENDS {
            let is_unseen = ["aio", "mmap", "uring"].contains(&backend.name);
            assert_eq!(found(&[], backend.name), (false, false));
            assert_eq!(
                found(&["/opt/liba.so", "/b.so"], backend.name),
                (true, is_unseen),
                "{}",
                backend.name
            );
        }
    }
}

//! Compares the tree of a resumed run with the model, and corrects it.
//!
//! After a killed process nothing is wrong. After a node failure the state may know more or less than the
//! disk. Missing files and files of another length are created again. Extra files with names of this program
//! are removed. Both are counted. Other files stay. Directories that the state does not know yet are not
//! checked: the sequence will create them with all their contents.
//!
//! Invariant: afterwards the tree equals the model, except for foreign files. A directory that was replaced,
//! for example by a link, is not entered.

use std::ffi::CStr;
use std::io::ErrorKind;

use super::act::{Act, Name};
use super::part::AgeingPart;
use super::state::at;
use super::worker::Past;

/// The result of an audit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Audit {
    /// Files and directories that were created again.
    pub(super) missing: u64,
    /// Files of the tree that were removed.
    pub(super) left_over: u64,
}

/// The number after a letter, in the form that this program writes.
pub(super) fn number(name: &CStr, letter: u8) -> Option<u32> {
    let (first, digits) = name.to_bytes().split_first()?;
    let text = std::str::from_utf8(digits).ok()?;
    let number: u32 = text.parse().ok()?;
    (*first == letter && text == number.to_string()).then_some(number)
}

/// Compares the tree with the model and corrects it.
pub(super) fn audit(part: &mut AgeingPart<'_>) -> Result<Audit, String> {
    let mut audit = Audit::default();
    let mut wanted: Vec<u32> = (0..part.model.files.len() as u32).collect();
    wanted.sort_unstable_by_key(|index| part.model.files[*index as usize].name);
    let mut seen = vec![false; wanted.len()];
    for dir in 0..part.model.tree.count() as u32 {
        let found = match files_in(part, dir)? {
            Some(found) => found,
            None => {
                audit.missing += 1;
                remake(part, &Act::MakeDir(dir), Past::Resumed)?;
                Vec::new()
            }
        };
        for file in found {
            let name = Name { dir, number: file };
            match wanted.binary_search_by_key(&name, |index| part.model.files[*index as usize].name) {
                Ok(at) => seen[at] = true,
                Err(_) => {
                    audit.left_over += 1;
                    remake(part, &Act::Delete(name), Past::Uncounted)?;
                }
            }
        }
    }
    for (at, index) in wanted.iter().enumerate() {
        let file = part.model.files[*index as usize];
        let path = part.hands.file(&part.model.tree, file.name);
        let sound = seen[at] && part.names.lstat(path).is_ok_and(|entry| entry.bytes == file.bytes);
        if !sound {
            audit.missing += 1;
            let act = Act::Create { name: file.name, bytes: file.bytes, sync: false };
            remake(part, &act, Past::Resumed)?;
        }
    }
    Ok(audit)
}

/// The numbers of the files in a directory of the tree; `None` if the directory does not exist.
fn files_in(part: &mut AgeingPart<'_>, dir: u32) -> Result<Option<Vec<u32>>, String> {
    let mut found = Vec::new();
    let path = part.hands.dir(&part.model.tree, dir);
    // The directories above it were checked before.
    if part.names.lstat(path).is_ok_and(|entry| !entry.directory) {
        let path = part.hands.path();
        return Err(format!(
            "{}: is no directory any more; move it away, and --resume again",
            path.display()
        ));
    }
    let listed = part.names.list(path, &mut |name, is_dir| {
        if is_dir != Some(true) {
            found.extend(number(name, b'f'));
        }
    });
    match listed {
        Ok(_) => Ok(Some(found)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("list {}", at(&part.hands.path(), &error))),
    }
}

fn remake(part: &mut AgeingPart<'_>, act: &Act, past: Past) -> Result<(), String> {
    part.hands.perform(act, &part.model.tree, &mut part.guard, part.number, past)
}

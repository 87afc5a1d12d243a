//! Links in a campaign folder: where they lead, decided from their text alone.
//!
//! Invariant: a link that does not lead out by its text stays inside, even if other links are on its way.
//! Never here: following a link.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

/// Whether the link `name`, a path below the folder, leads out of the folder.
///
/// `..` is allowed only at the beginning of the target. After a name it would start from the target of
/// another link.
pub(super) fn leads_out(name: &Path, target: &[u8]) -> bool {
    let mut parts = Path::new(OsStr::from_bytes(target))
        .components()
        .filter(|part| *part != Component::CurDir)
        .peekable();
    let mut left = name.components().count().saturating_sub(1);
    while parts.next_if_eq(&Component::ParentDir).is_some() {
        match left.checked_sub(1) {
            Some(less) => left = less,
            None => return true,
        }
    }
    !parts.all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_out_if_its_text_may_leave_the_folder() {
        let at = Path::new("jobs/0001-w-r1/l");
        for inside in ["a", "./a//b/", "../../plan.toml", "../..", "../0002-r-r1/stdout.txt", ""] {
            assert!(!leads_out(at, inside.as_bytes()), "{inside}");
        }
        for outside in ["/etc/hosts", "../../..", "../../../x", "a/../b", "./../../.././x", "/"] {
            assert!(leads_out(at, outside.as_bytes()), "{outside}");
        }
        assert!(leads_out(Path::new("l"), b".."));
    }
}

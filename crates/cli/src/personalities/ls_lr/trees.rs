//! Rejects trees before any rank starts.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use units::Usage;
use workloads::kit::failed_call::words;
use workloads::ls_lr::{LsLrParameters, Marker, TreeState, Trees};

/// Rejects a tree that cannot be made, walked or removed as requested.
pub(super) fn check(parameters: &LsLrParameters, tree: u32) -> Result<(), Usage> {
    let root = parameters.tree(tree);
    match &parameters.trees {
        Trees::Given(_) => given(&root),
        Trees::Under(dir) => under(parameters, dir, &root),
    }
}

fn rejected<T>(path: &Path, why: &str) -> Result<T, Usage> {
    Err(Usage(format!("{}: {why}", path.display())))
}

fn given(root: &Path) -> Result<(), Usage> {
    match root.symlink_metadata() {
        Err(error) => {
            rejected(root, &format!("{}. Choose a tree, or make trees with --make.", words(&error)))
        }
        Ok(found) if found.is_symlink() => {
            rejected(root, "a link. `ls -lR` does not list its target. Put a slash after it.")
        }
        Ok(found) if !found.is_dir() => rejected(root, "not a directory. Choose the root of a tree."),
        Ok(_) => Ok(()),
    }
}

fn under(parameters: &LsLrParameters, dir: &Path, root: &Path) -> Result<(), Usage> {
    match fs::metadata(dir) {
        Err(error) => return rejected(dir, &format!("{}. Choose an existing directory.", words(&error))),
        Ok(found) if !found.is_dir() => return rejected(dir, "not a directory. Choose one for the trees."),
        Ok(_) => {}
    }
    if root.symlink_metadata().is_err() {
        let walks_only = parameters.walk && !parameters.make;
        return if walks_only { rejected(root, "no such tree. Make it with --make.") } else { Ok(()) };
    }
    let marker = match Marker::load(root) {
        Ok(marker) => marker,
        Err(error) => return rejected(root, &words(&error)),
    };
    match marker {
        None if Marker::is_bare(root).is_ok_and(|bare| bare) => match parameters.walk && !parameters.make {
            true => rejected(
                root,
                "its creation was interrupted. Complete it with --make, or remove it with --remove.",
            ),
            false => Ok(()),
        },
        None => rejected(root, "ls-lr did not create this and does not change it. Move it away."),
        Some(marker) if parameters.make && marker.shape != parameters.shape => {
            rejected(root, "a tree of another shape is here. Remove it with --remove, or request its shape.")
        }
        Some(Marker { state: TreeState::Removing, .. }) if parameters.make || parameters.walk => {
            rejected(root, "its removal was interrupted. Complete it with --remove alone.")
        }
        Some(Marker { state: TreeState::Making, .. }) if parameters.walk && !parameters.make => {
            rejected(root, "its creation was interrupted. Complete it with --make and the same shape.")
        }
        Some(_) => Ok(()),
    }
}

/// Rejects trees that are the same or nested: a walker would find the entries of another in memory. Trees
/// that this node does not see are skipped.
pub(super) fn apart(parameters: &LsLrParameters, ranks: u32) -> Result<(), Usage> {
    let Trees::Given(_) = parameters.trees else { return Ok(()) };
    let mut seen: Vec<(PathBuf, (u64, u64), u32)> = Vec::new();
    for tree in 0..ranks {
        let root = parameters.tree(tree);
        if let (Ok(whole), Ok(found)) = (fs::canonicalize(&root), fs::metadata(&root)) {
            seen.push((whole, (found.dev(), found.ino()), tree));
        }
    }
    let clash = |a: u32, b: u32, how: &str| {
        let [a, b] = [a, b].map(|tree| parameters.tree(tree).display().to_string());
        Err(Usage(format!("{a} and {b} {how}. Give each walker its own tree.")))
    };
    seen.sort_by(|a, b| a.1.cmp(&b.1).then(a.2.cmp(&b.2)));
    if let Some(pair) = seen.windows(2).find(|pair| pair[0].1 == pair[1].1) {
        return clash(pair[0].2, pair[1].2, "are the same tree");
    }
    // Sorted by path components, a directory comes directly before its contents.
    seen.sort();
    match seen.windows(2).find(|pair| pair[1].0.starts_with(&pair[0].0)) {
        Some(pair) => clash(pair[0].2, pair[1].2, "are nested"),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_or_nested_trees_are_rejected() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        for name in ["a", "a-b", "a/in", "c"] {
            fs::create_dir(at(name)).unwrap();
        }
        std::os::unix::fs::symlink(at("c"), at("link")).unwrap();
        let of = |names: &[&str]| {
            let trees = Trees::Given(names.iter().map(|name| at(name)).collect());
            let parameters = LsLrParameters { trees, ..LsLrParameters::default() };
            apart(&parameters, names.len() as u32).map_err(|usage| usage.0)
        };
        assert_eq!(of(&["a", "a-b", "c"]), Ok(()));
        assert_eq!(of(&["a", "none"]), Ok(()), "a missing tree is reported elsewhere");
        for (names, how) in [
            (&["a", "c", "a"][..], "are the same tree"),
            (&["c", "link/"], "are the same tree"),
            (&["a/in", "c", "a-b", "a"], "are nested"),
        ] {
            assert!(of(names).unwrap_err().contains(how), "{names:?}");
        }
    }
}

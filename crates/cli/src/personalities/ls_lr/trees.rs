//! What is rejected of trees before any rank starts.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use units::Usage;
use workloads::kit::drive::words;
use workloads::ls_lr::{LsLrParameters, Marker, TreeState, Trees};

/// Says no to a tree that cannot be made, walked or removed as asked.
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
        Err(error) => rejected(root, &format!("{}; name a tree, or make trees with --make", words(&error))),
        Ok(found) if found.is_symlink() => {
            rejected(root, "a link, of which ls -lR lists nothing; put a slash behind it")
        }
        Ok(found) if !found.is_dir() => rejected(root, "not a directory; name the root of a tree"),
        Ok(_) => Ok(()),
    }
}

fn under(parameters: &LsLrParameters, dir: &Path, root: &Path) -> Result<(), Usage> {
    match fs::metadata(dir) {
        Err(error) => return rejected(dir, &format!("{}; name a directory that is there", words(&error))),
        Ok(found) if !found.is_dir() => return rejected(dir, "not a directory; name one for the trees"),
        Ok(_) => {}
    }
    if root.symlink_metadata().is_err() {
        let walks_only = parameters.walk && !parameters.make;
        return if walks_only { rejected(root, "no such tree; --make makes one") } else { Ok(()) };
    }
    let marker = match Marker::load(root) {
        Ok(marker) => marker,
        Err(error) => return rejected(root, &words(&error)),
    };
    match marker {
        None if Marker::is_bare(root).is_ok_and(|bare| bare) => match parameters.walk && !parameters.make {
            true => rejected(
                root,
                "its making was interrupted; end it with --make, or take it away with --remove",
            ),
            false => Ok(()),
        },
        None => rejected(root, "ls-lr did not make this, and leaves it alone; move it away"),
        Some(marker) if parameters.make && marker.shape != parameters.shape => rejected(
            root,
            "a tree of another shape is there; take it away with --remove, or ask for its shape",
        ),
        Some(Marker { state: TreeState::Removing, .. }) if parameters.make || parameters.walk => {
            rejected(root, "its removal was interrupted; end it with --remove alone")
        }
        Some(Marker { state: TreeState::Making, .. }) if parameters.walk && !parameters.make => {
            rejected(root, "its making was interrupted; end it with --make and the same shape")
        }
        Some(_) => Ok(()),
    }
}

/// Says no to trees that are the same or lie within each other: walkers would find each other's names in
/// memory. Trees that this node does not see are left out.
pub(super) fn apart(parameters: &LsLrParameters, ranks: u32) -> Result<(), Usage> {
    let Trees::Given(_) = parameters.trees else { return Ok(()) };
    let mut seen: Vec<(PathBuf, (u64, u64), u32)> = Vec::new();
    for tree in 0..ranks {
        let root = parameters.tree(tree);
        if let (Ok(whole), Ok(found)) = (fs::canonicalize(&root), fs::metadata(&root)) {
            seen.push((whole, (found.dev(), found.ino()), tree));
        }
    }
    let told = |a: u32, b: u32, how: &str| {
        let [a, b] = [a, b].map(|tree| parameters.tree(tree).display().to_string());
        Err(Usage(format!("{a} and {b} {how}; each walker needs a tree of its own")))
    };
    seen.sort_by(|a, b| a.1.cmp(&b.1).then(a.2.cmp(&b.2)));
    if let Some(pair) = seen.windows(2).find(|pair| pair[0].1 == pair[1].1) {
        return told(pair[0].2, pair[1].2, "are one tree");
    }
    // Sorted by its parts a directory stands directly before what lies in it.
    seen.sort();
    match seen.windows(2).find(|pair| pair[1].0.starts_with(&pair[0].0)) {
        Some(pair) => told(pair[0].2, pair[1].2, "lie within each other"),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_that_are_one_or_within_each_other_are_rejected() {
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
        assert_eq!(of(&["a", "none"]), Ok(()), "what is not there is told elsewhere");
        for (names, how) in [
            (&["a", "c", "a"][..], "are one tree"),
            (&["c", "link/"], "are one tree"),
            (&["a/in", "c", "a-b", "a"], "lie within each other"),
        ] {
            assert!(of(names).unwrap_err().contains(how), "{names:?}");
        }
    }
}

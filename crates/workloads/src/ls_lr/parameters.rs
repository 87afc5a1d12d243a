//! The settings of a run.

use std::path::{Path, PathBuf};

use command::ls_lr::LsLrShape;
use storage::Client;
use units::Usage;

use super::walk::EntryCalls;

/// The trees to walk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trees {
    /// Trees that assay makes in this directory: `ls-lr.0`, `ls-lr.1`, …
    Under(PathBuf),
    /// Existing trees, one for each rank.
    Given(Vec<PathBuf>),
}

/// The settings of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct LsLrParameters {
    /// The trees.
    pub trees: Trees,
    /// The shape of each tree that is created.
    pub shape: LsLrShape,
    /// Create the trees first.
    pub make: bool,
    /// Walk them.
    pub walk: bool,
    /// Remove them at the end.
    pub remove: bool,
    /// Number of walks.
    pub repetitions: u32,
    /// The calls on each entry.
    pub calls: EntryCalls,
    /// Drop the caches of all nodes before each walk.
    pub cold: bool,
    /// Rank r walks the tree of rank r + this number.
    pub shift: u32,
    /// Minimum duration of a common window, seconds. A shorter window is reported.
    pub least_window_s: f64,
    /// Whether the run continues after a failed call.
    pub keep_going: bool,
    /// The kernel interface of this client.
    pub client: Client,
}

impl Default for LsLrParameters {
    fn default() -> Self {
        Self {
            trees: Trees::Given(Vec::new()),
            shape: LsLrShape::default(),
            make: false,
            walk: true,
            remove: false,
            repetitions: 1,
            calls: EntryCalls::All,
            cold: false,
            shift: 0,
            least_window_s: 1.0,
            keep_going: false,
            client: Client::default(),
        }
    }
}

impl LsLrParameters {
    /// Tree number `tree`, from 0.
    pub fn tree(&self, tree: u32) -> PathBuf {
        match &self.trees {
            Trees::Under(dir) => dir.join(format!("ls-lr.{tree}")),
            Trees::Given(dirs) => dirs.get(tree as usize).cloned().unwrap_or_default(),
        }
    }

    /// The directories that hold the trees, or the trees themselves.
    pub fn dirs(&self) -> &[PathBuf] {
        match &self.trees {
            Trees::Under(dir) => std::slice::from_ref(dir),
            Trees::Given(dirs) => dirs,
        }
    }

    /// The number of the tree that a rank walks.
    pub fn walked_by(&self, rank: u32, ranks: u32) -> u32 {
        ((u64::from(rank) + u64::from(self.shift)) % u64::from(ranks.max(1))) as u32
    }

    /// Rejects settings that cannot run, before any rank starts.
    pub fn check(&self, ranks: u32) -> Result<(), Usage> {
        if let Trees::Given(dirs) = &self.trees
            && dirs.len() != ranks as usize
        {
            let are = if dirs.len() == 1 { "1 tree" } else { &format!("{} trees", dirs.len()) };
            let each = if ranks == 1 { "1 walker" } else { &format!("{ranks} walkers") };
            return Err(Usage(format!(
                "{are} for {each}: give one directory for each, or one directory with trees of --make"
            )));
        }
        if self.make {
            let longest = self.tree(ranks.saturating_sub(1));
            self.shape.check(Path::new(&longest))?;
        }
        if self.repetitions == 0 {
            return Err(Usage::new("--repetitions 0: give at least 1"));
        }
        if !(self.least_window_s >= 0.0 && self.least_window_s.is_finite()) {
            return Err(Usage(format!("--min-window {}: give seconds, at least 0", self.least_window_s)));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_walker_has_a_tree_of_its_own_also_when_shifted() {
        let mut parameters = LsLrParameters { trees: Trees::Under("/x".into()), ..LsLrParameters::default() };
        for shift in [0, 1, 3, 7] {
            parameters.shift = shift;
            let mut trees: Vec<_> = (0..5).map(|rank| parameters.walked_by(rank, 5)).collect();
            assert_eq!(trees[0], shift % 5);
            trees.sort_unstable();
            assert_eq!(trees, [0, 1, 2, 3, 4]);
        }
        assert_eq!(parameters.tree(12), Path::new("/x/ls-lr.12"));
        let given = LsLrParameters { trees: Trees::Given(vec!["a".into()]), ..LsLrParameters::default() };
        assert!(given.check(1).is_ok());
        assert!(given.check(2).unwrap_err().0.starts_with("1 tree for 2 walkers: "));
    }
}

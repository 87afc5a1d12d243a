//! Finds the trees of an earlier run by their names and shape.
//!
//! A tree is identified by its base and by one path to a leaf, the one that was created last. Reading all of
//! it would bring it into this client's caches before the measured removal.
//!
//! Invariant: nothing is changed.

use std::collections::BTreeMap;
use std::ffi::CStr;
use std::path::Path;

use command::fdtree::FdtreeShape;
use storage::Names;
use units::Usage;

use super::names::{TreeName, holds};
use crate::kit::failed_call::words;
use crate::kit::path::c_path;

/// How many trees a message names.
const NAMED: usize = 8;

/// The base of the one tree in `dir` that a run on `ranks` ranks made with the options of `shape`. For a run
/// on several ranks this is the common prefix of its bases. Rejects `dir` if it has no such tree, or more
/// than one.
pub fn find(names: &dyn Names, dir: &str, shape: FdtreeShape, ranks: u32) -> Result<String, Usage> {
    let runs = runs(names, dir)?;
    let (mut fitting, mut others) = (Vec::new(), Vec::new());
    for (run, made) in &runs {
        let base = format!("{dir}/{run}");
        match made.fits(names, &base, shape, ranks) {
            Ok(()) => fitting.push(base),
            Err(why) => others.push(why),
        }
    }
    let options = format!("-l {} -d {} -f {}", shape.levels, shape.dirs, shape.files);
    match &fitting[..] {
        [base] => Ok(base.clone()),
        [first, ..] => Err(Usage(format!(
            "-R: {dir} has {} trees of {options}: {}. Choose one, for example --base {first}",
            fitting.len(),
            listed(&fitting)
        ))),
        [] if others.is_empty() => Err(Usage(format!(
            "-R: no tree of fdtree in {dir}. Create one with -C, or choose another directory with -o"
        ))),
        [] => Err(Usage(format!(
            "-R: no tree in {dir} has the shape {options}: {}. Use the options and the number of ranks of \
             its creation",
            listed(&others)
        ))),
    }
}

fn listed(texts: &[String]) -> String {
    let more = if texts.len() > NAMED { ", ..." } else { "" };
    format!("{}{more}", texts[..texts.len().min(NAMED)].join(", "))
}

/// The trees of one run.
#[derive(Debug, Default)]
struct MadeTrees {
    /// The tree of a run on one rank.
    alone: bool,
    /// Trees of several ranks, and the highest rank.
    trees: u64,
    highest: u64,
}

impl MadeTrees {
    fn fits(&self, names: &dyn Names, base: &str, shape: FdtreeShape, ranks: u32) -> Result<(), String> {
        let there = if self.alone { 1 } else { self.highest + 1 };
        if !self.alone && there == 1 {
            return Err(format!("{base}.0 is a remaining tree of a run on several ranks"));
        }
        if there != u64::from(ranks) {
            let of = if there == 1 { "1 rank".to_owned() } else { format!("{there} ranks") };
            return Err(format!("{base} belongs to {of}"));
        }
        if !self.alone && self.trees != there {
            return Err(format!("{base} has only {} of its {there} trees", self.trees));
        }
        let first = if self.alone { base.to_owned() } else { format!("{base}.0") };
        has_shape(names, &first, shape)
    }
}

/// The runs that have trees in `dir`, by name.
fn runs(names: &dyn Names, dir: &str) -> Result<BTreeMap<String, MadeTrees>, Usage> {
    let mut runs: BTreeMap<String, MadeTrees> = BTreeMap::new();
    let listed = names.list(&c_path(Path::new(dir)), &mut |name, directory| {
        let run = name.to_str().ok().filter(|_| directory != Some(false)).and_then(run_of);
        let Some((run, rank)) = run else { return };
        let made = runs.entry(run.to_owned()).or_default();
        match rank {
            None => made.alone = true,
            Some(rank) => (made.trees, made.highest) = (made.trees + 1, made.highest.max(rank)),
        }
    });
    match listed {
        Ok(_) => Ok(runs),
        Err(error) => Err(Usage(format!("-o {dir}: {}. Choose an existing directory", words(&error)))),
    }
}

/// The run to which a tree of this name belongs, and its rank if that run had several. The names are
/// `LEVEL0`, `LEVEL0.host.pid` and `LEVEL0.host.pid.rank`. A short host name has no dot.
fn run_of(name: &str) -> Option<(&str, Option<u64>)> {
    let number = |text: &str| text.parse::<u64>().ok();
    let parts: Vec<&str> = name.split('.').collect();
    match parts[..] {
        ["LEVEL0"] => Some((name, None)),
        ["LEVEL0", _, pid] => number(pid).map(|_| (name, None)),
        ["LEVEL0", _, pid, rank] => {
            let rank_number = number(pid).and(number(rank))?;
            Some((&name[..name.len() - rank.len() - 1], Some(rank_number)))
        }
        _ => None,
    }
}

/// Whether `base` is a directory without any entry that has a name of fdtree.
pub(super) fn is_bare(names: &dyn Names, base: &str) -> bool {
    let mut bare = true;
    let path = c_path(Path::new(base));
    let each = &mut |name: &CStr, _: Option<bool>| {
        bare &= name.to_str().ok().and_then(TreeName::parse).is_none();
    };
    let listed = names.lstat(&path).is_ok_and(|entry| entry.directory) && names.list(&path, each).is_ok();
    listed && bare
}

/// Whether the tree `base` has this shape. Otherwise returns the first difference and its path. Entries with
/// names that fdtree never uses are ignored here.
pub fn has_shape(names: &dyn Names, base: &str, shape: FdtreeShape) -> Result<(), String> {
    let entry =
        names.lstat(&c_path(Path::new(base))).map_err(|error| format!("{base}: {}", words(&error)))?;
    if !entry.directory {
        return Err(format!("{base} is not a directory"));
    }
    let mut dir = base.to_owned();
    let mut level = shape.levels;
    loop {
        let (mut dirs, mut files, mut other) = (0, 0, None);
        let listed = names.list(&c_path(Path::new(&dir)), &mut |name, directory| {
            let Some(name) = name.to_str().ok().filter(|name| TreeName::parse(name).is_some()) else {
                return;
            };
            match holds(&shape, level, name) {
                Some(own) if directory.is_none_or(|directory| directory == own) => {
                    if own {
                        dirs += 1
                    } else {
                        files += 1
                    }
                }
                _ => other = Some(name.to_owned()),
            }
        });
        listed.map_err(|error| format!("{dir}: {}", words(&error)))?;
        if let Some(other) = other {
            return Err(format!("{dir} holds {other}"));
        }
        if (dirs, files) != (shape.dirs_at(level), shape.files) {
            return Err(format!("{dir} holds {dirs} directories and {files} files"));
        }
        if dirs == 0 {
            return Ok(());
        }
        dir = format!("{dir}/L{level}D1");
        level -= 1;
    }
}

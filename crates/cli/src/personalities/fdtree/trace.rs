//! `-D`: the trace of the original while it counts and recurses, to the letter.
//!
//! The lines of a phase come before the phase, so that printing is in none of its numbers.
//!
//! Invariant: no line is kept, so a tree of a million files costs no memory.

use command::fdtree::FdtreeShape;
use workloads::fdtree::FdtreePhase;

/// The lines of the counting of directories.
pub(super) fn counting(shape: FdtreeShape) -> String {
    (0..=shape.levels)
        .map(|levels| format!("NDTOT ={}, Level ={}\n", shape.directories_above(levels), levels + 1))
        .collect()
}

/// Gives the lines of a phase on the tree `base` to `put`, one by one. `base` ends in a slash.
pub(super) fn phase(step: FdtreePhase, shape: FdtreeShape, base: &str, put: &mut dyn FnMut(&str)) {
    let function = match step {
        FdtreePhase::CreateDirectories => "create_dirs",
        FdtreePhase::CreateFiles => "create_files",
        FdtreePhase::RemoveFiles => "remove_files",
        FdtreePhase::RemoveDirectories => "remove_dirs",
    };
    put(&format!("{function}({},{base})\n", shape.levels));
    Trace { step, shape, function, put }.enter(shape.levels, base);
}

struct Trace<'p> {
    step: FdtreePhase,
    shape: FdtreeShape,
    function: &'static str,
    put: &'p mut dyn FnMut(&str),
}

impl Trace<'_> {
    /// The depth of the recursion is limited by the length of a path.
    fn enter(&mut self, level: u64, path: &str) {
        (self.put)(&format!("entering {}({level},{path})\n", self.function));
        match self.step {
            FdtreePhase::CreateDirectories => self.each(level > 0, self.shape.dirs, |number| {
                format!("\tcreating dir({number},{path}L{level}D{number}/)\n")
            }),
            FdtreePhase::CreateFiles => self.each(true, self.shape.files, |number| {
                format!("\tcreating file({number},{path}L{level}F{number})\n")
            }),
            FdtreePhase::RemoveFiles => {
                self.all("\trm -f ", self.shape.files, |number| format!(" {path}L{level}F{number}"))
            }
            FdtreePhase::RemoveDirectories => {}
        }
        let removes_dirs = self.step == FdtreePhase::RemoveDirectories;
        // The directories of the last level contain no directories.
        if level > u64::from(removes_dirs) {
            for number in (1..=self.shape.dirs).rev() {
                let below = level - 1;
                (self.put)(&format!("\trecursing {}({below},{path}DIR{number}/)\n", self.function));
                self.enter(below, &format!("{path}L{level}D{number}/"));
            }
        }
        if removes_dirs && level > 0 {
            self.all("\trmdir ", self.shape.dirs, |number| format!(" {path}L{level}D{number}/"));
        }
    }

    fn each(&mut self, there: bool, count: u64, line: impl Fn(u64) -> String) {
        let count = if there { count } else { 0 };
        (1..=count).rev().for_each(|number| (self.put)(&line(number)));
    }

    /// All names in one line, given to `put` one by one.
    fn all(&mut self, begin: &str, count: u64, name: impl Fn(u64) -> String) {
        (self.put)(begin);
        self.each(true, count, name);
        (self.put)("\n");
    }
}

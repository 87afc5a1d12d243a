//! The shape of a tree that assay makes.

use std::path::Path;

use units::Usage;

/// The longest path that Linux accepts, bytes.
const LONGEST: u64 = 4095;

/// The shape of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LsLrShape {
    /// Files and directories, without the root.
    pub entries: u64,
    /// Files in each directory; with 0 there are only directories.
    pub per_dir: u64,
    /// Directories in each directory, as long as more are needed.
    pub fan_out: u64,
    /// Bytes in each file.
    pub bytes: u64,
}

impl Default for LsLrShape {
    fn default() -> Self {
        Self { entries: 101_000, per_dir: 100, fan_out: 10, bytes: 0 }
    }
}

impl LsLrShape {
    /// Directories, with the root.
    pub fn directories(&self) -> u64 {
        (self.entries + 1).div_ceil(self.per_dir + 1)
    }

    /// Files.
    pub fn files(&self) -> u64 {
        self.entries + 1 - self.directories()
    }

    /// Number of directories above the deepest one, including the root.
    pub fn depth(&self) -> u64 {
        let mut directory = self.directories() - 1;
        let mut depth = 0;
        while directory > 0 {
            directory = (directory - 1) / self.fan_out;
            depth += 1;
        }
        depth
    }

    /// Rejects trees that cannot be created below `root`.
    pub fn check(&self, root: &Path) -> Result<(), Usage> {
        let Self { entries, per_dir, fan_out, .. } = *self;
        if entries == 0 || entries > 1 << 40 {
            return Err(Usage(format!("--entries {entries}: give a number from 1 to 2^40")));
        }
        if per_dir > 1 << 40 {
            return Err(Usage(format!("--per-dir {per_dir}: give a number up to 2^40")));
        }
        if fan_out == 0 || fan_out > 1 << 40 {
            return Err(Usage(format!("--fan-out {fan_out}: give a number from 1 to 2^40")));
        }
        let digits = |number: u64| u64::from(number.max(1).ilog10()) + 1;
        let longest = root.as_os_str().len() as u64
            + self.depth() * (2 + digits(fan_out - 1))
            + 2
            + digits(per_dir.saturating_sub(1));
        if longest > LONGEST {
            return Err(Usage(format!(
                "--fan-out {fan_out}: {} directories are then {} levels deep, and paths are longer than \
                 {LONGEST} bytes. Give a larger --fan-out or --per-dir",
                self.directories(),
                self.depth()
            )));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shape_of_nothing_said_is_that_of_the_contract_and_a_bit() {
        let shape = LsLrShape::default();
        assert_eq!((shape.directories(), shape.files(), shape.depth()), (1001, 100_000, 3));
        assert!(shape.check(Path::new("/scratch")).is_ok());
    }

    #[test]
    fn paths_that_would_be_too_long_are_rejected_beforehand() {
        let chain = |entries| LsLrShape { entries, per_dir: 0, fan_out: 1, bytes: 0 };
        assert!(chain(500).check(Path::new("/tmp")).is_ok());
        let no = chain(2000).check(Path::new("/tmp")).unwrap_err().0;
        assert!(no.starts_with("--fan-out 1: 2001 directories are then 2000 levels deep"), "{no}");
        for (shape, wanted) in [
            (LsLrShape { entries: 0, ..LsLrShape::default() }, "--entries 0"),
            (LsLrShape { fan_out: 0, ..LsLrShape::default() }, "--fan-out 0"),
            (LsLrShape { per_dir: u64::MAX, ..LsLrShape::default() }, "--per-dir"),
        ] {
            assert!(shape.check(Path::new("/tmp")).unwrap_err().0.starts_with(wanted));
        }
    }
}

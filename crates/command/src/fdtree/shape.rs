//! The shape of a tree: the number of levels, and of directories and files in each directory.
//!
//! Levels count down: the base is at level `levels`, the leaves are at level 0. A directory at level `n`
//! holds the files `LnF1` to `LnFf` and, above the leaves, the directories `LnD1` to `LnDd`.

use units::Usage;

/// Bytes of one block of a file.
pub const BLOCK: u64 = 4096;
/// The longest path that the kernel accepts, bytes.
const LONGEST_PATH: u64 = 4095;

/// A regular tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FdtreeShape {
    /// `-l`: levels of directories below the base.
    pub levels: u64,
    /// `-d`: directories in each directory.
    pub dirs: u64,
    /// `-f`: files in each directory, including the base and the leaves.
    pub files: u64,
    /// `-s`: blocks of [`BLOCK`] bytes in each file.
    pub blocks: u64,
}

impl Default for FdtreeShape {
    fn default() -> Self {
        Self { levels: 4, dirs: 10, files: 10, blocks: 10 }
    }
}

impl FdtreeShape {
    /// Directories of one tree, including its base; the largest number if the count needs more than 64 bits.
    pub fn directories(&self) -> u64 {
        self.directories_above(self.levels)
    }

    /// Directories in the first `levels` levels of one tree, counted from its base.
    pub fn directories_above(&self, levels: u64) -> u64 {
        match self.dirs {
            0 => return 1,
            1 => return levels.saturating_add(1),
            _ => {}
        }
        let (mut total, mut of_level) = (1_u64, 1_u64);
        for _ in 0..levels {
            of_level = of_level.saturating_mul(self.dirs);
            total = total.saturating_add(of_level);
            if total == u64::MAX {
                break;
            }
        }
        total
    }

    /// Files of one tree.
    pub fn files_total(&self) -> u64 {
        self.directories().saturating_mul(self.files)
    }

    /// Bytes of one file.
    pub fn file_bytes(&self) -> u64 {
        self.blocks.saturating_mul(BLOCK)
    }

    /// Number of directories in a directory at `level`.
    pub fn dirs_at(&self, level: u64) -> u64 {
        if level > 0 { self.dirs } else { 0 }
    }

    /// Rejects trees that are too large to count, or whose paths are too long. There are `ranks` of them, and
    /// the longest base has `base` bytes.
    pub fn check(&self, ranks: u32, base: usize) -> Result<(), Usage> {
        let bytes = self.files_total().saturating_mul(self.file_bytes().max(1));
        let most = bytes.max(self.files_total()).max(self.directories());
        if most.saturating_mul(ranks.into()) >= 1 << 63 {
            return Err(Usage(format!(
                "-l {} -d {} -f {} -s {}: more than 2^63 directories, files or bytes. Use smaller numbers",
                self.levels, self.dirs, self.files, self.blocks
            )));
        }
        // Each level adds more than one byte to the path. So with this many levels the path is too long, and
        // no sum is needed.
        if self.levels > LONGEST_PATH || self.longest_path(base as u64) > LONGEST_PATH {
            return Err(Usage(format!(
                "-l {}: the deepest path would be longer than the maximum of {LONGEST_PATH} bytes. \
                 Use fewer levels",
                self.levels
            )));
        }
        Ok(())
    }

    fn longest_path(&self, base: u64) -> u64 {
        let digits = |number: u64| u64::from(number.checked_ilog10().unwrap_or(0)) + 1;
        let name = |level: u64, number: u64| 2 + digits(level) + digits(number);
        let levels = if self.dirs == 0 { 0 } else { self.levels };
        let dirs: u64 = (1..=levels).map(|level| name(level, self.dirs) + 1).sum();
        let file = if self.files == 0 { 0 } else { name(self.levels - levels, self.files) };
        base + 1 + dirs + file
    }
}

//! Checks whether a metadata command line can find the items that another one created.
//!
//! Never here: which test created them, and whether they still exist.

use super::ToolLine;
use crate::MdtestOption::{self, *};
use crate::classic::ClassicOption;

/// Options that decide which items exist, each with its default.
const VALUES: &[(MdtestOption, u64)] = &[(ItemsPerDirectory, 0), (Shift, 0), (Branching, 1), (Depth, 0)];
/// Flags that decide it.
const FLAGS: &[MdtestOption] = &[UniqueDirectory, LeafOnly, SharedFile];

impl ToolLine {
    /// The reason why this command line cannot find the items of `made`, which `maker` created. `None` if the
    /// two command lines show no such reason.
    pub fn misses(&self, made: &ToolLine, maker: &str) -> Option<String> {
        if self.tool.command != "mdtest" {
            return None;
        }
        let tree = number(self, Depth, 0) > 0 || number(made, Depth, 0) > 0;
        let own_trees = self.has_own_trees() && made.has_own_trees();
        let counts = |option: &MdtestOption| match option {
            Branching | LeafOnly => tree,
            // Each rank's own tree takes part in the shift, also when it is created.
            Shift => own_trees,
            _ => true,
        };
        for (option, otherwise) in VALUES.iter().filter(|(option, _)| counts(option)) {
            let [asked, there] = [self, made].map(|line| number(line, *option, *otherwise));
            let letter = letter(*option);
            if asked != there {
                return Some(format!(
                    "{maker} ran with -{letter} {there}, but this command line has -{letter} {asked}. Use \
                     the same value in both."
                ));
            }
        }
        for flag in FLAGS.iter().filter(|flag| counts(flag)) {
            let [asked, there] = [self, made].map(|line| line.mdtest.on(*flag));
            let letter = letter(*flag);
            if asked != there {
                let (with, change) = if there { ("with", "Add") } else { ("without", "Remove") };
                return Some(format!(
                    "{maker} ran {with} -{letter}, so its items have other names. {change} -{letter} here."
                ));
            }
        }
        self.misses_items(made, maker, tree).or_else(|| self.misses_kind(made, maker))
    }

    /// It needs more items than exist, or as many in other directories of the tree.
    fn misses_items(&self, made: &ToolLine, maker: &str, tree: bool) -> Option<String> {
        for (option, otherwise) in [(Items, 0), (Iterations, 1)] {
            let [asked, there] = [self, made].map(|line| number(line, option, otherwise));
            let elsewhere = option == Items && tree && !made.mdtest.has(ItemsPerDirectory) && asked != there;
            let letter = letter(option);
            // The status file then gives the number of items.
            let kept = option == Items && self.status_file() && made.status_file();
            if (asked > there || elsewhere) && !kept {
                return Some(format!(
                    "{maker} ran with -{letter} {there}, but this command line has -{letter} {asked}. Use \
                     the same value in both."
                ));
            }
        }
        None
    }

    /// It needs files where only directories exist, or directories where only files exist.
    fn misses_kind(&self, made: &ToolLine, maker: &str) -> Option<String> {
        let (asked, there) = (self.phases(), made.phases());
        for (what, prefix, creation, flag) in [
            ("files", "file_", "file_creation", "-F"),
            ("directories", "directory_", "directory_creation", "-D"),
        ] {
            let looks =
                asked.iter().find(|phase| phase.starts_with(prefix) && **phase != "directory_listing");
            if let Some(phase) = looks.filter(|_| !there.contains(&creation)) {
                let other = if flag == "-F" { "-D" } else { "-F" };
                return Some(format!(
                    "{maker} created no {what}, but `{phase}` needs them. Add {other} here, or create them \
                     there."
                ));
            }
        }
        None
    }
}

/// The value of an option; `otherwise` also where it cannot be parsed.
fn number(line: &ToolLine, option: MdtestOption, otherwise: u64) -> u64 {
    line.mdtest.number(option, otherwise).unwrap_or(otherwise)
}

fn letter(option: MdtestOption) -> char {
    option.row().short.unwrap_or_default()
}

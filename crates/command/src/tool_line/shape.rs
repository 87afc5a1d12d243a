//! Whether a line that works on names looks for those that another has made.
//!
//! Never here: who made them, and whether they are still there.

use super::ToolLine;
use crate::MdtestOption::{self, *};
use crate::classic::ClassicOption;

/// Values that decide which names there are, each with what holds where the line says nothing.
const VALUES: &[(MdtestOption, u64)] = &[(ItemsPerDirectory, 0), (Shift, 0), (Branching, 1), (Depth, 0)];
/// Flags that do.
const FLAGS: &[MdtestOption] = &[UniqueDirectory, LeafOnly, SharedFile];

impl ToolLine {
    /// Why this line cannot find the names of `made`, whose maker is called `maker`; `None` where nothing in
    /// the two lines says that it cannot.
    pub fn misses(&self, made: &ToolLine, maker: &str) -> Option<String> {
        if self.tool.command != "mdtest" {
            return None;
        }
        let tree = number(self, Depth, 0) > 0 || number(made, Depth, 0) > 0;
        let own_trees = self.has_own_trees() && made.has_own_trees();
        let counts = |option: &MdtestOption| match option {
            Branching | LeafOnly => tree,
            // Trees of their own take part in the shift, also when they are made.
            Shift => own_trees,
            _ => true,
        };
        for (option, otherwise) in VALUES.iter().filter(|(option, _)| counts(option)) {
            let [asked, there] = [self, made].map(|line| number(line, *option, *otherwise));
            let letter = letter(*option);
            if asked != there {
                return Some(format!(
                    "{maker} was made with -{letter} {there}, and this line looks for names of -{letter} \
                     {asked}; give both the same"
                ));
            }
        }
        for flag in FLAGS.iter().filter(|flag| counts(flag)) {
            let [asked, there] = [self, made].map(|line| line.mdtest.on(*flag));
            let letter = letter(*flag);
            if asked != there {
                let (with, without) = if there { ("with", "to") } else { ("without", "from") };
                let change = if there { "add" } else { "take" };
                return Some(format!(
                    "{maker} was made {with} -{letter}, so its names are others; {change} it \
                     {without} this line"
                ));
            }
        }
        self.misses_items(made, maker, tree).or_else(|| self.misses_kind(made, maker))
    }

    /// More of them than were made, or as many in other directories of the tree.
    fn misses_items(&self, made: &ToolLine, maker: &str, tree: bool) -> Option<String> {
        for (option, otherwise) in [(Items, 0), (Iterations, 1)] {
            let [asked, there] = [self, made].map(|line| number(line, option, otherwise));
            let elsewhere = option == Items && tree && !made.mdtest.has(ItemsPerDirectory) && asked != there;
            let letter = letter(option);
            // How many there are is then in a file, whatever the lines say.
            let kept = option == Items && self.status_file() && made.status_file();
            if (asked > there || elsewhere) && !kept {
                return Some(format!(
                    "{maker} was made with -{letter} {there}, and this line looks for names of -{letter} \
                     {asked}; give both the same"
                ));
            }
        }
        None
    }

    /// Files where there are only directories, or directories where there are only files.
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
                    "{maker} made no {what}, which `{phase}` needs; add {other} here, or make them there"
                ));
            }
        }
        None
    }
}

/// A number of a line; `otherwise` also where it cannot be read.
fn number(line: &ToolLine, option: MdtestOption, otherwise: u64) -> u64 {
    line.mdtest.number(option, otherwise).unwrap_or(otherwise)
}

fn letter(option: MdtestOption) -> char {
    option.row().short.unwrap_or_default()
}

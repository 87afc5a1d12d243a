//! Whether a line that works on names looks for those that another has made.
//!
//! Never here: who made them, and whether they are still there.

use super::ToolLine;

/// Values that decide which names there are, each with what holds where the line says nothing.
const VALUES: &[(char, u64)] = &[('I', 0), ('N', 0), ('b', 1), ('z', 0)];
/// Flags that do.
const FLAGS: &[char] = &['u', 'L', 'S'];

impl ToolLine {
    /// Why this line cannot find the names of `made`, whose maker is called `maker`; `None` where nothing in
    /// the two lines says that it cannot.
    pub fn misses(&self, made: &ToolLine, maker: &str) -> Option<String> {
        if self.tool.command != "mdtest" {
            return None;
        }
        let number = |line: &ToolLine, letter, otherwise| line.number(letter).unwrap_or(otherwise);
        let tree = number(self, 'z', 0) > 0 || number(made, 'z', 0) > 0;
        let own_trees = self.has('u') && made.has('u');
        let counts = |letter: &char| match letter {
            'b' | 'L' => tree,
            // Trees of their own take part in the shift, also when they are made.
            'N' => own_trees,
            _ => true,
        };
        for (letter, otherwise) in VALUES.iter().filter(|(letter, _)| counts(letter)) {
            let [asked, there] = [self, made].map(|line| number(line, *letter, *otherwise));
            if asked != there {
                return Some(format!(
                    "{maker} was made with -{letter} {there}, and this line looks for names of -{letter} \
                     {asked}; give both the same"
                ));
            }
        }
        for letter in FLAGS.iter().filter(|letter| counts(letter)) {
            if self.has(*letter) != made.has(*letter) {
                let (with, without) = if made.has(*letter) { ("with", "to") } else { ("without", "from") };
                let change = if made.has(*letter) { "add" } else { "take" };
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
        for (letter, otherwise) in [('n', 0), ('i', 1)] {
            let [asked, there] = [self, made].map(|line| line.number(letter).unwrap_or(otherwise));
            let elsewhere = letter == 'n' && tree && !made.values.contains_key(&'I') && asked != there;
            // How many there are is then in a file, whatever the lines say.
            let kept = letter == 'n' && self.status_file() && made.status_file();
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

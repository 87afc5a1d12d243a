//! What a campaign has to know of the line of a workload on names: mdtest, fdtree, ls-lr.
//!
//! Never here: the full list of options; what is unknown here is the workload's to refuse.

use std::collections::BTreeMap;
use std::fmt;

use units::Usage;

/// What differs between these workloads.
struct Tool {
    /// Its key in a plan.
    key: &'static str,
    /// Its command.
    command: &'static str,
    /// Letters of the options that take a value.
    with_value: &'static str,
    /// Long options that take their value as the next word when it is not glued with `=`.
    long_with_value: &'static [&'static str],
    /// The letter of the option that says where, if it is one.
    place: Option<char>,
    /// What says where, when the line does not.
    default_place: &'static [&'static str],
    /// The phases it yields.
    phases: fn(&NamesLine) -> Vec<&'static str>,
    /// Whether it makes what it works on.
    creates: fn(&NamesLine) -> bool,
    /// Whether it takes that away.
    removes: fn(&NamesLine) -> bool,
    /// Bytes that one rank writes.
    writes: fn(&NamesLine) -> u64,
    /// How often everything is repeated within one launch.
    repetitions: fn(&NamesLine) -> u64,
}

impl fmt::Debug for Tool {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.key)
    }
}

impl PartialEq for Tool {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Tool {}

const TOOLS: &[Tool] = &[
    Tool {
        key: "fdtree",
        command: "fdtree",
        with_value: "ldfso",
        long_with_value: &["--base"],
        place: Some('o'),
        default_place: &["-o", "{dir}"],
        phases: |line| {
            let mut phases = Vec::new();
            if line.creates() {
                phases.extend(["directory_creation", "file_creation"]);
            }
            if line.removes() {
                phases.extend(["file_removal", "directory_removal"]);
            }
            phases
        },
        creates: |line| line.has('C') || !line.has('R'),
        removes: |line| line.has('R') || !line.has('C'),
        writes: |line| {
            let number = |letter, otherwise: u64| line.number(letter).unwrap_or(otherwise);
            let (levels, fan_out) = (number('l', 4).min(64) as u32, number('d', 10));
            let directories = tree(fan_out, levels);
            directories.saturating_mul(number('f', 10)).saturating_mul(number('s', 10) * 4096)
        },
        repetitions: |_| 1,
    },
    Tool {
        key: "ls_lr",
        command: "ls-lr",
        with_value: "in",
        long_with_value: &[
            "--bytes",
            "--entries",
            "--fan-out",
            "--min-window",
            "--per-dir",
            "--repetitions",
            "--shift",
        ],
        place: None,
        default_place: &["{dir}"],
        phases: |line| {
            let [make, remove] = [line.creates(), line.removes()];
            let walk = line.long.contains_key("walk") || !(make || remove);
            let all = [("make", make), ("list", walk), ("directories", walk), ("remove", remove)];
            all.into_iter().filter(|(_, there)| *there).map(|(name, _)| name).collect()
        },
        creates: |line| line.long.contains_key("make"),
        removes: |line| line.long.contains_key("remove"),
        writes: |line| {
            let number = |name| line.long.get(name).and_then(|text| text.parse::<u64>().ok());
            number("entries").unwrap_or(101_000).saturating_mul(number("bytes").unwrap_or(0))
        },
        repetitions: |line| {
            let long = || line.long.get("repetitions").and_then(|text| text.parse().ok());
            line.number('i').or_else(long).unwrap_or(1).max(1)
        },
    },
    Tool {
        key: "mdtest",
        command: "mdtest",
        with_value: "abzIindNewGflspWxBV",
        long_with_value: &[
            "--compat",
            "--dataPacketType",
            "--operations",
            "--preload",
            "--random-seed",
            "--run-cmd-after-phase",
            "--run-cmd-before-phase",
            "--savePerOpDataCSV",
            "--saveRankPerformanceDetails",
        ],
        place: Some('d'),
        default_place: &["-d", "{dir}/mdtest"],
        phases: mdtest_phases,
        creates: |line| mdtest_does(line, 'C'),
        removes: |line| mdtest_does(line, 'r'),
        writes: |line| {
            let (branching, depth) = (line.number('b').unwrap_or(1), line.number('z').unwrap_or(0));
            let directories = if branching < 1 { 1 } else { tree(branching, depth.min(64) as u32) };
            let items = match (line.number('n'), line.number('I')) {
                (Some(items), _) if items > 0 => items,
                (_, each) => each.unwrap_or(0).saturating_mul(directories),
            };
            items.saturating_mul(line.number('w').unwrap_or(0))
        },
        repetitions: |line| line.number('i').unwrap_or(1).max(1),
    },
];

/// Directories of a tree with so many levels below its root.
fn tree(fan_out: u64, levels: u32) -> u64 {
    let level = |level: u32| fan_out.saturating_pow(level);
    (0..=levels).map(level).fold(0, u64::saturating_add)
}

/// Whether mdtest does the phases that this letter stands for: none of the five given means all.
fn mdtest_does(line: &NamesLine, letter: char) -> bool {
    line.has(letter) || !"CTEUr".chars().any(|letter| line.has(letter))
}

fn mdtest_phases(line: &NamesLine) -> Vec<&'static str> {
    let directories = (line.has('D') || !line.has('F')) && !line.has('S');
    let files = line.has('F') || !line.has('D');
    let all = [
        ("tree_creation", true, 'C'),
        ("directory_creation", directories, 'C'),
        ("directory_stat", directories, 'T'),
        ("directory_rename", directories, 'U'),
        ("directory_removal", directories, 'r'),
        ("file_creation", files, 'C'),
        ("file_stat", files, 'T'),
        ("file_read", files, 'E'),
        ("file_removal", files, 'r'),
        ("tree_removal", true, 'r'),
    ];
    let classic = all.into_iter().filter(|(_, there, letter)| *there && mdtest_does(line, *letter));
    let mut phases: Vec<&'static str> = classic.map(|(name, ..)| name).collect();
    let extra = line.long.get("operations").map_or("", String::as_str);
    let wanted = |name: &str| extra.split(',').any(|word| word.trim() == name);
    phases.extend(MDTEST_EXTRA.iter().filter(|(name, _)| wanted(name)).map(|(_, phase)| *phase));
    phases
}

/// What mdtest does besides: the names that `--operations` has for it, and those of records.
const MDTEST_EXTRA: &[(&str, &str)] = &[
    ("chmod", "file_chmod"),
    ("link", "file_link"),
    ("list", "directory_listing"),
    ("rename-across", "file_rename_across"),
    ("shared-open", "shared_open"),
    ("statx", "file_statx"),
    ("symlink", "file_symlink"),
    ("truncate", "file_truncate"),
    ("xattr-get", "file_xattr_get"),
    ("xattr-set", "file_xattr_set"),
];

/// One line, read as far as a campaign needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamesLine {
    /// The words of the line, without the program's name.
    pub words: Vec<String>,
    tool: &'static Tool,
    flags: String,
    values: BTreeMap<char, String>,
    long: BTreeMap<String, String>,
}

impl NamesLine {
    /// The keys of a plan that give such a line.
    pub fn keys() -> impl Iterator<Item = &'static str> {
        TOOLS.iter().map(|tool| tool.key)
    }

    /// Reads a line; the program's own name may stand first.
    pub(crate) fn parse(key: &str, line: &str) -> Result<Self, Usage> {
        let Some(tool) = TOOLS.iter().find(|tool| tool.key == key) else {
            return Err(Usage(format!("`{key}` is no workload")));
        };
        let mut words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        if words.first().and_then(|first| first.rsplit('/').next()) == Some(tool.command) {
            words.remove(0);
        }
        let mut parsed = Self {
            words: words.clone(),
            tool,
            flags: String::new(),
            values: BTreeMap::new(),
            long: BTreeMap::new(),
        };
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            parsed.word(word, &mut rest)?;
        }
        Ok(parsed)
    }

    fn word<'a>(&mut self, word: &str, rest: &mut impl Iterator<Item = &'a String>) -> Result<(), Usage> {
        let tool = self.tool;
        let mut next = || rest.next().cloned().ok_or_else(|| Usage(format!("`{word}` has no value")));
        if let Some(long) = word.strip_prefix("--") {
            let (name, value) =
                long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            match name {
                "record" => return Err(Usage::new("`--record` is the campaign's own option; leave it out")),
                "dryRun" | "dry-run" => {
                    return Err(Usage(format!("`{word}` does nothing that could be judged; leave it out")));
                }
                _ => {}
            }
            let value = match value {
                Some(value) => value.to_owned(),
                None if tool.long_with_value.contains(&word) => next()?,
                None => String::new(),
            };
            self.long.insert(name.to_owned(), value);
            return Ok(());
        }
        let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
            let command = tool.command;
            return Err(Usage(format!(
                "`{word}` is not an option of {command}, whose options begin with `-`"
            )));
        };
        for (at, letter) in letters.char_indices() {
            if !tool.with_value.contains(letter) {
                self.flags.push(letter);
                continue;
            }
            let glued = &letters[at + letter.len_utf8()..];
            let value = if glued.is_empty() { next()? } else { glued.trim_start_matches('=').to_owned() };
            if tool.place == Some(letter) {
                own_place(letter, &value)?;
            }
            self.values.insert(letter, value);
            break;
        }
        Ok(())
    }

    fn has(&self, letter: char) -> bool {
        self.flags.contains(letter)
    }

    /// A number with the letters that all of them take: k m g t p, powers of 1024.
    fn number(&self, letter: char) -> Option<u64> {
        let text = self.values.get(&letter)?.to_lowercase();
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let power = ["", "k", "m", "g", "t", "p"].iter().position(|suffix| *suffix == &text[end..])?;
        text[..end].parse::<u64>().ok()?.checked_mul(1024_u64.pow(power as u32))
    }

    pub(crate) fn workload(&self) -> &'static str {
        self.tool.command
    }

    pub(crate) fn place(&self) -> &'static [&'static str] {
        let tool = self.tool;
        if tool.place.is_some_and(|letter| self.values.contains_key(&letter)) {
            &[]
        } else {
            tool.default_place
        }
    }

    pub(crate) fn phases(&self) -> Vec<&'static str> {
        (self.tool.phases)(self)
    }

    pub(crate) fn creates(&self) -> bool {
        (self.tool.creates)(self)
    }

    pub(crate) fn removes(&self) -> bool {
        (self.tool.removes)(self)
    }

    pub(crate) fn bytes(&self, ranks: u32) -> (u64, u64) {
        let written = if self.creates() { (self.tool.writes)(self) } else { 0 };
        (written.saturating_mul(ranks.into()), 0)
    }

    pub(crate) fn repetitions(&self) -> u64 {
        (self.tool.repetitions)(self)
    }
}

/// Says no to files outside the campaign's own directory.
fn own_place(letter: char, dir: &str) -> Result<(), Usage> {
    let inside =
        |dir: &str| (dir == "{dir}" || dir.starts_with("{dir}/")) && !dir.split('/').any(|part| part == "..");
    if dir.split('@').all(inside) {
        return Ok(());
    }
    Err(Usage(format!(
        "`-{letter} {dir}` lies outside the campaign's own directory; leave it out, or begin it with \
         `{{dir}}/`"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(key: &str, text: &str) -> NamesLine {
        NamesLine::parse(key, text).unwrap()
    }

    #[test]
    fn the_phases_of_a_line_are_those_its_flags_ask_for() {
        for (text, phases) in [
            ("-F -C -T -r -n 10", "tree_creation file_creation file_stat file_removal tree_removal"),
            ("-D -T -I 3", "directory_stat"),
            ("-S -n 5 -CE", "tree_creation file_creation file_read"),
            ("-F -T --operations statx,shared-open", "file_stat shared_open file_statx"),
            (
                "mdtest -b 3 -v -z 3 -u -I 900 -k -i 4",
                "tree_creation directory_creation directory_stat directory_rename directory_removal \
                 file_creation file_stat file_read file_removal tree_removal",
            ),
        ] {
            assert_eq!(line("mdtest", text).phases().join(" "), phases, "{text}");
        }
        assert_eq!(line("fdtree", "-C -l2").phases(), ["directory_creation", "file_creation"]);
        assert_eq!(line("fdtree", "-l2").phases().len(), 4);
        assert_eq!(line("ls_lr", "ls-lr --cold -i 3").phases(), ["list", "directories"]);
        assert_eq!(line("ls_lr", "--make --entries 200000").phases(), ["make"]);
        assert_eq!(line("ls_lr", "--walk --remove").phases(), ["list", "directories", "remove"]);
    }

    #[test]
    fn what_a_line_makes_keeps_and_writes_is_known() {
        let made = line("mdtest", "-C -F -I 900 -b 3 -z 3 -w 1k -i 4");
        assert!(made.creates() && !made.removes());
        assert_eq!((made.bytes(2), made.repetitions()), ((2 * 40 * 900 * 1024, 0), 4));
        assert_eq!(line("mdtest", "-F -n10 -w=4k").bytes(1), (40960, 0));
        let stats = line("mdtest", "-T -F -n 10 -w 1k");
        assert!(!stats.creates() && !stats.removes() && stats.bytes(1) == (0, 0));
        assert_eq!(line("fdtree", "-l 2 -d 2 -f 2 -s 1").bytes(3), (3 * 7 * 2 * 4096, 0));
        let trees = line("ls_lr", "--make --walk --entries=500 --bytes 10 --repetitions 2");
        assert!(trees.creates() && !trees.removes() && trees.place() == ["{dir}"]);
        assert_eq!((trees.bytes(4), trees.repetitions()), ((20_000, 0), 2));
        assert_eq!(line("mdtest", "-n 1").place(), ["-d", "{dir}/mdtest"]);
        assert!(line("mdtest", "-d {dir}/here").place().is_empty());
    }

    #[test]
    fn a_line_that_a_campaign_cannot_run_is_refused() {
        for (key, text, why) in [
            ("mdtest", "-n 5 -d /scratch", "`-d /scratch` lies outside the campaign's own directory"),
            ("mdtest", "-n 5 -d {dir}/a@{dir}/../b", "lies outside the campaign's own directory"),
            ("mdtest", "-n", "`-n` has no value"),
            ("mdtest", "-n 5 --record x", "the campaign's own option"),
            ("fdtree", "4", "`4` is not an option of fdtree"),
            ("ls_lr", "/scratch", "`/scratch` is not an option of ls-lr"),
        ] {
            let error = NamesLine::parse(key, text).unwrap_err().0;
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}

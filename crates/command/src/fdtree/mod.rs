//! The command line of `fdtree`: its options, its help, and the shape of its tree.
//!
//! Tokens are read as by `getopts`: several letters may share a token, and a value follows its letter or is
//! the next token.
//!
//! Invariant: any tokens give either a parsed command line or one line of error.

mod shape;

use units::{Usage, bytes_binary};

pub use shape::{BLOCK, FdtreeShape};

use crate::own_options::{self, OwnOption};
use crate::planned::{PlannedLine, check_options, check_place};

/// What was typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parsed {
    /// `-l -d -f -s`
    pub shape: FdtreeShape,
    /// Whether `-s` was given.
    pub sized: bool,
    /// `-o`; `None` where not given.
    pub dir: Option<String>,
    /// `-C`
    create: bool,
    /// `-R`
    remove: bool,
    /// `-D`
    pub debug: bool,
    /// `-h`, `--help`
    pub help: bool,
    /// `-v`
    pub verbose: bool,
    /// `--base`
    pub base: Option<String>,
    /// `--record`
    pub record: Option<String>,
    /// `--continue`
    pub keep_going: bool,
    /// `--dryRun`
    pub dry_run: bool,
}

impl Parsed {
    /// Reads the tokens after the program's name.
    pub fn parse(tokens: &[String]) -> Result<Self, Usage> {
        let (typed, read) = Self::read(tokens);
        read?;
        let Some(base) = &typed.base else { return Ok(typed) };
        if typed.creates() {
            return Err(Usage::new("--base selects the tree that -R removes. Give -R without -C."));
        }
        let name = base.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        if !name.starts_with("LEVEL0") {
            return Err(Usage(format!(
                "--base {base}: not a tree of fdtree. Their names begin with LEVEL0."
            )));
        }
        Ok(typed)
    }

    /// The same as far as it can be read, with the first fault.
    pub(crate) fn read(tokens: &[String]) -> (Self, Result<(), Usage>) {
        let (mut typed, mut read) = (Self::default(), Ok(()));
        let mut rest = tokens.iter().map(String::as_str);
        while let Some(token) = rest.next() {
            read = read.and(if let Some(word) = token.strip_prefix("--").filter(|word| !word.is_empty()) {
                long(&mut typed, word, &mut rest)
            } else if token.len() > 1 && token.starts_with('-') && token != "--" {
                letters(&mut typed, token, &mut rest)
            } else if let Some(stray) = if token == "--" { rest.next() } else { Some(token) } {
                Err(Usage(format!("`{stray}` is not an option. Give a directory with -o DIR.")))
            } else {
                Ok(())
            });
        }
        (typed, read)
    }

    /// The directory of the tree.
    pub fn parent(&self) -> &str {
        self.dir.as_deref().unwrap_or(".")
    }
}

impl PlannedLine for Parsed {
    fn check_planned(&self) -> Result<(), Usage> {
        self.dir.as_deref().map_or(Ok(()), |dir| check_place("-o", dir))?;
        let elsewhere = self.base.as_deref().filter(|base| base.contains('/'));
        elsewhere.map_or(Ok(()), |base| check_place("--base", base))?;
        check_options(&[("record", self.record.is_some()), ("dryRun", self.dry_run)])
    }

    fn phases(&self) -> Vec<&'static str> {
        let made: &[&str] = if self.creates() { &["directory_creation", "file_creation"] } else { &[] };
        let removed: &[&str] = if self.removes() { &["file_removal", "directory_removal"] } else { &[] };
        [made, removed].concat()
    }

    fn dir(&self) -> Option<&str> {
        self.dir.as_deref()
    }

    // Without -C and -R, or with both, the tree is created and removed.
    fn creates(&self) -> bool {
        self.create || !self.remove
    }

    fn removes(&self) -> bool {
        self.remove || !self.create
    }

    fn set_bytes(&self, ranks: u64) -> u64 {
        self.shape.files_total().saturating_mul(ranks).saturating_mul(self.shape.file_bytes())
    }

    fn set_names(&self, ranks: u64, _preload: u64) -> u64 {
        self.shape.directories().saturating_mul(self.shape.files.saturating_add(1)).saturating_mul(ranks)
    }
}

/// assay's own options, sorted by name.
pub const OWN: &[OwnOption] = &[
    OwnOption::new("base", "TREE", "remove this tree with -R if there are several"),
    OwnOption::new("continue", "", "continue after a failed operation, as fdtree does"),
    OwnOption::new("dryRun", "", "print what would be done, and do nothing"),
    OwnOption::new("help", "", "print this help"),
    OwnOption::new("record", "FILE", "write the results as JSON lines to a new file"),
];

/// The options of fdtree 1.0.2.
pub const CLASSIC: &[(&str, &str)] = &[
    ("-l LEVELS", "create this many levels of directories below the base [4]"),
    ("-d DIRS", "create this many directories in each directory [10]"),
    ("-f FILES", "create this many files in each directory, also base and leaves [10]"),
    ("-s BLOCKS", "write this many blocks of 4096 bytes into each file [10]"),
    ("-o DIR", "create the tree in this existing directory [.]"),
    ("-C", "create the tree and leave it"),
    ("-R", "remove the tree left by -C, found in DIR by the same -l, -d and -f"),
    ("-D", "print each path before the phase that works on it"),
    ("-v", "print percentiles of the latency of single operations"),
];

/// The whole help text: the options, and the size of the default tree.
pub fn help() -> String {
    let shape = FdtreeShape::default();
    let mut text = String::from(
        "fdtree: creates a regular tree of directories and files and removes it again. Each of the four\n\
         phases is timed (fdtree 1.0.2).\n\n\
         Usage: fdtree [OPTIONS]\n       \
         assay -n RANKS fdtree [OPTIONS]      ranks are threads\n       \
         mpirun ... assay fdtree [OPTIONS]    ranks are MPI ranks\n\n",
    );
    for (option, about) in CLASSIC {
        text.push_str(&format!("  {option:<16} {about}\n"));
    }
    text.push('\n');
    OWN.iter().for_each(|own| text.push_str(&own.help(16)));
    text.push_str(&format!(
        "\nThe tree is DIR/LEVEL0.<host>.<pid>. With several ranks each has its own, which ends in .<rank>.\n\
         Without options it has {} directories and {} files of {}, {} in all.\n\
         Files are not synced. The rates are those of creating them, also in this client's memory.\n\n\
         Example: fdtree -l 3 -d 5 -f 10 -s 10 -o /scratch/you\n",
        shape.directories(),
        shape.files_total(),
        bytes_binary(shape.file_bytes() as f64),
        bytes_binary((shape.files_total() * shape.file_bytes()) as f64),
    ));
    text
}

fn long<'t>(
    typed: &mut Parsed,
    word: &'t str,
    rest: &mut impl Iterator<Item = &'t str>,
) -> Result<(), Usage> {
    let (name, value) = own_options::read("fdtree", OWN, word, rest)?;
    match name {
        "base" => typed.base = Some(value.to_owned()),
        "continue" => typed.keep_going = true,
        "dryRun" => typed.dry_run = true,
        "help" => typed.help = true,
        "record" => typed.record = Some(value.to_owned()),
        name => unreachable!("--{name} has no meaning"),
    }
    Ok(())
}

/// Reads one token of letters.
fn letters<'t>(
    typed: &mut Parsed,
    token: &'t str,
    rest: &mut impl Iterator<Item = &'t str>,
) -> Result<(), Usage> {
    for (at, letter) in token.char_indices().skip(1) {
        match letter {
            'C' => typed.create = true,
            'R' => typed.remove = true,
            'D' => typed.debug = true,
            'h' => typed.help = true,
            'v' => typed.verbose = true,
            'l' | 'd' | 'f' | 's' | 'o' => {
                let glued = Some(&token[at + 1..]).filter(|value| !value.is_empty());
                let value = glued.or_else(|| rest.next()).filter(|value| !value.is_empty());
                return valued(typed, letter, value);
            }
            'n' => {
                return Err(Usage::new(
                    "unknown option `-n`. Start ranks with `assay -n RANKS fdtree ...`, or with mpirun.",
                ));
            }
            _ => return Err(Usage(format!("unknown option `-{letter}`. `fdtree -h` lists all options."))),
        }
    }
    Ok(())
}

fn valued(typed: &mut Parsed, letter: char, value: Option<&str>) -> Result<(), Usage> {
    let about = match letter {
        'l' => "levels of directories below the base",
        'd' => "directories in each directory",
        'f' => "files in each directory",
        's' => "blocks of 4096 bytes in each file",
        _ => "an existing directory",
    };
    let Some(value) = value else { return Err(Usage(format!("-{letter} takes a value: {about}"))) };
    typed.sized |= letter == 's';
    let place = match letter {
        'l' => &mut typed.shape.levels,
        'd' => &mut typed.shape.dirs,
        'f' => &mut typed.shape.files,
        's' => &mut typed.shape.blocks,
        _ => {
            typed.dir = Some(value.to_owned());
            return Ok(());
        }
    };
    *place = number(value).map_err(|why| Usage(format!("-{letter} {value}: {why} ({about})")))?;
    Ok(())
}

fn number(text: &str) -> Result<u64, &'static str> {
    let number = own_options::number(text);
    if text.len() > 1 && text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("fdtree reads a leading zero as octal. Write the number in decimal without it");
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(line: &str) -> Result<Parsed, String> {
        let tokens: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Parsed::parse(&tokens).map_err(|usage| usage.0)
    }

    #[test]
    fn letters_and_values_are_read_as_getopts_reads_them() {
        let shape = |levels, dirs, files, blocks| FdtreeShape { levels, dirs, files, blocks };
        for (line, wanted, dir, steps) in [
            ("", shape(4, 10, 10, 10), None, (true, true)),
            ("-l 3 -d 5 -f 2 -s 1 -o w", shape(3, 5, 2, 1), Some("w"), (true, true)),
            ("-l3 -d5 -f2 -s1 -ow", shape(3, 5, 2, 1), Some("w"), (true, true)),
            ("-Cl3 -d 5", shape(3, 5, 10, 10), None, (true, false)),
            ("-RDl 0 -s 0", shape(0, 10, 10, 0), None, (false, true)),
            ("-CR -f 0", shape(4, 10, 0, 10), None, (true, true)),
            ("-o -C -l 1 -l 2 --", shape(2, 10, 10, 10), Some("-C"), (true, true)),
        ] {
            let typed = typed(line).unwrap();
            assert_eq!((typed.shape, typed.dir.as_deref()), (wanted, dir), "{line}");
            assert_eq!((typed.creates(), typed.removes()), steps, "{line}");
        }
        let own = typed("-v --record r.jsonl --dryRun -R --base=w/LEVEL0.h.1 --continue -D").unwrap();
        assert_eq!((own.record.as_deref(), own.base.as_deref()), (Some("r.jsonl"), Some("w/LEVEL0.h.1")));
        assert!(own.verbose && own.dry_run && own.keep_going && own.debug && !own.help);
        assert!(typed("-h").unwrap().help && typed("-C --help").unwrap().help);
    }

    #[test]
    fn an_error_is_one_line() {
        for (line, why) in [
            ("-s", "-s takes a value: blocks of 4096 bytes in each file"),
            ("-l 2 -o", "-o takes a value: an existing directory"),
            ("-l -C", "-l -C: not a whole number of 0 or more (levels of directories below the base)"),
            ("-l two", "-l two: not a whole number of 0 or more (levels of directories below the base)"),
            ("-f 1k", "-f 1k: not a whole number of 0 or more (files in each directory)"),
            (
                "-d 010",
                "-d 010: fdtree reads a leading zero as octal. Write the number in decimal without it \
                 (directories in each directory)",
            ),
            (
                "-s 18446744073709551616",
                "-s 18446744073709551616: does not fit into 64 bits (blocks of 4096 bytes in each file)",
            ),
            ("-x", "unknown option `-x`. `fdtree -h` lists all options."),
            ("-Cx", "unknown option `-x`. `fdtree -h` lists all options."),
            ("--recrod f", "unknown option `--recrod`. `fdtree -h` lists all options."),
            ("--record", "--record takes a value: write the results as JSON lines to a new file"),
            ("--continue=1", "--continue takes no value"),
            ("dir -l 2", "`dir` is not an option. Give a directory with -o DIR."),
            ("-C -- dir", "`dir` is not an option. Give a directory with -o DIR."),
            ("- -l 2", "`-` is not an option. Give a directory with -o DIR."),
            ("--base LEVEL0", "--base selects the tree that -R removes. Give -R without -C."),
            ("-CR --base LEVEL0", "--base selects the tree that -R removes. Give -R without -C."),
            ("-n 4", "unknown option `-n`. Start ranks with `assay -n RANKS fdtree ...`, or with mpirun."),
        ] {
            assert_eq!(typed(line), Err(why.to_owned()), "{line}");
        }
    }

    #[test]
    fn the_table_of_own_options_is_sound_and_each_has_an_effect() {
        own_options::assert_is_sound(OWN);
        for own in OWN {
            let _ = long(&mut Parsed::default(), own.word, &mut ["1"].into_iter());
        }
    }
}

//! The facts that a campaign needs of the command line of mdtest, md-workbench, fdtree, ls-lr, flash-io
//! and mpi-io.
//!
//! Never here: the full list of options. The workload itself rejects an option that is unknown here.

pub(crate) mod tools;

use units::Usage;

use crate::classic::{ClassicOption, OptionFault, OptionInput, OptionOccurrence};
use crate::words::{self, LinePart, SplitLine};
use crate::{MdWorkbenchOption, MdtestOption, md_workbench, mdtest};
use tools::{TOOLS, Tool};

/// The unit that the phases of a workload count. It limits the metrics that a criterion can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measures {
    /// Bytes.
    Bytes,
    /// Operations on files and directories.
    Operations,
    /// Cases of a conformance suite, each with its outcome.
    Cases,
}

/// One command line, read as far as a campaign needs.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolLine {
    /// The arguments, without the program's name.
    pub words: Vec<String>,
    tool: &'static Tool,
    /// The options of a workload without a table.
    split: SplitLine,
    /// The command line of mdtest; empty for another workload.
    mdtest: Box<mdtest::Line>,
    /// The command line of md-workbench; empty for another workload.
    md_workbench: Box<md_workbench::Line>,
}

impl ToolLine {
    /// The keys of a plan that hold such a command line.
    pub fn keys() -> impl Iterator<Item = &'static str> {
        TOOLS.iter().map(|tool| tool.key)
    }

    /// Reads a command line. The program's name may come first.
    pub fn parse(key: &str, line: &str) -> Result<Self, Usage> {
        let Some(tool) = TOOLS.iter().find(|tool| tool.key == key) else {
            return Err(Usage(format!("`{key}` is not a workload")));
        };
        let mut words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        if words.first().and_then(|first| first.rsplit('/').next()) == Some(tool.command) {
            words.remove(0);
        }
        let command = tool.command;
        let stray =
            |word: &str| format!("`{word}` is not an option of {command}. Its options begin with `-`.");
        let (mut split, mut mdtest) = (SplitLine::default(), Box::<mdtest::Line>::default());
        let mut md_workbench = Box::<md_workbench::Line>::default();
        if command == "mdtest" {
            mdtest = Box::new(mdtest::Line::read(&words));
            check_occurrences(&mdtest.occurrences, &words, &stray, check_mdtest)?;
        } else if command == "md-workbench" {
            md_workbench = Box::new(md_workbench::Line::read(&words));
            check_occurrences(&md_workbench.occurrences, &words, &stray, check_md_workbench)?;
        } else {
            let parts = words::read(&words, tool.valued);
            parts.iter().try_for_each(|(at, part)| check(tool, &words[*at], part, &stray))?;
            split = SplitLine::read(&words, tool.valued);
        }
        Ok(Self { words, tool, split, mdtest, md_workbench })
    }

    /// All values of a long option that may be repeated.
    fn each<'a>(&'a self, option: &'a str) -> impl Iterator<Item = &'a str> {
        self.words.iter().enumerate().filter_map(move |(at, word)| match word.strip_prefix(option)? {
            "" => self.words.get(at + 1).map(String::as_str),
            rest => rest.strip_prefix('='),
        })
    }

    /// Whether a long option is given.
    fn gives(&self, name: &str) -> bool {
        self.split.long(name).is_some()
    }

    /// The number of a letter, with an optional suffix k m g t p (powers of 1024).
    fn number(&self, letter: char) -> Option<u64> {
        words::size(self.split.value(letter)?)
    }

    /// The number of a long option, without a suffix.
    fn long_number(&self, name: &str) -> Option<u64> {
        self.split.long(name)?.parse().ok()
    }

    /// The command of the workload.
    pub fn workload(&self) -> &'static str {
        self.tool.command
    }

    /// What its phases count.
    pub fn measures(&self) -> Measures {
        self.tool.measures
    }

    /// The arguments that set the place of its files, with `{dir}` in them; empty if the line sets it.
    pub fn place(&self) -> &'static [&'static str] {
        let tool = self.tool;
        let own = tool.place.is_some_and(|letter| self.split.value(letter).is_some())
            || self.mdtest.has(MdtestOption::Directory)
            || self.md_workbench.has(MdWorkbenchOption::Directory);
        if own { &[] } else { tool.default_place }
    }

    /// Names of the phases that the command line yields, as records name them.
    pub fn phases(&self) -> Vec<&'static str> {
        (self.tool.phases)(self)
    }

    /// Whether it creates files or directories.
    pub fn creates(&self) -> bool {
        (self.tool.creates)(self)
    }

    /// Whether it removes what it created.
    pub fn removes(&self) -> bool {
        (self.tool.removes)(self)
    }

    /// Bytes that it writes and reads at most, on this number of ranks.
    pub fn bytes(&self, ranks: u32) -> (u64, u64) {
        (self.set_bytes(ranks).saturating_mul((self.tool.sets)(self)), 0)
    }

    /// The largest number of bytes that exist at the same time.
    pub fn holds_bytes(&self, ranks: u32) -> u64 {
        if self.removes() { self.set_bytes(ranks) } else { self.bytes(ranks).0 }
    }

    /// The largest number of files and directories that exist at the same time, with `preload` files put into
    /// each directory before.
    pub fn holds_names(&self, ranks: u32, preload: u64) -> u64 {
        if !self.creates() {
            return 0;
        }
        let set = (self.tool.names)(self, ranks.into(), preload);
        if self.removes() { set } else { set.saturating_mul((self.tool.sets)(self)) }
    }

    /// Operations of a phase on this number of ranks, with all repetitions; `None` if the command line does
    /// not decide it.
    pub fn operations(&self, phase: &str, ranks: u32) -> Option<u64> {
        let operations = match self.tool.command {
            "mdtest" => self.mdtest.operations(ranks.into()),
            "md-workbench" => self.md_workbench.operations(phase, ranks.into()),
            _ => 0,
        };
        (operations > 0).then_some(operations)
    }

    fn set_bytes(&self, ranks: u32) -> u64 {
        if self.creates() { (self.tool.writes)(self, ranks.into()) } else { 0 }
    }

    /// `-W` of mdtest, seconds; 0 for never.
    pub fn deadline_s(&self) -> u64 {
        self.mdtest.deadline.into()
    }

    /// Seconds after which a phase stops, in all its repetitions together; 0 for never.
    pub fn phase_limit_s(&self, phase: &str) -> u64 {
        match self.tool.command {
            "md-workbench" => self.md_workbench.limit_s(phase),
            _ => self.deadline_s(),
        }
    }

    /// Whether the command line saves or reads the number of items, with `-x` of mdtest.
    pub fn status_file(&self) -> bool {
        self.mdtest.status_file.is_some()
    }

    /// Whether the phase compares data: reading with `-X` of mdtest and md-workbench, creation with
    /// `--verify-write` of mdtest, and the files that flash-io reads back.
    pub fn compares(&self, phase: &str) -> bool {
        match phase {
            "file_read" => self.mdtest.verify_read,
            "file_creation" => self.mdtest.verify_write && self.mdtest.write_bytes > 0,
            "benchmark_read" => self.md_workbench.compares(),
            phase => self.tool.measures == Measures::Bytes && phase.ends_with("_check"),
        }
    }

    /// Whether the failures of this phase show what is missing. The ranks of md-workbench may not know what
    /// exists at the end, for example if they stop at different objects.
    pub fn knows_failures(&self, phase: &str) -> bool {
        phase != "cleanup" || !self.md_workbench.ends_unevenly()
    }

    /// Whether it made all names that it uses, or the line whose files it uses did. md-workbench may look for
    /// objects that no rank made.
    pub fn uses_only_made_names(&self) -> bool {
        self.tool.command != "md-workbench"
    }

    /// By how many ranks items shift from the ranks that create them to the ranks that stat or read them.
    pub fn shift(&self) -> u64 {
        let of_mdtest = self.mdtest.rank_shift().unwrap_or(0);
        self.long_number("shift").unwrap_or(of_mdtest)
    }

    /// Whether items do not belong to single ranks: `-S` and `-c` of mdtest.
    pub fn shares_names(&self) -> bool {
        self.mdtest.shared_file || self.mdtest.collective
    }

    /// Whether each rank has its own tree of directories: `-u` of mdtest.
    pub fn has_own_trees(&self) -> bool {
        self.mdtest.unique_dir
    }

    /// Whether each node drops its caches before it lists, or reports that it could not: `--cold` of ls-lr.
    pub fn drops_caches(&self) -> bool {
        self.gives("cold")
    }

    /// Whether the user's commands run between phases.
    pub fn runs_commands(&self) -> bool {
        self.mdtest.runs_commands()
    }

    /// Whether the command line itself fills directories first.
    pub fn preloads(&self) -> bool {
        self.mdtest.preloads()
    }

    /// The reason why this command line cannot find the items of `made`, which `maker` created. `None` if the
    /// two command lines show no such reason.
    pub fn misses(&self, made: &ToolLine, maker: &str) -> Option<String> {
        if self.tool.command != "mdtest" {
            return None;
        }
        self.mdtest.misses(&made.mdtest, maker)
    }

    /// How often it repeats everything within one job.
    pub fn repetitions(&self) -> u64 {
        (self.tool.repetitions)(self)
    }
}

/// Rejects a part of a command line, in `word`, that a campaign cannot pass on.
fn check(tool: &Tool, word: &str, part: &LinePart, stray: &dyn Fn(&str) -> String) -> Result<(), Usage> {
    let lacks_value = match part {
        LinePart::Valued(_, value) => value.is_none(),
        LinePart::Long(_, value) => value.is_none() && tool.valued.long.contains(&word),
        LinePart::Flag(..) | LinePart::Stray => false,
    };
    match part {
        _ if lacks_value => Err(Usage(format!("`{word}` has no value. Write its value after it."))),
        LinePart::Valued(letter, Some(value)) if tool.place == Some(*letter) => own_place(*letter, value),
        LinePart::Valued('n', _) if tool.command == "ls-lr" => {
            Err(Usage::new("`-n`: the plan's `ranks` sets the number of walkers. Leave -n out."))
        }
        LinePart::Long(name, _) => match name.as_str() {
            "record" | "launch" | "speak-from" => Err(campaigns_own(name)),
            "dryRun" | "dry-run" | "list" => Err(does_nothing(name)),
            _ => Ok(()),
        },
        LinePart::Stray => Err(Usage(stray(word))),
        LinePart::Flag(..) | LinePart::Valued(..) => Ok(()),
    }
}

/// Rejects options of a program with a table, also those that `rule` rejects by option and value.
fn check_occurrences<I: ClassicOption>(
    occurrences: &[OptionOccurrence<I>],
    words: &[String],
    stray: &dyn Fn(&str) -> String,
    rule: fn(I, &str) -> Result<(), Usage>,
) -> Result<(), Usage> {
    for given in occurrences {
        let word = &words[given.at];
        if let OptionInput::Fault(OptionFault::Stray(_)) = given.input {
            return Err(Usage(stray(word)));
        }
        if given.lacks_value(words) {
            return Err(Usage(format!("`{word}` has no value. Write its value after it.")));
        }
        if let OptionInput::Flag(row, _) | OptionInput::Value(row, _) = given.input {
            rule(row.id, given.text().unwrap_or_default())?;
        }
    }
    Ok(())
}

/// Rejects an option that a campaign cannot pass on to mdtest.
fn check_mdtest(option: MdtestOption, value: &str) -> Result<(), Usage> {
    match option {
        MdtestOption::Directory => own_place('d', value),
        MdtestOption::Record => Err(campaigns_own("record")),
        MdtestOption::Progress => Err(campaigns_own("progress")),
        MdtestOption::DataOf => Err(campaigns_data()),
        MdtestOption::DataKey | MdtestOption::Nonce => Err(campaigns_key()),
        MdtestOption::DryRun => Err(does_nothing("dryRun")),
        _ => Ok(()),
    }
}

/// Rejects an option that a campaign cannot pass on to md-workbench.
fn check_md_workbench(option: MdWorkbenchOption, value: &str) -> Result<(), Usage> {
    use MdWorkbenchOption::*;
    match option {
        Precreate | Benchmark | Cleanup => {
            Err(Usage::new("a test of md-workbench runs all three phases. Leave out -1, -2 and -3."))
        }
        Adaptive => Err(Usage::new(
            "`-T` records all its waiting times under one name. Write a test for each of them, with -t.",
        )),
        Directory => own_place('o', value),
        Record => Err(campaigns_own("record")),
        _ => Ok(()),
    }
}

fn campaigns_own(name: &str) -> Usage {
    Usage(format!("the campaign sets `--{name}` itself. Leave it out."))
}

fn campaigns_key() -> Usage {
    Usage::new("the key of the data is an option of `assay run`. Leave it out.")
}

fn campaigns_data() -> Usage {
    Usage::new("a campaign gives each job its own data. Leave `--data-of` out.")
}

fn does_nothing(name: &str) -> Usage {
    Usage(format!("`--{name}` does nothing that can be measured. Leave it out."))
}

/// Rejects files outside the campaign's own directory.
fn own_place(letter: char, dir: &str) -> Result<(), Usage> {
    let inside =
        |dir: &str| (dir == "{dir}" || dir.starts_with("{dir}/")) && !dir.split('/').any(|part| part == "..");
    if dir.split('@').all(inside) {
        return Ok(());
    }
    Err(Usage(format!(
        "`-{letter} {dir}` lies outside the campaign's own directory. Leave it out, or begin it with \
         `{{dir}}/`."
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(key: &str, text: &str) -> ToolLine {
        ToolLine::parse(key, text).unwrap()
    }

    #[test]
    fn the_phases_of_a_command_line_are_those_of_its_flags() {
        for (text, phases) in [
            ("-F -C -T -r -n 10", "tree_creation file_creation file_stat file_removal tree_removal"),
            ("-D -T -I 3", "directory_stat"),
            (
                "-D -n 3 --compat 3.3",
                "tree_creation directory_creation directory_stat directory_removal tree_removal",
            ),
            ("-F -n 10 -r=0 -C -T", "tree_creation file_creation file_stat"),
            ("-F -CTr=0 -E -n=10", "file_read"),
            ("-S -n 5 -CE", "tree_creation file_creation file_read"),
            ("-F -T --operations statx,shared-open", "file_stat shared_open file_statx"),
            ("-D -T --operations link,list", "directory_stat directory_listing"),
            (
                "mdtest -b 3 -v -z 3 -u -I 900 -k -i 4",
                "tree_creation directory_creation directory_stat directory_rename directory_removal \
                 file_creation file_stat file_read file_removal tree_removal",
            ),
        ] {
            assert_eq!(line("mdtest", text).phases().join(" "), phases, "{text}");
        }
        assert_eq!(line("fdtree", "-C -l2").phases(), ["directory_creation", "file_creation"]);
        assert_eq!(line("fdtree", "-C -R -R=0").phases(), ["directory_creation", "file_creation"]);
        assert_eq!(line("fdtree", "-l2").phases().len(), 4);
        assert_eq!(line("ls_lr", "ls-lr --cold -i 3").phases(), ["list", "directories"]);
        assert_eq!(line("ls_lr", "--make --entries 200000").phases(), ["make"]);
        assert_eq!(line("ls_lr", "--walk --remove").phases(), ["list", "directories", "remove"]);
        assert_eq!(line("flash_io", "-b -i").phases(), ["checkpoint", "plot_centered", "plot_corner"]);
        let some = line("mpi_io", "--only posix.locks.* --only=open.* --timeout 5");
        assert_eq!(some.phases(), ["cases", "open", "posix"]);
        assert_eq!(line("mpi_io", "--large --skip posix.*").phases().len(), 18);
        let checked = line("flash_io", "--verify-only --size=16");
        assert_eq!(checked.phases(), ["checkpoint_check", "plot_centered_check", "plot_corner_check"]);
        assert!(checked.compares("plot_corner_check") && !checked.creates());
    }

    #[test]
    fn a_command_line_yields_what_it_creates_keeps_and_writes() {
        let made = line("mdtest", "-C -F -I 900 -b 3 -z 3 -w 1k -i 4");
        assert!(made.creates() && !made.removes());
        let one = 2 * 40 * 900 * 1024;
        assert_eq!((made.bytes(2), made.repetitions()), ((4 * one, 0), 4), "four directories are left");
        assert_eq!(made.holds_bytes(2), 4 * one);
        let gone = line("mdtest", "-C -r -F -I 900 -b 3 -z 3 -w 1k -i 4");
        assert_eq!((gone.bytes(2).0, gone.holds_bytes(2)), (4 * one, one), "one at a time");
        let trees = line("mdtest", "-C -F -n 6 -I 2 -b 2 -z 1 -w 1");
        assert_eq!(trees.bytes(1).0, 3 * 2 * 3, "three trees of three directories of two");
        assert_eq!(line("mdtest", "-C -F -n 5 -w 1 -f 1 -l 4 -s 2").bytes(4).0, 2 * 4 * 5);
        assert_eq!(line("mdtest", "-F -n10 -w=4k").bytes(1), (40960, 0));
        let stats = line("mdtest", "-T -F -n 10 -w 1k");
        assert!(!stats.creates() && !stats.removes() && stats.bytes(1) == (0, 0));
        assert_eq!(line("fdtree", "-l 2 -d 2 -f 2 -s 1").bytes(3), (3 * 7 * 2 * 4096, 0));
        let trees = line("ls_lr", "--make --walk --entries=500 --bytes 10 --repetitions 2");
        assert!(trees.creates() && !trees.removes() && trees.place() == ["{dir}"]);
        assert_eq!((trees.bytes(4), trees.repetitions()), ((20_000, 0), 2));
        assert_eq!(line("mdtest", "-n 1").place(), ["-d", "{dir}/mdtest"]);
        let flash = line("flash_io", "flash-io --size 16 --repetitions 3");
        assert_eq!((flash.place(), flash.repetitions()), (&["-f", "{dir}/flash_"][..], 3));
        assert!(flash.creates() && !flash.removes());
        let least = 4_825_233_420;
        let (most, read) = flash.bytes(64);
        assert!((least..least / 100 * 102).contains(&most) && read == 0, "{most}: overwritten, not added");
        assert!(line("mdtest", "-d {dir}/here").place().is_empty());
        let suite = line("mpi_io", "--only posix.*");
        assert!(suite.place() == ["{dir}"] && suite.creates() && suite.removes());
        let (few, large) = (suite.holds_bytes(4), line("mpi_io", "--large").holds_bytes(4));
        assert!(few == 4 * (16 << 20) && large == few + (5 << 30), "{few} {large}");
        assert_eq!(line("mpi_io", "--large --only posix.*").holds_bytes(4), few);
    }

    #[test]
    fn a_command_line_yields_the_number_of_its_entries() {
        for (key, text, names) in [
            ("mdtest", "-C -F -n 10", 2 * 10 + 1),
            ("mdtest", "-C -n 10 -u", 2 * 20 + 2),
            ("mdtest", "-F -I 5 -z 2 -b 3 -i 4", 2 * 5 * 13 + 13),
            ("mdtest", "-C -F -I 5 -z 2 -b 3 -i 4", 4 * (2 * 5 * 13 + 13)),
            ("mdtest", "-C -S -n 10 --preload 100", 10 + 101),
            ("mdtest", "-T -F -n 10", 0),
            ("fdtree", "-l 1 -d 2 -f 4", 2 * 3 * 5),
            ("ls_lr", "--make --entries 500", 2 * 500),
            ("ls_lr", "--cold", 0),
        ] {
            assert_eq!(line(key, text).holds_names(2, 0), names, "{text}");
        }
        assert_eq!(line("mdtest", "-F -n 10 -u").holds_names(2, 100), 20 + 2 * 101);
    }

    #[test]
    fn a_command_line_that_a_campaign_cannot_run_is_rejected() {
        for (key, text, why) in [
            ("mdtest", "-n 5 -d /scratch", "`-d /scratch` lies outside the campaign's own directory"),
            ("mdtest", "-n 5 -d {dir}/a@{dir}/../b", "lies outside the campaign's own directory"),
            ("mdtest", "-n", "`-n` has no value"),
            ("mdtest", "-n 5 --record x", "the campaign sets `--record` itself"),
            ("fdtree", "4", "`4` is not an option of fdtree"),
            ("fdtree", "-", "`-` is not an option of fdtree"),
            ("fdtree", "-l", "`-l` has no value"),
            ("fdtree", "-l -C", "`-l` has no value"),
            ("fdtree", "--base -R", "`--base` has no value"),
            ("fdtree", "--base", "`--base` has no value"),
            ("mpi_io", "--only posix.* --launch srun", "the campaign sets `--launch` itself"),
            ("mpi_io", "--list", "`--list` does nothing that can be measured"),
            ("ls_lr", "/scratch", "`/scratch` is not an option of ls-lr"),
        ] {
            let error = ToolLine::parse(key, text).unwrap_err().0;
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}

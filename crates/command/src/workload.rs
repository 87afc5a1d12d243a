//! The workloads, one row each: their names, their places in a plan, and who reads their command lines.

use std::ops::Deref;

use units::Usage;

use crate::age::AgeArgs;
use crate::io500::Io500Options;
use crate::ls_lr::LsLrOptions;
use crate::mpi_io::MpiIoArgs;
use crate::pfind::PfindOptions;
use crate::planned::PlannedLine;
use crate::quota::QuotaArgs;
use crate::{clap_line, fdtree, flash_io, ior, md_workbench, mdtest};

/// The programs that a command may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkloadName {
    /// `io500`
    Io500,
    /// `ior`
    Ior,
    /// `mdtest`
    Mdtest,
    /// `md-workbench`
    MdWorkbench,
    /// `fdtree`
    Fdtree,
    /// `ls -lR`
    Ls,
    /// `ls-lr`
    LsLr,
    /// `flash_benchmark_io`
    FlashIo,
    /// `mpi-io`
    MpiIo,
    /// `pfind`
    Pfind,
    /// `quota`
    Quota,
    /// `age`
    Age,
}

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

/// A workload.
#[derive(Debug)]
pub struct Workload {
    /// What the other tables call it.
    pub name: WorkloadName,
    /// Its names, in lower case. The first is that of its command.
    pub names: &'static [&'static str],
    /// The name of the original in commands, if it is another one.
    original: &'static str,
    /// The help of its command, if it is a classic program; else the command has its own.
    pub help: &'static str,
    /// What a link of its name does.
    pub about: &'static str,
    /// Its key in a plan; empty if a test cannot run it.
    pub key: &'static str,
    /// The arguments that set the place of its files in a campaign, where the command line does not.
    place: &'static [&'static str],
    /// What its phases count.
    measures: Measures,
    /// Whether it shows its progress in a file.
    shows_progress: bool,
    /// Whether its records have the work of each rank, and when each phase began and ended.
    records_ranks: bool,
    read: fn(&[String]) -> WorkloadLine,
    /// The first fault of a command line, for those whose reader finds it.
    fault: fn(&[String]) -> Option<String>,
}

impl Workload {
    /// Each name that starts it, with that of the original.
    pub(crate) fn known(&self) -> impl Iterator<Item = &'static str> {
        self.names.iter().copied().chain([self.original]).filter(|name| !name.is_empty())
    }

    /// Whether it has the options of a classic program, which are not those of a command of assay.
    pub fn is_classic(&self) -> bool {
        !self.help.is_empty()
    }

    /// The last word, if it is an option without its value. A campaign appends the place of the files, which
    /// the option would take.
    fn option_without_value<'w>(&self, words: &'w [String]) -> Option<&'w str> {
        let last = words.last().filter(|last| last.starts_with('-') && !last.contains('='))?;
        let more = [words, &["1".to_owned()]].concat();
        (self.fault)(words).filter(|fault| (self.fault)(&more).as_ref() != Some(fault)).map(|_| &**last)
    }
}

/// What most workloads have.
const USUAL: Workload = Workload {
    name: WorkloadName::Ls,
    names: &[],
    original: "",
    help: "",
    about: "",
    key: "",
    place: &[],
    measures: Measures::Operations,
    shows_progress: false,
    records_ranks: true,
    read: |words| WorkloadLine::Ls(LsLine::read(words)),
    fault: |_| None,
};

/// All workloads, by name.
pub const WORKLOADS: &[Workload] = &[
    Workload {
        name: WorkloadName::Age,
        names: &["age"],
        shows_progress: true,
        read: |words| WorkloadLine::Age(Box::new(clap_line::read(words))),
        ..USUAL
    },
    Workload {
        name: WorkloadName::Fdtree,
        names: &["fdtree"],
        original: "fdtree.bash",
        help: "Create and remove a tree like the classic `fdtree`",
        about: "create and remove a tree of files (options and output of fdtree 1.0.2)",
        key: "fdtree",
        place: &["-o", "{dir}"],
        read: |words| WorkloadLine::Fdtree(fdtree::Parsed::read(words).0),
        fault: |words| fdtree::Parsed::read(words).1.err().map(|usage| usage.0),
        ..USUAL
    },
    Workload {
        name: WorkloadName::FlashIo,
        names: &["flash-io", "flash_benchmark_io"],
        help: "Write a checkpoint and plot files like the classic FLASH-IO",
        about: "write a checkpoint and two plot files (options and output of FLASH-IO)",
        key: "flash_io",
        place: &["-f", "{dir}/flash_"],
        measures: Measures::Bytes,
        records_ranks: false,
        read: |words| WorkloadLine::FlashIo(Box::new(flash_io::Parsed::read(words).0)),
        fault: |words| flash_io::Parsed::read(words).1.err().map(|usage| usage.0),
        ..USUAL
    },
    Workload {
        name: WorkloadName::Io500,
        names: &["io500"],
        help: "Run all phases of IO500 in one job like the classic `io500`",
        about: "run all phases of IO500 in one job (options, configuration and files of io500)",
        read: |words| WorkloadLine::Io500(Box::new(Io500Options::read(words))),
        ..USUAL
    },
    Workload {
        name: WorkloadName::Ior,
        names: &["ior"],
        help: "Read and write like the classic `ior` (options: `assay ior -h`)",
        about: "transfer data in parallel (options and output of IOR 4.1)",
        key: "ior",
        place: &["-o", "{dir}/data"],
        measures: Measures::Bytes,
        shows_progress: true,
        read: |words| WorkloadLine::Ior(Box::new(ior::Line::read(words))),
        ..USUAL
    },
    Workload { names: &["ls"], ..USUAL },
    Workload {
        name: WorkloadName::LsLr,
        names: &["ls-lr"],
        help: "List large trees like many `ls -lR` at the same time",
        about: "list large trees with many `ls -lR` at once",
        key: "ls_lr",
        place: &["{dir}"],
        read: |words| WorkloadLine::LsLr(Box::new(clap_line::read(words))),
        fault: clap_line::fault::<LsLrOptions>,
        ..USUAL
    },
    Workload {
        name: WorkloadName::MdWorkbench,
        names: &["md-workbench"],
        help: "Renew a working set of objects like the classic `md-workbench`",
        about: "renew a working set of objects (options and output of md-workbench 4.1)",
        key: "md_workbench",
        place: &["-o", "{dir}/md-workbench"],
        read: |words| WorkloadLine::MdWorkbench(Box::new(md_workbench::Line::read(words))),
        ..USUAL
    },
    Workload {
        name: WorkloadName::Mdtest,
        names: &["mdtest"],
        help: "Create, stat, read and remove files like the classic `mdtest`",
        about: "work on files and directories in parallel (options and output of mdtest 4.1)",
        key: "mdtest",
        place: &["-d", "{dir}/mdtest"],
        shows_progress: true,
        read: |words| WorkloadLine::Mdtest(Box::new(mdtest::Line::read(words))),
        ..USUAL
    },
    Workload {
        name: WorkloadName::MpiIo,
        names: &["mpi-io"],
        key: "mpi_io",
        place: &["{dir}"],
        measures: Measures::Cases,
        read: |words| WorkloadLine::MpiIo(Box::new(clap_line::read(words))),
        fault: clap_line::fault::<MpiIoArgs>,
        ..USUAL
    },
    Workload {
        name: WorkloadName::Pfind,
        names: &["pfind"],
        help: "Search a tree with all ranks like `pfind`, the parallel find of IO500",
        about: "search a tree with all ranks (options of pfind, the parallel find of IO500)",
        key: "pfind",
        place: &["{dir}"],
        records_ranks: false,
        read: |words| WorkloadLine::Pfind(Box::new(PfindOptions::read(words))),
        fault: PfindOptions::fault,
        ..USUAL
    },
    Workload {
        name: WorkloadName::Quota,
        names: &["quota"],
        key: "quota",
        place: &["{dir}"],
        read: |words| WorkloadLine::Quota(Box::new(clap_line::read(words))),
        fault: clap_line::fault::<QuotaArgs>,
        ..USUAL
    },
];

impl WorkloadName {
    /// The workload of this command; `None` for another program.
    pub fn named(command: &str) -> Option<Self> {
        WORKLOADS.iter().find(|row| row.known().any(|name| name == command)).map(|row| row.name)
    }

    fn row(self) -> &'static Workload {
        WORKLOADS.iter().find(|row| row.name == self).expect("each workload has a row")
    }

    /// The arguments that set the place of its files in a campaign.
    pub fn place(self) -> &'static [&'static str] {
        self.row().place
    }

    /// What its phases count.
    pub fn measures(self) -> Measures {
        self.row().measures
    }

    /// Whether its records have the work of each rank, and when each phase began and ended.
    pub fn records_ranks(self) -> bool {
        self.row().records_ranks
    }

    /// Its key in a plan; empty if a test cannot run it.
    pub fn key(self) -> &'static str {
        self.row().key
    }

    /// The name of its command.
    pub fn command(self) -> &'static str {
        self.row().names[0]
    }
}

/// Whether the workload of this command shows its progress in the file of `--progress`.
pub fn shows_progress(command: &str) -> bool {
    WorkloadName::named(command).is_some_and(|name| name.row().shows_progress)
}

/// Whether the command line of a workload writes or expects stamped data, which can be keyed.
pub fn has_stamped_data(command: &str, words: &[String]) -> bool {
    WorkloadName::named(command).is_some_and(|name| WorkloadLine::read(name, words).has_stamped_data())
}

/// The options of any workload, as far as they can be read.
#[derive(Clone, Debug, PartialEq)]
pub enum WorkloadLine {
    /// `io500`
    Io500(Box<Io500Options>),
    /// `ior`
    Ior(Box<ior::Line>),
    /// `mdtest`
    Mdtest(Box<mdtest::Line>),
    /// `md-workbench`
    MdWorkbench(Box<md_workbench::Line>),
    /// `fdtree`
    Fdtree(fdtree::Parsed),
    /// `flash-io`
    FlashIo(Box<flash_io::Parsed>),
    /// `ls`
    Ls(LsLine),
    /// `ls-lr`
    LsLr(Box<LsLrOptions>),
    /// `mpi-io`
    MpiIo(Box<MpiIoArgs>),
    /// `pfind`
    Pfind(Box<PfindOptions>),
    /// `quota`
    Quota(Box<QuotaArgs>),
    /// `age`
    Age(Box<AgeArgs>),
}

/// A command line of `ls`, with its directory.
#[derive(Clone, Debug, PartialEq)]
pub struct LsLine(Option<String>);

impl LsLine {
    fn read(words: &[String]) -> Self {
        Self(words.iter().find(|word| !word.starts_with('-')).cloned())
    }
}

impl PlannedLine for LsLine {
    fn dir(&self) -> Option<&str> {
        self.0.as_deref()
    }

    fn creates(&self) -> bool {
        false
    }
}

impl PlannedLine for AgeArgs {
    fn removes(&self) -> bool {
        false
    }
}

impl Deref for WorkloadLine {
    type Target = dyn PlannedLine;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Io500(line) => &**line,
            Self::Ior(line) => &**line,
            Self::Mdtest(line) => &**line,
            Self::MdWorkbench(line) => &**line,
            Self::Fdtree(line) => line,
            Self::FlashIo(line) => &**line,
            Self::Ls(line) => line,
            Self::LsLr(line) => &**line,
            Self::MpiIo(line) => &**line,
            Self::Pfind(line) => &**line,
            Self::Quota(line) => &**line,
            Self::Age(line) => &**line,
        }
    }
}

impl WorkloadLine {
    /// Reads the arguments that follow the name of a workload.
    pub fn read(workload: WorkloadName, words: &[String]) -> Self {
        (workload.row().read)(words)
    }
}

/// A command line of a plan, of another workload than `ior`.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolLine {
    /// The arguments, without the program's name.
    pub words: Vec<String>,
    name: WorkloadName,
    line: WorkloadLine,
}

impl Deref for ToolLine {
    type Target = dyn PlannedLine;

    fn deref(&self) -> &Self::Target {
        &*self.line
    }
}

impl ToolLine {
    /// Reads a command line. The program's name may come first.
    pub fn parse(key: &str, line: &str) -> Result<Self, Usage> {
        let Some(row) =
            WORKLOADS.iter().find(|row| row.key == key && !key.is_empty() && row.name != WorkloadName::Ior)
        else {
            return Err(Usage(format!("`{key}` is not a workload")));
        };
        let mut words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        if words.first().and_then(|first| first.rsplit('/').next()) == Some(row.names[0]) {
            words.remove(0);
        }
        if let Some(option) = row.option_without_value(&words) {
            return Err(Usage(format!("`{option}` has no value. Write its value after it.")));
        }
        let line = (row.read)(&words);
        line.check_planned()?;
        Ok(Self { words, name: row.name, line })
    }

    /// Which workload it is for.
    pub fn workload(&self) -> WorkloadName {
        self.name
    }

    /// The reason why this command line cannot find the items of `made`, which `maker` created. `None` if the
    /// two command lines show no such reason.
    pub fn misses(&self, made: &ToolLine, maker: &str) -> Option<String> {
        let (WorkloadLine::Mdtest(line), WorkloadLine::Mdtest(made)) = (&self.line, &made.line) else {
            return None;
        };
        line.misses(made, maker)
    }
}

/// The keys of the command lines in a plan.
pub fn plan_keys() -> impl Iterator<Item = &'static str> {
    WORKLOADS.iter().map(|row| row.key).filter(|key| !key.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(key: &str, text: &str) -> ToolLine {
        ToolLine::parse(key, text).unwrap()
    }

    #[test]
    fn each_workload_has_one_row_that_reads_its_own_command_lines() {
        let mut names: Vec<&str> = Vec::new();
        for row in WORKLOADS {
            let read = format!("{:?}", (row.read)(&[]));
            assert!(read.starts_with(&format!("{:?}(", row.name)), "{:?}: {read}", row.name);
            assert_eq!(row.place.len().min(1), usize::from(!row.key.is_empty()), "{:?}", row.name);
            names.extend(row.names);
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "{names:?}");
    }

    #[test]
    fn an_option_without_a_value_does_not_take_the_place_of_the_files() {
        for (key, text) in [
            ("fdtree", "-l"),
            ("fdtree", "-C -l"),
            ("fdtree", "--base"),
            ("flash_io", "--record"),
            ("flash_io", "--size"),
            ("ls_lr", "--entries"),
            ("mpi_io", "--timeout"),
            ("mpi_io", "--launch"),
            ("quota", "--limit"),
        ] {
            let rejected = ToolLine::parse(key, text).unwrap_err().0;
            assert!(rejected.contains("` has no value."), "{key} {text}: {rejected}");
        }
        for text in ["junk -f {dir}/f_", "junk"] {
            assert!(ToolLine::parse("flash_io", text).unwrap_err().0.starts_with("`junk` is not"), "{text}");
        }
        assert!(ToolLine::parse("fdtree", "-R --base /home/LEVEL0.n.4").is_err());
        assert!(ToolLine::parse("ior", "-w").is_err(), "it has a reader of its own");
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
        assert_eq!(line("fdtree", "-C -l 2 -s x").phases(), ["directory_creation", "file_creation"]);
        assert_eq!(line("fdtree", "-l2").phases().len(), 4);
        assert_eq!(line("ls_lr", "ls-lr --cold -i 3").phases(), ["list", "directories"]);
        assert_eq!(line("ls_lr", "--make --entries 200000").phases(), ["make"]);
        assert_eq!(line("ls_lr", "--walk --remove").phases(), ["list", "directories", "remove"]);
        assert_eq!(line("flash_io", "-b -i").phases(), ["checkpoint", "plot_centered", "plot_corner"]);
        let some = line("mpi_io", "--only posix.locks.* --only=open.* --timeout 5");
        assert_eq!(some.phases(), ["cases", "open", "posix"]);
        assert_eq!(line("mpi_io", "--large --skip posix.*").phases().len(), 19);
        let checked = line("flash_io", "--verify-only --size=16");
        assert_eq!(checked.phases(), ["checkpoint_check", "plot_centered_check", "plot_corner_check"]);
        assert!(checked.compares("plot_corner_check") && !checked.creates());
    }

    #[test]
    fn a_command_line_yields_what_it_creates_keeps_and_writes() {
        let made = line("mdtest", "-C -F -I 900 -b 3 -z 3 -w 1k -i 4");
        assert!(made.creates() && !made.removes());
        let one = 2 * 40 * 900 * 1024;
        assert_eq!((made.moves_bytes(2), made.repetitions()), ((4 * one, 0), 4), "four directories are left");
        assert_eq!(made.holds_bytes(2), 4 * one);
        let gone = line("mdtest", "-C -r -F -I 900 -b 3 -z 3 -w 1k -i 4");
        assert_eq!((gone.moves_bytes(2).0, gone.holds_bytes(2)), (4 * one, one), "one at a time");
        let trees = line("mdtest", "-C -F -n 6 -I 2 -b 2 -z 1 -w 1");
        assert_eq!(trees.moves_bytes(1).0, 3 * 2 * 3, "three trees of three directories of two");
        assert_eq!(line("mdtest", "-C -F -n 5 -w 1 -f 1 -l 4 -s 2").moves_bytes(4).0, 2 * 4 * 5);
        assert_eq!(line("mdtest", "-F -n10 -w=4k").moves_bytes(1), (40960, 0));
        let stats = line("mdtest", "-T -F -n 10 -w 1k");
        assert!(!stats.creates() && !stats.removes() && stats.moves_bytes(1) == (0, 0));
        assert_eq!(line("fdtree", "-l 2 -d 2 -f 2 -s 1").moves_bytes(3), (3 * 7 * 2 * 4096, 0));
        let trees = line("ls_lr", "--make --walk --entries=500 --bytes 10 --repetitions 2");
        assert!(trees.creates() && !trees.removes() && trees.workload().place() == ["{dir}"]);
        assert_eq!((trees.moves_bytes(4), trees.repetitions()), ((20_000, 0), 2));
        assert_eq!(line("mdtest", "-n 1").workload().place(), ["-d", "{dir}/mdtest"]);
        let flash = line("flash_io", "flash-io --size 16 --repetitions 3");
        assert_eq!((flash.workload().place(), flash.repetitions()), (&["-f", "{dir}/flash_"][..], 3));
        assert!(flash.creates() && !flash.removes());
        let least = 4_825_233_420;
        let (most, read) = flash.moves_bytes(64);
        assert!((least..least / 100 * 102).contains(&most) && read == 0, "{most}: overwritten, not added");
        assert!(line("mdtest", "-d {dir}/here").dir() == Some("{dir}/here"));
        let suite = line("mpi_io", "--only posix.*");
        assert!(suite.workload().place() == ["{dir}"] && suite.creates() && suite.removes());
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
            ("mpi_io", "--only posix.* --launch srun", "the campaign sets `--launch` itself"),
            ("mpi_io", "--list", "`--list` does nothing that can be measured"),
            ("fdtree", "-o /scratch", "`-o /scratch` lies outside"),
            ("flash_io", "/scratch/f_", "`/scratch/f_` is not an option of flash-io"),
            ("ls_lr", "-n 4", "the plan's `ranks` sets the number"),
            ("ls_lr", "/scratch", "`/scratch` is not an option of ls-lr"),
            ("quota", "/scratch --limit 1g", "`/scratch` is not an option of quota"),
            ("quota", "--record r", "the campaign sets `--record` itself"),
        ] {
            let error = ToolLine::parse(key, text).unwrap_err().0;
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}

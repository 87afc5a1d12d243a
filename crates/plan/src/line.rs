//! The command line of a test: the arguments of one workload, and the facts that a campaign needs of them.
//!
//! Invariant: the arguments stay as they are, except that `{dir}` is replaced. If they do not set the place
//! of the files, it is added.

pub use command::has_stamped_data;
use command::{Measures, ToolLine, ior};
use results::record::CaseOutcome;
use units::Usage;

use crate::app::App;

/// The file of an IOR command line that does not name one.
pub(crate) const IOR_FILE: &str = "{dir}/data";

/// The command line of a test.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    /// Transfers.
    Ior(Box<ior::Line>),
    /// Metadata operations, and all other workloads except IOR.
    Tool(ToolLine),
    /// An external program.
    App(App),
}

/// Whether a criterion can use `metric` on phases that count this unit.
fn yields(measures: Measures, metric: &str) -> bool {
    let outcome = CaseOutcome::named(metric).is_some();
    match measures {
        Measures::Bytes => !outcome && !matches!(metric, "rate" | "failures"),
        Measures::Cases => outcome,
        Measures::Operations => {
            matches!(metric, "rate" | "iops" | "seconds" | "failures" | "errors")
                || metric.starts_with("latency.")
        }
    }
}

impl Line {
    /// Reads the command line that a plan gives under `key`, which names the workload.
    pub fn parse(key: &str, text: &str) -> Result<Self, Usage> {
        match key {
            "ior" => ior::Line::parse(text).map(|line| Self::Ior(Box::new(line))),
            _ => ToolLine::parse(key, text).map(Self::Tool),
        }
    }

    /// The command line with written data read back and compared afterwards, as [`ior::Line::verified`] does.
    /// Other workloads have no such phase.
    pub fn verified(self) -> Self {
        if let Self::Ior(line) = self { Self::Ior(Box::new(line.verified())) } else { self }
    }

    /// Whether files are dropped from the page cache before they are read: `--drop-caches`.
    pub fn drops_caches(&self) -> bool {
        self.as_ior().is_some_and(|line| line.drop_caches)
    }

    /// Whether the command line itself uses fewer ranks than are started: `-N` of IOR.
    pub fn takes_fewer_ranks(&self) -> bool {
        self.as_ior().is_some_and(|line| line.ranks.is_some())
    }

    /// Restores the arguments of `text`, the command line before values were inserted.
    pub(crate) fn restore(&mut self, text: &str) {
        let words = match self {
            Self::Ior(line) => &mut line.words,
            Self::Tool(line) => &mut line.words,
            Self::App(app) => &mut app.words,
        };
        let before: Vec<&str> = text.split_whitespace().collect();
        // The program's name may come first.
        let skip = usize::from(before.first().is_some_and(|first| !first.starts_with('-')));
        for (word, before) in words.iter_mut().zip(&before[skip..]) {
            (*before).clone_into(word);
        }
    }

    /// The command of the workload.
    pub fn workload(&self) -> &'static str {
        match self {
            Self::Ior(_) => "ior",
            Self::Tool(line) => line.workload(),
            Self::App(_) => "app",
        }
    }

    /// The arguments after the command.
    pub fn words(&self) -> &[String] {
        match self {
            Self::Ior(line) => &line.words,
            Self::Tool(line) => &line.words,
            Self::App(app) => &app.words,
        }
    }

    /// The arguments that set the place of the files, with `{dir}` in them; empty if the line sets it.
    pub fn place(&self) -> Vec<String> {
        let words: &[&str] = match self {
            Self::Ior(line) if line.file().is_some() => &[],
            Self::Ior(_) => &["-o", IOR_FILE],
            Self::Tool(line) => line.place(),
            Self::App(_) => &[],
        };
        words.iter().map(ToString::to_string).collect()
    }

    /// Names of the phases that the command line yields, as records name them.
    pub fn phases(&self) -> Vec<String> {
        let named = |phases: Vec<&str>| phases.into_iter().map(str::to_owned).collect();
        match self {
            Self::Ior(line) => named(line.phases()),
            Self::Tool(line) => named(line.phases()),
            Self::App(app) => app.phases(),
        }
    }

    /// Whether a criterion can use `metric` on these phases.
    pub fn yields(&self, metric: &str) -> bool {
        match self {
            Self::Ior(_) => yields(Measures::Bytes, metric),
            Self::Tool(line) => yields(line.measures(), metric),
            Self::App(_) => true,
        }
    }

    /// Whether the command line works on files that it did not make itself.
    pub fn only_reads(&self) -> bool {
        match self {
            Self::Ior(line) => !line.write,
            Self::Tool(line) => !line.creates(),
            Self::App(_) => false,
        }
    }

    /// Whether it writes into files or creates entries, its own or those of others.
    pub fn writes(&self) -> bool {
        match self {
            Self::Ior(line) => line.writes(),
            Self::Tool(line) => line.creates(),
            Self::App(_) => true,
        }
    }

    /// Whether its files still exist when it has ended.
    pub fn keeps(&self) -> bool {
        match self {
            Self::Ior(line) => line.keep,
            Self::Tool(line) => !line.removes(),
            Self::App(_) => true,
        }
    }

    /// Bytes that it writes and reads at most, on this number of ranks.
    pub fn bytes(&self, ranks: u32) -> (u64, u64) {
        match self {
            Self::Ior(line) => {
                let bytes = line.bytes(ranks).saturating_mul(line.repetitions.into());
                let share = |present: bool| if present { bytes } else { 0 };
                let parts = [line.reads_plainly(), line.read_check, line.write_check];
                let read = parts.into_iter().map(share).fold(0, u64::saturating_add);
                (share(line.write), read)
            }
            Self::Tool(line) => line.bytes(ranks),
            Self::App(app) => (app.writes_bytes, 0),
        }
    }

    /// The largest number of bytes of its files that exist at the same time.
    pub fn holds_bytes(&self, ranks: u32) -> u64 {
        match self {
            Self::Ior(line) if line.write => line.bytes(ranks).saturating_mul(line.sets()),
            Self::Ior(_) | Self::App(_) => self.bytes(ranks).0,
            Self::Tool(line) => line.holds_bytes(ranks),
        }
    }

    /// The largest number of its files and directories that exist at the same time, with `preload` files put
    /// into each directory before.
    pub fn holds_names(&self, ranks: u32, preload: u64) -> u64 {
        match self {
            Self::Ior(line) if line.file_per_rank => u64::from(ranks).saturating_mul(line.sets()),
            Self::Ior(line) => line.sets(),
            Self::App(_) => 1,
            Self::Tool(line) => line.holds_names(ranks, preload),
        }
    }

    /// Seconds after which its phases stop; 0 for never.
    pub fn deadline_s(&self) -> u64 {
        match self {
            Self::Ior(line) => line.deadline.into(),
            Self::Tool(line) => line.deadline_s(),
            Self::App(_) => 0,
        }
    }

    /// Whether the command line itself fills directories first.
    pub fn preloads(&self) -> bool {
        self.as_tool().is_some_and(ToolLine::preloads)
    }

    /// Whether each rank has its own tree of directories: `-u` of mdtest.
    pub fn has_own_trees(&self) -> bool {
        self.as_tool().is_some_and(ToolLine::has_own_trees)
    }

    /// Whether the phase compares data, and so counts wrong data.
    pub fn compares(&self, phase: &str) -> bool {
        match self {
            Self::Ior(_) => phase.ends_with("_check"),
            Self::Tool(line) => line.compares(phase),
            Self::App(_) => false,
        }
    }

    /// Whether the failures of the phase show what is missing.
    pub fn knows_failures(&self, phase: &str) -> bool {
        self.as_tool().is_none_or(|line| line.knows_failures(phase))
    }

    /// Whether its workload starts ranks itself, also again after ranks were lost: mpi-io.
    pub fn starts_ranks(&self) -> bool {
        self.as_tool().is_some_and(|line| line.measures() == Measures::Cases)
    }

    /// How often it repeats everything within one job.
    pub fn repetitions(&self) -> u64 {
        match self {
            Self::Ior(line) => line.repetitions.into(),
            Self::Tool(line) => line.repetitions(),
            Self::App(_) => 1,
        }
    }

    /// The command line of IOR.
    pub fn as_ior(&self) -> Option<&ior::Line> {
        if let Self::Ior(line) = self { Some(line) } else { None }
    }

    fn as_tool(&self) -> Option<&ToolLine> {
        if let Self::Tool(line) = self { Some(line) } else { None }
    }

    /// The external program.
    pub fn as_app(&self) -> Option<&App> {
        if let Self::App(app) = self { Some(app) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Plan;

    #[test]
    fn options_count_in_every_spelling() {
        let line = |text: &str| Line::parse("ior", text).unwrap();
        for (text, fewer, drops) in [
            ("-w -N 2 --drop-caches", true, true),
            ("-wN 2 --drop-caches=1", true, true),
            ("-w -N=2 --drop-caches=0", true, false),
            ("-w -O numTasks=2", true, false),
            ("-w -O NUMTASKS=2", true, false),
            ("-w -l stamped -o {dir}/N", false, false),
        ] {
            assert_eq!((line(text).takes_fewer_ranks(), line(text).drops_caches()), (fewer, drops), "{text}");
        }
    }

    #[test]
    fn every_workload_has_a_test_key_in_a_plan() {
        let lines = [
            ("fdtree", "-l 1"),
            ("flash_io", "-b"),
            ("ls_lr", "--make"),
            ("md_workbench", "-P 1"),
            ("mdtest", "-n 1"),
            ("mpi_io", "--large"),
        ];
        assert!(ToolLine::keys().eq(lines.iter().map(|(key, _)| *key)));
        for (key, text) in lines {
            let plan = format!(
                "schema = 1\nplan = {{ id = \"p\", title = \"t\" }}\nfs.s = {{ dir = \"/d\" }}\n[[test]]\n\
                 id = \"T\"\n{key} = \"{text}\"\nrole = \"reported\"\n"
            );
            let plan = Plan::parse(&plan, "p.toml").unwrap();
            assert_eq!(plan.tests[0].line.workload().replace('-', "_"), key);
        }
    }
}

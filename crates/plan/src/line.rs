//! The command line of a test: the arguments of one workload, and the facts that a campaign needs of them.
//!
//! Invariant: the arguments stay as they are, except that `{dir}` is replaced. If they do not set the place
//! of the files, it is added.

use std::ops::Deref;

use command::{Measures, PlannedLine, ToolLine, WorkloadName, backend, ior};
pub use command::{has_stamped_data, shows_progress};
use results::record::{APP, CaseOutcome, Counts, MetricRow};
use units::Usage;

use crate::app::App;

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

impl Deref for Line {
    type Target = dyn PlannedLine;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Ior(line) => &**line,
            Self::Tool(line) => &**line,
            Self::App(app) => app,
        }
    }
}

/// What a plan states about an external program. It may write anywhere, and its files are left.
impl PlannedLine for App {
    fn removes(&self) -> bool {
        false
    }

    fn moves_bytes(&self, _ranks: u32) -> (u64, u64) {
        (self.writes_bytes, 0)
    }

    fn holds_bytes(&self, _ranks: u32) -> u64 {
        self.writes_bytes
    }

    fn holds_names(&self, _ranks: u32, _preload: u64) -> u64 {
        1
    }
}

impl Line {
    /// Reads the command line that a plan gives under `key`, which names the workload.
    pub fn parse(key: &str, text: &str) -> Result<Self, Usage> {
        if key == WorkloadName::Ior.key() {
            return ior::Line::parse(text).map(|line| Self::Ior(Box::new(line)));
        }
        ToolLine::parse(key, text).map(Self::Tool)
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
        self.name().map_or(APP, WorkloadName::command)
    }

    /// The workload; `None` for an external program.
    pub fn name(&self) -> Option<WorkloadName> {
        match self {
            Self::Ior(_) => Some(WorkloadName::Ior),
            Self::Tool(line) => Some(line.workload()),
            Self::App(_) => None,
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
        let words = self.name().filter(|_| self.dir().is_none()).map_or(&[][..], WorkloadName::place);
        words.iter().map(ToString::to_string).collect()
    }

    /// All arguments of a job, with `added` and the place of the files. `{dir}` follows the backend's scheme.
    pub fn placed(&self, added: &[String]) -> Vec<String> {
        let words = [self.words(), added, &self.place()].concat();
        let backend = self.backend().and_then(|name| backend(name).ok());
        match backend {
            Some(backend) => words.iter().map(|word| backend.place(word)).collect(),
            None => words,
        }
    }

    /// Names of the phases that the command line yields, as records name them.
    pub fn phases(&self) -> Vec<String> {
        match self {
            Self::App(app) => app.phases(),
            _ => (**self).phases().into_iter().map(str::to_owned).collect(),
        }
    }

    /// What its phases count; `None` for an external program.
    pub(crate) fn measures(&self) -> Option<Measures> {
        self.name().map(WorkloadName::measures)
    }

    /// What its phases count, for metrics; `None` if they have none of [`METRICS`](results::record::METRICS).
    pub fn counts(&self) -> Option<Counts> {
        match self.measures()? {
            Measures::Bytes => Some(Counts::Bytes),
            Measures::Operations => Some(Counts::Operations),
            Measures::Cases => None,
        }
    }

    /// Whether a criterion can use `metric` on these phases.
    pub fn yields(&self, metric: &str) -> bool {
        match (self, self.counts()) {
            (Self::App(_), _) => true,
            (_, Some(counts)) => MetricRow::named(metric).is_some_and(|row| row.is_of(counts)),
            (_, None) => CaseOutcome::named(metric).is_some(),
        }
    }

    /// Whether the command line works on files that it did not make itself.
    pub fn only_reads(&self) -> bool {
        !self.creates()
    }

    /// Whether its files still exist when it has ended.
    pub fn keeps(&self) -> bool {
        !self.removes()
    }

    /// Bytes that it writes and reads at most, on this number of ranks.
    pub fn bytes(&self, ranks: u32) -> (u64, u64) {
        self.moves_bytes(ranks)
    }

    /// Whether its workload starts ranks itself, also again after ranks were lost: mpi-io.
    pub fn starts_ranks(&self) -> bool {
        self.measures() == Some(Measures::Cases)
    }

    /// The command line of IOR.
    pub fn as_ior(&self) -> Option<&ior::Line> {
        if let Self::Ior(line) = self { Some(line) } else { None }
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
            ("ior", "-w"),
            ("ls_lr", "--make"),
            ("md_workbench", "-P 1"),
            ("mdtest", "-n 1"),
            ("mpi_io", "--large"),
            ("pfind", "-C\"\nuses = \"M"),
            ("quota", "--of group"),
        ];
        assert!(command::plan_keys().eq(lines.iter().map(|(key, _)| *key)));
        for (key, text) in lines {
            let plan = format!(
                "schema = 1\nplan = {{ id = \"p\", title = \"t\" }}\nfs.s = {{ dir = \"/d\" }}\n[[test]]\n\
                 id = \"M\"\nior = \"-w -k\"\nrole = \"reported\"\n[[test]]\nid = \"T\"\n\
                 {key} = \"{text}\"\nrole = \"reported\"\n"
            );
            let plan = Plan::parse(&plan, "p.toml").unwrap();
            assert_eq!(plan.tests[1].line.workload().replace('-', "_"), key);
        }
    }
}

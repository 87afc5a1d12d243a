//! The line of a test: the words of one workload, and what a campaign has to know of them.
//!
//! Invariant: the words are never changed, only `{dir}` in them is replaced and the place of the files is
//! added where they do not name it.

use command::{IorFacts, IorLine, Measures, ToolLine};
use results::record::CaseOutcome;
use units::Usage;

use crate::app::App;

/// The file of a line of IOR that names none itself.
pub(crate) const IOR_FILE: &str = "{dir}/data";

/// The line of a test.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    /// Transfers.
    Ior(IorLine),
    /// Operations on names, and whatever else is no transfer of IOR's.
    Tool(ToolLine),
    /// An external program.
    App(App),
}

/// Whether `metric` can be asked of phases that count this.
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

/// How a line of IOR moves its data, as far as it decides how fast that can be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TransferStyle {
    /// Whether the offsets are in random order.
    pub random: bool,
    /// Whether transfers are rate-limited.
    pub rate_limited: bool,
    /// Whether each rank has a file of its own.
    pub file_per_rank: bool,
    /// Whether calls are collective.
    pub collective: bool,
    /// The interface, in capitals.
    pub api: String,
    /// Whether the data is flushed at the end, after each transfer, or bypasses the page cache.
    pub flushed: [bool; 3],
}

impl Line {
    /// How it moves its data, of a line of IOR.
    pub fn transfer_style(&self) -> Option<TransferStyle> {
        let facts = IorFacts::read(&self.as_ior()?.words);
        Some(TransferStyle {
            random: facts.random,
            rate_limited: facts.is_paced,
            file_per_rank: facts.file_per_rank,
            collective: facts.collective,
            api: facts.api,
            flushed: [facts.fsync, facts.fsync_each, facts.direct],
        })
    }

    /// Reads the line that a plan gives under `key`, which names the workload.
    pub fn parse(key: &str, text: &str) -> Result<Self, Usage> {
        match key {
            "ior" => IorLine::parse(text).map(Self::Ior),
            _ => ToolLine::parse(key, text).map(Self::Tool),
        }
    }

    /// The line with what it writes read back and compared afterwards, outside of the time measured; as it is
    /// where it writes nothing, or where the workload has no such phase.
    pub fn verified(mut self) -> Self {
        let Self::Ior(line) = &mut self else { return self };
        if line.write && !line.write_check {
            line.write_check = true;
            line.words.push("-W".to_owned());
            // From storage as far as that can be had: caches of POSIX files can be dropped.
            let names_backend = |word: &String| word.starts_with("-a") || word.starts_with("--api");
            let drops = |word: &String| word.starts_with("--drop-caches");
            let mut pairs = line.words.windows(2);
            let posix = pairs.any(|pair| pair[0] == "-a" && pair[1].eq_ignore_ascii_case("posix"));
            if (posix || !line.words.iter().any(names_backend)) && !line.words.iter().any(drops) {
                line.words.push("--drop-caches".to_owned());
            }
        }
        self
    }

    /// Has the words of `text`, which is the line before values were put into it, stand as they did.
    pub(crate) fn restore(&mut self, text: &str) {
        let (Self::Ior(IorLine { words, .. })
        | Self::Tool(ToolLine { words, .. })
        | Self::App(App { words, .. })) = self;
        let before: Vec<&str> = text.split_whitespace().collect();
        // The program's own name may have stood first.
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

    /// The words behind the command.
    pub fn words(&self) -> &[String] {
        let (Self::Ior(IorLine { words, .. })
        | Self::Tool(ToolLine { words, .. })
        | Self::App(App { words, .. })) = self;
        words
    }

    /// The words that say where the files are, with `{dir}` in them; none where the line says it.
    pub fn place(&self) -> Vec<String> {
        let words: &[&str] = match self {
            Self::Ior(line) if line.file.is_some() => &[],
            Self::Ior(_) => &["-o", IOR_FILE],
            Self::Tool(line) => line.place(),
            Self::App(_) => &[],
        };
        words.iter().map(ToString::to_string).collect()
    }

    /// Names of the phases that the line yields, as records name them.
    pub fn phases(&self) -> Vec<String> {
        let named = |phases: Vec<&str>| phases.into_iter().map(str::to_owned).collect();
        match self {
            Self::Ior(line) => named(line.phases()),
            Self::Tool(line) => named(line.phases()),
            Self::App(app) => app.phases(),
        }
    }

    /// Whether `metric` can be asked of these phases.
    pub fn yields(&self, metric: &str) -> bool {
        match self {
            Self::Ior(_) => yields(Measures::Bytes, metric),
            Self::Tool(line) => yields(line.measures(), metric),
            Self::App(_) => true,
        }
    }

    /// Whether the line works on files that it did not make itself.
    pub fn only_reads(&self) -> bool {
        match self {
            Self::Ior(line) => line.only_reads(),
            Self::Tool(line) => !line.creates(),
            Self::App(_) => false,
        }
    }

    /// Whether it writes into files or makes names, be they its own or those that others made.
    pub fn writes(&self) -> bool {
        match self {
            Self::Ior(line) => line.writes(),
            Self::Tool(line) => line.creates(),
            Self::App(_) => true,
        }
    }

    /// Whether its files are there when it has ended.
    pub fn keeps(&self) -> bool {
        match self {
            Self::Ior(line) => line.keep,
            Self::Tool(line) => !line.removes(),
            Self::App(_) => true,
        }
    }

    /// Bytes it writes and reads at most, on so many ranks.
    pub fn bytes(&self, ranks: u32) -> (u64, u64) {
        match self {
            Self::Ior(line) => {
                let bytes = line.bytes(ranks).saturating_mul(line.repetitions);
                let share = |present: bool| if present { bytes } else { 0 };
                let parts = [line.read, line.read_check, line.write_check];
                let read = parts.into_iter().map(share).fold(0, u64::saturating_add);
                (share(line.write), read)
            }
            Self::Tool(line) => line.bytes(ranks),
            Self::App(app) => (app.writes_bytes, 0),
        }
    }

    /// Bytes of its files that lie there at the same time, at most.
    pub fn holds_bytes(&self, ranks: u32) -> u64 {
        match self {
            Self::Ior(line) if line.write => line.bytes(ranks).saturating_mul(line.sets()),
            Self::Ior(_) | Self::App(_) => self.bytes(ranks).0,
            Self::Tool(line) => line.holds_bytes(ranks),
        }
    }

    /// Names of its files that lie there at the same time, at most, with so many files put into each
    /// directory beforehand.
    pub fn holds_names(&self, ranks: u32, preload: u64) -> u64 {
        match self {
            Self::Ior(line) if line.file_per_rank => u64::from(ranks).saturating_mul(line.sets()),
            Self::Ior(line) => line.sets(),
            Self::App(_) => 1,
            Self::Tool(line) => line.holds_names(ranks, preload),
        }
    }

    /// Seconds after which its phases stop by themselves; 0 for never.
    pub fn deadline_s(&self) -> u64 {
        match self {
            Self::Ior(line) => line.deadline_s,
            Self::Tool(line) => line.deadline_s(),
            Self::App(_) => 0,
        }
    }

    /// Whether directories are filled beforehand by the line itself.
    pub fn preloads(&self) -> bool {
        self.as_tool().is_some_and(ToolLine::preloads)
    }

    /// Whether each rank has a tree of directories of its own: `-u` of mdtest.
    pub fn has_own_trees(&self) -> bool {
        self.as_tool().is_some_and(ToolLine::has_own_trees)
    }

    /// Whether the phase compares data, and so counts what is wrong.
    pub fn compares(&self, phase: &str) -> bool {
        match self {
            Self::Ior(_) => phase.ends_with("_check"),
            Self::Tool(line) => line.compares(phase),
            Self::App(_) => false,
        }
    }

    /// Whether its workload starts ranks itself, again where some were lost: mpi-io.
    pub fn starts_ranks(&self) -> bool {
        self.as_tool().is_some_and(|line| line.measures() == Measures::Cases)
    }

    /// How often it repeats everything within one launch.
    pub fn repetitions(&self) -> u64 {
        match self {
            Self::Ior(line) => line.repetitions,
            Self::Tool(line) => line.repetitions(),
            Self::App(_) => 1,
        }
    }

    /// The line, where it is one of IOR.
    pub fn as_ior(&self) -> Option<&IorLine> {
        if let Self::Ior(line) = self { Some(line) } else { None }
    }

    fn as_tool(&self) -> Option<&ToolLine> {
        if let Self::Tool(line) = self { Some(line) } else { None }
    }

    /// The program, where the line is that of an external one.
    pub fn as_app(&self) -> Option<&App> {
        if let Self::App(app) = self { Some(app) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Plan;

    #[test]
    fn every_workload_has_a_key_of_a_test_in_a_plan() {
        let lines = [
            ("fdtree", "-l 1"),
            ("flash_io", "-b"),
            ("ls_lr", "--make"),
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

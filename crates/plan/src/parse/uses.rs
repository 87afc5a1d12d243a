//! The rules of files that a test finds: who made them, whether they still exist, and whether they fit.

use std::ops::Range;

use command::ior;
use command::{PlannedLine, ToolLine, WorkloadName};
use toml::Spanned;
use units::several;

use super::defaults::{Defaults, ParseResult, Variant, among};
use super::nearest::nearest;
use super::{Plan, Test, Uses};
use crate::language::rejections::Rejection;
use crate::line::Line;

impl Defaults<'_> {
    /// Whether the files that the test reads exist, and still exist when the next test reads them.
    pub(super) fn reads(&self, who: &str, words: &Range<usize>, test: &Test, plan: &Plan) -> ParseResult<()> {
        let rejected = |what: String| Err(self.place.at(words.clone(), &format!("{who}: {what}")));
        let Some(source) = source(test, plan) else {
            return match (&test.line, test.line.only_reads()) {
                (_, false) => Ok(()),
                (Line::Ior(_), true) => rejected(
                    "no test wrote the files that it reads. Add -w, or `uses` with a dataset or a test's id."
                        .into(),
                ),
                (Line::Tool(_) | Line::App(_), true) => rejected(
                    "no test created the files that it works on. Add `uses` with the id of the test that \
                     creates them."
                        .into(),
                ),
            };
        };
        if let Some(dataset) = plan.dataset_of(test)
            && let Some(state) = dataset.state.filter(|state| !test.states.contains(state))
        {
            let (files, state) = (dataset.job(), &plan.states[state].name);
            return rejected(format!(
                "{files} is written in state.{state}, which must last until it is read. Add `states = \
                 [\"{state}\"]`."
            ));
        }
        if source.fs != test.fs {
            return rejected(format!("its files are on fs.{}, but the test is on fs.{}", source.fs, test.fs));
        }
        match (&test.line, source.line) {
            (Line::Ior(line), Line::Ior(made)) => self.reads_data(&rejected, test, line, made, &source),
            (Line::Tool(line), Line::Tool(made)) if line.workload() == made.workload() => {
                self.reads_names(&rejected, test, (line, made), plan, &source)
            }
            // What an external program does with the files is its own affair: it gets their directory.
            (Line::App(_), _) => Ok(()),
            (Line::Tool(line), _) if line.reads_any_files() => Ok(()),
            (line, _) => {
                rejected(format!("{} cannot work on the files of {}", line.workload(), source.maker))
            }
        }
    }

    /// Files and directories that an earlier test created, on as many ranks, and that no other test removed.
    fn reads_names(
        &self,
        rejected: &dyn Fn(String) -> ParseResult<()>,
        test: &Test,
        (line, made): (&ToolLine, &ToolLine),
        plan: &Plan,
        source: &FilesMaker<'_>,
    ) -> ParseResult<()> {
        if source.dataset && (line.creates() || line.removes()) {
            return rejected(format!(
                "{} is for all its readers, but this command line creates or removes files in it. Only \
                 read it (-T, -E). To fill directories, use `[state.NAME] preload = …`.",
                source.maker
            ));
        }
        if source.ranks != test.placement.ranks {
            return rejected(format!(
                "{} ran on {}, but this test needs the files of {}. Give both the same number.",
                source.maker,
                several(source.ranks.into(), "rank"),
                several(test.placement.ranks.into(), "rank"),
            ));
        }
        if test.line.only_reads()
            && let Some(why) = line.misses(made, &source.maker)
        {
            return rejected(why);
        }
        let there = source.repetitions;
        let only_reads = test.line.only_reads();
        if only_reads && !test.line.keeps() && test.repetitions > there {
            return rejected(format!(
                "removes the files of {} in {} repetitions, but {there} created them. Give both as many.",
                source.maker, test.repetitions
            ));
        }
        if only_reads && made.deadline_s() > 0 && !(made.has_status_file() && line.has_status_file()) {
            return rejected(format!(
                "-W may stop {} before all its files exist. Give both command lines -x {{dir}}/made.",
                source.maker
            ));
        }
        let same = |other: &&Test| source_of(other, plan) == source_of(test, plan);
        match plan.tests.iter().filter(|other| other.uses.is_some() && !other.line.keeps()).find(same) {
            Some(before) => {
                rejected(format!("test {} already removes the files of {}", before.id, source.maker))
            }
            None => Ok(()),
        }
    }

    /// Data that a dataset or an earlier test wrote.
    fn reads_data(
        &self,
        rejected: &dyn Fn(String) -> ParseResult<()>,
        test: &Test,
        line: &ior::Line,
        made: &ior::Line,
        FilesMaker { maker, ranks, kept, .. }: &FilesMaker<'_>,
    ) -> ParseResult<()> {
        let (ranks, test_ranks) = (*ranks, test.placement.ranks);
        if !line.keep {
            return rejected("IOR removes the files that it reads, but others need them. Add -k.".into());
        }
        if line.writes() && *kept {
            return rejected(format!(
                "{maker} is kept for later campaigns, but this command line writes into it"
            ));
        }
        if line.write {
            return Ok(());
        }
        if line.file_per_rank != made.file_per_rank {
            return rejected(format!(
                "{maker} was written with another file layout. Give -F in both or in none."
            ));
        }
        if let Some(why) = looks_elsewhere(line, made, maker).or_else(|| expects_otherwise(line, made, maker))
        {
            return rejected(why);
        }
        let (asked, there) = match line.file_per_rank {
            true => (line.bytes(1), made.bytes(1)),
            false => (line.bytes(test_ranks), made.bytes(ranks)),
        };
        let size = |bytes: u64| units::bytes_binary(bytes as f64);
        if asked > there || (line.file_per_rank && test_ranks > ranks) {
            return rejected(format!(
                "it reads {} of each file on {}, but {maker} has {} on {ranks}",
                size(asked),
                several(test_ranks.into(), "rank"),
                size(there),
            ));
        }
        // The amount of data is then in a file, or in an export of the writer.
        let known = (made.status_file.is_some() && line.status_file.is_some()) || !test.imports.is_empty();
        if made.deadline > 0 && !known {
            return rejected(format!(
                "-D may stop {maker} before its files are full. Give both command lines \
                 -O stoneWallingStatusFile={{dir}}/pairs."
            ));
        }
        Ok(())
    }

    /// The source of the test's files. A test with steps uses the same step of another test that has it.
    pub(super) fn uses(
        &self,
        who: &str,
        uses: &Spanned<String>,
        variant: &Variant,
        plan: &Plan,
    ) -> ParseResult<Uses> {
        let word = uses.get_ref().as_str();
        let rejected = |what: String| Err(self.place.error(uses, format!("{who}: {what}")));
        if let Some(wanted) = word.strip_prefix("dataset.") {
            let known = plan.datasets.iter().map(|dataset| &*dataset.name);
            return self.known(who, "dataset", (wanted, uses), known).map(Uses::Dataset);
        }
        let same_step = format!("{}{word}{}", variant.before, variant.behind);
        let by_id = |id: &str| plan.tests.iter().position(|test| test.id == id);
        let Some(index) = by_id(&same_step).or_else(|| by_id(word)) else {
            if self.errors.is_spoiled(&same_step) || self.errors.is_spoiled(word) {
                return Err(Rejection::Follows);
            }
            let made: Vec<&str> = plan.datasets.iter().map(|dataset| dataset.name.as_str()).collect();
            let known: Vec<&str> =
                plan.tests.iter().map(|test| test.id.as_str()).chain(made.clone()).collect();
            let near = match nearest(word, &known).filter(|near| made.contains(near)) {
                Some(name) => format!(". Did you mean `dataset.{name}`?"),
                None => among(word, &known[..plan.tests.len()]),
            };
            return rejected(format!("uses `{word}`, which is not a test above this one{near}"));
        };
        if plan.tests[index].search.is_some() {
            return rejected(format!(
                "uses `{word}`, but a search decides its number of nodes, so its number of files is \
                 unknown. Use a test with one number of nodes."
            ));
        }
        if !plan.tests[index].line.keeps() {
            let how = match plan.tests[index].line {
                Line::Ior(_) => "Add -k there.",
                Line::Tool(_) | Line::App(_) => "Let it only create (-C) there.",
            };
            return rejected(format!("uses `{word}`, whose command line removes its files. {how}"));
        }
        Ok(Uses::Test(index))
    }
}

/// The reason why a command line does not find the files of `made` under its own names, if there is one.
fn looks_elsewhere(line: &ior::Line, made: &ior::Line, maker: &str) -> Option<String> {
    let file = |line: &ior::Line| line.file().unwrap_or(WorkloadName::Ior.place()[1]).to_owned();
    let (asked, there) = (file(line), file(made));
    if asked != there {
        return Some(format!(
            "{maker} wrote -o {there}, but this test reads -o {asked}. Use the same in both."
        ));
    }
    let asked = line.status_file.as_ref().filter(|asked| made.status_file.as_ref() != Some(asked))?;
    let there = made.status_file.as_ref().map_or("none", |there| there.as_str());
    Some(format!(
        "it reads -O stoneWallingStatusFile={asked}, but {maker} writes {there}. Use the same in both."
    ))
}

/// The reason why a command line that compares data would find the data of `made` wrong, if there is one.
fn expects_otherwise(line: &ior::Line, made: &ior::Line, maker: &str) -> Option<String> {
    if !line.read_check && !line.write_check {
        return None;
    }
    let named = |signature: Option<i32>| match signature {
        Some(signature) => format!("-G {signature}"),
        None => "the time as -G".to_owned(),
    };
    if line.signature != made.signature {
        let (asked, there) = (named(line.signature), named(made.signature));
        return Some(format!(
            "{maker} was written with {there}, but this test compares with {asked}. Use the same in both."
        ));
    }
    let packet = |line: &ior::Line| format!("-l {}", line.packet.letter());
    (line.packet != made.packet).then(|| {
        let (asked, there) = (packet(line), packet(made));
        format!(
            "{maker} was written with {there}, but this test compares with {asked}. Use the same in both."
        )
    })
}

/// The maker of the files that a test works on.
struct FilesMaker<'a> {
    /// Its name for messages.
    maker: String,
    line: &'a Line,
    ranks: u32,
    /// The number of jobs whose files the test can reach.
    repetitions: u32,
    fs: &'a str,
    /// Whether it is a dataset, whose files belong to all its readers.
    dataset: bool,
    /// Whether later campaigns find it too.
    kept: bool,
}

fn source<'a>(test: &Test, plan: &'a Plan) -> Option<FilesMaker<'a>> {
    match source_of(test, plan)? {
        Uses::Dataset(index) => {
            let made = &plan.datasets[index];
            Some(FilesMaker {
                maker: made.job(),
                line: &made.line,
                ranks: made.placement.ranks,
                repetitions: 1,
                fs: &made.fs,
                dataset: true,
                kept: made.keep_s.is_some(),
            })
        }
        Uses::Test(index) => {
            let made = &plan.tests[index];
            let maker = format!("test {}", made.id);
            let repetitions = launches(test, plan);
            let (line, ranks, fs) = (&made.line, made.placement.ranks, made.fs.as_str());
            Some(FilesMaker { maker, line, ranks, repetitions, fs, dataset: false, kept: false })
        }
    }
}

/// The fewest repetitions between the test and the files. The last of them is used again by further ones.
fn launches(test: &Test, plan: &Plan) -> u32 {
    match &test.uses {
        Some(Uses::Test(index)) => {
            let used = &plan.tests[*index];
            used.repetitions.min(launches(used, plan))
        }
        Some(Uses::Dataset(_)) => 1,
        None => u32::MAX,
    }
}

/// The dataset or the test that made the files, past tests that only read them.
fn source_of(test: &Test, plan: &Plan) -> Option<Uses> {
    match test.uses.as_ref()? {
        Uses::Test(index) if plan.tests[*index].line.only_reads() => source_of(&plan.tests[*index], plan),
        uses => Some(uses.clone()),
    }
}

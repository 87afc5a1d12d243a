//! The rules between the keys of a plan: from the file's words to a [`Plan`] that can work.

use std::collections::BTreeMap;

use toml::Spanned;
use units::{Dimension, Quantity, Usage};

use super::place::{Place, nearest};
use super::{Dataset, FileSystem, Plan, Test, Uses, wire};
use crate::ior_line::IorLine;
use crate::launch::{Launch, LaunchKind, MPIRUN};

/// Seconds a job may take where the plan says nothing.
const TIMEOUT_S: f64 = 3600.0;

pub(super) type Checked<T> = Result<T, Usage>;

/// Checks the whole file.
pub(super) fn plan(file: wire::File, place: &Place<'_>) -> Checked<Plan> {
    if *file.schema.get_ref() != 1 {
        return Err(place.error(&file.schema, "this program reads plans of `schema = 1`"));
    }
    name(&file.plan.id, "a plan's id", place)?;
    let mut file_systems = BTreeMap::new();
    for (key, fs) in &file.fs {
        if fs.get_ref().dir.is_empty() {
            return Err(
                place.error(fs, format!("fs.{key} has no `dir`; write `dir = \"{{dir}}\"` or a directory"))
            );
        }
        let wire::Fs { dir, kind } = fs.get_ref();
        file_systems.insert(key.clone(), FileSystem { dir: dir.clone(), kind: kind.clone() });
    }
    let defaults = Defaults { file: &file.defaults, file_systems: &file_systems, place };
    let mut datasets = Vec::new();
    for (key, dataset) in &file.dataset {
        datasets.push(defaults.dataset(key, dataset)?);
    }
    let mut plan = Plan {
        id: file.plan.id.get_ref().clone(),
        title: file.plan.title.clone(),
        source: file.plan.source.clone(),
        clients_delivered: clients(file.clients.as_ref(), place)?,
        launch: launch(file.launch.as_ref(), place)?,
        datasets,
        tests: Vec::new(),
        text: place.text.to_owned(),
        file_systems: BTreeMap::new(),
    };
    for test in &file.test {
        let checked = defaults.test(test.get_ref(), &plan)?;
        plan.tests.push(checked);
    }
    if plan.tests.is_empty() {
        return Err(Usage(format!("{}: a plan needs at least one [[test]]", place.name)));
    }
    plan.file_systems = file_systems;
    Ok(plan)
}

/// A word that becomes part of file names.
fn name(word: &Spanned<String>, what: &str, place: &Place<'_>) -> Checked<()> {
    let text = word.get_ref();
    let fit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if text.is_empty() || !text.chars().all(fit) || text.starts_with('.') || text.contains(".killed-") {
        let rule = "names files, so it consists of letters, digits, `-`, `_` and `.`";
        return Err(place.error(word, format!("`{text}`: {what} {rule}")));
    }
    Ok(())
}

fn clients(clients: Option<&wire::Clients>, place: &Place<'_>) -> Checked<Option<u32>> {
    match clients.map(|clients| &clients.delivered) {
        Some(delivered) if *delivered.get_ref() == 0 => {
            Err(place
                .error(delivered, "clients.delivered is 0; say how many client nodes the contract delivers"))
        }
        delivered => Ok(delivered.map(|delivered| *delivered.get_ref())),
    }
}

fn launch(launch: Option<&Spanned<wire::Launch>>, place: &Place<'_>) -> Checked<Launch> {
    let Some(spanned) = launch else { return Ok(Launch { kind: LaunchKind::Local, env: BTreeMap::new() }) };
    let wire = spanned.get_ref();
    let kind = match (wire.kind, &wire.argv) {
        (wire::LaunchKind::Local, None) => LaunchKind::Local,
        (wire::LaunchKind::Local, Some(argv)) => {
            return Err(
                place.error(argv, "launch.kind `local` takes no `argv`; use `mpirun` or leave it out")
            );
        }
        (wire::LaunchKind::Mpirun, None) => {
            LaunchKind::Mpirun(MPIRUN.iter().map(ToString::to_string).collect())
        }
        (wire::LaunchKind::Mpirun, Some(argv)) => {
            LaunchKind::mpirun(argv.get_ref().clone()).map_err(|error| place.error(argv, error.0))?
        }
    };
    Ok(Launch { kind, env: wire.env.clone() })
}

/// What holds where a test or dataset says nothing itself.
pub(super) struct Defaults<'a> {
    file: &'a wire::Defaults,
    file_systems: &'a BTreeMap<String, FileSystem>,
    pub(super) place: &'a Place<'a>,
}

impl Defaults<'_> {
    fn dataset(&self, key: &str, spanned: &Spanned<wire::Dataset>) -> Checked<Dataset> {
        let wire = spanned.get_ref();
        let who = format!("dataset.{key}");
        name(&Spanned::new(spanned.span(), key.to_owned()), "a dataset's name", self.place)?;
        let line = self.line(&who, &wire.ior)?;
        let refused = |what: &str| Err(self.place.error(&wire.ior, format!("{who}: {what}")));
        if !line.write {
            return refused("the line writes nothing; add -w");
        }
        if !line.keep {
            return refused(
                "IOR removes its files at the end of the line; add -k to keep them for the readers",
            );
        }
        if line.deadline_s > 0 && !line.wear_out {
            return refused(
                "-D without -O stoneWallingWearOut=1 leaves files of unequal size to the readers; add it",
            );
        }
        Ok(Dataset {
            name: key.to_owned(),
            line,
            ranks: self.count(&who, "ranks", wire.ranks.as_ref(), self.file.ranks.as_ref(), 1)?,
            fs: self.fs(&who, wire.fs.as_ref(), spanned)?,
            timeout_s: self.timeout(&who, wire.timeout.as_ref())?,
            at: self.place.line_column(&wire.ior.span()),
        })
    }

    fn test(&self, wire: &wire::Test, plan: &Plan) -> Checked<Test> {
        let id = wire.id.get_ref().clone();
        let who = format!("test {id}");
        name(&wire.id, "a test's id", self.place)?;
        if plan.tests.iter().any(|test| test.id == id) {
            return Err(self
                .place
                .error(&wire.id, format!("{who} stands here for the second time; ids are unique")));
        }
        let decide = self.decide(wire.decide.as_ref().or(self.file.decide.as_ref()))?;
        let mut test = Test {
            line: self.line(&who, &wire.ior)?,
            clause: if wire.clause.is_empty() { id.clone() } else { wire.clause.clone() },
            ranks: self.count(&who, "ranks", wire.ranks.as_ref(), self.file.ranks.as_ref(), 1)?,
            repetitions: self.count(
                &who,
                "repetitions",
                wire.repetitions.as_ref(),
                self.file.repetitions.as_ref(),
                1,
            )?,
            uses: wire.uses.as_ref().map(|uses| self.uses(&who, uses, plan)).transpose()?,
            criteria: Vec::new(),
            timeout_s: self.timeout(&who, wire.timeout.as_ref())?,
            cov_max: match wire.cov_max.as_ref().or(self.file.cov_max.as_ref()) {
                Some(share) => Some(self.quantity(&who, "cov_max", share, Dimension::Fraction)?),
                None => None,
            },
            cache_warm: wire.cache == wire::Cache::Warm,
            fs: self.fs(&who, wire.fs.as_ref(), &wire.id)?,
            decide,
            at: self.place.line_column(&wire.ior.span()),
            id,
        };
        for criterion in &wire.criterion.0 {
            test.criteria.push(self.criterion(&who, criterion, &test)?);
        }
        self.role(&who, wire, &test)?;
        self.reads(&who, wire, &test, plan)?;
        Ok(test)
    }

    fn role(&self, who: &str, wire: &wire::Test, test: &Test) -> Checked<()> {
        match (wire.role, test.criteria.is_empty()) {
            (wire::Role::Contract, true) => Err(self.place.error(
                &wire.id,
                format!(
                    "{who} has no criterion; add one, or `role = \"reported\"` to measure without judging"
                ),
            )),
            (wire::Role::Reported, false) => Err(self.place.error(
                &wire.id,
                format!("{who} is only reported and has a criterion; drop the criterion or the role"),
            )),
            _ => Ok(()),
        }
    }

    /// Whether what the test reads will exist, and still exist when the next one reads it.
    fn reads(&self, who: &str, wire: &wire::Test, test: &Test, plan: &Plan) -> Checked<()> {
        let refused = |what: String| Err(self.place.error(&wire.ior, format!("{who}: {what}")));
        let line = &test.line;
        let Some((maker, made, ranks, fs)) = source(test, plan) else {
            if line.only_reads() {
                return refused(
                    "reads files that nobody wrote; add `uses = \"dataset.NAME\"` or a test's id, or -w"
                        .into(),
                );
            }
            return Ok(());
        };
        if !line.keep {
            return refused("IOR removes files it has read; add -k, they belong to others too".into());
        }
        if fs != test.fs {
            return refused(format!("its files lie on fs.{fs}, not on fs.{}", test.fs));
        }
        if !line.only_reads() {
            return Ok(());
        }
        if line.file_per_rank != made.file_per_rank {
            return refused(format!(
                "{maker} was written with another file layout; give -F to both or to none"
            ));
        }
        let (asked, there) = match line.file_per_rank {
            true => (line.bytes(1), made.bytes(1)),
            false => (line.bytes(test.ranks), made.bytes(ranks)),
        };
        let size = |bytes: u64| units::bytes_binary(bytes as f64);
        if asked > there || (line.file_per_rank && test.ranks > ranks) {
            return refused(format!(
                "reads {} of each file by {} ranks, but {maker} has {} by {ranks}",
                size(asked),
                test.ranks,
                size(there),
            ));
        }
        if made.deadline_s > 0 && !(made.status_file && line.status_file) {
            return refused(format!(
                "{maker} may be stopped by -D before it is full; give both lines \
                 -O stoneWallingStatusFile={{dir}}/pairs"
            ));
        }
        Ok(())
    }

    fn uses(&self, who: &str, uses: &Spanned<String>, plan: &Plan) -> Checked<Uses> {
        let word = uses.get_ref().as_str();
        let refused = |what: String| Err(self.place.error(uses, format!("{who}: {what}")));
        if let Some(wanted) = word.strip_prefix("dataset.") {
            let known: Vec<&str> = plan.datasets.iter().map(|dataset| dataset.name.as_str()).collect();
            return match known.iter().position(|known| *known == wanted) {
                Some(index) => Ok(Uses::Dataset(index)),
                None => refused(format!("no [dataset.{wanted}]{}", among(wanted, &known))),
            };
        }
        let Some(index) = plan.tests.iter().position(|test| test.id == word) else {
            let known: Vec<&str> = plan.tests.iter().map(|test| test.id.as_str()).collect();
            return refused(format!("uses `{word}`, which is no test above this one{}", among(word, &known)));
        };
        if !plan.tests[index].line.keep {
            return refused(format!("uses `{word}`, whose line removes its files; add -k there"));
        }
        Ok(Uses::Test(index))
    }

    fn line(&self, who: &str, ior: &Spanned<String>) -> Checked<IorLine> {
        IorLine::parse(ior.get_ref()).map_err(|error| self.place.error(ior, format!("{who}: {error}")))
    }

    fn count(
        &self,
        who: &str,
        key: &str,
        own: Option<&Spanned<u32>>,
        default: Option<&Spanned<u32>>,
        otherwise: u32,
    ) -> Checked<u32> {
        match own.or(default) {
            Some(count) if *count.get_ref() == 0 => {
                Err(self.place.error(count, format!("{who}: {key} is 0; it must be at least 1")))
            }
            count => Ok(count.map_or(otherwise, |count| *count.get_ref())),
        }
    }

    fn timeout(&self, who: &str, own: Option<&Spanned<String>>) -> Checked<f64> {
        match own.or(self.file.timeout.as_ref()) {
            Some(text) => self.quantity(who, "timeout", text, Dimension::Seconds),
            None => Ok(TIMEOUT_S),
        }
    }

    fn quantity(&self, who: &str, key: &str, text: &Spanned<String>, wanted: Dimension) -> Checked<f64> {
        let refused = |what: &str| self.place.error(text, format!("{who}: {key}: {what}"));
        let quantity: Quantity = text.get_ref().parse().map_err(|error: Usage| refused(&error.0))?;
        if quantity.dimension != wanted || quantity.value <= 0.0 {
            return Err(refused(&format!(
                "`{}` does not fit; write for example `{}`",
                text.get_ref(),
                wanted.example()
            )));
        }
        Ok(quantity.value)
    }

    fn fs<T>(&self, who: &str, own: Option<&Spanned<String>>, at: &Spanned<T>) -> Checked<String> {
        let known: Vec<&str> = self.file_systems.keys().map(String::as_str).collect();
        match own.or(self.file.fs.as_ref()) {
            Some(word) if known.contains(&word.get_ref().as_str()) => Ok(word.get_ref().clone()),
            Some(word) => {
                let wanted = word.get_ref();
                Err(self.place.error(word, format!("{who}: no [fs.{wanted}]{}", among(wanted, &known))))
            }
            None => match known[..] {
                [only] => Ok(only.to_owned()),
                [] => Err(Usage(format!("{}: a plan needs an [fs.NAME] with a `dir`", self.place.name))),
                _ => Err(self.place.error(at, format!("{who}: say `fs = …`, one of {}", known.join(", ")))),
            },
        }
    }
}

/// Who made the files a test reads: what to call it, its line, its ranks, its file system.
fn source<'a>(test: &Test, plan: &'a Plan) -> Option<(String, &'a IorLine, u32, &'a str)> {
    match test.uses.as_ref()? {
        Uses::Dataset(index) => {
            let dataset = &plan.datasets[*index];
            Some((format!("dataset.{}", dataset.name), &dataset.line, dataset.ranks, &dataset.fs))
        }
        Uses::Test(index) => {
            let made = &plan.tests[*index];
            let own = || (format!("test {}", made.id), &made.line, made.ranks, made.fs.as_str());
            if made.line.only_reads() { source(made, plan) } else { Some(own()) }
        }
    }
}

/// `; did you mean …` or the words there are.
pub(super) fn among(word: &str, known: &[&str]) -> String {
    match nearest(word, known) {
        Some(near) => format!("; did you mean `{near}`?"),
        None if known.is_empty() => "; there is none".to_owned(),
        None => format!("; there is {}", known.join(", ")),
    }
}

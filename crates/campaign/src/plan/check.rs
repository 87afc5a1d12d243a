//! The rules between the keys of a plan: from the file's words to a [`Plan`] that can work.

use std::collections::BTreeMap;

use toml::Spanned;
use units::{Dimension, Quantity, Usage};

use super::goal::{Known, known};
use super::place::{Place, nearest};
use super::placement::{Asked, clients, whole};
use super::wire::Count;
use super::{Choice, Clients, Dataset, FileSystem, Placement, Plan, Role, Test, Waiver, state, wire};
use crate::ior_line::IorLine;
use crate::launch::{Launch, LaunchKind, MPIRUN};
use crate::line::Line;
use crate::tool_line::ToolLine;

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
    let clients = clients(file.clients.as_ref(), place)?;
    let launch = launch(file.launch.as_ref(), place)?;
    let defaults = Defaults {
        file: &file.defaults,
        file_systems: &file_systems,
        clients,
        launch: &launch.kind,
        known: known(&file, place)?,
        place,
    };
    let mut datasets = Vec::new();
    for (key, dataset) in &file.dataset {
        datasets.push(defaults.dataset(key, dataset)?);
    }
    let mut plan = Plan {
        id: file.plan.id.get_ref().clone(),
        title: file.plan.title.clone(),
        source: file.plan.source.clone(),
        clients: defaults.clients.clone(),
        launch: launch.clone(),
        datasets,
        states: Vec::new(),
        tests: Vec::new(),
        text: place.text.to_owned(),
        parameters: BTreeMap::new(),
        choice: Choice::default(),
        file_systems: BTreeMap::new(),
    };
    for (key, state) in &file.state {
        plan.states.push(defaults.state(key, state)?);
    }
    for test in &file.test {
        for placement in defaults.steps(test.get_ref())? {
            let checked = defaults.test(test.get_ref(), placement, &plan)?;
            plan.tests.push(checked);
            state::in_a_row(&test.get_ref().id, &plan, place)?;
        }
    }
    if plan.tests.is_empty() {
        return Err(Usage(format!("{}: a plan needs at least one [[test]]", place.name)));
    }
    plan.file_systems = file_systems;
    Ok(plan)
}

/// A word that becomes part of file names.
pub(super) fn name(word: &Spanned<String>, what: &str, place: &Place<'_>) -> Checked<()> {
    let text = word.get_ref();
    let fit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if text.is_empty() || !text.chars().all(fit) || text.starts_with('.') || text.contains(".killed-") {
        let rule = "names files, so it consists of letters, digits, `-`, `_` and `.`";
        return Err(place.error(word, format!("`{text}`: {what} {rule}")));
    }
    Ok(())
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
    pub(super) file: &'a wire::Defaults,
    file_systems: &'a BTreeMap<String, FileSystem>,
    pub(super) clients: Clients,
    pub(super) launch: &'a LaunchKind,
    pub(super) known: Vec<Known>,
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
            line: Line::Ior(line),
            placement: self
                .placement(&who, &Asked::new(&wire.ranks, &wire.nodes, &wire.ppn, spanned.span()))?,
            fs: self.fs(&who, wire.fs.as_ref(), spanned)?,
            timeout_s: self.timeout(&who, wire.timeout.as_ref())?,
            at: self.place.line_column(&wire.ior.span()),
        })
    }

    /// Where a test runs: once, or at each of its steps with the step's name.
    fn steps(&self, wire: &wire::Test) -> Checked<Vec<(Placement, String)>> {
        let who = format!("test {}", wire.id.get_ref());
        let placements =
            self.placements(&who, &Asked::new(&wire.ranks, &wire.nodes, &wire.ppn, wire.id.span()))?;
        let steps = matches!(wire.nodes.as_ref().map(Spanned::get_ref), Some(wire::Nodes::Steps(_)));
        let step = |placement: &Placement| match placement.nodes {
            Some(nodes) if steps => format!(".n{nodes}"),
            _ => String::new(),
        };
        Ok(placements.into_iter().map(|placement| (placement.clone(), step(&placement))).collect())
    }

    fn test(&self, wire: &wire::Test, (placement, step): (Placement, String), plan: &Plan) -> Checked<Test> {
        let id = format!("{}{step}", wire.id.get_ref());
        let who = format!("test {id}");
        name(&wire.id, "a test's id", self.place)?;
        if plan.tests.iter().any(|test| test.id == id) {
            return Err(self
                .place
                .error(&wire.id, format!("{who} stands here for the second time; ids are unique")));
        }
        let decide = self.decide(wire.decide.as_ref().or(self.file.decide.as_ref()))?;
        let (key, words) = self.only_line(&who, wire)?;
        let refused = |why: String| self.place.error(words, format!("{who}: {why}"));
        let mut line = Line::parse(key, words.get_ref()).map_err(|error| refused(error.0))?;
        if wire.verify.or(self.file.verify) == Some(wire::Verify::After) {
            line = line.verified();
        }
        if let Some(why) = plan.launch.kind.refuses_workloads().filter(|_| line.starts_ranks()) {
            return Err(refused(why));
        }
        let mut test = Test {
            line,
            clause: if wire.clause.is_empty() { id.clone() } else { wire.clause.clone() },
            placement,
            repetitions: self.count(
                &who,
                "repetitions",
                wire.repetitions.as_ref(),
                self.file.repetitions.as_ref(),
                1,
            )?,
            uses: wire.uses.as_ref().map(|uses| self.uses(&who, uses, &step, plan)).transpose()?,
            states: Vec::new(),
            role: self.role(&who, wire, plan)?,
            criteria: Vec::new(),
            sustained_s: match wire.sustained.as_ref().or(self.file.sustained.as_ref()) {
                Some(text) => Some(self.quantity(&who, "sustained", text, Dimension::Seconds)?),
                None => None,
            },
            waivers: wire.waive.iter().map(|waiver| self.waiver(&who, waiver)).collect::<Checked<_>>()?,
            timeout_s: self.timeout(&who, wire.timeout.as_ref())?,
            cov_max: match wire.cov_max.as_ref().or(self.file.cov_max.as_ref()) {
                Some(share) => Some(self.quantity(&who, "cov_max", share, Dimension::Fraction)?),
                None => None,
            },
            cache_warm: wire.cache == wire::Cache::Warm,
            fs: self.fs(&who, wire.fs.as_ref(), &wire.id)?,
            decide,
            at: self.place.line_column(&words.span()),
            id,
        };
        for state in &wire.states {
            test.states.push(self.needed(&who, state, &test, plan)?);
        }
        for criterion in &wire.criterion.0 {
            test.criteria.push(self.criterion(&who, criterion, &test, plan)?);
        }
        self.reads(&who, words, &test, plan)?;
        Ok(test)
    }

    /// The one line of a test, with the key of its workload.
    fn only_line<'w>(&self, who: &str, wire: &'w wire::Test) -> Checked<(&'static str, &'w Spanned<String>)> {
        let mut lines = wire.lines();
        match (lines.next(), lines.next()) {
            (Some(line), None) => Ok(line),
            (Some(_), Some((key, line))) => Err(self
                .place
                .error(line, format!("{who}: `{key}` is its second line; make it a test of its own"))),
            (None, _) => {
                let keys: Vec<&str> = ["ior"].into_iter().chain(ToolLine::keys()).collect();
                let keys = keys.join("`, `");
                Err(self.place.error(&wire.id, format!("{who} has no line; give one as `{keys}`")))
            }
        }
    }

    /// What the test is for; only one of the contract has criteria.
    fn role(&self, who: &str, wire: &wire::Test, plan: &Plan) -> Checked<Role> {
        let refused = |what: &str| Err(self.place.error(&wire.id, format!("{who} {what}")));
        match (wire.role, wire.criterion.0.is_empty(), &wire.compare_to) {
            (wire::Role::Contract, true, _) => {
                refused("has no criterion; add one, or `role = \"reported\"` to measure without judging")
            }
            (wire::Role::Reported, false, _) => {
                refused("is only reported and has a criterion; drop the criterion or the role")
            }
            (wire::Role::Hero, false, _) => {
                refused("is a hero run, which satisfies no clause, and has a criterion; drop one of them")
            }
            (wire::Role::Hero, true, None) => {
                refused("is a hero run; say with `compare_to` beside which test of the contract it is shown")
            }
            (wire::Role::Hero, true, Some(word)) => {
                let known: Vec<&str> = plan.tests.iter().map(|test| test.id.as_str()).collect();
                match known.iter().position(|id| id == word.get_ref()) {
                    Some(index) => Ok(Role::Hero(index)),
                    None => {
                        let near = among(word.get_ref(), &known);
                        let what = format!("{who}: `{}` is no test above this one{near}", word.get_ref());
                        Err(self.place.error(word, what))
                    }
                }
            }
            (_, _, Some(word)) => {
                Err(self.place.error(word, format!("{who}: `compare_to` is for `role = \"hero\"`")))
            }
            (wire::Role::Contract, false, None) => Ok(Role::Contract),
            (wire::Role::Reported, true, None) => Ok(Role::Reported),
        }
    }

    fn waiver(&self, who: &str, wire: &wire::Waiver) -> Checked<Waiver> {
        let wire::Waiver { lint, why, by } = wire;
        if why.trim().is_empty() || by.trim().is_empty() {
            return Err(self.place.error(lint, format!("{who}: a waiver says why and by whom")));
        }
        let at = self.place.line_column(&lint.span());
        Ok(Waiver { lint: lint.get_ref().clone(), why: why.clone(), by: by.clone(), at })
    }

    fn line(&self, who: &str, ior: &Spanned<String>) -> Checked<IorLine> {
        IorLine::parse(ior.get_ref()).map_err(|error| self.place.error(ior, format!("{who}: {error}")))
    }

    pub(super) fn count(
        &self,
        who: &str,
        key: &str,
        own: Option<&Spanned<Count>>,
        default: Option<&Spanned<Count>>,
        otherwise: u32,
    ) -> Checked<u32> {
        match own.or(default) {
            Some(count) if count.get_ref().0 == 0 => {
                Err(self.place.error(count, format!("{who}: {key} is 0; it must be at least 1")))
            }
            count => Ok(whole(count, &format!("{who}: {key}"), self.place)?.unwrap_or(otherwise)),
        }
    }

    pub(super) fn timeout(&self, who: &str, own: Option<&Spanned<String>>) -> Checked<f64> {
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

    pub(super) fn fs<T>(&self, who: &str, own: Option<&Spanned<String>>, at: &Spanned<T>) -> Checked<String> {
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

/// `; did you mean …` or the words there are.
pub(super) fn among(word: &str, known: &[&str]) -> String {
    match nearest(word, known) {
        Some(near) => format!("; did you mean `{near}`?"),
        None if known.is_empty() => "; there is none".to_owned(),
        None => format!("; there is {}", known.join(", ")),
    }
}

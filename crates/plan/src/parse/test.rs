//! The rules of a test: its command line, its ranks, the files that it reads, and its criteria.

use std::ops::Range;

use results::record::APP;
use toml::Spanned;
use units::Dimension;

use super::criterion::CriterionHolder;
use super::defaults::{Defaults, ParseResult, Variant, among, holder, name};
use super::placement::RanksRequest;
use super::{
    Course, Criterion, Export, Import, Placement, Plan, Requirements, Role, Search, Test, Uses, best_of,
    state, waiver, wire,
};
use crate::language::rejections::Rejection;
use crate::line::Line;

/// The command of a test.
enum TestCommand<'w> {
    Line(&'static str, &'w Spanned<String>),
    App(&'w Spanned<wire::AppKeys>),
}

/// The parts of a test that depend on its command line.
struct TestRun {
    line: Line,
    imports: Vec<Import>,
    uses: Option<Uses>,
    course: Course,
    sustained_s: Option<f64>,
    exports: Vec<Export>,
    required: Requirements,
}

impl TestCommand<'_> {
    /// Whether it takes values from another test.
    fn has_imports(&self) -> bool {
        matches!(self, Self::Line(_, line) if line.get_ref().contains("${"))
    }

    fn span(&self) -> Range<usize> {
        match self {
            Self::Line(_, line) => line.span(),
            Self::App(app) => app.span(),
        }
    }
}

impl Defaults<'_> {
    /// Adds a test: once, at each of its steps, or after the tests of its search.
    pub(super) fn tests(&self, wire: &wire::TestKeys, plan: &mut Plan) -> ParseResult<()> {
        let who = format!("test {}", wire.id.get_ref());
        match self.own_launch(&who, wire)? {
            Some(launch) => self.started_by(&launch.kind).tests_at(wire, plan),
            None => self.tests_at(wire, plan),
        }
    }

    fn tests_at(&self, wire: &wire::TestKeys, plan: &mut Plan) -> ParseResult<()> {
        let who = format!("test {}", wire.id.get_ref());
        let placed = self.errors.kept(self.placements(&who, &asked(wire)));
        let Some(placements) = placed else {
            // The other keys of the test are checked all the same.
            let placement = Some(Placement { ranks: 1, ..Placement::default() });
            let variant = Variant { has_error: true, placement, ..Variant::default() };
            return self.add(wire, &variant, plan);
        };
        let nodes = wire.nodes.as_ref();
        let turns = self.turns(&who, wire, plan)?;
        let at = |placement: Placement, named: bool| Variant {
            turns,
            behind: placement.nodes.filter(|_| named).map_or_else(String::new, |nodes| format!(".n{nodes}")),
            placement: Some(placement),
            ..Variant::default()
        };
        match nodes.map(|nodes| (nodes, nodes.get_ref())) {
            Some((nodes, wire::NodesValue::Search(_, gain))) => {
                let gain = Spanned::new(nodes.span(), gain.clone());
                let gain = self.place.quantity(&who, "gain", &gain, Dimension::Fraction)?;
                let first = plan.tests.len();
                for placement in &placements {
                    let variant = Variant { is_probe: true, ..at(placement.clone(), true) };
                    self.add(wire, &variant, plan)?;
                }
                let steps = (first..plan.tests.len()).collect();
                let Some(largest) = placements.into_iter().max_by_key(|placement| placement.ranks) else {
                    return Ok(());
                };
                let metric = wire.criterion.0.first().map(|criterion| criterion.metric.get_ref().clone());
                let Some(metric) = metric else {
                    let what =
                        format!("{who}: a search needs a criterion, whose metric it optimizes. Add one.");
                    return Err(self.place.error(nodes, what));
                };
                self.searchable(&who, wire, &plan.tests[first])?;
                self.add(wire, &at(largest, false), plan)?;
                if let Some(test) = plan.tests.last_mut() {
                    test.search = Some(Search { steps, gain, metric });
                }
                Ok(())
            }
            nodes => {
                let named = matches!(nodes, Some((_, wire::NodesValue::Steps(_))));
                for placement in placements {
                    self.add(wire, &at(placement, named), plan)?;
                }
                self.in_any_order(&who, wire.order.as_ref(), turns, plan)?;
                self.more_clients(&who, wire, plan)
            }
        }
    }

    /// Adds one test.
    pub(super) fn add(&self, wire: &wire::TestKeys, variant: &Variant, plan: &mut Plan) -> ParseResult<()> {
        let id = format!("{}{}{}", variant.before, wire.id.get_ref(), variant.behind);
        let launch = self.own_launch(&format!("test {id}"), wire)?;
        let own = launch.as_ref().map(|launch| self.started_by(&launch.kind));
        let checked = own
            .as_ref()
            .unwrap_or(self)
            .test(wire, variant, plan, id.clone())
            .inspect_err(|_| self.errors.spoil(id))?;
        plan.tests.push(Test { launch, ..checked });
        state::in_a_row(&wire.id, plan, self.place)
    }

    /// Checks one test. All of its errors are added, as far as they are independent.
    fn test(&self, wire: &wire::TestKeys, variant: &Variant, plan: &Plan, id: String) -> ParseResult<Test> {
        let (errors, before) = (self.errors, self.errors.number());
        let who = format!("test {id}");
        errors.kept(self.named(&who, &id, wire, variant, plan));
        let decide = errors.kept(self.decide(wire.decide.as_ref().or(self.file.decide.as_ref())));
        let words = errors.kept(self.only_line(&who, wire));
        let ran = words.as_ref().and_then(|words| self.ran(&who, words, wire, variant, plan));
        let placement = errors.kept(self.placed(&who, wire, variant));
        let repetitions = errors.kept(self.repetitions(&who, wire, variant));
        let role = errors.kept(self.role(&who, wire, variant, plan));
        let waivers = errors.kept(waiver::all(&who, &id, &wire.waive, self.place));
        let timeout_s = errors.kept(self.timeout(&who, wire.timeout.as_ref())).unwrap_or_default();
        let cov_max = self.asked(&who, "cov_max", &wire.cov_max, &self.file.cov_max, Dimension::Fraction);
        let cov_max = errors.kept(cov_max);
        let fs = errors.kept(self.fs(&who, wire.fs.as_ref().or(variant.fs.as_ref()), &wire.id));
        let clause = wire.clause.as_ref().or(variant.clause.as_ref());
        let named = errors.kept(self.clause(&who, clause, &id)).map(|(_, text)| text);
        let (Some(decide), Some(words), Some(ran), Some(placement), Some(role), Some(fs), Some(named)) =
            (decide, words, ran, placement, role, fs, named)
        else {
            return Err(Rejection::Follows);
        };
        let mut test = Test {
            family: variant.family.clone().unwrap_or_else(|| wire.id.get_ref().clone()),
            name: wire.id.get_ref().clone(),
            setup: wire.setup.iter().map(|command| variant.at_step(command)).collect(),
            clause: named,
            placement,
            launch: None,
            step: variant.step.clone(),
            part: variant.part,
            search: None,
            exports: ran.exports,
            line: ran.line,
            imports: ran.imports,
            repetitions: repetitions.unwrap_or(1),
            uses: ran.uses,
            states: Vec::new(),
            degraded: wire.degraded,
            stripes: wire.stripes.as_ref().map(|stripes| *stripes.get_ref()),
            role,
            criteria: Vec::new(),
            sustained_s: ran.sustained_s,
            required: ran.required,
            course: ran.course,
            waivers: waivers.unwrap_or_default(),
            timeout_s,
            cov_max: cov_max.unwrap_or_default(),
            cache_warm: wire.cache == wire::CacheWord::Warm,
            fs,
            decide,
            looks: Vec::new(),
            best_of: best_of::written(wire.best_of.as_ref(), plan),
            at: self.place.line_column(&words.span()),
            id,
        };
        self.complete(&who, wire, clause, &mut test, plan);
        if variant.has_error || errors.number() > before {
            return Err(Rejection::Follows);
        }
        self.runnable(&who, &words.span(), &test, plan).map(|()| test)
    }

    /// Whether its id can be used, and is the only such id.
    fn named(
        &self,
        who: &str,
        id: &str,
        wire: &wire::TestKeys,
        variant: &Variant,
        plan: &Plan,
    ) -> ParseResult<()> {
        name(&wire.id, "a test's id", self.place)?;
        let family = variant.family.as_ref().unwrap_or(wire.id.get_ref());
        match holder(plan, id, Some(family)) {
            Some(other) => {
                let what = format!("{who}: {other} already has this id. Change one.");
                Err(self.place.error(&wire.id, what))
            }
            None => Ok(()),
        }
    }

    /// What depends on the command line; `None` after an error, which is added.
    fn ran(
        &self,
        who: &str,
        words: &TestCommand<'_>,
        wire: &wire::TestKeys,
        variant: &Variant,
        plan: &Plan,
    ) -> Option<TestRun> {
        let errors = self.errors;
        let uses = variant.uses.as_ref().or(wire.uses.as_ref());
        let uses = errors.kept(uses.map(|uses| self.uses(who, uses, variant, plan)).transpose());
        // Without the test that it works on, no value is imported from it.
        let found = match &uses {
            None if words.has_imports() => return None,
            uses => uses.as_ref().and_then(Option::as_ref),
        };
        let (line, imports) = errors.kept(self.line_of(who, words, wire, variant, found, plan))?;
        let course = errors.kept(self.course(who, wire, variant, &line, found));
        let sustained_s = errors.kept(self.sustained(who, wire, &line));
        let exports = super::exports::named(&wire.exports, &line)
            .map_err(|why| self.place.error(&wire.id, format!("{who}: {why}")));
        let exports = errors.kept(exports);
        let required = errors.kept(self.required(who, wire, found, &line, plan));
        Some(TestRun {
            uses: uses?,
            course: course?,
            sustained_s: sustained_s?,
            exports: exports?,
            required: required?,
            line,
            imports,
        })
    }

    /// The placement of the test: that of its step, or its own.
    fn placed(&self, who: &str, wire: &wire::TestKeys, variant: &Variant) -> ParseResult<Placement> {
        match &variant.placement {
            Some(placement) => Ok(placement.clone()),
            None => {
                let ppn = wire.ppn.clone().or_else(|| variant.ppn.clone());
                self.placement(who, &RanksRequest::new(&wire.ranks, &wire.nodes, &ppn, wire.id.span()))
            }
        }
    }

    /// Whether the test finds the files that it reads, and its launcher can start it.
    fn runnable(&self, who: &str, at: &Range<usize>, test: &Test, plan: &Plan) -> ParseResult<()> {
        self.reads(who, at, test, plan)?;
        match self.launch.rejects_app(&test.placement).filter(|_| test.line.as_app().is_some()) {
            Some(why) => Err(self.place.at(at.clone(), &format!("{who}: {why}"))),
            None => Ok(()),
        }
    }

    /// Adds the parts that need an otherwise complete test. Their errors are added.
    fn complete(
        &self,
        who: &str,
        wire: &wire::TestKeys,
        clause: Option<&Spanned<String>>,
        test: &mut Test,
        plan: &Plan,
    ) {
        for state in &wire.states {
            let needed = self.needed(who, state, test, plan);
            test.states.extend(self.errors.kept(needed));
        }
        test.degraded |= test.states.iter().any(|state| plan.states[*state].is_degraded());
        test.stripes = test.stripes.or_else(|| match test.uses.as_ref()? {
            Uses::Dataset(index) => plan.datasets[*index].stripes,
            Uses::Test(index) => plan.tests[*index].stripes,
        });
        // Those of a part may name any part of its group, so they are read after all parts.
        if test.role == Role::Contract && test.part.is_none() {
            test.criteria = self.criteria(who, wire, clause, test, plan);
        }
    }

    /// The criteria of a test whose key `clause` is `clause`. Their errors are added.
    pub(super) fn criteria(
        &self,
        who: &str,
        wire: &wire::TestKeys,
        clause: Option<&Spanned<String>>,
        test: &Test,
        plan: &Plan,
    ) -> Vec<Criterion> {
        let holder = CriterionHolder { id: &test.id, clause, test, is_group: false };
        let read = wire.criterion.0.iter().map(|criterion| self.criterion(who, criterion, &holder, plan));
        read.filter_map(|found| self.errors.kept(found).flatten()).collect()
    }

    fn repetitions(&self, who: &str, wire: &wire::TestKeys, variant: &Variant) -> ParseResult<u32> {
        let default = variant.repetitions.as_ref().or(self.file.repetitions.as_ref());
        self.count(who, "repetitions", wire.repetitions.as_ref(), default, 1)
    }

    /// The minimum duration of its phase. A workload without a timeline cannot have one, and ignores that of
    /// `[defaults]`.
    fn sustained(&self, who: &str, wire: &wire::TestKeys, line: &Line) -> ParseResult<Option<f64>> {
        let counted = line.counts().is_some();
        match &wire.sustained {
            Some(own) if !counted && !own.get_ref().is_empty() => {
                let what = format!("{who}: sustained: {} records no timeline. Remove it.", line.workload());
                Err(self.place.error(own, what))
            }
            own => {
                let default = self.file.sustained.clone().filter(|_| counted);
                self.asked(who, "sustained", own, &default, Dimension::Seconds)
            }
        }
    }

    /// A quantity that the test sets, or else the defaults.
    pub(super) fn asked(
        &self,
        who: &str,
        key: &str,
        own: &Option<Spanned<String>>,
        default: &Option<Spanned<String>>,
        dimension: Dimension,
    ) -> ParseResult<Option<f64>> {
        // An empty text is none, also if the defaults have one.
        let asked = own.as_ref().or(default.as_ref()).filter(|text| !text.get_ref().is_empty());
        asked.map(|text| self.place.quantity(who, key, text, dimension)).transpose()
    }

    /// The command of the test, and its imports from other tests.
    fn line_of(
        &self,
        who: &str,
        words: &TestCommand<'_>,
        wire: &wire::TestKeys,
        variant: &Variant,
        uses: Option<&Uses>,
        plan: &Plan,
    ) -> ParseResult<(Line, Vec<Import>)> {
        match words {
            TestCommand::App(app) => {
                let mut app = self.app(who, app)?;
                app.words.iter_mut().for_each(|word| *word = variant.at_step(word));
                Ok((Line::App(app), Vec::new()))
            }
            TestCommand::Line(key, words) => self
                .bound_line(key, words.get_ref(), wire, variant, uses, plan)
                .map_err(|why| self.place.error(*words, format!("{who}: {why}"))),
        }
    }

    /// The command line with the step inserted, and its imports from other tests.
    fn bound_line(
        &self,
        key: &str,
        text: &str,
        wire: &wire::TestKeys,
        variant: &Variant,
        uses: Option<&Uses>,
        plan: &Plan,
    ) -> Result<(Line, Vec<Import>), String> {
        let text = variant.at_step(text);
        if let Some(why) = two_meanings(&text).filter(|_| !self.is_recorded) {
            return Err(why);
        }
        let (mut line, imports) = super::exports::line(key, &text, uses, plan)?;
        if wire.verify.or(self.file.verify) == Some(wire::VerifyWord::After) {
            line = line.verified();
        }
        if line.phases().is_empty() {
            return Err("the flags of this command line leave no phase. Remove one.".into());
        }
        match self.launch.rejects_workloads().filter(|_| line.starts_ranks()) {
            Some(why) => Err(why),
            None => Ok((line, imports)),
        }
    }

    /// The only command line of a test, with the key of its workload.
    fn only_line<'w>(&self, who: &str, wire: &'w wire::TestKeys) -> ParseResult<TestCommand<'w>> {
        let mut lines = wire.lines();
        match (lines.next(), lines.next()) {
            (None, None) if wire.app.is_some() => {
                Ok(wire.app.as_ref().map(TestCommand::App).expect("it is there"))
            }
            (Some((_, line)), _) if wire.app.is_some() => Err(self
                .place
                .error(line, format!("{who}: it also has an `app`. Write this line as a separate test."))),
            (Some((key, line)), None) => Ok(TestCommand::Line(key, line)),
            (Some(_), Some((key, line))) => Err(self.place.error(
                line,
                format!("{who}: `{key}` is a second command line. Write it as a separate test."),
            )),
            (None, _) => {
                let first = command::WorkloadName::Ior.key();
                let others = command::plan_keys().filter(|key| *key != first);
                let keys: Vec<&str> = [first].into_iter().chain(others).chain([APP]).collect();
                let keys = keys.join("`, `");
                Err(self.place.error(&wire.id, format!("{who} has no command line. Give one as `{keys}`.")))
            }
        }
    }

    /// The role of the test. Only a contract test has criteria.
    fn role(&self, who: &str, wire: &wire::TestKeys, variant: &Variant, plan: &Plan) -> ParseResult<Role> {
        let rejected = |what: &str| Err(self.place.error(&wire.id, format!("{who} {what}")));
        if variant.is_probe {
            return Ok(Role::Reported);
        }
        match (wire.role, wire.criterion.0.is_empty(), &wire.compare_to) {
            (wire::RoleWord::Contract, true, None) if variant.floors => Ok(Role::Reported),
            (wire::RoleWord::Contract, true, _) => {
                rejected("has no criterion. Add one, or `role = \"reported\"` to measure without a verdict.")
            }
            (wire::RoleWord::Reported, false, _) => {
                rejected("is only reported, but has a criterion. Remove the criterion or the role.")
            }
            (wire::RoleWord::Hero, false, _) => {
                rejected("is a hero run, which satisfies no clause, but has a criterion. Remove one of them.")
            }
            (wire::RoleWord::Hero, true, None) => {
                rejected("is a hero run. Name the contract test that it is compared with, as `compare_to`.")
            }
            (wire::RoleWord::Hero, true, Some(word)) => {
                let contract = || plan.tests.iter().filter(|test| test.role == Role::Contract);
                let known: Vec<&str> = contract().map(|test| test.id.as_str()).collect();
                let named = |test: &Test| test.id == *word.get_ref();
                match plan.tests.iter().position(|test| test.role == Role::Contract && named(test)) {
                    Some(index) => Ok(Role::Hero(index)),
                    None if self.errors.is_spoiled(word.get_ref()) => Err(Rejection::Follows),
                    None => {
                        let near = among(word.get_ref(), &known);
                        let what = match plan.tests.iter().any(named) {
                            true => "is not a contract test",
                            false => "is not a test above this one",
                        };
                        Err(self.place.error(word, format!("{who}: `{}` {what}{near}", word.get_ref())))
                    }
                }
            }
            (_, _, Some(word)) => {
                let what = format!("{who}: `compare_to` is only for `role = \"hero\"`. Remove it.");
                Err(self.place.error(word, what))
            }
            (wire::RoleWord::Contract, false, None) => Ok(Role::Contract),
            (wire::RoleWord::Reported, true, None) => Ok(Role::Reported),
        }
    }
}

/// The message that a size in a command line has a decimal unit, which the workloads read as a power of 1024.
pub(super) fn two_meanings(text: &str) -> Option<String> {
    text.split_whitespace().find_map(|word| {
        // `-b1MB`, `-b=1MB`, `--size=1MB` and `1MB`.
        let value = word.rsplit('=').next().unwrap_or(word);
        let value = match value.strip_prefix('-') {
            Some(glued) => glued.get(1..)?,
            None => value,
        };
        let (number, letter) =
            value.strip_suffix(['b', 'B'])?.split_at_checked(value.len().checked_sub(2)?)?;
        let is_size = !number.is_empty()
            && number.bytes().all(|digit| digit.is_ascii_digit())
            && matches!(letter, "k" | "K" | "m" | "M" | "g" | "G" | "t" | "T" | "p" | "P");
        let small = letter.to_lowercase();
        is_size.then(|| {
            format!(
                "`{value}` has two meanings: workloads read a power of 1024, and a plan a power of 1000. \
                 Write `{number}{small}` for the power of 1024, or the number of bytes."
            )
        })
    })
}

/// The ranks that a test requests.
fn asked(wire: &wire::TestKeys) -> RanksRequest<'_> {
    RanksRequest::new(&wire.ranks, &wire.nodes, &wire.ppn, wire.id.span())
}

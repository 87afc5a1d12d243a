//! The rules of a series: the same phases at each step over servers, nodes, ranks or transfer sizes.
//!
//! A series becomes single tests when the plan is checked. Each phase at each step is a test called
//! `SERIES.STEP.PHASE`. A criterion on linearity compares each step with the first.

use toml::Spanned;
use units::{Dimension, Quantity};

use super::defaults::{Defaults, ParseResult, Variant, name};
use super::wire::{Count, NodesValue, SteppedBy};
use super::{Placement, Plan, Series, Step, wire};
use crate::language::rejections::Rejection;

impl Defaults<'_> {
    /// Adds all tests of a series.
    pub(super) fn series(&self, wire: &wire::SeriesKeys, plan: &mut Plan) -> ParseResult<()> {
        let id = wire.id.get_ref();
        let who = format!("series {id}");
        name(&wire.id, "a series' id", self.place)?;
        let rejected = |why: &str| Err(self.place.error(&wire.id, format!("{who}: {why}")));
        if wire.steps.get_ref().len() < 2 {
            return rejected("it needs at least two steps, because the others are compared with the first");
        }
        if wire.phases.is_empty() {
            return rejected("it has no phases. Write `phases = [{ id = \"w\", ior = \"…\" }]`.");
        }
        if let Some(nodes) = wire.nodes.as_ref().filter(|_| wire.over == SteppedBy::Nodes) {
            return Err(self.place.error(nodes, format!("{who}: its steps are the nodes. Remove `nodes`.")));
        }
        let index = plan.series.len();
        let fs = self.fs(&who, wire.fs.as_ref(), &wire.id)?;
        let steps = self.steps(&who, wire, index, &fs)?;
        let over = wire.over;
        let turns = self.series_turns(&who, wire, plan)?;
        plan.series.push(Series { id: id.clone(), over: over.word().to_owned(), steps: steps.clone() });
        for (at, step) in steps.iter().enumerate() {
            let before = self.errors.number();
            for phase in &wire.phases {
                let who = format!("{who}, phase {}", phase.id.get_ref());
                self.errors.kept(self.fits_series(&who, wire, phase, &fs));
                let launch = self.errors.kept(self.own_launch(&who, phase)).flatten();
                let own = launch.as_ref().map(|launch| self.started_by(&launch.kind));
                let placement = own.as_ref().unwrap_or(self).at_step(&who, phase, wire, (at, step));
                let placement = self.errors.kept(placement);
                let variant = Variant {
                    before: format!("{id}.{}.", step.label),
                    family: Some(id.clone()),
                    clause: wire.clause.clone(),
                    repetitions: wire.repetitions.clone(),
                    step: Some(step.clone()),
                    has_error: placement.is_none(),
                    placement: placement.unwrap_or(Some(Placement { ranks: 1, ..Placement::default() })),
                    fs: wire.fs.clone(),
                    ppn: wire.ppn.clone(),
                    turns,
                    ..Variant::default()
                };
                let added = self.add(phase, &variant, plan);
                self.errors.kept(added);
            }
            // Further steps would have the same errors again.
            if self.errors.number() > before {
                return Err(Rejection::Follows);
            }
        }
        self.in_any_order(&who, wire.order.as_ref(), turns, plan)
    }

    /// The placement of a phase at a step, if the series decides it.
    fn at_step(
        &self,
        who: &str,
        phase: &wire::TestKeys,
        wire: &wire::SeriesKeys,
        (at, step): (usize, &Step),
    ) -> ParseResult<Option<Placement>> {
        match (wire.over, &wire.nodes) {
            (SteppedBy::Ranks, _) => self.step_ranks(who, phase, wire, (at, step)).map(Some),
            (SteppedBy::Nodes, _) => self.step_nodes(who, phase, wire, &step.word).map(Some),
            (_, Some(nodes)) => {
                let word = self.nth(who, nodes, at, wire)?;
                self.step_nodes(who, phase, wire, word).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Whether the phase leaves out the keys that the series sets.
    fn fits_series(
        &self,
        who: &str,
        series: &wire::SeriesKeys,
        phase: &wire::TestKeys,
        fs: &str,
    ) -> ParseResult<()> {
        if let Some(ranks) = phase.ranks.as_ref().filter(|_| series.over == SteppedBy::Ranks) {
            let what = "the steps are the ranks of its phases. Remove `ranks`.";
            return Err(self.place.error(ranks, format!("{who}: {what}")));
        }
        let sets = matches!(series.over, SteppedBy::Nodes | SteppedBy::Ranks) || series.nodes.is_some();
        if let Some(nodes) = phase.nodes.as_ref().filter(|_| sets) {
            let what = "the series sets the nodes of its phases. Remove `nodes`.";
            return Err(self.place.error(nodes, format!("{who}: {what}")));
        }
        match &phase.fs {
            Some(own) if series.over == SteppedBy::Servers && own.get_ref() != fs => {
                let what = format!(
                    "the servers of the steps are those of fs.{fs}. Remove `fs`, or give the series the same \
                     `fs`."
                );
                Err(self.place.error(own, format!("{who}: {what}")))
            }
            _ => Ok(()),
        }
    }

    fn step_nodes(
        &self,
        who: &str,
        phase: &wire::TestKeys,
        series: &wire::SeriesKeys,
        word: &str,
    ) -> ParseResult<Placement> {
        let nodes = Some(Spanned::new(series.steps.span(), NodesValue::One(word.to_owned())));
        let ppn = phase.ppn.clone().or(series.ppn.clone());
        let asked = super::placement::RanksRequest::new(&phase.ranks, &nodes, &ppn, series.id.span());
        self.placement(who, &asked)
    }

    /// The ranks of a step, on the nodes of the series if it has some.
    fn step_ranks(
        &self,
        who: &str,
        phase: &wire::TestKeys,
        series: &wire::SeriesKeys,
        (at, step): (usize, &Step),
    ) -> ParseResult<Placement> {
        let own = phase.ppn.as_ref().or(series.ppn.as_ref());
        let count = step.value as u64;
        let mut ppn = own.cloned();
        if let Some(nodes) = &series.nodes {
            if let Some(own) = own {
                let what = "the nodes and the ranks of a step give the ranks per node. Remove `ppn`.";
                return Err(self.place.error(own, format!("{who}: {what}")));
            }
            let word = self.nth(who, nodes, at, series)?;
            let (number, _) =
                self.nodes(word).map_err(|why| self.place.error(nodes, format!("{who}: nodes: {why}")))?;
            if !count.is_multiple_of(number.into()) {
                let what =
                    format!("{who}: {count} ranks do not fill {number} nodes evenly. Change the steps.");
                return Err(self.place.error(&series.steps, what));
            }
            ppn = Some(Spanned::new(nodes.span(), Count(count / u64::from(number))));
        }
        let ranks = Some(Spanned::new(series.steps.span(), Count(count)));
        let asked = super::placement::RanksRequest::new(&ranks, &None, &ppn, series.id.span());
        self.placement(who, &asked)
    }

    /// The number of nodes at a step: the only number, or that of the step.
    fn nth<'w>(
        &self,
        who: &str,
        nodes: &'w Spanned<NodesValue>,
        at: usize,
        wire: &wire::SeriesKeys,
    ) -> ParseResult<&'w str> {
        let steps = wire.steps.get_ref().len();
        match nodes.get_ref() {
            NodesValue::One(word) => Ok(word),
            NodesValue::Steps(words) if words.len() == steps => Ok(&words[at]),
            NodesValue::Search(..) => {
                let what = format!("{who}: a search is only for a [[test]]. Give one number.");
                Err(self.place.error(nodes, what))
            }
            NodesValue::Steps(words) => {
                let what = format!(
                    "{who}: nodes has {} steps, but the series has {steps}. Give equally many.",
                    words.len()
                );
                Err(self.place.error(nodes, what))
            }
        }
    }

    /// The steps with their values.
    fn steps(&self, who: &str, wire: &wire::SeriesKeys, series: usize, fs: &str) -> ParseResult<Vec<Step>> {
        let step = |word: &String| {
            let rejected = |why: String| self.place.error(&wire.steps, format!("{who}: {why}"));
            let (value, letter) = match wire.over {
                SteppedBy::Servers => (f64::from(self.servers(word, fs).map_err(rejected)?), 's'),
                SteppedBy::Nodes => (f64::from(self.nodes(word).map_err(rejected)?.0), 'n'),
                SteppedBy::Ranks => (f64::from(ranks(word).map_err(rejected)?), 'r'),
                SteppedBy::Transfer => (f64::from(self.transfer(word).map_err(rejected)?), 't'),
            };
            let (label, word) = match wire.over {
                // Command lines have no blanks in a size, and no decimal units.
                SteppedBy::Transfer => match command::ior::size('t', word) {
                    Ok(bytes) if bytes as f64 == value => (format!("t{word}"), word.clone()),
                    _ => (format!("t{}", word.replace(' ', "")), value.to_string()),
                },
                _ => (format!("{letter}{value}"), word.clone()),
            };
            let servers = (wire.over == SteppedBy::Servers).then_some(value as u32);
            Ok(Step { series, label, word, value, servers })
        };
        wire.steps.get_ref().iter().map(step).collect()
    }

    /// Bytes of a transfer, such as `64k`, `64 KiB` or `64 kB`. A recorded plan has them as IOR reads them.
    fn transfer(&self, word: &str) -> Result<u32, String> {
        let as_ior = command::ior::size('t', word);
        let is_decimal =
            units::size(word).is_ok() && !word.to_lowercase().contains("ib") && word.ends_with(['b', 'B']);
        let bytes = match (as_ior, units::size(word)) {
            (Ok(bytes), _) if self.is_recorded || !is_decimal => bytes,
            (_, Ok(bytes)) if bytes >= 1.0 && bytes.fract() == 0.0 => bytes as u64,
            (Ok(bytes), _) => bytes,
            (Err(error), _) => return Err(error.0),
        };
        u32::try_from(bytes).map_err(|_| format!("`{word}` is too large for a transfer"))
    }

    /// The number of servers that a word gives: `12`, or `1/3` or `33%` of all servers.
    fn servers(&self, word: &str, fs: &str) -> Result<u32, String> {
        let found = &self.file_systems[fs];
        let (Some(all), Some(_)) = (found.servers, &found.set_servers) else {
            return Err(format!(
                "fs.{fs} does not describe its servers. Add `servers`, the total number, `set_servers` and \
                 `count_servers`."
            ));
        };
        let share = |share: f64| (f64::from(all) * share).round() as u32;
        let servers = match (word.trim().parse::<u32>(), word.split_once('/')) {
            (Ok(number), _) => Some(number),
            (_, Some((part, whole))) => match (part.trim().parse::<u32>(), whole.trim().parse::<u32>()) {
                (Ok(part), Ok(whole)) if whole > 0 => Some(share(f64::from(part) / f64::from(whole))),
                _ => None,
            },
            _ => word
                .parse::<Quantity>()
                .ok()
                .filter(|q| q.dimension == Dimension::Fraction)
                .map(|q| share(q.value)),
        };
        match servers {
            Some(0) => Err(format!("`{word}` of {all} servers is 0 servers")),
            Some(number) if number > all => {
                Err(format!("`{word}` is more than the {all} servers of fs.{fs}"))
            }
            Some(number) => Ok(number),
            None => Err(format!("`{word}` is not a number of servers. Write `12`, `1/3` or `33%`.")),
        }
    }
}

/// The number of ranks of a step.
fn ranks(word: &str) -> Result<u32, String> {
    let ranks = word.trim().parse::<u32>().ok().filter(|ranks| *ranks > 0);
    ranks.ok_or_else(|| format!("`{word}` is not a number of ranks. Write for example `64`."))
}

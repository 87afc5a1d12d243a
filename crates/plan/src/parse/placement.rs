//! Ranks and nodes of a job: turns the numbers and rules of a plan into integers.
//!
//! Never here: the choice of nodes.

use std::ops::Range;

use toml::Spanned;
use units::{Dimension, Quantity, several};

use super::defaults::{Defaults, ParseResult, known, whole};
use super::wire::{Count, NodesValue};
use super::{ClientNodes, Placement, launch};

/// The ranks and nodes that a test, a dataset or a state requests.
pub(super) struct RanksRequest<'w> {
    ranks: Option<&'w Spanned<Count>>,
    nodes: Option<&'w Spanned<NodesValue>>,
    ppn: Option<&'w Spanned<Count>>,
    /// Its position in the file.
    at: Range<usize>,
}

impl<'w> RanksRequest<'w> {
    pub(super) fn new(
        ranks: &'w Option<Spanned<Count>>,
        nodes: &'w Option<Spanned<NodesValue>>,
        ppn: &'w Option<Spanned<Count>>,
        at: Range<usize>,
    ) -> Self {
        Self { ranks: ranks.as_ref(), nodes: nodes.as_ref(), ppn: ppn.as_ref(), at }
    }
}

impl Defaults<'_> {
    /// The only placement of a job without steps.
    pub(super) fn placement(&self, who: &str, asked: &RanksRequest<'_>) -> ParseResult<Placement> {
        match self.placements(who, asked)?.as_slice() {
            [one] => Ok(one.clone()),
            _ => {
                let what = format!("{who}: steps of nodes are only for a [[test]]. Give one number.");
                Err(self.place.at(asked.at.clone(), &what))
            }
        }
    }

    /// The placements of its steps, in order; one if it has none.
    pub(super) fn placements(&self, who: &str, asked: &RanksRequest<'_>) -> ParseResult<Vec<Placement>> {
        // The nodes of `[defaults]` apply if neither nodes nor ranks are given.
        let by_default = self.file.nodes.as_ref().filter(|_| asked.ranks.is_none());
        if let Some(nodes) = by_default.filter(|nodes| !matches!(nodes.get_ref(), NodesValue::One(_))) {
            let what = "give one number as `nodes` of [defaults]. Steps and a search belong to a test.";
            return Err(self.place.error(nodes, what));
        }
        let placements = match asked.nodes.or(by_default).map(|at| (at, at.get_ref())) {
            None => vec![self.of_ranks(who, asked)?],
            Some((at, NodesValue::One(word))) => vec![self.of_nodes(who, asked, at, word)?],
            Some((at, NodesValue::Steps(words) | NodesValue::Search(words, _))) if words.is_empty() => {
                return Err(self.place.error(at, format!("{who}: nodes has no steps. Give at least one.")));
            }
            Some((at, NodesValue::Steps(words) | NodesValue::Search(words, _))) => {
                let step = |word: &String| self.of_nodes(who, asked, at, word);
                words.iter().map(step).collect::<ParseResult<Vec<_>>>()?
            }
        };
        match placements.iter().find_map(|placement| launch::rejects(self.launch, &self.clients, placement)) {
            Some(why) => Err(self.place.at(asked.at.clone(), &format!("{who}: {why}"))),
            None => Ok(placements),
        }
    }

    fn of_ranks(&self, who: &str, asked: &RanksRequest<'_>) -> ParseResult<Placement> {
        let said = asked.ranks.or(self.file.ranks.as_ref());
        let ranks = self.count(who, "ranks", said, None, 1)?;
        let ppn = self.ppn(who, asked)?;
        // Ranks that do not fill one node of the defaults are all on that node.
        let ppn =
            ppn.map(|ppn| if asked.ranks.is_some() && asked.ppn.is_none() { ppn.min(ranks) } else { ppn });
        if let Some(ppn) = ppn.filter(|ppn| !ranks.is_multiple_of(*ppn)) {
            let what = match said {
                None => format!("ppn is {ppn}, but neither nodes nor ranks are given. Give nodes."),
                Some(_) => {
                    format!("{ranks} ranks do not fill whole nodes of {ppn} (ppn). Give nodes, not ranks.")
                }
            };
            let own = asked.ranks.or(asked.ppn).map_or_else(|| asked.at.clone(), Spanned::span);
            return Err(self.place.at(own, &format!("{who}: {what}")));
        }
        let nodes = ppn.map(|ppn| ranks.div_ceil(ppn));
        if let (Some(nodes), Some(delivered)) = (nodes, self.clients.delivered)
            && nodes > delivered
        {
            let ppn = ppn.unwrap_or(1);
            let what = format!(
                "{who}: {ranks} ranks with {ppn} per node need {nodes} nodes, but clients.delivered is \
                 {delivered}"
            );
            return Err(self.place.at(asked.at.clone(), &what));
        }
        Ok(Placement { ranks, nodes, ppn, rule: None })
    }

    /// The number of nodes that `word` gives, each with `ppn` ranks.
    pub(super) fn of_nodes(
        &self,
        who: &str,
        asked: &RanksRequest<'_>,
        at: &Spanned<NodesValue>,
        word: &str,
    ) -> ParseResult<Placement> {
        let (nodes, rule) =
            self.nodes(word).map_err(|why| self.place.error(at, format!("{who}: nodes: {why}")))?;
        let ppn = self.ppn(who, asked)?.unwrap_or(1);
        let Some(ranks) = nodes.checked_mul(ppn) else {
            let what = format!("{who}: {nodes} nodes of {ppn} ranks are too many ranks");
            return Err(self.place.error(at, what));
        };
        if let Some(said) = asked.ranks
            && said.get_ref().0 != u64::from(ranks)
        {
            let said_ranks = said.get_ref().0;
            let what = format!(
                "{who}: ranks is {said_ranks}, but {nodes} nodes of {ppn} ranks are {ranks}. Remove ranks."
            );
            return Err(self.place.error(said, what));
        }
        Ok(Placement { ranks, nodes: Some(nodes), ppn: Some(ppn), rule })
    }

    fn ppn(&self, who: &str, asked: &RanksRequest<'_>) -> ParseResult<Option<u32>> {
        match asked.ppn.or(self.file.ppn.as_ref()) {
            None => Ok(None),
            given => self.count(who, "ppn", given, None, 1).map(Some),
        }
    }

    /// A number of nodes, and its rule as text if it has one.
    pub(super) fn nodes(&self, word: &str) -> Result<(u32, Option<String>), String> {
        let word = word.trim();
        if let Ok(nodes) = word.parse::<u32>() {
            let whole = self.clients.delivered.filter(|delivered| nodes > *delivered);
            return match (nodes, whole) {
                (0, _) => Err("it must be at least 1".to_owned()),
                (_, Some(delivered)) => {
                    Err(format!("{nodes} is more than clients.delivered, which is {delivered}"))
                }
                _ => Ok((nodes, None)),
            };
        }
        let share = word.parse::<Quantity>().ok().filter(|share| share.dimension == Dimension::Fraction);
        let Some(share) = share.filter(|share| share.value > 0.0 && share.value <= 1.0) else {
            return Err(format!("`{word}` is not a number of nodes. Write `12` or `\"90%\"`."));
        };
        let Some(delivered) = self.clients.delivered else {
            return Err(format!("`{word}` needs the total number of nodes. Set `delivered` in [clients]."));
        };
        // To the nearest whole node: 90 % of 1536 is 1382.
        let nodes = ((f64::from(delivered) * share.value).round() as u32).max(1);
        Ok((nodes, Some(format!("{word} of {} = {nodes}", several(delivered.into(), "node")))))
    }
}

/// The client nodes of a plan.
pub(super) fn clients(
    wire: Option<&super::wire::ClientsKeys>,
    place: &super::plan_text::PlanText<'_>,
) -> ParseResult<ClientNodes> {
    let Some(wire) = wire else { return Ok(ClientNodes::default()) };
    if let Some(delivered) = wire.delivered.as_ref().filter(|delivered| delivered.get_ref().0 == 0) {
        let what = "clients.delivered is 0. Give the number of client nodes that the contract delivers.";
        return Err(place.error(delivered, what));
    }
    let memory_bytes = match wire.memory.as_ref().filter(|text| !text.get_ref().is_empty()) {
        None => None,
        Some(text) => match units::size(text.get_ref()) {
            Ok(bytes) if bytes >= 1.0 => Some(bytes as u64),
            _ if text.get_ref().parse::<Quantity>().is_ok() => {
                let what = "clients.memory must be the memory of a node, such as `256 GiB`";
                return Err(place.error(text, what));
            }
            Err(_) if text.get_ref().trim().parse::<f64>().is_ok() => {
                let what =
                    format!("clients.memory: `{}` has no unit. Write for example `256 GiB`.", text.get_ref());
                return Err(place.error(text, what));
            }
            Err(error) => return Err(place.error(text, format!("clients.memory: {error}"))),
            Ok(_) => return Err(place.error(text, "clients.memory is below 1 byte")),
        },
    };
    Ok(ClientNodes {
        delivered: whole(wire.delivered.as_ref(), "clients.delivered", place)?,
        hostfile: wire.hostfile.as_ref().map(|file| file.get_ref().clone()),
        exclude: launch::left_out(&wire.exclude, place)?,
        memory_bytes,
        simulated: wire.simulated,
        cores: whole(known(wire.cores.as_ref()).as_ref(), "clients.cores", place)?,
    })
}

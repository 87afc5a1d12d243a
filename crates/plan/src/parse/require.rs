//! The rules of `require`: what a contract requires of a measurement beside its number.
//!
//! Never here: whether a measurement is so.

use command::WorkloadName;
use results::record::Counts;
use toml::Spanned;
use units::Dimension;

use super::defaults::{Defaults, ParseResult};
use super::{BytesPerNode, Plan, Requirements, Uses, wire};
use crate::line::Line;

impl Defaults<'_> {
    /// The requirements of a test on the files of `uses`.
    pub(super) fn required(
        &self,
        who: &str,
        test: &wire::TestKeys,
        uses: Option<&Uses>,
        line: &Line,
        plan: &Plan,
    ) -> ParseResult<Requirements> {
        let Some(keys) = &test.require else { return Ok(Requirements::default()) };
        let wire = keys.get_ref();
        let records_ranks = line.name().is_some_and(WorkloadName::records_ranks);
        let moves_bytes = records_ranks && line.counts() == Some(Counts::Bytes);
        let missing = [
            ("bytes_per_node", wire.bytes_per_node.is_some() && !moves_bytes),
            ("persistent", wire.persistent && !moves_bytes),
            ("gap", wire.gap.is_some() && !records_ranks),
            ("phase_gap", wire.phase_gap.is_some() && !records_ranks),
            ("nodes", wire.nodes.is_some() && line.name().is_none()),
            ("cores", wire.cores.is_some() && !records_ranks),
            ("ranks", wire.ranks.is_some() && !records_ranks),
        ];
        if let Some((key, _)) = missing.iter().find(|(_, is_missing)| *is_missing) {
            let what = format!("{who}: require.{key}: the records of this workload cannot show it");
            return Err(self.place.error(keys, what));
        }
        let quantity = |key: &str, text: &Option<Spanned<String>>, dimension| {
            let text = text.as_ref();
            text.map(|text| self.place.quantity(who, &format!("require.{key}"), text, dimension)).transpose()
        };
        if let Some(gap) = wire.gap.as_ref().filter(|_| !matches!(uses, Some(Uses::Test(_)))) {
            let what = "require.gap is the time since the test whose files it `uses`, and it uses none";
            return Err(self.place.error(gap, format!("{who}: {what}")));
        }
        if wire.own_files && (!test.setup.is_empty() || has_prepared_files(uses, plan)) {
            let what = "require.own_files: leave out `setup` and `uses` of a dataset, also in the test that \
                        makes the files";
            return Err(self.place.error(keys, format!("{who}: {what}")));
        }
        let is_mixed = |order: &Spanned<wire::OrderWord>| *order.get_ref() != wire::OrderWord::Sequential;
        if wire.consecutive && test.order.as_ref().is_some_and(is_mixed) {
            let what = "require.consecutive: with this `order`, other steps are between its repetitions";
            return Err(self.place.error(keys, format!("{who}: {what}")));
        }
        let nodes = wire.nodes.as_ref().map(|nodes| self.count(who, "require.nodes", Some(nodes), None, 1));
        Ok(Requirements {
            bytes_per_node: self.bytes_per_node(who, wire.bytes_per_node.as_ref())?,
            job_s: quantity("job_time", &wire.job_time, Dimension::Seconds)?,
            gap_s: quantity("gap", &wire.gap, Dimension::Seconds)?,
            phase_gap_s: quantity("phase_gap", &wire.phase_gap, Dimension::Seconds)?,
            consecutive: wire.consecutive,
            nodes: nodes.transpose()?,
            cores: quantity("cores", &wire.cores, Dimension::Fraction)?,
            power_of_two: wire.ranks.is_some(),
            persistent: wire.persistent,
        })
    }

    fn bytes_per_node(&self, who: &str, text: Option<&Spanned<String>>) -> ParseResult<Option<BytesPerNode>> {
        let Some(text) = text else { return Ok(None) };
        let who = format!("{who}: require");
        match text.get_ref().trim().strip_suffix("of memory") {
            Some(share) => {
                let share = Spanned::new(text.span(), share.trim().to_owned());
                let share = self.place.quantity(&who, "bytes_per_node", &share, Dimension::Fraction)?;
                Ok(Some(BytesPerNode::OfMemory(share)))
            }
            None => {
                let bytes = self.place.quantity(&who, "bytes_per_node", text, Dimension::Bytes)?;
                Ok(Some(BytesPerNode::Bytes(bytes)))
            }
        }
    }
}

/// Whether the files may have existed before the campaign: those of a dataset, or what a command brought.
fn has_prepared_files(uses: Option<&Uses>, plan: &Plan) -> bool {
    match uses {
        None => false,
        Some(Uses::Dataset(_)) => true,
        Some(Uses::Test(at)) => {
            let maker = &plan.tests[*at];
            let is_app = matches!(maker.line, Line::App(_));
            is_app || !maker.setup.is_empty() || has_prepared_files(maker.uses.as_ref(), plan)
        }
    }
}

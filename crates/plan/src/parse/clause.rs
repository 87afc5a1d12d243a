//! `[[clause]]`: the clauses of the contract, and which of them a criterion belongs to.
//!
//! Invariant: if a plan has clauses, every criterion belongs to one of them.
//! Never here: their verdicts.

use std::ops::Range;

use toml::Spanned;

use super::defaults::{Defaults, ParseResult, among};
use super::plan_text::PlanText;
use super::{ContractClause, wire};
use crate::language::rejections::{Rejection, Rejections};

/// The clause of a criterion: its place in the plan, if the plan has clauses, and the requirement text.
pub(super) type CriterionClause = (Option<usize>, String);

/// The clauses of the contract. One with an error is left out, and its id is spoiled.
pub(super) fn clauses(
    file: &wire::PlanFile,
    place: &PlanText<'_>,
    errors: &Rejections,
) -> Vec<ContractClause> {
    let mut clauses: Vec<ContractClause> = Vec::new();
    for keys in &file.clause {
        let wire::ClauseKeys { id, text, source } = keys.get_ref();
        let what = match id.get_ref().as_str() {
            _ if text.trim().is_empty() => "the requirement text is empty. Write it as `text`.".to_owned(),
            word if word.is_empty() || word.trim() != word || word.contains(char::is_control) => {
                "a clause's id must be a text in one line, without blanks at its ends, such as `4.2`"
                    .to_owned()
            }
            word if clauses.iter().any(|other| other.id == word) => {
                format!("clause {word}: another clause already has this id. Change one.")
            }
            word => {
                let (id, text, source) = (word.to_owned(), text.clone(), source.clone());
                clauses.push(ContractClause { id, text, source });
                continue;
            }
        };
        errors.add(place.error(id, what));
        errors.spoil(format!("clause.{}", id.get_ref()));
    }
    clauses
}

impl Defaults<'_> {
    /// The clause that `word` names, with its requirement text. In a plan without clauses, `word` is this
    /// text. Without `word` it is `otherwise`.
    pub(super) fn clause(
        &self,
        who: &str,
        word: Option<&Spanned<String>>,
        otherwise: &str,
    ) -> ParseResult<CriterionClause> {
        let Some(word) = word else { return Ok((None, otherwise.to_owned())) };
        let named = self.contract_clause(who, word)?;
        let text = named.map_or(word.get_ref(), |place| &self.clauses[place].text);
        Ok((named, text.clone()))
    }

    /// The clause of a criterion of `id` at `at`. `word` is its own key `clause`, or that of its test.
    pub(super) fn criterion_clause(
        &self,
        who: &str,
        word: Option<&Spanned<String>>,
        id: &str,
        at: Range<usize>,
    ) -> ParseResult<CriterionClause> {
        if word.is_some() || self.clauses.is_empty() {
            return self.clause(who, word, id);
        }
        let known: Vec<&str> = self.clauses.iter().map(|clause| clause.id.as_str()).collect();
        let known = known.join(", ");
        let what = format!(
            "{who}: this criterion belongs to no [[clause]]. Write `clause = \"ID\"` in it or in its test. \
             Known: {known}."
        );
        Err(self.place.at(at, &what))
    }

    /// The place of the clause that `word` names; `None` in a plan without clauses, where it is a text.
    fn contract_clause(&self, who: &str, word: &Spanned<String>) -> ParseResult<Option<usize>> {
        let id = word.get_ref();
        if let Some(place) = self.clauses.iter().position(|clause| clause.id == *id) {
            return Ok(Some(place));
        }
        if self.errors.is_spoiled(&format!("clause.{id}")) {
            return Err(Rejection::Follows);
        }
        if self.clauses.is_empty() {
            return Ok(None);
        }
        let known: Vec<&str> = self.clauses.iter().map(|clause| clause.id.as_str()).collect();
        let what = format!("{who}: `{id}` is not the id of a [[clause]]{}", among(id, &known));
        Err(self.place.error(word, what))
    }
}

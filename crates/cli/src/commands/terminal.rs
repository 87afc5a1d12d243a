//! What standard output is, and the table of verdicts on it.

use std::io::{self, IsTerminal};

use results::Verdict;
use results::folder::Campaign;

/// The table of clauses and verdicts, with the width and the emphasis of standard output.
pub(super) fn table(campaign: &Campaign) -> String {
    report::text(&campaign.of_selected(), columns_of_terminal(), emphasis()) + &beside_selected(campaign)
}

/// The emphasis on standard output.
pub(super) fn emphasis() -> report::Emphasis {
    match io::stdout().is_terminal() {
        true if has_colour() => report::Emphasis::Colour,
        true => report::Emphasis::Bold,
        false => report::Emphasis::None,
    }
}

/// The width of the terminal, or 100 columns.
pub(super) fn columns_of_terminal() -> usize {
    width().unwrap_or(100)
}

/// The number of columns of the terminal, if it is known.
pub(super) fn width() -> Option<usize> {
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    columns.filter(|columns| *columns >= 40)
}

/// Whether colours may be used. The user can forbid them, which forbids no other emphasis.
pub(super) fn has_colour() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// What the selection of tests leaves out, and which tests ran because the selected ones need them; empty
/// without a selection.
fn beside_selected(campaign: &Campaign) -> String {
    let only = &campaign.info.only;
    if only.is_empty() {
        return String::new();
    }
    let clauses = |campaign: &Campaign| Verdict::of_clauses(&campaign.verdicts).len();
    let left_out = clauses(campaign) - clauses(&campaign.of_selected());
    let mut needed: Vec<&str> = campaign.jobs.iter().map(|job| job.info.test.as_str()).collect();
    needed.retain(|test| !campaign.is_selected(test.trim_end_matches("+warm-up")));
    needed.sort_unstable();
    needed.dedup();
    let needed = match &needed[..] {
        [] => String::new(),
        some => format!(" Also run, because a selected test needs it: {}.", some.join(", ")),
    };
    let others = units::several(left_out as u64, "other clause");
    let text = format!("\nSelected with --only: {}. The plan has {others}.{needed}\n", only.join(", "));
    units::visible_lines(&text)
}

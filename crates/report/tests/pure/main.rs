//! The report as an HTML page and as text.

mod answers;
mod comparison;
mod contract;
mod csv;
mod golden;
mod history;
mod html;
mod lint_samples;
mod plots;
mod sentences;
mod served;
mod signed;
mod stragglers;
mod text;
mod time_windows;

use report::document::{Appendix, Section};
use results::folder::Campaign;

/// The sections of the appendix.
fn sections(campaign: &Campaign) -> impl Iterator<Item = Section> {
    Appendix::new(campaign).sections().collect::<Vec<_>>().into_iter()
}

//! What makes a test one of several that stand as one in the file.

use toml::Spanned;

use super::{AlternatingTests, Placement, Step, wire};

/// What makes a test one of several that stand as one in the file.
#[derive(Clone, Debug, Default)]
pub(super) struct Variant {
    /// What stands before its id: the series and the step.
    pub(super) before: String,
    /// What it is one of: the id of a series or group; `None` for the test's own.
    pub(super) family: Option<String>,
    /// What stands behind it: the step.
    pub(super) behind: String,
    /// Its clause where it has none itself.
    pub(super) clause: String,
    /// Its repetitions where it says nothing itself.
    pub(super) repetitions: Option<Spanned<wire::Count>>,
    /// The step of a series.
    pub(super) step: Option<Step>,
    /// Whether it only shows at how many nodes the test itself is to run: once, without criteria.
    pub(super) is_probe: bool,
    /// The group that it is a part of.
    pub(super) part: Option<usize>,
    /// Whether the group has a criterion, so that a part needs none.
    pub(super) floors: bool,
    /// The file system of a series, where it says nothing itself.
    pub(super) fs: Option<Spanned<String>>,
    /// Ranks on each node, of a series, where it says nothing itself.
    pub(super) ppn: Option<Spanned<wire::Count>>,
    /// Placement that the step decides.
    pub(super) placement: Option<Placement>,
    /// With which others it takes turns.
    pub(super) turns: Option<AlternatingTests>,
    /// Whose files it reads instead of those that it says.
    pub(super) uses: Option<Spanned<String>>,
}

impl Variant {
    /// The text with the step's word in the place of `{step}`.
    pub(super) fn at_step(&self, text: &str) -> String {
        self.step.as_ref().map_or_else(|| text.to_owned(), |step| text.replace("{step}", &step.word))
    }
}

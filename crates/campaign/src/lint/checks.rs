//! The checks of the plan stage, by what they are about.
//!
//! Invariant: a check reads its subject and nothing else; what it cannot know it does not say.

pub(super) mod cache;
pub(super) mod clauses;
pub(super) mod names;
pub(super) mod series;
pub(super) mod shape;
pub(super) mod stonewall;

//! The checks, by what they are about: each a pure function from its subject to findings.
//!
//! Invariant: a check reads its subject and nothing else; what it cannot know it does not report.

pub(crate) mod cache;
pub(crate) mod criteria;
pub(crate) mod names;
pub(crate) mod paths;
pub(crate) mod prose;
pub(crate) mod series;
pub(crate) mod shape;
pub(crate) mod stonewall;

//! The checks by subject. Each is a pure function from its subject to findings.
//!
//! Invariant: a check reads only its subject. It does not report what it cannot know.

pub(crate) mod cache;
pub(crate) mod criteria;
pub(crate) mod names;
pub(crate) mod paths;
pub(crate) mod prose;
pub(crate) mod required;
pub(crate) mod series;
pub(crate) mod shape;
pub(crate) mod stonewall;
pub(crate) mod terms;

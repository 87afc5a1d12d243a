//! The plan language: what is taken, what is refused and how, its schema and its documentation.

mod language;
mod refusals;

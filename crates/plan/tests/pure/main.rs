//! The plan language: accepted and rejected plans, its schema and its documentation.

mod language;
mod outputs;
mod rejections;

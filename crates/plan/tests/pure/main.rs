//! The plan language: what is taken, what is rejected and how, its schema and its documentation.

mod language;
mod rejections;

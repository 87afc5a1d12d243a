//! The report as an HTML page and as text.

mod golden;
mod html;
mod lint_samples;
mod sentences;
mod signed;
mod stragglers;
mod text;
mod time_windows;

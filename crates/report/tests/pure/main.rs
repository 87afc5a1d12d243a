//! The report as an HTML page and as text.

mod comparison;
mod contract;
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

//! What a report shows, as a page and as text.

mod golden;
mod html;
mod lint_samples;
mod sentences;
mod stragglers;
mod stretches;
mod text;

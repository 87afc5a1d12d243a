//! Phases that are parts of other ones, by their names.
//!
//! Never here: the values of parts.

/// The phase of md-workbench that has the kinds of operations as its parts.
pub const BENCHMARK: &str = "benchmark";
/// Its kinds.
const KINDS: [&str; 4] = ["benchmark_create", "benchmark_read", "benchmark_stat", "benchmark_delete"];

/// Whether a phase of this name is one kind of operations in the benchmark of md-workbench. The phase of the
/// benchmark has its operations and failures, too.
pub fn is_kind(phase: &str) -> bool {
    KINDS.contains(&phase)
}

/// Whether it is the phase of the benchmark with all kinds.
pub fn has_kinds(phase: &str) -> bool {
    phase == BENCHMARK
}

/// Whether a phase of this name is a part of another one, which has the ranks and the timeline.
///
/// The parts are the calls on directories in a walk, and the kinds of operations in the benchmark of
/// md-workbench.
pub fn is_part(phase: &str) -> bool {
    phase == "directories" || is_kind(phase)
}

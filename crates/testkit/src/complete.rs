//! The default set of tests, and the complete one, which `ASSAY_TEST_ALL=1` selects (`cargo xtask test --all`
//! sets it).

/// Whether the complete set runs.
pub fn in_all() -> bool {
    std::env::var_os("ASSAY_TEST_ALL").is_some_and(|value| value == "1")
}

/// Whether tests run that are only in the complete set. If not, prints why the test is not in the default.
#[expect(
    clippy::print_stdout,
    reason = "libtest keeps the output of a test, and the set-up counts this line"
)]
pub fn only_in_all(reason: &str) -> bool {
    if !in_all() {
        println!("ONLY IN --all: {reason}");
    }
    in_all()
}

/// The first value in the default set, the second in the complete one: for cases or steps of a long test.
pub fn by_set<T>(default: T, all: T) -> T {
    if in_all() { all } else { default }
}

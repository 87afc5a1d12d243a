//! What the options of `mpi-io` select.

use command::mpi_io::MpiIoArgs;
use conformance::{ConformanceCase, matches};
use units::Usage;

/// The selected cases, in order.
pub(super) fn cases(args: &MpiIoArgs) -> Result<Vec<ConformanceCase>, Usage> {
    let all = conformance::cases();
    let any = |patterns: &[String], case: &ConformanceCase| patterns.iter().any(|p| matches(p, &case.name));
    for (option, patterns) in [("--only", &args.only), ("--skip", &args.skip)] {
        let unmatched = patterns.iter().find(|pattern| !all.iter().any(|case| matches(pattern, &case.name)));
        if let Some(pattern) = unmatched {
            return Err(Usage(format!(
                "{option} {pattern}: no case matches. `assay mpi-io --list` lists all."
            )));
        }
    }
    let mut selected: Vec<ConformanceCase> = all
        .into_iter()
        .filter(|case| args.only.is_empty() || any(&args.only, case))
        .filter(|case| !any(&args.skip, case))
        .collect();
    if selected.is_empty() {
        return Err(Usage::new("--only and --skip leave no case. `assay mpi-io --list` lists all."));
    }
    if let Some(first) = args.speak_from.as_ref().filter(|first| !first.is_empty()) {
        let at = selected.iter().position(|case| case.name == **first);
        let at = at.ok_or_else(|| Usage(format!("--speak-from {first}: no case matches")))?;
        selected.drain(..at);
    }
    Ok(selected)
}

/// Rejects a directory that does not exist.
pub(super) fn check_dir(args: &MpiIoArgs) -> Result<(), Usage> {
    let dir = args.tested_dir();
    if dir.is_dir() {
        return Ok(());
    }
    Err(Usage(format!("{}: not a directory. Create it or choose another.", dir.display())))
}

//! Notes about a folder that was evaluated, and what its faults mean for a command.

use results::folder::Verification;
use units::visible;

use crate::speech::complain;
use crate::status::{DONE, UNDECIDED};

/// The exit status of an evaluation. The verdicts do not count for a folder that does not verify, so their
/// status then is never that all clauses PASS.
pub(super) fn status(of_verdicts: u8, checked: &Verification) -> u8 {
    match unwritable(checked) {
        Some(_) if of_verdicts == DONE => UNDECIDED,
        _ => of_verdicts,
    }
}

pub(super) fn note(text: String) {
    complain(&format!("assay: note: {}", visible(&text)));
}

/// Warns that files of the folder `at` were modified. Call it last, because it concerns the whole output.
pub(super) fn note_faults(at: &str, checked: &Verification) {
    if !checked.faults.is_empty() {
        note(format!(
            "files in {at} were modified, so the results above prove nothing. List the files with: assay \
             verify {at}"
        ));
    }
}

/// Why nothing may be written into the folder, if it does not verify.
pub(super) fn unwritable(checked: &Verification) -> Option<String> {
    let fault = checked.forbids_writing()?;
    Some(format!("nothing is written into a folder that does not verify ({})", fault.said))
}

//! `assay verify --witness`: what the log of a witness says about a hash chain.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::Result;
use results::folder::{self, WITNESS_HEADER, WITNESS_LOG_BYTES_MAX, WitnessFault, names};
use units::{Usage, several, visible};

/// Compares the chain in `folder` with a log. Differences are added to `others`, a sentence each. Gives the
/// line about a chain that agrees.
pub(super) fn compare(folder: &Path, log: &Path, others: &mut Vec<String>) -> Result<String> {
    let at = log.display();
    let failed = |error| Usage(format!("--witness {at}: {error}. Give the log of a witness."));
    let mut bytes = Vec::new();
    let file = File::open(log).map_err(failed)?;
    file.take(WITNESS_LOG_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(failed)?;
    let text = String::from_utf8_lossy(&bytes);
    if !text.starts_with(WITNESS_HEADER) || bytes.len() as u64 > WITNESS_LOG_BYTES_MAX {
        let what = "this is no log of a witness, or it is too long. Give its unmodified log.";
        return Err(Usage(format!("--witness {at}: {what}")).into());
    }
    let (lines, faults) = match folder::compare_witness(folder, &text) {
        Ok(compared) => compared,
        // The chain itself is reported as a fault.
        Err(_) => return Ok(String::new()),
    };
    others.extend(faults.iter().map(|fault| sentence(fault, &at.to_string())));
    let lines = several(lines, "entry");
    Ok(if faults.is_empty() {
        format!("Witnessed:     {lines} in {}\n", visible(&at.to_string()))
    } else {
        String::new()
    })
}

fn sentence(fault: &WitnessFault, log: &str) -> String {
    let chain = names::CHAIN;
    match fault {
        WitnessFault::NotWitnessed => format!("{log} has no hash of this campaign"),
        WitnessFault::Differs(entry) => format!(
            "the witness has another hash of entry {entry} of {chain}: the chain was cut and continued"
        ),
        WitnessFault::Beyond(entry) => {
            format!(
                "the witness has the hash of entry {entry}, which {chain} does not have: the chain was cut"
            )
        }
        WitnessFault::OutOfOrder(entry) => {
            format!("the witness received entry {entry} of {chain} after a later one: the chain was cut")
        }
        WitnessFault::Missing(entry, about) => {
            format!("the witness did not receive entry {entry} of {chain} ({about})")
        }
        WitnessFault::Late(entry, seconds) => {
            format!("the witness received entry {entry} of {chain} {seconds} s later than it does usually")
        }
        WitnessFault::OtherCampaigns(count) => {
            let campaigns = several(*count, "other campaign");
            format!("the witness has hashes of {campaigns} with the same nonce")
        }
    }
}

//! `assay verify --witness`: what the log of a witness says about a hash chain.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::Result;
use jiff::Timestamp;
use results::folder::{self, WITNESS_HEADER, WITNESS_LOG_BYTES_MAX, WitnessFault, names};
use units::{Usage, several, visible};

/// Compares the chain in `folder` of a campaign of this nonce with a log. Differences are added to `others`,
/// a sentence each. Gives the lines about a chain that agrees.
pub(super) fn compare(
    folder: &Path,
    nonce: &str,
    (log, given): (&Path, Option<Timestamp>),
    others: &mut Vec<String>,
) -> Result<String> {
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
    let found = match folder::compare_witness(folder, nonce, &text) {
        Ok(found) => found,
        // The chain itself is reported as a fault.
        Err(_) => return Ok(String::new()),
    };
    others.extend(found.faults.iter().map(|fault| sentence(fault, &at.to_string())));
    let since = given.zip(found.first).map(|(given, first)| first.as_second() - given.as_second());
    if let Some(before) = since.filter(|since| *since < 0) {
        others.push(format!("the witness received the first entry {} s before the nonce was given", -before));
    }
    if !found.faults.is_empty() {
        return Ok(String::new());
    }
    let mut text = format!("Witnessed:     {} in {at}", several(found.lines, "entry"));
    text.extend(found.delay_s.map(|delay| format!(", the promptest after {delay} s")));
    text.extend(since.map(|since| format!(", the first {since} s after the nonce was given")));
    if found.others.0 > 0 {
        let nonces = match &found.others.1[..] {
            [] => "without a nonce".to_owned(),
            [one] => format!("with the nonce {one}"),
            some => format!("with the nonces {}", some.join(", ")),
        };
        text.push_str(&format!("\nnote: {at} has {} {nonces}", several(found.others.0, "other campaign")));
    }
    Ok(text.lines().map(|line| format!("{}\n", visible(line))).collect())
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
        WitnessFault::AllLate(seconds) => format!(
            "the witness received each entry at least {seconds} s after the campaign's time of it: the \
             clocks differ, or the hashes were held back"
        ),
        WitnessFault::OtherNonce(nonce) => match nonce.as_str() {
            "" => "the witness received the campaign without its nonce".to_owned(),
            nonce => format!("the witness received the campaign with the nonce `{nonce}`"),
        },
        WitnessFault::OtherCampaigns(count) => {
            let campaigns = several(*count, "other campaign");
            format!("the witness has hashes of {campaigns} with the same nonce or with none")
        }
    }
}

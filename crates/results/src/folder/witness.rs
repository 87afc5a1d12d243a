//! What a witness of a campaign receives, its log, and the comparison of a log with a hash chain.
//!
//! At each begin and end of a job the witness receives the hash of the last entry. A chain that was cut and
//! continued has other entries than those that the witness has.
//!
//! Invariant: a log is only appended to. A line that cannot be read is skipped, because a kill may leave a
//! torn one.
//! Never here: files, sockets and commands of a witness.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::chain::{self, Chain, ChainEntry, ChainEvent, WitnessAnswer};

/// The first line of a log. Its number is the version of the format.
pub const WITNESS_HEADER: &str = "{\"assay_witness\":1}";
/// The most bytes of a line in a log or to a listener.
pub const WITNESS_LINE_BYTES_MAX: usize = 4096;
/// The most bytes of a log that is compared.
pub const WITNESS_LOG_BYTES_MAX: u64 = 256 << 20;
/// The most seconds that a hash may reach the witness later than the others, or all of them later than the
/// campaign wrote them. More is enough time to repeat a job or a campaign, and to choose one.
const LATE_S: i64 = 60;

/// What a witness receives: a state of the hash chain of a campaign.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WitnessNote {
    /// The hash of the first entry of the chain, which identifies the campaign.
    pub campaign: String,
    /// The nonce of the campaign; empty without one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub nonce: String,
    /// The number of the last entry.
    pub entry: u64,
    /// The hash of the last entry.
    pub hash: String,
}

/// One line of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WitnessLine {
    /// When it was received, RFC 3339.
    pub time: String,
    /// What was received.
    #[serde(flatten)]
    pub note: WitnessNote,
}

impl WitnessNote {
    /// The note in a line of JSON, if it has the form of one.
    pub fn read(line: &str) -> Option<Self> {
        let note: Self = serde_json::from_str(line).ok()?;
        let is_hash =
            |text: &str| text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        let is_sound = is_hash(&note.campaign) && is_hash(&note.hash) && note.entry > 0;
        (is_sound && note.nonce.len() <= WITNESS_LINE_BYTES_MAX / 4).then_some(note)
    }

    /// Its line in a log or to a listener, without the line end.
    pub fn line(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The present state of the chain in `dir`; `None` without a chain.
pub fn witness_note(dir: &Path, nonce: &str) -> io::Result<Option<WitnessNote>> {
    let Some((campaign, head)) = chain::ends(dir)? else { return Ok(None) };
    Ok(Some(WitnessNote { campaign, nonce: nonce.to_owned(), entry: head.entry, hash: head.hash }))
}

/// Records that the witness `place` took the hash of `entry`, or why it did not.
pub fn note_witness(dir: &Path, place: &str, entry: u64, why: Option<&str>) -> io::Result<()> {
    let why = why.unwrap_or_default().to_owned();
    let note = serde_json::to_string(&WitnessAnswer { witness: place.to_owned(), entry, why })?;
    chain::append(dir, ChainEntry { what: ChainEvent::Witness, note, ..ChainEntry::default() })
}

/// How a chain differs from what its witness has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WitnessFault {
    /// The log has no line of this campaign.
    NotWitnessed,
    /// The witness has another hash of this entry.
    Differs(u64),
    /// The witness has an entry that the chain does not have.
    Beyond(u64),
    /// The witness received this entry after a later one.
    OutOfOrder(u64),
    /// The witness did not receive the hash of this entry, which is about this file or folder.
    Missing(u64, String),
    /// The witness received the hash of this entry later than usual, by this number of seconds.
    Late(u64, i64),
    /// The promptest hash came this number of seconds after the campaign's time of it.
    AllLate(i64),
    /// A line of the campaign has this nonce, which is not that of the campaign.
    OtherNonce(String),
    /// The number of other campaigns of the same nonce, or of none, that the witness has.
    OtherCampaigns(u64),
}

/// What the log of a witness shows about a campaign.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WitnessComparison {
    /// The number of lines about the campaign.
    pub lines: u64,
    /// When the first of them was received.
    pub first: Option<Timestamp>,
    /// The delay of the promptest hash by the clocks of the two, seconds.
    pub delay_s: Option<i64>,
    /// The number of other campaigns that the witness has, and their nonces, without empty ones.
    pub others: (u64, Vec<String>),
    /// How the chain differs from what the witness has.
    pub faults: Vec<WitnessFault>,
}

/// Compares the chain in `dir` of a campaign of this nonce with the log of its witness.
pub fn compare_witness(dir: &Path, nonce: &str, log: &str) -> io::Result<WitnessComparison> {
    let chain = chain::read(dir)?.unwrap_or_default();
    Ok(compared(&chain, nonce, log))
}

fn compared(chain: &Chain, nonce: &str, log: &str) -> WitnessComparison {
    let all: Vec<WitnessLine> = log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let first = chain.entries.first().map_or("", |(_, hash)| hash);
    let (own, others): (Vec<_>, Vec<_>) = all.iter().partition(|line| line.note.campaign == first);
    let mut faults = Vec::new();
    if own.is_empty() {
        faults.push(WitnessFault::NotWitnessed);
    }
    let mut latest = 0;
    for WitnessNote { entry, hash, .. } in own.iter().map(|line| &line.note) {
        match usize::try_from(*entry).ok().and_then(|entry| chain.entries.get(entry.checked_sub(1)?)) {
            None => faults.push(WitnessFault::Beyond(*entry)),
            Some((_, known)) if known != hash => faults.push(WitnessFault::Differs(*entry)),
            Some(_) if *entry < latest => faults.push(WitnessFault::OutOfOrder(*entry)),
            Some(_) => latest = *entry,
        }
    }
    let delays = delays(chain, &own);
    let delay_s = delays.values().min().copied();
    if !own.is_empty() {
        faults.extend(missing(chain, &own));
        faults.extend(late(&delays));
    }
    faults.extend(delay_s.filter(|delay| delay.abs() > LATE_S).map(WitnessFault::AllLate));
    let other_nonce = own.iter().find(|line| line.note.nonce != nonce);
    faults.extend(other_nonce.map(|line| WitnessFault::OtherNonce(line.note.nonce.clone())));
    let others: BTreeMap<&str, &str> =
        others.iter().map(|line| (line.note.campaign.as_str(), line.note.nonce.as_str())).collect();
    // A relay that removes the nonce would hide another try.
    let same = others.values().filter(|other| !nonce.is_empty() && (**other == nonce || other.is_empty()));
    let same = same.count() as u64;
    faults.extend((same > 0).then_some(WitnessFault::OtherCampaigns(same)));
    let nonces: BTreeSet<String> =
        others.values().filter(|nonce| !nonce.is_empty()).map(|nonce| (*nonce).to_owned()).collect();
    WitnessComparison {
        lines: own.len() as u64,
        first: own.iter().filter_map(|line| line.time.parse().ok()).min(),
        delay_s,
        others: (others.len() as u64, nonces.into_iter().collect()),
        faults,
    }
}

/// The begins and ends of jobs that ended, and the report, without a line in the log. Of attempts that were
/// set aside nothing is used, and a kill may have come before the hash was handed out.
fn missing(chain: &Chain, own: &[&WitnessLine]) -> Vec<WitnessFault> {
    let folders = chain.folders();
    let mut needed: BTreeMap<(&str, ChainEvent), u64> = BTreeMap::new();
    for (entry, _) in &chain.entries {
        let is_used = match entry.what {
            ChainEvent::Begun | ChainEvent::Ended => folders.contains(&entry.path.as_str()),
            ChainEvent::Report => true,
            _ => false,
        };
        if is_used {
            // Of a job that ran again the last attempt counts.
            needed.insert((&entry.path, entry.what), entry.entry);
        }
    }
    let mut all: Vec<(u64, &str)> = needed.into_iter().map(|((path, _), entry)| (entry, path)).collect();
    all.sort_unstable();
    let has = |entry: u64| own.iter().any(|line| line.note.entry == entry);
    let lacking = all.into_iter().filter(|(entry, _)| !has(*entry));
    lacking.map(|(entry, path)| WitnessFault::Missing(entry, path.to_owned())).collect()
}

/// How much later than the campaign's own time the witness received the hash of each entry, seconds. The
/// clocks of the two may differ.
fn delays(chain: &Chain, own: &[&WitnessLine]) -> BTreeMap<u64, i64> {
    let seconds = |time: &str| time.parse::<Timestamp>().ok().map(Timestamp::as_second);
    let delay = |line: &&WitnessLine| {
        let (entry, hash) = chain.entries.get(usize::try_from(line.note.entry).ok()?.checked_sub(1)?)?;
        let later = seconds(&line.time)?.checked_sub(seconds(&entry.time)?)?;
        (*hash == line.note.hash).then_some((line.note.entry, later))
    };
    // A resumed campaign may hand out the same hash again.
    let mut delays: BTreeMap<u64, i64> = BTreeMap::new();
    for (entry, later) in own.iter().filter_map(delay) {
        delays.entry(entry).and_modify(|known| *known = later.min(*known)).or_insert(later);
    }
    delays
}

/// The entries whose hash came much later than that of the promptest one.
fn late(delays: &BTreeMap<u64, i64>) -> Vec<WitnessFault> {
    let promptest = delays.values().min().copied().unwrap_or_default();
    let all = delays.iter().map(|(entry, later)| (*entry, later.saturating_sub(promptest)));
    all.filter(|(_, later)| *later > LATE_S).map(|(entry, later)| WitnessFault::Late(entry, later)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(number: u64) -> String {
        format!("{number:064x}")
    }

    /// A chain: the campaign, a job, the verdicts and the report, an entry each second.
    fn chain() -> Chain {
        use ChainEvent::{Begun, Campaign, Ended, Report, Verdicts};
        let job = "jobs/0001-A-r1";
        let all = [(Campaign, ""), (Begun, job), (Ended, job), (Verdicts, "v"), (Report, "report.html")];
        let entries = all.into_iter().zip(1..).map(|((what, path), entry)| {
            let time = format!("2026-11-25T10:00:{entry:02}.000+01:00");
            (ChainEntry { entry, time, what, path: path.into(), ..ChainEntry::default() }, hash(entry))
        });
        Chain { entries: entries.collect(), ..Chain::default() }
    }

    fn line(entry: u64, hash: String, time: &str) -> String {
        let campaign = super::tests::hash(1);
        let note = WitnessNote { campaign, nonce: "n".into(), entry, hash };
        serde_json::to_string(&WitnessLine { time: time.into(), note }).unwrap() + "\n"
    }

    /// A line at the time of its entry.
    fn prompt(entry: u64) -> String {
        line(entry, hash(entry), &format!("2026-11-25T09:00:{entry:02}Z"))
    }

    fn comparison(nonce: &str, lines: &[String]) -> WitnessComparison {
        compared(&chain(), nonce, &format!("{WITNESS_HEADER}\n{}", lines.concat()))
    }

    fn faults(lines: &[String]) -> Vec<WitnessFault> {
        comparison("n", lines).faults
    }

    #[test]
    fn a_log_of_every_begin_and_end_has_no_fault() {
        assert_eq!(faults(&[1, 2, 3, 5].map(prompt)), []);
        assert_eq!(faults(&[prompt(1), prompt(2), prompt(2), "torn\n".into(), prompt(3), prompt(5)]), []);
    }

    #[test]
    fn a_chain_that_was_cut_and_continued_is_found() {
        let cut = line(3, hash(77), "2026-11-25T09:00:03Z");
        let lines = [prompt(1), prompt(2), cut, prompt(2), prompt(3), prompt(5)];
        assert_eq!(faults(&lines), [WitnessFault::Differs(3)]);
        let lines = [prompt(1), prompt(2), prompt(3), prompt(2), prompt(3), prompt(5)];
        assert_eq!(faults(&lines), [WitnessFault::OutOfOrder(2)]);
        let beyond = line(9, hash(9), "2026-11-25T09:00:09Z");
        assert_eq!(faults(&[prompt(1), prompt(2), prompt(3), prompt(5), beyond]), [WitnessFault::Beyond(9)]);
    }

    #[test]
    fn a_job_that_the_witness_did_not_see_or_saw_much_later_is_found() {
        let job = "jobs/0001-A-r1".to_owned();
        assert_eq!(faults(&[1, 3, 5].map(prompt)), [WitnessFault::Missing(2, job.clone())]);
        assert_eq!(faults(&[1, 2, 5].map(prompt)), [WitnessFault::Missing(3, job)]);
        assert_eq!(faults(&[1, 2, 3].map(prompt)), [WitnessFault::Missing(5, "report.html".to_owned())]);
        let late = line(2, hash(2), "2026-11-25T09:05:02Z");
        assert_eq!(faults(&[prompt(1), late, prompt(3), prompt(5)]), [WitnessFault::Late(2, 300)]);
    }

    #[test]
    fn another_campaign_is_no_witness_and_one_of_the_same_nonce_is_a_fault() {
        let other = prompt(1).replace(&hash(1), &hash(8));
        let only = faults(std::slice::from_ref(&other));
        assert_eq!(only, [WitnessFault::NotWitnessed, WitnessFault::OtherCampaigns(1)]);
        let with = |other: String| [other, prompt(1), prompt(2), prompt(3), prompt(5)];
        assert_eq!(faults(&with(other.clone())), [WitnessFault::OtherCampaigns(1)]);
        let unnamed = other.replace(r#""nonce":"n","#, "");
        assert_eq!(faults(&with(unnamed)), [WitnessFault::OtherCampaigns(1)]);
        let found = comparison("n", &with(other.replace(r#""nonce":"n""#, r#""nonce":"m""#)));
        assert_eq!((found.faults, found.others), (Vec::new(), (1, vec!["m".to_owned()])));
    }

    #[test]
    fn a_relay_that_removes_the_nonce_or_holds_all_hashes_back_is_found() {
        let lines = [1, 2, 3, 5].map(prompt);
        let found = comparison("n", &lines);
        assert_eq!((found.lines, found.delay_s), (4, Some(0)));
        assert_eq!(found.first, Some("2026-11-25T09:00:01Z".parse().unwrap()));
        let removed = lines.clone().map(|line| line.replace(r#""nonce":"n","#, ""));
        assert_eq!(faults(&removed), [WitnessFault::OtherNonce(String::new())]);
        assert_eq!(comparison("", &removed).faults, []);
        let held = lines.clone().map(|line| line.replace("T09:00", "T09:10"));
        assert_eq!(faults(&held), [WitnessFault::AllLate(600)]);
        let early = lines.map(|line| line.replace("T09:00", "T08:50"));
        assert_eq!(faults(&early), [WitnessFault::AllLate(-600)]);
    }

    #[test]
    fn only_whole_notes_are_read() {
        let note = WitnessNote { campaign: hash(1), nonce: String::new(), entry: 3, hash: hash(3) };
        assert_eq!(WitnessNote::read(&note.line()), Some(note.clone()));
        for bad in [
            WitnessNote { entry: 0, ..note.clone() },
            WitnessNote { hash: hash(3).replace('0', "A"), ..note.clone() },
            WitnessNote { campaign: "1".into(), ..note.clone() },
            WitnessNote { nonce: "n".repeat(2000), ..note },
        ] {
            assert_eq!(WitnessNote::read(&bad.line()), None, "{bad:?}");
        }
        assert_eq!(WitnessNote::read("{}"), None);
    }
}

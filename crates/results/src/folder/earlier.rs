//! Campaigns of the same plan on the same file system. Each of them had a chance to pass.
//!
//! Invariant: folders are only read. A folder that cannot be read is no campaign.
//! Never here: what follows from their results.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{CampaignInfo, beneath, chain, json::json, names};
use crate::{Outcome, Verdict};

/// The most entries of a directory that are examined.
const ENTRIES_MAX: usize = 10_000;
/// The most campaigns that are listed: the last ones.
const CAMPAIGNS_MAX: usize = 100;

/// An earlier campaign of the same plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierCampaign {
    /// The name of its folder.
    pub folder: String,
    /// Its start, RFC 3339.
    pub started: String,
    /// Its overall outcome; absent if it has not ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Its evidence hash; empty without a hash chain.
    pub evidence_hash: String,
}

/// The campaigns in the directories `places` with this plan's id, on one of the file systems of `dirs`, by
/// their start.
pub fn earlier(places: &[PathBuf], plan: &str, dirs: &[PathBuf]) -> Vec<EarlierCampaign> {
    let places: BTreeSet<PathBuf> = places.iter().filter_map(|place| place.canonicalize().ok()).collect();
    let own: Vec<u64> = dirs.iter().filter_map(|dir| device(dir)).collect();
    let mut all = Vec::new();
    for place in &places {
        let entries = beneath::names(place, Path::new("")).unwrap_or_default();
        all.extend(entries.into_iter().take(ENTRIES_MAX).filter_map(|name| read(place, &name, plan, &own)));
    }
    // Of copies of a campaign, the one with the most events is the campaign.
    all.sort_by(|a, b| {
        (&a.begin, b.events, &a.campaign.folder).cmp(&(&b.begin, a.events, &b.campaign.folder))
    });
    all.dedup_by(|copy, first| !copy.begin.is_empty() && copy.begin == first.begin);
    let mut all: Vec<EarlierCampaign> = all.into_iter().map(|found| found.campaign).collect();
    all.sort_by(|a, b| (&a.started, &a.folder).cmp(&(&b.started, &b.folder)));
    all.split_off(all.len().saturating_sub(CAMPAIGNS_MAX))
}

/// The device of a directory's file system.
fn device(dir: &Path) -> Option<u64> {
    Some(dir.metadata().ok()?.dev())
}

/// A campaign in a folder, which may be a copy.
struct FoundFolder {
    campaign: EarlierCampaign,
    /// The hash of its first event, which no other campaign has; empty without a hash chain.
    begin: String,
    events: u64,
}

fn read(place: &Path, name: &OsStr, plan: &str, own: &[u64]) -> Option<FoundFolder> {
    if !beneath::is_dir(place, Path::new(name)) {
        return None;
    }
    let dir = place.join(name);
    let info: CampaignInfo = json(&dir, names::CAMPAIGN).ok()?;
    let on_own =
        |data: &String| Path::new(data).parent().and_then(device).is_some_and(|device| own.contains(&device));
    if info.plan != plan || !info.data.values().any(on_own) {
        return None;
    }
    let verdicts = json::<Vec<Verdict>>(&dir, names::VERDICTS).ok();
    let chain = chain::read(&dir).ok().flatten().unwrap_or_default();
    let head = chain.head().unwrap_or_default();
    let campaign = EarlierCampaign {
        folder: name.to_string_lossy().into_owned(),
        started: info.started,
        outcome: verdicts.map(|verdicts| Verdict::worst(&verdicts)),
        evidence_hash: head.hash,
    };
    let begin = chain.entries.first().map(|(_, hash)| hash.clone()).unwrap_or_default();
    Some(FoundFolder { campaign, begin, events: head.entry })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder;

    #[test]
    fn campaigns_of_the_same_plan_on_the_same_file_system_are_listed_by_their_start() {
        let place = tempfile::tempdir().unwrap();
        let here = place.path().to_owned();
        let info = |plan: &str, dir: &Path, started: &str| CampaignInfo {
            plan: plan.into(),
            data: [("s".to_owned(), dir.join("n.data").to_string_lossy().into_owned())].into(),
            started: started.into(),
            ..CampaignInfo::default()
        };
        for (name, info) in [
            ("b", info("p", &here, "2026-01-01T00:00:00Z")),
            ("a", info("p", &here, "2026-01-02T00:00:00Z")),
            ("c", info("q", &here, "2026-01-03T00:00:00Z")),
            ("d", info("p", Path::new("/proc"), "2026-01-04T00:00:00Z")),
        ] {
            folder::create(&here.join(name), &info, "").unwrap();
        }
        folder::write_verdicts(&here.join("b"), &[Verdict::default()]).unwrap();
        std::fs::create_dir(here.join("other")).unwrap();
        std::fs::write(here.join("file"), "").unwrap();
        let found =
            earlier(&[here.clone(), here.join("."), here.join("none")], "p", std::slice::from_ref(&here));
        let shown: Vec<_> = found.iter().map(|one| (one.folder.as_str(), one.outcome)).collect();
        assert_eq!(shown, [("b", Some(Verdict::default().outcome)), ("a", None)]);
        assert_eq!(found[0].evidence_hash.len(), 64);

        // A copy from before the verdicts, and one of everything.
        let copy = |from: &str, to: &str, name: &str| {
            std::fs::create_dir_all(here.join(to)).unwrap();
            std::fs::copy(here.join(from).join(name), here.join(to).join(name)).unwrap();
        };
        for name in [names::CAMPAIGN, names::CHAIN] {
            copy("b", "a copy", name);
            copy("a", "z copy", name);
        }
        let first = std::fs::read_to_string(here.join("b").join(names::CHAIN)).unwrap();
        let first = first.split_inclusive('\n').next().unwrap();
        std::fs::write(here.join("a copy").join(names::CHAIN), first).unwrap();
        assert_eq!(earlier(std::slice::from_ref(&here), "p", std::slice::from_ref(&here)), found);
    }
}

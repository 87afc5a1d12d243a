//! What is known of each campaign: a watched one that runs, or the result of checking one that has ended.
//!
//! A campaign that has ended is checked and evaluated again when its folder has changed. A list checks
//! folders for a limited time, and the next list continues.
//!
//! Invariant: no verdict of a folder is shown that was not derived again from its records.
//! Never here: HTML, and finding folders.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use evidence::state::ExaminedCampaign;
use report::document::{IndexedCampaign, ListedCampaign, ListedState};
use results::folder::{self, names};
use results::reason::Code;

use super::campaigns::FoundCampaign;
use super::pinned::PinnedFolder;
use crate::commands::index::indexed;
use crate::commands::watch::Watch;
use crate::commands::watch::shown::CampaignShown;
use crate::personalities::drifted;

/// How long one list checks folders.
const CHECKS_WITHIN: Duration = Duration::from_secs(3);
/// After this time a list checks whether a folder has changed.
const CHECK_AGAIN: Duration = Duration::from_secs(60);

/// What is known of all campaigns, by their ids.
#[derive(Default)]
pub(super) struct CampaignStates(Mutex<BTreeMap<String, Arc<Mutex<CampaignState>>>>);

/// What is known of a campaign.
#[derive(Default)]
pub(super) struct CampaignState {
    /// The folder that this is about.
    identity: Option<(u64, u64)>,
    watch: Option<(PinnedFolder, Watch)>,
    ended: Option<CheckedCampaign>,
}

/// A campaign that has ended.
struct CheckedCampaign {
    indexed: IndexedCampaign,
    /// The stamp of the folder before it was checked.
    stamp: String,
    /// When the stamp was compared.
    compared: Instant,
}

impl CampaignStates {
    /// The state of a campaign.
    pub(super) fn of(&self, id: &str) -> Arc<Mutex<CampaignState>> {
        Arc::clone(locked(&self.0).entry(id.to_owned()).or_default())
    }

    /// These campaigns with their states. Those that are not known yet are checked first.
    pub(super) fn list(&self, found: &[FoundCampaign]) -> Vec<ListedCampaign> {
        locked(&self.0).retain(|id, _| found.iter().any(|one| one.id == *id));
        let mut order: Vec<(Option<Instant>, &FoundCampaign)> =
            found.iter().map(|one| (locked(&self.of(&one.id)).compared(), one)).collect();
        order.sort_by_key(|(compared, _)| *compared);
        let began = Instant::now();
        let listed = |(_, one): (Option<Instant>, &FoundCampaign)| {
            let may_check = began.elapsed() < CHECKS_WITHIN;
            ListedCampaign {
                name: one.name(),
                path: one.path(),
                link: one.address(),
                state: locked(&self.of(&one.id)).listed(one, may_check),
            }
        };
        order.into_iter().map(listed).collect()
    }
}

impl CampaignState {
    fn compared(&self) -> Option<Instant> {
        self.ended.as_ref().map(|ended| ended.compared)
    }

    /// What a list shows. The folder is checked only if `may_check` is set.
    fn listed(&mut self, found: &FoundCampaign, may_check: bool) -> ListedState {
        let read = self.opened(found).and_then(|folder| match is_over(&folder) {
            true => self.ended(&folder, may_check).map_err(|why| folder.renamed(&why, &found.path())),
            false => Ok(None),
        });
        match read {
            Ok(Some(listed)) => listed,
            Ok(None) => self.shown(found).map_or_else(ListedState::Unread, |shown| running(&shown)),
            Err(why) => ListedState::Unread(why),
        }
    }

    /// Opens the folder. What was known of another one with its path is dropped.
    fn opened(&mut self, found: &FoundCampaign) -> Result<PinnedFolder, String> {
        let opened = found.open().and_then(|folder| Ok((folder.identity()?, folder)));
        let (identity, folder) = opened.map_err(|error| error.to_string())?;
        if self.identity != Some(identity) {
            *self = Self { identity: Some(identity), ..Self::default() };
        }
        Ok(folder)
    }

    /// The state of a campaign that has ended; `None` if it has not.
    fn ended(&mut self, folder: &PinnedFolder, may_check: bool) -> Result<Option<ListedState>, String> {
        self.watch = None;
        match &self.ended {
            Some(known) if known.compared.elapsed() < CHECK_AGAIN || !may_check => {
                return Ok(Some(ListedState::Ended(Box::new(known.indexed.clone()))));
            }
            None if !may_check => return Ok(Some(ListedState::Unchecked)),
            _ => {}
        }
        let compared = Instant::now();
        let stamp = folder::stamp(folder.path()).map_err(|error| error.to_string())?;
        match &mut self.ended {
            Some(known) if known.stamp == stamp => known.compared = compared,
            _ => {
                let one =
                    ExaminedCampaign::open(folder.path(), drifted).map_err(|error| format!("{error:#}"))?;
                if one.evidence.code == Code::EvidenceSoFar {
                    return Ok(None);
                }
                self.ended = Some(CheckedCampaign { indexed: indexed(one), stamp, compared });
            }
        }
        Ok(self.ended.as_ref().map(|known| ListedState::Ended(Box::new(known.indexed.clone()))))
    }

    /// What a view of a campaign that has not ended shows now.
    pub(super) fn shown(&mut self, found: &FoundCampaign) -> Result<CampaignShown, String> {
        let folder = self.opened(found)?;
        let path = found.path();
        let read = match self.watch.take() {
            Some((folder, mut watch)) => watch.read().map(|()| (folder, watch)),
            None => Watch::open(folder.path()).map(|watch| (folder, watch)),
        };
        let (folder, watch) = read.map_err(|error| error.to_string())?;
        let shown = watch.shown();
        let state = folder.renamed(&shown.state, &path);
        self.watch = Some((folder, watch));
        Ok(CampaignShown { folder: units::visible(&path), state, ..shown })
    }
}

/// Whether a folder has the files of a campaign that has ended.
pub(super) fn is_over(folder: &PinnedFolder) -> bool {
    let has = |name| folder::has(folder.path(), name);
    has(names::REPORT) || !has(names::CHAIN) && has(names::VERDICTS)
}

fn running(shown: &CampaignShown) -> ListedState {
    ListedState::Running {
        state: shown.state.clone(),
        needs_care: shown.needs_care,
        title: shown.title.clone(),
        jobs: shown.jobs,
        outcomes: shown.clauses.iter().filter_map(|clause| clause.standing.outcome()).collect(),
    }
}

/// The value, also if a page that used it could not be made.
pub(super) fn locked<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

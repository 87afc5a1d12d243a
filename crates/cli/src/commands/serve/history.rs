//! The pages of a history: all series, and one of them, as `assay track report` writes them.
//!
//! All pages show the same view, which has the changes of every series. It is made once for each state of the
//! store.
//!
//! Invariant: a view is made only from what is read of the store at one call. No page links to a file.
//! Never here: when a page is made.

use std::path::Path;
use std::sync::{Arc, Mutex};

use anyhow::Result;
use report::history::{FallRule, HistoryLinks, HistoryView, overview_page, series_page};
use results::history::EntrySource;
use track::store::{EntrySummary, Store};

use super::campaigns::CampaignAddresses;
use super::navigation;
use super::states::locked;
use crate::commands::track::view::view;

/// The view of the last state of the store, with the stamp of that state.
#[derive(Default)]
pub(super) struct KeptView(Mutex<Option<(String, Arc<HistoryView>)>>);

impl KeptView {
    /// The view of `store`, whose state has this stamp.
    pub(super) fn of(&self, store: &Store, stamp: Option<&str>) -> Result<Arc<HistoryView>> {
        // The lock is held while the view is made, so that two pages do not make it twice.
        let mut kept = locked(&self.0);
        if let Some((known, view)) = &*kept
            && Some(known.as_str()) == stamp
        {
            return Ok(Arc::clone(view));
        }
        let view = Arc::new(view(store, store.series()?, FallRule::default())?);
        *kept = stamp.map(|stamp| (stamp.to_owned(), Arc::clone(&view)));
        Ok(view)
    }
}

/// The page of all series.
pub(super) fn overview(view: &HistoryView, campaigns: &CampaignAddresses) -> Result<String> {
    with_links(campaigns, |links| Ok(overview_page(view, links)?))
}

/// The page of the series with this id; `None` if there is none.
pub(super) fn series(view: &HistoryView, campaigns: &CampaignAddresses, id: i64) -> Result<Option<String>> {
    let place = view.courses.iter().position(|course| course.summary.id == id);
    place.map(|place| with_links(campaigns, |links| Ok(series_page(view, place, links)?))).transpose()
}

fn with_links<T>(
    campaigns: &CampaignAddresses,
    page: impl FnOnce(&HistoryLinks<'_>) -> Result<T>,
) -> Result<T> {
    let navigation = navigation();
    let evidence = |entry: &EntrySummary| match entry.source {
        EntrySource::Campaign => campaigns.of(Path::new(&entry.location)),
        _ => None,
    };
    page(&HistoryLinks { overview: "/", series: &address, evidence: &evidence, navigation: &navigation })
}

/// The address of the page of a series.
fn address(id: i64) -> String {
    format!("/series/{:016x}", id.cast_unsigned())
}

/// The id of the series with the page `name`.
pub(super) fn id_of(name: &str) -> Option<i64> {
    let is_digits = name.len() == 16 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let number = u64::from_str_radix(name, 16).ok().filter(|_| is_digits);
    number.map(u64::cast_signed)
}

#[cfg(test)]
mod tests {
    use super::{address, id_of};

    #[test]
    fn the_address_of_a_series_has_its_id_and_no_other_spelling_has_it() {
        for id in [0, 1, -1, i64::MIN, i64::MAX] {
            assert_eq!(id_of(address(id).strip_prefix("/series/").unwrap()), Some(id));
        }
        for name in ["", "0", "+00000000000000f", "00000000000000FF", "0000000000000000 ", "../../etc/passwd"]
        {
            assert_eq!(id_of(name), None, "{name}");
        }
    }
}

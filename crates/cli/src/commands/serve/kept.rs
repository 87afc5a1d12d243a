//! Pages that are made once at a time, and kept until what they show changes.
//!
//! Requests for a page that is being made wait for it, for a limited time. Work that has begun continues
//! without them, so that a later request finds the page. Work that hangs with its file system holds only its
//! own page and its thread. History and campaigns have threads of their own, so one never waits for the
//! other.
//!
//! Invariant: the pages that are kept have a limited size. A page of before is never answered after a change
//! that is older than [`FRESH`].
//! Never here: how a page is made.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::states::locked;

/// The longest wait of a request.
const REQUEST_MAX: Duration = Duration::from_secs(30);
/// A page that was made or checked in this time is answered as it is.
const FRESH: Duration = Duration::from_secs(1);
/// The most bytes of kept pages. The page that was made last is kept with any size.
const KEPT_BYTES_MAX: usize = 64 * 1024 * 1024;
/// The threads for the history, and those for campaigns.
const HISTORY_THREADS: usize = 2;
const CAMPAIGN_THREADS: usize = 4;

/// What a page shows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PageKey {
    /// All series.
    Overview,
    /// A series, by its id in the history.
    Series(i64),
    /// The list of campaigns.
    Campaigns,
    /// A campaign, by its id in the list.
    Campaign(String),
}

/// The answer to a request for a page.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PageAnswer {
    /// The HTML.
    Page(Bytes),
    /// There is no such page.
    Missing,
    /// It cannot be made now, for this reason.
    Failed(String),
    /// It is still being made.
    Late,
}

/// The result of making a page again.
pub(super) enum Remade {
    /// What it shows has not changed.
    Same,
    /// The page, with the stamp of what it shows. A page without a stamp is always made again.
    Changed(PageAnswer, Option<String>),
}

/// A page that was made.
struct KeptPage {
    answer: PageAnswer,
    stamp: Option<String>,
    /// When it was made or checked.
    checked: Instant,
}

impl KeptPage {
    fn size(&self) -> usize {
        match &self.answer {
            PageAnswer::Page(page) => page.len(),
            PageAnswer::Failed(why) => why.len(),
            PageAnswer::Missing | PageAnswer::Late => 0,
        }
    }
}

/// The pages that were made, and those that are being made.
pub(super) struct KeptPages {
    pages: Mutex<BTreeMap<PageKey, KeptPage>>,
    turns: Mutex<BTreeMap<PageKey, Arc<tokio::sync::Mutex<()>>>>,
    history: Semaphore,
    campaigns: Semaphore,
    /// The longest wait of a request.
    patience: Duration,
}

impl Default for KeptPages {
    fn default() -> Self {
        let (pages, turns) = Default::default();
        let (history, campaigns) = (Semaphore::new(HISTORY_THREADS), Semaphore::new(CAMPAIGN_THREADS));
        Self { pages, turns, history, campaigns, patience: REQUEST_MAX }
    }
}

impl KeptPages {
    /// The page of `key`. `make` gets the stamp of the kept one.
    pub(super) async fn page(
        self: &Arc<Self>,
        key: PageKey,
        make: impl FnOnce(Option<String>) -> Remade + Send + 'static,
    ) -> PageAnswer {
        let pages = Arc::clone(self);
        let work = tokio::spawn(async move {
            let turn = Arc::clone(locked(&pages.turns).entry(key.clone()).or_default());
            let answer = match timeout(pages.patience, turn.lock()).await {
                Ok(_guard) => pages.made(&key, make).await,
                Err(_) => PageAnswer::Late,
            };
            // No other request waits: the table and this task have the only handles.
            let mut turns = locked(&pages.turns);
            if Arc::strong_count(&turn) <= 2 {
                turns.remove(&key);
            }
            answer
        });
        match timeout(self.patience, work).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => failed_inside(),
            Err(_) => PageAnswer::Late,
        }
    }

    async fn made(
        &self,
        key: &PageKey,
        make: impl FnOnce(Option<String>) -> Remade + Send + 'static,
    ) -> PageAnswer {
        let known = locked(&self.pages).get(key).map(|page| {
            let is_fresh = page.checked.elapsed() < FRESH;
            (is_fresh.then(|| page.answer.clone()), page.stamp.clone())
        });
        let (fresh, stamp) = known.unwrap_or_default();
        if let Some(answer) = fresh {
            return answer;
        }
        let threads = match key {
            PageKey::Overview | PageKey::Series(_) => &self.history,
            PageKey::Campaigns | PageKey::Campaign(_) => &self.campaigns,
        };
        let Ok(Ok(_place)) = timeout(self.patience, threads.acquire()).await else { return PageAnswer::Late };
        let began = Instant::now();
        let remade = spawn_blocking(move || make(stamp)).await;
        match remade {
            Ok(Remade::Same) => self.checked(key, began),
            Ok(Remade::Changed(answer, stamp)) => {
                self.keep(key, KeptPage { answer: answer.clone(), stamp, checked: began });
                answer
            }
            Err(_) => failed_inside(),
        }
    }

    /// The kept page, which was found to be unchanged at `now`.
    fn checked(&self, key: &PageKey, now: Instant) -> PageAnswer {
        let mut pages = locked(&self.pages);
        match pages.get_mut(key) {
            Some(page) => {
                page.checked = now;
                page.answer.clone()
            }
            // It was removed while it was checked.
            None => PageAnswer::Late,
        }
    }

    fn keep(&self, key: &PageKey, page: KeptPage) {
        let mut pages = locked(&self.pages);
        if page.answer == PageAnswer::Missing {
            pages.remove(key);
            return;
        }
        pages.insert(key.clone(), page);
        while pages.values().map(KeptPage::size).sum::<usize>() > KEPT_BYTES_MAX {
            let others = pages.iter().filter(|(other, _)| *other != key);
            let Some((oldest, _)) = others.min_by_key(|(_, page)| page.checked) else { return };
            let oldest = oldest.clone();
            pages.remove(&oldest);
        }
    }
}

fn failed_inside() -> PageAnswer {
    PageAnswer::Failed("This page cannot be made because of an error in assay. Please report it.".to_owned())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn page(text: &'static str) -> PageAnswer {
        PageAnswer::Page(Bytes::from_static(text.as_bytes()))
    }

    fn run<T>(work: impl Future<Output = T>) -> T {
        super::super::runtime().unwrap().block_on(work)
    }

    #[test]
    fn many_requests_for_one_page_make_it_once() {
        let (pages, made) = (Arc::new(KeptPages::default()), Arc::new(AtomicUsize::new(0)));
        let answers = run(async {
            let ask = |_| {
                let (pages, made) = (Arc::clone(&pages), Arc::clone(&made));
                tokio::spawn(async move {
                    let make = move |_| {
                        made.fetch_add(1, Ordering::Relaxed);
                        std::thread::sleep(Duration::from_millis(50));
                        Remade::Changed(page("one"), None)
                    };
                    pages.page(PageKey::Overview, make).await
                })
            };
            let asked: Vec<_> = (0..20).map(ask).collect();
            let mut answers = Vec::new();
            for one in asked {
                answers.push(one.await.unwrap());
            }
            answers
        });
        assert_eq!((answers.len(), made.load(Ordering::Relaxed)), (20, 1));
        assert!(answers.iter().all(|answer| *answer == page("one")));
        assert!(locked(&pages.turns).is_empty());
    }

    #[test]
    fn a_page_whose_maker_fails_does_not_hold_the_next_request() {
        let pages = Arc::new(KeptPages::default());
        let failing = |_| -> Remade { panic!("a page that cannot be made") };
        assert_eq!(run(pages.page(PageKey::Overview, failing)), failed_inside());
        let made = run(pages.page(PageKey::Overview, |_| Remade::Changed(page("two"), None)));
        assert_eq!(made, page("two"));
    }

    #[test]
    fn work_that_hangs_holds_only_its_page_and_each_request_for_it_ends() {
        let pages = Arc::new(KeptPages { patience: Duration::from_millis(500), ..KeptPages::default() });
        let (release, released) = std::sync::mpsc::channel::<()>();
        let hanging = move |_| {
            let _ = released.recv();
            Remade::Changed(page("late"), None)
        };
        run(async {
            assert_eq!(pages.page(PageKey::Campaigns, hanging).await, PageAnswer::Late);
            for _ in 0..3 {
                let again = pages.page(PageKey::Campaigns, |_| panic!("it is being made")).await;
                assert_eq!(again, PageAnswer::Late);
            }
            let other = PageKey::Campaign("other".to_owned());
            for key in [PageKey::Overview, other] {
                let made = pages.page(key, |_| Remade::Changed(page("other"), None)).await;
                assert_eq!(made, page("other"));
            }
            drop(release);
            let mut answer = PageAnswer::Late;
            while answer == PageAnswer::Late {
                answer = pages.page(PageKey::Campaigns, |_| Remade::Changed(page("made"), None)).await;
            }
            assert!([page("late"), page("made")].contains(&answer), "{answer:?}");
        });
    }

    #[test]
    fn a_missing_page_is_not_kept_and_the_oldest_pages_leave_when_all_are_too_large() {
        let pages = Arc::new(KeptPages::default());
        let id = |name: &str| PageKey::Campaign(name.to_owned());
        run(pages.page(id("none"), |_| Remade::Changed(PageAnswer::Missing, None)));
        assert!(locked(&pages.pages).is_empty());
        for name in ["a", "b", "c"] {
            let large = PageAnswer::Page(Bytes::from(vec![0; KEPT_BYTES_MAX / 2]));
            run(pages.page(id(name), |_| Remade::Changed(large, None)));
        }
        let kept: Vec<PageKey> = locked(&pages.pages).keys().cloned().collect();
        assert_eq!(kept, [id("b"), id("c")]);
    }
}

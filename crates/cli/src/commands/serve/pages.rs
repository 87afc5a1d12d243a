//! The addresses of the server, and how the page of each is made.
//!
//! Invariant: only the threads of `kept` read the history and the folders.
//! Never here: what a page contains.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path as Address, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use evidence::folder::EvidenceFolder;
use report::document::{Cell, ListedState, ServedDocument, campaign_list};
use report::history::HistoryView;
use report::{PageLinks, PageOptions};
use results::folder;
use track::store::{Store, StoreError, StoreLocation};

use super::campaigns::{self, CampaignAddresses, FoundCampaign};
use super::guard::{guard, line};
use super::history::KeptView;
use super::kept::{KeptPages, PageAnswer, PageKey, Remade};
use super::navigation;
use super::pinned::PinnedFolder;
use super::states::{CampaignStates, is_over, locked};
use super::{history, running};
use crate::personalities::drifted;

/// After this time a browser loads the list of campaigns again, seconds: while folders are being checked,
/// while a campaign runs, and else.
const REFRESH_S: [u32; 3] = [2, 10, 60];

/// What is served.
pub(super) struct Site {
    store: StoreLocation,
    dirs: Vec<PathBuf>,
    addresses: CampaignAddresses,
    /// Whether only this machine can connect.
    pub(super) is_local: bool,
    kept: Arc<KeptPages>,
    states: CampaignStates,
    view: KeptView,
}

impl Site {
    /// The history at `store`, and the campaigns in `dirs`.
    pub(super) fn new(store: StoreLocation, dirs: Vec<PathBuf>, is_local: bool) -> Self {
        let (kept, states, view) = Default::default();
        let addresses = CampaignAddresses::new(&dirs);
        Self { store, dirs, addresses, is_local, kept, states, view }
    }

    /// A page of the history. `make` returns nothing if there is no such page.
    async fn history(
        self: Arc<Self>,
        key: PageKey,
        make: impl FnOnce(&HistoryView, &CampaignAddresses) -> Result<Option<String>> + Send + 'static,
    ) -> Response {
        let kept = Arc::clone(&self.kept);
        response(kept.page(key, move |known| of_history(&self, known, make)).await)
    }
}

/// All addresses.
pub(super) fn router(site: Arc<Site>) -> Router {
    Router::new()
        .route("/", get(overview))
        .route("/series/{id}", get(series))
        .route("/campaigns", get(list))
        .route("/campaigns/{id}", get(campaign))
        .route("/healthz", get(|| async { line(StatusCode::OK, "ok") }))
        .fallback(|| async { missing() })
        .layer(from_fn_with_state(site.is_local, guard))
        .with_state(site)
}

fn missing() -> Response {
    line(StatusCode::NOT_FOUND, "There is no such page. Begin at / or /campaigns.")
}

async fn overview(State(site): State<Arc<Site>>) -> Response {
    site.history(PageKey::Overview, |view, campaigns| history::overview(view, campaigns).map(Some)).await
}

async fn series(State(site): State<Arc<Site>>, Address(name): Address<String>) -> Response {
    match history::id_of(&name) {
        Some(id) => {
            let make = move |view: &_, campaigns: &_| history::series(view, campaigns, id);
            site.history(PageKey::Series(id), make).await
        }
        None => missing(),
    }
}

async fn list(State(site): State<Arc<Site>>) -> Response {
    let kept = Arc::clone(&site.kept);
    response(kept.page(PageKey::Campaigns, move |_| Remade::Changed(listed(&site), None)).await)
}

async fn campaign(State(site): State<Arc<Site>>, Address(id): Address<String>) -> Response {
    let kept = Arc::clone(&site.kept);
    let key = PageKey::Campaign(id.clone());
    response(kept.page(key, move |known| of_campaign(&site, &id, known)).await)
}

fn response(answer: PageAnswer) -> Response {
    match answer {
        PageAnswer::Page(page) => {
            let html = HeaderValue::from_static("text/html; charset=utf-8");
            ([(CONTENT_TYPE, html)], page).into_response()
        }
        PageAnswer::Missing => missing(),
        PageAnswer::Failed(why) => line(StatusCode::SERVICE_UNAVAILABLE, &why),
        PageAnswer::Late => {
            line(StatusCode::SERVICE_UNAVAILABLE, "This page is still being made. Load it again later.")
        }
    }
}

fn of_history(
    site: &Site,
    known: Option<String>,
    make: impl FnOnce(&HistoryView, &CampaignAddresses) -> Result<Option<String>>,
) -> Remade {
    let path = &site.store;
    let stamp = path.stamp();
    if stamp.is_some() && stamp == known {
        return Remade::Same;
    }
    let made = Store::open(path).map_err(|error| match error {
        StoreError::Missing(_) => format!("There is no history at {path} now."),
        error => error.to_string(),
    });
    let page = |store| make(&*site.view.of(&store, stamp.as_deref())?, &site.addresses);
    match made.and_then(|store| page(store).map_err(|error| format!("{error:#}"))) {
        Ok(Some(page)) => Remade::Changed(PageAnswer::Page(Bytes::from(page)), stamp),
        Ok(None) => Remade::Changed(PageAnswer::Missing, None),
        Err(why) => Remade::Changed(PageAnswer::Failed(why), None),
    }
}

/// The list of campaigns.
fn listed(site: &Site) -> PageAnswer {
    let found = campaigns::find(&site.dirs);
    let all = site.states.list(&found.campaigns);
    let is_any = |wanted: fn(&ListedState) -> bool| all.iter().any(|one| wanted(&one.state));
    let [checking, running, idle] = REFRESH_S;
    let refresh_s = match () {
        () if is_any(|state| matches!(state, ListedState::Unchecked)) => checking,
        () if is_any(|state| matches!(state, ListedState::Running { .. })) => running,
        () => idle,
    };
    let state = match (site.dirs.is_empty(), all.is_empty()) {
        (true, _) => "No directory is served. Start the server with --campaigns DIR.",
        (false, true) => "There is no campaign in the directories that are served.",
        (false, false) => "",
    };
    let page = ServedDocument {
        title: "Campaigns".to_owned(),
        kind: "assay: campaigns".to_owned(),
        navigation: navigation(),
        refresh_s: Some(refresh_s),
        state: (!state.is_empty()).then(|| Cell::new(state)),
        tables: if all.is_empty() { Vec::new() } else { vec![campaign_list(&all)] },
        warnings: found.problems,
        footer: "Each campaign that has ended was checked and evaluated again by this program.".to_owned(),
        ..ServedDocument::default()
    };
    html(&page)
}

fn html(page: &ServedDocument) -> PageAnswer {
    match report::served_html(page) {
        Ok(page) => PageAnswer::Page(Bytes::from(page)),
        Err(error) => PageAnswer::Failed(error.to_string()),
    }
}

/// The page of the campaign with this id.
fn of_campaign(site: &Site, id: &str, known: Option<String>) -> Remade {
    let Some(found) = campaigns::find(&site.dirs).campaigns.into_iter().find(|one| one.id == id) else {
        return Remade::Changed(PageAnswer::Missing, None);
    };
    of_found(site, &found, known).unwrap_or_else(|why| Remade::Changed(PageAnswer::Failed(why), None))
}

fn of_found(site: &Site, found: &FoundCampaign, known: Option<String>) -> Result<Remade, String> {
    let folder = found.open().map_err(|error| format!("{}: {error}", found.path()))?;
    if is_over(&folder) {
        let report = report_of(&folder, known).map_err(|why| folder.renamed(&why, &found.path()))?;
        if let Some(report) = report {
            return Ok(report);
        }
    }
    let shown = locked(&site.states.of(&found.id)).shown(found)?;
    Ok(Remade::Changed(html(&running::page(&shown)), None))
}

/// The report of a campaign that has ended, as `assay report` makes it; `None` if it has not ended.
fn report_of(folder: &PinnedFolder, known: Option<String>) -> Result<Option<Remade>, String> {
    let stamp = folder::stamp(folder.path()).map_err(|error| error.to_string())?;
    if known.as_ref() == Some(&stamp) {
        return Ok(Some(Remade::Same));
    }
    let evaluated = EvidenceFolder::open(folder.path()).and_then(|evidence| evidence.evaluated(drifted));
    let evaluated = evaluated.map_err(|error| format!("{error:#}"))?;
    if !evaluated.checked.ended {
        return Ok(None);
    }
    let options =
        PageOptions { links: PageLinks::Within, navigation: navigation(), ..PageOptions::default() };
    let mut page = Vec::new();
    report::write_page(&evaluated.campaign, &options, &mut page).map_err(|error| error.to_string())?;
    Ok(Some(Remade::Changed(PageAnswer::Page(Bytes::from(page)), Some(stamp))))
}

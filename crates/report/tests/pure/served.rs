//! Pages of a server: the report of a campaign without its folder, and lists with hostile names.

use crate::golden;
use report::document::{
    Cell, IndexedCampaign, ListedCampaign, ListedState, ServedDocument, ServedProgress, campaign_list,
};
use report::{PageLinks, PageOptions};
use results::reason;
use results::{Outcome, Verdict};

const HOSTILE: &str = "\u{1b}[2J<img src=x>&\"'\u{202e}";

#[test]
fn a_served_report_links_only_within_itself_and_to_the_given_pages() {
    let navigation = vec![Cell::new("All").linked("/campaigns")];
    let options = PageOptions { links: PageLinks::Within, navigation, ..PageOptions::default() };
    let mut page = vec![];
    report::write_page(&golden::campaign(), &options, &mut page).unwrap();
    let page = String::from_utf8(page).unwrap().replace("&#x2f;", "/");
    let targets = page.split(" href=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    let (within, others): (Vec<&str>, Vec<&str>) = targets.partition(|target| target.starts_with('#'));
    assert_eq!(others, ["/campaigns"]);
    assert!(within.contains(&"#read-bw"), "{within:?}");
}

fn listed(name: &str, state: ListedState) -> ListedCampaign {
    let (path, link) = (format!("/scratch/{name}"), format!("/campaigns/{}", name.len()));
    ListedCampaign { name: name.into(), path, link, state }
}

fn ended(name: &str, started: &str, is_usable: bool) -> ListedCampaign {
    let verdict = Verdict { outcome: Outcome::Pass, ..Verdict::default() };
    let evidence = if is_usable {
        reason!(EvidenceIntact)
    } else {
        reason!(EvidenceRejected { fault: HOSTILE, faults: 1_u32 })
    };
    let campaign = IndexedCampaign {
        started: started.into(),
        is_usable,
        evidence,
        verdicts: vec![verdict.clone(), verdict],
        ..IndexedCampaign::default()
    };
    listed(name, ListedState::Ended(Box::new(campaign)))
}

fn running(name: &str, needs_care: bool) -> ListedCampaign {
    let state = ListedState::Running {
        state: HOSTILE.into(),
        needs_care,
        title: HOSTILE.into(),
        jobs: (2, 5),
        outcomes: vec![Outcome::Fail],
    };
    listed(name, state)
}

#[test]
fn a_list_begins_with_what_runs_then_the_latest_and_a_rejected_campaign_is_invalid() {
    let table = campaign_list(&[
        listed("broken", ListedState::Unread("no plan".into())),
        ended("old", "2026-01-02T00:00:00Z", true),
        ended("new", "2026-03-02T00:00:00Z", false),
        running("live", false),
    ]);
    let texts: Vec<Vec<&str>> =
        table.rows.iter().map(|row| row.iter().map(|cell| cell.text.as_str()).collect()).collect();
    let names: Vec<&str> = texts.iter().map(|row| row[0]).collect();
    assert_eq!(names, ["live", "new", "old", "broken"]);
    assert_eq!(texts[0][1..5], ["running", "2 of 5 jobs", "0", "1"]);
    assert_eq!(texts[1][1..7], ["ended", "INVALID", "0", "0", "0", "2"]);
    assert_eq!(texts[2][1..4], ["ended", "PASS", "2"]);
    assert_eq!((texts[3][1], texts[3][10]), ("unreadable", "no plan"));
}

#[test]
fn names_that_are_markup_are_text_on_every_part_of_a_page() {
    let page = ServedDocument {
        title: HOSTILE.into(),
        kind: HOSTILE.into(),
        navigation: vec![Cell::new(HOSTILE).linked("/x")],
        refresh_s: Some(3),
        state: Some(Cell::new(HOSTILE)),
        progress: Some(ServedProgress { done: 1, of: 4, words: HOSTILE.into() }),
        tables: vec![campaign_list(&[running(HOSTILE, true), ended("a", "2026-01-02T00:00:00Z", false)])],
        warnings: vec![HOSTILE.into()],
        ..ServedDocument::default()
    };
    let page = report::served_html(&page).unwrap();
    assert!(!page.contains("<img") && !page.contains('\u{1b}') && !page.contains('\u{202e}'), "{page}");
    assert!(!page.contains("<script") && page.contains("&lt;img src=x&gt;"), "{page}");
    assert!(page.contains("<meta http-equiv=\"refresh\" content=\"3\">"), "{page}");
    assert!(page.contains("<progress max=\"4\" value=\"1\">"), "{page}");
    let still = report::served_html(&ServedDocument::default()).unwrap();
    assert!(!still.contains("refresh") && !still.contains("<progress"), "{still}");
}

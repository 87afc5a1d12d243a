//! The pages of a history in a real browser: hover, links to series and to evidence, and narrow windows.

use std::fs;
use std::process::Command;

use serde_json::json;

use crate::common::browser::Browser;
use crate::common::campaign::{Place, passing_test};
use crate::common::server::Server;

/// The last point of the small chart of the series that fell, which no other one covers, and that of the
/// large chart.
const SMALL_POINT: &str = ".multiple.fell g.point:last-of-type circle";
const LARGE_POINT: &str = "svg.large-chart g.point:last-of-type circle";

/// A place with a history of a series that falls to 80 % after 40 of 80 days, and of one campaign.
fn history() -> Place {
    let place = Place::new();
    place.plan(&passing_test("writes"));
    fs::create_dir(place.path("all")).unwrap();
    place.assay("run p.toml --dir dir --folder all/one").ok();
    let mut table = "time,value,test,unit\n".to_owned();
    for day in 0..80_u32 {
        let level = if day < 40 { 1.0 } else { 0.8 };
        let value = (100.0 + f64::from(day * 7 % 5)) * level;
        table += &format!("{},{value},probe,MB/s\n", 1_500_000_000 + 86_400 * day);
    }
    fs::write(place.path("t.csv"), table).unwrap();
    place.assay("track add --store h.sqlite t.csv all/one --system lab").ok();
    place
}

/// The mouse over a point shows its value, and the point is marked.
fn shows_the_value_under_the_mouse(browser: &mut Browser, point: &str) -> String {
    let width = |browser: &mut Browser| {
        browser.text(&format!("getComputedStyle(document.querySelector({})).strokeWidth", json!(point)))
    };
    browser.hover("h1");
    let before = width(browser);
    let place = browser.hover(point);
    assert_ne!(before, width(browser), "the point under the mouse is marked");
    let shown = browser.tooltip(place);
    assert!(shown.contains("MB/s") && shown.contains("2017-"), "{shown}");
    shown
}

/// Nothing of the page is outside of a window of this width, except in parts that scroll.
fn fits(browser: &mut Browser, width: u32) {
    browser.resize(width, 900);
    let wide = browser.value("document.documentElement.scrollWidth").as_u64().unwrap();
    assert!(wide <= u64::from(width), "{} is {wide} pixels wide", browser.text("location.href"));
    browser.resize(1280, 900);
}

#[test]
fn the_pages_of_a_report_show_values_and_lead_to_the_evidence() {
    let place = history();
    place.assay("track report --store h.sqlite -o pages").ok();
    let Some(mut browser) = Browser::start() else { return };
    browser.open(&format!("file://{}", place.path("pages/index.html").display()));
    browser.picture("history-overview");
    assert_eq!(browser.value("performance.getEntriesByType('resource').length"), 0, "it needs no other file");
    shows_the_value_under_the_mouse(&mut browser, SMALL_POINT);
    fits(&mut browser, 400);

    browser.click(".multiple.fell figcaption a");
    browser.arrived("/series-");
    assert!(browser.text("document.querySelector('h1').textContent").contains("probe"));
    let shown = shows_the_value_under_the_mouse(&mut browser, LARGE_POINT);
    browser.picture("history-series");
    let table = browser.text("document.querySelector('#points').textContent");
    let value = shown.split(": ").find_map(|part| Some(part.split_once(" MB/s")?.0)).unwrap_or(&shown);
    assert!(table.contains(value), "{value}: {table}");
    fits(&mut browser, 400);

    browser.click("a[href='index.html']");
    browser.arrived("/index.html");
    browser.click(".multiple:not(.fell) figcaption a");
    browser.arrived("/series-");
    browser.value("document.querySelector('#points details').open = true");
    browser.click("#points a[href$='report.html']");
    browser.arrived("all/one/report.html");
    assert!(browser.text("document.body.textContent").contains("Acceptance report"));
    browser.picture("history-evidence");
}

#[test]
fn lists_of_campaigns_are_not_cut_at_1280_pixels() {
    let place = history();
    let long = place.path("all/assay-acme-phase1-20261129-101501-second-attempt");
    assert!(Command::new("cp").arg("-r").arg(place.path("all/one")).arg(&long).status().unwrap().success());
    let plan = fs::read_to_string(long.join("plan.toml")).unwrap();
    fs::write(long.join("plan.toml"), plan + "# changed, so that the details have two hashes\n").unwrap();
    let server = Server::start(&place, "h.sqlite --campaigns all");
    let Some(mut browser) = Browser::start() else { return };
    let indexed = place.assay(&format!("index all/one {} -o index.html", long.display()));
    assert_eq!(indexed.status, Some(3), "a campaign is not intact: {indexed:#?}");
    browser.resize(1280, 800);
    for (name, page) in [
        ("served-campaigns-1280", format!("http://{}/campaigns", server.address)),
        ("index-1280", format!("file://{}", place.path("index.html").display())),
    ] {
        browser.open(&page);
        assert!(browser.text("document.body.textContent").contains("not intact"), "{name}");
        browser.picture(name);
        let widths =
            "[...document.querySelectorAll('.scroll')].map(one => [one.scrollWidth, one.clientWidth])";
        let tables = browser.value(widths);
        let is_cut = |table: &serde_json::Value| table[0].as_u64() > table[1].as_u64();
        assert!(!tables.as_array().unwrap().iter().any(is_cut), "{name}: {tables}");
    }
}

#[test]
fn the_pages_of_a_server_lead_from_a_point_to_the_report_of_its_campaign() {
    let place = history();
    let server = Server::start(&place, "h.sqlite --campaigns all");
    let Some(mut browser) = Browser::start() else { return };
    browser.open(&format!("http://{}/", server.address));
    let color = "getComputedStyle(document.querySelector('.multiple.fell')).borderTopColor";
    let other = "getComputedStyle(document.querySelector('.multiple:not(.fell)')).borderTopColor";
    assert_ne!(browser.text(color), browser.text(other), "the style of the page is obeyed");
    shows_the_value_under_the_mouse(&mut browser, SMALL_POINT);
    fits(&mut browser, 400);
    browser.click(".multiple:not(.fell) figcaption a");
    browser.arrived("/series/");
    browser.value("document.querySelector('#points details').open = true");
    browser.click("#points a[href^='/campaigns/']");
    browser.arrived("/campaigns/");
    assert!(browser.text("document.body.textContent").contains("Acceptance report"));
    browser.picture("served-report");
    fits(&mut browser, 400);
    browser.click("a[href='/campaigns']");
    browser.arrived("/campaigns");
    browser.picture("served-campaigns");
    fits(&mut browser, 400);
}

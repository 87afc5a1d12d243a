//! `assay track report` and `assay track show`: a history as pages, and on a terminal.

use std::fs;

use crate::common::campaign::{Place, passing_test};

const STORE: &str = "--store h.sqlite";

/// A place with a history of two tests of 80 days each. One of them falls to 80 % after 40 days.
fn history() -> Place {
    let place = Place::new();
    let mut table = "time,value,test,unit\n".to_owned();
    for day in 0..80_u32 {
        let time = 1_500_000_000 + 86_400 * u64::from(day);
        let value = 100.0 + f64::from(day * 7 % 5);
        let low = if day < 40 { 1.0 } else { 0.8 };
        table += &format!("{time},{},fell,MB/s\n{time},{value},<b>same</b>,MB/s\n", value * low);
    }
    fs::write(place.path("t.csv"), table).unwrap();
    place.assay(&format!("track add {STORE} t.csv --system lab")).ok();
    place
}

fn pages(place: &Place, dir: &str) -> Vec<String> {
    let entries = fs::read_dir(place.path(dir)).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The links of a page.
fn links(page: &str) -> Vec<String> {
    let all = page.split(" href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    all.map(|link| link.replace("&#x2f;", "/")).collect()
}

#[test]
fn a_report_has_a_page_of_all_series_and_one_of_each_that_links_lead_to() {
    let place = history();
    let said = place.assay(&format!("track report {STORE} -o pages")).ok();
    assert!(said.starts_with("Pages: pages/index.html (2 series, 1 fell, "), "{said}");
    assert_eq!(pages(&place, "pages").len(), 3);
    let overview = fs::read_to_string(place.path("pages/index.html")).unwrap();
    assert!(overview.contains("&lt;b&gt;same&lt;&#x2f;b&gt;") && !overview.contains("<b>same"));
    assert!(overview.contains("FELL on 2017-08-23") && !overview.contains("<script"));
    let to_series: Vec<String> = links(&overview).into_iter().filter(|link| !link.starts_with('#')).collect();
    assert!(to_series.len() >= 2, "{to_series:?}");
    for link in to_series {
        let page = fs::read_to_string(place.path(&format!("pages/{link}"))).unwrap();
        assert!(links(&page).iter().any(|link| link == "index.html"), "{link}");
        let table = links(&page).into_iter().find(|link| link.ends_with(".csv")).unwrap();
        assert!(place.path(&format!("pages/{table}")).is_file(), "{table}");
    }
}

#[test]
fn the_points_of_campaigns_link_to_their_reports_and_have_the_whole_hash() {
    let place = Place::new();
    place.plan(&passing_test("writes"));
    for folder in ["one", "two"] {
        place.assay(&format!("run p.toml --dir dir --folder {folder}")).ok();
    }
    place.assay(&format!("track add {STORE} one two")).ok();
    let inside = place.assay(&format!("track report {STORE} -o one/more/pages"));
    assert_eq!(inside.status, Some(2), "{inside:#?}");
    assert!(inside.err.contains("-o one/more/pages is inside the campaign folder "), "{}", inside.err);
    assert!(!place.path("one/more").exists());
    fs::remove_dir_all(place.path("two")).unwrap();
    place.assay(&format!("track report {STORE}")).ok();
    let names = pages(&place, "history-report");
    let page = fs::read_to_string(place.path(&format!("history-report/{}", names[1]))).unwrap();
    let of_evidence: Vec<String> =
        links(&page).into_iter().filter(|link| link.ends_with("report.html")).collect();
    assert_eq!(of_evidence, ["../one/report.html"], "a campaign that is gone has no link");
    let shown = place.assay(&format!("track show {STORE} write.bw")).ok();
    let verified = place.assay("verify one").ok();
    let is_hash = |word: &&str| word.len() == 64 && word.chars().all(|c| c.is_ascii_hexdigit());
    let hash = verified.split_whitespace().find(is_hash).unwrap();
    assert!(page.contains(hash) && shown.contains(hash), "{shown}");
    assert!(shown.contains(", PASS, threshold 1.00 B/s"), "{shown}");
}

#[test]
fn a_directory_with_other_files_is_left_as_it_is() {
    let place = history();
    fs::create_dir(place.path("other")).unwrap();
    fs::write(place.path("other/index.html"), "mine").unwrap();
    fs::write(place.path("file"), "mine").unwrap();
    let ran = place.assay(&format!("track report {STORE} -o other"));
    let line = "assay: other has files, and no index.html of assay track report. Give another directory with \
                -o.\n";
    assert_eq!((ran.status, ran.err.as_str()), (Some(2), line));
    assert_eq!(
        (pages(&place, "other").len(), place.assay(&format!("track report {STORE} -o file")).status),
        (1, Some(2))
    );
    assert_eq!(fs::read_to_string(place.path("other/index.html")).unwrap(), "mine");
}

#[test]
fn a_report_is_replaced_without_pages_of_other_series_and_other_files_stay() {
    let place = history();
    place.assay(&format!("track report {STORE} -o pages")).ok();
    fs::write(place.path("pages/notes.txt"), "mine").unwrap();
    fs::write(place.path("pages/series-00000000000000aa.html"), "mine too").unwrap();
    place.assay(&format!("track report {STORE} -o pages fell")).ok();
    let names = pages(&place, "pages");
    assert_eq!(names.len(), 4, "{names:?}");
    assert!(
        names.contains(&"notes.txt".to_owned()) && names.contains(&"series-00000000000000aa.html".to_owned())
    );
    let none = place.assay(&format!("track report {STORE} -o pages nothing"));
    assert_eq!(none.status, Some(2), "{none:#?}");
    assert!(none.err.ends_with(
        "no series of h.sqlite has these texts in its name. List the series with assay track list.\n"
    ));
}

#[test]
fn one_series_is_shown_in_80_columns_and_several_are_listed() {
    let place = history();
    let shown = place.assay(&format!("track show {STORE} fell")).ok();
    assert!(shown.starts_with("lab / csv / fell / value\n80 points, "), "{shown}");
    let fits = |line: &str| line.chars().count() <= 80 || line.trim_start().starts_with('/');
    assert!(shown.lines().all(fits), "{shown}");
    assert!(shown.contains("┊") && shown.contains("Level shifts") && shown.contains("Last 10 points"));
    let several = place.assay(&format!("track show {STORE} lab"));
    let names = "assay: 2 series have these texts in their names. Give more of one name:\n  \
                 lab / csv / <b>same</b> / value\n  lab / csv / fell / value\n";
    assert_eq!((several.status, several.err.as_str()), (Some(2), names));
    let mut other = place.command(&format!("track show {STORE} fell"));
    let ascii = crate::common::run(other.env("LC_ALL", "C")).ok();
    assert!(ascii.lines().skip(3).take(14).all(|line| line.is_ascii()), "{ascii}");
    let list = place.assay(&format!("track list {STORE}")).ok();
    let fell = list.lines().find(|line| line.contains(" / fell / ")).unwrap();
    let course: Vec<char> = fell.chars().rev().take(24).collect();
    assert!(course[..12].iter().all(|c| "▁▂".contains(*c)), "the end is low: {fell}");
    assert!(course[12..].iter().all(|c| "▆▇█".contains(*c)), "the start is high: {fell}");
}

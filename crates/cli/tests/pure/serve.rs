//! `assay serve`: pages of a real history and of real campaigns, and what is not served.

use std::fs;
use std::os::unix::fs::symlink;

use crate::common::campaign::{
    Place, THREE_TESTS, passing_test, signal, three_tests_with_a_failure, tree, until,
};
use crate::common::server::{Server, links};

/// Adds a table with this many points to the history `h.sqlite` of the place.
fn add_points(place: &Place, points: usize) {
    let line = |day: usize| format!("{},{}\n", 1_700_000_000 + day * 86_400, 900 + day % 7);
    let lines: String = (0..points).map(line).collect();
    fs::write(place.path("probes.csv"), format!("epoch,mib\n{lines}")).unwrap();
    let words = "track add --store h.sqlite probes.csv --system <b>lab</b> --map time=epoch --map value=mib \
                 --set unit=MiB/s --set test=fpp --set metric=write.bw";
    place.assay(words).ok();
}

/// A place with a history, and with the campaigns `one` and `two` in the directory `all`.
fn served() -> Place {
    let place = Place::new();
    fs::create_dir(place.path("all")).unwrap();
    place.plan(&passing_test("<script>alert(1)</script>"));
    for folder in ["one", "two"] {
        place.assay(&format!("run p.toml --dir dir --folder all/{folder}")).ok();
    }
    add_points(&place, 20);
    place
}

#[test]
fn the_pages_of_a_history_and_of_ended_campaigns_answer_without_scripts() {
    let place = served();
    let server = Server::start(&place, "h.sqlite --campaigns all");
    let overview = server.page("/");
    assert!(overview.contains("&lt;b&gt;lab&lt;") && !overview.contains("<b>lab"), "{overview}");
    let series = links(&overview, "/series/");
    assert_eq!(series.len(), 1, "{overview}");
    assert!(server.page(&series[0]).contains("write.bw"));

    let list = server.page_with("/campaigns", ">two<");
    let campaigns = links(&list, "/campaigns/");
    assert_eq!((campaigns.len(), list.matches(">ended<").count()), (2, 2), "{list}");
    assert!(list.contains("PASS WITH OPEN FINDINGS"), "{list}");
    for campaign in campaigns {
        let report = server.page(&campaign);
        assert!(report.contains("Acceptance report") && report.contains("&lt;script&gt;"), "{report}");
        assert!(!report.contains("<script") && !report.contains("href=\"jobs"), "no link to a file");
        assert_eq!(links(&report, "/"), ["/", "/campaigns"]);
    }
    let answer = server.get("/");
    for wanted in [
        "content-security-policy: default-src 'none'; style-src 'unsafe-inline';",
        "x-content-type-options: nosniff",
        "referrer-policy: no-referrer",
        "cache-control: no-store",
        "content-type: text/html; charset=utf-8",
    ] {
        assert!(answer.header.contains(wanted), "{wanted}: {}", answer.header);
    }
    assert_eq!(server.page("/healthz"), "ok\n");
}

#[test]
fn a_point_of_a_campaign_links_to_the_page_of_the_campaign_if_that_is_served() {
    let place = served();
    place.assay("track add --store h.sqlite all/one all/two").ok();
    for (dirs, wanted) in [("--campaigns all", 2), ("--campaigns all/one", 1), ("", 0)] {
        let server = Server::start(&place, &format!("h.sqlite {dirs}"));
        let series = links(&server.page("/"), "/series/");
        let pages: Vec<String> = series.iter().map(|link| server.page(link)).collect();
        let mut campaigns: Vec<String> = pages.iter().flat_map(|page| links(page, "/campaigns/")).collect();
        campaigns.sort();
        campaigns.dedup();
        assert_eq!(campaigns.len(), wanted, "{dirs}: {pages:?}");
        for campaign in campaigns {
            assert!(server.page(&campaign).contains("Acceptance report"), "{campaign}");
        }
    }
}

#[test]
fn only_get_and_head_for_a_known_address_and_a_host_of_this_machine_are_answered() {
    let place = served();
    let server = Server::start(&place, "h.sqlite --campaigns all");
    let own = server.address.to_string();
    let head = server.ask("HEAD", &own, "/");
    assert_eq!((head.status, head.body.as_str()), (200, ""), "{head:#?}");
    assert!(!head.header.contains("content-length: 0"), "{head:#?}");
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "BREW"] {
        for path in ["/", "/campaigns", "/none"] {
            let answer = server.ask(method, &own, path);
            assert_eq!((answer.status, answer.body.lines().count()), (405, 1), "{method}: {answer:#?}");
            assert!(answer.header.contains("allow: get, head"), "{answer:#?}");
        }
    }
    for host in ["evil.example", "127.0.0.1.evil.example", "10.1.2.3", "", "evil.example:80"] {
        let answer = server.ask("GET", host, "/");
        assert_eq!((answer.status, answer.body.lines().count()), (403, 1), "{host}: {answer:#?}");
    }
    for host in ["localhost", "localhost:1", "127.0.0.1", "[::1]:7118"] {
        assert_eq!(server.ask("GET", host, "/").status, 200, "{host}");
    }
    let foreign = format!("GET http://evil.example/ HTTP/1.1\r\nHost: {own}\r\nConnection: close\r\n\r\n");
    assert_eq!(server.raw(&foreign).status, 403);
    assert_eq!(server.raw("GET / HTTP/1.0\r\n\r\n").status, 403, "without a host");
}

#[test]
fn no_address_leads_to_a_file() {
    let place = served();
    let server = Server::start(&place, "h.sqlite --campaigns all");
    let id = links(&server.page_with("/campaigns", ">two<"), "/campaigns/").remove(0);
    for path in [
        "/none",
        "/favicon.ico",
        "/campaigns/",
        "/campaigns/0",
        "/campaigns/one",
        "/campaigns/0000000000000000",
        "/campaigns/..",
        "/campaigns/../h.sqlite",
        "/campaigns/..%2fh.sqlite",
        "/campaigns/%2e%2e%2fh.sqlite",
        "/campaigns/%2e%2e/%2e%2e/etc/passwd",
        "/campaigns/all%2fone",
        "/campaigns/%00",
        "/campaigns/%ff",
        &format!("{id}/jobs/0001-W-r1/stdout.txt"),
        &format!("{id}%2freport.html"),
        &format!("{id}/"),
        "/series/",
        "/series/0",
        "/series/0000000000000000",
        "/series/..%2f..%2fh.sqlite",
        "//etc/passwd",
        "/../../../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
    ] {
        let answer = server.get(path);
        assert!([404, 400].contains(&answer.status), "{path}: {answer:#?}");
        assert_eq!(answer.body.lines().count(), 1, "{path}: {answer:#?}");
        assert!(!answer.body.contains("root:") && !answer.body.contains("SQLite"), "{path}");
    }
}

#[test]
fn a_campaign_is_shown_as_running_and_later_as_ended() {
    let place = Place::new();
    place.plan(&format!("{}{}", place.hanging("-R"), three_tests_with_a_failure()));
    let mut child = place.start("run p.toml --dir dir");
    until("the job that hangs", || place.path("hang.pid").exists());
    add_points(&place, 3);
    let server = Server::start(&place, "h.sqlite --campaigns dir");
    let list = server.page_with("/campaigns", ">running<");
    assert!(list.contains("2 of 3 jobs") && list.contains("http-equiv=\"refresh\""), "{list}");
    let address = links(&list, "/campaigns/").remove(0);
    let page = server.page(&address);
    for wanted in ["http-equiv=\"refresh\"", "2 of 3 jobs", "It runs as process ", ">C 1<", ">FAIL<"] {
        assert!(page.contains(wanted), "{wanted}: {page}");
    }
    assert!(!page.contains("/proc/self") && !page.contains("<script"), "{page}");
    let folder = place.folder();
    let name = folder.file_name().unwrap().to_str().unwrap();
    assert!(page.contains(name), "{page}");

    let sleeper = fs::read_to_string(place.path("hang.pid")).unwrap();
    fs::remove_file(place.path("hang")).unwrap();
    signal("-KILL", sleeper.trim().parse().unwrap());
    assert_eq!(child.wait().unwrap().code(), Some(1));
    let report = server.page_with(&address, "Acceptance report");
    assert!(report.contains(">FAIL<") && !report.contains("http-equiv=\"refresh\""), "{report}");
    server.page_with("/campaigns", ">ended<");
}

#[test]
fn a_stopped_campaign_is_not_shown_as_running() {
    let place = Place::new();
    place.plan(&format!("{}{THREE_TESTS}", place.hanging("-R")));
    let mut child = place.start("run p.toml --dir dir");
    until("the job that hangs", || place.path("hang.pid").exists());
    signal("-INT", child.id());
    child.wait().unwrap();
    add_points(&place, 3);
    let server = Server::start(&place, "h.sqlite --campaigns dir");
    let list = server.page_with("/campaigns", ">not ended<");
    assert!(list.contains(" is gone, and the campaign has not ended."), "{list}");
}

#[test]
fn a_campaign_whose_records_change_while_it_is_served_is_invalid_at_the_next_request() {
    let place = served();
    let server = Server::start(&place, "h.sqlite --campaigns all/one");
    let address = links(&server.page_with("/campaigns", ">ended<"), "/campaigns/").remove(0);
    assert!(!server.page(&address).contains(">INVALID<"));
    let records = place.path("all/one/jobs/0001-W-r1/records.jsonl");
    let text = fs::read_to_string(&records).unwrap();
    fs::write(&records, text.replacen("\"bytes\":", "\"bytes\":9", 1)).unwrap();
    let report = server.page_with(&address, ">INVALID<");
    assert!(report.contains("records.jsonl was changed"), "{report}");
}

#[test]
fn links_out_of_a_directory_are_not_followed() {
    let place = served();
    fs::create_dir(place.path("seen")).unwrap();
    fs::rename(place.path("all/two"), place.path("secret")).unwrap();
    symlink(place.path("secret"), place.path("seen/outside-one")).unwrap();
    symlink("../secret", place.path("seen/outside-two")).unwrap();
    fs::create_dir(place.path("seen/part")).unwrap();
    for name in ["campaign.json", "plan.toml", "jobs", "chain.jsonl", "report.html", "verdicts.json"] {
        symlink(format!("../../secret/{name}"), place.path(&format!("seen/part/{name}"))).unwrap();
    }
    let server = Server::start(&place, "h.sqlite --campaigns seen");
    let list = server.page("/campaigns");
    assert!(!list.contains("outside-"), "{list}");
    let row = list.split("<tr>").find(|row| row.contains(">part<")).unwrap_or_else(|| panic!("{list}"));
    assert!(row.contains(">unreadable<"), "{row}");
    for address in links(&list, "/campaigns/") {
        let answer = server.get(&address);
        assert_eq!((answer.status, answer.body.lines().count()), (503, 1), "{answer:#?}");
        assert!(!answer.body.contains("write.bw"), "{answer:#?}");
    }
}

#[test]
fn the_server_writes_nothing() {
    let place = served();
    fs::create_dir(place.path("data")).unwrap();
    let before = tree(&place.path(""));
    let server = Server::start(&place, "h.sqlite --campaigns all");
    let list = server.page_with("/campaigns", ">two<");
    for path in ["/".to_owned(), "/none".to_owned()].into_iter().chain(links(&list, "/campaigns/")) {
        server.get(&path);
    }
    for path in links(&server.page("/"), "/series/") {
        server.page(&path);
    }
    assert_eq!(server.end("-TERM").status, Some(0));
    let after = tree(&place.path(""));
    let names: Vec<_> = after.keys().filter(|name| !before.contains_key(*name)).collect();
    assert!(names.is_empty(), "{names:?}");
    assert!(after == before, "a file changed");
}

#[test]
fn a_history_that_is_written_removed_or_replaced_while_it_is_served_is_read_again() {
    let place = served();
    let server = Server::start(&place, "h.sqlite");
    assert!(server.page("/campaigns").contains("No directory is served."));
    let series = links(&server.page("/"), "/series/").remove(0);
    server.page_with(&series, "<dt>Points</dt><dd><span>20</span>");
    add_points(&place, 25);
    server.page_with(&series, "<dt>Points</dt><dd><span>25</span>");
    fs::rename(place.path("h.sqlite"), place.path("away")).unwrap();
    until("an answer without a history", || server.get("/").status == 503);
    let answer = server.get("/");
    assert_eq!(answer.body, "There is no history at h.sqlite now.\n", "{answer:#?}");
    add_points(&place, 5);
    until("the new history", || server.get("/").status == 200);
    server.page_with(&series, "<dt>Points</dt><dd><span>5</span>");
}

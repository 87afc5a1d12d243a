//! `assay index`: one page over campaigns, archives, and folders that are none.

use std::fs;
use std::os::unix::fs::symlink;

use crate::common::campaign::{Place, passing_test};

/// A place with the campaigns `one`, `two <b>` and `changed`, and an archive of the first.
fn campaigns() -> Place {
    let place = Place::new();
    place.plan(&passing_test("</td><script>alert(1)</script>"));
    for folder in ["one", "two", "changed"] {
        place.assay(&format!("run p.toml --dir dir --folder {folder}")).ok();
    }
    fs::rename(place.path("two"), place.path("two<b>")).unwrap();
    place.assay("pack one -o one.tar.gz").ok();
    let records = place.path("changed/jobs/0001-W-r1/records.jsonl");
    let text = fs::read_to_string(&records).unwrap();
    fs::write(&records, text.replacen("\"bytes\":", "\"bytes\":9", 1)).unwrap();
    place
}

#[test]
fn an_index_has_a_line_for_each_campaign_and_lists_what_cannot_be_read() {
    let place = campaigns();
    fs::write(place.path("broken.tar.gz"), "no archive").unwrap();
    let ran = place.assay("index one two<b> changed one.tar.gz broken.tar.gz dir -o pages.html");
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    assert_eq!(ran.out, "Index: pages.html (6 campaigns)\n");
    assert_eq!(ran.err.lines().count(), 2, "each unreadable folder has one line: {}", ran.err);
    let page = fs::read_to_string(place.path("pages.html")).unwrap();
    assert!(page.contains("6 campaigns: the evidence of 3 is intact, 2 cannot be read."));
    for wanted in
        ["one.tar.gz", "two&lt;b&gt;", "broken.tar.gz", "Clauses of p", "Folders that cannot be read"]
    {
        assert!(page.contains(wanted), "{wanted}");
    }
    assert!(page.contains("href=\"one&#x2f;report.html\""), "the link is relative");
    assert!(page.contains("href=\"two%3Cb%3E&#x2f;report.html\""), "the link is percent-encoded");
    assert!(page.contains("records.jsonl was changed"), "the fault of the changed campaign is stated");
    assert!(!page.contains("<script") && !page.contains("<b>") && !page.contains("http"));
    assert!(page.contains("&lt;script&gt;"), "texts of plans are escaped");
    // Three intact campaigns pass, and the changed one is INVALID.
    let row = page.split("<tr>").find(|row| row.contains(">write.bw<")).unwrap();
    assert_eq!([row.matches("PASS ").count(), row.matches("INVALID ").count()], [3, 1], "{row}");
    let whole = place.assay("index one two<b>");
    assert_eq!((whole.status, whole.out.as_str()), (Some(0), "Index: index.html (2 campaigns)\n"));
}

#[test]
fn only_an_index_of_assay_is_replaced() {
    let place = campaigns();
    place.assay("index one").ok();
    let first = fs::read(place.path("index.html")).unwrap();
    let second = place.assay("index two<b>");
    assert_eq!(second.status, Some(0), "{second:#?}");
    assert_ne!(fs::read(place.path("index.html")).unwrap(), first, "an index is replaced");
    fs::write(place.path("mine.html"), "<p>my page</p>").unwrap();
    symlink("index.html", place.path("link.html")).unwrap();
    for (words, wanted) in [
        (
            "index one -o mine.html",
            "mine.html exists and is not an index of assay. Give another file with -o.",
        ),
        ("index one -o link.html", "link.html exists and is not an index of assay."),
        ("index one -o dir", "dir exists and is not an index of assay."),
        ("index one -o one/report.html", "--out one/report.html is inside the campaign"),
        ("index one -o one/index.html", "--out one/index.html is inside the campaign"),
    ] {
        let ran = place.assay(words);
        assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{words}: {ran:#?}");
        assert!(ran.err.contains(wanted), "{words}: {}", ran.err);
    }
    assert_eq!(fs::read_to_string(place.path("mine.html")).unwrap(), "<p>my page</p>");
    assert_eq!(place.assay("index one -o no/such/index.html").status, Some(4), "the directory is missing");
    assert_eq!(place.assay("index").status, Some(2));
}

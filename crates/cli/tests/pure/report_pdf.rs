//! `assay report --pdf`: the pages that Chromium or WeasyPrint prints, and what is rejected before.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use crate::common::campaign::{Place, WRITTEN_AND_COMPARED, there};
use crate::common::only_in_all;
use crate::common::run;

/// The clauses of a usual contract.
const CLAUSES: usize = 17;

/// A place with an ended campaign of many clauses.
fn many_clauses() -> Place {
    let place = Place::new();
    let mut plan = String::new();
    for number in 1..=CLAUSES {
        write!(
            plan,
            "[[test]]\nid = \"C.{number}\"\nclause = \"Two ranks write 64 KiB each with an fsync, \
             clause {number}.\"\nior = \"-w -t 64k -b 64k -k -F -e\"\n\
             criterion = {{ metric = \"write.bw\", op = \">=\", value = \"1 B/s\" }}\n"
        )
        .unwrap();
    }
    place.plan(&plan);
    place.campaign();
    place
}

/// The number of pages of a PDF file in the place.
fn pages(place: &Place, name: &str) -> usize {
    let told = run(Command::new("pdfinfo").arg(place.path(name))).ok();
    let line = told.lines().find_map(|line| line.strip_prefix("Pages:")).expect("a line with the pages");
    line.trim().parse().expect("a number of pages")
}

/// The text of each page of a PDF file in the place.
fn texts(place: &Place, name: &str) -> Vec<String> {
    let number = |page: usize| page.to_string();
    let one = |page: usize| {
        let range = ["-layout", "-f", &number(page), "-l", &number(page)];
        run(Command::new("pdftotext").args(range).arg(place.path(name)).arg("-")).ok()
    };
    (1..=pages(place, name)).map(one).collect()
}

/// Each page has title, result, evidence hash and its number. The signatures follow the evidence.
fn assert_signed_pages(place: &Place, name: &str, result: &str) {
    let texts = texts(place, name);
    let chain = fs::read_to_string(place.folder().join("chain.jsonl")).unwrap();
    for (number, text) in (1..).zip(&texts) {
        let first = text.lines().next().unwrap_or_default();
        assert!(first.contains("A plan of the tests") && first.trim_end().ends_with(result), "{text}");
        assert!(text.contains(&format!("Page {number} of {}", texts.len())), "{text}");
        let margin =
            text.lines().rfind(|line| line.contains("Evidence hash before this report: ")).expect(text);
        let hash = margin.split(": ").nth(1).and_then(|rest| rest.split_whitespace().next()).unwrap();
        assert!(hash.len() == 64 && chain.contains(hash), "{hash}");
    }
    let signed: Vec<&String> = texts.iter().filter(|text| text.contains("For the buyer")).collect();
    assert!(signed.len() == 1 && signed[0].contains("Program SHA-256"), "{signed:#?}");
    assert!(signed[0].contains("For the seller"), "{signed:#?}");
}

/// Copies of the printed page in which the signatures would begin at the end of a page.
fn pushed_down(place: &Place) -> Vec<String> {
    let page = fs::read_to_string(place.folder().join("report.html")).unwrap();
    let begin = "<section id=\"warnings\">";
    assert_eq!(page.matches(begin).count(), 1);
    let one = |points: u32| page.replace(begin, &format!("<div style=\"height:{points}pt\"></div>{begin}"));
    (0..8).map(|step| one(step * 90)).collect()
}

#[test]
fn the_signatures_are_on_one_page_with_the_evidence_wherever_pages_break() {
    if !only_in_all("a browser prints many documents") {
        return;
    }
    if !there("chromium") || !there("pdftotext") {
        return;
    }
    let place = Place::new();
    place.plan(WRITTEN_AND_COMPARED);
    place.campaign().ok();
    for (at, page) in pushed_down(&place).into_iter().enumerate() {
        fs::write(place.path("pushed.html"), page).unwrap();
        let (html, pdf) = (place.path("pushed.html"), place.path(&format!("{at}.pdf")));
        let profile = place.path(&format!("profile-{at}"));
        let mut chromium = Command::new("chromium");
        chromium.args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"]);
        chromium.args(["--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND"]);
        chromium.arg("--no-pdf-header-footer").arg(format!("--user-data-dir={}", profile.display()));
        chromium.arg(format!("--print-to-pdf={}", pdf.display())).arg(html);
        assert_eq!(run(&mut chromium).status, Some(0));
        assert_signed_pages(&place, &format!("{at}.pdf"), "FINDINGS");
    }
}

#[test]
fn a_report_of_seventeen_clauses_has_at_most_twelve_pages_and_its_appendix_more() {
    if !there("chromium") || !there("pdfinfo") {
        return;
    }
    let place = many_clauses();
    let at = place.folder().display().to_string();
    let before = fs::read(place.folder().join("report.html")).unwrap();
    let ran = place.assay(&format!("report {at} --pdf signed.pdf"));
    assert!(ran.passed() && ran.out.contains("Report: signed.pdf"), "{ran:#?}");
    place.assay(&format!("report {at} --pdf whole.pdf --print-appendix"));
    let (signed, whole) = (pages(&place, "signed.pdf"), pages(&place, "whole.pdf"));
    assert!((1..=12).contains(&signed), "{signed} pages");
    assert!(whole > signed, "{whole} pages with the appendix, {signed} without");
    assert_eq!(fs::read(place.folder().join("report.html")).unwrap(), before);
    assert!(place.assay(&format!("verify {at}")).out.contains("is intact"));
}

#[test]
fn an_existing_file_and_a_file_in_the_campaign_folder_are_rejected_and_unchanged() {
    let place = Place::new();
    place.plan(WRITTEN_AND_COMPARED);
    place.campaign().ok();
    let at = place.folder().display().to_string();
    fs::write(place.path("mine.pdf"), "mine").unwrap();
    let ran = place.assay(&format!("report {at} --pdf mine.pdf"));
    assert!(ran.status == Some(2) && ran.err.contains("the file exists. Remove it"), "{ran:#?}");
    assert_eq!(fs::read_to_string(place.path("mine.pdf")).unwrap(), "mine");
    let bin = printer(&place, "cat \"$1\" > \"$2\"");
    let ran = run(place.command(&format!("report {at} --pdf {at}/new.pdf")).env("PATH", &bin));
    assert!(ran.status == Some(2) && ran.err.contains("is inside the campaign folder"), "{ran:#?}");
    assert!(!place.folder().join("new.pdf").exists());
    for words in ["--print-appendix", "--pdf a.pdf --csv", "--pdf a.pdf --out a.html"] {
        let ran = place.assay(&format!("report {at} {words}"));
        assert_eq!(ran.status, Some(2), "{words}: {ran:#?}");
    }
}

/// A directory with a program named weasyprint, which is this shell script.
fn printer(place: &Place, text: &str) -> String {
    let bin = place.path("bin");
    fs::create_dir_all(&bin).unwrap();
    crate::common::script(&bin.join("weasyprint"), &format!("#!/bin/sh\nPATH=/usr/bin:/bin\n{text}\n"));
    bin.display().to_string()
}

#[test]
fn without_a_printing_program_one_line_says_what_to_install() {
    let place = Place::new();
    place.plan(WRITTEN_AND_COMPARED);
    place.campaign().ok();
    let at = place.folder().display().to_string();
    let ran = run(place.command(&format!("report {at} --pdf a.pdf")).env("PATH", place.path("")));
    assert_eq!(ran.status, Some(2), "{ran:#?}");
    let lines: Vec<&str> = ran.err.lines().filter(|line| !line.is_empty()).collect();
    assert!(lines.len() == 1 && lines[0].contains("Install Chromium or WeasyPrint"), "{ran:#?}");
    assert!(!place.path("a.pdf").exists());
    let bin = printer(&place, "echo no display >&2; exit 1");
    let ran = run(place.command(&format!("report {at} --pdf a.pdf")).env("PATH", &bin));
    assert!(ran.status == Some(4) && ran.err.contains("failed: no display"), "{ran:#?}");
    assert!(!place.path("a.pdf").exists());
}

#[test]
fn the_printed_page_of_an_archive_names_its_signers_and_has_no_links_to_files() {
    if !there("ssh-keygen") {
        return;
    }
    let place = Place::new();
    place.plan(WRITTEN_AND_COMPARED);
    place.campaign().ok();
    let key = place.path("seller");
    let keygen = ["-q", "-t", "ed25519", "-N", "", "-f", key.to_str().unwrap()];
    assert_eq!(run(Command::new("ssh-keygen").args(keygen)).status, Some(0));
    let at = place.folder().display().to_string();
    place.assay(&format!("pack {at} -o a.tar.gz --sign seller")).ok();
    fs::write(place.path("a.tar.gz.2.sig"), "not a signature").unwrap();
    // The printing program here keeps the page instead.
    let kept = place.path("page.html");
    let bin = printer(&place, &format!("cp \"$1\" {}; printf '%%PDF-1.4' > \"$2\"", kept.display()));
    let ran = run(place.command("report a.tar.gz --pdf a.pdf").env("PATH", &bin));
    assert!(ran.passed() && place.path("a.pdf").exists(), "{ran:#?}");
    let page = fs::read_to_string(kept).unwrap().replace('\u{a0}', " ").replace("&#x2f;", "/");
    let signed = page.split("</main>").next().unwrap();
    assert!(signed.contains("ssh-ed25519 SHA256:") && signed.contains("NOT VALID: "), "{signed}");
    assert!(!signed.contains("none recorded in this folder") && !signed.contains(" href="), "{signed}");
}

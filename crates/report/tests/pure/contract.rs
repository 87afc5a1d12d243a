//! Clauses of a contract with several criteria, and what each printed page has in its margins.

use report::document::{self, Document};
use results::folder::Campaign;
use results::reason::{any, reason};
use results::{ContractOutcome, Outcome, Verdict};

use crate::golden;
use crate::html::{assert_balanced, attributes};
use crate::sections;

/// The golden campaign, whose verdicts belong to two clauses of a contract. A third one has no criterion.
fn contract() -> Campaign {
    let mut campaign = golden::campaign();
    for (at, verdict) in campaign.verdicts.iter_mut().enumerate() {
        let (id, source) = if at < 3 { ("4.2", "page 12") } else { ("5 <a>", "") };
        verdict.contract_clause =
            Some(ContractOutcome { id: id.into(), source: source.into(), outcome: Outcome::NotRun });
        verdict.clause = format!("text of {id}");
        verdict.label = format!("criterion {at}");
    }
    campaign.verdicts.push(Verdict {
        test: "6".into(),
        clause: "text of 6".into(),
        contract_clause: Some(ContractOutcome { id: "6".into(), ..Default::default() }),
        reason: reason!(ClauseUntested),
        ..Verdict::default()
    });
    Verdict::settle_clauses(&mut campaign.verdicts);
    campaign
}

/// The id and the verdict of each clause of the contract, with the number of its criteria.
fn heads(document: &Document) -> Vec<(String, String, usize)> {
    let mut heads: Vec<(String, String, usize)> = Vec::new();
    for clause in &document.clauses {
        heads.extend(clause.contract.iter().map(|head| (head.id.clone(), head.verdict.clone(), 0)));
        heads.last_mut().unwrap().2 += usize::from(clause.has_criterion);
    }
    heads
}

#[test]
fn each_clause_has_one_verdict_and_counts_are_those_of_clauses() {
    let campaign = contract();
    let document = document::of(&campaign);
    let worst = |verdicts: &[Verdict]| Verdict::worst(verdicts).to_string();
    let (first, rest) = campaign.verdicts.split_at(3);
    let others = rest.len() - 1;
    assert_eq!(
        heads(&document),
        [
            ("4.2".to_owned(), worst(first), 3),
            ("5 <a>".to_owned(), worst(&rest[..others]), others),
            ("6".to_owned(), "NOT RUN".to_owned(), 0),
        ]
    );
    assert!(document.overall.sentence.contains("3 clauses"), "{}", document.overall.sentence);
    assert!(sections(&campaign).all(|section| section.id != "6"), "it has no test");
    let campaign = Campaign { faults: vec!["a file is damaged".into()], ..campaign };
    let damaged = document::of(&campaign);
    assert_eq!(heads(&damaged).last(), Some(&("6".to_owned(), "INVALID".to_owned(), 0)));
    assert!(sections(&campaign).all(|section| section.id != "6"), "it has no test");
    let of_tests = |one: &Document| one.clauses.iter().filter(|clause| clause.has_criterion).count();
    assert_eq!(of_tests(&document), document::of(&golden::campaign()).clauses.len());
}

#[test]
fn text_page_and_csv_have_the_clauses_above_their_criteria() {
    let campaign = contract();
    for width in [60, 120] {
        let text = report::text(&campaign, width, report::Emphasis::None);
        let place = |wanted: &str| text.find(wanted).unwrap_or_else(|| panic!("{wanted}\n{text}"));
        assert!(place("4.2: text of 4.2 (page 12)") < place("criterion 0"), "{text}");
        assert!(place("criterion 0") < place("5 <a>: text of 5 <a>"), "{text}");
        let mut table = text.lines().take_while(|line| !line.contains("warnings"));
        assert!(table.all(|line| line.chars().count() <= width), "{text}");
    }
    let mut page = Vec::new();
    report::write_html(&campaign, &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    assert_balanced(&page);
    let rows = attributes(&page, "class").into_iter().filter(|class| class.starts_with("contract ")).count();
    assert_eq!(rows, 3);
    assert!(!page.contains("5 <a>"), "markup in an id is escaped");
    let csv = document::csv(&campaign);
    let has_columns = |csv: &str| csv.lines().next().unwrap().ends_with(",clause,clause_outcome,label");
    let own = csv.lines().filter(|line| line.rsplit(',').nth(2) == Some("4.2"));
    assert_eq!((own.count(), has_columns(&csv)), (3, true), "{csv}");
    assert!(!has_columns(&document::csv(&golden::campaign())));
}

#[test]
fn a_value_that_decides_as_written_has_its_threshold_as_written_and_no_confidence() {
    let mut campaign = golden::campaign();
    let clause = |campaign: &Campaign| document::of(campaign).clauses.remove(0);
    let usual = clause(&campaign);
    let verdict = &mut campaign.verdicts[0];
    verdict.as_written = true;
    verdict.criterion.push_str(results::AS_WRITTEN);
    verdict.statistics.as_mut().unwrap().bound = None;
    verdict.reason = reason!(ThresholdMet { comparison: ">=", .. }).with(any::rule, "as-written");
    let written = clause(&campaign);
    assert_eq!((&written.threshold, &written.margin), (&usual.threshold, &usual.margin));
    assert!(usual.basis.contains("95 %") && !written.basis.contains("95 %"), "{}", written.basis);
    assert!(written.basis.contains("without confidence") && written.criterion.contains("as written"));
}

#[test]
fn each_printed_page_has_title_result_hash_and_page_in_its_margins_whatever_the_title_is() {
    let mut campaign = golden::campaign();
    let style = |campaign: &Campaign| {
        let mut page = Vec::new();
        report::write_html(campaign, &mut page).unwrap();
        let page = String::from_utf8(page).unwrap();
        let (_, rest) = page.split_once("<style>").unwrap();
        rest.split_once("</style>").unwrap().0.to_owned()
    };
    let usual = style(&campaign);
    let hash = &campaign.head.as_ref().unwrap().hash;
    let result = document::of(&campaign).overall.word;
    for wanted in [hash.as_str(), result.as_str(), "counter(page)", "counter(pages)"] {
        assert!(usual.contains(wanted), "{wanted}");
    }
    campaign.info.title = "\"; } </style><b>\\22 ".to_owned() + &"x".repeat(300);
    let hostile = style(&campaign);
    let balance = |text: &str| text.matches('{').count() == text.matches('}').count();
    assert!(balance(&hostile) && hostile.matches('"').count() % 2 == 0);
    assert_eq!(hostile.matches('{').count(), usual.matches('{').count());
    assert!(!hostile.contains(&"x".repeat(100)), "a long title is cut");
}

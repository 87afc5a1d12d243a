//! `assay compare` and `assay index` on real campaigns, and on folders that others changed.

use std::fs;
use std::path::Path;

use crate::common::Ran;
use crate::common::campaign::Place;

/// A test whose title and clause are markup, with a parameter for its size.
const TESTS: &str = r#"
parameters = { block = "128k" }
[[test]]
id = "W"
clause = "<script>alert(1)</script> & \"more\""
ior = "-w -e -t 64k -b ${block} -k -G 3"
repetitions = 3
criterion = { metric = "write.bw", stat = "max", op = ">=", value = "1 B/s" }
[[test]]
id = "R"
uses = "W"
repetitions = 2
ior = "-R -t 64k -b ${block} -k -G 3"
criterion = { metric = "read_check.errors", op = "==", value = "0 errors" }
"#;

/// A place with two campaigns of one plan, `one` and `two`, and a third with other blocks.
fn campaigns() -> Place {
    let place = Place::new();
    place.plan(TESTS);
    for (folder, more) in [("one", ""), ("two", ""), ("other", "--set block=256k")] {
        let ran = place.assay(&format!("run p.toml --dir dir --folder {folder} {more}"));
        assert!(ran.passed(), "{ran:#?}");
    }
    place
}

/// The fields of the lines of this kind, by the names of the columns.
fn lines(csv: &str, kind: &str) -> Vec<Vec<(String, String)>> {
    let mut all = csv.lines();
    let columns: Vec<&str> = all.next().unwrap().split(',').collect();
    let own = all.filter(|line| line.starts_with(&format!("{kind},")));
    own.map(|line| {
        let fields = fields(line);
        assert_eq!(fields.len(), columns.len(), "{line}");
        columns.iter().map(|column| (*column).to_owned()).zip(fields).collect()
    })
    .collect()
}

/// The fields of a line, without their quotes.
fn fields(line: &str) -> Vec<String> {
    let (mut all, mut field, mut is_quoted) = (Vec::new(), String::new(), false);
    for c in line.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => all.push(std::mem::take(&mut field)),
            c => field.push(c),
        }
    }
    all.push(field);
    all
}

fn field<'l>(line: &'l [(String, String)], name: &str) -> &'l str {
    &line.iter().find(|(column, _)| column == name).unwrap().1
}

fn compare(place: &Place, words: &str) -> Ran {
    place.assay(&format!("compare {words}"))
}

#[test]
fn two_campaigns_are_compared_row_by_row_in_text_csv_and_html() {
    let place = campaigns();
    let ran = compare(&place, "one two --html x.html --csv x.csv");
    assert_eq!((ran.status, ran.err.as_str()), (Some(0), ""), "{ran:#?}");
    for wanted in ["A (baseline): one", "The evidence is intact.", "W write.bw", "same count", "Bonferroni"] {
        assert!(ran.out.contains(wanted), "{wanted}: {}", ran.out);
    }
    let csv = fs::read_to_string(place.path("x.csv")).unwrap();
    let ratios = lines(&csv, "ratio");
    let metrics: Vec<&str> = ratios.iter().map(|line| field(line, "metric")).collect();
    assert_eq!(metrics, ["write.bw", "read_check.errors"]);
    let [low, ratio] = ["low", "ratio"].map(|name| field(&ratios[0], name).parse::<f64>().unwrap());
    let high: f64 = field(&ratios[0], "high").parse().unwrap();
    assert!(low <= ratio && ratio <= high && high > 0.0, "{csv}");
    let counts = ["baseline_n", "n", "confidence", "ratios"].map(|name| field(&ratios[0], name).to_owned());
    assert_eq!(counts, ["3", "3", "0.95", "1"]);
    assert_eq!(field(&ratios[1], "conclusion"), "same count");
    assert!(lines(&csv, "campaign").iter().all(|line| field(line, "code") == "evidence-intact"), "{csv}");
    assert_eq!(lines(&csv, "difference"), Vec::<Vec<_>>::new(), "one plan on one machine: {csv}");
    let page = fs::read_to_string(place.path("x.html")).unwrap();
    assert!(page.contains("<svg class=\"forest\"") && page.contains("The evidence is intact."));
    assert!(!page.contains("<script") && page.contains("&lt;script&gt;"), "texts of the plan are escaped");
    assert!(!page.contains("http://") && !page.contains("https://"), "the page needs no network");
    let printed = compare(&place, "one two --csv -");
    assert_eq!((printed.status, printed.out), (Some(0), csv));
}

#[test]
fn other_parameters_are_compared_only_if_asked_and_what_differs_is_listed() {
    let place = campaigns();
    let ran = compare(&place, "one other two --csv -");
    assert_eq!(ran.status, Some(0));
    let codes = |csv: &str| -> Vec<String> {
        let of_write = lines(csv, "ratio").into_iter().filter(|line| field(line, "test") == "W");
        of_write.map(|line| field(&line, "code").to_owned()).collect()
    };
    let strict = codes(&ran.out);
    assert_eq!(strict[0], "tests-differ", "campaign B has other blocks: {strict:?}");
    assert_ne!(strict[1], "tests-differ", "campaign C has the same: {strict:?}");
    let differences = lines(&ran.out, "difference");
    let facts: Vec<&str> = differences.iter().map(|line| field(line, "fact")).collect();
    assert!(facts.contains(&"parameter") && facts.contains(&"command"), "{facts:?}");
    let block = differences.iter().find(|line| field(line, "fact") == "parameter").unwrap();
    assert_eq!([field(block, "baseline_value"), field(block, "value")], ["128k", "256k"]);
    let asked = compare(&place, "one other --other-parameters --csv -");
    assert_ne!(codes(&asked.out)[0], "tests-differ");
    let remark = &lines(&asked.out, "ratio")[0];
    assert!(field(remark, "remark").contains("although they differ: command line"), "{remark:?}");
    let strict = compare(&place, "one other --fail-below 1%");
    assert_eq!(strict.status, Some(3), "a row of the baseline is not compared: {strict:#?}");
    let below = compare(&place, "one two --fail-below 1%");
    assert_eq!(below.status, Some(0), "no row is that slow: {below:#?}");
}

#[test]
fn values_of_a_modified_campaign_are_not_used_and_the_status_says_so() {
    let place = campaigns();
    let records = place.path("two/jobs/0001-W-r1/records.jsonl");
    let text = fs::read_to_string(&records).unwrap();
    fs::write(&records, text.replacen("\"bytes\":", "\"bytes\":9", 1)).unwrap();
    let ran = compare(&place, "one two --csv -");
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    let shown = lines(&ran.out, "campaign");
    assert_eq!(field(&shown[1], "code"), "evidence-rejected");
    assert_eq!([field(&shown[0], "code"), field(&shown[1], "outcome")], ["evidence-intact", "INVALID"]);
    for line in lines(&ran.out, "ratio") {
        assert_eq!(
            [field(&line, "ratio"), field(&line, "mean"), field(&line, "n")],
            ["", "", "0"],
            "{line:?}"
        );
        assert_eq!(field(&line, "code"), "unusable-in-campaign");
    }
    // A verdict that someone changed is derived again, and the comparison says so.
    let place = campaigns();
    let verdicts = place.path("two/verdicts.json");
    let text = fs::read_to_string(&verdicts).unwrap();
    fs::write(&verdicts, text.replace("\"PASS\"", "\"FAIL\"")).unwrap();
    let ran = compare(&place, "one two --csv -");
    assert_eq!(field(&lines(&ran.out, "campaign")[1], "code"), "evidence-not-reproduced", "{}", ran.out);
    let outcomes = lines(&ran.out, "verdict");
    assert!(outcomes.iter().all(|line| field(line, "outcome") == "PASS"), "{outcomes:?}");
}

#[test]
fn an_archive_is_the_same_campaign_as_its_folder_and_bad_input_has_one_line() {
    let place = campaigns();
    place.assay("pack one -o one.tar.gz").ok();
    let packed = compare(&place, "one.tar.gz two --csv -");
    assert_eq!(packed.status, Some(0), "{packed:#?}");
    for (words, wanted) in [
        ("one one.tar.gz", "one and one.tar.gz are the same campaign. Give different ones."),
        ("one dir", "dir is not a campaign folder."),
        ("one two --html one/x.html", "--html one/x.html is inside the campaign"),
        ("one two --csv no/such/place.csv", "--csv no/such/place.csv: "),
    ] {
        let ran = compare(&place, words);
        assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{words}: {ran:#?}");
        assert!(ran.err.contains(wanted), "{words}: {}", ran.err);
    }
    for words in ["one", "one two --confidence 100%", "one two --confidence 3", "one two --fail-below 0%"] {
        assert_eq!(compare(&place, words).status, Some(2), "{words}");
    }
    assert!(!Path::new(&place.path("one/x.html")).exists());
}

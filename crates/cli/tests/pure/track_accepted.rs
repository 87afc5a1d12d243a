//! Campaigns that enter the history at their end, and criteria that compare with the accepted campaign.

use std::fs;

use crate::common::campaign::{Place, json};
use crate::common::{Ran, run};

/// Two tests. The second is compared with the accepted campaign.
const TESTS: &str = r#"
[[test]]
id = "R"
ior = "-w -e -t 64k -b 4m --rate 40MB/s"
repetitions = 2
role = "reported"
[[test]]
id = "W"
ior = "-w -e -t 64k -b SIZE --rate 40MB/s"
repetitions = 5
criterion = { metric = "write.bw", op = ">=", value = "10% of accepted", rule = "as-written", cov_max = "" }
"#;

/// A place with the plan `p.toml`, whose campaigns enter the history `h.sqlite`. The directory under test is
/// in memory, and rates are limited, so they vary little. The values alone decide, because other programs of
/// the machine disturb the rates.
struct Tracked(Place, tempfile::TempDir);

impl Tracked {
    fn new() -> Self {
        let place = Self(Place::new(), tempfile::tempdir_in("/dev/shm").unwrap());
        place.plan("4m", "10% of accepted");
        place
    }

    fn plan(&self, size: &str, value: &str) {
        let head =
            "schema = 1\nplan = { id = \"p\", title = \"t\", track = true }\nfs.s = { dir = \"{dir}\" }\n";
        let tests = TESTS.replace("SIZE", size).replace("10% of accepted", value);
        fs::write(self.0.path("p.toml"), head.to_owned() + &tests).unwrap();
    }

    /// Test and outcome of each verdict in this folder.
    fn outcomes(&self, folder: &str) -> Vec<String> {
        let verdicts = json(&self.0.path(&format!("{folder}/verdicts.json")));
        let word = |verdict: &serde_json::Value, key: &str| verdict[key].as_str().unwrap().to_owned();
        let all = verdicts.as_array().unwrap().iter();
        all.map(|one| format!("{} {}", word(one, "test"), word(one, "outcome"))).collect()
    }

    fn assay(&self, words: &str) -> Ran {
        self.with_store("h.sqlite", words)
    }

    fn with_store(&self, store: &str, words: &str) -> Ran {
        let words = words.replace("{dir}", &self.1.path().display().to_string());
        run(self.0.command(&words).env("ASSAY_STORE", self.0.path(store)))
    }
}

#[test]
fn a_campaign_of_a_tracked_plan_is_in_the_history_at_its_end() {
    let place = Tracked::new();
    place.plan("4m", "1 B/s");
    let ran = place.assay("run p.toml --dir {dir} --folder one");
    let line = format!("Added to the history: {}\n", place.0.path("h.sqlite").display());
    assert!(ran.err.contains(&line), "{ran:#?}");
    let again = place.assay("track add one").ok();
    assert!(again.starts_with("Added: 0 entries, 0 points. Known before: 1."), "{again}");
    // A history that cannot be written does not change the verdicts.
    let lost = place.with_store("p.toml/h.sqlite", "run p.toml --dir {dir} --folder two");
    assert_eq!((lost.status, place.outcomes("two")), (ran.status, vec!["W PASS".to_owned()]));
    let line = "assay: the campaign is not in the history: ";
    assert!(lost.err.contains(line) && lost.err.contains("Add it with: assay track add two"), "{lost:#?}");
}

#[test]
fn a_criterion_compares_with_the_first_campaign_since_the_accepted_note() {
    let place = Tracked::new();
    let rejected = |why: &str| {
        let ran = place.assay("run p.toml --dir {dir} --folder never");
        assert_eq!(ran.status, Some(2), "{ran:#?}");
        assert!(ran.err.contains(why), "{ran:#?}");
        assert!(!place.0.path("never").exists(), "no campaign was started");
    };
    rejected("there is no history at ");
    place.plan("4m", "1 B/s");
    place.assay("run p.toml --dir {dir} --folder one");
    place.plan("4m", "10% of accepted");
    rejected(
        "W: write.bw of `accepted`: no level is accepted. Accept one: assay track note DATE NOTE --accept",
    );
    place.assay("track note 2100-01-01 far --accept").ok();
    rejected("the first campaign since the accepted note is missing or has no usable value");
    let noted = place.assay("track note").ok();
    let id = noted.lines().nth(1).unwrap()[..16].to_owned();
    place.assay(&format!("track note --withdraw {id}")).ok();
    place.assay("track note 2020-01-01 acceptance W --accept").ok();

    let ran = place.assay("run p.toml --dir {dir} --folder two");
    assert_eq!(place.outcomes("two"), ["W PASS"], "{ran:#?}");
    let accepted = &json(&place.0.path("two/campaign.json"))["accepted"][0];
    let head = place.assay("verify one").ok();
    assert!(head.contains(accepted["hash"].as_str().unwrap()), "{accepted} {head}");
    let values: Vec<f64> = serde_json::from_value(accepted["values"].clone()).unwrap();
    assert_eq!(values.len(), 5, "{accepted}");
    let of_one = json(&place.0.path("one/verdicts.json"))[0]["value"].as_f64().unwrap();
    assert!((values.iter().sum::<f64>() / 5.0 / of_one - 1.0).abs() < 1e-9, "{accepted} {of_one}");
    assert!(ran.out.contains("Accepted campaign"), "the signed part names it: {ran:#?}");

    // The verdict is the same without the history, from the evidence alone.
    fs::remove_file(place.0.path("h.sqlite")).unwrap();
    let judged = place.assay("judge two");
    assert!(judged.out.contains("W") && judged.out.contains("PASS"), "{judged:#?}");
    place.assay("verify two").ok();
}

#[test]
fn the_accepted_campaign_can_be_given_and_must_have_measured_the_same() {
    let place = Tracked::new();
    place.plan("4m", "1 B/s");
    place.assay("run p.toml --dir {dir} --folder one");
    place.plan("4m", "10% of accepted");
    place.assay("run p.toml --dir {dir} --folder two --accepted one");
    assert_eq!(place.outcomes("two"), ["W PASS"]);
    place.plan("4m", "5000% of accepted");
    place.assay("run p.toml --dir {dir} --folder three --accepted one");
    assert_eq!(place.outcomes("three"), ["W FAIL"]);

    place.plan("6m", "10% of accepted");
    let other = place.assay("run p.toml --dir {dir} --folder four --accepted one");
    assert_eq!(place.outcomes("four"), ["W INVALID"]);
    assert!(
        other.out.contains("The accepted campaign measured this with another command line."),
        "{other:#?}"
    );

    place.plan("4m", "1 B/s");
    let unused = place.assay("run p.toml --dir {dir} --folder five --accepted one");
    assert_eq!(unused.status, Some(2));
    assert!(unused.err.contains("no criterion of the plan compares with `accepted`"), "{unused:#?}");
    place.plan("4m", "10% of accepted");
    fs::write(place.0.path("one/verdicts.json"), "{}").unwrap();
    let modified = place.assay("run p.toml --dir {dir} --folder six --accepted one");
    assert_eq!(modified.status, Some(2), "{modified:#?}");
    assert!(!place.0.path("six").exists());
}

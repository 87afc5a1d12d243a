//! `assay compare` on campaigns whose true ratios are known, because their transfers are rate-limited.

use crate::common;
use crate::common::campaign::Place;

/// Writes 48 transfers of each of two ranks at this many transfers per second in all. It reads them at a rate
/// that is the same in all campaigns.
const TESTS: &str = r#"
parameters = { rate = "80/s" }
defaults = { ranks = 2, timeout = "90 s", repetitions = 4 }
[[test]]
id = "W"
ior = "-w -e -F -t 4k -b 192k -k -G 3 --rate ${rate}"
criterion = { metric = "write.bw", op = ">=", value = "1 B/s" }
[[test]]
id = "R"
uses = "W"
cache = "warm"
ior = "-r -F -t 4k -b 192k -k -G 3 --rate 80/s"
criterion = { metric = "read.bw", op = ">=", value = "1 B/s" }
"#;

/// The part of an interval that systematic costs, such as opening files, may take.
const OVERHEAD: f64 = 0.05;

/// The conclusion and the interval of a metric in a comparison as CSV.
fn ratio(csv: &str, metric: &str) -> (String, [f64; 3]) {
    let columns: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let wanted = format!(",{metric},");
    let line = csv.lines().find(|line| line.starts_with("ratio,") && line.contains(&wanted)).expect(metric);
    let fields: Vec<&str> = line.split(',').collect();
    let of = |name: &str| fields[columns.iter().position(|column| *column == name).unwrap()];
    let numbers =
        ["low", "ratio", "high"].map(|name| of(name).parse().unwrap_or_else(|_| panic!("{name}: {line}")));
    (of("conclusion").to_owned(), numbers)
}

#[test]
fn half_the_rate_is_found_with_its_interval_and_equal_rates_show_no_loss() {
    let place = Place::new();
    let head = common::campaign::HEAD.replace("defaults = { ranks = 2, timeout = \"90 s\" }\n", "");
    std::fs::write(place.path("p.toml"), format!("{head}{TESTS}")).unwrap();
    for (folder, rate) in [("full", "80/s"), ("again", "80/s"), ("half", "40/s")] {
        let ran = place.assay(&format!("run p.toml --dir dir --set rate={rate} --folder {folder}"));
        assert!(ran.passed(), "{ran:#?}");
    }
    let half = place.assay("compare full half --other-parameters --csv -").ok();
    let (conclusion, [low, found, high]) = ratio(&half, "write.bw");
    assert_eq!(conclusion, "slower", "{half}");
    assert!(low - OVERHEAD <= 0.5 && 0.5 <= high + OVERHEAD, "{low} {found} {high}");
    assert!((found - 0.5).abs() < OVERHEAD && high - low < 0.2, "{low} {found} {high}");
    for (other, metric) in [("half", "read.bw"), ("again", "write.bw"), ("again", "read.bw")] {
        let csv = place.assay(&format!("compare full {other} --other-parameters --csv -")).ok();
        let (_, [low, found, high]) = ratio(&csv, metric);
        assert!(low - OVERHEAD <= 1.0 && 1.0 <= high + OVERHEAD, "{other} {metric}: {low} {found} {high}");
        assert!((found - 1.0).abs() < OVERHEAD, "{other} {metric}: {found}");
    }
    let failed = place.assay("compare full half --other-parameters --fail-below 95%");
    assert_eq!(failed.status, Some(1), "half the rate is below 95 %: {failed:#?}");
    let passed = place.assay("compare full again --fail-below 95%");
    assert_eq!(passed.status, Some(0), "equal rates are not below 95 %: {passed:#?}");
    let faster = place.assay("compare half full --other-parameters --csv -").ok();
    assert_eq!(ratio(&faster, "write.bw").0, "faster");
}

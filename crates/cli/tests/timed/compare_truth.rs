//! `assay compare` on campaigns whose true ratios are known, because their transfers or their device are
//! rate-limited.

use std::time::Duration;

use crate::common::campaign::{Place, names};
use crate::common::gluster::{Gluster, Volume};
use crate::common::{self, only_in_all, run_for};

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

/// The longest wait for a campaign on a slow device, on a machine with other load.
const PATIENCE: Duration = Duration::from_secs(900);
/// The speed of the device in bytes per second. It is low, so that no other part of a machine is the limit.
const DEVICE_RATE: u64 = 1 << 20;
/// Two ranks write for a fixed time, so that what an idle device has saved up is the same share in all
/// campaigns.
const ON_DEVICE: &str = r#"
defaults = { ranks = 2, timeout = "5 min", repetitions = 5 }
[[test]]
id = "W"
ior = "-w -e -F -t 64k -b 16m -D 6 -G 3"
criterion = { metric = "write.bw", op = ">=", value = "1 B/s" }
"#;

/// The intervals have 99.9 %, so that a correct program fails this test in one of 500 runs.
#[test]
fn the_interval_of_two_speeds_of_a_device_contains_their_ratio_and_excludes_equality() {
    if !only_in_all("writes for minutes to a throttled device, whose rate other tests would disturb") {
        return;
    }
    let Some(gluster) = Gluster::start(Volume::Distribute, &[DEVICE_RATE]) else { return };
    let place = Place::new();
    let head = common::campaign::HEAD.replace("defaults = { ranks = 2, timeout = \"90 s\" }\n", "");
    std::fs::write(place.path("p.toml"), format!("{head}{ON_DEVICE}")).unwrap();
    for (folder, rate) in [
        ("full", DEVICE_RATE),
        ("again", DEVICE_RATE),
        ("less", DEVICE_RATE * 3 / 4),
        ("half", DEVICE_RATE / 2),
    ] {
        gluster.throttle(1, rate);
        let mut command = place.command(&format!("run p.toml --folder {folder}"));
        let ran = run_for(command.arg("--dir").arg(gluster.mount()), PATIENCE);
        assert!(ran.passed(), "{ran:#?}");
        assert_eq!(names(&gluster.mount()), [""; 0], "{ran:#?}");
    }
    let compared = |other: &str| {
        let csv = place.assay(&format!("compare full {other} --confidence 99.9% --csv -")).ok();
        let (conclusion, interval) = ratio(&csv, "write.bw");
        println!("{other}: {conclusion} {interval:?}");
        (conclusion, interval)
    };
    for (other, wanted, truth) in
        [("again", "no difference shown", 1.0), ("less", "slower", 0.75), ("half", "slower", 0.5)]
    {
        let (conclusion, [low, found, high]) = compared(other);
        assert_eq!(conclusion, wanted, "{other}: {low} {found} {high}");
        assert!(low <= truth && truth <= high, "{other}: {low} {found} {high}");
    }
}

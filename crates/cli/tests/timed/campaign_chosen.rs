//! Numbers that were chosen: by a launcher that has time for more than one run, and by a user who resumes a
//! campaign on other nodes. The same plan without the choice has no such finding.

use std::fs;

use crate::common::campaign::{Place, json, may_mount_alone, signal, until};

const PLAN: &str = "[[test]]\nid = \"W\"\nrepetitions = 2\nior = \"-w -e -t 64k -b 1m\"\n\
                    criterion = { metric = \"write.bw\", op = \">=\", value = \"1 B/s\", \
                    rule = \"as-written\" }\n";

/// A launch table that starts the ranks by the shell command `before`, whose `"$@"` is the program.
fn through(before: &str) -> String {
    let script = format!("ranks=$1 program=$2; shift 2; set -- \"$program\" -n \"$ranks\" \"$@\"; {before}");
    let argv = ["sh", "-c", &script, "sh", "{ranks}", "{cmd}"];
    format!("[launch]\nkind = \"mpirun\"\nargv = {argv:?}\nprobe = false\n")
}

/// The severities of the findings of this code.
fn severities(place: &Place, code: &str) -> Vec<String> {
    let summary = json(&place.folder().join("summary.json"));
    let findings = summary["findings"].as_array().into_iter().flatten();
    findings
        .filter(|finding| finding["reason"]["code"] == code)
        .map(|finding| finding["severity"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_launcher_that_has_time_for_other_runs_needs_a_waiver() {
    // 30 s are allowed, and half of the run, whose times are in whole seconds.
    for (before, wanted) in [("sleep 36; exec \"$@\"", &["needs-waiver"][..]), ("exec \"$@\"", &[])] {
        let place = Place::new();
        place.plan(&format!("{}{}", through(before), PLAN.replace("repetitions = 2", "repetitions = 1")));
        let ran = place.campaign();
        assert_eq!(place.outcomes(), ["W PASS"], "{ran:#?}");
        assert_eq!(severities(&place, "unexplained-time"), wanted, "{before}");
    }
}

#[test]
fn a_campaign_that_is_resumed_on_another_node_needs_a_waiver_and_on_its_own_it_does_not() {
    for (resumed_on, wanted) in [("n2", &["needs-waiver"][..]), ("n1", &[])] {
        let place = Place::new();
        if !may_mount_alone(&place.dir()) {
            return;
        }
        let [name, first, second, hold] = ["name", "first", "second", "hold"].map(|name| place.path(name));
        fs::write(&name, "n1").unwrap();
        fs::write(&hold, "").unwrap();
        // The second attempt waits until it is stopped with the campaign.
        let wait = format!("while [ -e {hold:?} ]; do touch {second:?}; sleep 0.05; done");
        let wait = format!("[ ! -e {first:?} ] || {wait}; touch {first:?}");
        let named = format!("exec unshare -u sh -c 'hostname \"$(cat {name:?})\"; exec \"$@\"' sh \"$@\"");
        place.plan(&format!("{}{PLAN}", through(&format!("{wait}; {named}"))));
        let mut campaign = place.start("run p.toml --dir dir");
        until("the second attempt", || second.exists());
        assert!(signal("-INT", campaign.id()));
        campaign.wait().unwrap();
        fs::remove_file(&hold).unwrap();
        fs::write(&name, resumed_on).unwrap();
        let ran = place.assay(&format!("run --resume {}", place.folder().display()));
        assert_eq!(place.outcomes(), ["W PASS"], "{ran:#?}");
        assert_eq!(severities(&place, "other-nodes"), wanted, "{resumed_on}: {ran:#?}");
    }
}

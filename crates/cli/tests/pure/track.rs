//! `assay track`: campaigns and tables of other programs in one history.

use std::fs;

use crate::common::campaign::Place;

const TESTS: &str = r#"
[[test]]
id = "W"
clause = "writes"
ior = "-w -e -t 64k -b 128k"
repetitions = 2
criterion = { metric = "write.bw", stat = "max", op = ">=", value = "1 B/s" }
[[test]]
id = "R"
ior = "-w -e -t 64k -b 128k"
role = "reported"
"#;

const STORE: &str = "--store h.sqlite";

/// A place with the finished campaigns of these names.
fn campaigns(folders: &[&str]) -> Place {
    let place = Place::new();
    place.plan(TESTS);
    for folder in folders {
        place.assay(&format!("run p.toml --dir dir --folder {folder}")).ok();
    }
    place
}

fn exported(place: &Place, words: &str) -> Vec<serde_json::Value> {
    let text = place.assay(&format!("track export {STORE} --format jsonl {words}")).ok();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn campaigns_of_one_plan_are_points_of_the_same_series_with_their_evidence() {
    let place = campaigns(&["one", "two"]);
    place.assay("pack one -o one.tar.gz").ok();
    let added = place.assay(&format!("track add {STORE} --system lab one two")).ok();
    assert_eq!(added, "Added: 2 entries, 4 points. Known before: 0. History: h.sqlite\n");
    let again = place.assay(&format!("track add {STORE} one.tar.gz two")).ok();
    assert_eq!(again, "Added: 0 entries, 0 points. Known before: 2. History: h.sqlite\n");

    let list = place.assay(&format!("track list {STORE}")).ok();
    assert!(
        list.contains(" / p / W / write.bw  2 ") && list.ends_with("2 series. History: h.sqlite\n"),
        "{list}"
    );
    let points = exported(&place, "W");
    assert_eq!(points.len(), 2);
    let head = place.assay("verify one").ok();
    let hash = points[0]["evidence"].as_str().unwrap();
    assert!(hash.len() == 64 && head.contains(hash), "{hash}: {head}");
    assert_eq!(points[0]["values"].as_array().unwrap().len(), 2);
    assert_eq!((&points[0]["outcome"], &points[0]["threshold"]), (&"PASS".into(), &1.0.into()));
    assert!(points[0]["location"].as_str().unwrap().ends_with("/one"), "{points:#?}");
    assert_eq!(points[0]["system"], "lab");
    assert!(points[0]["fill"].as_f64().is_some_and(|share| (0.0..=1.0).contains(&share)));
}

#[test]
fn a_campaign_with_changed_records_or_without_an_end_is_not_added() {
    let place = campaigns(&["sound", "changed"]);
    let records = place.path("changed/jobs/0001-W-r1/records.jsonl");
    let text = fs::read_to_string(&records).unwrap();
    fs::write(&records, text.replacen("\"bytes\":", "\"bytes\":9", 1)).unwrap();
    let ran = place.assay(&format!("track add {STORE} changed sound dir"));
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    assert_eq!(ran.out, "Added: 1 entry, 2 points. Known before: 0. History: h.sqlite\n");
    let notes: Vec<&str> = ran.err.lines().collect();
    assert!(
        notes[0].starts_with("assay: note: changed is not added: ") && notes[0].contains("changed"),
        "{notes:?}"
    );
    assert!(notes[1].starts_with("assay: note: dir is not added: dir is not a campaign folder"), "{notes:?}");
}

#[test]
fn an_extended_campaign_replaces_what_was_added_before() {
    let place = campaigns(&["one"]);
    place.assay(&format!("track add {STORE} one")).ok();
    place.assay("run --extend one --repetitions 3 --reason more").ok();
    let added = place.assay(&format!("track add {STORE} one")).ok();
    assert!(added.starts_with("Added: 1 entry"), "{added}");
    let points = exported(&place, "W");
    assert_eq!((points.len(), points[0]["repetitions"].as_u64()), (1, Some(5)), "{points:#?}");
}

#[test]
fn a_campaign_is_there_once_however_often_it_is_moved_packed_and_extended() {
    let place = campaigns(&["one"]);
    place.assay(&format!("track add {STORE} one")).ok();
    fs::create_dir_all(place.path("archive/2026")).unwrap();
    fs::rename(place.path("one"), place.path("archive/2026/moved")).unwrap();
    place.assay("pack archive/2026/moved -o first.tar.gz").ok();
    place.assay("run --extend archive/2026/moved --repetitions 3 --reason more").ok();
    place.assay("pack archive/2026/moved -o second.tar.gz").ok();
    // The first archive has the campaign before it was extended, the folder and the second one after it.
    for paths in ["first.tar.gz", "archive/2026/moved second.tar.gz", "one.tar.gz first.tar.gz"] {
        if paths.starts_with("one") {
            fs::copy(place.path("second.tar.gz"), place.path("one.tar.gz")).unwrap();
        }
        place.assay(&format!("track add {STORE} {paths}")).ok();
    }
    let points = exported(&place, "W");
    assert_eq!((points.len(), points[0]["repetitions"].as_u64()), (1, Some(5)), "{points:#?}");
    let list = place.assay(&format!("track list {STORE}")).ok();
    assert!(list.ends_with("2 series. History: h.sqlite\n"), "{list}");
    let other = place.assay("track add --store other.sqlite second.tar.gz first.tar.gz").ok();
    assert!(other.starts_with("Added: 2 entries"), "{other}");
    let text = place.assay("track export --store other.sqlite --format jsonl W").ok();
    assert_eq!(text.lines().count(), 1, "the longer one counts in any order: {text}");
}

#[test]
fn a_campaign_whose_job_failed_is_a_point_without_values_in_the_same_part() {
    let place = Place::new();
    let broken = place.path("broken");
    place.plan(&TESTS.replacen(
        "repetitions = 2",
        &format!("setup = [\"test ! -e {}\"]\nrepetitions = 2", broken.display()),
        1,
    ));
    let run = |folder: &str| place.assay(&format!("run p.toml --dir dir --folder {folder}"));
    run("c1").ok();
    fs::write(&broken, "").unwrap();
    let failed: Vec<String> = (2..8).map(|number| format!("c{number}")).collect();
    for folder in &failed {
        let ran = run(folder);
        assert!(!ran.passed(), "{ran:#?}");
    }
    place.assay(&format!("track add {STORE} c1 {}", failed[..5].join(" "))).ok();
    let points = exported(&place, "W");
    let values: Vec<usize> = points.iter().map(|one| one["values"].as_array().unwrap().len()).collect();
    assert_eq!(values, [2, 0, 0, 0, 0, 0], "{points:#?}");
    let ran = place.assay(&format!("track check {STORE} / W /"));
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    assert!(ran.out.contains("last 5 points without usable values ("), "{ran:#?}");
    let last = "1 series: 0 fell, 1 without usable values in the last 5 points or more. History: h.sqlite\n";
    assert!(ran.out.ends_with(last), "{ran:#?}");
    fs::remove_file(&broken).unwrap();
    run("c9").ok();
    place.assay(&format!("track add {STORE} c9")).ok();
    let ran = place.assay(&format!("track check {STORE} / W /"));
    assert!(ran.out.contains("  too few points: 2\n"), "the failed campaigns began no other part: {ran:#?}");
}

#[test]
fn a_table_of_another_program_is_added_with_names_for_its_columns() {
    let place = Place::new();
    fs::write(place.path("t.csv"), "epoch,mib\n100,2\n200,4\n").unwrap();
    let words = format!("track add {STORE} t.csv --system edison --map time=epoch --map value=mib");
    let ran = place.assay(&words);
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    assert!(ran.err.contains("t.csv is not added: line 1: unit is missing"), "{}", ran.err);
    let added = place.assay(&format!("{words} --set unit=MiB/s --set test=fpp")).ok();
    assert!(added.starts_with("Added: 1 entry, 2 points."), "{added}");
    let csv = place.assay(&format!("track export {STORE}")).ok();
    assert!(csv.contains("\n100,2097152,B/s,edison,,csv,,fpp,value,1,"), "{csv}");
    let metrics = place.assay(&format!("track export {STORE} --format openmetrics -o m.prom")).ok();
    assert_eq!(metrics, "");
    assert!(fs::read_to_string(place.path("m.prom")).unwrap().contains("\nassay_value{system=\"edison\","));
    let unknown = place.assay(&format!("{words} --set nothing=1"));
    assert_eq!(unknown.status, Some(2), "{unknown:#?}");
}

#[test]
fn logs_of_ior_and_mdtest_are_points_with_their_repetitions_and_sizes() {
    let place = Place::new();
    let ior = place.assay("-n 2 ior -w -r -i 3 -F -t 64k -b 128k -o dir/f").ok();
    fs::write(place.path("ior.log"), &ior).unwrap();
    fs::write(place.path("mdtest.log"), place.assay("mdtest -n 10 -u -d dir/m").ok()).unwrap();
    fs::write(place.path("other.log"), "nothing\n").unwrap();
    let ran = place.assay(&format!("track add {STORE} ior.log mdtest.log other.log --system lab"));
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    assert!(
        ran.err.contains("other.log is not added: it is neither a campaign nor an output"),
        "{}",
        ran.err
    );
    assert!(ran.out.starts_with("Added: 2 entries, "), "{}", ran.out);
    let writes = exported(&place, "ior write.bw");
    assert_eq!((writes.len(), writes[0]["repetitions"].as_u64()), (1, Some(3)), "{writes:#?}");
    assert_eq!(writes[0]["test"], "-w -r -i 3 -F -t 64k -b 128k");
    let row = ior.lines().find(|line| line.starts_with("write ")).unwrap();
    let mib: f64 = row.split_whitespace().nth(1).unwrap().parse().unwrap();
    let first = writes[0]["values"][0].as_f64().unwrap();
    assert!((first / (mib * 1_048_576.0) - 1.0).abs() < 1e-9, "{first} {row}");
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs_f64();
    assert!((writes[0]["time"].as_f64().unwrap() - now).abs() < 600.0, "{writes:#?}");
    assert_eq!(exported(&place, "mdtest file_creation").len(), 1);
    let again = place.assay(&format!("track add {STORE} ior.log")).ok();
    assert!(again.contains("Known before: 1."), "{again}");
}

#[test]
fn records_of_runs_are_points_and_those_of_a_killed_run_are_not() {
    let place = Place::new();
    for day in ["one", "two"] {
        place.assay(&format!("-n 2 ior -w -i 2 -F -t 64k -b 128k -o dir/{day} --record {day}.jsonl")).ok();
    }
    place.assay("mdtest -n 10 -u -d dir/m --record m.jsonl").ok();
    let whole = fs::read_to_string(place.path("one.jsonl")).unwrap();
    let cut = &whole[..whole.len() - 20];
    fs::write(place.path("cut.jsonl"), cut).unwrap();
    fs::write(place.path("bad.jsonl"), whole.replacen("\"bytes\":", "\"bytes\":x", 1)).unwrap();
    let ran = place.assay(&format!("track add {STORE} one.jsonl two.jsonl m.jsonl cut.jsonl bad.jsonl"));
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    assert!(ran.out.starts_with("Added: 3 entries, "), "{ran:#?}");
    let notes: Vec<&str> = ran.err.lines().collect();
    assert_eq!(
        notes[0],
        "assay: note: cut.jsonl is not added: the run has not ended, or was killed: the last record is \
         missing"
    );
    assert!(notes[1].contains("bad.jsonl line ") && notes.len() == 2, "{notes:?}");
    let writes = exported(&place, "ior write.bw");
    assert_eq!(writes.len(), 2, "the names of files do not count: {writes:#?}");
    assert_eq!(
        (&writes[0]["test"], &writes[0]["source"]),
        (&"ior -w -i 2 -F -t 64k -b 128k".into(), &"records".into())
    );
    assert_eq!(writes[0]["repetitions"].as_u64(), Some(2));
    assert_eq!(exported(&place, "mdtest file_creation.rate").len(), 1);
}

/// A history of tests that fell to 80 % on 23 August 2017, stayed, and are too young.
fn fallen() -> Place {
    let place = Place::new();
    // The noise is of a few percent.
    let mixed = |day: u32| (u64::from(day) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let noise = |day: u32| ((mixed(day) ^ mixed(day) >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40) as f64;
    let noise = |day: u32| noise(day) / f64::from(1 << 24) * 0.06;
    let mut table = "time,value,test,unit\n".to_owned();
    for day in 0..80_u32 {
        let (time, low) = (1_500_000_000 + 86_400 * u64::from(day), if day < 40 { 1.0 } else { 0.8 });
        let value = 100.0 * (1.0 + noise(day));
        table += &format!("{time},{},fell,MB/s\n{time},{value},same,MB/s\n", value * low);
        if day < 5 {
            table += &format!("{time},{value},young,MB/s\n");
        }
    }
    fs::write(place.path("t.csv"), table).unwrap();
    place.assay(&format!("track add {STORE} t.csv --system lab")).ok();
    place
}

#[test]
fn a_check_fails_for_a_series_that_fell_and_names_the_day() {
    let place = fallen();
    let ran = crate::common::run(place.command(&format!("track check {STORE}")).env("TZ", "UTC"));
    assert_eq!(ran.status, Some(1), "{ran:#?}");
    let row = |text: &str| ran.out.lines().find(|line| line.contains(text)).unwrap_or_default().to_owned();
    let fell = row("/ fell /");
    assert!(fell.contains(" 80 % (7") && fell.ends_with("FELL on 2017-08-23"), "{fell}");
    assert!(row("/ same /").ends_with("no change found") && row("/ young /").ends_with("too few points: 5"));
    let change = "\n  lab / csv / fell / value  x0.80 on 2017-08-23 02:40\n";
    assert!(ran.out.contains(&format!("{change}  No recorded fact differs before and after.\n")), "{ran:#?}");
    let elsewhere = crate::common::run(place.command(&format!("track check {STORE}")).env("TZ", "UTC+5"));
    assert!(elsewhere.out.contains("x0.80 on 2017-08-22 21:40\n"), "dates are local: {elsewhere:#?}");
    assert!(ran.out.ends_with("3 series: 1 fell, 1 with fewer than 10 usable points. History: h.sqlite\n"));

    let status = |words: &str| place.assay(&format!("track check {STORE} {words}")).status;
    assert_eq!(status("--fall 30%"), Some(0), "the fall is smaller");
    assert_eq!(status("--since 2017-09-01 fell"), Some(0), "the fall is older");
    assert_eq!((status("same"), status("young")), (Some(0), Some(3)));
    assert_eq!((status("--fall much"), status("--since soon")), (Some(2), Some(2)));
}

#[test]
fn a_check_of_the_newest_point_reports_one_slow_night() {
    let place = Place::new();
    let night = |day: u32| {
        let value = if day == 29 { 30.0 } else { 100.0 + f64::from(day * 7 % 5) };
        format!("{},{value},night,MB/s\n", 1_500_000_000 + 86_400 * day)
    };
    let nights: String = (0..30).map(night).collect();
    fs::write(place.path("t.csv"), format!("time,value,test,unit\n{nights}")).unwrap();
    place.assay(&format!("track add {STORE} t.csv --system lab")).ok();
    let check = |words: &str| {
        crate::common::run(place.command(&format!("track check {STORE} {words}")).env("TZ", "UTC"))
    };
    assert_eq!(check("").status, Some(0), "one point is no new level");
    let ran = check("--last");
    assert_eq!(ran.status, Some(1), "{ran:#?}");
    assert!(ran.out.contains("  no change found; SLOW on 2017-08-12: 29 % of its level\n"), "{ran:#?}");
    assert!(
        ran.out.ends_with("1 series: 0 fell, 1 with a slow newest point. History: h.sqlite\n"),
        "{ran:#?}"
    );
    assert_eq!(check("--last --fall 80%").status, Some(0), "it is slower by less");
    let accept = format!("track note {STORE} 2017-08-12 stopped night --accept");
    crate::common::run(place.command(&accept).env("TZ", "UTC")).ok();
    assert_eq!(check("--last").status, Some(0), "it is accepted");
}

#[test]
fn a_note_explains_a_fall_and_an_accepted_one_is_the_new_baseline() {
    let place = fallen();
    let track = |words: &[&str]| {
        let mut command = place.command("track note --store h.sqlite --author ann");
        crate::common::run(command.args(words))
    };
    let noted = track(&["2017-08-24", "firmware\u{1b}[2J 4.1", "lab", "fell"]).ok();
    assert!(noted.starts_with("Note ") && noted.contains(" about 1 series. History: h.sqlite"), "{noted}");
    track(&["2017-08-24", "another series", "same"]).ok();
    track(&["2017-10-01", "another time"]).ok();
    let check = || place.assay(&format!("track check {STORE}"));
    let explained = check();
    assert_eq!(explained.status, Some(1), "a note does not accept the fall");
    let lines: Vec<&str> = explained.out.lines().filter(|line| line.starts_with("  note")).collect();
    assert_eq!(lines, ["  note 2017-08-24 (ann): firmware\\u001b[2J 4.1"], "{explained:#?}");

    let accepted = track(&["2017-08-24", "half of the targets moved", "fell", "--accept"]).ok();
    assert!(accepted.contains(" about 1 series, their new baseline."), "{accepted}");
    assert_eq!(check().status, Some(0), "the level since then is the baseline");
    assert_eq!(place.assay(&format!("track check {STORE} --since 2017-07-14")).status, Some(1));

    let list = place.assay(&format!("track note {STORE}")).ok();
    assert_eq!(list.lines().count(), 6, "{list}");
    let row = list.lines().find(|line| line.contains("accepted")).unwrap();
    assert!(
        row.contains("  2017-08-24  fell ") && row.ends_with("  ann  half of the targets moved"),
        "{row}"
    );
    let id = &row[..16];
    let withdrawn = place.assay(&format!("track note {STORE} --withdraw {id}")).ok();
    let line = "Withdrawn: 2017-08-24 (ann, accepted): half of the targets moved\n";
    assert_eq!(withdrawn, line);
    assert_eq!(check().status, Some(1));
    for (words, why) in [
        ("--withdraw 0", "--withdraw 0: no note with this id. See the ids with assay track note."),
        ("2017-08-24 word nothing", "no series has `nothing` in its name. See assay track list."),
        ("2017-08-24", "NOTE"),
        ("--accept", "DATE"),
    ] {
        let ran = place.assay(&format!("track note {STORE} {words}"));
        assert_eq!(ran.status, Some(2), "{words}: {ran:#?}");
        assert!(ran.err.contains(why), "{words}: {ran:#?}");
    }
}

#[test]
fn old_points_are_removed_on_request_only_and_the_check_keeps_its_baseline() {
    let place = fallen();
    let prune = |words: &str| place.assay(&format!("track prune {STORE} --before 2017-09-20T00:00Z {words}"));
    let counted = prune("").ok();
    let end = "28 points of 1 series can be removed. To remove them, add --yes. History: h.sqlite\n";
    assert!(counted.ends_with(end) && counted.contains("/ fell / value  80      28\n"), "{counted}");
    assert_eq!(exported(&place, "/ fell /").len(), 80, "nothing was removed yet");
    let removed = prune("--yes").ok();
    assert!(removed.ends_with("Removed: 28 points of 1 series. History: h.sqlite\n"), "{removed}");
    assert_eq!((exported(&place, "/ fell /").len(), exported(&place, "/ same /").len()), (52, 80));
    let check = place.assay(&format!("track check {STORE}"));
    assert!(check.status == Some(1) && check.out.contains(" 80 % (7"), "{check:#?}");
    let again = place.assay(&format!("track add {STORE} t.csv --system lab")).ok();
    assert!(again.starts_with("Added: 0 entries, 0 points. Known before: 1."), "{again}");
    assert!(prune("--yes").ok().starts_with("No point can be removed."));
}

#[test]
fn a_file_that_is_no_history_is_left_as_it_is() {
    let place = Place::new();
    fs::write(place.path("t.csv"), "time,value,unit,test\n1,1,s,A\n").unwrap();
    let foreign = "no database, with more than a hundred bytes ".repeat(4);
    fs::write(place.path("h.sqlite"), &foreign).unwrap();
    let ran = place.assay(&format!("track add {STORE} t.csv"));
    let line = "assay: h.sqlite is not a history of assay, and is left as it is. Name another place for the \
                history.\n";
    assert_eq!((ran.status, ran.err.as_str()), (Some(2), line));
    assert_eq!(fs::read_to_string(place.path("h.sqlite")).unwrap(), foreign);
    let missing = place.assay("track list --store none.sqlite");
    let line = "assay: there is no history at none.sqlite. Make one with assay track add.\n";
    assert_eq!((missing.status, missing.err.as_str()), (Some(2), line));
}

#[test]
fn without_the_option_the_history_is_in_the_data_directory_of_the_user() {
    let place = Place::new();
    fs::write(place.path("t.csv"), "time,value,unit,test\n1,1,s,A\n").unwrap();
    let run = |variable: (&str, &str)| {
        let mut command = place.command("track add t.csv");
        for name in ["ASSAY_STORE", "XDG_DATA_HOME", "HOME"] {
            command.env_remove(name);
        }
        crate::common::run(command.env(variable.0, place.path(variable.1)))
    };
    run(("HOME", "home")).ok();
    assert!(place.path("home/.local/share/assay/history.sqlite").exists());
    run(("XDG_DATA_HOME", "data")).ok();
    assert!(place.path("data/assay/history.sqlite").exists());
    run(("ASSAY_STORE", "own.sqlite")).ok();
    assert!(place.path("own.sqlite").exists());
    let none = run(("UNUSED", "x"));
    assert_eq!(none.status, Some(2), "{none:#?}");
}

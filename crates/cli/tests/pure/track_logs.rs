//! `assay track add` with logs of other programs, in the forms of their releases.

use std::fs;

use crate::common::campaign::Place;

const STORE: &str = "--store h.sqlite";

/// Test and metric of all points, with their values, sorted.
fn points(place: &Place) -> Vec<(String, String, Vec<f64>)> {
    let text = place.assay(&format!("track export {STORE} --format jsonl")).ok();
    let point = |line: &str| {
        let point: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = |name: &str| point[name].as_str().unwrap().to_owned();
        let values = point["values"].as_array().unwrap().iter().map(|value| value.as_f64().unwrap());
        (text("test"), text("metric"), values.collect::<Vec<f64>>())
    };
    let mut points: Vec<_> = text.lines().map(point).collect();
    points.sort_by(|one, other| {
        (&one.0, &one.1, one.2[0]).partial_cmp(&(&other.0, &other.1, other.2[0])).unwrap()
    });
    points
}

/// The names of `points`.
fn names(place: &Place) -> Vec<String> {
    points(place).into_iter().map(|(test, metric, _)| format!("{test} / {metric}")).collect()
}

/// A run of ior 3.0 with these arguments on this Tuesday of February 2017.
fn ior_3_0(arguments: &str, day: u32, mib: f64) -> String {
    let access = if arguments.contains("-F") { "file-per-process" } else { "single-shared-file" };
    format!(
        "IOR-3.0.1: MPI Coordinated Test of Parallel I/O\n\nBegan: Tue Feb {day:2} 09:35:00 2017\n\
         Command line used: /opt/ior {arguments} -o /scratch/{day}/f\nMachine: Linux n1\n\n\
         Test 0 started: Tue Feb {day:2} 09:35:00 2017\nSummary:\n\tapi                = POSIX\n\
         \taccess             = {access}\n\tclients            = 16 (8 per node)\n\
         \txfersize           = 65536 bytes\n\tblocksize          = 2 MiB\n\n\
         access    bw(MiB/s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter\n\
         write     {mib:.2}     256.00     64.00      0.012099   0.012132   0.012036   0.012250   0   \n\n\
         Max Write: {mib:.2} MiB/sec (43.36 MB/sec)\n\nFinished: Tue Feb {day:2} 09:36:00 2017\n"
    )
}

/// A run of mdtest 1.9.3 that only creates.
fn mdtest_1_9(day: u32) -> String {
    format!(
        "-- started at 02/{day:02}/2017 10:00:00 --\n\n\
         mdtest-1.9.3 was launched with 2 total task(s) on 1 node(s)\n\
         Command line used: /opt/mdtest \"-C\" \"-F\" \"-n\" \"20\" \"-d\" \"/scratch/{day}/m\"\n\
         Path: /scratch\nFS: 252.0 GiB   Used FS: 14.1%   Inodes: 16.0 Mi   Used Inodes: 3.3%\n\n\
         2 tasks, 40 files\n\nSUMMARY rate: (of 1 iterations)\n   \
         Operation                      Max            Min           Mean        Std Dev\n   \
         File creation     :       2499.592       2499.592       2499.592          0.000\n   \
         File stat         :          0.000          0.000          0.000          0.000\n   \
         Tree creation     :         49.947         49.947         49.947          0.000\n\n\
         -- finished at 02/{day:02}/2017 10:00:01 --\n"
    )
}

#[test]
fn a_command_line_of_an_old_ior_names_its_series_without_its_files() {
    let place = Place::new();
    fs::write(place.path("a.log"), ior_3_0("-a POSIX -w", 7, 40.5)).unwrap();
    fs::write(place.path("b.log"), ior_3_0("-a POSIX -F -w", 14, 80.5)).unwrap();
    fs::write(place.path("c.log"), ior_3_0("-a POSIX -w", 21, 41.5)).unwrap();
    place.assay(&format!("track add {STORE} a.log b.log c.log")).ok();
    let shared = "-a POSIX -w / write.bw";
    assert_eq!(names(&place), ["-a POSIX -F -w / write.bw", shared, shared]);
    assert_eq!(points(&place)[0].2, [80.5 * 1_048_576.0]);
}

#[test]
fn a_phase_of_mdtest_that_never_ran_is_no_point_and_quotes_are_no_part_of_a_name() {
    let place = Place::new();
    fs::write(place.path("m.log"), mdtest_1_9(7)).unwrap();
    place.assay(&format!("track add {STORE} m.log")).ok();
    assert_eq!(names(&place), ["-C -F -n 20 / file_creation.rate"]);
}

#[test]
fn each_run_of_a_log_is_an_entry_and_a_grown_log_adds_its_new_runs() {
    let place = Place::new();
    let killed = &ior_3_0("-w", 21, 1.0)[..200];
    let log = format!("night 1\n{}{}night 2\n{killed}", ior_3_0("-w", 7, 40.5), mdtest_1_9(7));
    fs::write(place.path("all.log"), &log).unwrap();
    let ran = place.assay(&format!("track add {STORE} all.log"));
    assert_eq!((ran.status, &ran.out[..26]), (Some(3), "Added: 2 entries, 2 points"), "{ran:#?}");
    let line = log.lines().position(|line| line == "night 2").unwrap() + 2;
    assert!(
        ran.err.contains(&format!("all.log is not added: line {line}: the run that begins here")),
        "{ran:#?}"
    );

    let grown = log.replace(killed, "") + &ior_3_0("-w", 28, 42.5);
    fs::write(place.path("all.log"), grown).unwrap();
    let added = place.assay(&format!("track add {STORE} all.log")).ok();
    assert_eq!(&added[..43], "Added: 1 entry, 1 point. Known before: 2. H", "{added}");
    let mib = |value: f64| vec![value * 1_048_576.0];
    let writes: Vec<_> =
        points(&place).into_iter().filter(|point| point.0 == "-w").map(|point| point.2).collect();
    assert_eq!(writes, [mib(40.5), mib(42.5)]);
    let given = place.assay(&format!("track add {STORE} all.log --set time=2017-02-01"));
    assert_eq!(given.status, Some(3), "{given:#?}");
    assert!(given.err.contains("it has 3 runs with their own dates"), "{given:#?}");
}

#[test]
fn each_test_of_a_script_is_a_series() {
    let place = Place::new();
    let one = ior_3_0("-f s", 7, 40.5);
    let (first, rest) = one.split_once("Test 0 started").unwrap();
    let end = rest.find("Finished").unwrap();
    let block =
        |number: u32, mib: &str| format!("Test {number} started{}", rest[..end].replace("40.50", mib));
    let log = format!("{first}{}{}{}", block(0, "40.50"), block(1, "20.00"), &rest[end..]);
    fs::write(place.path("s.log"), log).unwrap();
    place.assay(&format!("track add {STORE} s.log")).ok();
    let mib = |value: f64| vec![value * 1_048_576.0];
    let point = |test: &str, value| (test.to_owned(), "write.bw".to_owned(), mib(value));
    assert_eq!(points(&place), [point("-f s", 40.5), point("-f s #2", 20.0)]);
}

#[test]
fn the_json_of_a_run_is_in_the_series_of_its_text() {
    let place = Place::new();
    let ior = |more: &str| place.assay(&format!("-n 2 ior -w -i 2 -t 64k -b 128k -o dir/f {more}")).ok();
    fs::write(place.path("t.log"), ior("")).unwrap();
    fs::write(place.path("j.log"), ior("-O summaryFormat=JSON")).unwrap();
    place.assay(&format!("track add {STORE} t.log j.log")).ok();
    let name = "-w -i 2 -t 64k -b 128k / write.bw";
    assert_eq!(names(&place), [name, name]);
    assert!(points(&place).iter().all(|point| point.2.len() == 2));
    let check = place.assay(&format!("track check {STORE}"));
    assert!(check.out.contains("too few points: 2\n"), "both are in one part: {check:#?}");
    let both = [ior(""), ior("-O summaryFormat=JSON"), ior("")].concat();
    fs::write(place.path("both.log"), both).unwrap();
    let added = place.assay(&format!("track add {STORE} both.log")).ok();
    assert!(added.starts_with("Added: 3 entries, 3 points."), "{added}");
}

#[test]
fn csv_of_ior_and_mdtest_gets_its_time_and_its_test_from_the_user() {
    let place = Place::new();
    let csv = place.assay("-n 2 ior -w -i 2 -t 64k -b 128k -o dir/f -O summaryFormat=CSV").ok();
    fs::write(place.path("i.csv"), &csv).unwrap();
    place.assay("mdtest -F -n 10 -d dir/m --saveRankPerformanceDetails=m.csv").ok();
    fs::write(place.path("both.csv"), format!("{}{csv}", ior_3_0("-w", 7, 1.0))).unwrap();
    let both = place.assay(&format!("track add {STORE} both.csv --set test=A --set time=2017-02-14"));
    assert!(both.status == Some(3) && both.err.contains("other outputs"), "{both:#?}");
    let ran = place.assay(&format!("track add {STORE} i.csv"));
    assert!(ran.status == Some(3) && ran.err.contains("--set time=DATE"), "{ran:#?}");
    let wrong = place.assay(&format!("track add {STORE} i.csv --set test=A --set time=soon"));
    assert_eq!(wrong.status, Some(2), "{wrong:#?}");
    place.assay(&format!("track add {STORE} i.csv m.csv --set test=A --set time=2017-02-14")).ok();
    let found = points(&place);
    let count =
        |metric: &str| found.iter().find(|point| point.1 == metric).map(|point| (&*point.0, point.2.len()));
    assert_eq!(count("write.bw"), Some(("A", 2)));
    assert_eq!(count("file_creation.rate"), Some(("A", 1)), "{found:?}");
}

#[test]
fn a_folder_of_the_io500_script_is_added() {
    let place = Place::new();
    let folder = place.path("2019.09.17-22.52.53");
    fs::create_dir(&folder).unwrap();
    let summary = "[RESULT] BW   phase 1            ior_easy_write          2.000 GB/s : time 58.27 seconds\n\
                   [SCORE] Bandwidth 1.5 GB/s : IOPS 14.8749 kiops : TOTAL 4.90749\n";
    fs::write(folder.join("result_summary.txt"), summary).unwrap();
    place.assay(&format!("track add {STORE} 2019.09.17-22.52.53")).ok();
    let found = points(&place);
    assert_eq!(
        (found.len(), &*found[3].0, found[3].2[0]),
        (4, "ior-easy-write", 2_147_483_648.0),
        "{found:?}"
    );
}

#[test]
fn a_summary_of_io500_is_added_within_its_folder() {
    let place = Place::new();
    let summary = "[RESULT] ior-easy-write 2.0 GiB/s : time 58.27 seconds\n\
                   [SCORE ] Bandwidth 1.5 GiB/s : IOPS 14.8749 kiops : TOTAL 4.90749\n";
    fs::write(place.path("result_summary.txt"), summary).unwrap();
    fs::write(place.path("result.txt"), "[ior-easy-write]\nt_start = 2017-02-14 09:35:00\n").unwrap();
    place.assay(&format!("track add {STORE} result_summary.txt")).ok();
    assert_eq!(points(&place).len(), 4);
}

#[test]
fn another_time_or_name_of_a_file_replaces_what_was_given_before() {
    let place = Place::new();
    fs::write(place.path("a.log"), ior_3_0("-w", 7, 40.5)).unwrap();
    let csv = place.assay("ior -w -t 64k -b 128k -o dir/f -O summaryFormat=CSV").ok();
    fs::write(place.path("i.csv"), csv).unwrap();
    let add = |given: &str| {
        let added = place.assay(&format!("track add {STORE} {given}")).ok();
        assert!(added.starts_with("Added: 1 entry, 1 point. Known before: 0."), "{given}: {added}");
    };
    add("a.log");
    assert_eq!(names(&place), ["-w / write.bw"]);
    let exported = || place.assay(&format!("track export {STORE} --format csv")).ok();
    add("a.log --set test=A");
    let first = exported();
    add("a.log --set test=A --set time=2017-03-01");
    assert!(names(&place) == ["A / write.bw"] && exported() != first);
    let again = place.assay(&format!("track add {STORE} a.log --set test=A")).ok();
    assert!(again.contains("Known before: 1.") && exported() == first, "the last one counts: {again}");
    add("i.csv --set test=B --set time=2017-02-01");
    add("i.csv --set test=C --set time=2017-02-01");
    assert_eq!(names(&place), ["A / write.bw", "C / write.bw"]);
}

#[test]
fn what_a_run_of_a_log_lacks_is_named_with_its_line() {
    let place = Place::new();
    let undated = ior_3_0("-w", 7, 40.5).replace("Began", "Start");
    fs::write(place.path("a.log"), format!("{}noise\n{undated}", ior_3_0("-w", 14, 40.5))).unwrap();
    let ran = place.assay(&format!("track add {STORE} a.log"));
    let line = ior_3_0("", 1, 1.0).lines().count() + 2;
    assert!(
        ran.err.contains(&format!("a.log is not added: line {line}: the output has no date")),
        "{ran:#?}"
    );
}

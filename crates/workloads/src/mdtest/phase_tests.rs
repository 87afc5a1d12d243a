//! What each rank does in each phase, seen by storage that stores every call, and what is recorded of it.

use command::mdtest::Request;

use super::recording::Recording;
use super::scene::{MdtestRankResult, all_phases, names_in, only_create, play_in, play_on, within};

/// Runs in a temporary directory on storage that stores every call.
fn watched(ranks: u32, parameters: &Request) -> (Recording, Vec<MdtestRankResult>) {
    let dir = tempfile::tempdir().expect("a directory");
    let storage = Recording::new();
    let left = play_on(ranks, &within(dir.path(), parameters), &storage);
    assert!(left.iter().all(|rank| rank.done.is_ok()), "{:?}", left[0].done);
    (storage, left)
}

fn files(items: u64) -> Request {
    Request { directories: false, items, ..all_phases() }
}

#[test]
fn every_phase_is_recorded_with_all_its_operations_latencies_and_balance() {
    for ranks in [1, 2, 3] {
        let parameters = Request { branching: 2, depth: 1, items: 30, iterations: 2, ..all_phases() };
        let (_, left) = watched(ranks, &parameters);
        let names: Vec<&str> = left[0].phases().iter().map(|phase| phase.phase.as_str()).collect();
        let wanted = [
            "tree_creation",
            "directory_creation",
            "directory_stat",
            "directory_rename",
            "directory_removal",
            "file_creation",
            "file_stat",
            "file_read",
            "file_removal",
            "tree_removal",
        ];
        assert_eq!(names, [wanted, wanted].concat());
        for (index, phase) in left[0].phases().into_iter().enumerate() {
            let each = if phase.phase.starts_with("tree") { 3 } else { 30 * u64::from(ranks) };
            assert_eq!((phase.ops, phase.repetition), (each, index as u32 / 10), "{}", phase.phase);
            assert_eq!(phase.latency.as_ref().map(|latency| latency.count), Some(each));
            assert_eq!(phase.timeline.as_ref().map(|line| line.bytes.iter().sum()), Some(each));
            assert!(phase.spans.total_s > 0.0 && phase.failed.is_none());
            assert_eq!(phase.ranks, ranks);
        }
        assert!(left[1..].iter().all(|rank| rank.records.is_empty()));
        assert_eq!(left[0].events("Ended").len(), 20);
    }
}

#[test]
fn the_numbers_of_each_rank_are_reported_only_on_request() {
    let parameters = Request { rank_times: true, ..files(5) };
    let (_, left) = watched(3, &parameters);
    let ended = left[0].events("Ended");
    let created = ended.iter().find(|event| event.contains("File creation")).expect("it ended");
    assert_eq!(created.matches("operations: 5").count(), 3 + 1, "each rank, and rank 0");
    let (_, left) = watched(3, &files(5));
    assert!(left[0].events("Ended").iter().all(|event| event.ends_with("ranks: [] })")));
}

#[test]
fn names_shift_from_phase_to_phase() {
    let parameters = Request { shift: 1, ..files(1) };
    let (storage, left) = watched(3, &parameters);
    assert_eq!(left[0].events("Shift"), ["Shift(1)"]);
    for rank in 0..3 {
        let file = |by| format!("file.mdtest.{}.0", (rank + by) % 3);
        let wanted = [
            format!("open-write {}", file(0)),
            format!("stat {}", file(1)),
            format!("open-read {}", file(2)),
            format!("unlink {}", file(3)),
        ];
        let calls: Vec<String> = storage
            .calls(rank, &["open-write", "stat", "open-read", "unlink"])
            .into_iter()
            .filter(|call| call.contains("file."))
            .collect();
        assert_eq!(calls, wanted);
    }
}

#[test]
fn with_ranks_placed_in_blocks_the_shift_counts_in_nodes() {
    let parameters =
        Request { shift: 1, nodes: Some(2), ranks_on_node0: Some(2), unique_dir: true, ..files(1) };
    let (storage, left) = watched(4, &parameters);
    assert_eq!(left[0].events("Shift"), ["Shift(2)"]);
    assert!(storage.calls(1, &["stat"]).contains(&"stat file.mdtest.3.0".to_owned()));
    assert_eq!(storage.calls(1, &["unlink"]), ["unlink file.mdtest.3.0"], "1 + 3 * 2");
    let started = left[0].events("Started");
    assert_eq!(started.len(), 1);
    assert!(started[0].contains("nodes: 2, on_node_0: [true, true, false, false]"), "{started:?}");
}

#[test]
fn with_collective_creates_rank_0_makes_and_removes_all_and_each_opens_its_own() {
    let parameters = Request { collective: true, write_bytes: 5, ..files(2) };
    let (storage, left) = watched(2, &parameters);
    let all = ["0.0", "0.1", "1.0", "1.1"].map(|file| format!("open-write file.mdtest.{file}"));
    assert_eq!(storage.calls(0, &["open-write"]), all);
    assert_eq!(storage.calls(0, &["unlink"]).len(), 4);
    assert_eq!(storage.calls(1, &["open-write", "unlink", "mkdir", "rmdir"]), [""; 0]);
    for rank in 0..2 {
        let own = [0, 1].map(|item| format!("open-update file.mdtest.{rank}.{item}"));
        assert_eq!(storage.calls(rank, &["open-update"]), own);
    }
    let created = left[0].phase("file_creation");
    assert_eq!((created.ops, created.bytes, created.balance.bytes_max), (4, 20, 4));
}

#[test]
fn files_that_all_share_are_opened_by_all_and_removed_once() {
    let parameters = Request { shared_file: true, directories: true, ..files(2) };
    let (storage, left) = watched(3, &parameters);
    for rank in 0..3 {
        let opened = [0, 1].map(|item| format!("open-write file.mdtest.shared.{item}"));
        assert_eq!(storage.calls(rank, &["open-write"]), opened);
    }
    assert_eq!(storage.calls(0, &["unlink"]).len(), 2);
    assert_eq!(storage.calls(1, &["unlink"]), [""; 0]);
    let balance = &left[0].phase("file_removal").balance;
    assert!(balance.slowest_rank == 0 && balance.slowest_rate > 0.0, "the others have no work: {balance:?}");
    assert_eq!(left[0].phase("file_stat").ops, 6);
    assert!(left[0].phases().iter().all(|phase| !phase.phase.starts_with("directory")));
}

#[test]
fn renames_form_a_ring_and_restore_the_same_names() {
    let parameters = Request { rename: true, files: false, items: 4, ..only_create() };
    let dir = tempfile::tempdir().expect("a directory");
    let storage = Recording::new();
    play_on(1, &within(dir.path(), &parameters), &storage);
    let name = |item: &str| format!("dir.mdtest.0.{item}");
    let wanted = [("0", "0-XX"), ("1", "0"), ("2", "1"), ("0-XX", "2")];
    let wanted = wanted.map(|(from, to)| format!("rename {} {}", name(from), name(to)));
    assert_eq!(storage.calls(0, &["rename"]), wanted);
    assert_eq!(names_in(dir.path()).len(), 3 + 4);
    let (storage, left) = watched(1, &Request { items: 1, files: false, ..all_phases() });
    assert_eq!(storage.calls(0, &["rename"]), [""; 0], "a single item has no partner");
    assert_eq!(left[0].phase("directory_rename").ops, 0);
}

#[test]
fn phases_that_use_items_which_their_node_has_just_created_are_named() {
    let notice_of = |parameters: &Request| {
        let (_, left) = watched(4, parameters);
        assert!(left[1..].iter().all(|rank| rank.records.is_empty()));
        left[0].events("Notice").concat()
    };
    let on_two = Request { shift: 1, nodes: Some(2), ranks_on_node0: Some(2), ..files(1) };
    let text = notice_of(&on_two);
    assert!(text.contains("warm-names (labels File read)"), "{text}");
    assert_eq!(
        notice_of(&Request { read: false, ..on_two.clone() }),
        "",
        "items of another node in the only reading turn"
    );
    let text = notice_of(&Request { extra: vec!["statx".into()], stat: false, read: false, ..files(1) });
    assert!(text.contains("(labels File statx)"), "{text}");
}

#[test]
fn a_shuffled_order_visits_every_item_once_and_each_rank_has_its_own() {
    let order = |shuffle, random_seed| {
        let parameters = Request { shuffle, random_seed, ..files(50) };
        let (storage, left) = watched(2, &parameters);
        let seed = left[0].events("RandomSeed").concat();
        let visits = |rank| {
            let calls = storage.calls(rank, &["open-read"]);
            let items: Vec<u64> =
                calls.iter().map(|call| call.rsplit('.').next().unwrap().parse().unwrap()).collect();
            let mut sorted = items.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..50));
            items
        };
        (visits(0), visits(1), seed)
    };
    let sorted: Vec<u64> = (0..50).collect();
    let (first, second, seed) = order(false, 0);
    assert_eq!((&first, &second, seed.as_str()), (&sorted, &sorted, ""));
    let (first, second, seed) = order(true, 0);
    assert!(first != sorted && first != second);
    assert_eq!(seed, "RandomSeed(7)", "the seed of the run");
    let (first, second, seed) = order(false, 9);
    assert!(first != sorted && first == second, "--random-seed alone: all ranks the same");
    assert_eq!(seed, "RandomSeed(9)");
    let again = order(true, 9);
    assert_eq!(again, order(true, 9), "a given seed gives the same order again");
}

#[test]
fn items_in_many_test_directories_are_all_touched_by_all_phases() {
    let parameters = Request { items: 6, items_per_dir: 2, branching: 2, depth: 1, ..all_phases() };
    let (_, left) = watched(2, &Request { iterations: 3, ..parameters });
    assert_eq!(left[0].events("Ranks"), ["Ranks { ranks: 2, items: 18 }"]);
    for phase in left[0].phases() {
        let wanted = if phase.phase.starts_with("tree") { 9 } else { 36 };
        assert_eq!(phase.ops, wanted, "{} {}", phase.phase, phase.repetition);
    }
}

#[test]
fn nodes_are_made_without_being_opened_and_still_read() {
    let (storage, _) = watched(1, &Request { make_node: true, ..files(2) });
    assert_eq!(storage.calls(0, &["mknod", "open-write"]).len(), 2);
    assert_eq!(storage.calls(0, &["open-read"]).len(), 2);
}

#[test]
fn a_scan_runs_on_each_number_of_ranks() {
    let parameters = Request { first_ranks: 1, last_ranks: 3, stride: 2, ..files(4) };
    let (_, left) = watched(4, &parameters);
    let runs = left[0].events("Ranks");
    assert_eq!(runs, ["Ranks { ranks: 1, items: 4 }", "Ranks { ranks: 3, items: 4 }"]);
    let ops: Vec<_> = left[0]
        .phases()
        .into_iter()
        .filter(|phase| phase.phase == "file_stat")
        .map(|phase| (phase.test, phase.ranks, phase.ops))
        .collect();
    assert_eq!(ops, [(0, 1, 4), (1, 3, 12)]);
    assert!(left.iter().all(|rank| rank.done == left[0].done));
}

#[test]
fn paths_are_reported_by_verbosity() {
    let reported = |verbose| {
        let (_, left) = watched(2, &Request { verbose, ..files(2) });
        let names =
            left[0].events("Name").into_iter().map(|event| event.split('"').nth(1).unwrap().to_owned());
        (names.collect::<Vec<_>>().join(" "), left[1].events("Name").len())
    };
    assert_eq!(reported(1), (String::new(), 0));
    assert_eq!(reported(2), ("mkdir rmdir".to_owned(), 0));
    assert_eq!(reported(3).0, "mkdir open open stat stat open open unlink unlink rmdir");
}

#[test]
fn commands_run_around_every_phase_except_those_of_the_tree_on_every_rank() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("log");
    let echo = |word: &str| Some(format!("echo {word} >> {}", file.display()));
    let parameters =
        Request { before_phase: echo("before"), after_phase: echo("after"), call_sync: true, ..files(2) };
    let left = play_in(dir.path(), 2, &parameters);
    assert!(left[0].done.is_ok(), "{:?}", left[0].done);
    let log = std::fs::read_to_string(&file).expect("it was written");
    let phases = left[0].phases().len() - 2;
    for word in ["before", "after"] {
        assert_eq!(log.lines().filter(|line| *line == word).count(), phases * 2);
    }
    let failing = Request { before_phase: Some("exit 3".into()), ..files(2) };
    let halt = play_in(dir.path(), 2, &failing)[1].done.clone().expect_err("all halt");
    assert!(halt.why.starts_with("`exit 3`: exit status: 3"), "{halt}");
}

#[test]
fn the_setup_of_own_trees_may_be_within_the_time() {
    let parameters = Request { unique_dir: true, time_unique_dir: true, ..files(3) };
    let (_, left) = watched(3, &parameters);
    assert_eq!(left[0].phase("file_creation").ops, 9);
}

#[test]
fn rank_0_waits_before_each_of_the_two_tests() {
    let (_, left) = watched(2, &Request { pre_delay: 1, items: 1, ..all_phases() });
    assert_eq!(left[0].events("Delay"), ["Delay(1)", "Delay(1)"]);
    let spans = left[0].phases().into_iter().map(|phase| phase.spans.total_s).sum::<f64>();
    let began: Vec<f64> = left[0].phases().iter().map(|phase| phase.began_s).collect();
    assert!(began.last().unwrap() - began[0] >= 1.9 && spans < began.last().unwrap() - began[0]);
}

#[test]
fn every_operation_is_logged_for_each_rank() {
    let dir = tempfile::tempdir().expect("a directory");
    let prefix = dir.path().join("op").display().to_string();
    let parameters = Request { operation_csv: Some(prefix), ..files(7) };
    play_in(dir.path(), 2, &parameters);
    for phase in ["File creation", "File stat", "File read", "File removal"] {
        for rank in ["00000", "00001"] {
            let path = dir.path().join(format!("op-{phase}-{rank}.csv"));
            let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
            assert_eq!(text.lines().count(), 8, "{text}");
        }
    }
    assert_eq!(names_in(dir.path()).len(), 8);
}

#[test]
fn opens_that_write_nothing_have_no_throughput_in_their_log() {
    let log = |collective| {
        let dir = tempfile::tempdir().expect("a directory");
        let operation_csv = Some(dir.path().join("op").display().to_string());
        play_in(dir.path(), 1, &Request { operation_csv, collective, write_bytes: 5000, ..files(3) });
        let text =
            std::fs::read_to_string(dir.path().join("op-File creation-00000.csv")).expect("it is there");
        let rows = text.lines().skip(1).map(|row| {
            let cells: Vec<f64> = row.split(',').map(|cell| cell.parse().expect("a number")).collect();
            (cells[1] * cells[2]).round() as u64
        });
        rows.collect::<Vec<_>>()
    };
    assert_eq!((log(true), log(false)), (vec![1; 3], vec![5000; 3]));
}

#[test]
fn a_deadline_stops_all_ranks_at_the_same_count_and_later_phases_use_it() {
    let dir = tempfile::tempdir().expect("a directory");
    let status = dir.path().join("status").display().to_string();
    let mut settings = command::Settings::default();
    settings.set("dummy.delay-create", "2000");
    let slow = (storage::driver("dummy").unwrap().open)(&settings).unwrap();
    let parameters = Request {
        backend: "DUMMY".into(),
        items: 1 << 30,
        deadline: 1,
        status_file: Some(status.clone()),
        ..all_phases()
    };
    let left = play_on(2, &parameters, &*slow);
    for kind in ["directory", "file"] {
        let made = left[0].phase(&format!("{kind}_creation"));
        let wall = made.stonewall.as_ref().expect("there was a deadline");
        assert!(wall.transfers_max < 1 << 30 && wall.transfers_min > 0, "{wall:?}");
        assert_eq!((made.ops, wall.ran_dry), (2 * wall.transfers_max, 0), "the slower caught up");
        assert_eq!(left[0].phase(&format!("{kind}_stat")).ops, made.ops);
        assert_eq!(left[0].phase(&format!("{kind}_removal")).ops, made.ops);
    }
    let files = left[0].phase("file_creation").ops / 2;
    let directories = left[0].phase("directory_creation").ops / 2;
    assert_eq!(left[0].events("Stonewall").len(), 1);
    assert_eq!(std::fs::read_to_string(&status).unwrap(), format!("{files}\n{directories}"));
    let later = Request { create: false, items: 10, deadline: 0, ..parameters.clone() };
    let left = play_on(2, &later, &*slow);
    assert_eq!(left[0].phase("file_stat").ops, 2 * files, "more than -n, in the one directory");
    std::fs::remove_file(&status).unwrap();
    let left = play_on(2, &later, &*slow);
    assert_eq!(left[0].events("Warning"), ["Warning(\"Could not read stonewall status file\")"]);
    assert_eq!(left[0].phase("file_stat").ops, 20);
}

#[test]
fn directories_and_files_stopped_by_a_deadline_are_found_by_their_own_counts() {
    let dir = tempfile::tempdir().expect("a directory");
    let status_file = Some(dir.path().join("status").display().to_string());
    let slow = Recording::pausing(&[("mkdir", 200), ("open-write", 2)]);
    let creates = Request { items: 10_000, deadline: 1, status_file, ..only_create() };
    let left = play_on(2, &within(dir.path(), &creates), &slow);
    let made = ["directory", "file"].map(|kind| left[0].phase(&format!("{kind}_creation")).ops);
    assert!(made[0] < made[1] && made[1] < 20_000, "{made:?}");
    let later = Request { create: false, stat: true, rename: true, remove: true, deadline: 0, ..creates };
    let left = play_in(dir.path(), 2, &later);
    assert!(left[0].done.is_ok(), "{:?}", left[0].done);
    for (kind, made) in ["directory", "file"].into_iter().zip(made) {
        assert_eq!(left[0].phase(&format!("{kind}_stat")).ops, made);
        assert_eq!(left[0].phase(&format!("{kind}_removal")).ops, made);
    }
    assert_eq!(names_in(dir.path()), ["A/", &format!("status {}", status_bytes(made))]);
}

fn status_bytes(made: [u64; 2]) -> usize {
    format!("{}\n{}", made[1] / 2, made[0] / 2).len()
}

#[test]
fn the_counts_at_the_deadline_are_reported_and_the_slow_rank_continues() {
    let mut settings = command::Settings::default();
    settings.set("dummy.delay-create", "2000");
    settings.set("dummy.delay-only-rank0", "1");
    let slow = (storage::driver("dummy").unwrap().open)(&settings).unwrap();
    let parameters = Request { backend: "DUMMY".into(), deadline: 1, ..files(1000) };
    let left = play_on(2, &parameters, &*slow);
    let made = left[0].phase("file_creation");
    let wall = made.stonewall.as_ref().expect("there was a deadline");
    assert_eq!((wall.transfers_max, wall.ran_dry, made.ops), (1000, 1, 2000));
    assert!(wall.transfers_min < 1000, "rank 0 sleeps 2 s in total");
    let mean = (wall.transfers_min + 1000) as f64 / 2.0;
    let wanted = format!("Stonewall {{ least: {}, most: 1000, mean: {mean:?} }}", wall.transfers_min);
    assert_eq!(left[0].events("Stonewall"), [wanted]);
}

#[test]
fn a_deadline_that_no_rank_reaches_changes_nothing() {
    let (_, left) = watched(2, &Request { deadline: 60, write_bytes: 3, ..files(5) });
    let wall = left[0].phase("file_creation").stonewall.clone().expect("there was a deadline");
    assert_eq!((wall.transfers_min, wall.transfers_max, wall.ran_dry, wall.bytes), (5, 5, 2, 30));
    assert_eq!(left[0].events("Stonewall").len(), 0);
}

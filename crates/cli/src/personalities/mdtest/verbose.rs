//! The lines of `-v`, `-vv` and `-vvv`: the parameters, and what happens during a run.
//!
//! Their form and the source line numbers in them are those of the classic program, because scripts search
//! for both. Lines that only trace the classic's functions (`Entering ...`) are left out.

use command::mdtest::{Edition, Parsed};

use super::results::{MeasuredPhase, is_of_tree, rate};

/// A line of the verbose helper: its level, its source line numbers in 3.3 and in 4.1, and the text.
pub(crate) fn numbered(edition: Edition, level: u32, lines: (u32, u32), text: &str) -> String {
    let line = match edition {
        Edition::Mdtest19 => return format!("V-{level}: {text}\n"),
        Edition::Mdtest33 => lines.0,
        Edition::Mdtest41 => lines.1,
    };
    format!("V-{level}: Rank   0 Line {line:5} {text}\n")
}

/// One parameter: its line in 3.3 and in 4.1, its name, its value.
type ListedParameter = (u32, u32, &'static str, String);

/// Parameters that 1.9 does not list: it had one backend and lacked the others.
const NEWER: [&str; 4] = ["api", "stone_wall_timer_seconds", "call_sync", "make_node"];

fn truth(on: bool) -> String {
    if on { "True" } else { "False" }.to_owned()
}

fn listed(parsed: &Parsed) -> Vec<ListedParameter> {
    let p = &parsed.request;
    vec![
        (2018, 2442, "api", parsed.backend.clone().unwrap_or_else(|| "(null)".to_owned())),
        (2019, 2443, "barriers", truth(true)),
        (2020, 2444, "collective_creates", truth(p.collective)),
        (2021, 2445, "create_only", truth(p.create)),
        (2026, 2450, "dirs_only", truth(p.directories || p.shared_file)),
        (2027, 2451, "read_bytes", p.read_bytes.to_string()),
        (2028, 2452, "read_only", truth(p.read)),
        (2029, 2453, "first", p.first_ranks.to_string()),
        (2030, 2454, "files_only", truth(p.files)),
        (2034, 2458, "iterations", p.iterations.to_string()),
        (2035, 2459, "items_per_dir", p.items_per_dir.to_string()),
        (2036, 2460, "last", p.last_ranks.to_string()),
        (2037, 2461, "leaf_only", truth(p.leaf_only)),
        (2038, 2462, "items", p.items.to_string()),
        (2039, 2463, "nstride", p.shift.to_string()),
        (2040, 2464, "pre_delay", p.pre_delay.to_string()),
        // The classic program shows leaf_only again here.
        (2041, 2465, "remove_only", truth(p.remove)),
        (2042, 2466, "random_seed", p.random_seed.to_string()),
        (2043, 2467, "stride", p.stride.to_string()),
        (2044, 2468, "shared_file", truth(p.shared_file)),
        (2045, 2469, "time_unique_dir_overhead", truth(p.time_unique_dir)),
        (2046, 2470, "stone_wall_timer_seconds", p.deadline.to_string()),
        (2047, 2471, "stat_only", truth(p.stat)),
        (2048, 2472, "unique_dir_per_task", truth(p.unique_dir)),
        (2049, 2473, "write_bytes", p.write_bytes.to_string()),
        (2050, 2474, "sync_file", truth(p.sync_file)),
        (2051, 2475, "call_sync", truth(p.call_sync)),
        (2052, 2476, "depth", p.depth.to_string()),
        (2053, 2477, "make_node", u8::from(p.make_node).to_string()),
    ]
}

/// The list of `-v`.
pub(crate) fn parameters(parsed: &Parsed) -> String {
    let edition = parsed.output.edition;
    let plain = edition == Edition::Mdtest19;
    let put = |lines: (u32, u32), text: &str| match plain {
        true => format!("{text}\n"),
        false => numbered(edition, 1, lines, text),
    };
    let mut text = String::new();
    for (old, new, name, value) in listed(parsed) {
        if name == "dirs_only" {
            text.push_str(&put((2022, 2446), "dirpath(s):"));
            for dir in &parsed.request.dirs {
                text.push_str(&put((2024, 2448), &format!("\t{dir}")));
            }
        }
        if !(plain && NEWER.contains(&name)) {
            text.push_str(&put((old, new), &format!("{name:<24}: {value}")));
        }
    }
    text
}

/// The classic lines of the phases: label, words, source lines in 3.3 and in 4.1.
const LINES: [(&str, &str, u32, u32); 8] = [
    ("Directory creation", "   Directory creation:", 984, 1125),
    ("Directory stat", "   Directory stat    :", 985, 1126),
    ("Directory rename", "   Directory rename :", 0, 1127),
    ("Directory removal", "   Directory removal :", 989, 1128),
    ("File creation", "  File creation     :", 1223, 1435),
    ("File stat", "  File stat         :", 1227, 1439),
    ("File read", "  File read         :", 1228, 1440),
    ("File removal", "  File removal      :", 1229, 1441),
];

/// The lines above the iterations.
pub(crate) fn caption(edition: Edition) -> String {
    let rows = [
        "   Operation               Duration              Rate",
        "   ---------               --------              ----",
    ];
    match edition {
        Edition::Mdtest19 => format!("\n{}\n{}\n", rows[0], rows[1]),
        _ => {
            numbered(edition, 1, (2241, 2677), "")
                + &numbered(edition, 1, (2242, 2678), rows[0])
                + &numbered(edition, 1, (2243, 2679), rows[1])
        }
    }
}

/// The line at the start of iteration `iteration` (from 0), at `moment`.
pub(crate) fn iteration(edition: Edition, iteration: u32, moment: &str) -> String {
    let number = iteration + 1;
    match edition {
        Edition::Mdtest19 => format!("V-1: main: * iteration {number} {moment} *\n"),
        _ => numbered(edition, 1, (1651, 2063), &format!("main: * iteration {number} *")),
    }
}

/// Seconds and rate as a version shows them: since 4.0 those of rank 0, before those of all ranks.
fn numbers(edition: Edition, found: Option<&MeasuredPhase>) -> String {
    let (seconds, rate) = match found {
        None => (0.0, 0.0),
        Some(one) if edition == Edition::Mdtest41 => one.rank_0,
        Some(one) => (one.seconds, one.rate),
    };
    format!("{seconds:14.3} sec, {rate:14.3} ops/sec")
}

/// The lines of a finished test, `Directory` or `File`, also for phases that were not run. `stonewalled` is
/// the number of operations of all ranks at the deadline, if the deadline stopped any rank.
pub(crate) fn test(
    edition: Edition,
    kind: &str,
    rename: bool,
    iteration: &[MeasuredPhase],
    stonewalled: Option<f64>,
) -> String {
    let mut text = String::new();
    for (label, words, old, new) in LINES {
        if !label.starts_with(kind) || (label == "Directory rename" && !rename) {
            continue;
        }
        let found = iteration.iter().find(|one| one.label == label);
        // Versions in IOR have three blanks.
        let words = match (edition, kind) {
            (Edition::Mdtest19, "Directory") => &words[1..],
            _ => words,
        };
        let line = format!("{words} {}", numbers(edition, found));
        text.push_str(&numbered(edition, 1, (old, new), &line));
        // For directories a line of assay below the output reports it.
        if label == "File creation"
            && let Some((seconds, all)) = found.and_then(|one| one.stopped)
        {
            // The classic program shows a rate of 0; this is the rate of all ranks.
            let rate = rate(stonewalled.unwrap_or(all as f64), seconds);
            let words = format!("  File creation (stonewall): {seconds:14.3} sec, {rate:14.3} ops/sec");
            text.push_str(&numbered(edition, 1, (1225, 1437), &words));
        }
    }
    text
}

/// The line of a phase of the tree, or of a phase that the classic program does not have.
pub(crate) fn single(edition: Edition, one: &MeasuredPhase) -> String {
    let shown = numbers(edition, Some(one));
    match (one.label, edition) {
        ("Tree creation", Edition::Mdtest19) => format!("V-1: main:   Tree creation     : {shown}\n"),
        ("Tree creation", _) => {
            numbered(edition, 1, (1725, 2139), &format!("V-1: main:   Tree creation     : {shown}"))
        }
        ("Tree removal", _) => {
            numbered(edition, 1, (1833, 2249), &format!("main   Tree removal      : {shown}"))
        }
        (label, _) => numbered(edition, 1, (0, 0), &format!("  {label:<18}: {shown}")),
    }
}

/// Whether a phase gets its own line as soon as it ends.
pub(crate) fn has_own_line(label: &str) -> bool {
    is_of_tree(label) || LINES.iter().all(|(known, ..)| *known != label)
}

/// The line for a path that rank 0 is about to work on, within `phase`.
pub(crate) fn name(edition: Edition, phase: &str, what: &str, path: &str) -> String {
    let path = path.trim_end_matches('/');
    let child = path.rsplit('/').nth(1).is_some_and(|dir| dir.starts_with("mdtest_tree"));
    let of_tree = path.rsplit('/').next().is_some_and(|name| name.starts_with("mdtest_tree"));
    let (level, line, words) = match (phase, what) {
        (_, "mkdir") if of_tree => {
            (2, if child { 2029 } else { 1995 }, format!("Making directory '{path}/'"))
        }
        (_, "rmdir") if of_tree => {
            (2, if child { 2040 } else { 2013 }, format!("Remove directory '{path}/'"))
        }
        ("directory_creation", _) => (3, 341, item("dirs create", path)),
        ("directory_removal", _) => (3, 341, item("dirs remove", path)),
        ("file_creation", _) => (3, 380, item("non-dirs create", path)),
        ("file_removal", _) => (3, 363, item("non-dirs remove", path)),
        ("directory_stat", _) => (3, 651, format!("mdtest_stat  dir: {path}")),
        ("file_stat", _) => (3, 651, format!("mdtest_stat file: {path}")),
        ("directory_rename", _) => (3, 916, format!("mdtest_rename  dir: {path}")),
        ("file_read", _) => (3, 738, format!("mdtest_read file: {path}")),
        _ => (if phase.starts_with("tree") { 2 } else { 3 }, 0, format!("{what} '{path}'")),
    };
    // Source line numbers of older versions are not known.
    numbered(edition, level, (0, line), &words)
}

fn item(what: &str, path: &str) -> String {
    format!("create_remove_items_helper ({what}): curr_item is '{path}'")
}

#[cfg(test)]
mod tests {
    use command::classic::{self, ClassicLine};

    use super::super::results::tests::measured;
    use super::*;

    #[test]
    fn each_version_has_its_own_lines_of_a_test() {
        let phases = [measured("Directory creation", 100, 0.5), measured("Directory stat", 100, 0.25)];
        assert_eq!(
            test(Edition::Mdtest41, "Directory", true, &phases, None),
            "V-1: Rank   0 Line  1125    Directory creation:          0.500 sec,        200.000 ops/sec\n\
             V-1: Rank   0 Line  1126    Directory stat    :          0.250 sec,        400.000 ops/sec\n\
             V-1: Rank   0 Line  1127    Directory rename :          0.000 sec,          0.000 ops/sec\n\
             V-1: Rank   0 Line  1128    Directory removal :          0.000 sec,          0.000 ops/sec\n"
        );
        assert_eq!(
            test(Edition::Mdtest19, "Directory", false, &phases[..1], None).lines().next(),
            Some("V-1:   Directory creation:          0.500 sec,        400.000 ops/sec"),
            "of all ranks"
        );
        assert_eq!(
            test(Edition::Mdtest33, "File", false, &[], None).lines().next(),
            Some("V-1: Rank   0 Line  1223   File creation     :          0.000 sec,          0.000 ops/sec")
        );
    }

    #[test]
    fn the_deadline_has_a_line_for_files_but_not_for_directories() {
        let stopped = |label| {
            let mut one = measured(label, 100, 0.5);
            one.stopped = Some((0.25, 200));
            one
        };
        let phases = [stopped("Directory creation"), stopped("File creation")];
        let directories = test(Edition::Mdtest41, "Directory", true, &phases, None);
        assert_eq!((directories.lines().count(), directories.contains("stonewall")), (4, false));
        let files = test(Edition::Mdtest41, "File", true, &phases, Some(150.0));
        let line = "V-1: Rank   0 Line  1437   File creation (stonewall):          0.250 sec,        600.000 \
                    ops/sec";
        assert_eq!(files.lines().nth(1), Some(line));
    }

    #[test]
    fn the_tree_and_additional_phases_have_lines_of_their_own() {
        let tree = measured("Tree creation", 40, 0.5);
        assert_eq!(
            single(Edition::Mdtest41, &tree),
            "V-1: Rank   0 Line  2139 V-1: main:   Tree creation     :          0.500 sec,  \
             \x20      80.000 ops/sec\n"
        );
        assert_eq!(
            single(Edition::Mdtest41, &measured("Tree removal", 40, 0.5)),
            "V-1: Rank   0 Line  2249 main   Tree removal      :          0.500 sec,         80.000 ops/sec\n"
        );
        assert!(has_own_line("Tree removal") && has_own_line("File link") && !has_own_line("File read"));
        assert!(
            single(Edition::Mdtest41, &measured("File link", 1, 1.0)).contains("Line     0   File link ")
        );
    }

    #[test]
    fn paths_are_listed_with_the_line_numbers_of_4_1() {
        let line = |phase, what, path| name(Edition::Mdtest41, phase, what, path);
        assert_eq!(
            line("tree_creation", "mkdir", "d/test-dir.0-0/mdtest_tree.0/"),
            "V-2: Rank   0 Line  1995 Making directory 'd/test-dir.0-0/mdtest_tree.0/'\n"
        );
        assert!(
            line("tree_removal", "rmdir", "d/mdtest_tree.0/mdtest_tree.1").contains(" Line  2040 Remove")
        );
        assert!(
            line("file_stat", "stat", "x/file.mdtest.0.1")
                .starts_with("V-3: Rank   0 Line   651 mdtest_stat")
        );
        assert!(line("file_link", "link", "x/f").starts_with("V-3: Rank   0 Line     0 link 'x/f'"));
    }

    fn parameters_of(words: &str) -> String {
        let tokens: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        parameters(&classic::parse::<Parsed>(&tokens).unwrap().finished().unwrap())
    }

    #[test]
    fn the_list_has_the_line_numbers_of_4_1() {
        let text = parameters_of("-b 3 -v -z 3 -u -I 900 -k -i 4 -d /dev/shm/acc");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "V-1: Rank   0 Line  2442 api                     : (null)");
        assert_eq!(lines[5], "V-1: Rank   0 Line  2448 \t/dev/shm/acc");
        assert_eq!(lines.len(), 31);
        assert_eq!(lines[30], "V-1: Rank   0 Line  2477 make_node               : 1");
        assert!(text.contains(" Line  2465 remove_only             : True\n"), "the real parameter: {text}");
    }

    #[test]
    fn older_lists_lack_newer_parameters() {
        let text = parameters_of("-v --compat 1.9");
        assert!(text.starts_with("barriers                : True\n"), "{text}");
        assert!(
            !text.contains("V-1") && !text.contains("make_node") && !text.contains("call_sync"),
            "{text}"
        );
        assert!(
            text.contains("dirpath(s):\n\t.\n") && text.ends_with("depth                   : 0\n"),
            "{text}"
        );
        let text = parameters_of("-v --compat 3.3");
        assert!(text.starts_with("V-1: Rank   0 Line  2018 api "), "{text}");
    }
}

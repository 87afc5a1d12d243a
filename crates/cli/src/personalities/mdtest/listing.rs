//! The parameters that `-v` lists, and lines with the line numbers of the classic source.

use command::mdtest::Request;

use command::mdtest::{Edition, Parsed};

/// A line of the verbose helper: its level, the source line number that scripts search for, and the text.
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

/// The parameters before the directories.
fn first(meant: &Parsed) -> Vec<ListedParameter> {
    let p = &meant.request;
    vec![
        (2018, 2442, "api", meant.backend.clone().unwrap_or_else(|| "(null)".to_owned())),
        (2019, 2443, "barriers", truth(true)),
        (2020, 2444, "collective_creates", truth(p.collective)),
        (2021, 2445, "create_only", truth(p.create)),
    ]
}

/// The parameters after the directories.
fn rest(p: &Request) -> Vec<ListedParameter> {
    vec![
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
pub(crate) fn parameters(meant: &Parsed) -> String {
    let edition = meant.output.edition;
    let plain = edition == Edition::Mdtest19;
    let put = |lines: (u32, u32), text: &str| match plain {
        true => format!("{text}\n"),
        false => numbered(edition, 1, lines, text),
    };
    let line = |(old, new, name, value): &ListedParameter| put((*old, *new), &format!("{name:<24}: {value}"));
    let listed = |(_, _, name, _): &&ListedParameter| !(plain && NEWER.contains(name));
    let mut text: String = first(meant).iter().filter(listed).map(line).collect();
    text.push_str(&put((2022, 2446), "dirpath(s):"));
    for dir in &meant.request.dirs {
        text.push_str(&put((2024, 2448), &format!("\t{dir}")));
    }
    text.extend(rest(&meant.request).iter().filter(listed).map(line));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use command::classic::{self, ClassicLine};
    use command::mdtest::Parsed;

    fn listed(words: &str) -> String {
        let tokens: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        parameters(&classic::parse::<Parsed>(&tokens).unwrap().finished().unwrap())
    }

    #[test]
    fn the_list_has_the_line_numbers_of_4_1() {
        let text = listed("-b 3 -v -z 3 -u -I 900 -k -i 4 -d /dev/shm/acc");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "V-1: Rank   0 Line  2442 api                     : (null)");
        assert_eq!(lines[5], "V-1: Rank   0 Line  2448 \t/dev/shm/acc");
        assert_eq!(lines.len(), 31);
        assert_eq!(lines[30], "V-1: Rank   0 Line  2477 make_node               : 1");
        assert!(text.contains(" Line  2465 remove_only             : True\n"), "the real parameter: {text}");
    }

    #[test]
    fn older_lists_lack_newer_parameters() {
        let text = listed("-v --compat 1.9");
        assert!(text.starts_with("barriers                : True\n"), "{text}");
        assert!(
            !text.contains("V-1") && !text.contains("make_node") && !text.contains("call_sync"),
            "{text}"
        );
        assert!(
            text.contains("dirpath(s):\n\t.\n") && text.ends_with("depth                   : 0\n"),
            "{text}"
        );
        let text = listed("-v --compat 3.3");
        assert!(text.starts_with("V-1: Rank   0 Line  2018 api "), "{text}");
    }
}

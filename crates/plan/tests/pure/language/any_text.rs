//! Any text is a plan or is refused in one line that says where; what is a plan passes the schema.

use plan::Choice;
use plan::Plan;
use plan::schedule;
use plan::schema;
use proptest::collection::vec;
use proptest::prelude::*;

use super::schema::read;
use super::valid::problems;

/// What is put into plans: signs of TOML, numbers that are too large, letters of several bytes, keys.
const WORDS: &[&str] = &[
    "\"",
    "'",
    "'''",
    "\"\"\"",
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    "=",
    ",",
    ".",
    "#",
    "\n",
    "\r\n",
    "\t",
    "\\",
    "\u{0}",
    "é",
    "µ",
    "🦀",
    "${",
    "${}",
    "${x}",
    "${block}",
    "{dir}",
    "{step}",
    "-1",
    "0",
    "1",
    "007",
    "18446744073709551616",
    "9223372036854775807",
    "99999999999999999999p",
    "1e400",
    "nan",
    "0x",
    "true",
    "1979-05-27",
    "%",
    "0%",
    "101%",
    "/0",
    "1/0",
    " of ",
    "50% of ",
    "known.",
    "dataset.",
    "[test]",
    "[[test]]",
    "[[series]]",
    "[[group.parts]]",
    "[scale.small]",
    "[parameters]",
    "id",
    "ior",
    "mdtest",
    "uses",
    "nodes",
    "ranks",
    "criterion",
    "exports = { X = \"min(file.size)\" }\n",
    "nodes = { search = [1, 2], gain = \"1%\" }\n",
    "ranks = 4294967295\n",
    "ppn = 4294967295\n",
    "nodes = 4294967295\n",
    "-b 9223372036854775807",
    "-s 4294967295 ",
    "-t 0 ",
    "-n 18446744073709551615 ",
    "-D 99999999999 ",
    "-I 99999999999 ",
    "-z 64 -b 64 ",
    "repetitions = 4294967295\n",
    "-i 18446744073709551615 ",
];

/// One change of a text.
#[derive(Clone, Debug)]
enum Change {
    Cut(usize, usize),
    Put(usize, usize),
    Instead(usize, usize, usize),
    Twice(usize),
    Swap(usize, usize),
    Line(usize, usize),
    Text(usize, usize, bool),
}

fn change() -> impl Strategy<Value = Change> {
    let at = any::<usize>;
    prop_oneof![
        1 => (at(), 1..40_usize).prop_map(|(from, length)| Change::Cut(from, length)),
        1 => (at(), at()).prop_map(|(to, word)| Change::Put(to, word)),
        1 => (at(), 1..12_usize, at()).prop_map(|(from, length, word)| Change::Instead(from, length, word)),
        1 => at().prop_map(Change::Twice),
        1 => (at(), at()).prop_map(|(one, other)| Change::Swap(one, other)),
        1 => (at(), at()).prop_map(|(line, word)| Change::Line(line, word)),
        3 => (at(), at(), any::<bool>()).prop_map(|(text, word, whole)| Change::Text(text, word, whole)),
    ]
}

impl Change {
    fn of(&self, text: &str) -> String {
        let letters: Vec<char> = text.chars().collect();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let word = |index: &usize| WORDS[index % WORDS.len()];
        let part = |from: usize, to: usize| -> String { letters[from..to].iter().collect() };
        let (length, count) = (letters.len().max(1), lines.len().max(1));
        let spliced = |from: &usize, cut: usize, put: &str| {
            let from = (from % length).min(letters.len());
            let end = (from + cut).min(letters.len());
            format!("{}{put}{}", part(0, from), part(end, letters.len()))
        };
        match self {
            Self::Cut(from, cut) => return spliced(from, *cut, ""),
            Self::Put(to, index) => return spliced(to, 0, word(index)),
            Self::Instead(from, cut, index) => return spliced(from, *cut, word(index)),
            // What is in quotes becomes something else, or more.
            Self::Text(which, index, whole) => {
                let mut parts: Vec<&str> = text.split('"').collect();
                let which = (which % parts.len()) | 1;
                let Some(part) = parts.get_mut(which) else { return text.to_owned() };
                let more = match whole {
                    true => word(index).to_owned(),
                    false => format!("{part} {}", word(index)),
                };
                *part = &more;
                return parts.join("\"");
            }
            _ if lines.is_empty() => return String::new(),
            Self::Twice(line) => lines.insert(line % count, lines[line % count].clone()),
            Self::Swap(one, other) => lines.swap(one % count, other % count),
            // The value of a key becomes something else.
            Self::Line(line, index) => {
                let line = &mut lines[line % count];
                let key = line.split('=').next().unwrap_or_default().to_owned();
                *line = format!("{key}= {}", word(index));
            }
        }
        lines.join("\n")
    }
}

/// That a refusal is one line with a place in the text.
fn says_where(refusal: &str, text: &str) -> bool {
    let Some(rest) = refusal.strip_prefix("p.toml:") else { return false };
    let mut parts = rest.splitn(3, ':');
    let mut number = || parts.next().and_then(|part| part.parse::<usize>().ok());
    let (Some(line), Some(column)) = (number(), number()) else { return false };
    let what = parts.next().unwrap_or_default();
    let lines = text.matches('\n').count() + 1;
    (1..=lines).contains(&line) && column >= 1 && what.len() > 1 && !refusal.contains(['\n', '\r', '\0'])
}

/// The plans that are changed.
fn bases() -> Vec<String> {
    let plans = super::plans().into_iter().map(|(_, text)| text);
    let pieces =
        super::documentation::pieces().into_iter().map(|(_, piece)| super::documentation::whole(&piece));
    plans.chain(pieces).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 768, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_text_is_a_plan_or_is_refused_in_one_line_that_says_where(
        base in any::<prop::sample::Index>(),
        changes in vec(change(), 1..5),
    ) {
        let bases = bases();
        let text = changes.iter().fold(base.get(&bases).clone(), |text, change| change.of(&text));
        match Plan::parse(&text, "p.toml") {
            Err(refusal) => prop_assert!(says_where(&refusal.0, &text), "{}\n{text}", refusal.0),
            Ok(plan) => {
                if let Ok(jobs) = schedule::jobs(&plan, &[]) {
                    schedule::needs(&jobs);
                    schedule::beside_states(&jobs);
                }
                let found = problems(&schema(), &read(&text));
                prop_assert!(found.is_empty(), "{found:?}\n{text}");
            }
        }
    }

    #[test]
    fn any_value_of_a_parameter_is_taken_or_refused_in_one_line(
        name in "[a-z]{1,3}",
        value in prop_oneof![".{0,12}", prop::sample::select(WORDS).prop_map(str::to_owned)],
        scale in prop::option::of("[a-z]{1,3}"),
        at_head in any::<bool>(),
    ) {
        let values = format!("[parameters]\n{name} = {value:?}\n[scale.s]\n{name} = \"4\"\n");
        let head = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.scratch = { dir = \"{dir}\" }\n";
        let test = format!(
            "[[test]]\nid = \"T\"\nior = \"-w -b ${{{name}}}\"\nranks = \"${{{name}}}\"\n\
             role = \"reported\"\n"
        );
        let text = match at_head {
            true => format!("{head}{values}{test}"),
            false => format!("{head}{test}{values}"),
        };
        let choice = Choice { scale: scale.clone(), set: [(name, value)].into() };
        for choice in [Choice::default(), Choice { scale, ..Choice::default() }, choice] {
            if let Err(refusal) = Plan::parse_with(&text, "p.toml", &choice) {
                // What was chosen by hand has no place in the file.
                let chosen = choice != Choice::default() && !refusal.0.contains('\n');
                prop_assert!(says_where(&refusal.0, &text) || chosen, "{}\n{text}", refusal.0);
            }
        }
    }
}

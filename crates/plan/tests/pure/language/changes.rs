//! Changes of the text of a plan like those that mistakes make. The tests of the linter use them too.

use proptest::prelude::*;

/// Texts to insert into plans: characters of TOML, too large numbers, letters of several bytes, keys.
pub(crate) const WORDS: &[&str] = &[
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
pub(crate) enum Change {
    Cut(usize, usize),
    Put(usize, usize),
    Instead(usize, usize, usize),
    Twice(usize),
    Swap(usize, usize),
    Line(usize, usize),
    Text(usize, usize, bool),
}

pub(crate) fn change() -> impl Strategy<Value = Change> {
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
    pub(crate) fn of(&self, text: &str) -> String {
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
            // A text in quotes is replaced or extended.
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
            // The value of a key is replaced.
            Self::Line(line, index) => {
                let line = &mut lines[line % count];
                let key = line.split('=').next().unwrap_or_default().to_owned();
                *line = format!("{key}= {}", word(index));
            }
        }
        lines.join("\n")
    }
}

//! Mistakes of authors of plans, in `mistakes.txt`. Each is rejected in one line with its position, its
//! reason and a remedy.
//!
//! With `BLESS` set in the environment, the messages are written instead of compared.

use std::fs;

use plan::Plan;

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pure/language/mistakes.txt");

/// The text before a mistake, for each part of the file.
const BEFORE: &[(&str, &str)] = &[
    (
        "IN A TEST",
        "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.scratch = { dir = \"{dir}\" }\n[[test]]\n\
         id = \"T\"\nior = \"-w\"\n",
    ),
    ("IN A PLAN", "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.scratch = { dir = \"{dir}\" }\n"),
    ("IN A FILE", ""),
];

/// The file with the current message for each mistake, and the number of mistakes.
fn answered(file: &str) -> (String, usize) {
    let (mut before, mut mistake, mut number) = ("", String::new(), 0);
    let mut answered = String::new();
    for line in file.lines() {
        let line = match line.strip_prefix("=> ") {
            Some(_) => {
                let text = format!("{before}{mistake}");
                let said = Plan::parse(&text, "p.toml").expect_err(&text).0;
                let said =
                    said.strip_prefix("p.toml:").unwrap_or_else(|| panic!("no place: {said}")).to_owned();
                mistake.clear();
                number += 1;
                format!("=> {said}")
            }
            None => line.to_owned(),
        };
        if let Some(part) = line.strip_prefix("## ") {
            before = BEFORE.iter().find(|(name, _)| *name == part).expect("a part").1;
            mistake.clear();
        } else if !line.starts_with("=> ") && !line.is_empty() {
            mistake += &line;
            mistake.push('\n');
        }
        answered += &line;
        answered.push('\n');
    }
    (answered, number)
}

#[test]
fn every_mistake_is_rejected_in_a_line_with_its_position_and_a_remedy() {
    let file = fs::read_to_string(PATH).expect(PATH);
    let (answered, number) = answered(&file);
    assert!(number > 60, "{number} mistakes");
    if std::env::var_os("BLESS").is_some() {
        fs::write(PATH, &answered).expect(PATH);
        return;
    }
    for (line, (wanted, said)) in file.lines().zip(answered.lines()).enumerate() {
        assert_eq!(said, wanted, "mistakes.txt:{} (BLESS=1 writes the messages)", line + 1);
    }
}

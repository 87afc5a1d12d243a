//! docs/PLAN.md: its tables are those of the keys, and each piece of a plan in it is one.
//!
//! With `BLESS` set in the environment the tables are written instead of compared.

use std::fs;

use plan::Plan;

use super::schema::read;
use super::valid::problems;

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/PLAN.md");

#[test]
fn the_tables_of_the_documentation_are_those_of_the_keys() {
    let mut text = fs::read_to_string(PATH).expect(PATH);
    let mut missing = Vec::new();
    for (name, page) in plan::keys_paper() {
        let mark = format!("<!-- keys: {name} -->\n");
        let Some(begin) = text.find(&mark).map(|at| at + mark.len()) else {
            missing.push(name);
            continue;
        };
        let rows = text[begin..].lines().take_while(|line| line.starts_with('|'));
        let length: usize = rows.map(|row| row.len() + 1).sum();
        text.replace_range(begin..begin + length, &page);
    }
    assert!(missing.is_empty(), "docs/PLAN.md has no `<!-- keys: NAME -->` for {missing:?}");
    if std::env::var_os("BLESS").is_some() {
        fs::write(PATH, &text).expect(PATH);
    }
    assert!(text == fs::read_to_string(PATH).expect(PATH), "BLESS=1 writes the tables of docs/PLAN.md");
}

/// What a piece of a plan may rest on: each is left out where the piece has the like itself.
const REST: &[(&str, &str)] = &[
    ("[plan]", "[plan]\nid = \"p\"\ntitle = \"t\"\n"),
    ("[fs.scratch]", "[fs.scratch]\ndir = \"{dir}\"\n"),
    ("[clients]", "[clients]\ndelivered = 22600\n"),
    ("[launch]", "[launch]\nkind = \"mpirun\"\n"),
    ("[defaults]", "[defaults]\nfs = \"scratch\"\n"),
    ("[known.phase1]", "[known.phase1]\nvalue = \"716886 MiB/s\"\nsource = \"a report\"\n"),
    ("[dataset.big]", "[dataset.big]\nior = \"-w -F -e -g -t 1m -b 4g -k -G 7\"\n"),
    (
        "id = \"B.1\"",
        "[[test]]\nid = \"B.1\"\nior = \"-w -F -e -g -t 1m -b 4g\"\ncriterion = { metric = \"write.bw\", \
         op = \">=\", value = \"2.5 GB/s\" }\n",
    ),
];

/// The piece as a whole plan.
pub(super) fn whole(piece: &str) -> String {
    let missing = REST.iter().filter(|(mark, _)| !piece.lines().any(|line| line.contains(mark)));
    let rest: String = missing.map(|(_, rest)| *rest).collect();
    match piece.starts_with("schema =") {
        true => format!("{piece}{rest}"),
        false => format!("schema = 1\n{rest}{piece}"),
    }
}

/// The pieces of plans in the documentation, each with the number of its first line.
pub(super) fn pieces() -> Vec<(usize, String)> {
    let text = fs::read_to_string(PATH).expect(PATH);
    let mut pieces: Vec<(usize, String)> = Vec::new();
    let mut inside = false;
    for (number, line) in text.lines().enumerate() {
        match line {
            "```toml" => {
                inside = true;
                pieces.push((number + 2, String::new()));
            }
            "```" => inside = false,
            line if inside => {
                let (_, piece) = pieces.last_mut().expect("one has begun");
                piece.push_str(line);
                piece.push('\n');
            }
            _ => {}
        }
    }
    pieces
}

#[test]
fn every_piece_of_a_plan_in_the_documentation_is_one() {
    let schema = plan::schema();
    let pieces = pieces();
    assert!(pieces.len() > 10, "{} pieces", pieces.len());
    for (line, piece) in pieces {
        let text = whole(&piece);
        if let Err(rejected) = Plan::parse(&text, "piece") {
            panic!("docs/PLAN.md:{line}: {rejected}\n{text}");
        }
        assert_eq!(problems(&schema, &read(&text)), Vec::<String>::new(), "docs/PLAN.md:{line}");
    }
}

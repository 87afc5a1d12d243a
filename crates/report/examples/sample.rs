//! Writes the report of the tests' campaign to the given path, to be viewed in a browser. With `many` as
//! the second argument it is the campaign of 17 clauses, with a number it is one of that many jobs, two of
//! each test or the number in the third argument.
//!
//! Never here: assertions; tests have them.

#[path = "../tests/pure/golden/mod.rs"]
mod golden;

use std::fs::File;
use std::io::{self, BufWriter, Write};

fn main() -> io::Result<()> {
    let Some(path) = std::env::args_os().nth(1) else {
        return Err(io::Error::other("no path was given. Give the path of the file to write."));
    };
    let mut out = BufWriter::new(File::create(path)?);
    let word = std::env::args().nth(2).unwrap_or_default();
    let of_a_test = std::env::args().nth(3).and_then(|word| word.parse().ok());
    let campaign = match word.parse() {
        Ok(jobs) => golden::many::of_jobs(jobs, of_a_test.unwrap_or(2)),
        Err(_) if word == "many" => golden::many::campaign(),
        Err(_) => golden::campaign(),
    };
    report::write_html(&campaign, &mut out)?;
    out.flush()
}

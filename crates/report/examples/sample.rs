//! Writes the report of the tests' campaign to the given path, to be viewed in a browser. With `many` as the
//! second argument it is the campaign of 17 clauses.
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
    let many = std::env::args().nth(2).is_some_and(|word| word == "many");
    let campaign = if many { golden::many::campaign() } else { golden::campaign() };
    report::write_html(&campaign, &mut out)?;
    out.flush()
}

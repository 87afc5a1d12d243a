//! Writes the report of the tests' campaign to the given path, to be viewed in a browser.
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
    report::write_html(&golden::campaign(), &mut out)?;
    out.flush()
}

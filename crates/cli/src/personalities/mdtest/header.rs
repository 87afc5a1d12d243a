//! The header above the results of `mdtest`.

use command::mdtest::{Edition, Parsed};
use jiff::Zoned;
use storage::Space;

use super::listing;
use crate::personalities::classic::{space_line, whole_header_dir};

/// The line about reads that read nothing, which 4.x prints.
pub(crate) const NOTHING_READ: &str = "Read bytes is 0, thus, a read test will actually just open/close";

/// What is known of a run once its ranks have met.
pub(crate) struct Facts<'a> {
    /// The command line as given.
    pub(crate) argv: &'a [String],
    pub(crate) ranks: u32,
    pub(crate) nodes: u32,
    /// Whether each rank is on the node of rank 0.
    pub(crate) on_node_0: &'a [bool],
    /// The space of the first directory's file system, if it reports it.
    pub(crate) space: Option<Space>,
}

/// A moment as mdtest writes it.
pub(crate) fn moment() -> String {
    Zoned::now().strftime("%m/%d/%Y %H:%M:%S").to_string()
}

/// The header up to the first line of an event.
pub(crate) fn text(meant: &Parsed, facts: &Facts<'_>) -> String {
    let edition = meant.output.edition;
    let version = edition.version();
    let mut text = format!(
        "-- started at {} --\n\nmdtest-{version} was launched with {} total task(s) on {} node(s)\n\
         Command line used: {}\n",
        moment(),
        facts.ranks,
        facts.nodes,
        command(facts.argv, edition)
    );
    let parameters = &meant.request;
    if parameters.verbose > 0 && meant.all_phases {
        let words = "main: Setting create/stat/read/remove_only to True";
        text.push_str(&listing::numbered(edition, 1, (1398, 1905), words));
    }
    if reads_nothing(meant) {
        text.push_str(&format!("WARNING: {NOTHING_READ}\n"));
    }
    if parameters.verbose > 0 {
        text.push_str(&listing::parameters(meant));
    }
    let map: String = facts.on_node_0.iter().map(|here| if *here { '1' } else { '0' }).collect();
    let map = format!("Nodemap: {map}\n");
    let place = place(meant, facts.space);
    match edition {
        Edition::Mdtest19 => text + &place,
        Edition::Mdtest33 => text + &place + "\n" + &map,
        Edition::Mdtest41 => text + &map + &place,
    }
}

/// Whether 4.x warns of reads of zero bytes.
pub(crate) fn reads_nothing(meant: &Parsed) -> bool {
    let parameters = &meant.request;
    meant.output.edition == Edition::Mdtest41 && parameters.read && parameters.read_bytes == 0
}

/// The command line. Only 1.9 prints the arguments without quotes.
fn command(argv: &[String], edition: Edition) -> String {
    let mut words = argv.iter();
    let mut text = words.next().cloned().unwrap_or_default();
    for word in words {
        match edition {
            Edition::Mdtest19 => text.push_str(&format!(" {word}")),
            _ => text.push_str(&format!(" '{word}'")),
        }
    }
    text
}

/// The test directory and the capacity of its file system.
fn place(meant: &Parsed, space: Option<Space>) -> String {
    let dir = meant.request.dirs.first().map(String::as_str).unwrap_or_default();
    let newer = meant.output.edition == Edition::Mdtest41;
    let line = |key: &str, value: &str| match newer {
        true => format!("{key:<20}: {value}\n"),
        false => format!("{key}: {value}\n"),
    };
    let mut text = match newer {
        true => line("Path", dir),
        false => line("Path", &whole_header_dir(dir).display().to_string()),
    };
    if let Some(space) = space {
        text.push_str(&line("FS", &space_line(space)));
    }
    text
}

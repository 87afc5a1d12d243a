//! `--dryRun`: what the tests would do, from their options alone.
//!
//! Invariant: nothing is opened, made or removed; the only look at storage is for names and free room.

use std::path::Path;

use units::bytes_binary;
use workloads::ior::{Offsets, Parameters, first_path};

use super::flow::Ready;
use super::output::Format;
use crate::personalities::classic::header_dir;

/// Most files that are looked for, so that a dry run of many ranks ends soon.
const LOOKED_FOR_MAX: u32 = 1000;

/// The whole text for the tests of a run.
pub(crate) fn text(tests: &[Ready]) -> String {
    let mut text = String::from("Dry run: nothing is opened, written or deleted.\n");
    for test in tests {
        text.push_str(&of_test(test));
    }
    text.push_str(&files_of_run(&tests[tests.len() - 1]));
    text
}

fn line(key: &str, value: &str) -> String {
    format!("  {key:<12} {value}\n")
}

fn of_test(test: &Ready) -> String {
    let parameters = &test.meant.parameters;
    let mut text = format!(
        "\nTest {}: {}, {}, {}\n",
        parameters.test,
        parameters.backend,
        counted(test.ranks.into(), "rank"),
        counted(parameters.repetitions.into(), "repetition")
    );
    text.push_str(&line("files", &files(test)));
    for (phase, what) in phases(parameters) {
        text.push_str(&line(phase, &format!("{}{what}", amount(test))));
    }
    text.push_str(&line("afterwards", fate(parameters)));
    if parameters.write {
        text.push_str(&line("room", &room(test)));
    }
    text
}

fn counted(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// The files of one repetition, by name as far as that does not depend on the node.
fn files(test: &Ready) -> String {
    let parameters = &test.meant.parameters;
    let count = if parameters.file_per_rank { test.ranks } else { 1 };
    let of_repetition = |name: String| match parameters.multi_file {
        true => format!("{name}.0"),
        false => name,
    };
    let name = |rank| of_repetition(first_path(parameters, rank));
    let mut text = match count {
        1 => name(0),
        _ => format!("{count}, {} ... {}", name(0), name(count - 1)),
    };
    if parameters.multi_file && parameters.repetitions > 1 {
        let last = parameters.repetitions - 1;
        text.push_str(&format!(", and so on to .{last} for each repetition"));
    }
    if test.storage.keeps_data() {
        let looked_for = count.min(LOOKED_FOR_MAX);
        let there = (0..looked_for).filter(|rank| Path::new(&name(*rank)).exists()).count();
        let of = if looked_for < count { format!(" of the first {looked_for}") } else { String::new() };
        text.push_str(&match (there, parameters.write, parameters.use_existing) {
            (0, ..) => format!(" (none{of} is there)"),
            (_, false, _) => format!(" ({there}{of} there)"),
            (_, true, false) => format!(" ({there}{of} there, would be DELETED first)"),
            (_, true, true) => format!(" ({there}{of} there, would be overwritten in place)"),
        });
    }
    text
}

/// The phases of a repetition in their order, and what is special about each.
fn phases(parameters: &Parameters) -> Vec<(&'static str, String)> {
    let compared = ", every word compared".to_owned();
    let all = [
        (parameters.write, "write", String::new()),
        (parameters.write_check, "write check", compared.clone()),
        (parameters.mix.is_some(), "mixed", format!(", {} % reads", parameters.mix.unwrap_or(0))),
        (parameters.read && !parameters.read_check, "read", String::new()),
        (parameters.read_check, "read check", compared),
    ];
    all.into_iter().filter(|(there, ..)| *there).map(|(_, phase, what)| (phase, what)).collect()
}

/// What one phase moves: in all, and for each rank.
fn amount(test: &Ready) -> String {
    let parameters = &test.meant.parameters;
    let layout = parameters.layout(test.ranks);
    let limit = match parameters.wear_out_transfers {
        0 => u64::MAX,
        limit => limit,
    };
    let transfers = layout.transfers_per_rank().min(limit);
    let rank_bytes = transfers * parameters.transfer;
    let at_most = if parameters.deadline > 0 || parameters.minutes_max > 0 {
        "at most "
    } else if parameters.seconds_min > 0 {
        "at least "
    } else if parameters.offsets == Offsets::IorShuffled && !parameters.file_per_rank {
        // IOR's own shuffle of a shared file gives the ranks unequal shares.
        "on average "
    } else {
        ""
    };
    format!(
        "{} in all; {at_most}{} a rank, in {} of {}",
        exact(rank_bytes * u64::from(test.ranks)),
        exact(rank_bytes),
        counted(transfers, "transfer"),
        exact(parameters.transfer)
    )
}

/// Bytes for people, and to the byte where that is not the same.
fn exact(bytes: u64) -> String {
    if bytes < 1024 {
        format!("{bytes} bytes")
    } else {
        format!("{} ({bytes} bytes)", bytes_binary(bytes as f64))
    }
}

fn fate(parameters: &Parameters) -> &'static str {
    let found = !(parameters.write || parameters.read || parameters.read_check);
    if found && parameters.mix.is_some() {
        return "the files are left as they are; a mixed phase found them";
    }
    match (parameters.keep, parameters.keep_with_error) {
        (true, _) => "the files are kept",
        (false, true) => "the files are DELETED, unless their data was wrong",
        (false, false) => "the files are DELETED",
    }
}

/// What a write needs against what the file system of the first file has.
fn room(test: &Ready) -> String {
    let parameters = &test.meant.parameters;
    let once = parameters.layout(test.ranks).total_bytes().unwrap_or(u64::MAX);
    let files = if parameters.multi_file && parameters.keep { parameters.repetitions } else { 1 };
    let need = once.saturating_mul(files.into());
    let dir = header_dir(&first_path(parameters, 0)).to_owned();
    let needed = format!("needs {}", bytes_binary(need as f64));
    match test.storage.space(&dir) {
        Ok(Some(space)) => {
            let there = bytes_binary(space.bytes_available as f64);
            let fits = if space.bytes_available >= need { "fits" } else { "DOES NOT FIT" };
            format!("{needed}, {there} are free at {}: {fits}", dir.display())
        }
        Ok(None) => format!("{needed}; this backend does not tell what is free"),
        Err(error) => format!("{needed}; what is free at {} is not known: {error}", dir.display()),
    }
}

/// The files that the run itself would write.
fn files_of_run(last: &Ready) -> String {
    let meant = &last.meant;
    let results = match meant.look.format {
        Format::Text => "results",
        Format::Json => "results as JSON",
        Format::Csv => "results as CSV",
    };
    let files = [
        (results, &meant.look.file),
        ("rank times", &meant.look.rank_csv),
        ("transfers", &meant.parameters.transfer_csv),
        ("records", &meant.record),
        ("live", &meant.live),
    ];
    let lines: Vec<String> =
        files.iter().filter_map(|(what, file)| Some(line(what, file.as_ref()?))).collect();
    if lines.is_empty() { String::new() } else { format!("\nThe run would write\n{}", lines.concat()) }
}

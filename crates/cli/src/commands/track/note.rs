//! `assay track note`: what people know about a time of the history, and which levels they accept.

use anyhow::Result;
use report::history::words::{local_day, note_on};
use track::store::{HistoryNote, Store};
use units::{Usage, several, visible};

use super::super::aligned::aligned;
use super::super::user::user;
use super::list::selected;
use super::{StorePlace, date};
use crate::speech::say;
use crate::status::DONE;

/// The fewest digits of an id that the user may give.
const DIGITS_MIN: usize = 4;

/// Write what is known about a date, or accept the level since then
///
/// A note explains the changes at most three days from its date, in checks and reports. With --accept, the
/// level from that date on is the new baseline. Without a date, the notes are listed.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    assay track note 2026-11-25 'Firmware 4.1 on all servers' edison\n  \
    assay track note 2026-11-25 'Half of the targets moved' scratch1 write --accept\n  \
    assay track note")]
pub(super) struct NoteArgs {
    #[command(flatten)]
    store: StorePlace,
    /// The time that the note is about: RFC 3339, a local date, or seconds since 1970
    #[arg(value_name = "DATE", value_parser = date, requires = "words")]
    time: Option<f64>,
    /// The note
    #[arg(value_name = "NOTE", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    words: Option<String>,
    /// The note is about series with all of these texts in their names; without them about all series
    #[arg(value_name = "TEXT")]
    texts: Vec<String>,
    /// The level from the date on is the new baseline of these series
    #[arg(long, requires = "time")]
    accept: bool,
    /// Who writes the note; without this option the user of this machine
    #[arg(long, value_name = "NAME", requires = "time")]
    author: Option<String>,
    /// Withdraw the note with this id. The history keeps it, and no longer uses it
    #[arg(long, value_name = "ID", conflicts_with = "time")]
    withdraw: Option<String>,
}

pub(super) fn run(args: &NoteArgs) -> Result<u8> {
    match (&args.time, &args.words, &args.withdraw) {
        (_, _, Some(id)) => withdraw(args, id),
        (Some(time_s), Some(words), None) => add(args, *time_s, words),
        _ => list(args),
    }
}

fn add(args: &NoteArgs, time_s: f64, words: &str) -> Result<u8> {
    let mut store = args.store.open_to_write()?;
    let series = selected(&store, &args.texts)?.len();
    if series == 0 {
        let texts = args.texts.join(" ");
        return Err(Usage(format!("no series has `{texts}` in its name. See assay track list.")).into());
    }
    let note = HistoryNote {
        time_s,
        scope: args.texts.clone(),
        words: words.to_owned(),
        author: args.author.clone().unwrap_or_else(user),
        made_s: measure::unix_seconds(),
        is_accepted: args.accept,
        ..HistoryNote::default()
    }
    .named();
    store.add_note(&note)?;
    let series = several(series as u64, "series");
    let accepted = if note.is_accepted { ", their new baseline" } else { "" };
    say(&format!("Note {} about {series}{accepted}. History: {}\n", digits(note.id), store.location()))?;
    Ok(DONE)
}

fn withdraw(args: &NoteArgs, id: &str) -> Result<u8> {
    let mut store = args.store.open_to_write()?;
    let note = found(&store, id)?;
    store.withdraw_note(note.id, measure::unix_seconds())?;
    say(&format!("Withdrawn: {}\n", note_on(&local_day(note.time_s), &note)))?;
    Ok(DONE)
}

/// The only note whose id begins so.
fn found(store: &Store, id: &str) -> Result<HistoryNote> {
    let mut notes = store.notes()?;
    notes.retain(|note| id.len() >= DIGITS_MIN && digits(note.id).starts_with(&id.to_ascii_lowercase()));
    match <[HistoryNote; 1]>::try_from(notes) {
        Ok([note]) => Ok(note),
        Err(notes) => {
            let count =
                if notes.is_empty() { "no note".to_owned() } else { several(notes.len() as u64, "note") };
            let list = "See the ids with assay track note.";
            Err(Usage(format!("--withdraw {id}: {count} with this id. {list}")).into())
        }
    }
}

fn list(args: &NoteArgs) -> Result<u8> {
    let store = args.store.open()?;
    let notes = store.notes()?;
    if !notes.is_empty() {
        let mut rows = vec![["Id", "Date", "Series with", "Baseline", "By", "Note"].map(str::to_owned)];
        rows.extend(notes.iter().map(row));
        say(&aligned(&rows))?;
    }
    say(&format!("{}. History: {}\n", several(notes.len() as u64, "note"), store.location()))?;
    Ok(DONE)
}

fn row(note: &HistoryNote) -> [String; 6] {
    let scope = if note.scope.is_empty() { "all series".to_owned() } else { note.scope.join(" ") };
    let accepted = if note.is_accepted { "accepted" } else { "" };
    let [author, words] = [&note.author, &note.words].map(|text| visible(text));
    [digits(note.id), local_day(note.time_s), scope, accepted.to_owned(), author, words]
}

/// The id in 16 hexadecimal digits.
fn digits(id: i64) -> String {
    format!("{:016x}", id.cast_unsigned())
}

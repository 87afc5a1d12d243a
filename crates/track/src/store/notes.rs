//! The notes of a store: what people know about a time, and which levels are accepted.
//!
//! Invariant: a note is never removed. A withdrawn one stays in the file, and is no longer read.
//! Never here: which changes a note explains.

use super::database::{DatabaseError, SqlRow};
use super::{Store, StoreError, id_of};

/// What its author knows about a time of some series.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HistoryNote {
    /// Its id; see [`HistoryNote::named`].
    pub id: i64,
    /// The time that it is about, seconds since 1970.
    pub time_s: f64,
    /// It is about the series whose names have all these texts; without a text about all series.
    pub scope: Vec<String>,
    /// The words.
    pub words: String,
    /// Who wrote it.
    pub author: String,
    /// When it was written, seconds since 1970.
    pub made_s: f64,
    /// Whether the level from this time on is the new baseline.
    pub is_accepted: bool,
}

impl HistoryNote {
    /// The same note with the id that follows from its other fields.
    pub fn named(self) -> Self {
        let fields = (self.time_s, &self.scope, &self.words, &self.author, self.made_s, self.is_accepted);
        Self { id: id_of(&serde_json::to_string(&fields).expect("texts are JSON")), ..self }
    }
}

const ADD: &str = "INSERT INTO notes VALUES ($1, $2, $3, $4, $5, $6, $7, NULL) ON CONFLICT DO NOTHING";
const READ: &str = "SELECT id, time_s, scope, words, author, made_s, is_accepted FROM notes \
     WHERE withdrawn_s IS NULL ORDER BY time_s, made_s, id";
const WITHDRAW: &str = "UPDATE notes SET withdrawn_s = $1 WHERE id = $2 AND withdrawn_s IS NULL";

impl Store {
    /// Adds a note.
    pub fn add_note(&mut self, note: &HistoryNote) -> Result<(), StoreError> {
        let scope = serde_json::to_string(&note.scope).expect("texts are JSON");
        let HistoryNote { id, time_s, words, author, made_s, is_accepted, scope: _ } = note;
        let values = [
            (*id).into(),
            (*time_s).into(),
            scope.into(),
            words.into(),
            author.into(),
            (*made_s).into(),
            i64::from(*is_accepted).into(),
        ];
        self.writing(|database| database.execute(ADD, &values))?;
        Ok(())
    }

    /// All notes that are not withdrawn, by the time that they are about.
    pub fn notes(&self) -> Result<Vec<HistoryNote>, StoreError> {
        self.rows(READ, &[], note)
    }

    /// Withdraws a note; whether it was there.
    pub fn withdraw_note(&mut self, id: i64, withdrawn_s: f64) -> Result<bool, StoreError> {
        self.writing(|database| Ok(database.execute(WITHDRAW, &[withdrawn_s.into(), id.into()])? > 0))
    }
}

fn note(row: &SqlRow) -> Result<HistoryNote, DatabaseError> {
    Ok(HistoryNote {
        id: row.integer(0)?,
        time_s: row.real(1)?,
        scope: super::read::json(row.text(2)?)?,
        words: row.text(3)?.to_owned(),
        author: row.text(4)?.to_owned(),
        made_s: row.real(5)?,
        is_accepted: row.integer(6)? != 0,
    })
}

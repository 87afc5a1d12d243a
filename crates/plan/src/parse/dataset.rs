//! The rules of datasets: their command line, the data that they must hold, and how long they are kept.

use command::{ToolLine, WorkloadName, ior};
use toml::Spanned;
use units::{Dimension, bytes_binary};

use super::defaults::{Defaults, ParseResult, among, name};
use super::placement::RanksRequest;
use super::{Dataset, DatasetDemand, Placement, State, wire};
use crate::language::rejections::Rejection;
use crate::line::Line;

/// Default factor by which a dataset exceeds what its readers need. A reader that is faster than expected
/// must not reach the end of its files.
const MARGIN: f64 = 1.5;
/// The phases of a command line that only creates files and directories.
const MAKING: &[&str] = &["tree_creation", "directory_creation", "file_creation"];

impl Defaults<'_> {
    pub(super) fn dataset(
        &self,
        key: &str,
        spanned: &Spanned<wire::DatasetKeys>,
        states: &[State],
    ) -> ParseResult<Dataset> {
        let wire = spanned.get_ref();
        let who = format!("dataset.{key}");
        name(&Spanned::new(spanned.span(), key.to_owned()), "a dataset's name", self.place)?;
        let placement =
            self.placement(&who, &RanksRequest::new(&wire.ranks, &wire.nodes, &wire.ppn, spanned.span()))?;
        let (line, words) = match (&wire.ior, &wire.mdtest) {
            (Some(words), None) => (Line::Ior(Box::new(self.data(&who, words)?)), words),
            (None, Some(words)) => (Line::Tool(self.names(&who, words)?), words),
            _ => {
                let what = "give the command line that makes it, either as `ior` or as `mdtest`";
                return Err(self.place.error(spanned, format!("{who}: {what}")));
            }
        };
        let verify = wire.verify.or(self.file.verify) == Some(wire::VerifyWord::After);
        let line = if verify { line.verified() } else { line };
        let cover =
            wire.cover.as_ref().map(|cover| self.cover(&who, cover, &line, &placement)).transpose()?;
        let keep = wire.keep.as_ref();
        let fs = self.fs(&who, wire.fs.as_ref(), spanned)?;
        Ok(Dataset {
            state: self.written_in(&who, wire, &fs, states)?,
            name: key.to_owned(),
            setup: wire.setup.clone(),
            stripes: wire.stripes.as_ref().map(|stripes| *stripes.get_ref()),
            fs,
            timeout_s: self.timeout(&who, wire.timeout.as_ref())?,
            cover,
            keep_s: keep
                .map(|keep| self.place.quantity(&who, "keep", keep, Dimension::Seconds))
                .transpose()?,
            at: self.place.line_column(&words.span()),
            placement,
            line,
        })
    }

    /// The `age` state in which the files are written.
    fn written_in(
        &self,
        who: &str,
        wire: &wire::DatasetKeys,
        fs: &str,
        states: &[State],
    ) -> ParseResult<Option<usize>> {
        let [first, rest @ ..] = &wire.states[..] else { return Ok(None) };
        let rejected =
            |at: &Spanned<String>, what: String| Err(self.place.error(at, format!("{who}: {what}")));
        if let Some(second) = rest.first() {
            return rejected(second, "a dataset is written in one state. Remove the others.".into());
        }
        let word = first.get_ref().as_str();
        if self.errors.is_spoiled(&format!("state.{word}")) {
            return Err(Rejection::Follows);
        }
        let known: Vec<&str> = states.iter().map(|state| state.name.as_str()).collect();
        let Some(index) = known.iter().position(|known| *known == word) else {
            return rejected(first, format!("no [state.{word}]{}", among(word, &known)));
        };
        if !states[index].is_made() {
            return rejected(first, format!("state.{word} has no `age`, so no files can be written in it"));
        }
        if states[index].fs != fs {
            let other = &states[index].fs;
            return rejected(first, format!("state.{word} is on fs.{other}, but the dataset is on fs.{fs}"));
        }
        if let Some(keep) = &wire.keep {
            let what =
                "a state is removed at the end of a campaign, so files in it cannot be kept. Remove `keep`.";
            return rejected(keep, what.into());
        }
        Ok(Some(index))
    }

    /// An IOR command line that leaves files of equal size.
    fn data(&self, who: &str, words: &Spanned<String>) -> ParseResult<ior::Line> {
        let rejected = |what: &str| Err(self.place.error(words, format!("{who}: {what}")));
        if let Some(why) = super::test::two_meanings(words.get_ref()).filter(|_| !self.is_recorded) {
            return rejected(&why);
        }
        let line = match ior::Line::parse(words.get_ref()) {
            Ok(line) => line,
            Err(error) => return rejected(&error.0),
        };
        if !line.write {
            return rejected("the command line writes nothing. Add -w.");
        }
        if !line.keep {
            return rejected("IOR removes its files when it ends. Add -k to keep them for the readers.");
        }
        if line.deadline > 0 && !line.wears_out() {
            return rejected("-D leaves files of unequal size to the readers. Add -O stoneWallingWearOut=1.");
        }
        if line.repetitions > 1 {
            return rejected("its readers find one set of files. Remove -i.");
        }
        if line.file().is_some_and(|file| file.contains('@')) {
            return rejected("the names of its files must have one beginning. Remove `@` from -o.");
        }
        Ok(line)
    }

    /// An mdtest command line that creates files and directories and leaves them.
    fn names(&self, who: &str, words: &Spanned<String>) -> ParseResult<ToolLine> {
        let rejected = |what: String| Err(self.place.error(words, format!("{who}: {what}")));
        if let Some(why) = super::test::two_meanings(words.get_ref()).filter(|_| !self.is_recorded) {
            return rejected(why);
        }
        let line = match ToolLine::parse(WorkloadName::Mdtest.key(), words.get_ref()) {
            Ok(line) => line,
            Err(error) => return rejected(error.0),
        };
        let only = line.phases().iter().all(|phase| MAKING.contains(phase));
        if !line.creates() || line.removes() || !only {
            return rejected(
                "the command line of a dataset only creates files and leaves them. Give -C and none of \
                 -T, -E, -r."
                    .into(),
            );
        }
        if line.repetitions() > 1 {
            return rejected("its readers find one set of files. Remove -i.".into());
        }
        if line.preloads() {
            let what = "--preload fills directories that a test works in. Create more files with -n or -I.";
            return rejected(what.into());
        }
        Ok(line)
    }

    /// The amount of data that is required. The command line must be able to write it.
    fn cover(
        &self,
        who: &str,
        spanned: &Spanned<wire::CoverKeys>,
        line: &Line,
        placement: &Placement,
    ) -> ParseResult<DatasetDemand> {
        let wire::CoverKeys { rate, time, margin } = spanned.get_ref();
        let rejected = |what: String| Err(self.place.error(spanned, format!("{who}: {what}")));
        let Line::Ior(made) = line else {
            return rejected("`cover` is for bytes that readers read, but mdtest creates files".into());
        };
        if let Some(margin) = margin.as_ref().filter(|margin| *margin.get_ref() < 1.0) {
            let what =
                format!("{who}: cover.margin is below 1, so readers would reach the end. Write 1 or more.");
            return Err(self.place.error(margin, what));
        }
        let cover = DatasetDemand {
            rate: self.place.quantity(who, "cover.rate", rate, Dimension::BytesPerSecond)?,
            seconds: self.place.quantity(who, "cover.time", time, Dimension::Seconds)?,
            margin: margin.as_ref().map_or(MARGIN, |margin| *margin.get_ref()),
        };
        let most = made.bytes(placement.ranks);
        if most < cover.bytes() {
            let how = if made.deadline > 0 { ", even without -D" } else { "" };
            return rejected(format!(
                "the command line writes at most {}{how}, but its readers need {} ({cover}). Write more with \
                 -s, -b or ranks.",
                bytes_binary(most as f64),
                bytes_binary(cover.bytes() as f64),
            ));
        }
        Ok(cover)
    }
}

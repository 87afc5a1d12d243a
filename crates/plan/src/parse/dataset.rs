//! The rules of datasets: their command line, the data that they must hold, and how long they are kept.

use command::{ToolLine, WorkloadName, ior};
use toml::Spanned;
use units::{Dimension, bytes_binary};

use super::defaults::{Defaults, ParseResult, name};
use super::placement::RanksRequest;
use super::{Dataset, DatasetDemand, Placement, State, wire};
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
        let (workload, words) = match (&wire.ior, &wire.mdtest) {
            (Some(words), None) => (WorkloadName::Ior.key(), words),
            (None, Some(words)) => (WorkloadName::Mdtest.key(), words),
            _ => {
                let what = "give the command line that makes it, either as `ior` or as `mdtest`";
                return Err(self.place.error(spanned, format!("{who}: {what}")));
            }
        };
        let line = self
            .made_by(workload, words.get_ref())
            .map_err(|why| self.place.error(words, format!("{who}: {why}")))?;
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
        let index = self.known(who, "state", (word, first), states.iter().map(|state| &*state.name))?;
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

    /// A command line that creates files and directories and leaves them.
    fn made_by(&self, workload: &str, text: &str) -> Result<Line, String> {
        if let Some(why) = super::test::two_meanings(text).filter(|_| !self.is_recorded) {
            return Err(why);
        }
        let line = Line::parse(workload, text).map_err(|error| error.0)?;
        let fault = match &line {
            Line::Ior(line) => fault_of_data(line),
            Line::Tool(line) => fault_of_names(line),
            Line::App(_) => None,
        };
        fault.map_or(Ok(line), |fault| Err(fault.to_owned()))
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
        if let Some(margin) = margin.as_ref().filter(|it| !(1.0..f64::INFINITY).contains(it.get_ref())) {
            let is_below = *margin.get_ref() < 1.0;
            let why =
                if is_below { "below 1, so readers would reach the end" } else { "not a finite number" };
            let what = format!("{who}: cover.margin is {why}. Write 1 or more.");
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

/// Why the files of an IOR command line are not of equal size for all readers, if they are not.
fn fault_of_data(line: &ior::Line) -> Option<&'static str> {
    let has_at = line.file().is_some_and(|file| file.contains('@'));
    let faults = [
        (!line.write, "the command line writes nothing. Add -w."),
        (!line.keep, "IOR removes its files when it ends. Add -k to keep them for the readers."),
        (
            line.deadline > 0 && !line.wears_out(),
            "-D leaves files of unequal size to the readers. Add -O stoneWallingWearOut=1.",
        ),
        (line.repetitions > 1, "its readers find one set of files. Remove -i."),
        (has_at, "the names of its files must have one beginning. Remove `@` from -o."),
    ];
    faults.into_iter().find_map(|(is_there, why)| is_there.then_some(why))
}

/// Why a command line of mdtest does not just create files and directories and leave them, if it does not.
fn fault_of_names(line: &ToolLine) -> Option<&'static str> {
    let only = line.phases().iter().all(|phase| MAKING.contains(phase));
    let faults = [
        (
            !line.creates() || line.removes() || !only,
            "the command line of a dataset only creates files and leaves them. Give -C and none of -T, -E, \
             -r.",
        ),
        (line.repetitions() > 1, "its readers find one set of files. Remove -i."),
        (
            line.preloads(),
            "--preload fills directories that a test works in. Create more files with -n or -I.",
        ),
    ];
    faults.into_iter().find_map(|(is_there, why)| is_there.then_some(why))
}

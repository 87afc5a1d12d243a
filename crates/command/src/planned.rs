//! What a plan, the linter and a verdict need to know of a command line, and what a campaign rejects in it.
//!
//! Never here: one workload.

use units::Usage;

use crate::classic::{ClassicLine, ClassicOption, OptionFault, OptionInput, OptionOccurrence, ReadLine};

/// The facts of the command line of any workload. Amounts are upper limits.
pub trait PlannedLine {
    /// Rejects what a campaign cannot pass on.
    fn check_planned(&self) -> Result<(), Usage> {
        Ok(())
    }

    /// Names of the phases that it yields, as records name them.
    fn phases(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// The backend that moves its data; `None` for plain files.
    fn backend(&self) -> Option<&str> {
        None
    }

    /// The place of its files that the command line sets.
    fn dir(&self) -> Option<&str> {
        None
    }

    /// Whether it creates files or directories.
    fn creates(&self) -> bool {
        true
    }

    /// Whether it removes what it created.
    fn removes(&self) -> bool {
        true
    }

    /// Bytes that this number of ranks write into one set of files.
    fn set_bytes(&self, _ranks: u64) -> u64 {
        0
    }

    /// Files and directories of one set on this number of ranks, with `preload` files put into each directory
    /// before.
    fn set_names(&self, _ranks: u64, _preload: u64) -> u64 {
        0
    }

    /// Number of sets of files that one job creates, one after the other.
    fn sets(&self) -> u64 {
        1
    }

    /// How often it repeats everything within one job.
    fn repetitions(&self) -> u64 {
        1
    }

    /// Whether it writes into files or creates entries, its own or those of others.
    fn writes(&self) -> bool {
        self.creates()
    }

    /// Bytes that it writes and reads at most, on this number of ranks.
    fn moves_bytes(&self, ranks: u32) -> (u64, u64) {
        let set = if self.creates() { self.set_bytes(ranks.into()) } else { 0 };
        (set.saturating_mul(self.sets()), 0)
    }

    /// The largest number of bytes that exist at the same time.
    fn holds_bytes(&self, ranks: u32) -> u64 {
        if self.creates() { self.set_bytes(ranks.into()).saturating_mul(self.sets_kept()) } else { 0 }
    }

    /// The largest number of files and directories that exist at the same time.
    fn holds_names(&self, ranks: u32, preload: u64) -> u64 {
        if self.creates() {
            self.set_names(ranks.into(), preload).saturating_mul(self.sets_kept())
        } else {
            0
        }
    }

    /// Number of sets that exist at the same time.
    fn sets_kept(&self) -> u64 {
        if self.removes() { 1 } else { self.sets() }
    }

    /// Operations of a phase on this number of ranks, with all repetitions; 0 if the command line does not
    /// decide it.
    fn operations(&self, _phase: &str, _ranks: u64) -> u64 {
        0
    }

    /// Seconds after which its phases stop; 0 for never.
    fn deadline_s(&self) -> u64 {
        0
    }

    /// Seconds after which a phase stops, in all its repetitions together; 0 for never.
    fn phase_limit_s(&self, _phase: &str) -> u64 {
        self.deadline_s()
    }

    /// Whether it saves or reads the number of items: `-x` of mdtest.
    fn has_status_file(&self) -> bool {
        false
    }

    /// Whether the phase compares data.
    fn compares(&self, _phase: &str) -> bool {
        false
    }

    /// Whether the failures of this phase show what is missing.
    fn knows_failures(&self, _phase: &str) -> bool {
        true
    }

    /// Whether it made all names that it uses, or the command line whose files it uses did.
    fn uses_only_made_names(&self) -> bool {
        true
    }

    /// Whether it only reads, on any number of ranks, and the files may be of any workload.
    fn reads_any_files(&self) -> bool {
        false
    }

    /// By how many ranks items shift from the ranks that create them to those that stat or read them.
    fn shift(&self) -> u64 {
        0
    }

    /// Whether items do not belong to single ranks.
    fn shares_names(&self) -> bool {
        false
    }

    /// Whether each rank has its own tree of directories.
    fn has_own_trees(&self) -> bool {
        false
    }

    /// Whether each node drops its caches before it reads, or reports that it could not.
    fn drops_caches(&self) -> bool {
        false
    }

    /// Whether the user's commands run between phases.
    fn runs_commands(&self) -> bool {
        false
    }

    /// Whether the command line itself fills directories first.
    fn preloads(&self) -> bool {
        false
    }

    /// Whether it writes or expects stamped data, which can be keyed. Options in a script are not known.
    fn has_stamped_data(&self) -> bool {
        false
    }
}

/// A rule for a given option and its value.
type OptionRule<I> = fn(&OptionOccurrence<I>, I, &str) -> Result<(), Usage>;

/// Rejects what a campaign cannot pass on to a classic program. `rule` rejects options by their values.
pub(crate) fn check<T: ClassicLine>(line: &ReadLine<T>, rule: OptionRule<T::Option>) -> Result<(), Usage> {
    for given in &line.occurrences {
        let word = &line.words[given.at];
        if let OptionInput::Fault(OptionFault::Stray(_)) = given.input {
            return check_stray(T::Option::PROGRAM, Some(word));
        }
        if given.lacks_value(&line.words) {
            return Err(Usage(format!("`{word}` has no value. Write its value after it.")));
        }
        if let OptionInput::Flag(row, _) | OptionInput::Value(row, _) = given.input {
            rule(given, row.id, given.text().unwrap_or_default())?;
            check_option(row.long.unwrap_or_default())?;
        }
        if let OptionInput::Module(option, _) = &given.input {
            check_option(option.option.name)?;
        }
    }
    Ok(())
}

/// Rejects an option, by its long name, that a campaign sets itself or that measures nothing.
fn check_option(long: &str) -> Result<(), Usage> {
    Err(Usage(match long {
        "record" | "progress" | "launch" | "speak-from" => {
            format!("the campaign sets `--{long}` itself. Leave it out.")
        }
        "data-of" => "a campaign gives each job its own data. Leave `--data-of` out.".to_owned(),
        "data-key" | "nonce" => "the key of the data is an option of `assay run`. Leave it out.".to_owned(),
        "remote_prefix" => "a campaign gives paths from the root of CephFS. Leave it out.".to_owned(),
        "dryRun" | "list" => format!("`--{long}` does nothing that can be measured. Leave it out."),
        _ => return Ok(()),
    }))
}

/// Rejects the options of these long names, each with whether it is given.
pub(crate) fn check_options(given: &[(&str, bool)]) -> Result<(), Usage> {
    given.iter().filter(|(_, is_given)| *is_given).try_for_each(|(long, _)| check_option(long))
}

/// Rejects an argument that is no option of the program.
pub(crate) fn check_stray(program: &str, stray: Option<&str>) -> Result<(), Usage> {
    let Some(stray) = stray else { return Ok(()) };
    Err(Usage(format!("`{stray}` is not an option of {program}. Its options begin with `-`.")))
}

/// Whether all paths of a place, with `@` between them, are below the campaign's own directory.
pub(crate) fn is_below(place: &str) -> bool {
    place.split('@').all(|path| path.starts_with("{dir}/") && !path.split('/').any(|part| part == ".."))
}

/// Rejects files outside the campaign's own directory. They may be in the directory itself.
pub(crate) fn check_place(option: &str, place: &str) -> Result<(), Usage> {
    if place.split('@').all(|path| path == "{dir}" || is_below(path)) {
        return Ok(());
    }
    Err(Usage(format!(
        "`{option} {place}` lies outside the campaign's own directory. Leave it out, or begin it with \
         `{{dir}}/`."
    )))
}

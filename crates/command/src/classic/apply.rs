//! From tokens to a [`ClassicLine`]: applies the options of a command line, and collects notes on them.
//!
//! Invariant: any tokens give either a parsed command line or one line of error. The error is about the first
//! wrong token.
//! Never here: the list of options, and the splitting of tokens.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Deref;

use units::Usage;

use super::grammar::{read_directives, read_tokens};
use super::occurrence::{ModuleOption, OptionInput, OptionOccurrence, parse_number};
use super::program::ClassicOption;
use super::row::{OptionValue, RetiredOption, Successor};
use crate::Settings;
use crate::backends::backend;
use crate::kind::OptionKind;

/// A command line on which the options of a table have their effect.
pub trait SetOption: Default {
    /// The program's options.
    type Option: ClassicOption;

    /// Sets an option to `value`. Fails with the reason if the value is not valid.
    fn set(&mut self, option: Self::Option, value: OptionValue<'_>) -> Result<(), String>;
}

/// The parsed command line of a classic program.
pub trait ClassicLine: SetOption {
    /// What the workload runs.
    type Request;

    /// Reports that the value of an option cannot be read.
    fn unread(&mut self, _option: Self::Option) {}

    /// Completes the request with what several options mean together.
    fn finish(&mut self) -> Result<(), Usage>;

    /// The same, finished.
    fn finished(mut self) -> Result<Self, Usage> {
        self.finish()?;
        Ok(self)
    }

    /// What the workload runs.
    fn request(&self) -> &Self::Request;

    /// The settings of backends, and the options that they accept.
    fn of_backends(&mut self) -> (&mut Settings, &mut TakenOptions);
}

/// A command line, as far as it can be read.
///
/// Invariant: a value that cannot be read, such as `${SMALLEST}`, is never guessed. Its option keeps its
/// earlier value, and is [`Self::is_unread`]. Only a flag with such a number is on.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadLine<T: ClassicLine> {
    /// The arguments, without the program's name.
    pub words: Vec<String>,
    /// What they request.
    pub parsed: T,
    /// The options in their order, with their places.
    pub occurrences: Vec<OptionOccurrence<T::Option>>,
    unread: BTreeSet<T::Option>,
}

impl<T: ClassicLine> Default for ReadLine<T> {
    fn default() -> Self {
        Self::read(&[])
    }
}

impl<T: ClassicLine> Deref for ReadLine<T> {
    type Target = T::Request;

    fn deref(&self) -> &T::Request {
        self.parsed.request()
    }
}

impl<T: ClassicLine> ReadLine<T> {
    /// Reads the arguments that follow the program's name.
    pub fn read(words: &[String]) -> Self {
        let (mut parsed, mut unread) = (T::default(), BTreeSet::new());
        let occurrences = read_tokens(words);
        for given in &occurrences {
            let is_read = take(&mut parsed, given).is_ok()
                || given.switched_on().is_some_and(|flag| take(&mut parsed, &flag).is_ok());
            match given.option() {
                Some(option) if is_read => {
                    unread.remove(&option);
                }
                Some(option) => {
                    parsed.unread(option);
                    unread.insert(option);
                }
                None => {}
            }
        }
        let _ = parsed.finish();
        Self { words: words.to_vec(), parsed, occurrences, unread }
    }

    /// Whether the last value of an option cannot be read.
    pub fn is_unread(&self, option: T::Option) -> bool {
        self.unread.contains(&option)
    }

    /// The value of an option; `None` if it cannot be read.
    pub(crate) fn if_read<V>(&self, option: T::Option, value: V) -> Option<V> {
        (!self.is_unread(option)).then_some(value)
    }

    /// Whether the command line gives an option.
    pub(crate) fn has(&self, option: T::Option) -> bool {
        self.occurrences.iter().any(|given| given.option() == Some(option))
    }
}

/// A note for the user about an accepted option.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OptionNote {
    /// The option as it was typed, without its value; empty if the note is about no option.
    pub option: String,
    /// Whether the option has no effect on this command line.
    pub is_idle: bool,
    text: String,
}

impl OptionNote {
    /// A note on an option that has no effect on this command line.
    pub fn idle(option: &str, text: impl Into<String>) -> Self {
        Self { option: option.to_owned(), is_idle: true, text: text.into() }
    }

    /// A note on an option that has another effect than before, or another name.
    pub fn changed(option: &str, text: impl Into<String>) -> Self {
        Self { option: option.to_owned(), is_idle: false, text: text.into() }
    }

    /// A note on the run, and on no option.
    pub fn of_run(text: impl Into<String>) -> Self {
        Self { option: String::new(), is_idle: false, text: text.into() }
    }
}

impl fmt::Display for OptionNote {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

/// What was read of a command line in addition to the options that the program applies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TakenOptions {
    /// The options of backends that were set, and whether to a value above zero.
    set: BTreeMap<String, bool>,
    /// The retired options that set some of these, as typed, and which they set.
    renamed: BTreeMap<String, Vec<&'static str>>,
    /// The notes for the user.
    pub notes: Vec<OptionNote>,
}

impl TakenOptions {
    /// Notes the options that are on but do not belong to the backend `used`.
    pub fn note_idle(&mut self, used: &str) {
        let idle = |name: &&str| self.set.get(*name) == Some(&true) && is_idle(name, used);
        let renamed = |name: &&str| self.renamed.values().flatten().any(|known| known == name);
        let own = self.set.keys().map(String::as_str).filter(|name| idle(name) && !renamed(name));
        let old = self.renamed.iter().filter(|(_, names)| names.iter().all(idle));
        let all: Vec<String> =
            own.map(|name| format!("--{name}")).chain(old.map(|(name, _)| name.clone())).collect();
        let verb = if all.len() == 1 { "has" } else { "have" };
        let note = |first: &String| {
            OptionNote::idle(first, format!("{} {verb} no effect with -a {used}", all.join(", ")))
        };
        self.notes.extend(all.first().map(note));
    }
}

/// Gives an option of a backend its value. `on` is false if the value switches the option off.
fn set_of_backend<T: ClassicLine>(typed: &mut T, name: &str, value: &str, on: bool) {
    let (settings, taken) = typed.of_backends();
    settings.set(name, value);
    taken.set.insert(name.to_owned(), on);
}

/// Reads the tokens after the program's name. The caller finishes it.
pub fn parse<T: ClassicLine>(tokens: &[String]) -> Result<T, Usage> {
    let mut typed = T::default();
    take_all(&mut typed, &read_tokens(tokens))?;
    Ok(typed)
}

/// Reads a line of directives, as in scripts.
pub fn take_directives<T: ClassicLine>(typed: &mut T, line: &str) -> Result<(), Usage> {
    take_all(typed, &read_directives(line))
}

/// Whether `token` is an option that takes its value from the next one.
pub fn lacks_value<T: ClassicLine>(token: &str) -> bool {
    let mut typed = T::default();
    let occurrences = read_tokens(&[token.to_owned()]);
    // An error in an earlier option also ends the command line.
    let wrong = occurrences.iter().find(|occurrence| take(&mut typed, occurrence).is_err());
    wrong.is_some_and(OptionOccurrence::ends_the_line)
}

fn take_all<T: ClassicLine>(typed: &mut T, occurrences: &[OptionOccurrence<T::Option>]) -> Result<(), Usage> {
    occurrences.iter().try_for_each(|occurrence| take(typed, occurrence))
}

fn take<T: ClassicLine>(typed: &mut T, occurrence: &OptionOccurrence<T::Option>) -> Result<(), Usage> {
    match &occurrence.input {
        OptionInput::Flag(row, _) | OptionInput::Value(row, _) => {
            typed.set(row.id, occurrence.value()?).map_err(|why| occurrence.rejected(&why))
        }
        OptionInput::Retired(was, text) => {
            let text = text.as_deref().filter(|text| !(was.takes_value && text.is_empty()));
            let name = &occurrence.name;
            let text =
                text.ok_or_else(|| occurrence.usage(format!("{name} takes a value; it {}", was.about())))?;
            take_retired(typed, occurrence, was, text)
        }
        OptionInput::Module(known, _) => {
            let (value, on) = occurrence.module_value(known.option)?;
            if !known.option.idle.is_empty() {
                let text = format!("--{known} has no effect: {}", known.option.idle);
                typed.of_backends().1.notes.extend(on.then(|| OptionNote::idle(&occurrence.name, text)));
                return Ok(());
            }
            set_of_backend(typed, &known.to_string(), &value, on);
            Ok(())
        }
        OptionInput::Fault(fault) => Err(occurrence.usage(fault.sentence())),
    }
}

/// Applies a retired option, and notes what replaced it. No retired option is accepted without a note.
fn take_retired<T: ClassicLine>(
    typed: &mut T,
    occurrence: &OptionOccurrence<T::Option>,
    was: &RetiredOption<T::Option>,
    text: &str,
) -> Result<(), Usage> {
    let name = &occurrence.name;
    let off = parse_number(text) == Ok(0);
    let mut about = was.about();
    let mut idle = matches!(was.successor, Successor::Nothing);
    match was.successor {
        Successor::ModuleOptions(options) => {
            let mut left = options
                .iter()
                .filter_map(|option| Some((*option, ModuleOption::named(option)?.option.kind)))
                .peekable();
            if left.peek().is_none() {
                about = "has no effect: this program lacks the option that it set".to_owned();
                idle = true;
            }
            for (option, takes) in left {
                let number =
                    |text| parse_number(text).map_err(|why| occurrence.usage(format!("{name}: {why}")));
                let set = if takes == OptionKind::Text { text.to_owned() } else { number(text)?.to_string() };
                set_of_backend(typed, option, &set, !off);
                typed.of_backends().1.renamed.entry(name.clone()).or_default().push(option);
            }
        }
        // A switch that is off changes nothing.
        Successor::Option(_, Some(_)) if off => {}
        Successor::Option(option, fixed) => {
            let text = Some(fixed.unwrap_or(text).to_owned());
            take(
                typed,
                &OptionOccurrence { input: OptionInput::Value(option.row(), text), ..occurrence.clone() },
            )?;
        }
        Successor::Nothing => {}
        Successor::Rejected(why) => return Err(occurrence.usage(format!("{name} {why}"))),
    }
    if !off {
        let advice = was.advice.map(|advice| format!(". {advice}.")).unwrap_or_default();
        let text = format!("{name} {about}{advice}");
        typed.of_backends().1.notes.push(match idle {
            true => OptionNote::idle(name, text),
            false => OptionNote::changed(name, text),
        });
    }
    Ok(())
}

/// Whether an option, `backend.name`, does not belong to the backend `used`.
fn is_idle(name: &str, used: &str) -> bool {
    let Ok(used) = backend(used) else { return true };
    let of = name.split('.').next();
    of != Some(used.name) && !used.also_takes.contains(&name)
}

/// Accepts an option for GPUs only if it asks for none.
pub(crate) fn without_gpu(asks_for_none: bool) -> Result<(), String> {
    match asks_for_none {
        true => Ok(()),
        false => {
            Err("this program does not support CUDA. Leave the option out; data stays in main memory.".into())
        }
    }
}

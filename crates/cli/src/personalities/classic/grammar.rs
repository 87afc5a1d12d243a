//! From tokens to a [`ClassicLine`]: the occurrences of options that `command` reads, applied one by one, and
//! what the user is told about options that are taken.
//!
//! Invariant: whatever the tokens are, the answer is what was typed or one line that says what is wrong, and
//! this is about the first token that is.
//! Never here: which options there are, and how tokens are read.

use std::collections::BTreeMap;
use std::fmt;

use command::classic::{
    self, ClassicOption, ModuleOption, ModuleOptions, OptionInput, OptionKind, OptionOccurrence, OptionValue,
    RetiredOption, Successor, parse_number,
};
use storage::{Settings, Takes};
use units::Usage;
use workloads::kit::payload::Packet;

/// What the line of a classic program becomes.
pub(crate) trait ClassicLine: Default {
    /// The program's options.
    type Option: ClassicOption;

    /// Gives `value` to an option; fails with what is wrong with the value.
    fn set(&mut self, option: Self::Option, value: OptionValue<'_>) -> Result<(), String>;

    /// Where options of backends go: what the backend is given, and what is known of them.
    fn of_backends(&mut self) -> (&mut Settings, &mut TakenOptions);
}

/// What is to be known of an option that is taken.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct OptionNote {
    /// The option as it was typed, without its value; empty where the note is about none.
    pub(crate) option: String,
    /// Whether it does nothing on this line.
    pub(crate) is_idle: bool,
    text: String,
}

impl OptionNote {
    /// An option that does nothing on this line.
    pub(crate) fn idle(option: &str, text: impl Into<String>) -> Self {
        Self { option: option.to_owned(), is_idle: true, text: text.into() }
    }

    /// An option that does something else than it did, or has another name.
    pub(crate) fn changed(option: &str, text: impl Into<String>) -> Self {
        Self { option: option.to_owned(), is_idle: false, text: text.into() }
    }
}

impl fmt::Display for OptionNote {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

/// What was taken of a line beside the options that the program applies.
#[derive(Clone, Debug, Default)]
pub(crate) struct TakenOptions {
    /// The options of backends that were set, and whether to more than zero.
    set: BTreeMap<String, bool>,
    /// The retired options that set some of these, as typed, and which.
    renamed: BTreeMap<String, Vec<&'static str>>,
    /// What the user is told.
    pub(crate) notes: Vec<OptionNote>,
}

impl TakenOptions {
    /// A line about those that are on and are not for the backend that is `used`.
    pub(crate) fn idle(&self, used: &str) -> Option<OptionNote> {
        let idle = |name: &&str| self.set.get(*name) == Some(&true) && is_idle(name, used);
        let renamed = |name: &&str| self.renamed.values().flatten().any(|known| known == name);
        let own = self.set.keys().map(String::as_str).filter(|name| idle(name) && !renamed(name));
        let old = self.renamed.iter().filter(|(_, names)| names.iter().all(idle));
        let all: Vec<String> =
            own.map(|name| format!("--{name}")).chain(old.map(|(name, _)| name.clone())).collect();
        let verb = if all.len() == 1 { "has" } else { "have" };
        Some(OptionNote::idle(all.first()?, format!("{} {verb} no effect with -a {used}", all.join(", "))))
    }
}

/// Gives an option of a backend its value; `on` unless it asks for nothing.
fn set_of_backend<T: ClassicLine>(typed: &mut T, name: &str, value: &str, on: bool) {
    let (settings, taken) = typed.of_backends();
    settings.set(name, value);
    taken.set.insert(name.to_owned(), on);
}

/// Reads the tokens behind the program's name.
pub(crate) fn parse<T: ClassicLine>(tokens: &[String]) -> Result<T, Usage> {
    let mut typed = T::default();
    let modules = module_options();
    take_all(&mut typed, &classic::read_tokens(tokens, ModuleOptions::Listed(&modules)))?;
    Ok(typed)
}

/// Takes a line of directives, as scripts have them.
pub(crate) fn take_directives<T: ClassicLine>(typed: &mut T, line: &str) -> Result<(), Usage> {
    let modules = module_options();
    take_all(typed, &classic::read_directives(line, ModuleOptions::Listed(&modules)))
}

/// Whether `token` is an option that takes its value from the next one.
pub(crate) fn lacks_value<T: ClassicLine>(token: &str) -> bool {
    let (mut typed, modules) = (T::default(), module_options());
    let occurrences = classic::read_tokens(&[token.to_owned()], ModuleOptions::Listed(&modules));
    // What is wrong before it ends the line.
    let wrong = occurrences.iter().find(|occurrence| take(&mut typed, occurrence).is_err());
    wrong.is_some_and(OptionOccurrence::ends_the_line)
}

/// The options of all backends of this program.
fn module_options() -> Vec<ModuleOption> {
    let of = |backend: &'static storage::Backend| {
        backend.options.iter().map(|option| ModuleOption {
            backend: backend.name,
            name: option.name,
            kind: match option.takes {
                Takes::Flag => OptionKind::Flag,
                Takes::Number => OptionKind::Number,
                Takes::Size => OptionKind::Size,
                Takes::Text => OptionKind::Text,
            },
            about: option.about,
        })
    };
    storage::BACKENDS.iter().flat_map(of).collect()
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
        OptionInput::Module { name, known, .. } => {
            let known = known.as_ref().expect("all options of backends are listed");
            let (value, on) = occurrence.module_value(known)?;
            set_of_backend(typed, name, &value, on);
            Ok(())
        }
        OptionInput::Fault(fault) => Err(occurrence.usage(fault.sentence())),
    }
}

/// Takes an option that was, and notes what became of it: none passes in silence.
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
            let mut left = options.iter().filter_map(|option| known(option)).peekable();
            if left.peek().is_none() {
                about = "has no effect: what it set is not in this program".to_owned();
                idle = true;
            }
            for (option, takes_text) in left {
                let number =
                    |text| parse_number(text).map_err(|why| occurrence.usage(format!("{name}: {why}")));
                let set = if takes_text { text.to_owned() } else { number(text)?.to_string() };
                set_of_backend(typed, option, &set, !off);
                typed.of_backends().1.renamed.entry(name.clone()).or_default().push(option);
            }
        }
        // A switch that is off leaves what it would have changed.
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
        let advice = was.advice.map(|advice| format!("; {advice}")).unwrap_or_default();
        let text = format!("{name} {about}{advice}");
        typed.of_backends().1.notes.push(match idle {
            true => OptionNote::idle(name, text),
            false => OptionNote::changed(name, text),
        });
    }
    Ok(())
}

/// An option of a backend in this program, and whether it takes a text.
fn known(option: &'static str) -> Option<(&'static str, bool)> {
    let (backend, name) = option.split_once('.')?;
    let backend = storage::BACKENDS.iter().find(|known| known.name == backend)?;
    let found = backend.options.iter().find(|known| known.name.eq_ignore_ascii_case(name))?;
    Some((option, found.takes == Takes::Text))
}

/// Whether an option, `backend.name`, is not for the backend that is `used`.
fn is_idle(name: &str, used: &str) -> bool {
    let Ok(used) = storage::backend(used) else { return true };
    let of = name.split('.').next();
    of != Some(used.name) && !used.also_takes.contains(&name)
}

/// The packet type of `-l`, by its first letter (IOR 4.1, mdtest 4.1).
pub(crate) fn packet(text: &str) -> Result<Packet, String> {
    match text.chars().next() {
        Some('t') => Ok(Packet::Timestamp),
        Some('o') => Ok(Packet::Offset),
        Some('i') => Ok(Packet::Incompressible),
        Some('r') => Ok(Packet::Random),
        Some('s') => Ok(Packet::Stamped),
        _ => Err(format!(
            "unknown packet type `{text}`; known are timestamp, offset, incompressible, random, stamped"
        )),
    }
}

/// What concerns graphics processors is taken where it asks for none.
pub(crate) fn without_gpu(asks_for_none: bool) -> Result<(), String> {
    match asks_for_none {
        true => Ok(()),
        false => Err("there is no CUDA in this program; leave it out, the data stays in main memory".into()),
    }
}

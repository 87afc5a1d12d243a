//! From tokens to a [`ClassicLine`]: applies the occurrences of options that `command` reads, and collects
//! notes on them for the user.
//!
//! Invariant: any tokens give either a parsed command line or one line of error. The error is about the first
//! wrong token.
//! Never here: the list of options, and the splitting of tokens.

use std::collections::BTreeMap;
use std::fmt;

use command::classic::{
    self, ClassicOption, ModuleOption, ModuleOptions, OptionInput, OptionKind, OptionOccurrence, OptionValue,
    RetiredOption, Successor, parse_number,
};
use command::{BackendOption, Takes};
use storage::Settings;
use units::Usage;
use workloads::kit::payload::Packet;

/// The parsed command line of a classic program.
pub(crate) trait ClassicLine: Default {
    /// The program's options.
    type Option: ClassicOption;

    /// Sets an option to `value`. Fails with the reason if the value is not valid.
    fn set(&mut self, option: Self::Option, value: OptionValue<'_>) -> Result<(), String>;

    /// The settings of backends, and the options that they accept.
    fn of_backends(&mut self) -> (&mut Settings, &mut TakenOptions);
}

/// A note for the user about an accepted option.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct OptionNote {
    /// The option as it was typed, without its value; empty if the note is about no option.
    pub(crate) option: String,
    /// Whether the option has no effect on this command line.
    pub(crate) is_idle: bool,
    text: String,
}

impl OptionNote {
    /// A note on an option that has no effect on this command line.
    pub(crate) fn idle(option: &str, text: impl Into<String>) -> Self {
        Self { option: option.to_owned(), is_idle: true, text: text.into() }
    }

    /// A note on an option that has another effect than before, or another name.
    pub(crate) fn changed(option: &str, text: impl Into<String>) -> Self {
        Self { option: option.to_owned(), is_idle: false, text: text.into() }
    }

    /// A note on the run, and on no option.
    pub(crate) fn of_run(text: impl Into<String>) -> Self {
        Self { option: String::new(), is_idle: false, text: text.into() }
    }
}

impl fmt::Display for OptionNote {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

/// What was read of a command line in addition to the options that the program applies.
#[derive(Clone, Debug, Default)]
pub(crate) struct TakenOptions {
    /// The options of backends that were set, and whether to a value above zero.
    set: BTreeMap<String, bool>,
    /// The retired options that set some of these, as typed, and which they set.
    renamed: BTreeMap<String, Vec<&'static str>>,
    /// The notes for the user.
    pub(crate) notes: Vec<OptionNote>,
}

impl TakenOptions {
    /// A note on the options that are on but do not belong to the backend `used`.
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

/// Gives an option of a backend its value. `on` is false if the value switches the option off.
fn set_of_backend<T: ClassicLine>(typed: &mut T, name: &str, value: &str, on: bool) {
    let (settings, taken) = typed.of_backends();
    settings.set(name, value);
    taken.set.insert(name.to_owned(), on);
}

/// Reads the tokens after the program's name.
pub(crate) fn parse<T: ClassicLine>(tokens: &[String]) -> Result<T, Usage> {
    let mut typed = T::default();
    let modules = module_options();
    take_all(&mut typed, &classic::read_tokens(tokens, ModuleOptions::Listed(&modules)))?;
    Ok(typed)
}

/// Reads a line of directives, as in scripts.
pub(crate) fn take_directives<T: ClassicLine>(typed: &mut T, line: &str) -> Result<(), Usage> {
    let modules = module_options();
    take_all(typed, &classic::read_directives(line, ModuleOptions::Listed(&modules)))
}

/// Whether `token` is an option that takes its value from the next one.
pub(crate) fn lacks_value<T: ClassicLine>(token: &str) -> bool {
    let (mut typed, modules) = (T::default(), module_options());
    let occurrences = classic::read_tokens(&[token.to_owned()], ModuleOptions::Listed(&modules));
    // An error in an earlier option also ends the command line.
    let wrong = occurrences.iter().find(|occurrence| take(&mut typed, occurrence).is_err());
    wrong.is_some_and(OptionOccurrence::ends_the_line)
}

/// The options of all backends of this program.
pub(crate) fn module_options() -> Vec<ModuleOption> {
    let of = |backend: &'static command::Backend| {
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
    command::BACKENDS.iter().flat_map(of).collect()
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
            if let Some(why) = idle_everywhere(name) {
                let text = format!("--{name} has no effect: {why}");
                typed.of_backends().1.notes.extend(on.then(|| OptionNote::idle(&occurrence.name, text)));
                return Ok(());
            }
            set_of_backend(typed, name, &value, on);
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
            let mut left =
                options.iter().filter_map(|option| Some((*option, option_of(option)?.takes))).peekable();
            if left.peek().is_none() {
                about = "has no effect: this program lacks the option that it set".to_owned();
                idle = true;
            }
            for (option, takes) in left {
                let number =
                    |text| parse_number(text).map_err(|why| occurrence.usage(format!("{name}: {why}")));
                let set = if takes == Takes::Text { text.to_owned() } else { number(text)?.to_string() };
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

/// An option of a backend in this program, by `backend.name`. The letter case of the name is ignored.
fn option_of(option: &str) -> Option<&'static BackendOption> {
    let (backend, name) = option.split_once('.')?;
    let backend = command::BACKENDS.iter().find(|known| known.name == backend)?;
    backend.options.iter().find(|known| known.name.eq_ignore_ascii_case(name))
}

/// Why an option, `backend.name`, has no effect with any backend; `None` if it has one.
fn idle_everywhere(option: &str) -> Option<&'static str> {
    Some(option_of(option)?.idle).filter(|why| !why.is_empty())
}

/// Whether an option, `backend.name`, does not belong to the backend `used`.
fn is_idle(name: &str, used: &str) -> bool {
    let Ok(used) = command::backend(used) else { return true };
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
            "unknown packet type `{text}`. Use timestamp, offset, incompressible, random or stamped."
        )),
    }
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

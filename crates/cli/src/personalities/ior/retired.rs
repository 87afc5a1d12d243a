//! Letters and directives that IOR once had (2.10 to 3.3), and what becomes of them.
//!
//! Invariant: nothing retired passes in silence; a note says what it is now, or that nothing is left of it.

use storage::BACKENDS;
use units::Usage;

use super::typed::TypedIor;
use super::{numbers, table};
use crate::personalities::classic::grammar::set_value;
use crate::personalities::classic::{ClassicLine, OptionNote, Retiree};

/// What becomes of a retired option.
pub(crate) enum Today {
    /// Options of backends, of which those count that are in this program; set to the value given.
    Options(&'static [&'static str]),
    /// A directive of today, with this value, or else with the value given.
    Directive(&'static str, Option<&'static str>),
    /// The help.
    Help,
    /// Nothing is left to be done.
    Nothing,
}

/// One option that was.
pub(crate) struct RetiredOption {
    /// The letter it had, if any.
    pub(crate) short: Option<char>,
    /// Whether the letter took a value.
    pub(crate) takes_value: bool,
    /// The directive it had.
    pub(crate) directive: &'static str,
    /// What becomes of it.
    pub(crate) today: Today,
    /// One line of help.
    pub(crate) about: &'static str,
}

const fn letter(short: char, directive: &'static str, today: Today, about: &'static str) -> RetiredOption {
    RetiredOption { short: Some(short), takes_value: false, directive, today, about }
}

const fn word(directive: &'static str, today: Today, about: &'static str) -> RetiredOption {
    RetiredOption { short: None, takes_value: true, directive, today, about }
}

use Today::{Directive, Help, Nothing, Options};

/// All of them; letters first.
pub(crate) const RETIRED: &[RetiredOption] = &[
    letter('B', "useO_DIRECT", Options(&["posix.odirect"]), "is now --posix.odirect"),
    letter(
        'H',
        "showHints",
        Options(&["mpiio.showHints", "hdf5.showHints", "ncmpi.showHints"]),
        "is now --mpiio.showHints and the like",
    ),
    letter(
        'I',
        "individualDataSets",
        Options(&["hdf5.individualDataSets"]),
        "is now --hdf5.individualDataSets",
    ),
    RetiredOption {
        short: Some('J'),
        takes_value: true,
        directive: "setAlignment",
        today: Options(&["hdf5.setAlignment"]),
        about: "is now --hdf5.setAlignment",
    },
    letter('n', "noFill", Options(&["hdf5.noFill"]), "is now --hdf5.noFill"),
    letter(
        'p',
        "preallocate",
        Options(&["mpiio.preallocate", "ncmpi.preallocate"]),
        "is now --mpiio.preallocate",
    ),
    letter('P', "useSharedFilePointer", Nothing, "never worked in IOR, and has no effect"),
    letter('q', "quitOnError", Nothing, "has no effect; a failure ends the run, wrong data is listed"),
    letter(
        'S',
        "useStridedDatatype",
        Options(&["mpiio.useStridedDatatype", "ncmpi.useStridedDatatype"]),
        "is now --mpiio.useStridedDatatype",
    ),
    RetiredOption {
        short: Some('U'),
        takes_value: true,
        directive: "hintsFileName",
        today: Options(&["mpiio.hintsFileName", "hdf5.hintsFileName", "ncmpi.hintsFileName"]),
        about: "is now --mpiio.hintsFileName and the like",
    },
    letter(
        'V',
        "useFileView",
        Options(&["mpiio.useFileView", "ncmpi.useFileView"]),
        "is now --mpiio.useFileView",
    ),
    word("storeFileOffset", Directive("dataPacketType", Some("offset")), "is now -l offset"),
    word("nodes", Directive("numNodes", None), "is now -O numNodes"),
    word("showHelp", Help, "is now -h"),
    word("testnum", Nothing, "has no effect; tests are numbered in their order"),
    word("gpfsHintAccess", Nothing, "has no effect; no hints are given to GPFS"),
    word("gpfsReleaseToken", Nothing, "has no effect; no hints are given to GPFS"),
    word("beegfsNumTargets", Nothing, "has no effect; the directory's own layout is used"),
    word("beegfsChunkSize", Nothing, "has no effect; the directory's own layout is used"),
    word("lustreStripeCount", Options(&["posix.lustre.stripecount"]), "is now --posix.lustre.stripecount"),
    word("lustreStripeSize", Options(&["posix.lustre.stripesize"]), "is now --posix.lustre.stripesize"),
    word("lustreStartOST", Options(&["posix.lustre.startost"]), "is now --posix.lustre.startost"),
    word("lustreIgnoreLocks", Options(&["posix.lustre.ignorelocks"]), "is now --posix.lustre.ignorelocks"),
    word("lustrePool", Options(&["posix.lustre.pool"]), "is now --posix.lustre.pool"),
];

/// The letter that was.
pub(crate) fn of_letter(letter: char) -> Option<&'static RetiredOption> {
    RETIRED.iter().find(|retired| retired.short == Some(letter))
}

/// The directive that was, in any case.
pub(crate) fn of_directive(name: &str) -> Option<&'static RetiredOption> {
    RETIRED.iter().find(|retired| retired.directive.eq_ignore_ascii_case(name))
}

impl Retiree<TypedIor> for RetiredOption {
    fn takes_value(&self) -> bool {
        self.takes_value
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn take(&self, typed: &mut TypedIor, name: &str, value: &str) -> Result<(), Usage> {
        let wrong = |why: String| Usage(format!("{name}: {why}"));
        let off = numbers::parse(value) == Ok(0);
        let mut about = self.about;
        let mut idle = matches!(self.today, Nothing);
        match self.today {
            Options(options) => {
                let mut left = options.iter().filter_map(|option| known(option)).peekable();
                if left.peek().is_none() {
                    about = "has no effect: what it set is not in this program";
                    idle = true;
                }
                for (option, takes_text) in left {
                    let set = if takes_text {
                        value.to_owned()
                    } else {
                        numbers::parse(value).map_err(wrong)?.to_string()
                    };
                    typed.of_backends().set(option, &set, !off);
                    typed.renamed.entry(name.to_owned()).or_default().push(option);
                }
            }
            Help => typed.help |= !off,
            // A switch that is off leaves what it would have changed.
            Directive(_, Some(_)) if off => {}
            Directive(today, fixed) => {
                let row = table::directive(today).expect("a directive of today");
                set_value(typed, row, name, Some(fixed.unwrap_or(value)))?;
            }
            Nothing => {}
        }
        if !off {
            let text = format!("{name} {about}");
            typed.notes.push(match idle {
                true => OptionNote::idle(name, text),
                false => OptionNote::changed(name, text),
            });
        }
        Ok(())
    }
}

/// An option of a backend in this program, and whether it takes a text.
fn known(option: &'static str) -> Option<(&'static str, bool)> {
    let (backend, name) = option.split_once('.')?;
    let backend = BACKENDS.iter().find(|known| known.name == backend)?;
    let found = backend.options.iter().find(|known| known.name.eq_ignore_ascii_case(name))?;
    Some((option, found.takes == storage::Takes::Text))
}

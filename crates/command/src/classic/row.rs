//! One option of a classic program: its names, the kind of its value, its help. Also retired options.
//!
//! Never here: the effect of an option, which its program knows.

use crate::kind::OptionKind;

/// The value given to an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionValue<'a> {
    /// A flag, with the number after `=` if any.
    Flag(Option<u64>),
    /// A number or a size.
    Number(i64),
    /// A text.
    Text(&'a str),
}

impl OptionValue<'_> {
    /// Whether it switches something on.
    pub fn on(self) -> bool {
        !matches!(self, Self::Flag(Some(0)) | Self::Number(0))
    }

    /// How often a flag is given in total, after `before` times.
    pub fn count(self, before: u64) -> u64 {
        match self {
            Self::Flag(None) => before + 1,
            Self::Flag(Some(count)) => count,
            _ => 0,
        }
    }

    /// The value as a whole number, or the reason why it does not fit.
    pub fn whole<T: TryFrom<i64>>(self) -> Result<T, String> {
        let number = match self {
            Self::Number(number) => number,
            Self::Flag(Some(count)) => count as i64,
            _ => return Err("takes a number".into()),
        };
        T::try_from(number).map_err(|_| match number {
            ..0 => format!("{number} is negative"),
            _ => format!("{number} is too large"),
        })
    }

    /// A number. `None` for -1, which requests the value found on the machine.
    pub fn unless_minus_one<T: TryFrom<i64>>(self) -> Result<Option<T>, String> {
        if matches!(self, Self::Number(-1)) { Ok(None) } else { self.whole().map(Some) }
    }

    /// The value as text.
    pub fn text(self) -> String {
        if let Self::Text(text) = self { text.to_owned() } else { String::new() }
    }
}

/// One option of the program whose options are `I`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionRow<I: 'static> {
    /// The option's identity.
    pub id: I,
    /// The letter, `-x`.
    pub short: Option<char>,
    /// The long name, `--word`.
    pub long: Option<&'static str>,
    /// The names as a directive, `-O name=value`.
    pub directives: &'static [&'static str],
    /// The kind of value that it takes.
    pub kind: OptionKind,
    /// The default that the help shows. Empty for a flag and for an option without a default value.
    pub default: &'static str,
    /// One line of help.
    pub about: &'static str,
}

/// Defines the options of a program as an enum with one row each.
///
/// A row has kind, letter, long name, names as a directive, default, help and, behind `=>`, the effect on the
/// parsed command line. `_` marks a missing letter or long name. An option in parentheses has no row.
macro_rules! options {
    (
        $(#[$meta:meta])*
        pub enum $name:ident $(($other:ident: $of_other:literal => $other_effect:expr))?
        for $line:ident: $parsed:ty, $value:ident {$(
            $id:ident $kind:ident $short:tt $long:tt $([$($directive:literal),*])? $(= $default:literal)?:
            $about:literal => $effect:expr;
        )*}
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name {
            $(#[doc = $about] $id,)*
            $(#[doc = $of_other] $other,)?
        }

        pub(super) const ROWS: &[$crate::classic::OptionRow<$name>] = &[$($crate::classic::OptionRow {
            id: $name::$id,
            short: $crate::classic::options!(@name $short),
            long: $crate::classic::options!(@name $long),
            directives: &[$($($directive),*)?],
            kind: $crate::classic::OptionKind::$kind,
            // The first of the two that exists.
            default: [$($default,)? $crate::classic::OptionKind::$kind.usual_default()][0],
            about: $about,
        }),*];

        impl $crate::classic::SetOption for $parsed {
            type Option = $name;

            fn set(&mut self, option: $name, $value: OptionValue<'_>) -> Result<(), String> {
                let $line = self;
                match option {
                    $($name::$id => { $effect; })*
                    $($name::$other => { $other_effect; })?
                }
                Ok(())
            }
        }
    };
    (@name _) => { None };
    (@name $name:literal) => { Some($name) };
}

pub(crate) use options;

/// The replacement of a retired option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Successor<I: 'static> {
    /// Options of backends, as `<backend>.<option>`, which receive its value.
    ModuleOptions(&'static [&'static str]),
    /// A current option, with this value, or else with the value given.
    Option(I, Option<&'static str>),
    /// It has no effect.
    Nothing,
    /// It is rejected for this reason.
    Rejected(&'static str),
}

/// An option that only older versions of the program had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetiredOption<I: 'static> {
    /// Its letter.
    pub short: Option<char>,
    /// Whether the letter took a value.
    pub takes_value: bool,
    /// Its name as a directive.
    pub directive: Option<&'static str>,
    /// Its replacement.
    pub successor: Successor<I>,
    /// The help text that follows its name. Empty if the replacement is options of backends.
    pub(crate) summary: &'static str,
    /// What else a user of it needs to know.
    pub advice: Option<&'static str>,
}

impl<I> RetiredOption<I> {
    /// The help text that follows its name.
    pub fn about(&self) -> String {
        match self.successor {
            Successor::ModuleOptions([first, _, _, ..]) => format!("is now --{first} and the like"),
            Successor::ModuleOptions([first, ..]) => format!("is now --{first}"),
            _ => self.summary.to_owned(),
        }
    }
}

//! The command line of `ior`: its options, what they request, what is rejected, and its retired options.
//!
//! [`Request`] is what the engine runs. A [`Line`] is any command line, as far as it can be read.
//!
//! Never here: running a request.

mod facts;
mod options;
mod output;
mod parsed;
mod request;
mod rules;

pub use facts::{Line, ReadShift, size};
pub use options::IorOption;
pub use output::{Edition, Output, ResultFormat};
pub use parsed::Parsed;
pub use request::{Hog, Offsets, RateLimit, Reorder, Request};

use crate::classic::{ClassicOption, OptionInput, OptionRow, Respelling, RetiredOption, Successor};
use Successor::{ModuleOptions, Nothing};
use options::ROWS;

impl ClassicOption for IorOption {
    const PROGRAM: &'static str = "ior";

    fn rows() -> impl Iterator<Item = &'static OptionRow<Self>> {
        ROWS.iter()
    }

    fn retired() -> &'static [RetiredOption<Self>] {
        RETIRED
    }

    /// A bare `-l` has the meaning of IOR 3.3.
    fn respelled<'a>(letter: char, left: &'a str, next: Option<&str>) -> Option<Respelling<'a, Self>> {
        let bare = letter == 'l' && left.is_empty() && next.is_none_or(|next| next.starts_with('-'));
        bare.then(|| Respelling {
            name: "-l without a value".to_owned(),
            input: OptionInput::Retired(BARE_PACKET_TYPE, Some("1".to_owned())),
            left,
        })
    }
}

/// A retired letter that was a flag, also as a directive.
const fn flag(
    short: char,
    directive: &'static str,
    successor: Successor<IorOption>,
) -> RetiredOption<IorOption> {
    RetiredOption { short: Some(short), takes_value: false, ..word(directive, successor, "") }
}

/// A retired letter that took a value, also as a directive.
const fn valued(
    short: char,
    directive: &'static str,
    successor: Successor<IorOption>,
) -> RetiredOption<IorOption> {
    RetiredOption { takes_value: true, ..flag(short, directive, successor) }
}

/// A retired directive.
const fn word(
    directive: &'static str,
    successor: Successor<IorOption>,
    summary: &'static str,
) -> RetiredOption<IorOption> {
    RetiredOption {
        short: None,
        takes_value: true,
        directive: Some(directive),
        successor,
        summary,
        advice: None,
    }
}

/// The retired letters and directives of IOR 2.10 to 3.3 and their replacements. Letters come first.
const RETIRED: &[RetiredOption<IorOption>] = &[
    flag('B', "useO_DIRECT", ModuleOptions(&["posix.odirect"])),
    flag('H', "showHints", ModuleOptions(&["mpiio.showHints", "hdf5.showHints", "ncmpi.showHints"])),
    flag('I', "individualDataSets", ModuleOptions(&["hdf5.individualDataSets"])),
    valued('J', "setAlignment", ModuleOptions(&["hdf5.setAlignment"])),
    flag('n', "noFill", ModuleOptions(&["hdf5.noFill"])),
    flag('p', "preallocate", ModuleOptions(&["mpiio.preallocate", "ncmpi.preallocate"])),
    RetiredOption {
        summary: "never worked in IOR, and has no effect",
        ..flag('P', "useSharedFilePointer", Nothing)
    },
    RetiredOption {
        summary: "has no effect: a failure ends the run, wrong data is listed",
        ..flag('q', "quitOnError", Nothing)
    },
    flag('S', "useStridedDatatype", ModuleOptions(&["mpiio.useStridedDatatype", "ncmpi.useStridedDatatype"])),
    valued(
        'U',
        "hintsFileName",
        ModuleOptions(&["mpiio.hintsFileName", "hdf5.hintsFileName", "ncmpi.hintsFileName"]),
    ),
    flag('V', "useFileView", ModuleOptions(&["mpiio.useFileView", "ncmpi.useFileView"])),
    STORE_FILE_OFFSET,
    word("nodes", Successor::Option(IorOption::Nodes, None), "is now -O numNodes"),
    word("showHelp", Successor::Option(IorOption::Help, Some("1")), "is now -h"),
    word("testnum", Nothing, "has no effect: tests are numbered in their order"),
    word("gpfsHintAccess", ModuleOptions(&["posix.gpfs.hintaccess"]), ""),
    word("gpfsReleaseToken", ModuleOptions(&["posix.gpfs.releasetoken"]), ""),
    word("beegfsNumTargets", Nothing, "has no effect: the directory's own layout is used"),
    word("beegfsChunkSize", Nothing, "has no effect: the directory's own layout is used"),
    word("lustreStripeCount", ModuleOptions(&["posix.lustre.stripecount"]), ""),
    word("lustreStripeSize", ModuleOptions(&["posix.lustre.stripesize"]), ""),
    word("lustreStartOST", ModuleOptions(&["posix.lustre.startost"]), ""),
    word("lustreIgnoreLocks", ModuleOptions(&["posix.lustre.ignorelocks"]), ""),
    word("lustrePool", ModuleOptions(&["posix.lustre.pool"]), ""),
];

/// A bare `-l` of IOR 3.3 means the same.
const STORE_FILE_OFFSET: RetiredOption<IorOption> =
    word("storeFileOffset", Successor::Option(IorOption::PacketType, Some("offset")), "is now -l offset");

/// See [`STORE_FILE_OFFSET`].
static BARE_PACKET_TYPE: &RetiredOption<IorOption> = &STORE_FILE_OFFSET;

#[cfg(test)]
mod tests;

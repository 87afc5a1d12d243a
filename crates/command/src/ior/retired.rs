//! Letters and directives that IOR once had (2.10 to 3.3), and what became of them.

use super::IorOption;
use crate::classic::{RetiredOption, Successor};
use Successor::{ModuleOptions, Nothing};

const fn letter(
    short: char,
    directive: &'static str,
    successor: Successor<IorOption>,
    about: &'static str,
) -> RetiredOption<IorOption> {
    RetiredOption {
        short: Some(short),
        takes_value: false,
        directive: Some(directive),
        successor,
        about,
        advice: None,
    }
}

const fn valued(
    short: char,
    directive: &'static str,
    successor: Successor<IorOption>,
    about: &'static str,
) -> RetiredOption<IorOption> {
    RetiredOption { takes_value: true, ..letter(short, directive, successor, about) }
}

const fn word(
    directive: &'static str,
    successor: Successor<IorOption>,
    about: &'static str,
) -> RetiredOption<IorOption> {
    RetiredOption { short: None, ..valued(' ', directive, successor, about) }
}

/// All of them; letters first.
pub(super) const RETIRED: &[RetiredOption<IorOption>] = &[
    letter('B', "useO_DIRECT", ModuleOptions(&["posix.odirect"]), "is now --posix.odirect"),
    letter(
        'H',
        "showHints",
        ModuleOptions(&["mpiio.showHints", "hdf5.showHints", "ncmpi.showHints"]),
        "is now --mpiio.showHints and the like",
    ),
    letter(
        'I',
        "individualDataSets",
        ModuleOptions(&["hdf5.individualDataSets"]),
        "is now --hdf5.individualDataSets",
    ),
    valued('J', "setAlignment", ModuleOptions(&["hdf5.setAlignment"]), "is now --hdf5.setAlignment"),
    letter('n', "noFill", ModuleOptions(&["hdf5.noFill"]), "is now --hdf5.noFill"),
    letter(
        'p',
        "preallocate",
        ModuleOptions(&["mpiio.preallocate", "ncmpi.preallocate"]),
        "is now --mpiio.preallocate",
    ),
    letter('P', "useSharedFilePointer", Nothing, "never worked in IOR, and has no effect"),
    letter('q', "quitOnError", Nothing, "has no effect; a failure ends the run, wrong data is listed"),
    letter(
        'S',
        "useStridedDatatype",
        ModuleOptions(&["mpiio.useStridedDatatype", "ncmpi.useStridedDatatype"]),
        "is now --mpiio.useStridedDatatype",
    ),
    valued(
        'U',
        "hintsFileName",
        ModuleOptions(&["mpiio.hintsFileName", "hdf5.hintsFileName", "ncmpi.hintsFileName"]),
        "is now --mpiio.hintsFileName and the like",
    ),
    letter(
        'V',
        "useFileView",
        ModuleOptions(&["mpiio.useFileView", "ncmpi.useFileView"]),
        "is now --mpiio.useFileView",
    ),
    STORE_FILE_OFFSET,
    word("nodes", Successor::Option(IorOption::Nodes, None), "is now -O numNodes"),
    word("showHelp", Successor::Option(IorOption::Help, Some("1")), "is now -h"),
    word("testnum", Nothing, "has no effect; tests are numbered in their order"),
    word("gpfsHintAccess", Nothing, "has no effect; no hints are given to GPFS"),
    word("gpfsReleaseToken", Nothing, "has no effect; no hints are given to GPFS"),
    word("beegfsNumTargets", Nothing, "has no effect; the directory's own layout is used"),
    word("beegfsChunkSize", Nothing, "has no effect; the directory's own layout is used"),
    word(
        "lustreStripeCount",
        ModuleOptions(&["posix.lustre.stripecount"]),
        "is now --posix.lustre.stripecount",
    ),
    word("lustreStripeSize", ModuleOptions(&["posix.lustre.stripesize"]), "is now --posix.lustre.stripesize"),
    word("lustreStartOST", ModuleOptions(&["posix.lustre.startost"]), "is now --posix.lustre.startost"),
    word(
        "lustreIgnoreLocks",
        ModuleOptions(&["posix.lustre.ignorelocks"]),
        "is now --posix.lustre.ignorelocks",
    ),
    word("lustrePool", ModuleOptions(&["posix.lustre.pool"]), "is now --posix.lustre.pool"),
];

/// What a bare `-l` of IOR 3.3 is too.
const STORE_FILE_OFFSET: RetiredOption<IorOption> =
    word("storeFileOffset", Successor::Option(IorOption::PacketType, Some("offset")), "is now -l offset");

/// See [`STORE_FILE_OFFSET`].
pub(super) static BARE_PACKET_TYPE: &RetiredOption<IorOption> = &STORE_FILE_OFFSET;

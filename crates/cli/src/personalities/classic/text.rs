//! Texts that headers and helps share: the capacity of a file system, and the options of backends.

use std::path::{Path, PathBuf};

use command::classic::OptionKind;
use command::classic::described;
use storage::Space;

/// The capacity of a file system: size, share used, inodes, share of inodes used.
pub(crate) fn space_words(space: Space) -> [String; 4] {
    let share = |total: u64, free: u64| {
        if total == 0 { 0.0 } else { total.saturating_sub(free) as f64 / total as f64 * 100.0 }
    };
    let gib = space.bytes as f64 / units::GIB as f64;
    let size = if gib > 1024.0 { format!("{:.1} TiB", gib / 1024.0) } else { format!("{gib:.1} GiB") };
    [
        size,
        format!("{:2.1}%", share(space.bytes, space.bytes_free)),
        format!("{:.1} Mi", space.inodes as f64 / units::MIB as f64),
        format!("{:2.1}%", share(space.inodes, space.inodes_free)),
    ]
}

/// The value of the header line `FS`.
pub(crate) fn space_line(space: Space) -> String {
    let [size, used, inodes, inodes_used] = space_words(space);
    format!("{size}   Used FS: {used}   Inodes: {inodes}   Used Inodes: {inodes_used}")
}

/// The directory whose file system the header shows: the path up to its last `/`.
pub(crate) fn header_dir(path: &str) -> &Path {
    match path.rfind('/') {
        None => Path::new("."),
        Some(0) => Path::new("/"),
        Some(at) => Path::new(&path[..at]),
    }
}

/// That directory without links and dots, as older versions show it. Unchanged if it cannot be resolved.
pub(crate) fn whole_header_dir(path: &str) -> PathBuf {
    let dir = header_dir(path);
    dir.canonicalize().unwrap_or_else(|_| dir.to_owned())
}

/// The help about the variables for the text. `versions` are those that `--compat` takes.
pub(crate) fn help_of_variables(versions: &str) -> String {
    let mut text = String::from("\nVariables of the environment\n");
    text.push_str(&described(
        "ASSAY_PLAIN=1",
        "print only the classic text; warnings and failures go to standard error",
    ));
    text + &described("ASSAY_COMPAT=VERSION", &format!("the same as --compat: {versions}"))
}

/// The help about backends: a block for each backend that `listed` accepts.
pub(crate) fn help_of_backends(listed: impl Fn(&str) -> bool) -> String {
    let mut text = String::new();
    for backend in command::BACKENDS.iter().filter(|backend| listed(backend.name)) {
        text.push_str(&format!("\n\nModule {}: {}\n", backend.name.to_uppercase(), backend.about));
        for option in backend.options {
            let value = match option.kind {
                OptionKind::Flag => "",
                OptionKind::Number => "=N",
                OptionKind::Size => "=BYTES",
                OptionKind::Text | OptionKind::Directives => "=STRING",
            };
            text.push_str(&described(&format!("--{}.{}{value}", backend.name, option.name), option.about));
        }
    }
    text
}

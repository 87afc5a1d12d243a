//! The part of the help that is about backends.

use command::classic::described;
use storage::Takes;

/// A block for each backend that `listed` takes.
pub(crate) fn modules(listed: impl Fn(&str) -> bool) -> String {
    let mut text = String::new();
    for backend in storage::BACKENDS.iter().filter(|backend| listed(backend.name)) {
        text.push_str(&format!("\n\nModule {}: {}\n", backend.name.to_uppercase(), backend.about));
        for option in backend.options {
            let value = match option.takes {
                Takes::Flag => "",
                Takes::Number => "=N",
                Takes::Size => "=BYTES",
                Takes::Text => "=STRING",
            };
            text.push_str(&described(&format!("--{}.{}{value}", backend.name, option.name), option.about));
        }
    }
    text
}

//! Whether the system has a shared library, by the cache of its loader; nothing is loaded.

use std::fs;

/// Where the loader's cache is.
const CACHE: &str = "/etc/ld.so.cache";

/// The backend `name` is not there yet: what it needs, what was looked for, and what was found.
pub(crate) fn not_used_yet(name: &str, needs: &str, names: &[&str]) -> String {
    let looked = names.join(", ");
    let found = match find(&fs::read(CACHE).unwrap_or_default(), names) {
        Some(path) => format!("found {path}"),
        None => "found none".to_owned(),
    };
    format!(
        "{name}: needs {needs}; looked for {looked} in {CACHE}: {found}; this program does not use it yet"
    )
}

/// The path of the first of `names` that the cache has. The cache holds texts that end in a zero byte.
fn find(cache: &[u8], names: &[&str]) -> Option<String> {
    let mut paths = cache.split(|byte| *byte == 0).filter(|text| text.first() == Some(&b'/'));
    let is_one = |text: &&[u8]| {
        names
            .iter()
            .any(|name| text.ends_with(name.as_bytes()) && text[..text.len() - name.len()].ends_with(b"/"))
    };
    paths.find(is_one).map(|text| String::from_utf8_lossy(text).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_found_by_its_whole_name() {
        let cache =
            b"ld.so-1.7\0libc.so.6\0/lib/libc.so.6\0libhdf5.so.310\0/opt/lib/libhdf5.so.310\0/x/notlibz.so";
        assert_eq!(find(cache, &["libhdf5.so.310"]).as_deref(), Some("/opt/lib/libhdf5.so.310"));
        assert_eq!(find(cache, &["libz.so"]), None);
        assert_eq!(find(b"", &["libz.so"]), None);
    }

    #[test]
    fn the_words_say_what_was_looked_for_and_found() {
        let here = not_used_yet("X", "a C library", &["libc.so.6"]);
        assert!(
            here.starts_with("X: needs a C library; looked for libc.so.6 in /etc/ld.so.cache: found "),
            "{here}"
        );
        let none = not_used_yet("X", "a library", &["libnowhere.so"]);
        assert!(none.ends_with(": found none; this program does not use it yet"), "{none}");
    }
}

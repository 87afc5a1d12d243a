//! The spelling of file names in the chain: text unchanged, and other bytes as escapes.
//!
//! Invariant: names and spellings correspond one to one. A byte that is not text becomes NUL, which no name
//! contains, and two hexadecimal digits.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// The spelling of a name.
pub(super) fn spelled(name: &OsStr) -> String {
    let mut text = String::new();
    for part in name.as_bytes().utf8_chunks() {
        text.push_str(part.valid());
        part.invalid().iter().for_each(|byte| text.push_str(&format!("\0{byte:02x}")));
    }
    text
}

/// The path with this spelling. An invalid spelling stays unchanged and matches no file.
pub(super) fn path(spelled: &str) -> PathBuf {
    let mut parts = spelled.split('\0');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        match part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            // Only these bytes can be invalid text. Smaller ones could form `/` or `..`.
            Some(byte) if byte >= 0x80 => {
                bytes.push(byte);
                bytes.extend(&part.as_bytes()[2..]);
            }
            _ => {
                bytes.push(0);
                bytes.extend(part.as_bytes());
            }
        }
    }
    PathBuf::from(OsString::from_vec(bytes))
}

/// The spelling for readers.
pub(super) fn shown(spelled: &str) -> String {
    units::visible(&spelled.replace('\0', "\\x"))
}

/// The bytes of a link's target for readers.
pub(super) fn bytes_shown(bytes: &[u8]) -> String {
    shown(&spelled(OsStr::from_bytes(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_can_be_restored_from_its_spelling() {
        let names: [&[u8]; 6] =
            [b"plain", "gr\u{fc}n".as_bytes(), b"a\xffb", b"\xc3", b"a\\xff", b"\xe2\x82z"];
        for name in names {
            let text = spelled(OsStr::from_bytes(name));
            assert_eq!(path(&text).as_os_str().as_bytes(), name, "{text:?}");
            assert!(!shown(&text).contains('\0'));
        }
        assert_eq!(spelled(OsStr::from_bytes(b"a\xffb")), "a\0ffb");
        assert_eq!(shown("a\0ffb"), "a\\xffb");
        for forged in ["\u{0}2f", "a\u{0}2e\u{0}2e/b", "\u{0}", "\u{0}f", "\u{0}\u{fc}"] {
            assert!(path(forged).as_os_str().as_bytes().contains(&0), "{forged:?}");
        }
    }
}

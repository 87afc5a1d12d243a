//! The options for the key of stamped data, `--data-key FILE` and `--nonce TEXT`.
//!
//! Never here: reading the file, which has the secret.

use units::{Usage, visible};

/// The most bytes of a nonce. It is a part of file names.
const NONCE_BYTES_MAX: usize = 128;

/// From what stamped data is keyed; from neither, it has the public layout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeySource {
    /// `--data-key FILE`
    pub file: Option<String>,
    /// `--nonce TEXT`
    pub nonce: Option<String>,
}

impl KeySource {
    /// Whether there is a key.
    pub fn is_given(&self) -> bool {
        self.file.is_some() || self.nonce.is_some()
    }

    /// Rejects a bad nonce.
    pub fn check(&self) -> Result<(), Usage> {
        self.nonce.as_deref().map_or(Ok(()), check_nonce)
    }
}

/// Rejects a nonce that is empty, too long, or not visible.
pub fn check_nonce(nonce: &str) -> Result<(), Usage> {
    let rejected = |why: String| Err(Usage(format!("--nonce: {why}")));
    match nonce {
        "" => rejected("the text is empty. Give the text that the buyer chose.".into()),
        text if text.len() > NONCE_BYTES_MAX => {
            let bytes = text.len();
            rejected(format!("the text has {bytes} bytes. Give at most {NONCE_BYTES_MAX}."))
        }
        text if visible(text) != text => {
            let text = visible(text);
            rejected(format!("`{text}` has control or invisible characters. Give letters and digits."))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nonce_is_visible_and_short() {
        assert!(check_nonce("tender 7, Köln").is_ok() && check_nonce(&"n".repeat(128)).is_ok());
        for bad in ["", "a\nb", "a\u{1b}[1m", "\u{202e}a", &"n".repeat(129)] {
            assert!(check_nonce(bad).is_err(), "{bad:?}");
        }
    }
}

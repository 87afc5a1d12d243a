//! The key of stamped data, from `--data-key FILE` and `--nonce TEXT`.
//!
//! Invariant: the secret is in no message.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::MetadataExt;

use units::{Usage, visible};
use workloads::kit::payload::DataKey;

/// The fewest and the most bytes of a secret. It could be found by trying if it were shorter.
const SECRET_BYTES: [u64; 2] = [16, 4096];
/// The most bytes of a nonce. It is a part of file names.
const NONCE_BYTES_MAX: usize = 128;
/// Permissions of other users than the owner.
const OTHERS: u32 = 0o077;

/// The options of the key, as typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TypedKey {
    /// `--data-key FILE`
    pub(crate) file: Option<String>,
    /// `--nonce TEXT`
    pub(crate) nonce: Option<String>,
}

impl TypedKey {
    /// The key without its secret, for the rules that need to know whether there is a key. Reads no file.
    pub(crate) fn without_secret(&self) -> Result<Option<DataKey>, Usage> {
        self.key(|_| Ok(Vec::new()))
    }

    /// The key; `None` without one of the options.
    pub(crate) fn read(&self) -> Result<Option<DataKey>, Usage> {
        self.key(secret)
    }

    fn key(&self, secret: fn(&str) -> Result<Vec<u8>, Usage>) -> Result<Option<DataKey>, Usage> {
        if let Some(nonce) = &self.nonce {
            check_nonce(nonce)?;
        }
        let secret = self.file.as_deref().map(secret).transpose()?;
        let is_given = self.file.is_some() || self.nonce.is_some();
        let nonce = self.nonce.as_deref().unwrap_or_default();
        Ok(is_given.then(|| DataKey::new(&secret.unwrap_or_default(), nonce)))
    }
}

/// Rejects a nonce that is empty, too long, or not visible.
pub(crate) fn check_nonce(nonce: &str) -> Result<(), Usage> {
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

/// The secret in a file that only its owner can read.
fn secret(path: &str) -> Result<Vec<u8>, Usage> {
    let rejected = |why: String| Usage(format!("--data-key {path}: {why}"));
    let failed = |error: std::io::Error| rejected(format!("{error}. Give a file with a secret."));
    let file = File::open(path).map_err(failed)?;
    let facts = file.metadata().map_err(failed)?;
    if !facts.is_file() {
        return Err(rejected("this is not a regular file. Give a file with a secret.".into()));
    }
    if facts.mode() & OTHERS != 0 {
        let mode = facts.mode() & 0o777;
        return Err(rejected(format!(
            "other users have rights on this file (mode {mode:o}), so it is not secret. Run \
             `chmod 600 {path}`."
        )));
    }
    let [least, most] = SECRET_BYTES;
    let mut secret = Vec::new();
    file.take(most + 1).read_to_end(&mut secret).map_err(failed)?;
    if !(least..=most).contains(&(secret.len() as u64)) {
        return Err(rejected(format!(
            "a secret has {least} to {most} bytes. Make one with `head -c 32 /dev/urandom`."
        )));
    }
    Ok(secret)
}

#[cfg(test)]
mod tests {
    use std::fs::{Permissions, set_permissions, write};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn rejected(bytes: &[u8], mode: u32) -> Option<String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key");
        write(&path, bytes).unwrap();
        set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        let file = Some(path.to_str().unwrap().to_owned());
        TypedKey { file, nonce: None }.read().err().map(|usage| usage.0)
    }

    #[test]
    fn a_key_file_that_others_can_read_is_rejected_and_never_shown() {
        assert_eq!(rejected(&[b'x'; 32], 0o600), None);
        assert_eq!(rejected(&[b'x'; 32], 0o400), None);
        for mode in [0o640, 0o604, 0o660, 0o601] {
            let why = rejected(&[b'x'; 32], mode).unwrap();
            assert!(why.contains("chmod 600") && !why.contains("xxx"), "{why}");
        }
        for length in [0, 15, 4097] {
            assert!(rejected(&vec![b'x'; length], 0o600).unwrap().contains("16 to 4096 bytes"));
        }
    }

    #[test]
    fn a_key_that_is_no_file_is_rejected() {
        let read = |file: &str| TypedKey { file: Some(file.into()), nonce: None }.read();
        assert!(read("/nonexistent/key").is_err() && read("/").is_err() && read("/dev/zero").is_err());
    }

    #[test]
    fn a_nonce_is_visible_and_short() {
        assert!(check_nonce("tender 7, Köln").is_ok() && check_nonce(&"n".repeat(128)).is_ok());
        for bad in ["", "a\nb", "a\u{1b}[1m", "\u{202e}a", &"n".repeat(129)] {
            assert!(check_nonce(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn without_the_options_there_is_no_key_and_the_nonce_alone_is_one() {
        assert_eq!(TypedKey::default().read(), Ok(None));
        let key = TypedKey { file: None, nonce: Some("n".into()) }.read().unwrap().unwrap();
        assert_eq!((key.facts().sha256.as_str(), key.facts().nonce.as_str()), ("", "n"));
    }
}

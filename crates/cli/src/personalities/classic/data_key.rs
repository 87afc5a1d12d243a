//! The key of stamped data, from `--data-key FILE` and `--nonce TEXT`.
//!
//! Invariant: the secret is in no message.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::MetadataExt;

use command::KeySource;
use units::Usage;
use workloads::kit::payload::DataKey;

/// The fewest and the most bytes of a secret. It could be found by trying if it were shorter.
const SECRET_BYTES: [u64; 2] = [16, 4096];
/// Permissions of other users than the owner.
const OTHERS: u32 = 0o077;

/// The key of this source; `None` without one of the options.
pub(crate) fn data_key(source: &KeySource) -> Result<Option<DataKey>, Usage> {
    source.check()?;
    let secret = source.file.as_deref().map(secret).transpose()?;
    let nonce = source.nonce.as_deref().unwrap_or_default();
    Ok(source.is_given().then(|| DataKey::new(&secret.unwrap_or_default(), nonce)))
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
        data_key(&KeySource { file, nonce: None }).err().map(|usage| usage.0)
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
        let read = |file: &str| data_key(&KeySource { file: Some(file.into()), nonce: None });
        assert!(read("/nonexistent/key").is_err() && read("/").is_err() && read("/dev/zero").is_err());
    }

    #[test]
    fn without_the_options_there_is_no_key_and_the_nonce_alone_is_one() {
        assert_eq!(data_key(&KeySource::default()), Ok(None));
        let key = data_key(&KeySource { file: None, nonce: Some("n".into()) }).unwrap().unwrap();
        assert_eq!((key.facts().sha256.as_str(), key.facts().nonce.as_str()), ("", "n"));
    }
}

//! Signatures of an archive with SSH keys, as `ssh-keygen -Y sign` and `ssh-keygen -Y verify` make and check
//! them. Both parties use the keys that they have.
//!
//! Invariant: the archive is read in parts, so its size does not matter. A signature is a file next to the
//! archive, and is never overwritten.
//! Never here: whether the archive verifies.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256, Sha512};
use ssh_key::{Algorithm, HashAlg, LineEnding, PrivateKey, PublicKey, SshSig};
use units::Usage;

/// The namespace of a signature: a signature for another purpose is not accepted (`ssh-keygen -n assay`).
const NAMESPACE: &str = "assay";
/// The end of the name of a signature.
const EXTENSION: &str = "sig";
/// The largest signature, key or list of signers, bytes.
const BYTES_MAX: u64 = 1 << 20;

/// The key in the file `path`. Keys that only ssh-keygen can use are rejected with the command to run.
pub fn key(path: &Path) -> Result<PrivateKey, Usage> {
    let at = path.display();
    let text = text(path).map_err(|error| Usage(format!("--sign {at}: {error}. Give a private SSH key.")))?;
    let key = PrivateKey::from_openssh(&text)
        .map_err(|error| Usage(format!("--sign {at}: {error}. Give a private SSH key in OpenSSH format.")))?;
    let why = match key.algorithm() {
        _ if key.is_encrypted() => "the key has a passphrase",
        // The crate signs with a wrong private key of this type, and the check of the result fails.
        Algorithm::Rsa { .. } => "assay does not sign with RSA keys",
        _ => return Ok(key),
    };
    let command = format!("ssh-keygen -Y sign -n {NAMESPACE} -f {at} ARCHIVE");
    Err(Usage(format!("--sign {at}: {why}. Pack without --sign, then run: {command}")))
}

/// Signs the archive with `key`, and returns the new file with the signature.
pub fn sign(archive: &Path, key: &PrivateKey) -> io::Result<PathBuf> {
    let message = message(archive, HashAlg::Sha512)?;
    let signature = signature::Signer::try_sign(key, &message).map_err(io::Error::other)?;
    let public = key.public_key().key_data().clone();
    let signature = SshSig::new(public, NAMESPACE, HashAlg::Sha512, signature);
    let text = signature.and_then(|signature| signature.to_pem(LineEnding::LF)).map_err(io::Error::other)?;
    for path in (1..).map(|number| file(archive, number)) {
        match File::create_new(&path) {
            Ok(mut file) => {
                file.write_all(text.as_bytes()).and_then(|()| file.sync_all())?;
                return Ok(path);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    unreachable!("there are always more numbers")
}

/// The name of the signature with this number: `ARCHIVE.sig`, `ARCHIVE.2.sig`, ...
fn file(archive: &Path, number: u32) -> PathBuf {
    let mut name = archive.as_os_str().to_owned();
    name.push(if number == 1 { format!(".{EXTENSION}") } else { format!(".{number}.{EXTENSION}") });
    PathBuf::from(name)
}

/// The signatures next to the archive, in order.
pub fn beside(archive: &Path) -> Vec<PathBuf> {
    let (Some(name), Some(dir)) = (archive.file_name(), archive.parent()) else { return Vec::new() };
    let dir = if dir == Path::new("") { Path::new(".") } else { dir };
    let begin = format!("{}.", name.to_string_lossy());
    let names = fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let is_signature = |name: &std::ffi::OsString| {
        let name = name.to_string_lossy();
        name.starts_with(&begin) && name.ends_with(&format!(".{EXTENSION}"))
    };
    let mut found: Vec<PathBuf> =
        names.filter(is_signature).map(|name| archive.with_file_name(name)).collect();
    found.sort();
    found
}

/// A list of keys whose signers are known, in the format of `ssh-keygen` (`man ssh-keygen`, ALLOWED SIGNERS).
#[derive(Default)]
pub struct AllowedSigners(Vec<(String, PublicKey)>);

impl AllowedSigners {
    /// Reads the list at `path`.
    pub fn read(path: &Path) -> Result<Self, Usage> {
        let at = path.display();
        let option = "--allowed-signers";
        let text =
            text(path).map_err(|error| Usage(format!("{option} {at}: {error}. Give a list of signers.")))?;
        let mut all = Vec::new();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| is_entry(line)) {
            let entry = entry(line).ok_or_else(|| {
                let number = number + 1;
                Usage(format!(
                    "{option} {at}: line {number} is not `NAME KEYTYPE KEY`. Options are not supported."
                ))
            })?;
            all.push(entry);
        }
        Ok(Self(all))
    }

    /// The names of the signers with this key.
    fn names(&self, key: &PublicKey) -> Option<&str> {
        let found = self.0.iter().find(|(_, known)| known.key_data() == key.key_data());
        found.map(|(name, _)| name.as_str())
    }
}

fn is_entry(line: &str) -> bool {
    !line.trim().is_empty() && !line.starts_with('#')
}

/// Name and key of a line. A line may restrict the namespaces, and then must have that of assay.
fn entry(line: &str) -> Option<(String, PublicKey)> {
    let (name, rest) = line.trim().split_once(char::is_whitespace)?;
    let rest = rest.trim_start();
    let key = match rest.strip_prefix("namespaces=\"") {
        Some(rest) => {
            let (namespaces, key) = rest.split_once('"')?;
            namespaces.split(',').any(|namespace| namespace == NAMESPACE).then_some(key.trim_start())?
        }
        None => rest,
    };
    Some((name.to_owned(), PublicKey::from_openssh(key).ok()?))
}

/// The result of checking a signature.
pub enum CheckedSignature {
    /// The archive was signed by this known signer.
    By(String),
    /// It was signed with this key, whose owner is not known.
    WithKey(String),
    /// It does not belong to the archive, or cannot be read.
    Wrong(String),
}

/// Checks the signature in the file `path` of the archive.
pub fn check(archive: &Path, path: &Path, allowed: &AllowedSigners) -> io::Result<CheckedSignature> {
    let at = path.display();
    let read = text(path).map_err(|error| error.to_string());
    let read = read.and_then(|text| SshSig::from_pem(text).map_err(|error| error.to_string()));
    let signature = match read {
        Ok(signature) => signature,
        Err(error) => return Ok(CheckedSignature::Wrong(format!("{at} is not a signature: {error}"))),
    };
    let key = PublicKey::from(signature.public_key().clone());
    let shown = format!("{} {}", key.algorithm(), key.fingerprint(HashAlg::Sha256));
    if signature.namespace() != NAMESPACE {
        let what = format!("{at} is for the namespace {}, not {NAMESPACE}", signature.namespace());
        return Ok(CheckedSignature::Wrong(what));
    }
    let message = message(archive, signature.hash_alg())?;
    Ok(match signature::Verifier::verify(key.key_data(), &message, signature.signature()) {
        Err(_) => CheckedSignature::Wrong(format!("{at} is not a signature of this archive by {shown}")),
        Ok(()) => match allowed.names(&key) {
            Some(name) => CheckedSignature::By(format!("{name} ({shown})")),
            None => CheckedSignature::WithKey(shown),
        },
    })
}

/// The bytes that are signed: the hash of the archive in the form of PROTOCOL.sshsig.
fn message(archive: &Path, algorithm: HashAlg) -> io::Result<Vec<u8>> {
    let hash = match algorithm {
        HashAlg::Sha256 => hash::<Sha256>(archive)?,
        _ => hash::<Sha512>(archive)?,
    };
    let mut message = b"SSHSIG".to_vec();
    for part in [NAMESPACE.as_bytes(), b"", algorithm.as_str().as_bytes(), &hash] {
        message.extend((part.len() as u32).to_be_bytes());
        message.extend(part);
    }
    Ok(message)
}

fn hash<D: Digest>(archive: &Path) -> io::Result<Vec<u8>> {
    let (mut file, mut digest) = (File::open(archive)?, D::new());
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(digest.finalize().to_vec()),
            count => digest.update(&buffer[..count]),
        }
    }
}

/// The text of a small regular file.
fn text(path: &Path) -> io::Result<String> {
    if !path.is_file() {
        return Err(io::Error::new(io::ErrorKind::NotFound, "it is not a file"));
    }
    let mut text = String::new();
    File::open(path)?.take(BYTES_MAX).read_to_string(&mut text)?;
    Ok(text)
}

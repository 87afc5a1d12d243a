//! Programs of the system that set up what tests need, such as mounts and servers.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::campaign::skipped;

/// Runs a program. Gives its output, or the reason if it fails.
pub fn attempt(program: &str, words: &[&str]) -> Result<String, String> {
    let out = Command::new(program).args(words).stdin(Stdio::null()).output();
    let out = out.map_err(|error| format!("{program}: {error}"))?;
    match out.status.success() {
        true => Ok(String::from_utf8_lossy(&out.stdout).into_owned()),
        false => Err(format!("{program} {words:?}: {}", String::from_utf8_lossy(&out.stderr).trim())),
    }
}

/// Runs a program that must succeed. Gives its output.
pub fn done(program: &str, words: &[&str]) -> String {
    attempt(program, words).unwrap_or_else(|why| panic!("{why}"))
}

/// Runs a program that may fail. Gives whether it succeeded. Children that it leaves are not waited for.
pub fn quiet(program: &str, words: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Makes a directory that belongs to this user and group, in one that all users may enter.
pub fn make_dir_of(parent: &Path, name: &str, id: u32) -> PathBuf {
    let dir = parent.join(name);
    fs::create_dir(&dir).unwrap();
    chown(&dir, Some(id), Some(id)).unwrap();
    fs::set_permissions(parent, fs::Permissions::from_mode(0o755)).unwrap();
    dir
}

/// Whether processes here may have networks of their own, connected by a pair of devices. If not, prints that
/// the test is skipped.
pub fn may_pair_networks() -> bool {
    let pair = "-n ip link add name one type veth peer name two".split(' ').collect::<Vec<_>>();
    let made = attempt("unshare", &pair);
    if let Err(why) = &made {
        skipped(&format!("no pair of network devices here: {why}"));
    }
    made.is_ok()
}

/// Makes the keys and the settings of an SSH server in this directory: `key`, `keys` and `sshd.conf`.
/// `listen` are the lines with its address. Gives the options of a client.
pub fn prepare_sshd(dir: &Path, listen: &str) -> String {
    let path = |name: &str| dir.join(name).display().to_string();
    done("ssh-keygen", &["-q", "-t", "ed25519", "-N", "", "-f", &path("key")]);
    fs::copy(path("key.pub"), path("keys")).unwrap();
    // The server wants this directory, which only its service makes.
    fs::create_dir_all("/run/sshd").unwrap();
    let settings = format!(
        "{listen}\nHostKey {}\nAuthorizedKeysFile {}\nUsePAM no\nUseDNS no\nStrictModes no\n\
         PermitRootLogin yes\nPidFile none\nSubsystem sftp internal-sftp\n",
        path("key"),
        path("keys")
    );
    fs::write(path("sshd.conf"), settings).unwrap();
    format!("IdentityFile={},StrictHostKeyChecking=no,UserKnownHostsFile=/dev/null", path("key"))
}

//! What this client remembers of names and attributes, beside any file system: the kernel's dentries.
//!
//! Never here: when to forget.

use std::fs;
use std::io;
use std::path::PathBuf;

/// The kernel's places to ask and to command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// Writing to it drops caches.
    pub drop_caches: PathBuf,
    /// Begins with the number of names in memory.
    pub dentry_state: PathBuf,
}

impl Default for Client {
    fn default() -> Self {
        Self {
            drop_caches: "/proc/sys/vm/drop_caches".into(),
            dentry_state: "/proc/sys/fs/dentry-state".into(),
        }
    }
}

impl Client {
    /// Writes out what is dirty, then drops the page cache, dentries and inodes of the whole node. Only root
    /// may.
    pub fn forget(&self) -> io::Result<()> {
        let file = fs::OpenOptions::new().write(true).open(&self.drop_caches)?;
        rustix::fs::sync();
        io::Write::write_all(&mut &file, b"3\n")
    }

    /// How many names the node has in memory; `None` where the kernel does not say.
    pub fn names_in_memory(&self) -> Option<u64> {
        fs::read_to_string(&self.dentry_state).ok()?.split_whitespace().next()?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_is_told_and_asked_where_it_listens() {
        let dir = tempfile::tempdir().unwrap();
        let client = Client { drop_caches: dir.path().join("drop"), dentry_state: dir.path().join("state") };
        assert!(client.forget().is_err() && client.names_in_memory().is_none(), "there is nothing");
        fs::write(&client.drop_caches, "").unwrap();
        fs::write(&client.dentry_state, "410032\t405183\t45\t0\t147149\t0\n").unwrap();
        client.forget().unwrap();
        assert_eq!(fs::read_to_string(&client.drop_caches).unwrap(), "3\n");
        assert_eq!(client.names_in_memory(), Some(410_032));
    }
}

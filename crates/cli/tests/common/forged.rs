//! Campaign folders as an attacker leaves them: changed files with a hash chain that fits them.

use std::fs;
use std::path::Path;

use results::folder::sha256;
use serde_json::Value;

/// The hash of a file, link or directory, as the chain has it.
fn hash_of(path: &Path) -> String {
    let kind = path.symlink_metadata().unwrap().file_type();
    if kind.is_symlink() {
        let target = fs::read_link(path).unwrap().into_os_string().into_encoded_bytes();
        return sha256(&[b"link:", &target[..]].concat());
    }
    if kind.is_dir() { sha256(b"directory:") } else { sha256(&fs::read(path).unwrap()) }
}

/// Writes the hash chain of the folder again, after `change` was applied to each entry. Every file that
/// exists gets its present hash, and every entry the hash of the one before.
pub fn chain(dir: &Path, change: &dyn Fn(&mut Value)) {
    let path = dir.join("chain.jsonl");
    let mut before = String::new();
    let mut text = String::new();
    for line in fs::read_to_string(&path).unwrap().lines() {
        let mut entry: Value = serde_json::from_str(line).unwrap();
        change(&mut entry);
        for (file, hash) in entry["files"].as_object_mut().unwrap() {
            if dir.join(file).symlink_metadata().is_ok() {
                *hash = hash_of(&dir.join(file)).into();
            }
        }
        entry["before"] = before.into();
        entry.as_object_mut().unwrap().remove("hash");
        let body = entry.to_string();
        before = sha256(body.as_bytes());
        text.push_str(&format!("{},\"hash\":\"{before}\"}}\n", body.strip_suffix('}').unwrap()));
    }
    fs::write(path, text).unwrap();
}

//! The storage targets of a file, where its file system reports them. Lustre and GlusterFS do, each by an
//! extended attribute that any user may read.
//!
//! Lustre's attribute is the layout itself, `lov_user_md` or `lov_comp_md_v1` of `lustre_user.h`
//! (uapi/linux/lustre), in the machine's byte order. GlusterFS returns a text with a
//! `<POSIX(BRICK):HOST:FILE>` for each brick.
//!
//! Invariant: an unknown format names no target; nothing is opened, nothing changes.

use std::path::Path;

use rustix::fs;

use crate::plain::{LUSTRE, MAGIC_V1, MAGIC_V3};

/// `FUSE_SUPER_MAGIC`, the type of GlusterFS mounts.
const FUSE: u64 = 0x6573_5546;
/// Bytes of the largest attribute that the kernel passes on.
const ATTRIBUTE_MAX: usize = 64 << 10;

/// `LOV_USER_MAGIC_SPECIFIC` (as V3), `LOV_USER_MAGIC_COMP_V1`.
const MAGIC_SPECIFIC: u32 = 0x0BD5_0BD0;
const MAGIC_COMPOSITE: u32 = 0x0BD6_0BD0;
/// Bytes of `lov_user_md_v1` and `_v3` before their objects, and of an object.
const V1: usize = 32;
const V3: usize = 48;
const OBJECT: usize = 24;
/// The offset of the target's index in an object.
const OBJECT_TARGET: usize = 20;
/// Bytes of `lov_comp_md_v1` before its entries, and of an entry.
const COMPOSITE: usize = 32;
const ENTRY: usize = 48;
/// `LCME_FL_INIT`: the component has objects.
const HAS_OBJECTS: u32 = 0x10;
/// `LOV_PATTERN_MDT` (data in the metadata), `LOV_PATTERN_F_RELEASED` (data elsewhere).
const NO_OBJECTS: u32 = 0x8000_0100;

/// Names of the targets that hold the file's data, in the order of its stripes, each once. Empty where the
/// file system does not report them, or where the file does not exist.
pub fn of_file(path: &Path) -> Vec<String> {
    let kind = fs::statfs(path).map_or(0, |found| found.f_type as u64);
    match kind {
        LUSTRE => attribute(path, c"lustre.lov").map_or_else(Vec::new, |bytes| lustre(&bytes)),
        FUSE => {
            let text = attribute(path, c"glusterfs.pathinfo");
            text.map_or_else(Vec::new, |bytes| bricks(&String::from_utf8_lossy(&bytes)))
        }
        _ => Vec::new(),
    }
}

fn attribute(path: &Path, name: &std::ffi::CStr) -> Option<Vec<u8>> {
    let mut value = vec![0; ATTRIBUTE_MAX];
    let length = fs::getxattr(path, name, &mut value[..]).ok()?;
    value.truncate(length);
    Some(value)
}

/// The targets of a Lustre layout.
fn lustre(layout: &[u8]) -> Vec<String> {
    let mut targets = Vec::new();
    if u32_at(layout, 0) != Some(MAGIC_COMPOSITE) {
        add_component(layout, &mut targets);
        return targets;
    }
    let entries = u16_at(layout, 14).unwrap_or(0);
    for entry in 0..usize::from(entries) {
        let at = COMPOSITE + entry * ENTRY;
        let [flags, offset, size] = [at + 4, at + 24, at + 28].map(|at| u32_at(layout, at).unwrap_or(0));
        let end = (offset as usize).saturating_add(size as usize);
        if flags & HAS_OBJECTS != 0
            && let Some(component) = layout.get(offset as usize..end)
        {
            add_component(component, &mut targets);
        }
    }
    targets
}

/// Adds the targets of a layout that is not composite.
fn add_component(layout: &[u8], targets: &mut Vec<String>) {
    let objects = match u32_at(layout, 0) {
        Some(MAGIC_V1) => V1,
        Some(MAGIC_V3 | MAGIC_SPECIFIC) => V3,
        _ => return,
    };
    if u32_at(layout, 4).unwrap_or(0) & NO_OBJECTS != 0 {
        return;
    }
    let count = usize::from(u16_at(layout, 28).unwrap_or(0));
    let objects = layout.get(objects..).unwrap_or_default().chunks_exact(OBJECT).take(count);
    for target in objects.filter_map(|object| u32_at(object, OBJECT_TARGET)) {
        add(targets, format!("OST{target:04x}"));
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// The bricks, as `HOST:BRICK`, in GlusterFS's text about a path.
fn bricks(text: &str) -> Vec<String> {
    let mut bricks = Vec::new();
    for one in text.split("<POSIX(").skip(1) {
        let Some((brick, rest)) = one.split_once("):") else { continue };
        // The file name at the end may contain any character, a colon too; a host name does not.
        let Some((host, _)) = rest.split_once(":/") else { continue };
        add(&mut bricks, format!("{host}:{brick}"));
    }
    bricks
}

fn add(names: &mut Vec<String>, name: String) {
    if !names.contains(&name) {
        names.push(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plain layout in the format of the header.
    fn plain(magic: u32, pattern: u32, targets: &[u32]) -> Vec<u8> {
        let mut bytes = [magic.to_ne_bytes(), pattern.to_ne_bytes()].concat();
        bytes.extend([0; 16]);
        bytes.extend((1_u32 << 20).to_ne_bytes());
        bytes.extend((targets.len() as u16).to_ne_bytes());
        bytes.extend(0_u16.to_ne_bytes());
        if magic != MAGIC_V1 {
            bytes.extend(*b"flash\0\0\0\0\0\0\0\0\0\0\0");
        }
        for target in targets {
            bytes.extend([0xee; 20]);
            bytes.extend(target.to_ne_bytes());
        }
        bytes
    }

    /// A composite layout of these components; some of them have objects.
    fn composite(components: &[(u32, Vec<u8>)]) -> Vec<u8> {
        let mut bytes = [MAGIC_COMPOSITE.to_ne_bytes(), [0; 4], [0; 4]].concat();
        bytes.extend(0_u16.to_ne_bytes());
        bytes.extend((components.len() as u16).to_ne_bytes());
        bytes.extend([0; 16]);
        let mut offset = COMPOSITE + ENTRY * components.len();
        for (flags, component) in components {
            bytes.extend([1_u32.to_ne_bytes(), flags.to_ne_bytes()].concat());
            bytes.extend([0; 16]);
            bytes.extend((offset as u32).to_ne_bytes());
            bytes.extend((component.len() as u32).to_ne_bytes());
            bytes.extend([0; 16]);
            offset += component.len();
        }
        bytes.extend(components.iter().flat_map(|(_, component)| component.clone()));
        bytes
    }

    #[test]
    fn the_targets_of_a_striped_file_are_named_in_hexadecimal_as_lustre_does() {
        assert_eq!(lustre(&plain(MAGIC_V1, 1, &[3])), ["OST0003"]);
        assert_eq!(lustre(&plain(MAGIC_V3, 1, &[26, 0, 26])), ["OST001a", "OST0000"]);
        assert_eq!(lustre(&plain(MAGIC_SPECIFIC, 1, &[300])), ["OST012c"]);
    }

    #[test]
    fn only_components_with_objects_of_a_composite_file_have_targets() {
        let (first, second) = (plain(MAGIC_V1, 1, &[5]), plain(MAGIC_V3, 1, &[6, 7]));
        let in_metadata = plain(MAGIC_V1, 0x100, &[]);
        let later = plain(MAGIC_V1, 1, &[0, 0]);
        let layout =
            composite(&[(HAS_OBJECTS, in_metadata), (HAS_OBJECTS, first), (HAS_OBJECTS, second), (0, later)]);
        assert_eq!(lustre(&layout), ["OST0005", "OST0006", "OST0007"]);
    }

    #[test]
    fn a_truncated_or_unknown_layout_names_no_wrong_target() {
        let whole = composite(&[(HAS_OBJECTS, plain(MAGIC_V1, 1, &[5, 6]))]);
        for length in 0..whole.len() {
            let named = lustre(&whole[..length]);
            assert!(named.is_empty() || named == ["OST0005"], "{length}: {named:?}");
        }
        assert!(
            lustre(&plain(MAGIC_V1, 0x8000_0001, &[5])).is_empty(),
            "the data of a released file is on other storage"
        );
        assert!(lustre(&[0xff; 64]).is_empty());
    }

    #[test]
    fn the_bricks_of_a_replicated_file_are_all_named() {
        let one = "(<DISTRIBUTE:top> <POSIX(/b4/data):vm:/b4/data/d/data.00000000>) ";
        assert_eq!(bricks(one), ["vm:/b4/data"]);
        let two = "(<DISTRIBUTE:v-dht> (<REPLICATE:v-replicate-0> <POSIX(/b1):n1:/b1/a:/b> \
                   <POSIX(/b2):n2:/b2/a:/b>))";
        assert_eq!(bricks(two), ["n1:/b1", "n2:/b2"]);
        assert!(bricks("").is_empty() && bricks("<POSIX(/b1").is_empty());
    }

    #[test]
    fn other_file_systems_name_no_targets() {
        let dir = tempfile::tempdir().unwrap();
        assert!(of_file(dir.path()).is_empty() && of_file(&dir.path().join("nothing")).is_empty());
    }
}

//! The storage targets of a parallel file system: the layout of files over them, and their utilization.
//!
//! Invariant: facts that a file system does not report are absent.
//! Never here: setting layouts.

use std::path::Path;

use results::folder::{Layout, Target};

use super::answer;

/// The maximum length of a layout, bytes. 65536 is the maximum length of an attribute.
const LAYOUT_MAX: usize = 65536;
/// `LOV_USER_MAGIC_V1`, `_V3` and `_COMP_V1`: a layout, one with a pool, and one of several components.
const PLAIN: u32 = 0x0BD1_0BD0;
const POOLED: u32 = 0x0BD3_0BD0;
const COMPOSITE: u32 = 0x0BD6_0BD0;

/// The layout of the file or directory at `path` on a file system of type `kind`; `None` if the file system
/// does not report it.
pub(crate) fn layout_of(kind: &str, path: &Path) -> Option<Layout> {
    if kind != "lustre" {
        return None;
    }
    let mut bytes = vec![0; LAYOUT_MAX];
    let length = rustix::fs::getxattr(path, "lustre.lov", &mut bytes[..]).ok()?;
    of_bytes(&bytes[..length])
}

/// The layout in a `lov_user_md`. Of several components it is that of the last one, which large files have.
fn of_bytes(bytes: &[u8]) -> Option<Layout> {
    let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let half = |at: usize| Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
    match word(0)? {
        COMPOSITE => {
            let last = usize::from(half(14)?).checked_sub(1)?;
            let at = word(32 + last * 48 + 24)? as usize;
            let component = bytes.get(at..)?;
            (component.get(..4)? != COMPOSITE.to_le_bytes()).then(|| of_bytes(component))?
        }
        magic @ (PLAIN | POOLED) => {
            let count = half(28)?;
            let pool = if magic == POOLED { bytes.get(32..48).unwrap_or_default() } else { &[] };
            let pool: Vec<u8> = pool.iter().copied().take_while(|byte| *byte != 0).collect();
            Some(Layout {
                stripe_count: if count == u16::MAX { -1 } else { i64::from(count) },
                stripe_bytes: word(24)?.into(),
                pool: String::from_utf8_lossy(&pool).into_owned(),
            })
        }
        _ => None,
    }
}

/// The utilization of each target of the file system of `dir`, from the programs of the file system.
pub(super) fn all(kind: &str, device: &str, dir: &Path) -> Vec<Target> {
    match kind {
        "lustre" => answer("lfs", &["df", &dir.to_string_lossy()]).map(|text| of_lfs(&text)),
        "fuse.glusterfs" => {
            let volume = device.rsplit(['/', ':']).next().unwrap_or_default();
            let words = ["volume", "status", volume, "detail", "--xml", "--mode=script"];
            let listed = answer("gluster", &words).map(|text| of_gluster(&text));
            listed.filter(|bricks| !bricks.is_empty()).or_else(|| own_bricks(dir))
        }
        _ => None,
    }
    .unwrap_or_default()
}

/// The bricks of a GlusterFS volume on this machine, from the client's attribute of `dir`. It is used for a
/// volume without a daemon, or if the daemon does not answer this user.
fn own_bricks(dir: &Path) -> Option<Vec<Target>> {
    let mut bytes = vec![0; LAYOUT_MAX];
    let length = rustix::fs::getxattr(dir, "glusterfs.pathinfo", &mut bytes[..]).ok()?;
    let here = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let brick = |(host, path): (String, String)| {
        let space = rustix::fs::statvfs(&path).ok().filter(|_| host == here)?;
        Some(Target {
            name: format!("{host}:{path}"),
            bytes_used: space.f_blocks.saturating_sub(space.f_bfree).saturating_mul(space.f_frsize),
            bytes_free: space.f_bavail.saturating_mul(space.f_frsize),
        })
    };
    Some(bricks(&String::from_utf8_lossy(&bytes[..length])).into_iter().filter_map(brick).collect())
}

/// The host and directory of each brick in a `pathinfo`.
fn bricks(pathinfo: &str) -> Vec<(String, String)> {
    let brick = |part: &str| {
        let (dir, rest) = part.split_once("):")?;
        Some((rest.split_once(':')?.0.to_owned(), dir.to_owned()))
    };
    pathinfo.split("<POSIX(").skip(1).filter_map(brick).collect()
}

/// The rows of `lfs df`: name, size, used and free in KiB.
fn of_lfs(text: &str) -> Vec<Target> {
    let row = |line: &str| {
        let mut words = line.split_whitespace();
        let name = words.next()?.strip_suffix("_UUID")?;
        let kib = |word: Option<&str>| Some(word?.parse::<u64>().ok()? * 1024);
        let (_, bytes_used, bytes_free) = (kib(words.next())?, kib(words.next())?, kib(words.next())?);
        Some(Target { name: name.to_owned(), bytes_used, bytes_free })
    };
    text.lines().filter_map(row).collect()
}

/// The bricks in the output of `gluster volume status VOLUME detail --xml`. Other nodes have no size.
fn of_gluster(text: &str) -> Vec<Target> {
    let brick = |node: &str| {
        let of = |key: &str| node.split_once(&format!("<{key}>"))?.1.split_once("</").map(|(word, _)| word);
        let bytes = |key: &str| of(key)?.parse::<u64>().ok();
        let (total, bytes_free) = (bytes("sizeTotal")?, bytes("sizeFree")?);
        let name = format!("{}:{}", of("hostname")?, of("path")?);
        Some(Target { name, bytes_used: total.saturating_sub(bytes_free), bytes_free })
    };
    text.split("<node>").skip(1).filter_map(brick).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(magic: u32, size: u32, count: u16, pool: &str) -> Vec<u8> {
        let mut bytes = magic.to_le_bytes().to_vec();
        bytes.extend([0; 20]);
        bytes.extend(size.to_le_bytes());
        bytes.extend(count.to_le_bytes());
        bytes.extend([0xff; 2]);
        let mut name = pool.as_bytes().to_vec();
        name.resize(16, 0);
        bytes.extend(name);
        bytes
    }

    #[test]
    fn a_layout_has_its_pool_and_a_composite_layout_is_its_last_component() {
        let found = of_bytes(&plain(PLAIN, 1 << 20, 1, "")).unwrap();
        assert_eq!(found, Layout { stripe_count: 1, stripe_bytes: 1 << 20, pool: String::new() });
        let all = of_bytes(&plain(POOLED, 4 << 20, u16::MAX, "flash")).unwrap();
        assert_eq!(all, Layout { stripe_count: -1, stripe_bytes: 4 << 20, pool: "flash".into() });
        let mut several = vec![0; 32 + 2 * 48];
        several[..4].copy_from_slice(&COMPOSITE.to_le_bytes());
        several[14] = 2;
        for (component, count) in [(0, 1), (1, 8)] {
            let at = several.len() as u32;
            several[32 + component * 48 + 24..][..4].copy_from_slice(&at.to_le_bytes());
            several.extend(plain(PLAIN, 1 << 20, count, ""));
        }
        assert_eq!(of_bytes(&several).unwrap().stripe_count, 8);
        let whole = several.len();
        assert!(
            (0..whole - 32).all(|cut| of_bytes(&several[..cut]).is_none()),
            "a truncated attribute has no layout"
        );
        assert_eq!(layout_of("ext4", Path::new("/")), None);
    }

    #[test]
    fn targets_have_their_utilization() {
        let text = "UUID                   1K-blocks        Used   Available Use% Mounted on\n\
                    s-MDT0000_UUID           1000000       10000      900000   2% /s[MDT:0]\n\
                    s-OST0000_UUID          20000000     5000000    14000000  27% /s[OST:0]\n\
                    s-OST0001_UUID          : inactive device\n\n\
                    filesystem_summary:     20000000     5000000    14000000  27% /s\n";
        let found = of_lfs(text);
        assert_eq!(found.len(), 2);
        let (used, free) = (5_000_000 * 1024, 14_000_000 * 1024);
        assert_eq!(found[1], Target { name: "s-OST0000".into(), bytes_used: used, bytes_free: free });
        let xml = "<volume><node><hostname>h1</hostname><path>/b/1</path><port>49152</port>\
                   <sizeTotal>1000</sizeTotal><sizeFree>400</sizeFree></node><node>\
                   <hostname>Self-heal Daemon</hostname><path>h1</path></node></volume>";
        let brick = Target { name: "h1:/b/1".into(), bytes_used: 600, bytes_free: 400 };
        assert_eq!(of_gluster(xml), [brick]);
        let pathinfo =
            "((<DISTRIBUTE:d> <POSIX(/b/1):vm:/b/1/x> <POSIX(/b/2):n2:/b/2/x>) (d-layout (b1 0 7)))";
        let pair = |host: &str, dir: &str| (host.to_owned(), dir.to_owned());
        assert_eq!(bricks(pathinfo), [pair("vm", "/b/1"), pair("n2", "/b/2")]);
        assert!(own_bricks(Path::new("/")).is_none());
        assert!(all("ext4", "/dev/a", Path::new("/")).is_empty());
    }
}

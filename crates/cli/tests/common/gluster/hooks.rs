//! Commands by which a plan brings bricks of a volume on and off, counts them, and empties their memory.
//!
//! A brick that is off takes no new files, as a server that an administrator takes out of use; the client is
//! another one then, mounted anew. How many are on is what the volume itself says of a new directory.

use std::fs;

use super::{Gluster, Volume, text};

/// Mounts the volume with `$1` bricks on.
const SET: &str = r#"
cd ROOT || exit 1
[ -e c.$1.vol ] || { echo "no volume of $1 bricks" >&2; exit 1; }
umount m || exit 1
running() { [ -s c.pid ] && grep -q glusterfs /proc/$(cat c.pid)/cmdline 2>&-; }
tries=0
while running; do
    tries=$((tries + 1)); [ $tries -lt 400 ] || { echo "the old client does not end" >&2; exit 1; }
    sleep 0.05
done
glusterfs -f $PWD/c.$1.vol -l $PWD/c.log -p $PWD/c.pid $PWD/m </dev/null >/dev/null 2>&1 || exit 1
until mountpoint -q m && timeout -s KILL 2 ls m >/dev/null 2>&1; do
    tries=$((tries + 1)); [ $tries -lt 400 ] || { echo "no mount" >&2; exit 1; }
    sleep 0.05
done
"#;

/// Prints how many bricks have a part of the names of a new directory.
const COUNT: &str = r#"
cd ROOT/m || exit 1
mkdir .count || exit 1
told=$(getfattr --only-values --absolute-names -n trusted.glusterfs.pathinfo .count | tr -d '\0')
rmdir .count
echo "$told" | grep -o '(c[0-9]* [0-9]* [0-9]*)' | grep -cv ' 0 0)'
"#;

/// Takes the files of tests out of the memory of the bricks.
const FORGET: &str = r#"
find ROOT/b*/data -path '*/.glusterfs' -prune -o \
    -type f -exec dd if={} iflag=nocache count=0 status=none ';'
"#;

impl Gluster {
    /// The lines of a `[fs]` table with the commands that bring the bricks of a distributed volume on and
    /// off.
    pub fn servers(&self) -> String {
        let bricks = self.devices.len();
        for on in 1..=bricks {
            let volume = self.client_volume(Volume::Distribute, on);
            fs::write(self.root.join(format!("c.{on}.vol")), volume).unwrap();
        }
        let (set, count) = (self.script("set", SET), self.script("count", COUNT));
        format!("servers = {bricks}\nset_servers = \"{set} {{servers}}\"\ncount_servers = \"{count}\"\n")
    }

    /// A command that makes the bricks read from their devices what they read next.
    pub fn forget(&self) -> String {
        self.script("forget", FORGET)
    }

    fn script(&self, name: &str, lines: &str) -> String {
        let file = self.root.join(format!("{name}.sh"));
        fs::write(&file, lines.replace("ROOT", &text(&self.root))).unwrap();
        format!("sh {}", file.display())
    }
}

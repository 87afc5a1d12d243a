//! Commands for plans that switch bricks of a volume on and off, count them, take one offline, report offline
//! bricks, and empty their caches.
//!
//! A brick that is off takes no new files, like a server that an administrator takes out of use. The volume
//! is then mounted again with another client configuration. The number of bricks that are on comes from the
//! volume itself, for a new directory.

use std::fs;
use std::path::Path;

use super::{CGROUPS, Gluster, Volume, text};

/// Mounts the volume with `$1` bricks on.
const SET: &str = r#"
cd ROOT || exit 1
[ -e c.$1.vol ] || { echo "no volume of $1 bricks" >&2; exit 1; }
umount m || exit 1
running() { [ -s c.pid ] && grep -q glusterfs /proc/$(cat c.pid)/cmdline 2>&-; }
tries=0
while running; do
    tries=$((tries + 1)); [ $tries -lt 1200 ] || { echo "the old client does not end" >&2; exit 1; }
    sleep 0.05
done
glusterfs -f $PWD/c.$1.vol -l $PWD/c.log -p $PWD/c.pid $PWD/m </dev/null >/dev/null 2>&1 || exit 1
until mountpoint -q m && timeout -s KILL 2 ls m >/dev/null 2>&1; do
    tries=$((tries + 1)); [ $tries -lt 1200 ] || { echo "no mount" >&2; exit 1; }
    sleep 0.05
done
"#;

/// Prints how many bricks take new files of a new directory.
const COUNT: &str = r#"
cd ROOT/m || exit 1
mkdir .count || exit 1
layout=$(getfattr --only-values --absolute-names -n trusted.glusterfs.pathinfo .count | tr -d '\0')
rmdir .count
echo "$layout" | grep -o '(c[0-9]* [0-9]* [0-9]*)' | grep -cv ' 0 0)'
"#;

/// Prints the bricks to which the client has no connection, by its own report.
const HEALTH: &str = r#"
[ -e ROOT/m/.meta/graphs/active/c1/private ] || { echo "the client reports nothing" >&2; exit 1; }
for brick in ROOT/b*/; do
    number=$(basename $brick | tr -d b)
    grep -q '^connected = 1$' ROOT/m/.meta/graphs/active/c$number/private || echo "brick b$number is down"
done
"#;

/// Kills the server of brick `$1`, if it runs, and waits until the client knows.
const OFF: &str = r#"
server=$(cat ROOT/b$1.pid) || exit 1
grep -q glusterfs /proc/$server/cmdline 2>&- && kill -9 $server
tries=0
until sh ROOT/health.sh | grep -q "brick b$1 is down"; do
    tries=$((tries + 1)); [ $tries -lt 1200 ] || { echo "brick b$1 is still there" >&2; exit 1; }
    sleep 0.05
done
"#;

/// Starts the server of brick `$1` again, as slow as before, and waits until the client is connected to it.
const ON: &str = r#"
echo $$ > CGROUP.$1/cgroup.procs || exit 1
glusterfsd -f ROOT/b$1.vol -l ROOT/b$1.log -p ROOT/b$1.pid </dev/null >/dev/null 2>&1 || exit 1
tries=0
while sh ROOT/health.sh | grep -q "brick b$1 is down"; do
    tries=$((tries + 1)); [ $tries -lt 1200 ] || { echo "brick b$1 is still down" >&2; exit 1; }
    sleep 0.05
done
"#;

/// Removes the files of tests from the caches of the bricks.
const FORGET: &str = r#"
find ROOT/b*/data -path '*/.glusterfs' -prune -o \
    -type f -exec dd if={} iflag=nocache count=0 status=none ';'
"#;

impl Gluster {
    /// Commands for a distributed volume, each with its name in a plan. `set_servers` switches `{servers}`
    /// bricks on and the others off. `count_servers` prints how many are on. `forget` makes all bricks read
    /// from their devices the next time.
    pub fn servers(&self) -> [(&'static str, String); 3] {
        for on in 1..=self.devices.len() {
            let volume = self.client_volume(Volume::Distribute, on);
            fs::write(self.root.join(format!("c.{on}.vol")), volume).unwrap();
        }
        [
            ("set_servers", self.script("set", SET) + " {servers}"),
            ("count_servers", self.script("count", COUNT)),
            ("forget", self.forget()),
        ]
    }

    /// A command that makes the bricks read from their devices the next time.
    pub fn forget(&self) -> String {
        self.script("forget", FORGET)
    }

    /// A command that prints the bricks that are down.
    pub fn health(&self) -> String {
        self.script("health", HEALTH)
    }

    /// The lines of a `[state]` table in which a brick (from 1) is offline.
    pub fn without(&self, brick: usize) -> String {
        let (off, on) = (self.script("off", OFF), self.script("on", ON));
        self.health();
        format!("degrade = \"{off} {brick}\"\nrestore = \"{on} {brick}\"\n")
    }

    fn script(&self, name: &str, lines: &str) -> String {
        let file = self.root.join(format!("{name}.sh"));
        let name = self.root.file_name().unwrap().to_string_lossy().into_owned();
        let cgroup = Path::new(CGROUPS).join(name);
        let lines = lines.replace("ROOT", &text(&self.root)).replace("CGROUP", &text(&cgroup));
        fs::write(&file, lines).unwrap();
        format!("sh {}", file.display())
    }
}

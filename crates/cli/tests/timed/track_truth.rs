//! `assay track` on real campaigns on a disk whose speed falls at a known moment, together with its mount
//! options.

use std::fs;

use crate::common::campaign::Place;
use crate::common::throttled::ThrottledDisk;
use crate::common::tmpfs::Tmpfs;
use crate::common::{only_in_all, run};

/// Writes and reads on the disk, and rate-limited writes to memory, whose rate is the same in all campaigns.
/// The rate of the disk is low, so that no other part of a machine is the limit. The writes are direct,
/// because the kernel writes cached data at any speed if another process calls `sync`.
fn plan(memory: &std::path::Path, block: &str, repetitions: u32) -> String {
    format!(
        r#"schema = 1
plan = {{ id = "probe", title = "A probe of the tests" }}
clients = {{ delivered = 1 }}
defaults = {{ ranks = 2, timeout = "90 s", repetitions = {repetitions} }}
fs.disk = {{ dir = "{{dir}}" }}
fs.memory = {{ dir = {memory:?} }}
[[test]]
id = "WRITE"
fs = "disk"
ior = "-w -F -e --posix.odirect -t 64k -b {block} -k -G 3"
criterion = {{ metric = "write.bw", op = ">=", value = "1 B/s" }}
[[test]]
id = "READ"
fs = "disk"
uses = "WRITE"
ior = "-r -F -C -O numTasksOnNode0=1 --posix.odirect -t 64k -b {block} -k -G 3"
criterion = {{ metric = "read.bw", op = ">=", value = "1 B/s" }}
[[test]]
id = "MEMORY"
fs = "memory"
ior = "-w -F -e -t 4k -b 32k --rate 40/s"
criterion = {{ metric = "write.bw", op = ">=", value = "1 B/s" }}
"#
    )
}

/// A place with a history of campaigns.
struct Probes {
    place: Place,
    disk: ThrottledDisk,
    count: usize,
    /// The memory that the rate-limited test writes to.
    _memory: Tmpfs,
}

impl Probes {
    fn start(rate: u64, block: &str, repetitions: u32) -> Option<Self> {
        let (disk, memory) = (ThrottledDisk::start(rate, "noatime")?, Tmpfs::new("size=16m")?);
        let place = Place::new();
        fs::write(place.path("p.toml"), plan(memory.path(), block, repetitions)).unwrap();
        Some(Self { place, disk, count: 0, _memory: memory })
    }

    /// Runs campaigns, and adds each to the history.
    fn run(&mut self, campaigns: usize) {
        for _ in 0..campaigns {
            self.count += 1;
            let words = format!("run p.toml --dir {} --folder c{}", self.disk.mount().display(), self.count);
            let ran = run(&mut self.disk.assay(&self.place.path(""), &words));
            let added = self.place.assay(&format!("track add --store h.sqlite c{}", self.count));
            assert!(added.out.starts_with("Added: 1 entry, 3 points."), "{added:#?} {ran:#?}");
            // The folders of many campaigns are large, and a history does not need them.
            fs::remove_dir_all(self.place.path(&format!("c{}", self.count))).unwrap();
        }
    }

    /// The status and the output of a check.
    fn check(&self) -> (Option<i32>, String) {
        let ran = self.place.assay("track check --store h.sqlite");
        println!("{}", ran.out);
        (ran.status, ran.out)
    }

    /// The date and time now, as a check prints them.
    fn now() -> String {
        jiff::Zoned::now().strftime("%Y-%m-%d %H:%M").to_string()
    }
}

/// Asserts that a check after a fall to about 60 % names both series of the disk, when they fell (a date and
/// time), and what changed then.
fn assert_fall(out: &str, fell: &str) {
    let row = |text: &str| out.lines().find(|line| line.contains(text)).unwrap_or_default();
    for series in ["/ probe / WRITE / write.bw ", "/ probe / READ / read.bw "] {
        let row = row(series);
        assert!(row.contains(" ext4 /dev/shm/"), "{row}");
        assert!(row.contains("  FELL on 20"), "{row}");
        let share: f64 = row.split(" % (").next().unwrap().split(' ').next_back().unwrap().parse().unwrap();
        assert!((50.0..70.0).contains(&share), "the rate fell to 60 %: {row}");
    }
    assert!(row("/ probe / MEMORY / write.bw ").ends_with("no change found"), "{out}");
    let events: Vec<&str> = out.split("\nBetween ").skip(1).collect();
    assert_eq!(events.len(), 1, "{out}");
    let times = events[0].lines().next().unwrap().trim_end_matches(':');
    let (from, to) = times.split_once(" and ").unwrap();
    assert!(from <= fell && fell <= to, "{fell}: {times}");
    let facts = "    Mount options of disk: rw,noatime;rw, then rw,relatime;rw\n";
    assert!(events[0].contains(facts), "{out}");
    assert!(!events[0].contains("Utilization"), "{out}");
    assert!(out.ends_with("3 series: 2 fell. History: h.sqlite\n"), "{out}");
}

#[test]
fn a_slower_disk_is_found_with_its_moment_and_its_new_mount_options() {
    if !only_in_all("measures the rates of a throttled disk, which other programs of the machine disturb") {
        return;
    }
    let Some(mut probes) = Probes::start(4_000_000, "1m", 2) else { return };
    probes.run(5);
    let (status, out) = probes.check();
    assert_eq!(status, Some(3), "five points are too few: {out}");
    let fell = Probes::now();
    probes.disk.throttle(2_400_000);
    probes.disk.remount("relatime");
    probes.run(5);
    let (status, out) = probes.check();
    assert_eq!(status, Some(1), "{out}");
    assert_fall(&out, &fell);
}

#[test]
fn a_disk_of_the_same_speed_never_fell_until_it_is_slower() {
    if !only_in_all("writes for minutes to a throttled disk, whose rate other tests would disturb") {
        return;
    }
    let Some(mut probes) = Probes::start(4_000_000, "2m", 3) else { return };
    probes.run(10);
    let (status, out) = probes.check();
    assert_eq!(status, Some(0), "{out}");
    assert!(out.ends_with("3 series: 0 fell. History: h.sqlite\n"), "{out}");
    let fell = Probes::now();
    probes.disk.throttle(2_400_000);
    probes.disk.remount("relatime");
    probes.run(10);
    let (status, out) = probes.check();
    assert_eq!(status, Some(1), "{out}");
    assert_fall(&out, &fell);
    probes.disk.throttle(4_000_000);
    probes.run(7);
    let (status, out) = probes.check();
    assert_eq!(status, Some(0), "the disk is as fast as at the baseline: {out}");
}

//! CephFS: a monitor, a manager, an object store on a file and a metadata server, without authentication.

use std::fs;
use std::process::Command;

use super::OwnDirectory;
use crate::common::campaign::until;
use crate::common::ports;
use crate::common::system::{done, quiet};

/// The cluster. Each has only its own monitor, so all may have one name.
const FSID: &str = "a7f64266-0894-4f1e-a635-d0aeaca0e993";
/// The identity of the object store.
const STORE: &str = "5f0bd0b8-9b6c-4c3a-8d0e-64a5c2b8f1a7";

impl OwnDirectory {
    pub(super) fn cephfs(&self, clients: &[&str]) {
        let [monmap, keyring, config] = ["monmap", "keyring", "ceph.conf"].map(|name| self.text(name));
        for name in ["mon", "mgr", "osd", "mds", "run"] {
            self.directory(name);
        }
        let address = format!("[v1:127.0.0.1:{}]", ports::free(1));
        fs::write(&config, self.settings(&address)).unwrap();
        for (name, services) in [("mon.", &["mon"][..]), ("client.admin", &["mon", "osd", "mds", "mgr"])] {
            let create = if name == "mon." { &["--create-keyring"][..] } else { &[] };
            let rights: Vec<&str> = services.iter().flat_map(|one| ["--cap", one, "allow *"]).collect();
            done("ceph-authtool", &[create, &[&keyring, "--gen-key", "-n", name], &rights].concat());
        }
        done("monmaptool", &["--create", "--clobber", "--fsid", FSID, "--addv", "a", &address, &monmap]);
        let ceph = |program: &str, words: &[&str]| done(program, &[&["-c", &config], words].concat());
        ceph("ceph-mon", &["--mkfs", "-i", "a", "--monmap", &monmap, "--keyring", &keyring]);
        ceph("ceph-mon", &["-i", "a"]);
        ceph("ceph-mgr", &["-i", "x"]);
        // On a busy machine the monitor rejects a few commands (EPERM). They can be repeated.
        let ask = |words: &[&str]| {
            let words = [&["-c", &config], words].concat();
            until(&words.join(" "), || quiet("ceph", &words));
        };
        ask(&["osd", "new", STORE]);
        ceph("ceph-osd", &["-i", "0", "--mkfs", "--osd-uuid", STORE]);
        ceph("ceph-osd", &["-i", "0"]);
        ask(&["osd", "crush", "add", "osd.0", "1.0", "host=h", "root=default"]);
        ceph("ceph-mds", &["-i", "a"]);
        ask(&["osd", "pool", "create", "names", "8"]);
        ask(&["osd", "pool", "create", "data", "8"]);
        ask(&["fs", "new", "fs", "names", "data"]);
        until("metadata server", || {
            let state = Command::new("ceph").args(["-c", &config, "mds", "stat"]).output().unwrap();
            String::from_utf8_lossy(&state.stdout).contains("up:active")
        });
        for client in clients {
            ceph("ceph-fuse", &["-n", "client.admin", &self.text(client)]);
            self.wait_for_mount(client);
        }
    }

    /// The settings of all programs. All their files are in the directory.
    fn settings(&self, address: &str) -> String {
        let root = self.0.display();
        let mut text = format!("[global]\nfsid = {FSID}\nmon_host = {address}\nms_bind_msgr2 = false\n");
        for key in ["auth_cluster_required", "auth_service_required", "auth_client_required"] {
            text += &format!("{key} = none\n");
        }
        for (key, name) in [
            ("keyring", "keyring"),
            ("mon_data", "mon"),
            ("mgr_data", "mgr"),
            ("osd_data", "osd"),
            ("mds_data", "mds"),
            ("run_dir", "run"),
            ("crash_dir", "run"),
            ("log_file", "run/$name.log"),
            ("pid_file", "run/$name.$pid.pid"),
            ("admin_socket", "run/$name.$pid.asok"),
        ] {
            text += &format!("{key} = {root}/{name}\n");
        }
        // With its class or its place, the store of version 16 asks before it knows the cluster.
        text + "public_addr = 127.0.0.1\ncluster_addr = 127.0.0.1\nosd_pool_default_size = 1\n\
                mon_allow_pool_size_one = true\nosd_crush_chooseleaf_type = 0\n\
                osd_class_update_on_start = false\nosd_crush_update_on_start = false\n\
                bluestore_block_size = 8589934592\nmon_data_avail_warn = 1\nmon_data_avail_crit = 1\n"
    }
}

//! Two nodes on this machine, each with its own host name, network and client of one file system.
//!
//! Hydra starts the processes of a node through a script in place of ssh. The script enters namespaces: the
//! network, the host name, the mounts and, if asked, the clocks. Both nodes have the file system at the same
//! path. The launcher runs on the first node.
//!
//! Invariant: the path of the script is in the command lines of the launcher's processes, and that of the
//! file system in those of the ranks. So all of them end with the test.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::network::{ADDRESSES, TwoNetworks};
use super::{FileSystem, Mounted, OwnDirectory};
use crate::common::campaign::{may_mount_alone, skipped, there, until};
use crate::common::{processes, program, script, shim, wheel};

/// The names of the nodes.
pub const NODES: [&str; 2] = ["node-a", "node-b"];

/// Hydra calls this with `-x NODE COMMAND`, where the words of the command are quoted for a shell. The files
/// `NODE.holder`, `NODE.clocks` and `NODE.env` are written before.
const ENTER: &str = r#"#!/bin/sh
[ "$1" = -x ] && shift
exec nsenter -n -t "$(cat "OWN/$1.holder")" unshare --uts --mount $(cat "OWN/$1.clocks") sh -c '
    hostname "$1" && mount -t sysfs none /sys || exit
    mount --bind OWN/hosts /etc/hosts && mount --bind "$(cat "OWN/$1.client")" OWN/fs || exit
    echo $$ > "OWN/$1.part" && mv "OWN/$1.part" "OWN/$1.pid"
    . "OWN/$1.env"
    shift
    eval "exec $*"' sh "$@"
"#;

/// Two nodes with a file system, until dropped. The processes end before the file system.
pub struct TwoNodes {
    own: OwnDirectory,
    network: TwoNetworks,
    mounted: Mounted,
    launcher: PathBuf,
}

impl TwoNodes {
    /// Two nodes with a new file system. `None`, with the reason printed, if this machine cannot.
    pub fn start(which: FileSystem) -> Option<Self> {
        if !["unshare", "hostname"].iter().all(|program| there(program)) {
            return None;
        }
        let launcher = wheel()?.join("bin/mpiexec.hydra");
        let own = OwnDirectory::new();
        own.directory("fs");
        if !may_mount_alone(&own.path("fs")) {
            return None;
        }
        let network = TwoNetworks::new(&own, NODES)?;
        let mounted = which.mount_twice()?;
        let this = Self { own, network, mounted, launcher };
        let rows = ADDRESSES.iter().zip(NODES).map(|(address, node)| format!("{address} {node}\n"));
        this.write("hosts", &format!("127.0.0.1 localhost\n{}", rows.collect::<String>()));
        for (node, client) in NODES.iter().zip(this.clients()) {
            this.write(&format!("{node}.client"), &client.display().to_string());
            this.write(&format!("{node}.clocks"), "");
            this.write(&format!("{node}.env"), "");
        }
        script(&this.own.path("enter"), &ENTER.replace("OWN", &this.own.0.display().to_string()));
        Some(this)
    }

    /// The mount points of the two clients outside of the nodes.
    pub fn clients(&self) -> [PathBuf; 2] {
        [self.mounted.mount.clone(), self.mounted.second.clone().expect("it was mounted twice")]
    }

    /// A file or directory beside the file system. Commands run there.
    pub fn path(&self, name: &str) -> PathBuf {
        self.own.path(name)
    }

    /// `assay WORDS` on two ranks of each node. `DIR` in the words is the directory of the file system.
    pub fn command(&self, words: &str) -> Command {
        let _ = fs::remove_file(self.own.path(&format!("{}.pid", NODES[1])));
        self.on_first(&format!("MPI {} {words}", program().display()))
    }

    /// One command of a shell on the first node, without MPI. `DIR` in it is the directory of the file
    /// system, and `MPI` the launcher with two ranks on each node.
    pub fn on_first(&self, command: &str) -> Command {
        let line = command.replace("DIR", &self.own.text("fs")).replace("MPI", &self.launcher());
        let mut shell = Command::new("sh");
        shell.arg(self.own.path("enter")).args([NODES[0], &line]);
        // UCX would use the memory that the nodes have in common. There is no name server.
        shell
            .env("MPIR_CVAR_CH4_NETMOD", "ofi")
            .env("FI_PROVIDER", "tcp")
            .env("RES_OPTIONS", "timeout:1 attempts:1");
        shell.current_dir(&self.own.0);
        shell
    }

    /// The launcher with two ranks on each node.
    fn launcher(&self) -> String {
        let (enter, nodes) = (self.own.text("enter"), NODES.join(","));
        let launcher = self.launcher.display();
        format!("{launcher} -launcher ssh -launcher-exec {enter} -hosts {nodes} -ppn 2 -n 4")
    }

    /// From now on the second node was started this number of seconds earlier, by its own clocks. False, with
    /// the reason printed, if this kernel has no such clocks.
    pub fn start_second_earlier(&self, seconds: u32) -> bool {
        let clocks = format!("--time --monotonic {seconds} --boottime {seconds}");
        let tried =
            Command::new("unshare").args(clocks.split(' ')).arg("true").stderr(Stdio::null()).status();
        let may = tried.is_ok_and(|status| status.success());
        if may {
            self.write(&format!("{}.clocks", NODES[1]), &clocks);
        } else {
            skipped("no process may have clocks of its own here (time namespaces)");
        }
        may
    }

    /// From now on the wall clock of the second node is this number of seconds ahead.
    pub fn set_second_ahead(&self, seconds: i64) {
        let shim = shim().display().to_string();
        let fault = format!("export LD_PRELOAD={shim} ASSAY_SHIM_UNDER=/ ASSAY_SHIM_FAULT=ahead:{seconds}\n");
        self.write(&format!("{}.env", NODES[1]), &fault);
    }

    /// Sets the network of the second node `up` or `down`.
    pub fn link_second(&self, state: &str) {
        self.network.link_second(state);
    }

    /// The process of the launcher on the second node, and its two ranks, as soon as both are there.
    pub fn processes_of_second(&self) -> [String; 3] {
        let pid = self.own.path(&format!("{}.pid", NODES[1]));
        let mut found = Vec::new();
        until("the ranks of the second node", || {
            let proxy = fs::read_to_string(&pid).unwrap_or_default().trim().to_owned();
            let ranks = processes::children(&proxy);
            found = [vec![proxy], ranks].concat();
            found.len() == 3
        });
        found.try_into().expect("the length was compared")
    }

    /// Whether a process that this started is still there, other than a command of the test.
    pub fn has_processes(&self) -> bool {
        processes::of_directory(&self.own.0, "").iter().any(|pid| !self.network.has_holder(pid))
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.own.path(name), text).unwrap();
    }
}

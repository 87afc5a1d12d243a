//! Two nodes on this machine that are reached by ssh, each with a host name, network, mounts and server.
//!
//! The keys and settings of servers and client are files of the test. Both nodes see the same directory under
//! test, and each has a small file system of its own at `local`.
//!
//! Invariant: the command line of each server has the directory of the test, so it ends with the test.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::OwnDirectory;
use super::network::{ADDRESSES, TwoNetworks};
use crate::common::campaign::{may_mount_alone, there, until};
use crate::common::system::{attempt, prepare_sshd, quiet};
use crate::common::{program, script, wheel};

/// The names of the nodes.
pub const NODES: [&str; 2] = ["node-a", "node-b"];
/// The name of a host in the tested network that does not exist.
pub const GONE: &str = "node-gone";

/// The server of a node, in its own namespaces.
const SERVE: &str = "hostname NODE && mount -t sysfs none /sys && mount --bind OWN/hosts /etc/hosts && \
                     mount -t tmpfs none OWN/local && echo $$ > OWN/NODE.pid && \
                     exec SSHD -D -e -f OWN/NODE/sshd.conf";

/// Two nodes, until dropped.
pub struct SshNodes {
    own: OwnDirectory,
    network: TwoNetworks,
    mpi: PathBuf,
    servers: [String; 2],
}

impl SshNodes {
    /// Starts them. `None`, with the reason printed, if this machine cannot.
    pub fn start() -> Option<Self> {
        let programs = ["unshare", "nsenter", "hostname", "ssh", "sshd", "ssh-keygen"];
        if !programs.iter().all(|program| there(program)) {
            return None;
        }
        let mpi = wheel()?.join("bin");
        let own = OwnDirectory::new();
        own.directory("fs");
        if !may_mount_alone(&own.path("fs")) {
            return None;
        }
        let network = TwoNetworks::new(&own, NODES)?;
        own.directory("local");
        let names = [NODES[0], NODES[1], GONE];
        let addresses = [ADDRESSES[0], ADDRESSES[1], "10.46.0.3"];
        let rows = addresses.iter().zip(names).map(|(address, name)| format!("{address} {name}\n"));
        fs::write(own.path("hosts"), format!("127.0.0.1 localhost\n{}", rows.collect::<String>())).unwrap();
        let mut options = Vec::new();
        let servers = [0, 1].map(|at| {
            let (node, address) = (NODES[at], ADDRESSES[at]);
            let own_key = prepare_sshd(Path::new(&own.directory(node)), &format!("ListenAddress {address}"));
            options.push(format!("Host {node}\n{}\n", own_key.replace('=', " ").replace(',', "\n")));
            let sshd = attempt("sh", &["-c", "command -v sshd"]).unwrap();
            let text = SERVE.replace("NODE", node).replace("OWN", &own.0.display().to_string());
            let text = text.replace("SSHD", sshd.trim());
            let holder = own.process_in(&format!("{node}.holder"));
            let words = ["-n", "-t", &holder, "unshare", "--uts", "--mount", "sh", "-c", &text];
            own.spawn("nsenter", &words);
            own.process_in(&format!("{node}.pid"))
        });
        fs::write(own.path("config"), format!("{}Host *\nLogLevel ERROR\n", options.concat())).unwrap();
        script(&own.path("ssh"), &format!("#!/bin/sh\nexec ssh -F {} \"$@\"\n", own.text("config")));
        let this = Self { own, network, mpi, servers };
        until("the servers", || {
            NODES.iter().all(|node| this.on_first(&format!("./ssh {node} true")).status().unwrap().success())
        });
        Some(this)
    }

    /// A file or directory of the test. Commands run there.
    pub fn path(&self, name: &str) -> PathBuf {
        self.own.path(name)
    }

    /// The table of a plan that starts ranks on these hosts, with these further keys.
    pub fn launch(&self, hosts: &str, keys: &str) -> String {
        // UCX would use the memory that the nodes have in common.
        format!(
            "[clients]\nsimulated = true\n[launch]\nkind = \"ssh\"\nhosts = {hosts}\nssh = \"./ssh\"\n\
             env = {{ MPIR_CVAR_CH4_NETMOD = \"ofi\", FI_PROVIDER = \"tcp\" }}\n{keys}\n"
        )
    }

    /// A command of a shell on the first node, where campaigns start.
    pub fn on_first(&self, line: &str) -> Command {
        self.on(0, line)
    }

    /// A command of a shell on one of the nodes.
    pub fn on(&self, node: usize, line: &str) -> Command {
        // In the mounts of the node: the directory of this process is not in them.
        let line = format!("cd {} && {line}", self.own.0.display());
        let mut command = Command::new("nsenter");
        command.args(["-n", "-u", "-m", "-t", &self.servers[node], "sh", "-c", &line]);
        let path = format!("{}:{}", self.mpi.display(), std::env::var("PATH").unwrap_or_default());
        command.env("PATH", path).env("RES_OPTIONS", "timeout:1 attempts:1");
        command
    }

    /// `assay WORDS` on the first node.
    pub fn assay(&self, words: &str) -> Command {
        self.on_first(&format!("exec {} {words}", program().display()))
    }

    /// Sets the network of the second node `up` or `down`.
    pub fn link_second(&self, state: &str) {
        self.network.link_second(state);
    }

    /// The processes on a node, except its server. A process of either node has its host name.
    pub fn processes(&self, node: usize) -> Vec<String> {
        let place = |pid: &str| fs::read_link(format!("/proc/{pid}/ns/uts")).ok();
        let own = place(&self.servers[node]);
        let all = fs::read_dir("/proc").unwrap().flatten();
        let pids = all.map(|entry| entry.file_name().to_string_lossy().into_owned());
        pids.filter(|pid| *pid != self.servers[node] && own.is_some() && place(pid) == own).collect()
    }
}

impl Drop for SshNodes {
    fn drop(&mut self) {
        // A session whose network was cut does not end with its server.
        for pid in [0, 1].into_iter().flat_map(|node| self.processes(node)) {
            let _ = quiet("kill", &["-9", &pid]);
        }
    }
}

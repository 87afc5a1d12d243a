//! An sshfs whose server is in a network namespace of its own, at the other end of a pair of network devices.
//! So the network can be cut, and the server can be stopped.
//!
//! Invariant: nothing is mounted and no process runs after a test. The server and its children end with the
//! thread that started it, both devices end with them, and the client ends with its connection. If the test
//! is killed while the network is cut, the client stays until TCP gives up.

use std::fs;
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU8, Ordering};

use super::campaign::{SmallFs, there, until};
use super::processes;
use super::system::{done, may_pair_networks, prepare_sshd, quiet};

/// What is needed.
const PROGRAMS: [&str; 7] = ["sshfs", "sshd", "ssh-keygen", "ip", "unshare", "setpriv", "umount"];

/// A mounted sshfs, until dropped.
pub struct LinkedSshfs {
    dir: tempfile::TempDir,
    server: Child,
    /// The network device on the side of the client.
    device: String,
}

impl LinkedSshfs {
    /// Mounts one, with these options of ssh. `None`, with the reason printed, if this machine cannot.
    pub fn mount(options: &str) -> Option<Self> {
        static COUNT: AtomicU8 = AtomicU8::new(0);
        let dir = tempfile::Builder::new().prefix("assay-linked.").tempdir().unwrap();
        if !PROGRAMS.iter().all(|program| there(program)) {
            return None;
        }
        // Root of a container may not mount anything.
        SmallFs::mount(dir.path(), "1m")?;
        if !may_pair_networks() {
            return None;
        }
        for name in ["m", "data"] {
            fs::create_dir(dir.path().join(name)).unwrap();
        }
        // The network is that of this test alone: up to 64 at once in a process.
        let (pid, number) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed) % 64);
        let device = format!("as{pid}-{number}");
        let address = |host: u8| format!("10.45.{}.{}", pid % 256, number * 4 + host);
        let own = prepare_sshd(dir.path(), &format!("ListenAddress {}", address(2)));
        let server = server(&dir, &address(2), &format!("{device}s"));
        let linked = Self { dir, server, device };
        linked.connect(&address(1));
        until("server", || TcpStream::connect((address(2), 22)).is_ok());
        let words = format!("{own}{options}");
        let place = format!("root@{}:{}", address(2), linked.text("data"));
        done("sshfs", &["-o", &words, &place, &linked.text("m")]);
        Some(linked)
    }

    fn text(&self, name: &str) -> String {
        self.dir.path().join(name).display().to_string()
    }

    /// The mount point.
    pub fn path(&self) -> PathBuf {
        self.dir.path().join("m")
    }

    /// Connects the client's device with the server's, which the server waits for.
    fn connect(&self, address: &str) {
        let (device, peer) = (&self.device, format!("{}s", self.device));
        let namespace = self.server.id().to_string();
        let of = |process: &str| fs::read_link(format!("/proc/{process}/ns/net")).unwrap();
        until("namespace", || of(&namespace) != of("self"));
        done("ip", &["link", "add", device, "type", "veth", "peer", "name", &peer, "netns", &namespace]);
        done("ip", &["addr", "add", &format!("{address}/30"), "dev", device]);
        self.link("up");
    }

    /// Sets the network `up` or `down`.
    pub fn link(&self, state: &str) {
        done("ip", &["link", "set", &self.device, state]);
    }

    /// Sends a signal to the server and to all its children.
    pub fn signal(&self, signal: &str) {
        let server = self.server.id().to_string();
        let all = processes::below(&server);
        for pid in [server].into_iter().chain(all) {
            // A child may have ended meanwhile.
            let _ = quiet("kill", &[signal, &pid]);
        }
    }
}

impl Drop for LinkedSshfs {
    fn drop(&mut self) {
        let _ = quiet("umount", &["-l", &self.text("m")]);
        self.signal("-KILL");
        let _ = self.server.wait();
        // It ends with the namespace, some time later.
        let _ = quiet("ip", &["link", "del", &self.device]);
    }
}

/// Starts a server in a new namespace. It waits for its device first.
fn server(dir: &tempfile::TempDir, address: &str, device: &str) -> Child {
    let path = |name: &str| dir.path().join(name).display().to_string();
    let script = format!(
        "until ip link set {device} up; do sleep 0.02; done; ip addr add {address}/30 dev {device}; \
         exec /usr/sbin/sshd -D -e -f {}",
        path("sshd.conf")
    );
    let mut command = Command::new("setpriv");
    // The namespace of processes ends all children of the server with it.
    command.args("--pdeathsig KILL unshare -n -p --fork --kill-child sh -c".split(' ')).arg(&script);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

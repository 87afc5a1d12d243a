//! A network of two nodes: a pair of devices, each in a network namespace of its own. Nothing else is in it,
//! so no address of this machine is used.
//!
//! Invariant: the namespaces end with the processes in them, whose command lines have the directory of the
//! test. The devices end with the namespaces.

use std::fs;

use super::OwnDirectory;
use crate::common::campaign::{skipped, there, until};
use crate::common::system::{attempt, done};

const PROGRAMS: [&str; 3] = ["ip", "unshare", "nsenter"];
/// The device of each node.
const DEVICE: &str = "eth0";

/// The addresses of the nodes.
pub(super) const ADDRESSES: [&str; 2] = ["10.46.0.1", "10.46.0.2"];

/// The network of two nodes.
pub(super) struct TwoNetworks {
    /// A process in each namespace.
    holders: [String; 2],
}

impl TwoNetworks {
    /// The network. Writes the path of each namespace to `NODE.net`. `None`, with the reason printed, if this
    /// machine cannot have one.
    pub(super) fn new(own: &OwnDirectory, nodes: [&str; 2]) -> Option<Self> {
        if !PROGRAMS.iter().all(|program| there(program)) {
            return None;
        }
        let pair = "-n ip link add name one type veth peer name two".split(' ').collect::<Vec<_>>();
        if let Err(why) = attempt("unshare", &pair) {
            skipped(&format!("no pair of network devices here: {why}"));
            return None;
        }
        let this = Self { holders: nodes.map(|node| holder(own, node)) };
        let [_, second] = &this.holders;
        let words = format!("ip link add {DEVICE} type veth peer name {DEVICE} netns {second}");
        this.within(0, &words);
        for (node, address) in ADDRESSES.iter().enumerate() {
            this.within(node, "ip link set lo up");
            this.within(node, &format!("ip addr add {address}/30 dev {DEVICE}"));
            this.within(node, &format!("ip link set {DEVICE} up"));
        }
        // The kernel notices up to a second later that both ends are up.
        let is_up = |node| this.within(node, &format!("ip link show {DEVICE}")).contains(" state UP ");
        until("the network", || is_up(0) && is_up(1));
        Some(this)
    }

    /// Whether this process only holds a namespace.
    pub(super) fn has_holder(&self, pid: &str) -> bool {
        self.holders.iter().any(|holder| holder == pid)
    }

    /// Sets the device of the second node `up` or `down`.
    pub(super) fn link_second(&self, state: &str) {
        self.within(1, &format!("ip link set {DEVICE} {state}"));
    }

    fn within(&self, node: usize, command: &str) -> String {
        let words: Vec<&str> =
            ["-n", "-t", &self.holders[node]].into_iter().chain(command.split(' ')).collect();
        done("nsenter", &words)
    }
}

/// Starts a process in a new namespace.
fn holder(own: &OwnDirectory, node: &str) -> String {
    let (held, net, pid) =
        (own.text("held"), own.text(&format!("{node}.net")), own.text(&format!("{node}.holder")));
    fs::write(&held, "").unwrap();
    let script = format!(
        "echo /proc/$$/ns/net > {net}; echo $$ > {pid}.part && mv {pid}.part {pid}; exec tail -f {held}"
    );
    own.spawn("unshare", &["-n", "sh", "-c", &script]);
    until("namespace", || fs::exists(&pid).unwrap());
    fs::read_to_string(&pid).unwrap().trim().to_owned()
}

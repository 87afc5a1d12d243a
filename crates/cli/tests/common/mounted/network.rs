//! Network namespaces, and a network of two nodes: a pair of devices, each in a namespace of its own. Nothing
//! else is in it, so no address of this machine is used.
//!
//! Invariant: the namespaces end with the processes in them, whose command lines have the directory of the
//! test. The devices end with the namespaces.

use std::fs;

use super::OwnDirectory;
use crate::common::campaign::{there, until};
use crate::common::system::{done, may_pair_networks};

const PROGRAMS: [&str; 3] = ["ip", "unshare", "nsenter"];
/// The device of each node.
const DEVICE: &str = "eth0";

/// The addresses of the nodes.
pub(super) const ADDRESSES: [&str; 2] = ["10.46.0.1", "10.46.0.2"];

/// A network namespace with a loopback device, until the test ends.
pub(super) struct Network {
    /// The process that holds it.
    pub(super) holder: String,
}

impl Network {
    /// A new one. The number of its process is also in the file `NAME.holder`.
    pub(super) fn new(own: &OwnDirectory, name: &str) -> Self {
        let (held, holder) = (own.text("held"), format!("{name}.holder"));
        fs::write(&held, "").unwrap();
        let script = format!("ip link set lo up; echo $$ > {}; exec tail -f {held}", own.text(&holder));
        own.spawn("unshare", &["-n", "sh", "-c", &script]);
        Self { holder: own.process_in(&holder) }
    }

    /// Runs a program in it that must succeed. Gives its output.
    pub(super) fn run(&self, words: &[&str]) -> String {
        done("nsenter", &[&["-n", "-t", &self.holder], words].concat())
    }

    fn ip(&self, words: &str) -> String {
        self.run(&["ip"].into_iter().chain(words.split(' ')).collect::<Vec<_>>())
    }
}

/// The network of two nodes.
pub(super) struct TwoNetworks([Network; 2]);

impl TwoNetworks {
    /// The network. `None`, with the reason printed, if this machine cannot have one.
    pub(super) fn new(own: &OwnDirectory, nodes: [&str; 2]) -> Option<Self> {
        if !PROGRAMS.iter().all(|program| there(program)) || !may_pair_networks() {
            return None;
        }
        let both = nodes.map(|node| Network::new(own, node));
        let [first, second] = &both;
        first.ip(&format!("link add {DEVICE} type veth peer name {DEVICE} netns {}", second.holder));
        for (network, address) in both.iter().zip(ADDRESSES) {
            network.ip(&format!("addr add {address}/30 dev {DEVICE}"));
            network.ip(&format!("link set {DEVICE} up"));
        }
        // The kernel notices up to a second later that both ends are up.
        let is_up = |network: &Network| network.ip(&format!("link show {DEVICE}")).contains(" state UP ");
        until("the network", || both.iter().all(is_up));
        Some(Self(both))
    }

    /// Whether this process only holds a namespace.
    pub(super) fn has_holder(&self, pid: &str) -> bool {
        self.0.iter().any(|network| network.holder == pid)
    }

    /// Sets the device of the second node `up` or `down`.
    pub(super) fn link_second(&self, state: &str) {
        self.0[1].ip(&format!("link set {DEVICE} {state}"));
    }
}

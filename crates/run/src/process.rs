//! The process of a campaign: this one, and whether that of a watched campaign is alive.
//!
//! Never here: waiting for it, and ending it.

use std::fs;

use results::folder::{CampaignProcess, sha256};

/// Whether the process of a campaign is alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessStanding {
    /// It is alive on this node.
    Alive,
    /// It ran on this node, and is gone.
    Gone,
    /// It cannot be seen from here: another node, another container, or not known.
    Unseen,
}

/// This process.
pub fn this_process() -> CampaignProcess {
    let pid = std::process::id();
    CampaignProcess {
        host: rustix::system::uname().nodename().to_string_lossy().into_owned(),
        pid,
        boot: boot(),
        namespace: namespace(),
        started: started(pid).unwrap_or_default(),
    }
}

/// Whether `process` is alive, as far as this node can see it.
pub fn standing(process: &CampaignProcess) -> ProcessStanding {
    let is_here = !process.boot.is_empty() && process.boot == boot() && process.namespace == namespace();
    match started(process.pid) {
        _ if !is_here => ProcessStanding::Unseen,
        Some(started) if started == process.started => ProcessStanding::Alive,
        _ => ProcessStanding::Gone,
    }
}

/// Where process numbers mean the same processes as here: this kernel and this namespace, as 8 hexadecimal
/// digits. `None` if it is not known.
pub(crate) fn place() -> Option<String> {
    let (boot, namespace) = (boot(), namespace());
    let is_known = !boot.is_empty() && !namespace.is_empty();
    is_known.then(|| sha256(format!("{boot} {namespace}").as_bytes())[..8].to_owned())
}

/// The identity of the running kernel; empty if it is not known.
pub(crate) fn boot() -> String {
    let text = fs::read_to_string("/proc/sys/kernel/random/boot_id");
    text.map(|text| text.trim().to_owned()).unwrap_or_default()
}

/// The namespace of process numbers; empty if it is not known.
fn namespace() -> String {
    let link = fs::read_link("/proc/self/ns/pid");
    link.map(|link| link.to_string_lossy().into_owned()).unwrap_or_default()
}

/// When the process with this number started, in clock ticks after the boot; `None` if there is none, or if
/// it only waits to be reaped.
pub(crate) fn started(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // After the name in brackets, which may contain any character, the state is field 3, the start field 22.
    let mut facts = stat.rsplit_once(") ")?.1.split(' ');
    let state = facts.next()?;
    let start = facts.nth(18)?.parse().ok()?;
    (!matches!(state, "Z" | "X")).then_some(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_alive_gone_or_not_to_be_seen_from_here() {
        let own = this_process();
        assert_eq!(standing(&own), ProcessStanding::Alive);
        let later = CampaignProcess { started: own.started + 1, ..own.clone() };
        assert_eq!(standing(&later), ProcessStanding::Gone, "its number was given to another process");
        let other = CampaignProcess { boot: "b".into(), ..own.clone() };
        assert_eq!(standing(&other), ProcessStanding::Unseen);
        let contained = CampaignProcess { namespace: "pid:[1]".into(), ..own };
        assert_eq!(standing(&contained), ProcessStanding::Unseen);
        assert_eq!(standing(&CampaignProcess::default()), ProcessStanding::Unseen);
        let mut child = std::process::Command::new("true").spawn().expect("a process");
        let its = CampaignProcess { pid: child.id(), ..this_process() };
        child.wait().expect("it ends");
        assert_eq!(standing(&its), ProcessStanding::Gone);
    }
}

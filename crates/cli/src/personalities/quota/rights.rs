//! Whether the user who works can be rejected at all.

use command::quota::QuotaRequest;
use rustix::process::geteuid;
use rustix::thread::{CapabilitySet, capabilities};
use units::Usage;

/// Rejects ids that only root can take, and the right to exceed limits.
pub(super) fn check(request: &QuotaRequest) -> Result<(), Usage> {
    let is_root = geteuid().is_root();
    let others = request.others.as_ref().and_then(|others| others.acting);
    for (option, is_given) in [("--as", request.acting.is_some()), ("--other-as", others.is_some())] {
        if is_given && !is_root {
            return Err(Usage(format!("{option}: only root can work as another user. Leave it out.")));
        }
    }
    // Acting as another user gives up this right, too.
    let exceeds = capabilities(None).is_ok_and(|own| own.effective.contains(CapabilitySet::SYS_RESOURCE));
    if request.others.is_some() && others.is_none() && (exceeds || request.acting.is_some()) {
        return Err(Usage::new(
            "--other-dir: root may exceed limits, so files of root show nothing. Add --other-as UID:GID.",
        ));
    }
    if request.acting.is_none() && exceeds {
        return Err(Usage::new(
            "this process may exceed limits (CAP_SYS_RESOURCE). Start it as an ordinary user, or add \
             --as UID:GID.",
        ));
    }
    Ok(())
}

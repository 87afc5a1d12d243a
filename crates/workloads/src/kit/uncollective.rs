//! Transfers that were asked for as collective ones and that the library moved by calls of single ranks:
//! their numbers are not those of collective transfers.

use ranks::{Comm, Halt, Reduce};

/// What is to be told of a phase in which this rank made `single` such transfers of `all`; nothing where no
/// rank made any. `asked` says how collective ones were asked for. Collective.
pub fn told(
    comm: &dyn Comm,
    phase: &str,
    (single, all): (u64, u64),
    asked: &str,
) -> Result<Option<String>, Halt> {
    let mut sums = [single, all];
    comm.all_reduce(&mut sums, Reduce::Sum)?;
    let [single, all] = sums;
    Ok((single > 0).then(|| {
        format!(
            "{phase}: {single} of {all} transfers were not collective, though {asked}: the library moved \
             them by calls of single ranks; the numbers of this phase are not those of collective transfers"
        )
    }))
}

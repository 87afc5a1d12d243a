//! What ranks do together outside of any clock.

use ranks::Halt;

use super::run::MdtestRun;

/// Steps between two looks at whether another rank has failed.
const LOOK_EVERY: u64 = 256;

/// Does something `count` times on this rank; all ranks halt where one fails. Collective.
pub(super) fn each(
    run: &MdtestRun<'_>,
    step: &str,
    count: u64,
    mut what: impl FnMut(u64) -> Result<(), String>,
) -> Result<(), Halt> {
    let comm = run.rank.comm;
    let mut done = Ok(());
    for number in 0..count {
        if number.is_multiple_of(LOOK_EVERY) && comm.alarm_raised() {
            break;
        }
        done = what(number);
        if done.is_err() {
            comm.raise_alarm();
            break;
        }
    }
    comm.agree(step, done)
}

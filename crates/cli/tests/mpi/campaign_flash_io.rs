//! Campaigns with tests that run `flash-io`.

use crate::common::campaign::{Place, there};

/// A launch table of Open MPI, the MPI of Debian's PnetCDF.
const OPEN_MPI: &str = r#"[launch]
kind = "mpirun"
argv = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n", "{ranks}", "{cmd}"]
"#;

#[test]
fn a_test_reads_the_three_files_of_an_earlier_test() {
    if !there("mpirun.openmpi") {
        return;
    }
    let place = Place::new();
    place.plan(&format!(
        r#"{OPEN_MPI}
[[test]]
id = "WRITE"
clause = "a checkpoint and two plot files are written"
flash_io = "-i --size 4 --blocks 5"
repetitions = 1
criterion = [
  {{ metric = "checkpoint.bw", op = ">", value = "1 kB/s" }},
  {{ metric = "plot_corner.seconds", op = "<", value = "1 h" }},
  {{ metric = "plot_centered.bw", op = ">", value = "900000 PB/s" }},
]
[[test]]
id = "CHECK"
uses = "WRITE"
flash_io = "--verify-only --size 4 --blocks 5"
repetitions = 1
criterion = {{ metric = "checkpoint_check.errors", op = "==", value = "0 errors" }}
"#
    ));
    let ran = place.campaign();
    assert_eq!(ran.status, Some(1), "no storage writes an exabyte a second: {ran:#?}");
    assert_eq!(place.outcomes(), ["WRITE PASS", "WRITE PASS", "WRITE FAIL", "CHECK PASS"], "{ran:#?}");
}

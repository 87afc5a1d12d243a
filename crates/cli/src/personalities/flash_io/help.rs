//! `-h`: the original's text, and below it what is our own.

use super::grammar::OWN;

/// The original's text, for a program that was called so.
pub(super) fn classic(program: &str) -> String {
    format!(
        " Usage: {program} [-hqbi] -f <ouput file prefix name>\n        \
         -h: print this message\n        \
         -q: quiet mode\n        \
         -b: use PnetCDF blocking APIs (default: nonblocking)\n        \
         -i: use MPI independent I/O (default: collective)\n        \
         -f prefix: output file prefix name (required)\n"
    )
}

/// The whole text.
pub(super) fn text(program: &str) -> String {
    let mut text = classic(program);
    text.push('\n');
    for own in OWN {
        text.push_str(&format!("  {:<19} {}\n", format!("--{} {}", own.word, own.value), own.about));
    }
    text.push_str(
        "\nThe ranks are MPI's: mpirun -n RANKS assay flash-io -f PREFIX, of an MPI that PnetCDF (with\n\
         --hdf5 HDF5) is built on (`assay backends` tells). The files are overwritten, and stay:\n  \
         PREFIXncmpi_chk_0000.nc       with --hdf5: PREFIXhdf5_chk_0000\n  \
         PREFIXncmpi_plt_cnt_0000.nc                PREFIXhdf5_plt_cnt_0000\n  \
         PREFIXncmpi_plt_crn_0000.nc                PREFIXhdf5_plt_crn_0000\n",
    );
    text
}

//! `-h`: what there is to type, and what it costs.

use units::bytes_binary;
use workloads::fdtree::FdtreeShape;

use super::grammar::OWN;

const CLASSIC: &[(&str, &str)] = &[
    ("-l LEVELS", "levels of directories below the base [4]"),
    ("-d DIRS", "directories in each directory [10]"),
    ("-f FILES", "files in each directory, the base and the leaves too [10]"),
    ("-s BLOCKS", "size of a file in blocks of 4096 bytes [10]"),
    ("-o DIR", "where the tree is made; it has to be there [.]"),
    ("-C", "make the tree and leave it"),
    ("-R", "remove the tree that -C left, found in DIR by the same -l, -d and -f"),
    ("-D", "print each name before the phase that works on it"),
    ("-v", "print percentiles of the latency of single operations"),
];

/// The whole text.
pub(super) fn text() -> String {
    let shape = FdtreeShape::default();
    let mut text = String::from(
        "fdtree: makes a regular tree of directories and files and removes it again, timing each of the\n\
         four phases (fdtree 1.0.2)\n\n\
         usage: fdtree [OPTIONS]\n       \
         assay -n RANKS fdtree [OPTIONS]      ranks are threads\n       \
         mpirun ... assay fdtree [OPTIONS]    ranks are MPI's\n\n",
    );
    for (option, about) in CLASSIC {
        text.push_str(&format!("  {option:<16} {about}\n"));
    }
    text.push('\n');
    for own in OWN {
        text.push_str(&format!("  {:<16} {}\n", format!("--{} {}", own.word, own.value), own.about));
    }
    text.push_str(&format!(
        "\nThe tree is DIR/LEVEL0.<host>.<pid>; of several ranks each has its own, with its number behind.\n\
         Without options it has {} directories and {} files of {}, {} in all.\n\
         Files are not synced: the rates are those of creating them, also in this client's memory.\n\n\
         example: fdtree -l 3 -d 5 -f 10 -s 10 -o /scratch/you\n",
        shape.directories(),
        shape.files_total(),
        bytes_binary(shape.file_bytes() as f64),
        bytes_binary((shape.files_total() * shape.file_bytes()) as f64),
    ));
    text
}

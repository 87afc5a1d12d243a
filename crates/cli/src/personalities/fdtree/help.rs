//! `-h`: what there is to type, and what it costs.

use units::bytes_binary;
use workloads::fdtree::Shape;

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
    let shape = Shape::default();
    let mut text = String::from(
        "fdtree: makes a regular tree of directories and files and removes it again, timing each of the four \
         phases\n(fdtree 1.0.2)\n\n\
         usage: fdtree [OPTIONS], or assay [-n RANKS] fdtree [OPTIONS], or mpirun ... assay fdtree [OPTIONS]\n\n",
    );
    for (option, about) in CLASSIC {
        text.push_str(&format!("  {option:<16} {about}\n"));
    }
    text.push('\n');
    for own in OWN {
        text.push_str(&format!("  {:<16} {}\n", format!("--{} {}", own.word, own.value), own.about));
    }
    text.push_str(&format!(
        "\nThe tree is DIR/LEVEL0.<host>.<pid>; of several ranks each has its own, with its number behind. \
         Without\noptions it has {} directories and {} files of {}, {} in all. Files are not synced:\nthe rates \
         are those of creating them, also in this client's memory.\n\n\
         example: fdtree -l 3 -d 5 -f 10 -s 10 -o /scratch/you\n",
        shape.directories(),
        shape.files_total(),
        bytes_binary(shape.file_bytes() as f64),
        bytes_binary((shape.files_total() * shape.file_bytes()) as f64),
    ));
    text
}

//! The verdicts, reports and tables of ten campaigns stay equal while the code moves. Their folders are in
//! `corpus/folders`, as the program wrote and packed them.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use crate::common::campaign::Place;

/// What the commands print about an archive.
fn answers(place: &Place, archive: &Path) -> String {
    let commands = ["judge", "report --csv"];
    let printed = commands.map(|command| {
        let ran = place.assay(&format!("{command} {}", archive.display()));
        format!("{command} {:?}\n{}{}", ran.status, ran.out, ran.err)
    });
    printed.concat()
}

#[test]
fn the_answers_about_campaigns_are_those_of_the_corpus() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let mut archives: Vec<PathBuf> =
        fs::read_dir(corpus.join("folders")).unwrap().map(|entry| entry.unwrap().path()).collect();
    archives.sort();
    assert_eq!(archives.len(), 10);
    let place = Place::new();
    let mut found = String::new();
    for archive in &archives {
        // The same verdicts, and the same report to the byte.
        let ran = place.assay(&format!("verify {}", archive.display()));
        assert!(ran.status == Some(0) && ran.out.contains(" is intact: "), "{}: {ran:#?}", archive.display());
        let name = archive.file_name().unwrap().display();
        found += &format!("== {name}\n{}", answers(&place, archive)).replace(corpus.to_str().unwrap(), "");
    }
    let path = corpus.join("folders-answers.gz");
    if std::env::var_os("BLESS").is_some() {
        let mut out = GzEncoder::new(fs::File::create(&path).unwrap(), Compression::best());
        out.write_all(found.as_bytes()).unwrap();
        out.finish().unwrap();
    }
    let mut known = String::new();
    GzDecoder::new(fs::File::open(&path).unwrap()).read_to_string(&mut known).unwrap();
    assert_eq!(found, known);
}

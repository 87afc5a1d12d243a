//! What must stay equal while the code moves: the answers of this program about a corpus of texts.
//!
//! `corpus/NAME.gz` has the texts, and `corpus/NAME-answers.gz` a hash for each group of them. To find what
//! changed, write the answers of both versions with `ASSAY_CORPUS=FILE`, and compare the files. A wanted
//! change is accepted with `BLESS=1`.

use std::io::{Read, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::{fs, thread};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use results::folder::sha256;
use testkit::complete::in_all;

/// Texts of one hash.
const GROUP: usize = 16;

/// A corpus of texts.
pub(crate) struct Corpus {
    pub(crate) name: &'static str,
    /// What separates two texts.
    pub(crate) separator: char,
    /// Groups that are always compared: those of texts that a person wrote.
    pub(crate) written: usize,
    /// Without the slow tests, one of this many other groups is compared.
    pub(crate) sampled: usize,
}

/// Some texts of a corpus, with the number of their group.
type Group<'t> = (usize, &'t [&'t str]);

impl Corpus {
    /// Asserts that the answers about the texts are the known ones.
    pub(crate) fn compare(&self, answer: &(impl Fn(&str) -> String + Sync)) {
        let texts = unpacked(&place(self.name));
        let texts: Vec<&str> = texts.split_terminator(self.separator).collect();
        let (dump, blessed) = (std::env::var_os("ASSAY_CORPUS"), std::env::var_os("BLESS").is_some());
        let all = dump.is_some() || blessed || in_all();
        let groups: Vec<Group<'_>> = texts
            .chunks(GROUP)
            .enumerate()
            .filter(|(at, _)| all || *at < self.written || at.is_multiple_of(self.sampled))
            .collect();
        let answers = answers(&groups, answer);
        if let Some(file) = dump {
            let text: String = answers.iter().map(|(_, text)| text.as_str()).collect();
            fs::write(file, text).expect("a file");
        }
        let hashes: Vec<(usize, String)> =
            answers.iter().map(|(at, text)| (*at, sha256(text.as_bytes())[..8].to_owned())).collect();
        let known = place(&format!("{}-answers", self.name));
        if blessed {
            let file = fs::File::create(&known).expect("a file");
            let mut out = GzEncoder::new(file, Compression::best());
            hashes.iter().for_each(|(_, hash)| writeln!(out, "{hash}").expect("a file"));
            out.finish().expect("a file");
        }
        let known = unpacked(&known);
        let known: Vec<&str> = known.lines().collect();
        assert_eq!(known.len(), texts.len().div_ceil(GROUP));
        let differing: Vec<usize> =
            hashes.iter().filter(|(at, hash)| known[*at] != hash).map(|(at, _)| at * GROUP + 1).collect();
        assert!(
            differing.is_empty(),
            "the answers about {} groups of {} differ, the first from number {} on. Write those of both \
             versions with ASSAY_CORPUS=FILE, and compare the files. A new option also appears in \
             suggestions for unknown ones. If all differences are wanted, BLESS=1 accepts them.",
            differing.len(),
            self.name,
            differing[0]
        );
    }
}

fn place(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(format!("{name}.gz"))
}

fn unpacked(path: &Path) -> String {
    let mut text = String::new();
    let file = fs::File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    GzDecoder::new(file).read_to_string(&mut text).expect("a text");
    text
}

/// The answers about some groups, in their order, by several threads.
fn answers(groups: &[Group<'_>], answer: &(impl Fn(&str) -> String + Sync)) -> Vec<(usize, String)> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let size = groups.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        let parts: Vec<_> = groups
            .chunks(size)
            .map(|part| {
                let answered = move |(at, texts): &Group<'_>| {
                    (*at, texts.iter().map(|text| answer(text)).collect::<String>())
                };
                scope.spawn(move || part.iter().map(answered).collect::<Vec<_>>())
            })
            .collect();
        parts.into_iter().flat_map(|part| part.join().expect("answers")).collect()
    })
}

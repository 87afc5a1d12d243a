//! Rules: plain words. No idiom of the project's own, and no sentence above 25 words.
//!
//! Never here: what is right or wrong in a text that only a reader can judge.

use super::Finding;
use super::prose::{Medium, Passage, passages, without_code};
use super::tree::{Source, Tree};

/// The most words that a sentence has.
const MOST: usize = 25;

/// Words that a newcomer does not understand, with what to write.
const BANNED: &[(&[&str], &str)] = &[
    (&["nobody", "nobody's", "somebody", "somebody's", "anybody", "anybody's"], "name the actor"),
    (&["whoever", "whomever", "whatever"], "name the actor or the thing"),
    (&["answers for", "answer for", "answered for"], "approves"),
    (
        &[
            "stands for",
            "stand for",
            "stands in",
            "stand in",
            "stands behind",
            "stand behind",
            "stands beside",
            "stand beside",
            "stands above",
            "stand above",
            "stands with",
            "stand with",
            "stands there",
            "stands at",
            "stood in",
            "stood for",
        ],
        "is listed in, follows, means",
    ),
    (&["tell", "tells", "told"], "reports, states, distinguishes"),
    (&["foretell", "foretells", "foretold"], "predicts"),
    (&["refuse", "refuses", "refused", "refusal", "refusals", "refusing"], "rejects"),
    (&["look at", "looks at", "looked at", "looking at"], "checks, reads, examines"),
    (&["made durable", "makes durable", "make durable"], "flushes to storage"),
    (&["anew"], "again"),
    (&["goes on", "go on", "going on", "went on"], "continues, resumes"),
    (&["counts for nothing"], "is excluded"),
    (&["under way"], "outstanding, in progress"),
    (&["drawn"], "randomized, sampled, plotted"),
    (&["runs dry", "run dry", "ran dry"], "runs out of data"),
    (&["lie apart", "lies apart"], "load imbalance"),
    (&["ready plan", "ready plans"], "bundled plan"),
    (&["calendar", "calendars"], "wall clock"),
    (&["contract's words"], "requirement text"),
    (&["folder of evidence", "folders of evidence"], "evidence package"),
    (&["turnover", "turnovers"], "overwrite cycles"),
    (
        &["mend", "mends", "mended", "take down", "takes down", "took down", "taken down"],
        "restores, takes offline",
    ),
    (&["crowded"], "overloaded by placement"),
    (&["the truth"], "the true mean, the true value"),
    (&["scatter", "scatters", "scattered"], "variability, varies"),
    (&["besides"], "also"),
    (&["head of the chain"], "evidence hash"),
    (&["as recorded"], "unmodified"),
    (&["beforehand"], "before, in advance"),
    (&["paced"], "rate-limited"),
];

/// Rule: no word that the project invented a meaning for.
pub(super) fn banned(tree: &Tree) -> Vec<Finding> {
    let sources = tree.sources.iter().filter(|source| !is_list(source));
    sources
        .flat_map(|source| passages(source).into_iter().flat_map(|passage| banned_in(source, &passage)))
        .collect()
}

/// Whether a file has to name the words: this one.
fn is_list(source: &Source) -> bool {
    source.path == "xtask/src/tidy/words.rs"
}

fn banned_in(source: &Source, passage: &Passage) -> Vec<Finding> {
    let text = without_code(&passage.text).to_lowercase();
    let words: Vec<&str> = text.split_whitespace().map(bare).collect();
    let all = BANNED.iter().flat_map(|(phrases, plain)| phrases.iter().map(move |phrase| (*phrase, *plain)));
    let is_there = |phrase: &str| {
        let phrase: Vec<&str> = phrase.split(' ').collect();
        words.windows(phrase.len()).any(|window| window == phrase)
    };
    let found = all.filter(|(phrase, _)| is_there(phrase));
    found
        .map(|(phrase, plain)| {
            Finding::new(&source.path, passage.line, format!("says `{phrase}` (plain: {plain})"))
        })
        .collect()
}

/// A word without the marks around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// Rule: no sentence of a document or a message is longer than can be read at once.
pub(super) fn sentences(tree: &Tree) -> Vec<Finding> {
    let read = |source: &&Source| !is_list(source) && !source.is_beside_the_program();
    tree.sources.iter().filter(read).flat_map(long_in).collect()
}

fn long_in(source: &Source) -> Vec<Finding> {
    let is_test = |line: usize| source.tokens.iter().any(|token| token.line == line && token.is_test);
    let mut found = Vec::new();
    for passage in passages(source) {
        if passage.medium == Medium::Text && (is_test(passage.line) || is_statement(&passage.text)) {
            continue;
        }
        for words in sentences_of(&without_code(&passage.text)).into_iter().filter(|words| words.len() > MOST)
        {
            let what =
                format!("a sentence of {} words: {} … (at most {MOST})", words.len(), words[..6].join(" "));
            found.push(Finding::new(&source.path, passage.line, what));
        }
    }
    found
}

/// Whether a text is a statement for a database, which people do not read as a sentence.
fn is_statement(text: &str) -> bool {
    ["CREATE ", "INSERT ", "SELECT ", "UPDATE "].iter().any(|verb| text.trim_start().starts_with(verb))
}

/// The sentences of a text, each as its words.
fn sentences_of(text: &str) -> Vec<Vec<&str>> {
    let all: Vec<&str> = text.split_whitespace().collect();
    let mut sentences = vec![Vec::new()];
    for (at, word) in all.iter().enumerate() {
        let Some(sentence) = sentences.last_mut() else { continue };
        if word.contains(|c: char| c.is_alphanumeric() || c == '{') {
            sentence.push(*word);
        }
        let end = word.trim_end_matches(|c: char| "\"')*_”[]".contains(c)).chars().last();
        let next_is_small = all.get(at + 1).is_some_and(|next| next.starts_with(char::is_lowercase));
        if matches!(end, Some(';')) || matches!(end, Some('.' | '!' | '?' | ':')) && !next_is_small {
            sentences.push(Vec::new());
        }
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_banned_word_is_found_in_documents_comments_and_texts() {
        for (path, text) in [
            ("docs/a.md", "It Refuses.\n"),
            ("crates/a/src/a.rs", "// it refuses\n"),
            ("crates/a/src/a.rs", "fn f() { say(\"it refuses\") }\n"),
            ("plans/a.toml", "# it refuses\n"),
            ("docs/a.md", "| a | what stands\nfor it |\n"),
        ] {
            let found = banned(&Tree::of(&[(path, text)])).len();
            assert_eq!(found, usize::from(!text.contains("stands\n")), "{path}: {text}");
        }
        assert_eq!(banned(&Tree::of(&[("docs/a.md", "What stands\nfor it.\n")])).len(), 1);
    }

    #[test]
    fn code_and_longer_words_pass() {
        let text = "The key `mend`, a recommended item, retold.\n\n```text\nrefused\n```\n";
        assert_eq!(banned(&Tree::of(&[("docs/a.md", text)])), []);
        assert_eq!(banned(&Tree::of(&[("crates/a/src/a.rs", "fn refuse() {}\n")])), []);
    }

    #[test]
    fn a_sentence_of_26_words_is_found_and_two_of_13_are_not() {
        let words = |count: usize| vec!["word"; count].join(" ");
        for (text, found) in [
            (format!("{}.\n", words(26)), 1),
            (format!("{}.\n", words(25)), 0),
            (format!("{}. Word {}.\n", words(13), words(12)), 0),
            (format!("{} e.g. {}.\n", words(13), words(13)), 1),
            (format!("{}; {}.\n", words(13), words(13)), 0),
        ] {
            assert_eq!(sentences(&Tree::of(&[("docs/a.md", &text)])).len(), found, "{text}");
        }
    }

    #[test]
    fn statements_for_a_database_may_be_long() {
        let long = vec!["word"; 30].join(" ");
        let text = |begin: &str| format!("fn f() {{ query(\"{begin}{long}\") }}\n");
        let count = |begin| sentences(&Tree::of(&[("crates/a/src/a.rs", &text(begin))])).len();
        assert_eq!((count("SELECT a, "), count("Select a, ")), (0, 1));
    }

    #[test]
    fn sentences_of_tests_may_be_long() {
        let long = vec!["word"; 30].join(" ");
        let text = format!("fn f() {{ say(\"{long}\") }}\n#[test]\nfn g() {{\n    say(\"{long}\")\n}}\n");
        assert_eq!(sentences(&Tree::of(&[("crates/a/src/a.rs", &text)])).len(), 1);
    }
}

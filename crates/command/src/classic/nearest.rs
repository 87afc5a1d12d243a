//! The known word nearest to one that is not known, for the line that refuses it.

/// The nearest of `known` to `word`, if one is near: at most a third of its letters differ.
pub(super) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let (distance, best) = known.map(|name| (distance(&lower, &name.to_lowercase()), name)).min()?;
    (distance <= best.len() / 3).then_some(best)
}

/// How many letters have to be put in, taken out or changed to make `b` of `a`.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (line, letter) in a.chars().enumerate() {
        let mut corner = line;
        row[0] = line + 1;
        for (column, other) in b.iter().enumerate() {
            let changed = corner + usize::from(letter != *other);
            corner = row[column + 1];
            row[column + 1] = changed.min(corner + 1).min(row[column] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_word_and_a_stranger_none() {
        let known = ["blockSize", "transferSize", "segmentCount", "--posix.odirect"];
        let near = |word| nearest(word, known.into_iter());
        assert_eq!(near("blocksiez"), Some("blockSize"));
        assert_eq!(near("segmentsCount"), Some("segmentCount"));
        assert_eq!(near("--posix.o_direct"), Some("--posix.odirect"));
        assert_eq!(near("colour"), None);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
    }
}

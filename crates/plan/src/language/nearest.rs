//! Finds the known word that was probably meant.

/// The word of `known` that `unknown` was probably meant to be, if one is near enough.
pub(crate) fn nearest<'a>(unknown: &str, known: &[&'a str]) -> Option<&'a str> {
    let low = unknown.to_lowercase();
    let far = match low.chars().count() {
        0..=3 => 1,
        length => 2.max(length / 3),
    };
    let same_start = |word: &str| word.chars().next() == low.chars().next();
    let all = known.iter().map(|word| (distance(&low, &word.to_lowercase()), !same_start(word), *word));
    let best = all.min()?;
    (best.0 <= far).then_some(best.2)
}

/// Number of letters to insert, delete, replace or swap with the next one to turn `b` into `a`.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = change.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_found_and_a_distant_one_is_not_offered() {
        let known = ["repetitions", "ranks", "timeout"];
        assert_eq!(nearest("repetition", &known), Some("repetitions"));
        assert_eq!(nearest("rank", &known), Some("ranks"));
        assert_eq!(nearest("tiemout", &known), Some("timeout"));
        assert_eq!(nearest("colour", &known), None);
    }

    #[test]
    fn two_swapped_letters_count_as_one_mistake_and_capitals_as_none() {
        assert_eq!(nearest("maen", &["max", "mean", "median", "min"]), Some("mean"));
        assert_eq!(nearest("Id", &["by", "id"]), Some("id"));
        assert_eq!(nearest("x", &["id", "ior", "by"]), None);
    }
}

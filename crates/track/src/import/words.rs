//! Words of command lines.

/// The options that name a place for files, which a daily test may change.
const PLACES: [&str; 3] = ["-o", "-d", "--record"];

/// The words without places.
pub(super) fn without_places(words: &[String]) -> Vec<&str> {
    let mut words = words.iter().map(String::as_str);
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        if PLACES.contains(&word) {
            words.next();
        } else if !word.split_once('=').is_some_and(|(option, _)| PLACES.contains(&option)) {
            kept.push(word);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_name_places_are_left_out_with_their_values() {
        let words = "-w -o /a/b --record=r.jsonl -t 1m -d x --record r -o=/c -i 3 -o".split(' ');
        let words: Vec<String> = words.map(str::to_owned).collect();
        assert_eq!(without_places(&words), ["-w", "-t", "1m", "-i", "3"]);
    }
}

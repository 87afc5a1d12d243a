//! Words of command lines.

/// Directives of ior that name the form and the place of its output.
const OUTPUTS: [&str; 2] = ["summaryformat", "summaryfile"];

/// The arguments of `program` without places for files and outputs, which a daily test may change.
pub(super) fn without_places(program: &str, words: &[String]) -> Vec<String> {
    let place = if program == "mdtest" { "-d" } else { "-o" };
    let mut words = words.iter().map(String::as_str);
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        if [place, "--record"].contains(&word) {
            words.next();
        } else if program == "ior" && word == "-O" {
            kept.extend(words.next().and_then(directives).into_iter().flat_map(|all| ["-O".to_owned(), all]));
        } else if !(is_path(word) || word.starts_with(place) || word.split_once('=').is_some_and(is_place)) {
            kept.push(word.to_owned());
        }
    }
    kept
}

/// The directives in an argument of `-O`, without places and outputs.
fn directives(argument: &str) -> Option<String> {
    let kept = argument.split(',').filter(|one| !one.split_once('=').is_some_and(is_place));
    Some(kept.collect::<Vec<_>>().join(",")).filter(|all| !all.is_empty())
}

fn is_place((name, value): (&str, &str)) -> bool {
    name == "--record" || OUTPUTS.contains(&name.to_ascii_lowercase().as_str()) || is_path(value)
}

fn is_path(word: &str) -> bool {
    ["/", "./", "../"].iter().any(|begin| word.starts_with(begin))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(program: &str, line: &str) -> String {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        without_places(program, &words).join(" ")
    }

    #[test]
    fn options_that_name_places_are_left_out_with_their_values() {
        let line = "-w -o /a/b --record=r.jsonl -t 1m -o x --record r -o=/c -o/d -i 3 /e ../f -o";
        assert_eq!(kept("ior", line), "-w -t 1m -i 3");
        let line = "-n 4 -d x -x /s/sw -d/m --saveRankPerformanceDetails=/r/1.csv --posix.odirect -u";
        assert_eq!(kept("mdtest", line), "-n 4 -x --posix.odirect -u");
    }

    #[test]
    fn an_option_of_another_program_is_no_place() {
        assert_eq!(kept("ior", "-w -d 5"), "-w -d 5");
        assert_eq!(kept("mdtest", "-F -o 5"), "-F -o 5");
        assert_eq!(kept("fdtree", "-l 4 -d 10 -o x"), "-l 4 -d 10");
    }

    #[test]
    fn the_form_of_the_output_is_no_part_of_a_test() {
        assert_eq!(kept("ior", "-w -O summaryFormat=JSON -O SummaryFile=o.json -i 3"), "-w -i 3");
        let line = "-O stoneWallingWearOut=1,summaryFormat=CSV,stoneWallingStatusFile=/r/s -w -O";
        assert_eq!(kept("ior", line), "-O stoneWallingWearOut=1 -w");
    }
}

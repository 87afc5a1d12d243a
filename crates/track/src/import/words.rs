//! Words of command lines.

/// Directives and long options that name the form and the places of files and outputs, in lower case.
const PLACES: [&str; 8] = [
    "record",
    "summaryformat",
    "summaryfile",
    "testfile",
    "stonewallingstatusfile",
    "saverankperformancedetails",
    "saverankperformancedetailscsv",
    "saveperopdatacsv",
];

/// The letters of the options without a value, of all releases. The letter of a place may be behind them.
fn flags(program: &str) -> &'static str {
    match program {
        "ior" => "BcCeEFgHIkKmnpPqrRSuvVwWxyYzZ",
        "mdtest" => "BcCDEFgkLPrRStTuUvXyYZ",
        _ => "",
    }
}

/// The arguments of `program` without places for files and outputs, which a daily test may change.
pub(super) fn without_places(program: &str, words: &[String]) -> Vec<String> {
    let mut words = words.iter().map(String::as_str);
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        if let Some((letters, value)) = split_place(program, word) {
            if value.is_empty() {
                words.next();
            }
            kept.extend(Some(format!("-{letters}")).filter(|_| !letters.is_empty()));
        } else if word == "--record" {
            words.next();
        } else if program == "ior" && word == "-O" {
            kept.extend(words.next().and_then(directives).into_iter().flat_map(|all| ["-O".to_owned(), all]));
        } else if !(is_path(word) || word.split_once('=').is_some_and(is_place)) {
            kept.push(word.to_owned());
        }
    }
    kept
}

/// The letters before the one of the place in an argument, and what is behind it.
fn split_place<'w>(program: &str, word: &'w str) -> Option<(&'w str, &'w str)> {
    let place = if program == "mdtest" { 'd' } else { 'o' };
    let (letters, value) = word.strip_prefix('-')?.split_once(place)?;
    letters.chars().all(|letter| flags(program).contains(letter)).then_some((letters, value))
}

/// The directives in an argument of `-O`, without places and outputs.
fn directives(argument: &str) -> Option<String> {
    let kept = argument.split(',').filter(|one| !one.split_once('=').is_some_and(is_place));
    Some(kept.collect::<Vec<_>>().join(",")).filter(|all| !all.is_empty())
}

fn is_place((name, value): (&str, &str)) -> bool {
    let name = name.trim_start_matches("--").to_ascii_lowercase();
    PLACES.contains(&name.as_str()) || is_path(value)
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
    fn a_place_is_left_out_behind_letters_without_a_value_and_by_its_other_names() {
        for line in
            ["-w -F -o d/f1", "-w -Fo d/1", "-w -Fod/f", "-w -F -O testFile=d/f1", "-w -F --testFile=d/3"]
        {
            assert_eq!(kept("ior", line), "-w -F", "{line}");
        }
        assert_eq!(kept("ior", "-O stoneWallingStatusFile=s,fsync=1 -wo d/f"), "-O fsync=1 -w");
        assert_eq!(kept("ior", "-to d/f -lo -i 3"), "-to d/f -lo -i 3", "values of -t and -l");
        assert_eq!(kept("mdtest", "-CFd x -n 4 --saveRankPerformanceDetails=r.csv"), "-CF -n 4");
        assert_eq!(kept("fdtree", "-Fo x"), "-Fo x");
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

//! What a clause says against what its criterion compares.

use units::Dimension;

use crate::lint::subject::{CriterionFacts, LineSubject, PlanSubject, Role};
use crate::lint::{Found, Level};
use plan::{Op, Stat};

/// stat-unnamed
pub(crate) fn stat(subject: &LineSubject) -> Vec<Found> {
    let clause = subject.clause.to_lowercase();
    let averages = ["average", "mean "].iter().any(|word| clause.contains(word));
    let mut found = Vec::new();
    for criterion in
        subject.criteria.iter().filter(|criterion| !criterion.counts && criterion.value.is_some())
    {
        let metric = &criterion.metric;
        match criterion.stat {
            None => {
                let what = format!(
                    "{metric}: which statistic of the repetitions is compared is not said; it is the mean"
                );
                let remedy = "say it: stat = \"mean\", or `decide` in the test or the defaults";
                // The verdict names the one that was compared.
                found.push(Found::new(what, remedy).level(Level::Info));
            }
            Some(Stat::Max) if averages && matches!(criterion.op, Op::AtLeast | Op::Above) => {
                let what =
                    format!("{metric}: the clause speaks of an average, and the best of all is compared");
                found.push(Found::new(what, "compare the mean").level(Level::Error));
            }
            _ => {}
        }
    }
    found
}

/// dead-criterion, beyond what the plan refuses
pub(crate) fn dead(subject: &LineSubject) -> Vec<Found> {
    let never = |criterion: &&CriterionFacts| {
        let Some(value) = criterion.value.map(|quantity| quantity.value) else { return false };
        match criterion.op {
            Op::AtLeast => value <= 0.0,
            Op::Above => value < 0.0,
            Op::AtMost | Op::Below => value.is_infinite(),
            Op::Equal => false,
        }
    };
    let met = |criterion: &&CriterionFacts| {
        let Some(value) = criterion.value.map(|quantity| quantity.value) else { return false };
        match criterion.op {
            Op::Below => value <= 0.0,
            Op::AtMost | Op::Equal => value < 0.0,
            Op::AtLeast | Op::Above => value.is_infinite(),
        }
    };
    let told = |criterion: &CriterionFacts, how: &str| {
        let what = format!("{} {} {} can never {how}", criterion.metric, criterion.op, criterion.written);
        Found::new(what, "write the number of the contract")
    };
    let told = |criterion: &CriterionFacts| {
        if never(&criterion) {
            Some(told(criterion, "fail"))
        } else if met(&criterion) {
            Some(told(criterion, "be met"))
        } else {
            turned(criterion)
        }
    };
    subject.criteria.iter().filter_map(told).collect()
}

/// A floor under what should be low, or a ceiling over what should be high.
fn turned(criterion: &CriterionFacts) -> Option<Found> {
    let CriterionFacts { metric, op, written, .. } = criterion;
    let (is, meant, passes) = match (op, more_is_better(criterion)?) {
        (Op::AtMost, true) => ("<=", ">=", "the slower it is"),
        (Op::Below, true) => ("<", ">", "the slower it is"),
        (Op::AtLeast, false) => (">=", "<=", "the more it is"),
        (Op::Above, false) => (">", "<", "the more it is"),
        _ => return None,
    };
    let what = format!("{metric} {is} {written} is passed more easily {passes}");
    Some(Found::new(what, format!("is {meant} meant?")).level(Level::Waiver))
}

/// Whether of what is measured more is better, where that is known.
fn more_is_better(criterion: &CriterionFacts) -> Option<bool> {
    let (_, name) = criterion.metric.split_once('.')?;
    match name {
        "bw" | "rate" | "iops" | "sustained" | "steady" | "pass" => Some(true),
        "open" | "seconds" | "errors" | "failures" | "fail" => Some(false),
        name if name.starts_with("latency.") => Some(false),
        _ => match criterion.value?.dimension {
            Dimension::BytesPerSecond | Dimension::PerSecond => Some(true),
            Dimension::Seconds => Some(false),
            Dimension::Bytes | Dimension::Fraction | Dimension::Count => None,
        },
    }
}

/// threshold-missing
pub(crate) fn threshold(subject: &LineSubject) -> Vec<Found> {
    let says = ["at least", "at most", "required", "must", "no more than", ">=", "≥", "<=", "under "];
    let clause = subject.clause.to_lowercase();
    let asks = says.iter().any(|word| clause.contains(word));
    if !(subject.criteria.is_empty() && subject.reported && asks) {
        return Vec::new();
    }
    let what = "the clause asks for something, and nothing is compared with what is measured";
    vec![Found::new(what, "take the threshold from the contract's text, or say that it is only reported")]
}

/// Families of units of bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    Decimal,
    Binary,
}

/// The family of a quantity with bytes in it.
fn family(text: &str) -> Option<Family> {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || ". _,".contains(c));
    let unit = unit.split(['/', ' ', ',', ';', ')']).next().unwrap_or_default();
    let (prefix, rest) = (unit.chars().next()?, unit.get(1..)?);
    match rest {
        "iB" if "KMGTPE".contains(prefix) => Some(Family::Binary),
        "B" if "kKMGTPE".contains(prefix) => Some(Family::Decimal),
        _ => None,
    }
}

/// The families that a text speaks in: `1 TB/s`, `512MiB`.
fn families(text: &str) -> Vec<Family> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let number = |word: &str| {
        word.trim_start_matches(['>', '<', '=', '~', '(']).starts_with(|c: char| c.is_ascii_digit())
    };
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate().filter(|(_, word)| number(word)) {
        let word = word.trim_start_matches(['>', '<', '=', '~', '(']);
        found.extend(family(word).or_else(|| words.get(at + 1).and_then(|unit| family(unit))));
    }
    found
}

/// units
pub(crate) fn units(subject: &LineSubject) -> Vec<Found> {
    let of_clause = families(&subject.clause);
    let mut found = Vec::new();
    for criterion in &subject.criteria {
        let Some(own) = family(criterion.written.trim()) else { continue };
        if !of_clause.is_empty() && !of_clause.contains(&own) {
            let (clause, value) = match own {
                Family::Decimal => ("TiB, GiB, MiB (powers of 1024)", "TB, GB, MB (powers of 1000)"),
                Family::Binary => ("TB, GB, MB (powers of 1000)", "TiB, GiB, MiB (powers of 1024)"),
            };
            let what = format!(
                "the clause speaks of {clause}, and `{}` of {} is in {value}: at 1 T they are 10 % apart",
                criterion.written, criterion.metric
            );
            found.push(Found::new(what, "write the value with the clause's unit"));
        }
    }
    found
}

/// units, over the whole plan
pub(crate) fn mixed_units(plan: &PlanSubject) -> Vec<Found> {
    let of = |family_of: Family| {
        plan.lines
            .iter()
            .flat_map(|line| line.criteria.iter().map(move |criterion| (line, criterion)))
            .find(|(_, criterion)| family(criterion.written.trim()) == Some(family_of))
    };
    let (Some((decimal, first)), Some((binary, second))) = (of(Family::Decimal), of(Family::Binary)) else {
        return Vec::new();
    };
    let (whose, and) = match decimal.id == binary.id {
        true => (String::new(), "and"),
        false => (format!("{} ", decimal.id), &*format!("and {}", binary.id)),
    };
    let what = format!(
        "{whose}is compared with `{}` {and} with `{}`: powers of 1000 and of 1024 in one plan",
        first.written, second.written
    );
    let remedy = "write all values in the family that the contract has";
    vec![Found::new(what, remedy).level(Level::Waiver).about(&binary.id).at(binary.place())]
}

/// optimal-undefined
pub(crate) fn optimal(subject: &LineSubject) -> Vec<Found> {
    let clause = subject.clause.to_lowercase();
    let mut found = Vec::new();
    if clause.contains("of optimal") && subject.criteria.is_empty() {
        let what = "the clause compares with an optimum, and nothing says which number that is";
        let remedy = "name it: value = \"50% of TEST.write.bw\", or a rate";
        found.push(Found::new(what, remedy));
    }
    let counted = subject.stated.nodes.is_some() || subject.launched.nodes.is_some();
    if clause.contains("optimal number") && !counted {
        let what = "the clause speaks of an optimal number, and the plan neither names nor searches it";
        found.push(Found::new(what, "give `nodes`: a number, or a search with its steps"));
    }
    let steps = ["every step", "each step", "at each interval"].iter().any(|word| clause.contains(word));
    if steps && !subject.has_steps {
        let what = "the clause holds at every step, and the plan has one";
        found.push(Found::new(
            what,
            "give the steps: nodes = { steps = [\"25%\", \"50%\", \"75%\", \"100%\"] }",
        ));
    }
    found
}

/// A number in words or digits before `repetitions`, `iterations` or `times`.
fn repetitions(clause: &str) -> Option<u32> {
    let words: Vec<String> = clause
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let at = words.iter().position(|word| matches!(word.as_str(), "repetitions" | "iterations"))?;
    let names = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    words[at.saturating_sub(2)..at].iter().rev().find_map(|word| {
        let named = names.iter().position(|name| name == word).map(|at| at as u32 + 1);
        word.parse().ok().or(named)
    })
}

/// reps-short, as far as the words tell it
pub(crate) fn short(subject: &LineSubject) -> Vec<Found> {
    let mut found = Vec::new();
    if let (Some(wanted), Some(planned)) = (repetitions(&subject.clause), subject.repetitions)
        && planned < wanted
    {
        let what = format!("the clause asks for {wanted} repetitions, and {planned} are planned");
        found.push(Found::new(what, format!("repetitions = {wanted}")).level(Level::Error));
    }
    if let Some(line) = subject.ior().filter(|line| line.repetitions > 1 && !(line.write && line.multi_file))
    {
        let again = match line.write {
            true => "writes over the files of the one before",
            false => "reads what the one before has just read",
        };
        let what = format!("the {} repetitions of -i share a launch, and each {again}", line.repetitions);
        found.push(Found::new(what, "start each repetition anew; a campaign does").at(line.place('i')));
    }
    found
}

/// unchecked-data, over the whole plan
pub(crate) fn unchecked(plan: &PlanSubject) -> Vec<Found> {
    let wrote = plan.lines.iter().filter(|line| {
        let writes = line.ior().is_some_and(|facts| facts.write);
        writes && !line.criteria.is_empty() && !plan.verified.contains(&line.id)
    });
    let found = wrote.map(|line| {
        let what = "nothing that it writes is ever read again and compared";
        let remedy = "compare it in a launch of its own: a test with -R that `uses` it, or `verify`";
        Found::new(what, remedy).about(&line.id).at(line.place())
    });
    found.collect()
}

/// unchecked-data, where comparing is within what is measured
pub(crate) fn check_in_time(subject: &LineSubject) -> Vec<Found> {
    let Some(line) = subject.ior().filter(|line| line.read_check) else { return Vec::new() };
    let timed = subject.criteria.iter().any(|criterion| {
        criterion.metric.starts_with("read_check.") && !criterion.metric.ends_with(".errors")
    });
    if !timed && subject.role != Some(Role::Read) {
        return Vec::new();
    }
    let what = "-R compares every word within the time that is measured, which then is the client's";
    let remedy = "measure the read by -r, and compare in a launch of its own";
    vec![Found::new(what, remedy).level(Level::Waiver).at(line.place('R'))]
}

/// table-label
pub(crate) fn tables(plan: &PlanSubject) -> Vec<Found> {
    if plan.tables.is_empty() {
        return Vec::new();
    }
    let mut all = Vec::new();
    for (whose, text) in &plan.texts {
        for after in text.match_indices("Table ").map(|(at, table)| &text[at + table.len()..]) {
            let number: String = after.chars().take_while(char::is_ascii_digit).collect();
            let label = format!("Table {number}");
            if number.is_empty() || plan.tables.contains(&label.as_str()) {
                continue;
            }
            let known = plan.tables.join(", ");
            let what = format!("{label} is spoken of, and the report has {known}");
            let found = Found::new(what, "name the table by what it holds");
            // A title and a source cite the document, whose tables have numbers.
            let cites = matches!(whose.as_str(), "title" | "source");
            all.push(if cites { found.level(Level::Info) } else { found }.about(whose));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_tells_its_units_and_its_repetitions() {
        let told = |text| families(text).iter().map(|family| *family == Family::Decimal).collect::<Vec<_>>();
        assert_eq!(told("at least 1 TB/s when"), [true]);
        assert_eq!(told(">=512MiB and 3.0 GiB/s, 25000/s"), [false, false]);
        assert!(told("4 ranks, a Big file").is_empty());
        assert_eq!(repetitions("the average across 10 repetitions"), Some(10));
        assert_eq!(repetitions("at least three separate iterations"), Some(3));
        assert_eq!(repetitions("repetitions"), None);
    }
}

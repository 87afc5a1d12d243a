//! The grammar: the occurrences of a command line, their places, and the faults of its tokens.

use super::*;
use crate::IorOption::{self, *};
use crate::{MdtestOption, Packet, ior};

fn tokens(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

fn ior(line: &str) -> Vec<OptionOccurrence<IorOption>> {
    read_tokens(&tokens(line))
}

/// Places, names, values and faults, as one text.
fn shown<I: Copy>(occurrences: &[OptionOccurrence<I>]) -> String {
    let one = |one: &OptionOccurrence<I>| match &one.input {
        OptionInput::Fault(OptionFault::Stray(_)) => format!("{}:{} stray", one.at, one.name),
        OptionInput::Fault(OptionFault::Unknown(_)) => format!("{}:{} unknown", one.at, one.name),
        OptionInput::Fault(OptionFault::Malformed(_)) => format!("{}:{} malformed", one.at, one.name),
        _ => format!("{}:{} {}", one.at, one.name, one.text().unwrap_or("no value")),
    };
    occurrences.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[test]
fn every_spelling_of_an_option_is_an_occurrence_in_its_place() {
    for (line, wanted) in [
        ("-wF", "0:-w no value, 0:-F no value"),
        ("-wr=0 -k", "0:-w 0, 0:-r 0, 1:-k no value"),
        ("-b 1g -t=4k -b1m", "0:-b 1g, 2:-t 4k, 3:-b 1m"),
        ("-wb 1g -b", "0:-w no value, 0:-b 1g, 2:-b no value"),
        ("--rate 5/s --rate=6/s --dryRun=0", "0:--rate 5/s, 2:--rate 6/s, 3:--dryRun 0"),
        ("-e -O blockSize=4k,KEEPFILE=1", "0:-e no value, 1:blockSize 4k, 1:KEEPFILE 1"),
        ("-O -b=1m,--posix.odirect=0 -w", "0:-b 1m, 0:--posix.odirect 0, 2:-w no value"),
        ("-l -k", "0:-l without a value 1, 1:-k no value"),
        ("-z-k", "0:-z no value, 0:-k no value"),
        ("-BJ 4k", "0:-B 1, 0:-J 4k"),
        ("--POSIX.oDirect --dummy.delay-xfer 5", "0:--posix.odirect 1, 1:--dummy.delay-xfer 5"),
    ] {
        assert_eq!(shown(&ior(line)), wanted, "{line}");
    }
}

#[test]
fn a_wrong_token_hides_no_other_option() {
    for (line, wanted) in [
        ("big -w", "0:big stray, 1:-w no value"),
        ("--colour -w", "0:--colour unknown, 1:-w no value"),
        ("-O x,keepFile=1,blocksiez=1 -w", "0: malformed, 0:keepFile 1, 0:blocksiez unknown, 2:-w no value"),
        ("--mmap.x 1 --mmap.y -w", "0:--mmap.x unknown, 2:--mmap.y unknown, 3:-w no value"),
    ] {
        assert_eq!(shown(&ior(line)), wanted, "{line}");
    }
}

#[test]
fn spellings_of_older_mdtest_versions_are_current_options() {
    let read = |line| read_tokens::<MdtestOption>(&tokens(line));
    for (line, wanted) in [
        ("-B -u", "0:-B 1, 1:-u no value"),
        ("-B 0 -u", "0:-B 0, 2:-u no value"),
        ("-R7u", "0:-R7 7, 0:-u no value"),
        ("-R99999999999999999999999", "0:-R99999999999999999999999 malformed"),
    ] {
        assert_eq!(shown(&read(line)), wanted, "{line}");
    }
}

#[test]
fn a_value_is_parsed_by_its_kind_and_messages_name_the_option_as_typed() {
    let value = |line: &str| {
        ior(line).last().unwrap().value().map_err(|usage| usage.0).map(|value| match value {
            OptionValue::Number(number) => number.to_string(),
            other => format!("{other:?}"),
        })
    };
    assert_eq!(value("-b 4k"), Ok("4096".to_owned()));
    assert_eq!(value("-k=2"), Ok("Flag(Some(2))".to_owned()));
    assert_eq!(value("-O keepFile=1"), Ok("Flag(Some(1))".to_owned()));
    assert_eq!(value("-o f"), Ok("Text(\"f\")".to_owned()));
    for (line, why) in [
        ("-b", "-b takes a value: set the bytes of one rank in one segment"),
        ("-b -1", "-b -1: -1 is negative"),
        ("-O blockSize=-1", "-O blockSize -1: -1 is negative"),
        ("-O keepFile=x", "-O keepFile: `x` is not a whole number, such as 4096, 4k or 16m"),
    ] {
        assert_eq!(value(line), Err(why.to_owned()), "{line}");
    }
}

#[test]
fn an_unknown_directive_finds_the_nearest_option_also_one_with_two_dashes() {
    for (list, near) in [
        ("posix.odirect=1", Some("--posix.odirect")),
        ("POSIX.odirekt=1", Some("--posix.odirect")),
        ("dummy.delay-xfr=1", Some("--dummy.delay-xfer")),
        ("warningAsErrors=1,dryrun=1", Some("--dryRun")),
        ("blocksiez=1m", Some("blockSize")),
        ("nonsense=1", None),
    ] {
        let found = ior(&format!("-O {list}"));
        let mut faults = found.iter().filter_map(|one| match &one.input {
            OptionInput::Fault(OptionFault::Unknown(text)) => Some(text.as_str()),
            _ => None,
        });
        let text = faults.next_back().unwrap();
        assert_eq!(text.split_once("Did you mean ").is_some(), near.is_some(), "{text}");
        assert!(near.is_none_or(|near| text.contains(&format!("Did you mean {near}? "))), "{text}");
    }
}

#[test]
fn the_last_occurrence_of_an_option_wins_in_every_form() {
    let read = |line: &str| ior::Line::read(&tokens(line));
    let line = read("-b 1g -w -O blockSize=4k -w=0 -O useO_DIRECT=1,readFile=1 -t x");
    assert_eq!((line.block_bytes(), line.transfer_bytes()), (Some(4096), None));
    assert_eq!((line.write, line.read, line.segment_count()), (false, true, Some(1)));
    assert!(line.is_direct() && !read("-B --posix.odirect=0").is_direct());
    assert_eq!(read("-O nodes=3").nodes, Some(3));
    assert!(!read("-O showHelp=0").has(Help) && read("-O showHelp=1").parsed.help);
    assert_eq!(read("-l t -l").packet, Packet::Offset);
    assert!(read("-t x -t 1m").transfer_bytes().is_some() && read("-w=x").write);
}

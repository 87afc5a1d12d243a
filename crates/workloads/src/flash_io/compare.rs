//! Compares every element of every block that was read with what was written.

use std::path::Path;

use ranks::{Comm, Halt, Reduce};
use results::record::{BadRange, Check};
use storage::arrays::ArrayValues;

use super::files::FileArray;
use super::mesh::{bits, bits_of, number};
use crate::kit::checker::over_ranks::listed;

/// Number of bad ranges that each rank keeps.
const KEPT: usize = 64;

/// Compares the parts of arrays that one rank reads.
#[derive(Debug, Default)]
pub(super) struct Comparing {
    bytes: u64,
    /// Parts of arrays with at least one wrong element.
    bad_parts: u64,
    /// Ranges of wrong elements.
    ranges: u64,
    first: Vec<BadRange>,
}

/// The place of the part that was read.
pub(super) struct ReadPlace<'a> {
    pub(super) path: &'a Path,
    /// The offset of the array in the file, bytes.
    pub(super) begin: Option<u64>,
    /// The first block that was read.
    pub(super) first: u64,
    pub(super) blocks: u64,
    /// The length of the file, if known.
    pub(super) file_bytes: Option<u64>,
}

impl ReadPlace<'_> {
    /// How many of `count` elements of the part are within the file; all if its length is unknown.
    fn there(&self, array: &FileArray, count: usize) -> usize {
        let Some((begin, size)) = self.begin.zip(self.file_bytes) else { return count };
        let behind = size.saturating_sub(begin + self.first * array.bytes());
        count.min((behind / array.element.bytes()) as usize)
    }
}

impl Comparing {
    /// Compares all elements of a part of `array`.
    pub(super) fn look(&mut self, array: &FileArray, place: &ReadPlace<'_>, values: &ArrayValues) {
        let count = (place.blocks * array.elements()) as usize;
        let wanted = bits_of(array.element, array.value);
        let there = place.there(array, count);
        let is_wrong = |at: usize| at >= there || bits(values, at) != wanted;
        self.bytes += there as u64 * array.element.bytes();
        let mut at = (0..count).find(|at| is_wrong(*at)).unwrap_or(count);
        self.bad_parts += u64::from(at < count);
        while at < count {
            // Elements beyond the end of the file form a separate range.
            let most = if at < there { there } else { count };
            let end = (at..most).find(|at| !is_wrong(*at)).unwrap_or(most);
            self.ranges += 1;
            if self.first.len() < KEPT {
                let bad = range(array, place, values, at, end - at);
                self.first.push(if at < there { bad } else { truncated(bad) });
            }
            at = (end..count).find(|at| is_wrong(*at)).unwrap_or(count);
        }
    }

    /// Collects the findings of all ranks, and the first bad ranges on rank 0. Collective.
    pub(super) fn check(&self, comm: &dyn Comm) -> Result<Check, Halt> {
        let is_bad = self.bad_parts > 0;
        let mut sums = [self.bytes, self.bad_parts, self.ranges, is_bad.into()];
        comm.all_reduce(&mut sums, Reduce::Sum)?;
        let [bytes, bad_transfers, ranges, bad_ranks] = sums;
        let mut check = Check { bytes, bad_transfers, ranges, bad_ranks, ..Check::default() };
        if bad_transfers > 0 {
            check.bad = listed(comm, is_bad.then_some(&self.first[..]))?;
        }
        Ok(check)
    }
}

/// A range of wrong elements, described by the indices of the array.
fn range(
    array: &FileArray,
    place: &ReadPlace<'_>,
    values: &ArrayValues,
    at: usize,
    count: usize,
) -> BadRange {
    let each = array.elements();
    let block = place.first + at as u64 / each;
    let mut rest = at as u64 % each;
    let mut indices = Vec::new();
    for length in array.lengths.iter().rev() {
        indices.insert(0, (rest % length).to_string());
        rest /= length;
    }
    let what = if array.unknown.is_some() { " zone" } else { "" };
    let index = if indices.is_empty() { String::new() } else { format!("{what} ({})", indices.join(",")) };
    let (found, width) = (bits(values, at), array.element.bytes() as usize);
    let wanted = bits_of(array.element, array.value);
    let element = (place.first * each + at as u64) * array.element.bytes();
    BadRange {
        rank: 0,
        path: place.path.display().to_string().replace('\n', "?"),
        offset: place.begin.unwrap_or(0) + element,
        length: count as u64 * array.element.bytes(),
        expected: format!("{wanted:#0width$x}", width = 2 + 2 * width),
        found: format!("{found:#0width$x}", width = 2 + 2 * width),
        kind: kind(wanted, found).to_owned(),
        detail: format!(
            "variable {}, block {block}{index}: expected {}, found {}",
            array.name.trim_end(),
            array.value,
            shown(number(values, at))
        ),
    }
}

/// The same range, if the file ends before it.
fn truncated(bad: BadRange) -> BadRange {
    let (what, _) = bad.detail.split_once(", found ").unwrap_or((&bad.detail, ""));
    let (kind, found) = ("truncated".to_owned(), "the end of the file".to_owned());
    BadRange { detail: format!("{what}, and the file ends before it"), kind, found, ..bad }
}

/// A number in plain form, or with an exponent if it is very small or very large.
fn shown(number: f64) -> String {
    match number.abs() {
        size if size != 0.0 && !(1e-5..1e16).contains(&size) => format!("{number:e}"),
        _ => number.to_string(),
    }
}

fn kind(wanted: u64, found: u64) -> &'static str {
    match (wanted ^ found).count_ones() {
        _ if found == 0 => "zero",
        1..=8 => "flipped",
        _ => "wrong",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use command::flash_io::Form;

    use crate::flash_io::FlashFile;
    use ranks::local;

    #[test]
    fn a_wrong_element_is_reported_by_variable_block_zone_and_offset() {
        let array = &FlashFile::Checkpoint.arrays(Form::Pnetcdf, 2)[6 + 4];
        let place =
            ReadPlace { path: Path::new("f\tg"), begin: Some(1000), first: 10, blocks: 3, file_bytes: None };
        let mut values = vec![5.0; 24];
        (values[13], values[14], values[20]) = (5.5, 0.0, f64::NAN);
        let found = local::run(2, |comm| {
            let mut comparing = Comparing::default();
            comparing.look(array, &place, &ArrayValues::Doubles(vec![5.0; 24]));
            if comm.rank() == 1 {
                comparing.look(array, &place, &ArrayValues::Doubles(values.clone()));
            }
            comparing.check(comm).expect("no halt")
        });
        let check = found.into_iter().next().unwrap().expect("no panic");
        assert_eq!((check.bytes, check.bad_transfers, check.ranges, check.bad_ranks), (576, 1, 2, 1));
        let [first, second] = &check.bad[..] else { panic!("{check:?}") };
        let what = "variable pres, block 11 zone (1,0,1): expected 5, found 5.5";
        assert_eq!((first.rank, first.path.as_str(), first.detail.as_str()), (1, "f\tg", what));
        assert_eq!((first.offset, first.length), (1000 + (80 + 13) * 8, 16));
        assert_eq!((first.expected.as_str(), first.kind.as_str()), ("0x4014000000000000", "flipped"));
        assert_eq!((second.kind.as_str(), second.offset), ("wrong", 1000 + (80 + 20) * 8));
    }

    #[test]
    fn elements_after_the_end_of_the_file_are_truncated() {
        let array = &FlashFile::Checkpoint.arrays(Form::Pnetcdf, 2)[6 + 4];
        let path = Path::new("f");
        let place =
            ReadPlace { path, begin: Some(1000), first: 1, blocks: 2, file_bytes: Some(1000 + 64 + 84) };
        let mut values = vec![5.0; 16];
        (values[9], values[11]) = (3.1e-319, 7.0);
        let mut comparing = Comparing::default();
        comparing.look(array, &place, &ArrayValues::Doubles(values));
        assert_eq!((comparing.bytes, comparing.bad_parts, comparing.ranges), (80, 1, 2));
        let reported: Vec<_> =
            comparing.first.iter().map(|bad| (bad.kind.as_str(), bad.offset, bad.length)).collect();
        assert_eq!(reported, [("wrong", 1136, 8), ("truncated", 1144, 48)]);
        let details: Vec<_> = comparing.first.iter().map(|bad| bad.detail.as_str()).collect();
        assert!(details[0].contains("expected 5, found 3.1e-319"), "{details:?}");
        assert_eq!(
            details[1],
            "variable pres, block 2 zone (0,1,0): expected 5, and the file ends before it"
        );
    }

    #[test]
    fn damage_of_whole_blocks_is_reported_without_a_zone() {
        let arrays = FlashFile::PlotCentered.arrays(Form::Pnetcdf, 8);
        let place = ReadPlace { path: Path::new("f"), begin: None, first: 0, blocks: 2, file_bytes: Some(9) };
        let reported = |at: usize, values: &ArrayValues| {
            let mut comparing = Comparing::default();
            comparing.look(&arrays[at], &place, values);
            comparing.first.iter().map(|bad| format!("{} {}", bad.kind, bad.detail)).collect::<Vec<_>>()
        };
        let wanted = "zero variable lrefine, block 1: expected 1, found 0";
        assert_eq!(reported(0, &ArrayValues::Ints(vec![1, 0])), [wanted]);
        let mut boxes = vec![0.0; 12];
        boxes[9] = 0.25;
        let wanted = "flipped variable bndbox, block 1 (1,1): expected 0, found 0.25";
        assert_eq!(reported(5, &ArrayValues::Floats(boxes)), [wanted]);
    }
}

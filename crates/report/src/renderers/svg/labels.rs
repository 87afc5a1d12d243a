//! Places for the labels of marks: beside their marks, without overlap.
//!
//! Earlier labels are more important and are placed first. A label first avoids other labels, marks and
//! lines. If no such place is left, it may cross a line. If it would still overlap, it has no place.
//!
//! Invariant: no two labels overlap, no label covers another mark, and each is within the area.
//! Never here: texts.

/// The height of a line of text, in the units of the drawing.
const HEIGHT: f64 = 15.0;
/// The part of this height below the base line.
const BELOW: f64 = 4.0;
/// The distance from a mark to its label.
const GAP: f64 = 7.0;
/// The radius of a mark that labels keep free.
const RADIUS: f64 = 4.0;

/// The distance from lines that labels keep if they can.
const CLEARANCE: f64 = 4.0;

/// A rectangle: the area in which labels are, a label, or what it keeps free.
#[derive(Clone, Copy)]
pub(super) struct LabelArea {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

/// A mark with the width of its label.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchor {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
}

/// The place of a label: the start or the end of its base line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LabelPlace {
    pub(super) x: f64,
    pub(super) y: f64,
    /// Whether the text ends there.
    pub(super) is_end: bool,
}

impl LabelArea {
    fn around_label(place: &LabelPlace, width: f64) -> Self {
        let (left, right) =
            if place.is_end { (place.x - width, place.x) } else { (place.x, place.x + width) };
        Self { left, right, top: place.y + BELOW - HEIGHT, bottom: place.y + BELOW }
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    fn is_within(&self, area: &LabelArea) -> bool {
        self.left >= area.left
            && self.right <= area.right
            && self.top >= area.top
            && self.bottom <= area.bottom
    }

    fn around((x, y): (f64, f64), radius: f64) -> Self {
        Self { left: x - radius, right: x + radius, top: y - radius, bottom: y + radius }
    }
}

/// The places of the labels of `anchors`; `None` for a label without space. `lines` are points of the lines.
pub(super) fn place(anchors: &[Anchor], lines: &[(f64, f64)], area: &LabelArea) -> Vec<Option<LabelPlace>> {
    let mut taken: Vec<LabelArea> = Vec::new();
    let mut places = Vec::new();
    for (at, anchor) in anchors.iter().enumerate() {
        let marks = || anchors.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, mark)| mark);
        let is_free = |place: &&LabelPlace| {
            let own = LabelArea::around_label(place, anchor.width);
            own.is_within(area)
                && !taken.iter().any(|other| own.overlaps(other))
                && !marks().any(|mark| own.overlaps(&LabelArea::around((mark.x, mark.y), RADIUS)))
        };
        let crosses = |place: &LabelPlace| {
            let own = LabelArea::around_label(place, anchor.width);
            lines.iter().any(|point| own.overlaps(&LabelArea::around(*point, CLEARANCE)))
        };
        let all = candidates(anchor);
        let free: Vec<&LabelPlace> = all.iter().filter(is_free).collect();
        let best = free.iter().find(|place| !crosses(place)).or(free.first()).map(|place| **place);
        taken.extend(best.map(|place| LabelArea::around_label(&place, anchor.width)));
        places.push(best);
    }
    places
}

/// Places around a mark, the best first: above and to the left, where a rising line leaves space.
fn candidates(anchor: &Anchor) -> Vec<LabelPlace> {
    let mut all = Vec::new();
    let middle = anchor.y + HEIGHT / 2.0 - BELOW;
    for lines in 0..3 {
        let away = f64::from(lines) * HEIGHT;
        let (above, below) = (anchor.y - GAP - away, anchor.y + GAP + HEIGHT - BELOW + away);
        for (side, y) in [(-1.0, above), (1.0, below), (1.0, above), (-1.0, below)] {
            let x = anchor.x + side * GAP / 2.0;
            all.push(LabelPlace { x, y, is_end: side < 0.0 });
        }
        if lines == 0 {
            for side in [-1.0, 1.0] {
                all.push(LabelPlace { x: anchor.x + side * GAP, y: middle, is_end: side < 0.0 });
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const AREA: LabelArea = LabelArea { left: 80.0, top: 20.0, right: 450.0, bottom: 230.0 };

    proptest! {
        #[test]
        fn labels_never_overlap_are_within_the_area_and_cover_no_other_mark(
            all in prop::collection::vec((80.0_f64..450.0, 20.0_f64..230.0, 8.0_f64..160.0), 0..12),
            lines in prop::collection::vec((80.0_f64..450.0, 20.0_f64..230.0), 0..300),
        ) {
            let anchors: Vec<Anchor> =
                all.iter().map(|(x, y, width)| Anchor { x: *x, y: *y, width: *width }).collect();
            let places = place(&anchors, &lines, &AREA);
            prop_assert_eq!(places.len(), anchors.len());
            let boxes: Vec<(usize, LabelArea)> = places
                .iter()
                .enumerate()
                .filter_map(|(at, place)| Some((at, LabelArea::around_label(&(*place)?, anchors[at].width))))
                .collect();
            for (at, own) in &boxes {
                prop_assert!(own.is_within(&AREA));
                prop_assert!(!boxes.iter().any(|(other, theirs)| other != at && own.overlaps(theirs)));
                let mut others = anchors.iter().enumerate().filter(|(other, _)| other != at);
                let covers = |mark: &Anchor| own.overlaps(&LabelArea::around((mark.x, mark.y), RADIUS));
                prop_assert!(!others.any(|(_, mark)| covers(mark)));
            }
        }
    }

    #[test]
    fn a_single_label_has_a_place_anywhere_and_labels_on_one_point_get_different_places() {
        for (x, y) in [(80.0, 20.0), (450.0, 20.0), (80.0, 230.0), (450.0, 230.0), (200.0, 100.0)] {
            assert!(place(&[Anchor { x, y, width: 90.0 }], &[], &AREA)[0].is_some(), "{x} {y}");
        }
        let same = [Anchor { x: 200.0, y: 100.0, width: 90.0 }; 5];
        let of_same = place(&same, &[], &AREA);
        assert!(of_same.iter().flatten().count() >= 1, "{of_same:?}");
        let near: Vec<Anchor> = (0..5)
            .map(|n| Anchor { x: 300.0 + f64::from(n) * 9.0, y: 60.0 - f64::from(n), width: 80.0 })
            .collect();
        assert!(place(&near, &[], &AREA).iter().flatten().count() >= 4, "labels move to where space is");
    }
}

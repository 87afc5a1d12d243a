//! Tests of the views: their names, and the places that they show.

use super::*;
use std::collections::HashSet;

#[test]
#[should_panic(expected = "no view is named `vectr`")]
fn a_misspelt_view_is_not_taken_for_another() {
    ViewKind::named("vectr");
}

#[test]
fn no_two_ranks_move_the_same_byte() {
    for kind in VIEWS {
        for size in 1..=6 {
            let mut places = HashSet::new();
            for rank in 0..size {
                let layout = (kind.layout)(RankInGroup { rank, size });
                let first = layout.start * layout.etype;
                for at in first..first + 2 * layout.each * layout.etype {
                    assert!(places.insert(layout.place(at)), "{}: rank {rank} of {size}, {at}", kind.name);
                }
            }
        }
    }
}

#[test]
fn a_call_moves_more_than_a_tile_and_common_views_are_the_same_for_all_ranks() {
    let of = |kind: &ViewKind, rank| (kind.layout)(RankInGroup { rank, size: 4 });
    for kind in VIEWS {
        let (one, other) = (of(&kind, 0), of(&kind, 3));
        let same =
            (&one.pieces, one.displacement, one.extent) == (&other.pieces, other.displacement, other.extent);
        assert_eq!(same, kind.is_common, "{}", kind.name);
        assert!(one.each * one.etype >= one.tile(), "{}", kind.name);
    }
}

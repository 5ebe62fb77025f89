//! Pulls on the line, without a window.

use proptest::prelude::*;

use super::*;
use crate::asset::mannequin;
use crate::motion::{Edit, Share};

fn character() -> Character {
    let mut character = mannequin().unwrap();
    let clips = &mut character.clips;
    clips.truncate(2);
    (clips[0].seconds, clips[1].seconds) = (1.0, 2.0);
    character
}

fn clips() -> Vec<Clip> {
    character().clips
}

fn bar(start: f32, seconds: f32) -> Bar {
    Bar { start, seconds: Some(seconds), ..Bar::new(0) }
}

fn motion() -> Motion {
    let edit = Edit { time: 1.0, before: 0.4, after: 0.2, ..Edit::default() };
    Motion { bars: vec![bar(0.0, 1.0), bar(0.8, 1.0)], edits: vec![edit], ..Motion::default() }
}

fn near(a: f32, b: f32) -> bool {
    (a - b).abs() < 1e-5
}

/// What a pull makes of the pulled bar.
fn pulled(motion: &Motion, grip: Grip, by: f32, snap: Option<&Snap>) -> Bar {
    let (motion, item) = drag(motion, &clips(), grip, by, snap);
    let Item::Bar(place) = item else { panic!("{item:?}") };
    motion.bars[place].clone()
}

#[test]
fn a_bar_is_moved_and_stays_in_order() {
    let (moved, item) = drag(&motion(), &clips(), Grip::Whole(Item::Bar(0)), 1.5, None);
    assert_eq!(item, Item::Bar(1));
    assert!(near(moved.bars[0].start, 0.8) && near(moved.bars[1].start, 1.5));
    // No line begins before zero.
    assert!(near(pulled(&motion(), Grip::Whole(Item::Bar(1)), -3.0, None).start, 0.0));
    let gone = Grip::Whole(Item::Bar(9));
    assert_eq!(drag(&motion(), &clips(), gone, 1.0, None).0, motion());
    assert_eq!(drag(&motion(), &clips(), Grip::Whole(Item::Bar(0)), f32::NAN, None).0, motion());
}

#[test]
fn the_last_moment_changes_the_length_alone() {
    let last = Grip::Last(Item::Bar(1));
    let longer = pulled(&motion(), last, 0.7, None);
    assert!(near(longer.seconds.unwrap(), 1.7) && near(longer.start, 0.8) && longer.from == 0.0);
    assert!(pulled(&motion(), last, -5.0, None).seconds.unwrap() > 0.0);
}

#[test]
fn the_first_moment_shows_what_it_showed() {
    let first = Grip::First(Item::Bar(1));
    let later = pulled(&motion(), first, 0.3, None);
    assert!(near(later.start, 1.1) && near(later.from, 0.3) && near(later.seconds.unwrap(), 0.7));
    // There is nothing before the clip's beginning, unless it starts again.
    assert_eq!(pulled(&motion(), first, -0.3, None), motion().bars[1]);
    let mut again = motion();
    again.bars[1].again = true;
    let earlier = pulled(&again, first, -0.3, None);
    assert!(near(earlier.start, 0.5) && near(earlier.from, 0.7) && near(earlier.seconds.unwrap(), 1.3));
    // Backwards it begins at its end.
    let mut back = motion();
    back.bars[1].speed = -2.0;
    let later = pulled(&back, first, 0.2, None);
    assert!(near(later.from, 0.6) && near(later.start, 1.0));
    assert!(near(pulled(&back, first, -0.2, None).start, 0.8));
}

#[test]
fn what_snaps_rests_on_ends_of_others_and_else_on_steps() {
    let snap = Snap::new(&motion(), &clips(), Some(Grip::Whole(Item::Bar(1))), Some(0.33));
    assert!(near(snap.rest(0.35), 0.33), "the playhead");
    assert!(near(snap.rest(0.98), 1.0), "the end of the other bar");
    assert!(near(snap.rest(0.56), 0.6), "a step");
    let whole = Grip::Whole(Item::Bar(1));
    // Its start comes near the end of the other bar, or its end near the playhead.
    assert!(near(pulled(&motion(), whole, 0.18, Some(&snap)).start, 1.0));
    let late = Snap { marks: vec![2.0], ..snap };
    assert!(near(pulled(&motion(), whole, 0.16, Some(&late)).start, 1.0));
    // Once through.
    let last = Grip::Last(Item::Bar(1));
    let mut short = motion();
    short.bars[1].seconds = Some(0.5);
    let once = Snap::new(&short, &clips(), Some(last), None);
    assert!(near(pulled(&short, last, 0.47, Some(&once)).seconds.unwrap(), 1.0));
}

#[test]
fn edits_and_their_windows_are_pulled() {
    let item = Item::Edit(0);
    let one = |grip, by| drag(&motion(), &clips(), grip, by, None).0.edits[0].clone();
    assert!(near(one(Grip::Whole(item), 0.5).time, 1.5));
    assert!(near(one(Grip::Whole(item), -5.0).time, 0.0));
    assert!(near(one(Grip::First(item), -0.1).before, 0.5));
    assert!(near(one(Grip::Last(item), 0.3).after, 0.5));
    assert!(one(Grip::First(item), 9.0).before > 0.0 && one(Grip::Last(item), -9.0).after > 0.0);
}

#[test]
fn a_clip_is_added_after_the_last_bar_and_taken_away() {
    let mut character = character();
    let (one, item) = with_clip(&Motion::default(), &character, &[], 1);
    assert_eq!((&one, item), (&Motion::clip(1), Item::Bar(0)));
    let (two, item) = with_clip(&one, &character, &[], 0);
    let shared = one.overlap(0, &Bar::new(0), &character, &[]);
    assert!((0.2..=1.0).contains(&shared), "{shared}");
    assert!(item == Item::Bar(1) && near(two.bars[1].start, 2.0 - shared));
    assert!(near(overlap(&two, 1, &clips()), shared) && near(extent(&two, &clips()), 3.0 - shared));
    assert_eq!(without(&two, item), one);
    assert_eq!(without(&two, Item::Edit(3)), two);
    // What the last bar shares with the one before it is left to them.
    let three = with_clip(&two, &character, &[], 1).0;
    assert!(three.bars[2].start >= 2.0 - 1e-5, "{three:?}");
    // A very short clip is all transition.
    character.clips[0].seconds = 0.1;
    assert!(near(with_clip(&one, &character, &[], 0).0.bars[1].start, 1.9));
}

#[test]
fn times_and_places_of_a_ruler_agree() {
    let ruler = Ruler { from: 0.0, seconds: 4.0, left: 10.0, width: 800.0 };
    assert!(near(ruler.time(ruler.x(1.3)), 1.3) && near(ruler.step(), 0.5));
    let near_by = ruler.zoomed(2.0, 410.0);
    assert!(near(near_by.time(410.0), ruler.time(410.0)) && near(near_by.seconds, 2.0));
    assert!(near(near_by.moved(200.0).from, 0.5) && ruler.moved(50.0).from == 0.0);
}

proptest! {
    /// Whatever is pulled wherever, what comes of it can be played, in order, and no number is lost.
    #[test]
    fn no_pull_breaks_a_motion(
        starts in prop::collection::vec((0.0_f32..5.0, 0.0_f32..3.0, -2.0_f32..2.0, any::<bool>()), 1..5),
        which in 0_usize..5,
        part in 0_u8..3,
        by in -8.0_f32..8.0,
        snaps in any::<bool>(),
    ) {
        let mut bars: Vec<Bar> = Vec::new();
        for (start, seconds, speed, again) in starts {
            insert(&mut bars, Bar { speed, again, clips: vec![Share { clip: 1, weight: 1.0 }], ..bar(start, seconds) });
        }
        let before = Motion { bars, ..motion() };
        let item = Item::Bar(which);
        let grip = [Grip::Whole(item), Grip::First(item), Grip::Last(item)][usize::from(part)];
        let snap = Snap::new(&before, &clips(), Some(grip), Some(1.0));
        let (after, now) = drag(&before, &clips(), grip, by, snaps.then_some(&snap));
        prop_assert_eq!(after.fault(), None);
        prop_assert_eq!(after.bars.len(), before.bars.len());
        prop_assert!(after.bars.is_sorted_by(|a, b| a.start <= b.start) && after.bars[0].start >= 0.0);
        if let (Item::Bar(place), true) = (now, which < before.bars.len()) {
            let others = |m: &Motion, i| without(m, Item::Bar(i)).bars;
            prop_assert_eq!(others(&after, place), others(&before, which));
        }
    }
}

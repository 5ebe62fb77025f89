//! Tests of drags on the timeline, without a window.

use proptest::prelude::*;

use crate::asset::mannequin;
use crate::motion::{Contact, Edit, PoseKey, WeightedClip};

use super::*;

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

fn strip(start: f32, seconds: f32) -> Strip {
    Strip { start, seconds: Some(seconds), ..Strip::new(0) }
}

fn motion() -> Motion {
    let edit = Edit { time: 1.0, before: 0.4, after: 0.2, ..Edit::default() };
    Motion { strips: vec![strip(0.0, 1.0), strip(0.8, 1.0)], edits: vec![edit], ..Motion::default() }
}

fn near(a: f32, b: f32) -> bool {
    (a - b).abs() < 1e-5
}

/// Returns the dragged strip after a drag.
fn dragged(motion: &Motion, grip: Grip, by: f32, snap: Option<&Snap>) -> Strip {
    let (motion, item) = drag(motion, &clips(), grip, by, snap, false);
    let Item::Strip(index) = item else { panic!("{item:?}") };
    motion.strips[index].clone()
}

#[test]
fn moved_strips_stay_sorted() {
    let (moved, item) = drag(&motion(), &clips(), Grip::Whole(Item::Strip(0)), 1.5, None, false);
    assert_eq!(item, Item::Strip(1));
    assert!(near(moved.strips[0].start, 0.8) && near(moved.strips[1].start, 1.5));
    // The timeline begins at zero.
    assert!(near(dragged(&motion(), Grip::Whole(Item::Strip(1)), -3.0, None).start, 0.0));
    let unknown = Grip::Whole(Item::Strip(9));
    assert_eq!(drag(&motion(), &clips(), unknown, 1.0, None, false).0, motion());
    assert_eq!(drag(&motion(), &clips(), Grip::Whole(Item::Strip(0)), f32::NAN, None, false).0, motion());
}

#[test]
fn dragging_the_end_changes_only_the_length() {
    let last = Grip::Last(Item::Strip(1));
    let longer = dragged(&motion(), last, 0.7, None);
    assert!(near(longer.seconds.unwrap(), 1.7) && near(longer.start, 0.8) && longer.from == 0.0);
    assert!(dragged(&motion(), last, -5.0, None).seconds.unwrap() > 0.0);
}

#[test]
fn dragging_the_start_keeps_the_poses_in_time() {
    let first = Grip::First(Item::Strip(1));
    let later = dragged(&motion(), first, 0.3, None);
    assert!(near(later.start, 1.1) && near(later.from, 0.3) && near(later.seconds.unwrap(), 0.7));
    // A strip cannot start before its clip does, unless it loops.
    assert_eq!(dragged(&motion(), first, -0.3, None), motion().strips[1]);
    let mut looping = motion();
    looping.strips[1].looping = true;
    let earlier = dragged(&looping, first, -0.3, None);
    assert!(near(earlier.start, 0.5) && near(earlier.from, 0.7) && near(earlier.seconds.unwrap(), 1.3));
    // A strip that plays backwards begins at the end of its clip.
    let mut reversed = motion();
    reversed.strips[1].speed = -2.0;
    let later = dragged(&reversed, first, 0.2, None);
    assert!(near(later.from, 0.6) && near(later.start, 1.0));
    assert!(near(dragged(&reversed, first, -0.2, None).start, 0.8));
}

#[test]
fn strips_snap_to_near_ends_of_other_strips_or_else_to_steps() {
    let snap = Snap::new(&motion(), &clips(), Some(Grip::Whole(Item::Strip(1))), Some(0.33));
    assert!(near(snap.snapped(0.35), 0.33), "the playhead");
    assert!(near(snap.snapped(0.98), 1.0), "the end of the other strip");
    assert!(near(snap.snapped(0.56), 0.6), "a step");
    let whole = Grip::Whole(Item::Strip(1));
    // First the start is near the end of the other strip, then the end is near a mark.
    assert!(near(dragged(&motion(), whole, 0.18, Some(&snap)).start, 1.0));
    let late = Snap { marks: vec![2.0], ..snap };
    assert!(near(dragged(&motion(), whole, 0.16, Some(&late)).start, 1.0));
    // The end snaps to the time at which the clip has played once.
    let last = Grip::Last(Item::Strip(1));
    let mut short = motion();
    short.strips[1].seconds = Some(0.5);
    let once = Snap::new(&short, &clips(), Some(last), None);
    assert!(near(dragged(&short, last, 0.47, Some(&once)).seconds.unwrap(), 1.0));
}

#[test]
fn contacts_and_their_ends_are_dragged() {
    let contact = Contact { node: 3, point: glam::Vec3::Y, from: 0.5, to: 1.0, slides: false, on: None };
    let motion = Motion {
        contacts: vec![contact],
        keys: vec![PoseKey { time: 2.0, ..PoseKey::default() }],
        ..motion()
    };
    let item = Item::Contact(0);
    let span = |grip, by, snap: Option<&Snap>| {
        let (motion, dragged) = drag(&motion, &clips(), grip, by, snap, false);
        assert_eq!((dragged, motion.validate()), (item, Ok(())));
        [motion.contacts[0].from, motion.contacts[0].to]
    };
    let close = |[a, b]: [f32; 2], [c, d]: [f32; 2]| assert!(near(a, c) && near(b, d), "{a} {b}");
    close(span(Grip::Whole(item), 0.25, None), [0.75, 1.25]);
    close(span(Grip::Whole(item), -3.0, None), [0.0, 0.5]);
    close(span(Grip::First(item), 0.2, None), [0.7, 1.0]);
    close(span(Grip::First(item), 9.0, None), [0.95, 1.0]);
    close(span(Grip::Last(item), -9.0, None), [0.5, 0.55]);
    // The end snaps to the key.
    let snap = Snap::new(&motion, &clips(), Some(Grip::Last(item)), None);
    close(span(Grip::Last(item), 0.97, Some(&snap)), [0.5, 2.0]);
    close([0.0, extent(&motion, &clips())], [0.0, 2.0]);
    assert!(without(&motion, item).contacts.is_empty() && item.is_in(&motion));
    assert_eq!(without(&motion, Item::Contact(1)), motion);
}

#[test]
fn contacts_are_dragged_around_the_end_of_a_loop() {
    let item = Item::Contact(0);
    let [whole, first, last] = [Grip::Whole(item), Grip::First(item), Grip::Last(item)];
    let span = |[from, to]: [f32; 2], grip, by, snap: Option<&Snap>, loops| {
        let contact = Contact { node: 3, point: glam::Vec3::Y, from, to, slides: false, on: None };
        let keys = [0.0, 2.0].map(|time| PoseKey { time, ..PoseKey::default() }).into();
        let motion = Motion { contacts: vec![contact], keys, ..Motion::default() };
        let (motion, _) = drag(&motion, &clips(), grip, by, snap, loops);
        assert_eq!(motion.validate(), Ok(()));
        assert!(near(extent(&motion, &clips()), motion.contacts[0].to.max(2.0)));
        [motion.contacts[0].from, motion.contacts[0].to]
    };
    let close = |[a, b]: [f32; 2], [c, d]: [f32; 2]| assert!(near(a, c) && near(b, d), "{a} {b}");
    let before = [0.5, 1.0];
    close(span(before, last, 1.25, None, true), [0.5, 0.25]);
    close(span(before, last, 1.25, None, false), [0.5, 2.25]);
    close(span(before, last, 1.0, None, true), [0.5, 2.0]);
    close(span(before, last, 9.0, None, true), [0.5, 0.45]);
    close(span(before, whole, 1.25, None, true), [1.75, 0.25]);
    close(span(before, whole, 1.75, None, true), [0.25, 0.75]);
    close(span(before, whole, 1.25, None, false), [1.75, 2.25]);
    let frames = Snap { marks: Vec::new(), distance: 0.0, step: 0.1 };
    close(span(before, last, 1.28, Some(&frames), true), [0.5, 0.3]);
    // A contact of the whole loop cannot wrap, and one that starts with the loop cannot end before it starts.
    close(span([0.0, 2.0], whole, 0.5, None, true), [0.5, 2.5]);
    close(span([0.0, 1.0], last, 1.5, None, true), [0.0, 2.0]);
    // Nor can one that already reaches past the end without wrapping.
    close(span([1.0, 2.5], last, 0.5, None, true), [1.0, 3.0]);
    // A contact that starts just before the end always wraps.
    close(span([1.98, 0.25], last, -0.5, None, true), [1.98, 0.03]);
    close(span([1.98, 2.0], last, -0.01, None, true), [1.98, 0.03]);
    // One that ends just before the end starts at the end at the latest.
    close(span([1.99, 1.98], first, -0.1, None, true), [2.0, 1.98]);
    let around = [1.5, 0.25];
    for loops in [false, true] {
        close(span(around, first, 0.6, None, loops), [0.1, 0.25]);
        close(span(around, first, 9.0, None, loops), [0.2, 0.25]);
        close(span(around, first, -9.0, None, loops), [0.3, 0.25]);
        close(span(around, last, -0.5, None, loops), [1.5, 1.75]);
        close(span(around, last, 9.0, None, loops), [1.5, 1.45]);
        close(span(around, whole, 0.25, None, loops), [1.75, 0.5]);
        close(span(around, whole, -0.5, None, loops), [1.0, 1.75]);
        close(span(around, whole, -3.0, None, loops), [0.0, 0.75]);
    }
}

#[test]
fn edits_and_their_windows_are_dragged() {
    let item = Item::Edit(0);
    let edit = |grip, by| drag(&motion(), &clips(), grip, by, None, false).0.edits[0].clone();
    assert!(near(edit(Grip::Whole(item), 0.5).time, 1.5));
    assert!(near(edit(Grip::Whole(item), -5.0).time, 0.0));
    assert!(near(edit(Grip::First(item), -0.1).before, 0.5));
    assert!(near(edit(Grip::Last(item), 0.3).after, 0.5));
    assert!(edit(Grip::First(item), 9.0).before > 0.0 && edit(Grip::Last(item), -9.0).after > 0.0);
}

#[test]
fn a_clip_is_added_after_the_last_strip_and_removed_again() {
    let mut character = character();
    let (one, item) = with_clip(&Motion::default(), &character, &[], 1);
    assert_eq!((&one, item), (&Motion::clip(1), Item::Strip(0)));
    let (two, item) = with_clip(&one, &character, &[], 0);
    let crossfade = one.overlap(0, &Strip::new(0), &character, &[]);
    assert!((0.2..=1.0).contains(&crossfade), "{crossfade}");
    assert!(item == Item::Strip(1) && near(two.strips[1].start, 2.0 - crossfade));
    assert!(near(overlap(&two, 1, &clips()), crossfade) && near(extent(&two, &clips()), 3.0 - crossfade));
    assert_eq!(without(&two, item), one);
    assert_eq!(without(&two, Item::Edit(3)), two);
    // The new crossfade does not overlap the previous one.
    let three = with_clip(&two, &character, &[], 1).0;
    assert!(three.strips[2].start >= 2.0 - 1e-5, "{three:?}");
    // After key poses, the last key keeps its pose, and the strip fades in from that pose.
    let keys = [0.0, 1.5].map(|time| PoseKey { time, ..PoseKey::default() });
    let keyed = Motion { keys: keys.into(), duration: Some(2.0), ..Motion::default() };
    let (blended, _) = with_clip(&keyed, &character, &[], 1);
    assert!(near(blended.strips[0].start, 1.5) && near(overlap(&blended, 0, &clips()), 0.4));
    let hidden = |motion: &Motion, time| hiding_strip(motion, &clips(), time);
    assert_eq!(
        [0.0, 1.5, 1.8, 2.0, 9.0].map(|time| hidden(&blended, time)),
        [None, None, None, Some(0), Some(0)]
    );
    assert_eq!((hidden(&two, 0.1), hidden(&two, 2.5)), (Some(0), Some(1)));
    // A very short clip consists only of the crossfade.
    character.clips[0].seconds = 0.1;
    assert!(near(with_clip(&one, &character, &[], 0).0.strips[1].start, 1.9));
}

proptest! {
    /// After any drag, the motion is valid, its strips are sorted, and all other strips are unchanged.
    #[test]
    fn any_drag_keeps_the_motion_valid(
        starts in prop::collection::vec((0.0_f32..5.0, 0.0_f32..3.0, -2.0_f32..2.0, any::<bool>()), 1..5),
        index in 0_usize..5,
        part in 0_u8..3,
        by in -8.0_f32..8.0,
        snaps in any::<bool>(),
    ) {
        let mut strips: Vec<Strip> = Vec::new();
        for (start, seconds, speed, looping) in starts {
            insert(&mut strips, Strip { speed, looping, clips: vec![WeightedClip { clip: 1, weight: 1.0 }], ..strip(start, seconds) });
        }
        let before = Motion { strips, ..motion() };
        let item = Item::Strip(index);
        let grip = [Grip::Whole(item), Grip::First(item), Grip::Last(item)][usize::from(part)];
        let snap = Snap::new(&before, &clips(), Some(grip), Some(1.0));
        let (after, now) = drag(&before, &clips(), grip, by, snaps.then_some(&snap), false);
        prop_assert_eq!(after.validate(), Ok(()));
        prop_assert_eq!(after.strips.len(), before.strips.len());
        prop_assert!(after.strips.is_sorted_by(|a, b| a.start <= b.start) && after.strips[0].start >= 0.0);
        if let (Item::Strip(new_index), true) = (now, index < before.strips.len()) {
            let others = |m: &Motion, i| without(m, Item::Strip(i)).strips;
            prop_assert_eq!(others(&after, new_index), others(&before, index));
        }
    }
}

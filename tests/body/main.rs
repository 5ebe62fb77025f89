//! Checks of the whole body on the built-in character: the pose of a body that follows a pulled joint depends only on the target.
//!
//! `scripts/body-checks.sh` runs all checks, including on other characters.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]
#![allow(unreachable_pub, dead_code, reason = "the checks are shared with tools/programs/body_checks.rs")]

mod checks;
mod squats;

use glam::{Affine3A, Quat};

use checks::table::table;
use checks::{Person, Selection, failure_lines, run};

/// A tenth of the checks, with some of each kind.
#[test]
fn the_mannequin_follows_pulls_steadily() {
    let person = Person::load(None).unwrap();
    let selection = Selection { part: (6, 10), ..Selection::default() };
    let results = run(&person, &selection);
    let failures = failure_lines(&results);
    assert!(
        failures.is_empty(),
        "{} failures:\n{}\n\n{}",
        failures.len(),
        failures.join("\n"),
        table(&results)
    );
}

#[test]
fn a_hand_stays_on_the_skin_of_the_mannequin() {
    // Capsules with constant radii let the hand penetrate the head by 14 mm and the chest by 12 mm.
    let person = Person::load(None).unwrap();
    let mut selection = Selection::default();
    selection.set_only("i").unwrap();
    let results = run(&person, &selection);
    let failures = failure_lines(&results);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert_eq!(results.len(), 10);
}

#[test]
fn a_character_without_a_person_is_not_checked() {
    let tentacle = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/tentacle.glb");
    assert!(Person::load(Some(tentacle.as_ref())).is_err());
}

/// Returns the slide of each foot in millimetres and its rotation in degrees after the whole character is moved.
fn feet(person: &Person, moved: Affine3A) -> Vec<(f32, f64)> {
    let mut puppet = person.puppet.clone();
    let mut pose = person.pose.clone();
    let roots = puppet.character().skeleton.nodes.iter().enumerate().filter(|(_, n)| n.parent.is_none());
    for (root, _) in roots {
        let local = &mut pose.locals[root];
        (local.translation, local.rotation) =
            (moved.transform_point3(local.translation), Quat::from_mat3a(&moved.matrix3) * local.rotation);
    }
    puppet.held = Some(pose);
    puppet.update().unwrap();
    person.soles.iter().map(|sole| sole.moved(&puppet)).map(|(slide, turn)| (1e3 * slide, turn)).collect()
}

#[test]
fn a_foot_stands_while_it_rolls_about_its_ball() {
    let person = Person::load(None).unwrap();
    let body = person.body();
    assert_eq!(person.soles.len(), 2);
    let ball = body.at("leftToes").unwrap();
    let about_ball = |rotation: Quat| {
        let [to, back] = [ball, -ball].map(Affine3A::from_translation);
        to * Affine3A::from_quat(rotation) * back
    };
    for (slide, turn) in feet(&person, about_ball(Quat::from_axis_angle(body.left(), 0.5))) {
        assert!(slide < 1.0 && turn < 0.1, "{slide} mm, {turn} degrees");
    }
    for (slide, turn) in feet(&person, Affine3A::from_translation(0.02 * body.facing)) {
        assert!((slide - 20.0).abs() < 0.1 && turn < 0.1, "{slide} mm, {turn} degrees");
    }
    for (_, turn) in feet(&person, about_ball(Quat::from_rotation_y(0.2))) {
        assert!((turn - 0.2_f64.to_degrees()).abs() < 0.1, "{turn} degrees");
    }
}

#[test]
fn selections_are_read() {
    let mut selection = Selection::default();
    selection.set_part("3/10").unwrap();
    selection.set_only("a,e:12").unwrap();
    assert_eq!((selection.part, selection.only[1].1), ((3, 10), Some(12)));
    for part in ["3", "0/4", "5/4", "a/b"] {
        assert!(selection.set_part(part).is_err(), "{part}");
    }
    for only in ["x", "e:", "e:one"] {
        assert!(selection.set_only(only).is_err(), "{only}");
    }
}

//! The gestures of people.

use glam::Vec3;

use super::body::{GestureBody, Side};
use super::run::{Attempt, Run, Subject};
use super::verdict::Rule;

/// A gesture: its name and how it is made. The error says why the character cannot make it.
pub type Gesture = (&'static str, fn(&Subject) -> Result<Attempt, String>);

/// The gestures in the order of the protocol, which counts from 1.
pub const GESTURES: [Gesture; 16] = [
    ("hips down", |s| Ok(hips_down(s, false)?.finish())),
    ("hips sideways", hips_sideways),
    ("hips up", hips_up),
    ("hand in front", |s| Ok(hand_in_front(s, false)?.finish())),
    ("hand far in front", hand_far),
    ("hand to the floor", |s| Ok(hand_to_floor(s, false)?.finish())),
    ("hand to the knee", hand_to_knee),
    ("hand up", hand_up),
    ("head down", head_down),
    ("ankle up", ankle_up),
    ("toe up", toe_up),
    ("chest sideways", chest_sideways),
    ("elbow outwards", elbow_outwards),
    ("pinned feet", pinned_feet),
    ("hand away and back", hand_away),
    ("out and back", out_and_back),
];

/// Angle in degrees that counts as a visible bend or lean.
const VISIBLE: f32 = 3.0;

/// Drags along a line, and along the same line back if `back` is set.
fn there<'a>(mut run: Run<'a>, from: Vec3, to: Vec3, back: bool) -> Run<'a> {
    run.drag_to(to);
    if back {
        run.drag_to(from);
    }
    run.rest();
    run
}

fn hips_down(subject: &Subject, back: bool) -> Result<Run<'_>, String> {
    let body = &subject.body;
    let hips = body.node("hips")?;
    let depth = 0.3 * body.length(subject.leg()?);
    let run = Run::new(subject, if back { "16a" } else { "1" }, hips);
    let from = body.rest[hips];
    let mut run = there(run, from, from - depth * Vec3::Y, back);
    run.require_reached(0.01);
    if back {
        return Ok(run);
    }
    require_tilt(&mut run, 10.0)?;
    let mut bends = Vec::new();
    for side in [Side::Left, Side::Right] {
        let leg = body.leg(side)?;
        let ahead = knee_ahead(&run, leg);
        run.require(ahead > 0.0, || format!("the {} knee goes back by {:.0} mm", side.name(), -1e3 * ahead));
        bends.push(bend(&run, leg));
    }
    let difference = (bends[0] - bends[1]).abs();
    let is_fair = difference <= 5.0 || !is_symmetric(body);
    run.require(is_fair, || format!("the knees differ by {difference:.1} degrees"));
    Ok(run)
}

fn hips_sideways(subject: &Subject) -> Result<Attempt, String> {
    let body = &subject.body;
    let hips = body.node("hips")?;
    let by = sideways(subject) * 0.15 * body.length(subject.leg()?);
    let from = body.rest[hips];
    let mut run = there(Run::new(subject, "2", hips), from, from + by, false);
    run.require_reached(0.01);
    require_tilt(&mut run, 15.0)?;
    Ok(run.finish())
}

fn hips_up(subject: &Subject) -> Result<Attempt, String> {
    let body = &subject.body;
    let hips = body.node("hips")?;
    let by = 0.1 * body.length(subject.leg()?) * Vec3::Y;
    let from = body.rest[hips];
    let mut run = there(Run::new(subject, "3", hips).free_feet(), from, from + by, false);
    for side in [Side::Left, Side::Right] {
        match body.side(side, "Toes") {
            Ok(toes) => run.require_still(Rule::Feet, toes, 0.005),
            // A foot without toes pivots about its tip.
            Err(_) => run.require_tip(body.side(side, "Foot")?, 0.005),
        }
    }
    Ok(run.finish())
}

pub fn hand_in_front(subject: &Subject, back: bool) -> Result<Run<'_>, String> {
    let body = &subject.body;
    let arm @ [shoulder, _, hand] = subject.arm()?;
    let to = body.rest[shoulder] + 0.7 * body.length(arm) * body.facing;
    let run = Run::new(subject, if back { "16b" } else { "4" }, hand);
    let mut run = there(run, body.rest[hand], to, back);
    run.require_reached(0.01);
    if !back {
        run.require_still(Rule::Posture, body.node("hips")?, 0.01);
        run.require_still(Rule::Posture, chest(body)?, 0.01);
    }
    Ok(run)
}

fn hand_far(subject: &Subject) -> Result<Attempt, String> {
    let body = &subject.body;
    let arm @ [shoulder, _, hand] = subject.arm()?;
    let to = body.rest[shoulder] + 1.25 * body.length(arm) * body.facing;
    let mut run = there(Run::new(subject, "5", hand), body.rest[hand], to, false);
    run.require_reached(0.015);
    let (lean, forward) = (tilt(&run)?, run.moved(shoulder).dot(body.facing));
    let leans = lean > VISIBLE && forward > 0.0;
    run.require(leans, || format!("the trunk leans by {lean:.1} degrees, {:.0} mm forwards", 1e3 * forward));
    Ok(run.finish())
}

fn hand_to_floor(subject: &Subject, back: bool) -> Result<Run<'_>, String> {
    let body = &subject.body;
    let [_, _, hand] = subject.arm()?;
    let [_, _, foot] = subject.leg()?;
    let mut to = body.rest[foot] + 0.2 * body.scale * body.facing;
    to.y = body.floor;
    let run = Run::new(subject, if back { "16c" } else { "6" }, hand);
    let mut run = there(run, body.rest[hand], to, back);
    run.require_reached(if back { 0.01 } else { 0.02 });
    if !back {
        for side in [Side::Left, Side::Right] {
            require_bend(&mut run, side)?;
        }
    }
    Ok(run)
}

fn hand_to_knee(subject: &Subject) -> Result<Attempt, String> {
    let body = &subject.body;
    let [_, _, hand] = subject.arm()?;
    let [_, knee, _] = body.leg(subject.side.other())?;
    let mut run = there(Run::new(subject, "7", hand), body.rest[hand], body.rest[knee], false);
    run.require_reached(0.015);
    Ok(run.finish())
}

fn hand_up(subject: &Subject) -> Result<Attempt, String> {
    let body = &subject.body;
    let arm @ [shoulder, _, hand] = subject.arm()?;
    let to = body.rest[shoulder] + 1.1 * body.length(arm) * Vec3::Y;
    let mut run = there(Run::new(subject, "8", hand), body.rest[hand], to, false);
    // If the arm is straight and points to the target, the hand need not reach it.
    let reach = run.at(hand) - run.at(shoulder);
    let away = reach.angle_between(to - run.at(shoulder)).to_degrees();
    let is_stretched = reach.length() > 0.98 * body.length(arm) && away < 10.0;
    if !is_stretched {
        run.require_reached(0.02);
    }
    Ok(run.finish())
}

fn head_down(subject: &Subject) -> Result<Attempt, String> {
    let body = &subject.body;
    let head = body.node("head")?;
    let from = body.rest[head];
    let to = from + 0.3 * body.scale * subject.diagonal(body.facing, -Vec3::Y);
    let mut run = there(Run::new(subject, "9", head), from, to, false);
    run.require_reached(0.02);
    Ok(run.finish())
}

fn ankle_up(subject: &Subject) -> Result<Attempt, String> {
    let body = &subject.body;
    let leg @ [_, _, foot] = subject.leg()?;
    let from = body.rest[foot];
    let to = from + 0.5 * body.length(leg) * subject.diagonal(body.facing, Vec3::Y);
    let mut run = there(Run::new(subject, "10", foot), from, to, false);
    run.require_reached(0.015);
    run.require_still(Rule::Posture, body.node("hips")?, 0.1);
    Ok(run.finish())
}

fn toe_up(subject: &Subject) -> Result<Attempt, String> {
    let body = &subject.body;
    let toes = body.side(subject.side, "Toes")?;
    let from = body.rest[toes];
    let to = from + 0.3 * body.length(subject.leg()?) * Vec3::Y;
    let mut run = there(Run::new(subject, "11", toes), from, to, false);
    run.require_reached(0.02);
    require_bend(&mut run, subject.side)?;
    Ok(run.finish())
}

fn chest_sideways(subject: &Subject) -> Result<Attempt, String> {
    let body = &subject.body;
    let chest = chest(body)?;
    let from = body.rest[chest];
    let to = from + 0.15 * body.scale * sideways(subject);
    let mut run = there(Run::new(subject, "12", chest), from, to, false);
    run.require_reached(0.015);
    Ok(run.finish())
}

fn elbow_outwards(subject: &Subject) -> Result<Attempt, String> {
    let body = &subject.body;
    let [_, elbow, hand] = subject.arm()?;
    let (from, by) = (body.rest[elbow], 0.2 * body.scale * sideways(subject));
    let mut run = there(Run::new(subject, "13", elbow), from, from + by, false);
    run.require_reached(0.01);
    let along = run.moved(hand).dot(by.normalize_or_zero());
    let rides = along > 0.5 * by.length();
    run.require(rides, || format!("the hand moves along by {:.0} mm only", 1e3 * along));
    Ok(run.finish())
}

fn pinned_feet(subject: &Subject) -> Result<Attempt, String> {
    let body = &subject.body;
    let [_, _, hand] = subject.arm()?;
    let from = body.rest[hand];
    let run = Run::with_pins(subject, "14", hand, &body.feet());
    let mut run = there(run, from, from - 0.35 * body.scale * Vec3::Y, false);
    run.require_reached(0.01);
    Ok(run.finish())
}

fn hand_away(subject: &Subject) -> Result<Attempt, String> {
    let body = &subject.body;
    let arm @ [shoulder, _, hand] = subject.arm()?;
    let near = body.rest[shoulder] + 0.7 * body.length(arm) * body.facing;
    let away = body.rest[shoulder] + 3.0 * body.scale * body.facing;
    let mut run = Run::new(subject, "15", hand);
    run.drag_to(near);
    run.drag_to(away);
    let reach = run.at(hand) - run.at(shoulder);
    let stretch = reach.length() / body.length(arm);
    let aside = reach.angle_between(away - run.at(shoulder)).to_degrees();
    let reaches = stretch > 0.95 && aside < 15.0;
    run.require(reaches, || {
        format!("away, the arm has {stretch:.2} of its length, {aside:.0} degrees aside")
    });
    run.drag_to(near);
    run.rest();
    run.require_reached(0.01);
    Ok(run.finish())
}

fn out_and_back(subject: &Subject) -> Result<Attempt, String> {
    let mut all = Attempt::default();
    let runs = [
        ("hips down", hips_down(subject, true)?),
        ("hand in front", hand_in_front(subject, true)?),
        ("hand to the floor", hand_to_floor(subject, true)?),
    ];
    for (name, mut run) in runs {
        let mean = run.watcher.mean_turn_from_rest(run.puppet());
        run.watcher.failures.at_most(Rule::Return, mean, 3.0, || {
            format!("the joints are {mean:.1} degrees from where they began, on average")
        });
        all.add(name, run.finish());
    }
    Ok(all)
}

/// Returns the joint that VRM names the chest or, without one, its neighbour.
fn chest(body: &GestureBody) -> Result<usize, String> {
    body.node("chest").or_else(|_| body.node("upperChest")).or_else(|_| body.node("spine"))
}

/// Returns the outward sideways direction on the subject's side.
fn sideways(subject: &Subject) -> Vec3 {
    if subject.side == Side::Left { subject.body.left() } else { -subject.body.left() }
}

/// Returns the angle in degrees between the current and the rest direction from the hips to the neck.
fn tilt(run: &Run<'_>) -> Result<f32, String> {
    let body = run.body;
    let (hips, neck) = (body.node("hips")?, body.node("neck").or_else(|_| body.node("head"))?);
    let before = body.rest[neck] - body.rest[hips];
    Ok((run.at(neck) - run.at(hips)).angle_between(before).to_degrees())
}

fn require_tilt(run: &mut Run<'_>, bound: f64) -> Result<(), String> {
    let tilt = tilt(run)?;
    run.watcher
        .failures
        .at_most(Rule::Posture, tilt.into(), bound, || format!("the torso tilts by {tilt:.1} degrees"));
    Ok(())
}

/// Requires that a knee bends further than at rest.
fn require_bend(run: &mut Run<'_>, side: Side) -> Result<(), String> {
    let leg = run.body.leg(side)?;
    let more = bend(run, leg) - angle_at_middle(leg.map(|n| run.body.rest[n]));
    run.require(more > VISIBLE, || format!("the {} knee bends by {more:.1} degrees only", side.name()));
    Ok(())
}

/// Returns the bend of a limb in degrees. A straight limb has zero.
fn bend(run: &Run<'_>, limb: [usize; 3]) -> f32 {
    angle_at_middle(limb.map(|n| run.at(n)))
}

fn angle_at_middle([upper, lower, end]: [Vec3; 3]) -> f32 {
    (lower - upper).angle_between(end - lower).to_degrees()
}

/// Returns the distance of a knee in front of the line from the hip to the ankle, in metres.
fn knee_ahead(run: &Run<'_>, leg: [usize; 3]) -> f32 {
    let [hip, knee, ankle] = leg.map(|n| run.at(n));
    let line = (ankle - hip).normalize_or_zero();
    let off = (knee - hip).reject_from(line);
    off.dot(run.body.facing)
}

/// Returns whether the legs are mirror images in the rest pose.
fn is_symmetric(body: &GestureBody) -> bool {
    let legs = [Side::Left, Side::Right].map(|side| body.leg(side));
    let [Ok(left), Ok(right)] = legs else { return false };
    let bends = [left, right].map(|leg| angle_at_middle(leg.map(|n| body.rest[n])));
    let ahead = (body.rest[left[2]] - body.rest[right[2]]).reject_from(body.left()).length();
    (bends[0] - bends[1]).abs() < 2.0 && ahead < 0.02 * body.scale
}

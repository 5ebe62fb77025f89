//! Limbs in closed form: Tolani, Goswami & Badler 2000, "Real-time inverse kinematics techniques for anthropomorphic
//! limbs": the middle joint bends until the limb is as long as it must be, the first swings it onto the target, the
//! freedom that is left is the swivel about the line between the two.

use std::f64::consts::TAU;

use glam::{DQuat, DVec3};

use super::rotation::{rotation_vector, shortest_arc, wrapped};
use super::tree::{Measure, Tree};
use super::{LimbOptions, Limit, Method, SolveError, Swivel};

/// Swivels that are tried where limits do not allow the first.
const TRIES: usize = 24;

/// How often a limb that changes its lengths is aimed again.
const AIMS: usize = 32;

/// What a tree must be to be a limb: a lone goal with a position, two joints above it, and perhaps the end's own.
pub(super) fn joints(tree: &Tree) -> Result<(usize, usize), SolveError> {
    let unsuited = |why| Err(SolveError::Unsuited { method: Method::TwoBone, why });
    let [tip] = &tree.tips[..] else { return unsuited("one goal is needed") };
    if tip.target.is_none() {
        return unsuited("the goal needs a position");
    }
    let own = tip.joint.is_some_and(|j| tip.local == DVec3::ZERO && j + 1 == tree.joints.len());
    match tree.joints.len() - usize::from(own) {
        2 => Ok((0, 1)),
        _ => unsuited("the chain must have two joints above its end"),
    }
}

/// The closed form, within limits.
///
/// Where a limit of the first joint is in the way, other swivels are tried, in a fixed order, and the best is kept.
pub(super) fn solve(tree: &mut Tree, options: &LimbOptions) {
    let (first, middle) = (0, 1);
    let Some(target) = tree.tips.first().and_then(|t| t.target) else { return };
    let kept = [tree.joints[first].rotation, tree.joints[middle].rotation];
    if matches!(options.swivel, Swivel::Standard | Swivel::Angle(_) | Swivel::Follow { .. }) {
        for joint in [first, middle] {
            tree.joints[joint].rotation = tree.joints[joint].allowed(tree.joints[joint].rest);
        }
        tree.forward();
    }
    let line = tree.tips.first().map_or(target, |t| t.position);
    let mut axis = bend(tree, first, middle, options.soften);
    // Back onto its line within its plane, then with the plane onto the target.
    swing(tree, first, line);
    swing(tree, first, target);
    // Under scale, bones change length as they turn: again, with those of the present pose.
    for _ in 0..if tree.rigid { 0 } else { AIMS } {
        if tree.measure().done {
            break;
        }
        axis = bend(tree, first, middle, options.soften);
        swing(tree, first, target);
    }
    if let Some(angle) = beyond_rest(tree, options.swivel, target) {
        turn_about(tree, first, target, angle);
    }
    tree.swivel();
    orient(tree);
    let limited = tree.joints.iter().any(|j| j.limit != Limit::Free);
    let reached = tree.measure().done;
    if limited && !reached && axis && !points_at(tree, first, target) {
        search(tree, first, target);
    }
    let cost = tree.measure().sum;
    if !cost.is_finite() {
        (tree.joints[first].rotation, tree.joints[middle].rotation) = (kept[0], kept[1]);
        tree.forward();
    }
}

/// Radians of swivel beyond that of rest.
fn beyond_rest(tree: &Tree, swivel: Swivel, target: DVec3) -> Option<f64> {
    match swivel {
        Swivel::Keep | Swivel::Standard => None,
        Swivel::Angle(angle) => Some(angle),
        Swivel::Follow { at_base, slope } => {
            let length = tree.lengths(0).sum.max(f64::MIN_POSITIVE);
            Some(at_base + slope.dot(target - tree.joints[0].position) / length)
        }
    }
}

/// Turns the middle joint so that the tip is as far from the first joint as the target is. True if it could.
///
/// With u the stretch into the joint, v the one out of it and n the axis, |u + R(θ)v|² = d² is
/// C cos θ + S sin θ + c₀ = ½(d² − u² − v²), which has two answers; the one that bends as the limb does now, or as it
/// did at rest, is taken if its limit allows it, else the other.
pub(super) fn bend(tree: &mut Tree, first: usize, middle: usize, soften: f64) -> bool {
    let Some((tip, target)) = tree.tips.first().and_then(|t| Some((t.position, t.target?))) else {
        return false;
    };
    let joint = &tree.joints[middle];
    let start = tree.joints[first].position;
    let into = tree.to_frame(joint, joint.position - start);
    let out = tree.to_frame(joint, tip - joint.position);
    let (a, b) = (into.length(), out.length());
    // A frame that something above has squashed to nothing has no lengths.
    if !(a > 0.0 && b > 0.0 && (a + b).is_finite()) {
        return false;
    }
    // In a squashed frame lengths are not the base space's: both by the same measure.
    let measure = if tree.rigid { 1.0 } else { a / (joint.position - start).length() };
    let distance = softened((target - start).length() * measure, a + b, soften).clamp((a - b).abs(), a + b);
    let local = joint.rotation.conjugate() * out;
    let axis = match joint.hinge_axis() {
        Some(axis) => axis,
        None => {
            let normal = into.cross(out);
            if normal.length() > 1e-6 * a * b {
                normal.normalize()
            } else {
                straight_axis(tree, middle, local, into)
            }
        }
    };
    let c0 = axis.dot(into) * axis.dot(out);
    let (cos, sin) = (into.dot(out) - c0, into.dot(axis.cross(out)));
    let amplitude = cos.hypot(sin);
    if amplitude < 1e-12 * a * b {
        return false;
    }
    let wanted = (0.5 * (distance * distance - a * a - b * b) - c0) / amplitude;
    let (phase, half) = (sin.atan2(cos), wanted.clamp(-1.0, 1.0).acos());
    let turned = |angle: f64| (DQuat::from_axis_angle(axis, wrapped(angle)) * joint.rotation).normalize();
    let answers = [phase + half, phase - half].map(|angle| {
        let asked = turned(angle);
        let given = joint.allowed(asked);
        let taken = rotation_vector(given * asked.conjugate()).length();
        (taken, wrapped(angle).abs(), given)
    });
    // The answer that its limit leaves alone; of two, the one that is less of a turn.
    let best = if answers[0].0 + 1e-9 < answers[1].0
        || (answers[0].0 < answers[1].0 + 1e-9 && answers[0].1 <= answers[1].1)
    {
        answers[0]
    } else {
        answers[1]
    };
    tree.joints[middle].rotation = best.2;
    tree.forward();
    true
}

/// The axis, in the joint's frame, about which a straight limb bends: as at rest, else any that suits its limit.
fn straight_axis(tree: &Tree, middle: usize, local: DVec3, into: DVec3) -> DVec3 {
    let axis = tree.bend_axis(middle, local);
    axis.reject_from(into).try_normalize().unwrap_or(axis)
}

/// Turns a joint so that its tip comes onto the line to a place.
pub(super) fn swing(tree: &mut Tree, joint: usize, target: DVec3) {
    let Some(tip) = tree.tips.first().map(|t| t.position) else { return };
    let first = &tree.joints[joint];
    let (from, to) = (tip - first.position, target - first.position);
    let arc = shortest_arc(tree.to_frame(first, from), tree.to_frame(first, to), DVec3::X);
    tree.joints[joint].rotation = first.allowed((arc * first.rotation).normalize());
    tree.forward();
}

/// Turns the limb about the line from its first joint to a place.
fn turn_about(tree: &mut Tree, first: usize, target: DVec3, angle: f64) {
    let joint = &tree.joints[first];
    let turn = tree.turn_about(joint, target - joint.position, angle);
    tree.joints[first].rotation = joint.allowed((turn * joint.rotation).normalize());
    tree.forward();
}

/// Gives the end the orientation that it shall have, as far as its own joint lets it.
pub(super) fn orient(tree: &mut Tree) {
    let Some(index) = tree.tips.first().and_then(|t| t.joint) else { return };
    for turn in [tree.tips[0].orientation_error(), tree.tips[0].aim_error()].into_iter().flatten() {
        if tree.tips[0].local == DVec3::ZERO {
            let joint = &tree.joints[index];
            let turn = DQuat::from_scaled_axis(tree.axis_to_frame(joint, turn));
            tree.joints[index].rotation = joint.allowed((turn * joint.rotation).normalize());
            tree.forward();
        }
    }
}

/// Whether all that is asked for is a place, and the limb is stretched out towards it: no swivel then brings it nearer.
fn points_at(tree: &Tree, first: usize, target: DVec3) -> bool {
    let Some(tip) = tree.tips.first() else { return false };
    let (now, wanted) = (tip.position - tree.joints[first].position, target - tree.joints[first].position);
    let place = tip.orientation_error().is_none() && tip.aim_error().is_none();
    let across = now.cross(wanted).length();
    place && now.dot(wanted) > 0.0 && across <= 1e-9 * now.length() * wanted.length()
}

/// Tries swivels all around, the least first, and keeps the best.
fn search(tree: &mut Tree, first: usize, target: DVec3) {
    let start = tree.joints[first].rotation;
    let (mut best, mut kept) = (tree.measure().sum, start);
    let mut step = TAU / TRIES as f64;
    let mut middle = 0.0;
    // All around, then between the neighbours of the best, ever nearer.
    for round in 0..8 {
        let tries = if round == 0 { TRIES } else { 4 };
        let offset = if round == 0 { 0.0 } else { -2.0 * step };
        let mut found = middle;
        for i in 0..=tries {
            let angle = if round == 0 {
                // 0, 1, −1, 2, −2, … steps.
                let away = step * i.div_ceil(2) as f64;
                if i % 2 == 1 { away } else { -away }
            } else {
                middle + offset + step * i as f64
            };
            tree.joints[first].rotation = start;
            tree.forward();
            turn_about(tree, first, target, angle);
            swing(tree, first, target);
            orient(tree);
            let Measure { sum: cost, done, .. } = tree.measure();
            // Rounding is no gain: a limb must not turn for it.
            if cost < best * (1.0 - 1e-9) {
                (best, kept, found) = (cost, tree.joints[first].rotation, angle);
            }
            if done {
                return;
            }
        }
        middle = found;
        step *= 0.4;
    }
    tree.joints[first].rotation = kept;
    tree.forward();
    orient(tree);
}

/// The length that a limb takes for a target at a distance: the distance itself, but within the last `share` of its
/// full length ever slower, so that it never snaps straight. l(x) = f − s (e^(−(x − f + s)/s)), s = share · f.
fn softened(distance: f64, full: f64, share: f64) -> f64 {
    let soft = share * full;
    if soft <= 0.0 || distance <= full - soft {
        return distance;
    }
    full - soft * (-(distance - full + soft) / soft).exp()
}

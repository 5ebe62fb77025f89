//! Two-bone IK in closed form: Tolani, Goswami & Badler 2000, "Real-time inverse kinematics techniques for anthropomorphic limbs". The
//! middle joint bends until the limb has the required length. The first joint then swings the limb so that its end reaches the target. The
//! remaining freedom is the swivel about the line from the first joint to the end.

use std::f64::consts::TAU;

use glam::{DQuat, DVec3};
use sinew_base::mathematics::limb::{hinge_angles, softened};

use crate::rotation::{rotation_vector, shortest_arc, wrapped};
use crate::tree::{Measure, Tree};
use crate::{LimbOptions, Limit, Method, SolveError, Swivel};

/// Number of swivels, evenly spaced on the whole circle, to try if limits block the first one. 15° is finer than the
/// typical ranges of shoulders and hips.
const SWIVELS: usize = 24;
/// Number of rounds of the search for a swivel. The step of the last round is 0.4⁷ ≈ 1/600 of the first step, or
/// 0.025°.
const ROUNDS: usize = 8;
/// Number of steps across the interval that a later round searches. The interval is centred on the best swivel so far
/// and lies between this swivel's neighbours in the previous round.
const REFINED_STEPS: usize = 4;
/// The step of a round as a fraction of the previous step. It is less than one half, so that two steps do not reach the
/// neighbours of the best swivel.
const REFINEMENT: f64 = 0.4;
/// Fraction by which another swivel must reduce the squared error. A gain at the level of rounding errors must not turn
/// the limb.
const MIN_GAIN: f64 = 1e-9;

/// Maximum number of corrections for a limb whose lengths change as it turns. Scale ratios up to 3 : 1 need fewer corrections.
const CORRECTIONS: usize = 32;

/// Sine of the bend below which a limb counts as straight. The plane of such a limb would be known to fewer than ten digits.
const STRAIGHT: f64 = 1e-6;
/// Fraction of the product of the two bone lengths below which a turn of the middle joint does not change the limb's
/// length.
const NO_LEVER: f64 = 1e-12;
/// Angles that differ by less than this value, in radians, count as equal. This value is far above rounding errors.
const SAME_ANGLE: f64 = 1e-9;
/// Sine below which two directions count as parallel. This value is far above rounding errors.
const PARALLEL: f64 = 1e-9;

/// Returns the two joints of a limb. The tree must have one goal with a position and two joints above the end. The
/// end may have its own joint too.
pub(crate) fn joints(tree: &Tree) -> Result<(usize, usize), SolveError> {
    let unsuited = |why| Err(SolveError::Unsuited { method: Method::TwoBone, why });
    let [task] = &tree.tasks[..] else { return unsuited("one goal is needed") };
    if task.target.is_none() {
        return unsuited("the goal needs a position");
    }
    if !tree.only_turns() {
        return unsuited("it cannot move prismatic and mimic joints");
    }
    if task.position_term.axes.is_some() {
        return unsuited("the axes of the position must have equal weights above zero");
    }
    let own = task.joint.is_some_and(|j| task.local == DVec3::ZERO && j + 1 == tree.joints.len());
    match tree.joints.len() - usize::from(own) {
        2 => Ok((0, 1)),
        _ => unsuited("the chain must have two joints above its end"),
    }
}

/// Solves a limb in closed form within its limits.
///
/// If a limit of the first joint blocks the solution, other swivels are tried in a fixed order and the best one is used
/// ([`search`]). Each try applies the closed form to its swivel, so the search is part of the closed form and not an
/// iterative method. The limb then has a swivel that differs from the requested one.
pub(crate) fn solve(tree: &mut Tree, options: &LimbOptions) {
    let (first, middle) = (0, 1);
    let Some(target) = tree.tasks.first().and_then(|t| t.target) else { return };
    let before = [tree.joints[first].rotation, tree.joints[middle].rotation];
    if options.swivel != Swivel::Keep {
        for joint in [first, middle] {
            tree.joints[joint].rotation = tree.joints[joint].allowed(tree.joints[joint].rest);
        }
        tree.forward();
    }
    let line = tree.tasks.first().map_or(target, |t| t.position);
    let mut axis = bend(tree, first, middle, options);
    // Swing the end back onto its old line within the limb's plane, and then swing the whole limb towards the target.
    swing(tree, first, line);
    swing(tree, first, target);
    // If the body has scale, bones change their length as they turn. Repeat the closed form with the lengths of the current pose.
    for _ in 0..if tree.rigid { 0 } else { CORRECTIONS } {
        if tree.measure().done {
            break;
        }
        axis = bend(tree, first, middle, options);
        swing(tree, first, target);
    }
    if let Some(angle) = swivel_angle(tree, options.swivel, target) {
        turn_about(tree, first, target, angle);
    }
    tree.swivel();
    orient(tree);
    let limited = tree.joints.iter().any(|j| j.limit != Limit::Free);
    let reached = tree.measure().done;
    if limited && !reached && axis && !is_stretched_towards(tree, first, target) {
        search(tree, first, target);
    }
    let cost = tree.measure().sum;
    if !cost.is_finite() {
        (tree.joints[first].rotation, tree.joints[middle].rotation) = (before[0], before[1]);
        tree.forward();
    }
}

/// Returns the angle in radians by which a limb that was solved from rest must turn about the line to the target.
fn swivel_angle(tree: &Tree, swivel: Swivel, target: DVec3) -> Option<f64> {
    match swivel {
        Swivel::Keep | Swivel::Standard => None,
        Swivel::Arm => angle_to(tree, target, DVec3::NEG_Z),
        Swivel::Leg => angle_to(tree, target, DVec3::Z),
        Swivel::Angle(angle) => Some(angle),
        Swivel::Follow { at_base, slope } => {
            let length = tree.lengths(0).sum.max(f64::MIN_POSITIVE);
            Some(at_base + slope.dot(target - tree.joints[0].position) / length)
        }
    }
}

/// Returns the angle by which a limb must turn about the line to the target, so that its middle joint points in the
/// desired direction. This is the direction `hanging`, rotated by the shortest arc from straight down to the target.
/// `hanging` is the direction for a limb that hangs down, in the space of the figure (+Y up, +Z to the front). Returns
/// `None` if the limb is straight.
pub(crate) fn angle_to(tree: &Tree, target: DVec3, hanging: DVec3) -> Option<f64> {
    let (start, middle) = (tree.joints[0].position, tree.joints[1].position);
    let line = (target - start).try_normalize()?;
    let [down, side] = [DVec3::NEG_Y, DVec3::X].map(|axis| tree.facing * axis);
    let wanted = shortest_arc(down, line, side) * (tree.facing * hanging);
    let now = (middle - start).reject_from_normalized(line);
    let is_bent = now.length() > STRAIGHT * start.distance(middle);
    is_bent.then(|| line.dot(now.cross(wanted)).atan2(now.dot(wanted)))
}

/// Bends the middle joint so that the effector has the same distance from the first joint as the target. Returns
/// whether this is possible.
///
/// Of the two angles, the method uses the one that the limit changes less. If the limit allows both, the smaller turn is
/// used, which keeps the bend direction of the current or rest pose.
pub(crate) fn bend(tree: &mut Tree, first: usize, middle: usize, options: &LimbOptions) -> bool {
    let Some((task, target)) = tree.tasks.first().and_then(|t| Some((t.position, t.target?))) else {
        return false;
    };
    let joint = &tree.joints[middle];
    let start = tree.joints[first].position;
    let into = tree.to_frame(joint, joint.position - start);
    let out = tree.to_frame(joint, task - joint.position);
    let (a, b) = (into.length(), out.length());
    // A frame that is flattened by a scale of zero has no lengths.
    if !(a > 0.0 && b > 0.0 && (a + b).is_finite()) {
        return false;
    }
    // An unevenly scaled frame changes lengths, so the distance is converted to the frame's units.
    let measure = if tree.rigid { 1.0 } else { a / (joint.position - start).length() };
    let distance =
        softened((target - start).length() * measure, a + b, options.soften).clamp((a - b).abs(), a + b);
    let local = joint.rotation.conjugate() * out;
    let axis = match joint.hinge_axis() {
        Some(axis) => axis,
        None => {
            let normal = into.cross(out);
            if normal.length() > STRAIGHT * a * b {
                normal.normalize()
            } else {
                straight_axis(tree, middle, local, into)
            }
        }
    };
    let c0 = axis.dot(into) * axis.dot(out);
    let turning = [into.dot(out) - c0, into.dot(axis.cross(out))];
    let squares = [distance * distance, a * a, b * b];
    let Some((phase, half)) = hinge_angles(turning, c0, squares, NO_LEVER * a * b) else { return false };
    let turned = |angle: f64| (DQuat::from_axis_angle(axis, wrapped(angle)) * joint.rotation).normalize();
    let solutions = [phase + half, phase - half].map(|angle| {
        let requested = turned(angle);
        let allowed = joint.allowed(requested);
        let removed = rotation_vector(allowed * requested.conjugate()).length();
        (removed, wrapped(angle).abs(), allowed)
    });
    // Prefer the solution that the limit changes less, then the smaller turn, then a turn in the positive sense. A
    // straight limb has two equal turns, and rounding errors must not decide between them.
    let best = if solutions[0].0 + SAME_ANGLE < solutions[1].0
        || (solutions[0].0 < solutions[1].0 + SAME_ANGLE && solutions[0].1 <= solutions[1].1 + SAME_ANGLE)
    {
        solutions[0]
    } else {
        solutions[1]
    };
    tree.joints[middle].rotation = best.2;
    tree.forward();
    true
}

/// Returns the axis, in the joint's frame, about which a straight limb bends. This is the bend axis of the rest pose,
/// if there is one.
fn straight_axis(tree: &Tree, middle: usize, local: DVec3, into: DVec3) -> DVec3 {
    let axis = tree.bend_axis(middle, local);
    axis.reject_from(into).try_normalize().unwrap_or(axis)
}

/// Turns a joint so that the effector moves onto the line to the target.
pub(crate) fn swing(tree: &mut Tree, joint: usize, target: DVec3) {
    let Some(task) = tree.tasks.first().map(|t| t.position) else { return };
    let first = &tree.joints[joint];
    let (from, to) = (task - first.position, target - first.position);
    let arc = shortest_arc(tree.to_frame(first, from), tree.to_frame(first, to), DVec3::X);
    tree.joints[joint].rotation = first.allowed((arc * first.rotation).normalize());
    tree.forward();
}

/// Turns the limb about the line from its first joint to the target.
fn turn_about(tree: &mut Tree, first: usize, target: DVec3, angle: f64) {
    let joint = &tree.joints[first];
    let turn = tree.turn_about(joint, target - joint.position, angle);
    tree.joints[first].rotation = joint.allowed((turn * joint.rotation).normalize());
    tree.forward();
}

/// Turns the end to its target orientation or aim, as far as its joint allows.
pub(crate) fn orient(tree: &mut Tree) {
    let Some(index) = tree.tasks.first().and_then(|t| t.joint) else { return };
    for turn in [tree.tasks[0].orientation_error(), tree.tasks[0].aim_error()].into_iter().flatten() {
        if tree.tasks[0].local == DVec3::ZERO {
            let joint = &tree.joints[index];
            let turn = DQuat::from_scaled_axis(tree.axis_to_frame(joint, turn));
            tree.joints[index].rotation = joint.allowed((turn * joint.rotation).normalize());
            tree.forward();
        }
    }
}

/// Returns whether the goal is only a position and the limb is already stretched out towards it. In that case no
/// swivel brings the end nearer.
fn is_stretched_towards(tree: &Tree, first: usize, target: DVec3) -> bool {
    let Some(task) = tree.tasks.first() else { return false };
    let (now, wanted) = (task.position - tree.joints[first].position, target - tree.joints[first].position);
    let is_position_only = task.orientation_error().is_none() && task.aim_error().is_none();
    let across = now.cross(wanted).length();
    is_position_only && now.dot(wanted) > 0.0 && across <= PARALLEL * now.length() * wanted.length()
}

/// Tries swivels around the whole circle, small angles first, and keeps the best.
fn search(tree: &mut Tree, first: usize, target: DVec3) {
    let start = tree.joints[first].rotation;
    let (mut best, mut best_rotation) = (tree.measure().sum, start);
    let mut step = TAU / SWIVELS as f64;
    let mut middle = 0.0;
    // The first round covers the whole circle. Later rounds search between the neighbours of the best angle.
    for round in 0..ROUNDS {
        let tries = if round == 0 { SWIVELS } else { REFINED_STEPS };
        let offset = if round == 0 { 0.0 } else { -0.5 * REFINED_STEPS as f64 * step };
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
            if cost < best * (1.0 - MIN_GAIN) {
                (best, best_rotation, found) = (cost, tree.joints[first].rotation, angle);
            }
            if done {
                return;
            }
        }
        middle = found;
        step *= REFINEMENT;
    }
    tree.joints[first].rotation = best_rotation;
    tree.forward();
    orient(tree);
}

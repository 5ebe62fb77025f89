//! Inverse kinematics of limbs with two bones in closed form, after Tolani et al. 2000, "Real-time inverse kinematics
//! techniques for anthropomorphic limbs": the CPU twin of `shaders/crowd/limb.wgsl`.

use glam::{Quat, Vec2, Vec3};

use crate::mathematics::single::{any_perpendicular, normalize, shortest_arc};

use super::figure::{Base, Figure};
use super::limit::{axis_in_model, from_parent, normalize_or, part_of, to_parent, vector_in_frame};
use super::{BELOW_HIPS, DETACHED, FREE, HINGED, Limb};

/// The last part of the reach, as a fraction, over which a limb stretches more and more slowly.
const SOFT: f32 = 0.004;
const LEAST_SOFT: f32 = 5e-5;
/// Sine of the bend below which a limb bends about its preferred axis.
const STRAIGHT: f32 = 0.05;

/// Squared sine of the angle between the pole and the limb, and squared distance of the middle from the line of the limb
/// relative to its bones, below which the effect of the pole fades.
const POLE_FADE: f32 = 0.02;
const KNEE_FADE: f32 = 1e-7;
/// Distance between target and first joint below which the direction of the target is undefined, as a fraction of the reach.
const AT_BASE: f32 = 0.05;

/// Rotations of both bones in model space, and the position of the end relative to the first joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct TwoBone {
    pub(super) upper: Quat,
    pub(super) lower: Quat,
    pub(super) end: Vec3,
}

/// Returns the smallest rotation about a unit axis from one perpendicular vector to another.
fn arc_about(axis: Vec3, from: Vec3, to: Vec3) -> Quat {
    let lengths = (from.dot(from) * to.dot(to)).sqrt();
    axis_turn(axis, from.dot(to) / lengths, axis.dot(from.cross(to)) / lengths)
}

/// Returns the normal of the plane in which a limb without a hinge bends. A limb that is nearly straight or overstretched
/// bends about its preferred axis.
fn bend_normal(upper: Vec3, lower: Vec3, hinge: Vec3) -> Vec3 {
    let line = normalize_or(upper + lower, upper);
    let across = upper.cross(lower);
    let least = STRAIGHT * (upper.dot(upper) * lower.dot(lower)).sqrt();
    let missing = (least - across.length()).max(0.0);
    let normal = if missing > 0.0 && across.dot(hinge) < 0.0 { hinge } else { across + hinge * missing };
    let normal = normal - line * line.dot(normal);
    normalize_or(normal, any_perpendicular(line))
}

/// Returns the rotation about a unit axis by an angle, given its cosine and its sine.
fn axis_turn(axis: Vec3, cosine: f32, sine: f32) -> Quat {
    // The tangent of half the angle in the form without cancellation.
    if cosine < 0.0 {
        return normalize((axis * (1.0 - cosine)).extend(sine));
    }
    normalize((axis * sine).extend(1.0 + cosine))
}

/// Solves a limb. `target` and the result are relative to the first joint. The middle turns about the unit axis `hinge` until
/// the end is as far away as the target. Then the first joint turns. `cosines` are the smallest and the largest cosine of the
/// angle between the bones. A zero pole keeps the plane of the limb. Neither bone may have zero length.
pub(super) fn two_bone(
    upper: Vec3,
    lower: Vec3,
    target: Vec3,
    hinge: Vec3,
    cosines: Vec2,
    pole: Vec3,
) -> TwoBone {
    let squares = upper.dot(upper) + lower.dot(lower);
    let product = (upper.dot(upper) * lower.dot(lower)).sqrt();
    let now = (upper + lower).length();
    let is_open = now * now > 1e-8 * squares;
    let line = if is_open { (upper + lower) / now } else { normalize_or(upper, hinge) };
    // If the middle turns by φ, the dot product of the bones is upper · lower = fixed + c cos φ + s sin φ. It is largest at
    // the angle with cosine c/r and sine s/r, where the limb is straightest.
    let fixed_part = upper.dot(hinge) * lower.dot(hinge);
    let c = upper.dot(lower) - fixed_part;
    let s = upper.dot(hinge.cross(lower));
    let r = (c * c + s * s).sqrt();
    let (least_r, straight) = (r.max(1e-6 * product), fixed_part + r);
    // Angles near the straightest pose are computed from one minus their cosine, because the cosine itself is inexact. This is
    // how far the bones' dot product is below the product of their lengths there.
    let across = upper - hinge * upper.dot(hinge);
    let ratio = upper.dot(hinge) * r / across.dot(across).max(1e-12 * squares);
    let skew = ratio - lower.dot(hinge);
    let missing = across.dot(across) * skew * skew / (product + straight).max(1e-6 * product);
    // As straight as the limit allows, or as now if that is straighter.
    let versed_now =
        if c > 0.0 { s * s / (r * (r + c)).max(1e-12 * product * product) } else { 1.0 - c / least_r };
    let versed_far = ((product * (1.0 - cosines.y) - missing).max(0.0) / least_r).min(versed_now);
    // The distance of the target, within what the hinge and the lengths allow. It approaches the largest distance f as
    // f − s² / (x − f + 2s), whose value and slope are continuous.
    let far = (squares + 2.0 * (straight - r * versed_far)).max(0.0).sqrt();
    let near = (squares + 2.0 * (product * cosines.x).max(fixed_part - r)).max(0.0).sqrt().min(now);
    let soft = (far - now).max(LEAST_SOFT * far).min(SOFT * far);
    let wanted = target.length();
    let gap = far - wanted;
    let gap = if gap < soft { soft * soft / (2.0 * soft - gap) } else { gap };
    let gap = gap.min(far - near.max(1e-3 * far)).max(0.0);
    let mut bend = Quat::IDENTITY;
    // The normal of the plane in which the limb is bent, as long as the cross product of its bones.
    let mut normal = upper.cross(lower);
    if r > 1e-6 * product {
        let versed = (versed_far + 0.5 * gap * (2.0 * far - gap) / r).min(2.0);
        let cosine = 1.0 - versed;
        // The limb bends in the sense of the axis, unless it is clearly bent the other way.
        let sense = if s > STRAIGHT * r { -1.0 } else { 1.0 };
        let sine = (versed * (2.0 - versed)).sqrt() * sense;
        bend = axis_turn(hinge, (cosine * c - sine * s) / r, (sine * c + cosine * s) / r);
        normal = hinge * (r * sine) - across * (ratio * sine) + hinge.cross(across) * (skew - ratio * versed);
    }
    let bent = upper + bend * lower;
    let reached = bent.length();
    // A target at the first joint has no direction. Near it, the direction turns towards the limb.
    let direction = normalize_or(target + line * (AT_BASE * far - wanted).max(0.0), line);
    let mut carry = shortest_arc(line, direction) * shortest_arc(bent, line);
    // From the line of the limb to its middle. The normal keeps it exact for a limb that is nearly straight.
    let knee_aside = carry * bent.cross(normal) / (reached * reached).max(1e-30);
    let pole_aside = pole - direction * direction.dot(pole);
    // A pole on the line of the limb has no direction, and a straight limb has no side, so their effect fades.
    let pole_part = pole_aside.dot(pole_aside) / (POLE_FADE * pole.dot(pole)).max(1e-30);
    let part = pole_part.min(knee_aside.dot(knee_aside) / (KNEE_FADE * squares)).min(1.0);
    if part > 0.0 {
        carry = part_of(arc_about(direction, knee_aside, pole_aside), part) * carry;
    }
    TwoBone { upper: carry, lower: carry * bend, end: direction * reached }
}

impl Figure<'_> {
    /// Moves the end of a limb to a target and turns it by a rotation, both in model space before the hips moved. `base` is
    /// their motion. The limit of the first joint applies only if `is_limited` is set.
    pub fn solve_limb(
        &mut self,
        limb: &Limb,
        base: &Base,
        target: Vec3,
        turn: Quat,
        pole: Vec3,
        is_limited: bool,
    ) {
        let [origin, joint, tip] = [limb.first, limb.middle, limb.end].map(|j| self.position(j));
        let (upper, lower) = (joint - origin, tip - joint);
        let least = 1e-8 * self.body.parts.size * self.body.parts.size;
        let is_solvable = upper.dot(upper) > least && lower.dot(lower) > least && target.is_finite();
        if !is_solvable {
            return;
        }
        let axis = normalize_or(axis_in_model(&self.rows(limb.middle), limb.hinge), Vec3::X);
        let is_hinged = limb.flags & HINGED != 0;
        let hinge = if is_hinged { axis } else { bend_normal(upper, lower, axis) };
        let cosines = Vec2::new(limb.least_cos, limb.most_cos);
        let bones = two_bone(upper, lower, target - origin, hinge, cosines, pole);
        // A bone's rotation in model space is its parent's rotation followed by its own. The parents' matrices are still from
        // before the solve.
        let above = self.parent_rows(limb.first);
        let wanted = to_parent(&above, bones.upper);
        let before = self.rotation(limb.first);
        let (mut rotation, mut swung) = (wanted * before, bones.upper);
        if is_limited && limb.limit.kind != FREE {
            rotation = self.turned(limb.first, &limb.limit, wanted);
            swung = from_parent(&above, rotation * before.conjugate());
        }
        // The part that the first joint's limit removes.
        let back = swung * bones.upper.conjugate();
        let lowered = back * bones.lower;
        let bend = to_parent(&self.parent_rows(limb.middle), bones.upper.conjugate() * bones.lower);
        let end_above = self.parent_rows(limb.end);
        let mut last = to_parent(&end_above, lowered.conjugate() * turn);
        if limb.flags & DETACHED != 0 {
            // The end does not move with its bones, nor with the hips if it is not below them.
            let (mut reached, mut end_turn) = (origin + back * bones.end, turn);
            if limb.flags & BELOW_HIPS == 0 {
                (reached, end_turn) = (base.moved(reached), base.turn * turn);
            }
            last = to_parent(&end_above, end_turn);
            self.translate(limb.end, vector_in_frame(&end_above, reached - tip));
        }
        self.set_rotation(limb.middle, bend * self.rotation(limb.middle));
        self.set_rotation(limb.end, last * self.rotation(limb.end));
        self.set_rotation(limb.first, rotation);
    }
}

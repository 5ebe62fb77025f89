//! Inverse kinematics of limbs with two bones in closed form, after Tolani et al. 2000, "Real-time inverse kinematics
//! techniques for anthropomorphic limbs": the CPU twin of `shaders/crowd/limb.wgsl`.

use glam::{Quat, Vec2, Vec3};

use crate::mathematics::single::{any_perpendicular, normalize, shortest_arc};

use super::figure::{Base, Figure};
use super::frames::{axis_in_model, from_parent, normalize_or, part_of, to_parent, vector_in_frame};
use super::{BELOW_HIPS, CrowdLimb, DETACHED, FREE, HINGED};

/// Maximum and minimum size of the zone just before full reach in which the limb's extension slows down, as fractions of the reach.
const SOFT: f32 = 0.004;
const LEAST_SOFT: f32 = 5e-5;
/// If the sine of a limb's bend is below this, the limb bends about its preferred axis.
const STRAIGHT: f32 = 0.05;

/// The effect of the pole fades if one of two quantities is below these values: the squared sine of the angle between the pole and the
/// limb, and the squared distance of the middle joint from the limb's line, relative to the squared bone lengths.
const POLE_FADE: f32 = 0.02;
const KNEE_FADE: f32 = 1e-7;
/// If the target is nearer to the first joint than this fraction of the reach, its direction is blended with the limb's.
const AT_BASE: f32 = 0.05;

/// Rotations of both bones in model space, and the position of the end relative to the first joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct TwoBone {
    pub(super) upper: Quat,
    pub(super) lower: Quat,
    pub(super) end: Vec3,
}

/// Returns the smallest rotation about a unit axis from one vector to another, both perpendicular to the axis.
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
    // Uses the form of the half-angle tangent that avoids cancellation.
    if cosine < 0.0 {
        return normalize((axis * (1.0 - cosine)).extend(sine));
    }
    normalize((axis * sine).extend(1.0 + cosine))
}

/// Solves a limb. `target` and the result are relative to the first joint. The middle joint rotates about the unit axis `hinge` until the
/// end is as far from the first joint as the target is. Then the first joint rotates. `cosines` contains the smallest and the largest
/// cosine of the angle between the bones. If the pole is zero, the limb stays in its plane. Neither bone may have zero length.
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
    // If the middle joint rotates by φ, the dot product of the bones is upper · lower = fixed + c cos φ + s sin φ. The product is
    // largest, and the limb straightest, at the angle with cosine c/r and sine s/r.
    let fixed_part = upper.dot(hinge) * lower.dot(hinge);
    let c = upper.dot(lower) - fixed_part;
    let s = upper.dot(hinge.cross(lower));
    let r = (c * c + s * s).sqrt();
    let (least_r, straight) = (r.max(1e-6 * product), fixed_part + r);
    // Angles near the straightest pose are computed from one minus their cosine, because the cosine itself is inexact there. `missing` is
    // the product of the bone lengths minus the bones' dot product in the straightest pose.
    let across = upper - hinge * upper.dot(hinge);
    let ratio = upper.dot(hinge) * r / across.dot(across).max(1e-12 * squares);
    let skew = ratio - lower.dot(hinge);
    let missing = across.dot(across) * skew * skew / (product + straight).max(1e-6 * product);
    // The limb becomes as straight as its limit allows, or stays as straight as it is now if that is straighter.
    let versed_now =
        if c > 0.0 { s * s / (r * (r + c)).max(1e-12 * product * product) } else { 1.0 - c / least_r };
    let versed_far = ((product * (1.0 - cosines.y) - missing).max(0.0) / least_r).min(versed_now);
    // The distance x of the target, limited to what the hinge and the bone lengths allow. It approaches the largest distance f as
    // f − s² / (x − f + 2s), whose value and slope are continuous.
    let far = (squares + 2.0 * (straight - r * versed_far)).max(0.0).sqrt();
    let near = (squares + 2.0 * (product * cosines.x).max(fixed_part - r)).max(0.0).sqrt().min(now);
    let soft = (far - now).max(LEAST_SOFT * far).min(SOFT * far);
    let wanted = target.length();
    let gap = far - wanted;
    let gap = if gap < soft { soft * soft / (2.0 * soft - gap) } else { gap };
    let gap = gap.min(far - near.max(1e-3 * far)).max(0.0);
    let mut bend = Quat::IDENTITY;
    // The normal of the plane in which the limb bends, with the length of the bones' cross product.
    let mut normal = upper.cross(lower);
    if r > 1e-6 * product {
        let versed = (versed_far + 0.5 * gap * (2.0 * far - gap) / r).min(2.0);
        let cosine = 1.0 - versed;
        // The limb bends in the positive direction about the axis, unless it is clearly bent the other way.
        let sense = if s > STRAIGHT * r { -1.0 } else { 1.0 };
        let sine = (versed * (2.0 - versed)).sqrt() * sense;
        bend = axis_turn(hinge, (cosine * c - sine * s) / r, (sine * c + cosine * s) / r);
        normal = hinge * (r * sine) - across * (ratio * sine) + hinge.cross(across) * (skew - ratio * versed);
    }
    let bent = upper + bend * lower;
    let reached = bent.length();
    // A target at the first joint has no direction. Near that joint, the direction is blended with the limb's.
    let direction = normalize_or(target + line * (AT_BASE * far - wanted).max(0.0), line);
    let mut carry = shortest_arc(line, direction) * shortest_arc(bent, line);
    // The vector from the limb's line to its middle joint. It is computed from the normal, so it is exact for a nearly straight limb.
    let knee_aside = carry * bent.cross(normal) / (reached * reached).max(1e-30);
    let pole_aside = pole - direction * direction.dot(pole);
    // A pole on the limb's line has no direction, and a straight limb has no side. The pole's effect fades in both cases.
    let pole_part = pole_aside.dot(pole_aside) / (POLE_FADE * pole.dot(pole)).max(1e-30);
    let part = pole_part.min(knee_aside.dot(knee_aside) / (KNEE_FADE * squares)).min(1.0);
    if part > 0.0 {
        carry = part_of(arc_about(direction, knee_aside, pole_aside), part) * carry;
    }
    TwoBone { upper: carry, lower: carry * bend, end: direction * reached }
}

impl Figure<'_> {
    /// Moves the end of a limb to a target and rotates it, both given in model space before the hips move. `base` is the motion of the
    /// hips. The limit of the first joint applies only if `is_limited` is set.
    pub fn solve_limb(
        &mut self,
        limb: &CrowdLimb,
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
        // A bone's rotation in model space is its parent's rotation followed by its own. The parents' matrices still describe the pose
        // before the solve.
        let above = self.parent_rows(limb.first);
        let wanted = to_parent(&above, bones.upper);
        let before = self.rotation(limb.first);
        let (mut rotation, mut swung) = (wanted * before, bones.upper);
        if is_limited && limb.limit.kind != FREE {
            rotation = self.turned(limb.first, &limb.limit, wanted);
            swung = from_parent(&above, rotation * before.conjugate());
        }
        // The correction that the first joint's limit makes to the rotation.
        let back = swung * bones.upper.conjugate();
        let lowered = back * bones.lower;
        let bend = to_parent(&self.parent_rows(limb.middle), bones.upper.conjugate() * bones.lower);
        let end_above = self.parent_rows(limb.end);
        let mut last = to_parent(&end_above, lowered.conjugate() * turn);
        if limb.flags & DETACHED != 0 {
            // A detached end does not move with its bones. If it is not a descendant of the hips, it does not move with them either.
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

//! Moves the hips so that the legs reach the ground: the CPU twin of `shaders/crowd/hips.wgsl`.

use glam::{Quat, Vec2, Vec3, Vec3Swizzles};

use crate::mathematics::single::shortest_arc;

use super::figure::{Base, Figure};
use super::frames::{to_parent, vector_in_frame};
use super::plant::{FootGoal, NOTHING};
use super::{CrowdLimb, LIMBS};

/// Time constant with which the hips follow the ground, in seconds.
const FOLLOW: f32 = 0.1;
/// Maximum vertical displacement of the hips, and maximum extension of a leg, as fractions of the leg length.
const LARGEST_DROP: f32 = 0.45;
const STRETCH: f32 = 0.99;
/// Maximum remaining reach of a leg at which the hips begin to give way on uneven ground, as a fraction of the leg length.
const YIELD: f32 = 0.15;
/// Tangent of 20°, the largest tilt of a body.
const STEEPEST: f32 = 0.36;

/// Returns a smooth minimum. If the numbers differ by less than `range`, the result is below the smaller one by up to a quarter of `range`.
fn smooth_min(a: f32, b: f32, range: f32) -> f32 {
    let near = (range - (a - b).abs()).max(0.0);
    a.min(b) - if range > 0.0 { 0.25 * near * near / range } else { 0.0 }
}

impl Figure<'_> {
    /// Returns the lowest and the highest displacement of the hips from the clip's pose at which a leg still reaches an ankle position.
    fn hip_range(&self, limb: &CrowdLimb, ankle: Vec3, base: &Base) -> (f32, f32) {
        let at = |joint: u32| self.placed(base.moved(self.position(joint)));
        let [top, knee, end] = [limb.first, limb.middle, limb.end].map(at);
        let (upper, lower, now) = ((knee - top).length(), (end - knee).length(), (end - top).length());
        let (square, product) = (upper * upper + lower * lower, 2.0 * upper * lower);
        let most = (square + product * limb.most_cos).max(0.0).sqrt();
        let far = (STRETCH * (upper + lower)).min(most).max(now);
        let near = (square + product * limb.least_cos).max(0.0).sqrt().min(now);
        let aside = ankle.xz() - top.xz();
        let r2 = aside.dot(aside);
        let lowest = ankle.y + (near * near - r2).max(0.0).sqrt() - top.y;
        let highest = ankle.y + (far * far - r2).max(0.0).sqrt() - top.y;
        (if near * near > r2 { lowest } else { -1e30 }, highest)
    }

    /// Returns the slope of the ground below four or more feet, by least squares. The fit is regularised by a tenth of a leg length, so
    /// that a narrow body does not roll much.
    fn tilt(&self, feet: &[FootGoal], middle: Vec2, mean: f32) -> Vec2 {
        if feet.len() < 4 {
            return Vec2::ZERO;
        }
        let (mut squares, mut sides) = (Vec3::ZERO, Vec2::ZERO);
        let least = 0.01 * self.size() * self.size();
        for foot in feet {
            let weight = 0.1 + foot.weight;
            let d = foot.ankle.xz() - middle;
            squares += weight * Vec3::new(d.x * d.x + least, d.x * d.y, d.y * d.y + least);
            sides += weight * d * (foot.change - mean);
        }
        let determinant = (squares.x * squares.z - squares.y * squares.y).max(1e-30);
        let x = squares.z * sides.x - squares.y * sides.y;
        let z = squares.x * sides.y - squares.y * sides.x;
        let slope = Vec2::new(x, z) / determinant;
        let steepness = slope.length();
        if steepness > NOTHING { slope * (steepness.min(STEEPEST) / steepness) } else { Vec2::ZERO }
    }

    /// Returns the motion of the hips. They rise as far as the feet do on average, but not so far that a foot leaves the ground or a leg
    /// bends too far. They follow the ground with a lag, so they begin to give way before a leg reaches its limit. A body with four or more
    /// legs also tilts with the slope.
    pub(super) fn move_hips(&mut self, feet: &[FootGoal; LIMBS]) -> Base {
        let (size, body) = (self.size(), self.body);
        let feet = feet.get(..body.legs().len()).unwrap_or_default();
        let hips_at = self.position(body.parts.hips);
        let is_known = self.stance.is_known != 0;
        let follow = if is_known { self.seconds / (self.seconds + FOLLOW) } else { 1.0 };
        let (mut sum, mut middle, mut weights) = (0.0, Vec2::ZERO, 0.0_f32);
        for foot in feet {
            let weight = 0.1 + foot.weight;
            sum += foot.change * weight;
            middle += foot.ankle.xz() * weight;
            weights += weight;
        }
        middle /= weights.max(1e-6);
        let mut mean = sum / weights.max(1e-6);
        let slope = self.tilt(feet, middle, mean);
        mean += slope.dot(self.placed(hips_at).xz() - middle);
        mean = if mean.abs() < NOTHING * size { 0.0 } else { mean };
        let tilt = self.stance.tilt * (1.0 - follow) + slope * follow;
        self.stance.tilt = if tilt.is_finite() { tilt } else { Vec2::ZERO };
        let mut base = Base::NOTHING;
        if tilt.dot(tilt) > NOTHING * NOTHING {
            base.turn = self.unplaced_turn(shortest_arc(Vec3::Y, Vec3::new(-tilt.x, 1.0, -tilt.y)));
            base.shift = hips_at - base.turn * hips_at;
        }
        // The hips give way smoothly on uneven ground only, so that the clip's pose does not change on level ground.
        let uneven = feet.iter().map(|foot| (foot.change - mean).abs()).fold(0.0, f32::max);
        let range = (3.0 * uneven).min(YIELD * size);
        let (mut least, mut wanted) = (-LARGEST_DROP * size, mean.min(LARGEST_DROP * size));
        for (limb, foot) in body.legs().iter().zip(feet) {
            let (lowest, highest) = self.hip_range(limb, foot.ankle, &base);
            (least, wanted) = (least.max(lowest), smooth_min(wanted, highest, range));
        }
        let wanted = wanted.max(least.min(LARGEST_DROP * size));
        let hips = self.stance.hips * (1.0 - follow) + wanted * follow;
        let height = if hips.is_finite() { hips } else { 0.0 };
        self.stance.hips = height;
        if height.abs() > NOTHING * size {
            base.shift += self.unplaced(Vec3::new(0.0, height, 0.0));
        }
        base
    }

    /// Applies the motion of the hips to their joint.
    pub fn pose_hips(&mut self, base: &Base) {
        let joint = self.body.parts.hips;
        if base.shift == Vec3::ZERO {
            return;
        }
        let (above, hips) = (self.parent_rows(joint), self.position(joint));
        self.translate(joint, vector_in_frame(&above, base.moved(hips) - hips));
        if base.turn != Quat::IDENTITY {
            self.set_rotation(joint, to_parent(&above, base.turn) * self.rotation(joint));
        }
    }
}

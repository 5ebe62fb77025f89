//! Plants feet on the ground: the CPU twin of `shaders/crowd/plant.wgsl`.
//!
//! "Placed" vectors have the axes and the unit of the world, and are relative to the position of the character.

use glam::{Quat, Vec2, Vec3, Vec3Swizzles, Vec4};

use crate::mathematics::single::{normalize, shortest_arc};

use super::figure::{Base, Figure};
use super::frames::part_of;
use super::stance::Foot;
use super::types::NONE;
use super::{CrowdLimb, Ground, LIMBS};

/// Time in seconds that a released foot takes to return to its position in the clip.
const RELEASE: f32 = 0.15;
/// Distance from its position in the clip at which a standing foot is released, as a fraction of the leg length.
const LEASH: f32 = 0.15;
/// A foot that is farther away than this multiple of the leash is assumed to have been moved with its character. Its old footing is
/// forgotten.
const JUMP: f32 = 2.0;
/// Tangent of half of 40°, the yaw at which a standing foot is released.
const LARGEST_YAW: f32 = 0.36;
/// Steepest slope that a foot follows: the tangent of 30°, about as far as an ankle bends.
const STEEPEST: f32 = 0.577;
/// Height at which a foot no longer follows the slope, as a fraction of the leg length.
const LIFTED: f32 = 0.35;
/// Height difference between heel and toes at which the lower of the two begins to carry the foot, as a fraction of half the foot length.
const ROLL: f32 = 0.02;
/// Changes below this fraction of the leg length are treated as rounding errors.
pub(super) const NOTHING: f32 = 2e-6;

/// The target of a foot.
#[derive(Clone, Copy, Debug, Default)]
pub struct FootGoal {
    /// Position of the ankle, in placed space.
    pub ankle: Vec3,
    /// Rotation of the foot relative to the pose of the clip, in world axes.
    pub turn: Quat,
    /// Height of the ankle above its height in the clip.
    pub change: f32,
    /// Nearness of the foot to the floor in the clip, from 0 to 1.
    pub weight: f32,
    pub is_moved: bool,
    /// Whether the foot stands.
    pub held: bool,
    /// Whether the foot was released before its contact ended.
    pub spent: bool,
    /// Whether the toes carry the foot rather than the heel.
    pub on_toes: bool,
}

/// The position and the rotation of a standing foot.
struct Footing {
    /// x and z of the ankle, in placed space.
    at: Vec2,
    /// Rotation of the foot relative to the pose of the clip, in world axes.
    turn: Quat,
    held: bool,
    spent: bool,
}

fn smooth_step(x: f32) -> f32 {
    let t = x.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

fn yaw_turn(tangent: f32) -> Quat {
    normalize(Vec4::new(0.0, tangent, 0.0, 1.0))
}

/// Returns the tangent of half the yaw from one direction to another, limited to ±1.
fn yaw_between(from: Vec2, to: Vec2) -> f32 {
    let arc = shortest_arc(Vec3::new(from.x, 0.0, from.y), Vec3::new(to.x, 0.0, to.y));
    (arc.y / arc.w.max(1e-3)).clamp(-1.0, 1.0)
}

/// Returns the rotation by which a foot follows the slope of the ground, within the range of its ankle.
fn slope_turn(normal: Vec3) -> Quat {
    let aside = normal.xz().length();
    let part = if aside > STEEPEST * normal.y { STEEPEST * normal.y.max(0.0) / aside } else { 1.0 };
    shortest_arc(Vec3::Y, Vec3::new(normal.x * part, normal.y, normal.z * part))
}

impl Figure<'_> {
    pub fn placed(&self, v: Vec3) -> Vec3 {
        self.place.rotation * (v * self.place.scale)
    }

    pub fn unplaced(&self, v: Vec3) -> Vec3 {
        let scale = if self.place.scale.abs() > 1e-20 { self.place.scale } else { 1.0 };
        self.place.rotation.conjugate() * v / scale
    }

    /// Converts a rotation from world to model space.
    pub fn unplaced_turn(&self, q: Quat) -> Quat {
        let rotation = self.place.rotation;
        rotation.conjugate() * (q * rotation)
    }

    /// Returns the length of a leg in world units.
    pub fn size(&self) -> f32 {
        self.body.parts.size * self.place.scale.abs()
    }

    /// Returns a point of a sole relative to the ankle, in placed space.
    fn sole_offset(&self, limb: &CrowdLimb, index: usize, ankle: Vec3) -> Vec3 {
        let Some(sole) = limb.sole.get(index) else { return Vec3::ZERO };
        self.placed(self.rows(sole.joint).point(sole.position)) - ankle
    }

    /// Returns the ankle height at which the lowest point of the sole is `low` above the ground.
    fn ankle_height(
        &self,
        ground: &mut impl Ground,
        limb: &CrowdLimb,
        ankle: Vec3,
        turn: Quat,
        at: Vec2,
        low: f32,
    ) -> f32 {
        let position = self.place.position;
        let mut height_above = |offset: Vec3| {
            let offset = turn * offset;
            let below = position + Vec3::new(at.x + offset.x, ankle.y + offset.y, at.y + offset.z);
            offset.y - (ground.height(below) - position.y)
        };
        // The middle of the sole is tested too, because it would sink into a crest first.
        let [heel, toe] = [limb.heel, limb.toe].map(|index| self.sole_offset(limb, index as usize, ankle));
        let mut least = height_above(0.5 * (heel + toe));
        for index in 0..limb.soles as usize {
            least = least.min(height_above(self.sole_offset(limb, index, ankle)));
        }
        low - least
    }

    /// Computes where a foot stands. While the foot is in contact, it keeps its heading and the position of the end of the sole on which it
    /// stands, so it rolls without slipping. Afterwards the foot returns to the clip. `slope` tilts it.
    fn footing(&mut self, leg: usize, ankle: Vec3, ends: [Vec3; 2], on_toes: bool, slope: Quat) -> Footing {
        let bit = 1_u32 << leg;
        let place = self.place.position.xz();
        let mut foot = self.stance.feet.get(leg).copied().unwrap_or_default();
        let leash = LEASH * self.size();
        let [heel, toe] = ends;
        let stands = self.contacts & bit != 0;
        let mut was_held = self.stance.held & bit != 0 && stands;
        // If the character has been moved, its legs must not stretch back to the old footing.
        let away = 0.5 * (foot.heel + foot.toe) - place - (ankle.xz() + 0.5 * (heel.xz() + toe.xz()));
        let reach = JUMP * leash;
        if was_held && !matches!(away.dot(away).partial_cmp(&(reach * reach)), Some(std::cmp::Ordering::Less))
        {
            was_held = false;
            foot = Foot::default();
        }
        let mut spent = stands && self.stance.spent & bit != 0;
        let part = smooth_step(foot.weight);
        let mut at = ankle.xz() + foot.offset * part;
        let mut yaw = foot.yaw * part;
        let heading = toe.xz() - heel.xz();
        if was_held && heading.dot(heading) > 0.25 * foot.heading.dot(foot.heading) {
            yaw = yaw_between(heading, foot.heading);
        }
        let turn = slope * yaw_turn(yaw);
        let [heel_at, toe_at] = [(turn * heel).xz(), (turn * toe).xz()];
        if was_held {
            at = if on_toes { foot.toe - toe_at } else { foot.heel - heel_at } - place;
            let offset = at - ankle.xz();
            spent |= !(offset.dot(offset) < leash * leash && yaw.abs() < LARGEST_YAW);
        }
        let held = stands && !spent;
        foot.weight = if held { 1.0 } else { (foot.weight - self.seconds / RELEASE).max(0.0) };
        if held || was_held {
            (foot.offset, foot.yaw) = (at - ankle.xz(), yaw);
        } else if foot.weight <= 0.0 {
            (foot.offset, foot.yaw) = (Vec2::ZERO, 0.0);
        }
        foot.heel = place + at + heel_at;
        foot.toe = place + at + toe_at;
        foot.heading = (yaw_turn(yaw) * Vec3::new(heading.x, 0.0, heading.y)).xz();
        if let Some(stored) = self.stance.feet.get_mut(leg) {
            *stored = foot;
        }
        Footing { at, turn, held, spent }
    }

    /// Returns the target of a foot: its sole follows the slope, and its height above the ground equals its height above the floor in the
    /// clip.
    fn place_foot(&mut self, ground: &mut impl Ground, leg: usize, limb: &CrowdLimb) -> FootGoal {
        let scale = self.place.scale.abs();
        let place = self.place.position;
        let ankle = self.placed(self.position(limb.end));
        let heights = (0..limb.soles as usize).map(|index| self.sole_offset(limb, index, ankle).y);
        let lowest = heights.fold(1e30, f32::min);
        let [heel, toe] = [limb.heel, limb.toe].map(|index| self.sole_offset(limb, index as usize, ankle));
        let low = (ankle.y + lowest - self.body.parts.floor * scale).max(0.0);
        let near = 1.0 - smooth_step(low / (LIFTED * self.size()));
        // Uses the slope at the foot's position in the last step, because the position of the foot depends on its rotation.
        let foot = self.stance.feet.get(leg).copied().unwrap_or_default();
        let below = if self.stance.held >> leg & 1 == 1 {
            0.5 * (foot.heel + foot.toe)
        } else {
            place.xz() + (ankle.xz() + foot.offset * smooth_step(foot.weight) + 0.5 * (heel.xz() + toe.xz()))
        };
        let below = Vec3::new(below.x, place.y + ankle.y + lowest, below.y);
        let slope = slope_turn(ground.normal(below, (self.body.parts.foot * scale).max(1e-4)));
        // If both ends are about equally high, the end on which the foot stood in the last step is used again.
        let roll = heel.y - toe.y;
        let is_rolled = roll.abs() > ROLL * self.body.parts.foot * scale;
        let on_toes = if is_rolled { roll > 0.0 } else { self.stance.on_toes >> leg & 1 == 1 };
        let Footing { at, turn, held, spent } =
            self.footing(leg, ankle, [heel, toe], on_toes, part_of(slope, near));
        let height = self.ankle_height(ground, limb, ankle, turn, at, low);
        let goal = Vec3::new(at.x, height, at.y);
        let is_moved = (goal - ankle).abs().max_element() > NOTHING * self.size()
            || turn.xyz().abs().max_element() > 1e-6;
        FootGoal { ankle: goal, turn, change: height - ankle.y, weight: near, is_moved, held, spent, on_toes }
    }

    /// Returns the position and the rotation of a foot in model space before the hips move, and whether the leg must move.
    pub fn foot_target(&self, foot: &FootGoal, base: &Base) -> (Vec3, Quat, bool) {
        let turn = base.turn.conjugate() * self.unplaced_turn(foot.turn);
        (base.unmoved(self.unplaced(foot.ankle)), turn, foot.is_moved || base.shift != Vec3::ZERO)
    }

    /// Puts all feet on the ground and moves the hips.
    pub fn stand(&mut self, ground: &mut impl Ground) {
        let body = self.body;
        let (feet, base) = self.place_feet(ground);
        for (limb, foot) in body.legs().iter().zip(&feet) {
            let (target, turn, is_moved) = self.foot_target(foot, &base);
            if is_moved {
                self.solve_limb(limb, &base, target, turn, Vec3::ZERO, false);
            }
        }
        self.pose_hips(&base);
        self.stance.is_known = 1;
    }

    /// Returns the targets of all feet, and the motion of the hips that lets the legs reach them.
    pub fn place_feet(&mut self, ground: &mut impl Ground) -> ([FootGoal; LIMBS], Base) {
        let body = self.body;
        let mut feet = [FootGoal::default(); LIMBS];
        for (leg, (limb, foot)) in body.legs().iter().zip(&mut feet).enumerate() {
            *foot = self.place_foot(ground, leg, limb);
        }
        self.remember_feet(&feet);
        let has_hips = body.parts.hips != NONE && !body.legs().is_empty();
        let base = if has_hips { self.move_hips(&feet) } else { Base::NOTHING };
        (feet, base)
    }

    /// Stores the state of all feet for the next step.
    fn remember_feet(&mut self, feet: &[FootGoal]) {
        let legs = self.body.legs().len();
        let bits = |is_set: fn(&FootGoal) -> bool| {
            feet.iter()
                .take(legs)
                .enumerate()
                .fold(0, |bits, (leg, foot)| bits | u32::from(is_set(foot)) << leg)
        };
        self.stance.held = bits(|foot| foot.held);
        self.stance.spent = bits(|foot| foot.spent);
        self.stance.on_toes = bits(|foot| foot.on_toes);
    }
}

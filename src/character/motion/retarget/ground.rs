//! Finds the up axis and the ground height of a source's motion.

use crate::asset::Character;

use super::figure::RestFigure;
use super::samples::each_pose;
use glam::{Affine3A, Mat3, Quat, Vec3};

/// Number of lowest foot positions that are ignored as outliers.
const OUTLIERS: usize = 2;

/// The rotation from the source's world to the target's, and the ground height of the source.
pub(super) struct SourceGround {
    /// `target_world_from_source_world`.
    pub(super) turn: Quat,
    /// Height of the ground along the up axis of the source's world.
    pub(super) height: f32,
}

/// Finds the ground from the reference pose if the figure stands upright on it, and otherwise from the clips.
///
/// The rest pose of a motion capture file often does not show where the ground is: the hips may be at the origin, or
/// the up axis of the rest pose may differ from the motion's.
pub(super) fn source_ground(character: &Character, source: &RestFigure, target: &RestFigure) -> SourceGround {
    let turn = target.body * source.body.conjugate();
    if source.is_on_ground && source.up().dot(Vec3::Y) > 0.9 {
        return SourceGround { turn, height: source.ground };
    }
    let sampled = sample_clips(character, source);
    let is_lying = source.up().dot(Vec3::Y) < 0.7 && sampled.up.dot(Vec3::Y) > 0.7;
    let turn = if is_lying { target.body } else { turn };
    let up = turn.conjugate() * target.up();
    let mut heights: Vec<f32> = sampled.soles.iter().map(|p| p.dot(up)).filter(|h| h.is_finite()).collect();
    heights.sort_by(f32::total_cmp);
    let lowest = heights.get(OUTLIERS.min(heights.len().saturating_sub(1))).copied();
    let height =
        if source.is_on_ground && !is_lying { source.ground } else { lowest.unwrap_or(source.ground) };
    SourceGround { turn, height }
}

/// Properties of the body that are measured in the clips.
struct SampledBody {
    /// Mean direction of the body's up axis, or zero without clips.
    up: Vec3,
    /// Positions of the feet in all samples.
    soles: Vec<Vec3>,
}

fn sample_clips(character: &Character, source: &RestFigure) -> SampledBody {
    let mut sampled = SampledBody { up: Vec3::ZERO, soles: Vec::new() };
    let Some(hips) = source.node("hips") else { return sampled };
    let soles = source.soles();
    let up_in_hips = source.turns[hips].conjugate() * source.up();
    each_pose(character, |_, _, world| {
        sampled.up += rotation(&world[hips]) * up_in_hips;
        sampled.soles.extend(soles.iter().map(|&n| Vec3::from(world[n].translation)));
    });
    sampled.up = sampled.up.normalize_or_zero();
    sampled
}

fn rotation(world: &Affine3A) -> Quat {
    let m = Mat3::from(world.matrix3);
    let unit = |v: Vec3| v.normalize_or_zero();
    let turn = Quat::from_mat3(&Mat3::from_cols(unit(m.x_axis), unit(m.y_axis), unit(m.z_axis)));
    if turn.is_finite() { turn.normalize() } else { Quat::IDENTITY }
}

//! Which way is up where a source moves, and what it stands on.

use glam::{Affine3A, Mat3, Quat, Vec3};

use crate::asset::Character;
use crate::pose::{Pose, world_matrices};

use super::figure::Figure;
use crate::motion::Playhead;

/// Times of all clips that are looked at.
const SAMPLES: usize = 256;
/// So many lowest places of feet are taken for faults.
const FAULTS: usize = 2;

/// The world of a motion: its axes, and the height of its ground along the body's up.
pub(super) struct Ground {
    /// `target_world_from_source_world`.
    pub(super) turn: Quat,
    /// Height along what is up in the source's world.
    pub(super) height: f32,
}

/// A figure that stands upright on the ground tells both. Motion capture's rest often does not: it hangs in the origin, or
/// lies along another axis than the motion goes upright on; then the clips tell.
pub(super) fn ground(character: &Character, source: &Figure, target: &Figure) -> Ground {
    let turn = target.body * source.body.conjugate();
    if source.stands && source.up().dot(Vec3::Y) > 0.9 {
        return Ground { turn, height: source.ground };
    }
    let seen = watch(character, source);
    let lies = source.up().dot(Vec3::Y) < 0.7 && seen.up.dot(Vec3::Y) > 0.7;
    let turn = if lies { target.body } else { turn };
    let up = turn.conjugate() * target.up();
    let mut heights: Vec<f32> = seen.soles.iter().map(|p| p.dot(up)).filter(|h| h.is_finite()).collect();
    heights.sort_by(f32::total_cmp);
    let lowest = heights.get(FAULTS.min(heights.len().saturating_sub(1))).copied();
    let height = if source.stands && !lies { source.ground } else { lowest.unwrap_or(source.ground) };
    Ground { turn, height }
}

struct Seen {
    /// Where the body's up points on the whole; zero without clips.
    up: Vec3,
    /// Where feet have been.
    soles: Vec<Vec3>,
}

fn watch(character: &Character, source: &Figure) -> Seen {
    let mut seen = Seen { up: Vec3::ZERO, soles: Vec::new() };
    let Some(hips) = source.node("hips") else { return seen };
    let soles = source.soles();
    let up_in_hips = source.turns[hips].conjugate() * source.up();
    each_pose(character, |_, _, world| {
        seen.up += rotation(&world[hips]) * up_in_hips;
        seen.soles.extend(soles.iter().map(|&n| Vec3::from(world[n].translation)));
    });
    seen.up = seen.up.normalize_or_zero();
    seen
}

/// Poses of the clips: the clip's index, the pose, and the world matrices of its nodes.
pub(super) fn each_pose(character: &Character, mut look: impl FnMut(usize, &Pose, &[Affine3A])) {
    let skeleton = &character.skeleton;
    let (mut pose, mut world) = (Pose::rest(skeleton), Vec::new());
    let each = SAMPLES / character.clips.len().clamp(1, SAMPLES);
    for (index, clip) in character.clips.iter().enumerate().take(SAMPLES) {
        let mut playhead = Playhead::default();
        for i in 0..each {
            #[expect(clippy::cast_precision_loss, reason = "few samples")]
            let time = clip.seconds * i as f32 / each as f32;
            pose.reset(skeleton);
            playhead.sample(clip, time, skeleton, &mut pose);
            world_matrices(skeleton, &pose, &mut world);
            look(index, &pose, &world);
        }
    }
}

fn rotation(world: &Affine3A) -> Quat {
    let m = Mat3::from(world.matrix3);
    let unit = |v: Vec3| v.normalize_or_zero();
    let turn = Quat::from_mat3(&Mat3::from_cols(unit(m.x_axis), unit(m.y_axis), unit(m.z_axis)));
    if turn.is_finite() { turn.normalize() } else { Quat::IDENTITY }
}

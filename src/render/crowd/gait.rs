//! Gaits of a character's clips: when each foot is in contact with the ground, and the walking velocity.

use glam::{Affine3A, Vec2, Vec3};

use crate::asset::{Character, Clip};
use crate::body::{CrowdBody, CrowdLimb, INTERVALS, Sole};
use crate::crowd::types::{CrowdJoint, CrowdLayer};
use crate::motion::Playhead;
use crate::pose::{Pose, world_matrices};
use crate::shared;

/// Sample rate in samples per second, and maximum number of samples of a clip.
const RATE: f32 = 60.0;
const MAX_SAMPLES: usize = 3600;
/// Maximum number of matrices that are computed for all clips together.
const MAX_MATRICES: usize = 100_000_000;
/// A clip travels if its root moves farther than this from the clip's start to its end, as a fraction of the leg length.
const TRAVELS: f32 = 0.2;

/// Heights above the lowest position of any foot, as fractions of the leg length. A foot below the first height is certainly on
/// the ground, and a foot below the second height may be on the ground.
const GROUNDED: f32 = 0.02;
const LOW: f32 = 0.06;
/// Maximum speed of a foot in contact relative to the ground, and minimum speed of a clip that walks in place, both in leg lengths per
/// second.
const SLOW: f32 = 0.45;
const LEAST_STRIDE: f32 = 0.1;

/// The motion that a clip gives to a character that stands on its feet.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Gait {
    /// Velocity of the character at which feet in contact stand still, in model space, in metres per second. Zero for a clip
    /// that travels.
    pub(super) stride: Vec3,
    /// Displacement of the character each time the clip starts over. It makes up for the root, which is back at the start.
    pub(super) jump: Vec3,
}

/// Returns a bit mask of the legs that are in contact with the ground in the clips that a character plays.
pub(super) fn contacts(body: &CrowdBody, joints: &[CrowdJoint], layers: &[CrowdLayer]) -> u32 {
    let stands = |(leg, limb)| contact(body, joints, layers, leg, limb) > 0.5;
    let legs = body.legs().iter().enumerate();
    legs.filter(|leg| stands(*leg)).fold(0, |bits, (leg, _)| bits | 1 << leg)
}

/// Returns the total weight of the clips in which a leg is in contact with the ground.
fn contact(
    body: &CrowdBody,
    joints: &[CrowdJoint],
    layers: &[CrowdLayer],
    leg: usize,
    limb: &CrowdLimb,
) -> f32 {
    let legs = body.parts.legs as usize;
    let mut contact = 0.0;
    for layer in layers {
        let first = (layer.clip as usize).saturating_mul(legs).saturating_add(leg).saturating_mul(INTERVALS);
        let Some(intervals) = body.contacts.get(first..first.saturating_add(INTERVALS)) else {
            continue;
        };
        let masks = joints.get(limb.end as usize).map(|joint| joint.masks);
        let mask = masks.and_then(|masks| masks.get(layer.mask as usize).copied()).unwrap_or(1.0);
        let stands = intervals.iter().any(|i| i.x <= layer.time && layer.time <= i.y);
        let weight = layer.weight * mask;
        contact = contact * (1.0 - weight) + f32::from(u8::from(stands)) * weight;
    }
    contact
}

/// Measures all clips. `nodes` contains the node of each joint. Returns one gait for each clip, and adds the contacts to the
/// body.
pub(super) fn measure(character: &Character, nodes: &[usize], body: &mut CrowdBody) -> Vec<Gait> {
    let legs = body.legs().len();
    let unused = Vec2::new(0.0, -1.0);
    body.contacts = vec![unused; character.clips.len() * legs * INTERVALS];
    let mut left = MAX_MATRICES;
    let mut gaits = vec![Gait::default(); character.clips.len()];
    for (index, (clip, gait)) in character.clips.iter().zip(&mut gaits).enumerate() {
        let cost = samples(clip).saturating_mul(character.skeleton.nodes.len());
        if legs == 0 || cost > left {
            continue;
        }
        left -= cost;
        let (measured, contacts) = Steps::of(character, nodes, body, clip).gait(body.parts.size);
        *gait = measured;
        for (leg, intervals) in contacts.iter().enumerate() {
            let first = (index * legs + leg) * INTERVALS;
            let all = body.contacts.iter_mut().skip(first).take(INTERVALS);
            all.zip(intervals).for_each(|(out, interval)| *out = *interval);
        }
    }
    gaits
}

fn samples(clip: &Clip) -> usize {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a small range")]
    let samples = (clip.seconds * RATE).ceil().clamp(1.0, MAX_SAMPLES as f32) as usize;
    samples
}

/// The positions of a clip's feet, sampled at a constant rate.
struct Steps {
    seconds: f32,
    /// For each leg: the horizontal middle of the sole, and the height of its lowest point.
    paths: Vec<Vec<Vec3>>,
    /// Horizontal motion of the hips from the first to the last sample.
    travel: Vec3,
}

impl Steps {
    fn of(character: &Character, nodes: &[usize], body: &CrowdBody, clip: &Clip) -> Self {
        let skeleton = &character.skeleton;
        let count = samples(clip);
        #[expect(clippy::cast_precision_loss, reason = "at most 3600")]
        let seconds = clip.seconds / count as f32;
        let mut paths = vec![Vec::with_capacity(count + 1); body.legs().len()];
        let (rest, mut pose, mut world) = (Pose::rest(skeleton), Pose::default(), Vec::new());
        let mut playhead = Playhead::default();
        let hips = nodes.get(body.parts.hips as usize).copied();
        let mut ends: Option<(Vec3, Vec3)> = None;
        for sample in 0..=count {
            #[expect(clippy::cast_precision_loss, reason = "at most 3600")]
            let time = seconds * sample as f32;
            pose.clone_from(&rest);
            playhead.sample(clip, time, skeleton, &mut pose);
            world_matrices(skeleton, &pose, &mut world);
            for (limb, path) in body.legs().iter().zip(&mut paths) {
                path.push(foot_position(limb, nodes, &world));
            }
            let at = hips.and_then(|hips| world.get(hips)).map(|m| Vec3::from(m.translation));
            ends = at.map(|at| (ends.map_or(at, |(first, _)| first), at)).or(ends);
        }
        let travel = ends.map_or(Vec3::ZERO, |(first, last)| (last - first) * Vec3::new(1.0, 0.0, 1.0));
        Self { seconds, paths, travel }
    }

    /// Returns the gait, and the contacts of each leg. `size` is the length of a leg.
    ///
    /// Feet that carry a figure have the same velocity: zero if the figure travels, and the ground's velocity if it walks in
    /// place. The ground's velocity is the median of the velocities of the feet near the floor. A foot counts as in contact
    /// while it is low and has about the ground's velocity.
    fn gait(&self, size: f32) -> (Gait, Vec<Vec<Vec2>>) {
        let heights = self.paths.iter().flatten().map(|p| p.y);
        let floor = heights.fold(f32::INFINITY, f32::min);
        let grounded = |height: f32, path: &[Vec3]| -> Vec<Vec2> {
            let low = (0..path.len()).filter(|&i| path[i].y < floor + height * size);
            low.map(|i| self.velocity(path, i)).collect()
        };
        let paths = || self.paths.iter().map(Vec::as_slice);
        let ground = median(&paths().flat_map(|path| grounded(GROUNDED, path)).collect::<Vec<_>>());
        let in_contact = |path: &[Vec3], i: usize| {
            path[i].y < floor + LOW * size && self.velocity(path, i).distance(ground) < SLOW * size
        };
        let half = Vec2::new(-0.5, 0.5) * self.seconds;
        let intervals = |path: &[Vec3]| {
            let found = shared::intervals(path.len(), self.seconds, |i| in_contact(path, i));
            found.into_iter().map(|interval| Vec2::from(interval) + half).collect()
        };
        let contacts = paths().map(intervals).collect();
        let travels = self.travel.length() > TRAVELS * size;
        let walks = ground.length() > LEAST_STRIDE * size;
        let gait = Gait {
            stride: if walks { -Vec3::new(ground.x, 0.0, ground.y) } else { Vec3::ZERO },
            jump: if travels { self.travel } else { Vec3::ZERO },
        };
        (gait, contacts)
    }

    /// Returns the horizontal velocity of a foot in metres per second, measured from the previous sample to the next sample.
    fn velocity(&self, path: &[Vec3], i: usize) -> Vec2 {
        let (before, after) = (i.saturating_sub(1), (i + 1).min(path.len() - 1));
        #[expect(clippy::cast_precision_loss, reason = "at most two")]
        let seconds = (after - before) as f32 * self.seconds;
        let offset = path[after] - path[before];
        let velocity = Vec2::new(offset.x, offset.z) / seconds;
        if velocity.is_finite() { velocity } else { Vec2::ZERO }
    }
}

/// Returns the median of each coordinate, or zero if there are no velocities.
fn median(velocities: &[Vec2]) -> Vec2 {
    let middle = |mut values: Vec<f32>| {
        values.sort_by(f32::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(0.0)
    };
    Vec2::new(
        middle(velocities.iter().map(|v| v.x).collect()),
        middle(velocities.iter().map(|v| v.y).collect()),
    )
}

/// Returns the horizontal middle of a sole, and the height of its lowest point.
fn foot_position(limb: &CrowdLimb, nodes: &[usize], world: &[Affine3A]) -> Vec3 {
    let soles = limb.sole.get(..limb.soles as usize).unwrap_or_default();
    let point = |sole: &Sole| {
        let frame = nodes.get(sole.joint as usize).and_then(|node| world.get(*node));
        frame.map_or(Vec3::ZERO, |frame| frame.transform_point3(sole.position))
    };
    #[expect(clippy::cast_precision_loss, reason = "at most six")]
    let middle = soles.iter().map(point).sum::<Vec3>() / soles.len().max(1) as f32;
    let lowest = soles.iter().map(|sole| point(sole).y).fold(f32::INFINITY, f32::min);
    Vec3::new(middle.x, if lowest.is_finite() { lowest } else { middle.y }, middle.z)
}

//! Posture from the positions of joints: what an optical system or a camera sees becomes rotations.

use glam::{DAffine3, DQuat, DVec3, Vec3};

use crate::asset::Skeleton;
use crate::pose::Pose;

use super::CaptureError;
use super::tracked::{Joint, Tracked, affine};
use super::turn::{fit, swing};

/// A joint's place as it was seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen<V> {
    pub(super) position: V,
    /// How much of the way it has gone from where it was held while it was missing; 1: all.
    pub(super) share: f64,
    /// Whether it was missing until now.
    pub(super) fresh: bool,
}

/// A bone of a joint: to which tracked joint, in the joint's own space and as seen from the space around it.
#[derive(Clone, Copy, Debug)]
struct Bone {
    child: usize,
    from: DVec3,
    seen: Seen<DVec3>,
}

/// Turns positions of joints into the posture of a skeleton.
///
/// From the root outwards, each joint is turned so that the joints that hang on it point where they were seen: by the
/// best fit in the sense of least squares (Wahba 1965) where there are several, by the shortest arc where there is one;
/// twist that nothing decides is carried over from the pose before. The root is moved and turned by the rigid motion that brings it and its
/// children nearest to what was seen (Kabsch 1976; Horn 1987). Bones keep the skeleton's lengths.
#[derive(Clone, Debug)]
pub struct Fit {
    /// Metres of the skeleton a unit of the positions; 1 at first. [`Fit::scale_of`] finds it.
    pub scale: f64,
    tracked: Tracked,
    /// `world_from_joint` of the tracked joints as fitted.
    world: Vec<DAffine3>,
    /// From where a joint was fitted to where it was seen last, in the space around it.
    beside: Vec<DVec3>,
    /// From where a joint was seen to where it was held when it came back, in the space around its carrier.
    lag: Vec<DVec3>,
    seen: Vec<Option<Seen<DVec3>>>,
    bones: Vec<Bone>,
    pairs: Vec<(DVec3, DVec3)>,
}

impl Fit {
    /// A fit for joints of a skeleton, given as node indices: positions come in their order. What is between two of them stays
    /// at rest. If no joint is above all others, the nearest common ancestor is the root, and found from the others.
    ///
    /// # Errors
    /// [`CaptureError`] for a list that is empty, names a node twice or one that does not exist, or joints that hang on different roots.
    pub fn new(skeleton: &Skeleton, joints: &[usize]) -> Result<Self, CaptureError> {
        let tracked = Tracked::new(skeleton, joints)?;
        let count = tracked.joints.len();
        Ok(Self {
            scale: 1.0,
            world: vec![DAffine3::IDENTITY; count],
            beside: vec![DVec3::ZERO; count],
            lag: vec![DVec3::ZERO; count],
            seen: vec![None; count],
            bones: Vec::new(),
            pairs: Vec::new(),
            tracked,
        })
    }

    /// For each joint of the list the one, also of the list, that carries it; `None` for the root and where the root is not of the list.
    pub fn carriers(&self) -> Vec<Option<usize>> {
        let joints = &self.tracked.joints;
        let mut carriers = vec![None; self.tracked.columns];
        for joint in joints {
            if let (Some(column), Some(parent)) = (joint.column, joint.parent) {
                carriers[column] = joints[parent].column;
            }
        }
        carriers
    }

    /// Writes the posture that positions show. World positions, one a joint in the order of the list, `None` where a
    /// joint was not seen; what is not finite counts as not seen, and so does what is beyond the end of a short list.
    ///
    /// On entry the pose is that of the frame before (at first: at rest): what nothing decides stays as it is there. The tracked joints
    /// and what is between them are written, everything else is left alone. Nothing is allocated after the first frames.
    pub fn pose(&mut self, positions: &[Option<Vec3>], pose: &mut Pose) {
        let seen = |column: usize| positions.get(column).copied().flatten();
        self.follow(|column| Some(Seen { position: seen(column)?, share: 1.0, fresh: false }), pose);
    }

    /// The same for joints that come back by and by.
    pub(super) fn follow(&mut self, seen: impl Fn(usize) -> Option<Seen<Vec3>>, pose: &mut Pose) {
        self.tracked.settle(pose);
        for (joint, out) in self.tracked.joints.iter().zip(&mut self.seen) {
            let scaled = |s: Seen<Vec3>| Seen {
                position: s.position.as_dvec3() * self.scale,
                share: s.share,
                fresh: s.fresh,
            };
            *out = joint.column.and_then(&seen).map(scaled).filter(|s| s.position.is_finite());
        }
        for index in 0..self.tracked.joints.len() {
            let joint = &self.tracked.joints[index];
            let Some(local) = pose.locals.get(joint.node).copied() else { continue };
            let around = match joint.parent {
                Some(parent) => self.world[parent] * joint.between,
                None => joint.between,
            };
            let inverse = around.inverse();
            let now = local.rotation.as_dquat().normalize();
            let scale = local.scale.as_dvec3();
            let (rotation, translation) = if index == 0 {
                self.root(inverse, now, local.translation.as_dvec3(), scale)
            } else {
                let place = self.place(index, around, inverse, local.translation.as_dvec3());
                (self.branch(index, inverse, place, now, scale), local.translation.as_dvec3())
            };
            let (rotation, translation) = (rotation.as_quat().normalize(), translation.as_vec3());
            let local = &mut pose.locals[self.tracked.joints[index].node];
            if rotation.is_finite() && translation.is_finite() {
                (local.rotation, local.translation) = (rotation, translation);
            }
            self.world[index] = around * affine(*local);
        }
    }

    /// Where a joint below the root is taken to be, in the world, when the directions of its bones are measured: where it was
    /// seen; else where it was fitted, as far beside it as when it was seen last.
    fn place(&mut self, index: usize, around: DAffine3, inverse: DAffine3, translation: DVec3) -> DVec3 {
        let fitted = around.transform_point3(translation);
        let guessed = fitted + around.transform_vector3(self.beside[index]);
        match self.seen[index] {
            Some(seen) if seen.share >= 1.0 => {
                self.beside[index] = finite(inverse.transform_vector3(seen.position - fitted));
                seen.position
            }
            Some(seen) => guessed.lerp(seen.position, seen.share),
            None => guessed,
        }
    }

    /// The rotation of a joint below the root, from its children as seen from its place.
    fn branch(&mut self, index: usize, inverse: DAffine3, place: DVec3, now: DQuat, scale: DVec3) -> DQuat {
        let joint = &self.tracked.joints[index];
        self.bones.clear();
        for &child in &joint.children {
            if let Some(mut seen) = self.seen[child] {
                seen.position = inverse.transform_vector3(seen.position - place);
                let from = scale * self.tracked.joints[child].offset;
                self.bones.push(Bone { child, from, seen });
            }
        }
        let rest = joint.rest.rotation.as_dquat().normalize();
        self.eased(|pairs| turned(rest, now, pairs), |q, from| *q * from)
    }

    /// Rotation and translation of the root, from itself and its children.
    fn root(&mut self, inverse: DAffine3, now: DQuat, translation: DVec3, scale: DVec3) -> (DQuat, DVec3) {
        let joint = &self.tracked.joints[0];
        self.bones.clear();
        let children = joint.children.iter().map(|&c| (c, scale * self.tracked.joints[c].offset));
        for (child, from) in std::iter::once((0, DVec3::ZERO)).chain(children) {
            if let Some(mut seen) = self.seen[child] {
                seen.position = inverse.transform_point3(seen.position);
                self.bones.push(Bone { child, from, seen });
            }
        }
        let rest = joint.rest.rotation.as_dquat().normalize();
        self.eased(|pairs| moved(rest, now, translation, pairs), |(q, t), from| *q * from + *t)
    }

    /// Solves for the bones. What has just come back is first where the others hold it, and goes from there to where it is seen
    /// as its share says: the difference between the two fades (Bollo 2018, "Inertialization").
    fn eased<T>(
        &mut self,
        solve: impl Fn(&mut [(DVec3, DVec3)]) -> T,
        hold: impl Fn(&T, DVec3) -> DVec3,
    ) -> T {
        let Self { bones, pairs, lag, .. } = self;
        if bones.iter().any(|b| b.seen.fresh) {
            pairs.clear();
            pairs.extend(bones.iter().filter(|b| b.seen.share >= 1.0).map(|b| (b.from, b.seen.position)));
            let held = solve(pairs);
            for bone in bones.iter().filter(|b| b.seen.fresh) {
                lag[bone.child] = hold(&held, bone.from) - bone.seen.position;
            }
        }
        pairs.clear();
        pairs.extend(bones.iter().map(|b| {
            let late = if b.seen.share < 1.0 { lag[b.child] * (1.0 - b.seen.share) } else { DVec3::ZERO };
            (b.from, b.seen.position + late)
        }));
        solve(pairs)
    }

    /// How many metres of the skeleton one unit of some frames' positions is: the median, over bones and frames, of the
    /// skeleton's length by the seen one. `None` where no bone was seen at both ends.
    pub fn scale_of<'p>(&self, frames: impl IntoIterator<Item = &'p [Option<Vec3>]>) -> Option<f64> {
        let joints = &self.tracked.joints;
        let mut world: Vec<DAffine3> = Vec::with_capacity(joints.len());
        for joint in joints {
            let around = joint.parent.map_or(DAffine3::IDENTITY, |p| world[p]) * joint.between;
            world.push(around * affine(joint.rest));
        }
        let bones: Vec<(usize, usize, f64)> = joints
            .iter()
            .zip(&world)
            .filter_map(|(joint, at): (&Joint, _)| {
                let parent = joint.parent?;
                let length = (at.translation - world[parent].translation).length();
                Some((joints[parent].column?, joint.column?, length))
            })
            .collect();
        let mut ratios = Vec::new();
        for frame in frames {
            let at = |column: usize| frame.get(column).copied().flatten().map(Vec3::as_dvec3);
            ratios.extend(bones.iter().filter_map(|&(a, b, length)| {
                let ratio = length / (at(a)? - at(b)?).length();
                (ratio.is_finite() && ratio > 0.0).then_some(ratio)
            }));
        }
        let middle = ratios.len() / 2;
        (!ratios.is_empty()).then(|| *ratios.select_nth_unstable_by(middle, f64::total_cmp).1)
    }
}

/// The vector, or none where it is not finite.
fn finite(v: DVec3) -> DVec3 {
    if v.is_finite() { v } else { DVec3::ZERO }
}

fn turned(rest: DQuat, now: DQuat, bones: &[(DVec3, DVec3)]) -> DQuat {
    match *bones {
        [] => now,
        [(from, to)] => swing(rest, now, from, to),
        _ => fit(now, bones),
    }
}

/// The rigid motion from points to points; the points are left about their middles.
fn moved(rest: DQuat, now: DQuat, translation: DVec3, points: &mut [(DVec3, DVec3)]) -> (DQuat, DVec3) {
    #[expect(clippy::cast_precision_loss, reason = "joints are few")]
    let count = points.len() as f64;
    let sum = points.iter().fold((DVec3::ZERO, DVec3::ZERO), |(a, b), (from, to)| (a + from, b + to));
    let (middle, to_middle) = (sum.0 / count, sum.1 / count);
    points.iter_mut().for_each(|(from, to)| (*from, *to) = (*from - middle, *to - to_middle));
    let rotation = match *points {
        [] => return (now, translation),
        [_] => now,
        // Two points are one direction.
        [_, last] => swing(rest, now, last.0, last.1),
        _ => fit(now, points),
    };
    (rotation, to_middle - rotation * middle)
}

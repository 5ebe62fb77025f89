//! Estimates a skeleton from the joint positions of a take: its hierarchy, the lengths of its bones, and its rest shape.

mod hierarchy;
mod lengths;
mod load;
mod shape;
#[cfg(test)]
mod tests;

use std::path::Path;

use glam::{DVec3, Vec3};

use crate::api::with_methods;
use crate::asset::{Character, Clip, Humanoid, Node, Skeleton, Transform};
use crate::rig;

use super::{Bone, CaptureError, RotationFit, Take, TakeOptions};

pub use lengths::EstimatedBone;
pub use load::{LoadOptions, load_character};

/// Maximum number of joints whose hierarchy can be estimated. The time grows with the square of the number.
const MAX_JOINTS: usize = 256;
/// Maximum number of frames, evenly spread over the take, from which the hierarchy and the shape are estimated.
const MAX_FRAMES: usize = 500;
/// Lengths in metres of common units of captured positions.
const UNITS: [f64; 5] = [1.0, 0.01, 0.001, 0.0254, 0.3048];
/// The largest extent of the joints of a standing person, in metres.
const PERSON: f64 = 1.6;

/// Options for the estimation of a skeleton.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SkeletonOptions {
    /// Factor from the unit of the positions to metres. If `None`, it is the common unit in which the joints are closest to human size.
    pub scale: Option<f64>,
    /// Whether left and right bones of the same name get the mean of their lengths.
    pub symmetric: bool,
    /// The parent of each joint of [`Take::positions`]. If `None`, parents follow from the names if all of them are VRM 1.0 names, and
    /// otherwise from the distances between joints.
    pub parents: Option<Vec<Option<usize>>>,
    /// How joint rotations are computed from the positions of child joints.
    pub rotations: RotationFit,
}

impl Default for SkeletonOptions {
    fn default() -> Self {
        Self { scale: None, symmetric: true, parents: None, rotations: RotationFit::default() }
    }
}

with_methods!(SkeletonOptions {
    with_scale(scale: impl Into<Option<f64>>),
    with_symmetric(symmetric: bool),
    with_parents(parents: impl Into<Option<Vec<Option<usize>>>>),
    with_rotations(rotations: RotationFit),
});

/// A skeleton that was estimated from positions.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EstimatedSkeleton {
    /// The skeleton in metres. Its nodes are the joints of [`Take::positions`], or the joints computed from its markers, in the same order.
    /// In the rest pose, the axes of all joints are aligned with the world. A humanoid stands in the T-pose and faces +Z.
    pub skeleton: Skeleton,
    /// The bones of a humanoid.
    pub humanoid: Option<Humanoid>,
    /// The bones, in the order of the joints at their outer ends.
    pub bones: Vec<EstimatedBone>,
    /// Factor from the unit of the positions to metres.
    pub scale: f64,
    /// Whether the hierarchy was estimated from distances rather than given or known from names.
    pub is_hierarchy_estimated: bool,
}

impl Take {
    /// Estimates the skeleton of the performer from the positions of joints, which may have gaps and noise.
    ///
    /// The estimated length of a bone is its median length over all frames, minus the length that noise adds. Joints with several bones get
    /// the mean shape of these bones after least-squares alignment. If all names are VRM 1.0 names, the hierarchy is known. Otherwise, it
    /// is the minimum spanning tree of the changes of the joints' distances, because the distance between the ends of a bone does not
    /// change (after Kirk, O'Brien & Forsyth 2005, "Skeletal parameter estimation from optical motion capture data"). Markers on bones of
    /// VRM 1.0 (`leftHand/1`) are converted to joints first ([`Take::joints_of_markers`]).
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use sinew_character::capture::{SkeletonOptions, parse_csv};
    ///
    /// // An arm in centimetres that bends.
    /// let mut text = "time,a.x,a.y,a.z,b.x,b.y,b.z,c.x,c.y,c.z\n".to_owned();
    /// for frame in 0..50 {
    ///     let angle = f64::from(frame) * 0.04;
    ///     text += &format!("{frame},0,0,0,30,0,0,{},{},0\n", 30.0 + 25.0 * angle.cos(), 25.0 * angle.sin());
    /// }
    /// let take = parse_csv(Path::new("arm.csv"), &text)?;
    /// let found = take.skeleton(&SkeletonOptions::default().with_scale(0.01))?;
    /// let lengths: Vec<f64> = found.bones.iter().map(|b| (b.length * 1e3).round()).collect();
    /// assert_eq!(lengths, [300.0, 250.0]); // millimetres
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`CaptureError`] if the take has no positions or too many joints, or if the given parents are not a hierarchy.
    pub fn skeleton(&self, options: &SkeletonOptions) -> Result<EstimatedSkeleton, CaptureError> {
        let parent = |bone: &str, has_markers: &dyn Fn(&str) -> bool| hierarchy::parent_of(bone, has_markers);
        if let Some(markers) = self.joints_of_markers(rig::is_bone, parent, true) {
            return markers.take.skeleton(options);
        }
        let joints = &self.positions.joints;
        let seen = self.positions.frames.iter().flatten().any(Option::is_some);
        if joints.is_empty() || !seen {
            return Err(CaptureError::Empty);
        }
        let frames = Positions::of(self);
        let named = || hierarchy::by_name(joints);
        let (parents, is_hierarchy_estimated) = match options.parents.clone().or_else(named) {
            Some(parents) => (parents, false),
            None if joints.len() > MAX_JOINTS => {
                return Err(CaptureError::TooManyJoints { count: joints.len(), most: MAX_JOINTS });
            }
            None => (hierarchy::by_distance(&frames, joints.len()), true),
        };
        if parents.len() != joints.len() {
            let cause = format!("{} parents for {} joints", parents.len(), joints.len());
            return Err(CaptureError::Hierarchy { cause });
        }
        let mut bones = lengths::estimate(self, &parents);
        if options.symmetric {
            lengths::make_symmetric(&mut bones, joints);
        }
        let scale = options.scale.filter(|s| s.is_finite() && *s > 0.0).unwrap_or_else(|| unit(&frames));
        let mut offsets = shape::offsets(&frames, &parents);
        for bone in &mut bones {
            let offset = offsets.get_mut(bone.joint);
            if let Some(offset) = offset {
                *offset = offset.normalize_or_zero() * bone.length * scale;
            }
            (bone.length, bone.deviation) = (bone.length * scale, bone.deviation * scale);
        }
        let (skeleton, humanoid) = at_rest(joints, &parents, &offsets)?;
        Ok(EstimatedSkeleton { skeleton, humanoid, bones, scale, is_hierarchy_estimated })
    }

    /// Makes a character that has the estimated skeleton, and the take as its clip. It has no mesh, so only its skeleton is drawn. The clip
    /// is named after `path`, the file of the take.
    ///
    /// # Errors
    /// Same as [`Take::skeleton`] and [`Take::clip`].
    pub fn character(&self, path: &Path, options: &SkeletonOptions) -> Result<Character, CaptureError> {
        let matched = self.matched(|name| Bone::from_vrm(name).map(Bone::index));
        let mut warnings: Vec<String> = Vec::new();
        // The joints of non-human skeletons keep their names.
        let mut take = if matched.unknown.is_empty() && options.parents.is_none() {
            warnings.extend(matched.warnings());
            let mut take = matched.take;
            take.add_hips();
            take
        } else {
            self.clone()
        };
        let found = take.skeleton(options)?;
        let bones = found.humanoid.as_ref().map(|h| h.bones.clone()).unwrap_or_default();
        let options = TakeOptions::default().with_scale(found.scale).with_rotations(options.rotations);
        // The position of a segment with only an orientation cannot be estimated.
        let placed = |name: &String| found.skeleton.find(name).is_some();
        let left_out = take.orientations.retain(placed);
        let captured = take.clip(&found.skeleton, &bones, &options)?;
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        warnings.extend(found.warnings());
        if let Some(first) = left_out.first() {
            let count = left_out.len();
            warnings.push(format!(
                "{count} joints have orientations but no positions, and are left out, for example \"{first}\""
            ));
        }
        Ok(Character {
            path: path.into(),
            units: Some(found.scale),
            clips: vec![Clip { name, ..captured.clip }],
            humanoid: found.humanoid,
            warnings,
            ..Character::new(found.skeleton)
        })
    }
}

impl EstimatedSkeleton {
    /// Describes the estimates and names the uncertain ones, one line each.
    fn warnings(&self) -> Vec<String> {
        let mut warnings = vec![format!(
            "the skeleton was estimated from the positions of {} joints, with one unit as {} m",
            self.skeleton.nodes.len(),
            self.scale
        )];
        if self.is_hierarchy_estimated {
            let cause =
                "the names of the joints are not those of VRM 1.0, so their hierarchy was estimated too";
            warnings.push(cause.to_owned());
        }
        let worst = self.bones.iter().filter(|b| b.frames > 0).max_by(|a, b| {
            let part = |bone: &EstimatedBone| bone.deviation / bone.length.max(1e-3);
            part(a).total_cmp(&part(b))
        });
        if let Some(bone) = worst.filter(|b| b.deviation > 0.1 * b.length) {
            let name = |joint: usize| self.skeleton.label(joint);
            warnings.push(format!(
                "the distance from \"{}\" to \"{}\" changes by {:.0} % of the bone's {:.0} mm",
                name(bone.parent),
                name(bone.joint),
                1e2 * bone.deviation / bone.length.max(1e-3),
                bone.length * 1e3
            ));
        }
        warnings
    }
}

/// Evenly spread frames of a take, with positions in the take's unit.
struct Positions(Vec<Vec<Option<DVec3>>>);

impl Positions {
    fn of(take: &Take) -> Self {
        let frames = &take.positions.frames;
        let step = frames.len().div_ceil(MAX_FRAMES).max(1);
        let position = |p: &Option<Vec3>| p.map(Vec3::as_dvec3).filter(|p| p.is_finite());
        Self(frames.iter().step_by(step).map(|f| f.iter().map(position).collect()).collect())
    }

    fn at(&self, frame: usize, joint: usize) -> Option<DVec3> {
        self.0.get(frame)?.get(joint).copied().flatten()
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

/// Returns the unit in which the joints are closest to human size. Their size is the median over frames of their longest extent.
fn unit(frames: &Positions) -> f64 {
    let extent = |frame: &Vec<Option<DVec3>>| {
        let mut seen = frame.iter().flatten();
        let first = *seen.next()?;
        let (low, high) = seen.fold((first, first), |(low, high), p| (low.min(*p), high.max(*p)));
        Some((high - low).max_element()).filter(|size| *size > 0.0)
    };
    let mut extents: Vec<f64> = frames.0.iter().filter_map(extent).collect();
    let Some(size) = lengths::median(&mut extents) else { return 1.0 };
    let error = |metres: &f64| (size * metres / PERSON).ln().abs();
    UNITS.into_iter().min_by(|a, b| error(a).total_cmp(&error(b))).unwrap_or(1.0)
}

/// Creates the skeleton with its rest pose from the offsets of the joints from their parents, in metres.
fn at_rest(
    joints: &[String],
    parents: &[Option<usize>],
    offsets: &[DVec3],
) -> Result<(Skeleton, Option<Humanoid>), CaptureError> {
    let node = |(name, (parent, offset)): (&String, (&Option<usize>, &DVec3))| Node {
        parent: *parent,
        rest: Transform::from_translation(offset.as_vec3()),
        ..Node::new(name)
    };
    let nodes = joints.iter().zip(parents.iter().zip(offsets)).map(node).collect();
    let skeleton = Skeleton::new(nodes).map_err(|e| CaptureError::Hierarchy { cause: e.to_string() })?;
    // If all names are VRM 1.0 bone names, they are used unchanged. Otherwise, bones are recognised by their names.
    let exact = joints.iter().all(|name| rig::is_bone(name));
    let exact = exact.then(|| Humanoid { bones: joints.iter().cloned().zip(0..).collect(), vrm: 1 });
    let humanoid = exact.or_else(|| {
        let bones = rig::bones_by_name(&Character::new(skeleton.clone()))?;
        Some(Humanoid { bones, vrm: 1 })
    });
    let positions = shape::rest_positions(&skeleton, humanoid.as_ref().map(|h| &h.bones));
    let mut nodes = skeleton.nodes;
    for (index, node) in nodes.iter_mut().enumerate() {
        let at = |joint: usize| positions.get(joint).copied().unwrap_or_default();
        let offset = at(index) - node.parent.map_or(Vec3::ZERO, at);
        node.rest = Transform::from_translation(offset);
    }
    let skeleton = Skeleton::new(nodes).map_err(|e| CaptureError::Hierarchy { cause: e.to_string() })?;
    Ok((skeleton, humanoid))
}

//! Matches the names of a take with the joints of a body.

use std::collections::{HashMap, HashSet};

use glam::Vec3;

use super::bones::is_landmark;
use super::markers::segment_of;
use super::{Bone, Take, Tracks};

/// The main joints of a body. If one of them is missing, a limb or the head only follows neighbouring joints.
const MAIN: [&str; 13] = [
    "head",
    "leftUpperArm",
    "leftLowerArm",
    "leftHand",
    "rightUpperArm",
    "rightLowerArm",
    "rightHand",
    "leftUpperLeg",
    "leftLowerLeg",
    "leftFoot",
    "rightUpperLeg",
    "rightLowerLeg",
    "rightFoot",
];
/// Maximum number of names in a warning.
const MAX_NAMES: usize = 5;

/// A take whose joints were matched with a body.
#[derive(Clone, Debug)]
pub(super) struct MatchedTake {
    pub(super) take: Take,
    /// The names that match no joint.
    pub(super) unknown: Vec<String>,
    /// The joints that were never measured, and the main joints of a body that the take does not have.
    pub(super) missing: Vec<String>,
}

impl MatchedTake {
    /// Describes the unknown names and the missing joints, one line each.
    pub(super) fn warnings(&self) -> impl Iterator<Item = String> {
        let unknown = (!self.unknown.is_empty())
            .then(|| format!("joints without a node or a bone are ignored: {}", listed(&self.unknown)));
        let missing = (!self.missing.is_empty()).then(|| {
            let names = listed(&self.missing);
            format!("the take does not have all joints of a body; missing, and posed by the joints beside them: {names}")
        });
        [unknown, missing].into_iter().flatten()
    }
}

/// Lists at most [`MAX_NAMES`] names and the number of remaining names.
fn listed(names: &[String]) -> String {
    let first: Vec<String> = names.iter().take(MAX_NAMES).map(|name| format!("\"{name}\"")).collect();
    match names.len().saturating_sub(MAX_NAMES) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

impl Take {
    /// Keeps the joints of a body, and gives them the names of its bones. `find` returns the index of the joint with a given name.
    ///
    /// A joint whose own name does not exist in the body gets the name of its bone ([`Bone::from_sensor`]). Several joints of one bone,
    /// such as both ears, are replaced by their mean. Landmarks that are not joints, and joints that were never measured, are left out.
    pub(super) fn matched(&self, find: impl Fn(&str) -> Option<usize>) -> MatchedTake {
        let is_joint = |name: &str| find(name).is_some();
        let mut unknown = Vec::new();
        let mut named = |name: &String| {
            let joint = joint_of(name, &is_joint);
            if joint.is_none() && !is_landmark(name) && !unknown.contains(name) {
                unknown.push(name.clone());
            }
            joint
        };
        let mean = |values: &mut dyn Iterator<Item = Option<Vec3>>| {
            let (mut sum, mut count) = (values.next()??, 1.0);
            for value in values {
                (sum, count) = (sum + value?, count + 1.0);
            }
            Some(sum / count)
        };
        let mut positions = renamed(&self.positions, &mut named, mean);
        let orientations = renamed(&self.orientations, &mut named, |values| values.next().flatten());
        let mut missing = if self.times.is_empty() { Vec::new() } else { drop_unmeasured(&mut positions) };
        // A joint may have its node's name instead of its bone's.
        let found = |tracks: &[String]| tracks.iter().filter_map(|name| find(name)).collect::<HashSet<_>>();
        let (placed, oriented) = (found(&positions.joints), found(&orientations.joints));
        let main = || MAIN.iter().filter_map(|bone| Some((*bone, find(bone)?)));
        let is_body = 2 * main().filter(|(_, joint)| placed.contains(joint)).count() > MAIN.len();
        for (bone, joint) in main().filter(|_| is_body) {
            let is_known = placed.contains(&joint) || oriented.contains(&joint);
            if !is_known && !missing.iter().any(|name| find(name) == Some(joint)) {
                missing.push(bone.to_owned());
            }
        }
        MatchedTake { take: Self { times: self.times.clone(), positions, orientations }, unknown, missing }
    }

    /// Adds the hips midway between the legs, if the take does not have them.
    pub(super) fn add_hips(&mut self) {
        let column = |name: &str| self.positions.joints.iter().position(|joint| joint == name);
        let (None, Some(left), Some(right)) =
            (column("hips"), column("leftUpperLeg"), column("rightUpperLeg"))
        else {
            return;
        };
        let joints = self.positions.joints.iter().cloned().chain(["hips".to_owned()]);
        let mut positions = Tracks::of(joints.collect());
        for frame in self.positions.frames.iter() {
            let at = |column: usize| frame.get(column).copied().flatten();
            let hips = at(left).zip(at(right)).map(|(left, right)| left.midpoint(right));
            positions.frames.push(frame.iter().copied().chain([hips]));
        }
        self.positions = positions;
    }
}

/// Returns the name of the joint, or of the marker on a joint, to which a name in a take refers.
fn joint_of(name: &str, is_joint: &impl Fn(&str) -> bool) -> Option<String> {
    let known = |name: &str| {
        if is_joint(name) {
            return Some(name.to_owned());
        }
        Bone::from_sensor(name).map(Bone::vrm).filter(|bone| is_joint(bone))
    };
    known(name).or_else(|| {
        let segment = segment_of(name)?;
        Some(format!("{}{}", known(segment)?, name.strip_prefix(segment)?))
    })
}

/// Returns the tracks for which `named` returns a name. `merge` combines the values of several columns with the same name.
fn renamed<V: Clone>(
    tracks: &Tracks<V>,
    mut named: impl FnMut(&String) -> Option<String>,
    merge: impl Fn(&mut dyn Iterator<Item = Option<V>>) -> Option<V>,
) -> Tracks<V> {
    let (mut joints, mut columns, mut index) = (Vec::new(), Vec::<Vec<usize>>::new(), HashMap::new());
    for (column, name) in tracks.joints.iter().enumerate() {
        let Some(joint) = named(name) else { continue };
        let place = *index.entry(joint.clone()).or_insert(joints.len());
        match columns.get_mut(place) {
            Some(columns) => columns.push(column),
            None => {
                joints.push(joint);
                columns.push(vec![column]);
            }
        }
    }
    let mut out = Tracks::of(joints);
    for frame in tracks.frames.iter() {
        let value = |column: &usize| frame.get(*column).cloned().flatten();
        out.frames.push(columns.iter().map(|columns| merge(&mut columns.iter().map(value))));
    }
    out
}

/// Removes the joints that were never measured, and returns their names. Does nothing if no joint was measured.
fn drop_unmeasured(positions: &mut Tracks<Vec3>) -> Vec<String> {
    let mut is_measured = vec![false; positions.joints.len()];
    for frame in positions.frames.iter() {
        is_measured.iter_mut().zip(frame).for_each(|(is_measured, value)| *is_measured |= value.is_some());
    }
    if is_measured.iter().all(|is_measured| !is_measured) {
        return Vec::new();
    }
    let measured: HashMap<String, bool> = positions.joints.iter().cloned().zip(is_measured).collect();
    positions.retain(|joint| measured.get(joint).copied().unwrap_or(true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::tests::{SampledWalk, walk, worlds};
    use crate::capture::{Frames, SkeletonOptions, TakeOptions};
    use crate::motion::Playhead;
    use crate::pose::Pose;

    const KINECT: [(&str, &str); 19] = [
        ("hips", "SpineBase"),
        ("spine", "SpineMid"),
        ("neck", "SpineShoulder"),
        ("head", "Head"),
        ("leftUpperArm", "ShoulderLeft"),
        ("leftLowerArm", "ElbowLeft"),
        ("leftHand", "WristLeft"),
        ("leftMiddleProximal", "HandLeft"),
        ("rightUpperArm", "ShoulderRight"),
        ("rightLowerArm", "ElbowRight"),
        ("rightHand", "WristRight"),
        ("leftUpperLeg", "HipLeft"),
        ("leftLowerLeg", "KneeLeft"),
        ("leftFoot", "AnkleLeft"),
        ("leftToes", "FootLeft"),
        ("rightUpperLeg", "HipRight"),
        ("rightLowerLeg", "KneeRight"),
        ("rightFoot", "AnkleRight"),
        ("rightToes", "FootRight"),
    ];
    const MEDIAPIPE: [(&str, &str); 15] = [
        ("head", "nose"),
        ("head", "left_ear"),
        ("head", "right_ear"),
        ("leftUpperArm", "left_shoulder"),
        ("leftLowerArm", "left_elbow"),
        ("leftHand", "left_wrist"),
        ("rightUpperArm", "right_shoulder"),
        ("rightLowerArm", "right_elbow"),
        ("rightHand", "right_wrist"),
        ("leftUpperLeg", "left_hip"),
        ("leftLowerLeg", "left_knee"),
        ("leftFoot", "left_ankle"),
        ("rightUpperLeg", "right_hip"),
        ("rightLowerLeg", "right_knee"),
        ("rightFoot", "right_ankle"),
    ];

    /// Returns the walk as measured by a sensor with its own bone names.
    fn take(seen: &SampledWalk, names: &[(&str, &str)]) -> Take {
        let bones = &seen.character.humanoid.as_ref().unwrap().bones;
        let columns: Vec<usize> =
            names.iter().map(|(bone, _)| bones.keys().position(|known| known == bone).expect(bone)).collect();
        let rows = seen.frames.iter().map(|frame| columns.iter().map(|c| frame[*c]).collect());
        let frames = Frames::of(names.len(), rows);
        let joints = names.iter().map(|(_, name)| (*name).to_owned()).collect();
        let times = (0..frames.len()).map(|frame| frame as f64 / 60.0).collect();
        Take { times, positions: Tracks { joints, frames }, ..Take::default() }
    }

    /// Returns the warnings and the largest distance in metres between a bone and its true position in the walk.
    fn error(seen: &SampledWalk, take: &Take, bone: &str) -> (f32, Vec<String>) {
        let skeleton = &seen.character.skeleton;
        let bones = &seen.character.humanoid.as_ref().unwrap().bones;
        let captured = take.clip(skeleton, bones, &TakeOptions::default()).unwrap();
        let (mut pose, mut playhead, mut largest) = (Pose::rest(skeleton), Playhead::default(), 0.0_f32);
        for (frame, truth) in seen.poses.iter().enumerate() {
            playhead.sample(&captured.clip, frame as f32 / 60.0, skeleton, &mut pose);
            let node = bones[bone];
            let (now, truth) = (worlds(&seen.character, &pose), worlds(&seen.character, truth));
            largest = largest.max(now[node].translation.distance(truth[node].translation));
        }
        (largest, captured.warnings)
    }

    #[test]
    fn takes_with_the_names_of_kinect_and_mediapipe_drive_a_character() {
        let seen = walk(0.5);
        for (names, limit) in [(&KINECT[..], 0.01), (&MEDIAPIPE[..], 0.06)] {
            let take = take(&seen, names);
            for bone in ["leftHand", "rightHand", "leftFoot", "rightFoot"] {
                let (error, warnings) = error(&seen, &take, bone);
                assert!(error < limit, "{bone}: {error} m with {}", names[0].1);
                assert_eq!(warnings, Vec::<String>::new());
            }
        }
        // A take of MediaPipe has no hips, but becomes a skeleton with hips.
        let take = take(&seen, &MEDIAPIPE);
        let character = take.character(std::path::Path::new("a.csv"), &SkeletonOptions::default()).unwrap();
        let hips = character.humanoid.unwrap().bones["hips"];
        assert_eq!(character.skeleton.parents_first.first(), Some(&(hips, None)));
    }

    #[test]
    fn a_take_that_lacks_a_joint_names_it_and_poses_the_rest() {
        let seen = walk(0.5);
        let bones: Vec<String> = seen.character.humanoid.as_ref().unwrap().bones.keys().cloned().collect();
        let names: Vec<(&str, &str)> = bones.iter().map(|bone| (bone.as_str(), bone.as_str())).collect();
        let missing = "the take does not have all joints of a body; missing, and posed by the joints beside them: \
            \"leftLowerArm\"";
        let elbow = bones.iter().position(|bone| bone == "leftLowerArm").unwrap();
        // The column of the elbow is empty or missing.
        let mut empty = take(&seen, &names);
        (0..empty.times.len()).for_each(|frame| empty.positions.frames.get_mut(frame).unwrap()[elbow] = None);
        let without: Vec<_> = names.iter().copied().filter(|(bone, _)| *bone != "leftLowerArm").collect();
        for mut take in [empty, take(&seen, &without)] {
            for bone in ["rightHand", "leftFoot"] {
                let (error, warnings) = error(&seen, &take, bone);
                assert!(error < 0.002, "{bone}: {error} m");
                assert_eq!(warnings, [missing]);
            }
            // The arm still points to the hand.
            assert!(error(&seen, &take, "leftHand").0 < 0.1);
            take.positions.joints[0] = "wing".to_owned();
            let warnings = error(&seen, &take, "rightHand").1;
            assert_eq!(warnings[0], "joints without a node or a bone are ignored: \"wing\"");
        }
    }
}

//! The conversion of takes to clips.

use std::collections::BTreeMap;

use glam::Quat;

use crate::api::{Missing, with_methods};
use crate::asset::{Clip, Skeleton};
use crate::motion::Recorder;
use crate::pose::Pose;
use crate::rig::file::NodeNames;

use super::markers::{self, Anchors};
use super::{
    CaptureError, Fit, Frames, MarkerTake, OrientationFilter, PointFilter, RotationFit, Segments, Smoothing,
    Take, fill_gaps, smooth_orientations, smooth_positions,
};

/// Options for the conversion of a take to a clip.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct TakeOptions {
    /// Factor from the unit of the positions to metres. If `None`, it is estimated from the lengths of the skeleton's
    /// bones. It is 1 if no bone was measured.
    pub scale: Option<f64>,
    /// Filter for the positions, with parameters for positions in metres.
    pub smooth_positions: Option<Smoothing>,
    /// Filter for the orientations.
    pub smooth_orientations: Option<Smoothing>,
    /// The performer's pose in the first frame, from which the sensors are calibrated. If `None`, the sensors must be
    /// aligned with the joints.
    pub calibration_pose: Option<Pose>,
    /// How joint rotations are computed from the positions of child joints.
    pub rotations: RotationFit,
}

with_methods!(TakeOptions {
    with_scale(scale: impl Into<Option<f64>>),
    with_smooth_positions(smooth_positions: impl Into<Option<Smoothing>>),
    with_smooth_orientations(smooth_orientations: impl Into<Option<Smoothing>>),
    with_calibration_pose(calibration_pose: impl Into<Option<Pose>>),
    with_rotations(rotations: RotationFit),
});

/// A clip made from a take, and the values that were estimated.
#[derive(Clone, Debug)]
pub struct Captured {
    /// The clip, which animates the skeleton's nodes. It starts at the take's first frame.
    pub clip: Clip,
    /// The factor that was used to convert positions to metres.
    pub scale: f64,
    /// The node or bone names of the joints whose positions were used.
    pub joints: Vec<String>,
    /// For each frame and joint of `joints`, whether the position was filled in.
    pub filled: Frames<bool>,
    /// Missing and ignored data of the take, one line each.
    pub warnings: Vec<String>,
}

impl Take {
    /// Fits a skeleton to the take and returns the clip. Positions are fitted first, and orientations are then applied on top. A joint name
    /// refers to a node or, if no node has this name, to a bone of the humanoid. Sensors have additional names for bones
    /// ([`Bone::from_sensor`](super::Bone::from_sensor)). Nodes that are not in the take keep their rest pose, and joints that do not exist
    /// are ignored. [`Captured::warnings`] describes both. Markers (`SEGMENT/MARKER`) are converted to joints first
    /// ([`Take::joints_of_markers`]). The calibration pose aligns the axes of the marked segments with the joint axes. Without it, they are
    /// aligned on average over the take.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use sinew_character::{asset, rig};
    /// use sinew_character::capture::{TakeOptions, Take, parse_csv, write_csv};
    ///
    /// // The walk of the mannequin as sensors would record it.
    /// let mannequin = asset::mannequin()?;
    /// let bones = rig::humanoid(&mannequin)?;
    /// let take = Take::of(&mannequin.clips[2], &mannequin.skeleton, &bones);
    /// let take = parse_csv(Path::new("walk.csv"), &write_csv(&take))?;
    ///
    /// let captured = take.clip(&mannequin.skeleton, &bones, &TakeOptions::default())?;
    /// assert!((captured.clip.seconds - mannequin.clips[2].seconds).abs() < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`CaptureError`] if no joint name is known, [`Fit::new`] rejects the joints, times do not increase, or a
    /// clip cannot contain that many frames.
    pub fn clip(
        &self,
        skeleton: &Skeleton,
        bones: &BTreeMap<String, usize>,
        options: &TakeOptions,
    ) -> Result<Captured, CaptureError> {
        let matched = self.matched(|name| find_joint(skeleton, bones, name));
        let take = &matched.take;
        if let ([], [], Some(name)) =
            (&*take.positions.joints, &*take.orientations.joints, matched.unknown.first())
        {
            return Err(unknown_joint(skeleton, bones, name));
        }
        let captured = match markers::for_skeleton(take, skeleton, bones) {
            Some(markers) => markers.take.clone().joint_clip(skeleton, bones, options, Some(markers)),
            None => take.joint_clip(skeleton, bones, options, None),
        }?;
        Ok(Captured { warnings: matched.warnings().collect(), ..captured })
    }

    /// Like [`Self::clip`], for a take of joints. The joints may come from markers.
    fn joint_clip(
        &self,
        skeleton: &Skeleton,
        bones: &BTreeMap<String, usize>,
        options: &TakeOptions,
        mut markers: Option<MarkerTake>,
    ) -> Result<Captured, CaptureError> {
        let mut frames = self.positions.frames.clone();
        frames.resize(self.times.len());
        let joints = find_joints(skeleton, bones, &self.positions.joints)?;
        let mut fit = if joints.is_empty() { None } else { Some(Fit::new(skeleton, &joints)?) };
        let oriented = find_joints(skeleton, bones, &self.orientations.joints)?;
        let mut segments = if oriented.is_empty() { None } else { Some(Segments::new(skeleton, &oriented)?) };
        let (mut scale, parents) =
            (options.scale.unwrap_or(1.0), fit.as_ref().map_or(Vec::new(), Fit::logical_parents));
        if let Some(fit) = &mut fit {
            let found = || fit.scale_of(frames.iter());
            scale = options.scale.or_else(found).unwrap_or(1.0);
            fit.scale = scale;
            fit.rotations = options.rotations;
        }
        let filled = fill_gaps(&self.times, &mut frames, &parents)?;
        if let (Some(markers), None) = (&mut markers, &options.calibration_pose) {
            markers.align(skeleton, &oriented, fit.as_ref(), &frames);
        }
        let anchors = markers.as_ref().and_then(|markers| {
            let root = *find_joints(skeleton, bones, &[markers.root.clone()?]).ok()?.first()?;
            Anchors::new(markers, root, &joints)
        });
        let orientations = markers.as_ref().map_or(&self.orientations, |m| &m.take.orientations);
        if let (Some(segments), Some(calibration_pose)) = (&mut segments, &options.calibration_pose) {
            segments.calibrate(orientations.frames.get(0).unwrap_or_default(), calibration_pose);
        }

        // The filter's parameters are in metres per second, but the positions are in the take's unit.
        let smoothing = options.smooth_positions.map(|s| Smoothing { beta: s.beta * scale, ..s });
        let mut position_filters: Vec<_> =
            smoothing.map_or(Vec::new(), |s| vec![PointFilter::new(s); parents.len()]);
        let sensors = self.orientations.joints.len();
        let mut orientation_filters: Vec<_> =
            options.smooth_orientations.map_or(Vec::new(), |s| vec![OrientationFilter::new(s); sensors]);
        let (mut pose, mut recorder) = (Pose::rest(skeleton), Recorder::new(skeleton));
        let mut smoothed: Vec<Option<Quat>> = Vec::new();
        for (frame, &time) in self.times.iter().enumerate() {
            if let (Some(fit), Some(positions)) = (&mut fit, frames.get_mut(frame)) {
                smooth_positions(&mut position_filters, time, positions);
                fit.pose(positions, &mut pose);
            }
            if let (Some(segments), Some(measured)) = (&mut segments, orientations.frames.get(frame)) {
                smoothed.clear();
                smoothed.extend_from_slice(measured);
                smooth_orientations(&mut orientation_filters, time, &mut smoothed);
                segments.pose(&smoothed, &mut pose);
            }
            if let (Some(anchors), Some(positions)) = (&anchors, frames.get(frame)) {
                anchors.move_root(skeleton, positions, scale, &mut pose);
            }
            if !recorder.push(time, &pose) && recorder.is_full() {
                return Err(CaptureError::TooLong { frame });
            }
        }
        let clip = recorder.clip(skeleton, None).ok_or(CaptureError::Empty)?;
        Ok(Captured { clip, scale, joints: self.positions.joints.clone(), filled, warnings: Vec::new() })
    }
}

/// Finds the nodes with the given names.
fn find_joints(
    skeleton: &Skeleton,
    bones: &BTreeMap<String, usize>,
    names: &[String],
) -> Result<Vec<usize>, CaptureError> {
    let by_name =
        |name: &String| find_joint(skeleton, bones, name).ok_or_else(|| unknown_joint(skeleton, bones, name));
    names.iter().map(by_name).collect()
}

fn unknown_joint(skeleton: &Skeleton, bones: &BTreeMap<String, usize>, name: &str) -> CaptureError {
    Missing::name("joint", name, NodeNames::with_bones(skeleton, bones).known()).into()
}

/// Finds the node with a name, or otherwise the bone with that name.
fn find_joint(skeleton: &Skeleton, bones: &BTreeMap<String, usize>, name: &str) -> Option<usize> {
    skeleton.find(name).or_else(|| bones.get(name).copied())
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::capture::tests::{walk, worlds};
    use crate::capture::{Tracks, calibration_pose};
    use crate::motion::Playhead;

    #[test]
    fn positions_in_centimetres_become_a_clip() {
        let seen = walk(1.0);
        let skeleton = &seen.character.skeleton;
        let bones = &seen.character.humanoid.as_ref().unwrap().bones;
        let mut frames = Frames::of(
            bones.len(),
            seen.frames.iter().map(|f| f.iter().map(|p| p.map(|p| p * 100.0)).collect()),
        );
        (20..30).for_each(|f| frames.get_mut(f).unwrap()[3] = None);
        let take = Take {
            times: (0..frames.len()).map(|f| f as f64 / 60.0).collect(),
            positions: Tracks { joints: bones.keys().cloned().collect(), frames },
            ..Take::default()
        };
        let captured = take.clip(skeleton, bones, &TakeOptions::default()).unwrap();
        assert!((captured.scale - 0.01).abs() < 1e-6);
        assert!(captured.filled[25][3] && !captured.filled[19][3]);
        let (mut pose, mut playhead) = (Pose::rest(skeleton), Playhead::default());
        playhead.sample(&captured.clip, 50.0 / 60.0, skeleton, &mut pose);
        let (now, truth) = (worlds(&seen.character, &pose), worlds(&seen.character, &seen.poses[50]));
        for &joint in &seen.joints {
            assert!(now[joint].translation.distance(truth[joint].translation) < 1e-3);
        }
        let smoothed = TakeOptions { smooth_positions: Some(Smoothing::POSITIONS), ..TakeOptions::default() };
        assert!(take.clip(skeleton, bones, &smoothed).is_ok());
    }

    #[test]
    fn a_take_with_hip_positions_and_segment_orientations_becomes_a_clip() {
        let mut seen = walk(0.5);
        let skeleton = &seen.character.skeleton;
        let bones = &seen.character.humanoid.as_ref().unwrap().bones;
        seen.poses.insert(0, calibration_pose(skeleton, bones, 0.0));
        let worlds: Vec<_> = seen.poses.iter().map(|p| worlds(&seen.character, p)).collect();
        let turned = Quat::from_rotation_x(0.4);
        let hips = |w: &Vec<glam::Affine3A>| vec![Some(Vec3::from(w[bones["hips"]].translation))];
        let orientations = |w: &Vec<glam::Affine3A>| {
            seen.joints.iter().map(|&j| Some(Quat::from_mat3a(&w[j].matrix3) * turned)).collect()
        };
        let take = Take {
            times: (0..worlds.len()).map(|f| f as f64 / 60.0).collect(),
            positions: Tracks {
                joints: vec!["hips".to_owned()],
                frames: Frames::of(1, worlds.iter().map(hips)),
            },
            orientations: Tracks {
                joints: bones.keys().cloned().collect(),
                frames: Frames::of(bones.len(), worlds.iter().map(orientations)),
            },
        };
        let options = TakeOptions {
            calibration_pose: Some(calibration_pose(skeleton, bones, 0.0)),
            ..TakeOptions::default()
        };
        let captured = take.clip(skeleton, bones, &options).unwrap();
        let (mut pose, mut playhead) = (Pose::rest(skeleton), Playhead::default());
        playhead.sample(&captured.clip, 20.0 / 60.0, skeleton, &mut pose);
        let now = crate::capture::tests::worlds(&seen.character, &pose);
        for &joint in &seen.joints {
            assert!(now[joint].abs_diff_eq(worlds[20][joint], 2e-3), "{}", skeleton.label(joint));
        }
    }

    #[test]
    fn a_clip_survives_the_conversion_to_a_take_and_back() {
        let seen = walk(0.1);
        let (skeleton, bones) = (&seen.character.skeleton, &seen.character.humanoid.as_ref().unwrap().bones);
        let clip = seen.character.clips.iter().find(|c| c.name.as_deref() == Some("wave")).unwrap();
        let take = Take::of(clip, skeleton, bones);
        let text = crate::capture::write_csv(&take);
        let take = crate::capture::parse_csv(std::path::Path::new("wave.csv"), &text).unwrap();
        let converted = take.clip(skeleton, bones, &TakeOptions::default()).unwrap().clip;
        let (mut a, mut b) = (Pose::rest(skeleton), Pose::rest(skeleton));
        for frame in 0..20 {
            let time = clip.seconds * frame as f32 / 20.0;
            Playhead::default().sample(clip, time, skeleton, &mut a);
            Playhead::default().sample(&converted, time, skeleton, &mut b);
            let (a, b) = (worlds(&seen.character, &a), worlds(&seen.character, &b));
            for &joint in &seen.joints {
                assert!(
                    a[joint].translation.distance(b[joint].translation) < 2e-3,
                    "{}",
                    skeleton.label(joint)
                );
            }
        }
    }

    #[test]
    fn an_unknown_joint_name_is_an_error() {
        let seen = walk(0.1);
        let mut take = Take { times: vec![0.0], ..Take::default() };
        take.positions.joints.push("wing".to_owned());
        let error =
            take.clip(&seen.character.skeleton, &BTreeMap::new(), &TakeOptions::default()).unwrap_err();
        assert!(error.to_string().starts_with("joint \"wing\" does not exist; nearest: \""), "{error}");
    }
}

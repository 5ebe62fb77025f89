//! Smooths the poses of live capture.

use glam::DQuat;

use crate::pose::Pose;

use super::{OrientationFilter, PointFilter, Smoothing};

/// Uses One Euro filters to smooth the local rotations of nodes, and the translation of one of them.
///
/// Smooths local rotations instead of world orientations, so that a fast turn of the body does not weaken the smoothing of a hand
/// that rests on it.
#[derive(Clone, Debug)]
pub struct PoseFilter {
    rotations: Vec<(usize, OrientationFilter)>,
    translation: Option<(usize, PointFilter)>,
}

impl PoseFilter {
    /// Creates a filter for the rotations of `nodes` and the translation of `root`, with parameters for radians and metres.
    ///
    /// ```
    /// use sinew_character::capture::{PoseFilter, Smoothing};
    /// use sinew_character::glam::Quat;
    /// use sinew_character::pose::Pose;
    ///
    /// let skeleton = sinew_character::asset::mannequin()?.skeleton;
    /// let head = skeleton.find("head").ok_or("no head")?;
    /// let mut filter = PoseFilter::new([head], None, Smoothing::ORIENTATIONS, Smoothing::POSITIONS);
    /// let mut pose = Pose::rest(&skeleton);
    /// filter.apply(0.0, &mut pose);
    /// // A spike of one frame.
    /// pose.locals[head].rotation *= Quat::from_rotation_x(0.5);
    /// filter.apply(1.0 / 60.0, &mut pose);
    /// assert!(pose.locals[head].rotation.angle_between(skeleton.nodes[head].rest.rotation) < 0.3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(
        nodes: impl IntoIterator<Item = usize>,
        root: Option<usize>,
        rotations: Smoothing,
        translation: Smoothing,
    ) -> Self {
        Self {
            rotations: nodes.into_iter().map(|node| (node, OrientationFilter::new(rotations))).collect(),
            translation: root.map(|root| (root, PointFilter::new(translation))),
        }
    }

    /// Returns the nodes whose rotations are smoothed.
    pub fn nodes(&self) -> impl Iterator<Item = usize> {
        self.rotations.iter().map(|(node, _)| *node)
    }

    /// Smooths a pose in place. `time` is its time in seconds. No memory is allocated.
    pub fn apply(&mut self, time: f64, pose: &mut Pose) {
        for (node, filter) in &mut self.rotations {
            if let Some(local) = pose.locals.get_mut(*node)
                && let Some(rotation) = filter.filter(time, local.rotation.as_dquat())
            {
                local.rotation = DQuat::normalize(rotation).as_quat();
            }
        }
        if let Some((node, filter)) = &mut self.translation
            && let Some(local) = pose.locals.get_mut(*node)
            && let Some(translation) = filter.filter(time, local.translation.as_dvec3())
        {
            local.translation = translation.as_vec3();
        }
    }
}

//! Checks that poses and clips are finite before they are written or shown.

use glam::{Affine3A, Quat, Vec3};

use crate::mathematics::accumulate;

use super::{Clip, Skeleton, Transform, Values};

/// A pose or a clip contains a number that is infinite or NaN.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("joint \"{joint}\": {property} is not finite")]
pub struct NotFinite {
    /// The joint's name, or `#INDEX`.
    pub joint: String,
    /// The property that is not finite.
    pub property: &'static str,
}

impl Transform {
    /// Returns the name of the first property that is not finite.
    pub(super) fn not_finite(&self) -> Option<&'static str> {
        match () {
            () if !self.translation.is_finite() => Some("translation"),
            () if !self.rotation.is_finite() => Some("rotation"),
            () if !self.scale.is_finite() => Some("scale"),
            () => None,
        }
    }
}

impl Skeleton {
    fn not_finite(&self, node: usize, property: &'static str) -> NotFinite {
        NotFinite { joint: self.label(node), property }
    }

    /// Checks that local transforms and morph weights, laid out as in the skeleton, are finite.
    ///
    /// # Errors
    /// [`NotFinite`] with the first node whose numbers are not all finite.
    pub fn check_pose(&self, locals: &[Transform], weights: &[f32]) -> Result<(), NotFinite> {
        for (node, local) in locals.iter().enumerate() {
            if let Some(property) = local.not_finite() {
                return Err(self.not_finite(node, property));
            }
        }
        match weights.iter().position(|w| !w.is_finite()) {
            Some(weight) => {
                let node = self.morph_of(weight).map_or(0, |(node, _)| node);
                Err(self.not_finite(node, "morph weight"))
            }
            None => Ok(()),
        }
    }

    /// Checks that the world matrices of all nodes, given in file order, are finite. Products of finite matrices can
    /// overflow.
    ///
    /// # Errors
    /// [`NotFinite`] with the first node that is not finite. Parents are checked before their children.
    pub fn check_world(&self, world_from_node: &[Affine3A]) -> Result<(), NotFinite> {
        let nodes = self.parents_first.iter().map(|(node, _)| *node);
        let is_not_finite = |&node: &usize| world_from_node.get(node).is_some_and(|m| !m.is_finite());
        nodes
            .into_iter()
            .find(is_not_finite)
            .map_or(Ok(()), |node| Err(self.not_finite(node, "world matrix")))
    }

    /// Checks that the rest pose is finite, both in local and in world space.
    ///
    /// # Errors
    /// The index of the first node that is not finite, and [`NotFinite`].
    pub(crate) fn check_rest(&self) -> Result<(), (usize, NotFinite)> {
        let world = self.world_from_rest();
        for &(node, _) in &self.parents_first {
            let matrix = (!world[node].is_finite()).then_some("world matrix");
            if let Some(property) = self.nodes[node].rest.not_finite().or(matrix) {
                return Err((node, self.not_finite(node, property)));
            }
        }
        Ok(())
    }

    /// Returns the world matrices of all nodes in the rest pose, in file order.
    pub(super) fn world_from_rest(&self) -> Vec<Affine3A> {
        let mut world = vec![Affine3A::IDENTITY; self.nodes.len()];
        accumulate(self.parents_first.iter().copied(), &mut world, |node| {
            let sheared = self.sheared.get(&node).copied();
            sheared.unwrap_or_else(|| self.nodes[node].rest.to_affine())
        });
        world
    }
}

impl Clip {
    /// Checks that all times and values of a clip for a skeleton are finite.
    ///
    /// # Errors
    /// [`NotFinite`] with the node of the first channel whose numbers are not all finite.
    pub fn check(&self, skeleton: &Skeleton) -> Result<(), NotFinite> {
        for track in &self.properties {
            let times = self.timelines.get(track.timeline).map_or(&[][..], Vec::as_slice);
            if !times.iter().chain(&track.values).all(|x| x.is_finite()) {
                return Err(skeleton.not_finite(0, "property key"));
            }
        }
        for channel in &self.channels {
            let error = |property| Err(skeleton.not_finite(channel.node, property));
            let times = self.timelines.get(channel.timeline).map_or(&[][..], Vec::as_slice);
            if !times.iter().all(|t| t.is_finite()) {
                return error("key time");
            }
            match &channel.values {
                Values::Translation(v) if !v.iter().copied().all(Vec3::is_finite) => {
                    return error("translation key");
                }
                Values::Scale(v) if !v.iter().copied().all(Vec3::is_finite) => return error("scale key"),
                Values::Rotation(v) if !v.iter().copied().all(Quat::is_finite) => {
                    return error("rotation key");
                }
                Values::Weights(v) if !v.iter().all(|w| w.is_finite()) => return error("morph weight key"),
                _ => {}
            }
        }
        Ok(())
    }
}

//! Poses and clips that hold what single precision cannot: found before they are written or shown.

use glam::{Affine3A, Quat, Vec3};

use super::{Clip, Skeleton, Transform, Values};

/// A part of a pose or of a clip is infinite or NaN.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("joint \"{joint}\": {what} is not finite")]
pub struct NotFinite {
    /// The node's name, or `#INDEX`.
    pub joint: String,
    /// Which of its properties.
    pub what: &'static str,
}

impl Transform {
    /// The first of its properties that is not finite.
    fn not_finite(&self) -> Option<&'static str> {
        match () {
            () if !self.translation.is_finite() => Some("translation"),
            () if !self.rotation.is_finite() => Some("rotation"),
            () if !self.scale.is_finite() => Some("scale"),
            () => None,
        }
    }
}

impl Skeleton {
    fn not_finite(&self, node: usize, what: &'static str) -> NotFinite {
        NotFinite { joint: self.label(node), what }
    }

    /// Checks that local transforms and morph weights, laid out as the skeleton's own, are finite.
    ///
    /// # Errors
    /// [`NotFinite`]: the first node with a number that is not.
    pub fn check_pose(&self, locals: &[Transform], weights: &[f32]) -> Result<(), NotFinite> {
        for (node, local) in locals.iter().enumerate() {
            if let Some(what) = local.not_finite() {
                return Err(self.not_finite(node, what));
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

    /// Checks that the world matrices of all nodes, in file order, are finite: products of finite transforms may not be.
    ///
    /// # Errors
    /// [`NotFinite`]: the first node, parents before their children, whose matrix is not.
    pub fn check_world(&self, world_from_node: &[Affine3A]) -> Result<(), NotFinite> {
        let nodes = self.parents_first.iter().map(|(node, _)| *node);
        let broken = |&node: &usize| world_from_node.get(node).is_some_and(|m| !m.is_finite());
        nodes.into_iter().find(broken).map_or(Ok(()), |node| Err(self.not_finite(node, "world matrix")))
    }

    /// Checks that the rest pose is finite, in the world too.
    ///
    /// # Errors
    /// The node, and [`NotFinite`].
    pub(crate) fn check_rest(&self) -> Result<(), (usize, NotFinite)> {
        let mut world = vec![Affine3A::IDENTITY; self.nodes.len()];
        for &(node, parent) in &self.parents_first {
            let rest = self.nodes[node].rest;
            let local = self.sheared.get(&node).copied().unwrap_or_else(|| rest.to_affine());
            world[node] = parent.map_or(local, |parent| world[parent] * local);
            let matrix = (!world[node].is_finite()).then_some("world matrix");
            if let Some(what) = rest.not_finite().or(matrix) {
                return Err((node, self.not_finite(node, what)));
            }
        }
        Ok(())
    }
}

impl Clip {
    /// Checks that all times and values are finite. The clip belongs to the skeleton.
    ///
    /// # Errors
    /// [`NotFinite`]: the first channel with a number that is not.
    pub fn check(&self, skeleton: &Skeleton) -> Result<(), NotFinite> {
        for channel in &self.channels {
            let fault = |what| Err(skeleton.not_finite(channel.node, what));
            let times = self.timelines.get(channel.timeline).map_or(&[][..], Vec::as_slice);
            if !times.iter().all(|t| t.is_finite()) {
                return fault("key time");
            }
            match &channel.values {
                Values::Translation(v) if !v.iter().copied().all(Vec3::is_finite) => {
                    return fault("translation key");
                }
                Values::Scale(v) if !v.iter().copied().all(Vec3::is_finite) => return fault("scale key"),
                Values::Rotation(v) if !v.iter().copied().all(Quat::is_finite) => {
                    return fault("rotation key");
                }
                Values::Weights(v) if !v.iter().all(|w| w.is_finite()) => return fault("morph weight key"),
                _ => {}
            }
        }
        Ok(())
    }
}

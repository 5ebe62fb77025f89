//! Level of detail for picking. From a distance, a finger is picked as part of its hand.

use glam::Vec3;

use crate::rig::{Chain, ChainKind};
use crate::scene::picking::{Hit, Ray, pixel};

use super::Session;

/// Minimum length on screen, in points, of a finger that can be picked separately.
const MIN_FINGER_POINTS: f32 = 48.0;

impl Session {
    /// Returns the chain ends that can be dragged at the current distance.
    pub(crate) fn handles(&self) -> impl Iterator<Item = usize> {
        let chains = &self.puppet.rig.chains;
        let is_hidden = |node: usize| chains.iter().any(|c| c.effector == node && self.is_small(c));
        chains.iter().map(|chain| chain.effector).filter(move |&n| !is_hidden(n))
    }

    /// Replaces a hit on a finger that is too small with a hit on its hand.
    pub(super) fn resolve_finger(&self, hit: Hit) -> Hit {
        let finger = self.puppet.rig.chains.iter().find(|c| c.joints.contains(&hit.node));
        let hand = finger.filter(|c| !hit.handle && self.is_small(c)).and_then(|c| self.hand_of(c));
        let world = hand.and_then(|hand| self.puppet.world_from_node().get(hand));
        let Some((node, world)) = hand.zip(world) else { return hit };
        let offset = world.inverse().transform_point3(hit.point).as_dvec3();
        if offset.is_finite() { Hit { node, offset, ..hit } } else { hit }
    }

    /// Returns whether a chain is a finger that is too small on screen.
    fn is_small(&self, chain: &Chain) -> bool {
        chain.kind == ChainKind::Finger
            && self.hand_of(chain).is_some()
            && self.screen_length(chain) < MIN_FINGER_POINTS * self.document.settings.scale
    }

    /// Returns the joint to which a finger is attached.
    fn hand_of(&self, finger: &Chain) -> Option<usize> {
        self.puppet.rig.above(&self.puppet.character().skeleton, finger.base)
    }

    /// Returns a chain's length on screen in pixels, as if it were straight and perpendicular to the line of sight.
    fn screen_length(&self, chain: &Chain) -> f32 {
        let positions: Vec<Vec3> = chain.joints.iter().filter_map(|&n| self.position_of(n)).collect();
        let length: f32 = positions.windows(2).map(|p| p[0].distance(p[1])).sum();
        let camera = self.camera();
        let ends = || {
            let start = *positions.first()?;
            let up = Ray::through(&camera, pixel(&camera, start, self.size)?, self.size)?;
            let up = up.direction.any_orthonormal_vector() * length;
            Some(pixel(&camera, start, self.size)?.distance(pixel(&camera, start + up, self.size)?))
        };
        // A chain behind the camera is not visible.
        ends().unwrap_or(0.0)
    }
}

//! What is too small to be held by itself: from afar a finger is part of its hand.

use glam::Vec3;

use crate::picking::{Hit, Ray, pixel};
use crate::rig::{Chain, ChainKind};

use super::Session;

/// Points that a finger must measure on the screen.
const FINGER: f32 = 48.0;

impl Session {
    /// Ends of chains that can be held now.
    pub(in super::super) fn handles(&self) -> impl Iterator<Item = usize> {
        let chains = &self.puppet.rig.chains;
        let small = |node: usize| chains.iter().any(|c| c.effector == node && self.is_small(c));
        self.handles.iter().copied().filter(move |&n| !small(n))
    }

    /// What is held where something is hit: of a small finger, its hand.
    pub(super) fn whole(&self, hit: Hit) -> Hit {
        let finger = self.puppet.rig.chains.iter().find(|c| c.joints.contains(&hit.node));
        let hand = finger.filter(|c| !hit.handle && self.is_small(c)).and_then(|c| self.hand_of(c));
        let world = hand.and_then(|hand| self.puppet.world_from_node().get(hand));
        let Some((node, world)) = hand.zip(world) else { return hit };
        let offset = world.inverse().transform_point3(hit.point).as_dvec3();
        if offset.is_finite() { Hit { node, offset, ..hit } } else { hit }
    }

    /// Whether a chain is a finger of a hand, and hardly seen.
    fn is_small(&self, chain: &Chain) -> bool {
        chain.kind == ChainKind::Finger
            && self.hand_of(chain).is_some()
            && self.height(chain) < FINGER * self.scale
    }

    /// What a finger hangs on.
    fn hand_of(&self, finger: &Chain) -> Option<usize> {
        self.puppet.rig.above(&self.puppet.character().skeleton, finger.base)
    }

    /// Pixels that a chain would measure if it stood upright where it is.
    fn height(&self, chain: &Chain) -> f32 {
        let places: Vec<Vec3> = chain.joints.iter().filter_map(|&n| self.place(n)).collect();
        let length: f32 = places.windows(2).map(|p| p[0].distance(p[1])).sum();
        let camera = self.camera();
        let ends = || {
            let start = *places.first()?;
            let up = Ray::through(&camera, pixel(&camera, start, self.size)?, self.size)?;
            let up = up.direction.any_orthonormal_vector() * length;
            Some(pixel(&camera, start, self.size)?.distance(pixel(&camera, start + up, self.size)?))
        };
        // Behind the camera nothing is seen.
        ends().unwrap_or(0.0)
    }
}

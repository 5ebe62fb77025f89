//! A character while its body is posed. Its passes are in `limb.rs`, `plant.rs`, `aim.rs` and `chain.rs`.

use glam::{Quat, Vec3};

use super::body::{Body, FREE, Goal, JointLimit};
use super::limit::{limited, unit};
use super::stance::Stance;
use super::terrain::Terrain;
use super::types::{Character, Joint, Local, NONE, Rows};

/// The data of one character. The matrices are those of the pose of the clips.
#[derive(Debug)]
pub(super) struct Figure<'a> {
    /// Seconds since the last step.
    pub(super) seconds: f32,
    /// Position of the camera, at which heads may look.
    pub(super) eye: Vec3,
    pub(super) terrain: Option<&'a Terrain>,
    pub(super) body: &'a Body,
    pub(super) joints: &'a [Joint],
    pub(super) character: &'a Character,
    pub(super) goals: &'a [Goal],
    pub(super) models: &'a [Rows],
    pub(super) stance: &'a mut Stance,
    pub(super) locals: &'a mut [Local],
}

/// How the hips move everything below them, in model space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Base {
    pub(super) turn: Quat,
    pub(super) shift: Vec3,
}

impl Base {
    pub(super) const NOTHING: Self = Self { turn: Quat::IDENTITY, shift: Vec3::ZERO };

    pub(super) fn moved(&self, p: Vec3) -> Vec3 {
        self.turn * p + self.shift
    }

    /// Returns where a point was before the hips moved it.
    pub(super) fn unmoved(&self, p: Vec3) -> Vec3 {
        self.turn.conjugate() * (p - self.shift)
    }
}

impl Figure<'_> {
    pub(super) fn rows(&self, joint: u32) -> Rows {
        self.models.get(joint as usize).copied().unwrap_or(Rows::IDENTITY)
    }

    pub(super) fn position(&self, joint: u32) -> Vec3 {
        self.rows(joint).translation()
    }

    /// Returns the matrix of the parent of a joint.
    pub(super) fn parent_rows(&self, joint: u32) -> Rows {
        self.joints.get(joint as usize).map_or(Rows::IDENTITY, |joint| self.rows(joint.parent))
    }

    pub(super) fn rotation(&self, joint: u32) -> Quat {
        self.locals.get(joint as usize).map_or(Quat::IDENTITY, |local| local.rotation)
    }

    pub(super) fn set_rotation(&mut self, joint: u32, rotation: Quat) {
        if let (Some(local), Some(rotation)) = (self.locals.get_mut(joint as usize), unit(rotation)) {
            local.rotation = rotation;
        }
    }

    pub(super) fn translate(&mut self, joint: u32, offset: Vec3) {
        if let Some(local) = self.locals.get_mut(joint as usize) {
            let moved = local.translation + offset;
            local.translation = if moved.is_finite() { moved } else { local.translation };
        }
    }

    /// Returns the rotation of a joint in model space: the product of the rotations above it and its own.
    pub(super) fn orientation(&self, joint: u32) -> Quat {
        let mut q = self.rotation(joint);
        let parent = |joint: u32| self.joints.get(joint as usize).map_or(NONE, |joint| joint.parent);
        let mut above = parent(joint);
        for _ in 0..256 {
            if above == NONE {
                break;
            }
            q = self.rotation(above) * q;
            above = parent(above);
        }
        unit(q).unwrap_or(Quat::IDENTITY)
    }

    /// Returns the local rotation of a joint after a rotation of the frame of its parent, within its limit.
    pub(super) fn turned(&self, joint: u32, limit: &JointLimit, turn: Quat) -> Quat {
        let before = self.rotation(joint);
        let after = turn * before;
        let Some(rest) = self.joints.get(joint as usize).map(|joint| joint.rest_rotation) else {
            return after;
        };
        if limit.kind == FREE {
            return after;
        }
        let from_rest = rest.conjugate();
        rest * limited(limit, from_rest * after, from_rest * before)
    }
}

//! A character while its body is posed. Its passes are in `limb.rs`, `plant.rs`, `aim.rs` and `chain.rs`.

use glam::{Quat, Vec3};

use super::limit::{limited, unit};
use super::stance::Stance;
use super::{Body, FREE, Goal, JointLimit};
use crate::crowd::terrain::Terrain;
use crate::crowd::types::{Character, Joint, Local, NONE, Rows};

/// The data of one character. The matrices are those of the pose of the clips.
#[derive(Debug)]
pub(in crate::crowd) struct Figure<'a> {
    /// Seconds since the last step.
    pub(in crate::crowd) seconds: f32,
    /// Position of the camera, at which heads may look.
    pub(in crate::crowd) eye: Vec3,
    pub(in crate::crowd) terrain: Option<&'a Terrain>,
    pub(in crate::crowd) body: &'a Body,
    pub(in crate::crowd) joints: &'a [Joint],
    pub(in crate::crowd) character: &'a Character,
    pub(in crate::crowd) goals: &'a [Goal],
    pub(in crate::crowd) models: &'a [Rows],
    pub(in crate::crowd) stance: &'a mut Stance,
    pub(in crate::crowd) locals: &'a mut [Local],
}

/// How the hips move everything below them, in model space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::crowd) struct Base {
    pub(in crate::crowd) turn: Quat,
    pub(in crate::crowd) shift: Vec3,
}

impl Base {
    pub(in crate::crowd) const NOTHING: Self = Self { turn: Quat::IDENTITY, shift: Vec3::ZERO };

    pub(in crate::crowd) fn moved(&self, p: Vec3) -> Vec3 {
        self.turn * p + self.shift
    }

    /// Returns where a point was before the hips moved it.
    pub(in crate::crowd) fn unmoved(&self, p: Vec3) -> Vec3 {
        self.turn.conjugate() * (p - self.shift)
    }
}

impl Figure<'_> {
    pub(in crate::crowd) fn rows(&self, joint: u32) -> Rows {
        self.models.get(joint as usize).copied().unwrap_or(Rows::IDENTITY)
    }

    pub(in crate::crowd) fn position(&self, joint: u32) -> Vec3 {
        self.rows(joint).translation()
    }

    /// Returns the matrix of the parent of a joint.
    pub(in crate::crowd) fn parent_rows(&self, joint: u32) -> Rows {
        self.joints.get(joint as usize).map_or(Rows::IDENTITY, |joint| self.rows(joint.parent))
    }

    pub(in crate::crowd) fn rotation(&self, joint: u32) -> Quat {
        self.locals.get(joint as usize).map_or(Quat::IDENTITY, |local| local.rotation)
    }

    pub(in crate::crowd) fn set_rotation(&mut self, joint: u32, rotation: Quat) {
        if let (Some(local), Some(rotation)) = (self.locals.get_mut(joint as usize), unit(rotation)) {
            local.rotation = rotation;
        }
    }

    pub(in crate::crowd) fn translate(&mut self, joint: u32, offset: Vec3) {
        if let Some(local) = self.locals.get_mut(joint as usize) {
            let moved = local.translation + offset;
            local.translation = if moved.is_finite() { moved } else { local.translation };
        }
    }

    /// Returns the rotation of a joint in model space: the product of the rotations above it and its own.
    pub(in crate::crowd) fn orientation(&self, joint: u32) -> Quat {
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
    pub(in crate::crowd) fn turned(&self, joint: u32, limit: &JointLimit, turn: Quat) -> Quat {
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

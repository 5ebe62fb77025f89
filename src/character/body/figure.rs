//! A character whose body is being posed. `pose.rs` calls the passes, each of which has its own file.

use glam::{Quat, Vec3};

use super::frames::unit;
use super::stance::Stance;
use super::types::{CrowdJoint, Local, Rows};
use super::{CrowdBody, FREE, JointLimit};

/// A character whose body is being posed. `models` contains the matrices of the clip pose.
#[derive(Debug)]
pub struct Figure<'a> {
    /// Seconds since the last step.
    pub seconds: f32,
    pub body: &'a CrowdBody,
    pub joints: &'a [CrowdJoint],
    pub place: Place,
    /// One bit for each leg whose foot is in contact with the ground.
    pub contacts: u32,
    pub models: &'a [Rows],
    pub stance: &'a mut Stance,
    pub locals: &'a mut [Local],
}

/// Placement of a character: `world_from_model` as a scale, a rotation and a translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    pub rotation: Quat,
    pub position: Vec3,
    pub scale: f32,
}

/// The rigid motion that the hips apply to all their descendants, in model space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Base {
    pub turn: Quat,
    pub shift: Vec3,
}

impl Base {
    pub const NOTHING: Self = Self { turn: Quat::IDENTITY, shift: Vec3::ZERO };

    pub fn moved(&self, p: Vec3) -> Vec3 {
        self.turn * p + self.shift
    }

    /// Returns the position of a point before the hips moved it.
    pub fn unmoved(&self, p: Vec3) -> Vec3 {
        self.turn.conjugate() * (p - self.shift)
    }
}

impl Figure<'_> {
    pub fn rows(&self, joint: u32) -> Rows {
        self.models.get(joint as usize).copied().unwrap_or(Rows::IDENTITY)
    }

    pub fn position(&self, joint: u32) -> Vec3 {
        self.rows(joint).translation()
    }

    pub fn parent_rows(&self, joint: u32) -> Rows {
        self.joints.get(joint as usize).map_or(Rows::IDENTITY, |joint| self.rows(joint.parent))
    }

    pub fn rotation(&self, joint: u32) -> Quat {
        self.locals.get(joint as usize).map_or(Quat::IDENTITY, |local| local.rotation)
    }

    pub fn set_rotation(&mut self, joint: u32, rotation: Quat) {
        if let (Some(local), Some(rotation)) = (self.locals.get_mut(joint as usize), unit(rotation)) {
            local.rotation = rotation;
        }
    }

    pub fn translate(&mut self, joint: u32, offset: Vec3) {
        if let Some(local) = self.locals.get_mut(joint as usize) {
            let moved = local.translation + offset;
            local.translation = if moved.is_finite() { moved } else { local.translation };
        }
    }

    /// Returns a joint's local rotation after the rotation `turn` in its parent's frame, clamped to its limit.
    pub fn turned(&self, joint: u32, limit: &JointLimit, turn: Quat) -> Quat {
        let before = self.rotation(joint);
        let after = turn * before;
        let Some(rest) = self.joints.get(joint as usize).map(|joint| joint.rest_rotation) else {
            return after;
        };
        if limit.kind == FREE {
            return after;
        }
        let from_rest = rest.conjugate();
        rest * limit.limited(from_rest * after, from_rest * before)
    }
}

//! Transforms between the world, base space and the frames of joints.

use glam::{DMat3, DQuat, DVec3};

use super::{EffectorTask, Tree, TreeJoint};

impl Tree {
    /// Returns the orientation of an effector's link for the current rotation of its joint.
    pub(crate) fn rotation_of(&self, joint: &TreeJoint, task: &EffectorTask) -> DQuat {
        let frame_rotation = if self.rigid { DQuat::from_mat3(&joint.frame) } else { joint.frame_rotation };
        frame_rotation * joint.rotation * task.local_rotation
    }

    /// Transforms a world position to base space.
    pub(crate) fn to_base(&self, place: DVec3) -> DVec3 {
        self.base_from_world.transform_point3(place)
    }

    /// Transforms a world direction to a unit vector in base space.
    pub(crate) fn base_direction(&self, direction: DVec3) -> DVec3 {
        self.base_from_world.transform_vector3(direction).normalize_or(direction)
    }

    /// Transforms a position from base space to world space.
    pub(crate) fn point_to_world(&self, point: DVec3) -> DVec3 {
        self.world_from_base * (point - self.base_from_world.translation)
    }

    /// Transforms a vector from base space to world space.
    pub(crate) fn to_world(&self, vector: DVec3) -> DVec3 {
        self.world_from_base * vector
    }

    /// Transforms the gradient of a function of a world position to base space.
    #[inline]
    pub(crate) fn world_gradient_to_base(&self, gradient: DVec3) -> DVec3 {
        self.world_from_base.transpose() * gradient
    }

    /// Returns the allowed position of an effector that is nearest to `here`, in base space. Without free axes, this is
    /// the target.
    #[inline]
    pub(crate) fn nearest_target(&self, task: &EffectorTask, here: DVec3) -> Option<DVec3> {
        let target = task.target?;
        if !task.position_term.has_free_axes() {
            return Some(target);
        }
        let counted = task.position_term.counted_part(self.world_from_base * (target - here));
        Some(here + self.base_from_world.transform_vector3(counted))
    }

    /// Returns the normal of the world's ground plane in base space.
    pub(crate) fn up(&self) -> DVec3 {
        (self.world_from_base.transpose() * DVec3::Y).normalize_or_zero()
    }

    /// Transforms a vector from base space to a joint's frame before it turns.
    #[inline]
    pub(crate) fn to_frame(&self, joint: &TreeJoint, vector: DVec3) -> DVec3 {
        if self.rigid { joint.frame.transpose_mul_vec3(vector) } else { joint.frame_from_base * vector }
    }

    /// Transforms a vector from a joint's frame before it turns to base space.
    #[inline]
    pub(crate) fn from_frame(joint: &TreeJoint, vector: DVec3) -> DVec3 {
        joint.frame * vector
    }

    /// Transforms a rotation axis from base space to a joint's frame.
    #[inline]
    pub(crate) fn axis_to_frame(&self, joint: &TreeJoint, axis: DVec3) -> DVec3 {
        if self.rigid {
            joint.frame.transpose_mul_vec3(axis)
        } else {
            joint.frame_rotation.conjugate() * axis
        }
    }

    /// Transforms a rotation axis from a joint's frame to base space.
    #[inline]
    pub(crate) fn axis_from_frame(&self, joint: &TreeJoint, axis: DVec3) -> DVec3 {
        if self.rigid { joint.frame * axis } else { joint.frame_rotation * axis }
    }

    /// Returns the matrix that transforms rotation axes from a joint's frame to base space.
    #[inline]
    pub(crate) fn base_from_axes(&self, joint: &TreeJoint) -> DMat3 {
        if self.rigid { joint.frame } else { DMat3::from_quat(joint.frame_rotation) }
    }

    /// Returns the rotation in a joint's frame that turns everything below the joint about a direction in base space. In a mirrored frame,
    /// the angle has the opposite sign.
    pub(crate) fn turn_about(&self, joint: &TreeJoint, direction: DVec3, angle: f64) -> DQuat {
        let Some(axis) = self.to_frame(joint, direction).try_normalize() else { return DQuat::IDENTITY };
        DQuat::from_axis_angle(axis, if joint.frame.determinant() < 0.0 { -angle } else { angle })
    }

    /// Returns the velocity in base space of a point below a joint that turns about `axis` at one radian per second. `axis` is a rotation
    /// vector in base space, and `arm` is the vector from the joint to the point.
    #[inline]
    pub(crate) fn velocity(&self, joint: &TreeJoint, axis: DVec3, arm: DVec3) -> DVec3 {
        if self.rigid {
            return axis.cross(arm);
        }
        // The joint's frame may be scaled unevenly, so the cross product is taken in that frame.
        joint.frame * (joint.frame_rotation.conjugate() * axis).cross(joint.frame_from_base * arm)
    }
}

//! Spring bones: joints of hair and clothes that swing.

use glam::DVec3;

/// The spring bones of a file. Every index is valid, every number is finite, and no node is a joint of two springs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpringBones {
    /// Shapes that the joints must not penetrate.
    pub colliders: Vec<Collider>,
    /// Chains of joints with common settings.
    pub springs: Vec<Spring>,
}

impl SpringBones {
    /// Returns whether the file has no spring joints.
    pub fn is_empty(&self) -> bool {
        self.springs.is_empty()
    }

    /// Returns all joints of all springs.
    pub fn joints(&self) -> impl Iterator<Item = &SpringJoint> {
        self.springs.iter().flat_map(|spring| &spring.joints)
    }
}

/// A shape that the tails of joints must stay outside or inside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collider {
    /// Node that moves the shape. All vectors of the shape are in its space.
    pub node: usize,
    /// The shape.
    pub shape: ColliderShape,
}

/// The shape of a [`Collider`]. Radii are in world metres and do not scale with the node.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ColliderShape {
    /// A sphere.
    Sphere {
        /// Centre.
        offset: DVec3,
        /// Radius.
        radius: f64,
        /// Whether joints stay inside.
        inside: bool,
    },
    /// All points within a distance of a line segment.
    Capsule {
        /// One end of the segment.
        offset: DVec3,
        /// The other end.
        tail: DVec3,
        /// Distance from the segment to the surface.
        radius: f64,
        /// Whether joints stay inside.
        inside: bool,
    },
    /// A half-space. Joints stay on the side to which the normal points.
    Plane {
        /// A point on the plane.
        offset: DVec3,
        /// The normal, which need not have unit length.
        normal: DVec3,
    },
}

/// Joints that share colliders.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spring {
    /// Name in the file.
    pub name: Option<String>,
    /// Node in whose space velocities are measured, so that motion of this node does not make the joints swing.
    pub center: Option<usize>,
    /// Indices into [`SpringBones::colliders`], without repetitions.
    pub colliders: Vec<usize>,
    /// The joints that swing, in file order.
    pub joints: Vec<SpringJoint>,
}

/// A joint that swings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpringJoint {
    /// Node that is rotated.
    pub node: usize,
    /// Rest position of the joint's end, in the joint's space. The simulation moves this point. It is never zero.
    pub tail: DVec3,
    /// Distance that the tail keeps from colliders, in world metres.
    pub hit_radius: f64,
    /// Speed in metres per second at which the tail is pulled towards its rest direction.
    pub stiffness: f64,
    /// Velocity due to gravity in metres per second, in world space. As in the reference implementation, it is added in
    /// each step.
    pub gravity: DVec3,
    /// Fraction of the velocity that is lost in each step, 0 to 1.
    pub drag: f64,
}

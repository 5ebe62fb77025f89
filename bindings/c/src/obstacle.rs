//! Obstacles of robots, and the capsules of their links.

use std::ffi::c_char;

use glam::{DQuat, DVec3};
use sinew::ik::{BodyCapsule, LinkIndex, Obstacle};

use crate::pointers::slice;
use crate::status::{Failure, SinewStatus};

/// A sphere: `points` is its centre. It has a `radius`.
pub const SINEW_OBSTACLE_SPHERE: u32 = 0;
/// All points within `radius` of a segment: `points` are the two ends of the segment.
pub const SINEW_OBSTACLE_CAPSULE: u32 = 1;
/// A box: `points` is its centre. It has a `size` and a `rotation`.
pub const SINEW_OBSTACLE_BOX: u32 = 2;
/// The convex hull of `points`: the smallest convex shape that contains them. They must not all lie in one plane.
pub const SINEW_OBSTACLE_HULL: u32 = 3;

/// A shape that a robot must not touch, in the robot's own frame. All zeros are a valid start. Members that do not apply to the kind are
/// ignored.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SinewObstacle {
    /// A name that no other obstacle of the robot has. Error messages and `SinewClearance` contain it.
    pub name: *const c_char,
    /// `SINEW_OBSTACLE_SPHERE`, `SINEW_OBSTACLE_CAPSULE`, `SINEW_OBSTACLE_BOX` or `SINEW_OBSTACLE_HULL`.
    pub kind: u32,
    /// Positions x, y, z in metres, three numbers for each point.
    pub points: *const f64,
    /// Number of points: 1 for a sphere or a box, 2 for a capsule, 4 to 10,000 for a hull.
    pub point_count: usize,
    /// Radius of a sphere or a capsule in metres, greater than 0.
    pub radius: f64,
    /// Edge lengths of a box along its own axes in metres, greater than 0.
    pub size: [f64; 3],
    /// Rotation from the axes of a box to the robot's frame, a quaternion x, y, z, w of any length. All zeros mean no rotation.
    pub rotation: [f64; 4],
}

/// A capsule of a link: all points within `radius` of a segment.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SinewCapsule {
    /// Index of the link. A link may have several capsules.
    pub link: usize,
    /// One end of the segment, in metres in the frame of the link.
    pub start: [f64; 3],
    /// The other end of the segment, in metres in the frame of the link.
    pub end: [f64; 3],
    /// The radius in metres, greater than 0.
    pub radius: f64,
}

impl SinewObstacle {
    /// Converts this obstacle to the library's type. Its numbers are checked when it is added to a robot.
    ///
    /// # Safety
    /// If `points` is not NULL, it must point to three numbers for each point that do not change during the call.
    pub(crate) unsafe fn obstacle(&self, name: &str) -> Result<Obstacle, Failure> {
        let count = self.point_count.saturating_mul(3);
        // SAFETY: promised by the caller.
        let numbers = unsafe { slice(&format!("obstacle \"{name}\": points"), self.points, count) }?;
        let (points, _) = numbers.as_chunks::<3>();
        let point = |xyz: &[f64; 3]| DVec3::from_array(*xyz);
        match (self.kind, points) {
            (SINEW_OBSTACLE_SPHERE, [centre]) => Ok(Obstacle::sphere(point(centre), self.radius)),
            (SINEW_OBSTACLE_CAPSULE, [start, end]) => {
                Ok(Obstacle::capsule([point(start), point(end)], self.radius))
            }
            (SINEW_OBSTACLE_BOX, [centre]) => {
                let (centre, size) = (point(centre), DVec3::from_array(self.size));
                Ok(Obstacle::Box { centre, rotation: self.rotation(), size })
            }
            (SINEW_OBSTACLE_HULL, _) => Ok(Obstacle::hull(points.iter().map(point).collect())),
            (SINEW_OBSTACLE_SPHERE | SINEW_OBSTACLE_BOX, _) => Err(self.wrong_count(name, 1)),
            (SINEW_OBSTACLE_CAPSULE, _) => Err(self.wrong_count(name, 2)),
            (kind, _) => {
                Err(Failure::invalid(format_args!("obstacle \"{name}\": kind {kind} does not exist")))
            }
        }
    }

    fn rotation(&self) -> DQuat {
        let is_missing = self.rotation.iter().all(|value| *value == 0.0);
        if is_missing { DQuat::IDENTITY } else { DQuat::from_array(self.rotation) }
    }

    fn wrong_count(&self, name: &str, wanted: usize) -> Failure {
        let found = self.point_count;
        let message = format_args!("obstacle \"{name}\": point_count must be {wanted}, but is {found}");
        Failure::new(SinewStatus::Length, message)
    }
}

impl SinewCapsule {
    /// Converts this capsule to the library's type. Its numbers are checked when it is added to a robot.
    pub(crate) fn capsule(&self) -> BodyCapsule {
        let ends = [self.start, self.end].map(DVec3::from_array);
        BodyCapsule { link: LinkIndex(self.link), ends, radius: self.radius }
    }
}

//! The rail of a prismatic joint: its range with a stop at each end.

use glam::{DVec3, Vec2, Vec3};

use crate::ik::Limit;
use crate::puppet::Puppet;
use crate::rig::Slide;
use crate::session::picking::Viewport;

/// Minimum sine of the angle between a rail and the pointer's ray. Below it, the rail is too close to end-on for a pixel to
/// determine a point.
const END_ON: f32 = 0.05;

/// The rail of a prismatic joint in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rail {
    /// Position of the joint without a displacement, in world metres.
    origin: Vec3,
    /// World-space movement of the joint per metre of displacement. Its length differs from one if an ancestor of the joint is scaled.
    along: Vec3,
    /// Minimum and maximum displacement in metres.
    pub(super) range: [f64; 2],
    /// Current displacement in metres.
    pub(super) now: f64,
}

impl Rail {
    /// Returns the rail of a joint, or `None` if the joint is not prismatic.
    pub(super) fn of_joint(puppet: &Puppet, node: usize) -> Option<Self> {
        let skeleton = &puppet.character().skeleton;
        let slide = Slide::new(skeleton, node, &puppet.rig.joint(node).limit)?;
        let parent = skeleton.nodes.get(node)?.parent.and_then(|p| puppet.world_from_node().get(p));
        let place = |v: DVec3| parent.map_or(v.as_vec3(), |parent| parent.transform_point3(v.as_vec3()));
        let (now, offset) = slide.split(puppet.pose().locals.get(node)?.translation);
        let origin = place(offset);
        Some(Self { origin, along: place(offset + slide.axis) - origin, range: slide.range, now })
    }

    /// Returns the joint's position at a displacement.
    #[expect(clippy::cast_possible_truncation, reason = "only used for drawing")]
    pub(super) fn point(&self, displacement: f64) -> Vec3 {
        self.origin + self.along * displacement as f32
    }

    /// Returns the joint's positions at the minimum and the maximum displacement.
    pub(super) fn ends(&self) -> [Vec3; 2] {
        self.range.map(|end| self.point(end))
    }

    /// Returns the displacement whose point on the rail's line is nearest to the ray through a pixel. `None` if the rail is seen
    /// end-on.
    pub(super) fn displacement(&self, at: Vec2, viewport: &Viewport) -> Option<f64> {
        let ray = viewport.ray(at)?;
        let direction = ray.direction.normalize_or_zero();
        let across = self.along.reject_from(direction);
        if across.length() < END_ON * self.along.length() {
            return None;
        }
        let away = (ray.origin - self.origin).reject_from(direction);
        Some(f64::from(away.dot(across) / across.length_squared())).filter(|d| d.is_finite())
    }
}

/// Returns the minimum and the maximum displacement of a prismatic joint.
pub(super) fn stops(limit: &Limit) -> Option<[f64; 2]> {
    if let Limit::Prismatic { min, max, .. } = *limit { Some([min, max]) } else { None }
}

/// Returns a limit with one stop moved. The stop cannot pass the other stop.
pub(super) fn with_stop(limit: Limit, upper: bool, displacement: f64) -> Limit {
    let mut limit = limit;
    if let Limit::Prismatic { min, max, .. } = &mut limit {
        match upper {
            true => *max = displacement.max(*min),
            false => *min = displacement.min(*max),
        }
    }
    limit
}

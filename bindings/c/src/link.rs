//! Links of a body, and their limits.

use glam::{DQuat, DVec3, EulerRot};
use sinew::ik::{Limit, Link, LinkIndex};

use crate::status::Failure;

/// A missing parent, or an unspecified base.
pub const SINEW_NONE: i64 = -1;

/// Any rotation.
pub const SINEW_FREE: u32 = 0;
/// No rotation.
pub const SINEW_LOCKED: u32 = 1;
/// A rotation about `axis` from `min` to `max`, in radians.
pub const SINEW_HINGE: u32 = 2;
/// A displacement along `axis` from `min` to `max`, in metres, and no rotation.
pub const SINEW_PRISMATIC: u32 = 3;
/// A swing of at most `swing` about two axes perpendicular to `axis`, and a twist about `axis` from `min` to `max`, in
/// radians.
pub const SINEW_CONE: u32 = 4;
/// Three Euler angles in the order `order`, from `euler_min` to `euler_max`, in radians.
pub const SINEW_EULER: u32 = 5;

/// Euler angles about x, then the turned y, then the turned z.
pub const SINEW_EULER_XYZ: u32 = 0;
/// Euler angles about x, then the turned z, then the turned y.
pub const SINEW_EULER_XZY: u32 = 1;
/// Euler angles about y, then the turned x, then the turned z.
pub const SINEW_EULER_YXZ: u32 = 2;
/// Euler angles about y, then the turned z, then the turned x.
pub const SINEW_EULER_YZX: u32 = 3;
/// Euler angles about z, then the turned x, then the turned y.
pub const SINEW_EULER_ZXY: u32 = 4;
/// Euler angles about z, then the turned y, then the turned x.
pub const SINEW_EULER_ZYX: u32 = 5;

/// The type of a joint and its range. The axes are unit vectors in the joint's rest frame. Members that do not apply to the kind
/// are ignored.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SinewLimit {
    /// `SINEW_FREE`, `SINEW_LOCKED`, `SINEW_HINGE`, `SINEW_PRISMATIC`, `SINEW_CONE` or `SINEW_EULER`.
    pub kind: u32,
    /// The order of Euler angles, from `SINEW_EULER_XYZ` to `SINEW_EULER_ZYX`.
    pub order: u32,
    /// The axis of a hinge, of a displacement, or of a twist.
    pub axis: [f64; 3],
    /// The axis of the first swing, perpendicular to `axis`. The second is the cross product of `axis` and `side`.
    pub side: [f64; 3],
    /// Minimum angle or displacement.
    pub min: f64,
    /// Maximum angle or displacement.
    pub max: f64,
    /// Maximum swing about the first and the second swing axis, 0 to pi.
    pub swing: [f64; 2],
    /// Minimum Euler angles in the order `order`. Choose the order so that the middle angle stays from -pi/2 to pi/2.
    pub euler_min: [f64; 3],
    /// Maximum Euler angles in the order `order`.
    pub euler_max: [f64; 3],
}

/// A joint of a body and its offset from its parent. Use `sinew_link` to initialise it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SinewLink {
    /// Index of the parent, which precedes the link. `SINEW_NONE` for the base, which is the first link.
    pub parent: i64,
    /// Position in the parent's frame, in metres.
    pub offset: [f64; 3],
    /// Local rotation in the rest pose, a quaternion x, y, z, w.
    pub rest: [f64; 4],
    /// How readily the joint turns relative to the others. A joint of weight 0 never turns.
    pub weight: f64,
    /// The type of the joint.
    pub limit: SinewLimit,
}

/// Returns a link that turns freely, with the identity as its rest rotation.
#[unsafe(no_mangle)]
pub extern "C" fn sinew_link(parent: i64, x: f64, y: f64, z: f64) -> SinewLink {
    let limit = SinewLimit {
        kind: SINEW_FREE,
        order: SINEW_EULER_XYZ,
        axis: [0.0, 1.0, 0.0],
        side: [1.0, 0.0, 0.0],
        min: 0.0,
        max: 0.0,
        swing: [0.0; 2],
        euler_min: [0.0; 3],
        euler_max: [0.0; 3],
    };
    SinewLink { parent, offset: [x, y, z], rest: [0.0, 0.0, 0.0, 1.0], weight: 1.0, limit }
}

impl SinewLink {
    /// Converts this link to the library's type. Its numbers are checked when the body is created.
    pub(crate) fn link(&self, index: usize) -> Result<Link, Failure> {
        let mut link = Link::base();
        link.parent = match self.parent {
            SINEW_NONE => None,
            parent => {
                let parent = usize::try_from(parent);
                Some(LinkIndex(parent.map_err(|_| {
                    Failure::invalid(format_args!("link {index} has parent {}", self.parent))
                })?))
            }
        };
        link.offset = DVec3::from_array(self.offset);
        link.rest = DQuat::from_array(self.rest);
        if !(link.rest.is_finite() && link.rest.length_squared() > 0.0) {
            return Err(Failure::invalid(format_args!(
                "link {index}: the rest rotation must be finite and not zero"
            )));
        }
        link.weight = self.weight;
        link.limit = self.limit.limit(index)?;
        Ok(link)
    }
}

impl SinewLimit {
    fn limit(&self, index: usize) -> Result<Limit, Failure> {
        let Self { kind, min, max, swing, .. } = *self;
        let (axis, side) = (DVec3::from_array(self.axis), DVec3::from_array(self.side));
        match kind {
            SINEW_FREE => Ok(Limit::Free),
            SINEW_LOCKED => Ok(Limit::Locked),
            SINEW_HINGE => Ok(Limit::Hinge { axis, min, max }),
            SINEW_PRISMATIC => Ok(Limit::Prismatic { axis, min, max }),
            SINEW_CONE => Ok(Limit::Cone { axis, side, swing, twist: [min, max] }),
            SINEW_EULER => {
                let order = self.euler_order().ok_or_else(|| {
                    Failure::invalid(format_args!(
                        "link {index}: Euler angle order {} does not exist",
                        self.order
                    ))
                })?;
                Ok(Limit::Euler { order, min: self.euler_min, max: self.euler_max })
            }
            _ => Err(Failure::invalid(format_args!("link {index}: limit kind {kind} does not exist"))),
        }
    }

    fn euler_order(&self) -> Option<EulerRot> {
        match self.order {
            SINEW_EULER_XYZ => Some(EulerRot::XYZ),
            SINEW_EULER_XZY => Some(EulerRot::XZY),
            SINEW_EULER_YXZ => Some(EulerRot::YXZ),
            SINEW_EULER_YZX => Some(EulerRot::YZX),
            SINEW_EULER_ZXY => Some(EulerRot::ZXY),
            SINEW_EULER_ZYX => Some(EulerRot::ZYX),
            _ => None,
        }
    }
}

//! Targets for nodes of a puppet.

use glam::{DQuat, DVec3};
use sinew::puppet::Target;

use crate::goal::{SINEW_LOOK, SINEW_ORIENTATION, SINEW_POLE, SINEW_POSITION, check_parts};
use crate::link::SINEW_NONE;
use crate::status::Failure;

/// Goals for one node, in world space. Use `sinew_target` to initialise it. `parts` says which members count.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SinewTarget {
    /// Index of the node.
    pub node: usize,
    /// Index of the node that stays fixed. If it is `SINEW_NONE` and the body is recognised, the whole body follows the target.
    pub base: i64,
    /// A sum of `SINEW_POSITION`, `SINEW_ORIENTATION`, `SINEW_LOOK` and `SINEW_POLE`.
    pub parts: u32,
    /// Target position of the point `offset` of the node, in metres.
    pub position: [f64; 3],
    /// Orientation of the node, a quaternion x, y, z, w.
    pub orientation: [f64; 4],
    /// Position at which the forward axis of the node must point, in metres.
    pub look: [f64; 3],
    /// Position towards which the limb that ends at the node bends, in metres.
    pub pole: [f64; 3],
    /// A point in the node's frame, in metres. Zero is the node's origin.
    pub offset: [f64; 3],
    /// Weight relative to the other targets.
    pub weight: f64,
}

/// Returns a target for a node, with no parts set.
#[unsafe(no_mangle)]
pub extern "C" fn sinew_target(node: usize) -> SinewTarget {
    SinewTarget {
        node,
        base: SINEW_NONE,
        parts: 0,
        position: [0.0; 3],
        orientation: [0.0, 0.0, 0.0, 1.0],
        look: [0.0; 3],
        pole: [0.0; 3],
        offset: [0.0; 3],
        weight: 1.0,
    }
}

impl SinewTarget {
    /// Converts this target to the library's type. Its numbers are checked when it is solved.
    pub(crate) fn target(&self) -> Result<Target, Failure> {
        check_parts(self.parts, SINEW_POSITION | SINEW_ORIENTATION | SINEW_LOOK | SINEW_POLE, "target")?;
        let has = |part| self.parts & part != 0;
        let mut target = Target::new(self.node);
        target.base = match self.base {
            SINEW_NONE => None,
            base => {
                let index = usize::try_from(base);
                Some(index.map_err(|_| Failure::invalid(format_args!("base {base} does not exist")))?)
            }
        };
        target.position = has(SINEW_POSITION).then(|| DVec3::from_array(self.position));
        target.orientation = has(SINEW_ORIENTATION).then(|| DQuat::from_array(self.orientation));
        target.look = has(SINEW_LOOK).then(|| DVec3::from_array(self.look));
        target.pole = has(SINEW_POLE).then(|| DVec3::from_array(self.pole));
        (target.offset, target.weight) = (DVec3::from_array(self.offset), self.weight);
        Ok(target)
    }
}

//! Finds the counterpart of each joint on the other side of a body, and the plane between the sides.

use glam::DVec3;

use crate::asset::Skeleton;
use crate::pose::{Mirror, MirrorPlane, Pose, world_matrices};

use super::{BodyLimb, BodyPlan, LimbSide};

mod names;
mod pairs;
#[cfg(test)]
mod tests;

/// A normal is replaced by the nearest axis if each component differs from the axis by less than this.
const ALMOST_AXIS: f64 = 1e-3;

impl Mirror {
    /// Finds the counterpart of each joint: by the limbs of the body, then by names such as `hand_l` and `hand_r`, then by the positions of
    /// joints below counterparts. The time is proportional to the number of nodes.
    pub fn new(skeleton: &Skeleton, body: &BodyPlan) -> Self {
        let mut world = Vec::new();
        world_matrices(skeleton, &Pose::rest(skeleton), &mut world);
        let positions: Vec<DVec3> = world.iter().map(|m| m.translation.as_dvec3()).collect();
        let plane = sagittal_plane(body, &positions);
        let partners = pairs::partners(skeleton, body, &plane, &positions);
        Self::across(skeleton, plane, partners)
    }
}

/// Returns the pairs of limbs, left before right.
fn limb_pairs(body: &BodyPlan) -> impl Iterator<Item = (&BodyLimb, &BodyLimb)> {
    let is_pair = |l: &BodyLimb, r: &BodyLimb| {
        l.side == LimbSide::Left && r.side == LimbSide::Right && l.kind == r.kind
    };
    body.limbs.windows(2).filter_map(move |w| match w {
        [left, right] if is_pair(left, right) => Some((left, right)),
        _ => None,
    })
}

/// Returns the plane between the limbs in the rest pose. Without pairs of limbs, the plane contains the hips.
fn sagittal_plane(body: &BodyPlan, positions: &[DVec3]) -> MirrorPlane {
    let at = |node: &usize| positions.get(*node).copied();
    let joints = limb_pairs(body).flat_map(|(left, right)| left.joints.iter().zip(&right.joints));
    let pairs: Vec<[DVec3; 2]> = joints.filter_map(|(l, r)| Some([at(l)?, at(r)?])).collect();
    let left = DVec3::Y.cross(body.facing.as_dvec3()).try_normalize().unwrap_or(DVec3::X);
    let across: DVec3 = pairs.iter().map(|[l, r]| (l - r).with_y(0.0)).sum();
    let normal = across.try_normalize().filter(|normal| normal.dot(left) > 0.9).unwrap_or(left);
    let largest = normal.abs().max_element();
    let axis = normal.map(|c| if c.abs() < largest { 0.0 } else { c.signum() });
    let normal = if (normal - axis).abs().max_element() < ALMOST_AXIS { axis } else { normal };
    #[expect(clippy::cast_precision_loss, reason = "a body has few limbs")]
    let count = pairs.len() as f64;
    let offset = if pairs.is_empty() {
        at(&body.hips).map_or(0.0, |hips| normal.dot(hips))
    } else {
        pairs.iter().map(|[l, r]| normal.dot(0.5 * (l + r))).sum::<f64>() / count
    };
    MirrorPlane { normal, offset }
}

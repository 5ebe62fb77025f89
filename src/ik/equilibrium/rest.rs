//! The rest pose of a figure, and the axes of the joints inside its limbs.

use std::f64::consts::PI;

use glam::{DAffine3, DQuat, DVec3};
use sinew_base::mathematics::accumulate_below;

use super::reflected::{reflect, reflect_axis};
use crate::figure::{FigureParts, LimbParts};
use crate::link::parents;
use crate::rotation::any_perpendicular;
use crate::{Limit, Link};

/// Maximum bend from straight of an inner limb joint without a hinge limit, in radians.
const MAX_BEND: f64 = 155.0 * PI / 180.0;
/// Maximum bend in the wrong direction of an inner limb joint without a hinge limit, in radians.
const OVERBEND: f64 = 3.0 * PI / 180.0;
/// Two bones determine the axis of the joint between them if the sine of their angle is at least this value.
const BENT: f64 = 0.05;

/// The axis of a joint inside a limb.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LimbHinge {
    /// Unit axis in the joint's rest frame.
    pub(super) axis: DVec3,
    /// Minimum and maximum angle, in radians.
    pub(super) range: [f64; 2],
}

/// The rest pose in base space.
#[derive(Clone, Debug, Default)]
pub(super) struct RestPose {
    pub(super) positions: Vec<DVec3>,
    pub(super) rotations: Vec<DQuat>,
    /// Metres in base space per unit of each link's frame.
    pub(super) scales: Vec<f64>,
    /// For each link, the signs of the scale without and with the link's own scale.
    pub(super) signs: Vec<[DVec3; 2]>,
    /// The hinge of each link, if it is a joint inside a limb.
    pub(super) hinges: Vec<Option<LimbHinge>>,
    transforms: Vec<DAffine3>,
}

impl RestPose {
    /// Computes the rest pose of a figure.
    pub(super) fn set(&mut self, links: &[Link], parts: &FigureParts) {
        self.clear();
        self.transforms.resize(links.len(), DAffine3::IDENTITY);
        accumulate_below(parents(links), DAffine3::IDENTITY, &mut self.transforms, |index| {
            let Link { scale, rest, offset, .. } = links[index];
            DAffine3::from_scale_rotation_translation(scale, rest, offset)
        });
        for (link, transform) in links.iter().zip(&self.transforms) {
            let placed = link.parent_index().map_or(DAffine3::IDENTITY, |p| self.transforms[p]);
            self.positions.push(placed.transform_point3(link.offset));
            let above = link.parent_index().map_or(DVec3::ONE, |p| self.signs[p][1]);
            self.signs.push([above, above * link.scale.signum()]);
            self.scales.push(transform.matrix3.determinant().abs().cbrt());
            self.hinges.push(None);
        }
        self.rotations.resize(links.len(), DQuat::IDENTITY);
        accumulate_below(parents(links), DQuat::IDENTITY, &mut self.rotations, |index| {
            reflect(self.signs[index][0], links[index].rest)
        });
        for limb in &parts.limbs {
            for index in 1..limb.joints.len() - 1 {
                self.hinges[limb.joints[index].0] = Some(self.hinge(links, limb, index));
            }
        }
    }

    fn clear(&mut self) {
        let Self { positions, rotations, scales, signs, hinges, transforms } = self;
        positions.clear();
        rotations.clear();
        scales.clear();
        signs.clear();
        hinges.clear();
        transforms.clear();
    }

    /// Returns the hinge of a joint inside a limb.
    fn hinge(&self, links: &[Link], limb: &LimbParts, index: usize) -> LimbHinge {
        let at = |i: usize| self.positions[limb.joints[i].0];
        let (joint, last) = (limb.joints[index], limb.joints.len() - 1);
        let (into, out) = (at(index) - at(index - 1), at(index + 1) - at(index));
        let normal = into.cross(out);
        let is_bent = normal.length() > BENT * into.length() * out.length();
        let bent = if is_bent { normal } else { limb.bend.cross(at(last) - at(0)) };
        let axis = bent.try_normalize().unwrap_or_else(|| any_perpendicular(into.normalize_or(DVec3::Y)));
        let angle = if is_bent { into.angle_between(out) } else { 0.0 };
        let axis = reflect_axis(self.signs[joint.0][0], self.rotations[joint.0].conjugate() * axis);
        match links[joint.0].limit {
            Limit::Hinge { axis, min, max } => LimbHinge { axis, range: [min, max] },
            _ => LimbHinge { axis, range: [-angle - OVERBEND, MAX_BEND - angle] },
        }
    }
}

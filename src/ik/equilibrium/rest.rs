//! The rest pose of a figure, and the axes of the joints inside its limbs.

use std::f64::consts::PI;

use glam::{DAffine3, DQuat, DVec3};

use super::reflected::{reflect, reflect_axis};
use crate::ik::figure::{FigureParts, LimbHinge, LimbParts};
use crate::ik::rotation::any_perpendicular;
use crate::ik::{Limit, Link};

/// Largest bend of a joint inside a limb that has no hinge limit, measured from straight, radians.
const MAX_BEND: f64 = 155.0 * PI / 180.0;
/// How far such a joint may bend the wrong way, radians.
const OVERBEND: f64 = 3.0 * PI / 180.0;
/// Two bones whose angle has at least this sine determine the axis of the joint between them.
const BENT: f64 = 0.05;

/// The rest pose in base space.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RestPose {
    pub(super) positions: Vec<DVec3>,
    pub(super) rotations: Vec<DQuat>,
    /// Metres of base space per unit of each link's frame.
    pub(super) scales: Vec<f64>,
    /// The signs of the scale above each link, and with its own.
    pub(super) signs: Vec<[DVec3; 2]>,
}

impl RestPose {
    pub(super) fn new(links: &[Link]) -> Self {
        let mut rest =
            Self { positions: Vec::new(), rotations: Vec::new(), scales: Vec::new(), signs: Vec::new() };
        let mut transforms: Vec<DAffine3> = Vec::new();
        for link in links {
            let (placed, spin) = link
                .parent
                .map_or((DAffine3::IDENTITY, DQuat::IDENTITY), |p| (transforms[p], rest.rotations[p]));
            let own = DAffine3::from_scale_rotation_translation(link.scale, link.rest, link.offset);
            rest.positions.push(placed.transform_point3(link.offset));
            let above = link.parent.map_or(DVec3::ONE, |p| rest.signs[p][1]);
            rest.signs.push([above, above * link.scale.signum()]);
            rest.rotations.push(spin * reflect(above, link.rest));
            transforms.push(placed * own);
            rest.scales.push((placed * own).matrix3.determinant().abs().cbrt());
        }
        rest
    }

    /// Returns the hinge of each link, if it is a joint inside a limb.
    pub(super) fn hinges(&self, links: &[Link], parts: &FigureParts) -> Vec<Option<LimbHinge>> {
        let mut hinges = vec![None; links.len()];
        for limb in &parts.limbs {
            let inside = limb.joints.iter().skip(1).zip(self.limb_hinges(links, limb));
            inside.for_each(|(&joint, hinge)| hinges[joint] = Some(hinge));
        }
        hinges
    }

    /// Returns the hinges of the joints inside a limb.
    fn limb_hinges(&self, links: &[Link], limb: &LimbParts) -> Vec<LimbHinge> {
        let at = |i: usize| self.positions[limb.joints[i]];
        let last = limb.joints.len() - 1;
        let hinge = |i: usize| {
            let joint = limb.joints[i];
            let (into, out) = (at(i) - at(i - 1), at(i + 1) - at(i));
            let normal = into.cross(out);
            let is_bent = normal.length() > BENT * into.length() * out.length();
            let bent = if is_bent { normal } else { limb.bend.cross(at(last) - at(0)) };
            let axis = bent.try_normalize().unwrap_or_else(|| any_perpendicular(into.normalize_or(DVec3::Y)));
            let angle = if is_bent { into.angle_between(out) } else { 0.0 };
            let axis = reflect_axis(self.signs[joint][0], self.rotations[joint].conjugate() * axis);
            match links[joint].limit {
                Limit::Hinge { axis, min, max } => LimbHinge { axis, range: [min, max] },
                _ => LimbHinge { axis, range: [-angle - OVERBEND, MAX_BEND - angle] },
            }
        };
        (1..last).map(hinge).collect()
    }
}

//! A recognised body as a figure of `ik`.

use crate::asset::Skeleton;
use crate::ik::{FigureParts, LimbParts};
use crate::pose::rest_orientation;

use super::{Binding, BodyPlan, LimbKind};

/// Returns the nodes that a binding of a whole body needs besides its hips: the head, and the ends of all limbs and of
/// their fingers and toes.
pub fn body_ends(plan: &BodyPlan) -> impl Iterator<Item = usize> + '_ {
    let limbs = plan.limbs.iter().flat_map(|limb| {
        std::iter::once(limb.end()).chain(limb.digits.iter().filter_map(|digit| digit.last().copied()))
    });
    plan.head().into_iter().chain(plan.spine.last().copied()).chain(limbs)
}

/// Returns the parts of a body that was bound at the hips with all [`body_ends`], for
/// [`Body::set_figure`](crate::ik::Body::set_figure). Returns `None` if the plan does not fit the binding, for example
/// because it is that of another skeleton.
pub fn figure_parts(binding: &Binding, skeleton: &Skeleton, plan: &BodyPlan) -> Option<FigureParts> {
    let link = |node: &usize| binding.nodes().position(|n| n == Some(*node));
    let links = |nodes: &[usize]| nodes.iter().map(link).collect::<Option<Vec<usize>>>();
    if link(&plan.hips) != Some(0) {
        return None;
    }
    let above = skeleton.nodes.get(plan.hips)?.parent;
    let above = above.map_or(glam::DQuat::IDENTITY, |node| rest_orientation(skeleton, node));
    let limbs = plan.limbs.iter().map(|limb| {
        let digits: Vec<usize> = limb.digits.iter().flatten().copied().collect();
        Some(LimbParts {
            collar: links(&limb.collar)?,
            joints: links(&limb.joints)?,
            is_arm: limb.kind == LimbKind::Arm,
            digits: links(&digits)?,
            bend: above.conjugate() * limb.bend.as_dvec3(),
            pull: f64::from(limb.pull),
        })
    });
    Some(FigureParts {
        spine: links(&plan.spine)?,
        neck: links(&plan.neck)?,
        limbs: limbs.collect::<Option<_>>()?,
        floor: Some(f64::from(plan.floor)),
        size: f64::from(plan.size),
    })
}

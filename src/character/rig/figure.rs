//! A recognised body as a figure of `ik`.

use crate::asset::Skeleton;
use crate::ik::{BodyCapsule, FigureParts, LimbParts, LinkIndex};
use crate::pose::{Pose, rest_orientation, world_matrix};

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
/// because it belongs to another skeleton.
///
/// ```
/// use sinew_character::glam::DVec3;
/// use sinew_character::ik::{Goal, LinkIndex, Method, Options, Solver};
/// use sinew_character::pose::{Pose, world_matrices};
/// use sinew_character::rig::{self, Binding, body_ends, figure_parts};
/// use sinew_character::asset;
///
/// let character = asset::mannequin()?;
/// let (skeleton, rig) = (&character.skeleton, rig::detect(&character));
/// let plan = rig.body.as_ref().ok_or("no body")?;
/// let (pose, mut world) = (Pose::rest(skeleton), Vec::new());
/// world_matrices(skeleton, &pose, &mut world);
/// let ends: Vec<usize> = body_ends(plan).collect();
/// let binding = Binding::new(skeleton, &character.skins, &rig, plan.hips, &ends)?;
/// let mut body = binding.body(skeleton, &pose, &world)?;
/// body.set_figure(figure_parts(&binding, skeleton, plan).ok_or("the body does not fit")?)?;
///
/// // The hips go down, and the legs bend.
/// let down = world[plan.hips].translation.as_dvec3() - DVec3::Y * 0.2;
/// let options = Options::default().with_method(Method::FullBody).with_root_motion(true);
/// let report = Solver::default().solve(&mut body, &[Goal::position(LinkIndex(0), down)], &options)?.clone();
/// assert!(report.position_error() < 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn figure_parts(binding: &Binding, skeleton: &Skeleton, plan: &BodyPlan) -> Option<FigureParts> {
    let link = |node: &usize| binding.nodes().position(|n| n == Some(*node)).map(LinkIndex);
    let links = |nodes: &[usize]| nodes.iter().map(link).collect::<Option<Vec<LinkIndex>>>();
    if link(&plan.hips) != Some(LinkIndex(0)) {
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
            stands: limb.kind == LimbKind::Leg && limb.stands,
            sole: limb.sole,
        })
    });
    let capsules = plan.capsules.iter().map(|capsule| {
        Some(BodyCapsule {
            link: link(&capsule.node)?,
            ends: capsule.ends.map(glam::Vec3::as_dvec3),
            radius: f64::from(capsule.radius),
        })
    });
    let skin = plan.skin.iter().map(|(node, at)| Some((link(node)?, at.as_dvec3())));
    Some(FigureParts {
        hips: Some(world_matrix(skeleton, &Pose::rest(skeleton), plan.hips).translation.as_dvec3()),
        spine: links(&plan.spine)?,
        neck: links(&plan.neck)?,
        limbs: limbs.collect::<Option<_>>()?,
        floor: Some(f64::from(plan.floor)),
        size: f64::from(plan.size),
        capsules: capsules.collect::<Option<_>>()?,
        skin: skin.collect::<Option<_>>()?,
    })
}

//! The outermost points of the skin on each part of a person. These points must stay above the floor.
//!
//! The capsules enclose only the core of each body part. Shoes, belts and the fingers of a fist are outside the capsules.

use std::collections::BTreeMap;

use glam::{Affine3A, Vec3};

use crate::asset::Character;

use super::body_plan::{BodyPlan, LimbKind};
use super::rest_skin::for_each_part;
use super::soles::outermost;

/// The skin is used only on this fraction of each shin, measured from the knee. The rest is near the floor while the foot stands.
const SHIN: f32 = 0.5;

/// Returns the outermost skin points of each joint of a plan, as nodes and positions in the spaces of these nodes. `world` contains the
/// world matrices in the rest pose. Feet have no points, because they stand on the floor.
pub(super) fn measure(character: &Character, world: &[Affine3A], plan: &BodyPlan) -> Vec<(usize, Vec3)> {
    let owners = owners(character, plan);
    let mut of_nodes: BTreeMap<usize, Vec<Vec3>> = BTreeMap::new();
    let has_skins = !character.skins.is_empty();
    for_each_part(character, character.default_scene, world, |part| {
        // Rigid parts of a skinned character are props.
        if !part.is_skinned && has_skins {
            return;
        }
        for (position, node) in part.positions.iter().zip(&part.nodes) {
            let owner = node.and_then(|node| owners.get(node).copied().flatten());
            let Some((owner, matrix)) = owner.and_then(|owner| Some((owner, world.get(owner)?))) else {
                continue;
            };
            let local = matrix.inverse().transform_point3(*position);
            if local.is_finite() {
                of_nodes.entry(owner).or_default().push(local);
            }
        }
    });
    for limb in plan.legs() {
        let [.., knee, ankle] = limb.joints[..] else { continue };
        let (Some(skin), Some(matrix)) = (of_nodes.get_mut(&knee), world.get(knee)) else { continue };
        let end = world.get(ankle).map_or(Vec3::ZERO, |m| m.translation.into());
        let shin = matrix.inverse().transform_point3(end);
        skin.retain(|p| p.dot(shin) < SHIN * shin.length_squared());
    }
    of_nodes
        .iter()
        .flat_map(|(&node, points)| outermost(points).into_iter().map(move |p| (node, p)))
        .collect()
}

/// Returns, for each node, the joint of the plan that carries its skin. Feet do not carry skin.
fn owners(character: &Character, plan: &BodyPlan) -> Vec<Option<usize>> {
    #[derive(Clone, Copy)]
    enum Role {
        Carries,
        OfFoot,
    }
    let mut roles: BTreeMap<usize, Role> = BTreeMap::new();
    roles.extend(plan.trunk().map(|node| (node, Role::Carries)));
    for limb in &plan.limbs {
        let is_leg = limb.kind == LimbKind::Leg;
        let end = if is_leg { Role::OfFoot } else { Role::Carries };
        roles.extend(limb.collar.iter().chain(&limb.joints).map(|&node| (node, Role::Carries)));
        roles.extend(
            std::iter::once(limb.end()).chain(limb.digits.iter().flatten().copied()).map(|n| (n, end)),
        );
    }
    let mut owners: Vec<Option<usize>> = vec![None; character.skeleton.nodes.len()];
    for &(node, parent) in &character.skeleton.parents_first {
        owners[node] = match roles.get(&node) {
            Some(Role::Carries) => Some(node),
            Some(Role::OfFoot) => None,
            None => parent.and_then(|p| owners[p]),
        };
    }
    owners
}

//! Properties of a character that the checks need, measured in the rest pose.

use std::borrow::Cow;
use std::collections::BTreeMap;

use glam::{Affine3A, Vec3};

use crate::asset::Character;
use crate::motion::footfall::HIPS;
use crate::pose::{Pose, world_matrices};
use crate::rig::soles::{Soles, outermost};
use crate::rig::{BodyKind, BodyLimb, BodyPlan, Capsule, Chain, ChainKind, Rig};

/// Height of the person to which length limits refer, in metres.
const PERSON: f32 = 1.75;
/// Fraction of a bone's vertices that are nearer to its axis than the radius of its capsule. The others stay outside, so that soft contact
/// is accepted.
const INSIDE: f64 = 0.5;

/// A foot, with points on its sole.
#[derive(Clone, Debug)]
pub(super) struct Foot<'a> {
    /// The joint of the foot.
    pub(super) node: usize,
    /// The joints of the leg from the hip to the foot.
    pub(super) leg: &'a [usize],
    /// Points of the foot and its toes: a node, and a position in its space.
    pub(super) points: Vec<(usize, Vec3)>,
}

/// What the checks derive from a character in its rest pose. Legs and capsules are those of the rig.
#[derive(Clone, Debug)]
pub(super) struct Anatomy<'a> {
    /// Size relative to a person of 1.75 m.
    pub(super) size: f32,
    /// Size of the legs relative to a person's legs. The same as `size` if the body is not a person.
    pub(super) leg_size: f32,
    /// Rest height of the lowest point of the feet, or of the skin if there are no feet, in metres.
    pub(super) rest_floor: f32,
    /// The joint that moves the whole body.
    pub(super) hips: usize,
    /// The ancestors of the hips.
    pub(super) above_hips: Vec<usize>,
    /// The feet of a body that stands on legs.
    pub(super) feet: Vec<Foot<'a>>,
    /// Whether the feet have skin. If they do not, their points are joints.
    pub(super) has_soles: bool,
    /// Points on the skin of the body, excluding props. Each point is a node and a position in the node's space.
    pub(super) skin: Vec<(usize, Vec3)>,
    /// Capsules around the bones of the body.
    pub(super) capsules: Cow<'a, [Capsule]>,
    /// The joints of the skins, or all nodes of a character without a skin.
    pub(super) joints: Vec<usize>,
    /// World matrices in the rest pose.
    pub(super) world: Vec<Affine3A>,
    /// The bones of the body: each joint, and the joint at the other end.
    bones: Vec<(usize, Option<usize>)>,
}

impl<'a> Anatomy<'a> {
    /// Returns the unit direction of a joint's bone in the joint's space.
    pub(super) fn bone(&self, node: usize) -> Option<Vec3> {
        let index = self.bones.binary_search_by_key(&node, |(n, _)| *n).ok()?;
        let next = self.bones.get(index)?.1?;
        let (own, next) = (self.world.get(node)?, self.world.get(next)?);
        own.inverse().transform_point3(next.translation.into()).try_normalize()
    }

    /// Measures a character.
    pub(super) fn new(character: &Character, rig: &'a Rig) -> Self {
        let skeleton = &character.skeleton;
        let mut world = Vec::new();
        world_matrices(skeleton, &Pose::rest(skeleton), &mut world);
        let vertices = vertices_by_node(character);
        let mut is_joint = vec![character.skins.is_empty(); skeleton.nodes.len()];
        character.skins.iter().flat_map(|s| &s.joints).for_each(|&j| {
            if let Some(is_joint) = is_joint.get_mut(j) {
                *is_joint = true;
            }
        });
        let joints: Vec<usize> = (0..is_joint.len()).filter(|&n| is_joint[n]).collect();
        let plan = rig.body.as_ref();
        let bones = plan.map(bones_of).unwrap_or_default();
        let owned = vertices_by_bone(character, &bones, &vertices, &world);
        let feet = feet(rig, &owned, character, &world);
        let has_soles = feet.iter().any(|foot| foot.points.iter().any(|(_, at)| *at != Vec3::ZERO));
        let skin: Vec<(usize, Vec3)> = match plan {
            Some(_) => points_of(&owned),
            None => points_of(&vertices),
        };
        let capsule = |&(node, next): &(usize, Option<usize>)| {
            let matrix = world.get(node)?;
            let next = next.and_then(|n| world.get(n)).map(|m| Vec3::from(m.translation));
            let skin = owned.get(&node)?;
            // Without a next joint, the bone ends at the centre of the vertices.
            #[expect(clippy::cast_precision_loss, reason = "a mean needs no exact count")]
            let centre = || skin.iter().sum::<Vec3>() / skin.len().max(1) as f32;
            let tip = next.map_or_else(centre, |p| matrix.inverse().transform_point3(p));
            Capsule::fit(node, skin, [Vec3::ZERO, tip], matrix, INSIDE)
        };
        // The solver uses the same capsules to move the parts of a person apart.
        let known = plan.map(|plan| &plan.capsules).filter(|capsules| !capsules.is_empty());
        let capsules: Cow<'a, [Capsule]> =
            known.map_or_else(|| bones.iter().filter_map(capsule).collect(), Cow::from);
        let heights = |points: &mut dyn Iterator<Item = (usize, Vec3)>| {
            points.filter_map(|(n, at)| Some(world.get(n)?.transform_point3(at).y)).reduce(f32::min)
        };
        let of_feet = heights(&mut feet.iter().flat_map(|f| f.points.iter().copied()));
        let of_skin = heights(&mut skin.iter().copied());
        let of_joints = heights(&mut joints.iter().map(|&n| (n, Vec3::ZERO)));
        let rest_floor = of_feet.or(of_skin).or(of_joints).unwrap_or(0.0);
        let size = plan.map_or_else(|| extent(&world, &joints, &skin) / PERSON, |plan| plan.size);
        let size = if size.is_finite() && size > 0.0 { size } else { 1.0 };
        let leg_size = plan.and_then(|plan| leg_size(plan, &world, rest_floor)).unwrap_or(size);
        let hips = plan.map_or_else(|| top_joint(character, &joints), |plan| plan.hips);
        let above_hips = skeleton.ancestors(hips).skip(1).collect();
        Self {
            size,
            leg_size,
            rest_floor,
            hips,
            above_hips,
            feet,
            has_soles,
            skin,
            capsules,
            joints,
            world,
            bones,
        }
    }
}

/// Returns the relative size of a person's legs, from the height of the hip joints.
fn leg_size(plan: &BodyPlan, world: &[Affine3A], floor: f32) -> Option<f32> {
    let tops = plan.legs().filter(|_| plan.kind == BodyKind::Biped).filter_map(|leg| leg.joints.first());
    let heights = tops.filter_map(|&node| Some(world.get(node)?.translation.y - floor));
    heights.reduce(f32::max).map(|height| height / HIPS).filter(|size| size.is_finite() && *size > 0.0)
}

/// Returns the largest extent of a character in the rest pose, in metres.
fn extent(world: &[Affine3A], joints: &[usize], skin: &[(usize, Vec3)]) -> f32 {
    let of_joints = joints.iter().map(|&n| (n, Vec3::ZERO));
    let points = skin.iter().copied().chain(of_joints);
    let points = points.filter_map(|(n, at)| Some(world.get(n)?.transform_point3(at)));
    let bounds = points.map(|p| (p, p)).reduce(|(lo, hi), (p, q)| (lo.min(p), hi.max(q)));
    bounds.map_or(0.0, |(lo, hi)| (hi - lo).max_element())
}

/// Returns the joint with the most descendant joints.
fn top_joint(character: &Character, joints: &[usize]) -> usize {
    let skeleton = &character.skeleton;
    let mut counts = vec![0_usize; skeleton.nodes.len()];
    joints.iter().for_each(|&j| counts[j] = 1);
    for &(node, parent) in skeleton.parents_first.iter().rev() {
        if let Some(parent) = parent {
            counts[parent] += counts[node];
        }
    }
    // If counts are equal, the first joint is preferred.
    joints.iter().copied().max_by_key(|&j| (counts[j], j == joints[0])).unwrap_or(0)
}

/// Returns the bones of a body: each joint, and the joint at the other end of its bone.
fn bones_of(plan: &BodyPlan) -> Vec<(usize, Option<usize>)> {
    let chain = |joints: &[usize]| -> Vec<(usize, Option<usize>)> {
        (0..joints.len()).map(|i| (joints[i], joints.get(i + 1).copied())).collect()
    };
    let mut bones = chain(&plan.trunk().collect::<Vec<_>>());
    for limb in &plan.limbs {
        bones.extend(chain(&limb.joints));
        bones.extend(limb.digits.iter().flat_map(|digit| chain(digit)));
    }
    bones.sort_by_key(|(node, _)| *node);
    bones.dedup_by_key(|(node, _)| *node);
    bones
}

/// Returns the vertices that each node moves most, in the space of the node.
fn vertices_by_node(character: &Character) -> BTreeMap<usize, Vec<Vec3>> {
    let mut vertices: BTreeMap<usize, Vec<Vec3>> = BTreeMap::new();
    let has_skins = !character.skins.is_empty();
    for part in character.parts(character.default_scene) {
        let primitive = character.primitive(part);
        match part.skin.and_then(|skin| character.skins.get(skin)) {
            Some(skin) => {
                for (index, position) in primitive.positions.iter().enumerate() {
                    let influences = primitive.influences.iter().filter_map(|set| {
                        let (joints, weights) = (set.joints.get(index)?, set.weights.get(index)?);
                        joints.iter().copied().zip(weights.to_array()).max_by(|a, b| a.1.total_cmp(&b.1))
                    });
                    let heaviest = influences.max_by(|a, b| a.1.total_cmp(&b.1));
                    let Some((joint, _)) = heaviest else { continue };
                    let joint = usize::from(joint);
                    let Some((&node, matrix)) = skin.joints.get(joint).zip(skin.joint_from_mesh.get(joint))
                    else {
                        continue;
                    };
                    vertices.entry(node).or_default().push(matrix.transform_point3(*position));
                }
            }
            // Rigid parts of a skinned character are props.
            None if has_skins => {}
            None => vertices.entry(part.node).or_default().extend(&primitive.positions),
        }
    }
    vertices.values_mut().for_each(|v| v.retain(|p| p.is_finite()));
    vertices
}

/// Assigns the vertices of helper joints to the nearest ancestor bone, in the bone's rest space.
fn vertices_by_bone(
    character: &Character,
    bones: &[(usize, Option<usize>)],
    vertices: &BTreeMap<usize, Vec<Vec3>>,
    world: &[Affine3A],
) -> BTreeMap<usize, Vec<Vec3>> {
    let skeleton = &character.skeleton;
    let mut owner: Vec<Option<usize>> = vec![None; skeleton.nodes.len()];
    for &(node, parent) in &skeleton.parents_first {
        let is_bone = bones.binary_search_by_key(&node, |(bone, _)| *bone).is_ok();
        owner[node] = if is_bone { Some(node) } else { parent.and_then(|p| owner[p]) };
    }
    let mut owned: BTreeMap<usize, Vec<Vec3>> = BTreeMap::new();
    for (&node, points) in vertices {
        let Some(bone) = owner.get(node).copied().flatten() else { continue };
        let Some((of_node, of_bone)) = world.get(node).zip(world.get(bone)) else { continue };
        let bone_from_node = of_bone.inverse() * *of_node;
        let moved = points.iter().map(|p| bone_from_node.transform_point3(*p)).filter(|p| p.is_finite());
        owned.entry(bone).or_default().extend(moved);
    }
    owned
}

/// Returns the farthest points of each node in evenly spread directions.
fn points_of(vertices: &BTreeMap<usize, Vec<Vec3>>) -> Vec<(usize, Vec3)> {
    vertices.iter().flat_map(|(node, points)| outermost(points).into_iter().map(|p| (*node, p))).collect()
}

fn feet<'a>(
    rig: &'a Rig,
    owned: &BTreeMap<usize, Vec<Vec3>>,
    character: &Character,
    world: &[Affine3A],
) -> Vec<Foot<'a>> {
    let foot = |leg: &'a [usize], nodes: Vec<usize>, points: Vec<(usize, Vec3)>| {
        let joints = || nodes.iter().map(|&n| (n, Vec3::ZERO)).collect();
        let points = if points.is_empty() { joints() } else { points };
        Foot { node: nodes.first().copied().unwrap_or_default(), leg, points }
    };
    let Some(plan) = &rig.body else {
        let legs = rig.chains.iter().filter(|c| c.kind == ChainKind::Leg);
        let below =
            |n: usize| character.skeleton.nodes.get(n).map(|n| n.children.clone()).unwrap_or_default();
        let of_chain = |leg: &'a Chain| {
            let nodes: Vec<usize> = std::iter::once(leg.effector).chain(below(leg.effector)).collect();
            let skin = nodes.iter().filter_map(|n| Some((*n, owned.get(n)?)));
            let points =
                skin.flat_map(|(n, points)| outermost(points).into_iter().map(move |p| (n, p))).collect();
            foot(&leg.joints, nodes, points)
        };
        return legs.map(of_chain).collect();
    };
    let legs: Vec<&BodyLimb> = plan.legs().filter(|leg| leg.stands).collect();
    let ends: Vec<usize> = legs.iter().map(|limb| limb.end()).collect();
    let slot = |node: usize| u32::try_from(node).ok();
    let soles = Soles::new(character, character.default_scene, world, &ends, &slot);
    let of_leg = |(index, limb): (usize, &&'a BodyLimb)| {
        let nodes = std::iter::once(limb.end()).chain(limb.digits.iter().flatten().copied()).collect();
        foot(&limb.joints, nodes, soles.outermost(index, world))
    };
    legs.iter().enumerate().map(of_leg).collect()
}

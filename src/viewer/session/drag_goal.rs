//! The goal and the pins of a drag that starts at a point.

use glam::{DVec3, Vec3};

use crate::DragScope;
use crate::asset::Character;
use crate::ik::Limit;
use crate::puppet::{Pin, Puppet, Target};
use crate::rig::{ChainKind, LimbKind, Rig, default_base, orientation};
use crate::scene::picking::Hit;

/// Minimum distance between a joint and the point that it rotates, as a fraction of the distance between that point and the root.
const MIN_LEVER: f32 = 1e-3;

/// The goal and the pins of a drag that starts at a hit.
#[derive(Clone, Debug)]
pub(crate) struct DragGoal {
    pub(crate) target: Target,
    pub(crate) pins: Vec<Pin>,
    pub(crate) moves_root: bool,
    pub(crate) turns_joint: bool,
    /// Whether the whole body follows. The solver may then choose the depth, which a pointer does not determine.
    pub(super) frees_depth: bool,
}

impl DragGoal {
    /// Creates the goal and the pins for a hit. `base` is the node that must not move.
    pub(crate) fn new(hit: &Hit, puppet: &Puppet, scope: DragScope, base: Option<usize>) -> Self {
        let (character, rig) = (puppet.character(), &puppet.rig);
        let (offset, position) = (hit.offset, Some(hit.point.as_dvec3()));
        let target = Target { offset, position, ..Target::new(hit.node) };
        let goal =
            Self { target, pins: Vec::new(), moves_root: false, turns_joint: false, frees_depth: false };
        let joint = if scope == DragScope::Joint { joint_above(hit, puppet) } else { None };
        if joint.is_some() {
            return Self { target: Target { base: joint, ..target }, turns_joint: true, ..goal };
        }
        let root = default_base(character, hit.node);
        let chain_base = base.filter(|&b| b != hit.node).or_else(|| chain_base(character, rig, hit));
        let moves_root = chain_base.is_none() && hit.node == root;
        // The hips belong to no limb, so dragging them moves the body in any scope.
        let is_wanted = scope != DragScope::Limb || chain_base.is_none();
        if is_wanted && base.is_none() && puppet.moves_whole_body(hit.node) {
            return Self { frees_depth: true, ..goal };
        }
        if !moves_root {
            return Self { target: Target { base: Some(chain_base.unwrap_or(root)), ..target }, ..goal };
        }
        // If the root moves, the dragged node keeps its orientation, so that the character does not lean over.
        let orientation = Some(orientation(&character.skeleton, puppet.pose(), hit.node));
        let legs = rig.chains.iter().filter(|c| c.kind == ChainKind::Leg);
        let pins = legs.map(|leg| Pin::from(leg.effector)).collect();
        Self { target: Target { orientation, ..target }, pins, moves_root, ..goal }
    }
}

/// Returns the point on the bone under a skin point of the trunk or a leg, if the whole body would follow the drag. Pulling the skin point
/// itself would rotate such a thick part about its bone.
pub(super) fn bone_under(hit: &Hit, puppet: &Puppet, scope: DragScope, base: Option<usize>) -> Option<Hit> {
    let goal = DragGoal::new(hit, puppet, scope, base);
    let plan = puppet.rig.body.as_ref()?;
    let mut arms = plan.limbs.iter().filter(|limb| limb.kind != LimbKind::Leg);
    if hit.handle || !goal.frees_depth || arms.any(|arm| arm.joints.contains(&hit.node)) {
        return None;
    }
    let ends = puppet.character().skeleton.nodes.get(hit.node)?.children.iter();
    let ends = ends.filter_map(|&child| Some(puppet.pose().locals.get(child)?.translation.as_dvec3()));
    let nearest = |end: DVec3| {
        let share = hit.offset.dot(end) / end.length_squared();
        end * if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
    };
    let distance = |offset: &DVec3| offset.distance_squared(hit.offset);
    let offset = ends.map(nearest).min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
    let point = puppet.world_from_node().get(hit.node)?.transform_point3(offset.as_vec3());
    point.is_finite().then_some(Hit { point, offset, ..*hit })
}

/// Returns the base of the chain that contains the hit node. If no chain contains it, searches its ancestors for a chain, nearest first.
pub(crate) fn chain_base(character: &Character, rig: &Rig, hit: &Hit) -> Option<usize> {
    let own = character.skeleton.ancestors(hit.node).find_map(|node| {
        // A joint inside the chain can rotate about the base. The base's own rotation moves a hit point only if the point is not at the
        // base's origin.
        let is_beside = node != hit.node || !hit.handle;
        let contains = |c: &&crate::rig::Chain| c.joints.contains(&node) && (node != c.base || is_beside);
        let inside = rig.chains.iter().filter(contains).max_by_key(|c| node != c.base);
        inside.map(|c| c.base)
    });
    own.filter(|&b| b != default_base(character, hit.node) || b != hit.node)
}

/// Returns the nearest joint that can rotate the hit point: the hit joint or one of its ancestors. The point must not lie on the joint's
/// origin or axis. `None` if there is no such joint below the hips, which carry the whole body.
pub(crate) fn joint_above(hit: &Hit, puppet: &Puppet) -> Option<usize> {
    let (character, rig) = (puppet.character(), &puppet.rig);
    let skeleton = &character.skeleton;
    let mut skinned = vec![false; skeleton.nodes.len()];
    for &node in character.skins.iter().flat_map(|skin| &skin.joints) {
        if let Some(slot) = skinned.get_mut(node) {
            *slot = true;
        }
    }
    let is_in_skin = |node: usize| skinned.get(node).copied().unwrap_or_default();
    let needs_skin = is_in_skin(hit.node);
    let position = |node: usize| puppet.world_from_node().get(node).map(|m| Vec3::from(m.translation));
    let root = default_base(character, hit.node);
    let min_lever = MIN_LEVER * position(root)?.distance(hit.point);
    let can_turn = |node: usize| {
        let Some(at) = position(node) else { return false };
        let away = hit.point - at;
        let lever = match rig.joint(node).limit {
            Limit::Locked if puppet.options.solver.limits => 0.0,
            Limit::Prismatic { .. } => 0.0,
            Limit::Hinge { axis, .. } if puppet.options.solver.limits => {
                let axis = (orientation(skeleton, puppet.pose(), node) * axis).as_vec3();
                away.reject_from(axis.normalize_or(Vec3::Y)).length()
            }
            _ => away.length(),
        };
        lever > min_lever && (!needs_skin || is_in_skin(node))
    };
    let hips = rig.body.as_ref().map(|body| body.hips);
    let up = |&node: &usize| if node == root { None } else { rig.above(skeleton, node) };
    // A joint cannot rotate a hit point at its own origin, so start with its parent.
    let path = std::iter::successors(Some(hit.node), up).take(skeleton.nodes.len());
    let mut path = path.skip(usize::from(hit.handle)).take_while(|&node| Some(node) != hips);
    path.find(|&node| can_turn(node))
}

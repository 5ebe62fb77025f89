//! Finds the chains of a character by its humanoid map, by the names of its joints, or by its shape. The time is linear
//! in the number of nodes for any hierarchy and any names, because a file can have a very large number of nodes.

use glam::Vec3;

use crate::asset::{Character, Family, Skeleton};
use crate::pose::{Pose, world_matrices};

use super::body_limits;
use super::body_plan::{BodyPlan, LimbSide};
use super::limits::{self, RestPose};
use super::mechanical;
use super::model::{ChainKind, Rig};
use super::recognize::{Recognized, recognize};
use super::reparent::{reparent, webxr};

mod body;
mod by_name;
mod by_shape;
mod names;
#[cfg(test)]
mod tests;

/// Maximum height of a foot above the ground, as a fraction of the character's height.
const MAX_FOOT_HEIGHT: f32 = 0.12;

/// Finds the chains of a character. If its body is recognised, the chains are the parts of the body, with the default limits of such a
/// body. Otherwise they are found by joint names and by shape.
///
/// ```
/// use sinew_character::{asset, rig};
///
/// let character = asset::mannequin()?;
/// let rig = rig::detect(&character);
/// let hand = character.skeleton.find("leftHand").ok_or("no hand")?;
/// let arm = rig.chain(hand).ok_or("no arm")?;
/// assert_eq!((arm.kind, arm.joints.len()), (rig::ChainKind::Arm, 3));
/// assert_eq!(rig.feet().count(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn detect(character: &Character) -> Rig {
    detect_recognized(character, recognize(character).ok())
}

/// Finds the chains of a character whose body is known.
pub(super) fn detect_recognized(character: &Character, recognized: Option<Recognized>) -> Rig {
    let hand = webxr(&character.skeleton);
    let bones = recognized.as_ref().map(|r| r.bones.clone()).unwrap_or_default();
    // The joints of a hand do not form a body. The joints of a machine have their own limits, although they may be called shoulder and
    // wrist.
    let is_machine = !character.joints.is_empty();
    let is_body = |r: &Recognized| r.stands() && hand.is_empty() && !is_machine;
    let (body, logical_parents) = match recognized.filter(is_body) {
        Some(recognized) => (Some(recognized.plan), recognized.logical_parents),
        None => (None, hand),
    };
    let reparented =
        (!logical_parents.is_empty()).then(|| reparent(&character.skeleton, &logical_parents).ok()).flatten();
    let finder = ChainFinder::new(character, reparented.as_ref().unwrap_or(&character.skeleton));
    let mut found = match &body {
        Some(plan) => finder.chains_of_body(plan),
        None if is_machine => Vec::new(),
        None => finder.chains_by_name(),
    };
    finder.add_chains_by_shape(&mut found, body.is_some());
    let facing = body.as_ref().map_or(Vec3::Z, |b| b.facing);
    let chains = finder.named_chains(found, facing);
    let mut rig = Rig { chains, bones, ..Rig::default() };
    match &body {
        Some(plan) => {
            let rest = RestPose { skeleton: finder.skeleton, world: &finder.world };
            body_limits::add(&rest, plan, &mut rig);
        }
        None if is_machine => mechanical::add(character, &mut rig),
        None => limits::humanoid(finder.skeleton, &finder.world, &mut rig),
    }
    for (node, logical_parent) in logical_parents {
        rig.joints.entry(node).or_default().logical_parent = Some(logical_parent);
    }
    // The figure solver needs a joint in the middle of each limb.
    rig.body = body.filter(BodyPlan::has_middle_joints);
    rig
}

/// For each node, the child on the longest path down.
struct LongestPaths(Vec<Option<usize>>);

impl LongestPaths {
    /// Returns the longest path down from a node.
    fn from(&self, top: usize) -> Vec<usize> {
        std::iter::successors(Some(top), |&n| self.0[n]).collect()
    }
}

/// A chain that has no name yet.
struct FoundChain {
    kind: ChainKind,
    joints: Vec<usize>,
    /// The side, if it is known.
    side: Option<LimbSide>,
    /// The bend direction, if it is known.
    bend: Option<Vec3>,
}

impl FoundChain {
    fn new(kind: ChainKind, joints: Vec<usize>) -> Self {
        Self { kind, joints, side: None, bend: None }
    }
}

struct ChainFinder<'a> {
    skeleton: &'a Skeleton,
    /// Whether a node is a joint, or a leaf that marks the end of a joint.
    counts: Vec<bool>,
    /// For each node, the number of its children for which `counts` is true.
    branches: Vec<usize>,
    names: Vec<String>,
    families: Vec<Option<Family>>,
    positions: Vec<Vec3>,
    /// Positions of the nodes that count, sorted by x.
    across: Vec<Vec3>,
    world: Vec<glam::Affine3A>,
    /// Lowest y of the joints. `height` is the difference between the highest y and this one.
    ground: f32,
    height: f32,
    /// The x coordinate of the plane between left and right.
    middle: f32,
    width: f32,
}

impl<'a> ChainFinder<'a> {
    fn new(character: &'a Character, skeleton: &'a Skeleton) -> Self {
        let nodes = &skeleton.nodes;
        let mut is_joint = vec![character.skins.is_empty(); nodes.len()];
        character.skins.iter().flat_map(|s| &s.joints).for_each(|&j| is_joint[j] = true);
        let marks_end = |n: usize| {
            nodes[n].children.is_empty()
                && nodes[n].mesh.is_none()
                && nodes[n].parent.is_some_and(|p| is_joint[p])
        };
        let counts: Vec<bool> = (0..nodes.len()).map(|n| is_joint[n] || marks_end(n)).collect();
        let mut branches = vec![0; nodes.len()];
        skeleton.parents_first.iter().filter(|(n, _)| counts[*n]).for_each(|(_, parent)| {
            parent.iter().for_each(|&p| branches[p] += 1);
        });
        let mut names: Vec<String> = nodes.iter().map(|n| n.name.clone().unwrap_or_default()).collect();
        if let Some(humanoid) = &character.humanoid {
            humanoid.bones.iter().for_each(|(bone, &node)| names[node].clone_from(bone));
        }
        let families = names.iter().map(|n| Family::from_name(n)).collect();
        let mut world = Vec::new();
        world_matrices(skeleton, &Pose::rest(skeleton), &mut world);
        let positions: Vec<Vec3> = world.iter().map(|m| m.translation.into()).collect();
        let of_joints = positions.iter().zip(&counts).filter(|(p, c)| **c && p.is_finite()).map(|(p, _)| *p);
        let mut across: Vec<Vec3> = of_joints.clone().collect();
        across.sort_by(|a, b| a.x.total_cmp(&b.x));
        // Objects on one side, such as a weapon, hardly affect the median.
        let middle = across.get(across.len() / 2).map_or(0.0, |p| p.x);
        let bounds = of_joints.map(|p| (p, p)).reduce(|(lo, hi), (p, q)| (lo.min(p), hi.max(q)));
        let (lo, hi) = bounds.unwrap_or((Vec3::ZERO, Vec3::ONE));
        Self {
            skeleton,
            counts,
            branches,
            names,
            families,
            positions,
            across,
            world,
            ground: lo.y,
            height: hi.y - lo.y,
            middle,
            width: hi.x - lo.x,
        }
    }

    fn children(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        self.skeleton.nodes[node].children.iter().copied().filter(|&c| self.counts[c])
    }

    fn parent_family(&self, node: usize) -> Option<Family> {
        self.skeleton.nodes[node].parent.and_then(|p| self.families[p])
    }

    /// Returns the nodes of a family whose parents are outside the family, parents first.
    fn tops(&self, family: Family) -> Vec<usize> {
        let of_family = |n: &usize| self.counts[*n] && self.families[*n] == Some(family);
        let nodes = self.skeleton.parents_first.iter().map(|(n, _)| *n).filter(of_family);
        nodes.filter(|&n| self.parent_family(n) != Some(family)).collect()
    }

    /// Finds the longest paths down through allowed nodes. A single pass finds the paths from all nodes, because a
    /// search from each node separately could take quadratic time.
    fn longest_paths(&self, allowed: &dyn Fn(usize) -> bool) -> LongestPaths {
        // Iterative, because hierarchies can be deep. Depths are computed in reverse order, from the leaves up.
        let mut deepest: Vec<(usize, Option<usize>)> = vec![(0, None); self.skeleton.nodes.len()];
        for &(node, parent) in self.skeleton.parents_first.iter().rev() {
            if let Some(parent) = parent.filter(|_| self.counts[node] && allowed(node)) {
                let depth = deepest[node].0 + 1;
                // Among equal paths, the first child wins, because children are visited in reverse order.
                if depth >= deepest[parent].0 {
                    deepest[parent] = (depth, Some(node));
                }
            }
        }
        LongestPaths(deepest.into_iter().map(|(_, next)| next).collect())
    }

    /// Returns whether a limb ends on the ground, even if it is named like an arm.
    fn stands(&self, joints: &[usize]) -> bool {
        let [first, .., last] = joints else { return false };
        let above = |n: usize| self.positions[n].y - self.ground;
        above(*last) < MAX_FOOT_HEIGHT * self.height && above(*last) < 0.5 * above(*first)
    }
}

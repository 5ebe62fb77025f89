//! Finds the chains of a character by its humanoid map, by the names of its joints, or by its shape. The time is linear
//! in the number of nodes for any hierarchy and any names, because a file can have a very large number of nodes.

use glam::Vec3;

use crate::asset::{Character, Family, Skeleton, is_collar, is_foot, is_hand};
use crate::pose::{Pose, world_matrices};

use super::body_limits;
use super::body_plan::{BodyPlan, LimbSide};
use super::limits::{self, RestPose};
use super::mechanical;
use super::model::{ChainKind, Rig, path};
use super::recognize::{Recognized, recognize};
use super::reparent::{reparent, webxr};

mod body;
mod names;
#[cfg(test)]
mod tests;

/// Maximum height of a foot above the ground, as a fraction of the character's height.
const MAX_FOOT_HEIGHT: f32 = 0.12;
/// The last bone of a limb counts as its hand or foot if it is shorter than this fraction of the mean length of the other bones.
const MAX_STUB_LENGTH: f32 = 0.4;

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

    fn chains_by_name(&self) -> Vec<FoundChain> {
        let mut found = Vec::new();
        for (family, kind) in [(Family::Arm, ChainKind::Arm), (Family::Leg, ChainKind::Leg)] {
            let longest = self.longest_paths(&|n| self.families[n] == Some(family));
            for top in self.tops(family) {
                if let Some(joints) = self.limb(longest.from(top), family) {
                    let kind = if self.stands(&joints) { ChainKind::Leg } else { kind };
                    found.push(FoundChain::new(kind, joints));
                }
            }
        }
        found.extend(self.neck());
        found.extend(self.spine(&found));
        for (family, kind) in [(Family::Tail, ChainKind::Tail), (Family::Finger, ChainKind::Finger)] {
            let longest =
                self.longest_paths(&|n| self.families[n] == Some(family) || self.families[n].is_none());
            // A chain may continue below unnamed joints with joints of its family. These joints do not start a chain of their own.
            let mut taken = vec![false; self.skeleton.nodes.len()];
            for top in self.tops(family) {
                if taken[top] {
                    continue;
                }
                let joints = longest.from(top);
                joints.iter().for_each(|&n| taken[n] = true);
                if joints.len() >= 2 {
                    found.push(FoundChain::new(kind, joints));
                }
            }
        }
        found
    }

    /// Returns the chain of an arm or a leg, given the joints of its family. The chain excludes the collar and ends at the hand or foot.
    fn limb(&self, mut joints: Vec<usize>, family: Family) -> Option<Vec<usize>> {
        let sided = (self.positions[*joints.last()?].x - self.middle).abs() > 0.02 * self.width;
        let end = match family {
            Family::Arm => joints.iter().position(|&n| is_hand(&self.names[n])),
            _ => joints.iter().rposition(|&n| is_foot(&self.names[n]) && !self.is_leaf_of_joint(n)),
        };
        if let Some(end) = end {
            joints.truncate(end + 1);
        }
        // The collar and the upper arm can both be called shoulder. Keep three joints for the limb.
        let collars = joints.iter().take_while(|&&n| is_collar(&self.names[n])).count();
        joints.drain(..if sided { collars.min(joints.len().saturating_sub(3)) } else { 0 });
        if end.is_none() {
            if let Some(mark) =
                joints.last().and_then(|&last| self.children(last).find(|&c| self.families[c].is_none()))
            {
                joints.push(mark);
            }
            let bones: Vec<f32> =
                joints.windows(2).map(|w| self.positions[w[0]].distance(self.positions[w[1]])).collect();
            let (last, others) = bones.split_last()?;
            #[expect(clippy::cast_precision_loss, reason = "limbs have few bones")]
            let mean = others.iter().sum::<f32>() / others.len().max(1) as f32;
            if others.len() >= 2 && *last < MAX_STUB_LENGTH * mean {
                joints.pop();
            }
        }
        (joints.len() >= 3).then_some(joints)
    }

    /// Returns whether a node only marks the end of a joint's bone.
    fn is_leaf_of_joint(&self, node: usize) -> bool {
        self.skeleton.nodes[node].children.is_empty() && self.names[node].to_lowercase().ends_with("_end")
    }

    /// Returns whether a limb ends on the ground, even if it is named like an arm.
    fn stands(&self, joints: &[usize]) -> bool {
        let [first, .., last] = joints else { return false };
        let above = |n: usize| self.positions[n].y - self.ground;
        above(*last) < MAX_FOOT_HEIGHT * self.height && above(*last) < 0.5 * above(*first)
    }

    fn neck(&self) -> Option<FoundChain> {
        let top = self.tops(Family::Neck).into_iter().next()?;
        let mut joints = self.longest_paths(&|n| self.families[n] == Some(Family::Neck)).from(top);
        let last = *joints.last()?;
        joints.extend(self.children(last).find(|&c| self.families[c] == Some(Family::Head)));
        (joints.len() >= 2).then_some(FoundChain::new(ChainKind::Neck, joints))
    }

    /// Finds the chain from above the legs to the arms and the neck. Without legs, joint names determine where it
    /// starts.
    fn spine(&self, limbs: &[FoundChain]) -> Option<FoundChain> {
        let of = |kind: ChainKind| limbs.iter().filter(move |f| f.kind == kind).map(|f| f.joints[0]);
        let legs: Vec<usize> = of(ChainKind::Leg).collect();
        let top = of(ChainKind::Neck).next().or_else(|| self.tops(Family::Head).into_iter().next());
        let top = top.and_then(|n| self.skeleton.nodes[n].parent);
        let named = |n: usize| matches!(self.families[n], Some(Family::Spine | Family::Hips));
        let bottom = if legs.is_empty() {
            let top = top?;
            self.skeleton.ancestors(top).take_while(|&n| named(n)).last()
        } else {
            self.pelvis(&legs, top?)
        };
        let joints = path(self.skeleton, bottom?, top?)?;
        let joints = if legs.is_empty() { joints } else { joints[1..].to_vec() };
        (joints.len() >= 2).then_some(FoundChain::new(ChainKind::Spine, joints))
    }

    /// Returns the lowest joint that the legs share, at or above `top`. For a quadruped, only the hind legs are used.
    fn pelvis(&self, legs: &[usize], top: usize) -> Option<usize> {
        let count = self.skeleton.nodes.len();
        let mut is_below = vec![false; count];
        for &(node, parent) in &self.skeleton.parents_first {
            is_below[node] = node == top || parent.is_some_and(|p| is_below[p]);
        }
        let hind_legs: Vec<usize> = legs.iter().copied().filter(|&n| !is_below[n]).collect();
        let mut legs_starting_at = vec![0_usize; count];
        hind_legs.iter().for_each(|&n| legs_starting_at[n] += 1);
        // Number of legs that start below each node.
        let mut legs_below = vec![0_usize; count];
        for &(node, parent) in self.skeleton.parents_first.iter().rev() {
            parent.iter().for_each(|&p| legs_below[p] += legs_below[node] + legs_starting_at[node]);
        }
        let mut is_above_top = vec![false; count];
        self.skeleton.ancestors(top).for_each(|n| is_above_top[n] = true);
        let first = *hind_legs.first()?;
        let mut above = self.skeleton.ancestors(first).skip(1);
        above.find(|&n| is_above_top[n] && 2 * legs_below[n] >= hind_legs.len().max(2))
    }

    /// Finds chains by shape only: paths from a fork to a leaf that do not touch a known chain. If the body is known, these chains are
    /// neither arms nor legs.
    fn add_chains_by_shape(&self, found: &mut Vec<FoundChain>, is_body_known: bool) {
        let mut claimed = vec![false; self.skeleton.nodes.len()];
        found.iter().flat_map(|f| &f.joints).for_each(|&n| claimed[n] = true);
        let free = |n: usize| self.counts[n] && self.families[n].is_none() && !claimed[n];
        let first = found.len();
        let nodes = 0..self.skeleton.nodes.len();
        let leaves: Vec<usize> = nodes.clone().filter(|&n| free(n) && self.branches[n] == 0).collect();
        self.add_paths_up(&leaves, &free, found);
        // A fork without a chain below it, such as a gripper with its jaws, is also an end.
        let mut is_above_end = vec![false; self.skeleton.nodes.len()];
        let ends = found.iter().flat_map(|f| f.joints.last());
        for &end in ends {
            // Stop at a marked node, because its ancestors are marked already.
            let mut up = self.skeleton.ancestors(end);
            while let Some(node) = up.next().filter(|&n| !is_above_end[n]) {
                is_above_end[node] = true;
            }
        }
        let forks: Vec<usize> =
            nodes.filter(|&n| free(n) && !is_above_end[n] && self.branches[n] > 1).collect();
        self.add_paths_up(&forks, &free, found);
        for chain in found.iter_mut().skip(first).filter(|_| is_body_known) {
            if matches!(chain.kind, ChainKind::Arm | ChainKind::Leg) {
                chain.kind = ChainKind::Limb;
            }
        }
    }

    /// Adds each path from an end up to the next fork, if it has at least three joints.
    fn add_paths_up(&self, ends: &[usize], free: &dyn Fn(usize) -> bool, found: &mut Vec<FoundChain>) {
        for &end in ends {
            let mut joints = vec![end];
            while let Some(parent) = joints.last().and_then(|&n| self.skeleton.nodes[n].parent) {
                if !free(parent) || self.branches[parent] > 1 {
                    break;
                }
                joints.push(parent);
            }
            joints.reverse();
            if joints.len() >= 3 {
                let kind = self.shape(&joints);
                found.push(FoundChain::new(kind, joints));
            }
        }
    }

    fn shape(&self, joints: &[usize]) -> ChainKind {
        let [first, .., last] = joints else { return ChainKind::Limb };
        let (start, end) = (self.positions[*first], self.positions[*last]);
        let aside = (end.x - self.middle).abs() > 0.05 * self.width;
        let along = (end - start).normalize_or_zero();
        if self.stands(joints) && aside {
            ChainKind::Leg
        } else if aside && along.x.abs() > 0.3 && self.has_mirror(end) {
            ChainKind::Arm
        } else if !aside && along.z < -0.5 && self.height > 0.0 {
            ChainKind::Tail
        } else {
            ChainKind::Limb
        }
    }

    /// Returns whether a joint is near the mirror image of a position.
    fn has_mirror(&self, position: Vec3) -> bool {
        let mirrored = position.with_x(2.0 * self.middle - position.x);
        let near = 0.05 * self.width.max(self.height);
        let first = self.across.partition_point(|p| p.x < mirrored.x - near);
        let from = self.across.get(first..).unwrap_or_default();
        from.iter().take_while(|p| p.x <= mirrored.x + near).any(|p| p.distance(mirrored) < near)
    }
}

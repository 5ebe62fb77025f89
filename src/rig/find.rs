//! Finds the chains of a character: from its humanoid map, else its joints' names, else its shape. All of it takes time
//! in proportion to the nodes, however they hang and whatever they are called: a file may have very many.

use glam::Vec3;

use crate::asset::{Character, Family, Skeleton, is_collar, is_foot, is_hand};
use crate::pose::{Pose, world_matrices};

use super::carry::{carry, webxr};
use super::limits;
use super::model::{ChainKind, Rig, path};

mod names;
#[cfg(test)]
mod tests;

/// A foot is within this share of the height above the ground.
const NEAR_GROUND: f32 = 0.12;
/// The last bone of a limb that is shorter than this share of the others is its hand or foot.
const STUB: f32 = 0.4;

/// The chains of a character, with default limits where it is a humanoid.
pub fn find(character: &Character) -> Rig {
    let carriers = webxr(&character.skeleton);
    let carried = (!carriers.is_empty()).then(|| carry(&character.skeleton, &carriers).ok()).flatten();
    let finder = Finder::new(character, carried.as_ref().unwrap_or(&character.skeleton));
    let mut found = finder.named();
    finder.unnamed(&mut found);
    let mut rig = Rig { chains: finder.named_chains(found), ..Rig::default() };
    limits::humanoid(finder.skeleton, &finder.world, &mut rig);
    for (node, carrier) in carriers {
        rig.joints.entry(node).or_default().carrier = Some(carrier);
    }
    rig
}

/// The child on the longest way down from each node.
struct Longest(Vec<Option<usize>>);

impl Longest {
    /// The longest way down from a node.
    fn from(&self, top: usize) -> Vec<usize> {
        std::iter::successors(Some(top), |&n| self.0[n]).collect()
    }
}

/// A chain before it has a name.
struct Found {
    kind: ChainKind,
    joints: Vec<usize>,
}

struct Finder<'a> {
    skeleton: &'a Skeleton,
    /// Whether a node is a joint, or the leaf that marks a joint's end.
    counts: Vec<bool>,
    /// How many children of a node count.
    branches: Vec<usize>,
    names: Vec<String>,
    families: Vec<Option<Family>>,
    places: Vec<Vec3>,
    /// Places of what counts, by their x.
    across: Vec<Vec3>,
    world: Vec<glam::Affine3A>,
    /// Lowest and highest place.
    ground: f32,
    height: f32,
    /// The plane between left and right.
    middle: f32,
    width: f32,
}

impl<'a> Finder<'a> {
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
        let places: Vec<Vec3> = world.iter().map(|m| m.translation.into()).collect();
        let of_joints = places.iter().zip(&counts).filter(|(p, c)| **c && p.is_finite()).map(|(p, _)| *p);
        let mut across: Vec<Vec3> = of_joints.clone().collect();
        across.sort_by(|a, b| a.x.total_cmp(&b.x));
        // What stands to one side alone, a weapon, does not move the median.
        let middle = across.get(across.len() / 2).map_or(0.0, |p| p.x);
        let bounds = of_joints.map(|p| (p, p)).reduce(|(lo, hi), (p, q)| (lo.min(p), hi.max(q)));
        let (lo, hi) = bounds.unwrap_or((Vec3::ZERO, Vec3::ONE));
        Self {
            skeleton,
            counts,
            branches,
            names,
            families,
            places,
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

    /// Nodes of a family whose parent is of another, parents first.
    fn tops(&self, family: Family) -> Vec<usize> {
        let of_family = |n: &usize| self.counts[*n] && self.families[*n] == Some(family);
        let nodes = self.skeleton.parents_first.iter().map(|(n, _)| *n).filter(of_family);
        nodes.filter(|&n| self.parent_family(n) != Some(family)).collect()
    }

    /// The longest ways down from all nodes, through nodes that a test lets through. One pass over the nodes serves all
    /// tops: a file may have as many of them as nodes.
    fn longest(&self, allowed: &dyn Fn(usize) -> bool) -> Longest {
        // Iterative: files may nest deeply. Depths from the leaves up, along the parents-first order.
        let mut deepest: Vec<(usize, Option<usize>)> = vec![(0, None); self.skeleton.nodes.len()];
        for &(node, parent) in self.skeleton.parents_first.iter().rev() {
            if let Some(parent) = parent.filter(|_| self.counts[node] && allowed(node)) {
                let depth = deepest[node].0 + 1;
                // Of equals the first: children are met last to first.
                if depth >= deepest[parent].0 {
                    deepest[parent] = (depth, Some(node));
                }
            }
        }
        Longest(deepest.into_iter().map(|(_, next)| next).collect())
    }

    /// Chains that names tell.
    fn named(&self) -> Vec<Found> {
        let mut found = Vec::new();
        for (family, kind) in [(Family::Arm, ChainKind::Arm), (Family::Leg, ChainKind::Leg)] {
            let longest = self.longest(&|n| self.families[n] == Some(family));
            for top in self.tops(family) {
                if let Some(joints) = self.limb(longest.from(top), family) {
                    let kind = if self.stands(&joints) { ChainKind::Leg } else { kind };
                    found.push(Found { kind, joints });
                }
            }
        }
        found.extend(self.neck());
        found.extend(self.spine(&found));
        for (family, kind) in [(Family::Tail, ChainKind::Tail), (Family::Finger, ChainKind::Finger)] {
            let longest = self.longest(&|n| self.families[n] == Some(family) || self.families[n].is_none());
            // A chain may lead through joints without a name to others of its family: those are its own.
            let mut taken = vec![false; self.skeleton.nodes.len()];
            for top in self.tops(family) {
                if taken[top] {
                    continue;
                }
                let joints = longest.from(top);
                joints.iter().for_each(|&n| taken[n] = true);
                if joints.len() >= 2 {
                    found.push(Found { kind, joints });
                }
            }
        }
        found
    }

    /// An arm or a leg of the joints of its family: without the collar, to the hand or foot.
    fn limb(&self, mut joints: Vec<usize>, family: Family) -> Option<Vec<usize>> {
        let sided = (self.places[*joints.last()?].x - self.middle).abs() > 0.02 * self.width;
        let end = match family {
            Family::Arm => joints.iter().position(|&n| is_hand(&self.names[n])),
            _ => joints.iter().rposition(|&n| is_foot(&self.names[n]) && !self.is_leaf_of_joint(n)),
        };
        if let Some(end) = end {
            joints.truncate(end + 1);
        }
        // A collar may be called a shoulder, and the upper arm too: three joints are a limb.
        let collars = joints.iter().take_while(|&&n| is_collar(&self.names[n])).count();
        joints.drain(..if sided { collars.min(joints.len().saturating_sub(3)) } else { 0 });
        if end.is_none() {
            if let Some(mark) =
                joints.last().and_then(|&last| self.children(last).find(|&c| self.families[c].is_none()))
            {
                joints.push(mark);
            }
            let bones: Vec<f32> =
                joints.windows(2).map(|w| self.places[w[0]].distance(self.places[w[1]])).collect();
            let (last, others) = bones.split_last()?;
            #[expect(clippy::cast_precision_loss, reason = "limbs have few bones")]
            let mean = others.iter().sum::<f32>() / others.len().max(1) as f32;
            if others.len() >= 2 && *last < STUB * mean {
                joints.pop();
            }
        }
        (joints.len() >= 3).then_some(joints)
    }

    /// Whether a node only marks where a joint's bone ends.
    fn is_leaf_of_joint(&self, node: usize) -> bool {
        self.skeleton.nodes[node].children.is_empty() && self.names[node].to_lowercase().ends_with("_end")
    }

    /// Whether a limb, by name perhaps an arm, ends on the ground.
    fn stands(&self, joints: &[usize]) -> bool {
        let [first, .., last] = joints else { return false };
        let above = |n: usize| self.places[n].y - self.ground;
        above(*last) < NEAR_GROUND * self.height && above(*last) < 0.5 * above(*first)
    }

    fn neck(&self) -> Option<Found> {
        let top = self.tops(Family::Neck).into_iter().next()?;
        let mut joints = self.longest(&|n| self.families[n] == Some(Family::Neck)).from(top);
        let last = *joints.last()?;
        joints.extend(self.children(last).find(|&c| self.families[c] == Some(Family::Head)));
        (joints.len() >= 2).then_some(Found { kind: ChainKind::Neck, joints })
    }

    /// From above where the legs hang to where arms and neck do; without legs, what is called so.
    fn spine(&self, limbs: &[Found]) -> Option<Found> {
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
        (joints.len() >= 2).then_some(Found { kind: ChainKind::Spine, joints })
    }

    /// The lowest joint that the legs hang on, at or above the top of the back: for a quadruped, those behind alone.
    fn pelvis(&self, legs: &[usize], top: usize) -> Option<usize> {
        let count = self.skeleton.nodes.len();
        let mut is_below = vec![false; count];
        for &(node, parent) in &self.skeleton.parents_first {
            is_below[node] = node == top || parent.is_some_and(|p| is_below[p]);
        }
        let behind: Vec<usize> = legs.iter().copied().filter(|&n| !is_below[n]).collect();
        let mut begins = vec![0_usize; count];
        behind.iter().for_each(|&n| begins[n] += 1);
        // How many legs begin below each node.
        let mut carried = vec![0_usize; count];
        for &(node, parent) in self.skeleton.parents_first.iter().rev() {
            parent.iter().for_each(|&p| carried[p] += carried[node] + begins[node]);
        }
        let mut carries_top = vec![false; count];
        self.skeleton.ancestors(top).for_each(|n| carries_top[n] = true);
        let first = *behind.first()?;
        let mut above = self.skeleton.ancestors(first).skip(1);
        above.find(|&n| carries_top[n] && 2 * carried[n] >= behind.len().max(2))
    }

    /// Chains that only shape tells: ways from a fork to a leaf that no named chain touches.
    fn unnamed(&self, found: &mut Vec<Found>) {
        let mut claimed = vec![false; self.skeleton.nodes.len()];
        found.iter().flat_map(|f| &f.joints).for_each(|&n| claimed[n] = true);
        let free = |n: usize| self.counts[n] && self.families[n].is_none() && !claimed[n];
        let nodes = 0..self.skeleton.nodes.len();
        let leaves: Vec<usize> = nodes.clone().filter(|&n| free(n) && self.branches[n] == 0).collect();
        self.ways_up(&leaves, &free, found);
        // Where no chain goes on, a fork is an end too: a gripper with its jaws.
        let mut carries = vec![false; self.skeleton.nodes.len()];
        let ends = found.iter().flat_map(|f| f.joints.last());
        for &end in ends {
            // What is above a node that is marked is marked too.
            let mut up = self.skeleton.ancestors(end);
            while let Some(node) = up.next().filter(|&n| !carries[n]) {
                carries[node] = true;
            }
        }
        let forks: Vec<usize> = nodes.filter(|&n| free(n) && !carries[n] && self.branches[n] > 1).collect();
        self.ways_up(&forks, &free, found);
    }

    /// The ways from ends up to the next fork, those of three joints and more.
    fn ways_up(&self, ends: &[usize], free: &dyn Fn(usize) -> bool, found: &mut Vec<Found>) {
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
                found.push(Found { kind, joints });
            }
        }
    }

    fn shape(&self, joints: &[usize]) -> ChainKind {
        let [first, .., last] = joints else { return ChainKind::Limb };
        let (start, end) = (self.places[*first], self.places[*last]);
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

    /// Whether some joint stands where another would be in a mirror.
    fn has_mirror(&self, place: Vec3) -> bool {
        let there = place.with_x(2.0 * self.middle - place.x);
        let near = 0.05 * self.width.max(self.height);
        let first = self.across.partition_point(|p| p.x < there.x - near);
        let from = self.across.get(first..).unwrap_or_default();
        from.iter().take_while(|p| p.x <= there.x + near).any(|p| p.distance(there) < near)
    }
}

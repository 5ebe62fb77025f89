//! Finds the chains of a character: from its humanoid map, else its joints' names, else its shape.

use std::collections::BTreeMap;

use glam::Vec3;

use crate::asset::{Character, Family, Side, Skeleton, is_collar, is_foot, is_hand};
use crate::pose::{Pose, world_matrices};

use super::carry::{carry, webxr};
use super::limits;
use super::model::{Chain, ChainKind, Rig, path};

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

/// A chain before it has a name.
struct Found {
    kind: ChainKind,
    joints: Vec<usize>,
}

struct Finder<'a> {
    skeleton: &'a Skeleton,
    /// Whether a node is a joint, or the leaf that marks a joint's end.
    counts: Vec<bool>,
    names: Vec<String>,
    families: Vec<Option<Family>>,
    places: Vec<Vec3>,
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
        let mut names: Vec<String> = nodes.iter().map(|n| n.name.clone().unwrap_or_default()).collect();
        if let Some(humanoid) = &character.humanoid {
            humanoid.bones.iter().for_each(|(bone, &node)| names[node].clone_from(bone));
        }
        let families = names.iter().map(|n| Family::of(n)).collect();
        let mut world = Vec::new();
        world_matrices(skeleton, &Pose::rest(skeleton), &mut world);
        let places: Vec<Vec3> = world.iter().map(|m| m.translation.into()).collect();
        let of_joints = places.iter().zip(&counts).filter(|(p, c)| **c && p.is_finite()).map(|(p, _)| *p);
        let mut across: Vec<f32> = of_joints.clone().map(|p| p.x).collect();
        across.sort_by(f32::total_cmp);
        // What stands to one side alone, a weapon, does not move the median.
        let middle = across.get(across.len() / 2).copied().unwrap_or(0.0);
        let bounds = of_joints.map(|p| (p, p)).reduce(|(lo, hi), (p, q)| (lo.min(p), hi.max(q)));
        let (lo, hi) = bounds.unwrap_or((Vec3::ZERO, Vec3::ONE));
        Self {
            skeleton,
            counts,
            names,
            families,
            places,
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

    /// The longest way down through nodes that a test lets through.
    fn longest(&self, top: usize, allowed: &dyn Fn(usize) -> bool) -> Vec<usize> {
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
        std::iter::successors(Some(top), |&n| deepest[n].1).collect()
    }

    /// Chains that names tell.
    fn named(&self) -> Vec<Found> {
        let mut found = Vec::new();
        for (family, kind) in [(Family::Arm, ChainKind::Arm), (Family::Leg, ChainKind::Leg)] {
            for top in self.tops(family) {
                if let Some(joints) = self.limb(top, family) {
                    let kind = if self.stands(&joints) { ChainKind::Leg } else { kind };
                    found.push(Found { kind, joints });
                }
            }
        }
        found.extend(self.neck());
        found.extend(self.spine(&found));
        for (family, kind) in [(Family::Tail, ChainKind::Tail), (Family::Finger, ChainKind::Finger)] {
            for top in self.tops(family) {
                let joints =
                    self.longest(top, &|n| self.families[n] == Some(family) || self.families[n].is_none());
                if joints.len() >= 2 {
                    found.push(Found { kind, joints });
                }
            }
        }
        found
    }

    /// An arm or a leg: without the collar, to the hand or foot.
    fn limb(&self, top: usize, family: Family) -> Option<Vec<usize>> {
        let mut joints = self.longest(top, &|n| self.families[n] == Some(family));
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
        let mut joints = self.longest(top, &|n| self.families[n] == Some(Family::Neck));
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
            // The lowest joint that all legs hang on: for a quadruped, those behind alone.
            let behind = |n: &usize| top.is_none_or(|t| !self.skeleton.ancestors(*n).any(|a| a == t));
            let legs: Vec<usize> = legs.iter().copied().filter(behind).collect();
            let above = |n: usize| self.skeleton.ancestors(n).skip(1).collect::<Vec<_>>();
            let (first, others) = legs.split_first()?;
            let rearmost = |n: usize| others.iter().filter(|o| above(**o).contains(&n)).count();
            above(*first)
                .into_iter()
                .find(|&n| 2 * (rearmost(n) + 1) >= legs.len().max(2) && self.above_top(n, top))
        };
        let joints = path(self.skeleton, bottom?, top?)?;
        let joints = if legs.is_empty() { joints } else { joints[1..].to_vec() };
        (joints.len() >= 2).then_some(Found { kind: ChainKind::Spine, joints })
    }

    fn above_top(&self, node: usize, top: Option<usize>) -> bool {
        top.is_some_and(|t| self.skeleton.ancestors(t).any(|a| a == node))
    }

    /// Chains that only shape tells: ways from a fork to a leaf that no named chain touches.
    fn unnamed(&self, found: &mut Vec<Found>) {
        let mut claimed = vec![false; self.skeleton.nodes.len()];
        found.iter().flat_map(|f| &f.joints).for_each(|&n| claimed[n] = true);
        let free = |n: usize| self.counts[n] && self.families[n].is_none() && !claimed[n];
        let nodes = 0..self.skeleton.nodes.len();
        let leaves: Vec<usize> =
            nodes.clone().filter(|&n| free(n) && self.children(n).next().is_none()).collect();
        self.ways_up(&leaves, &free, found);
        // Where no chain goes on, a fork is an end too: a gripper with its jaws.
        let mut carries = vec![false; self.skeleton.nodes.len()];
        let ends = found.iter().flat_map(|f| f.joints.last());
        ends.flat_map(|&n| self.skeleton.ancestors(n)).for_each(|n| carries[n] = true);
        let forks: Vec<usize> =
            nodes.filter(|&n| free(n) && !carries[n] && self.children(n).count() > 1).collect();
        self.ways_up(&forks, &free, found);
    }

    /// The ways from ends up to the next fork, those of three joints and more.
    fn ways_up(&self, ends: &[usize], free: &dyn Fn(usize) -> bool, found: &mut Vec<Found>) {
        for &end in ends {
            let mut joints = vec![end];
            while let Some(parent) = joints.last().and_then(|&n| self.skeleton.nodes[n].parent) {
                if !free(parent) || self.children(parent).count() > 1 {
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
        self.places.iter().zip(&self.counts).any(|(p, c)| *c && p.distance(there) < near)
    }

    /// Gives chains their names, sides and bends, in the order in which people look for them.
    fn named_chains(&self, mut found: Vec<Found>) -> Vec<Chain> {
        found.sort_by_key(|f| f.kind);
        let side = |f: &Found| {
            let end = f.joints.last().map_or(0.0, |&n| self.places[n].x - self.middle);
            let sided =
                matches!(f.kind, ChainKind::Arm | ChainKind::Leg | ChainKind::Finger | ChainKind::Limb);
            // A lone hand's fingers are on no side of it.
            let called = |f: &Found| f.joints.first().map(|&n| finger(&self.names[n]));
            let alone =
                f.kind == ChainKind::Finger && found.iter().filter(|o| called(o) == called(f)).count() < 2;
            // A limb's name tells. Of others the place does: the character faces +Z, its left is +X.
            let limb = matches!(f.kind, ChainKind::Arm | ChainKind::Leg);
            match f.joints.last().filter(|_| limb).and_then(|&n| Side::of(&self.names[n])) {
                _ if !sided || alone || end.abs() <= 0.02 * self.width => "",
                Some(Side::Left) => "left ",
                Some(Side::Right) => "right ",
                None if end > 0.0 => "left ",
                None => "right ",
            }
        };
        let depth = |f: &Found| f.joints.first().map_or(0.0, |&n| self.places[n].z);
        // How far forward those of a kind and a side begin, the foremost first.
        let mut alike: BTreeMap<(ChainKind, &str), Vec<f32>> = BTreeMap::new();
        found.iter().for_each(|f| alike.entry((f.kind, side(f))).or_default().push(depth(f)));
        alike.values_mut().for_each(|depths| depths.sort_by(|a, b| b.total_cmp(a)));
        let labels: Vec<String> = found
            .iter()
            .map(|f| {
                let alike = &alike[&(f.kind, side(f))];
                let before = alike.partition_point(|d| *d > depth(f));
                let kind = f.kind.name();
                match (f.kind, alike.len()) {
                    (ChainKind::Finger, _) => format!("{}{}", side(f), finger(&self.names[f.joints[0]])),
                    (_, 1) => format!("{}{kind}", side(f)),
                    (ChainKind::Leg, 2) if before == 0 => format!("{}front leg", side(f)),
                    (ChainKind::Leg, 2) => format!("{}hind leg", side(f)),
                    _ => format!("{}{kind} {}", side(f), before + 1),
                }
            })
            .collect();
        let chain = |(f, name): (Found, String)| {
            let (base, effector) = (*f.joints.first()?, *f.joints.last()?);
            Some(Chain {
                name,
                kind: f.kind,
                effector,
                base,
                bend: self.bend(&f),
                joints: f.joints,
                pole: None,
                weight: 1.0,
            })
        };
        found.into_iter().zip(labels).filter_map(chain).collect()
    }

    /// Which way an arm or a leg bends: as it does at rest; a straight arm backwards, a straight leg forwards.
    fn bend(&self, found: &Found) -> Option<Vec3> {
        let usual = match found.kind {
            ChainKind::Arm => Vec3::NEG_Z,
            ChainKind::Leg => Vec3::Z,
            _ => return None,
        };
        let (start, end) = (self.places[*found.joints.first()?], self.places[*found.joints.last()?]);
        let along = (end - start).try_normalize()?;
        let away = |n: &usize| (self.places[*n] - start).reject_from_normalized(along);
        let farthest = found.joints.iter().map(away).max_by(|a, b| a.length().total_cmp(&b.length()))?;
        // A bend of a few degrees is meant.
        if farthest.length() > 0.02 * start.distance(end) {
            return farthest.try_normalize();
        }
        usual.reject_from_normalized(along).try_normalize()
    }
}

/// What a finger is called.
fn finger(name: &str) -> &'static str {
    let lower = name.to_lowercase();
    let known = ["thumb", "index", "middle", "ring", "pinky", "little"];
    let word = known.into_iter().find(|w| lower.contains(w));
    match word {
        Some("thumb") => "thumb",
        Some("index") => "index finger",
        Some("middle") => "middle finger",
        Some("ring") if !lower.contains("pinky") => "ring finger",
        Some(_) => "little finger",
        None => "fingers",
    }
}

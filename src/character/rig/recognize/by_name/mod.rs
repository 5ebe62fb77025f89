//! Finds the bones of a human body from the file's own map, or from the names and the hierarchy of its joints.

use std::collections::BTreeMap;

use glam::{Affine3A, Vec3};

use crate::asset::{Character, Family, Side, Skeleton, is_collar, is_foot, is_hand};
use crate::mathematics::accumulate;
use crate::rig::bone_names::Bones;

/// Parts of names that identify a forearm or a shin. If no name matches, the order of the joints in the limb decides.
const LOWER_ARM: [&str; 4] = ["forearm", "lowerarm", "loarm", "elbow"];
const LOWER_LEG: [&str; 5] = ["lowerleg", "loleg", "calf", "shin", "knee"];
/// A limb counts as left or right if its distance from the middle is at least this fraction of the body's width.
const MIN_ASIDE: f32 = 0.02;
const FINGERS: [(&str, &str); 6] = [
    ("thumb", "Thumb"),
    ("index", "Index"),
    ("middle", "Middle"),
    ("pinky", "Little"),
    ("little", "Little"),
    ("ring", "Ring"),
];

/// Finds the bones of a human body from the file's own map, or from the names and the hierarchy of its joints. Returns
/// `None` unless there are hips, two arms and two legs, with at least two bones in each limb.
///
/// Names decide the side of a joint. A joint is ignored if its name contains one side but it belongs to a limb of the other side. If no
/// limb has a side in its name, the character is assumed to face +Z, so that its left is at +X.
pub(super) fn bones(character: &Character) -> Option<Bones> {
    let own = character.humanoid.as_ref().map(|h| &h.bones).filter(|bones| is_complete(bones));
    own.cloned().or_else(|| BoneFinder::new(character).bones())
}

/// Returns whether bones include the hips and all limb bones except hands and feet.
pub(super) fn is_complete(bones: &Bones) -> bool {
    LIMBS.into_iter().chain(["hips"]).all(|bone| bones.contains_key(bone))
}

/// The bones that a human body must have in addition to the hips.
pub(crate) const LIMBS: [&str; 8] = [
    "leftUpperArm",
    "leftLowerArm",
    "rightUpperArm",
    "rightLowerArm",
    "leftUpperLeg",
    "leftLowerLeg",
    "rightUpperLeg",
    "rightLowerLeg",
];

/// A skeleton with the body part and the side of each joint.
struct BoneFinder<'a> {
    skeleton: &'a Skeleton,
    names: Vec<String>,
    /// The body part of each node, or `None` if the node is not a joint or only marks the end of a bone.
    families: Vec<Option<Family>>,
    is_joint: Vec<bool>,
    sides: Vec<Option<Side>>,
    positions: Vec<Vec3>,
}

impl<'a> BoneFinder<'a> {
    fn new(character: &'a Character) -> Self {
        let skeleton = &character.skeleton;
        let nodes = &skeleton.nodes;
        let names: Vec<String> =
            nodes.iter().map(|n| n.name.clone().unwrap_or_default().to_lowercase()).collect();
        let mut is_joint: Vec<bool> =
            nodes.iter().map(|n| n.mesh.is_none() && character.skins.is_empty()).collect();
        for joint in character.skins.iter().flat_map(|s| &s.joints) {
            if let Some(is_joint) = is_joint.get_mut(*joint) {
                *is_joint = true;
            }
        }
        for (node, is_joint) in is_joint.iter_mut().enumerate() {
            let ends = ["end", "nub", "site"].iter().any(|e| names[node].ends_with(e));
            let ends = ends && nodes[node].children.is_empty();
            *is_joint &= !(ends || names[node].contains("armature"));
        }
        let own_name = |n: usize| nodes[n].name.as_deref().unwrap_or_default();
        let own_side = |n: usize| Side::from_name(own_name(n)).filter(|_| is_joint[n]);
        let family = |n: usize| match Family::from_name(own_name(n)) {
            // A hip joint whose name contains a side (left or right) is the top joint of the leg on that side.
            Some(Family::Hips) if own_side(n).is_some() => Some(Family::Leg),
            family => family,
        };
        let families: Vec<_> = (0..nodes.len()).map(|n| family(n).filter(|_| is_joint[n])).collect();
        let positions = positions(skeleton);
        let is_limb = |n: &usize| matches!(families[*n], Some(Family::Arm | Family::Leg));
        let names_have_sides = (0..nodes.len()).filter(is_limb).any(|n| own_side(n).is_some());
        let limbs = || (0..nodes.len()).filter(is_limb);
        let mut across: Vec<f32> = limbs().map(|n| positions[n].x).collect();
        across.sort_by(f32::total_cmp);
        let ends = across.first().zip(across.last());
        let (middle, width) = ends.map_or((0.0, 0.0), |(a, b)| (0.5 * (a + b), b - a));
        let mut sides: Vec<Option<Side>> = vec![None; nodes.len()];
        for &(node, parent) in &skeleton.parents_first {
            let inherited = parent.and_then(|p| sides[p]);
            let by_position = || {
                let x = positions[node].x - middle;
                let aside = is_limb(&node) && x.abs() > MIN_ASIDE * width;
                aside.then_some(if x > 0.0 { Side::Left } else { Side::Right })
            };
            let own = if names_have_sides { own_side(node) } else { None };
            sides[node] = own.or(inherited).or_else(|| if names_have_sides { None } else { by_position() });
        }
        Self { skeleton, names, families, is_joint, sides, positions }
    }

    fn bones(&self) -> Option<Bones> {
        let mut bones = Bones::new();
        for (side, word) in [(Side::Left, "left"), (Side::Right, "right")] {
            self.arm(side, word, &mut bones)?;
            self.leg(side, word, &mut bones)?;
        }
        self.trunk(&mut bones)?;
        Some(bones)
    }

    fn name_contains(&self, node: usize, words: &[&str]) -> bool {
        let name: String = self.names[node].chars().filter(|c| c.is_alphabetic()).collect();
        words.iter().any(|w| name.contains(w))
    }

    /// Returns the joints of a limb from its top to its end. Returns `None` if the side has no such limb or more than one.
    fn limb(&self, family: Family, side: Side) -> Option<Vec<usize>> {
        let belongs = |n: &usize| self.families[*n] == Some(family) && self.sides[*n] == Some(side);
        // For each node, the number of joints of the limb on the path from the root down to the node, and the joint
        // among them that is nearest to the root.
        let mut counts: Vec<(usize, Option<usize>)> = vec![(0, None); self.names.len()];
        let mut longest: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        for &(node, parent) in &self.skeleton.parents_first {
            counts[node] = parent.map_or((0, None), |p| counts[p]);
            if belongs(&node) {
                let (length, top) = (counts[node].0 + 1, counts[node].1.unwrap_or(node));
                counts[node] = (length, Some(top));
                let known = longest.entry(top).or_default();
                if length > known.0 {
                    *known = (length, node);
                }
            }
        }
        let mut limbs = longest.into_values().filter(|(length, _)| *length >= 2);
        let (_, end) = limbs.next().filter(|_| limbs.next().is_none())?;
        let mut path: Vec<usize> = self.skeleton.ancestors(end).filter(belongs).collect();
        path.reverse();
        Some(path)
    }

    fn arm(&self, side: Side, word: &str, bones: &mut Bones) -> Option<()> {
        let path = self.limb(Family::Arm, side)?;
        let collar = path.len() >= 3 && is_collar(&self.names[*path.first()?]);
        let hand = path.iter().position(|&n| is_hand(&self.names[n])).filter(|h| *h >= 2);
        let lower = path.iter().position(|&n| self.name_contains(n, &LOWER_ARM));
        let lower = lower.or_else(|| Some(hand? - 1)).unwrap_or(if collar { 2 } else { 1 });
        let (upper, last) = (path.get(..lower)?, *path.get(lower)?);
        let (shoulder, upper) = match *upper {
            [shoulder, upper, ..] if is_collar(&self.names[shoulder]) => (Some(shoulder), upper),
            [upper, ..] => (None, upper),
            [] => return None,
        };
        let after = path.get(lower + 1..)?;
        let hand = after.iter().find(|n| is_hand(&self.names[**n])).or_else(|| after.first());
        let hand = hand.copied().or_else(|| self.end_node(last));
        let named =
            [("Shoulder", shoulder), ("UpperArm", Some(upper)), ("LowerArm", Some(last)), ("Hand", hand)];
        self.add(word, named, bones);
        self.fingers(side, word, last, bones);
        Some(())
    }

    fn leg(&self, side: Side, word: &str, bones: &mut Bones) -> Option<()> {
        let path = self.limb(Family::Leg, side)?;
        let foot = path.iter().position(|&n| is_foot(&self.names[n])).unwrap_or(2).min(path.len());
        let legs = path.get(..foot).filter(|legs| legs.len() >= 2)?;
        let lower =
            legs.iter().position(|&n| self.name_contains(n, &LOWER_LEG)).filter(|l| *l > 0).unwrap_or(1);
        let (upper, lower) = (*legs.first()?, *legs.get(lower)?);
        let foot_node = path.get(foot).copied().or_else(|| self.detached_foot(side, lower));
        let toes = foot_node.and_then(|foot| {
            let descendants = self.descendants(foot);
            let below = |n: &usize| *n != foot && descendants[*n];
            let is_toe = |n: &usize| self.families[*n] == Some(Family::Toe) && below(n);
            let order = || self.skeleton.parents_first.iter().map(|(n, _)| *n);
            order().find(is_toe).or_else(|| path.iter().copied().find(below))
        });
        let named =
            [("UpperLeg", Some(upper)), ("LowerLeg", Some(lower)), ("Foot", foot_node), ("Toes", toes)];
        self.add(word, named, bones);
        Some(())
    }

    /// Returns the nearest joint on this side whose name refers to a foot. It may be anywhere in the hierarchy, as in rigs made for IK.
    /// Without such a joint, returns the node at the end of the shin.
    fn detached_foot(&self, side: Side, lower: usize) -> Option<usize> {
        let end = self.end_node(lower);
        let near = self.positions[end.unwrap_or(lower)];
        let feet = (0..self.names.len())
            .filter(|&n| self.is_joint[n] && is_foot(&self.names[n]) && self.sides[n] == Some(side));
        let distance = |n: &usize| self.positions[*n].distance(near);
        feet.min_by(|a, b| distance(a).total_cmp(&distance(b))).or(end)
    }

    /// Returns the first child without a mesh that is neither a finger nor a helper.
    fn end_node(&self, node: usize) -> Option<usize> {
        let children = self.skeleton.nodes[node].children.iter().copied();
        let mut plain = children.filter(|&c| {
            self.skeleton.nodes[c].mesh.is_none()
                && !matches!(self.families[c], Some(Family::Finger | Family::Other))
        });
        plain.next()
    }

    /// Adds up to three joints for each finger below the forearm. Metacarpals are left out, except the thumb's.
    fn fingers(&self, side: Side, word: &str, lower_arm: usize, bones: &mut Bones) {
        let mut count: BTreeMap<&str, usize> = BTreeMap::new();
        let descendants = self.descendants(lower_arm);
        for &(node, _) in &self.skeleton.parents_first {
            let is_finger_of_side =
                self.families[node] == Some(Family::Finger) && self.sides[node] == Some(side);
            let known = FINGERS.iter().find(|(w, _)| self.names[node].contains(w));
            let Some(&(_, finger)) = known.filter(|_| is_finger_of_side && descendants[node]) else {
                continue;
            };
            // A bone of the palm, as in recordings from Perception Neuron.
            if finger != "Thumb" && ["metacarpal", "inhand"].iter().any(|w| self.names[node].contains(w)) {
                continue;
            }
            let parts = match finger {
                "Thumb" => ["Metacarpal", "Proximal", "Distal"],
                _ => ["Proximal", "Intermediate", "Distal"],
            };
            let count = count.entry(finger).or_default();
            if let Some(part) = parts.get(*count) {
                bones.insert(format!("{word}{finger}{part}"), node);
            }
            *count += 1;
        }
    }

    /// Adds the hips, spine, neck and head. The limbs must be known.
    fn trunk(&self, bones: &mut Bones) -> Option<()> {
        let limb = |bone: &str| bones.get(bone).copied();
        let (left_arm, right_arm) = (limb("leftUpperArm")?, limb("rightUpperArm")?);
        let chest = self.common_ancestor(left_arm, right_arm)?;
        let (left_leg, right_leg) = (limb("leftUpperLeg")?, limb("rightUpperLeg")?);
        let named = |n: &usize| self.families[*n] == Some(Family::Hips) && self.sides[*n].is_none();
        let hips: Vec<usize> = self.skeleton.ancestors(chest).filter(named).collect();
        let legs = [self.ancestors(left_leg), self.ancestors(right_leg)];
        let is_above_legs = |n: &&usize| legs.iter().all(|ancestors| ancestors[**n]);
        let hips = hips.iter().find(is_above_legs).or_else(|| hips.last()).copied();
        let hips =
            hips.or_else(|| self.common_ancestor(chest, self.common_ancestor(left_leg, right_leg)?))?;
        bones.insert("hips".to_owned(), hips);
        let plain = |n: &usize| self.is_joint[*n] && self.families[*n] != Some(Family::Other);
        let mut back: Vec<usize> =
            self.skeleton.ancestors(chest).take_while(|n| *n != hips).filter(plain).collect();
        back.reverse();
        while back.last().is_some_and(|n| matches!(self.families[*n], Some(Family::Neck | Family::Head))) {
            back.pop();
        }
        let back_names: &[(&str, usize)] = match back.len() {
            0 => &[],
            1 => &[("spine", 0)],
            2 => &[("spine", 0), ("chest", 1)],
            n => &[("spine", 0), ("chest", n / 2), ("upperChest", n - 1)],
        };
        bones.extend(back_names.iter().map(|&(name, i)| (name.to_owned(), back[i])));
        self.head(back.last().copied().unwrap_or(hips), bones);
        Some(())
    }

    fn head(&self, chest: usize, bones: &mut Bones) {
        let middle = |n: &usize| self.is_joint[*n] && self.sides[*n].is_none();
        let descendants = self.descendants(chest);
        let above = |n: &usize| *n != chest && descendants[*n];
        let joints_of = |family: Family| {
            let order = self.skeleton.parents_first.iter().map(|(n, _)| *n);
            order.filter(middle).filter(above).filter(move |n| self.families[*n] == Some(family))
        };
        let head = joints_of(Family::Head).next();
        // If no name refers to a head, the head is the last joint of the neck, or of a spine that continues above the
        // arms.
        let top = head
            .or_else(|| joints_of(Family::Neck).next_back())
            .or_else(|| joints_of(Family::Spine).next_back());
        let Some(top) = top else { return };
        let mut neck: Vec<usize> =
            self.skeleton.ancestors(top).skip(1).take_while(|n| *n != chest).filter(middle).collect();
        neck.reverse();
        let is_lone_neck = head.is_none() && neck.is_empty() && self.families[top] == Some(Family::Neck);
        bones.insert(if is_lone_neck { "neck" } else { "head" }.to_owned(), top);
        bones.extend(neck.first().map(|&n| ("neck".to_owned(), n)));
    }

    fn add<const N: usize>(&self, word: &str, named: [(&str, Option<usize>); N], bones: &mut Bones) {
        bones.extend(named.into_iter().filter_map(|(bone, node)| Some((format!("{word}{bone}"), node?))));
    }

    /// Returns, for each node, whether it is `top` or one of its descendants.
    fn descendants(&self, top: usize) -> Vec<bool> {
        let mut descendants = vec![false; self.names.len()];
        for &(node, parent) in &self.skeleton.parents_first {
            descendants[node] = node == top || parent.is_some_and(|p| descendants[p]);
        }
        descendants
    }

    /// Returns, for each node, whether it is `node` or one of its ancestors.
    fn ancestors(&self, node: usize) -> Vec<bool> {
        let mut ancestors = vec![false; self.names.len()];
        self.skeleton.ancestors(node).for_each(|n| ancestors[n] = true);
        ancestors
    }

    /// Returns the lowest common ancestor of two nodes, which may be one of them.
    fn common_ancestor(&self, a: usize, b: usize) -> Option<usize> {
        let ancestors = self.ancestors(b);
        self.skeleton.ancestors(a).find(|&n| ancestors[n])
    }
}

/// Returns the world positions of all nodes in the rest pose.
fn positions(skeleton: &Skeleton) -> Vec<Vec3> {
    let mut world = vec![Affine3A::IDENTITY; skeleton.nodes.len()];
    accumulate(skeleton.parents_first.iter().copied(), &mut world, |node| {
        skeleton.nodes[node].rest.to_affine()
    });
    world.iter().map(|m| m.translation.into()).collect()
}

#[cfg(test)]
pub(crate) mod tests;

//! Which joint is which part of a human body: by the file's own map, else by the names of its joints and how they hang.

use std::collections::BTreeMap;

use glam::{Affine3A, Vec3};

use super::family::{Family, Side, is_collar, is_foot, is_hand};
use super::{Character, Humanoid, Skeleton};

/// Names of a forearm and of a shin; what they are not, the order in the limb tells.
const LOWER_ARM: [&str; 4] = ["forearm", "lowerarm", "loarm", "elbow"];
const LOWER_LEG: [&str; 5] = ["lowerleg", "loleg", "calf", "shin", "knee"];
/// So far from the middle, in widths, a limb is on a side.
const ASIDE: f32 = 0.02;
const FINGERS: [(&str, &str); 6] = [
    ("thumb", "Thumb"),
    ("index", "Index"),
    ("middle", "Middle"),
    ("pinky", "Little"),
    ("little", "Little"),
    ("ring", "Ring"),
];

/// The bones of a human body by VRM 1.0's names: the file's own map, or one that the names of joints tell in any of the
/// usual conventions. `None` for what is not built like a human: hips, two arms and two legs of two bones at least.
///
/// Names decide about sides. A joint that names one side but hangs in a limb of the other is no part of either. Where no
/// limb names a side, the character is taken to face +Z: its left is +X.
pub fn humanoid(character: &Character) -> Option<Humanoid> {
    let whole = |h: &&Humanoid| {
        let limb = |bone| h.bones.contains_key(bone);
        LIMBS.into_iter().all(limb) && limb("hips")
    };
    let own = character.humanoid.as_ref().filter(whole).cloned();
    own.or_else(|| Some(Humanoid { bones: Joints::new(character).bones()?, vrm: 1 }))
}

const LIMBS: [&str; 8] = [
    "leftUpperArm",
    "leftLowerArm",
    "rightUpperArm",
    "rightLowerArm",
    "leftUpperLeg",
    "leftLowerLeg",
    "rightUpperLeg",
    "rightLowerLeg",
];

type Bones = BTreeMap<String, usize>;

/// A skeleton with what its names say.
struct Joints<'a> {
    skeleton: &'a Skeleton,
    names: Vec<String>,
    /// `None` for what is no joint, or only marks where one ends.
    families: Vec<Option<Family>>,
    is_joint: Vec<bool>,
    sides: Vec<Option<Side>>,
    places: Vec<Vec3>,
}

impl<'a> Joints<'a> {
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
        let own_side = |n: usize| Side::of(own_name(n)).filter(|_| is_joint[n]);
        let family = |n: usize| match Family::of(own_name(n)) {
            // The joint of one hip is where that leg begins.
            Some(Family::Hips) if own_side(n).is_some() => Some(Family::Leg),
            family => family,
        };
        let families: Vec<_> = (0..nodes.len()).map(|n| family(n).filter(|_| is_joint[n])).collect();
        let places = places(skeleton);
        let is_limb = |n: &usize| matches!(families[*n], Some(Family::Arm | Family::Leg));
        let named = (0..nodes.len()).filter(is_limb).any(|n| own_side(n).is_some());
        let limbs = || (0..nodes.len()).filter(is_limb);
        let mut across: Vec<f32> = limbs().map(|n| places[n].x).collect();
        across.sort_by(f32::total_cmp);
        let ends = across.first().zip(across.last());
        let (middle, width) = ends.map_or((0.0, 0.0), |(a, b)| (0.5 * (a + b), b - a));
        let mut sides: Vec<Option<Side>> = vec![None; nodes.len()];
        for &(node, parent) in &skeleton.parents_first {
            let inherited = parent.and_then(|p| sides[p]);
            let by_place = || {
                let x = places[node].x - middle;
                let aside = is_limb(&node) && x.abs() > ASIDE * width;
                aside.then_some(if x > 0.0 { Side::Left } else { Side::Right })
            };
            let own = if named { own_side(node) } else { None };
            sides[node] = own.or(inherited).or_else(|| if named { None } else { by_place() });
        }
        Self { skeleton, names, families, is_joint, sides, places }
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

    fn is(&self, node: usize, words: &[&str]) -> bool {
        let name: String = self.names[node].chars().filter(|c| c.is_alphabetic()).collect();
        words.iter().any(|w| name.contains(w))
    }

    /// A limb's joints from its top to its end. `None` where there is none, or more than one of a side.
    fn limb(&self, family: Family, side: Side) -> Option<Vec<usize>> {
        let belongs = |n: &usize| self.families[*n] == Some(family) && self.sides[*n] == Some(side);
        // Of each node how many at it and above it belong, and the topmost of them.
        let mut ways: Vec<(usize, Option<usize>)> = vec![(0, None); self.names.len()];
        let mut longest: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        for &(node, parent) in &self.skeleton.parents_first {
            ways[node] = parent.map_or((0, None), |p| ways[p]);
            if belongs(&node) {
                let (length, top) = (ways[node].0 + 1, ways[node].1.unwrap_or(node));
                ways[node] = (length, Some(top));
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
        let lower = path.iter().position(|&n| self.is(n, &LOWER_ARM));
        let lower = lower.or_else(|| Some(hand? - 1)).unwrap_or(if collar { 2 } else { 1 });
        let (upper, last) = (path.get(..lower)?, *path.get(lower)?);
        let (shoulder, upper) = match *upper {
            [shoulder, upper, ..] if is_collar(&self.names[shoulder]) => (Some(shoulder), upper),
            [upper, ..] => (None, upper),
            [] => return None,
        };
        let after = path.get(lower + 1..)?;
        let hand = after.iter().find(|n| is_hand(&self.names[**n])).or_else(|| after.first());
        let hand = hand.copied().or_else(|| self.end(last));
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
        let lower = legs.iter().position(|&n| self.is(n, &LOWER_LEG)).filter(|l| *l > 0).unwrap_or(1);
        let (upper, lower) = (*legs.first()?, *legs.get(lower)?);
        let foot_node = path.get(foot).copied().or_else(|| self.loose_foot(side, lower));
        let toes = foot_node.and_then(|foot| {
            let under = self.under(foot);
            let below = |n: &usize| *n != foot && under[*n];
            let is_toe = |n: &usize| self.families[*n] == Some(Family::Toe) && below(n);
            let order = || self.skeleton.parents_first.iter().map(|(n, _)| *n);
            order().find(is_toe).or_else(|| path.iter().copied().find(below))
        });
        let named =
            [("UpperLeg", Some(upper)), ("LowerLeg", Some(lower)), ("Foot", foot_node), ("Toes", toes)];
        self.add(word, named, bones);
        Some(())
    }

    /// A foot that hangs elsewhere, as those do that were made for IK; else what marks the end of the shin.
    fn loose_foot(&self, side: Side, lower: usize) -> Option<usize> {
        let end = self.end(lower);
        let near = self.places[end.unwrap_or(lower)];
        let feet = (0..self.names.len())
            .filter(|&n| self.is_joint[n] && is_foot(&self.names[n]) && self.sides[n] == Some(side));
        let distance = |n: &usize| self.places[*n].distance(near);
        feet.min_by(|a, b| distance(a).total_cmp(&distance(b))).or(end)
    }

    /// The first child that is no finger and no helper.
    fn end(&self, node: usize) -> Option<usize> {
        let children = self.skeleton.nodes[node].children.iter().copied();
        let mut plain = children.filter(|&c| {
            self.skeleton.nodes[c].mesh.is_none()
                && !matches!(self.families[c], Some(Family::Finger | Family::Other))
        });
        plain.next()
    }

    /// Up to three joints of each finger below the forearm. Only a thumb's metacarpal counts.
    fn fingers(&self, side: Side, word: &str, lower_arm: usize, bones: &mut Bones) {
        let mut count: BTreeMap<&str, usize> = BTreeMap::new();
        let under = self.under(lower_arm);
        for &(node, _) in &self.skeleton.parents_first {
            let of_side = self.families[node] == Some(Family::Finger) && self.sides[node] == Some(side);
            let known = FINGERS.iter().find(|(w, _)| self.names[node].contains(w));
            let Some(&(_, finger)) = known.filter(|_| of_side && under[node]) else {
                continue;
            };
            if finger != "Thumb" && self.names[node].contains("metacarpal") {
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

    /// Hips, back, neck and head, where the limbs are known.
    fn trunk(&self, bones: &mut Bones) -> Option<()> {
        let limb = |bone: &str| bones.get(bone).copied();
        let (left_arm, right_arm) = (limb("leftUpperArm")?, limb("rightUpperArm")?);
        let chest = self.common(left_arm, right_arm)?;
        let (left_leg, right_leg) = (limb("leftUpperLeg")?, limb("rightUpperLeg")?);
        let named = |n: &usize| self.families[*n] == Some(Family::Hips) && self.sides[*n].is_none();
        let hips: Vec<usize> = self.skeleton.ancestors(chest).filter(named).collect();
        let legs = [self.over(left_leg), self.over(right_leg)];
        let carries = |n: &&usize| legs.iter().all(|over| over[**n]);
        let hips = hips.iter().find(carries).or_else(|| hips.last()).copied();
        let hips = hips.or_else(|| self.common(chest, self.common(left_leg, right_leg)?))?;
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
        let under = self.under(chest);
        let above = |n: &usize| *n != chest && under[*n];
        let of = |family: Family| {
            let order = self.skeleton.parents_first.iter().map(|(n, _)| *n);
            order.filter(middle).filter(above).filter(move |n| self.families[*n] == Some(family))
        };
        let head = of(Family::Head).next();
        // Without a name, the last of the neck, or of a back that goes on above the arms.
        let top = head.or_else(|| of(Family::Neck).next_back()).or_else(|| of(Family::Spine).next_back());
        let Some(top) = top else { return };
        let mut neck: Vec<usize> =
            self.skeleton.ancestors(top).skip(1).take_while(|n| *n != chest).filter(middle).collect();
        neck.reverse();
        let alone = head.is_none() && neck.is_empty() && self.families[top] == Some(Family::Neck);
        bones.insert(if alone { "neck" } else { "head" }.to_owned(), top);
        bones.extend(neck.first().map(|&n| ("neck".to_owned(), n)));
    }

    fn add<const N: usize>(&self, word: &str, named: [(&str, Option<usize>); N], bones: &mut Bones) {
        bones.extend(named.into_iter().filter_map(|(bone, node)| Some((format!("{word}{bone}"), node?))));
    }

    /// Whether each node is a given one, or below it.
    fn under(&self, top: usize) -> Vec<bool> {
        let mut under = vec![false; self.names.len()];
        for &(node, parent) in &self.skeleton.parents_first {
            under[node] = node == top || parent.is_some_and(|p| under[p]);
        }
        under
    }

    /// Whether each node is a given one, or above it.
    fn over(&self, node: usize) -> Vec<bool> {
        let mut over = vec![false; self.names.len()];
        self.skeleton.ancestors(node).for_each(|n| over[n] = true);
        over
    }

    /// The lowest node above both.
    fn common(&self, a: usize, b: usize) -> Option<usize> {
        let over = self.over(b);
        self.skeleton.ancestors(a).find(|&n| over[n])
    }
}

/// World positions of all nodes at rest.
fn places(skeleton: &Skeleton) -> Vec<Vec3> {
    let mut world = vec![Affine3A::IDENTITY; skeleton.nodes.len()];
    for &(node, parent) in &skeleton.parents_first {
        let local = skeleton.nodes[node].rest.to_affine();
        world[node] = parent.map_or(local, |p| world[p] * local);
    }
    world.iter().map(|m| m.translation.into()).collect()
}

#[cfg(test)]
pub(crate) mod tests;

//! Digests of meshes, one for each attribute. They do not depend on the order of triangles and vertices, so a file that was only
//! exported again has the same digests.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use glam::{Affine3A, Vec2, Vec3, Vec4};
use serde::{Deserialize, Serialize};

use crate::asset::{Character, Part, Primitive, Skeleton};

/// A property of the vertices of a mesh that has its own digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Attribute {
    /// Positions, and how triangles connect them.
    Positions,
    /// Joints and weights of the skin.
    Weights,
    /// Morph targets.
    Morphs,
    /// Normals and tangents.
    Normals,
    /// Texture coordinates.
    Uvs,
    /// Vertex colours.
    Colors,
}

impl Attribute {
    /// All attributes.
    pub const ALL: [Self; 6] =
        [Self::Positions, Self::Weights, Self::Morphs, Self::Normals, Self::Uvs, Self::Colors];
}

/// FNV-1a, with a final mix so that differences do not cancel in the sum over triangles.
#[derive(Clone, Copy)]
struct Digest(u64);

impl Digest {
    const START: Self = Self(0xcbf2_9ce4_8422_2325);

    fn word(&mut self, word: u32) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    fn long(&mut self, word: u64) {
        self.word((word >> 32) as u32);
        self.word((word & 0xffff_ffff) as u32);
    }

    fn numbers(&mut self, numbers: &[f32]) {
        // Both zeros are equal.
        numbers.iter().for_each(|number| self.word((number + 0.0).to_bits()));
    }

    fn text(&mut self, text: &str) {
        text.bytes().for_each(|byte| self.word(byte.into()));
    }

    /// The finaliser of SplitMix64 (Steele, Lea & Flood 2014).
    fn mixed(self) -> u64 {
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }
}

/// Computes the digests of a part. Missing attributes are left out.
pub(super) fn digests(character: &Character, part: Part) -> BTreeMap<Attribute, String> {
    let primitive = character.primitive(part);
    let joints = joint_names(character, part);
    let has = |attribute: &Attribute| match attribute {
        Attribute::Positions => true,
        Attribute::Weights => !primitive.influences.is_empty(),
        Attribute::Morphs => !primitive.morph_targets.is_empty(),
        Attribute::Normals => !primitive.normals.is_empty() || !primitive.tangents.is_empty(),
        Attribute::Uvs => primitive.uvs.iter().any(|uvs| !uvs.is_empty()),
        Attribute::Colors => !primitive.colors.is_empty(),
    };
    let digest = |attribute: Attribute| {
        let corner = |vertex: usize| corner(primitive, vertex, &joints, attribute);
        let corners: Vec<u64> = (0..primitive.vertices()).map(corner).collect();
        (attribute, format!("{:016x}", over_triangles(primitive, &corners)))
    };
    Attribute::ALL.into_iter().filter(has).map(digest).collect()
}

/// Sums the digests of all triangles, so that their order does not matter.
fn over_triangles(primitive: &Primitive, corners: &[u64]) -> u64 {
    let mut sum = 0_u64;
    for triangle in &primitive.triangles {
        let [a, b, c] = triangle.map(|vertex| corners.get(vertex as usize).copied().unwrap_or_default());
        // A triangle may start at any of its corners.
        let first = [[a, b, c], [b, c, a], [c, a, b]].into_iter().min().unwrap_or_default();
        let mut digest = Digest::START;
        first.into_iter().for_each(|corner| digest.long(corner));
        sum = sum.wrapping_add(digest.mixed());
    }
    sum
}

/// Returns a digest for each joint of the part's skin. A joint without a name is identified by its inverse bind matrix, because node
/// indices may differ in a file that was exported again.
pub(super) fn joint_names(character: &Character, part: Part) -> Vec<u64> {
    let skin = part.skin.and_then(|skin| character.skins.get(skin));
    let name = |(joint, bind): (&usize, &Affine3A)| {
        let mut digest = Digest::START;
        match character.skeleton.nodes.get(*joint).and_then(|node| node.name.as_deref()) {
            Some(name) => digest.text(name),
            None => digest.numbers(&bind.to_cols_array()),
        }
        digest.mixed()
    };
    skin.map(|skin| skin.joints.iter().zip(&skin.joint_from_mesh).map(name).collect()).unwrap_or_default()
}

/// Returns the labels of all nodes, with a number where a name repeats: two characters in a file may have the same names.
pub(crate) fn unique_labels(skeleton: &Skeleton) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let label = |node: usize| {
        let label = skeleton.label(node);
        let count = seen.entry(label.clone()).or_default();
        *count += 1;
        if *count == 1 { label } else { format!("{label} {count}") }
    };
    (0..skeleton.nodes.len()).map(label).collect()
}

/// Returns the digest of the inverse bind matrices of each joint that moves one of the parts, by the joint's label. Several skins may
/// share a joint.
pub(super) fn binds(character: &Character, parts: &[Part]) -> BTreeMap<String, String> {
    let skins: BTreeSet<usize> = parts.iter().filter_map(|part| part.skin).collect();
    let mut sums: BTreeMap<usize, u64> = BTreeMap::new();
    for skin in skins.into_iter().filter_map(|skin| character.skins.get(skin)) {
        for (joint, bind) in skin.joints.iter().zip(&skin.joint_from_mesh) {
            let mut digest = Digest::START;
            digest.numbers(&bind.to_cols_array());
            let sum = sums.entry(*joint).or_default();
            *sum = sum.wrapping_add(digest.mixed());
        }
    }
    let labels = unique_labels(&character.skeleton);
    let label = |joint: usize| labels.get(joint).cloned().unwrap_or_default();
    let label = |(joint, sum): (usize, u64)| (label(joint), format!("{:08x}", sum >> 32));
    sums.into_iter().map(label).collect()
}

/// Returns digests of the positions and of the weights of a skinned part, by the label of the joint that moves a vertex most.
pub(super) fn regions(character: &Character, part: Part) -> BTreeMap<String, [String; 2]> {
    let primitive = character.primitive(part);
    let Some(skin) = part.skin.and_then(|skin| character.skins.get(skin)) else { return BTreeMap::new() };
    let joints = joint_names(character, part);
    let mut sums: BTreeMap<usize, [u64; 2]> = BTreeMap::new();
    for vertex in 0..primitive.vertices() {
        let Some(joint) = strongest(primitive, vertex).and_then(|joint| skin.joints.get(joint)) else {
            continue;
        };
        for (sum, attribute) in
            sums.entry(*joint).or_default().iter_mut().zip([Attribute::Positions, Attribute::Weights])
        {
            *sum = sum.wrapping_add(corner(primitive, vertex, &joints, attribute));
        }
    }
    let text = |sums: [u64; 2]| sums.map(|sum| format!("{:06x}", sum >> 40));
    let labels = unique_labels(&character.skeleton);
    let label = |joint: usize| labels.get(joint).cloned().unwrap_or_default();
    sums.into_iter().map(|(joint, sums)| (label(joint), text(sums))).collect()
}

/// Returns the joint of the skin that moves a vertex most.
pub(super) fn strongest(primitive: &Primitive, vertex: usize) -> Option<usize> {
    let of_set = |set: &crate::asset::Influences| {
        let (joints, weights) = set.joints.get(vertex).copied().zip(set.weights.get(vertex))?;
        joints.into_iter().zip(weights.to_array()).max_by(|a, b| a.1.total_cmp(&b.1))
    };
    let all = primitive.influences.iter().filter_map(of_set);
    all.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(joint, _)| joint.into())
}

/// Returns the digest of a vertex's influences. `rounded` converts a weight to a number.
pub(super) fn influences(
    primitive: &Primitive,
    vertex: usize,
    joints: &[u64],
    rounded: impl Fn(f32) -> f32,
) -> u64 {
    // The order of the influences of a vertex has no meaning.
    let mut sum = 0_u64;
    for set in &primitive.influences {
        let Some((indices, weights)) = set.joints.get(vertex).zip(set.weights.get(vertex)) else { continue };
        let weights = weights.to_array().map(&rounded);
        for (joint, weight) in indices.iter().zip(weights).filter(|(_, weight)| *weight != 0.0) {
            let mut influence = Digest(joints.get(usize::from(*joint)).copied().unwrap_or_default());
            influence.numbers(&[weight]);
            sum = sum.wrapping_add(influence.mixed());
        }
    }
    sum
}

fn corner(primitive: &Primitive, vertex: usize, joints: &[u64], attribute: Attribute) -> u64 {
    let mut digest = Digest::START;
    let three = |list: &[Vec3]| list.get(vertex).copied().unwrap_or_default().to_array();
    let four = |list: &[Vec4]| list.get(vertex).copied().unwrap_or_default().to_array();
    let two = |list: &[Vec2]| list.get(vertex).copied().unwrap_or_default().to_array();
    match attribute {
        Attribute::Positions => digest.numbers(&three(&primitive.positions)),
        Attribute::Weights => digest.long(influences(primitive, vertex, joints, |weight| weight)),
        Attribute::Morphs => {
            for target in &primitive.morph_targets {
                digest.numbers(&three(&target.positions));
                digest.numbers(&three(&target.normals));
            }
        }
        Attribute::Normals => {
            digest.numbers(&three(&primitive.normals));
            digest.numbers(&four(&primitive.tangents));
        }
        Attribute::Uvs => primitive.uvs.iter().for_each(|uvs| digest.numbers(&two(uvs))),
        Attribute::Colors => digest.numbers(&four(&primitive.colors)),
    }
    digest.mixed()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mannequin() -> (Character, Part) {
        let mannequin = crate::asset::mannequin().unwrap();
        let part = mannequin.parts(0)[0];
        (mannequin, part)
    }

    #[test]
    fn the_order_of_triangles_vertices_and_influences_does_not_matter() {
        let (mut character, part) = mannequin();
        let before = digests(&character, part);
        let primitive = &mut character.meshes[part.mesh].primitives[part.primitive];
        primitive.triangles.reverse();
        primitive.triangles.iter_mut().for_each(|triangle| triangle.rotate_left(1));
        for set in &mut primitive.influences {
            for (joints, weights) in set.joints.iter_mut().zip(&mut set.weights) {
                joints.swap(0, 1);
                *weights = Vec4::new(weights.y, weights.x, weights.z, weights.w);
            }
        }
        assert_eq!(digests(&character, part), before);
        // A triangle with the opposite winding is a different surface.
        let primitive = &mut character.meshes[part.mesh].primitives[part.primitive];
        primitive.triangles[0].swap(0, 1);
        assert_ne!(digests(&character, part), before);
    }

    #[test]
    fn each_attribute_has_its_own_digest() {
        let (character, part) = mannequin();
        let before = digests(&character, part);
        let changed = |change: &dyn Fn(&mut Primitive)| {
            let mut character = character.clone();
            change(&mut character.meshes[part.mesh].primitives[part.primitive]);
            let after = digests(&character, part);
            let differs = |attribute: &Attribute| before.get(attribute) != after.get(attribute);
            Attribute::ALL.into_iter().filter(differs).collect::<Vec<_>>()
        };
        assert_eq!(changed(&|p| p.positions[7].x += 0.001), [Attribute::Positions]);
        assert_eq!(changed(&|p| p.influences[0].weights[7].x *= 0.99), [Attribute::Weights]);
        assert_eq!(changed(&|p| p.normals[7].x += 0.01), [Attribute::Normals]);
        assert_eq!(changed(&|p| p.colors = vec![Vec4::ONE; p.positions.len()]), [Attribute::Colors]);
    }

    /// Two characters in a file often have the same names.
    #[test]
    fn joints_of_the_same_name_have_their_own_digests() {
        let (mut character, part) = mannequin();
        let joints = character.skins[0].joints.clone();
        character.skeleton.nodes[joints[5]].name = character.skeleton.nodes[joints[3]].name.clone();
        let before = binds(&character, &[part]);
        for bind in [3, 5] {
            let mut changed = character.clone();
            changed.skins[0].joint_from_mesh[bind].translation.x += 0.01;
            assert_ne!(binds(&changed, &[part]), before);
        }
    }

    #[test]
    fn binds_have_digests_by_joint() {
        let (mut character, part) = mannequin();
        let before = binds(&character, &[part]);
        character.skins[0].joint_from_mesh[3].translation.x += 0.01;
        let after = binds(&character, &[part]);
        let differing: Vec<&String> =
            before.iter().filter(|(joint, bind)| after.get(*joint) != Some(bind)).map(|(j, _)| j).collect();
        assert_eq!(differing, [&character.skeleton.label(character.skins[0].joints[3])]);
    }
}

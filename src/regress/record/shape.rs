//! Digests of meshes. They do not depend on the order of triangles and vertices, so that a file that was only exported again has
//! the same digest.

use glam::{Vec2, Vec3, Vec4};

use crate::asset::{Character, Part, Primitive};

/// The digests of a part: of everything that determines where its surface is, and of everything else that its shading depends on.
pub(super) struct ShapeDigests {
    pub(super) geometry: u64,
    pub(super) attributes: u64,
}

/// FNV-1a, with a final mix so that the sum over triangles does not cancel.
#[derive(Clone, Copy)]
struct Digest(u64);

impl Digest {
    const START: Self = Self(0xcbf2_9ce4_8422_2325);

    fn word(&mut self, word: u32) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
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

/// Computes the digests of a part.
pub(super) fn digests(character: &Character, part: Part) -> ShapeDigests {
    let primitive = character.primitive(part);
    let joints = joint_names(character, part);
    let corners: Vec<[u64; 2]> = (0..primitive.positions.len())
        .map(|vertex| [position(primitive, vertex, &joints), attributes(primitive, vertex)])
        .collect();
    let mut sums = [0_u64; 2];
    for triangle in &primitive.triangles {
        for (kind, sum) in sums.iter_mut().enumerate() {
            let corner = |i: usize| {
                let vertex = triangle.get(i).and_then(|vertex| corners.get(*vertex as usize));
                vertex.and_then(|corner| corner.get(kind)).copied().unwrap_or_default()
            };
            // A triangle may start at any of its corners.
            let [a, b, c] = [corner(0), corner(1), corner(2)];
            let first = [[a, b, c], [b, c, a], [c, a, b]].into_iter().min().unwrap_or_default();
            let mut digest = Digest::START;
            for corner in first {
                digest.word((corner >> 32) as u32);
                digest.word((corner & 0xffff_ffff) as u32);
            }
            *sum = sum.wrapping_add(digest.mixed());
        }
    }
    let [geometry, attributes] = sums;
    ShapeDigests { geometry, attributes }
}

/// The digest of the name of each joint of the part's skin.
fn joint_names(character: &Character, part: Part) -> Vec<u64> {
    let skin = part.skin.and_then(|skin| character.skins.get(skin));
    let name = |(joint, bind): (&usize, &glam::Affine3A)| {
        let mut digest = Digest::START;
        digest.text(&character.skeleton.label(*joint));
        digest.numbers(&bind.to_cols_array());
        digest.mixed()
    };
    skin.map(|skin| skin.joints.iter().zip(&skin.joint_from_mesh).map(name).collect()).unwrap_or_default()
}

fn position(primitive: &Primitive, vertex: usize, joints: &[u64]) -> u64 {
    let mut digest = Digest::START;
    let at = |list: &[Vec3]| list.get(vertex).copied().unwrap_or_default().to_array();
    digest.numbers(&at(&primitive.positions));
    for target in &primitive.morph_targets {
        digest.numbers(&at(&target.positions));
    }
    // The order of the influences of a vertex has no meaning.
    let mut influences = 0_u64;
    for set in &primitive.influences {
        let Some((indices, weights)) = set.joints.get(vertex).zip(set.weights.get(vertex)) else { continue };
        for (joint, weight) in indices.iter().zip(weights.to_array()).filter(|(_, weight)| *weight != 0.0) {
            let name = joints.get(usize::from(*joint)).copied().unwrap_or_default();
            let mut influence = Digest(name);
            influence.numbers(&[weight]);
            influences = influences.wrapping_add(influence.mixed());
        }
    }
    digest.word((influences >> 32) as u32);
    digest.word((influences & 0xffff_ffff) as u32);
    digest.mixed()
}

fn attributes(primitive: &Primitive, vertex: usize) -> u64 {
    let mut digest = Digest::START;
    let three = |list: &[Vec3]| list.get(vertex).copied().unwrap_or_default().to_array();
    let four = |list: &[Vec4]| list.get(vertex).copied().unwrap_or_default().to_array();
    let two = |list: &[Vec2]| list.get(vertex).copied().unwrap_or_default().to_array();
    digest.numbers(&three(&primitive.normals));
    digest.numbers(&four(&primitive.tangents));
    digest.numbers(&four(&primitive.colors));
    primitive.uvs.iter().for_each(|uvs| digest.numbers(&two(uvs)));
    for target in &primitive.morph_targets {
        digest.numbers(&three(&target.normals));
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

    fn of(character: &Character, part: Part) -> [u64; 2] {
        let digests = digests(character, part);
        [digests.geometry, digests.attributes]
    }

    #[test]
    fn the_order_of_triangles_vertices_and_influences_does_not_matter() {
        let (mut character, part) = mannequin();
        let before = of(&character, part);
        let primitive = &mut character.meshes[part.mesh].primitives[part.primitive];
        primitive.triangles.reverse();
        primitive.triangles.iter_mut().for_each(|triangle| triangle.rotate_left(1));
        for set in &mut primitive.influences {
            for (joints, weights) in set.joints.iter_mut().zip(&mut set.weights) {
                joints.swap(0, 1);
                *weights = Vec4::new(weights.y, weights.x, weights.z, weights.w);
            }
        }
        assert_eq!(of(&character, part), before);
        // The other winding is another surface.
        let primitive = &mut character.meshes[part.mesh].primitives[part.primitive];
        primitive.triangles[0].swap(0, 1);
        assert_ne!(of(&character, part), before);
    }

    #[test]
    fn a_weight_and_a_normal_change_one_digest_each() {
        let (character, part) = mannequin();
        let before = of(&character, part);
        let mut weight = character.clone();
        weight.meshes[part.mesh].primitives[part.primitive].influences[0].weights[7].x *= 0.99;
        let after = of(&weight, part);
        assert!(after[0] != before[0] && after[1] == before[1]);
        let mut normal = character;
        normal.meshes[part.mesh].primitives[part.primitive].normals[7].x += 0.01;
        let after = of(&normal, part);
        assert!(after[0] == before[0] && after[1] != before[1]);
    }
}

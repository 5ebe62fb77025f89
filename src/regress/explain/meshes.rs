//! Finds the attributes and vertices in which the mesh of a part differs from a recorded mesh.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use glam::DVec3;

use crate::puppet::Puppet;
use crate::record::{Attribute, PartRecord, Vertex, VerticesRecord};

use super::words::{count, length};

/// If more than one in this many vertices moved, the file probably has them in a different order.
const REORDERED: usize = 2;

/// The differences of the meshes of a part.
#[derive(Clone, Debug, Default)]
pub(super) struct MeshChange {
    attributes: BTreeSet<Attribute>,
    /// Numbers of vertices and triangles in the golden and now.
    counts: [[usize; 2]; 2],
    /// The vertices whose weights differ. `None` if they are not recorded, or if their order differs.
    weights: Option<BTreeSet<u32>>,
    /// The evidence about moved vertices.
    moved: Moved,
    /// The joints of a large mesh near which positions and weights differ.
    regions: [Vec<String>; 2],
}

/// The vertices that have moved in mesh space.
#[derive(Clone, Debug, Default)]
enum Moved {
    /// The vertices are not recorded.
    #[default]
    Unknown,
    /// The vertices by their indices. The number is the largest distance, in world metres.
    Vertices(BTreeSet<u32>, f32),
    /// Number of vertices without a counterpart at the same place in the other mesh. The vertices are in a different order.
    Number(usize),
    /// All positions are the same, but triangles connect them differently.
    Connected,
    /// All positions are the same to within this distance in metres.
    Rounding(f32),
}

impl MeshChange {
    /// Compares the meshes of a part. Returns `None` if they are the same. `ignores_weights` must be set if the inverse bind matrix of a
    /// joint without a name differs.
    pub(super) fn between(
        puppet: &Puppet,
        part: u32,
        was: &PartRecord,
        is: &PartRecord,
        ignores_weights: bool,
    ) -> Option<Self> {
        let differs = |attribute: &Attribute| was.digests.get(attribute) != is.digests.get(attribute);
        let mut attributes: BTreeSet<Attribute> = Attribute::ALL.into_iter().filter(differs).collect();
        if ignores_weights {
            attributes.remove(&Attribute::Weights);
        }
        if attributes.is_empty() {
            return None;
        }
        // Digests are sums over triangles, so all of them differ if some triangles are missing.
        let [triangles, triangles_now] = [was, is].map(|record| record.counts.last());
        if triangles != triangles_now {
            attributes = [Attribute::Positions].into();
        }
        let mut change = Self { attributes, counts: [was.counts, is.counts], ..Self::default() };
        if let Some((before, now)) = was.vertices.as_ref().zip(is.vertices.as_ref()) {
            change.find_vertices(before, now, scale(puppet, part));
        }
        let differing = |kind: usize| -> Vec<String> {
            let digest = |regions: &BTreeMap<String, [String; 2]>, joint: &String| {
                regions.get(joint).and_then(|digests| digests.get(kind)).cloned()
            };
            let joints: BTreeSet<&String> = was.regions.keys().chain(is.regions.keys()).collect();
            let differs = |joint: &&&String| digest(&was.regions, joint) != digest(&is.regions, joint);
            joints.iter().filter(differs).map(|joint| (*joint).clone()).collect()
        };
        change.regions = [differing(0), differing(1)];
        Some(change)
    }

    /// Returns text that names the joints near which a large mesh differs.
    fn near(&self, kind: fn(&[Vec<String>; 2]) -> &Vec<String>) -> String {
        let joints = kind(&self.regions);
        let named: Vec<String> = joints.iter().take(3).map(|joint| format!("`{joint}`")).collect();
        match joints.len() {
            0 => String::new(),
            1..=3 => format!(" near {}", named.join(", ")),
            all => format!(" near {} and {} more joints", named.join(", "), count(all - 3)),
        }
    }

    fn find_vertices(&mut self, before: &VerticesRecord, now: &VerticesRecord, scale: f32) {
        let Some((was, is)) = before.vertices().zip(now.vertices()) else { return };
        let step = before.step.max(now.step);
        let distance = |a: &Vertex, b: &Vertex| before.position(a).distance(now.position(b));
        // Each position is accurate to half a step of its own box on each axis.
        let is_moved = |a: &Vertex, b: &Vertex| distance(a, b) > 1.8 * step;
        let same_box = (before.low, before.step) == (now.low, now.step);
        let moved = |a: &Vertex, b: &Vertex| if same_box { a.steps != b.steps } else { is_moved(a, b) };
        let indices = |differs: &dyn Fn(&Vertex, &Vertex) -> bool| -> BTreeSet<u32> {
            let pairs = (0..).zip(was.iter().zip(&is));
            pairs.filter(|(_, (a, b))| differs(a, b)).map(|(index, _)| index).collect()
        };
        let elsewhere = indices(&moved);
        if was.len() != is.len() || elsewhere.len() > was.len() / REORDERED {
            // Each moved vertex lacks a counterpart in both directions, so the larger of the two numbers is used.
            let number = unmatched(before, &was, now, &is).max(unmatched(now, &is, before, &was));
            self.moved = match number {
                0 => Moved::Rounding(2.0 * step * scale),
                number => Moved::Number(number),
            };
            return;
        }
        self.weights = Some(indices(&|a, b| a.weights != b.weights));
        // The sums are exact. If only one vertex has moved, the difference between the sums is its movement.
        let sums = DVec3::from_array(before.sum).distance(DVec3::from_array(now.sum));
        if elsewhere.is_empty() {
            self.moved = if sums > 0.0 { Moved::Rounding(2.0 * step * scale) } else { Moved::Connected };
            return;
        }
        let at = |index: &u32| was.get(*index as usize).zip(is.get(*index as usize));
        let largest = elsewhere.iter().filter_map(at).map(|(a, b)| distance(a, b)).fold(0.0, f32::max);
        #[expect(clippy::cast_possible_truncation, reason = "a distance within a mesh")]
        let largest = if elsewhere.len() == 1 { sums as f32 } else { largest };
        self.moved = Moved::Vertices(elsewhere, largest * scale);
    }

    /// Returns whether the surface is at a different place, or moves differently.
    pub(super) fn changes_the_shape(&self) -> bool {
        self.changes_weights() || self.changes_positions()
    }

    pub(super) fn changes_weights(&self) -> bool {
        self.attributes.contains(&Attribute::Weights)
    }

    /// Returns whether positions or morph targets differ.
    pub(super) fn changes_positions(&self) -> bool {
        [Attribute::Positions, Attribute::Morphs].iter().any(|attribute| self.attributes.contains(attribute))
    }

    /// Returns whether any attribute that affects only the shading differs.
    pub(super) fn changes_shading(&self) -> bool {
        !self.shading().is_empty()
    }

    /// Returns whether a corner of a triangle is known to have different weights.
    pub(super) fn has_other_weights(&self, corners: &[u32]) -> bool {
        self.changes_weights() && self.weights.as_ref().is_some_and(|set| any(set, corners))
    }

    /// Returns whether a corner of a triangle is known to have moved.
    pub(super) fn has_moved(&self, corners: &[u32]) -> bool {
        matches!(&self.moved, Moved::Vertices(set, _) if any(set, corners))
    }

    /// Returns whether all changed vertices are known.
    pub(super) fn is_located(&self) -> bool {
        let is_known =
            matches!(self.moved, Moved::Vertices(..) | Moved::Rounding(_)) && self.has_all_triangles();
        (!self.changes_weights() || self.weights.is_some()) && (!self.changes_positions() || is_known)
    }

    /// Returns whether vertices have moved, but no triangle is missing or connected differently.
    pub(super) fn only_moves(&self) -> bool {
        self.has_all_triangles() && !matches!(self.moved, Moved::Connected)
    }

    fn has_all_triangles(&self) -> bool {
        let [[_, triangles], [_, triangles_now]] = self.counts;
        triangles == triangles_now
    }

    /// Returns whether weights and positions differ only by rounding.
    pub(super) fn is_rounding(&self) -> bool {
        let same_weights = self.weights.as_ref().is_some_and(BTreeSet::is_empty);
        let same_places = matches!(self.moved, Moved::Rounding(_))
            && self.has_all_triangles()
            && !self.attributes.contains(&Attribute::Morphs);
        (!self.changes_weights() || same_weights) && (!self.changes_positions() || same_places)
    }

    fn shading(&self) -> Vec<&'static str> {
        let words = [
            (Attribute::Normals, "normals"),
            (Attribute::Colors, "vertex colours"),
            (Attribute::Uvs, "texture coordinates"),
        ];
        words.into_iter().filter(|(a, _)| self.attributes.contains(a)).map(|(_, word)| word).collect()
    }

    /// Returns text about the changed weights of a part.
    pub(super) fn weights_text(&self, part: &str) -> String {
        match self.weights.as_ref().map(BTreeSet::len) {
            Some(0) => format!("weights of part `{part}` differ slightly"),
            Some(1) => format!("weights of one vertex of `{part}` differ"),
            Some(number) => format!("weights of {} vertices of `{part}` differ", count(number)),
            None => format!("weights of part `{part}` differ{}", self.near(|[_, weights]| weights)),
        }
    }

    /// Returns text about the changed positions or morph targets of a part.
    pub(super) fn positions_text(&self, part: &str) -> String {
        let [[vertices, triangles], [vertices_now, triangles_now]] = self.counts;
        if !self.attributes.contains(&Attribute::Positions) {
            return format!("morph targets of part `{part}` differ");
        }
        let instead = |what: &str, was: usize, is: usize| {
            format!("the mesh of part `{part}` differs: {} {what} instead of {}", count(is), count(was))
        };
        match &self.moved {
            _ if !self.has_all_triangles() => instead("triangles", triangles, triangles_now),
            Moved::Rounding(limit) => {
                format!("positions of part `{part}` differ by less than {}", length(*limit))
            }
            _ if vertices != vertices_now => instead("vertices", vertices, vertices_now),
            Moved::Vertices(set, distance) => match (set.len(), set.first()) {
                (1, Some(vertex)) => {
                    format!("vertex {vertex} of part `{part}` moved by {}", length(*distance))
                }
                (number, _) => {
                    format!(
                        "{} vertices of part `{part}` moved by at most {}",
                        count(number),
                        length(*distance)
                    )
                }
            },
            Moved::Number(number) => {
                format!("the mesh of part `{part}` differs: {} vertices have no counterpart", count(*number))
            }
            Moved::Connected => format!("triangles of part `{part}` connect other vertices"),
            Moved::Unknown => {
                format!("the mesh of part `{part}` differs{}", self.near(|[positions, _]| positions))
            }
        }
    }

    /// Returns text about the changed attributes that affect the shading of a part.
    pub(super) fn shading_text(&self, part: &str) -> String {
        format!("{} of part `{part}` differ", self.shading().join(" and "))
    }
}

fn any(set: &BTreeSet<u32>, corners: &[u32]) -> bool {
    corners.iter().any(|corner| set.contains(corner))
}

/// Returns the number of vertices of a record without a counterpart at the same place among the vertices of another record.
fn unmatched(
    record: &VerticesRecord,
    vertices: &[Vertex],
    other: &VerticesRecord,
    others: &[Vertex],
) -> usize {
    let step = record.step.max(other.step).max(f32::MIN_POSITIVE);
    #[expect(clippy::cast_possible_truncation, reason = "a box has some thousand steps")]
    let cell = |record: &VerticesRecord, vertex: &Vertex| {
        (record.position(vertex) / step).to_array().map(|x| x.round().clamp(-1e9, 1e9) as i64)
    };
    let filled: HashSet<[i64; 3]> = others.iter().map(|vertex| cell(other, vertex)).collect();
    let is_alone = |[x, y, z]: [i64; 3]| {
        let mut around = (-1..=1).flat_map(|i| (-1..=1).flat_map(move |j| (-1..=1).map(move |k| [i, j, k])));
        !around.any(|[i, j, k]| filled.contains(&[x + i, y + j, z + k]))
    };
    vertices.iter().filter(|vertex| is_alone(cell(record, vertex))).count()
}

/// Returns the world length of a metre in a part's mesh space, in metres.
fn scale(puppet: &Puppet, part: u32) -> f32 {
    let Some(part) = puppet.parts().get(part as usize) else { return 1.0 };
    let world = |node: usize| puppet.world_from_node().get(node).copied().unwrap_or_default();
    let skin = part.skin.and_then(|skin| puppet.character().skins.get(skin));
    let joint = skin.and_then(|skin| skin.joints.first().zip(skin.joint_from_mesh.first()));
    let world_from_mesh = joint.map_or_else(|| world(part.node), |(joint, bind)| world(*joint) * *bind);
    world_from_mesh.matrix3.determinant().abs().cbrt()
}

/// Returns text that names the joints with different inverse bind matrices.
pub(super) fn binds_text(joints: &BTreeSet<usize>, name: impl Fn(usize) -> String) -> String {
    let shown: Vec<String> = joints.iter().take(3).map(|joint| name(*joint)).collect();
    let more = joints.len() - shown.len();
    match (&shown[..], more) {
        ([one], 0) => format!("inverse bind of {one} differs"),
        (_, 0) => format!("inverse binds of {} differ", shown.join(", ")),
        _ => format!("inverse binds of {} and {} more joints differ", shown.join(", "), count(more)),
    }
}

//! Finds the vertices that must stay together. A file repeats a vertex along seams, where normals, texture coordinates or materials change.

use std::collections::HashMap;

use glam::Vec3;

use super::Shape;

/// Distance below which vertices coincide, as a fraction of the size of the shape.
const PRECISION: f32 = 1e-5;

/// Returns the first vertex of the class of each vertex. Vertices are in one class if they coincide in all poses at the ends of edges of
/// adjacent triangles. Coincident layers, such as the two sides of cloth, stay separate.
pub(super) fn classes(shape: &Shape<'_>) -> Vec<u32> {
    let mut classes = Classes((0..).take(shape.vertices()).collect());
    let mut uses: HashMap<[u32; 2], u32> = HashMap::new();
    for [u, v] in edges(shape.triangles) {
        *uses.entry([u.min(v), u.max(v)]).or_default() += 1;
    }
    let places = Places::new(shape);
    // The open edges whose other side has not been found yet, by the places of their ends.
    let mut open: HashMap<[Vec<i32>; 2], Vec<[u32; 2]>> = HashMap::new();
    for [u, v] in edges(shape.triangles) {
        if uses.get(&[u.min(v), u.max(v)]) != Some(&1) {
            continue;
        }
        let [from, to] = [u, v].map(|vertex| places.of(vertex));
        // The adjacent triangle has its corners in the same sense, and therefore the opposite edge.
        match open.get_mut(&[to.clone(), from.clone()]).and_then(Vec::pop) {
            Some([other_u, other_v]) => {
                classes.join(u, other_v);
                classes.join(v, other_u);
            }
            None => open.entry([from, to]).or_default().push([u, v]),
        }
    }
    (0..).take(shape.vertices()).map(|vertex| classes.find(vertex)).collect()
}

fn edges(triangles: &[[u32; 3]]) -> impl Iterator<Item = [u32; 2]> {
    triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
}

/// Sets of numbers that can be joined. Each number refers to a smaller number of its set, or to itself if it is the smallest one.
pub(super) struct Classes(pub(super) Vec<u32>);

impl Classes {
    /// Returns the smallest number of a set.
    pub(super) fn find(&mut self, number: u32) -> u32 {
        let mut at = number;
        while self.0[at as usize] != at {
            let next = self.0[at as usize];
            self.0[at as usize] = self.0[next as usize];
            at = next;
        }
        at
    }

    pub(super) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

/// The rounded positions of vertices in all poses.
struct Places<'a> {
    poses: &'a [Vec<Vec3>],
    scale: f32,
}

impl<'a> Places<'a> {
    fn new(shape: &Shape<'a>) -> Self {
        let all = || shape.poses.first().into_iter().flatten().copied();
        let size = all().reduce(Vec3::max).unwrap_or_default() - all().reduce(Vec3::min).unwrap_or_default();
        Self { poses: shape.poses, scale: 1.0 / (PRECISION * size.max_element()).max(f32::MIN_POSITIVE) }
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "rounded; characters that are far from the origin saturate"
    )]
    fn of(&self, vertex: u32) -> Vec<i32> {
        let rounded =
            |pose: &Vec<Vec3>| (pose[vertex as usize] * self.scale).round().to_array().map(|x| x as i32);
        self.poses.iter().flat_map(rounded).collect()
    }
}

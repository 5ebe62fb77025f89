//! The amount and the position of the skin that each joint moves.

use glam::{Affine3A, Vec3};

use crate::asset::{Character, Primitive};

/// Maximum number of vertices of a primitive that are visited. They are evenly distributed.
const MAX_VERTICES: usize = 50_000;
/// A vertex belongs to a joint if its weight is at least this.
const OWN_WEIGHT: f32 = 0.4;

/// The skin that each node moves, in the rest pose. The mass of a node is the area of its skin, because dense parts of a
/// mesh, such as a face, have a very large number of vertices.
pub(super) struct SkinMass {
    pub(super) of_node: Vec<f32>,
    /// Mean position of the skin of each node, in world space. Without skin, it is the position of the node.
    pub(super) center: Vec<Vec3>,
    /// Mean position of the vertices of each node. Where it differs from `center`, the skin has more detail, as in a face.
    pub(super) detail: Vec<Vec3>,
    /// Lowest point of the skin of each node, or infinity.
    pub(super) lowest: Vec<f32>,
    /// Sum of the weights of each node.
    weight: Vec<f32>,
    pub(super) total: f32,
    /// Lowest point of the whole skin.
    pub(super) floor: Option<f32>,
    /// Highest point of the whole skin.
    pub(super) top: Option<f32>,
    /// Amount of mirrored skin minus the amount of skin that is not mirrored.
    mirrored: f32,
}

impl SkinMass {
    pub(super) fn new(character: &Character, world: &[Affine3A]) -> Self {
        let count = character.skeleton.nodes.len();
        let mut found = Self {
            of_node: vec![0.0; count],
            center: vec![Vec3::ZERO; count],
            detail: vec![Vec3::ZERO; count],
            weight: vec![0.0; count],
            lowest: vec![f32::INFINITY; count],
            total: 0.0,
            floor: None,
            top: None,
            mirrored: 0.0,
        };
        let skinned = |p: &Primitive| p.influences.iter().any(|i| !i.joints.is_empty());
        let is_skinned = character.skeleton.nodes.iter().any(|n| {
            let mesh = n.mesh.and_then(|m| character.meshes.get(m));
            n.skin.is_some() && mesh.is_some_and(|m| m.primitives.iter().any(skinned))
        });
        for (index, node) in character.skeleton.nodes.iter().enumerate() {
            let Some(mesh) = node.mesh.and_then(|m| character.meshes.get(m)) else { continue };
            for primitive in &mesh.primitives {
                match node.skin.and_then(|s| character.skins.get(s)).filter(|_| skinned(primitive)) {
                    Some(skin) => found.add_skin(primitive, &skin.joints, &skin.joint_from_mesh, world),
                    // Rigid parts of a skinned character, such as a sword, are not part of the body.
                    None if !is_skinned => found.add_rigid(primitive, index, world),
                    None => {}
                }
            }
        }
        for (node, matrix) in world.iter().enumerate().take(count) {
            let (mass, own) = (found.of_node[node], Vec3::from(matrix.translation));
            found.center[node] = if mass > 0.0 { found.center[node] / mass } else { own };
            found.detail[node] = if mass > 0.0 { found.detail[node] / found.weight[node] } else { own };
        }
        found.total = found.of_node.iter().sum();
        let floor = found.lowest.iter().copied().fold(f32::INFINITY, f32::min);
        found.floor = floor.is_finite().then_some(floor);
        found
    }

    /// Returns whether most of the skin is mirrored in the rest pose. In that case, the side that the file calls left is on the right.
    pub(super) fn is_mirrored(&self) -> bool {
        self.mirrored > 0.0
    }

    /// Moves the skin of a node to another node.
    pub(super) fn give(&mut self, from: usize, to: usize) {
        let mean = |a: Vec3, b: Vec3, [a_share, b_share]: [f32; 2]| {
            (a * a_share + b * b_share) / (a_share + b_share)
        };
        let share = |values: &[f32]| [values[to], values[from]];
        self.center[to] = mean(self.center[to], self.center[from], share(&self.of_node));
        self.detail[to] = mean(self.detail[to], self.detail[from], share(&self.weight));
        self.lowest[to] = self.lowest[to].min(self.lowest[from]);
        for values in [&mut self.of_node, &mut self.weight] {
            values[to] += std::mem::take(&mut values[from]);
        }
        self.lowest[from] = f32::INFINITY;
    }

    fn add(&mut self, node: usize, at: Vec3, weight: f32, area: f32) {
        let share = weight * area;
        if share <= 0.0 || !share.is_finite() || !at.is_finite() {
            return;
        }
        let Some(mass) = self.of_node.get_mut(node) else { return };
        *mass += share;
        self.center[node] += share * at;
        self.detail[node] += weight * at;
        self.weight[node] += weight;
        if weight >= OWN_WEIGHT {
            self.lowest[node] = self.lowest[node].min(at.y);
            self.top = Some(self.top.map_or(at.y, |top| top.max(at.y)));
        }
    }

    fn add_skin(&mut self, primitive: &Primitive, joints: &[usize], binds: &[Affine3A], world: &[Affine3A]) {
        let world_from_mesh: Vec<Option<(Affine3A, f32, f32)>> = joints
            .iter()
            .enumerate()
            .map(|(i, &j)| Some(*world.get(j)? * binds.get(i).copied().unwrap_or(Affine3A::IDENTITY)))
            .map(|matrix| matrix.map(|m| (m, area_scale(&m), m.matrix3.determinant().signum())))
            .collect();
        let areas = areas(primitive);
        let step = primitive.vertices().div_ceil(MAX_VERTICES).max(1);
        for (vertex, position) in primitive.positions.iter().enumerate().step_by(step) {
            for set in &primitive.influences {
                let (Some(indices), Some(weights)) = (set.joints.get(vertex), set.weights.get(vertex)) else {
                    continue;
                };
                for (index, weight) in indices.iter().map(|&i| usize::from(i)).zip(weights.to_array()) {
                    if let (Some(&node), Some(Some((matrix, scale, side)))) =
                        (joints.get(index), world_from_mesh.get(index))
                    {
                        self.add(node, matrix.transform_point3(*position), weight, scale * areas[vertex]);
                        self.mirrored -= weight * side;
                    }
                }
            }
        }
    }

    fn add_rigid(&mut self, primitive: &Primitive, node: usize, world: &[Affine3A]) {
        let Some(matrix) = world.get(node) else { return };
        let areas = areas(primitive);
        let step = primitive.vertices().div_ceil(MAX_VERTICES).max(1);
        for (position, area) in primitive.positions.iter().zip(&areas).step_by(step) {
            self.add(node, matrix.transform_point3(*position), 1.0, area_scale(matrix) * area);
            self.mirrored -= matrix.matrix3.determinant().signum();
        }
    }
}

/// Returns the area around each vertex, in mesh space.
fn areas(primitive: &Primitive) -> Vec<f32> {
    let mut areas = vec![0.0; primitive.vertices()];
    for triangle in &primitive.triangles {
        let corner = |i: usize| primitive.positions.get(usize::try_from(triangle[i]).ok()?).copied();
        let (Some(a), Some(b), Some(c)) = (corner(0), corner(1), corner(2)) else { continue };
        let third = (b - a).cross(c - a).length() / 6.0;
        for &vertex in triangle {
            if let Some(area) = usize::try_from(vertex).ok().and_then(|v| areas.get_mut(v)) {
                *area += third;
            }
        }
    }
    areas
}

/// Returns the factor by which a matrix scales areas.
fn area_scale(matrix: &Affine3A) -> f32 {
    matrix.matrix3.determinant().abs().powf(2.0 / 3.0)
}

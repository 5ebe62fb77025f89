//! The mesh of a terrain.

use glam::{Vec2, Vec3, Vec4};

use crate::asset::{Character, Material, Mesh, Node, Primitive, Skeleton};

use super::Terrain;

/// Linear colour of the ground in valleys and on hills.
const COLORS: [Vec3; 2] = [Vec3::new(0.30, 0.34, 0.25), Vec3::new(0.58, 0.57, 0.50)];

/// Returns a terrain as a model with one part, which can be drawn under a crowd. The crowd stands exactly on the
/// model's triangles.
pub fn ground(terrain: &Terrain) -> Character {
    let (columns, rows) = terrain.size();
    let (cell, origin) = (terrain.cell(), terrain.origin());
    let heights = terrain.heights();
    let (low, high) = heights.iter().fold((f32::MAX, f32::MIN), |(low, high), &h| (low.min(h), high.max(h)));
    let mut primitive = Primitive { material: Some(0), ..Primitive::default() };
    for z in 0..rows {
        for x in 0..columns {
            #[expect(clippy::cast_precision_loss, reason = "a terrain has fewer than 2²⁴ heights")]
            let at = origin + Vec2::new(x as f32, z as f32) * cell;
            let height = heights.get((z * columns + x) as usize).copied().unwrap_or_default();
            primitive.positions.push(Vec3::new(at.x, height, at.y));
            primitive.normals.push(terrain.normal(at, cell).normalize_or(Vec3::Y));
            let share = if high > low { (height - low) / (high - low) } else { 0.5 };
            primitive.colors.push(COLORS[0].lerp(COLORS[1], share).extend(1.0));
        }
    }
    for z in 0..rows.saturating_sub(1) {
        for x in 0..columns.saturating_sub(1) {
            let first = z * columns + x;
            let [right, below, across] = [first + 1, first + columns, first + columns + 1];
            primitive.triangles.extend([[first, below, across], [first, across, right]]);
        }
    }
    let node = Node { mesh: Some(0), ..Node::new("ground") };
    let mesh =
        Mesh { name: None, primitives: vec![primitive], weights: Vec::new(), target_names: Vec::new() };
    Character {
        meshes: vec![mesh],
        materials: vec![Material {
            base_color: Vec4::ONE,
            metallic: 0.0,
            roughness: 1.0,
            ..Material::default()
        }],
        ..Character::new(Skeleton {
            nodes: vec![node],
            parents_first: vec![(0, None)],
            ..Skeleton::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_face_up_and_contain_every_point_of_the_ground() {
        let terrain = Terrain::hills(3, 6.0);
        let ground = ground(&terrain);
        let mesh = &ground.meshes[0].primitives[0];
        for triangle in &mesh.triangles {
            let [a, b, c] = triangle.map(|corner| mesh.positions[corner as usize]);
            assert!((b - a).cross(c - a).y > 0.0);
            let middle = (a + b + c) / 3.0;
            assert!((terrain.height(Vec2::new(middle.x, middle.z)) - middle.y).abs() < 1e-5);
        }
    }
}

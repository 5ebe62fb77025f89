//! What is visible of vertices besides their positions. It is measured in lengths, so that levels of detail can trade it against distances.

use glam::{Vec2, Vec3, Vec4};

use crate::asset::{Material, Primitive};
use crate::simplify::Look;

/// The distance that is as visible as a normal that is turned by a radian, as a fraction of the size of the model.
const NORMAL: f32 = 0.03;
/// The distance that is as visible as black in place of white, as a fraction of the size of the model.
const COLOR: f32 = 0.05;
/// How visible a texture that moves on the surface is, relative to a surface that moves.
const TEXTURE: f32 = 0.5;

/// Returns the looks of the vertices of a part: the normal, the colour, and the texture coordinates, scaled to lengths. `positions` are in
/// the rest pose, and `size` is the size of the model in metres.
pub(super) fn looks(
    primitive: &Primitive,
    material: Option<&Material>,
    positions: &[Vec3],
    size: f32,
) -> Vec<Look> {
    let uvs = primitive.uvs.iter().find(|uvs| !uvs.is_empty()).map_or(&[][..], Vec::as_slice);
    let texture = if material.is_some_and(has_texture) {
        TEXTURE * metres_per_texture(&primitive.triangles, uvs, positions)
    } else {
        0.0
    };
    let look = |vertex: usize| {
        let normal = primitive.normals.get(vertex).copied().unwrap_or_default() * (NORMAL * size);
        let color = color(primitive, vertex) * (COLOR * size);
        let uv = uvs.get(vertex).copied().unwrap_or_default() * texture;
        [normal.x, normal.y, normal.z, color.x, color.y, color.z, uv.x, uv.y]
    };
    (0..primitive.vertices()).map(look).collect()
}

/// Returns the colour of a vertex. Equal differences are about equally visible in dark and bright colours.
pub(super) fn color(primitive: &Primitive, vertex: usize) -> Vec3 {
    let linear = primitive.colors.get(vertex).copied().unwrap_or(Vec4::ONE).truncate();
    linear.max(Vec3::ZERO).powf(0.5)
}

fn has_texture(material: &Material) -> bool {
    let Material { base_color_texture, normal_texture, emissive_texture, .. } = material;
    [base_color_texture, normal_texture, emissive_texture].iter().any(|texture| texture.is_some())
}

/// Returns the length of a side of a texture on the surface: the square root of the ratio of the areas.
fn metres_per_texture(triangles: &[[u32; 3]], uvs: &[Vec2], positions: &[Vec3]) -> f32 {
    let (mut on_surface, mut on_texture) = (0.0, 0.0);
    for corners in triangles.iter().map(|corners| corners.map(|corner| corner as usize)) {
        let [Some(a), Some(b), Some(c)] = corners.map(|corner| positions.get(corner)) else { continue };
        let [Some(u), Some(v), Some(w)] = corners.map(|corner| uvs.get(corner)) else { continue };
        on_surface += (*b - *a).cross(*c - *a).length();
        on_texture += (*v - *u).perp_dot(*w - *u).abs();
    }
    if on_texture > 0.0 { (on_surface / on_texture).sqrt() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use glam::vec3;

    use super::*;

    #[test]
    fn a_texture_is_as_long_as_its_surface() {
        let positions = [vec3(0.0, 0.0, 0.0), vec3(3.0, 0.0, 0.0), vec3(0.0, 3.0, 0.0)];
        let uvs = [Vec2::ZERO, Vec2::X * 0.5, Vec2::Y * 0.5];
        let metres = metres_per_texture(&[[0, 1, 2]], &uvs, &positions);
        assert!((metres - 6.0).abs() < 1e-5, "{metres}");
        assert_eq!(metres_per_texture(&[[0, 1, 2]], &[], &positions), 0.0);
        assert_eq!(metres_per_texture(&[[0, 0, 0]], &uvs, &positions), 0.0);
    }
}

//! Directions on a square: the unit sphere is projected onto an octahedron, whose lower half is then folded outwards (Praun &
//! Hoppe 2003). The upper half is the inner diamond.

use glam::{Vec2, Vec3};

/// Width of the first level of an environment's texture in texels.
pub(super) const SIZE: usize = 128;
/// Number of levels. The roughness increases evenly from zero to one, and each level has half the width of the previous one.
pub(super) const LEVELS: usize = 5;
/// The fraction of the texture's width that all directions cover. The texels outside it contain the light from across the edge, so that
/// filtering needs no special cases. In the last level, the edge is in the centre of the outer texels.
pub(super) const CONTENT: f32 = 0.875;

/// Returns the point on the square that represents a direction, with coordinates from −1 to 1. The direction must not be zero.
pub(super) fn point(direction: Vec3) -> Vec2 {
    let d = direction.abs();
    let p = Vec2::new(direction.x, direction.z) / (d.x + d.y + d.z);
    if direction.y >= 0.0 { p } else { fold(p) }
}

/// Returns the unit direction of a point, which may be a little beyond the edges.
pub(super) fn direction(point: Vec2) -> Vec3 {
    on_octahedron(point).normalize()
}

/// Returns the solid angle of an area around a point within the edges.
pub(super) fn solid_angle(point: Vec2, area: f32) -> f32 {
    let distance = on_octahedron(point).length();
    area / (distance * distance * distance)
}

fn on_octahedron(point: Vec2) -> Vec3 {
    // A point beyond an edge continues at the mirrored position on the same edge.
    let mut p = point;
    if p.x.abs() > 1.0 {
        p = Vec2::new((2.0 - p.x.abs()).copysign(p.x), -p.y);
    }
    if p.y.abs() > 1.0 {
        p = Vec2::new(-p.x, (2.0 - p.y.abs()).copysign(p.y));
    }
    let y = 1.0 - p.x.abs() - p.y.abs();
    let p = if y >= 0.0 { p } else { fold(p) };
    Vec3::new(p.x, y, p.y)
}

/// Exchanges the inner diamond and the outer triangles.
fn fold(p: Vec2) -> Vec2 {
    (Vec2::ONE - Vec2::new(p.y, p.x).abs()) * p.signum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_returns_to_its_direction() {
        for i in 0_u8..200 {
            let angle = f32::from(i) * 2.4;
            let y = (f32::from(i) + 0.5) / 100.0 - 1.0;
            let d = Vec3::new(angle.cos(), 0.0, angle.sin()) * (1.0 - y * y).sqrt() + Vec3::Y * y;
            assert!(direction(point(d)).distance(d) < 1e-5, "{d}");
        }
    }

    #[test]
    fn directions_are_continuous_across_edges() {
        for i in 0_u8..40 {
            let along = f32::from(i) / 20.0 - 0.99;
            for (inside, outside) in [
                (Vec2::new(0.999, along), Vec2::new(1.001, along)),
                (Vec2::new(-0.999, along), Vec2::new(-1.001, along)),
                (Vec2::new(along, 0.999), Vec2::new(along, 1.001)),
                (Vec2::new(along, -0.999), Vec2::new(along, -1.001)),
            ] {
                assert!(direction(inside).distance(direction(outside)) < 0.01, "{inside}");
            }
        }
    }

    #[test]
    fn solid_angles_add_up_to_a_sphere() {
        let cells = 64_u8;
        let at = |i: u8| (f32::from(i) + 0.5) / f32::from(cells) * 2.0 - 1.0;
        let area = (2.0 / f32::from(cells)).powi(2);
        let all = (0..cells).flat_map(|y| (0..cells).map(move |x| Vec2::new(at(x), at(y))));
        let sum: f32 = all.map(|p| solid_angle(p, area)).sum();
        assert!((sum / (4.0 * std::f32::consts::PI) - 1.0).abs() < 1e-3, "{sum}");
    }
}

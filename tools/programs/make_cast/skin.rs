//! Mirrors the left half of the mannequin and creates the vertices of the file.

use crate::body::figure;
use crate::hands;
use crate::mesh::Mesh;
use crate::model::{Skin, Vertex, influences};
use crate::paint::{colour, region_of};
use crate::sdf::gradient;
use crate::skeleton::{JOINT_COUNT, mirrored};
use crate::weights::{Row, mirrored_row};
use glam::DVec3;
use std::collections::BTreeMap;

/// Returns the skin of both sides. A point where colours meet becomes one vertex per colour.
///
/// # Errors
/// Fails if there are more vertices than a 16-bit index can address.
pub(crate) fn mirror(half: &Mesh, rows: &[Row]) -> Result<Skin, std::num::TryFromIntError> {
    let mut skin = Skin { name: "body", joints: (0..JOINT_COUNT).collect(), ..Skin::default() };
    let mut indices = BTreeMap::new();
    for right in [false, true] {
        for &triangle in &half.triangles {
            let region = region_of(half, triangle);
            let [a, b, c] = triangle;
            for point in if right { [a, c, b] } else { [a, b, c] } {
                let p = half.points[point];
                // Both sides share the vertices of the seam.
                let key = (point, right && p.x > 0.0, region);
                let index = match indices.get(&key) {
                    Some(&index) => index,
                    None => {
                        let index = u16::try_from(skin.vertices.len())?;
                        indices.insert(key, index);
                        skin.vertices.push(vertex(p, region, &rows[point], right));
                        index
                    }
                };
                skin.indices.push(index);
            }
        }
    }
    hands::add(&mut skin)?;
    Ok(skin)
}

/// Returns the vertex for the point `p` of the left half, or for its mirror image if `right` is set.
fn vertex(p: DVec3, region: Option<usize>, row: &Row, right: bool) -> Vertex {
    let mut normal = gradient(figure, p);
    if p.x == 0.0 {
        normal.x = 0.0;
    }
    let normal = normal.normalize();
    let on_side = |v: DVec3| if right && p.x > 0.0 { mirrored(v) } else { v };
    let row = if right && p.x > 0.0 { mirrored_row(row) } else { *row };
    Vertex {
        position: on_side(p).as_vec3().to_array(),
        normal: on_side(normal).as_vec3().to_array(),
        colour: colour(region, p, normal),
        influences: influences(row.into_iter().enumerate(), 4),
    }
}

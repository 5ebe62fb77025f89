//! Reads STL files, binary and text. Their triangles share no vertices and are flat-shaded.

use glam::Vec3;

use crate::asset::Primitive;

/// Size of the header of a binary file, including the number of triangles.
const HEADER: usize = 84;
/// Size of a triangle in a binary file.
const TRIANGLE: usize = 50;

/// Reads a file. Normals in the file are ignored, because many programs write wrong normals.
pub(super) fn read(bytes: &[u8]) -> Result<Primitive, String> {
    let corners = match binary(bytes) {
        Some(corners) => corners,
        None => text(bytes)?,
    };
    if let Some(index) = corners.iter().position(|corner| !corner.is_finite()) {
        return Err(format!("vertex {index} is not finite"));
    }
    let mut shape = Primitive::default();
    for (index, [a, b, c]) in (0_u32..).zip(corners.as_chunks::<3>().0) {
        // Tiny edges are scaled up, because their cross product would otherwise be zero.
        let edges = [*b - *a, *c - *a].map(|edge| edge / edge.abs().max_element().max(f32::MIN_POSITIVE));
        let Some(normal) = edges[0].cross(edges[1]).try_normalize() else { continue };
        let first =
            u32::try_from(shape.positions.len()).map_err(|_| format!("triangle {index} is one too many"))?;
        shape.positions.extend([*a, *b, *c]);
        shape.normals.extend([normal; 3]);
        shape.triangles.push([first, first + 1, first + 2]);
    }
    if shape.triangles.is_empty() {
        return Err("the file has no triangles".into());
    }
    Ok(shape)
}

/// Returns the corners of all triangles if the file has the size of a binary file.
fn binary(bytes: &[u8]) -> Option<Vec<Vec3>> {
    let count = u32::from_le_bytes(bytes.get(HEADER - 4..HEADER)?.try_into().ok()?);
    let triangles = bytes.get(HEADER..)?;
    (triangles.len() == (count as usize).checked_mul(TRIANGLE)?).then(|| {
        let corner = |bytes: &[u8; 12]| {
            let (numbers, _) = bytes.as_chunks::<4>();
            let mut values = numbers.iter().map(|number| f32::from_le_bytes(*number));
            Vec3::from(std::array::from_fn(|_| values.next().unwrap_or_default()))
        };
        let corners = |triangle: &[u8; TRIANGLE]| {
            let (vectors, _) = triangle.as_chunks::<12>();
            vectors.iter().skip(1).map(corner).collect::<Vec<Vec3>>()
        };
        triangles.as_chunks::<TRIANGLE>().0.iter().flat_map(corners).collect()
    })
}

fn text(bytes: &[u8]) -> Result<Vec<Vec3>, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "neither a binary nor a text STL file")?;
    let mut words = text.split_ascii_whitespace();
    if words.next() != Some("solid") {
        return Err("neither a binary nor a text STL file".into());
    }
    let mut corners = Vec::new();
    while let Some(word) = words.next() {
        if word == "vertex" {
            let mut number = || words.next()?.parse::<f32>().ok();
            let corner = number().zip(number()).zip(number());
            let Some(((x, y), z)) = corner else {
                return Err(format!("vertex {} is not three numbers", corners.len()));
            };
            corners.push(Vec3::new(x, y, z));
        }
    }
    Ok(corners)
}

//! Robots: URDF, and the STL meshes to which it refers.

use sinew::asset::load;

use crate::format::file;
use crate::random::Random;

use super::animations::text;
use super::{BASE_MEMORY, Decoder, bytes, prefix};

/// All robots refer to the same mesh file.
pub(super) const URDF: Decoder = Decoder {
    name: "urdf",
    seeds: || vec![crate::urdf::ROBOT.replace("package://r/d.stl", "robot-mesh.stl").into_bytes()],
    mutate: text,
    truncate: prefix,
    decode: |input| {
        file("robot-mesh.stl", &binary())?;
        Ok(load(&file("input.urdf", input)?).is_ok())
    },
    base_memory: BASE_MEMORY,
};

/// The inputs are meshes of a robot with one link.
pub(super) const STL: Decoder = Decoder {
    name: "stl",
    seeds: || vec![binary(), TEXT.into()],
    mutate: |input, random: &mut Random| {
        if input.starts_with(b"solid") { text(input, random) } else { bytes(input, random) }
    },
    truncate: prefix,
    decode: |input| {
        file("mesh.stl", input)?;
        // A mesh that cannot be read causes a warning. A mesh whose numbers overflow causes an error.
        let Ok(robot) = load(&file("mesh.urdf", ROBOT.as_bytes())?) else { return Ok(false) };
        Ok(robot.warnings.is_empty())
    },
    base_memory: BASE_MEMORY,
};

const ROBOT: &str = r#"<robot name="r"><link name="a"><visual><geometry><mesh filename="mesh.stl" scale="2 2 2"/></geometry></visual></link></robot>"#;

const TEXT: &str = "solid strip\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n\
facet normal 0 0 1\nouter loop\nvertex 1 0 0\nvertex 1 1 0.5\nvertex 0 1 -2e-1\nendloop\nendfacet\nendsolid strip\n";

/// Returns a binary mesh of two triangles.
fn binary() -> Vec<u8> {
    let mut bytes = vec![b' '; 80];
    bytes.extend(2_u32.to_le_bytes());
    for corners in [[0_u8, 0, 0, 1, 0, 0, 0, 1, 0], [1, 0, 0, 1, 1, 0, 0, 1, 1]] {
        bytes.extend([0; 12]);
        bytes.extend(corners.iter().flat_map(|&x| f32::from(x).to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

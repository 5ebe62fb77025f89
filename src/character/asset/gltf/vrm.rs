//! Passes the JSON of the VRM extensions to their readers.

use serde_json::{Map, Value};

use crate::asset::vrm::{self, Problems};
use crate::asset::{Constraint, FaceTracks, Humanoid, LookAt, Skeleton, SpringBones};

use super::{GltfFile, ObjectError};

/// Maximum memory of the data that is read from one JSON value. A joint of a spring has at least two values.
const BYTES_PER_VALUE: u64 = 64;

/// The VRM data of a character, except for expressions.
#[derive(Default)]
pub(super) struct VrmParts {
    pub(super) humanoid: Option<Humanoid>,
    pub(super) springs: SpringBones,
    pub(super) constraints: Vec<Constraint>,
    pub(super) face_tracks: FaceTracks,
    pub(super) look_at: Option<LookAt>,
}

impl GltfFile<'_> {
    pub(super) fn vrm(&self, skeleton: &Skeleton) -> Result<VrmParts, ObjectError> {
        let none = Map::new();
        let extensions = self.root.extensions.as_ref().map_or(&none, |e| &e.others);
        for name in ["VRMC_springBone", "VRMC_vrm_animation", "VRM"] {
            let values = extensions.get(name).map_or(0, count);
            self.buffers.claim(values.saturating_mul(BYTES_PER_VALUE), &format!("extensions.{name}"))?;
        }
        let (mut of_springs, mut of_constraints) = (Problems::default(), Problems::default());
        let humanoid = vrm::humanoid(extensions, skeleton.nodes.len());
        let json_of_nodes = self.root.nodes.iter().enumerate().filter_map(|(node, json)| {
            let others = &json.extensions.as_ref()?.others;
            Some((node, others.get("VRMC_node_constraint")?))
        });
        let parts = VrmParts {
            look_at: vrm::look_at(extensions, humanoid.as_ref().map(|h| &h.bones)),
            humanoid,
            face_tracks: vrm::face_tracks(extensions, skeleton.nodes.len(), &mut of_springs),
            springs: vrm::spring_bones(extensions, skeleton, &mut of_springs),
            constraints: vrm::constraints(json_of_nodes, skeleton, &mut of_constraints),
        };
        of_springs.lines().chain(of_constraints.lines()).for_each(|line| self.warn(line));
        Ok(parts)
    }
}

/// Returns the number of values in a JSON value. The parser limits the nesting depth of values.
fn count(value: &Value) -> u64 {
    1 + match value {
        Value::Array(list) => list.iter().map(count).sum(),
        Value::Object(map) => map.values().map(count).sum(),
        _ => 0,
    }
}

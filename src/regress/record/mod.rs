//! Records of the scenes that images show. A golden image contains such a record, so that a later difference can be explained.

mod align;
mod contents;
mod look;
mod seen;
mod shape;
mod text;
mod vertices;

use std::collections::{BTreeMap, HashMap};

use glam::{Affine3A, Vec3};
use serde::{Deserialize, Serialize};

use crate::asset::Skeleton;
use crate::mathematics::propagate;
use crate::puppet::Puppet;
use crate::render::Frame;
use crate::skin::Skinning;
use crate::view::{Camera, Projection};

use super::golden::JointRecord;

pub(super) use contents::Contents;
pub(super) use contents::ContentsCache;
pub(super) use look::{NO_FLOOR, values_digest};
pub use seen::SeenRecord;
pub(super) use seen::SeenVertices;
pub(super) use seen::project;
pub use shape::Attribute;
pub(super) use shape::unique_labels;
pub use text::RecordedScene;
pub(super) use vertices::Vertex;
pub use vertices::VerticesRecord;

/// Version of the format. Records of other versions are rejected.
const VERSION: u32 = 2;
/// Largest relative difference between cameras, and between floors, that counts as rounding.
const SAME_VIEW: f32 = 2e-6;
const SAME_FLOOR: f32 = 1e-4;

/// The scene of an image: the camera, the pose, the parts with their materials, and the view settings. For meshes and textures, it contains
/// digests that reveal changes. For small meshes, it also contains the rounded vertices.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SceneRecord {
    /// Version of the format.
    pub(crate) version: u32,
    /// The camera.
    pub camera: CameraRecord,
    /// The world matrices of all nodes, in file order.
    pub joints: Vec<JointRecord>,
    /// The weights of the pose: weights of morph targets, and values of expressions and animated properties.
    pub weights: Vec<f32>,
    /// The parts that are drawn.
    pub parts: Vec<PartRecord>,
    /// The materials of these parts.
    pub materials: Vec<MaterialRecord>,
    /// Digests of the inverse bind matrices of joints, by joint label.
    pub binds: BTreeMap<String, String>,
    /// The floor, if it is shown.
    pub floor: Option<FloorRecord>,
    /// Centre and radius of the sphere to which the shadows are fitted, in world metres.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sphere: Option<[f32; 4]>,
    /// The settings of the view by their names, as text.
    pub settings: BTreeMap<String, String>,
}

/// A camera.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CameraRecord {
    /// The position in world metres.
    pub position: [f32; 3],
    /// The point at the centre of the image, in world metres.
    pub target: [f32; 3],
    /// The up direction.
    pub up: [f32; 3],
    /// The vertical field of view in radians, if the projection is perspective.
    pub fov: Option<f32>,
    /// The height of the visible part of the world in metres, if the projection is orthographic.
    pub height: Option<f32>,
    /// Distances of the near and far planes in metres.
    pub depth: [f32; 2],
}

/// A floor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct FloorRecord {
    /// The centre in world metres.
    pub center: [f32; 3],
    /// The distance from the centre at which the floor has faded out, in world metres.
    pub radius: f32,
}

/// A part that is drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartRecord {
    /// Name of the part, which is unique in the record.
    pub name: String,
    /// Index of its material in the record.
    pub material: usize,
    /// Numbers of its vertices and triangles.
    pub counts: [usize; 2],
    /// Digests of the attributes of its mesh.
    pub digests: BTreeMap<Attribute, String>,
    /// Its vertices, if the meshes of the record are small enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vertices: Option<VerticesRecord>,
    /// The positions of its vertices in the image, if the scene does not have too many vertices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<SeenRecord>,
    /// For larger meshes, digests of the positions and the weights of the vertices that each joint moves most, by the joint's label.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub regions: BTreeMap<String, [String; 2]>,
}

/// A material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MaterialRecord {
    /// Name of the material.
    pub name: String,
    /// Linear RGBA factor of the base colour.
    pub color: [f32; 4],
    /// Digest of all other numbers and switches of the material.
    pub values: String,
    /// Digest of the material's encoded images.
    pub textures: String,
    /// The most common numbers of the material, which are used to draw it again: metalness, roughness, scale of the normal map, strength of
    /// the occlusion, emission (linear RGB and its strength), index of refraction, and specular factor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbers: Option<[f32; 10]>,
}

impl SceneRecord {
    /// Records the scene that a frame of a puppet shows. `size` is the image's width and height in pixels.
    pub fn of(puppet: &Puppet, frame: &Frame<'_>, size: (u32, u32)) -> Self {
        Self::with(puppet, frame, size, &Contents::of(puppet))
    }

    /// Does the same as [`Self::of`], but uses contents that have already been computed.
    pub(super) fn with(puppet: &Puppet, frame: &Frame<'_>, size: (u32, u32), contents: &Contents) -> Self {
        let skeleton = &puppet.character().skeleton;
        let nodes = puppet.world_from_node().iter().enumerate();
        let joints = nodes
            .map(|(n, world)| JointRecord { name: skeleton.label(n), world: world.to_cols_array() })
            .collect();
        let (parts, materials) = look::parts(puppet, frame, size, contents);
        Self {
            version: VERSION,
            camera: CameraRecord::of(&frame.camera),
            joints,
            weights: puppet.pose().weights.clone(),
            parts,
            materials,
            binds: contents.binds.clone(),
            floor: frame
                .ground
                .as_ref()
                .map(|floor| FloorRecord { center: floor.center.to_array(), radius: floor.radius }),
            sphere: Some(frame.sphere.0.extend(frame.sphere.1).to_array()),
            settings: look::settings(frame),
        }
    }

    pub(super) fn material(&self, part: &str) -> Option<&MaterialRecord> {
        let part = self.parts.iter().find(|known| known.name == part)?;
        self.materials.get(part.material)
    }

    pub(super) fn skinning(&self) -> Skinning {
        let is_dual = self.settings.get("skinning").is_some_and(|name| name == "dual-quaternion");
        if is_dual { Skinning::DualQuaternion } else { Skinning::Linear }
    }

    /// Returns whether the key light has a size, so that its shadows are soft if the renderer can draw them.
    pub(super) fn has_soft_shadows(&self) -> bool {
        let setting = |name: &str| self.settings.get(name).map(String::as_str);
        setting("shadow") == Some("on") && setting("light") != Some("classic")
    }

    /// Returns a digest of everything that does not depend on the pose and the view: meshes, inverse bind matrices and materials.
    pub(super) fn contents_digest(&self) -> String {
        let mut digest = crc32fast::Hasher::new();
        let mut add = |text: &str| {
            digest.update(text.as_bytes());
            digest.update(b"\n");
        };
        for part in &self.parts {
            add(&part.name);
            part.digests.values().for_each(|text| add(text));
        }
        for MaterialRecord { color, values, textures, .. } in &self.materials {
            add(&format!("{color:?}"));
            [values, textures].into_iter().for_each(|text| add(text));
        }
        for (joint, bind) in &self.binds {
            [joint, bind].into_iter().for_each(|text| add(text));
        }
        format!("{:08x}", digest.finalize())
    }

    /// Returns the recorded world matrices of a skeleton's nodes. If the skeleton has changed since the recording, nodes are found by name.
    /// A node that is not in the record keeps its rest transform relative to its parent.
    pub fn world_from_node(&self, skeleton: &Skeleton) -> Vec<Affine3A> {
        let named = |joint: &JointRecord| Affine3A::from_cols_array(&joint.world);
        let labels: Vec<String> = (0..skeleton.nodes.len()).map(|node| skeleton.label(node)).collect();
        if labels.iter().eq(self.joints.iter().map(|joint| &joint.name)) {
            return self.joints.iter().map(named).collect();
        }
        let recorded: HashMap<&str, &JointRecord> =
            self.joints.iter().rev().map(|j| (j.name.as_str(), j)).collect();
        let mut worlds = vec![Affine3A::IDENTITY; labels.len()];
        propagate(skeleton.parents_first.iter().copied(), &mut worlds, |above, node| {
            let above = above.copied().unwrap_or_default();
            let label = labels.get(node).map(String::as_str).unwrap_or_default();
            let rest = || skeleton.nodes.get(node).map(|n| n.rest.to_affine()).unwrap_or_default();
            recorded.get(label).map_or_else(|| above * rest(), |joint| named(joint))
        });
        worlds
    }
}

impl FloorRecord {
    /// Returns whether another floor is at the same place, except for rounding.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let distance = Vec3::from_array(self.center).distance(Vec3::from_array(other.center));
        distance.max((self.radius - other.radius).abs()) <= SAME_FLOOR * self.radius
    }
}

impl CameraRecord {
    /// Returns whether another camera shows the same part of the world, except for rounding. The depth range, which follows the bounds of
    /// the posed objects, is ignored.
    pub(super) fn shows_the_same(&self, other: &Self) -> bool {
        let distance = Vec3::from_array(self.position).distance(Vec3::from_array(self.target)).max(1e-6);
        let is_near = |a: [f32; 3], b: [f32; 3], unit: f32| {
            Vec3::from_array(a).distance(Vec3::from_array(b)) <= SAME_VIEW * unit
        };
        let is_same = |a: Option<f32>, b: Option<f32>| match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() <= SAME_VIEW * b.abs(),
            (a, b) => a.is_none() && b.is_none(),
        };
        is_near(self.position, other.position, distance)
            && is_near(self.target, other.target, distance)
            && is_near(self.up, other.up, 1.0)
            && is_same(self.fov, other.fov)
            && is_same(self.height, other.height)
    }

    /// Returns whether the camera can draw an image.
    fn is_valid(&self) -> bool {
        let vector = |numbers: [f32; 3]| Vec3::from_array(numbers);
        let direction = vector(self.target) - vector(self.position);
        let is_size = |size: f32, most: f32| size > 0.0 && size < most;
        let is_open = match (self.fov, self.height) {
            (Some(fov), _) => is_size(fov, std::f32::consts::PI),
            (None, height) => is_size(height.unwrap_or(1.0), f32::MAX),
        };
        let [near, far] = self.depth;
        is_open && near < far && direction.cross(vector(self.up)).length() > 0.0
    }

    /// Records a camera.
    pub fn of(camera: &Camera) -> Self {
        let (fov, height) = match camera.projection {
            Projection::Perspective { fov_y } => (Some(fov_y), None),
            Projection::Orthographic { height } => (None, Some(height)),
        };
        Self {
            position: camera.position.to_array(),
            target: camera.target.to_array(),
            up: camera.up.to_array(),
            fov,
            height,
            depth: [camera.near, camera.far],
        }
    }

    /// Returns the camera.
    pub fn camera(&self) -> Camera {
        let projection = match (self.fov, self.height) {
            (Some(fov_y), _) => Projection::Perspective { fov_y },
            (None, height) => Projection::Orthographic { height: height.unwrap_or(1.0) },
        };
        let [near, far] = self.depth;
        Camera {
            position: Vec3::from_array(self.position),
            target: Vec3::from_array(self.target),
            up: Vec3::from_array(self.up),
            projection,
            near,
            far,
        }
    }
}

/// Returns the names of a puppet's parts. A part is named after its mesh, or after its node if the mesh has no name. Repeated names get a
/// number.
pub(super) fn part_names(puppet: &Puppet) -> Vec<String> {
    let character = puppet.character();
    let name = |part: &crate::asset::Part| {
        let mesh = character.meshes.get(part.mesh).and_then(|mesh| mesh.name.clone());
        mesh.unwrap_or_else(|| character.skeleton.label(part.node))
    };
    let names: Vec<String> = puppet.parts().iter().map(name).collect();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut unique = Vec::with_capacity(names.len());
    for name in &names {
        let count = seen.entry(name).or_default();
        *count += 1;
        unique.push(if *count == 1 { name.clone() } else { format!("{name} {count}") });
    }
    unique
}

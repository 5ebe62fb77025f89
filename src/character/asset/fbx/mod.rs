//! Reads FBX files with ufbx: nodes, meshes, skins, blend shapes, clips and basic materials.
//!
//! The parser converts the axes and units of the file to +Y up and metres. Geometry transforms, which belong to a mesh and not to
//! its node, become part of the vertices.

mod clip;
mod material;
mod mesh;
mod skin;
#[cfg(test)]
mod tests;

use std::path::Path;

use glam::{DQuat, Quat, Vec3};
use ufbx::{
    AllocatorOpts, CoordinateAxes, CoordinateAxis, FileFormat, GeometryTransformHandling,
    InheritModeHandling, LoadOpts, ProgressCb, ProgressResult, SpaceConversion,
};

use crate::files::Progress;

use super::error::ObjectError;
use super::references::References;
use super::{Character, LoadError, Node, Scene, Transform};
use mesh::Meshes;

/// Maximum memory in bytes. It applies separately to the parser's result, its working memory, and all vertices, morph targets and keys. For
/// small files, the limit is [`BASE_BYTES`] plus [`MEMORY_FACTOR`] times the file size, because arrays can be compressed. A damaged file of
/// a few kilobytes can declare arrays of gigabytes, which the parser allocates before it reads them.
const MAX_BYTES: usize = 1 << 30;
const BASE_BYTES: usize = 32 << 20;
const MEMORY_FACTOR: usize = 64;
/// Maximum depth of the hierarchy.
const MAX_DEPTH: u32 = 10_000;

/// The memory that the rest of the file may still use, in bytes.
struct Budget(usize);

impl Budget {
    fn take(&mut self, bytes: usize, at: &str) -> Result<(), ObjectError> {
        let left = self.0.checked_sub(bytes);
        self.0 = left.ok_or_else(|| ObjectError::new(at, "the file needs too much memory"))?;
        Ok(())
    }
}

/// Reads the bytes of an FBX file, and the images in its folder that it references.
///
/// # Errors
/// [`LoadError`]. The message is one line with the file, the object in it and the cause.
pub(super) fn read_with(
    path: &Path,
    bytes: &[u8],
    references: &References,
    progress: &Progress,
) -> Result<Character, LoadError> {
    let format = |cause: String| LoadError::Format { path: path.into(), cause };
    progress.set_stage("Reading FBX");
    let check = |_: &ufbx::Progress| match progress.is_stopped() {
        true => ProgressResult::Cancel,
        false => ProgressResult::Continue,
    };
    let memory = bytes.len().saturating_mul(MEMORY_FACTOR).saturating_add(BASE_BYTES).min(MAX_BYTES);
    let scene = ufbx::load_memory(bytes, options(&check, memory)).map_err(|error| {
        let info = error.info();
        let info = if info.is_empty() { String::new() } else { format!(": {info}") };
        format(format!("not a valid FBX file ({}{info})", error.description))
    })?;
    let mut reader = Reader {
        scene: &scene,
        references,
        progress,
        budget: Budget(memory),
        character: Character { path: path.into(), ..Character::default() },
    };
    reader.read().map_err(|error| error.in_file(path))?;
    let character = reader.character;
    character.skeleton.check_rest().map_err(|(_, source)| format(source.to_string()))?;
    Ok(character)
}

fn options<'a>(check: &'a dyn Fn(&ufbx::Progress) -> ProgressResult, memory: usize) -> LoadOpts<'a> {
    let limited = || AllocatorOpts { memory_limit: memory, ..AllocatorOpts::default() };
    LoadOpts {
        temp_allocator: limited(),
        result_allocator: limited(),
        progress_cb: ProgressCb::Ref(check),
        file_format: FileFormat::Fbx,
        node_depth_limit: MAX_DEPTH,
        clean_skin_weights: true,
        use_blender_pbr_material: true,
        generate_missing_normals: true,
        normalize_normals: true,
        geometry_transform_handling: GeometryTransformHandling::ModifyGeometry,
        inherit_mode_handling: InheritModeHandling::Compensate,
        space_conversion: SpaceConversion::ModifyGeometry,
        target_axes: CoordinateAxes {
            right: CoordinateAxis::PositiveX,
            up: CoordinateAxis::PositiveY,
            front: CoordinateAxis::PositiveZ,
        },
        target_unit_meters: 1.0,
        ..LoadOpts::default()
    }
}

struct Reader<'a> {
    scene: &'a ufbx::Scene,
    references: &'a References,
    progress: &'a Progress,
    budget: Budget,
    character: Character,
}

impl Reader<'_> {
    fn read(&mut self) -> Result<(), ObjectError> {
        let metadata = &self.scene.metadata;
        self.character.generator = (!metadata.creator.is_empty()).then(|| metadata.creator.to_string());
        for warning in &metadata.warnings {
            self.character.warnings.push(format!("FBX: {}", warning.description));
        }
        material::add(self.scene, &mut self.character, self.references, self.progress)?;
        self.add_nodes();
        let mut meshes = Meshes::default();
        for (index, node) in nodes(self.scene) {
            self.progress.check().map_err(|e| ObjectError::new(label(node), e.to_string()))?;
            let Some(mesh) = &node.mesh else { continue };
            let skin = skin::add(mesh, node, index, &mut self.character, &mut self.budget)?;
            let mesh = meshes.add(mesh, node, skin, &mut self.character, &mut self.budget)?;
            if let Some(own) = self.character.skeleton.nodes.get_mut(index) {
                (own.mesh, own.skin) = (mesh, skin.filter(|_| mesh.is_some()));
            }
        }
        self.add_rest_weights();
        clip::add(self.scene, &mut self.character, self.progress, &mut self.budget)
    }

    fn add_nodes(&mut self) {
        let mut list = Vec::new();
        for (_, node) in nodes(self.scene) {
            let name = (!node.element.name.is_empty()).then(|| node.element.name.to_string());
            let mut children: Vec<usize> = node.children.into_iter().filter_map(node_index).collect();
            children.sort_unstable();
            list.push(Node {
                name,
                children,
                ..Node::unnamed(node.parent.as_deref().and_then(node_index), transform(&node.local_transform))
            });
        }
        let hidden = nodes(self.scene).filter(|(_, node)| !node.visible).map(|(index, _)| index).collect();
        let skeleton = &mut self.character.skeleton;
        skeleton.hidden = hidden;
        // The parser sorts nodes by their depth.
        skeleton.parents_first = list.iter().enumerate().map(|(index, node)| (index, node.parent)).collect();
        skeleton.nodes = list;
        self.character.scenes = vec![Scene { name: None, roots: skeleton.roots() }];
    }

    fn add_rest_weights(&mut self) {
        let Character { skeleton, meshes, .. } = &mut self.character;
        for node in &mut skeleton.nodes {
            let start = skeleton.rest_weights.len();
            let weights = node.mesh.and_then(|mesh| meshes.get(mesh)).map_or(&[][..], |mesh| &mesh.weights);
            skeleton.rest_weights.extend(weights);
            node.morph_weights = start..skeleton.rest_weights.len();
        }
    }
}

/// Returns all nodes except the root that the parser adds, with their indices in the character.
fn nodes(scene: &ufbx::Scene) -> impl Iterator<Item = (usize, &ufbx::Node)> {
    scene.nodes.into_iter().filter_map(|node| Some((node_index(node)?, node)))
}

/// Returns the index of a node in the character, or `None` for the root that the parser adds.
fn node_index(node: &ufbx::Node) -> Option<usize> {
    (node.element.typed_id as usize).checked_sub(1)
}

/// Describes a node in messages.
fn label(node: &ufbx::Node) -> String {
    format!("node \"{}\"", &*node.element.name)
}

fn transform(local: &ufbx::Transform) -> Transform {
    Transform {
        translation: vector(local.translation),
        rotation: rotation(local.rotation),
        scale: vector(local.scale),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "poses are single precision")]
fn vector(v: ufbx::Vec3) -> Vec3 {
    Vec3::new(v.x as f32, v.y as f32, v.z as f32)
}

fn rotation(q: ufbx::Quat) -> Quat {
    DQuat::from_xyzw(q.x, q.y, q.z, q.w).normalize().as_quat()
}

/// Converts a weight. Values that are not finite become zero.
#[expect(clippy::cast_possible_truncation, reason = "weights are single precision")]
fn weight(weight: f64) -> f32 {
    let weight = weight as f32;
    if weight.is_finite() { weight } else { 0.0 }
}

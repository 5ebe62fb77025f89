//! Finds and reads the mesh files of a robot.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use glam::{Affine3A, DVec3};

use crate::asset::{Character, Material, Primitive, gltf};
use crate::files::{Progress, bounded};

use super::{ObjectError, geometry, stl};

/// Maximum size of all mesh files in bytes.
const MAX_BYTES: u64 = 512 << 20;
/// Number of folders above that of the robot in which a package is searched.
const LEVELS: usize = 5;

/// The mesh files of a robot.
pub(super) struct MeshFiles<'a> {
    folder: PathBuf,
    progress: &'a Progress,
    remaining: u64,
    /// What was read, in its own frame, by the name in the file. Many links share meshes.
    known: HashMap<String, Option<Vec<Primitive>>>,
    /// The files that were found.
    pub(super) paths: Vec<PathBuf>,
}

impl<'a> MeshFiles<'a> {
    pub(super) fn new(path: &Path, progress: &'a Progress) -> Self {
        let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Self {
            folder: folder.into(),
            progress,
            remaining: MAX_BYTES,
            known: HashMap::new(),
            paths: Vec::new(),
        }
    }

    /// Returns the shapes of a mesh file, and adds their materials to the character. Returns `None`, with a warning, for a file
    /// that is missing or has another format, because descriptions of robots often come without their meshes.
    pub(super) fn read(
        &mut self,
        character: &mut Character,
        name: &str,
        scale: DVec3,
        at: &str,
    ) -> Result<Option<Vec<Primitive>>, ObjectError> {
        self.progress.check().map_err(|e| ObjectError::new(at, e.to_string()))?;
        if !self.known.contains_key(name) {
            let read = self.load(character, name);
            if let Err(cause) = &read {
                character.warnings.push(format!("{at}: {cause}, so it is not drawn"));
            }
            self.known.insert(name.into(), read.ok());
        }
        let Some(mut shapes) = self.known.get(name).cloned().flatten() else { return Ok(None) };
        if scale != DVec3::ONE {
            let by = Affine3A::from_scale(scale.as_vec3());
            shapes.iter_mut().for_each(|shape| geometry::transform(shape, by));
        }
        Ok(Some(shapes))
    }

    fn load(&mut self, character: &mut Character, name: &str) -> Result<Vec<Primitive>, String> {
        let path = self.find(name)?;
        let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
        let with_path = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
        let is_gltf = match extension.as_deref() {
            Some("stl") => false,
            Some("glb" | "gltf") => true,
            _ => return Err(with_path(&"the mesh must be .stl, .glb or .gltf")),
        };
        let bytes =
            bounded::read_regular_with(&path, self.remaining, self.progress).map_err(|e| with_path(&e))?;
        self.remaining = self.remaining.saturating_sub(bytes.len() as u64);
        self.paths.push(path.clone());
        if is_gltf {
            let loaded = gltf::load_bytes_with(&path, &bytes, gltf::folder(&path), self.progress);
            return loaded.map(|mesh| merged(character, &mesh)).map_err(|e| e.to_string());
        }
        stl::read(&bytes).map(|shape| vec![shape]).map_err(|e| with_path(&e))
    }

    /// Returns the path of a file in the folder of the robot or in a package (`package://NAME/…`), which is that folder, one
    /// above it, or beside one of them.
    fn find(&self, name: &str) -> Result<PathBuf, String> {
        let missing = || format!("mesh \"{name}\" does not exist");
        let folder = self.folder.canonicalize().map_err(|_| missing())?;
        let levels = || folder.ancestors().take(LEVELS);
        let candidates: Vec<(PathBuf, PathBuf)> = match name.strip_prefix("package://") {
            Some(rest) => {
                let (package, file) = rest.trim_start_matches('/').split_once('/').ok_or_else(missing)?;
                let is_name = |f: &&Path| f.file_name().is_some_and(|name| name == package);
                let above = levels().filter(is_name).map(Path::to_path_buf);
                let beside = levels().map(|f| f.join(package));
                above.chain(beside).map(|package| (package.join(file), package)).collect()
            }
            None if name.contains("://") => return Err(format!("\"{name}\" is not a path in a package")),
            // Meshes are often in a folder beside that of the description.
            None => {
                let package = folder.parent().unwrap_or(&folder).to_path_buf();
                vec![(folder.join(name), package)]
            }
        };
        let inside = candidates.into_iter().find_map(|(file, package)| {
            let (file, package) = (file.canonicalize().ok()?, package.canonicalize().ok()?);
            (file.starts_with(package) && file.is_file()).then_some(file)
        });
        inside.ok_or_else(missing)
    }
}

/// Returns the shapes of a glTF file at rest, and adds its materials, textures and images to the character.
fn merged(character: &mut Character, mesh: &Character) -> Vec<Primitive> {
    let (materials, textures, images) =
        (character.materials.len(), character.textures.len(), character.images.len());
    let skeleton = &mesh.skeleton;
    let mut world = vec![Affine3A::IDENTITY; skeleton.nodes.len()];
    for &(node, parent) in &skeleton.parents_first {
        let above = parent.and_then(|p| world.get(p)).copied().unwrap_or(Affine3A::IDENTITY);
        let Some((at, own)) = world.get_mut(node).zip(skeleton.nodes.get(node)) else { continue };
        *at = above * skeleton.sheared.get(&node).copied().unwrap_or_else(|| own.rest.to_affine());
    }
    let shape = |part: &crate::asset::Part| {
        let mut shape = mesh.primitive(*part).clone();
        (shape.influences, shape.morph_targets) = (Vec::new(), Vec::new());
        shape.material = shape.material.map(|m| m + materials);
        if let Some(world_from_mesh) = world.get(part.node) {
            geometry::transform(&mut shape, *world_from_mesh);
        }
        shape
    };
    let shapes = mesh.parts(mesh.default_scene).iter().map(shape).collect();
    character.images.extend(mesh.images.iter().cloned());
    character.textures.extend(mesh.textures.iter().cloned().map(|mut texture| {
        texture.image = texture.image.map(|image| image + images);
        texture
    }));
    character.materials.extend(mesh.materials.iter().cloned().map(|material| shifted(material, textures)));
    character.warnings.extend(mesh.warnings.iter().map(|w| format!("{}: {w}", mesh.path.display())));
    shapes
}

/// Renumbers the textures of a material.
fn shifted(mut material: Material, textures: usize) -> Material {
    material.texture_refs_mut().for_each(|texture| texture.texture += textures);
    material
}

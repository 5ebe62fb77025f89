//! Finds and reads the mesh files of a robot.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use glam::{Affine3A, DVec3};

use crate::asset::references::{Folder, ReferenceError, References, file_name};
use crate::asset::{Character, Filter, Image, Material, Primitive, Sampler, Texture, TextureRef, gltf};
use crate::files::{Progress, bounded};
use crate::mathematics::accumulate_below;

use super::surface::{MeshFile, Paint};
use super::{ObjectError, collada, geometry, obj, stl};

/// Maximum total size of all mesh files in bytes.
const MAX_BYTES: u64 = 512 << 20;
/// Number of folders above the robot's folder that are searched for a package.
const LEVELS: usize = 8;

/// The mesh files of a robot.
pub(super) struct MeshFiles<'a> {
    folder: PathBuf,
    references: &'a References,
    progress: &'a Progress,
    remaining: u64,
    /// Maps the path of each image that was read to its texture, or to `None` if the image is unreadable.
    textures: HashMap<PathBuf, Option<usize>>,
    /// Maps the name of each mesh in the URDF file to its shapes in their own frames. Many links share meshes.
    known: HashMap<String, Option<Vec<Primitive>>>,
    pub(super) paths: Vec<PathBuf>,
}

impl<'a> MeshFiles<'a> {
    pub(super) fn new(path: &Path, references: &'a References, progress: &'a Progress) -> Self {
        let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Self {
            folder: folder.into(),
            references,
            progress,
            remaining: MAX_BYTES,
            textures: HashMap::new(),
            known: HashMap::new(),
            paths: Vec::new(),
        }
    }

    /// Returns the shapes of a mesh file, and adds their materials to the character. Returns `None`, with a warning, for a file that is
    /// missing or has another format, because robot descriptions often come without their meshes.
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
        let format = extension.as_deref().and_then(Format::of);
        let format = format.ok_or_else(|| with_path(&"the mesh must be .dae, .obj, .stl, .glb or .gltf"))?;
        let bytes = self.read_file(&path)?;
        let text = String::from_utf8_lossy(&bytes);
        match format {
            Format::Stl => stl::read(&bytes).map(|shape| vec![shape]).map_err(|e| with_path(&e)),
            Format::Gltf => {
                let loaded =
                    gltf::load_bytes_with(&path, &bytes, gltf::folder(&path), self.references, self.progress);
                loaded.map(|mesh| merged(character, &mesh)).map_err(|e| e.to_string())
            }
            Format::Collada => {
                let read =
                    super::markup::check(&text).map_err(Into::into).and_then(|()| collada::read(&text));
                Ok(self.painted(character, read.map_err(|e| with_path(&e))?, &path))
            }
            Format::Obj => {
                let mut library =
                    |name: &str| self.beside(&path, name).and_then(|file| self.read_text(&file));
                let read = obj::read(&text, &mut library).map_err(|e| with_path(&e))?;
                Ok(self.painted(character, read, &path))
            }
        }
    }

    /// Reads a file, unless the total size of all files is too large.
    fn read_file(&mut self, path: &Path) -> Result<Vec<u8>, String> {
        let bytes = bounded::read_regular_with(path, self.remaining, self.progress)
            .map_err(|e| format!("{}: {e}", path.display()))?;
        self.remaining = self.remaining.saturating_sub(bytes.len() as u64);
        self.paths.push(path.into());
        Ok(bytes)
    }

    fn read_text(&mut self, path: &Path) -> Result<String, String> {
        self.read_file(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Returns the shapes of a mesh file, and adds its materials to the character.
    fn painted(&mut self, character: &mut Character, read: MeshFile, path: &Path) -> Vec<Primitive> {
        let MeshFile { shapes, materials, warnings } = read;
        character.warnings.extend(warnings.iter().map(|w| format!("{}: {w}", path.display())));
        let first = character.materials.len();
        for Paint { name, color, texture } in materials {
            let texture = texture.and_then(|image| self.texture(character, path, &image));
            let mut material = super::material(&name, Some(color.to_array().map(f64::from)));
            material.base_color_texture = texture.map(|texture| TextureRef {
                texture,
                uv_set: 0,
                uv_transform: glam::Affine2::IDENTITY,
            });
            // Design programs list the corners of triangles in either order.
            material.double_sided = true;
            character.materials.push(material);
        }
        let shape = |(mut shape, material): (Primitive, Option<usize>)| {
            shape.material = material.map(|index| first + index);
            shape
        };
        shapes.into_iter().map(shape).collect()
    }

    /// Returns the texture of an image that a mesh file references. Returns `None`, with a warning, if it cannot be read.
    fn texture(&mut self, character: &mut Character, mesh: &Path, name: &str) -> Option<usize> {
        let path = match self.beside(mesh, name) {
            Ok(path) => path,
            Err(cause) => {
                let line = format!("{}: {cause}, so the colour is plain", mesh.display());
                if !character.warnings.contains(&line) {
                    character.warnings.push(line);
                }
                return None;
            }
        };
        if let Some(known) = self.textures.get(&path) {
            return *known;
        }
        let read = self.read_file(&path);
        let image = read.and_then(|bytes| {
            Image::new(Some(name.into()), bytes.into()).map_err(|e| format!("{}: {e}", path.display()))
        });
        let texture = match image {
            Ok(image) => {
                character.images.push(image);
                let sampler = Sampler { mipmap: Some(Filter::Linear), ..Sampler::default() };
                character.textures.push(Texture { image: Some(character.images.len() - 1), sampler });
                Some(character.textures.len() - 1)
            }
            Err(cause) => {
                character.warnings.push(format!("{cause}, so the colour is plain"));
                None
            }
        };
        self.textures.insert(path, texture);
        texture
    }

    /// Returns the path of a file that a mesh file references. It is in the folder of the mesh, or in a folder beside it.
    fn beside(&self, mesh: &Path, name: &str) -> Result<PathBuf, String> {
        if name.starts_with("package://") {
            return self.find(name);
        }
        let missing = || format!("file \"{name}\" does not exist");
        let plain = name.strip_prefix("file://").unwrap_or(name);
        let plain = percent_encoding::percent_decode_str(plain).decode_utf8_lossy();
        let folder = mesh.parent().and_then(|folder| folder.canonicalize().ok()).ok_or_else(missing)?;
        // Paths from the computer that wrote a file are useless, but the image is often beside the mesh.
        self.in_package(&folder, &plain)
            .or_else(|error| self.in_package(&folder, file_name(&plain)).map_err(|_| error))
            .map_err(
                |error| if let ReferenceError::Outside(_) = error { error.to_string() } else { missing() },
            )
    }

    /// Returns the path of a file in a folder, or in a folder beside it.
    fn in_package(&self, folder: &Path, name: &str) -> Result<PathBuf, ReferenceError> {
        let package = folder.parent().unwrap_or(folder);
        Folder::within(folder, package, self.references.allow_parent).find(name).map(|file| canonical(&file))
    }

    /// Returns the path of a file in the folder of the robot or in a package (`package://NAME/…`). The package folder is specified by the
    /// caller, or it has the package's name and is either an ancestor of the robot's file or a direct child of one.
    fn find(&self, name: &str) -> Result<PathBuf, String> {
        let missing = || format!("mesh \"{name}\" does not exist");
        let folder = self.folder.canonicalize().map_err(|_| missing())?;
        let Some(rest) = name.strip_prefix("package://") else {
            // Meshes are often in a folder beside the folder of the description.
            return self.in_package(&folder, name).map_err(|error| match error {
                ReferenceError::Unreadable { .. } => missing(),
                error => format!("mesh {error}"),
            });
        };
        let (package, file) = rest.trim_start_matches('/').split_once('/').ok_or_else(missing)?;
        let levels = || folder.ancestors().take(LEVELS);
        let given = self.references.packages.get(package).cloned();
        let above =
            levels().filter(|f| f.file_name().is_some_and(|name| name == package)).map(Path::to_path_buf);
        let beside = levels().map(|f| f.join(package));
        let mut errors = Vec::new();
        for package in given.into_iter().chain(above).chain(beside) {
            match Folder::new(&package, self.references.allow_parent).find(file) {
                Ok(file) => return Ok(canonical(&file)),
                Err(error) => errors.push(error),
            }
        }
        Err(match errors.into_iter().find(|error| !matches!(error, ReferenceError::Unreadable { .. })) {
            Some(error) => format!("mesh {error}"),
            None => format!("{}; --package {package}=FOLDER says where its package is", missing()),
        })
    }
}

/// Returns the path of an existing file without links, so that a file with two names is read once.
fn canonical(file: &Path) -> PathBuf {
    file.canonicalize().unwrap_or_else(|_| file.to_path_buf())
}

/// A mesh format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Collada,
    Gltf,
    Obj,
    Stl,
}

impl Format {
    /// Returns the format of a file extension in lower case.
    fn of(extension: &str) -> Option<Self> {
        match extension {
            "dae" => Some(Self::Collada),
            "glb" | "gltf" => Some(Self::Gltf),
            "obj" => Some(Self::Obj),
            "stl" => Some(Self::Stl),
            _ => None,
        }
    }
}

/// Returns the shapes of a glTF file in the rest pose, and adds its materials, textures and images to the character.
fn merged(character: &mut Character, mesh: &Character) -> Vec<Primitive> {
    let (materials, textures, images) =
        (character.materials.len(), character.textures.len(), character.images.len());
    let skeleton = &mesh.skeleton;
    let mut world = vec![Affine3A::IDENTITY; skeleton.nodes.len()];
    let local = |node: usize| {
        let rest = || skeleton.nodes.get(node).map(|own| own.rest.to_affine()).unwrap_or_default();
        skeleton.sheared.get(&node).copied().unwrap_or_else(rest)
    };
    accumulate_below(skeleton.parents_first.iter().copied(), Affine3A::IDENTITY, &mut world, local);
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

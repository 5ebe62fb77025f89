//! Loads glTF 2.0 files, `.gltf` and `.glb`. This is the only module that uses the `gltf` crate.
//!
//! The crate parses the JSON. Its validation and its typed readers are not used. Instead, every index, offset, stride
//! and count is checked here against the available bytes. A broken file is refused with the location of its error.
//! Loading never needs memory out of proportion to the size of the file.

mod accessor;
mod animation;
mod buffer;
mod camera;
mod container;
pub(crate) mod copy;
mod draco;
mod expression;
mod extension;
mod influence;
mod instance;
mod light;
mod material;
mod material_bind;
mod material_layers;
mod material_toon;
mod material_vrm_0;
mod mesh;
mod node;
mod pointer;
mod skin;
mod uri;
mod variant;
mod vrm;

pub(crate) use copy::clips::skeleton_only;
pub use copy::posed_copy;
pub(crate) use copy::posed_copy_of;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;

use gltf::json::Root;

use crate::files::{Progress, bounded};
use crate::text::printable;

use super::error::ObjectError;
use super::references::{Folder, References};
use super::{Character, CorrectedKeys, LoadError};
use buffer::Buffers;
use draco::DecodedAccessors;

/// Reads the bytes of a regular file. Folders, pipes and devices are refused.
///
/// # Errors
/// [`LoadError::Io`] with the error of the operating system.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, LoadError> {
    read_with(path, &Progress::default())
}

/// Reads the bytes of a regular file like [`read`], and reports the progress.
pub(super) fn read_with(path: &Path, progress: &Progress) -> Result<Vec<u8>, LoadError> {
    bounded::read_regular_with(path, uri::MAX_BYTES, progress)
        .map_err(|source| LoadError::Io { path: path.into(), source })
}

/// Returns the folder of a file. The other files to which it refers must be in that folder.
pub(crate) fn folder(path: &Path) -> Option<&Path> {
    path.parent().map(|p| if p.as_os_str().is_empty() { Path::new(".") } else { p })
}

/// Loads a `.gltf` or `.glb` file from memory.
///
/// `path` names the file in messages. `folder` contains the other files to which the file refers. If it is `None`,
/// references to other files are refused.
///
/// ```
/// use std::path::Path;
///
/// use sinew_character::asset::gltf;
///
/// let file = br#"{ "asset": { "version": "2.0" },
///     "nodes": [{ "name": "arm", "children": [1] }, { "name": "hand", "translation": [0, 0.5, 0] }] }"#;
/// let character = gltf::load_bytes(Path::new("arm.gltf"), file, None)?;
/// assert_eq!(character.skeleton.nodes[1].parent, Some(0));
/// assert_eq!(character.skeleton.nodes[1].rest.translation.y, 0.5);
/// # Ok::<(), sinew_character::asset::LoadError>(())
/// ```
///
/// # Errors
/// [`LoadError`]. The message is one line with the file, the object in it and the cause.
pub fn load_bytes(path: &Path, bytes: &[u8], folder: Option<&Path>) -> Result<Character, LoadError> {
    load_bytes_with(path, bytes, folder, &References::default(), &Progress::default())
}

/// Loads a file from memory like [`load_bytes`]. After [`Progress::stop`], loading fails with an unspecified error.
pub(super) fn load_bytes_with(
    path: &Path,
    bytes: &[u8],
    folder: Option<&Path>,
    references: &References,
    progress: &Progress,
) -> Result<Character, LoadError> {
    let folder = folder.map(|folder| Folder::new(folder, references.allow_parent));
    let format = |cause: String| LoadError::Format { path: path.into(), cause: printable::cause(&cause) };
    let container = container::split(bytes).map_err(format)?;
    let mut warnings = Warnings::default();
    let (root, cameras) = container::parse(container.json, progress, &mut warnings).map_err(format)?;
    extension::check(&root, &mut warnings)
        .map_err(|name| LoadError::Extension { path: path.into(), name: printable::cause(&name) })?;
    let object = |error: ObjectError| error.in_file(path);
    progress.expect(uri::sizes(&root, folder));
    let buffers = Buffers::read(&root, container.binary, folder, bytes.len(), progress).map_err(object)?;
    let decoded = draco::decode(&root, &buffers, &mut warnings, progress).map_err(object)?;
    let warnings = RefCell::new(warnings);
    let file = GltfFile {
        root: &root,
        cameras: &cameras,
        buffers,
        decoded,
        folder,
        warnings,
        corrected_keys: RefCell::default(),
        progress,
    };
    file.character(path).map_err(object)
}

/// Warnings for the user, without repetitions, in the order in which they occur.
#[derive(Debug, Default)]
struct Warnings {
    lines: Vec<String>,
    seen: BTreeSet<String>,
}

impl Warnings {
    fn push(&mut self, line: &str) {
        let line = printable::line(line).into_owned();
        if self.seen.insert(line.clone()) {
            self.lines.push(line);
        }
    }
}

/// A parsed file with its buffers, from which a [`Character`] is built.
struct GltfFile<'a> {
    root: &'a Root,
    cameras: &'a [gltf::json::Camera],
    buffers: Buffers<'a>,
    /// The contents of accessors of compressed primitives.
    decoded: DecodedAccessors,
    folder: Option<Folder<'a>>,
    warnings: RefCell<Warnings>,
    corrected_keys: RefCell<Vec<CorrectedKeys>>,
    progress: &'a Progress,
}

impl GltfFile<'_> {
    fn warn(&self, line: impl AsRef<str>) {
        self.warnings.borrow_mut().push(line.as_ref());
    }

    fn character(&self, path: &Path) -> Result<Character, ObjectError> {
        let meshes = self.meshes()?;
        let skins = self.skins()?;
        let mut skeleton = self.skeleton(&meshes)?;
        let materials = self.materials()?;
        let (scenes, default_scene) = self.scenes(&skeleton)?;
        let images = self.images()?;
        let vrm = self.vrm(&skeleton)?;
        let mut values = Vec::new();
        self.pointer_values(&materials, &mut skeleton, &mut values)?;
        let expressions = self.expressions(&mut skeleton, &materials, &mut values)?;
        let mut character = Character {
            path: path.into(),
            files: uri::files(self.root, self.folder),
            references: References::default(),
            units: None,
            generator: self.root.asset.generator.clone(),
            extensions: self.root.extensions_used.clone(),
            clips: self.clips(&skeleton, &values)?,
            materials,
            textures: self.textures(&images)?,
            variants: self.variants(&meshes)?,
            lights: self.lights()?,
            cameras: self.cameras()?,
            images: images.into_iter().flatten().collect(),
            humanoid: vrm.humanoid,
            springs: vrm.springs,
            joints: Default::default(),
            constraints: vrm.constraints,
            face_tracks: vrm.face_tracks,
            look_at: vrm.look_at,
            expressions,
            values,
            skeleton,
            scenes,
            default_scene,
            skins,
            meshes,
            warnings: Vec::new(),
            corrected_keys: Vec::new(),
        };
        self.check_influences(&mut character)?;
        character.corrected_keys = self.corrected_keys.take();
        character.warnings = self.warnings.take().lines;
        Ok(character)
    }
}

/// Returns a short name of an object for messages, such as `3 "Armature"`, or `3` if it has no name.
fn label(name: Option<&String>, index: usize) -> String {
    name.map_or_else(|| index.to_string(), |name| format!("{index} \"{name}\""))
}

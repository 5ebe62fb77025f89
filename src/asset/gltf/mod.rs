//! glTF 2.0, `.gltf` and `.glb`. The only room that names the `gltf` crate.
//!
//! The crate parses the JSON; it does not validate it, and its typed readers are not used: every index, offset,
//! stride and count is checked here against the bytes that are there, so that a broken file is refused with the
//! place of its fault and never costs more memory than its size warrants.

mod accessor;
mod animation;
mod buffer;
mod clips;
mod container;
mod expression;
mod extension;
mod influence;
mod material;
mod mesh;
mod meshopt;
mod node;
mod posed;
mod skin;
mod uri;

pub use clips::bare;
pub use posed::posed_copy;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;

use gltf::json::Root;

use super::{Character, LoadError, vrm};
use crate::{bounded, printable};
use buffer::Buffers;

/// The bytes of a file, but not of a folder, a pipe or a device.
///
/// # Errors
/// [`LoadError::Io`]: what the system says.
pub fn read(path: &Path) -> Result<Vec<u8>, LoadError> {
    bounded::read_regular(path, uri::MAX_BYTES).map_err(|source| LoadError::Io { path: path.into(), source })
}

/// Where the files are that a file names.
pub fn folder(path: &Path) -> Option<&Path> {
    path.parent().map(|p| if p.as_os_str().is_empty() { Path::new(".") } else { p })
}

/// Reads a `.gltf` or `.glb` file that is already in memory.
///
/// `path` is how messages name it. `folder` is where the files that it names may be; `None` refuses them all.
///
/// # Errors
/// [`LoadError`], one line: the file, the object and its index, and the cause.
pub fn load_bytes(path: &Path, bytes: &[u8], folder: Option<&Path>) -> Result<Character, LoadError> {
    let format = |cause: String| LoadError::Format { path: path.into(), cause: printable::cause(&cause) };
    let parts = container::split(bytes).map_err(format)?;
    let root = container::parse(parts.json).map_err(format)?;
    let mut warnings = Warnings::default();
    extension::check(&root, &mut warnings)
        .map_err(|name| LoadError::Extension { path: path.into(), name: printable::cause(&name) })?;
    let object = |fault: Fault| LoadError::Object { path: path.into(), at: fault.at, cause: fault.cause };
    let buffers = Buffers::read(&root, parts.binary, folder, bytes.len()).map_err(object)?;
    let source = Source { root: &root, buffers, folder, warnings: RefCell::new(warnings) };
    source.character(path).map_err(object)
}

/// What is wrong in a file, and where: a path in the JSON such as `skins[0].joints[3]`.
#[derive(Debug)]
struct Fault {
    at: String,
    cause: String,
}

impl Fault {
    fn new(at: impl Into<String>, cause: impl Into<String>) -> Self {
        Self { at: at.into(), cause: printable::cause(&cause.into()) }
    }

    /// An index that points at nothing.
    fn missing(at: impl Into<String>, kind: &str, index: usize, count: usize) -> Self {
        Self::new(at, format!("{kind} {index} does not exist (the file has {count})"))
    }
}

/// Lines for the user, each once, in the order in which they came up.
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

/// A parsed file with its bytes, while a [`Character`] is made from it.
struct Source<'a> {
    root: &'a Root,
    buffers: Buffers<'a>,
    folder: Option<&'a Path>,
    warnings: RefCell<Warnings>,
}

impl Source<'_> {
    fn warn(&self, line: impl AsRef<str>) {
        self.warnings.borrow_mut().push(line.as_ref());
    }

    fn character(&self, path: &Path) -> Result<Character, Fault> {
        let meshes = self.meshes()?;
        let skins = self.skins()?;
        let skeleton = self.skeleton(&meshes)?;
        let (scenes, default_scene) = self.scenes(&skeleton)?;
        let images = self.images();
        let mut character = Character {
            path: path.into(),
            files: uri::files(self.root, self.folder),
            units: None,
            generator: self.root.asset.generator.clone(),
            extensions: self.root.extensions_used.clone(),
            clips: self.clips(&skeleton)?,
            materials: self.materials()?,
            textures: self.textures(&images)?,
            images: images.into_iter().flatten().collect(),
            humanoid: self
                .root
                .extensions
                .as_ref()
                .and_then(|e| vrm::humanoid(&e.others, skeleton.nodes.len())),
            expressions: self.expressions(&skeleton)?,
            skeleton,
            scenes,
            default_scene,
            skins,
            meshes,
            warnings: Vec::new(),
        };
        self.check_influences(&mut character)?;
        character.warnings = self.warnings.take().lines;
        Ok(character)
    }
}

/// A short name for an object in messages to people: `"Armature"` or `3`.
fn label(name: Option<&String>, index: usize) -> String {
    name.map_or_else(|| index.to_string(), |name| format!("{index} \"{name}\""))
}

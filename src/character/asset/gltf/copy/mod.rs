//! Exports a copy of a file as a single GLB, with other local transforms or other clips.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::asset::references::Folder;
use crate::asset::{Character, Clip, LoadError, Skeleton, Transform};
use crate::files::Progress;
use crate::text::printable;

use super::{container, uri};

pub(crate) mod clips;
mod end_key;
mod unused;

/// Alignment of buffer views in the joined buffer, in bytes: twice the size of the largest component type.
const ALIGNMENT: usize = 8;
/// Extensions of buffer views that refer to compressed data.
const COMPRESSIONS: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

/// Returns a copy of a file as a GLB that needs no other file. The given pose becomes its rest pose.
///
/// `path`, `bytes` and `folder` are the same as for [`super::load_bytes`], and `skeleton` was loaded from them.
/// `locals` and `weights` are the pose, laid out as in the skeleton. Nodes in their rest pose do not change. `clips` replace the file's own
/// clips, because viewers would otherwise play those clips and hide the pose. Data that the loader does not know is preserved.
///
/// ```
/// use std::path::Path;
///
/// use sinew_character::asset::{MANNEQUIN, gltf};
/// use sinew_character::glam::Vec3;
/// use sinew_character::pose::Pose;
///
/// let path = Path::new("mannequin.glb");
/// let character = gltf::load_bytes(path, MANNEQUIN, None)?;
/// let skeleton = &character.skeleton;
/// let hips = skeleton.find("hips").ok_or("no hips")?;
/// let mut pose = Pose::rest(skeleton);
/// pose.locals[hips].translation -= Vec3::Y * 0.1;
/// let glb = gltf::posed_copy(path, MANNEQUIN, None, skeleton, &pose.locals, &pose.weights, &[])?;
/// let copy = gltf::load_bytes(path, &glb, None)?;
/// assert_eq!(copy.skeleton.nodes[hips].rest.translation, pose.locals[hips].translation);
/// assert!(copy.clips.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`LoadError::NotFinite`] if a number of the pose or of a clip is not finite. [`LoadError::Format`] if the file is
/// not valid or if the copy exceeds the 4 GB of a GLB.
pub fn posed_copy(
    path: &Path,
    bytes: &[u8],
    folder: Option<&Path>,
    skeleton: &Skeleton,
    locals: &[Transform],
    weights: &[f32],
    clips: &[Clip],
) -> Result<Vec<u8>, LoadError> {
    let folder = folder.map(|folder| Folder::new(folder, false));
    copy(path, bytes, folder, skeleton, locals, weights, clips)
}

/// Returns a copy of a character's file like [`posed_copy`], using the files that the character was allowed to read.
pub(crate) fn posed_copy_of(
    character: &Character,
    bytes: &[u8],
    folder: Option<&Path>,
    locals: &[Transform],
    weights: &[f32],
    clips: &[Clip],
) -> Result<Vec<u8>, LoadError> {
    let folder = folder.map(|folder| Folder::new(folder, character.references.allow_parent));
    copy(&character.path, bytes, folder, &character.skeleton, locals, weights, clips)
}

fn copy(
    path: &Path,
    bytes: &[u8],
    folder: Option<Folder<'_>>,
    skeleton: &Skeleton,
    locals: &[Transform],
    weights: &[f32],
    clips: &[Clip],
) -> Result<Vec<u8>, LoadError> {
    let not_finite = |source| LoadError::NotFinite { path: path.into(), source };
    skeleton.check_pose(locals, weights).map_err(not_finite)?;
    clips.iter().try_for_each(|clip| clip.check(skeleton)).map_err(not_finite)?;
    let format = |cause: String| LoadError::Format { path: path.into(), cause: printable::cause(&cause) };
    let container = container::split(bytes).map_err(format)?;
    let mut root: Value = serde_json::from_slice(container.json).map_err(|e| format(e.to_string()))?;
    if !has_nodes_of(&root, skeleton) {
        return Err(format("the file has other nodes than the character".to_owned()));
    }
    pose_nodes(&mut root, skeleton, locals, weights);
    let mut binary = gather_buffers(&mut root, container.binary, folder);
    unused::remove_animations(&mut root, &mut binary);
    embed_images(&mut root, &mut binary, folder);
    clips::add(&mut root, &mut binary, skeleton, clips);
    if !binary.is_empty()
        && let Some(first) = root.pointer_mut("/buffers/0").and_then(Value::as_object_mut)
    {
        first.insert("byteLength".into(), binary.len().into());
    }
    container::join(&root, &binary).map_err(format)
}

/// Returns whether a file and a skeleton have the same number of nodes with the same names.
fn has_nodes_of(root: &Value, skeleton: &Skeleton) -> bool {
    let nodes = root.get("nodes").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let own = skeleton.nodes.iter().enumerate().filter(|(index, _)| !skeleton.instances.contains(index));
    let own: Vec<_> = own.map(|(_, node)| node.name.as_deref()).collect();
    nodes.len() == own.len()
        && nodes.iter().zip(own).all(|(node, own)| node.get("name").and_then(Value::as_str) == own)
}

pub(super) fn list<'a>(root: &'a mut Value, name: &str) -> &'a mut [Value] {
    root.get_mut(name).and_then(Value::as_array_mut).map_or(&mut [], Vec::as_mut_slice)
}

/// Reads an index or offset, which may be written as a whole float such as `1.0`.
fn unsigned(value: Option<&Value>) -> Option<usize> {
    let number = value?.as_f64().filter(|x| x.fract() == 0.0 && (0.0..9.0e15).contains(x))?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be whole and small"
    )]
    Some(number as usize)
}

fn pose_nodes(root: &mut Value, skeleton: &Skeleton, locals: &[Transform], weights: &[f32]) {
    for ((json, node), local) in list(root, "nodes").iter_mut().zip(&skeleton.nodes).zip(locals) {
        let Some(json) = json.as_object_mut() else { continue };
        if *local != node.rest {
            json.remove("matrix");
            json.insert("translation".into(), json!(local.translation.to_array()));
            json.insert("rotation".into(), json!(local.rotation.to_array()));
            json.insert("scale".into(), json!(local.scale.to_array()));
        }
        let range = node.morph_weights.clone();
        let (posed, rest) = (weights.get(range.clone()), skeleton.rest_weights.get(range));
        if let Some(posed) = posed.filter(|w| Some(*w) != rest) {
            json.insert("weights".into(), json!(posed));
        }
    }
}

/// Joins the bytes of all buffers into one, which becomes buffer 0. Buffers without bytes, such as the fallback buffers
/// of compressed views, come after buffer 0.
fn gather_buffers(root: &mut Value, chunk: Option<&[u8]>, folder: Option<Folder<'_>>) -> Vec<u8> {
    let mut binary = Vec::new();
    let mut buffers = vec![json!({ "byteLength": 0 })];
    // For each old buffer, the index of the new buffer that contains its bytes, and the offset of these bytes in the
    // new buffer.
    let mut locations = Vec::new();
    for (index, buffer) in list(root, "buffers").iter().enumerate() {
        let bytes = match (buffer.get("uri").and_then(Value::as_str), chunk) {
            (Some(uri), _) => uri::read(uri, folder, &Progress::default()).ok(),
            (None, Some(chunk)) if index == 0 => Some(chunk.to_vec()),
            (None, _) => None,
        };
        match bytes {
            Some(bytes) => locations.push((0, append(&mut binary, &bytes))),
            None => {
                locations.push((buffers.len(), 0));
                buffers.push(buffer.clone());
            }
        }
    }
    let relocate = |view: &mut Map<String, Value>| {
        let Some(&(buffer, start)) = unsigned(view.get("buffer")).and_then(|b| locations.get(b)) else {
            return;
        };
        let offset = unsigned(view.get("byteOffset")).unwrap_or(0);
        view.insert("buffer".into(), buffer.into());
        view.insert("byteOffset".into(), (start + offset).into());
    };
    for view in list(root, "bufferViews").iter_mut().filter_map(Value::as_object_mut) {
        relocate(view);
        for name in COMPRESSIONS {
            if let Some(compressed) =
                view.get_mut("extensions").and_then(|e| e.get_mut(name)?.as_object_mut())
            {
                relocate(compressed);
            }
        }
    }
    if !binary.is_empty()
        && let Some(root) = root.as_object_mut()
    {
        root.insert("buffers".into(), buffers.into());
    }
    binary
}

/// Embeds images from other files or data URIs into the buffer. An unreadable image keeps its URI.
fn embed_images(root: &mut Value, binary: &mut Vec<u8>, folder: Option<Folder<'_>>) {
    let had_buffer = !binary.is_empty();
    let mut views = list(root, "bufferViews").len();
    let mut added = Vec::new();
    for image in list(root, "images").iter_mut().filter_map(Value::as_object_mut) {
        let bytes = image
            .get("uri")
            .and_then(Value::as_str)
            .and_then(|uri| uri::read(uri, folder, &Progress::default()).ok());
        let Some(bytes) = bytes else { continue };
        let mime = match &*bytes {
            [0x89, b'P', b'N', b'G', ..] => "image/png",
            [b'R', b'I', b'F', b'F', ..] => "image/webp",
            [0xab, b'K', b'T', b'X', ..] => "image/ktx2",
            _ => "image/jpeg",
        };
        image.remove("uri");
        image.entry("mimeType").or_insert_with(|| mime.into());
        image.insert("bufferView".into(), views.into());
        let start = append(binary, &bytes);
        added.push(json!({ "buffer": 0, "byteOffset": start, "byteLength": bytes.len() }));
        views += 1;
    }
    add_views(root, added, had_buffer);
}

/// Adds views of buffer 0, and adds buffer 0 if there was none.
pub(super) fn add_views(root: &mut Value, mut added: Vec<Value>, had_buffer: bool) {
    let Some(root) = root.as_object_mut().filter(|_| !added.is_empty()) else { return };
    let views = root.entry("bufferViews").or_insert_with(|| json!([]));
    if let Some(views) = views.as_array_mut() {
        views.append(&mut added);
    }
    if !had_buffer {
        root.insert("buffers".into(), json!([{ "byteLength": 0 }]));
    }
}

/// Appends bytes at the next aligned offset and returns that offset.
pub(super) fn append(binary: &mut Vec<u8>, bytes: &[u8]) -> usize {
    binary.resize(binary.len().next_multiple_of(ALIGNMENT), 0);
    let start = binary.len();
    binary.extend_from_slice(bytes);
    start
}

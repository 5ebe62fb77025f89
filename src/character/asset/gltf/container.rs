//! Splits and joins the container of a file: GLB chunks or plain JSON.

use std::io::BufReader;

use gltf::json::{Camera, Root};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::asset::stoppable::StoppableBytes;
use crate::files::{Progress, Stopped};
use crate::text::json;
use crate::text::json::not_finite;

use super::{Warnings, pointer};

/// The contents of a container.
pub(super) struct Container<'a> {
    pub(super) json: &'a [u8],
    /// Contents of the GLB's BIN chunk.
    pub(super) binary: Option<&'a [u8]>,
}

/// Size in bytes above which parsing JSON can be stopped.
const LARGE_JSON: usize = 4 << 20;
const JSON_CHUNK: u32 = 0x4E4F_534A;
const BIN_CHUNK: u32 = 0x004E_4942;

/// Detects whether a file is GLB or JSON and returns its contents.
pub(super) fn split(bytes: &[u8]) -> Result<Container<'_>, String> {
    if bytes.starts_with(b"glTF") {
        return split_glb(bytes);
    }
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    match text.iter().find(|b| !b.is_ascii_whitespace()) {
        Some(b'{') => Ok(Container { json: text, binary: None }),
        Some(_) => Err("not a glTF 2.0 file, neither JSON nor GLB".into()),
        None => Err("the file is empty".into()),
    }
}

/// Splits a GLB as specified in glTF 2.0, section 4. A GLB consists of a header of three words and of chunks, each with a length, a type
/// and data. The first chunk is JSON and the second may be BIN. Chunks of other types are skipped.
fn split_glb(bytes: &[u8]) -> Result<Container<'_>, String> {
    let word =
        |at: usize| -> Option<u32> { Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?)) };
    let (Some(version), Some(length)) = (word(4), word(8)) else {
        return Err(format!("GLB header: truncated after {} of 12 bytes", bytes.len()));
    };
    if version != 2 {
        return Err(format!("GLB header: version {version} is not supported (only 2)"));
    }
    let length = length as usize;
    if length > bytes.len() {
        return Err(format!("GLB header: the file is truncated after {} of {length} bytes", bytes.len()));
    }
    let (mut json, mut binary, mut at) = (None, None, 12);
    while at < length {
        let (Some(size), Some(kind)) = (word(at), word(at + 4)) else {
            return Err(format!("GLB chunk at byte {at}: its header is truncated"));
        };
        let start = at + 8;
        let data = start
            .checked_add(size as usize)
            .filter(|&end| end <= length)
            .and_then(|end| bytes.get(start..end));
        let Some(data) = data else {
            return Err(format!("GLB chunk at byte {at}: its {size} bytes exceed the file"));
        };
        match kind {
            JSON_CHUNK if json.is_none() => json = Some(data),
            _ if json.is_none() => return Err("GLB: the first chunk is not JSON".into()),
            BIN_CHUNK if binary.is_none() => binary = Some(data),
            _ => {}
        }
        at = start + data.len();
    }
    let json = json.ok_or("GLB: the JSON chunk is missing")?;
    Ok(Container { json, binary })
}

/// Joins a document and the bytes of its first buffer into a GLB.
pub(super) fn join(root: &Value, binary: &[u8]) -> Result<Vec<u8>, String> {
    let json = json::to_vec(root).map_err(|e| e.to_string())?;
    let mut glb = Vec::with_capacity(json.len() + binary.len() + 36);
    glb.extend_from_slice(b"glTF");
    glb.extend_from_slice(&2_u32.to_le_bytes());
    glb.extend_from_slice(&[0; 4]);
    let mut chunk = |kind: u32, data: &[u8], padding: u8| {
        let size = u32::try_from(data.len().next_multiple_of(4))
            .map_err(|_| "the data exceeds the 4 GB of a GLB".to_owned())?;
        glb.extend_from_slice(&size.to_le_bytes());
        glb.extend_from_slice(&kind.to_le_bytes());
        glb.extend_from_slice(data);
        glb.resize(glb.len().next_multiple_of(4), padding);
        Ok::<(), String>(())
    };
    chunk(JSON_CHUNK, &json, b' ')?;
    if !binary.is_empty() {
        chunk(BIN_CHUNK, binary, 0)?;
    }
    let length = u32::try_from(glb.len()).map_err(|_| "the data exceeds the 4 GB of a GLB".to_owned())?;
    if let Some(field) = glb.get_mut(8..12) {
        field.copy_from_slice(&length.to_le_bytes());
    }
    Ok(glb)
}

/// Refuses JSON, such as a long list of `{}`, whose parsed form would need far more memory than its text. The memory
/// is estimated from the number of objects and commas.
fn check_proportion(json: &[u8]) -> Result<(), String> {
    const OBJECT: u64 = 512;
    const ITEM: u64 = 64;
    const BASE: u64 = 48 << 20;
    let (mut objects, mut items) = (0_u64, 0_u64);
    for byte in json {
        objects += u64::from(*byte == b'{');
        items += u64::from(*byte == b',');
    }
    let (size, allowed) = (objects * OBJECT + items * ITEM, 16 * json.len() as u64 + BASE);
    if size <= allowed {
        return Ok(());
    }
    Err(format!("JSON: {objects} objects and {items} commas are too many for {} bytes", json.len()))
}

/// Parses the JSON and returns the cameras separately. Checks that no number outside the cameras is infinite. Optional fields that the
/// crate requires are filled in.
pub(super) fn parse(
    json: &[u8],
    progress: &Progress,
    warnings: &mut Warnings,
) -> Result<(Root, Vec<Camera>), String> {
    check_proportion(json)?;
    let mut root: Root = match deserialize(json, progress) {
        Ok(root) => root,
        Err(_) if progress.is_stopped() => return Err(Stopped.to_string()),
        Err(first) => {
            let mut value: Value = deserialize(json, progress).map_err(|_| format!("JSON: {first}"))?;
            for warning in add_optional_fields(&mut value) {
                warnings.push(&warning);
            }
            // Extras contain the names of morph targets, so they are removed only if the file cannot be read with them.
            Root::deserialize(&value).or_else(|_| {
                relax_values(&mut value);
                Root::deserialize(&value).map_err(|_| format!("JSON: {first}"))
            })?
        }
    };
    // Some cameras have an infinite far plane.
    let cameras = std::mem::take(&mut root.cameras);
    // Numbers that exceed single precision were read as infinite.
    if let Some(at) = not_finite(&root) {
        return Err(format!("{at}: value is too large"));
    }
    let version = &root.asset.version;
    match version.split('.').next() {
        Some("2") => Ok((root, cameras)),
        _ => Err(format!("asset.version: glTF {version:?} is not supported (only 2.x)")),
    }
}

/// Parses JSON. Large JSON takes a long time, so it is parsed by a slower method that can be stopped.
fn deserialize<T: DeserializeOwned>(json: &[u8], progress: &Progress) -> serde_json::Result<T> {
    if json.len() <= LARGE_JSON {
        return serde_json::from_slice(json);
    }
    serde_json::from_reader(BufReader::new(StoppableBytes::new(json, progress)))
}

/// Changes the parts that the crate refuses although glTF 2.0 allows them: scenes without `nodes`, and channels without a
/// target node. Returns a warning for each channel that is ignored because of its pointer.
fn add_optional_fields(root: &mut Value) -> Vec<String> {
    let objects =
        |value: &'_ mut Value| -> Vec<Value> { value.as_array_mut().map(std::mem::take).unwrap_or_default() };
    if let Some(scenes) = root.get_mut("scenes").and_then(Value::as_array_mut) {
        for scene in scenes.iter_mut().filter_map(Value::as_object_mut) {
            scene.entry("nodes").or_insert_with(|| Value::Array(Vec::new()));
        }
    }
    let mut warnings = Vec::new();
    let animations = root.get_mut("animations").and_then(Value::as_array_mut);
    for (a, animation) in animations.into_iter().flatten().enumerate() {
        if let Some(animation) = animation.as_object_mut() {
            pointer::set_aside(animation);
        }
        let Some(channels) = animation.get_mut("channels") else { continue };
        let mut all = objects(channels);
        for target in all.iter_mut().filter_map(|c| c.get_mut("target")) {
            if let Err(pointer) = resolve_pointer(target) {
                warnings.push(format!("animations[{a}]: \"{pointer}\" is not animated"));
            }
        }
        let has_node = |c: &Value| c.pointer("/target/node").is_some();
        *channels = all.into_iter().filter(has_node).collect();
    }
    warnings
}

/// Resolves the `KHR_animation_pointer` of a channel's target to a node and a path.
///
/// # Errors
/// The pointer, if a node and a path cannot express it.
fn resolve_pointer(target: &mut Value) -> Result<(), String> {
    let pointer = target.pointer("/extensions/KHR_animation_pointer/pointer").and_then(Value::as_str);
    let Some(pointer) = pointer.filter(|_| target.get("node").is_none()) else { return Ok(()) };
    let (node, path) = pointer
        .strip_prefix("/nodes/")
        .and_then(|rest| rest.split_once('/'))
        .filter(|(_, path)| ["translation", "rotation", "scale", "weights"].contains(path))
        .and_then(|(node, path)| Some((node.parse::<u32>().ok()?, path.to_owned())))
        .ok_or_else(|| pointer.to_owned())?;
    target["node"] = node.into();
    target["path"] = path.into();
    Ok(())
}

/// Removes `extras` and converts whole floats to integers in the entire document. The parser already limits its depth.
fn relax_values(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.remove("extras");
            object.values_mut().for_each(relax_values);
        }
        Value::Array(array) => array.iter_mut().for_each(relax_values),
        Value::Number(number) => {
            let integer = number.as_f64().filter(|x| x.fract() == 0.0 && (0.0..9.0e15).contains(x));
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "checked to be whole and small"
            )]
            if let Some(integer) = integer {
                *value = (integer as u64).into();
            }
        }
        _ => {}
    }
}

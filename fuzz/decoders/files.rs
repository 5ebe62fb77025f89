//! glTF files as inputs: changes to their extensions and encoded data, and seeds from the external test data.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sinew::asset::{Character, gltf};
use sinew::puppet::Puppet;

use crate::character::check_finite;
use crate::mutate;
use crate::random::Random;
use crate::seeds::{glb, parts};

/// Larger external files are not used, because each of their mutations takes milliseconds.
const MAX_SEED: u64 = 128 << 10;

/// Returns an external file as a seed, or nothing if it is missing or large. The buffers of `.gltf` files are embedded.
/// `path` is relative to `SINEW_TEST_DATA`.
pub(super) fn external(path: &str) -> Option<Vec<u8>> {
    let path = Path::new(&std::env::var_os("SINEW_TEST_DATA")?).join(path);
    if path.metadata().ok()?.len() > MAX_SEED {
        return None;
    }
    let bytes = std::fs::read(&path).ok()?;
    if path.extension().is_none_or(|extension| extension != "gltf") {
        return Some(bytes);
    }
    let mut root: Value = serde_json::from_slice(&bytes).ok()?;
    for buffer in root["buffers"].as_array_mut().into_iter().flatten() {
        let name = buffer["uri"].as_str().filter(|uri| !uri.starts_with("data:")).map(str::to_owned);
        if let Some(name) = name {
            let data = STANDARD.encode(std::fs::read(path.with_file_name(name)).ok()?);
            buffer["uri"] = format!("data:application/octet-stream;base64,{data}").into();
        }
    }
    serde_json::to_vec(&root).ok()
}

/// Splits an input into its JSON and its binary chunk, if it has one.
fn split(input: &[u8]) -> Option<(Value, Option<Vec<u8>>)> {
    if input.starts_with(b"glTF") {
        return parts(input).map(|(root, binary)| (root, Some(binary)));
    }
    Some((serde_json::from_slice(input).ok()?, None))
}

fn join(mut root: Value, binary: Option<Vec<u8>>) -> Vec<u8> {
    match binary {
        Some(binary) => glb(&mut root, &binary),
        None => serde_json::to_vec(&root).unwrap_or_default(),
    }
}

/// Mostly changes the binary chunk, but sometimes the JSON of extensions.
pub(super) fn data(input: &[u8], random: &mut Random) -> Vec<u8> {
    match split(input) {
        Some((root, Some(mut binary))) if !random.once_in(4) => {
            binary = super::bytes(&binary, random);
            glb(&mut resized(root, binary.len()), &binary)
        }
        _ => extensions(input, random),
    }
}

/// Changes the JSON of extensions or, one time in eight, any bytes of the file.
pub(super) fn extensions(input: &[u8], random: &mut Random) -> Vec<u8> {
    if random.once_in(8) {
        return super::bytes(input, random);
    }
    let Some((mut root, binary)) = split(input) else { return super::bytes(input, random) };
    let mut pointers = Vec::new();
    collect(&root, "", &mut pointers);
    let pointer = pointers.get(random.below(pointers.len())).filter(|_| !random.once_in(4)).cloned();
    match pointer.and_then(|pointer| root.pointer_mut(&pointer)) {
        Some(extensions) => mutate::json(extensions, random),
        None => mutate::json(&mut root, random),
    }
    join(root, binary)
}

/// Shortens the binary chunk of a GLB and any views that would extend past its end, so that decoders read the rest. Other files lose their
/// last bytes.
pub(super) fn truncate(input: &[u8], length: usize) -> Vec<u8> {
    match split(input) {
        Some((root, Some(mut binary))) if length < binary.len() => {
            binary.truncate(length);
            glb(&mut resized(root, length), &binary)
        }
        _ => super::prefix(input, length),
    }
}

/// Returns the JSON for a binary chunk of a different length.
fn resized(mut root: Value, length: usize) -> Value {
    if let Some(buffer) = root.pointer_mut("/buffers/0").and_then(Value::as_object_mut) {
        buffer.insert("byteLength".into(), length.into());
    }
    for view in root["bufferViews"].as_array_mut().into_iter().flatten() {
        shorten(view, length);
        view["extensions"]
            .as_object_mut()
            .into_iter()
            .flat_map(|e| e.values_mut())
            .for_each(|e| shorten(e, length));
    }
    root
}

/// Shortens a view of buffer 0 to the bytes that remain in the buffer.
fn shorten(view: &mut Value, length: usize) {
    if view["buffer"] != 0 {
        return;
    }
    let number = |key: &str| view[key].as_u64().and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
    let left = length.saturating_sub(number("byteOffset"));
    if number("byteLength") > left {
        view["byteLength"] = left.into();
    }
}

/// Collects the JSON pointers of all objects with the name `extensions`.
fn collect(value: &Value, at: &str, out: &mut Vec<String>) {
    let mut visit = |key: &str, value: &Value| {
        let pointer = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
        if key == "extensions" {
            out.push(pointer.clone());
        }
        collect(value, &pointer, out);
    };
    match value {
        Value::Array(list) => list.iter().enumerate().for_each(|(i, v)| visit(&i.to_string(), v)),
        Value::Object(map) => map.iter().for_each(|(key, value)| visit(key, value)),
        _ => {}
    }
}

/// Loads a file without the files to which it refers.
pub(super) fn load(bytes: &[u8]) -> Option<Character> {
    gltf::load_bytes(Path::new("input.glb"), bytes, None).ok()
}

/// Loads a file, and nothing else.
pub(super) fn decode(bytes: &[u8]) -> Result<bool, String> {
    Ok(load(bytes).is_some())
}

/// Moves the springs, constraints and eyes of a character.
pub(super) fn simulate(character: Character) -> Result<(), String> {
    let mut values = vec![0.7; character.expressions.len()];
    sinew::asset::apply_overrides(&character.expressions, &mut values);
    if !values.iter().all(|value| value.is_finite()) {
        return Err(format!("expression not finite: {values:?}"));
    }
    let mut puppet = Puppet::new(character, 0);
    puppet.set_springs(true);
    puppet.look_at = Some(glam::DVec3::new(0.4, 1.0, 2.0));
    for _ in 0..2 {
        if puppet.update().is_err() || puppet.settle(0.05).is_err() {
            return Ok(());
        }
        check_finite(puppet.pose(), "with springs")?;
    }
    Ok(())
}

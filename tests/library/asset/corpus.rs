//! Broken files cause a one-line error, but never a panic, a hang or excessive memory use.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use peak_alloc::PeakAlloc;
use serde_json::{Value, json};
use sinew::asset::gltf;
use sinew::motion::Playhead;
use sinew::pose::{Pose, world_matrices};
use sinew::skin::{Palette, Skinned, Skinning, skin};

use sinew_base::Random;
use sinew_testkit::{Builder, built_in_gltf_files, external, gltf_files, gltf_files_and};
use sinew_testkit::{folder, image};

#[global_allocator]
pub(super) static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Maximum time for any file.
const MAX_TIME: Duration = Duration::from_secs(2);

/// Loads a file, then poses and skins the character at rest and in the middle of each clip.
fn use_file(bytes: &[u8], folder: Option<&Path>) -> Result<(), String> {
    let character = gltf::load_bytes(Path::new("file"), bytes, folder).map_err(|e| e.to_string())?;
    let parts = character.parts(character.default_scene);
    let mut palette = Palette::new(&character, &parts);
    let (mut pose, mut world, mut skinned) =
        (Pose::rest(&character.skeleton), Vec::new(), Skinned::default());
    for clip in std::iter::once(None).chain(character.clips.iter().map(Some)) {
        if let Some(clip) = clip {
            Playhead::default().sample(clip, clip.seconds / 2.0, &character.skeleton, &mut pose);
        }
        world_matrices(&character.skeleton, &pose, &mut world);
        palette.update(&character, &world, Skinning::Linear);
        for (i, part) in parts.iter().enumerate() {
            let weights = &pose.weights[character.skeleton.nodes[part.node].morph_weights.clone()];
            skin(character.primitive(*part), palette.matrices(i).unwrap(), weights, &mut skinned);
        }
    }
    Ok(())
}

/// Returns true if a file is read and false if it is rejected. Fails if loading panics or takes too long, or if the error is not
/// a single line.
fn check_read_or_refused(label: &str, bytes: &[u8], folder: Option<&Path>) -> bool {
    let start = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| use_file(bytes, folder)));
    let took = start.elapsed();
    let result = outcome.unwrap_or_else(|_| panic!("{label}: panicked"));
    assert!(took < MAX_TIME, "{label}: took {took:?}");
    if let Err(message) = &result {
        assert!(message.starts_with("file: ") && !message.contains('\n'), "{label}: {message}");
    }
    result.is_ok()
}

/// Values of the wrong type or size.
fn wrong_values() -> [Value; 10] {
    [
        Value::Null,
        json!(true),
        json!(-1),
        json!(0),
        json!(1),
        json!(0.5),
        json!(4_000_000_000_u32),
        json!("text"),
        json!([]),
        json!({}),
    ]
}

/// Returns variants of `bar.gltf`, a file with embedded buffers. In each variant, one value of the JSON is removed or
/// replaced by one of the given values.
fn changed_documents(replacements: &[Value]) -> Vec<(String, Vec<u8>)> {
    let bytes = std::fs::read(built_in_gltf_files().last().unwrap()).unwrap();
    let document: Value = serde_json::from_slice(&bytes).unwrap();
    let mut documents = Vec::new();
    for pointer in pointers(&document) {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        let mut removed = document.clone();
        match removed.pointer_mut(parent).unwrap() {
            Value::Object(object) => drop(object.remove(key)),
            Value::Array(array) => drop(array.remove(key.parse().unwrap())),
            other => panic!("{pointer} is in {other}"),
        }
        documents.push((format!("bar.gltf without {pointer}"), removed.to_string().into_bytes()));
        for value in replacements {
            let mut changed = document.clone();
            *changed.pointer_mut(&pointer).unwrap() = value.clone();
            documents.push((format!("bar.gltf with {pointer} = {value}"), changed.to_string().into_bytes()));
        }
    }
    documents
}

/// Returns the JSON pointers of all values in a document, except the document itself.
fn pointers(document: &Value) -> Vec<String> {
    let (mut found, mut open) = (Vec::new(), vec![(String::new(), document)]);
    while let Some((pointer, value)) = open.pop() {
        match value {
            Value::Object(object) => open.extend(object.iter().map(|(k, v)| (format!("{pointer}/{k}"), v))),
            Value::Array(array) => {
                open.extend(array.iter().enumerate().map(|(i, v)| (format!("{pointer}/{i}"), v)));
            }
            _ => {}
        }
        found.push(pointer);
    }
    found.retain(|pointer| !pointer.is_empty());
    found
}

#[test]
fn documents_with_a_wrong_value_are_read_or_refused() {
    let documents = changed_documents(&wrong_values());
    let read = documents.iter().filter(|(label, bytes)| check_read_or_refused(label, bytes, None)).count();
    // Names and colours may have any value, but indices, counts and types may not.
    let refused = documents.len() - read;
    assert!(read > documents.len() / 10 && refused > documents.len() / 2, "{read} read, {refused} refused");
}

#[test]
fn files_of_the_khronos_validator_are_read_or_refused() {
    for path in built_in_gltf_files() {
        assert!(check_read_or_refused(
            &path.display().to_string(),
            &std::fs::read(&path).unwrap(),
            path.parent()
        ));
    }
    let Some(folder) = external("models/khronos-validator/base") else { return };
    let files = gltf_files(&folder);
    assert!(files.len() > 200, "{} files", files.len());
    for path in files {
        let bytes = std::fs::read(&path).unwrap();
        check_read_or_refused(&path.display().to_string(), &bytes, path.parent());
    }
}

#[test]
fn truncated_models_are_refused() {
    for path in gltf_files_and("models").iter().filter(|p| p.extension().is_some_and(|e| e == "glb")) {
        let bytes = std::fs::read(path).unwrap();
        // The header of a GLB file contains its length. Bytes of the file beyond that length may be missing.
        let length = bytes.get(8..12).map_or(0, |field| u32::from_le_bytes(field.try_into().unwrap()));
        for i in 0..64 {
            let cut = bytes.len() * i / 64;
            let label = format!("{} truncated to {cut} bytes", path.display());
            let read = check_read_or_refused(&label, &bytes[..cut], path.parent());
            assert!(!read || cut >= length as usize, "{label} is read although it is truncated");
        }
    }
}

#[test]
fn single_changed_bytes_never_panic() {
    let mut random = Random(1);
    let (mut read, mut refused) = (0, 0);
    for path in gltf_files_and("models") {
        let original = std::fs::read(&path).unwrap();
        // Changes have the most effect in the JSON, so half of them are made there.
        let json =
            original.iter().rposition(|&b| b == b'}').map_or(original.len(), |p| p + 1).min(original.len());
        let json = if original.starts_with(b"glTF") { json.min(1 << 16) } else { json };
        if original.len() < 8 || original.len() > 700_000 {
            continue;
        }
        for change in 0..if original.len() < 100_000 { 256 } else { 32 } {
            let mut bytes = original.clone();
            let at = random.below(if change % 2 == 0 { json.max(1) } else { original.len() });
            bytes[at] = random.next().to_le_bytes()[0];
            let label = format!("{} with byte {at} = {}", path.display(), bytes[at]);
            if check_read_or_refused(&label, &bytes, path.parent()) { read += 1 } else { refused += 1 }
        }
    }
    assert!(read > 100 && refused > 100, "{read} read, {refused} refused");
}

/// Checks the peak memory. Other tests of this binary allocate at the same time, but far less than the bound.
fn assert_in_proportion(label: &str, bytes: &[u8], folder: Option<&Path>) {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let _ = use_file(bytes, folder);
    let peak = ALLOCATOR.peak_usage().saturating_sub(before);
    let bound = 16 * bytes.len() + (64 << 20);
    assert!(peak <= bound, "{label}: {peak} bytes exceed {bound}");
}

#[test]
fn memory_stays_in_proportion_to_the_file() {
    for path in gltf_files_and("models/khronos-validator/base") {
        assert_in_proportion(&path.display().to_string(), &std::fs::read(&path).unwrap(), path.parent());
    }
    // Counts, lengths and offsets of gigabytes.
    for (label, bytes) in changed_documents(&[json!(4_000_000_000_u32)]) {
        assert_in_proportion(&label, &bytes, None);
    }
}

/// A few bytes of JSON can refer to the same data thousands of times.
#[test]
fn data_with_many_references_is_stored_once() {
    let mut random = Random(2);
    let noise: Vec<u8> = (0..1 << 16).map(|_| random.next().to_le_bytes()[0]).collect();
    let png = image::png(256, 256, image::ColorType::Grayscale, &noise);
    let mut b = Builder::default();
    let view = b.view(&png);
    let images = vec![json!({"bufferView": view, "mimeType": "image/png"}); 2000];
    assert_in_proportion("images", &b.file(json!({ "images": images })), None);
    let data = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, &noise);
    let folder = folder("memory");
    std::fs::write(folder.join("noise.bin"), data).unwrap();
    let buffers = vec![json!({"byteLength": 1 << 16, "uri": "noise.bin"}); 2000];
    let file = json!({"asset": {"version": "2.0"}, "buffers": buffers}).to_string();
    assert_in_proportion("buffers", file.as_bytes(), Some(&folder));
}

#[test]
fn too_many_objects_for_the_file_size_are_refused() {
    let nodes = vec!["{}"; 400_000].join(",");
    let file = format!(r#"{{"asset":{{"version":"2.0"}},"nodes":[{nodes}]}}"#);
    let line = gltf::load_bytes(Path::new("file"), file.as_bytes(), None).unwrap_err().to_string();
    assert!(line.ends_with("objects and 400000 commas are too many for 1200037 bytes"), "{line}");
}

//! Broken files: a line, never a panic, a hang, or memory out of proportion.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use peak_alloc::PeakAlloc;
use serde_json::json;
use sinew::asset::gltf;
use sinew::motion::Playhead;
use sinew::pose::{Pose, world_matrices};
use sinew::skin::{Palette, Skinned, Skinning, skin};

use crate::support::{Builder, gltf_files, models};

#[global_allocator]
pub(super) static ALLOCATOR: PeakAlloc = PeakAlloc;

/// What any file may take.
const TIME: Duration = Duration::from_secs(2);

/// Loads a file and, if that goes well, poses and skins it at rest and within each clip.
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
            skin(character.primitive(*part), palette.movers(i).unwrap(), weights, &mut skinned);
        }
    }
    Ok(())
}

/// Fails if a file panics, takes too long, or is refused with anything but one line.
fn survive(what: &str, bytes: &[u8], folder: Option<&Path>) {
    let start = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| use_file(bytes, folder)));
    let took = start.elapsed();
    let result = outcome.unwrap_or_else(|_| panic!("{what}: panicked"));
    assert!(took < TIME, "{what}: took {took:?}");
    if let Err(message) = result {
        assert!(message.starts_with("file: ") && !message.contains('\n'), "{what}: {message}");
    }
}

/// splitmix64 (Steele, Lea & Flood 2014): the same changes on every run.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n as u64).unwrap()
    }
}

#[test]
fn the_validators_files_are_read_or_refused() {
    let Some(folder) = models("khronos-validator/base") else { return };
    let files = gltf_files(&folder);
    assert!(files.len() > 200, "{} files", files.len());
    for path in files {
        let bytes = std::fs::read(&path).unwrap();
        survive(&path.display().to_string(), &bytes, path.parent());
    }
}

#[test]
fn models_cut_off_anywhere_are_refused() {
    let Some(folder) = models("") else { return };
    for path in gltf_files(&folder).iter().filter(|p| p.extension().is_some_and(|e| e == "glb")) {
        let bytes = std::fs::read(path).unwrap();
        for i in 0..64 {
            let cut = bytes.len() * i / 64;
            survive(&format!("{} cut at {cut}", path.display()), &bytes[..cut], path.parent());
        }
    }
}

#[test]
fn single_bytes_changed_are_survived() {
    let Some(folder) = models("") else { return };
    let mut random = Random(1);
    for path in gltf_files(&folder) {
        let original = std::fs::read(&path).unwrap();
        // The JSON is where a change does most: half of the changes go there.
        let json =
            original.iter().rposition(|&b| b == b'}').map_or(original.len(), |p| p + 1).min(original.len());
        let json = if original.starts_with(b"glTF") { json.min(1 << 16) } else { json };
        if original.len() < 8 || original.len() > 700_000 {
            continue;
        }
        for change in 0..if original.len() < 100_000 { 512 } else { 64 } {
            let mut bytes = original.clone();
            let at = random.below(if change % 2 == 0 { json.max(1) } else { original.len() });
            bytes[at] = random.next().to_le_bytes()[0];
            survive(&format!("{} with byte {at} = {}", path.display(), bytes[at]), &bytes, path.parent());
        }
    }
}

/// Other tests of this binary allocate beside this one; what they take is far below the bound.
fn assert_in_proportion(what: &str, bytes: &[u8], folder: Option<&Path>) {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let _ = use_file(bytes, folder);
    let took = ALLOCATOR.peak_usage().saturating_sub(before);
    let bound = 16 * bytes.len() + (64 << 20);
    assert!(took <= bound, "{what}: {took} bytes of {bound}");
}

#[test]
fn memory_stays_in_proportion_to_the_file() {
    let Some(folder) = models("khronos-validator/base") else { return };
    for path in gltf_files(&folder) {
        assert_in_proportion(&path.display().to_string(), &std::fs::read(&path).unwrap(), path.parent());
    }
}

/// A few bytes of JSON can name the same bytes thousands of times.
#[test]
fn what_is_named_many_times_is_held_once() {
    let mut random = Random(2);
    let noise: Vec<u8> = (0..1 << 16).map(|_| random.next().to_le_bytes()[0]).collect();
    let picture = image::GrayImage::from_raw(256, 256, noise.clone()).unwrap();
    let mut png = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut png, image::ImageFormat::Png).unwrap();
    let mut b = Builder::default();
    let view = b.view(png.get_ref());
    let images = vec![json!({"bufferView": view, "mimeType": "image/png"}); 2000];
    assert_in_proportion("images", &b.file(json!({ "images": images })), None);
    let data = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, &noise);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("asset");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("noise.bin"), data).unwrap();
    let buffers = vec![json!({"byteLength": 1 << 16, "uri": "noise.bin"}); 2000];
    let file = json!({"asset": {"version": "2.0"}, "buffers": buffers}).to_string();
    assert_in_proportion("buffers", file.as_bytes(), Some(&folder));
}

#[test]
fn objects_out_of_proportion_to_their_bytes_are_refused() {
    let nodes = vec!["{}"; 400_000].join(",");
    let file = format!(r#"{{"asset":{{"version":"2.0"}},"nodes":[{nodes}]}}"#);
    let line = gltf::load_bytes(Path::new("file"), file.as_bytes(), None).unwrap_err().to_string();
    assert!(line.ends_with("objects with 400000 commas are out of proportion to 1200037 bytes"), "{line}");
}

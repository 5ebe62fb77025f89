//! Copies of a character's file in another pose.

use std::path::{Path, PathBuf};

use sinew::asset::{self, Character, LoadError};
use sinew::export::{animated_copy, posed_copy};
use sinew::puppet::Puppet;

use sinew_testkit::external;

/// Returns a file for a copy of a model.
fn tempfile(model: &Path) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("copies");
    std::fs::create_dir_all(&folder).unwrap();
    folder.join(model.file_name().unwrap())
}

/// Regression: copies kept the keys of the clips that they dropped.
#[test]
fn the_data_of_dropped_clips_is_removed_and_nothing_else() {
    let own = |name: &str| Some(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(name));
    let files = [
        own("spider.glb"),
        // Clips, meshes and skins share views.
        external("models/vulkan-assets/CesiumMan/glTF-Binary/CesiumMan.glb"),
        external("models/khronos-sample-models/Fox/glTF-Binary/Fox.glb"),
        external("models/derived/Fox-meshopt/Fox-meshopt.glb"),
        external("models/derived/CesiumMan-draco/CesiumMan-draco.glb"),
    ];
    for file in files.into_iter().flatten() {
        let character = asset::load(&file).unwrap();
        let of = |c: &Character| {
            let skins: Vec<_> =
                c.skins.iter().map(|s| (s.joints.clone(), s.joint_from_mesh.clone())).collect();
            format!("{:?} {skins:?} {:?}", c.meshes, c.images)
        };
        let bare = animated_copy(&character, Some(&file), &[]).unwrap();
        let copy = asset::gltf::load_bytes(&file, &bare, None).unwrap();
        assert!(of(&copy) == of(&character) && copy.clips.is_empty(), "{}", file.display());
        // Check that only data of the clips was removed: add the clips again, and remove them again.
        let all = animated_copy(&character, Some(&file), &character.clips).unwrap();
        let folder = tempfile(&file);
        std::fs::write(&folder, &all).unwrap();
        let again = animated_copy(&character, Some(&folder), &[]).unwrap();
        assert!(again.len().abs_diff(bare.len()) < 256, "{}: {} {}", file.display(), again.len(), bare.len());
        assert!(bare.len() + 1000 < all.len(), "{}: {} {}", file.display(), bare.len(), all.len());
    }
}

/// Regression: the pose of one character was written into the file of another one, and the result was a garbled figure.
#[test]
fn the_file_of_another_character_is_refused() {
    let spider = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/spider.glb"));
    let refused = |result: Result<Vec<u8>, LoadError>| {
        let error = result.unwrap_err().to_string();
        assert!(error.ends_with("the file has other nodes than the character"), "{error}");
    };
    let mut mannequin = Puppet::new(asset::mannequin().unwrap(), 0);
    mannequin.update().unwrap();
    refused(posed_copy(&mannequin, Some(spider)));
    refused(animated_copy(mannequin.character(), Some(spider), &[]));
    let mut own = Puppet::new(asset::load(spider).unwrap(), 0);
    own.update().unwrap();
    refused(posed_copy(&own, None));
    assert!(posed_copy(&own, Some(spider)).unwrap().starts_with(b"glTF"));
}

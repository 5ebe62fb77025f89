//! The files named on the pages: the built-in characters under the names that the pages use, files shown on the pages, and files that the
//! program creates from both.

use std::fs;
use std::path::{Path, PathBuf};

use crate::page::{Block, Page};
#[path = "../../examples/make_reaches.rs"]
mod make_reaches;
#[path = "../../examples/make_take.rs"]
mod make_take;
use crate::{root, sinew};

/// Copies of files in the repository.
const COPIES: [(&str, &str); 13] = [
    ("man.glb", "assets/mannequin.glb"),
    ("other.glb", "assets/mannequin.glb"),
    ("character.glb", "assets/mannequin.glb"),
    ("character.vrm", "assets/mannequin.glb"),
    ("arm.glb", "assets/arm.glb"),
    ("arm.rig.toml", "assets/arm.rig.toml"),
    ("spider.glb", "assets/spider.glb"),
    ("tentacle.glb", "assets/tentacle.glb"),
    ("tentacle.rig.toml", "assets/tentacle.rig.toml"),
    ("awkward.glb", "assets/awkward.glb"),
    ("doll.glb", "assets/awkward.glb"),
    ("dancer.fbx", "src/character/asset/fbx/strip.fbx"),
    ("drag.session", "docs/drag.session"),
];

/// Files that the program makes from the others, in this order.
const MADE: [(&str, &[&str]); 6] = [
    ("walk.bvh", &["bake", "man.glb", "--animation", "walk", "-o", "walk.bvh"]),
    ("dance.glb", &["bake", "man.glb", "--animation", "wave", "-o", "dance.glb"]),
    ("own-goldens", &["test", "suite.toml", "--update", "--quiet"]),
    ("walk.style.json", &["style", "walk.bvh", "-o", "walk.style.json"]),
    ("pose.json", &["pose", "man.glb", "--reach", "leftHand=0.3,1.2,0.4", "-o", "pose.json"]),
    ("golden.png", &["render", "man.glb", "--resolution", "96,64", "-o", "golden.png"]),
];

/// Motion-capture takes written by the example `make_take`.
const TAKES: [(&str, make_take::Kind); 3] = [
    ("take.csv", make_take::Kind::Positions),
    ("segments.csv", make_take::Kind::Orientations),
    ("kinect.csv", make_take::Kind::Gaps),
];

/// Creates an empty folder with the files that pages name.
pub(crate) fn create(name: &str, pages: &[Page]) -> PathBuf {
    let folder = empty(name);
    for (name, source) in COPIES {
        fs::copy(root().join(source), folder.join(name)).unwrap();
    }
    for block in pages.iter().flat_map(Page::blocks) {
        if let Some(file) = &block.file {
            assert!(!folder.join(file).exists(), "{file} is shown twice");
            fs::write(folder.join(file), &block.text).unwrap();
        }
    }
    for (name, kind) in TAKES {
        fs::write(folder.join(name), make_take::take(kind).unwrap()).unwrap();
    }
    let (character, reaches) = make_reaches::reaches().unwrap();
    let reaches = sinew::export::animated_copy(&character, None, &reaches).unwrap();
    fs::write(folder.join("reaches.glb"), reaches).unwrap();
    for (name, arguments) in MADE {
        let output = sinew(&folder).args(arguments).output().unwrap();
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    }
    fs::rename(folder.join("dance.glb"), folder.join("dance.vrma")).unwrap();
    folder
}

/// Creates an empty folder in the temporary folder of the tests.
fn empty(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("docs").join(name);
    // Ignore the error, because the folder may not exist yet.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Creates a folder with the same files as another one, without copying their contents. This is safe, because the program always replaces
/// files and never changes them in place.
pub(crate) fn linked(name: &str, from: &Path) -> PathBuf {
    let folder = empty(name);
    link(from, &folder);
    folder
}

fn link(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            fs::create_dir_all(&target).unwrap();
            link(&entry.path(), &target);
        } else if fs::hard_link(entry.path(), &target).is_err() {
            fs::copy(entry.path(), &target).unwrap();
        }
    }
}

/// Returns the arguments that make the program read a file shown on a page.
pub(crate) fn reader(block: &Block) -> Option<Vec<&str>> {
    let file = block.file.as_deref()?;
    let ends = |extension: &str| file.ends_with(extension);
    Some(match file {
        "suite.toml" => vec!["test", file],
        "hinges.rig.toml" => vec!["pose", "planar.gltf", "--rig", file],
        _ if ends(".motion.toml") => vec!["pose", "man.glb", "--motion", file],
        _ if ends(".rig.toml") => vec!["pose", "man.glb", "--rig", file],
        _ if ends(".sinew") => vec!["pose", file],
        _ if ends(".session") => vec!["pose", "--replay", file],
        "poses.csv" => vec!["trajectory", "robot.urdf", "--path", file],
        "obstacles.toml" => vec!["trajectory", "robot.urdf", "--path", "poses.csv", "--obstacles", file],
        _ if ends(".csv") => vec!["bake", "man.glb", "--clips", file, "-o", "take.glb"],
        _ if ends(".urdf") || ends(".gltf") => vec!["inspect", file],
        _ => return None,
    })
}

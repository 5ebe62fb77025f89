//! Walks characters over hills and prints how well their feet stand on the ground.
//!
//! ```text
//! cargo run --no-default-features --features character --example feet_on_hills -- [FILE|FOLDER]…
//! ```
//!
//! Without a path, it uses the built-in character. For a folder, it uses all characters under it. A character without a walking or running
//! clip uses the clips of the built-in character. The hills are 0.3 m high and 4 to 6 m long for a person, and larger for a giant. Every
//! character walks in four directions over two hills at 0.7, 1 and 1.5 times the speed of its clip. Lengths are in millimetres at human
//! size (1.75 m), measured on the vertices that have at least nine tenths of their weight on the feet. The columns show the worst values
//! over all frames:
//!
//! | column | meaning |
//! |---|---|
//! | depth | depth of the deepest foot vertex inside the ground (in parentheses: on level ground without the placer) |
//! | gap | distance between a standing foot and the ground |
//! | slide | distance that a foot slides while it stands |
//! | hips | vertical acceleration in m/s² (in parentheses: on level ground without the placer) |
//! | stands | fraction of the time during which a foot stands |

#![allow(dead_code, reason = "the tests use more of the module")]
#![allow(unreachable_pub, reason = "the tests use the module, too")]
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "an example prints its results")]

#[path = "../tests/library/motion/hills.rs"]
mod hills;

use std::error::Error;
use std::path::{Path, PathBuf};

use hills::Walker;
use sinew::asset::{self, Character};
use sinew::motion::Retarget;
use sinew::rig;

fn main() -> Result<(), Box<dyn Error>> {
    let mut files = Vec::new();
    std::env::args_os().skip(1).for_each(|path| collect(Path::new(&path), &mut files));
    files.sort();
    println!("{:40} {:22} slope       depth   gap slide        hips stands", "character", "clip");
    if files.is_empty() {
        measure(&asset::mannequin()?, "mannequin");
    }
    for file in files {
        match asset::load(&file) {
            Ok(character) => measure(&character, &file.file_stem().unwrap_or_default().to_string_lossy()),
            Err(error) => println!("{error}"),
        }
    }
    Ok(())
}

/// Prints a line for each walking or running clip.
fn measure(character: &Character, name: &str) {
    let rig = rig::detect(character);
    let is_walk = |name: &str| ["walk", "run", "jog"].iter().any(|word| name.to_lowercase().contains(word));
    let clips_of = |character: &Character| -> Vec<(usize, String)> {
        let names = character.clips.iter().enumerate().map(|(i, c)| (i, c.name.clone().unwrap_or_default()));
        names.filter(|(_, name)| is_walk(name)).collect()
    };
    let own = clips_of(character);
    let mannequin = asset::mannequin().unwrap();
    let clips = if own.is_empty() { clips_of(&mannequin) } else { own.clone() };
    for (clip, clip_name) in clips {
        let source = if own.is_empty() {
            let Ok(retarget) = Retarget::new(&mannequin, character) else { return };
            Some((asset::mannequin().unwrap(), retarget))
        } else {
            None
        };
        let Some(mut walker) = Walker::new(character.clone(), rig.clone(), clip, source) else { continue };
        let (m, level) = walker.sweep(2, &[0.7, 1.0, 1.5], 5.0);
        let mm = |metres: f32| 1e3 * metres;
        println!(
            "{name:40.40} {clip_name:22.22} {:4.0}° {:4.1} ({:4.1}) {:5.1} {:5.1} {:5.1} ({:4.1}) {:5.0}%",
            m.steepest,
            mm(m.depth),
            mm(level.depth),
            mm(m.gap),
            mm(m.slide),
            m.acceleration,
            level.acceleration,
            100.0 * m.standing,
        );
    }
}

/// Adds a file, or all characters under a folder.
fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        entries.for_each(|entry| collect(&entry.path(), files));
    } else if path.extension().and_then(|e| e.to_str()).is_some_and(|e| ["glb", "gltf", "vrm"].contains(&e)) {
        files.push(path.to_path_buf());
    }
}

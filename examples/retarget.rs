//! Moves a clip from one skeleton to another and writes the result as a glTF file.
//!
//! ```text
//! cargo run --no-default-features --features character --example retarget [SOURCE TARGET.glb OUT.glb]
//!
//! clip "walk": 31 frames, 1.00 s
//! matched as humanoids, scale 1.030
//! contacts: 62 solved, largest error 0.00 mm
//! wrote retargeted.glb
//! ```
//!
//! Without arguments, it converts the mannequin's walk to BVH, as a motion capture system would write it, and moves it back onto the
//! mannequin.
#![allow(clippy::print_stdout, reason = "an example")]

use std::error::Error;
use std::path::{Path, PathBuf};

use sinew::asset::{self, Character};
use sinew::export::{animated_copy, bake, bvh};
use sinew::motion::Retarget;
use sinew::rig;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let (source, target, file, out) = match &arguments[..] {
        [] => (captured_walk()?, asset::mannequin()?, None, Path::new("retargeted.glb")),
        [source, target, out] => {
            (asset::load(source)?, asset::load(target)?, Some(target.as_path()), out.as_path())
        }
        _ => return Err("usage: retarget [SOURCE TARGET.glb OUT.glb]".into()),
    };
    for clip in &source.clips {
        let frames = clip.timelines.iter().map(Vec::len).max().unwrap_or(0);
        let name = clip.name.as_deref().unwrap_or("unnamed");
        println!("clip \"{name}\": {frames} frames, {:.2} s", clip.seconds);
    }

    // Joints are matched by their role in the body, so names do not matter.
    let retarget = Retarget::by_bodies(&source, &target).or_else(|_| Retarget::new(&source, &target))?;
    let kind = if retarget.is_by_names() { "by names" } else { "as humanoids" };
    let scale = retarget.target_from_source().to_scale_rotation_translation().0.y;
    println!("matched {kind}, scale {scale:.3}");

    // Feet that are planted in the source also stay in place in the result.
    let rig = rig::detect(&target);
    let done = bake::retarget_clips_with(retarget, &source, &target, &rig)?;
    let errors = done.contacts.iter().filter_map(|report| report.position_error);
    let (count, largest) = (done.contacts.len(), errors.fold(0.0, f64::max));
    println!("contacts: {count} solved, largest error {:.2} mm", 1e3 * largest);

    std::fs::write(out, animated_copy(&target, file, &done.clips)?)?;
    println!("wrote {}", out.display());
    Ok(())
}

/// Returns a skeleton with a walk, as read from a BVH file in centimetres.
fn captured_walk() -> Result<Character, Box<dyn Error>> {
    let mannequin = asset::mannequin()?;
    let walk = mannequin.clips.iter().find(|clip| clip.name.as_deref() == Some("walk"));
    let text = bvh::write(&mannequin, walk.ok_or("the mannequin has no walk")?, 30.0, 0.01)?.text;
    Ok(asset::bvh::read(&text, Path::new("walk.bvh"), Some(0.01))?)
}

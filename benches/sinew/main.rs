//! `cargo bench -p sinew-benches`: what loading, posing, motion, capture, skinning, solving and a frame of the window cost. Elements are
//! joints, tracks, vertices and links: criterion prints elements a second, so 100 Melem/s are 10 ns each.
//!
//! The built-in mannequin is always measured, the other characters where `SINEW_TEST_DATA` has them (`docs/test-data.md`).
#![allow(missing_docs, clippy::unwrap_used, reason = "a bench")]

mod capture;
#[cfg(feature = "viewer")]
mod frame;
mod ik;
mod load;
mod motion;
mod passes;
mod posing;
mod retarget;

use std::path::PathBuf;

use sinew::asset::{self, Character};

criterion::criterion_group!(
    benches,
    load::bench,
    posing::bench,
    motion::bench,
    retarget::bench,
    capture::bench,
    ik::bench,
    passes::bench
);
#[cfg(feature = "viewer")]
criterion::criterion_group!(window, frame::bench);
#[cfg(feature = "viewer")]
criterion::criterion_main!(benches, window);
#[cfg(not(feature = "viewer"))]
criterion::criterion_main!(benches);

const COLLECTED: [(&str, &str); 2] = [
    ("CesiumMan", "vulkan-assets/CesiumMan/glTF-Binary/CesiumMan.glb"),
    ("Wolf", "quaternius/animals_pack/Wolf/Wolf.glb"),
];

/// A model below `SINEW_TEST_DATA`, if that is set and has it.
fn external(file: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("SINEW_TEST_DATA")?;
    Some(PathBuf::from(folder).join("models").join(file)).filter(|path| path.exists())
}

fn characters() -> Vec<(&'static str, Character)> {
    let mut all = vec![("mannequin", asset::mannequin().unwrap())];
    for (name, file) in COLLECTED {
        if let Some(path) = external(file) {
            all.push((name, asset::load(&path).unwrap()));
        }
    }
    all
}

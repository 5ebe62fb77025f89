//! `cargo bench -p sinew-benches` measures loading, posing, motion, capture, skinning, solving and viewer frames. The
//! elements of a benchmark are joints, tracks, vertices or links. Criterion prints elements per second, so 100
//! Melem/s is 10 ns per element.
//!
//! The built-in mannequin is always measured. Other characters are measured if `SINEW_TEST_DATA` contains them
//! (`docs/test-data.md`).
#![allow(missing_docs, clippy::unwrap_used, reason = "a benchmark")]

mod capture;
mod chains;
#[cfg(feature = "viewer")]
mod frame;
mod ik;
mod load;
mod motion;
mod posing;
mod retarget;
mod sweeps;

use std::path::PathBuf;

use sinew::asset;
use sinew::asset::Character;

criterion::criterion_group!(
    benches,
    load::bench,
    posing::bench,
    motion::bench,
    retarget::bench,
    capture::bench,
    ik::bench,
    sweeps::bench,
    chains::bench
);
#[cfg(feature = "viewer")]
criterion::criterion_group!(window, frame::bench);
#[cfg(feature = "viewer")]
criterion::criterion_main!(benches, window);
#[cfg(not(feature = "viewer"))]
criterion::criterion_main!(benches);

/// Names and files of the other characters.
const COLLECTED: [(&str, &str); 2] = [
    ("CesiumMan", "vulkan-assets/CesiumMan/glTF-Binary/CesiumMan.glb"),
    ("Wolf", "quaternius/animals_pack/Wolf/Wolf.glb"),
];

/// Returns the path of a model in `SINEW_TEST_DATA`, if it exists.
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

//! `cargo bench`: what loading, posing, motion, capture, skinning, solving and a frame of the window cost. Elements are
//! joints, tracks, vertices and links: criterion prints elements a second, so 100 Melem/s are 10 ns each.
//!
//! The built-in mannequin is always there; the collected characters are measured where they are.
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

use std::path::{Path, PathBuf};

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

fn path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/models").join(file)
}

fn characters() -> Vec<(&'static str, Character)> {
    let mut all = vec![("mannequin", asset::mannequin().unwrap())];
    for (name, file) in COLLECTED {
        if path(file).exists() {
            all.push((name, asset::load(&path(file)).unwrap()));
        }
    }
    all
}

//! Compares images with goldens that were inspected by a person: the ghosts of several methods, and a crowd. All other
//! goldens are in `tests/suite`.
//!
//! `SINEW_BLESS=1 cargo test --test render goldens` updates them. Inspect the new images before you commit them.

use std::path::Path;

use glam::DVec3;
use sinew::asset;
use sinew::ik::Method;
use sinew::pose::Pose;
use sinew::puppet::{Puppet, Target};
use sinew::render::DecodedImage;
use sinew::scene::compare::Comparison;

use crate::{draw_frame, typical_view};
use sinew_testkit::asset_path;
use sinew_testkit::image::{self, PixelAccess};

const SIZE: (u32, u32) = (320, 240);
/// Drivers round differently. These tolerances allow invisible differences in all pixels, and larger ones in a few
/// pixels at edges.
const LEVELS: u8 = 6;
const PIXELS: f64 = 0.003;

/// The tentacle reaches for a target with its tip, and four other methods do the same.
#[test]
fn ghosts_of_four_methods_match_their_golden() {
    let mut puppet = Puppet::new(asset::load(&asset_path("tentacle.glb")).unwrap(), 0);
    let tip = puppet.character().skeleton.find("segment_39").unwrap();
    puppet.targets.push(Target::new(tip).with_position(DVec3::new(0.5, 0.6, 0.3)));
    puppet.update().unwrap();
    let mut others = Comparison::default();
    let four = [Method::Ccd, Method::Fabrik, Method::JacobianTranspose, Method::Fused];
    others.set_methods(&four, &puppet);
    others.set_start_pose(&Pose::rest(&puppet.character().skeleton));
    others.solve(&puppet);
    compare(&puppet, &others, "ghosts");
}

/// Renders a puppet with its ghosts, and compares the image with a golden.
fn compare(puppet: &Puppet, others: &Comparison, name: &str) {
    let mut bounds = puppet.bounds();
    others.candidates().iter().map(|c| c.puppet().bounds()).for_each(|b| bounds.extend([b.lo, b.hi]));
    let settings = typical_view(bounds, SIZE.0 as f32 / SIZE.1 as f32).with_scale(0.5);
    let image =
        draw_frame(puppet, &settings, SIZE, |frame| others.add_to_frame(frame, puppet, settings.scale));
    assert_matches(&image.unwrap(), name);
}

/// Compares an image with the golden of this name.
pub(crate) fn assert_matches(image: &DecodedImage, name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/goldens/{name}.png"));
    if std::env::var_os("SINEW_BLESS").is_some() {
        std::fs::write(&path, image.png(sinew::render::Background::Transparent).unwrap()).unwrap();
    }
    let golden = image::open(&path);
    assert_eq!(golden.size(), image.size());
    let differs = |(a, b): ([u8; 4], [u8; 4])| a.iter().zip(b).any(|(a, b)| a.abs_diff(b) > LEVELS);
    let different = golden.pixels().zip(image.pixels()).filter(|pair| differs(*pair)).count();
    let fraction = different as f64 / f64::from(image.width * image.height);
    assert!(fraction <= PIXELS, "{name}: {different} pixels differ from {}", path.display());
}

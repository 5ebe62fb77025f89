//! Boxes around posed parts.

use glam::{Quat, Vec3};
use proptest::prelude::*;
use sinew::asset;
use sinew::puppet::Puppet;
use sinew::skin::Skinning;
use sinew::view::Bounds;
use sinew_base::Random;

/// The built-in characters, which together have rigid parts, morph targets, eight influences, and scaled and mirrored nodes.
const CAST: [&str; 5] = ["mannequin", "arm", "tentacle", "spider", "awkward"];

fn cast(name: &str) -> Puppet {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("assets/{name}.glb"));
    Puppet::new(asset::load(&path).unwrap(), 0)
}

/// Turns every joint by up to `angle` radians, and sets all morph weights to numbers from -1 to 2.
fn shake(puppet: &mut Puppet, angle: f32, mut random: impl FnMut() -> f32) {
    let mut pose = puppet.pose().clone();
    for transform in &mut pose.locals {
        let axis = Vec3::new(random() - 0.5, random() - 0.5, random() - 0.5).normalize_or(Vec3::X);
        transform.rotation *= Quat::from_axis_angle(axis, angle * random());
    }
    pose.weights.iter_mut().for_each(|weight| *weight = 3.0 * random() - 1.0);
    puppet.held = Some(pose);
    puppet.update().unwrap();
}

fn contains(outer: &Bounds, inner: &Bounds) -> bool {
    inner.is_empty() || outer.lo.cmple(inner.lo).all() && outer.hi.cmpge(inner.hi).all()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_box_contains_its_part(character in 0..CAST.len(), angle in 0.0_f32..3.0, seed in any::<u64>()) {
        let mut puppet = cast(CAST[character]);
        let mut random = Random(seed);
        shake(&mut puppet, angle, || random.range_f32(0.0, 1.0));
        for (part, (outer, inner)) in puppet.part_boxes().iter().zip(puppet.part_bounds()).enumerate() {
            prop_assert!(contains(outer, &inner), "{} part {part}: {outer:?} {inner:?}", CAST[character]);
        }
    }
}

#[test]
fn a_box_is_not_much_larger_than_its_part() {
    for name in CAST {
        let mut puppet = cast(name);
        puppet.update().unwrap();
        let diagonal = |boxes: Vec<Bounds>| boxes.iter().map(|b| (b.hi - b.lo).length()).sum::<f32>();
        let ratio = diagonal(puppet.part_boxes()) / diagonal(puppet.part_bounds());
        assert!((1.0..1.25).contains(&ratio), "{name}: {ratio}");
    }
}

/// A weighted sum of dual quaternions can move a vertex outside the box around its images under the individual joints, so these boxes are
/// computed exactly.
#[test]
fn dual_quaternions_have_exact_boxes() {
    let mut puppet = cast("tentacle");
    puppet.options.skinning = Skinning::DualQuaternion;
    shake(&mut puppet, 1.0, || 0.8);
    assert_eq!(puppet.part_boxes(), puppet.part_bounds());
}

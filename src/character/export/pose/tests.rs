//! Tests that exported poses can be read again, and that poses with invalid numbers are refused.

use std::sync::{Arc, LazyLock};

use glam::{Quat, Vec3};
use proptest::prelude::*;

use crate::asset::{MANNEQUIN_PATH, gltf, mannequin};

use super::*;

static CHARACTER: LazyLock<Arc<Character>> = LazyLock::new(|| Arc::new(mannequin().unwrap()));

fn number() -> impl Strategy<Value = f32> {
    prop_oneof![-2.0..2.0_f32, prop::sample::select(vec![1e30, f32::MAX]), prop::num::f32::NORMAL]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn a_posed_copy_can_be_read_again(
        node in 0..20_usize,
        translation in prop::array::uniform3(number()),
        scale in prop::array::uniform3(number()),
        angle in -3.0..3.0_f32,
    ) {
        let mut puppet = Puppet::new(Arc::clone(&CHARACTER), 0);
        let mut pose = Pose::rest(&CHARACTER.skeleton);
        pose.locals[node] = asset::Transform {
            translation: translation.into(),
            rotation: Quat::from_rotation_x(angle),
            scale: scale.into(),
        };
        puppet.held = Some(pose.clone());
        if puppet.update().is_ok() {
            let copied = posed_copy(&puppet, None).unwrap();
            let read = gltf::load_bytes(Path::new(MANNEQUIN_PATH), &copied, None).unwrap();
            for (node, local) in read.skeleton.nodes.iter().zip(&pose.locals) {
                prop_assert!(node.rest.translation == local.translation && node.rest.scale == local.scale);
            }
            let document = serde_json::to_value(PoseDocument::new(&puppet, &[], None)).unwrap();
            let text = document["nodes"][node].to_string();
            let world = document["nodes"][node]["world"].as_array().unwrap();
            prop_assert!(world.iter().all(serde_json::Value::is_f64), "{}", text);
        }
    }
}

#[test]
fn values_that_are_not_finite_are_refused() {
    let skeleton = &CHARACTER.skeleton;
    let head = skeleton.find("head").unwrap();
    let mut pose = Pose::rest(skeleton);
    pose.locals[head].translation.y = f32::INFINITY;
    let error = export(&CHARACTER, None, &pose, &[]).unwrap_err().to_string();
    assert!(error.ends_with("joint \"head\": translation is not finite"), "{error}");
    let mut clip = Clip { timelines: vec![vec![0.0]], ..Clip::default() };
    for (values, name) in [
        (asset::Values::Translation(vec![Vec3::NAN]), "translation key"),
        (asset::Values::Scale(vec![Vec3::INFINITY]), "scale key"),
        (asset::Values::Rotation(vec![Quat::NAN]), "rotation key"),
    ] {
        let interpolation = asset::Interpolation::Linear;
        clip.channels = vec![asset::Channel { node: head, timeline: 0, interpolation, values }];
        let error = animated_copy(&CHARACTER, None, std::slice::from_ref(&clip)).unwrap_err().to_string();
        assert!(error.ends_with(&format!("joint \"head\": {name} is not finite")), "{error}");
    }
}

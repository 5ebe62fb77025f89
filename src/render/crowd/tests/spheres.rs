//! Tests the spheres around joints, from which the spheres around characters follow.

use glam::Vec3;

use crate::asset::{self, MorphTarget};
use crate::crowd::model::CrowdModel;
use crate::rig;

/// Returns the radii of the joints of the mannequin with a morph target that displaces all vertices by a metre, at a rest weight.
fn radii(weight: f32) -> Vec<f32> {
    let mut character = asset::mannequin().unwrap();
    let rig = rig::detect(&character);
    let skeleton = &mut character.skeleton;
    let first = skeleton.rest_weights.len();
    skeleton.rest_weights.push(weight);
    let node = skeleton.nodes.iter_mut().find(|node| node.mesh == Some(0)).unwrap();
    node.morph_weights = first..first + 1;
    let primitive = &mut character.meshes[0].primitives[0];
    let positions = vec![Vec3::Z; primitive.vertices()];
    primitive.morph_targets = vec![MorphTarget { positions, ..MorphTarget::default() }];
    CrowdModel::new(character, 0, &rig).joints.iter().map(|joint| joint.radius).collect()
}

/// Spheres once enclosed only what weights from zero to one displace, so characters with other weights vanished at the edge of the view.
#[test]
fn spheres_enclose_vertices_for_weights_outside_of_zero_to_one() {
    let at_rest = radii(0.0);
    assert!(at_rest.iter().all(|radius| *radius < 1.5), "{at_rest:?}");
    for weight in [-4.0, 4.0] {
        for (radius, at_rest) in radii(weight).into_iter().zip(&at_rest).filter(|(_, rest)| **rest >= 0.0) {
            // A vertex at a distance from the joint is now at least this far away.
            assert!(radius >= 4.0 - at_rest, "{radius}, {at_rest} at rest");
            assert!(radius <= 4.0 + at_rest + 0.01, "{radius}, {at_rest} at rest");
        }
    }
}

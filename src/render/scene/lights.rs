//! The lights of a file, in the pose of its nodes.

use std::f32::consts::PI;

use glam::{Affine3A, Vec3};

use crate::asset::{Light, LightKind};
use crate::pose::{Pose, world_matrices};
use crate::puppet::Puppet;
use crate::{FileLights, MAX_LIGHTS, PunctualLight};

/// Returns the lights of a puppet's file at its current pose, strongest first and at most [`MAX_LIGHTS`]. `center` is the point at which
/// their strengths are compared. The list is empty if `lights` is off.
pub fn file_lights(puppet: &Puppet, lights: FileLights, center: Vec3) -> Vec<PunctualLight> {
    let character = puppet.character();
    if lights == FileLights::Off || character.lights.is_empty() {
        return Vec::new();
    }
    // The strength and the factor come from the rest pose, so that a light does not appear or change abruptly while it moves.
    let mut rest = Vec::new();
    world_matrices(&character.skeleton, &Pose::rest(&character.skeleton), &mut rest);
    let strength = |light: &Light| rest.get(light.node).map_or(0.0, |node| strength(light, node, center));
    let strongest = character.lights.iter().map(strength).fold(0.0, f32::max);
    let scale = match lights {
        FileLights::Scale(scale) => scale,
        _ if strongest > 0.0 => PI / strongest,
        _ => 0.0,
    };
    let mut order: Vec<_> = character.lights.iter().map(|light| (strength(light), light)).collect();
    order.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let world = |light: &Light| puppet.world_from_node().get(light.node).copied();
    let placed = order.into_iter().filter_map(|(_, light)| Some(placed(light, &world(light)?, scale)));
    placed
        .filter(|light| light.color.is_finite() && light.color.max_element() > 0.0)
        .take(MAX_LIGHTS)
        .collect()
}

/// Returns the illuminance at a point, as if the light shone in all directions.
fn strength(light: &Light, world_from_node: &Affine3A, center: Vec3) -> f32 {
    let brightest = light.color.max_element() * light.intensity;
    let distance2 = Vec3::from(world_from_node.translation).distance_squared(center);
    let strength =
        if light.kind == LightKind::Directional { brightest } else { brightest / distance2.max(1e-4) };
    if strength.is_finite() { strength.max(0.0) } else { 0.0 }
}

fn placed(light: &Light, world_from_node: &Affine3A, scale: f32) -> PunctualLight {
    let Light { kind, color, intensity, range, .. } = light;
    let is_far = *kind == LightKind::Directional;
    PunctualLight {
        position: (!is_far).then(|| world_from_node.translation.into()),
        // Scale has no effect on lights, except that a mirrored node mirrors the direction.
        direction: (-Vec3::from(world_from_node.matrix3.z_axis)).normalize_or(Vec3::NEG_Z),
        color: *color * (intensity * scale),
        range: range.filter(|range| *range > 0.0 && !is_far),
        cone: match kind {
            LightKind::Spot { inner, outer } => Some([*inner, *outer]),
            LightKind::Directional | LightKind::Point => None,
        },
    }
}

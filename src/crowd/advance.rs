//! Advances the clips and the places of characters: the CPU twin of `shaders/crowd/advance.wgsl`.

use glam::{Vec3, Vec3Swizzles, Vec4};

use crate::mathematics::single::normalize;

use super::clips::ClipInfo;
use super::terrain::Terrain;
use super::types::{Character, NONE};

/// Advances a character by some seconds.
pub(super) fn advance(
    character: &mut Character,
    clips: &[ClipInfo],
    seconds: f32,
    terrain: Option<&Terrain>,
) {
    let (mut velocity, mut jump) = (Vec3::ZERO, Vec3::ZERO);
    for layer in &mut character.layers {
        let Some(clip) = clips.get(layer.clip as usize) else { continue };
        layer.time += layer.speed * seconds;
        layer.weight = (layer.weight + layer.rate * seconds).clamp(0.0, 1.0);
        let mut starts = 0.0;
        if layer.loops != 0 && clip.seconds > 0.0 {
            starts = (layer.time / clip.seconds).floor();
            layer.time = (layer.time - starts * clip.seconds).clamp(0.0, clip.seconds);
        } else {
            layer.time = layer.time.clamp(0.0, clip.seconds);
        }
        if layer.mask == NONE {
            velocity = velocity.lerp(clip.stride * layer.speed, layer.weight);
            jump = jump.lerp(clip.jump * starts, layer.weight);
        }
    }
    // A small turn, whose half angle is so small that its sine equals it.
    let half = 0.5 * character.turn * seconds;
    let turn = normalize(Vec4::new(0.0, half, 0.0, 1.0));
    character.rotation = normalize(Vec4::from(turn * character.rotation));
    let moved = (velocity * seconds + jump) * (character.pace * character.scale);
    character.position += character.rotation * moved;
    if let Some(terrain) = terrain {
        character.position.y = terrain.height(character.position.xz());
    }
}

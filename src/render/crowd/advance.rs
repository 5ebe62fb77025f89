//! Advances the clips and positions of characters: the CPU twin of `shaders/crowd/advance.wgsl`.

use glam::{Vec2, Vec3, Vec3Swizzles, Vec4};

use crate::mathematics::single::normalize;

use super::clips::ClipInfo;
use super::terrain::Terrain;
use super::types::{Character, NONE};

/// Characters turn back when they leave this fraction of the terrain around its centre.
const BORDER: f32 = 0.8;
/// Characters stop turning when the cosine of the angle between their walking direction and the direction to the centre
/// exceeds this.
const ROUGHLY: f32 = 0.8;
/// Turn rate in radians per second.
const TURN_BACK: f32 = 0.9;

/// Advances a character by a time in seconds.
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
    let turn = steering(character, velocity, terrain).unwrap_or(character.turn);
    // The turn is so small that the sine of its half angle equals the half angle.
    let half = 0.5 * turn * seconds;
    let turn = normalize(Vec4::new(0.0, half, 0.0, 1.0));
    character.rotation = normalize(Vec4::from(turn * character.rotation));
    // When a clip that moves its character loops, `jump` undoes the motion of the clip, regardless of how fast the
    // character walks.
    let jump = if character.pace == 0.0 { Vec3::ZERO } else { jump };
    let moved = (velocity * (seconds * character.pace) + jump) * character.scale;
    character.position += character.rotation * moved;
    if let Some(terrain) = terrain {
        character.position.y = terrain.height(character.position.xz());
    }
}

/// Returns the turn rate in radians per second of a character that walks out of the terrain and turns back, or `None` for
/// other characters.
fn steering(character: &Character, velocity: Vec3, terrain: Option<&Terrain>) -> Option<f32> {
    let terrain = terrain?;
    let (columns, rows) = terrain.size();
    #[expect(clippy::cast_precision_loss, reason = "at most 2²³ columns or rows")]
    let half = 0.5 * terrain.cell() * Vec2::new((columns - 1) as f32, (rows - 1) as f32);
    let away = character.position.xz() - (terrain.origin() + half);
    let walk = (character.rotation * (velocity * character.pace)).xz();
    let inner = BORDER * half;
    let is_outside = away.x.abs() > inner.x || away.y.abs() > inner.y;
    // The character turns until it walks roughly towards the centre.
    if !is_outside || -walk.dot(away) > ROUGHLY * walk.length() * away.length() || walk == Vec2::ZERO {
        return None;
    }
    // A positive turn about +Y turns +Z towards +X.
    let side = walk.y * -away.x - walk.x * -away.y;
    Some(if side < 0.0 { -TURN_BACK } else { TURN_BACK })
}

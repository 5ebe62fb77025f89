//! Advances the clips, the weights of the goals and the positions of characters: the CPU twin of `shaders/crowd/advance.wgsl`.

use glam::{Vec2, Vec3, Vec3Swizzles, Vec4};

use crate::body::{IS_SET, PackedGoal};
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
/// Time in seconds in which a character starts or stops walking.
const STOPPING: f32 = 0.3;
/// Fractions of the radius: a character stops walking at `INNER`, and has arrived within `ARRIVED`.
const INNER: f32 = 0.9;
const ARRIVED: f32 = 0.92;
/// Cosines of the angle between the walking direction and the direction to the destination. A character only turns if the
/// cosine is below the first one, and walks at its full speed above the second one.
const ASIDE: f32 = 0.3;
const AHEAD: f32 = 0.8;
/// Largest distance to a destination along each axis, in metres. Products of such distances are finite.
pub(super) const FARTHEST: f32 = 1e9;
/// Maximum duration of a step in seconds.
const LONGEST_STEP: f32 = 10.0;

/// How a character moves in a step to its destination.
#[derive(Clone, Copy)]
struct Approach {
    /// Tangent of half the angle by which it turns.
    half: f32,
    /// How far it may walk at most, in world metres.
    distance: f32,
    /// The weight that the clips of a standing character approach.
    stands: f32,
}

/// Returns the duration of a step in the valid range, or 0 if it is not finite.
pub(super) fn limited_seconds(seconds: f32) -> f32 {
    if seconds.is_finite() { seconds.clamp(0.0, LONGEST_STEP) } else { 0.0 }
}

/// Advances the weights of a character's goals by a time in seconds.
pub(super) fn fade(goals: &mut [PackedGoal], seconds: f32) {
    for goal in goals.iter_mut().filter(|goal| goal.rate != 0.0 && goal.flags & IS_SET != 0) {
        goal.weight = (goal.weight + goal.rate * seconds).clamp(0.0, 1.0);
    }
}

/// Returns how far the root motion of its clips has carried a character away from its position, in metres of its model. The position follows
/// when the clip starts over.
pub(super) fn lead(character: &Character, clips: &[ClipInfo]) -> Vec3 {
    let mut lead = Vec3::ZERO;
    for layer in character.layers.iter().filter(|layer| layer.mask == NONE) {
        if let Some(clip) = clips.get(layer.clip as usize) {
            lead = lead.lerp(clip.jump * clip.cycles(layer.time), layer.weight);
        }
    }
    lead
}

/// Returns whether a character has arrived. `distance` is its distance from the destination in metres, and `standing` is the weight of its
/// clips for standing.
fn is_there(character: &Character, distance: f32, standing: f32) -> bool {
    distance <= ARRIVED * character.radius || standing >= 1.0 && distance <= character.radius
}

/// Returns the offset from x and z of a character's body to its destination, in metres.
fn destination_offset(character: &Character, body: Vec2) -> Vec2 {
    let farthest = Vec2::splat(FARTHEST);
    (character.destination - body).clamp(-farthest, farthest)
}

/// Advances a character by a time in seconds. Returns whether it has arrived at its destination.
///
/// Without a destination, a clip with root motion moves the character when it starts over. With a destination, the character moves steadily
/// by as much, so that it can stop at any time.
pub(super) fn advance(
    character: &mut Character,
    clips: &[ClipInfo],
    seconds: f32,
    terrain: Option<&Terrain>,
) -> bool {
    let has_destination = character.radius > 0.0;
    // Where the body is. Without a destination, root motion is not considered.
    let mut body = character.position;
    if has_destination {
        body += character.rotation * (lead(character, clips) * character.scale);
    }
    let approached = has_destination.then(|| approach(character, clips, body.xz(), seconds));
    let wanted = approached.map_or(0.0, |approached| approached.stands);
    let change = seconds / STOPPING;
    let (mut velocity, mut jump) = (Vec3::ZERO, Vec3::ZERO);
    let (mut can_stand, mut standing) = (false, 0.0_f32);
    for layer in &mut character.layers {
        let Some(clip) = clips.get(layer.clip as usize) else { continue };
        layer.time += layer.speed * seconds;
        if layer.stands != 0 {
            let by = (wanted - layer.weight).max(-change).min(change);
            layer.weight = (layer.weight + by).clamp(0.0, 1.0);
            if layer.mask == NONE {
                (can_stand, standing) = (true, standing.max(layer.weight));
            }
        } else {
            layer.weight = (layer.weight + layer.rate * seconds).clamp(0.0, 1.0);
        }
        let mut starts = 0.0;
        if layer.loops != 0 && clip.seconds > 0.0 {
            starts = (layer.time / clip.seconds).floor();
            layer.time = (layer.time - starts * clip.seconds).clamp(0.0, clip.seconds);
        } else {
            layer.time = layer.time.clamp(0.0, clip.seconds);
        }
        if layer.mask == NONE {
            let moves = if has_destination { clip.velocity() } else { clip.stride };
            velocity = velocity.lerp(moves * layer.speed, layer.weight);
            jump = jump.lerp(clip.jump * starts, layer.weight);
        }
    }
    let turn = steering(character, velocity, terrain).unwrap_or(character.turn);
    // The turn is so small that the sine of its half angle equals the half angle.
    let mut half = 0.5 * turn * seconds;
    // How far the character walks, in metres of its model.
    let mut walked = velocity * (seconds * character.pace);
    let mut behind = Vec3::ZERO;
    if let Some(approached) = approached {
        half = approached.half;
        if !can_stand {
            walked *= 1.0 - approached.stands;
        }
        let reach = walked.length() * character.scale.abs();
        walked *= if reach > approached.distance { approached.distance / reach } else { 1.0 };
        behind = lead(character, clips);
    } else if character.pace != 0.0 {
        // When a clip that moves its character loops, `jump` undoes the motion of the clip, regardless of how fast the character walks.
        walked += jump;
    }
    let turn = normalize(Vec4::new(0.0, half, 0.0, 1.0));
    character.rotation = normalize(Vec4::from(turn * character.rotation));
    body += character.rotation * (walked * character.scale);
    character.position = body - character.rotation * (behind * character.scale);
    if let Some(terrain) = terrain {
        character.position.y = terrain.height(body.xz());
    }
    has_destination && is_there(character, destination_offset(character, body.xz()).length(), standing)
}

/// Returns how a character moves to its destination. It turns before it walks, so that it does not circle around the point, and
/// slows down so that it stops there. `body` is x and z of its body in world metres.
fn approach(character: &Character, clips: &[ClipInfo], body: Vec2, seconds: f32) -> Approach {
    let (mut velocity, mut standing) = (Vec3::ZERO, 0.0_f32);
    for layer in character.layers.iter().filter(|layer| layer.mask == NONE) {
        let Some(clip) = clips.get(layer.clip as usize) else { continue };
        if layer.stands != 0 {
            standing = standing.max(layer.weight);
            continue;
        }
        velocity = velocity.lerp(clip.velocity() * layer.speed, layer.weight);
    }
    let offset = destination_offset(character, body);
    let distance = offset.length();
    let remaining = distance - INNER * character.radius;
    if is_there(character, distance, standing) {
        return Approach { half: 0.0, distance: remaining.max(0.0), stands: 1.0 };
    }
    let mut walk = (character.rotation * (velocity * character.pace)).xz();
    if walk == Vec2::ZERO {
        // Clips that do not walk face along +Z.
        walk = (character.rotation * Vec3::Z).xz();
    }
    let lengths = (walk.length() * distance).max(1e-30);
    let along = walk.dot(offset);
    // A positive turn about +Y turns +Z towards +X.
    let side = walk.y * offset.x - walk.x * offset.y;
    let mut wanted = side / (lengths + along.max(0.0));
    if along < 0.0 {
        let sign = if side < 0.0 { -1.0 } else { 1.0 };
        wanted = (lengths - along) / side.abs().max(1e-6 * lengths) * sign;
    }
    let limit = 0.5 * character.steering * seconds;
    let ahead = ((along / lengths - ASIDE) / (AHEAD - ASIDE)).clamp(0.0, 1.0);
    // While the weight of the clips of a standing character grows from 0 to 1, the character walks this far.
    let braking = 0.5 * STOPPING * velocity.length() * (character.pace * character.scale).abs();
    let part = (remaining / braking.max(1e-6)).clamp(0.0, 1.0);
    Approach { half: wanted.max(-limit).min(limit), distance: remaining, stands: 1.0 - ahead * part.sqrt() }
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

// Plants feet on the ground. The CPU twin is src/character/body/plant.rs.
//
// "Placed" vectors have the axes and the unit of the world, and are relative to the position of the character.
// #import crowd/bodies, crowd/body, crowd/frames, crowd/terrain, crowd/types, rotation

// Time in seconds that a released foot takes to return to its position in the clip.
const RELEASE: f32 = 0.15;
// A standing foot is released when it is this far from its position in the clip, as a fraction of the leg.
const LEASH: f32 = 0.15;
// If a foot is this many leashes away, its character has been moved elsewhere, and the position where the foot stood is
// discarded.
const JUMP: f32 = 2.0;
// Tangent of half the largest angle (40°) by which a standing foot is turned.
const LARGEST_YAW: f32 = 0.36;
// Slope of the steepest ground to which a foot is aligned: the tangent of 30°, which is about the range of a bent ankle.
const STEEPEST_GROUND: f32 = 0.577;
// Height at which a foot no longer follows the slope, as a fraction of the leg.
const LIFTED: f32 = 0.35;
// Difference between the heights of heel and toes at which the lower one begins to carry the foot, as a fraction of half the
// foot.
const ROLL: f32 = 0.02;
// Changes below this fraction of the leg are rounding errors.
const NOTHING: f32 = 2e-6;

// The target of a foot.
struct FootGoal {
    ankle: vec3<f32>,         // placed
    turn: vec4<f32>,          // rotation of the foot from the pose of the clip, in world axes
    change: f32,              // height of the ankle above its height in the clip
    weight: f32,              // how near the foot is to the floor in the clip
    is_moved: bool,
    held: bool,               // the foot stands
    spent: bool,              // the foot was released before its contact ended
    on_toes: bool,            // the toes carry the foot, not the heel
}

fn smooth_step(x: f32) -> f32 {
    let t = clamp(x, 0.0, 1.0);
    return t * t * (3.0 - 2.0 * t);
}

fn placed(character: u32, v: vec3<f32>) -> vec3<f32> {
    return quat_rotate(characters[character].rotation, v * characters[character].scale);
}

fn unplaced(character: u32, v: vec3<f32>) -> vec3<f32> {
    let scale = characters[character].scale;
    return quat_rotate(quat_conjugate(characters[character].rotation), v) / select(1.0, scale, abs(scale) > 1e-20);
}

// Converts a rotation of the world to model space.
fn unplaced_turn(character: u32, q: vec4<f32>) -> vec4<f32> {
    let rotation = characters[character].rotation;
    return quat_mul(quat_conjugate(rotation), quat_mul(q, rotation));
}

// Returns the total weight of the clips in which a leg is in contact with the ground.
fn contact_of(character: u32, leg: u32) -> f32 {
    var contact = 0.0;
    for (var i = 0u; i < LAYERS; i++) {
        let layer = characters[character].layers[i];
        if layer.clip >= crowd.clips {
            continue;
        }
        var weight = layer.weight;
        if layer.mask < 4u {
            weight *= joints[body.limb[leg].end].masks[layer.mask];
        }
        var stands = 0.0;
        let from_interval = (layer.clip * body.legs + leg) * INTERVALS;
        for (var k = 0u; k < INTERVALS; k++) {
            let interval = body.contacts[from_interval + k];
            if interval.x <= layer.time && layer.time <= interval.y {
                stands = 1.0;
            }
        }
        contact = mix(contact, stands, weight);
    }
    return contact;
}

// Returns a point of a sole relative to the ankle, in placed space.
fn sole_offset(character: u32, leg: u32, index: u32, ankle: vec3<f32>) -> vec3<f32> {
    let sole = body.limb[leg].sole[index];
    let at = row_point(models[character * crowd.joints + sole.joint], sole.position);
    return placed(character, at) - ankle;
}

// Returns the height of an ankle at which the lowest point of its sole is `low` above the ground.
fn ankle_height(character: u32, leg: u32, ankle: vec3<f32>, turn: vec4<f32>, at: vec2<f32>, low: f32) -> f32 {
    let position = characters[character].position;
    // On a crest, the middle of a foot is the first part that would sink in.
    let heel = sole_offset(character, leg, body.limb[leg].heel, ankle);
    let toe = sole_offset(character, leg, body.limb[leg].toe, ankle);
    let middle = quat_rotate(turn, 0.5 * (heel + toe));
    var least = middle.y - (terrain_height(position.xz + (at + middle.xz)) - position.y);
    for (var k = 0u; k < body.limb[leg].soles; k++) {
        let offset = quat_rotate(turn, sole_offset(character, leg, k, ankle));
        let ground = terrain_height(position.xz + (at + offset.xz)) - position.y;
        least = min(least, offset.y - ground);
    }
    return low - least;
}

// Returns the rotation by which a foot follows the slope of the ground, up to the bend that its ankle allows.
fn slope_turn(normal: vec3<f32>) -> vec4<f32> {
    let aside = length(normal.xz);
    let part = select(1.0, STEEPEST_GROUND * max(normal.y, 0.0) / aside, aside > STEEPEST_GROUND * normal.y);
    return shortest_arc(vec3<f32>(0.0, 1.0, 0.0), vec3<f32>(normal.x * part, normal.y, normal.z * part));
}

// The position of a foot on the ground.
struct Footing {
    at: vec2<f32>,            // x and z of the ankle, placed
    turn: vec4<f32>,          // rotation of the foot from the pose of the clip, in world axes
    held: bool,
    spent: bool,
}

fn yaw_turn(tangent: f32) -> vec4<f32> {
    return quat_normalize(vec4<f32>(0.0, tangent, 0.0, 1.0));
}

// Returns the tangent of half the angle about the vertical axis from one direction to another, at most 1.
fn yaw_between(from_dir: vec2<f32>, to_dir: vec2<f32>) -> f32 {
    let arc = shortest_arc(vec3<f32>(from_dir.x, 0.0, from_dir.y), vec3<f32>(to_dir.x, 0.0, to_dir.y));
    return clamp(arc.y / max(arc.w, 1e-3), -1.0, 1.0);
}

// Decides where a foot stands. During a contact, the end of the sole that carries the weight does not move. The foot therefore rolls
// without slipping and keeps its heading. Afterwards, the distance of the foot from its position in the clip decreases to zero. `slope`
// tilts the foot.
fn footing(
    character: u32,
    leg: u32,
    ankle: vec3<f32>,
    heel: vec3<f32>,
    toe: vec3<f32>,
    on_toes: bool,
    slope: vec4<f32>,
) -> Footing {
    let bit = 1u << leg;
    let place = characters[character].position.xz;
    var foot = stances[character].feet[leg];
    let leash = LEASH * body.size * abs(characters[character].scale);
    let stands = contact_of(character, leg) > 0.5;
    var was_held = (stances[character].held & bit) != 0u && stands;
    // If a character was moved elsewhere, its legs must not stretch back to its old place.
    let away = 0.5 * (foot.heel + foot.toe) - place - (ankle.xz + 0.5 * (heel.xz + toe.xz));
    let reach = JUMP * leash;
    if was_held && !(dot(away, away) < reach * reach) {
        was_held = false;
        foot = Foot();
    }
    var spent = stands && (stances[character].spent & bit) != 0u;
    let part = smooth_step(foot.weight);
    var at = ankle.xz + foot.offset * part;
    var yaw = foot.yaw * part;
    let heading = toe.xz - heel.xz;
    if was_held && dot(heading, heading) > 0.25 * dot(foot.heading, foot.heading) {
        yaw = yaw_between(heading, foot.heading);
    }
    let turn = quat_mul(slope, yaw_turn(yaw));
    let heel_at = quat_rotate(turn, heel).xz;
    let toe_at = quat_rotate(turn, toe).xz;
    if was_held {
        at = select(foot.heel - heel_at, foot.toe - toe_at, on_toes) - place;
        let offset = at - ankle.xz;
        if !(dot(offset, offset) < leash * leash && abs(yaw) < LARGEST_YAW) {
            spent = true;
        }
    }
    let held = stands && !spent;
    foot.weight = select(max(foot.weight - crowd.seconds / RELEASE, 0.0), 1.0, held);
    if held || was_held {
        foot.offset = at - ankle.xz;
        foot.yaw = yaw;
    } else if foot.weight == 0.0 {
        foot.offset = vec2<f32>(0.0);
        foot.yaw = 0.0;
    }
    foot.heel = place + at + heel_at;
    foot.toe = place + at + toe_at;
    foot.heading = quat_rotate(yaw_turn(yaw), vec3<f32>(heading.x, 0.0, heading.y)).xz;
    stances[character].feet[leg] = foot;
    return Footing(at, turn, held, spent);
}

// Returns the target of a foot. The sole lies on the slope, and is as high above the ground as it is above the floor in the clip.
fn place_foot(character: u32, leg: u32) -> FootGoal {
    let first = character * crowd.joints;
    let scale = abs(characters[character].scale);
    let place = characters[character].position;
    let ankle = placed(character, position_of(models[first + body.limb[leg].end]));
    var lowest = 1e30;
    for (var k = 0u; k < body.limb[leg].soles; k++) {
        lowest = min(lowest, sole_offset(character, leg, k, ankle).y);
    }
    let heel = sole_offset(character, leg, body.limb[leg].heel, ankle);
    let toe = sole_offset(character, leg, body.limb[leg].toe, ankle);
    let low = max(ankle.y + lowest - body.floor * scale, 0.0);
    let near = 1.0 - smooth_step(low / (LIFTED * body.size * scale));
    // The slope is measured where the foot stood in the last step, because the foot's new place depends on its rotation.
    let foot = stances[character].feet[leg];
    var below = 0.5 * (foot.heel + foot.toe);
    if (stances[character].held & (1u << leg)) == 0u {
        below = place.xz + (ankle.xz + foot.offset * smooth_step(foot.weight) + 0.5 * (heel.xz + toe.xz));
    }
    let slope = slope_turn(terrain_normal(below, max(body.foot * scale, 1e-4)));
    // While both ends are equally high, the end that carried the foot before still carries it.
    let roll = heel.y - toe.y;
    let carried = (stances[character].on_toes & (1u << leg)) != 0u;
    let on_toes = select(carried, roll > 0.0, abs(roll) > ROLL * body.foot * scale);
    let stood = footing(character, leg, ankle, heel, toe, on_toes, part_of(slope, near));
    let turn = stood.turn;
    let height = ankle_height(character, leg, ankle, turn, stood.at, low);
    let goal = vec3<f32>(stood.at.x, height, stood.at.y);
    let is_moved = any(abs(goal - ankle) > vec3<f32>(NOTHING * body.size * scale)) || any(abs(turn.xyz) > vec3<f32>(1e-6));
    return FootGoal(goal, turn, height - ankle.y, near, is_moved, stood.held, stood.spent, on_toes);
}

// Stores how all feet stand.
fn remember_feet(character: u32, feet: ptr<function, array<FootGoal, LIMBS>>) {
    var held = 0u;
    var spent = 0u;
    var on_toes = 0u;
    for (var leg = 0u; leg < min(body.legs, LIMBS); leg++) {
        held |= select(0u, 1u, (*feet)[leg].held) << leg;
        spent |= select(0u, 1u, (*feet)[leg].spent) << leg;
        on_toes |= select(0u, 1u, (*feet)[leg].on_toes) << leg;
    }
    stances[character].held = held;
    stances[character].spent = spent;
    stances[character].on_toes = on_toes;
}

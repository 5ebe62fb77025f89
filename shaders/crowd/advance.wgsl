// Advances the clips, the weights of the goals and the positions of all characters. The CPU twin is src/render/crowd/advance.rs.
// #import crowd/goal, crowd/terrain, crowd/types, rotation

// The length of a clip, and how the clip moves its character.
struct ClipInfo {
    stride: vec3<f32>,        // velocity of the character in its own space, metres per second
    seconds: f32,
    jump: vec3<f32>,          // how far the clip moves the character each time it restarts
    reserved: f32,
}

@group(0) @binding(0) var<uniform> crowd: Step;
@group(0) @binding(1) var<storage, read> clips: array<ClipInfo>;
@group(0) @binding(2) var<storage, read> heights: array<f32>;
@group(0) @binding(3) var<storage, read_write> characters: array<Character>;
@group(0) @binding(4) var<storage, read_write> goals: array<PackedGoal>;
// For each character that has arrived at its destination, the bits of x and z of its body in world metres. For each other one, NONE.
@group(0) @binding(5) var<storage, read_write> arrivals: array<vec2<u32>>;

// Characters turn back outside this fraction of the terrain around its centre.
const BORDER: f32 = 0.8;
// Characters stop turning back when the cosine of the angle between the walking direction and the direction to the centre exceeds this.
const ROUGHLY: f32 = 0.8;
// Turn rate of a character that turns back, in radians per second.
const TURN_BACK: f32 = 0.9;
// Time in seconds in which a character starts or stops walking.
const STOPPING: f32 = 0.3;
// Fractions of the radius: a character stops walking at INNER, and has arrived within ARRIVED.
const INNER: f32 = 0.9;
const ARRIVED: f32 = 0.92;
// Cosines of the angle between the walking direction and the direction to the destination. A character only turns if the cosine is below
// the first one, and walks at its full speed above the second one.
const ASIDE: f32 = 0.3;
const AHEAD: f32 = 0.8;
// Largest distance to a destination along each axis, in metres. Products of such distances are finite.
const FARTHEST: f32 = 1e9;
// Shortest duration in seconds of a clip that moves its character, so that velocities are finite.
const SHORTEST: f32 = 1e-3;

// How a character moves in a step to its destination.
struct Approach {
    half: f32,                // tangent of half the angle by which it turns
    distance: f32,            // how far it may walk at most, world metres
    stands: f32,              // the weight that the clips of a standing character approach
}

// Returns the turn rate of a character in radians per second. If it walks out of the terrain, it turns back.
fn steering(character: Character, velocity: vec3<f32>) -> f32 {
    if crowd.columns < 2u || crowd.rows < 2u {
        return character.turn;
    }
    let half = 0.5 * crowd.cell * vec2<f32>(f32(crowd.columns - 1u), f32(crowd.rows - 1u));
    let away = character.position.xz - (crowd.origin + half);
    let walk = quat_rotate(character.rotation, velocity * character.pace).xz;
    let inner = BORDER * half;
    let is_outside = abs(away.x) > inner.x || abs(away.y) > inner.y;
    // The character turns until it walks roughly towards the centre.
    if !is_outside || -dot(walk, away) > ROUGHLY * length(walk) * length(away) || all(walk == vec2<f32>(0.0)) {
        return character.turn;
    }
    // A positive turn about +Y rotates +Z towards +X.
    let side = walk.y * -away.x - walk.x * -away.y;
    return select(TURN_BACK, -TURN_BACK, side < 0.0);
}

// Returns the velocity of a character in its own space in metres per second, averaged over the clip if it has root motion.
fn clip_velocity(clip: ClipInfo) -> vec3<f32> {
    return clip.stride + clip.jump / max(clip.seconds, SHORTEST);
}

// Returns how far the root motion of its clips has carried a character away from its position, in metres of its model. The position follows
// when the clip starts over.
fn lead_of(index: u32) -> vec3<f32> {
    var lead = vec3<f32>(0.0);
    for (var i = 0u; i < LAYERS; i++) {
        let layer = characters[index].layers[i];
        if layer.clip < crowd.clips && layer.mask == NONE {
            let clip = clips[layer.clip];
            lead = mix(lead, clip.jump * (layer.time / max(clip.seconds, SHORTEST)), layer.weight);
        }
    }
    return lead;
}

// Returns whether a character has arrived. `distance` is its distance from the destination in metres, and `standing` is the weight of its
// clips for standing.
fn is_there(radius: f32, distance: f32, standing: f32) -> bool {
    return distance <= ARRIVED * radius || (standing >= 1.0 && distance <= radius);
}

// Returns the offset from x and z of a character's body to its destination, in metres.
fn destination_offset(index: u32, body: vec2<f32>) -> vec2<f32> {
    return clamp(characters[index].destination - body, vec2<f32>(-FARTHEST), vec2<f32>(FARTHEST));
}

// Returns how a character moves to its destination. It turns before it walks, so that it does not circle around the point, and slows down
// so that it stops there. `body` is x and z of its body in world metres.
fn approach(index: u32, body: vec2<f32>) -> Approach {
    var velocity = vec3<f32>(0.0);
    var standing = 0.0;
    for (var i = 0u; i < LAYERS; i++) {
        let layer = characters[index].layers[i];
        if layer.clip >= crowd.clips || layer.mask != NONE {
            continue;
        }
        if layer.stands != 0u {
            standing = max(standing, layer.weight);
            continue;
        }
        velocity = mix(velocity, clip_velocity(clips[layer.clip]) * layer.speed, layer.weight);
    }
    let character = characters[index];
    let offset = destination_offset(index, body);
    let distance = length(offset);
    let remaining = distance - INNER * character.radius;
    if is_there(character.radius, distance, standing) {
        return Approach(0.0, max(remaining, 0.0), 1.0);
    }
    var walk = quat_rotate(character.rotation, velocity * character.pace).xz;
    if all(walk == vec2<f32>(0.0)) {
        // Clips that do not walk face along +Z.
        walk = quat_rotate(character.rotation, vec3<f32>(0.0, 0.0, 1.0)).xz;
    }
    let lengths = max(length(walk) * distance, 1e-30);
    let along = dot(walk, offset);
    // A positive turn about +Y rotates +Z towards +X.
    let side = walk.y * offset.x - walk.x * offset.y;
    var wanted = side / (lengths + max(along, 0.0));
    if along < 0.0 {
        wanted = (lengths - along) / max(abs(side), 1e-6 * lengths) * select(1.0, -1.0, side < 0.0);
    }
    let limit = 0.5 * character.steering * crowd.seconds;
    let ahead = clamp((along / lengths - ASIDE) / (AHEAD - ASIDE), 0.0, 1.0);
    // While the weight of the clips of a standing character grows from 0 to 1, the character walks this far.
    let braking = 0.5 * STOPPING * length(velocity) * abs(character.pace * character.scale);
    let part = clamp(remaining / max(braking, 1e-6), 0.0, 1.0);
    return Approach(clamp(wanted, -limit, limit), remaining, 1.0 - ahead * sqrt(part));
}

@compute @workgroup_size(LANES)
fn advance(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let index = lane_index(id, groups);
    if index >= crowd.characters || characters[index].is_present == 0u {
        return;
    }
    for (var i = index * GOALS; i < index * GOALS + GOALS; i++) {
        let rate = goals[i].rate;
        if rate != 0.0 && (goals[i].flags & IS_SET) != 0u {
            goals[i].weight = clamp(goals[i].weight + rate * crowd.seconds, 0.0, 1.0);
        }
    }
    let has_destination = characters[index].radius > 0.0;
    var approached = Approach(0.0, 0.0, 0.0);
    // Where the body is. Without a destination, root motion is not considered.
    var body = characters[index].position;
    if has_destination {
        body += quat_rotate(characters[index].rotation, lead_of(index) * characters[index].scale);
        approached = approach(index, body.xz);
    }
    let change = crowd.seconds / STOPPING;
    var velocity = vec3<f32>(0.0);
    var jump = vec3<f32>(0.0);
    var can_stand = false;
    var standing = 0.0;
    for (var i = 0u; i < LAYERS; i++) {
        var layer = characters[index].layers[i];
        if layer.clip >= crowd.clips {
            continue;
        }
        let clip = clips[layer.clip];
        layer.time += layer.speed * crowd.seconds;
        if layer.stands != 0u {
            layer.weight = clamp(layer.weight + clamp(approached.stands - layer.weight, -change, change), 0.0, 1.0);
            can_stand = can_stand || layer.mask == NONE;
            standing = max(standing, select(0.0, layer.weight, layer.mask == NONE));
        } else {
            layer.weight = clamp(layer.weight + layer.rate * crowd.seconds, 0.0, 1.0);
        }
        var starts = 0.0;
        if layer.loops != 0u && clip.seconds > 0.0 {
            starts = floor(layer.time / clip.seconds);
            layer.time = clamp(layer.time - starts * clip.seconds, 0.0, clip.seconds);
        } else {
            layer.time = clamp(layer.time, 0.0, clip.seconds);
        }
        if layer.mask == NONE {
            let moves = select(clip.stride, clip_velocity(clip), has_destination);
            velocity = mix(velocity, moves * layer.speed, layer.weight);
            jump = mix(jump, clip.jump * starts, layer.weight);
        }
        characters[index].layers[i] = layer;
    }
    let character = characters[index];
    // Half the angle of the turn is so small that it is used in place of its sine.
    var half = 0.5 * steering(character, velocity) * crowd.seconds;
    // How far the character walks, in metres of its model.
    var walked = velocity * (crowd.seconds * character.pace);
    var behind = vec3<f32>(0.0);
    if has_destination {
        half = approached.half;
        if !can_stand {
            walked *= 1.0 - approached.stands;
        }
        let reach = length(walked) * abs(character.scale);
        walked *= select(1.0, approached.distance / reach, reach > approached.distance);
        behind = lead_of(index);
    } else if character.pace != 0.0 {
        // When a clip with root motion restarts, `jump` undoes the clip's own displacement, regardless of how fast the character walks.
        walked += jump;
    }
    let turn = quat_normalize(vec4<f32>(0.0, half, 0.0, 1.0));
    let rotation = quat_normalize(quat_mul(turn, character.rotation));
    body += quat_rotate(rotation, walked * character.scale);
    var position = body - quat_rotate(rotation, behind * character.scale);
    if crowd.columns > 0u {
        position.y = terrain_height(body.xz);
    }
    let distance = length(destination_offset(index, body.xz));
    let has_arrived = has_destination && is_there(character.radius, distance, standing);
    arrivals[index] = select(vec2<u32>(NONE), bitcast<vec2<u32>>(body.xz), has_arrived);
    characters[index].rotation = rotation;
    characters[index].position = position;
}

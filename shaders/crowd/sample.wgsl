// Samples the clips of all characters, and blends them into local transforms and morph weights. The CPU twin is
// src/render/crowd/sample.rs.
// #import crowd/types, rotation

// The keys of one property of a joint.
struct Track {
    first_time: u32,
    keys: u32,                // at least one
    first_value: u32,
    interpolation: u32,
}

const STEP_KEYS: u32 = 0u;
const LINEAR: u32 = 1u;
const CUBIC: u32 = 2u;

@group(0) @binding(0) var<uniform> crowd: Step;
@group(0) @binding(1) var<storage, read> characters: array<Character>;
@group(0) @binding(2) var<storage, read> tracks: array<Track>;
@group(0) @binding(3) var<storage, read> times: array<f32>;
@group(0) @binding(4) var<storage, read> values: array<vec4<f32>>;
// For each clip and each joint: the tracks of translation, rotation and scale, or NONE.
@group(0) @binding(5) var<storage, read> channels: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read> joints: array<CrowdJoint>;
@group(0) @binding(7) var<storage, read_write> locals: array<Local>;

// A position between two keys.
struct Cursor {
    key: u32,                 // the last key at or before the time, but never the last of several keys
    u: f32,                   // position between that key (0) and the next (1)
    seconds: f32,             // time from that key to the next
}

fn seek(track: Track, time: f32) -> Cursor {
    let first = track.first_time;
    let last = track.keys - 1u;
    if last == 0u || time <= times[first] {
        return Cursor(0u, 0.0, 0.0);
    }
    if time >= times[first + last] {
        return Cursor(last - 1u, 1.0, 0.0);
    }
    // Keys are often evenly spaced. The guess is then the right key.
    let start = times[first];
    let guess = u32(f32(last) * ((time - start) / (times[first + last] - start)));
    var key = min(guess, last - 1u);
    if !(times[first + key] <= time && time < times[first + key + 1u]) {
        var low = 0u;
        var high = last;
        // The time is at or after the key `low`, and before the key `high`.
        while high - low > 1u {
            let middle = (low + high) / 2u;
            if times[first + middle] <= time {
                low = middle;
            } else {
                high = middle;
            }
        }
        key = low;
    }
    let seconds = times[first + key + 1u] - times[first + key];
    return Cursor(key, clamp((time - times[first + key]) / seconds, 0.0, 1.0), seconds);
}

// Interpolates a cubic Hermite segment (glTF 2.0, appendix C.4). Each key has three parts: in-tangent, value, out-tangent.
fn cubic(first: u32, at: Cursor) -> vec4<f32> {
    let i = first + at.key * 3u;
    let u = at.u;
    let u2 = u * u;
    let u3 = u2 * u;
    return values[i + 1u] * (2.0 * u3 - 3.0 * u2 + 1.0) + values[i + 2u] * (at.seconds * (u3 - 2.0 * u2 + u))
        + values[i + 4u] * (3.0 * u2 - 2.0 * u3) + values[i + 3u] * (at.seconds * (u3 - u2));
}

// Returns the value of the key at the cursor, or of the next key if the cursor is at the end of the segment.
fn held(track: Track, at: Cursor) -> vec4<f32> {
    let key = select(at.key, at.key + 1u, at.u >= 1.0);
    if track.interpolation == CUBIC {
        return values[track.first_value + key * 3u + 1u];
    }
    return values[track.first_value + key];
}

fn sample_vector(track: Track, time: f32) -> vec4<f32> {
    let at = seek(track, time);
    if track.interpolation == STEP_KEYS || at.u <= 0.0 || at.u >= 1.0 {
        return held(track, at);
    }
    if track.interpolation == CUBIC {
        return cubic(track.first_value, at);
    }
    let first = track.first_value + at.key;
    return values[first] * (1.0 - at.u) + values[first + 1u] * at.u;
}

fn sample_rotation(track: Track, time: f32) -> vec4<f32> {
    let at = seek(track, time);
    if track.interpolation == STEP_KEYS || at.u <= 0.0 || at.u >= 1.0 {
        return quat_normalize(held(track, at));
    }
    if track.interpolation == CUBIC {
        return quat_normalize(cubic(track.first_value, at));
    }
    let first = track.first_value + at.key;
    return slerp(values[first], values[first + 1u], at.u);
}

@compute @workgroup_size(LANES)
fn sample(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let index = lane_index(id, groups);
    if index >= crowd.characters * crowd.joints {
        return;
    }
    let character = index / crowd.joints;
    let joint = index % crowd.joints;
    if characters[character].is_present == 0u {
        return;
    }
    let rest = joints[joint];
    var rotation = rest.rest_rotation;
    var translation = rest.rest_translation;
    var scale = rest.rest_scale;
    for (var i = 0u; i < LAYERS; i++) {
        let layer = characters[character].layers[i];
        var weight = layer.weight;
        if layer.clip >= crowd.clips || weight <= 0.0 {
            continue;
        }
        if layer.mask < 4u {
            weight *= rest.masks[layer.mask];
        }
        if weight <= 0.0 {
            continue;
        }
        let channel = channels[layer.clip * crowd.joints + joint];
        var next_translation = rest.rest_translation;
        var next_rotation = rest.rest_rotation;
        var next_scale = rest.rest_scale;
        if channel.x != NONE {
            next_translation = sample_vector(tracks[channel.x], layer.time).xyz;
        }
        if channel.y != NONE {
            next_rotation = sample_rotation(tracks[channel.y], layer.time);
        }
        if channel.z != NONE {
            next_scale = sample_vector(tracks[channel.z], layer.time).xyz;
        }
        if weight >= 1.0 {
            rotation = next_rotation;
            translation = next_translation;
            scale = next_scale;
        } else {
            rotation = slerp(rotation, next_rotation, weight);
            translation = mix(translation, next_translation, weight);
            scale = mix(scale, next_scale, weight);
        }
    }
    locals[index] = Local(rotation, translation, 0.0, scale, 0.0);
}

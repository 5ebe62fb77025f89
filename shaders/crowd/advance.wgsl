// Advances the clips and the places of all characters. Requires rotation.wgsl, types.wgsl and terrain.wgsl. The CPU twin is
// src/crowd/advance.rs.

// How a clip plays and moves its character.
struct ClipInfo {
    stride: vec3<f32>,        // velocity of the character in its own space, metres per second
    seconds: f32,
    jump: vec3<f32>,          // how far the clip moves the character each time it starts again
    reserved: f32,
}

@group(0) @binding(0) var<uniform> crowd: Step;
@group(0) @binding(1) var<storage, read> clips: array<ClipInfo>;
@group(0) @binding(2) var<storage, read> heights: array<f32>;
@group(0) @binding(3) var<storage, read_write> characters: array<Character>;

@compute @workgroup_size(LANES)
fn advance(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let index = lane_index(id, groups);
    if index >= crowd.characters || characters[index].is_present == 0u {
        return;
    }
    var velocity = vec3<f32>(0.0);
    var jump = vec3<f32>(0.0);
    for (var i = 0u; i < LAYERS; i++) {
        var layer = characters[index].layers[i];
        if layer.clip >= crowd.clips {
            continue;
        }
        let clip = clips[layer.clip];
        layer.time += layer.speed * crowd.seconds;
        layer.weight = clamp(layer.weight + layer.rate * crowd.seconds, 0.0, 1.0);
        var starts = 0.0;
        if layer.loops != 0u && clip.seconds > 0.0 {
            starts = floor(layer.time / clip.seconds);
            layer.time = clamp(layer.time - starts * clip.seconds, 0.0, clip.seconds);
        } else {
            layer.time = clamp(layer.time, 0.0, clip.seconds);
        }
        if layer.mask == NONE {
            velocity = mix(velocity, clip.stride * layer.speed, layer.weight);
            jump = mix(jump, clip.jump * starts, layer.weight);
        }
        characters[index].layers[i] = layer;
    }
    let character = characters[index];
    // A small turn, whose half angle is so small that its sine equals it.
    let half = 0.5 * character.turn * crowd.seconds;
    let turn = quat_normalize(vec4<f32>(0.0, half, 0.0, 1.0));
    let rotation = quat_normalize(quat_mul(turn, character.rotation));
    let moved = (velocity * crowd.seconds + jump) * (character.pace * character.scale);
    var position = character.position + quat_rotate(rotation, moved);
    if crowd.columns > 0u {
        position.y = terrain_height(position.xz);
    }
    characters[index].rotation = rotation;
    characters[index].position = position;
}

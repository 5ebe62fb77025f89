// Samples the morph weights of all characters. The CPU twin is src/render/crowd/sample.rs.
// #import crowd/sample, crowd/types

// For each clip and each morph weight: its track, or NONE. These bindings replace the joints' bindings.
@group(0) @binding(5) var<storage, read> weight_channels: array<u32>;
@group(0) @binding(6) var<storage, read> rest_weights: array<f32>;
@group(0) @binding(7) var<storage, read_write> weights: array<f32>;

@compute @workgroup_size(LANES)
fn sample_weights(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let index = lane_index(id, groups);
    if index >= crowd.characters * crowd.weights {
        return;
    }
    let character = index / crowd.weights;
    let morph = index % crowd.weights;
    if characters[character].is_present == 0u {
        return;
    }
    var value = rest_weights[morph];
    for (var i = 0u; i < LAYERS; i++) {
        let layer = characters[character].layers[i];
        // A mask selects joints, and morph weights have no joint.
        if layer.clip >= crowd.clips || layer.weight <= 0.0 || layer.mask != NONE {
            continue;
        }
        let track = weight_channels[layer.clip * crowd.weights + morph];
        var next = rest_weights[morph];
        if track != NONE {
            next = sample_vector(tracks[track], layer.time).x;
        }
        value = mix(value, next, layer.weight);
    }
    weights[index] = value;
}

// Computes model_from_joint of all joints from their local transforms. The CPU twin is src/render/crowd/world.rs.
// #import crowd/types

@group(0) @binding(0) var<uniform> crowd: Step;
@group(0) @binding(1) var<storage, read> characters: array<Character>;
@group(0) @binding(2) var<storage, read> joints: array<CrowdJoint>;
// The first joint of each level of the skeleton, followed by the number of joints.
@group(0) @binding(3) var<storage, read> levels: array<u32>;
@group(0) @binding(4) var<storage, read> locals: array<Local>;
@group(0) @binding(5) var<storage, read_write> models: array<Rows>;

fn update_model(first: u32, joint: u32) {
    let local = locals[first + joint];
    let parent = joints[joint].parent;
    var rows = rows_of(local.rotation, local.translation, local.scale);
    if parent != NONE {
        rows = rows_mul(models[first + parent], rows);
    }
    models[first + joint] = rows;
}

// Uses one lane per character, for short skeletons.
@compute @workgroup_size(LANES)
fn world_by_lane(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let character = lane_index(id, groups);
    if character >= crowd.characters || characters[character].is_present == 0u {
        return;
    }
    for (var joint = 0u; joint < crowd.joints; joint++) {
        update_model(character * crowd.joints, joint);
    }
}

// Uses one workgroup per character. Its lanes share the joints of a level, whose parents are in earlier levels.
@compute @workgroup_size(LANES)
fn world_by_group(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let character = group.y * groups.x + group.x;
    let is_posed = character < crowd.characters;
    for (var level = 0u; level < crowd.levels; level++) {
        for (var joint = levels[level] + lane; joint < levels[level + 1u] && is_posed; joint += LANES) {
            update_model(character * crowd.joints, joint);
        }
        storageBarrier();
    }
}

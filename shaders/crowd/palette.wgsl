// Computes the palettes of all characters, and the spheres around them. The CPU twin is src/render/crowd/palette.rs.
// #import crowd/types, placed

// A matrix of the palette.
struct Bone {
    joint_from_mesh: Rows,
    joint: u32,
    reserved: array<u32, 3>,
}

@group(0) @binding(0) var<uniform> crowd: Step;
@group(0) @binding(1) var<storage, read> characters: array<Character>;
@group(0) @binding(2) var<storage, read> joints: array<CrowdJoint>;
@group(0) @binding(3) var<storage, read> models: array<Rows>;
@group(0) @binding(4) var<storage, read> bones: array<Bone>;
@group(0) @binding(5) var<storage, read_write> palettes: array<Rows>;
@group(0) @binding(6) var<storage, read_write> placed: array<Placed>;

fn world_from_model(character: u32) -> Rows {
    let scale = vec3<f32>(characters[character].scale);
    return rows_of(characters[character].rotation, characters[character].position, scale);
}

@compute @workgroup_size(LANES)
fn palette(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let index = lane_index(id, groups);
    if index >= crowd.characters * crowd.bones {
        return;
    }
    let character = index / crowd.bones;
    if characters[character].is_present == 0u {
        return;
    }
    let bone = bones[index % crowd.bones];
    let model_from_mesh = rows_mul(models[character * crowd.joints + bone.joint], bone.joint_from_mesh);
    palettes[index] = rows_mul(world_from_model(character), model_from_mesh);
}

// A box in model space.
struct Box {
    low: vec3<f32>,
    high: vec3<f32>,
}

// Returns the box around the spheres of every `stride`-th joint.
fn box_of(character: u32, from_joint: u32, stride: u32) -> Box {
    var low = vec3<f32>(3.4e38);
    var high = vec3<f32>(-3.4e38);
    for (var joint = from_joint; joint < crowd.joints; joint += stride) {
        let radius = joints[joint].radius;
        let m = models[character * crowd.joints + joint];
        let center = vec3<f32>(m.x.w, m.y.w, m.z.w);
        let reach = radius * stretch(m);
        // A joint without vertices has a negative radius.
        low = select(low, min(low, center - reach), radius >= 0.0);
        high = select(high, max(high, center + reach), radius >= 0.0);
    }
    return Box(low, high);
}

fn place_sphere(character: u32, around: Box) {
    if characters[character].is_present == 0u {
        placed[character] = Placed(vec4<f32>(0.0, 0.0, 0.0, -1.0), vec4<f32>(0.0), 1.0, array<u32, 3>());
        return;
    }
    let place = world_from_model(character);
    let center = row_point(place, 0.5 * (around.low + around.high));
    let scale = abs(characters[character].scale);
    let size = length(around.high - around.low) * scale;
    let radius = select(-1.0, 0.5 * size, around.low.x <= around.high.x);
    placed[character] = Placed(vec4<f32>(center, radius), characters[character].tint, scale, array<u32, 3>());
}

// Uses one lane for each character, for short skeletons.
@compute @workgroup_size(LANES)
fn enclose_by_lane(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let character = lane_index(id, groups);
    if character < crowd.characters {
        place_sphere(character, box_of(character, 0u, 1u));
    }
}

var<workgroup> boxes: array<Box, LANES>;

// Uses one workgroup for each character, for long skeletons.
@compute @workgroup_size(LANES)
fn enclose_by_group(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let character = group.y * groups.x + group.x;
    let is_used = character < crowd.characters;
    if is_used {
        boxes[lane] = box_of(character, lane, LANES);
    }
    for (var half = LANES / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if lane < half {
            boxes[lane].low = min(boxes[lane].low, boxes[lane + half].low);
            boxes[lane].high = max(boxes[lane].high, boxes[lane + half].high);
        }
    }
    if is_used && lane == 0u {
        place_sphere(character, boxes[0]);
    }
}

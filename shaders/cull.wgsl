// Finds the instances that a camera or a light can see, and writes the records and the arguments of their draws. The CPU twin is
// src/render/culling.rs.
// #import many_bones, placed, skinning

// The planes around the visible space, first the camera's and then the key light's. A point is inside if its dot product
// with each plane is not negative.
struct CullViews {
    planes: array<vec4<f32>, 12>,
}

// The size of a list of instances.
struct CullSize {
    instances: u32,
    bones: u32,               // matrices per instance
    weights: u32,             // morph weights per instance
    stride: u32,              // records per group
    groups: u32,
    parts: u32,
    view: u32,                // 0 for the camera, 1 for the key light
    reserved: u32,
}

const LANES: u32 = 256u;
// Words of the arguments of an indexed draw: indices, instances, first index, base vertex, first instance.
const ARGUMENTS: u32 = 5u;

@group(0) @binding(0) var<uniform> views: CullViews;
@group(0) @binding(1) var<uniform> size: CullSize;
@group(0) @binding(2) var<storage, read> placed: array<Placed>;
// For each group of parts, the indices of its first matrix and its first morph weight within the data of an instance.
@group(0) @binding(3) var<storage, read> groups: array<vec2<u32>>;
// For each instance, its number among the visible ones of its block of `LANES` instances, counted from 1, or 0 if it is not visible. Then,
// for each block, the number of its visible instances, which `sum_blocks` replaces by the number of those before it.
@group(0) @binding(4) var<storage, read_write> seen: array<u32>;
@group(0) @binding(5) var<storage, read_write> records: array<Instance>;
@group(0) @binding(6) var<storage, read_write> arguments: array<u32>;

var<workgroup> sums: array<u32, LANES>;

// Returns the sum of the values of all lanes up to and including this one (Hillis & Steele 1986, "Data Parallel Algorithms").
fn sum_up_to(lane: u32, value: u32) -> u32 {
    sums[lane] = value;
    workgroupBarrier();
    for (var reach = 1u; reach < LANES; reach *= 2u) {
        var before = 0u;
        if lane >= reach {
            before = sums[lane - reach];
        }
        workgroupBarrier();
        sums[lane] += before;
        workgroupBarrier();
    }
    return sums[lane];
}

fn block_count() -> u32 {
    return (size.instances + LANES - 1u) / LANES;
}

@compute @workgroup_size(LANES)
fn cull(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let block = id.y * workgroups.x + id.x;
    let index = block * LANES + lane;
    var is_seen = false;
    if index < size.instances {
        let sphere = placed[index].sphere;
        is_seen = sphere.w >= 0.0;
        for (var i = 0u; i < 6u; i++) {
            let plane = views.planes[size.view * 6u + i];
            // Planes are not normalised.
            is_seen = is_seen && dot(plane, vec4<f32>(sphere.xyz, 1.0)) >= -sphere.w * length(plane.xyz);
        }
    }
    let number = sum_up_to(lane, select(0u, 1u, is_seen));
    if index < size.instances {
        seen[index] = select(0u, number, is_seen);
    }
    if lane == LANES - 1u && block < block_count() {
        seen[size.instances + block] = number;
    }
}

// One workgroup. Each lane sums a share of the blocks.
@compute @workgroup_size(LANES)
fn sum_blocks(@builtin(local_invocation_index) lane: u32) {
    let share = (block_count() + LANES - 1u) / LANES;
    let first = size.instances + min(lane * share, block_count());
    let end = size.instances + min((lane + 1u) * share, block_count());
    var count = 0u;
    for (var i = first; i < end; i++) {
        count += seen[i];
    }
    let all = sum_up_to(lane, count);
    var before = all - count;
    for (var i = first; i < end; i++) {
        let own = seen[i];
        seen[i] = before;
        before += own;
    }
    if lane == LANES - 1u {
        for (var part = 0u; part < size.parts; part++) {
            arguments[part * ARGUMENTS + 1u] = all;
        }
    }
}

// Writes the records of the visible instances in order.
@compute @workgroup_size(LANES)
fn record(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    let instance = id.y * workgroups.x * LANES + id.x;
    if instance >= size.instances || seen[instance] == 0u {
        return;
    }
    let index = seen[size.instances + instance / LANES] + seen[instance] - 1u;
    for (var group = 0u; group < size.groups; group++) {
        let first = groups[group];
        let matrix = (instance * size.bones + first.x) * 3u;
        let weight = instance * size.weights + first.y;
        records[group * size.stride + index] = Instance(placed[instance].tint, matrix, weight, vec2<u32>(0u));
    }
}

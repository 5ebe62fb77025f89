// Finds the instances that a camera or a light can see, and writes the records and the arguments of their draws. Requires
// skinning.wgsl and placed.wgsl. The CPU twin is src/render/culling.rs.

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

const CULL_LANES: u32 = 64u;
const COMPACT_LANES: u32 = 256u;
// Words of the arguments of an indexed draw: indices, instances, first index, base vertex, first instance.
const ARGUMENTS: u32 = 5u;

@group(0) @binding(0) var<uniform> views: CullViews;
@group(0) @binding(1) var<uniform> size: CullSize;
@group(0) @binding(2) var<storage, read> placed: array<Placed>;
// For each group of parts, the indices of its first matrix and its first morph weight within the data of an instance.
@group(0) @binding(3) var<storage, read> groups: array<vec2<u32>>;
// A flag for each instance, then the visible instances in order, then their number.
@group(0) @binding(4) var<storage, read_write> seen: array<u32>;
@group(0) @binding(5) var<storage, read_write> records: array<Instance>;
@group(0) @binding(6) var<storage, read_write> arguments: array<u32>;

@compute @workgroup_size(CULL_LANES)
fn cull(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    let index = id.y * workgroups.x * CULL_LANES + id.x;
    if index >= size.instances {
        return;
    }
    let sphere = placed[index].sphere;
    var is_seen = sphere.w >= 0.0;
    for (var i = 0u; i < 6u; i++) {
        let plane = views.planes[size.view * 6u + i];
        // Planes are not normalised.
        is_seen = is_seen && dot(plane, vec4<f32>(sphere.xyz, 1.0)) >= -sphere.w * length(plane.xyz);
    }
    seen[index] = select(0u, 1u, is_seen);
}

var<workgroup> counts: array<u32, 256>;

// One workgroup. Each lane lists the visible instances in its share, so that they stay in order.
@compute @workgroup_size(COMPACT_LANES)
fn compact(@builtin(local_invocation_index) lane: u32) {
    let share = (size.instances + COMPACT_LANES - 1u) / COMPACT_LANES;
    let first = min(lane * share, size.instances);
    let end = min(first + share, size.instances);
    var count = 0u;
    for (var i = first; i < end; i++) {
        count += seen[i];
    }
    counts[lane] = count;
    workgroupBarrier();
    var before = 0u;
    for (var i = 0u; i < lane; i++) {
        before += counts[i];
    }
    for (var i = first; i < end; i++) {
        if seen[i] != 0u {
            seen[size.instances + before] = i;
            before++;
        }
    }
    if lane == COMPACT_LANES - 1u {
        seen[2u * size.instances] = before;
        for (var part = 0u; part < size.parts; part++) {
            arguments[part * ARGUMENTS + 1u] = before;
        }
    }
}

@compute @workgroup_size(CULL_LANES)
fn record(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    let index = id.y * workgroups.x * CULL_LANES + id.x;
    if index >= size.instances || index >= seen[2u * size.instances] {
        return;
    }
    let instance = seen[size.instances + index];
    for (var group = 0u; group < size.groups; group++) {
        let first = groups[group];
        let matrix = (instance * size.bones + first.x) * 3u;
        let weight = instance * size.weights + first.y;
        records[group * size.stride + index] = Instance(placed[instance].tint, matrix, weight, vec2<u32>(0u));
    }
}

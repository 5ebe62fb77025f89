// Finds the instances that a camera or a light can see, chooses their levels of detail, and writes the records and the arguments of their
// draws. The CPU twin is src/render/culling.rs.
// #import many_bones, placed, skinning

// The planes around the visible space, first the camera's and then the key light's. A point is inside if its dot product
// with each plane is not negative.
struct CullViews {
    planes: array<vec4<f32>, 12>,
    pixels: array<vec4<f32>, 2>, // for each view, the width of a pixel in metres: the dot product with a point
    camera: array<vec4<f32>, 4>, // the rows of the camera's matrix from world space to clip space
    area: vec2<f32>,             // width and height of the image in pixels
    reserved: vec2<f32>,
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
    pixel_error: f32,         // largest error of a level in pixels
    errors: array<vec4<f32>, 2>, // errors of all levels except the full one, in lengths of the model
}

const LANES: u32 = 256u;
// Words of the arguments of an indexed draw: indices, instances, first index, base vertex, first instance.
const ARGUMENTS: u32 = 5u;
// Number of levels of detail. Each part has a draw for each level.
const LEVELS: u32 = 9u;

@group(0) @binding(0) var<uniform> views: CullViews;
@group(0) @binding(1) var<uniform> size: CullSize;
@group(0) @binding(2) var<storage, read> placed: array<Placed>;
// For each group of parts, the indices of its first matrix and its first morph weight within the data of an instance.
@group(0) @binding(3) var<storage, read> groups: array<vec2<u32>>;
// For each instance, its level in the upper half, and in the lower half its number among the listed ones of its level in its block of
// `LANES` instances, counted from 1, or 0 if it is not listed. Then, for each level and each block, the number of listed instances, which
// `sum_blocks` replaces by the number of those before them in the list.
@group(0) @binding(4) var<storage, read_write> seen: array<u32>;
@group(0) @binding(5) var<storage, read_write> records: array<Instance>;
// The arguments of the draws, and the number of instances that are in view but hidden.
@group(0) @binding(6) var<storage, read_write> arguments: array<u32>;

var<workgroup> sums: array<vec3<u32>, LANES>;

// Returns the sum of the values of all lanes up to and including this one (Hillis & Steele 1986, "Data Parallel Algorithms").
fn sum_up_to(lane: u32, value: vec3<u32>) -> vec3<u32> {
    sums[lane] = value;
    workgroupBarrier();
    for (var reach = 1u; reach < LANES; reach *= 2u) {
        var before = vec3<u32>(0u);
        if lane >= reach {
            before = sums[lane - reach];
        }
        workgroupBarrier();
        sums[lane] += before;
        workgroupBarrier();
    }
    return sums[lane];
}

// Numbers of instances in all levels, up to `LANES` in each, have ten bits each, so a word has three levels.
fn one_in(level: u32) -> vec3<u32> {
    let one = 1u << (level % 3u * 10u);
    return select(vec3<u32>(0u), vec3<u32>(one), vec3<u32>(level / 3u) == vec3<u32>(0u, 1u, 2u));
}

fn count_in(level: u32, counts: vec3<u32>) -> u32 {
    return (counts[level / 3u] >> (level % 3u * 10u)) & 1023u;
}

fn block_count() -> u32 {
    return (size.instances + LANES - 1u) / LANES;
}

// Returns the index of the number of hidden instances.
fn hidden_count() -> u32 {
    return size.parts * LEVELS * ARGUMENTS;
}

fn is_inside(sphere: vec4<f32>) -> bool {
    var is_inside = sphere.w >= 0.0;
    for (var i = 0u; i < 6u; i++) {
        let plane = views.planes[size.view * 6u + i];
        // Planes are not normalised.
        is_inside = is_inside && dot(plane, vec4<f32>(sphere.xyz, 1.0)) >= -sphere.w * length(plane.xyz);
    }
    return is_inside;
}

// Returns the coarsest level whose error is small in the image.
fn level_of(sphere: vec4<f32>, scale: f32) -> u32 {
    let pixel = views.pixels[size.view];
    // At the point of the sphere where pixels are narrowest.
    let width = dot(pixel, vec4<f32>(sphere.xyz, 1.0)) - sphere.w * length(pixel.xyz);
    var level = 0u;
    for (var i = 0u; i < LEVELS - 1u; i++) {
        if size.errors[i / 4u][i % 4u] * scale <= size.pixel_error * width {
            level = i + 1u;
        }
    }
    return level;
}

// Numbers the listed instances of a block. All lanes of the workgroup must call this function.
fn number(block: u32, lane: u32, is_listed: bool) {
    let index = block * LANES + lane;
    var level = 0u;
    if is_listed {
        level = level_of(placed[index].sphere, placed[index].scale);
    }
    let numbers = sum_up_to(lane, select(vec3<u32>(0u), one_in(level), is_listed));
    if index < size.instances {
        seen[index] = select(0u, (level << 16u) | count_in(level, numbers), is_listed);
    }
    if lane == LANES - 1u && block < block_count() {
        for (var i = 0u; i < LEVELS; i++) {
            seen[size.instances + i * block_count() + block] = count_in(i, numbers);
        }
    }
}

// Lists all instances in view.
@compute @workgroup_size(LANES)
fn cull(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let block = id.y * workgroups.x + id.x;
    let index = block * LANES + lane;
    var is_listed = false;
    if index < size.instances {
        is_listed = is_inside(placed[index].sphere);
    }
    if index == 0u {
        arguments[hidden_count()] = 0u;
    }
    number(block, lane, is_listed);
}

// One workgroup. Each lane sums a share of the blocks of each level.
@compute @workgroup_size(LANES)
fn sum_blocks(@builtin(local_invocation_index) lane: u32) {
    let share = (block_count() + LANES - 1u) / LANES;
    var listed = 0u;
    for (var level = 0u; level < LEVELS; level++) {
        let blocks = size.instances + level * block_count();
        let first = blocks + min(lane * share, block_count());
        let end = blocks + min((lane + 1u) * share, block_count());
        var count = 0u;
        for (var i = first; i < end; i++) {
            count += seen[i];
        }
        let up_to = sum_up_to(lane, vec3<u32>(count, 0u, 0u)).x;
        var before = listed + up_to - count;
        for (var i = first; i < end; i++) {
            let own = seen[i];
            seen[i] = before;
            before += own;
        }
        let of_level = sums[LANES - 1u].x;
        workgroupBarrier();
        for (var part = lane; part < size.parts; part += LANES) {
            let draw = (part * LEVELS + level) * ARGUMENTS;
            arguments[draw + 1u] = of_level;
            arguments[draw + 4u] = listed;
        }
        listed += of_level;
    }
}

// Writes the records of the listed instances: level by level, and in order in each level.
@compute @workgroup_size(LANES)
fn record(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    let instance = id.y * workgroups.x * LANES + id.x;
    if instance >= size.instances || seen[instance] == 0u {
        return;
    }
    let level = seen[instance] >> 16u;
    let before = seen[size.instances + level * block_count() + instance / LANES];
    let index = before + (seen[instance] & 0xffffu) - 1u;
    for (var group = 0u; group < size.groups; group++) {
        let first = groups[group];
        let matrix = (instance * size.bones + first.x) * 3u;
        let weight = instance * size.weights + first.y;
        records[group * size.stride + index] = Instance(placed[instance].tint, matrix, weight, vec2<u32>(0u));
    }
}

// Lists the instances that the camera sees in two phases. The first phase draws those that it saw in the last frame. Their depths and those
// of all other surfaces hide instances from the second phase, which draws the rest. The CPU twin is src/render/culling/occlusion.rs.
// #import cull

// For each instance, `VISIBLE` if the second phase of the last frame did not find it hidden, and `DRAWN` if the first phase of this frame
// draws it.
@group(1) @binding(0) var<storage, read_write> states: array<u32>;
// The number of instances in view that neither phase draws. It is zero before the second phase.
@group(1) @binding(1) var<storage, read_write> hidden: atomic<u32>;
// The farthest depths of squares of pixels. A texel of the first level is two pixels wide, and a texel of any other level is twice as wide
// as one of the level before it.
@group(2) @binding(0) var farthest: texture_depth_2d;

const VISIBLE: u32 = 1u;
const DRAWN: u32 = 2u;
// Largest width and height, in texels, of the part of a level that is read.
const MOST_TEXELS: u32 = 4u;
// Spheres are made larger by this factor, and nearer by this depth, because vertex shaders and rasterizers round differently.
const GROWTH: f32 = 1.01;
const DEPTH_MARGIN: f32 = 2e-6;
// The same for rectangles, in pixels.
const PIXEL_MARGIN: f32 = 1.0;
// A sphere is not tested if the distance of its centre from the plane of the eye is less than this multiple of its radius.
const NEAREST: f32 = 1.25;

// Returns the smallest and the largest value of a coordinate in the image (x, y or depth) of a sphere that is in front of the eye. Its planes
// of constant coordinate touch the sphere there (Mara & McGuire 2013, "2D Polyhedral Bounds of a Clipped, Perspective-Projected 3D Sphere").
// This holds for orthographic cameras, too. `row` is the coordinate's row of the camera's matrix.
fn range_of(row: vec4<f32>, center: vec3<f32>, radius: f32) -> vec2<f32> {
    let w_row = views.camera[3];
    let along = dot(row, vec4<f32>(center, 1.0));
    let w = dot(w_row, vec4<f32>(center, 1.0));
    let across = w * row.xyz - along * w_row.xyz;
    let turned = radius * cross(row.xyz, w_row.xyz);
    let middle = along * w - radius * radius * dot(row.xyz, w_row.xyz);
    let half = radius * sqrt(max(dot(across, across) - dot(turned, turned), 0.0));
    return vec2<f32>(middle - half, middle + half) / (w * w - radius * radius * dot(w_row.xyz, w_row.xyz));
}

// Returns whether nearer surfaces cover all pixels that a sphere may cover.
fn is_hidden(sphere: vec4<f32>) -> bool {
    let radius = GROWTH * sphere.w;
    let w = dot(views.camera[3], vec4<f32>(sphere.xyz, 1.0));
    if w < NEAREST * radius * length(views.camera[3].xyz) {
        return false;
    }
    let x = (0.5 + 0.5 * range_of(views.camera[0], sphere.xyz, radius)) * views.area.x;
    let y = (0.5 - 0.5 * range_of(views.camera[1], sphere.xyz, radius).yx) * views.area.y;
    let depth = range_of(views.camera[2], sphere.xyz, radius).x - DEPTH_MARGIN;
    let last = views.area - 1.0;
    let low = vec2<u32>(clamp(vec2<f32>(x.x, y.x) - PIXEL_MARGIN, vec2<f32>(0.0), last));
    let high = vec2<u32>(clamp(vec2<f32>(x.y, y.y) + PIXEL_MARGIN, vec2<f32>(0.0), last));
    var level = 0u;
    var from_texel = low >> vec2<u32>(1u);
    var to_texel = high >> vec2<u32>(1u);
    while level + 1u < textureNumLevels(farthest) && any(to_texel - from_texel >= vec2<u32>(MOST_TEXELS)) {
        from_texel >>= vec2<u32>(1u);
        to_texel >>= vec2<u32>(1u);
        level += 1u;
    }
    var deepest = 0.0;
    for (var v = from_texel.y; v <= to_texel.y; v++) {
        for (var u = from_texel.x; u <= to_texel.x; u++) {
            deepest = max(deepest, textureLoad(farthest, vec2<u32>(u, v), level));
        }
    }
    return depth > deepest;
}

// Lists the instances that the camera saw in the last frame.
@compute @workgroup_size(LANES)
fn first_phase(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let block = id.y * workgroups.x + id.x;
    let index = block * LANES + lane;
    var is_listed = false;
    if index < size.instances {
        is_listed = (states[index] & VISIBLE) != 0u && is_inside(placed[index].sphere);
        states[index] = (states[index] & VISIBLE) | select(0u, DRAWN, is_listed);
    }
    number(block, lane, is_listed);
}

// Lists the other instances that are not hidden.
@compute @workgroup_size(LANES)
fn second_phase(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let block = id.y * workgroups.x + id.x;
    let index = block * LANES + lane;
    var is_listed = false;
    if index < size.instances {
        let is_drawn = (states[index] & DRAWN) != 0u;
        let sphere = placed[index].sphere;
        let is_in_view = is_inside(sphere);
        let is_visible = is_in_view && !is_hidden(sphere);
        states[index] = select(0u, VISIBLE, is_visible) | select(0u, DRAWN, is_drawn);
        is_listed = is_visible && !is_drawn;
        if is_in_view && !is_visible && !is_drawn {
            atomicAdd(&hidden, 1u);
        }
    }
    number(block, lane, is_listed);
}

// Lists all instances that the two phases draw, and reports how many are hidden. Runs after the second phase.
@compute @workgroup_size(LANES)
fn both_phases(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let block = id.y * workgroups.x + id.x;
    let index = block * LANES + lane;
    var is_listed = false;
    if index < size.instances {
        is_listed = states[index] != 0u;
    }
    if index == 0u {
        // The next count begins at zero, also if the frame contains the same instances twice.
        arguments[hidden_count()] = atomicExchange(&hidden, 0u);
    }
    number(block, lane, is_listed);
}

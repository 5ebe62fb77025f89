// Finds the characters near a ray. The CPU twin is src/render/crowd/pick.rs.
// #import crowd/types, placed

struct PickRay {
    origin: vec3<f32>,        // world metres
    reserved: f32,
    direction: vec3<f32>,     // a unit vector
    reserved_2: f32,
}

@group(0) @binding(0) var<uniform> crowd: Step;
@group(0) @binding(1) var<uniform> ray: PickRay;
@group(0) @binding(2) var<storage, read> placed: array<Placed>;
// For each character, the distance at which the ray enters its bounding sphere, or 0 if the ray misses it.
@group(0) @binding(3) var<storage, read_write> entries: array<f32>;

// Spheres are larger by this factor, and also by this fraction of their distance, so that rounding errors do not matter.
const MARGIN: f32 = 1.001;
const ROUNDING: f32 = 1e-6;
// The distance to a sphere that contains the origin of the ray, in metres.
const NEAREST: f32 = 1e-6;

// Returns the distance along the ray to a bounding sphere, or 0 if the ray misses the sphere. The sphere of a free slot has a negative
// radius.
fn entry_of(sphere: vec4<f32>) -> f32 {
    let offset = sphere.xyz - ray.origin;
    let along = dot(offset, ray.direction);
    let aside = offset - along * ray.direction;
    let larger = MARGIN * sphere.w + ROUNDING * abs(along);
    let square = larger * larger - dot(aside, aside);
    if !(sphere.w >= 0.0) || !(square >= 0.0) {
        return 0.0;
    }
    let half = sqrt(square);
    if along + half < 0.0 {
        return 0.0;
    }
    return max(along - half, NEAREST);
}

@compute @workgroup_size(LANES)
fn pick(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let character = lane_index(id, groups);
    if character < crowd.characters {
        entries[character] = entry_of(placed[character].sphere);
    }
}

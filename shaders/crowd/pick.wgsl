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
@group(0) @binding(2) var<storage, read> characters: array<Character>;
@group(0) @binding(3) var<storage, read> joints: array<CrowdJoint>;
@group(0) @binding(4) var<storage, read> models: array<Rows>;
@group(0) @binding(5) var<storage, read> placed: array<Placed>;
// For each character, the distance at which the ray enters its spheres, or 0 if the ray misses them.
@group(0) @binding(6) var<storage, read_write> entries: array<f32>;

// Spheres are larger by this factor, so that rounding errors do not matter.
const MARGIN: f32 = 1.001;
// The distance to a sphere that contains the origin of the ray, in metres.
const NEAREST: f32 = 1e-6;

// Returns the distance along the ray to a sphere, or 0 if the ray misses the sphere.
fn meet_sphere(center: vec3<f32>, radius: f32) -> f32 {
    let offset = center - ray.origin;
    let along = dot(offset, ray.direction);
    let aside = offset - along * ray.direction;
    let larger = MARGIN * radius;
    let square = larger * larger - dot(aside, aside);
    if !(radius >= 0.0) || !(square >= 0.0) {
        return 0.0;
    }
    let half = sqrt(square);
    if along + half < 0.0 {
        return 0.0;
    }
    return max(along - half, NEAREST);
}

// Returns the distance along the ray to the nearest sphere around a joint, or 0 if the ray misses all of them.
fn entry_of(character: u32) -> f32 {
    let sphere = placed[character].sphere;
    if meet_sphere(sphere.xyz, sphere.w) == 0.0 {
        return 0.0;
    }
    let scale = characters[character].scale;
    let place = rows_of(characters[character].rotation, characters[character].position, vec3<f32>(scale));
    var nearest = 0.0;
    for (var joint = 0u; joint < crowd.joints; joint++) {
        let model = models[character * crowd.joints + joint];
        let center = row_point(place, vec3<f32>(model.x.w, model.y.w, model.z.w));
        let radius = joints[joint].radius;
        // A joint without vertices has a negative radius.
        if radius >= 0.0 {
            let distance = meet_sphere(center, radius * stretch(model) * abs(scale));
            if distance > 0.0 && (nearest == 0.0 || distance < nearest) {
                nearest = distance;
            }
        }
    }
    return nearest;
}

@compute @workgroup_size(LANES)
fn pick(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let character = lane_index(id, groups);
    if character >= crowd.characters {
        return;
    }
    var entry = 0.0;
    if characters[character].is_present != 0u {
        entry = entry_of(character);
    }
    entries[character] = entry;
}

// The transform of Li & Peng 2013 ("Transform", an HLSL vertex shader), ported and repaired.
//
// Theirs takes position, normal, texture coordinate, four weights and four bone indices; moves the position by `Local`;
// sums four weighted bone matrices; projects by `WorldViewProjection`; and hands on the normal, the eye direction and
// the light direction. Here the same names do the same, but
//   - normals are skinned too, through the cofactor matrix of the blend (theirs go through `World` alone);
//   - `BoneMatrices` is a storage buffer of any length, and `Local` and `World` are folded into it;
//   - a second set of four influences is honoured;
//   - morph targets are added first;
//   - weights sum to one when they get here.
// Its twin on the CPU is src/skin/linear.rs: the same steps in the same order.

// A vertex as it stands in the vertex buffer, and in storage for `skin_vertices`.
struct Vertex {
    @location(0) position_u: vec4<f32>,   // xyz, u of texture coordinate 0
    @location(1) normal_v: vec4<f32>,     // xyz, v of texture coordinate 0
    @location(2) tangent: vec4<f32>,      // xyz, handedness
    @location(3) color: vec4<f32>,        // linear RGBA
    @location(4) weights_0: vec4<f32>,
    @location(5) weights_1: vec4<f32>,
    @location(6) bones_0: vec2<u32>,      // four u16
    @location(7) bones_1: vec2<u32>,
    @location(8) texcoord_1: vec2<f32>,
    @location(9) padding: vec2<f32>,
}

struct UvTransform {
    linear: vec4<f32>,                    // columns of a 2×2 matrix
    offset_set: vec4<f32>,                // xy: offset, z: which set
}

// A primitive and its surface.
struct Part {
    base_color: vec4<f32>,
    emissive_normal_scale: vec4<f32>,     // rgb, factor on the normal map
    surface: vec4<f32>,                   // metallic, roughness, occlusion strength, alpha cutoff
    uv: array<UvTransform, 5>,            // base colour, metallic-roughness, normal, occlusion, emissive
    first_matrix: u32,
    morph_targets: u32,
    first_delta: u32,
    first_weight: u32,
    vertices: u32,
    flags: u32,
    reserved: vec2<u32>,
}

const HAS_NORMALS: u32 = 1u;
const HAS_TANGENTS: u32 = 2u;
const ALPHA_MASK: u32 = 4u;
const ALPHA_BLEND: u32 = 8u;
const DOUBLE_SIDED: u32 = 16u;
const UNLIT: u32 = 32u;

// Not a uniform: software drivers compile a shader anew for each value of a uniform that a branch depends on.
@group(1) @binding(0) var<storage, read> part: Part;
@group(1) @binding(1) var<storage, read> bone_matrices: array<mat4x4<f32>>;
// Position, normal and tangent displacement, vertex by vertex, target by target.
@group(1) @binding(2) var<storage, read> morph_deltas: array<vec4<f32>>;
@group(1) @binding(3) var<storage, read> morph_weights: array<f32>;

struct Skinned {
    position: vec3<f32>,
    normal: vec3<f32>,
    tangent: vec3<f32>,
}

fn bone(packed: vec2<u32>, i: u32) -> mat4x4<f32> {
    let word = packed[i >> 1u];
    return bone_matrices[part.first_matrix + ((word >> ((i & 1u) * 16u)) & 0xFFFFu)];
}

fn blend(bones: vec2<u32>, weights: vec4<f32>) -> mat4x4<f32> {
    return bone(bones, 0u) * weights.x + bone(bones, 1u) * weights.y
        + bone(bones, 2u) * weights.z + bone(bones, 3u) * weights.w;
}

fn normalize_or_zero(v: vec3<f32>) -> vec3<f32> {
    let l = length(v);
    return select(vec3<f32>(0.0), v / l, l > 0.0);
}

// World position, normal and tangent of a vertex.
fn skin(v: Vertex, index: u32) -> Skinned {
    var position = v.position_u.xyz;
    var normal = v.normal_v.xyz;
    var tangent = v.tangent.xyz;
    for (var target_index = 0u; target_index < part.morph_targets; target_index++) {
        let weight = morph_weights[part.first_weight + target_index];
        if weight != 0.0 {
            let delta = part.first_delta + (target_index * part.vertices + index) * 3u;
            position += weight * morph_deltas[delta].xyz;
            normal += weight * morph_deltas[delta + 1u].xyz;
            tangent += weight * morph_deltas[delta + 2u].xyz;
        }
    }
    var world_from_mesh = blend(v.bones_0, v.weights_0);
    if any(v.weights_1 != vec4<f32>(0.0)) {
        world_from_mesh = world_from_mesh + blend(v.bones_1, v.weights_1);
    }
    let x = world_from_mesh[0].xyz;
    let y = world_from_mesh[1].xyz;
    let z = world_from_mesh[2].xyz;
    let yz = cross(y, z);
    // The cofactor matrix is the inverse transpose up to the determinant; only the sign of that matters here.
    let side = select(1.0, -1.0, dot(x, yz) < 0.0);
    let turned = yz * normal.x + cross(z, x) * normal.y + cross(x, y) * normal.z;
    var out: Skinned;
    out.position = (world_from_mesh * vec4<f32>(position, 1.0)).xyz;
    out.normal = normalize_or_zero(turned * side);
    out.tangent = x * tangent.x + y * tangent.y + z * tangent.z;
    return out;
}

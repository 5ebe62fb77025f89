// The vertex transform of Li & Peng 2013 ("Transform", an HLSL vertex shader), ported and corrected.
//
// The original takes a position, a normal, a texture coordinate, four weights and four bone indices. It moves the
// position by `Local`, sums four weighted bone matrices, projects with `WorldViewProjection`, and outputs the normal,
// the eye direction and the light direction. Here the same names have the same meaning, with these differences: -
// normals are skinned too, with the cofactor matrix of the blend (the original only transforms them by `World`); -
// `BoneMatrices` is a storage buffer of any length, and includes `Local` and `World`; - a second set of four influences
// is supported; - morph targets are applied first; - weights must already be normalised to a sum of one; - the light
// shines from a constant direction, whereas the original subtracts the vertex from a light position.
// src/skin/linear.rs performs the same steps in the same order on the CPU. The blend of dual quaternions by Kavan et
// al. 2007 is available as well, with src/skin/dual.rs as its CPU counterpart.

// A vertex in the vertex buffer, and in the storage buffer of `skin_vertices`.
struct Vertex {
    @location(0) position_u: vec4<f32>,   // xyz: position; w: u of texture coordinate 0
    @location(1) normal_v: vec4<f32>,     // xyz: normal; w: v of texture coordinate 0
    @location(2) tangent: vec4<f32>,      // xyz: tangent; w: handedness
    @location(3) color: vec4<f32>,        // linear RGBA
    @location(4) weights_0: vec4<f32>,
    @location(5) weights_1: vec4<f32>,
    @location(6) bones_0: vec2<u32>,      // four u16 indices
    @location(7) bones_1: vec2<u32>,
    @location(8) texcoord_1: vec2<f32>,
    @location(9) padding: vec2<f32>,
}

struct UvTransform {
    linear: vec4<f32>,                    // columns of a 2×2 matrix
    offset_set: vec4<f32>,                // xy: offset; z: texture coordinate set
}

// A primitive and its material.
struct Part {
    base_color: vec4<f32>,
    emissive_normal_scale: vec4<f32>,     // rgb: emissive colour; w: scale of the normal map
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

// Features of a part, fixed when a pipeline is created, as in surface.wgsl.
override MORPHED: bool = false;
override SECOND_SET: bool = false;
override DUAL_QUATERNIONS: bool = false;

// `part` is not a uniform buffer, because software drivers recompile a shader for each value of a uniform on which a
// branch depends.
@group(1) @binding(0) var<storage, read> part: Part;
@group(1) @binding(1) var<storage, read> bone_matrices: array<mat4x4<f32>>;
// Displacements of position, normal and tangent for each vertex, target by target.
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

// Returns a bone's dual quaternion and stretch, multiplied by its weight. The first two columns are the real and the
// dual part of the dual quaternion. The other two contain the stretch: xx yy zz xy, then yz zx. A quaternion and its
// negative describe the same rotation, so this uses the one whose dot product with the pivot is not negative.
fn weighted_dual(bone: mat4x4<f32>, weight: f32, pivot: vec4<f32>) -> mat4x4<f32> {
    let side = select(weight, -weight, dot(bone[0], pivot) < 0.0);
    return mat4x4<f32>(bone[0] * side, bone[1] * side, bone[2] * weight, bone[3] * weight);
}

fn blend_duals(bones: vec2<u32>, weights: vec4<f32>, pivot: vec4<f32>) -> mat4x4<f32> {
    return weighted_dual(bone(bones, 0u), weights.x, pivot) + weighted_dual(bone(bones, 1u), weights.y, pivot)
        + weighted_dual(bone(bones, 2u), weights.z, pivot) + weighted_dual(bone(bones, 3u), weights.w, pivot);
}

fn turn(q: vec4<f32>, v: vec3<f32>) -> vec3<f32> {
    return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}

// Kavan et al. 2007: applies the blended stretch, then the blended dual quaternion.
fn skin_dual(v: Vertex, position: vec3<f32>, normal: vec3<f32>, tangent: vec3<f32>) -> Skinned {
    let pivot = bone(v.bones_0, 0u)[0];
    var sum = blend_duals(v.bones_0, v.weights_0, pivot);
    if SECOND_SET && any(v.weights_1 != vec4<f32>(0.0)) {
        sum = sum + blend_duals(v.bones_1, v.weights_1, pivot);
    }
    let l = length(sum[0]);
    let real = select(vec4<f32>(0.0, 0.0, 0.0, 1.0), sum[0] / l, l > 0.0);
    let dual = select(vec4<f32>(0.0), sum[1] / l, l > 0.0);
    let x = vec3<f32>(sum[2].x, sum[2].w, sum[3].y);
    let y = vec3<f32>(sum[2].w, sum[2].y, sum[3].x);
    let z = vec3<f32>(sum[3].y, sum[3].x, sum[2].z);
    let yz = cross(y, z);
    let side = select(1.0, -1.0, dot(x, yz) < 0.0);
    let turned = yz * normal.x + cross(z, x) * normal.y + cross(x, y) * normal.z;
    let translation = 2.0 * (real.w * dual.xyz - dual.w * real.xyz + cross(real.xyz, dual.xyz));
    var out: Skinned;
    out.position = turn(real, x * position.x + y * position.y + z * position.z) + translation;
    out.normal = normalize_or_zero(turn(real, turned * side));
    out.tangent = turn(real, x * tangent.x + y * tangent.y + z * tangent.z);
    return out;
}

fn normalize_or_zero(v: vec3<f32>) -> vec3<f32> {
    let l = length(v);
    return select(vec3<f32>(0.0), v / l, l > 0.0);
}

// Returns the world position, normal and tangent of a vertex.
fn skin(v: Vertex, index: u32) -> Skinned {
    var position = v.position_u.xyz;
    var normal = v.normal_v.xyz;
    var tangent = v.tangent.xyz;
    if MORPHED {
        for (var target_index = 0u; target_index < part.morph_targets; target_index++) {
            let weight = morph_weights[part.first_weight + target_index];
            if weight != 0.0 {
                let delta = part.first_delta + (target_index * part.vertices + index) * 3u;
                position += weight * morph_deltas[delta].xyz;
                normal += weight * morph_deltas[delta + 1u].xyz;
                tangent += weight * morph_deltas[delta + 2u].xyz;
            }
        }
    }
    if DUAL_QUATERNIONS {
        return skin_dual(v, position, normal, tangent);
    }
    var world_from_mesh = blend(v.bones_0, v.weights_0);
    if SECOND_SET && any(v.weights_1 != vec4<f32>(0.0)) {
        world_from_mesh = world_from_mesh + blend(v.bones_1, v.weights_1);
    }
    let x = world_from_mesh[0].xyz;
    let y = world_from_mesh[1].xyz;
    let z = world_from_mesh[2].xyz;
    let yz = cross(y, z);
    // The cofactor matrix equals the inverse transpose times the determinant. Only the sign of the determinant matters
    // here, because the normal is normalised afterwards.
    let side = select(1.0, -1.0, dot(x, yz) < 0.0);
    let turned = yz * normal.x + cross(z, x) * normal.y + cross(x, y) * normal.z;
    var out: Skinned;
    out.position = (world_from_mesh * vec4<f32>(position, 1.0)).xyz;
    out.normal = normalize_or_zero(turned * side);
    out.tangent = x * tangent.x + y * tangent.y + z * tangent.z;
    return out;
}

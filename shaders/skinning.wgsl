// The vertex transform of Li & Peng 2013 ("Transform", an HLSL vertex shader), ported and corrected.
//
// The original takes a position, a normal, a texture coordinate, four weights and four bone indices. It moves the
// position by `Local`, sums its transforms by four weighted bone matrices, projects with `WorldViewProjection`, and outputs the normal,
// the eye direction and the light direction. These are all differences:
//
// - Normals are skinned too, with the cofactor matrix of the blend. The original transforms them by `World` alone.
// - `BoneMatrices` can have any length. It includes `Local` and `World`, so only the camera's matrix is applied after it. Positions are
//   column vectors.
// - The matrices are blended, and the position is transformed once. The original sums four transformed positions. A matrix has three rows,
//   because the fourth is always (0, 0, 0, 1). Each instance has an offset into the matrices.
// - Bone indices are integers of 16 bits, packed in pairs. The original casts four floats.
// - The fourth weight is not stored: w₄ = 1 − (w₁ + w₂ + w₃), minus the weights of a second set. Weights must be normalised to a
//   sum of one. src/character/skin/linear.rs uses the stored weight.
// - A second set of four influences is supported, and morph targets are applied before skinning.
// - Normals are normalised. They are zero where a blend flattens the surface.
// - `eye_direction` (surface.wgsl) points from the world position to the eye, and is normalised for each pixel. The original subtracts the
//   projected position.
// - The light shines from a constant direction, a uniform. The original outputs `LightPosition` − `Pos` for each vertex.
// - The texture coordinate is passed on, as in the original, but each texture may then move, turn and scale it (base_color.wgsl).
// - The inputs are named `position`, `normal`, `texcoord_0`, `weights` and `joints` instead of `inputPosition`, `inputNormal`,
//   `inputTexCoord`, `weights` and `bones`. The outputs (varyings.wgsl) are named `clip`, `normal`, `texcoord_0` and
//   `eye_direction` instead of `Pos`, `Normal`, `Texcoord` and `EyeDir`. Tangents, colours and a second texture coordinate are added.
//
// The functions read data from fetch_storage.wgsl or fetch_texture.wgsl, and bones.wgsl or many_bones.wgsl.
//
// src/character/skin/linear.rs performs the same steps in the same order on the CPU. The blend of dual quaternions by Kavan et
// al. 2007 is available as well, with src/character/skin/dual.rs as its CPU counterpart.
// #import bones | many_bones, fetch_storage | fetch_texture

// Data that determines the position of a vertex. This is the only stream of vertices that shadows read.
struct Vertex {
    @location(0) position: vec3<f32>,
    @location(1) weights: vec3<f32>,      // of the first three influences. The fourth has the rest
    @location(2) joints: vec2<u32>,       // four u16 indices
}

// Data that determines the appearance of a vertex, in a separate stream.
struct VertexSurface {
    @location(3) normal: vec3<f32>,
    @location(4) texcoord_0: vec2<f32>,
    @location(5) texcoord_1: vec2<f32>,
    @location(6) tangent: vec4<f32>,      // xyz: tangent; w: handedness
    @location(7) color: vec4<f32>,        // linear RGBA
}

struct UvTransform {
    linear: vec4<f32>,                    // columns of a 2×2 matrix
    offset_set: vec4<f32>,                // xy: offset; z: texture coordinate set
}

// A primitive and its material. All instances share it.
struct PartConstants {
    base_color: vec4<f32>,
    emissive_normal_scale: vec4<f32>,     // rgb: emissive colour; w: scale of the normal map
    surface: vec4<f32>,                   // metallic, roughness, occlusion strength, alpha cutoff
    dielectric: vec4<f32>,                // non-metallic reflectance from the front (rgb) and at grazing angles (w)
    specular: vec4<f32>,                  // rgb: reflectance from the front for full strength; w: index of refraction
    clearcoat: vec4<f32>,                 // cover, roughness, scale of the normal map; w: dispersion
    sheen: vec4<f32>,                     // rgb: colour; w: roughness
    volume: vec4<f32>,                    // rgb: absorption per metre; w: thickness in the space of the mesh
    iridescence: vec4<f32>,               // cover, index of refraction, least and greatest thickness in nanometres
    anisotropy: vec4<f32>,                // strength, cosine and sine of the rotation; w: transmission
    // The rest is for toon.wgsl.
    shade: vec4<f32>,                     // rgb: colour of the shade; w: shift of its edge
    toon: vec4<f32>,                      // sharpness of the edge, equalization of ambient light, lift and lighting mix of the rim
    rim: vec4<f32>,                       // rgb: colour of the rim; w: exponent of its falloff
    matcap: vec4<f32>,                    // rgb: factor of the matcap; w: factor of the texture of the shift
    outline: vec4<f32>,                   // rgb: colour of the outline; w: its lighting mix
    outline_width: vec4<f32>,             // in world metres, and in heights of the image. One of them is zero
    uv_motion: vec4<f32>,                 // xy: offset of moving textures; z: their angle
    // Base colour, metallic-roughness, normal, occlusion, emissive, then the slots of extra_maps.wgsl.
    uv: array<UvTransform, 12>,
    morph_targets: u32,
    first_delta: u32,                     // index of its first displacement in `vertex_extras`
    first_influence: u32,                 // index of its first second set of influences in `vertex_extras`
    vertices: u32,
}

// One occurrence of a part in a frame.
struct Instance {
    tint: vec4<f32>,                      // linear RGBA, a factor of the base colour
    first_matrix: u32,                    // index of the first vector in `bones`
    first_weight: u32,
    reserved: vec2<u32>,
}

// Features of a part, fixed when a pipeline is created, as in surface.wgsl.
override MORPHED: bool = false;
override SECOND_SET: bool = false;
override DUAL_QUATERNIONS: bool = false;
// Whether the bone matrices are in `few_bones` instead of `bones`. If each vertex reads a storage buffer at a different index, a software
// driver reads one number at a time, which takes several times as long as reading a uniform buffer.
override FEW_BONES: bool = false;

struct Skinned {
    position: vec3<f32>,
    normal: vec3<f32>,
    tangent: vec3<f32>,
    side: f32,                            // -1 where the mesh is mirrored, which changes the side of bitangents
    scale: f32,                           // of lengths in the mesh, the cube root of the scale of volumes
}

// Four influences of a vertex.
struct Influences {
    joints: vec4<u32>,
    weights: vec4<f32>,
}

// Returns both sets of influences of a vertex. The second one is empty unless SECOND_SET is set.
fn influences(v: Vertex, index: u32) -> array<Influences, 2> {
    let joints = vec4<u32>(v.joints.x & 0xFFFFu, v.joints.x >> 16u, v.joints.y & 0xFFFFu, v.joints.y >> 16u);
    var second = Influences(vec4<u32>(0u), vec4<f32>(0.0));
    var rest = 1.0 - v.weights.x - v.weights.y - v.weights.z;
    if SECOND_SET {
        let at = part.first_influence + index * 2u;
        second = Influences(vec4<u32>(vertex_extra(at + 1u)), vertex_extra(at));
        rest -= second.weights.x + second.weights.y + second.weights.z + second.weights.w;
    }
    return array<Influences, 2>(Influences(joints, vec4<f32>(v.weights, rest)), second);
}

// Returns the rows of a bone's matrix, as columns.
fn bone(first: u32, joint: u32) -> mat3x4<f32> {
    let at = first + joint * 3u;
    return mat3x4<f32>(bone_vector(at), bone_vector(at + 1u), bone_vector(at + 2u));
}

fn blend(first: u32, by: Influences) -> mat3x4<f32> {
    return bone(first, by.joints.x) * by.weights.x + bone(first, by.joints.y) * by.weights.y
        + bone(first, by.joints.z) * by.weights.z + bone(first, by.joints.w) * by.weights.w;
}

fn dual_bone(first: u32, joint: u32) -> mat4x4<f32> {
    let at = first + joint * 4u;
    return mat4x4<f32>(bone_vector(at), bone_vector(at + 1u), bone_vector(at + 2u), bone_vector(at + 3u));
}

// Returns a bone's dual quaternion and stretch, multiplied by its weight. The first two columns are the real and the
// dual part of the dual quaternion. The other two contain the stretch: xx yy zz xy, then yz zx. A quaternion and its
// negative describe the same rotation, so this uses the one whose dot product with the pivot is not negative.
fn weighted_dual(bone: mat4x4<f32>, weight: f32, pivot: vec4<f32>) -> mat4x4<f32> {
    let side = select(weight, -weight, dot(bone[0], pivot) < 0.0);
    return mat4x4<f32>(bone[0] * side, bone[1] * side, bone[2] * weight, bone[3] * weight);
}

fn blend_duals(first: u32, by: Influences, pivot: vec4<f32>) -> mat4x4<f32> {
    return weighted_dual(dual_bone(first, by.joints.x), by.weights.x, pivot)
        + weighted_dual(dual_bone(first, by.joints.y), by.weights.y, pivot)
        + weighted_dual(dual_bone(first, by.joints.z), by.weights.z, pivot)
        + weighted_dual(dual_bone(first, by.joints.w), by.weights.w, pivot);
}

fn turn(q: vec4<f32>, v: vec3<f32>) -> vec3<f32> {
    return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}

// Kavan et al. 2007: applies the blended stretch, then the blended dual quaternion.
fn skin_dual(
    sets: array<Influences, 2>,
    first: u32,
    position: vec3<f32>,
    normal: vec3<f32>,
    tangent: vec3<f32>,
) -> Skinned {
    let pivot = dual_bone(first, sets[0].joints.x)[0];
    var sum = blend_duals(first, sets[0], pivot);
    if SECOND_SET && any(sets[1].weights != vec4<f32>(0.0)) {
        sum = sum + blend_duals(first, sets[1], pivot);
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
    out.scale = pow(abs(dot(x, yz)), 1.0 / 3.0);
    out.tangent = turn(real, x * tangent.x + y * tangent.y + z * tangent.z);
    out.side = side;
    return out;
}

fn normalize_or_zero(v: vec3<f32>) -> vec3<f32> {
    let l = length(v);
    return select(vec3<f32>(0.0), v / l, l > 0.0);
}

// Returns the world position, normal and tangent of a vertex of an instance, given its normal and its tangent in the mesh.
fn skin(v: Vertex, mesh_normal: vec3<f32>, mesh_tangent: vec3<f32>, index: u32, instance: u32) -> Skinned {
    let first = first_matrix(instance);
    let sets = influences(v, index);
    var position = v.position;
    var normal = mesh_normal;
    var tangent = mesh_tangent;
    if MORPHED {
        let weights = first_weight(instance);
        for (var target_index = 0u; target_index < part.morph_targets; target_index++) {
            let weight = morph_weight(weights + target_index);
            if weight != 0.0 {
                let delta = part.first_delta + (target_index * part.vertices + index) * 3u;
                position += weight * vertex_extra(delta).xyz;
                normal += weight * vertex_extra(delta + 1u).xyz;
                tangent += weight * vertex_extra(delta + 2u).xyz;
            }
        }
    }
    if DUAL_QUATERNIONS {
        return skin_dual(sets, first, position, normal, tangent);
    }
    var rows = blend(first, sets[0]);
    if SECOND_SET && any(sets[1].weights != vec4<f32>(0.0)) {
        rows = rows + blend(first, sets[1]);
    }
    let x = vec3<f32>(rows[0].x, rows[1].x, rows[2].x);
    let y = vec3<f32>(rows[0].y, rows[1].y, rows[2].y);
    let z = vec3<f32>(rows[0].z, rows[1].z, rows[2].z);
    let w = vec3<f32>(rows[0].w, rows[1].w, rows[2].w);
    let yz = cross(y, z);
    // The cofactor matrix equals the inverse transpose times the determinant. Only the sign of the determinant matters
    // here, because the normal is normalised afterwards.
    let side = select(1.0, -1.0, dot(x, yz) < 0.0);
    let turned = yz * normal.x + cross(z, x) * normal.y + cross(x, y) * normal.z;
    var out: Skinned;
    out.position = x * position.x + y * position.y + z * position.z + w;
    out.normal = normalize_or_zero(turned * side);
    out.scale = pow(abs(dot(x, yz)), 1.0 / 3.0);
    out.tangent = x * tangent.x + y * tangent.y + z * tangent.z;
    out.side = side;
    return out;
}

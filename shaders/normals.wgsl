// Normals and tangent frames of surfaces.
// #import base_color, surface

// Used instead of the index of a map to select the untransformed texture coordinates.
const NO_MAP: u32 = 99u;

// Returns a vector with a length of one, or zero for a zero vector. It is less exact than `normalize_or_zero` and takes less time, because
// it does not divide.
fn unit_or_zero(v: vec3<f32>) -> vec3<f32> {
    return v * inverseSqrt(max(dot(v, v), 1e-37));
}

// Returns the unit normal that points outwards. If the mesh has no normals, this is the normal of the triangle,
// computed from derivatives. The cross product of the x derivative and the y derivative points away from the viewer, so
// its operands are swapped.
fn outside_normal(in: Surface, front: bool) -> vec3<f32> {
    let world = -in.eye_direction;
    let towards_viewer = cross(dpdy(world), dpdx(world));
    let flat_normal = select(-towards_viewer, towards_viewer, front);
    return unit_or_zero(select(flat_normal, in.normal, has(HAS_NORMALS)));
}

// The tangent frame of a texture from derivatives (Schüler 2006), for meshes without tangents. The tangent points in the
// direction of increasing u. The bitangent points in the direction of decreasing v, which is up in glTF's normal maps.
fn derived_tangent(normal: vec3<f32>, world: vec3<f32>, duv1: vec2<f32>, duv2: vec2<f32>) -> mat3x3<f32> {
    let dp1 = dpdx(world);
    let dp2 = dpdy(world);
    let p2 = cross(dp2, normal);
    let p1 = cross(normal, dp1);
    // The dot product is negative if the normal faces the viewer, because y increases downwards in the image.
    let side = select(1.0, -1.0, dot(normal, cross(dp1, dp2)) < 0.0);
    let t = (p2 * duv1.x + p1 * duv2.x) * side;
    let b = (p2 * duv1.y + p1 * duv2.y) * -side;
    let scale = inverseSqrt(max(max(dot(t, t), dot(b, b)), 1e-30));
    return mat3x3<f32>(t * scale, b * scale, normal);
}

// Returns tangent, bitangent and normal for a map, or for the first texture coordinates if `map` is NO_MAP. Without any texture
// coordinates, tangent and bitangent are zero.
fn tangent_frame(in: Surface, outward: vec3<f32>, map: u32) -> mat3x3<f32> {
    var duv1 = dpdx(in.texcoord).xy;
    var duv2 = dpdy(in.texcoord).xy;
    if map != NO_MAP {
        duv1 = uv_linear(map, dpdx(in.texcoord));
        duv2 = uv_linear(map, dpdy(in.texcoord));
    }
    let derived = derived_tangent(outward, -in.eye_direction, duv1, duv2);
    let t = unit_or_zero(in.tangent.xyz - outward * dot(outward, in.tangent.xyz));
    let from_mesh = mat3x3<f32>(t, cross(outward, t) * in.tangent.w, outward);
    let use_mesh_tangents = has(HAS_TANGENTS);
    return mat3x3<f32>(
        select(derived[0], from_mesh[0], use_mesh_tangents),
        select(derived[1], from_mesh[1], use_mesh_tangents),
        outward,
    );
}

// Returns the outward unit normal after a texel of a normal map is applied to it.
fn mapped_normal(in: Surface, outward: vec3<f32>, map: u32, texel: vec3<f32>, scale: f32) -> vec3<f32> {
    var n = texel * 2.0 - 1.0;
    n = vec3<f32>(n.xy * scale, n.z);
    return unit_or_zero(tangent_frame(in, outward, map) * n);
}

// Increases the roughness of a surface according to the rotation of its normal within a pixel, so that lamps do not sparkle on smooth,
// strongly curved surfaces (Tokuyoshi & Kaplanyan 2019, "Improved Geometric Specular Antialiasing").
fn widened(roughness: f32, n: vec3<f32>) -> f32 {
    let across = dpdx(n);
    let down = dpdy(n);
    let variance = 0.25 * (dot(across, across) + dot(down, down));
    let a = roughness * roughness;
    return sqrt(sqrt(min(a * a + min(2.0 * variance, 0.18), 1.0)));
}

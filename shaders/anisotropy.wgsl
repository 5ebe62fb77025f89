// Reflections that are stretched along a direction of the surface.
// #import base_color, extra_maps, layers, normals, seven_slots | five_slots, surface

// Returns the direction along which reflections are stretched, and the strength, which is zero if the mesh has no texture coordinates.
fn grain(in: Surface, outward: vec3<f32>, n: vec3<f32>) -> vec4<f32> {
    let turn = material.anisotropy.yz;
    var strength = material.anisotropy.x;
    var direction = turn;
    var map = NO_MAP;
    if NORMAL_MAP {
        map = 2u;
    }
    if ANISOTROPY_MAP != 0u {
        let texel = extra_map(ANISOTROPY_MAP, in.texcoord).rgb;
        let d = texel.rg * 2.0 - 1.0;
        direction = vec2<f32>(turn.x * d.x - turn.y * d.y, turn.y * d.x + turn.x * d.y);
        strength *= texel.b;
        map = slot_map(ANISOTROPY_MAP);
    }
    let frame = tangent_frame(in, outward, map);
    let along = frame[0] * direction.x + frame[1] * direction.y;
    let t = unit_or_zero(along - n * dot(n, along));
    return vec4<f32>(t, strength * dot(t, t));
}

// The distribution and visibility of GGX with two roughnesses (Burley 2012, Heitz 2014).
fn stretched_ggx(m: Material, n: vec3<f32>, v: vec3<f32>, l: vec3<f32>) -> f32 {
    let t = m.grain.xyz;
    let b = cross(n, t);
    let h = unit_or_zero(v + l);
    let across = m.roughness * m.roughness;
    let along = mix(across, 1.0, m.grain.w * m.grain.w);
    let f = vec3<f32>(dot(t, h) / along, dot(b, h) / across, dot(n, h));
    let square = max(dot(f, f), 1e-8);
    let d = 1.0 / (3.14159265 * along * across * square * square);
    let nl = max(dot(n, l), 0.0);
    let nv = max(dot(n, v), 1e-4);
    let seen = nl * length(vec3<f32>(along * dot(t, v), across * dot(b, v), nv));
    let lit = nv * length(vec3<f32>(along * dot(t, l), across * dot(b, l), nl));
    return d * 0.5 / (seen + lit + 1e-5);
}

// Returns the normal for the reflection of an environment. It is bent towards the camera, but not rotated about the direction of the grain,
// so that it changes little along the grain.
fn bent_normal(m: Material, n: vec3<f32>, v: vec3<f32>) -> vec3<f32> {
    let b = cross(n, m.grain.xyz);
    let facing = unit_or_zero(v - b * dot(b, v));
    let bend = 1.0 - m.grain.w * (1.0 - m.roughness);
    return unit_or_zero(mix(facing, n, bend * bend * (bend * bend)));
}

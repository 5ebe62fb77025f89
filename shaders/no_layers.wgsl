// Replaces the layers of materials for surfaces without them: a driver would otherwise spend most of a shader's compile time on code that
// is then removed.
// #import surface

fn grain(in: Surface, outward: vec3<f32>, n: vec3<f32>) -> vec4<f32> {
    return vec4<f32>(0.0);
}

fn stretched_ggx(m: Material, n: vec3<f32>, v: vec3<f32>, l: vec3<f32>) -> f32 {
    return 0.0;
}

fn bent_normal(m: Material, n: vec3<f32>, v: vec3<f32>) -> vec3<f32> {
    return n;
}

fn with_film(base: Material, texcoord: vec4<f32>, nv: f32) -> Material {
    return base;
}

fn transmitted_share(texcoord: vec4<f32>) -> f32 {
    return 0.0;
}

fn behind(in: Surface, n: vec3<f32>, v: vec3<f32>, roughness: f32) -> Behind {
    return Behind(vec4<f32>(0.0), vec3<f32>(0.0));
}

fn with_sheen(below: Look, texcoord: vec4<f32>, n: vec3<f32>, v: vec3<f32>, nv: f32, l: Lighting) -> Look {
    return below;
}

fn with_clearcoat(below: Look, in: Surface, outward: vec3<f32>, side: f32, v: vec3<f32>, l: Lighting) -> Look {
    return below;
}

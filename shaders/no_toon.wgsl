// Replaces MToon for surfaces without it.
// #import surface

fn moved_texcoord(texcoord: vec4<f32>) -> vec4<f32> {
    return texcoord;
}

fn toon_color(in: Surface, base: vec3<f32>, outward: vec3<f32>, side: f32) -> vec3<f32> {
    return base;
}

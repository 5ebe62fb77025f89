// Light from all directions: spherical harmonics, and a texture of the light that surfaces of increasing roughness reflect. The texture
// maps directions to an octahedron (src/render/light/octahedron.rs).
// #import globals

@group(2) @binding(2) var environment_map: texture_2d<f32>;
@group(2) @binding(3) var environment_sampler: sampler;

// Half the fraction of the texture's width that the octahedron covers, and the index of the texture's last level.
const HALF_CONTENT: f32 = 0.4375;
const LAST_LEVEL: f32 = 4.0;

// Rotates a direction from the world into the space of the light, which may have a rotation.
fn in_environment(d: vec3<f32>) -> vec3<f32> {
    let turn = globals.environment.xy;
    return vec3<f32>(turn.x * d.x - turn.y * d.z, d.y, turn.y * d.x + turn.x * d.z);
}

fn from_environment(d: vec3<f32>) -> vec3<f32> {
    let turn = globals.environment.xy;
    return vec3<f32>(turn.x * d.x + turn.y * d.z, d.y, turn.x * d.z - turn.y * d.x);
}

// The brightness of a white matt surface with a normal, without the key light.
fn irradiance(n: vec3<f32>) -> vec3<f32> {
    let e = &globals.irradiance;
    let sum = (*e)[0].rgb + (*e)[1].rgb * n.x + (*e)[2].rgb * n.y + (*e)[3].rgb * n.z
        + (*e)[4].rgb * (n.x * n.y) + (*e)[5].rgb * (n.y * n.z) + (*e)[6].rgb * (n.x * n.z)
        + (*e)[7].rgb * (3.0 * n.y * n.y - 1.0) + (*e)[8].rgb * (n.x * n.x - n.z * n.z);
    return max(sum, vec3<f32>(0.0));
}

// The light that a surface of the given roughness reflects from a direction.
fn reflected(d: vec3<f32>, roughness: f32) -> vec3<f32> {
    let inner = d.xz / (abs(d.x) + abs(d.y) + abs(d.z));
    let outer = (1.0 - abs(inner.yx)) * select(vec2<f32>(-1.0), vec2<f32>(1.0), inner >= vec2<f32>(0.0));
    let at = select(outer, inner, d.y >= 0.0) * HALF_CONTENT + 0.5;
    return textureSampleLevel(environment_map, environment_sampler, at, roughness * LAST_LEVEL).rgb;
}

// Base colour and alpha cutoff of a surface.
// #import skinning

override BASE_COLOR_MAP: bool = false;
// The properties on which branches depend, as a sum of the bits below.
override FLAGS: u32 = 0u;

const HAS_NORMALS: u32 = 1u;
const HAS_TANGENTS: u32 = 2u;
const ALPHA_MASK: u32 = 4u;
const ALPHA_BLEND: u32 = 8u;
const UNLIT: u32 = 16u;
const CLEARCOAT: u32 = 32u;
const SHEEN: u32 = 64u;
const TRANSMISSION: u32 = 128u;
const IRIDESCENCE: u32 = 256u;
const ANISOTROPY: u32 = 512u;
const DISPERSION: u32 = 1024u;
const GLOSSINESS: u32 = 2048u;
const TOON: u32 = 4096u;
const MOVING_TEXTURES: u32 = 8192u;

// A copy of the part's record. Software drivers read a storage buffer separately for each pixel, but a uniform buffer once. No
// branch may depend only on this copy, because drivers would recompile the shader for each of its values.
@group(3) @binding(12) var<uniform> material: PartConstants;
@group(3) @binding(0) var base_color_map: texture_2d<f32>;
@group(3) @binding(1) var base_color_sampler: sampler;

// Selects one of the two sets of texture coordinates of the vertex for a map, and transforms it.
fn uv_of(map: u32, texcoord: vec4<f32>) -> vec2<f32> {
    return uv_linear(map, texcoord) + material.uv[map].offset_set.xy;
}

// Applies the linear part of a map's texture transform to coordinates or to their derivatives.
fn uv_linear(map: u32, texcoord: vec4<f32>) -> vec2<f32> {
    let t = material.uv[map];
    let coordinate = select(texcoord.xy, texcoord.zw, t.offset_set.z > 0.5);
    return t.linear.xy * coordinate.x + t.linear.zw * coordinate.y;
}

fn look_up(image: texture_2d<f32>, image_sampler: sampler, map: u32, texcoord: vec4<f32>) -> vec4<f32> {
    let across = uv_linear(map, dpdx(texcoord));
    let down = uv_linear(map, dpdy(texcoord));
    return textureSampleGrad(image, image_sampler, uv_of(map, texcoord), across, down);
}

fn has(flag: u32) -> bool {
    return (FLAGS & flag) != 0u;
}

// Base colour in linear RGBA. `vertex_color` is a factor, and `texcoord` contains both sets.
fn base_color(vertex_color: vec4<f32>, texcoord: vec4<f32>) -> vec4<f32> {
    var color = material.base_color * vertex_color;
    if BASE_COLOR_MAP {
        color *= look_up(base_color_map, base_color_sampler, 0u, texcoord);
    }
    return color;
}

fn is_cut_out(alpha: f32) -> bool {
    return has(ALPHA_MASK) && alpha < material.surface.w;
}

// Base colour and alpha cutoff of a surface. Requires skinning.wgsl.

override BASE_COLOR_MAP: bool = false;

@group(3) @binding(0) var base_color_map: texture_2d<f32>;
@group(3) @binding(1) var base_color_sampler: sampler;

// Returns the texture coordinates for a map, selected from the two sets of the vertex and transformed.
fn uv_of(map: u32, texcoord: vec4<f32>) -> vec2<f32> {
    return uv_linear(map, texcoord) + part.uv[map].offset_set.xy;
}

// Applies the linear part of a map's texture transform, to coordinates or to their derivatives. Do not differentiate
// the result: this function reads the transform from memory, and software drivers do not read memory for helper pixels
// outside a triangle.
fn uv_linear(map: u32, texcoord: vec4<f32>) -> vec2<f32> {
    let t = part.uv[map];
    let coordinate = select(texcoord.xy, texcoord.zw, t.offset_set.z > 0.5);
    return t.linear.xy * coordinate.x + t.linear.zw * coordinate.y;
}

fn look_up(image: texture_2d<f32>, image_sampler: sampler, map: u32, texcoord: vec4<f32>) -> vec4<f32> {
    let across = uv_linear(map, dpdx(texcoord));
    let down = uv_linear(map, dpdy(texcoord));
    return textureSampleGrad(image, image_sampler, uv_of(map, texcoord), across, down);
}

fn has(flag: u32) -> bool {
    return (part.flags & flag) != 0u;
}

// Base colour in linear RGBA. `vertex_color` is a factor, and `texcoord` contains both sets.
fn base_color(vertex_color: vec4<f32>, texcoord: vec4<f32>) -> vec4<f32> {
    var color = part.base_color * vertex_color;
    if BASE_COLOR_MAP {
        color *= look_up(base_color_map, base_color_sampler, 0u, texcoord);
    }
    return color;
}

fn is_cut_out(alpha: f32) -> bool {
    return has(ALPHA_MASK) && alpha < part.surface.w;
}

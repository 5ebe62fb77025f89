// The colour of a surface, and where it is cut out. Follows skinning.wgsl.

override BASE_COLOR_MAP: bool = false;

@group(3) @binding(0) var base_color_map: texture_2d<f32>;
@group(3) @binding(1) var base_color_sampler: sampler;

// Where a map is looked up, from both sets of texture coordinates.
fn uv_of(map: u32, texcoord: vec4<f32>) -> vec2<f32> {
    return slope_of(map, texcoord) + part.uv[map].offset_set.xy;
}

// How that changes from pixel to pixel, from how both sets do. Nobody else may differentiate it: the transform comes from
// memory, which software drivers do not read for the neighbours of a triangle's border.
fn slope_of(map: u32, slope: vec4<f32>) -> vec2<f32> {
    let t = part.uv[map];
    let uv = select(slope.xy, slope.zw, t.offset_set.z > 0.5);
    return t.linear.xy * uv.x + t.linear.zw * uv.y;
}

fn look_up(picture: texture_2d<f32>, how: sampler, map: u32, texcoord: vec4<f32>) -> vec4<f32> {
    let across = slope_of(map, dpdx(texcoord));
    let down = slope_of(map, dpdy(texcoord));
    return textureSampleGrad(picture, how, uv_of(map, texcoord), across, down);
}

fn has(flag: u32) -> bool {
    return (part.flags & flag) != 0u;
}

// Linear RGBA. `vertex_color` is a factor; `texcoord` holds both sets.
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

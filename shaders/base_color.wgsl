// The colour of a surface, and where it is cut out. Follows skinning.wgsl.

override BASE_COLOR_MAP: bool = false;

@group(3) @binding(0) var base_color_map: texture_2d<f32>;
@group(3) @binding(1) var base_color_sampler: sampler;

fn uv_of(map: u32, texcoord: vec4<f32>) -> vec2<f32> {
    let t = part.uv[map];
    let uv = select(texcoord.xy, texcoord.zw, t.offset_set.z > 0.5);
    return t.linear.xy * uv.x + t.linear.zw * uv.y + t.offset_set.xy;
}

fn has(flag: u32) -> bool {
    return (part.flags & flag) != 0u;
}

// Linear RGBA. `vertex_color` is a factor; `texcoord` holds both sets.
fn base_color(vertex_color: vec4<f32>, texcoord: vec4<f32>) -> vec4<f32> {
    var color = part.base_color * vertex_color;
    if BASE_COLOR_MAP {
        color *= textureSample(base_color_map, base_color_sampler, uv_of(0u, texcoord));
    }
    return color;
}

fn is_cut_out(alpha: f32) -> bool {
    return has(ALPHA_MASK) && alpha < part.surface.w;
}

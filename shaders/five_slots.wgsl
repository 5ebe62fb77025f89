// Five texture slots, for adapters on which the vertex data takes two textures (fetch_texture.wgsl).
// #import base_color

@group(3) @binding(13) var extra_map_1: texture_2d<f32>;
@group(3) @binding(14) var extra_sampler_1: sampler;
@group(3) @binding(15) var extra_map_2: texture_2d<f32>;
@group(3) @binding(16) var extra_sampler_2: sampler;
@group(3) @binding(17) var extra_map_3: texture_2d<f32>;
@group(3) @binding(18) var extra_sampler_3: sampler;
@group(3) @binding(19) var extra_map_4: texture_2d<f32>;
@group(3) @binding(20) var extra_sampler_4: sampler;
@group(3) @binding(21) var extra_map_5: texture_2d<f32>;
@group(3) @binding(22) var extra_sampler_5: sampler;

// Samples the texture in a slot, or returns white for slot 0. Slots are constants, so that only one branch remains.
fn extra_map(slot: u32, texcoord: vec4<f32>) -> vec4<f32> {
    switch slot {
        case 1u: { return look_up(extra_map_1, extra_sampler_1, 5u, texcoord); }
        case 2u: { return look_up(extra_map_2, extra_sampler_2, 6u, texcoord); }
        case 3u: { return look_up(extra_map_3, extra_sampler_3, 7u, texcoord); }
        case 4u: { return look_up(extra_map_4, extra_sampler_4, 8u, texcoord); }
        case 5u: { return look_up(extra_map_5, extra_sampler_5, 9u, texcoord); }
        default: { return vec4<f32>(1.0); }
    }
}

// Samples the largest level of the texture in a slot, or returns white for slot 0. Vertex shaders cannot choose a level themselves.
fn extra_map_at(slot: u32, uv: vec2<f32>) -> vec4<f32> {
    switch slot {
        case 1u: { return textureSampleLevel(extra_map_1, extra_sampler_1, uv, 0.0); }
        case 2u: { return textureSampleLevel(extra_map_2, extra_sampler_2, uv, 0.0); }
        case 3u: { return textureSampleLevel(extra_map_3, extra_sampler_3, uv, 0.0); }
        case 4u: { return textureSampleLevel(extra_map_4, extra_sampler_4, uv, 0.0); }
        case 5u: { return textureSampleLevel(extra_map_5, extra_sampler_5, uv, 0.0); }
        default: { return vec4<f32>(1.0); }
    }
}

// Textures of materials beyond those of glTF's core. A material may have seven of them, each in a slot of its own. Requires
// base_color.wgsl.

// The slot of each texture, counted from 1, or 0 for a texture that the material does not have.
override TRANSMISSION_MAP: u32 = 0u;
override THICKNESS_MAP: u32 = 0u;
override CLEARCOAT_MAP: u32 = 0u;
override CLEARCOAT_NORMAL_MAP: u32 = 0u;
override SHEEN_COLOR_MAP: u32 = 0u;
override ANISOTROPY_MAP: u32 = 0u;
override SPECULAR_COLOR_MAP: u32 = 0u;
override SPECULAR_MAP: u32 = 0u;
override IRIDESCENCE_MAP: u32 = 0u;
override IRIDESCENCE_THICKNESS_MAP: u32 = 0u;
override CLEARCOAT_ROUGHNESS_MAP: u32 = 0u;
override SHEEN_ROUGHNESS_MAP: u32 = 0u;
override SHADE_MAP: u32 = 0u;
override SHADING_SHIFT_MAP: u32 = 0u;
override MATCAP_MAP: u32 = 0u;
override RIM_MAP: u32 = 0u;
override OUTLINE_WIDTH_MAP: u32 = 0u;
override UV_MASK_MAP: u32 = 0u;

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
@group(3) @binding(23) var extra_map_6: texture_2d<f32>;
@group(3) @binding(24) var extra_sampler_6: sampler;
@group(3) @binding(25) var extra_map_7: texture_2d<f32>;
@group(3) @binding(26) var extra_sampler_7: sampler;

// Returns the index of the texture transform of a slot.
fn slot_map(slot: u32) -> u32 {
    return 4u + slot;
}

// Samples the texture in a slot, or returns white for slot 0. Slots are constants, so that only one branch remains.
fn extra_map(slot: u32, texcoord: vec4<f32>) -> vec4<f32> {
    switch slot {
        case 1u: { return look_up(extra_map_1, extra_sampler_1, 5u, texcoord); }
        case 2u: { return look_up(extra_map_2, extra_sampler_2, 6u, texcoord); }
        case 3u: { return look_up(extra_map_3, extra_sampler_3, 7u, texcoord); }
        case 4u: { return look_up(extra_map_4, extra_sampler_4, 8u, texcoord); }
        case 5u: { return look_up(extra_map_5, extra_sampler_5, 9u, texcoord); }
        case 6u: { return look_up(extra_map_6, extra_sampler_6, 10u, texcoord); }
        case 7u: { return look_up(extra_map_7, extra_sampler_7, 11u, texcoord); }
        default: { return vec4<f32>(1.0); }
    }
}

// Material textures that core glTF lacks. A material may have some of them, each in its own slot.

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

// Returns the index of the texture transform of a slot.
fn slot_map(slot: u32) -> u32 {
    return 4u + slot;
}

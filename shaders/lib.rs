//! The shaders of sinew, as text in WGSL. A pipeline joins several of these files. The first lines of each file name the files that it
//! requires.
#![allow(missing_docs, reason = "each file has its description in its first lines")]

pub const AMBIENT_OCCLUSION: &str = include_str!("ambient_occlusion.wgsl");
pub const ANISOTROPY: &str = include_str!("anisotropy.wgsl");
pub const BASE_COLOR: &str = include_str!("base_color.wgsl");
pub const BONES: &str = include_str!("bones.wgsl");
pub const COMPARED_DEPTH: &str = include_str!("compared_depth.wgsl");
pub const COMPOSE: &str = include_str!("compose.wgsl");
pub const CULL: &str = include_str!("cull.wgsl");
pub const ENVIRONMENT: &str = include_str!("environment.wgsl");
pub const EXTRA_MAPS: &str = include_str!("extra_maps.wgsl");
pub const FETCH_STORAGE: &str = include_str!("fetch_storage.wgsl");
pub const FETCH_TEXTURE: &str = include_str!("fetch_texture.wgsl");
pub const FIVE_SLOTS: &str = include_str!("five_slots.wgsl");
pub const FLOOR: &str = include_str!("floor.wgsl");
pub const GHOST: &str = include_str!("ghost.wgsl");
pub const GLOBALS: &str = include_str!("globals.wgsl");
pub const IK_BODY: &str = include_str!("ik_body.wgsl");
pub const IK_CHAIN: &str = include_str!("ik_chain.wgsl");
pub const IK_CHAIN_RESTART: &str = include_str!("ik_chain_restart.wgsl");
pub const IK_LIMB: &str = include_str!("ik_limb.wgsl");
pub const JOINT_LIMITS: &str = include_str!("joint_limits.wgsl");
pub const LAYERS: &str = include_str!("layers.wgsl");
pub const LINES: &str = include_str!("lines.wgsl");
pub const MANY_BONES: &str = include_str!("many_bones.wgsl");
pub const NO_LAYERS: &str = include_str!("no_layers.wgsl");
pub const NO_TOON: &str = include_str!("no_toon.wgsl");
pub const NORMALS: &str = include_str!("normals.wgsl");
pub const PLACED: &str = include_str!("placed.wgsl");
pub const PUNCTUAL: &str = include_str!("punctual.wgsl");
pub const ROTATION: &str = include_str!("rotation.wgsl");
pub const SAMPLED_DEPTH: &str = include_str!("sampled_depth.wgsl");
pub const SEVEN_SLOTS: &str = include_str!("seven_slots.wgsl");
pub const SHADOW: &str = include_str!("shadow.wgsl");
pub const SHADOW_LEVELS: &str = include_str!("shadow_levels.wgsl");
pub const SHADOW_MAP: &str = include_str!("shadow_map.wgsl");
pub const SKIN_VERTICES: &str = include_str!("skin_vertices.wgsl");
pub const SKINNING: &str = include_str!("skinning.wgsl");
pub const SMOOTH_HOLES: &str = include_str!("smooth_holes.wgsl");
pub const SOFT_SHADOW: &str = include_str!("soft_shadow.wgsl");
pub const SRGB: &str = include_str!("srgb.wgsl");
pub const SURFACE: &str = include_str!("surface.wgsl");
pub const THIN_FILM: &str = include_str!("thin_film.wgsl");
pub const TONE_MAP: &str = include_str!("tone_map.wgsl");
pub const TOON: &str = include_str!("toon.wgsl");
pub const TRANSMISSION: &str = include_str!("transmission.wgsl");
pub const TRIGONOMETRY: &str = include_str!("trigonometry.wgsl");
pub const VARYINGS: &str = include_str!("varyings.wgsl");

/// The passes of crowds.
pub mod crowd {
    pub const ADVANCE: &str = include_str!("crowd/advance.wgsl");
    pub const AIM: &str = include_str!("crowd/aim.wgsl");
    pub const BODIES: &str = include_str!("crowd/bodies.wgsl");
    pub const BODY: &str = include_str!("crowd/body.wgsl");
    pub const CHAIN: &str = include_str!("crowd/chain.wgsl");
    pub const HIPS: &str = include_str!("crowd/hips.wgsl");
    pub const LIMB: &str = include_str!("crowd/limb.wgsl");
    pub const LIMIT: &str = include_str!("crowd/limit.wgsl");
    pub const PALETTE: &str = include_str!("crowd/palette.wgsl");
    pub const PLANT: &str = include_str!("crowd/plant.wgsl");
    pub const SAMPLE: &str = include_str!("crowd/sample.wgsl");
    pub const SAMPLE_WEIGHTS: &str = include_str!("crowd/sample_weights.wgsl");
    pub const TERRAIN: &str = include_str!("crowd/terrain.wgsl");
    pub const TYPES: &str = include_str!("crowd/types.wgsl");
    pub const WORLD: &str = include_str!("crowd/world.wgsl");
}

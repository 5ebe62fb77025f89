//! The shaders of sinew, as text in WGSL. A module is built from the files with its entry points. The first lines of each file name the
//! files that it imports:
//!
//! ```wgsl
//! // #import rotation, bones | many_bones
//! ```
//!
//! An import of alternatives adds the first one, unless the module contains another.
#![allow(missing_docs, reason = "each file has its description in its first lines")]

macro_rules! files {
    ($($name:ident = $file:literal,)*) => {
        $(pub const $name: &str = include_str!(concat!($file, ".wgsl"));)*

        /// The name and the text of each file.
        pub const FILES: &[(&str, &str)] = &[$(($file, $name)),*];
    };
}

files! {
    AMBIENT_OCCLUSION = "ambient_occlusion",
    ANISOTROPY = "anisotropy",
    BASE_COLOR = "base_color",
    BONES = "bones",
    COMPARED_DEPTH = "compared_depth",
    COMPOSE = "compose",
    CROWD_ADVANCE = "crowd/advance",
    CROWD_AIM = "crowd/aim",
    CROWD_BODIES = "crowd/bodies",
    CROWD_BODY = "crowd/body",
    CROWD_CHAIN = "crowd/chain",
    CROWD_FADE = "crowd/fade",
    CROWD_FRAMES = "crowd/frames",
    CROWD_GOAL = "crowd/goal",
    CROWD_HIPS = "crowd/hips",
    CROWD_LIMB = "crowd/limb",
    CROWD_PALETTE = "crowd/palette",
    CROWD_PICK = "crowd/pick",
    CROWD_PLANT = "crowd/plant",
    CROWD_SAMPLE = "crowd/sample",
    CROWD_SAMPLE_WEIGHTS = "crowd/sample_weights",
    CROWD_TERRAIN = "crowd/terrain",
    CROWD_TYPES = "crowd/types",
    CROWD_WORLD = "crowd/world",
    CULL = "cull",
    DEPTH_LEVELS = "depth_levels",
    ENVIRONMENT = "environment",
    EXTRA_MAPS = "extra_maps",
    FETCH_STORAGE = "fetch_storage",
    FETCH_TEXTURE = "fetch_texture",
    FIVE_SLOTS = "five_slots",
    FLOOR = "floor",
    GHOST = "ghost",
    GLOBALS = "globals",
    IK_BODY = "ik_body",
    IK_CHAIN = "ik_chain",
    IK_CHAIN_RESTART = "ik_chain_restart",
    IK_GOAL = "ik_goal",
    IK_JOINT = "ik_joint",
    IK_LIMB = "ik_limb",
    IK_MEASURE = "ik_measure",
    JOINT_LIMITS = "joint_limits",
    LAYERS = "layers",
    LINES = "lines",
    MANY_BONES = "many_bones",
    MULTISAMPLED_DEPTH = "multisampled_depth",
    NO_LAYERS = "no_layers",
    NO_TOON = "no_toon",
    NORMALS = "normals",
    OCCLUSION = "occlusion",
    PLACED = "placed",
    PUNCTUAL = "punctual",
    ROTATION = "rotation",
    SAMPLED_DEPTH = "sampled_depth",
    SEVEN_SLOTS = "seven_slots",
    SHADOW = "shadow",
    SHADOW_MAP = "shadow_map",
    SKIN_VERTICES = "skin_vertices",
    SKINNING = "skinning",
    SMOOTH_HOLES = "smooth_holes",
    SOFT_SHADOW = "soft_shadow",
    SRGB = "srgb",
    SURFACE = "surface",
    THIN_FILM = "thin_film",
    TONE_MAP = "tone_map",
    TOON = "toon",
    TRANSMISSION = "transmission",
    TRIGONOMETRY = "trigonometry",
    VARYINGS = "varyings",
}

/// Returns the imports of a file, each with its alternatives.
pub fn imports(file: &str) -> impl Iterator<Item = Vec<&str>> {
    let comments = file.lines().take_while(|line| line.starts_with("//"));
    let names =
        comments.filter_map(|line| line.strip_prefix("// #import ")).flat_map(|line| line.split(", "));
    names.map(|name| name.split(" | ").collect())
}

/// Returns the files of a module: the given files, and all files that they import. Their order has no effect in WGSL.
pub fn with_imports<'a>(files: &[&'a str]) -> Vec<&'a str> {
    let mut all = files.to_vec();
    while let Some(file) = missing_import(&all) {
        all.insert(0, file);
    }
    all
}

/// Returns a file that other files import. Alternatives come last, because a file may import one of them alone.
fn missing_import(files: &[&str]) -> Option<&'static str> {
    let file = |name: &str| FILES.iter().find(|(n, _)| *n == name).map(|(_, file)| *file);
    let is_present = |name: &&str| file(name).is_some_and(|file| files.contains(&file));
    let missing = files.iter().flat_map(|file| imports(file)).filter(|names| !names.iter().any(is_present));
    let missing = missing.filter_map(|names| Some((names.len(), file(names.first()?)?)));
    missing.min_by_key(|(alternatives, _)| *alternatives).map(|(_, file)| file)
}

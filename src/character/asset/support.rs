//! The file formats and glTF extensions that sinew supports. The loader and `docs/support.md` use these tables.

/// The subject of an extension's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Concern {
    /// The positions of surfaces. Without the extension, the shape would be wrong.
    Geometry,
    /// The appearance of surfaces and lights.
    Look,
    /// How the model moves.
    Motion,
    /// Anything else, such as metadata, physics or sound.
    Other,
}

/// How the loader handles an extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Support {
    /// The extension is read and affects what is drawn or how the model moves.
    Drawn,
    /// Its data is part of the loaded character but is not drawn.
    Read,
    /// The extension is ignored with a warning, even if a file requires it.
    Ignored,
    /// A file that requires the extension is refused.
    Refused,
}

/// A glTF extension and what the loader does with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extension {
    /// Name in `extensionsUsed` and `extensionsRequired`.
    pub name: &'static str,
    /// The subject of the extension's data.
    pub concern: Concern,
    /// How the loader handles the extension.
    pub support: Support,
    /// Details for readers of the documentation. May be empty.
    pub note: &'static str,
}

/// A file format that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileFormat {
    /// Name of the format.
    pub name: &'static str,
    /// Usual file name extensions. The format is detected from the data, not from the extension.
    pub suffixes: &'static str,
    /// The parts of the format that are read, and those that are not.
    pub read: &'static str,
    /// Whether and how sinew writes the format.
    pub written: &'static str,
}

const fn row(name: &'static str, concern: Concern, support: Support, note: &'static str) -> Extension {
    Extension { name, concern, support, note }
}

const fn format(
    name: &'static str,
    suffixes: &'static str,
    read: &'static str,
    written: &'static str,
) -> FileFormat {
    FileFormat { name, suffixes, read, written }
}

use Concern::{Geometry, Look, Motion, Other};
use Support::{Drawn, Ignored, Refused};

/// All extensions that the loader knows by name, sorted by name. [`Extension::find`] also covers other extensions.
pub const EXTENSIONS: &[Extension] = &[
    row("ADOBE_materials_clearcoat_specular", Look, Ignored, ""),
    row("ADOBE_materials_clearcoat_tint", Look, Ignored, ""),
    row("ADOBE_materials_thin_transparency", Look, Ignored, ""),
    row("AGI_articulations", Motion, Ignored, ""),
    row("AGI_stk_metadata", Other, Ignored, ""),
    row("CESIUM_RTC", Geometry, Refused, ""),
    row("CESIUM_primitive_outline", Look, Ignored, ""),
    row("EXT_feature_metadata", Other, Ignored, ""),
    row("EXT_instance_features", Other, Ignored, ""),
    row("EXT_lights_ies", Look, Ignored, ""),
    row("EXT_lights_image_based", Look, Ignored, ""),
    row("EXT_mesh_features", Other, Ignored, ""),
    row(
        "EXT_mesh_gpu_instancing",
        Geometry,
        Drawn,
        "each instance is a node; not for skinned meshes; at rest in posed copies",
    ),
    row("EXT_mesh_manifold", Other, Ignored, ""),
    row("EXT_meshopt_compression", Geometry, Drawn, "all modes and filters"),
    row("EXT_primitive_voxels", Geometry, Refused, ""),
    row("EXT_structural_metadata", Other, Ignored, ""),
    row("EXT_texture_avif", Look, Ignored, ""),
    row("EXT_texture_webp", Look, Drawn, ""),
    row("FB_geometry_metadata", Other, Ignored, ""),
    row("GODOT_single_root", Other, Ignored, ""),
    row(
        "KHR_animation_pointer",
        Motion,
        Drawn,
        "transforms, weights and visibility of nodes; factors and texture transforms of materials; others are ignored with a warning",
    ),
    row("KHR_audio_emitter", Other, Ignored, ""),
    row("KHR_draco_mesh_compression", Geometry, Drawn, "all versions of Draco; posed copies stay compressed"),
    row("KHR_gaussian_splatting", Geometry, Refused, ""),
    row("KHR_interactivity", Other, Ignored, ""),
    row(
        "KHR_lights_punctual",
        Look,
        Drawn,
        "`sinew render --file-lights on`, without shadows; at most eight",
    ),
    row("KHR_materials_anisotropy", Look, Drawn, ""),
    row("KHR_materials_clearcoat", Look, Drawn, ""),
    row("KHR_materials_diffuse_transmission", Look, Ignored, ""),
    row("KHR_materials_dispersion", Look, Drawn, ""),
    row("KHR_materials_emissive_strength", Look, Drawn, ""),
    row("KHR_materials_ior", Look, Drawn, ""),
    row("KHR_materials_iridescence", Look, Drawn, ""),
    row(
        "KHR_materials_pbrSpecularGlossiness",
        Look,
        Drawn,
        "its values replace the metallic-roughness values",
    ),
    row("KHR_materials_sheen", Look, Drawn, ""),
    row("KHR_materials_specular", Look, Drawn, ""),
    row("KHR_materials_transmission", Look, Drawn, "the opaque scene is visible through the surface"),
    row("KHR_materials_unlit", Look, Drawn, ""),
    row(
        "KHR_materials_variants",
        Look,
        Drawn,
        "`sinew render --variant NAME`, and a menu in the viewer; `sinew inspect` lists them",
    ),
    row("KHR_materials_volume", Look, Drawn, "one refraction, by the thickness of the file"),
    row("KHR_mesh_quantization", Geometry, Drawn, ""),
    row("KHR_meshopt_compression", Geometry, Drawn, "all modes and filters"),
    row("KHR_node_hoverability", Other, Ignored, ""),
    row("KHR_node_selectability", Other, Ignored, ""),
    row("KHR_node_visibility", Look, Drawn, ""),
    row("KHR_physics_rigid_bodies", Other, Ignored, ""),
    row("KHR_techniques_webgl", Look, Ignored, ""),
    row("KHR_texture_basisu", Look, Drawn, "ETC1S and UASTC, decoded to RGBA"),
    row("KHR_texture_transform", Look, Drawn, ""),
    row("KHR_xmp", Other, Ignored, ""),
    row("KHR_xmp_json_ld", Other, Ignored, ""),
    row("MSFT_lod", Other, Ignored, "the highest level of detail is drawn"),
    row("MSFT_packing_normalRoughnessMetallic", Look, Ignored, ""),
    row("MSFT_packing_occlusionRoughnessMetallic", Look, Ignored, ""),
    row("MSFT_texture_dds", Look, Ignored, ""),
    row("NV_materials_mdl", Look, Ignored, ""),
    row(
        "VRM",
        Motion,
        Drawn,
        "VRM 0: the humanoid map, spring bones, eyes, expressions, and the materials of MToon and of the unlit shaders",
    ),
    row("VRMC_materials_hdr_emissiveMultiplier", Look, Drawn, ""),
    row("VRMC_materials_mtoon", Look, Drawn, "MToon, with outlines and moving textures"),
    row("VRMC_node_constraint", Motion, Drawn, "roll, aim and rotation"),
    row("VRMC_springBone", Motion, Drawn, ""),
    row("VRMC_springBone_extended_collider", Motion, Drawn, "planes, inside spheres and inside capsules"),
    row("VRMC_vrm", Motion, Drawn, "VRM 1.0: the humanoid map, eyes, and expressions"),
    row("VRMC_vrm_animation", Motion, Drawn, "clips for any humanoid, with expressions and gaze"),
];

/// All file formats that are read.
pub const FORMATS: &[FileFormat] = &[
    format(
        "glTF 2.0",
        "`.gltf`",
        "meshes of triangles, skins, morph targets, materials, clips, cameras (`sinew render --camera`); not points and lines",
        "no",
    ),
    format("GLB 2.0", "`.glb`", "the same as glTF", "posed copies, baked clips"),
    format("VRM 0 and 1.0", "`.vrm`", "the same as GLB, with the extensions below", "as GLB"),
    format(
        "FBX",
        "`.fbx`",
        "nodes, polygons, up to 8 influences, blend shapes, animation stacks, base colour, roughness, metalness, emission, normal \
         maps and opacity (feature `fbx`); not cameras, lights, constraints, dual quaternion skinning or in-between shapes",
        "no",
    ),
    format(
        "URDF",
        "`.urdf`",
        "links with boxes, cylinders, capsules, spheres, and meshes as COLLADA, OBJ, STL and glTF with their colours and textures (feature \
         `urdf`); hinges, slides, their limits and mimic joints as the rig; if a mesh cannot be read, the collision shape is drawn",
        "no",
    ),
    format("BVH", "`.bvh`", "the skeleton and its clip", "clips"),
    format("PNG", "`.png`", "all kinds, 16-bit channels are rounded to 8 bits", "images"),
    format("JPEG", "`.jpg`", "baseline and progressive; grey, colour and CMYK", "no"),
    format("WebP", "`.webp`", "lossy and lossless, with alpha; not animated", "no"),
    format(
        "KTX2",
        "`.ktx2`",
        "the largest level of a two-dimensional image in ETC1S with BasisLZ, or in UASTC, also with Zstandard",
        "no",
    ),
];

/// Prefixes of extensions that concern only the appearance of surfaces.
const LOOK_PREFIXES: [&str; 2] = ["KHR_materials_", "EXT_materials_"];

impl Extension {
    /// Returns how the loader handles an extension. Material extensions that are not in [`EXTENSIONS`] are ignored. Returns `None` for all
    /// other unknown extensions, which may change the geometry.
    ///
    /// ```
    /// use sinew_character::asset::support::{Extension, Support};
    ///
    /// let support = |name| Extension::find(name).map(|extension| extension.support);
    /// assert_eq!(support("KHR_materials_clearcoat"), Some(Support::Drawn));
    /// assert_eq!(support("VENDOR_unknown_geometry"), None);
    /// ```
    pub fn find(name: &str) -> Option<Self> {
        let known = EXTENSIONS.iter().find(|e| e.name == name).copied();
        let is_look = || LOOK_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
        known.or_else(|| is_look().then_some(row("", Look, Ignored, "")))
    }

    /// Returns whether a posed copy of a file still contains the extension. A copy has only new clips. The file's own clips are removed
    /// together with their extensions.
    pub fn is_kept(&self) -> bool {
        self.support != Refused && self.name != "KHR_animation_pointer"
    }
}

//! The values that the vertex shader of a surface passes to the fragment shader, which cost more time than skinning.

use super::ShadingMode;
use super::gpu_types::flags;
use super::material::Maps;

/// The names of the values in `shaders/varyings.wgsl`, without the clip position.
pub(super) const NAMES: [&str; 8] =
    ["normal", "color", "eye_direction", "texcoord_0", "texcoord_1", "tangent", "scale", LIGHT];
/// The name of the visibility of the key light.
const LIGHT: &str = "light";

/// Which of the values with [`NAMES`] a pipeline reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Varyings(pub(super) [bool; NAMES.len()]);

impl Varyings {
    /// Returns the values that a surface needs in a mode. `flags` and `maps` are those that the mode uses. `second_sets` has a bit for each
    /// map that uses the second set of texture coordinates. `has_volume` says whether the thickness of the surface depends on the scale of
    /// its mesh.
    pub(super) fn new(
        mode: ShadingMode,
        flags: u32,
        maps: &Maps,
        second_sets: u32,
        has_volume: bool,
    ) -> Self {
        #[cfg(test)]
        if tests::PASSES_ALL.get() {
            return Self(NAMES.map(|name| name != LIGHT));
        }
        if mode == ShadingMode::Mask {
            return Self([false; NAMES.len()]);
        }
        let has = |bits: u32| flags & bits != 0;
        let is_plain = mode.is_shaded() && has(flags::UNLIT);
        let is_lit = mode.is_shaded() && !is_plain;
        let reads_set = |set: u32| maps.transforms().any(|map| second_sets >> map & 1 == set);
        Self(NAMES.map(|name| match name {
            "normal" => has(flags::HAS_NORMALS) && !is_plain,
            "color" => mode != ShadingMode::Normal || has(flags::ALPHA_MASK),
            // Without normals, the derivatives of the direction give the normal of the triangle.
            "eye_direction" => is_lit || !(has(flags::HAS_NORMALS) || is_plain),
            // The grain of an anisotropic surface follows the first set even if it has no map.
            "texcoord_0" => reads_set(0) || has(flags::ANISOTROPY),
            "texcoord_1" => reads_set(1),
            "tangent" => has(flags::HAS_TANGENTS) && !is_plain,
            "scale" => has_volume,
            LIGHT => false,
            _ => true,
        }))
    }

    /// Adds the visibility of the key light, so that vertices compute it in place of fragments.
    pub(super) fn with_light(self) -> Self {
        let mut read = self.0;
        NAMES.iter().zip(&mut read).for_each(|(name, read)| *read |= *name == LIGHT);
        Self(read)
    }

    /// Returns whether vertices compute the visibility of the key light.
    pub(super) fn has_light(self) -> bool {
        NAMES.iter().zip(self.0).any(|(name, read)| read && *name == LIGHT)
    }

    /// Returns `shaders/varyings.wgsl` without the values that are not read.
    pub(super) fn source(self) -> String {
        let is_read =
            |line: &&str| !NAMES.iter().zip(self.0).any(|(name, read)| !read && line.contains(name));
        sinew_shaders::VARYINGS.split_inclusive('\n').filter(is_read).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use glam::{Affine2, Vec2, Vec3, Vec3Swizzles};

    use super::*;
    use crate::asset::{
        Alpha, AlphaMode, Anisotropy, Character, Clearcoat, Image, Material, Mesh, Node, Outline,
        OutlineWidth, Primitive, Sampler, Skeleton, Texture, TextureRef, Toon, Transmission, UvMotion,
        Volume,
    };
    use crate::puppet::Puppet;
    use crate::scene::{self, ViewSettings};
    use crate::view::{AUTO_FOV_Y, Camera};
    use crate::{DecodedImage, DecodedImages, Gpu, Renderer};

    thread_local! {
        /// Whether all values but the visibility of the key light are passed on.
        pub(super) static PASSES_ALL: Cell<bool> = const { Cell::new(false) };
    }

    /// Returns the names of the values that a surface with normals and tangents needs. The second map uses the second set.
    fn names(mode: ShadingMode, flags: u32, maps: Maps) -> Vec<&'static str> {
        let read = Varyings::new(mode, flags, &maps, 0b10, false);
        NAMES.into_iter().zip(read.0).filter_map(|(name, read)| read.then_some(name)).collect()
    }

    #[test]
    fn only_the_values_that_a_mode_reads_are_passed_on() {
        let plain = Maps::default();
        let textured = Maps { core: [true, false, false, false, false], ..plain };
        let both_sets = Maps { core: [true, true, false, false, false], ..plain };
        let smooth = flags::HAS_NORMALS;
        assert_eq!(names(ShadingMode::Mask, 0, plain), [""; 0]);
        assert_eq!(names(ShadingMode::Normal, smooth, plain), ["normal"]);
        assert_eq!(names(ShadingMode::Lambert, smooth, plain), ["normal", "color"]);
        assert_eq!(names(ShadingMode::Lambert, 0, plain), ["color", "eye_direction"]);
        assert_eq!(names(ShadingMode::Lambert, smooth, textured), ["normal", "color", "texcoord_0"]);
        assert_eq!(names(ShadingMode::Shaded, smooth, plain), ["normal", "color", "eye_direction"]);
        assert_eq!(names(ShadingMode::Shaded, smooth | flags::UNLIT, textured), ["color", "texcoord_0"]);
        assert_eq!(
            names(ShadingMode::Shaded, smooth | flags::HAS_TANGENTS, both_sets),
            ["normal", "color", "eye_direction", "texcoord_0", "texcoord_1", "tangent"]
        );
    }

    #[test]
    fn light_is_passed_on_only_if_it_is_added() {
        let read = Varyings::new(ShadingMode::Shaded, flags::HAS_NORMALS, &Maps::default(), 0, false);
        assert!(!read.has_light() && !read.source().contains(LIGHT));
        let with_light = read.with_light();
        assert!(with_light.has_light());
        let added: Vec<&str> = NAMES
            .into_iter()
            .zip(with_light.0.into_iter().zip(read.0))
            .filter_map(|(name, (with, without))| (with != without).then_some(name))
            .collect();
        assert_eq!(added, [LIGHT]);
        assert!(with_light.source().contains("v.light = vertex_light(s);"));
    }

    #[test]
    fn the_lines_of_other_values_are_removed() {
        let source = Varyings(std::array::from_fn(|value| value < 2)).source();
        for (index, name) in NAMES.into_iter().enumerate() {
            assert_eq!(source.contains(name), index < 2, "{name}");
        }
    }

    /// Returns an octahedron at a place, with every kind of vertex attribute.
    fn octahedron(center: Vec3, material: usize) -> Primitive {
        let points = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
        let triangle = |octant: u32| {
            let [x, y, z] = [octant & 1, 2 + (octant >> 1 & 1), 4 + (octant >> 2)];
            if octant.count_ones().is_multiple_of(2) { [x, y, z] } else { [x, z, y] }
        };
        Primitive {
            triangles: (0..8).map(triangle).collect(),
            positions: points.map(|p| center + p * 0.4).to_vec(),
            normals: points.to_vec(),
            tangents: points.map(|p| p.any_orthonormal_vector().extend(1.0)).to_vec(),
            uvs: [points.map(|p| p.xy() * 0.5 + 0.5).to_vec(), points.map(|p| p.yz() * 0.7).to_vec()],
            colors: points.map(|p| (p * 0.3 + 0.7).extend(1.0)).to_vec(),
            material: Some(material),
            ..Primitive::default()
        }
    }

    /// Returns materials that read different values. All textures are the first one.
    fn materials() -> Vec<Material> {
        let in_set = |uv_set| Some(TextureRef { texture: 0, uv_set, uv_transform: Affine2::from_angle(0.5) });
        let (first, second) = (in_set(0), in_set(1));
        let plain = Material { metallic: 0.3, roughness: 0.4, double_sided: true, ..Material::default() };
        let coat =
            Clearcoat { factor: 1.0, normal_texture: second, normal_scale: 1.0, ..Clearcoat::default() };
        let width = OutlineWidth::World(0.05);
        let outline = Outline { width, width_texture: second, color: Vec3::X, lighting_mix: 0.5 };
        let scroll = Vec2::new(0.3, 0.1);
        let uv_motion = UvMotion { scroll, rotation: 0.2, mask_texture: first, seconds: 1.0 };
        let toon = Toon { rim_color: Vec3::splat(0.3), outline: Some(outline), uv_motion, ..Toon::default() };
        let volume = Volume { thickness: 0.3, attenuation_distance: 0.2, ..Volume::default() };
        let volume = Volume { attenuation_color: Vec3::new(0.9, 0.4, 0.2), ..volume };
        let clear = Transmission { factor: 0.8, texture: None };
        let alpha_mode = AlphaMode::Mask(0.5);
        vec![
            plain.clone(),
            Material { base_color_texture: first, ..plain.clone() },
            Material { base_color_texture: second, ..plain.clone() },
            Material {
                normal_texture: first,
                emissive_texture: second,
                emissive: Vec3::ONE,
                ..plain.clone()
            },
            Material { normal_texture: second, ..plain.clone() },
            Material {
                anisotropy: Some(Anisotropy { strength: 0.8, ..Default::default() }),
                ..plain.clone()
            },
            Material { clearcoat: Some(coat), ..plain.clone() },
            Material { transmission: Some(clear), volume: Some(volume), ..plain.clone() },
            Material { toon: Some(toon), base_color_texture: second, ..plain.clone() },
            Material { toon: Some(toon), base_color_texture: first, alpha_mode, ..plain.clone() },
            Material { base_color_texture: second, alpha_mode, ..plain.clone() },
            Material { unlit: true, base_color_texture: first, normal_texture: second, ..plain },
        ]
    }

    /// Draws surfaces that read different values, with these values and with all values.
    #[test]
    fn values_that_are_not_passed_on_do_not_change_an_image() {
        let materials = materials();
        let mut primitives = Vec::new();
        for (column, material) in (0_u8..).zip(0..materials.len()) {
            let at = |row: f32| octahedron(Vec3::new(f32::from(column), row, 0.0), material);
            let (tangents, normals) = (Vec::new(), Vec::new());
            primitives.push(at(0.0));
            primitives.push(Primitive { tangents, ..at(1.0) });
            primitives.push(Primitive { normals, tangents: Vec::new(), ..at(2.0) });
        }
        let node = Node { mesh: Some(0), ..Node::new("surfaces") };
        let mut character = Character::new(Skeleton::new(vec![node]).unwrap());
        character.meshes =
            vec![Mesh { name: None, primitives, weights: Vec::new(), target_names: Vec::new() }];
        character.materials = materials;
        character.textures = vec![Texture { image: Some(0), sampler: Sampler::default() }];
        let rgba = (0..64_u8).map(|byte| byte.wrapping_mul(151)).collect();
        let png = DecodedImage { width: 4, height: 4, rgba }.png(Alpha::Keep).unwrap();
        character.images = vec![Image::new(None, png.into()).unwrap()];
        let puppet = Puppet::new(character, 0);
        let mut renderer = Renderer::new(Gpu::of_tests());
        let images = DecodedImages::decode(puppet.character(), puppet.parts(), ShadingMode::Shaded);
        let model = renderer.model(puppet.character(), puppet.parts(), &images).unwrap();
        let camera = Camera::framing(&puppet.bounds(), AUTO_FOV_Y, 3.0);
        let settings = ViewSettings::new(camera, puppet.bounds()).with_floor(false).with_shadow(false);
        for mode in ShadingMode::ALL {
            let frame = scene::frame(&puppet, &settings.clone().with_mode(mode));
            let mut draw = |passes_all| {
                PASSES_ALL.set(passes_all);
                let image = renderer.render(&[&model], &frame, (288, 96));
                PASSES_ALL.set(false);
                image.unwrap().rgba
            };
            assert!(draw(false) == draw(true), "{}", mode.name());
        }
    }
}

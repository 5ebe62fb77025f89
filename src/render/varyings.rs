//! The values that the vertex shader of a surface hands on to the fragment shader, which cost more time than skinning.

use super::ShadingMode;
use super::gpu_types::{UvTransform, flags};
use super::material::Maps;

/// The names of the values in `shaders/varyings.wgsl`, without the clip position.
pub(super) const NAMES: [&str; 7] =
    ["normal", "color", "eye_direction", "texcoord_0", "texcoord_1", "tangent", "scale"];

/// Which of the values with [`NAMES`] a pipeline reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Varyings(pub(super) [bool; NAMES.len()]);

impl Varyings {
    /// Returns the values that a surface needs in a mode. `flags` and `maps` are those that the mode uses, and `uv` are the transforms of
    /// the maps. `has_volume` says whether the thickness of the surface depends on the scale of its mesh.
    pub(super) fn new(
        mode: ShadingMode,
        flags: u32,
        maps: &Maps,
        uv: &[UvTransform],
        has_volume: bool,
    ) -> Self {
        if mode == ShadingMode::Mask {
            return Self([false; NAMES.len()]);
        }
        let has = |bits: u32| flags & bits != 0;
        let is_plain = mode.is_shaded() && has(flags::UNLIT);
        let is_lit = mode.is_shaded() && !is_plain;
        let reads_set = |set: bool| {
            maps.transforms().any(|map| uv.get(map).is_some_and(|uv| (uv.offset_set[2] > 0.5) == set))
        };
        Self([
            has(flags::HAS_NORMALS) && !is_plain,
            mode != ShadingMode::Normal || has(flags::ALPHA_MASK),
            // Without normals, the derivatives of the direction give the normal of the triangle.
            is_lit || !(has(flags::HAS_NORMALS) || is_plain),
            // The grain of an anisotropic surface follows the first set even if it has no map.
            reads_set(false) || has(flags::ANISOTROPY),
            reads_set(true),
            has(flags::HAS_TANGENTS),
            has_volume,
        ])
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
    use super::*;

    /// Returns the names of the values that a surface with normals and tangents needs.
    fn names(mode: ShadingMode, flags: u32, maps: Maps) -> Vec<&'static str> {
        let second = UvTransform { linear: [1.0, 0.0, 0.0, 1.0], offset_set: [0.0, 0.0, 1.0, 0.0] };
        let first = UvTransform { offset_set: [0.0; 4], ..second };
        let read = Varyings::new(mode, flags, &maps, &[first, second], false);
        NAMES.into_iter().zip(read.0).filter_map(|(name, read)| read.then_some(name)).collect()
    }

    #[test]
    fn only_the_values_that_a_mode_reads_are_handed_on() {
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
    fn the_lines_of_other_values_are_removed() {
        let source = Varyings(std::array::from_fn(|value| value < 2)).source();
        for (index, name) in NAMES.into_iter().enumerate() {
            assert_eq!(source.contains(name), index < 2, "{name}");
        }
    }
}

//! Placing an instance in the world: its matrices and boxes.

use glam::{Affine3A, Mat4, Quat, Vec3, Vec4};

use crate::view::Bounds;

/// A rotation, a uniform scale and a translation, in the forms in which they are applied.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    matrix: Mat4,
    rotation: Quat,
    scale: f32,
    translation: Vec3,
    is_identity: bool,
}

impl Place {
    pub(super) fn new(place: &Affine3A) -> Self {
        let (scale, rotation, translation) = place.to_scale_rotation_translation();
        let is_identity = *place == Affine3A::IDENTITY;
        Self { matrix: Mat4::from(*place), rotation, scale: scale.y, translation, is_identity }
    }

    /// Returns the first three rows of a placed matrix.
    pub(super) fn rows(&self, matrix: &Mat4) -> [Vec4; 3] {
        let placed = if self.is_identity { *matrix } else { self.matrix * *matrix };
        let transposed = placed.transpose();
        [transposed.x_axis, transposed.y_axis, transposed.z_axis]
    }

    /// Returns the columns of a placed dual quaternion with its stretch, as `skin::Palette` packs them.
    pub(super) fn dual(&self, packed: &Mat4) -> [Vec4; 4] {
        let Mat4 { x_axis: real, y_axis: dual, z_axis: stretch, w_axis: rest } = *packed;
        if self.is_identity {
            return [real, dual, stretch, rest];
        }
        let (real, dual) = (Quat::from_vec4(real), Quat::from_vec4(dual));
        let moved = (dual * real.conjugate()).xyz() * 2.0;
        let moved = self.rotation * (moved * self.scale) + self.translation;
        let real = self.rotation * real;
        let dual = Quat::from_vec4(moved.extend(0.0)) * real * 0.5;
        [real.into(), dual.into(), stretch * self.scale, rest * self.scale]
    }

    /// Returns a box around a placed box. An empty box stays empty.
    pub(super) fn bounds(&self, bounds: &Bounds) -> Bounds {
        if self.is_identity || bounds.is_empty() {
            return *bounds;
        }
        let (center, half) = ((bounds.lo + bounds.hi) * 0.5, (bounds.hi - bounds.lo) * 0.5);
        let [x, y, z] =
            [self.matrix.x_axis, self.matrix.y_axis, self.matrix.z_axis].map(|a| a.truncate().abs());
        let (center, half) = (self.matrix.transform_point3(center), x * half.x + y * half.y + z * half.z);
        // Rounding must not cut anything off.
        let half = half + (center.abs() + half) * 1e-5;
        Bounds { lo: center - half, hi: center + half }
    }

    pub(super) fn is_mirrored(&self) -> bool {
        self.matrix.determinant() < 0.0
    }
}

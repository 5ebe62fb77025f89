//! Joints and matrices: the Rust twins of the first part of `shaders/crowd/types.wgsl`.

use bytemuck::{Pod, Zeroable};
use glam::{Mat4, Quat, Vec3, Vec4};

/// Marks the absence of a joint, a clip or a mask.
pub const NONE: u32 = u32::MAX;

/// `CrowdJoint`: a joint in the rest pose.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct CrowdJoint {
    pub rest_rotation: Quat,
    pub rest_translation: Vec3,
    pub parent: u32,
    pub rest_scale: Vec3,
    pub radius: f32,
    pub masks: [f32; 4],
}

/// `Local`: the local transform of a joint.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct Local {
    pub rotation: Quat,
    pub translation: Vec3,
    pub reserved: f32,
    pub scale: Vec3,
    pub reserved_2: f32,
}

/// `Rows`: an affine matrix as three rows.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct Rows {
    pub x: Vec4,
    pub y: Vec4,
    pub z: Vec4,
}

impl Local {
    /// Creates a local transform.
    pub fn new(rotation: Quat, translation: Vec3, scale: Vec3) -> Self {
        Self { rotation, translation, reserved: 0.0, scale, reserved_2: 0.0 }
    }

    /// Returns `parent_from_local`.
    pub fn rows(&self) -> Rows {
        Rows::of(self.rotation, self.translation, self.scale)
    }
}

impl Rows {
    /// The identity.
    pub const IDENTITY: Self = Self { x: Vec4::X, y: Vec4::Y, z: Vec4::Z };

    /// Returns the matrix of a scale, a rotation and a translation, applied in this order.
    pub fn of(rotation: Quat, translation: Vec3, scale: Vec3) -> Self {
        let [x, y, z] = [Vec3::X * scale.x, Vec3::Y * scale.y, Vec3::Z * scale.z].map(|axis| rotation * axis);
        Self {
            x: Vec4::new(x.x, y.x, z.x, translation.x),
            y: Vec4::new(x.y, y.y, z.y, translation.y),
            z: Vec4::new(x.z, y.z, z.z, translation.z),
        }
    }

    /// Returns the matrix that applies `b` first and then this matrix.
    pub fn after(&self, b: &Self) -> Self {
        let row = |row: Vec4| row.x * b.x + row.y * b.y + row.z * b.z + Vec4::W * row.w;
        Self { x: row(self.x), y: row(self.y), z: row(self.z) }
    }

    /// Transforms a point.
    pub fn point(&self, p: Vec3) -> Vec3 {
        let v = p.extend(1.0);
        Vec3::new(self.x.dot(v), self.y.dot(v), self.z.dot(v))
    }

    /// Transforms a vector.
    pub fn vector(&self, v: Vec3) -> Vec3 {
        let v = v.extend(0.0);
        Vec3::new(self.x.dot(v), self.y.dot(v), self.z.dot(v))
    }

    /// Returns the translation.
    pub fn translation(&self) -> Vec3 {
        Vec3::new(self.x.w, self.y.w, self.z.w)
    }
}

impl From<glam::Affine3A> for Rows {
    fn from(matrix: glam::Affine3A) -> Self {
        let rows = Mat4::from(matrix).transpose();
        Self { x: rows.x_axis, y: rows.y_axis, z: rows.z_axis }
    }
}

impl From<&Rows> for glam::Affine3A {
    fn from(rows: &Rows) -> Self {
        let matrix = Mat4::from_cols(rows.x, rows.y, rows.z, Vec4::W).transpose();
        Self::from_mat4(matrix)
    }
}

//! Reads skins.

use glam::{Affine3A, Mat4};

use crate::asset::Skin;

use super::{GltfFile, ObjectError};

impl GltfFile<'_> {
    pub(super) fn skins(&self) -> Result<Vec<Skin>, ObjectError> {
        (0..self.root.skins.len()).map(|i| self.skin(i)).collect()
    }

    /// Reads a skin. Its `skeleton` property is ignored because it has no effect and exporters often write it
    /// incorrectly.
    fn skin(&self, index: usize) -> Result<Skin, ObjectError> {
        let json = &self.root.skins[index];
        let at = format!("skins[{index}]");
        let count = self.root.nodes.len();
        let mut joints = Vec::with_capacity(json.joints.len());
        for (j, joint) in json.joints.iter().enumerate() {
            if joint.value() >= count {
                return Err(ObjectError::missing(format!("{at}.joints[{j}]"), "node", joint.value(), count));
            }
            joints.push(joint.value());
        }
        let joint_from_mesh = match json.inverse_bind_matrices {
            Some(accessor) => self.inverse_binds(accessor.value(), joints.len(), &at)?,
            None => vec![Affine3A::IDENTITY; joints.len()],
        };
        let has_inverse_binds = json.inverse_bind_matrices.is_some();
        Ok(Skin { name: json.name.clone(), joints, joint_from_mesh, has_inverse_binds })
    }

    /// Reads one matrix per joint. The file may have more matrices than joints, but not fewer.
    fn inverse_binds(&self, accessor: usize, joints: usize, at: &str) -> Result<Vec<Affine3A>, ObjectError> {
        let at = format!("{at}.inverseBindMatrices");
        let matrices = self.finite::<16>(accessor, &at)?;
        if matrices.len() < joints {
            let count = matrices.len();
            return Err(ObjectError::new(at, format!("has {count} matrices for {joints} joints")));
        }
        let affine = |m| Affine3A::from_mat4(Mat4::from_cols_array(m));
        Ok(matrices.iter().take(joints).map(affine).collect())
    }
}

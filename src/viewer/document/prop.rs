//! Props: models that joints carry, such as a cup in a hand.

use std::path::PathBuf;

use glam::{Affine3A, DQuat, DVec3, EulerRot, Mat3A, Vec3};
use serde::{Deserialize, Serialize};

/// Maximum number of props of a character.
pub(crate) const MAX_PROPS: usize = 16;
/// The range of a prop's scale.
pub(crate) const PROP_SCALES: std::ops::RangeInclusive<f64> = 1e-3..=1e3;

/// A model that a joint carries. The joint's scale does not affect it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prop {
    /// The model's file. In a recording or a project, its path is relative to the folder of the recording or project if the file is inside
    /// that folder.
    pub file: PathBuf,
    /// Name of the joint.
    pub node: String,
    /// Name of the node of the model that is shown with its descendants, for files with several things. Its position in the file is then
    /// ignored. `None` shows the whole model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// Position of the model's origin in the joint's frame, in metres.
    #[serde(default)]
    pub position: DVec3,
    /// Rotation from the model's frame to the joint's frame: angles about X, the rotated Y and the rotated Z, in degrees.
    #[serde(default)]
    pub degrees: DVec3,
    /// Size relative to the file.
    #[serde(default = "one")]
    pub scale: f64,
}

fn one() -> f64 {
    1.0
}

impl Prop {
    /// Creates a prop whose origin is at the joint.
    pub fn new(file: PathBuf, node: String) -> Self {
        Self { file, node, part: None, position: DVec3::ZERO, degrees: DVec3::ZERO, scale: 1.0 }
    }

    /// Checks the numbers.
    ///
    /// # Errors
    /// Returns the reason why the prop is invalid.
    pub(crate) fn validate(&self) -> Result<(), String> {
        let Self { file, node: _, part: _, position, degrees, scale } = self;
        let refuse = |what: &str| Err(format!("prop {}: {what}", file.display()));
        if !position.as_vec3().is_finite() {
            return refuse("position is not finite");
        }
        if !degrees.is_finite() {
            return refuse("rotation is not finite");
        }
        if !PROP_SCALES.contains(scale) {
            return refuse("scale must be between 0.001 and 1000");
        }
        Ok(())
    }

    /// Returns the transform from the prop's model to the world, or `None` if the joint's matrix is degenerate.
    pub(crate) fn world_from_model(&self, world_from_node: &Affine3A) -> Option<Affine3A> {
        let [x, y] = [world_from_node.matrix3.x_axis, world_from_node.matrix3.y_axis];
        let x = x.try_normalize()?;
        let z = x.cross(y).try_normalize()?;
        let world_from_frame = Affine3A {
            matrix3: Mat3A::from_cols(x, z.cross(x), z),
            translation: world_from_node.translation,
        };
        #[expect(clippy::cast_possible_truncation, reason = "poses are in single precision")]
        let scale = Vec3::splat(self.scale as f32);
        let [x, y, z] = self.degrees.to_array().map(f64::to_radians);
        let rotation = DQuat::from_euler(EulerRot::XYZ, x, y, z).as_quat();
        let position = self.position.as_vec3();
        let place = world_from_frame * Affine3A::from_scale_rotation_translation(scale, rotation, position);
        place.is_finite().then_some(place)
    }
}

//! Lights at a point or from one direction, as in `KHR_lights_punctual`.

use std::hash::Hasher;

use bytemuck::Zeroable;
use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::super::gpu_types::PunctualLightRecord;

/// The largest number of lights that a frame draws, as in `shaders/punctual.wgsl`.
pub const MAX_LIGHTS: usize = 8;

/// Whether the lights of a file are drawn, in addition to an environment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FileLights {
    /// Not drawn.
    #[default]
    Off,
    /// Drawn with a common factor. This factor makes the light that is strongest at the centre of the figure as bright there as a key
    /// light.
    On,
    /// Drawn with this factor. With a factor of one, a white surface that faces a light of π lux is white, as in the Khronos viewer.
    Scale(f32),
}

impl FileLights {
    /// The largest factor that options and files accept.
    pub const MAX_SCALE: f32 = 1e6;

    /// Checks that a factor is within its range.
    ///
    /// # Errors
    /// A description of the invalid value.
    pub fn validate(&self) -> Result<(), String> {
        match self {
            Self::Scale(scale) if !(0.0..=Self::MAX_SCALE).contains(scale) => {
                Err(format!("the factor of the file's lights must be between 0 and {}", Self::MAX_SCALE))
            }
            _ => Ok(()),
        }
    }
}

/// A light at a point or from one direction, without a shadow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PunctualLight {
    /// The position in world metres. `None` if the light is infinitely far away.
    pub position: Option<Vec3>,
    /// The unit direction in which the light shines.
    pub direction: Vec3,
    /// Linear RGB: the illuminance of a surface that faces the light. If the light has a position, this is the value at a distance of one
    /// metre. π makes a white surface white.
    pub color: Vec3,
    /// The distance in metres at which the light ends, or `None` if it does not end.
    pub range: Option<f32>,
    /// Angles of a cone around the direction, in radians: where the light begins to fade, and where it ends.
    pub cone: Option<[f32; 2]>,
}

impl PunctualLight {
    /// Returns the illuminance at a point of a surface that faces the light. The shader computes the same value.
    pub fn illuminance(&self, at: Vec3) -> Vec3 {
        let Some(position) = self.position else { return self.color };
        let away = at - position;
        let distance2 = away.length_squared().max(MIN_DISTANCE * MIN_DISTANCE);
        let fade = self.range.map_or(1.0, |range| {
            let ratio2 = distance2 / (range * range).max(f32::MIN_POSITIVE);
            (1.0 - ratio2 * ratio2).clamp(0.0, 1.0)
        });
        let [scale, offset] = self.cone_factors();
        let inside = (away.normalize_or_zero().dot(self.direction) * scale + offset).clamp(0.0, 1.0);
        self.color * (fade * inside * inside / distance2)
    }

    /// Returns the factor and the offset that convert the cosine of an angle to the brightness in the cone.
    fn cone_factors(&self) -> [f32; 2] {
        let Some([inner, outer]) = self.cone else { return [0.0, 1.0] };
        let scale = 1.0 / (inner.cos() - outer.cos()).max(0.001);
        [scale, -outer.cos() * scale]
    }

    fn record(&self) -> PunctualLightRecord {
        let [scale, offset] = self.cone_factors();
        let inverse = self.range.map_or(0.0, |range| 1.0 / (range * range).max(f32::MIN_POSITIVE));
        PunctualLightRecord {
            place: self.position.map_or((-self.direction).extend(0.0), |at| at.extend(1.0)).into(),
            color: self.color.extend(inverse.min(f32::MAX)).into(),
            direction: self.direction.extend(scale).into(),
            cone: [offset, 0.0, 0.0, 0.0],
        }
    }

    pub(crate) fn hash(&self, hash: &mut impl Hasher) {
        let Self { position, direction, color, range, cone } = self;
        hash.write_u8(
            u8::from(position.is_some()) + 2 * u8::from(range.is_some()) + 4 * u8::from(cone.is_some()),
        );
        hash.write(bytemuck::cast_slice(&[position.unwrap_or_default(), *direction, *color]));
        hash.write(bytemuck::cast_slice(&[range.unwrap_or_default()]));
        hash.write(bytemuck::cast_slice(&cone.unwrap_or_default()));
    }
}

/// Minimum distance to a light in metres. A closer point is lit as if it were at this distance.
const MIN_DISTANCE: f32 = 0.01;

/// Returns the lights as the shader reads them. Lights beyond [`MAX_LIGHTS`] are left out.
pub(crate) fn records(lights: &[PunctualLight]) -> [PunctualLightRecord; MAX_LIGHTS] {
    let mut records = [PunctualLightRecord::zeroed(); MAX_LIGHTS];
    records.iter_mut().zip(lights).for_each(|(record, light)| *record = light.record());
    records
}

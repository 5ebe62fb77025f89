//! What characters walk to and look at.

use glam::{Vec2, Vec3, Vec3Swizzles};

use super::CrowdError;
use super::advance::FARTHEST;
use super::spawn::FASTEST;
use super::types::Character;

/// The smallest radius of a destination in metres.
const SMALLEST_RADIUS: f32 = 0.05;

/// A point to which a character walks.
///
/// The character turns towards the point, walks until it is within the radius, and stops. It walks as its clips do, and at its pace. A clip
/// with root motion moves it at the mean velocity of the clip, in place of jumps when the clip starts over. Give the character a
/// [`PlayedClip::standing`](super::PlayedClip::standing), which is blended in while it stands. Without such a clip, it walks on the spot. On
/// a terrain, it does not turn back at the border while it has a destination.
///
/// An [`ArrivalReader`](super::ArrivalReader) or [`CpuCrowd::arrived`](super::CpuCrowd::arrived) returns the characters that have arrived.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Destination {
    /// The point in world metres. x and z are limited to ±10⁹ m, and the height is not used.
    pub point: Vec3,
    /// Horizontal distance in metres from the point at which the character stops, at least 0.05.
    pub radius: f32,
    /// Turn rate towards the point, in radians per second.
    pub turn: f32,
}

/// What the head of a character looks at. A [`CrowdGoal`](super::CrowdGoal) for the head takes precedence.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Look {
    /// Nothing: the head moves only with the clips.
    #[default]
    Nothing,
    /// The position of the camera, which is passed to each step.
    Camera,
    /// A point in world metres.
    Point(Vec3),
}

impl Destination {
    /// Returns a destination with a radius of half a metre and a turn rate of three radians per second.
    pub fn new(point: Vec3) -> Self {
        Self { point, radius: 0.5, turn: 3.0 }
    }
}

/// The fields of a [`Character`] for its destination, in order. The default is no destination.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct DestinationFields {
    destination: Vec2,
    radius: f32,
    steering: f32,
}

/// The fields of a [`Character`] for its head, in order.
#[repr(C)]
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct LookFields {
    looks: f32,
    looked_at: Vec3,
    looks_at_point: u32,
}

impl DestinationFields {
    pub(super) fn new(destination: Option<&Destination>) -> Result<Self, CrowdError> {
        let Some(&Destination { point, radius, turn }) = destination else {
            return Ok(Self::default());
        };
        let [x, y, z] = point.to_array();
        if let Some(value) = [x, y, z, radius, turn].into_iter().find(|value| !value.is_finite()) {
            return Err(CrowdError::NotFinite { what: "destination", value });
        }
        let (radius, farthest) = (radius.max(SMALLEST_RADIUS), Vec2::splat(FARTHEST));
        let destination = point.xz().clamp(-farthest, farthest);
        Ok(Self { destination, radius, steering: turn.clamp(0.0, FASTEST) })
    }

    /// Returns whether x and z of a body are within the radius. The GPU may have rounded differently.
    pub(super) fn is_at(&self, body: Vec2) -> bool {
        self.radius > 0.0 && body.distance(self.destination) <= 1.001 * self.radius
    }

    pub(super) fn apply(self, character: &mut Character) {
        let Self { destination, radius, steering } = self;
        (character.destination, character.radius, character.steering) = (destination, radius, steering);
    }
}

impl LookFields {
    pub(super) fn new(look: Look, weight: f32) -> Result<Self, CrowdError> {
        let (looked_at, looks_at_point) = match look {
            Look::Nothing | Look::Camera => (Vec3::ZERO, 0),
            Look::Point(point) => (point, 1),
        };
        let [x, y, z] = looked_at.to_array();
        if let Some(value) = [x, y, z, weight].into_iter().find(|value| !value.is_finite()) {
            return Err(CrowdError::NotFinite { what: "look", value });
        }
        let looks = if look == Look::Nothing { 0.0 } else { weight.clamp(0.0, 1.0) };
        Ok(Self { looks, looked_at, looks_at_point })
    }

    pub(super) fn apply(self, character: &mut Character) {
        let Self { looks, looked_at, looks_at_point } = self;
        (character.looks, character.looked_at, character.looks_at_point) = (looks, looked_at, looks_at_point);
    }
}

#[cfg(test)]
mod tests {
    use std::mem::{offset_of, size_of};

    use super::*;

    #[test]
    fn fields_are_in_the_order_of_the_character() {
        let first = offset_of!(Character, destination);
        assert_eq!(offset_of!(Character, radius) - first, offset_of!(DestinationFields, radius));
        assert_eq!(offset_of!(Character, steering) - first, offset_of!(DestinationFields, steering));
        assert_eq!(offset_of!(Character, layers) - first, size_of::<DestinationFields>());
        let first = offset_of!(Character, looks);
        assert_eq!(offset_of!(Character, looked_at) - first, offset_of!(LookFields, looked_at));
        assert_eq!(offset_of!(Character, looks_at_point) - first, offset_of!(LookFields, looks_at_point));
        assert_eq!(offset_of!(Character, destination) - first, size_of::<LookFields>());
    }

    #[test]
    fn invalid_targets_are_refused() {
        for point in [Vec3::NAN, Vec3::INFINITY] {
            assert!(DestinationFields::new(Some(&Destination::new(point))).is_err());
            assert!(LookFields::new(Look::Point(point), 1.0).is_err());
        }
        assert!(LookFields::new(Look::Camera, f32::NAN).is_err());
        let tiny = Destination { radius: -1.0, ..Destination::new(Vec3::ONE) };
        assert_eq!(DestinationFields::new(Some(&tiny)).unwrap().radius, SMALLEST_RADIUS);
    }
}

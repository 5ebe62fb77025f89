//! The cameras of new suites, expressed as numbers.

use std::collections::BTreeSet;

use glam::{Quat, Vec3};

use crate::puppet::Puppet;
use crate::regress::shared::NewCase;
use crate::skin::Skinned;
use crate::view::{AUTO_DIRECTION, AUTO_FOV_Y, Bounds, Camera, Fit};

/// Vertical field of view in degrees.
pub(super) const VIEW_ANGLE: f64 = 45.0;
/// Directions from the character, which faces +Z, to the cameras. The second camera sees the parts that are hidden from the first one: the
/// back and the soles.
const DIRECTIONS: [Vec3; 2] = [AUTO_DIRECTION, Vec3::new(-0.6, -0.25, -1.0)];
/// Rounding precision of coordinates, as a number of significant digits of the camera's distance from its target.
const DIGITS: f32 = 4.0;

#[derive(Clone, Copy, Debug)]
pub(super) struct FixedCamera {
    position: Vec3,
    target: Vec3,
}

/// Finds front and back cameras that show all added poses.
#[derive(Clone, Debug)]
pub(super) struct Cameras {
    bounds: Bounds,
    fits: [Fit; 2],
}

impl Cameras {
    /// `facing` is the direction in which the character faces.
    pub(super) fn new(facing: Vec3) -> Self {
        let turn = Quat::from_rotation_y(facing.x.atan2(facing.z));
        let fit = |direction: Vec3| Fit::perspective(turn * direction, Vec3::Y, AUTO_FOV_Y, 1.0);
        Self { bounds: Bounds::default(), fits: DIRECTIONS.map(fit) }
    }

    pub(super) fn add(&mut self, puppet: &Puppet) {
        self.extend(&puppet.points());
    }

    /// Adds those vertices of a posed puppet that mainly follow the given nodes. If there are no such vertices, adds all vertices.
    pub(super) fn add_part(&mut self, puppet: &Puppet, nodes: &BTreeSet<usize>) {
        let mut points = Vec::new();
        let (character, mut skinned) = (puppet.character(), Skinned::default());
        for (index, part) in puppet.parts().iter().enumerate() {
            puppet.skin(index, &mut skinned);
            let triangles = character.primitive(*part).triangles.iter();
            let moved =
                triangles.filter(|t| nodes.contains(&crate::skin::strongest_node(character, *part, **t)));
            let corners = moved.flatten().filter_map(|v| skinned.positions.get(*v as usize));
            points.extend(corners.copied());
        }
        match points.is_empty() {
            true => self.add(puppet),
            false => self.extend(&points),
        }
    }

    fn extend(&mut self, points: &[Vec3]) {
        self.bounds.extend(points.iter().copied());
        self.fits.iter_mut().for_each(|fit| fit.extend(points.iter().copied()));
    }

    /// Returns the front and back cameras.
    pub(super) fn fixed(&self) -> [FixedCamera; 2] {
        self.fits.map(|fit| {
            let camera = Camera::framing(&self.bounds, AUTO_FOV_Y, 1.0);
            let Camera { position, target, .. } = fit.camera(camera, self.bounds.sphere().1);
            FixedCamera { position, target }
        })
    }
}

impl FixedCamera {
    pub(super) fn add_to(self, case: NewCase) -> NewCase {
        // More digits would only be noise.
        let digits = (DIGITS - 1.0 - self.position.distance(self.target).log10().floor()).clamp(-30.0, 30.0);
        let step = 10_f64.powf(digits.into());
        let rounded = |v: Vec3| v.to_array().map(|x| (f64::from(x) * step).round() / step);
        case.numbers("camera-position", &rounded(self.position))
            .numbers("camera-focal-point", &rounded(self.target))
    }
}

//! Arrows that pull the selected joint along an axis, and a square that pulls it in the view plane.

use glam::{DQuat, DVec3, Vec2, Vec3, Vec4};

use crate::Axis;
use crate::render::Line;
use crate::rig::orientation;
use crate::scene::picking::Hit;
use crate::session::picking::{Picture, Viewport};
use crate::session::place::position;

use super::pen::Pen;
use super::{AXES, GizmoGrip};

/// Distances in points from the joint to an arrow's ends, and to the base of its head.
const START: f32 = 13.0;
const NECK: f32 = 64.0;
const TIP: f32 = 80.0;
/// Width of the head at its base in points.
const HEAD: f32 = 11.0;
/// Half of the side length of the square in points.
const SQUARE: f32 = 8.0;
/// Screen length in points below which an arrow counts as pointing at the camera and cannot be dragged.
const MIN_LENGTH: f32 = 22.0;
const DARK: Vec4 = Vec4::new(0.01, 0.012, 0.02, 0.75);

/// The arrows of a joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrows {
    pub(super) center: Vec3,
    /// Unit vectors in world space, one per arrow.
    directions: [Vec3; 3],
    /// World metres per point at the joint.
    point: f32,
}

impl Arrows {
    /// Returns the arrows of a joint, along the axes of the world or of the joint.
    pub(super) fn for_joint(picture: &Picture<'_>, node: usize) -> Option<Self> {
        let puppet = picture.puppet;
        let center = position(puppet, node).filter(|p| p.is_finite())?;
        let frame = if picture.document.settings.ring_mode.world {
            DQuat::IDENTITY
        } else {
            orientation(&puppet.character().skeleton, puppet.pose(), node)
        };
        let directions = DVec3::AXES.map(|axis| (frame * axis).as_vec3().normalize_or(Vec3::Y));
        Some(Self { center, directions, point: picture.viewport.metres(center, 1.0) })
    }

    /// Returns the start and the tip of an arrow, unless it points at the camera.
    pub(super) fn ends(&self, arrow: usize, viewport: &Viewport) -> Option<[Vec3; 2]> {
        let direction = self.directions.get(arrow)?;
        let at = |points: f32| self.center + direction * (points * self.point);
        let length = viewport.pixel(at(START))?.distance(viewport.pixel(at(TIP))?) / viewport.scale;
        (length > MIN_LENGTH).then(|| [at(START), at(TIP)])
    }

    /// Draws the arrows and the square.
    pub(super) fn draw(&self, pen: &mut Pen<'_>, hovered: Option<GizmoGrip>) {
        for arrow in 0..self.directions.len() {
            self.draw_arrow(pen, arrow, hovered == Some(GizmoGrip::Arrow(arrow)));
        }
        let right = pen.viewport.direction().cross(pen.viewport.camera.up).normalize_or(Vec3::X);
        let up = right.cross(pen.viewport.direction()).normalize_or(Vec3::Y);
        let corner = |x: f32, y: f32| self.center + (right * x + up * y) * (SQUARE * self.point);
        let corners =
            [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0), corner(-1.0, -1.0)];
        let is_hovered = hovered == Some(GizmoGrip::Center);
        pen.fan(self.center, &corners, Vec4::ONE.with_w(if is_hovered { 0.45 } else { 0.12 }));
        pen.path(&corners, if is_hovered { 2.6 } else { 1.5 }, Vec4::ONE);
    }

    pub(super) fn draw_arrow(&self, pen: &mut Pen<'_>, arrow: usize, is_hovered: bool) {
        let Some(([start, tip], color)) = self.ends(arrow, pen.viewport).zip(AXES.get(arrow)) else { return };
        let color = if is_hovered { Vec4::ONE } else { *color };
        let neck = start + (tip - start) * ((NECK - START) / (TIP - START));
        pen.path(&[start, neck], if is_hovered { 4.0 } else { 2.6 }, color);
        for (width, color) in [(HEAD + 3.0, DARK), (HEAD, color)] {
            let widths = [width * pen.viewport.scale, 0.0];
            pen.lines.push(Line { start: neck, end: tip, widths, color });
        }
    }
}

/// A joint that an arrow or the square pulls.
pub(in crate::session) struct ArrowPull {
    pub(in crate::session) hit: Hit,
    /// The axis and the unit direction of the arrow. `None` for the square.
    pub(in crate::session) along: Option<(Axis, Vec3)>,
    /// Offset from the pointer to the joint in pixels.
    pub(in crate::session) offset: Vec2,
}

impl ArrowPull {
    /// Returns the pull that starts at a pixel. `None` if the grip is neither an arrow nor the square.
    pub(in crate::session) fn new(picture: &Picture<'_>, grip: GizmoGrip, at: Vec2) -> Option<Self> {
        let node = picture.document.selection.active?;
        let arrows = Arrows::for_joint(picture, node)?;
        let along = match grip {
            GizmoGrip::Arrow(arrow) => Some((*Axis::ALL.get(arrow)?, *arrows.directions.get(arrow)?)),
            GizmoGrip::Center => None,
            _ => return None,
        };
        let hit = Hit { node, point: arrows.center, offset: DVec3::ZERO, handle: true };
        Some(Self { hit, along, offset: picture.viewport.pixel(arrows.center).unwrap_or(at) - at })
    }
}

//! Collects a gizmo's shapes.

use glam::{Vec3, Vec4};

use crate::render::{Fill, Line};
use crate::session::picking::Viewport;

const DARK: Vec4 = Vec4::new(0.01, 0.012, 0.02, 0.75);

/// Collects the lines and triangles of a gizmo. Widths are in points.
pub(super) struct Pen<'a> {
    pub(super) viewport: &'a Viewport,
    pub(super) lines: Vec<Line>,
    pub(super) fills: Vec<Fill>,
}

impl Pen<'_> {
    pub(super) fn line(&mut self, start: Vec3, end: Vec3, width: f32, color: Vec4) {
        self.lines.push(Line { start, end, widths: [width * self.viewport.scale; 2], color });
    }

    pub(super) fn dot(&mut self, at: Vec3, size: f32, color: Vec4) {
        self.line(at, at, size + 3.0, DARK);
        self.line(at, at, size, color);
    }

    /// Draws a polyline over a slightly wider dark one, so that it stands out against any background.
    pub(super) fn path(&mut self, points: &[Vec3], width: f32, color: Vec4) {
        for (width, color) in [(width + 2.0, DARK.with_w(DARK.w * color.w)), (width, color)] {
            for pair in points.windows(2) {
                if let [a, b] = *pair {
                    self.line(a, b, width, color);
                }
            }
        }
    }

    /// Fills the triangles between a center and each segment of a polyline.
    pub(super) fn fan(&mut self, center: Vec3, points: &[Vec3], color: Vec4) {
        let triangle = |pair: &[Vec3]| match *pair {
            [a, b] => Some(Fill { corners: [center, a, b], color }),
            _ => None,
        };
        self.fills.extend(points.windows(2).filter_map(triangle));
    }
}

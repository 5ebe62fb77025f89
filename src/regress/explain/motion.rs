//! Measures how far visible vertices have moved.

use std::collections::{BTreeMap, BTreeSet};

use glam::{Mat4, Vec2, Vec3};

use crate::puppet::Puppet;
use crate::record::project;
use crate::view::Camera;

use super::Conditions;
use super::facts::Facts;
use super::raster;
use super::raster::{Hit, Ids};
use super::surfaces::Surfaces;

/// Minimum movement in pixels that can explain why a pixel differs.
pub(super) const MIN_SHIFT: f32 = 0.01;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Shift {
    /// The distance in world metres.
    pub(super) distance: f32,
    /// The distance in pixels, as seen by the golden's camera.
    pub(super) pixels: f32,
}

impl Shift {
    /// Returns the larger distance and the larger number of pixels.
    pub(super) fn larger(self, other: Self) -> Self {
        Self { distance: self.distance.max(other.distance), pixels: self.pixels.max(other.pixels) }
    }
}

/// The two scenes of a comparison.
pub(super) struct Scenes<'a> {
    pub(super) puppet: &'a Puppet,
    pub(super) facts: &'a Facts,
    pub(super) surfaces: [&'a Surfaces; 2],
    pub(super) ids: [&'a Ids; 2],
    /// `clip_from_world` of both cameras.
    clip_from_world: [Mat4; 2],
    size: Vec2,
    pub(super) conditions: Conditions,
    /// The largest movement of visible vertices caused by each joint (`None` stands for morph weights), and the largest movement in pixels
    /// caused by the camera.
    pub(super) shifts: BTreeMap<Option<usize>, Shift>,
    pub(super) camera: f32,
}

impl<'a> Scenes<'a> {
    #[expect(clippy::cast_precision_loss, reason = "image sizes are exact in single precision")]
    pub(super) fn new(
        puppet: &'a Puppet,
        facts: &'a Facts,
        surfaces: [&'a Surfaces; 2],
        ids: [&'a Ids; 2],
        cameras: [&Camera; 2],
        conditions: Conditions,
    ) -> Self {
        let [golden, _] = ids;
        let size = Vec2::new(golden.width as f32, golden.height as f32);
        let clip_from_world = cameras.map(|camera| camera.clip_from_world(size.x / size.y));
        let (shifts, camera) = (BTreeMap::new(), 0.0);
        let mut scenes =
            Self { puppet, facts, surfaces, ids, clip_from_world, size, conditions, shifts, camera };
        (scenes.shifts, scenes.camera) = scenes.largest_shifts();
        scenes
    }

    /// Returns whether a shadow differs.
    pub(super) fn moves_shadows(&self) -> bool {
        self.facts.changes_shapes(self.conditions.same_machine)
            || self.shifts.values().any(|shift| shift.pixels >= MIN_SHIFT)
    }

    /// Returns the pixel of a point for the golden's camera (0) or the actual one (1). `None` if it is behind the camera.
    fn project(&self, camera: usize, point: Vec3) -> Option<Vec2> {
        project(self.clip_from_world.get(camera)?, self.size, point)
    }

    /// Returns how far the pose moves a point. Both positions are projected by the golden's camera.
    fn pose_shift(&self, was: Vec3, is: Vec3) -> Shift {
        if was == is {
            return Shift::default();
        }
        let pixels = self.project(0, was).zip(self.project(0, is)).map_or(0.0, |(a, b)| a.distance(b));
        Shift { distance: was.distance(is), pixels }
    }

    /// Returns how far the camera moves a point in the image, in pixels.
    pub(super) fn camera_shift(&self, point: Vec3) -> f32 {
        self.project(0, point).zip(self.project(1, point)).map_or(0.0, |(a, b)| a.distance(b))
    }

    /// Returns the world positions of a visible point in the golden and in the actual pose.
    pub(super) fn positions(&self, hit: &Hit) -> Option<[Vec3; 2]> {
        let corners = self.corners(hit)?;
        let [golden, actual] = self.surfaces;
        let at = |surfaces: &Surfaces| {
            let weighted = corners.iter().zip(hit.at.to_array());
            weighted.map(|(v, w)| Some(surfaces.position(hit.part as usize, *v)? * w)).sum::<Option<Vec3>>()
        };
        Some([at(golden)?, at(actual)?])
    }

    /// Returns how far the pose has moved a visible point.
    pub(super) fn shift(&self, hit: &Hit) -> Shift {
        self.positions(hit).map_or_else(Shift::default, |[was, is]| self.pose_shift(was, is))
    }

    /// Returns how far the pose or camera has moved the surface in a pixel.
    pub(super) fn shift_at(&self, index: usize) -> Shift {
        let hits = self.ids.iter().filter_map(|ids| ids.hit(index));
        hits.fold(Shift::default(), |largest, hit| {
            let camera = self.positions(hit).map_or(0.0, |[was, _]| self.camera_shift(was));
            let shift = self.shift(hit);
            largest.larger(Shift { pixels: shift.pixels.max(camera), ..shift })
        })
    }

    pub(super) fn corners(&self, hit: &Hit) -> Option<[u32; 3]> {
        let part = *self.puppet.parts().get(hit.part as usize)?;
        self.puppet.character().primitive(part).triangles.get(hit.triangle as usize).copied()
    }

    /// Returns the largest movement of any visible vertex caused by each joint, and the largest movement in pixels caused by the camera. A
    /// vertex is visible if one of its triangles is visible in either scene.
    fn largest_shifts(&self) -> (BTreeMap<Option<usize>, Shift>, f32) {
        let mut shifts: BTreeMap<Option<usize>, Shift> = BTreeMap::new();
        let mut camera: f32 = 0.0;
        for (hit, vertex) in self.visible_vertices() {
            let [golden, actual] = self.surfaces.map(|surfaces| surfaces.position(hit.part as usize, vertex));
            let Some((was, is)) = golden.zip(actual) else { continue };
            if !self.facts.camera.is_empty() && self.is_inside(was) {
                camera = camera.max(self.camera_shift(was));
            }
            let shift = self.pose_shift(was, is);
            if shift.distance > 0.0 && (self.is_inside(was) || self.is_inside(is)) {
                let nodes = raster::nodes(self.puppet, &hit);
                let cause = self.facts.cause(self.puppet, &nodes);
                let largest = shifts.entry(cause).or_default();
                largest.distance = largest.distance.max(shift.distance);
                largest.pixels = largest.pixels.max(shift.pixels);
            }
        }
        (shifts, camera)
    }

    /// Returns the vertices that have a visible triangle in either scene. Each vertex comes with a `Hit` at its corner of one of these
    /// triangles.
    pub(super) fn visible_vertices(&self) -> Vec<(Hit, u32)> {
        let hits = self.ids.iter().flat_map(|ids| ids.hits.iter().flatten());
        let triangles: BTreeSet<(u32, u32)> = hits.map(|hit| (hit.part, hit.triangle)).collect();
        let (mut done, mut vertices) = (BTreeSet::new(), Vec::new());
        for (part, triangle) in triangles {
            let hit = |at| Hit { part, triangle, at, depth: 0.0 };
            let corners = self.corners(&hit(Vec3::X)).into_iter().flatten().zip(Vec3::AXES);
            let new = corners.filter(|(vertex, _)| done.insert((part, *vertex)));
            vertices.extend(new.map(|(vertex, at)| (hit(at), vertex)));
        }
        vertices
    }

    /// Returns a lower bound on the distance in pixels between a vertex in the golden's pose and the recorded position of this vertex. Only
    /// a change of the mesh or its skin causes such a distance. Returns `None` if the golden does not contain that position, or if the
    /// vertex is outside the image.
    pub(super) fn mesh_shift(&self, part: u32, vertex: u32) -> Option<f32> {
        let [golden, _] = self.surfaces;
        let pixel = self.project(0, golden.position(part as usize, vertex)?)?;
        self.facts.seen.get(&part)?.distance(vertex, pixel).filter(|_| is_inside(pixel, self.size))
    }

    fn is_inside(&self, point: Vec3) -> bool {
        self.project(0, point).is_some_and(|pixel| is_inside(pixel, self.size))
    }
}

fn is_inside(pixel: Vec2, size: Vec2) -> bool {
    pixel.cmpge(Vec2::ZERO).all() && pixel.cmple(size).all()
}

/// Returns the largest distance in pixels by which the change of the camera moves points in the golden's image.
#[expect(clippy::cast_precision_loss, reason = "image sizes are exact in single precision")]
pub(super) fn camera_shift(
    cameras: [Camera; 2],
    size: (u32, u32),
    points: impl Iterator<Item = Vec3>,
) -> f32 {
    let size = Vec2::new(size.0 as f32, size.1 as f32);
    let [was, is] = cameras.map(|camera| camera.clip_from_world(size.x / size.y));
    let shift = |point| {
        let before = project(&was, size, point).filter(|pixel| is_inside(*pixel, size))?;
        Some(before.distance(project(&is, size, point)?))
    };
    points.filter_map(shift).fold(0.0, f32::max)
}

//! Draws the ids of surfaces on the CPU: the part, the triangle and the depth of each pixel.

use glam::{Mat4, Vec3, Vec4};

use crate::asset::Part;
use crate::puppet::Puppet;
use crate::skin::influencing_nodes;
use crate::view::Camera;

use super::surfaces::{Surfaces, is_double_sided, is_see_through};

/// Clip-space w below which a triangle is clipped.
const MIN_W: f32 = 1e-6;

/// The surface at the centre of a pixel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hit {
    /// Index of the part in the puppet's list.
    pub(super) part: u32,
    /// Index of the triangle in the part.
    pub(super) triangle: u32,
    /// Barycentric coordinates of the point.
    pub(super) at: Vec3,
    /// Depth in clip space, from 0 (near) to 1 (far).
    pub(super) depth: f32,
}

/// The ids of an image.
pub(super) struct Ids {
    pub(super) width: u32,
    pub(super) height: u32,
    /// The surface at each pixel, row by row from the top. `None` if there is no surface.
    pub(super) hits: Vec<Option<Hit>>,
    /// The opaque surfaces behind transparent ones and behind holes. Empty if no part is transparent or has holes.
    behind: Vec<Option<Hit>>,
}

/// A corner of a clipped triangle.
#[derive(Clone, Copy)]
struct Corner {
    clip: Vec4,
    at: Vec3,
}

impl Ids {
    /// Draws the ids of posed surfaces. Front faces and depth order match the renderer. A surface with holes or transparency is drawn as if
    /// it were opaque, and the surfaces behind it are drawn separately.
    pub(super) fn draw(puppet: &Puppet, surfaces: &Surfaces, camera: &Camera, size: (u32, u32)) -> Self {
        let mut all = Self::layer(puppet, surfaces, camera, size, |_| true);
        let is_opaque = |part: Part| !is_see_through(puppet.character(), part);
        let drawn = puppet.parts().iter().zip(&surfaces.parts).filter(|(_, surface)| surface.is_some());
        if drawn.map(|(part, _)| *part).any(|part| !is_opaque(part)) {
            all.behind = Self::layer(puppet, surfaces, camera, size, is_opaque).hits;
        }
        all
    }

    /// Draws the ids of some parts.
    fn layer(
        puppet: &Puppet,
        surfaces: &Surfaces,
        camera: &Camera,
        size: (u32, u32),
        is_drawn: impl Fn(Part) -> bool,
    ) -> Self {
        let (width, height) = size;
        let hits = vec![None; width as usize * height as usize];
        let mut ids = Self { width, height, hits, behind: Vec::new() };
        #[expect(clippy::cast_precision_loss, reason = "image sizes are exact in single precision")]
        let aspect = width as f32 / height.max(1) as f32;
        let clip_from_world: Mat4 = camera.clip_from_world(aspect);
        for (index, (part, surface)) in puppet.parts().iter().zip(&surfaces.parts).enumerate() {
            let Some(surface) = surface.as_ref().filter(|_| is_drawn(*part)) else { continue };
            let character = puppet.character();
            let both_sides = is_double_sided(character, *part);
            let clip: Vec<Vec4> = surface.positions.iter().map(|p| clip_from_world * p.extend(1.0)).collect();
            for (triangle, corners) in character.primitive(*part).triangles.iter().enumerate() {
                let corner = |i: usize| {
                    let clip = corners.get(i).and_then(|vertex| clip.get(*vertex as usize))?;
                    Some(Corner { clip: *clip, at: Vec3::AXES.get(i).copied()? })
                };
                let Some(((a, b), c)) = corner(0).zip(corner(1)).zip(corner(2)) else { continue };
                let [part_id, triangle_id] =
                    [index, triangle].map(|index| u32::try_from(index).unwrap_or(u32::MAX));
                let facing = if both_sides { None } else { Some(surface.mirrored) };
                ids.clipped([a, b, c], facing, part_id, triangle_id);
            }
        }
        ids
    }

    pub(super) fn hit(&self, index: usize) -> Option<&Hit> {
        self.hits.get(index)?.as_ref()
    }

    /// Returns the opaque surface behind a see-through one.
    pub(super) fn hit_behind(&self, index: usize) -> Option<&Hit> {
        self.behind.get(index)?.as_ref()
    }

    /// Clips a triangle at the near plane, and draws the rest.
    fn clipped(&mut self, corners: [Corner; 3], facing: Option<bool>, part: u32, triangle: u32) {
        let inside = |c: &Corner| c.clip.w > MIN_W && c.clip.z >= 0.0;
        if corners.iter().all(inside) {
            return self.triangle(corners, facing, part, triangle);
        }
        // Sutherland & Hodgman 1974, applied to one plane after another.
        let mut polygon = corners.to_vec();
        for distance in [|c: &Corner| c.clip.w - MIN_W, |c: &Corner| c.clip.z] {
            let mut cut = Vec::with_capacity(polygon.len() + 1);
            for (i, corner) in polygon.iter().enumerate() {
                let Some(next) = polygon.get((i + 1) % polygon.len()) else { continue };
                let (here, there) = (distance(corner), distance(next));
                if here >= 0.0 {
                    cut.push(*corner);
                }
                if (here < 0.0) != (there < 0.0) {
                    let t = here / (here - there);
                    cut.push(Corner { clip: corner.clip.lerp(next.clip, t), at: corner.at.lerp(next.at, t) });
                }
            }
            polygon = cut;
        }
        if let [first, rest @ ..] = &polygon[..] {
            for pair in rest.windows(2) {
                if let [b, c] = pair {
                    self.triangle([*first, *b, *c], facing, part, triangle);
                }
            }
        }
    }

    /// Draws a triangle that is in front of the near plane. `facing` states whether clockwise triangles are the front faces. It is `None`
    /// if both sides are drawn.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "pixels are clamped to the image first"
    )]
    fn triangle(&mut self, corners: [Corner; 3], facing: Option<bool>, part: u32, triangle: u32) {
        let (width, height) = (self.width as f32, self.height as f32);
        let [a, b, c] = corners.map(|corner| {
            let ndc = corner.clip / corner.clip.w;
            Vec3::new((ndc.x * 0.5 + 0.5) * width, (0.5 - ndc.y * 0.5) * height, ndc.z)
        });
        let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        // Y points down in the image, so that counter-clockwise triangles have a negative area.
        if area == 0.0 || !area.is_finite() || facing.is_some_and(|mirrored| (area > 0.0) != mirrored) {
            return;
        }
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        let pixels = |low: f32, high: f32, size: f32| {
            let clamp = |x: f32| x.clamp(0.0, size) as u32;
            clamp((low - 0.5).ceil())..clamp((high + 0.5).floor())
        };
        for y in pixels(low.y, high.y, height) {
            for x in pixels(low.x, high.x, width) {
                let (px, py) = (x as f32 + 0.5, y as f32 + 0.5);
                let edge = |p: Vec3, q: Vec3| ((q.x - p.x) * (py - p.y) - (q.y - p.y) * (px - p.x)) / area;
                let weights = Vec3::new(edge(b, c), edge(c, a), edge(a, b));
                if weights.min_element() < 0.0 {
                    continue;
                }
                let depth = weights.dot(Vec3::new(a.z, b.z, c.z));
                let Some(hit) = self.hits.get_mut(y as usize * self.width as usize + x as usize) else {
                    continue;
                };
                if hit.is_some_and(|hit| hit.depth <= depth) || depth > 1.0 {
                    continue;
                }
                let [p, q, r] = corners;
                let perspective = weights / Vec3::new(p.clip.w, q.clip.w, r.clip.w);
                let perspective = perspective / perspective.element_sum();
                let at = p.at * perspective.x + q.at * perspective.y + r.at * perspective.z;
                *hit = Some(Hit { part, triangle, at, depth });
            }
        }
    }
}

/// Returns the node that moves a visible point most.
pub(super) fn node(puppet: &Puppet, hit: &Hit) -> Option<usize> {
    nodes(puppet, hit).first().copied()
}

/// Returns the nodes that move a visible point, the one with the largest weight first.
pub(super) fn nodes(puppet: &Puppet, hit: &Hit) -> Vec<usize> {
    let Some(part) = puppet.parts().get(hit.part as usize) else { return Vec::new() };
    let triangles = &puppet.character().primitive(*part).triangles;
    let Some(corners) = triangles.get(hit.triangle as usize) else { return Vec::new() };
    let nodes = influencing_nodes(puppet.character(), *part, *corners, hit.at);
    nodes.into_iter().map(|(node, _)| node).collect()
}

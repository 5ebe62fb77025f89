//! Levels of detail: the triangles of a model, simplified for figures that are small in the image.

use std::ops::Range;

use bytemuck::Zeroable;
use glam::{Quat, Vec3};

use crate::asset::{Influences, Primitive};
use crate::gpu_types::COARSE;
use crate::indirect::Levels;
use crate::material::has_visible_order;
use crate::simplify::{Level, Look, Shape, simplify};
use crate::triangle_order;

use super::clips::to_u32;
use super::looks::{color, looks};
use super::model::CrowdModel;
use super::palette::palette;
use super::sample::{sample, sample_weights};
use super::types::{Character, CrowdLayer, Local, Rows};
use super::world::world;

/// Each level has at most this fraction of the triangles of the previous one, but no fewer triangles than the minimum.
const FRACTION: usize = 2;
const FEWEST: usize = 32;
/// Maximum number of poses of clips in which errors are measured, and of vertices in all poses together.
const POSES: usize = 6;
const POSED_VERTICES: usize = 500_000;
/// Error of a collapse between vertices that different joints move, as a fraction of their distance.
const OTHER_JOINTS: f32 = 0.25;
/// A level is left out if it has more triangles than this number of tenths of the previous one.
const WORTHWHILE: usize = 7;

/// The vertices of all parts, one part after another.
struct Vertices<'a> {
    parts: Vec<&'a Primitive>,
    /// The part of each vertex, and its index in the part.
    places: Vec<(usize, usize)>,
    /// The indices of the matrices that move each vertex, with their weights.
    influences: Vec<[(u32, f32); 8]>,
}

impl CrowdModel {
    /// Returns the levels of detail, which are made by the first call.
    pub(super) fn detail(&self) -> &Levels {
        if let Some(levels) = self.detail.get() {
            return levels;
        }
        // Not in `get_or_init`: a thread of the pool that waits for other threads may take up a task that needs the same levels.
        let levels = levels(self);
        self.detail.get_or_init(|| levels)
    }
}

/// Returns the levels of a model.
pub(super) fn levels(model: &CrowdModel) -> Levels {
    let vertices = Vertices::new(model);
    let first = |part: usize| vertices.places.partition_point(|(other, _)| *other < part);
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    // The triangles of each part, as indices into the list above.
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (part, primitive) in vertices.parts.iter().enumerate() {
        let (start, before) = (to_u32(first(part)), triangles.len());
        triangles.extend(primitive.triangles.iter().map(|corners| corners.map(|corner| start + corner)));
        ranges.push(before..triangles.len());
    }
    let poses = poses(model, &vertices);
    let shape = Shape {
        poses: &poses,
        triangles: &triangles,
        looks: &vertices.looks(model, poses.first().map_or(&[][..], Vec::as_slice)),
        difference: &|a, b| vertices.difference(a, b),
        jump: &|a, b| vertices.jump(a, b),
        contrast: &|a, b| vertices.contrast(a, b),
    };
    let fewer = |count: &usize| Some((count / FRACTION).max(FEWEST));
    let counts: Vec<usize> =
        std::iter::successors(Some(triangles.len()), fewer).skip(1).take(COARSE).collect();
    let mut levels = Levels::none(ranges.len());
    let (mut last, mut error) = (triangles.len(), 1e-9_f32);
    for (index, Level { triangles, error: measured }) in simplify(&shape, &counts).into_iter().enumerate() {
        error = error.max(measured);
        if triangles.len() * 10 > last * WORTHWHILE || triangles.is_empty() {
            continue;
        }
        last = triangles.len();
        levels.errors[index] = error;
        for (part, range) in ranges.iter().enumerate() {
            let (primitive, start) = (vertices.parts[part], to_u32(first(part)));
            let of_part = triangles.iter().filter(|(triangle, _)| range.contains(triangle));
            let of_part: Vec<_> = of_part.map(|(_, corners)| corners.map(|corner| corner - start)).collect();
            let material = primitive.material.and_then(|material| model.character.materials.get(material));
            let in_order = if material.is_some_and(has_visible_order) {
                of_part
            } else {
                triangle_order::for_vertex_cache(&of_part, primitive.vertices())
            };
            let first_index = to_u32(levels.indices.len());
            levels.indices.extend_from_slice(in_order.as_flattened());
            levels.parts[part][index] = first_index..to_u32(levels.indices.len());
        }
    }
    levels
}

impl<'a> Vertices<'a> {
    fn new(model: &'a CrowdModel) -> Self {
        let parts: Vec<_> = model.parts.iter().map(|part| model.character.primitive(*part)).collect();
        let (mut places, mut influences) = (Vec::new(), Vec::new());
        for (index, (&primitive, draw)) in parts.iter().zip(&model.draws).enumerate() {
            let is_skinned = model.parts[index].skin.is_some() && !primitive.influences.is_empty();
            for vertex in 0..primitive.vertices() {
                let mut all = [(draw.first_matrix, 0.0); 8];
                // A rigid part has one matrix.
                all[0].1 = 1.0;
                let sets = primitive.influences.iter().filter(|_| is_skinned);
                let of_set =
                    |set: &Influences| set.joints[vertex].into_iter().zip(set.weights[vertex].to_array());
                for (slot, (joint, weight)) in all.iter_mut().zip(sets.flat_map(of_set)) {
                    *slot = (draw.first_matrix + u32::from(joint), weight);
                }
                places.push((index, vertex));
                influences.push(all);
            }
        }
        Self { parts, places, influences }
    }

    /// See [`Shape::looks`]. `positions` are those of all vertices in the rest pose.
    fn looks(&self, model: &CrowdModel, positions: &[Vec3]) -> Vec<Look> {
        let all = || positions.iter().copied();
        let size = all().reduce(Vec3::max).unwrap_or_default() - all().reduce(Vec3::min).unwrap_or_default();
        let (mut found, mut rest) = (Vec::with_capacity(positions.len()), positions);
        for &primitive in &self.parts {
            let (own, after) = rest.split_at_checked(primitive.vertices()).unwrap_or((rest, &[][..]));
            let material = primitive.material.and_then(|material| model.character.materials.get(material));
            found.extend(looks(primitive, material, own, size.max_element()));
            rest = after;
        }
        found
    }

    /// See [`Shape::difference`]: the weight that moves only one of the vertices.
    fn difference(&self, a: u32, b: u32) -> f32 {
        let [of_a, of_b] = [a, b].map(|vertex| &self.influences[vertex as usize]);
        let in_b = |joint: u32| {
            of_b.iter().filter(|(other, _)| *other == joint).map(|(_, weight)| weight).sum::<f32>()
        };
        let moved = of_a.iter().filter(|(_, weight)| *weight > 0.0);
        let shared: f32 = moved.map(|&(joint, weight)| weight.min(in_b(joint))).sum();
        (OTHER_JOINTS * (1.0 - shared)).clamp(0.0, 1.0)
    }

    /// See [`Shape::contrast`]: the difference of the colours.
    fn contrast(&self, a: u32, b: u32) -> f32 {
        let [(part, a), (other, b)] = [a, b].map(|vertex| self.places[vertex as usize]);
        let (part, other) = (self.parts[part], self.parts[other]);
        if part.material == other.material { color(part, a).distance(color(other, b)).min(1.0) } else { 1.0 }
    }

    /// See [`Shape::jump`]: the differences of normals, texture coordinates and colours.
    fn jump(&self, a: u32, b: u32) -> Option<f32> {
        let contrast = self.contrast(a, b);
        let [(part, a), (other, b)] = [a, b].map(|vertex| self.places[vertex as usize]);
        let primitive = self.parts[part];
        let turn =
            primitive.normals.get(a).zip(primitive.normals.get(b)).map_or(0.0, |(a, b)| a.distance(*b));
        let moves =
            primitive.uvs.iter().map(|uvs| uvs.get(a).zip(uvs.get(b)).map_or(0.0, |(a, b)| a.distance(*b)));
        (part == other).then(|| (0.5 * turn + moves.fold(0.0, f32::max) + contrast).min(1.0))
    }
}

/// Returns the positions of all vertices in the rest pose and in poses of the clips.
fn poses(model: &CrowdModel, vertices: &Vertices<'_>) -> Vec<Vec<Vec3>> {
    let clips = &model.clips.infos;
    let affordable = (POSED_VERTICES / vertices.places.len().max(1)).clamp(1, POSES);
    let count = if clips.is_empty() { 0 } else { affordable };
    let of_clips = (0..count).map(|index| {
        // All clips take turns. If there are too many, the clips are evenly distributed.
        let clip = if clips.len() > count { index * clips.len() / count } else { index % clips.len() };
        let time = clips[clip].seconds * (0.25 + 0.618 * index as f32).fract();
        CrowdLayer { clip: to_u32(clip), time, weight: 1.0, ..CrowdLayer::EMPTY }
    });
    std::iter::once(CrowdLayer::EMPTY).chain(of_clips).map(|layer| pose(model, vertices, layer)).collect()
}

/// Returns the positions of all vertices in model space.
fn pose(model: &CrowdModel, vertices: &Vertices<'_>, layer: CrowdLayer) -> Vec<Vec3> {
    let CrowdModel { joints, clips, bones, .. } = model;
    let mut locals = vec![Local::zeroed(); joints.len()];
    let mut weights = model.rest_weights.clone();
    let [mut models, mut palette_rows] = [joints.len(), bones.len()].map(|count| vec![Rows::IDENTITY; count]);
    sample(&[layer], clips, joints, &mut locals);
    sample_weights(&[layer], clips, &model.rest_weights, &mut weights);
    world(joints, &locals, &mut models);
    let at_origin = Character { rotation: Quat::IDENTITY, scale: 1.0, ..Character::zeroed() };
    palette(&at_origin, &models, bones, &mut palette_rows);
    let mut positions = Vec::with_capacity(vertices.places.len());
    model.skin(&palette_rows, &weights, |_, skinned| positions.extend_from_slice(&skinned.positions));
    positions
}

//! The vertices of a mesh, rounded: enough to find which of them have moved or have different weights, at about three bytes per vertex.

use glam::{DVec3, Vec3};
use serde::{Deserialize, Serialize};

use crate::asset::{Character, Part};
use crate::view::Bounds;

use super::shape::{influences, joint_names, strongest};

/// Maximum number of vertices that a record contains. Larger meshes have digests by joint.
pub(super) const MAX_VERTICES: usize = 6_000;
/// The longest side of the box around the largest part is divided into one of these numbers of steps.
const STEPS: [f32; 3] = [1023.0, 511.0, 255.0];
/// The largest number of steps that two digits per axis can store, and the largest coordinate of a vertex.
const MAX_STEP: i32 = 2047;
const FARTHEST: f32 = 1e15;
/// Maximum mean number of bits for the position of a vertex. In a mesh with few large triangles, each vertex is far from the previous one,
/// so longer steps are used.
const BITS: f32 = 9.5;
/// Weights are rounded down to a multiple of one over this number. It is odd, and weights are shifted, so that the rounding of weights
/// that are stored as bytes has no effect.
const WEIGHTS: f32 = 251.0;
const SHIFT: f32 = 0.37;
/// The digits of numbers from 0 to 63.
const DIGITS: &[u8; 64] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+-";

/// The vertices of a part.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct VerticesRecord {
    /// The lowest corner of the box around the positions, in mesh space.
    pub low: [f32; 3],
    /// The length of a step, in mesh space.
    pub step: f32,
    /// The sum of all positions in mesh space. If one vertex has moved, the sum has moved by the same distance.
    pub sum: [f64; 3],
    /// For x, y and z: the upper digits of all vertices, then the lower ones. Each number is the difference from the previous vertex,
    /// in steps. Positive and negative differences are interleaved, so that small differences have small digits.
    pub positions: String,
    /// Two digits for each vertex. The first digit stands for the joint with the largest weight, and the second digit depends on all joints
    /// and their weights.
    pub weights: String,
}

/// A vertex in steps, and a number that stands for its weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Vertex {
    pub(crate) steps: [i32; 3],
    pub(crate) weights: u32,
}

impl VerticesRecord {
    /// Records the vertices of a part in steps of the given length.
    pub(super) fn of(character: &Character, part: Part, step: f32) -> Self {
        let primitive = character.primitive(part);
        let joints = joint_names(character, part);
        let bounds = Bounds::around(primitive.positions.iter().copied());
        let low = if bounds.is_empty() { Vec3::ZERO } else { bounds.lo };
        let mut digits = [const { (String::new(), String::new()) }; 3];
        let mut before = [0; 3];
        for position in &primitive.positions {
            let steps = steps(*position, low, step);
            for ((high, lower), (step, before)) in digits.iter_mut().zip(steps.into_iter().zip(before)) {
                let folded = fold(step - before);
                high.push(digit(folded / 64));
                lower.push(digit(folded % 64));
            }
            before = steps;
        }
        let rounded = |weight: f32| (weight * WEIGHTS + SHIFT).floor();
        let joint = |vertex: usize| strongest(primitive, vertex).and_then(|joint| joints.get(joint)).copied();
        let all = |vertex: usize| influences(primitive, vertex, &joints, rounded);
        let vertices = 0..if primitive.influences.is_empty() { 0 } else { primitive.vertices() };
        let mut weights: String =
            vertices.clone().map(|vertex| digit((joint(vertex).unwrap_or_default() >> 58) as u32)).collect();
        weights.extend(vertices.map(|vertex| digit((all(vertex) >> 58) as u32)));
        let sum: DVec3 = primitive.positions.iter().map(|position| position.as_dvec3()).sum();
        Self {
            low: low.to_array(),
            step,
            sum: sum.to_array(),
            positions: digits.into_iter().map(|(high, low)| high + &low).collect(),
            weights,
        }
    }

    /// Returns the vertices. `None` if the record is damaged.
    pub(crate) fn vertices(&self) -> Option<Vec<Vertex>> {
        let (positions, weights) = (self.positions.as_bytes(), self.weights.as_bytes());
        let count = positions.len() / 6;
        let is_complete = positions.len() == 6 * count && [0, 2 * count].contains(&weights.len());
        let is_fine = self.step >= 0.0 && self.low.iter().all(|x| x.abs() < FARTHEST);
        if !is_complete || !is_fine || count > MAX_VERTICES {
            return None;
        }
        let mut steps = [0; 3];
        let mut vertices = Vec::with_capacity(count);
        for index in 0..count {
            for (axis, step) in steps.iter_mut().enumerate() {
                let at = |plane: usize| positions.get((2 * axis + plane) * count + index).and_then(value);
                *step += unfold(at(0)? * 64 + at(1)?);
                if !(0..=MAX_STEP).contains(step) {
                    return None;
                }
            }
            let weight = |plane: usize| weights.get(plane * count + index).map_or(Some(0), value);
            vertices.push(Vertex { steps, weights: weight(0)? * 64 + weight(1)? });
        }
        Some(vertices)
    }

    /// Returns the position of a vertex in mesh space, accurate to half a step.
    pub(crate) fn position(&self, vertex: &Vertex) -> Vec3 {
        #[expect(clippy::cast_precision_loss, reason = "steps are small")]
        let steps = Vec3::from_array(vertex.steps.map(|step| step as f32));
        Vec3::from_array(self.low) + steps * self.step
    }
}

/// Returns the step length for some parts of a file.
pub(super) fn step(character: &Character, parts: &[Part]) -> f32 {
    let positions = || parts.iter().map(|part| &character.primitive(*part).positions);
    let side = |positions: &Vec<Vec3>| {
        let bounds = Bounds::around(positions.iter().copied());
        if bounds.is_empty() { 0.0 } else { (bounds.hi - bounds.lo).max_element() }
    };
    let size = positions().map(side).fold(0.0, f32::max);
    // The number of bits for the sign and for the distance from the previous vertex.
    let bits = |difference: Vec3, scale: f32| {
        difference.to_array().map(|x| (1.0 + 2.0 * x.abs() * scale).log2()).iter().sum::<f32>()
    };
    let is_short = |steps: &f32| {
        let scale = if size > 0.0 { steps / size } else { 0.0 };
        let pairs = || positions().flat_map(|positions| positions.windows(2));
        let sum: f32 = pairs()
            .map(|pair| pair.iter().copied().reduce(|a, b| b - a).map_or(0.0, |d| bits(d, scale)))
            .sum();
        #[expect(clippy::cast_precision_loss, reason = "a mean")]
        let count = pairs().count().max(1) as f32;
        sum / count <= BITS
    };
    let [_, _, fewest] = STEPS;
    size / STEPS.into_iter().find(is_short).unwrap_or(fewest)
}

#[expect(clippy::cast_possible_truncation, reason = "clamped")]
fn steps(position: Vec3, low: Vec3, step: f32) -> [i32; 3] {
    let scale = if step > 0.0 { 1.0 / step } else { 0.0 };
    ((position - low) * scale).to_array().map(|step| step.round().clamp(0.0, 2047.0) as i32)
}

/// Maps 0, -1, 1, -2 … to 0, 1, 2, 3 …
fn fold(number: i32) -> u32 {
    let twice = number.unsigned_abs() * 2;
    if number < 0 { twice - 1 } else { twice }
}

fn unfold(number: u32) -> i32 {
    #[expect(clippy::cast_possible_wrap, reason = "two digits have twelve bits")]
    let half = number.div_ceil(2) as i32;
    if number % 2 == 1 { -half } else { half }
}

pub(super) fn digit(number: u32) -> char {
    DIGITS.get(number as usize).copied().unwrap_or(b'?').into()
}

pub(super) fn value(digit: &u8) -> Option<u32> {
    DIGITS.iter().position(|known| known == digit).and_then(|index| u32::try_from(index).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_round_trip_to_half_a_step() {
        let character = crate::asset::load(&sinew_testkit::asset_path("awkward.glb")).unwrap();
        let part = character.parts(0)[0];
        let record = VerticesRecord::of(&character, part, step(&character, &[part]));
        let vertices = record.vertices().unwrap();
        let positions = &character.primitive(part).positions;
        assert_eq!(vertices.len(), positions.len());
        let largest = vertices
            .iter()
            .zip(positions)
            .map(|(vertex, position)| (record.position(vertex) - *position).abs().max_element())
            .fold(0.0, f32::max);
        assert!(largest > 0.0 && largest <= 0.5001 * record.step, "{largest} of {}", record.step);
    }

    #[test]
    fn damaged_vertices_are_refused() {
        let character = crate::asset::load(&sinew_testkit::asset_path("awkward.glb")).unwrap();
        let record = VerticesRecord::of(&character, character.parts(0)[0], 0.002);
        let longer = VerticesRecord { weights: format!("{}00", record.weights), ..record.clone() };
        assert_eq!(longer.vertices(), None);
        let other = VerticesRecord { positions: record.positions.replace('0', "?"), ..record.clone() };
        assert_eq!(other.vertices(), None);
        // Steps whose sum exceeds the maximum, and a position that no file can contain.
        let far = VerticesRecord { positions: "y".repeat(600), weights: String::new(), ..record.clone() };
        assert_eq!(far.vertices(), None);
        assert_eq!(VerticesRecord { low: [3e38; 3], ..record }.vertices(), None);
    }
}

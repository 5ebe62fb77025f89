//! Bounding boxes of skinned parts, computed from hulls around the vertices of each joint. No skinned vertices are needed.

use std::collections::BTreeMap;

use glam::{Mat4, Vec3};

use crate::asset::Primitive;
use crate::view::Bounds;

use super::SkinMatrices;
use super::hull::Hull;

/// For one part, the hull of the vertices that each joint influences, in the frame of the mesh.
///
/// A skinned vertex is a weighted mean of its images under its joints' matrices. It therefore lies in the box around the images
/// of its joints' hulls.
#[derive(Clone, Debug, Default)]
pub struct JointBoxes {
    /// The joints that influence at least one vertex, as indices into the matrices of the part, with their hulls.
    joints: Vec<(usize, Hull)>,
    /// The hull of all vertices.
    all: Hull,
    /// For each morph target, the box of its displacements.
    morphs: Vec<Bounds>,
}

impl JointBoxes {
    /// Computes the boxes of a primitive. Its influences are ignored unless it is skinned.
    pub fn new(primitive: &Primitive, is_skinned: bool) -> Self {
        let mut joints: BTreeMap<usize, Hull> = BTreeMap::new();
        for set in primitive.influences.iter().filter(|_| is_skinned) {
            for ((position, vertex_joints), weights) in
                primitive.positions.iter().zip(&set.joints).zip(&set.weights)
            {
                for (&joint, weight) in vertex_joints.iter().zip(weights.to_array()) {
                    if weight != 0.0 {
                        joints.entry(usize::from(joint)).or_default().extend(*position);
                    }
                }
            }
        }
        let mut all = Hull::default();
        primitive.positions.iter().for_each(|position| all.extend(*position));
        let displacements = |positions: &Vec<Vec3>| Bounds::around(positions.iter().copied());
        Self {
            joints: joints.into_iter().collect(),
            all,
            morphs: primitive.morph_targets.iter().map(|target| displacements(&target.positions)).collect(),
        }
    }

    /// Returns a box in world metres that contains all vertices of the posed part, and is often slightly larger.
    ///
    /// Returns `None` if a joint has no matrix, and for dual quaternions. These rotate a vertex around an axis that depends on the pose, so
    /// it may leave the box around its images under its joints' matrices.
    ///
    /// `morph_weights`: one weight per morph target. Missing weights count as zero.
    ///
    /// ```
    /// use sinew_character::skin::JointBoxes;
    /// use sinew_character::{asset, puppet::Puppet};
    ///
    /// let mut puppet = Puppet::new(asset::mannequin()?, 0);
    /// puppet.play(3, 0.2);
    /// puppet.update()?;
    /// let part = puppet.parts()[0];
    /// let boxes = JointBoxes::new(puppet.character().primitive(part), part.skin.is_some());
    /// let matrices = puppet.palette().matrices(0).ok_or("no matrices")?;
    /// let bounds = boxes.bounds(matrices, &[]).ok_or("no bounds")?;
    /// let exact = puppet.part_bounds()[0];
    /// assert!(bounds.lo.cmple(exact.lo + 1e-4).all() && bounds.hi.cmpge(exact.hi - 1e-4).all());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bounds(&self, matrices: SkinMatrices<'_>, morph_weights: &[f32]) -> Option<Bounds> {
        let displacement = self.displacement(morph_weights.iter().map(|&weight| [weight; 2]));
        let mut bounds = Bounds::default();
        let mut add = |around: &Hull, world_from_mesh: &Mat4| {
            if !around.is_empty() {
                let is_displaced = displacement != (Vec3::ZERO, Vec3::ZERO);
                let displaced = is_displaced.then(|| around.displaced(displacement));
                bounds.extend(displaced.as_ref().unwrap_or(around).transformed(world_from_mesh));
            }
        };
        match matrices {
            SkinMatrices::Node(matrix) => add(&self.all, matrix),
            SkinMatrices::Joints(matrices) => {
                for (joint, around) in &self.joints {
                    add(around, matrices.get(*joint)?);
                }
            }
            SkinMatrices::Duals(_) => return None,
        }
        Some(bounds)
    }

    /// Returns, for each joint, the box of all vertices that it moves. A joint is an index into the matrices of the part.
    ///
    /// `morph_weights`: the smallest and the largest weight of each morph target. Missing weights count as zero.
    pub fn reach(&self, morph_weights: &[[f32; 2]]) -> Vec<(usize, Bounds)> {
        let (lo, hi) = self.displacement(morph_weights.iter().copied());
        let widened = |around: &Hull| {
            let around = around.bounds();
            Bounds { lo: around.lo + lo, hi: around.hi + hi }
        };
        match &self.joints[..] {
            [] if !self.all.is_empty() => vec![(0, widened(&self.all))],
            joints => joints.iter().map(|(joint, around)| (*joint, widened(around))).collect(),
        }
    }

    /// Returns the smallest and the largest displacement of any vertex by the morph targets, per coordinate. `weights` are the smallest and
    /// the largest weight of each target.
    fn displacement(&self, weights: impl Iterator<Item = [f32; 2]>) -> (Vec3, Vec3) {
        let is_used = |(morph, weights): &(&Bounds, [f32; 2])| {
            !morph.is_empty() && weights.iter().any(|weight| *weight != 0.0)
        };
        let used = self.morphs.iter().zip(weights).filter(is_used);
        used.fold((Vec3::ZERO, Vec3::ZERO), |(lo, hi), (morph, weights)| {
            let ends = weights.map(|weight| [morph.lo * weight, morph.hi * weight]);
            // A vertex that a target does not list is not displaced.
            let ends = ends.as_flattened().iter().copied();
            (lo + ends.clone().fold(Vec3::ZERO, Vec3::min), hi + ends.fold(Vec3::ZERO, Vec3::max))
        })
    }
}

//! Skinned vertices and bounding boxes of a posed puppet.

use glam::Vec3;

use crate::asset::Part;
use crate::skin::{JointBoxes, Palette, Skinned, skin};
use crate::view::Bounds;

use super::Puppet;

impl Puppet {
    /// Skins a part on the CPU. `part` is an index into [`Puppet::parts`].
    pub fn skin(&self, part: usize, out: &mut Skinned) {
        let Some((&p, matrices)) = self.parts.get(part).zip(self.palette.matrices(part)) else { return };
        skin(self.character.primitive(p), matrices, self.morph_weights(p), out);
    }

    /// Returns the morph weights of a part's node.
    pub fn morph_weights(&self, part: Part) -> &[f32] {
        let node = self.character.skeleton.nodes.get(part.node);
        node.and_then(|n| self.pose.weights.get(n.morph_weights.clone())).unwrap_or_default()
    }

    /// Returns the bounding box of the posed vertices of each part.
    pub fn part_bounds(&self) -> Vec<Bounds> {
        let mut skinned = Skinned::default();
        let around = |part| {
            if self.is_hidden(part) {
                return Bounds::default();
            }
            self.skin(part, &mut skinned);
            Bounds::around(skinned.positions.iter().copied())
        };
        (0..self.parts.len()).map(around).collect()
    }

    /// Returns a bounding box for each part. The box contains all posed vertices of the part, but may be larger than necessary. This
    /// takes a small fraction of the time of [`Puppet::part_bounds`], because the boxes are computed from the joints, not from the
    /// vertices.
    ///
    /// Parts that are skinned with dual quaternions have exact boxes.
    pub fn part_boxes(&self) -> Vec<Bounds> {
        self.part_boxes_of(&self.palette, &self.pose.weights)
    }

    /// Like [`Self::part_boxes`], for another pose with its palette and its morph weights.
    pub fn part_boxes_of(&self, palette: &Palette, weights: &[f32]) -> Vec<Bounds> {
        let of_part = |part: &Part| JointBoxes::new(self.character.primitive(*part), part.skin.is_some());
        let boxes = self.boxes.get_or_init(|| self.parts.iter().map(of_part).collect());
        let mut skinned = Skinned::default();
        let around = |(index, (part, boxes)): (usize, (&Part, &JointBoxes))| {
            if self.is_hidden(index) {
                return Bounds::default();
            }
            let Some(matrices) = palette.matrices(index) else { return Bounds::default() };
            let node = self.character.skeleton.nodes.get(part.node);
            let weights = node.and_then(|node| weights.get(node.morph_weights.clone())).unwrap_or_default();
            boxes.bounds(matrices, weights).unwrap_or_else(|| {
                skin(self.character.primitive(*part), matrices, weights, &mut skinned);
                Bounds::around(skinned.positions.iter().copied())
            })
        };
        self.parts.iter().zip(boxes).enumerate().map(around).collect()
    }

    /// Returns the bounding box of all posed vertices in world space, in metres. For a character without vertices, the box contains its
    /// joints, or all nodes if it has no joints.
    ///
    /// ```
    /// use sinew_character::{asset, puppet::Puppet};
    ///
    /// let mut puppet = Puppet::new(asset::mannequin()?, 0);
    /// let standing = puppet.bounds();
    /// puppet.play(4, 1.0);
    /// puppet.update()?;
    /// // The figure is lower when it crouches.
    /// assert!(puppet.bounds().hi.y < standing.hi.y - 0.2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bounds(&self) -> Bounds {
        self.bounds_of(&self.part_bounds())
    }

    /// Returns the positions of all posed vertices in world space, in metres. Like [`Puppet::bounds`], it uses the joints or the nodes of a
    /// character without vertices.
    pub fn points(&self) -> Vec<Vec3> {
        let (mut points, mut skinned) = (Vec::new(), Skinned::default());
        for part in (0..self.parts.len()).filter(|part| !self.is_hidden(*part)) {
            self.skin(part, &mut skinned);
            points.extend_from_slice(&skinned.positions);
        }
        if points.is_empty() {
            let joints = self.character.skins.iter().flat_map(|s| &s.joints);
            points.extend(joints.map(|&node| Vec3::from(self.world_from_node[node].translation)));
        }
        if points.is_empty() {
            points.extend(self.world_from_node.iter().map(|m| Vec3::from(m.translation)));
        }
        points
    }

    /// Returns [`Puppet::bounds`], computed from given [`Puppet::part_bounds`].
    pub fn bounds_of(&self, parts: &[Bounds]) -> Bounds {
        let mut bounds = Bounds::around(parts.iter().flat_map(|b| [b.lo, b.hi]));
        let position = |&n: &usize| self.world_from_node[n].translation.into();
        if bounds.is_empty() {
            bounds.extend(self.character.skins.iter().flat_map(|s| &s.joints).map(position));
        }
        if bounds.is_empty() {
            bounds.extend(self.world_from_node.iter().map(|m| m.translation.into()));
        }
        bounds
    }
}

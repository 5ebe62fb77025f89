//! Pose values other than transforms and morph weights: changes to materials by expressions and clips, and the visibility of nodes.

use super::{Material, MaterialProperty};

/// Numbers that follow the morph weights in [`Skeleton::rest_weights`](super::Skeleton::rest_weights) and in a pose. They are blended,
/// keyed and recorded like morph weights.
#[derive(Clone, Debug, PartialEq)]
pub struct PoseValue {
    /// Index of the first number.
    pub first: usize,
    /// Number of values.
    pub count: usize,
    /// What the numbers change.
    pub target: PoseTarget,
}

/// The quantity that a pose value controls.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum PoseTarget {
    /// The influence of an expression on materials, 0 to 1. The expression is an index into
    /// [`Character::expressions`](super::Character::expressions).
    Expression(usize),
    /// A property of the material with this index.
    Material(usize, MaterialProperty),
    /// Whether a node and its descendants are drawn. They are drawn if the value is at least 0.5.
    Visibility(usize),
}

/// A change that an expression makes to a material.
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialBind {
    /// Index of the material. It must have the property.
    pub material: usize,
    /// The property that changes.
    pub property: MaterialProperty,
    /// Difference that is added to the property when the expression is at 1.
    pub difference: [f32; 4],
}

impl MaterialBind {
    /// Adds the change to a material. `value` is the expression's value.
    pub fn apply(&self, material: &mut Material, value: f32) {
        let Some((count, mut numbers)) = self.property.get(material) else { return };
        numbers.iter_mut().zip(self.difference).for_each(|(number, by)| *number += by * value);
        self.property.set(material, numbers.get(..count).unwrap_or_default());
    }
}

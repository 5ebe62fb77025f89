//! Words for lengths, angles, joints and parts.

use std::collections::BTreeMap;

use crate::asset::Skeleton;
use crate::puppet::Puppet;

/// Returns a length in metres with a unit that suits its size.
pub(super) fn length(metres: f32) -> String {
    match metres {
        m if m >= 1.0 => format!("{m:.2} m"),
        m if m >= 0.1 => format!("{:.1} cm", m * 100.0),
        m if m >= 5e-5 || m == 0.0 => format!("{:.1} mm", m * 1000.0),
        m => format!("{:.1} µm", m * 1e6),
    }
}

/// Returns a number with separators between thousands.
pub(super) fn count(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Returns a number of pixels with separators and a unit, for example "2 px".
pub(super) fn pixels(number: usize) -> String {
    format!("{} px", count(number))
}

/// Readable names of a puppet's joints.
pub(super) struct JointNames {
    words: BTreeMap<usize, String>,
}

impl JointNames {
    /// Uses the bone names of the human body if the body is recognised, and otherwise the names in the file.
    pub(super) fn of(puppet: &Puppet) -> Self {
        Self { words: puppet.rig.bones.iter().map(|(bone, node)| (*node, spaced(bone))).collect() }
    }

    /// Returns the name of a joint as words, for example "left lower arm".
    pub(super) fn words(&self, puppet: &Puppet, node: usize) -> String {
        self.words.get(&node).cloned().unwrap_or_else(|| node_name(&puppet.character().skeleton, node))
    }
}

/// Returns the name of a node in backticks. If a node below another root has the same name, for example in a file with two characters, the
/// name of the root follows.
pub(super) fn node_name(skeleton: &Skeleton, node: usize) -> String {
    let label = skeleton.label(node);
    let others = (0..skeleton.nodes.len()).filter(|other| *other != node && skeleton.label(*other) == label);
    let root = |node: usize| skeleton.ancestors(node).last().unwrap_or(node);
    match others.map(root).any(|other| other != root(node)) {
        true => format!("`{label}` of `{}`", skeleton.label(root(node))),
        false => format!("`{label}`"),
    }
}

/// Converts `leftLowerArm` to "left lower arm".
fn spaced(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !out.is_empty() {
            out.push(' ');
        }
        out.extend(c.to_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_readable() {
        assert_eq!(
            (length(0.0031), length(0.25), length(2.5)),
            ("3.1 mm".into(), "25.0 cm".into(), "2.50 m".into())
        );
        assert_eq!(
            (count(7), count(1204), count(1_234_567)),
            ("7".into(), "1,204".into(), "1,234,567".into())
        );
        assert_eq!(spaced("leftLowerArm"), "left lower arm");
    }

    #[test]
    fn joints_of_two_characters_have_different_names() {
        let mut skeleton = crate::asset::mannequin().unwrap().skeleton;
        let hand = skeleton.find("leftHand").unwrap();
        assert_eq!(node_name(&skeleton, hand), "`leftHand`");
        let root = skeleton.ancestors(hand).last().unwrap();
        let mut other = skeleton.nodes[hand].clone();
        other.parent = None;
        skeleton.nodes.push(other);
        let root = skeleton.label(root);
        assert_eq!(node_name(&skeleton, hand), format!("`leftHand` of `{root}`"));
    }
}

//! The lengths of bones.

use std::collections::HashMap;

use glam::Vec3;

use crate::capture::Take;

/// The standard deviation of a normal distribution, relative to its median absolute deviation.
const DEVIATION_OF_MEDIAN: f64 = 1.4826;

/// A measured bone from a joint to its parent.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EstimatedBone {
    /// The joint at the bone's outer end, an index into the joints of the take.
    pub joint: usize,
    /// The joint at the bone's inner end.
    pub parent: usize,
    /// Length in metres. Zero if both ends were never seen together.
    pub length: f64,
    /// Standard deviation of the measured length in metres, estimated from the median absolute deviation.
    pub deviation: f64,
    /// The number of frames in which both ends were seen.
    pub frames: usize,
}

/// Returns the median of values, or the lower of the two middle values. Reorders the values.
pub(super) fn median(values: &mut [f64]) -> Option<f64> {
    let middle = values.len().checked_sub(1)? / 2;
    Some(*values.select_nth_unstable_by(middle, f64::total_cmp).1)
}

/// Estimates the lengths of the bones in the unit of the take.
///
/// Noise at both ends makes a distance longer on average, because noise perpendicular to the bone always adds to it. If noise along the
/// bone varies the distance by s, the same noise perpendicular to the bone adds s² / length (two axes, each with s² / 2·length). This
/// excess is subtracted.
pub(super) fn estimate(take: &Take, parents: &[Option<usize>]) -> Vec<EstimatedBone> {
    let mut bones = Vec::new();
    let mut distances = Vec::new();
    for (joint, parent) in parents.iter().enumerate().filter_map(|(joint, parent)| Some((joint, (*parent)?)))
    {
        distances.clear();
        for frame in take.positions.frames.iter() {
            let at = |joint: usize| frame.get(joint).copied().flatten().map(Vec3::as_dvec3);
            distances.extend(at(joint).zip(at(parent)).map(|(a, b)| a.distance(b)).filter(|d| d.is_finite()));
        }
        let frames = distances.len();
        let middle = median(&mut distances).unwrap_or(0.0);
        distances.iter_mut().for_each(|d| *d = (*d - middle).abs());
        let deviation = DEVIATION_OF_MEDIAN * median(&mut distances).unwrap_or(0.0);
        // The correction is only valid for noise that is much smaller than the bone.
        let excess = if middle > 0.0 { (deviation * deviation / middle).min(0.1 * middle) } else { 0.0 };
        bones.push(EstimatedBone { joint, parent, length: middle - excess, deviation, frames });
    }
    bones
}

/// Gives left and right bones of the same name their mean length, weighted by the number of frames.
pub(super) fn make_symmetric(bones: &mut [EstimatedBone], joints: &[String]) {
    let by_name: HashMap<&str, usize> =
        bones.iter().enumerate().filter_map(|(i, b)| Some((joints.get(b.joint)?.as_str(), i))).collect();
    let mut means = Vec::new();
    for (name, &left) in &by_name {
        let Some(&right) = mirrored(name).and_then(|other| by_name.get(other.as_str())) else { continue };
        let (Some(a), Some(b)) = (bones.get(left), bones.get(right)) else { continue };
        let same_parent = |x: &EstimatedBone, y: &EstimatedBone| {
            let name = |joint: usize| joints.get(joint).map(String::as_str);
            let (x, y) = (name(x.parent), name(y.parent));
            x == y || x.and_then(mirrored).as_deref() == y
        };
        #[expect(clippy::cast_precision_loss, reason = "frames of a take")]
        let (p, q) = (a.frames as f64, b.frames as f64);
        if same_parent(a, b) && p + q > 0.0 {
            means.push((left, (a.length * p + b.length * q) / (p + q)));
        }
    }
    for (bone, length) in means {
        if let Some(bone) = bones.get_mut(bone) {
            bone.length = length;
        }
    }
}

/// Returns the name of the joint on the other side, or `None` if the name has no side.
fn mirrored(name: &str) -> Option<String> {
    for (left, right) in [("left", "right"), ("Left", "Right"), ("LEFT", "RIGHT")] {
        for (from, to) in [(left, right), (right, left)] {
            if let Some((before, after)) = name.split_once(from) {
                return Some(format!("{before}{to}{after}"));
            }
        }
    }
    for (left, right) in [("l", "r"), ("L", "R")] {
        for (from, to) in [(left, right), (right, left)] {
            for mark in ["_", ".", "-", " "] {
                if let Some(rest) = name.strip_suffix(&format!("{mark}{from}")) {
                    return Some(format!("{rest}{mark}{to}"));
                }
                if let Some(rest) = name.strip_prefix(&format!("{from}{mark}")) {
                    return Some(format!("{to}{mark}{rest}"));
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_other_side() {
        for (name, other) in [
            ("leftHand", Some("rightHand")),
            ("RightFoot", Some("LeftFoot")),
            ("hand_l", Some("hand_r")),
            ("R.knee", Some("L.knee")),
            ("ball", None),
            ("hips", None),
        ] {
            assert_eq!(mirrored(name).as_deref(), other);
        }
    }
}

//! How long a unit of a file is: BVH does not say.

use glam::DVec3;

use super::hierarchy::Joint;

/// What is in use, and metres of it. The database of Carnegie Mellon University counts in inches of a figure that is
/// 0.45 of life-size.
const CANDIDATES: [(&str, f64); 7] = [
    ("metres", 1.0),
    ("centimetres", 0.01),
    ("millimetres", 0.001),
    ("decimetres", 0.1),
    ("inches", 0.0254),
    ("feet", 0.3048),
    ("CMU's units of 0.0564 m", 0.0254 / 0.45),
];
/// How tall, or wide with the arms stretched out, a person is, metres.
const PERSON: f64 = 1.7;

/// Metres a unit: those that make a person of the skeleton, which is as large at rest as its largest side, whichever
/// way it stands or lies there.
pub(super) fn guess(joints: &[Joint], warnings: &mut Vec<String>) -> f64 {
    let places = super::places(joints);
    // From the first joint, which may stand anywhere.
    let start = places.first().copied().unwrap_or_default();
    let (lo, hi) = places.iter().fold((start, start), |(lo, hi), p| (lo.min(*p), hi.max(*p)));
    let size = DVec3::max_element(hi - lo);
    if size <= 0.0 || !size.is_finite() {
        warnings.push("the file does not tell its units, nor does its size: taken as centimetres".to_owned());
        return 0.01;
    }
    let off = |metres: f64| (size * metres / PERSON).ln().abs();
    let nearest = CANDIDATES.into_iter().min_by(|(_, a), (_, b)| off(*a).total_cmp(&off(*b)));
    let (name, metres) = nearest.unwrap_or(("metres", 1.0));
    warnings.push(format!(
        "the file does not tell its units: taken as {name}, which makes its skeleton {:.2} m large",
        size * metres
    ));
    metres
}

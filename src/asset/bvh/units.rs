//! Guesses the unit of length of a file, because BVH does not define one.

use glam::DVec3;

use super::hierarchy::BvhJoint;

/// Common units and their lengths in metres. The motion capture database of Carnegie Mellon University stores lengths
/// in inches multiplied by 0.45.
const CANDIDATES: [(&str, f64); 7] = [
    ("metres", 1.0),
    ("centimetres", 0.01),
    ("millimetres", 0.001),
    ("decimetres", 0.1),
    ("inches", 0.0254),
    ("feet", 0.3048),
    ("CMU's units of 0.0564 m", 0.0254 / 0.45),
];
/// Height of a person in metres, or width with the arms stretched out.
const PERSON: f64 = 1.7;

/// Returns the length of one unit in metres for which the skeleton is closest to the size of a person. Its size is the
/// longest side of its bounds at rest, in whichever direction that is.
pub(super) fn guess(joints: &[BvhJoint], warnings: &mut Vec<String>) -> f64 {
    let positions = super::positions(joints);
    // The bounds start at the first joint and not at the origin, because the skeleton can be anywhere.
    let start = positions.first().copied().unwrap_or_default();
    let (lo, hi) = positions.iter().fold((start, start), |(lo, hi), p| (lo.min(*p), hi.max(*p)));
    let size = DVec3::max_element(hi - lo);
    if size <= 0.0 || !size.is_finite() {
        warnings.push(
            "the file does not define its units and has no size to guess them from, so centimetres are used"
                .to_owned(),
        );
        return 0.01;
    }
    let log_error = |metres: f64| (size * metres / PERSON).ln().abs();
    let nearest = CANDIDATES.into_iter().min_by(|(_, a), (_, b)| log_error(*a).total_cmp(&log_error(*b)));
    let (name, metres) = nearest.unwrap_or(("metres", 1.0));
    warnings.push(format!(
        "the file does not define its units, so {name} are assumed (skeleton size {:.2} m)",
        size * metres
    ));
    metres
}

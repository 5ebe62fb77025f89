//! Guesses the unit of length of a file, because BVH does not define one.

use glam::DVec3;

use crate::asset::Character;

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
/// Height or arm span of a person, in metres.
const PERSON: f64 = 1.7;

/// Guesses the unit that several BVH files share, and returns its length in metres. In this unit, the skeletons as a whole are closest to
/// human size. The files may have been loaded in any unit. Files in one folder usually share a unit, and together they give a better guess
/// than a single file: a child, or a figure that crouches in the rest pose, may fit another unit better. Pass the result to
/// [`load_in_units`](crate::asset::load_in_units). Returns `None` if every BVH skeleton has zero size.
///
/// ```
/// use std::path::Path;
///
/// use sinew_character::asset::bvh;
///
/// let of_height = |units: f64| {
///     let text = format!("HIERARCHY ROOT a {{ OFFSET 0 0 0 CHANNELS 0 End Site {{ OFFSET 0 {units} 0 }} }}");
///     bvh::read(&text, Path::new("a.bvh"), None)
/// };
/// // On its own, a child of 32 inches is mistaken for a person of 1.8 m in CMU units.
/// let (child, adults) = (of_height(32.0)?, [of_height(70.0)?, of_height(66.0)?]);
/// assert!(child.units > Some(0.05));
/// assert_eq!(bvh::common_units(adults.iter().chain([&child])), Some(0.0254));
/// # Ok::<(), sinew_character::asset::LoadError>(())
/// ```
pub fn common_units<'a>(characters: impl IntoIterator<Item = &'a Character>) -> Option<f64> {
    let size = |character: &Character| {
        let units = character.units?;
        let mut positions = Vec::<DVec3>::new();
        for node in &character.skeleton.nodes {
            let above = node.parent.and_then(|p| positions.get(p)).copied().unwrap_or_default();
            positions.push(above + node.rest.translation.as_dvec3() / units);
        }
        Some(extent(&positions)).filter(|size| *size > 0.0 && size.is_finite())
    };
    let sizes: Vec<f64> = characters.into_iter().filter_map(size).collect();
    (!sizes.is_empty()).then(|| nearest(&sizes).1)
}

/// Returns the longest side of the bounding box of the points. The box initially contains only the first point, because a skeleton may be
/// far from the origin.
fn extent(positions: &[DVec3]) -> f64 {
    let start = positions.first().copied().unwrap_or_default();
    let (lo, hi) = positions.iter().fold((start, start), |(lo, hi), p| (lo.min(*p), hi.max(*p)));
    (hi - lo).max_element()
}

/// Returns the candidate unit in which skeletons of these sizes are closest to human size.
fn nearest(sizes: &[f64]) -> (&'static str, f64) {
    let log_error = |metres: f64| sizes.iter().map(|size| (size * metres / PERSON).ln().abs()).sum::<f64>();
    let nearest = CANDIDATES.into_iter().min_by(|(_, a), (_, b)| log_error(*a).total_cmp(&log_error(*b)));
    nearest.unwrap_or(("metres", 1.0))
}

/// Returns the length in metres of the unit in which the skeleton is closest to human size. The size of a skeleton is the longest side of
/// its bounding box in the rest pose.
pub(super) fn guess(joints: &[BvhJoint], warnings: &mut Vec<String>) -> f64 {
    let size = extent(&super::positions(joints));
    if size <= 0.0 || !size.is_finite() {
        warnings.push(
            "the file does not define its units and has no size to guess them from, so centimetres are used"
                .to_owned(),
        );
        return 0.01;
    }
    let (name, metres) = nearest(&[size]);
    warnings.push(format!(
        "the file does not define its units, so {name} are assumed (skeleton size {:.2} m)",
        size * metres
    ));
    metres
}

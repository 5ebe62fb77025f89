//! The parts of a limb: collar, joints from the shoulder or the hip to the hand or the foot, and digits.

use super::anatomy::Anatomy;
use super::symmetry::Plane;

/// At most this number of digits of a limb is listed.
const MAX_DIGITS: usize = 16;

/// A limb whose side is not known yet.
#[derive(Clone, Debug)]
pub(super) struct LimbParts {
    pub(super) collar: Vec<usize>,
    pub(super) joints: Vec<usize>,
}

/// Divides the joints of an arm, from the trunk to a finger.
pub(super) fn arm(anatomy: &Anatomy<'_>, path: &[usize], plane: &Plane) -> LimbParts {
    let bone = |i: usize| match path.get(i..i + 2) {
        Some(&[a, b]) => anatomy.length(a, b),
        _ => 0.0,
    };
    let before = |i: usize| (0..i).map(bone).sum::<f32>();
    let fingers = |n: usize| anatomy.children[n].iter().filter(|c| !anatomy.is_marker[**c]).count();
    let mut best = (f32::NEG_INFINITY, 0);
    for start in 0..path.len().saturating_sub(2) {
        let (upper, lower, next) = (bone(start), bone(start + 1), bone(start + 2));
        let hand = path[start + 2];
        let mut score = upper.min(lower) - 0.5 * (before(start) - 0.7 * upper).max(0.0);
        if fingers(hand) < 2 {
            score -= 0.5 * (next - 0.5 * lower).max(0.0);
        } else {
            score *= 1.3;
        }
        if start == 0 && starts_in_middle(anatomy, path, plane) {
            score *= 0.7;
        }
        // A marker at the end of the hand is not the hand.
        if anatomy.is_marker[hand] {
            score *= 0.6;
        }
        if score > best.0 {
            best = (score, start);
        }
    }
    let start = best.1;
    let end = (start + 3).min(path.len());
    LimbParts { collar: path[..start].to_vec(), joints: path[start..end].to_vec() }
}

/// Divides the joints of a leg, from the trunk to a toe.
pub(super) fn leg(anatomy: &Anatomy<'_>, path: &[usize], plane: &Plane) -> LimbParts {
    let foot = foot(anatomy, path);
    let joints = path.get(..=foot).unwrap_or(path);
    let mut collars = 0;
    while joints.len() - collars > 3 {
        let (a, b, c) = (joints[collars], joints[collars + 1], joints[collars + 2]);
        let bone = anatomy.at[b] - anatomy.at[a];
        let is_short = bone.length() < 0.35 * anatomy.length(b, c);
        let is_across = bone.dot(plane.normal).abs() > 0.8 * bone.length();
        let in_middle = starts_in_middle(anatomy, &joints[collars..], plane);
        if !(is_short && bone.y.abs() < 0.7 * bone.length() || is_across || in_middle) {
            break;
        }
        collars += 1;
    }
    LimbParts { collar: joints[..collars].to_vec(), joints: joints[collars..].to_vec() }
}

/// Returns whether the first joint of a limb is much nearer to the plane between left and right than the second.
fn starts_in_middle(anatomy: &Anatomy<'_>, path: &[usize], plane: &Plane) -> bool {
    let aside = |n: usize| plane.distance(anatomy.at[n]).abs();
    matches!(path, [first, second, ..] if aside(*first) < 0.35 * aside(*second))
}

/// Returns the position in a path of the joint whose bone lies on the floor.
fn foot(anatomy: &Anatomy<'_>, path: &[usize]) -> usize {
    let above_floor = |n: usize| anatomy.at[n].y - anatomy.floor;
    let last = path.len().saturating_sub(1);
    let Some(&top) = path.first() else { return 0 };
    for i in 2..last {
        let (before, foot, toe) = (path[i - 1], path[i], path[i + 1]);
        let bone = anatomy.at[toe] - anatomy.at[foot];
        let is_short = bone.length() < 0.5 * anatomy.length(before, foot);
        let is_flat = bone.y.abs() < 0.8 * bone.length();
        if (is_short || is_flat) && above_floor(foot) < 0.4 * above_floor(top) {
            return i;
        }
    }
    last
}

/// Returns the longest path down from each child of the end of a limb.
pub(super) fn digits(anatomy: &Anatomy<'_>, end: usize) -> Vec<Vec<usize>> {
    let children = anatomy.children[end].iter().take(MAX_DIGITS);
    children.map(|&child| anatomy.longest_path(child)).collect()
}

/// Returns the joints of a hand or a foot that are not below its joint, but below the one before, as the palms and the
/// thumb of some robots.
pub(super) fn siblings(anatomy: &Anatomy<'_>, joints: &[usize]) -> Vec<usize> {
    let [.., before, end] = *joints else { return Vec::new() };
    let bone = anatomy.at[end] - anatomy.at[before];
    let is_beyond = |&n: &usize| {
        let along =
            (anatomy.at[n] - anatomy.at[before]).dot(bone) / bone.length_squared().max(f32::MIN_POSITIVE);
        n != end && !anatomy.is_marker[n] && along > 0.7 && anatomy.length(n, end) < 0.5 * bone.length()
    };
    anatomy.children[before].iter().copied().filter(is_beyond).take(MAX_DIGITS).collect()
}

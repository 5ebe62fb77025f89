//! The parts of a limb: collar, joints from the shoulder or the hip to the hand or the foot, and digits.

use super::anatomy::Anatomy;
use super::symmetry::Plane;

/// Maximum number of listed digits of a limb.
const MAX_DIGITS: usize = 16;

/// A limb whose side is not known yet.
#[derive(Clone, Debug)]
pub(super) struct LimbJoints {
    pub(super) collar: Vec<usize>,
    pub(super) joints: Vec<usize>,
}

/// Divides the joints of a pair of arms into parts. The paths lead from the trunk to a finger. Both arms are divided at the same joints.
pub(super) fn arms(anatomy: &Anatomy<'_>, paths: &[Vec<usize>; 2], plane: &Plane) -> [LimbJoints; 2] {
    let score = |start: usize| paths.iter().map(|path| arm_score(anatomy, path, start, plane)).sum::<f32>();
    let count = paths[0].len().min(paths[1].len());
    let starts = (0..count.saturating_sub(2)).map(|start| (score(start), start));
    // Among equal divisions, the first wins.
    let best = starts.reduce(|best, next| if next.0 > best.0 { next } else { best });
    let start = best.map_or(0, |(_, start)| start);
    [0, 1].map(|side| {
        let path = &paths[side];
        let end = if count < 3 { count } else { start + 3 };
        let mut joints = path[start..end].to_vec();
        if let Some(last) = joints.last_mut() {
            *last = middle_of_hand(anatomy, *last);
        }
        LimbJoints { collar: path[..start].to_vec(), joints }
    })
}

/// Rates the joint at a position in a path as the shoulder of an arm. The score is high if the two bones of the arm are long, and the bones
/// before and after them are short.
fn arm_score(anatomy: &Anatomy<'_>, path: &[usize], start: usize, plane: &Plane) -> f32 {
    let bone = |i: usize| match path.get(i..i + 2) {
        Some(&[a, b]) => anatomy.length(a, b),
        _ => 0.0,
    };
    let Some(&hand) = path.get(start + 2) else { return 0.0 };
    let before: f32 = (0..start).map(bone).sum();
    let (upper, lower, next) = (bone(start), bone(start + 1), bone(start + 2));
    let fingers = anatomy.children[hand].iter().filter(|c| !anatomy.is_marker[**c]).count();
    let mut score = upper.min(lower) - 0.5 * (before - 0.7 * upper).max(0.0);
    if fingers < 2 {
        score -= 0.5 * (next - 0.5 * lower).max(0.0);
    } else {
        score *= 1.3;
    }
    if start == 0 && starts_in_middle(anatomy, path, plane) {
        score *= 0.7;
    }
    // A marker at the end of the hand is not the hand.
    if anatomy.is_marker[hand] { 0.6 * score } else { score }
}

/// Returns the middle one of several joints at the position of a hand if each of them has its own finger.
fn middle_of_hand(anatomy: &Anatomy<'_>, hand: usize) -> usize {
    let Some(before) = anatomy.parent[hand] else { return hand };
    let is_same = |n: &usize| anatomy.length(*n, hand) < 0.002 * anatomy.size;
    let hands: Vec<usize> = anatomy.children[before].iter().copied().filter(is_same).take(8).collect();
    let end = |n: usize| anatomy.at[anatomy.longest_path(n).last().copied().unwrap_or(n)];
    let spread = |n: usize| hands.iter().map(|&other| end(n).distance(end(other))).sum::<f32>();
    hands.iter().copied().min_by(|&a, &b| spread(a).total_cmp(&spread(b))).unwrap_or(hand)
}

/// Divides the joints of a pair of legs into parts. The paths lead from the trunk to a toe. Both legs are divided at the same joints.
pub(super) fn legs(anatomy: &Anatomy<'_>, paths: &[Vec<usize>; 2], plane: &Plane) -> [LimbJoints; 2] {
    let end = |path: &[usize]| path.last().map_or(0.0, |&n| anatomy.at[n].y);
    // The standing leg shows where the foot is. The other leg may be in the air.
    let standing = if end(&paths[0]) <= end(&paths[1]) { &paths[0] } else { &paths[1] };
    let foot = foot(anatomy, standing);
    let joints = standing.get(..=foot).unwrap_or(standing);
    let mut collars = 0;
    while joints.len() - collars > 3 {
        let (a, b, c) = (joints[collars], joints[collars + 1], joints[collars + 2]);
        let bone = anatomy.at[b] - anatomy.at[a];
        let is_short = bone.length() < 0.35 * anatomy.length(b, c) && bone.y.abs() < 0.7 * bone.length();
        let is_across = bone.dot(plane.normal).abs() > 0.8 * bone.length();
        if !(is_short || is_across || starts_in_middle(anatomy, &joints[collars..], plane)) {
            break;
        }
        collars += 1;
    }
    [0, 1].map(|side| {
        let joints = paths[side].get(..=foot).unwrap_or(&paths[side]);
        LimbJoints { collar: joints[..collars].to_vec(), joints: joints[collars..].to_vec() }
    })
}

/// Returns the joints of a pair of legs of a spider or an insect. These legs have no collar.
pub(super) fn whole_legs(anatomy: &Anatomy<'_>, paths: &[Vec<usize>; 2]) -> [LimbJoints; 2] {
    let foot = foot(anatomy, &paths[0]).min(foot(anatomy, &paths[1]));
    let joints = |side: usize| paths[side].get(..=foot).unwrap_or(&paths[side]).to_vec();
    [0, 1].map(|side| LimbJoints { collar: Vec::new(), joints: joints(side) })
}

/// Returns whether the first joint of a limb is much nearer to the plane between left and right than the second.
fn starts_in_middle(anatomy: &Anatomy<'_>, path: &[usize], plane: &Plane) -> bool {
    let aside = |n: usize| plane.distance(anatomy.at[n]).abs();
    matches!(path, [first, second, ..] if aside(*first) < 0.35 * aside(*second))
}

/// Returns the index in a path of the joint whose bone lies on the floor.
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

/// Returns the joints of a hand or a foot that are not children of its own joint but of the preceding joint of the limb, such as the palms
/// and thumbs of some robots.
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

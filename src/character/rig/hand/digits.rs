//! The joints of the fingers of a hand.

use glam::Vec3;

use crate::asset::{Family, Skeleton};
use crate::rig::BodyLimb;

/// Maximum number of posed fingers of a hand, and of joints of each finger.
const MAX_FINGERS: usize = 8;
const MAX_JOINTS: usize = 5;
/// The first joint of a finger belongs to the palm if its distance from the wrist is less than this fraction of the second joint's
/// distance.
const METACARPAL: f32 = 0.45;
/// A digit is the thumb if the distance of its knuckle from the wrist along the forearm is less than this fraction of the largest such
/// distance.
const THUMB: f32 = 0.7;

/// The joints of the thumb and of the other fingers. Each list begins at the joint that moves the finger, and may end with a node that
/// marks its tip.
pub(super) struct Digits {
    pub(super) thumb: Option<Vec<usize>>,
    pub(super) fingers: Vec<Vec<usize>>,
}

impl Digits {
    /// Finds the fingers of an arm. `position` returns the position of a node in the rest pose. The fingers have no order.
    pub(super) fn new(skeleton: &Skeleton, arm: &BodyLimb, position: impl Fn(usize) -> Vec3) -> Option<Self> {
        let [.., elbow, wrist] = arm.joints[..] else { return None };
        let mut digits = below(skeleton, arm);
        let begins = |digit: &[usize]| {
            let [first, second, ..] = *digit else { return 0 };
            let away = |node| position(node).distance(position(wrist));
            usize::from(digit.len() > 2 && away(first) < METACARPAL * away(second))
        };
        let forearm = position(wrist) - position(elbow);
        let reach = |digit: &Vec<usize>| {
            let knuckle = digit.get(begins(digit)).copied();
            knuckle.map_or(0.0, |knuckle| (position(knuckle) - position(wrist)).dot(forearm))
        };
        let reaches: Vec<f32> = digits.iter().map(reach).collect();
        let nearest = (0..digits.len()).min_by(|&a, &b| reaches[a].total_cmp(&reaches[b]));
        let farthest = reaches.iter().copied().fold(0.0, f32::max);
        let is_thumb = |&digit: &usize| digits.len() > 1 && reaches[digit] < THUMB * farthest;
        // A thumb keeps its first joint, because this joint moves it even though it is beside the wrist.
        let thumb = nearest.filter(is_thumb).map(|thumb| digits.remove(thumb));
        let fingers: Vec<Vec<usize>> = digits.iter().map(|digit| digit[begins(digit)..].to_vec()).collect();
        (!fingers.is_empty()).then_some(Self { thumb, fingers })
    }
}

/// Returns the paths down from the hand that are fingers.
fn below(skeleton: &Skeleton, arm: &BodyLimb) -> Vec<Vec<usize>> {
    let mut digits: Vec<Vec<usize>> = arm.digits.iter().flat_map(|digit| forks(skeleton, digit)).collect();
    digits.retain(|digit| digit.len() > 1);
    let family = |&node: &usize| Family::from_name(&skeleton.label(node));
    let is_named = |digit: &Vec<usize>| digit.iter().any(|node| family(node) == Some(Family::Finger));
    if digits.iter().any(is_named) {
        // A weapon in the hand is not a finger.
        digits.retain(is_named);
    } else {
        digits.retain(|digit| digit.iter().all(|node| family(node) != Some(Family::Other)));
        if digits.len() < 2 {
            digits.clear();
        }
    }
    digits.truncate(MAX_FINGERS);
    digits
}

/// Returns the fingers of a digit: the fingers below a palm bone that carries several fingers, or otherwise the digit itself.
fn forks(skeleton: &Skeleton, digit: &[usize]) -> Vec<Vec<usize>> {
    let children = |node: usize| skeleton.nodes.get(node).map_or(&[][..], |node| &node.children);
    let fingers = |node: usize| children(node).iter().copied().filter(|&child| !children(child).is_empty());
    match digit.iter().take(2).find(|&&node| fingers(node).nth(1).is_some()) {
        Some(&palm) => {
            let next = |&node: &usize| fingers(node).next().or_else(|| children(node).first().copied());
            let path = |finger| std::iter::successors(Some(finger), next).take(MAX_JOINTS).collect();
            fingers(palm).take(MAX_FINGERS).map(path).collect()
        }
        None => vec![digit.iter().copied().take(MAX_JOINTS).collect()],
    }
}

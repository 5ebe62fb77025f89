//! Computes the rotations that align the source's rest posture with the target's.

use super::figure::RestFigure;
use super::frame::SIDES;
use std::collections::BTreeMap;

use glam::{Quat, Vec3};

/// A foot is flat if the horizontal part of its unit direction vector is at least this long. Otherwise its toes point
/// down.
const MIN_FLAT: f32 = 0.4;

pub(super) const FINGERS: [&str; 5] = ["Thumb", "Index", "Middle", "Ring", "Little"];

pub(super) fn phalanges(finger: &str) -> [&'static str; 3] {
    match finger {
        "Thumb" => ["Metacarpal", "Proximal", "Distal"],
        _ => ["Proximal", "Intermediate", "Distal"],
    }
}

/// Returns, for each limb bone, the rotation from the source's rest orientation to the target's, in the body frame. Bones without an entry,
/// such as trunk bones, are assumed to have the same rest orientation in both.
///
/// From the top of a limb down, each bone takes the rotation of its parent and is then rotated by the shortest arc to
/// the direction of the target's bone.
pub(super) fn align(source: &RestFigure, target: &RestFigure) -> BTreeMap<String, Quat> {
    let mut turns = BTreeMap::new();
    for side in SIDES {
        let mut follow = |bone: &str, above: Quat, next: &[&str], seam: Vec3| {
            let bone = format!("{side}{bone}");
            let directions = direction(source, side, &bone, next).zip(direction(target, side, &bone, next));
            let turn = match directions {
                Some((from, to)) => (arc(above * from, to, seam) * above).normalize(),
                None => above,
            };
            turns.insert(bone, turn);
            turn
        };
        let upper = follow("UpperArm", Quat::IDENTITY, &["LowerArm"], Vec3::Z);
        let lower = follow("LowerArm", upper, &["Hand"], Vec3::Z);
        let hand = follow("Hand", lower, &["MiddleProximal", "IndexProximal"], Vec3::Z);
        let hand = palm(source, target, side, hand);
        for finger in FINGERS {
            let [first, second, third] = phalanges(finger).map(|p| format!("{finger}{p}"));
            // The direction of the first thumb bone depends on the shape of the hand, not on the posture.
            let above = match finger {
                "Thumb" => hand,
                _ => follow(&first, hand, &[&second], Vec3::Z),
            };
            let above = follow(&second, above, &[&third], Vec3::Z);
            follow(&third, above, &[], Vec3::Z);
        }
        let upper = follow("UpperLeg", Quat::IDENTITY, &["LowerLeg"], Vec3::X);
        let lower = follow("LowerLeg", upper, &["Foot"], Vec3::X);
        turns.insert(format!("{side}Hand"), hand);
        turns.entry(format!("{side}ThumbMetacarpal")).insert_entry(hand);
        let foot = foot(source, target, side, lower);
        turns.insert(format!("{side}Foot"), foot);
        turns.insert(format!("{side}Toes"), foot);
    }
    turns
}

/// Returns the rotation of a foot. In the rest pose, feet are flat on the ground, regardless of the height of the ankles, so only their
/// headings are aligned. If the toes point down, the whole direction is aligned.
fn foot(source: &RestFigure, target: &RestFigure, side: &str, lower: Quat) -> Quat {
    let bone = format!("{side}Foot");
    let toes = |figure| direction(figure, side, &bone, &["Toes"]);
    let Some((from, to)) = toes(source).zip(toes(target)) else { return Quat::IDENTITY };
    let flat = |v: Vec3| v.with_y(0.0);
    if flat(from).length() < MIN_FLAT || flat(to).length() < MIN_FLAT {
        return (arc(lower * from, to, Vec3::X) * lower).normalize();
    }
    arc(flat(from).normalize(), flat(to).normalize(), Vec3::Y)
}

/// Rolls a hand's rotation about its direction so that the palms of both hands face the same way. Returns the rotation
/// unchanged if the necessary finger bones are missing.
fn palm(source: &RestFigure, target: &RestFigure, side: &str, hand: Quat) -> Quat {
    let across = |figure: &RestFigure| {
        let finger = |f: &str| figure.position(&format!("{side}{f}Proximal"));
        figure.offset(finger("Little")?, finger("Index")?).try_normalize()
    };
    let along = direction(target, side, &format!("{side}Hand"), &["MiddleProximal", "IndexProximal"]);
    let rolled = || {
        let (axis, from, to) = (along?, hand * across(source)?, across(target)?);
        let flat = |v: Vec3| v.reject_from_normalized(axis).try_normalize();
        let (from, to) = (flat(from)?, flat(to)?);
        Some((Quat::from_axis_angle(axis, from.cross(to).dot(axis).atan2(from.dot(to))) * hand).normalize())
    };
    rolled().unwrap_or(hand)
}

/// Returns the direction of a bone as a unit vector in the body frame. It points to the first existing bone of `next`, or to the bone's
/// only child if no bone of `next` exists.
fn direction(figure: &RestFigure, side: &str, bone: &str, next: &[&str]) -> Option<Vec3> {
    let node = figure.node(bone)?;
    let next = next.iter().find_map(|n| figure.node(&format!("{side}{n}")));
    let next = next.or_else(|| match figure.skeleton.nodes.get(node)?.children[..] {
        [only] => Some(only),
        _ => None,
    })?;
    let offset = figure.offset(figure.positions[node], figure.positions[next]);
    (offset.length() > 1e-4 * figure.height().abs()).then(|| offset.normalize())
}

/// Returns the shortest rotation between two unit vectors. For opposite vectors, this is a half turn about the axis
/// nearest to `seam`.
fn arc(from: Vec3, to: Vec3, seam: Vec3) -> Quat {
    if from.dot(to) > -0.999 {
        return Quat::from_rotation_arc(from, to);
    }
    let axis =
        seam.reject_from_normalized(from).try_normalize().unwrap_or_else(|| from.any_orthonormal_vector());
    Quat::from_axis_angle(axis, std::f32::consts::PI)
}

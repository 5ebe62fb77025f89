//! The source in the target's rest posture: how each of its bones is turned to get there.

use std::collections::BTreeMap;

use glam::{Quat, Vec3};

use super::figure::Figure;

/// A foot points along the ground where so much of its length does; otherwise its toes hang.
const FLAT: f32 = 0.4;

pub(super) const SIDES: [&str; 2] = ["left", "right"];
pub(super) const FINGERS: [&str; 5] = ["Thumb", "Index", "Middle", "Ring", "Little"];

/// A finger's bones.
pub(super) fn phalanges(finger: &str) -> [&'static str; 3] {
    match finger {
        "Thumb" => ["Metacarpal", "Proximal", "Distal"],
        _ => ["Proximal", "Intermediate", "Distal"],
    }
}

/// For each bone of the limbs that both have, the turn (in the body's frame) that takes it from the source's rest to
/// the target's. Bones without an entry, all those of the trunk, are taken to rest alike.
///
/// From the top of a limb down, each bone follows the one above and then takes the shortest arc to the target's direction.
pub(super) fn align(source: &Figure, target: &Figure) -> BTreeMap<String, Quat> {
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
            // Where a thumb begins is the build of a hand, not its posture.
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

/// Feet stand flat at rest, however high the ankle is; so only their heading is aligned, unless the toes hang.
fn foot(source: &Figure, target: &Figure, side: &str, lower: Quat) -> Quat {
    let bone = format!("{side}Foot");
    let of = |figure| direction(figure, side, &bone, &["Toes"]);
    let Some((from, to)) = of(source).zip(of(target)) else { return Quat::IDENTITY };
    let flat = |v: Vec3| v.with_y(0.0);
    if flat(from).length() < FLAT || flat(to).length() < FLAT {
        return (arc(lower * from, to, Vec3::X) * lower).normalize();
    }
    arc(flat(from).normalize(), flat(to).normalize(), Vec3::Y)
}

/// A hand's turn, rolled about its direction until the palms face alike, where both have the fingers to tell.
fn palm(source: &Figure, target: &Figure, side: &str, hand: Quat) -> Quat {
    let across = |figure: &Figure| {
        let finger = |f: &str| figure.place(&format!("{side}{f}Proximal"));
        figure.way(finger("Little")?, finger("Index")?).try_normalize()
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

/// Where a bone points, a unit vector in the body's frame: to the first of the next bones that there is, else to its only child.
fn direction(figure: &Figure, side: &str, bone: &str, next: &[&str]) -> Option<Vec3> {
    let node = figure.node(bone)?;
    let next = next.iter().find_map(|n| figure.node(&format!("{side}{n}")));
    let next = next.or_else(|| match figure.skeleton.nodes.get(node)?.children[..] {
        [only] => Some(only),
        _ => None,
    })?;
    let way = figure.way(figure.places[node], figure.places[next]);
    (way.length() > 1e-4 * figure.height().abs()).then(|| way.normalize())
}

/// The shortest turn from one unit vector to another; the half turn about what is left of an axis.
fn arc(from: Vec3, to: Vec3, seam: Vec3) -> Quat {
    if from.dot(to) > -0.999 {
        return Quat::from_rotation_arc(from, to);
    }
    let axis =
        seam.reject_from_normalized(from).try_normalize().unwrap_or_else(|| from.any_orthonormal_vector());
    Quat::from_axis_angle(axis, std::f32::consts::PI)
}

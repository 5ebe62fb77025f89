//! Cyclic coordinate descent: Welman 1993, "Inverse kinematics and geometric constraints for articulated figure
//! manipulation", section 4.2; Wang & Chen 1991.

use super::rotation::{best_fit, shortest_arc};
use super::tree::Tree;
use glam::DVec3;

/// One pass: from the effector's parent to the base, each joint takes the rotation that brings the effector nearest to
/// its target, which is the shortest arc from joint→effector to joint→target.
///
/// Where several effectors hang on a joint, it takes the rotation that is best for all of them by weight
/// (Wahba's problem, [`best_fit`]). In a rigid body no turn can make the weighted error larger.
///
/// O(n): a joint's frame depends on those above it, which turn later, so that frames are right for the whole pass and
/// only the effectors are carried along. Turns below `smallest` radians are skipped: they cannot matter.
pub(super) fn pass(tree: &mut Tree, smallest: f64) {
    for index in (0..tree.joints.len()).rev() {
        let joint = tree.joints[index];
        let below = tree.tips_below(index);
        let vectors =
            |tip: usize| (joint.to_frame(tree.tips[tip].position), joint.to_frame(tree.tips[tip].target));
        let arc = if below.len() == 1 {
            let (from, to) = vectors(tree.tip_at(below.start));
            if !worth_turning(from, to, smallest) {
                continue;
            }
            // Opposite vectors turn about what was perpendicular to the link when it was bound.
            shortest_arc(from, to, DVec3::X)
        } else {
            best_fit(below.clone().map(|place| {
                let tip = tree.tip_at(place);
                let (from, to) = vectors(tip);
                (from, to, tree.tips[tip].weight)
            }))
        };
        tree.joints[index].rotation = (arc * joint.rotation).normalize();
        for place in below {
            let tip = tree.tip_at(place);
            let from = joint.to_frame(tree.tips[tip].position);
            tree.tips[tip].position = joint.out_of_frame(arc * from);
        }
    }
    tree.forward();
}

/// Whether the angle between two vectors is as large as `smallest`.
fn worth_turning(from: DVec3, to: DVec3, smallest: f64) -> bool {
    let lengths = (from.length_squared() * to.length_squared()).sqrt();
    lengths > 0.0 && (from.dot(to) < 0.0 || from.cross(to).length() >= smallest * lengths)
}

//! Writes rig files. The rig of the mannequin.

use crate::body::hand_axes;
use crate::hands::FINGERS;
use crate::skeleton::{HAND, LOWER_ARM, UPPER_ARM};
use glam::DVec3;
use std::fmt::Write;

/// Builds the text of a rig file.
pub(crate) struct RigText {
    chains: String,
    joints: String,
}

impl RigText {
    pub(crate) fn new() -> Self {
        Self { chains: String::new(), joints: String::new() }
    }

    pub(crate) fn finish(self) -> String {
        format!("# Written by make_cast.\nversion = 1\n{}{}", self.chains, self.joints)
    }

    pub(crate) fn chain(&mut self, name: &str, kind: &str, base: &str, effector: &str) {
        let lines = format!(
            "\n[[chain]]\nname = \"{name}\"\nkind = \"{kind}\"\nbase = \"{base}\"\neffector = \"{effector}\"\n"
        );
        self.chains.push_str(&lines);
    }

    fn joint(&mut self, node: &str, limit: &str, stiffness: f64) {
        let _ = write!(self.joints, "\n[[joint]]\nnode = \"{node}\"\n");
        if stiffness > 0.0 {
            let _ = writeln!(self.joints, "stiffness = {stiffness}");
        }
        let _ = writeln!(self.joints, "limit = {{ {limit} }}");
    }

    /// Adds a hinge limit. `axis` is in the joint's local space, and the angles are in degrees.
    pub(crate) fn hinge(&mut self, node: &str, axis: [f64; 3], min: i32, max: i32) {
        self.joint(node, &format!("kind = \"hinge\", axis = {}, min = {min}, max = {max}", list(axis)), 0.0);
    }

    pub(crate) fn cone(
        &mut self,
        node: &str,
        axis: DVec3,
        side: DVec3,
        swing: [i32; 2],
        twist: [i32; 2],
        stiffness: f64,
    ) {
        let (axis, side) = (list(axis.to_array()), list(side.to_array()));
        self.joint(
            node,
            &format!("kind = \"cone\", axis = {axis}, side = {side}, swing = {swing:?}, twist = {twist:?}"),
            stiffness,
        );
    }

    pub(crate) fn euler(&mut self, node: &str, order: &str, min: [i32; 3], max: [i32; 3]) {
        self.stiff(node, order, min, max, 0.0);
    }

    fn stiff(&mut self, node: &str, order: &str, min: [i32; 3], max: [i32; 3], stiffness: f64) {
        self.joint(
            node,
            &format!("kind = \"euler\", order = \"{order}\", min = {min:?}, max = {max:?}"),
            stiffness,
        );
    }
}

/// Formats a vector with at most four decimals.
fn list(v: [f64; 3]) -> String {
    // Adding zero turns −0 into +0.
    let [x, y, z] = v.map(|c| (c * 1e4).round() / 1e4 + 0.0);
    format!("[{x:?}, {y:?}, {z:?}]")
}

/// Returns the rig of the mannequin, with chains for limbs, spine, neck and fingers. Its joints have no rotation at
/// rest, so local axes and model axes are the same.
pub(crate) fn mannequin() -> String {
    let mut rig = RigText::new();
    let (out, _) = hand_axes();
    for (side, sign) in [("left", 1.0), ("right", -1.0)] {
        // Mirror a direction (`on_side`) and a rotation axis (`mirrored_axis`).
        let on_side = |v: DVec3| DVec3::new(sign * v.x, v.y, v.z);
        let mirrored_axis = |v: DVec3| DVec3::new(v.x, sign * v.y, sign * v.z);
        let joint = |name: &str| format!("{side}{name}");
        rig.chain(&format!("{side} arm"), "arm", &joint("UpperArm"), &joint("Hand"));
        rig.chain(&format!("{side} leg"), "leg", &joint("UpperLeg"), &joint("Foot"));
        let flat = |v: DVec3| DVec3::new(v.x, v.y, 0.0).normalize();
        rig.euler(&joint("Shoulder"), "zyx", [-25, -20, -10], [25, 20, 10]);
        rig.cone(
            &joint("UpperArm"),
            on_side((LOWER_ARM - UPPER_ARM).normalize()),
            DVec3::Z,
            [120, 105],
            [-80, 80],
            0.0,
        );
        let elbow = mirrored_axis(flat(HAND - LOWER_ARM).cross(DVec3::Z));
        rig.hinge(&joint("LowerArm"), elbow.to_array(), -5, 145);
        rig.cone(&joint("Hand"), on_side(out), DVec3::Z, [85, 35], [-70, 70], 0.0);
        rig.cone(&joint("UpperLeg"), DVec3::NEG_Y, DVec3::X, [110, 45], [-40, 40], 0.0);
        rig.hinge(&joint("LowerLeg"), [1.0, 0.0, 0.0], -3, 150);
        // Under body weight, an ankle bends by 35° to 40°, but without load by only 20°.
        rig.euler(&joint("Foot"), "xyz", [-35, -20, -20], [50, 20, 20]);
        rig.hinge(&joint("Toes"), [1.0, 0.0, 0.0], -60, 30);
        rig.euler(&joint("Eye"), "yxz", [-35, -25, 0], [35, 25, 0]);
        for finger in &FINGERS {
            let names = finger.bones.map(|bone| joint(&format!("{}{bone}", finger.name)));
            let title = if finger.name == "Thumb" {
                "thumb".to_owned()
            } else {
                format!("{} finger", finger.name.to_lowercase())
            };
            rig.chain(&format!("{side} {title}"), "finger", &names[0], &names[2]);
            // Fingers curl about the axis that points backwards. The thumb has an oblique axis.
            let is_thumb = finger.name == "Thumb";
            let axis = if is_thumb { DVec3::new(-0.5, -0.5, -0.7).normalize() } else { DVec3::NEG_Z };
            let (low, high) = if sign > 0.0 { (-85, 15) } else { (-15, 85) };
            if is_thumb {
                rig.euler(&names[0], "zyx", [-30, -30, -30], [30, 30, 30]);
            } else {
                rig.euler(&names[0], "zyx", [low, -14, -14], [high, 14, 14]);
            }
            for name in &names[1..] {
                rig.hinge(name, mirrored_axis(axis).to_array(), -12, if is_thumb { 70 } else { 95 });
            }
        }
    }
    rig.chain("spine", "spine", "spine", "upperChest");
    rig.chain("neck", "neck", "neck", "head");
    for node in ["spine", "chest", "upperChest"] {
        rig.stiff(node, "xyz", [-20, -20, -18], [35, 20, 18], 0.8);
    }
    for node in ["neck", "head"] {
        rig.stiff(node, "yxz", [-40, -45, -25], [40, 35, 25], 0.0);
    }
    rig.finish()
}

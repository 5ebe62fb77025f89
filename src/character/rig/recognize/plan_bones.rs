//! The bones of a body whose parts are known.

use crate::rig::body_plan::{BodyKind, BodyLimb, BodyPlan, LimbKind, LimbSide};
use crate::rig::bone_names::Bones;

/// Returns the node of each bone of a body. Bones in `named` replace the bones of the body.
pub(super) fn bones(plan: &BodyPlan, named: Bones) -> Bones {
    let mut bones = Bones::new();
    match plan.kind {
        BodyKind::Biped => add_biped(plan, &mut bones),
        BodyKind::Quadruped => add_quadruped(plan, &mut bones),
        BodyKind::Bird | BodyKind::ManyLegged => return bones,
    }
    bones.insert("hips".into(), plan.hips);
    bones.extend(plan.head().map(|head| ("head".into(), head)));
    if let [neck, _, ..] = plan.neck[..] {
        bones.insert("neck".into(), neck);
    }
    // A node keeps only one name: the given one.
    bones.retain(|_, node| !named.values().any(|n| n == node));
    bones.extend(named);
    bones
}

fn add_biped(plan: &BodyPlan, bones: &mut Bones) {
    let names: &[(&str, usize)] = match plan.spine.len() {
        0 => &[],
        1 => &[("spine", 0)],
        2 => &[("spine", 0), ("chest", 1)],
        count => &[("spine", 0), ("chest", count / 2), ("upperChest", count - 1)],
    };
    bones.extend(names.iter().filter_map(|&(name, i)| Some((name.to_owned(), *plan.spine.get(i)?))));
    for limb in &plan.limbs {
        let parts = match limb.kind {
            LimbKind::Leg => ["UpperLeg", "LowerLeg", "Foot", "Toes"],
            _ => ["UpperArm", "LowerArm", "Hand", ""],
        };
        add_limb(limb, "", parts, bones);
        if limb.kind == LimbKind::Arm {
            bones.extend(limb.collar.last().map(|&n| (format!("{}Shoulder", side(limb)), n)));
        }
    }
}

fn add_quadruped(plan: &BodyPlan, bones: &mut Bones) {
    bones.insert("chest".into(), plan.chest());
    bones.extend(plan.tails.first().and_then(|t| t.first()).map(|&n| ("tail".into(), n)));
    for (index, limb) in plan.limbs.iter().enumerate() {
        let place = if index < 2 { "Front" } else { "Hind" };
        add_limb(limb, place, ["UpperLeg", "LowerLeg", "Foot", "Toes"], bones);
    }
}

/// Adds the bones of a limb. The lower bone is the last bone above the end.
fn add_limb(limb: &BodyLimb, place: &str, parts: [&str; 4], bones: &mut Bones) {
    let mut add = |part: &str, node: usize| bones.insert(format!("{}{place}{part}", side(limb)), node);
    if let [upper, .., lower, _] = limb.joints[..] {
        add(parts[0], upper);
        add(parts[1], lower);
    }
    add(parts[2], limb.end());
    if let Some(&toe) = limb.digits.first().and_then(|d| d.first()).filter(|_| !parts[3].is_empty()) {
        add(parts[3], toe);
    }
}

fn side(limb: &BodyLimb) -> &'static str {
    match limb.side {
        LimbSide::Left => "left",
        LimbSide::Right => "right",
        LimbSide::Middle => "middle",
    }
}

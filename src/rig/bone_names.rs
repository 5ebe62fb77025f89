//! Names of the bones of a recognised body.

use std::collections::BTreeMap;

use super::body_plan::{BodyKind, BodyLimb, BodyPlan, LimbKind, LimbSide};

impl BodyPlan {
    /// Returns the node of each bone by name. A biped has the names of VRM 1.0, such as `leftUpperLeg`. A quadruped has
    /// `hips`, `chest`, `neck`, `head`, `tail`, and for each leg names such as `leftFrontUpperLeg` and `rightHindFoot`. Any
    /// other body has no names.
    pub fn bones(&self) -> BTreeMap<String, usize> {
        let mut bones = BTreeMap::new();
        match self.kind {
            BodyKind::Biped => self.add_biped(&mut bones),
            BodyKind::Quadruped => self.add_quadruped(&mut bones),
            BodyKind::Bird | BodyKind::ManyLegged => return bones,
        }
        bones.insert("hips".into(), self.hips);
        bones.extend(self.head().map(|head| ("head".into(), head)));
        if let [neck, _, ..] = self.neck[..] {
            bones.insert("neck".into(), neck);
        }
        bones
    }

    fn add_biped(&self, bones: &mut BTreeMap<String, usize>) {
        let names: &[(&str, usize)] = match self.spine.len() {
            0 => &[],
            1 => &[("spine", 0)],
            2 => &[("spine", 0), ("chest", 1)],
            count => &[("spine", 0), ("chest", count / 2), ("upperChest", count - 1)],
        };
        bones.extend(names.iter().filter_map(|&(name, i)| Some((name.to_owned(), *self.spine.get(i)?))));
        for limb in &self.limbs {
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

    fn add_quadruped(&self, bones: &mut BTreeMap<String, usize>) {
        bones.insert("chest".into(), self.chest());
        bones.extend(self.tails.first().and_then(|t| t.first()).map(|&n| ("tail".into(), n)));
        for (index, limb) in self.limbs.iter().enumerate() {
            let place = if index < 2 { "Front" } else { "Hind" };
            add_limb(limb, place, ["UpperLeg", "LowerLeg", "Foot", "Toes"], bones);
        }
    }
}

/// Adds the bones of a limb. The lower bone is the last one above the end.
fn add_limb(limb: &BodyLimb, place: &str, parts: [&str; 4], bones: &mut BTreeMap<String, usize>) {
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

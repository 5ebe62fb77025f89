//! Bones that the user names.

use crate::asset::Character;
use crate::rig::bone_names::{Bones, is_bone};

use super::Unrecognized;
use super::anatomy::Anatomy;
use super::by_name::is_complete;
use super::from_bones;
use super::parts::Parts;

/// Checks the names and the nodes of bones.
pub(super) fn check(character: &Character, given: &Bones) -> Result<(), Unrecognized> {
    for (bone, &node) in given {
        if !is_bone(bone) {
            return Err(Unrecognized(format!("\"{bone}\" is not a bone of VRM 1.0, such as leftUpperArm")));
        }
        let exists = character.skeleton.check_nodes([node].into_iter());
        exists.map_err(|missing| Unrecognized(format!("{bone}: {missing}")))?;
    }
    Ok(())
}

/// Returns the parts of a body from the `found` bones. The `given` bones replace them.
pub(super) fn parts(
    character: &Character,
    anatomy: &Anatomy<'_>,
    found: Bones,
    given: &Bones,
) -> Result<Parts, Unrecognized> {
    let mut bones = found;
    // If a node is given as one bone, its recognition as another bone is discarded.
    bones.retain(|bone, node| given.contains_key(bone) || !given.values().any(|n| n == node));
    bones.extend(given.iter().map(|(bone, node)| (bone.clone(), *node)));
    contradictions(character, anatomy, &bones)?;
    if !is_complete(&bones) {
        let needed = super::by_name::LIMBS.into_iter().chain(["hips"]);
        let missing: Vec<&str> = needed.filter(|bone| !bones.contains_key(*bone)).collect();
        return Err(Unrecognized(format!("no node is known for {}", missing.join(", "))));
    }
    let degenerate = || Unrecognized("the joints that are named as its limbs are at one place".to_owned());
    let mut parts = from_bones::find(anatomy, &bones).ok_or_else(degenerate)?;
    let names: Vec<&str> = given.keys().map(String::as_str).collect();
    parts.reasons.insert(0, format!("the user has named {}", names.join(", ")));
    Ok(parts)
}

/// Fails if one node stands for two bones, or if a bone is above the bone that it continues.
fn contradictions(character: &Character, anatomy: &Anatomy<'_>, bones: &Bones) -> Result<(), Unrecognized> {
    let label = |node: usize| character.skeleton.label(node);
    let mut by_node = std::collections::BTreeMap::new();
    for (bone, &node) in bones {
        if let Some(other) = by_node.insert(node, bone) {
            return Err(Unrecognized(format!("\"{}\" cannot be both {other} and {bone}", label(node))));
        }
    }
    let limbs = [["UpperArm", "LowerArm", "Hand"], ["UpperLeg", "LowerLeg", "Foot"]];
    for [upper, lower, end] in limbs {
        for (side, (above, below)) in [
            ("left", (upper, lower)),
            ("left", (lower, end)),
            ("right", (upper, lower)),
            ("right", (lower, end)),
        ] {
            let [above, below] = [above, below].map(|part| format!("{side}{part}"));
            let (Some(&a), Some(&b)) = (bones.get(&above), bones.get(&below)) else { continue };
            if anatomy.ancestors(a).skip(1).any(|n| n == b) {
                let names = [label(a), label(b)];
                return Err(Unrecognized(format!(
                    "{above} (\"{}\") is below {below} (\"{}\")",
                    names[0], names[1]
                )));
            }
        }
    }
    Ok(())
}

//! Edits of the rig, which a scene shares with its puppet.

use std::sync::Arc;

use crate::asset::Character;
use crate::document::{Document, Scene};
use crate::ik::Limit;
use crate::puppet::Puppet;
use crate::rig::{Rig, Slide, Unrecognized, with_bones};

use super::place::allowed;

/// Sets the rig of a scene and its puppet.
pub(super) fn set_rig(puppet: &mut Puppet, scene: &mut Scene, rig: Arc<Rig>) {
    if !Arc::ptr_eq(&rig, &scene.rig) || puppet.rig != *rig {
        puppet.rig.clone_from(&rig);
    }
    scene.rig = rig;
}

/// Changes the rig of a scene and its puppet.
pub(super) fn change_rig(puppet: &mut Puppet, scene: &mut Scene, act: impl FnOnce(&mut Rig)) {
    let mut rig = Rig::clone(&scene.rig);
    act(&mut rig);
    set_rig(puppet, scene, Arc::new(rig));
}

/// Returns a rig in which a node is assigned to a bone of the body, or in which that bone is recognised automatically. The body and its limbs
/// are recognised again. `None` if the bone is already assigned in this way.
///
/// # Errors
/// [`Unrecognized`] if the assignments contradict each other.
pub(super) fn with_bone(
    character: &Character,
    rig: &Rig,
    bone: &str,
    node: Option<usize>,
) -> Result<Option<Rig>, Unrecognized> {
    let mut given = rig.given_bones.clone();
    match node {
        Some(node) => drop(given.insert(bone.to_owned(), node)),
        None => drop(given.remove(bone)),
    }
    if given == rig.given_bones {
        return Ok(None);
    }
    with_bones(character, rig, &given).map(Some)
}

/// Removes the pole of the limb that contains a joint.
pub(super) fn remove_pole(puppet: &mut Puppet, scene: &mut Scene, node: usize) {
    change_rig(puppet, scene, |rig| {
        let limb = rig.chains.iter_mut().find(|c| c.joints.len() == 3 && c.joints.contains(&node));
        if let Some(limb) = limb {
            limb.pole = None;
        }
    });
}

/// Sets the limit of a joint, and moves the joint into that limit. Mimic joints that can no longer follow their leaders become independent.
pub(super) fn limit_joint(puppet: &mut Puppet, document: &mut Document, node: usize, limit: Limit) {
    let (scene, limits) = (&mut document.scene, document.settings.solver.limits);
    change_rig(puppet, scene, |rig| {
        let joint = rig.joints.entry(node).or_default();
        joint.limit = limit;
        rig.remove_invalid_mimics();
        let joint = rig.joints.entry(node).or_default();
        if *joint == Default::default() {
            rig.joints.remove(&node);
        }
    });
    let Some(local) = scene.held.locals.get_mut(node) else { return };
    let allowed = allowed(puppet, limits, node, local.rotation.as_dquat()).as_quat().normalize();
    // A rotation inside the limit is left unchanged, because the conversion to double precision and back would change its last digits.
    if allowed.angle_between(local.rotation) > 1e-6 {
        local.rotation = allowed;
    }
    if let Some(slide) = Slide::new(&puppet.character().skeleton, node, &limit).filter(|_| limits) {
        let now = slide.split(local.translation).0;
        let allowed = limit.nearest_displacement(now);
        if (allowed - now).abs() > 1e-6 {
            local.translation = slide.with_displacement(local.translation, allowed);
        }
    }
}

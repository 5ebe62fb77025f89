//! The pole of a two-bone limb: the point towards which its middle joint bends.

use glam::{DQuat, Vec3};

use crate::ik::Limit;
use crate::puppet::Puppet;
use crate::rig::{Chain, orientation};
use crate::session::place::position;

/// Distance of the default pole from the middle joint, as a fraction of the limb's length.
const DISTANCE: f32 = 0.5;

/// The pole of a limb.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pole {
    /// Chain index.
    pub(super) chain: usize,
    /// Position of the middle joint, which bends, in world metres.
    pub(super) middle: Vec3,
    /// Position of the pole in world metres.
    pub(super) position: Vec3,
    /// Whether the rig defines the pole. Otherwise it is derived from the current bend.
    pub(super) is_set: bool,
}

/// Returns the pole of a joint's limb. If the rig defines no pole, the pole lies in the direction of the current bend.
pub(super) fn for_joint(puppet: &Puppet, node: usize) -> Option<Pole> {
    let chains = &puppet.rig.chains;
    let chain = chains.iter().position(|c| c.joints.len() == 3 && c.joints.contains(&node))?;
    let limb = chains.get(chain)?;
    let [base, middle, end] = limb.joints[..] else { return None };
    let (base, at, end) = (position(puppet, base)?, position(puppet, middle)?, position(puppet, end)?);
    let pole = Pole { chain, middle: at, position: at, is_set: limb.pole.is_some() };
    if let Some(position) = limb.pole {
        return Some(Pole { position, ..pole });
    }
    let length = base.distance(at) + at.distance(end);
    let line = (end - base).normalize_or_zero();
    let bend = (at - base).reject_from(line);
    let direction =
        if bend.length() > 0.02 * length { bend } else { default_bend(puppet, limb, middle, line)? };
    Some(Pole { position: at + direction.normalize_or_zero() * (DISTANCE * length), ..pole })
}

/// Returns the poles that the rig defines.
pub(super) fn placed(puppet: &Puppet) -> impl Iterator<Item = Pole> {
    let chains = puppet.rig.chains.iter().enumerate();
    chains.filter_map(move |(chain, limb)| {
        let (pole, middle) = (limb.pole?, limb.joints.get(limb.joints.len() / 2)?);
        Some(Pole { chain, middle: position(puppet, *middle)?, position: pole, is_set: true })
    })
}

/// Returns the direction in which a straight limb bends. The direction follows from the limit if the middle joint is a hinge, and otherwise
/// from the chain's bend direction.
fn default_bend(puppet: &Puppet, limb: &Chain, middle: usize, line: Vec3) -> Option<Vec3> {
    let direction = match puppet.rig.joint(middle).limit {
        Limit::Hinge { axis, min, max } => {
            let (skeleton, pose) = (&puppet.character().skeleton, puppet.pose());
            let joint = skeleton.nodes.get(middle)?;
            let parent = joint.parent.map_or(DQuat::IDENTITY, |p| orientation(skeleton, pose, p));
            let axis = (parent * joint.rest.rotation.as_dquat() * axis).as_vec3();
            // The limb's end moves to the side on which the hinge has more range, so the middle joint moves to the
            // other side.
            if max + min > 0.0 { line.cross(axis) } else { axis.cross(line) }
        }
        _ => limb.bend?,
    };
    let direction = direction.reject_from(line);
    (direction.length() > 1e-4).then_some(direction)
}

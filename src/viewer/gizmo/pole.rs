//! Where a limb of two bones bends to.

use glam::{DQuat, Vec3};

use crate::ik::Limit;
use crate::rig::{Chain, orientation};

use super::super::Session;

/// A pole that stands while none is set is this share of the limb's length away from its middle joint.
const AWAY: f32 = 0.5;

/// The pole of a limb.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pole {
    /// Index of the chain.
    pub(super) chain: usize,
    /// The joint that bends.
    pub(super) middle: Vec3,
    /// World metres.
    pub(super) place: Vec3,
    /// Whether it is set, or only where the limb bends to now.
    pub(super) set: bool,
}

/// That of the limb that a joint belongs to; where none is set, where the limb bends to.
pub(super) fn of(session: &Session, node: usize) -> Option<Pole> {
    let chains = &session.puppet.rig.chains;
    let chain = chains.iter().position(|c| c.joints.len() == 3 && c.joints.contains(&node))?;
    let limb = chains.get(chain)?;
    let [base, middle, end] = limb.joints[..] else { return None };
    let (base, at, end) = (session.place(base)?, session.place(middle)?, session.place(end)?);
    let pole = Pole { chain, middle: at, place: at, set: limb.pole.is_some() };
    if let Some(set) = limb.pole {
        return Some(Pole { place: set, ..pole });
    }
    let length = base.distance(at) + at.distance(end);
    let line = (end - base).normalize_or_zero();
    let bent = (at - base).reject_from(line);
    let way = if bent.length() > 0.02 * length { bent } else { straight(session, limb, middle, line)? };
    Some(Pole { place: at + way.normalize_or_zero() * (AWAY * length), ..pole })
}

/// Those that are set.
pub(super) fn set(session: &Session) -> impl Iterator<Item = Pole> + '_ {
    let chains = session.puppet.rig.chains.iter().enumerate();
    chains.filter_map(|(chain, limb)| {
        let (place, middle) = (limb.pole?, limb.joints.get(limb.joints.len() / 2)?);
        Some(Pole { chain, middle: session.place(*middle)?, place, set: true })
    })
}

/// To which side a straight limb would bend: as its hinge turns, else as it did at rest.
fn straight(session: &Session, limb: &Chain, middle: usize, line: Vec3) -> Option<Vec3> {
    let puppet = &session.puppet;
    let way = match puppet.rig.joint(middle).limit {
        Limit::Hinge { axis, min, max } => {
            let (skeleton, pose) = (&puppet.character().skeleton, puppet.pose());
            let joint = skeleton.nodes.get(middle)?;
            let above = joint.parent.map_or(DQuat::IDENTITY, |p| orientation(skeleton, pose, p));
            let axis = (above * joint.rest.rotation.as_dquat() * axis).as_vec3();
            // The end goes to where the hinge has more room, the middle to the other side.
            if max + min > 0.0 { line.cross(axis) } else { axis.cross(line) }
        }
        _ => limb.bend?,
    };
    let way = way.reject_from(line);
    (way.length() > 1e-4).then_some(way)
}

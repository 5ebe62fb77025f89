//! Mimic joints, which follow another joint: the mimic element of URDF ("Unified Robot Description Format", `<joint>`).

use std::f64::consts::PI;

use super::limit::swing_twist;
use super::rotation::wrapped;
use super::{Limit, Link, LinkIndex, Mimic, SolveError};

use glam::DQuat;

/// Maximum angle of a leader from the middle of its range, in radians. The angle is computed from the leader's rotation,
/// which is the same for angles that differ by a full turn.
const LARGEST_ANGLE: f64 = PI - 1e-6;

/// The limits of the leaders, narrowed to the ranges that their followers allow, in the order of the leaders' links.
pub(super) type CoupledLimits = Vec<(usize, Limit)>;

/// Checks the mimic joints of a body, and returns the limits of their leaders.
///
/// # Errors
/// [`SolveError::Mimic`] for the first mimic joint that is invalid.
pub(super) fn coupled_limits(links: &[Link]) -> Result<CoupledLimits, SolveError> {
    let mut limits = CoupledLimits::new();
    let mimics = || links.iter().enumerate().filter_map(|(index, link)| Some((index, link, link.mimic?)));
    for (index, link, mimic) in mimics() {
        let leader = links.get(mimic.of.0).filter(|_| mimic.of.0 != index);
        if let Err(why) = check(link, leader, &mimic) {
            return Err(SolveError::Mimic { link: LinkIndex(index), leader: mimic.of, why });
        }
    }
    let mut leaders: Vec<usize> = mimics().map(|(_, _, mimic)| mimic.of.0).collect();
    leaders.sort_unstable();
    leaders.dedup();
    limits.extend(leaders.into_iter().filter_map(|leader| Some((leader, bounded(links.get(leader)?.limit)))));
    for (index, link, mimic) in mimics() {
        let Ok(place) = limits.binary_search_by_key(&mimic.of.0, |(leader, _)| *leader) else { continue };
        let own = limits.get_mut(place).map(|(_, limit)| limit);
        if !own.is_some_and(|own| narrow(own, &link.limit, mimic.ratio, mimic.offset)) {
            let why = "its limit excludes every value of the leader";
            return Err(SolveError::Mimic { link: LinkIndex(index), leader: mimic.of, why });
        }
    }
    Ok(limits)
}

/// Checks that a link may follow a leader.
fn check(link: &Link, leader: Option<&Link>, mimic: &Mimic) -> Result<(), &'static str> {
    let leader = leader.ok_or("it must follow another link of the body")?;
    match () {
        () if leader.mimic.is_some() => Err("its leader must not be a mimic joint"),
        () if !(mimic.ratio.is_finite() && mimic.offset.is_finite()) => {
            Err("its ratio and its offset must be finite")
        }
        () if can_follow(&link.limit, &leader.limit) => Ok(()),
        () => Err("both joints must be hinges, or both must be prismatic"),
    }
}

/// Returns whether a joint can follow another one: both are hinges, or both are prismatic.
pub fn can_follow(follower: &Limit, leader: &Limit) -> bool {
    matches!(
        (follower, leader),
        (Limit::Hinge { .. }, Limit::Hinge { .. }) | (Limit::Prismatic { .. }, Limit::Prismatic { .. })
    )
}

/// Returns the limit of a leader before it is narrowed for the followers.
fn bounded(limit: Limit) -> Limit {
    let Limit::Hinge { axis, min, max } = limit else { return limit };
    let (middle, half) = (0.5 * (min + max), (0.5 * (max - min)).min(LARGEST_ANGLE));
    if max - min > 2.0 * half { Limit::Hinge { axis, min: middle - half, max: middle + half } } else { limit }
}

/// Narrows the range of a leader to the values that keep a follower within its range. Returns whether any values are left.
/// `ratio` and `offset` are the fields of [`Mimic`].
pub fn narrow(leader: &mut Limit, follower: &Limit, ratio: f64, offset: f64) -> bool {
    let (Some((min, max)), Some(range)) = (leader.range_mut(), follower.range()) else { return false };
    let [first, last] = range.map(|end| end - offset);
    if ratio == 0.0 {
        return first <= 0.0 && last >= 0.0;
    }
    let (a, b) = (first / ratio, last / ratio);
    (*min, *max) = (min.max(a.min(b)), max.min(a.max(b)));
    *min <= *max
}

/// Returns the angle of a hinge in radians, within ±π of the middle of its range. `own` is the joint's own rotation from
/// rest. Returns `None` for other joints.
pub(super) fn hinge_angle(limit: &Limit, own: DQuat) -> Option<f64> {
    let Limit::Hinge { axis, min, max } = *limit else { return None };
    let middle = 0.5 * (min + max);
    let from_middle = swing_twist(DQuat::from_axis_angle(axis, -middle) * own, axis).1;
    Some(middle + wrapped(from_middle))
}

impl Link {
    /// Returns the rotation of the link for an angle of its hinge, or the rest rotation for other joints.
    pub(super) fn hinge_rotation(&self, angle: f64) -> DQuat {
        let Limit::Hinge { axis, .. } = self.limit else { return self.rest };
        let own = DQuat::from_axis_angle(axis, angle);
        if self.reversed { own.conjugate() * self.rest } else { self.rest * own }
    }
}

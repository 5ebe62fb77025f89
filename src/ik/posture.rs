//! The posture of a figure, which is its pose without its heading and its position on the ground.
//!
//! The world rotation of the base from rest is R = heading · tilt: first a tilt about a horizontal axis, then a
//! heading about +Y. Tilt and height are part of the posture. Heading and ground position are part of the placement.

use glam::{DQuat, DVec2, DVec3};

use super::link::own;
use super::{Body, Goal, LinkIndex, swing_twist};

/// The rotations of a figure's joints, and the tilt and height of its base.
#[derive(Clone, Debug, PartialEq)]
pub struct Posture {
    /// One rotation per joint, rest⁻¹ · local, even for reversed links. The first one is the world rotation of the base from rest without
    /// its heading. Rotations of the base that differ by a turn about +Y are equivalent.
    pub rotations: Vec<DQuat>,
    /// Height of the base, in world metres.
    pub height: f64,
}

/// The heading and the ground position of a figure.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Placement {
    /// Angle about +Y from rest, in radians.
    pub(super) heading: f64,
    /// World coordinates x and z of the base, in metres.
    pub(super) ground: DVec2,
}

impl Posture {
    /// Returns the posture of a body, with one joint per link.
    pub fn of(body: &Body) -> Self {
        let own = |(link, rotation): (&super::Link, &DQuat)| own(link.rest, link.reversed, *rotation);
        let mut rotations: Vec<DQuat> = body.links().iter().zip(body.rotations()).map(own).collect();
        if let Some(first) = rotations.first_mut() {
            *first = heading_and_tilt(body).1;
        }
        Self { rotations, height: base_position(body).y }
    }

    /// Applies this posture to a body. `joints` maps each link to a rotation. Links without a joint or without weight
    /// are left unchanged. `moves` says whether the base may move.
    pub(super) fn apply(&self, body: &mut Body, joints: &[Option<usize>], place: Placement, moves: bool) {
        for (index, joint) in joints.iter().enumerate() {
            let Some(rotation) = joint.and_then(|j| self.rotations.get(j)) else { continue };
            let Some(link) = body.links().get(index).filter(|l| l.weight > 0.0) else { continue };
            // If the figure's base is not the first link, the links above it determine its rotation.
            if *joint == Some(0) && index > 0 {
                continue;
            }
            let turned = if index == 0 && *joint == Some(0) {
                base_rotation(body, place.heading, *rotation)
            } else if link.reversed {
                rotation.conjugate() * link.rest
            } else {
                link.rest * *rotation
            };
            body.set_rotation(LinkIndex(index), turned);
        }
        if moves && includes_base(joints) {
            move_base(body, DVec3::new(place.ground.x, self.height, place.ground.y));
        }
    }
}

/// Returns whether the base of the body is also the base of the figure.
pub(super) fn includes_base(joints: &[Option<usize>]) -> bool {
    joints.first() == Some(&Some(0))
}

/// Returns the world orientation of a body's base in the rest pose.
fn base_at_rest(body: &Body) -> DQuat {
    body.world_from_base_rotation() * body.links().first().map_or(DQuat::IDENTITY, |l| l.rest)
}

pub(super) fn heading_and_tilt(body: &Body) -> (f64, DQuat) {
    let turned = body.orientation(LinkIndex(0)).unwrap_or(DQuat::IDENTITY) * base_at_rest(body).conjugate();
    let (swing, twist) = swing_twist(turned.conjugate(), DVec3::Y);
    (-twist, swing.conjugate())
}

/// Returns the local rotation of the base for a heading and a tilt.
pub(super) fn base_rotation(body: &Body, heading: f64, tilt: DQuat) -> DQuat {
    let world = DQuat::from_rotation_y(heading) * tilt * base_at_rest(body);
    body.world_from_base_rotation().conjugate() * world
}

pub(super) fn base_position(body: &Body) -> DVec3 {
    body.world_from_link(LinkIndex(0)).unwrap_or_default().translation
}

/// Moves the base to a world position.
pub(super) fn move_base(body: &mut Body, place: DVec3) {
    let offset = body.links().first().map_or(DVec3::ZERO, |l| l.offset);
    body.set_root(body.base_from_world().transform_point3(place) - offset);
}

/// Returns the placement at which the points of a posed body are nearest to their goals, and the remaining error. The
/// body turns about +Y and, if it `moves`, shifts on the ground. The solution is a planar least-squares fit in closed form. A heading that
/// the goals do not determine is left unchanged. The error is the weighted root mean square in metres. Position goals with free axes do not
/// count.
pub(super) fn align(body: &Body, heading: f64, goals: &[Goal], moves: bool) -> (Placement, f64) {
    let base = base_position(body);
    let level = |v: DVec3| DVec2::new(v.x, v.z);
    let pair = |goal: &Goal| {
        let point = body.world_from_link(goal.link)?.transform_point3(goal.offset);
        Some((point, goal.whole_position()?, goal.weight * if goal.pinned { PINNED } else { 1.0 }))
    };
    let pairs: Vec<(DVec3, DVec3, f64)> = goals.iter().filter_map(pair).filter(|p| p.2 > 0.0).collect();
    let total: f64 = pairs.iter().map(|p| p.2).sum();
    if pairs.is_empty() {
        return (Placement { heading, ground: level(base) }, 0.0);
    }
    let middle = |of: &dyn Fn(&(DVec3, DVec3, f64)) -> DVec3| {
        let sum: DVec3 = pairs.iter().map(|p| of(p) * p.2).sum();
        level(sum / total)
    };
    let (from, to) = if moves { (middle(&|p| p.0), middle(&|p| p.1)) } else { (level(base), level(base)) };
    let (mut along, mut across, mut spread) = (0.0, 0.0, 0.0_f64);
    for &(point, target, weight) in &pairs {
        let (p, g) = (level(point) - from, level(target) - to);
        along += weight * p.dot(g);
        across += weight * (g.x * p.y - g.y * p.x);
        spread = spread.max(p.length_squared().min(g.length_squared()));
    }
    // Points that lie almost vertically above one another do not determine the heading.
    let turn = if spread > MIN_SPREAD * MIN_SPREAD { across.atan2(along) } else { 0.0 };
    let turned = DQuat::from_rotation_y(turn);
    let rotate = |v: DVec2| level(turned * DVec3::new(v.x, 0.0, v.y));
    let ground = to + rotate(level(base) - from);
    let residual = |&(point, target, weight): &(DVec3, DVec3, f64)| {
        let beside = to + rotate(level(point) - from) - level(target);
        weight * (beside.length_squared() + (point.y - target.y).powi(2))
    };
    let residual: f64 = pairs.iter().map(residual).sum();
    (Placement { heading: heading + turn, ground }, (residual / total).sqrt())
}

/// Factor for the weight of pinned goals.
pub(super) const PINNED: f64 = 10.0;
/// Points determine the heading if the horizontal distance of one of them from their mean is at least this many
/// metres.
const MIN_SPREAD: f64 = 0.05;

#[cfg(test)]
pub(super) mod tests {
    use glam::{DAffine3, DMat3};

    use super::*;
    use crate::Link;

    /// Returns a trunk with two arms in a base space that is rotated and scaled.
    pub(crate) fn figure() -> Body {
        let links = vec![
            Link { rest: DQuat::from_rotation_x(0.3), offset: DVec3::new(0.1, 0.9, 0.0), ..Link::base() },
            Link::child(LinkIndex(0), DVec3::Y * 0.5),
            Link {
                rest: DQuat::from_rotation_z(0.4),
                ..Link::child(LinkIndex(1), DVec3::new(0.3, 0.1, 0.1))
            },
            Link::child(LinkIndex(2), DVec3::X * 0.4),
            Link::child(LinkIndex(1), DVec3::new(-0.3, 0.1, 0.1)),
            Link::child(LinkIndex(4), DVec3::NEG_X * 0.4),
        ];
        let turned = DQuat::from_rotation_x(-1.5);
        let above =
            DAffine3 { matrix3: DMat3::from_quat(turned) * 1.2, translation: DVec3::new(0.3, 0.2, -0.1) };
        let mut body = Body::new(links, above).unwrap_or_else(|e| panic!("{e}"));
        for i in 0..6 {
            let turn = DQuat::from_scaled_axis(DVec3::new(0.3, -0.2 * i as f64, 0.1 + 0.1 * i as f64));
            body.set_rotation(LinkIndex(i), body.rotations()[i] * turn);
        }
        body
    }

    fn joints() -> Vec<Option<usize>> {
        (0..6).map(Some).collect()
    }

    #[test]
    fn applying_a_posture_restores_the_body() {
        let body = figure();
        let posture = Posture::of(&body);
        assert!(posture.rotations[0].y.abs() < 1e-12, "a tilt must not turn about +Y");
        let base = base_position(&body);
        let place =
            Placement { heading: super::heading_and_tilt(&body).0, ground: DVec2::new(base.x, base.z) };
        let mut other = body.clone();
        other.reset();
        posture.apply(&mut other, &joints(), place, true);
        for link in 0..6 {
            let (a, b) = (body.world_from_link(LinkIndex(link)), other.world_from_link(LinkIndex(link)));
            assert!(a.zip(b).is_some_and(|(a, b)| a.abs_diff_eq(b, 1e-12)), "{link}");
        }
    }

    #[test]
    fn align_restores_the_placement() {
        let body = figure();
        let place =
            |link: usize| body.world_from_link(LinkIndex(link)).map(|m| m.translation).unwrap_or_default();
        let goals = [3, 5, 1].map(|link| Goal::position(LinkIndex(link), place(link)));
        let mut away = body.clone();
        let posture = Posture::of(&body);
        let elsewhere = Placement { heading: -2.0, ground: DVec2::new(4.0, -3.0) };
        posture.apply(&mut away, &joints(), elsewhere, true);
        let (found, residual) = align(&away, -2.0, &goals, true);
        assert!(residual < 1e-9, "{residual}");
        posture.apply(&mut away, &joints(), found, true);
        assert!(
            away.world_from_link(LinkIndex(5)).is_some_and(|m| m.translation.abs_diff_eq(place(5), 1e-9))
        );
    }
}

//! Measures how far the joints of a tree can turn within their limits.

use std::f64::consts::TAU;

use glam::{DQuat, DVec2, DVec3, EulerRot};

use crate::limit::euler_ways;
use crate::link::own;
use crate::rotation::rotation_vector;
use crate::tree::{Tree, TreeJoint};
use crate::{Limit, swing_twist};

/// Angle that is beyond every limit, in radians.
const FAR: f64 = 1e9;
/// Step of the finite differences of rotations, in radians.
const PROBE: f64 = 1e-4;
/// A swing is treated as being at the border of its ellipse if its distance from the border is at most this fraction of the ellipse's size.
const AT_BORDER: f64 = 1e-6;
/// An ellipse counts as a rectangle if a semi-axis is smaller than this, in radians.
const FLAT: f64 = 1e-3;

/// A direction in which a joint turns or slides while the other coordinates of the joint remain constant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coordinate {
    /// The turn of the joint per radian of the coordinate, as a rotation vector in base space.
    pub(super) turn: DVec3,
    /// How far the coordinate can change in the negative and in the positive direction, in radians. The first number is
    /// at most zero, and the second is at least zero.
    pub(super) room: [f64; 2],
    /// Curvature of the border to which the direction is tangent, per radian. The joint's preceding coordinate is perpendicular to the
    /// border and points outwards.
    pub(super) curvature: f64,
    /// Whether the joint is prismatic. The range of a prismatic joint counts as part of the body's lengths.
    pub(super) is_stroke: bool,
}

impl Coordinate {
    fn new(turn: DVec3, room: [f64; 2]) -> Self {
        let room = [room[0].min(0.0), room[1].max(0.0)];
        Self { turn, room, curvature: 0.0, is_stroke: false }
    }

    /// Returns a coordinate without a limit.
    pub(super) fn free(turn: DVec3) -> Self {
        Self::new(turn, [-FAR, FAR])
    }

    /// Returns whether the coordinate has no limit.
    pub(super) fn is_free(&self) -> bool {
        self.room[0] <= -FAR && self.room[1] >= FAR
    }

    /// Returns the range of the coordinate if `is_limited` is set, and an unlimited range otherwise.
    pub(super) fn room_if(&self, is_limited: bool) -> [f64; 2] {
        if is_limited { self.room } else { [-FAR, FAR] }
    }
}

/// Returns the coordinates of a joint. The limit is a box in these coordinates. For the swing of a cone, it is a half-plane that touches
/// the ellipse. `push` returns the amount by which a turn reduces the error, to first order.
pub(super) fn coordinates(
    tree: &Tree,
    joint: &TreeJoint,
    push: impl Fn(DVec3) -> f64,
) -> [Option<Coordinate>; 3] {
    if let Some(axis) = joint.only_axis() {
        let room = [-FAR, FAR].map(|turn| joint.room(turn, 0.0).map_or(turn, |room| room.copysign(turn)));
        let only = Coordinate::new(tree.axis_from_frame(joint, axis), room);
        return [Some(Coordinate { is_stroke: joint.prismatic.is_some(), ..only }), None, None];
    }
    match joint.limit {
        Limit::Cone { .. } => cone(tree, joint, push),
        Limit::Euler { order, min, max } => euler(tree, joint, order, [min, max]),
        _ => DVec3::AXES.map(|axis| Some(Coordinate::free(axis))),
    }
}

/// Returns the turn of the joint in base space per unit change of each number that describes the joint's own rotation.
fn turns(
    tree: &Tree,
    joint: &TreeJoint,
    numbers: [f64; 3],
    rotation: impl Fn([f64; 3]) -> DQuat,
) -> [DVec3; 3] {
    DVec3::AXES.map(|change| {
        let at = |probe: f64| joint.link_rotation(rotation((DVec3::from(numbers) + change * probe).into()));
        let turn = rotation_vector(at(PROBE) * at(-PROBE).conjugate()) / (2.0 * PROBE);
        tree.axis_from_frame(joint, turn)
    })
}

/// Returns the differences from an angle to the minimum and the maximum of its range.
fn room(angle: f64, min: f64, max: f64) -> [f64; 2] {
    if max - min >= TAU {
        return [-FAR, FAR];
    }
    let middle = 0.5 * (min + max);
    let away = angle - middle;
    let angle = middle + away - TAU * (away / TAU).round();
    [min - angle, max - angle]
}

/// Returns the coordinates of a joint with an Euler limit: its three angles.
fn euler(
    tree: &Tree,
    joint: &TreeJoint,
    order: EulerRot,
    [min, max]: [[f64; 3]; 2],
) -> [Option<Coordinate>; 3] {
    // Uses the triple that is within the limit.
    let ways = euler_ways(own(joint.rest, joint.reversed(), joint.rotation), order);
    let rooms = |way: [f64; 3]| std::array::from_fn::<_, 3, _>(|i| room(way[i], min[i], max[i]));
    let least = |way| rooms(way).into_iter().map(|r| r[1].min(-r[0])).fold(f64::INFINITY, f64::min);
    let way = if least(ways[1]) > least(ways[0]) { ways[1] } else { ways[0] };
    let turns = turns(tree, joint, way, |[a, b, c]| DQuat::from_euler(order, a, b, c));
    let rooms = rooms(way);
    std::array::from_fn(|i| Some(Coordinate::new(turns[i], rooms[i])))
}

/// Returns the coordinates of a joint with a cone limit: the direction out of the ellipse of the swing, the direction
/// along the ellipse, and the twist.
fn cone(tree: &Tree, joint: &TreeJoint, push: impl Fn(DVec3) -> f64) -> [Option<Coordinate>; 3] {
    let Limit::Cone { axis, side, swing, twist } = joint.limit else { return [None; 3] };
    let (away, angle) = swing_twist(own(joint.rest, joint.reversed(), joint.rotation), axis);
    let (vector, size) = (rotation_vector(away), DVec2::from(swing));
    let at = DVec2::new(vector.dot(side), vector.dot(axis.cross(side)));
    let [x, y, around] = turns(tree, joint, [at.x, at.y, angle], |[x, y, angle]| {
        DQuat::from_scaled_axis(side * x + axis.cross(side) * y) * DQuat::from_axis_angle(axis, angle)
    });
    let twist = Some(Coordinate::new(around, room(angle, twist[0], twist[1])));
    if size.min_element() < FLAT {
        let rooms = [0, 1].map(|i| [-size[i] - at[i], size[i] - at[i]]);
        return [Some(Coordinate::new(x, rooms[0])), Some(Coordinate::new(y, rooms[1])), twist];
    }
    let is_at_border = (at / size).length() > 1.0 - AT_BORDER;
    let touched = if is_at_border {
        at
    } else {
        let steepest = DVec2::new(push(x), push(y)).normalize_or(DVec2::X);
        at + steepest * distance(at, steepest, size)
    };
    let out = (touched / (size * size)).normalize_or(DVec2::X);
    let along = out.perp();
    let room = if is_at_border { 0.0 } else { (touched - at).dot(out) };
    let outward = Coordinate::new(x * out.x + y * out.y, [-distance(at, -out, size), room]);
    let curvature = (size.element_product() * (touched / (size * size)).length()).powi(-2)
        / (touched / (size * size)).length();
    let curvature = if is_at_border { curvature } else { 0.0 };
    let width = 2.0 * size.max_element();
    let tangent = Coordinate::new(x * along.x + y * along.y, [-width, width]);
    [Some(outward), Some(Coordinate { curvature, ..tangent }), twist]
}

/// Returns the distance from a point in an ellipse to the border of the ellipse in a direction.
fn distance(from: DVec2, direction: DVec2, size: DVec2) -> f64 {
    let (p, d) = (from / size, direction / size);
    let (a, b, c) = (d.length_squared(), p.dot(d), p.length_squared() - 1.0);
    let root = (b * b - a * c).max(0.0).sqrt();
    ((root - b) / a).max(0.0)
}

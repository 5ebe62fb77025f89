//! The constraint rows of a pose. Each row has a value and a maximum force. The force enforces the constraint.
//!
//! An equality keeps its value at zero, and a bound keeps its value at or above zero. A row is satisfied exactly, unless the rest of the
//! problem pushes against it with more than its maximum force. The forces therefore define an order of precedence, and no set of rows is
//! infeasible (an exact penalty).

use glam::DVec3;

use super::buffers::Buffers;
use super::capsule::{self, Place};
use super::constant;
use super::factor::TreeMatrix;
use super::mass::CentreOfMass;
use super::model::Freedom;
use super::pose::{FigurePose, Kinematics};
use super::problem::{FloorPoint, Problem};
use super::support;
use super::system::Forces;
use crate::{Hold, Limit, LinkIndex};

/// Maximum forces: first for contacts and pins, then for heels, balance, floor and body. For limits, the maximum moment.
const CONTACT_FORCE: f64 = 100.0 * constant::PULL;
const BODY_FORCE: f64 = 20.0 * constant::PULL;
const LIMIT_MOMENT: f64 = 5.0 * constant::PULL;
/// A step leaves out a bound if its value is at least this many metres or radians.
const NEAR: f64 = 0.03;
const NEAR_FLOOR: f64 = 0.06;
const NEAR_HINGE: f64 = 0.25;
pub(super) const NEAR_LIMIT: f64 = 0.12;

/// The constraint that a row enforces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The foot of a contact stays in place. Contains the index of the contact.
    Contact(usize),
    /// The heel of a contact stays at least as high as in the stance.
    Heel(usize),
    /// The limit of a link.
    Limit(usize),
    /// The centre of mass stays over the support in a direction.
    Balance(usize),
    /// A point stays above the floor.
    Floor(usize),
    /// A pair of capsules stays apart.
    Body(usize),
    /// A pull holds its target. Contains the index of the pull.
    Pull(usize),
    /// The spring that keeps the centre of mass over its intended place, along a horizontal axis. This term belongs to the energy. It
    /// is handled as a row so that it does not couple the limbs in the Hessian.
    Comfort,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) value: f64,
    pub(super) kind: Kind,
    pub(super) is_equality: bool,
    /// The maximum force in newtons, or the maximum moment in newton metres.
    pub(super) force: f64,
    pub(super) is_near: bool,
}

impl Row {
    /// Returns the amount by which the row is violated.
    pub(super) fn violation(&self) -> f64 {
        if self.kind == Kind::Comfort {
            0.0
        } else if self.is_equality {
            self.value.abs()
        } else {
            (-self.value).max(0.0)
        }
    }
}

/// The rows of a pose, and the derivatives of the near rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    pub(super) all: Vec<Row>,
    /// The indices of the near rows, and the derivatives of these rows, `n` numbers each.
    pub(super) near: Vec<usize>,
    pub(super) jacobian: Vec<f64>,
}

impl Rows {
    /// Adds a row. If `n` is given and the row is near, `fill` sets its derivatives.
    #[inline]
    fn push(&mut self, n: Option<usize>, row: Row, fill: impl FnOnce(&mut [f64])) {
        if let (Some(n), true) = (n, row.is_near) {
            self.near.push(self.all.len());
            let start = self.jacobian.len();
            self.jacobian.resize(start + n, 0.0);
            fill(&mut self.jacobian[start..]);
        }
        self.all.push(row);
    }

    /// Returns the sum of the penalties of all rows except the rows of goal pulls.
    pub(super) fn penalty(&self, problem: &Problem) -> f64 {
        let counts = |row: &&Row| !matches!(row.kind, Kind::Pull(p) if !problem.pulls[p].is_pin);
        self.all.iter().filter(counts).map(|row| row.force * row.violation()).sum()
    }
}

#[inline]
fn equality(kind: Kind, value: f64) -> Row {
    Row { value, kind, is_equality: true, force: CONTACT_FORCE, is_near: true }
}

#[inline]
fn bound(kind: Kind, value: f64, force: f64, near: f64) -> Row {
    Row { value, kind, is_equality: false, force, is_near: value < near }
}

impl Problem {
    /// Returns the [`Hold`] that a report contains for a row. Standing feet, pinned or not, and goals have no hold, because they
    /// always carry a force.
    pub(super) fn hold(&self, kind: Kind) -> Option<Hold> {
        match kind {
            Kind::Contact(_) | Kind::Heel(_) | Kind::Comfort => None,
            Kind::Limit(link) => Some(Hold::Limit(LinkIndex(link))),
            Kind::Balance(_) => Some(Hold::Balance),
            Kind::Floor(index) => Some(Hold::Floor(LinkIndex(self.floor_points.get(index)?.link))),
            Kind::Body(index) => {
                let [a, b] = self.capsules.links(*self.capsules.pairs.get(index)?);
                Some(Hold::Body(LinkIndex(a), LinkIndex(b)))
            }
            Kind::Pull(index) => {
                let pin = self.pulls.get(index).filter(|pull| pull.is_pin)?;
                let stands = self.contacts.iter().any(|c| self.feet[c.foot].link == pin.link);
                (!stands).then_some(Hold::Pin(pin.goal))
            }
        }
    }

    /// Computes the rows of a pose, except the rows of pulls. If `derive` is set, also computes the derivatives of near rows.
    pub(super) fn rows(
        &self,
        pose: &FigurePose,
        now: &Kinematics,
        buffers: &mut Buffers,
        derive: bool,
        rows: &mut Rows,
    ) {
        rows.all.clear();
        rows.near.clear();
        rows.jacobian.clear();
        let n = derive.then_some(self.model.count);
        self.contact_rows(now, n, &mut buffers.columns[0], rows);
        self.limit_rows(pose, n, rows);
        self.floor_rows(now, n, &mut buffers.columns[0], rows);
        if self.has_balance {
            self.balance_rows(now, n, buffers, rows);
        }
        self.body_rows(now, n, buffers, rows);
    }

    fn contact_rows(&self, now: &Kinematics, n: Option<usize>, columns: &mut Vec<DVec3>, rows: &mut Rows) {
        for (index, contact) in self.contacts.iter().enumerate().filter(|(_, c)| c.keeps()) {
            let foot = &self.feet[contact.foot];
            let path = self.model.path(foot.link);
            let mut fill = |columns: &[DVec3], axis: DVec3, row: Row| {
                rows.push(n, row, |out| path.iter().zip(columns).for_each(|(&d, c)| out[d] = c.dot(axis)));
            };
            let ball = now.point(foot.link, foot.ball);
            if n.is_some() {
                now.point_columns(&self.model, foot.link, ball, columns);
            }
            for axis in DVec3::AXES {
                fill(columns, axis, equality(Kind::Contact(index), (ball - contact.ball).dot(axis)));
            }
            if foot.is_point {
                continue;
            }
            let side = now.rotations[foot.link] * contact.local_side;
            if n.is_some() {
                now.direction_columns(&self.model, foot.link, side, columns);
            }
            for axis in [DVec3::Y, contact.forward] {
                fill(columns, axis, equality(Kind::Contact(index), (side - contact.side).dot(axis)));
            }
            let heel = now.point(foot.link, foot.heel);
            if n.is_some() {
                now.point_columns(&self.model, foot.link, heel, columns);
            }
            let row = bound(Kind::Heel(index), heel.y - contact.heel.y, BODY_FORCE, NEAR);
            fill(columns, DVec3::Y, row);
        }
    }

    fn limit_rows(&self, pose: &FigurePose, n: Option<usize>, rows: &mut Rows) {
        for (link, joint) in self.model.joints.iter().enumerate() {
            let kind = Kind::Limit(link);
            match joint.freedom {
                Freedom::Hinge { .. } => {
                    let ends = [
                        (pose.angles[link] - joint.range[0], 1.0),
                        (joint.range[1] - pose.angles[link], -1.0),
                    ];
                    for (value, slope) in ends {
                        let row = bound(kind, value, LIMIT_MOMENT, NEAR_HINGE);
                        rows.push(n, row, |out| out[joint.first] = slope);
                    }
                }
                Freedom::Ball if joint.limit != Limit::Free => {
                    let is_far = self.is_far_from_limit(link, pose.turns[link]);
                    let values = if is_far {
                        self.limit_shape(link)
                    } else {
                        self.limit_values(link, pose.turns[link])
                    };
                    let is_near = n.is_some() && values.iter().any(|v| *v < NEAR_LIMIT);
                    let slopes = is_near.then(|| self.limit_slopes(link, pose.turns[link]));
                    for (index, value) in values.into_iter().enumerate().filter(|(_, v)| *v != f64::INFINITY)
                    {
                        let row = bound(kind, value, LIMIT_MOMENT, NEAR_LIMIT);
                        rows.push(n, row, |out| {
                            let slopes = slopes.unwrap_or_default();
                            (0..3).for_each(|axis| out[joint.first + axis] = slopes[axis][index]);
                        });
                    }
                }
                _ => {}
            }
        }
    }

    fn floor_rows(&self, now: &Kinematics, n: Option<usize>, columns: &mut Vec<DVec3>, rows: &mut Rows) {
        for (index, point) in self.floor_points.iter().enumerate() {
            let at = now.point(point.link, point.offset);
            let row = bound(Kind::Floor(index), at.y - point.height, BODY_FORCE, NEAR_FLOOR);
            rows.push(n, row, |out| {
                now.point_columns(&self.model, point.link, at, columns);
                self.model.path(point.link).iter().zip(&*columns).for_each(|(&d, c)| out[d] = c.y);
            });
        }
    }

    fn balance_rows(&self, now: &Kinematics, n: Option<usize>, buffers: &mut Buffers, rows: &mut Rows) {
        let centre = match n {
            Some(_) => {
                buffers.mass.update(&self.model, now);
                buffers.mass.at
            }
            None => CentreOfMass::place(&self.model, now),
        };
        let away = self.away(now, centre);
        for axis in [DVec3::X, DVec3::Z] {
            let row = Row { force: f64::MAX, ..equality(Kind::Comfort, away.dot(axis)) };
            let Buffers { columns: [columns, _], mass, .. } = &mut *buffers;
            rows.push(n, row, |out| self.away_row(now, mass, axis, columns, out));
        }
        let sides = self.support(now, centre);
        for (index, (side, slack)) in sides.iter().zip(self.support_slack).enumerate() {
            let row = bound(Kind::Balance(index), side.value + slack, BODY_FORCE, NEAR);
            let Buffers { columns, mass, .. } = &mut *buffers;
            rows.push(n, row, |out| self.support_row(now, side, mass, &mut columns[0], out));
        }
    }

    fn body_rows(&self, now: &Kinematics, n: Option<usize>, buffers: &mut Buffers, rows: &mut Rows) {
        let Buffers { columns: [columns, _], places, .. } = buffers;
        self.capsules.place(now, places);
        for (index, (&pair, slack)) in self.capsules.pairs.iter().zip(&self.capsule_slack).enumerate() {
            let gap = self.capsules.gap(places, pair);
            let value = gap.map_or(f64::INFINITY, |gap| gap.value + slack);
            let row = bound(Kind::Body(index), value, BODY_FORCE, capsule::NEAR);
            rows.push(n, row, |out| {
                let Some(gap) = gap else { return };
                for (side, sign) in [(0, 1.0), (1, -1.0)] {
                    now.point_columns(&self.model, gap.links[side], gap.points[side], columns);
                    let path = self.model.path(gap.links[side]);
                    path.iter().zip(&*columns).for_each(|(&d, c)| out[d] += sign * c.dot(gap.normal));
                }
            });
        }
    }

    /// Adds the rows of pulls that hold their targets.
    pub(super) fn pull_rows(&self, now: &Kinematics, derive: bool, buffers: &mut Buffers, rows: &mut Rows) {
        let n = derive.then_some(self.model.count);
        for (index, pull) in self.pulls.iter().enumerate().filter(|(_, p)| p.holds) {
            let residual = pull.residual(now);
            let [columns, other] = &mut buffers.columns;
            if derive {
                pull.columns(&self.model, now, columns, other);
            }
            for axis in pull.rows().into_iter().flatten() {
                // The magnitude of a goal's force is limited, not its components. See `Newton::switch`.
                let force = if pull.is_pin { CONTACT_FORCE } else { 50.0 * pull.force };
                let row = Row { force, ..equality(Kind::Pull(index), residual.dot(axis)) };
                rows.push(n, row, |out| {
                    let path = self.model.path(pull.link);
                    path.iter().zip(&*columns).for_each(|(&d, c)| out[d] = c.dot(axis));
                });
            }
        }
    }

    /// Adds the forces `kept`, which enforce the rows. The limits of ball joints are curved, so their second derivatives are added to
    /// `matrix`.
    pub(super) fn push_rows(
        &self,
        pose: &FigurePose,
        now: &Kinematics,
        rows: &Rows,
        kept: &[f64],
        places: &[Place],
        forces: &mut Forces,
        matrix: &mut TreeMatrix,
    ) {
        let mut balance = DVec3::ZERO;
        // Rows of the same kind are adjacent. `nth` counts them.
        let (mut last, mut nth) = (None, 0);
        for (row, &force) in rows.all.iter().zip(kept) {
            nth = if last == Some(row.kind) { nth + 1 } else { 0 };
            last = Some(row.kind);
            if force == 0.0 {
                continue;
            }
            match row.kind {
                Kind::Contact(index) => {
                    let contact = &self.contacts[index];
                    let foot = &self.feet[contact.foot];
                    let side = now.rotations[foot.link] * contact.local_side;
                    match nth {
                        0..3 => {
                            let ball = now.point(foot.link, foot.ball);
                            forces.on_point(foot.link, ball, DVec3::AXES[nth] * force);
                        }
                        3 => forces.on_direction(foot.link, side, DVec3::Y * force),
                        _ => forces.on_direction(foot.link, side, contact.forward * force),
                    }
                }
                Kind::Heel(index) => {
                    let foot = &self.feet[self.contacts[index].foot];
                    forces.on_point(foot.link, now.point(foot.link, foot.heel), DVec3::Y * force);
                }
                // The energy already includes the force of this spring.
                Kind::Comfort => {}
                Kind::Limit(link) => self.bend_limit(link, pose.turns[link], nth, force, matrix),
                Kind::Balance(index) => balance -= support::direction(index) * force,
                Kind::Floor(index) => {
                    let FloorPoint { link, offset, .. } = self.floor_points[index];
                    forces.on_point(link, now.point(link, offset), DVec3::Y * force);
                }
                Kind::Body(index) => {
                    let Some(gap) = self.capsules.gap(places, self.capsules.pairs[index]) else { continue };
                    for (side, sign) in [(0, force), (1, -force)] {
                        forces.on_point(gap.links[side], gap.points[side], gap.normal * sign);
                    }
                }
                Kind::Pull(index) => {
                    let pull = &self.pulls[index];
                    if let Some(axis) = pull.rows().into_iter().flatten().nth(nth) {
                        pull.push(now, axis * force, forces);
                    }
                }
            }
        }
        if balance != DVec3::ZERO {
            CentreOfMass::push(&self.model, now, balance, forces);
        }
    }
}

//! Pulls that goals and pins exert on a figure.
//!
//! A goal acts like a hand that pulls with at most a certain force (an exact penalty; Fletcher 1987, chapter 14.3). While a smaller
//! force is enough, the goal holds its target exactly: its residual is a constraint. Otherwise the goal pulls with its maximum force,
//! and the pose is the nearest that the energy allows.

use glam::{DMat3, DQuat, DVec3};

use super::model::Model;
use super::pose::Kinematics;
use super::system::{Forces, System};
use crate::rotation::rotation_vector;

/// The pull of the position, orientation or look-at part of a goal or pin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pull {
    pub(super) goal: usize,
    pub(super) link: usize,
    pub(super) kind: PullKind,
    /// The maximum force in newtons, or the maximum moment in newton metres.
    pub(super) force: f64,
    /// Whether the pull holds its target exactly.
    pub(super) holds: bool,
    /// Whether the pull is a pin. Pins have rows that are as strong as contact rows.
    pub(super) is_pin: bool,
}

/// The quantity that a pull moves, and its target.
#[derive(Clone, Copy, Debug)]
pub(super) enum PullKind {
    /// A point of the link. `axes` weights the residual. The rows of `free` are the axes that do not count.
    Position { offset: DVec3, axes: DMat3, free: DMat3, start: DVec3, end: DVec3, target: DVec3 },
    /// The orientation of the link relative to its rest orientation.
    Orientation { axes: DMat3, start: DQuat, end: DQuat, target: DQuat },
    /// A direction of the link that must point at `end`. During strides, the direction points at `target` instead.
    Aim { axis: DVec3, eye: DVec3, start: DVec3, end: DVec3, target: DVec3 },
}

impl Pull {
    /// Moves the target to a fraction of the way from its start in the stance to its end.
    pub(super) fn advance(&mut self, share: f64) {
        let is_end = share >= 1.0;
        match &mut self.kind {
            PullKind::Position { start, end, target, .. } => {
                *target = if is_end { *end } else { start.lerp(*end, share) };
            }
            PullKind::Orientation { start, end, target, .. } => {
                *target = if is_end { *end } else { start.slerp(*end, share) };
            }
            PullKind::Aim { eye, start, end, target, .. } => {
                *target = if is_end { *end } else { *eye + between(*start - *eye, *end - *eye, share) };
            }
        }
    }

    /// Returns the distance that the target moves from the stance, in metres and in radians.
    pub(super) fn distance(&self) -> (f64, f64) {
        match self.kind {
            PullKind::Position { start, end, axes, .. } => ((axes * (end - start)).length(), 0.0),
            PullKind::Orientation { start, end, .. } => {
                (0.0, rotation_vector(end * start.conjugate()).length())
            }
            PullKind::Aim { eye, start, end, .. } => (0.0, (start - eye).angle_between(end - eye)),
        }
    }

    /// Returns the residual along weighted axes.
    pub(super) fn residual(&self, now: &Kinematics) -> DVec3 {
        match self.kind {
            PullKind::Position { offset, axes, target, .. } => axes * (now.point(self.link, offset) - target),
            PullKind::Orientation { axes, target, .. } => {
                axes * rotation_vector(now.rotations[self.link] * target.conjugate())
            }
            PullKind::Aim { axis, target, .. } => {
                let sight = (target - now.positions[self.link]).normalize_or(DVec3::Z);
                now.rotations[self.link] * axis - sight
            }
        }
    }

    /// Sets `columns` to the derivatives of the residual.
    pub(super) fn columns(
        &self,
        model: &Model,
        now: &Kinematics,
        columns: &mut Vec<DVec3>,
        other: &mut Vec<DVec3>,
    ) {
        match self.kind {
            PullKind::Position { offset, axes, .. } => {
                now.point_columns(model, self.link, now.point(self.link, offset), columns);
                columns.iter_mut().for_each(|c| *c = axes * *c);
            }
            PullKind::Orientation { axes, target, .. } => {
                let error = rotation_vector(now.rotations[self.link] * target.conjugate());
                let map = axes * inverse_left_jacobian(error);
                columns.clear();
                let turn = |&d: &usize| {
                    let (axis, about) = now.axes[d];
                    about.map_or(DVec3::ZERO, |_| map * axis)
                };
                columns.extend(model.path(self.link).iter().map(turn));
            }
            PullKind::Aim { axis, target, .. } => {
                let eye = now.positions[self.link];
                let (sight, distance) =
                    ((target - eye).normalize_or(DVec3::Z), target.distance(eye).max(1e-6));
                now.direction_columns(model, self.link, now.rotations[self.link] * axis, columns);
                now.point_columns(model, self.link, eye, other);
                for (column, moved) in columns.iter_mut().zip(other) {
                    *column += (*moved - sight * sight.dot(*moved)) / distance;
                }
            }
        }
    }

    /// Returns the axes along which the residual is constrained.
    pub(super) fn rows(&self) -> [Option<DVec3>; 3] {
        match self.kind {
            PullKind::Position { axes, .. } | PullKind::Orientation { axes, .. } => {
                let rows = DVec3::AXES.map(|row| (row, axes.transpose() * row));
                rows.map(|(row, axis)| (axis != DVec3::ZERO).then_some(row))
            }
            PullKind::Aim { eye, target, .. } => {
                let (a, b) = (target - eye).normalize_or(DVec3::Z).any_orthonormal_pair();
                [Some(a), Some(b), None]
            }
        }
    }

    /// Adds a force on the residual.
    pub(super) fn push(&self, now: &Kinematics, force: DVec3, forces: &mut Forces) {
        match self.kind {
            PullKind::Position { offset, axes, .. } => {
                forces.on_point(self.link, now.point(self.link, offset), axes.transpose() * force);
            }
            PullKind::Aim { axis, .. } => {
                forces.on_direction(self.link, now.rotations[self.link] * axis, force);
            }
            // Nothing is added for orientations. The error of an orientation is small while its target is held, and its columns are exact.
            PullKind::Orientation { .. } => {}
        }
    }

    /// Adds the maximum force of the pull, with all of the curvature across the residual and the fraction `share` of the curvature
    /// along it.
    pub(super) fn add(
        &self,
        system: &mut System,
        model: &Model,
        now: &Kinematics,
        share: f64,
        buffers: &mut [Vec<DVec3>; 2],
    ) {
        let [columns, other] = buffers;
        self.columns(model, now, columns, other);
        let r = self.residual(now);
        let length = r.length().max(1e-7);
        let (u, stiffness) = (r / length, self.force / length);
        let along = DMat3::from_cols(u * u.x, u * u.y, u * u.z) * (1.0 - share);
        system.add(model, self.link, columns, &((DMat3::IDENTITY - along) * stiffness), u * self.force);
        self.push(now, -u * self.force, &mut system.forces);
    }
}

/// Returns the inverse of the left Jacobian of a rotation vector (Solà, Deray & Atchuthan 2018, "A micro Lie theory", equation 146). It
/// maps a small rotation to the change of the vector.
#[inline]
pub(super) fn inverse_left_jacobian(v: DVec3) -> DMat3 {
    let angle = v.length();
    let k = if angle < 1e-4 {
        1.0 / 12.0
    } else {
        1.0 / (angle * angle) - (1.0 + angle.cos()) / (2.0 * angle * angle.sin())
    };
    let cross =
        DMat3::from_cols(DVec3::new(0.0, v.z, -v.y), DVec3::new(-v.z, 0.0, v.x), DVec3::new(v.y, -v.x, 0.0));
    DMat3::IDENTITY - cross * 0.5 + cross * cross * k
}

/// Interpolates two positions relative to the origin by azimuth, height and horizontal distance, so that the path goes around the
/// origin and not over it.
fn between(from: DVec3, to: DVec3, share: f64) -> DVec3 {
    let polar = |v: DVec3| (v.x.atan2(v.z), v.y, v.x.hypot(v.z));
    let ((a, height, near), (b, top, far)) = (polar(from), polar(to));
    let turn = (b - a) - std::f64::consts::TAU * ((b - a) / std::f64::consts::TAU).round();
    let (angle, radius) = (a + share * turn, near + share * (far - near));
    DVec3::new(radius * angle.sin(), height + share * (top - height), radius * angle.cos())
}

//! The energy of a figure. The terms are joint springs about the stance, uprightness, comfort of balance, the weight of hanging arms, heels
//! that stay down, and feet of pulled legs that stick to the floor. Pins that yield are also springs (see `yielding`).

use glam::{DMat3, DVec3};

use super::buffers::Buffers;
use super::constant;
use super::foot::Foot;
use super::mass::CentreOfMass;
use super::model::Freedom;
use super::pose::{FigurePose, Kinematics};
use super::problem::Problem;
use super::pull::{PullKind, inverse_left_jacobian};
use super::system::System;
use crate::rotation::rotation_vector;

/// Displacement over which the friction of a foot builds up, in metres.
const SLIP: f64 = 2e-3;
/// The centre of mass shifts to a point on the inner side of the standing foot. The distance of this point from the foot's middle is this
/// fraction of half the foot's width.
const INNER: f64 = 0.67;
/// The centre of mass shifts by at most this distance, in metres at human size. If a figure's feet are farther apart than a person's feet,
/// the shift is incomplete.
const ASIDE: f64 = 0.08;
/// Height in metres at which a pulled foot no longer carries weight.
pub(super) const LIFTED: f64 = 0.10;

/// Returns a smooth step from 0 to 1, and its slope (Hermite).
#[inline]
pub(super) fn smooth(x: f64) -> (f64, f64) {
    let x = x.clamp(0.0, 1.0);
    (x * x * (3.0 - 2.0 * x), 6.0 * x * (1.0 - x))
}

impl Problem {
    /// Returns the energy of a pose in joules. If `system` is given, also adds the derivatives of the energy to it.
    pub(super) fn energy(
        &self,
        pose: &FigurePose,
        now: &Kinematics,
        buffers: &mut Buffers,
        mut system: Option<&mut System>,
    ) -> f64 {
        self.springs(pose, system.as_deref_mut())
            + self.uprightness(now, &mut buffers.columns[0], system.as_deref_mut())
            + self.comfort(now, system.as_deref_mut())
            + self.heels(now, &mut buffers.columns[0], system.as_deref_mut())
            + self.hanging(now, &mut buffers.columns[0], system.as_deref_mut())
            + self.grip(now, &mut buffers.columns[0], system.as_deref_mut())
            + self.depth(now, &mut buffers.columns[0], system.as_deref_mut())
            + self.yielding_pins(now, &mut buffers.columns[0], system)
    }

    /// Returns the energy of the joint springs, minus the work of the weight moments that the springs balance in the stance.
    fn springs(&self, pose: &FigurePose, mut system: Option<&mut System>) -> f64 {
        let mut energy = 0.0;
        for (link, joint) in self.model.joints.iter().enumerate() {
            let (k, first) = (self.stiffness[link], joint.first);
            let preload = |d: usize| self.preload[d];
            match joint.freedom {
                Freedom::None => {}
                Freedom::Hinge { .. } => {
                    let x = pose.angles[link];
                    energy += 0.5 * k.x * x * x - preload(first) * x;
                    if let Some(s) = &mut system {
                        s.gradient[first] += k.x * x - preload(first);
                        *self.diagonal(s, first) += k.x;
                    }
                }
                Freedom::Ball | Freedom::Root => {
                    let turning = first + joint.freedom.count() - 3;
                    if joint.freedom == Freedom::Root {
                        let x = pose.hips - self.stance.hips;
                        let load = DVec3::new(preload(first), preload(first + 1), preload(first + 2));
                        energy += 0.5 * self.root_stiffness * x.length_squared() - load.dot(x);
                        if let Some(s) = &mut system {
                            for a in 0..3 {
                                s.gradient[first + a] += self.root_stiffness * x[a] - load[a];
                                *self.diagonal(s, first + a) += self.root_stiffness;
                            }
                        }
                    }
                    let v = rotation_vector(pose.turns[link] * self.stance.turns[link].conjugate());
                    let load = DVec3::new(preload(turning), preload(turning + 1), preload(turning + 2));
                    energy += 0.5 * (v * k).dot(v) - load.dot(v);
                    if let Some(s) = &mut system {
                        let map = inverse_left_jacobian(v);
                        let slope = map.transpose() * (v * k - load);
                        let weight = map.transpose() * DMat3::from_diagonal(k) * map;
                        for a in 0..3 {
                            s.gradient[turning + a] += slope[a];
                            let row = s.hessian.row(&self.model, turning + a);
                            let own = row.len() - a - 1;
                            (0..=a).for_each(|b| row[own + b] += weight.col(b)[a]);
                        }
                    }
                }
            }
        }
        energy
    }

    fn diagonal<'a>(&self, system: &'a mut System, d: usize) -> &'a mut f64 {
        let row = self.model.row(d);
        &mut system.hessian.entries[row.end - 1]
    }

    /// Keeps directions of the body fixed in the world: pelvis, chest and head stay upright, the pelvis faces forwards, and the gaze
    /// points at its target.
    fn uprightness(
        &self,
        now: &Kinematics,
        columns: &mut Vec<DVec3>,
        mut system: Option<&mut System>,
    ) -> f64 {
        if !self.is_pulled {
            return 0.0;
        }
        let model = &self.model;
        let upright = |link: usize, stiffness: f64, axis: DVec3| {
            let own = self.stance_now.rotations[link].conjugate() * axis;
            (link, stiffness, own, axis)
        };
        let chest = (model.chest != 0).then(|| upright(model.chest, constant::UPRIGHT, DVec3::Y));
        let head = model.head.map(|head| upright(head, constant::HEAD_UPRIGHT, DVec3::Y));
        let sight = self.look.zip(model.head).map(|((sight, stiffness), head)| {
            let forwards = self.stance_now.rotations[head].conjugate() * self.front();
            (head, stiffness, forwards, sight)
        });
        let pelvis = [upright(0, constant::UPRIGHT, DVec3::Y), upright(0, constant::YAW, DVec3::X)];
        let mut energy = 0.0;
        // A foot that is lifted stays level, so that a pull on its toes bends the knee.
        let lifted = self.contacts.iter().filter(|c| !c.holds).map(|c| self.feet[c.foot].link);
        let feet = lifted.map(|foot| upright(foot, constant::UPRIGHT, DVec3::Y));
        for (link, stiffness, own, axis) in
            pelvis.into_iter().chain(chest).chain(head).chain(sight).chain(feet)
        {
            let direction = now.rotations[link] * own;
            let r = direction - axis;
            energy += 0.5 * stiffness * r.length_squared();
            if let Some(s) = &mut system {
                now.direction_columns(model, link, direction, columns);
                let weight = DMat3::from_diagonal(DVec3::splat(stiffness));
                s.add(model, link, columns, &weight, r * stiffness);
                s.forces.on_direction(link, direction, r * -stiffness);
            }
        }
        energy
    }

    /// Returns the direction in which the stance faces.
    fn front(&self) -> DVec3 {
        (self.stance_now.rotations[0] * DVec3::Z).with_y(0.0).normalize_or(DVec3::Z)
    }

    /// Keeps the centre of mass over its intended place. The derivatives enter the problem as rows (see
    /// [`Kind::Comfort`](super::rows::Kind)).
    fn comfort(&self, now: &Kinematics, system: Option<&mut System>) -> f64 {
        if !self.has_balance {
            return 0.0;
        }
        let away = self.away(now, CentreOfMass::place(&self.model, now));
        if let Some(s) = system {
            CentreOfMass::push(&self.model, now, away * -constant::COMFORT, &mut s.forces);
        }
        0.5 * constant::COMFORT * away.length_squared()
    }

    /// Returns the horizontal vector from the intended place of the centre of mass to its actual position. As a pulled foot rises, the
    /// intended place moves over the other feet.
    pub(super) fn away(&self, now: &Kinematics, centre: DVec3) -> DVec3 {
        let lifted: f64 = self.lifted(now).map(|(_, _, (share, _))| share).sum();
        let away = (centre - self.centre).with_y(0.0);
        self.way().map_or(away, |way| away - way * lifted)
    }

    /// Adds the derivatives of the component of [`Self::away`] along an axis to a row.
    pub(super) fn away_row(
        &self,
        now: &Kinematics,
        mass: &CentreOfMass,
        axis: DVec3,
        columns: &mut Vec<DVec3>,
        row: &mut [f64],
    ) {
        row.iter_mut().zip(&mass.columns).for_each(|(r, c)| *r += c.dot(axis));
        let Some(way) = self.way() else { return };
        for (foot, ball, (_, slope)) in self.lifted(now).filter(|(.., (_, slope))| *slope > 0.0) {
            now.point_columns(&self.model, foot.link, ball, columns);
            for (&d, moved) in self.model.path(foot.link).iter().zip(&*columns) {
                row[d] -= way.dot(axis) * slope / LIFTED * moved.y;
            }
        }
    }

    /// Returns the feet that do not stay in place, each with the position of its ball, the fraction by which it counts as lifted, and
    /// the slope of this fraction.
    fn lifted<'a>(&'a self, now: &'a Kinematics) -> impl Iterator<Item = (&'a Foot, DVec3, (f64, f64))> {
        self.contacts.iter().filter(|c| !c.holds).map(|c| {
            let foot = &self.feet[c.foot];
            let ball = now.point(foot.link, foot.ball);
            (foot, ball, smooth((ball.y - c.ball.y) / LIFTED))
        })
    }

    /// Returns the shift of the centre of mass from the stance when a foot is fully lifted.
    fn way(&self) -> Option<DVec3> {
        self.whole_way().map(|way| way.clamp_length_max(ASIDE))
    }

    /// Returns the fraction of the way to the holding feet by which the centre of mass shifts.
    pub(super) fn shifted(&self) -> f64 {
        self.whole_way().map_or(1.0, |way| ASIDE / way.length().max(ASIDE))
    }

    /// Returns the vector from the centre of mass in the stance to the inner side of the feet that stay in place.
    fn whole_way(&self) -> Option<DVec3> {
        let way = (self.held_middle()? - self.centre).with_y(0.0);
        let held = self.contacts.iter().filter(|c| c.holds);
        let half_width = held.map(|c| self.feet[c.foot].half_width).fold(0.0, f64::max);
        Some(way - way.clamp_length_max(INNER * half_width))
    }

    /// Returns the middle of the soles of the feet that stay in place.
    fn held_middle(&self) -> Option<DVec3> {
        let held = || self.contacts.iter().filter(|c| c.holds);
        let count = u32::try_from(held().count()).ok().filter(|n| *n > 0)?;
        Some(held().map(super::foot::Contact::middle).sum::<DVec3>() / f64::from(count))
    }

    /// Keeps heels down until an ankle's limit requires them to rise.
    fn heels(&self, now: &Kinematics, columns: &mut Vec<DVec3>, mut system: Option<&mut System>) -> f64 {
        let [weight, stiffness] = constant::HEEL;
        let mut energy = 0.0;
        for contact in self.contacts.iter().filter(|c| c.keeps() && !self.feet[c.foot].is_point) {
            let foot = &self.feet[contact.foot];
            let length = foot.ball.distance(foot.heel);
            let at = now.point(foot.link, foot.heel);
            let rise = at.y - contact.heel.y;
            let k = stiffness / (length * length);
            energy += 0.5 * k * rise * rise + weight * rise;
            if let Some(s) = &mut system {
                now.point_columns(&self.model, foot.link, at, columns);
                s.add_along(&self.model, foot.link, columns, DVec3::Y, k, k * rise + weight);
                s.forces.on_point(foot.link, at, DVec3::NEG_Y * (k * rise + weight));
            }
        }
        energy
    }

    /// Gives arms a weight, so that they hang when the trunk leans.
    fn hanging(&self, now: &Kinematics, columns: &mut Vec<DVec3>, mut system: Option<&mut System>) -> f64 {
        let mut energy = 0.0;
        for &(link, weight) in &self.weights {
            let centre = self.model.joints[link].centre;
            let at = now.point(link, centre);
            energy += weight * (at.y - self.stance_now.point(link, centre).y);
            if let Some(s) = &mut system {
                now.point_columns(&self.model, link, at, columns);
                for (&d, column) in self.model.path(link).iter().zip(&*columns) {
                    s.gradient[d] += weight * column.y;
                }
                s.forces.on_point(link, at, DVec3::NEG_Y * weight);
            }
        }
        energy
    }

    /// Makes the foot of a pulled leg stick in place until the pull is stronger than friction.
    fn grip(&self, now: &Kinematics, columns: &mut Vec<DVec3>, mut system: Option<&mut System>) -> f64 {
        let mut energy = 0.0;
        for contact in self.contacts.iter().filter(|c| !c.holds) {
            let foot = &self.feet[contact.foot];
            let heel = if contact.is_on_toes { (foot.ball, contact.ball) } else { (foot.heel, contact.heel) };
            for (offset, place) in [(foot.ball, contact.ball), heel] {
                let at = now.point(foot.link, offset);
                let r = at - place;
                let size = (r.length_squared() + SLIP * SLIP).sqrt();
                energy += 0.5 * constant::GRIP * (size - SLIP);
                if let Some(s) = &mut system {
                    let k = 0.5 * constant::GRIP / size;
                    now.point_columns(&self.model, foot.link, at, columns);
                    s.add(&self.model, foot.link, columns, &DMat3::from_diagonal(DVec3::splat(k)), r * k);
                    s.forces.on_point(foot.link, at, r * -k);
                }
            }
        }
        energy
    }

    /// Adds weak springs along the free axes of goals. The target of a pointer, for example, has no known depth.
    fn depth(&self, now: &Kinematics, columns: &mut Vec<DVec3>, mut system: Option<&mut System>) -> f64 {
        let mut energy = 0.0;
        for pull in self.pulls.iter().filter(|p| !p.is_pin) {
            let PullKind::Position { offset, free, start, .. } = pull.kind else { continue };
            if free == DMat3::ZERO {
                continue;
            }
            let at = now.point(pull.link, offset);
            let r = free.transpose() * (free * (at - start));
            energy += 0.5 * constant::DEPTH * r.length_squared();
            if let Some(s) = &mut system {
                now.point_columns(&self.model, pull.link, at, columns);
                let weight = free.transpose() * free * constant::DEPTH;
                s.add(&self.model, pull.link, columns, &weight, r * constant::DEPTH);
                s.forces.on_point(pull.link, at, r * -constant::DEPTH);
            }
        }
        energy
    }

    fn yielding_pins(
        &self,
        now: &Kinematics,
        columns: &mut Vec<DVec3>,
        mut system: Option<&mut System>,
    ) -> f64 {
        let pins = self.yielding.iter();
        pins.map(|pin| pin.energy(&self.model, now, columns, system.as_deref_mut())).sum()
    }
}

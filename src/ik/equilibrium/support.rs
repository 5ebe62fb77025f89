//! Balance: the centre of mass stays over the support of the standing feet.

use glam::DVec3;

use super::constant;
use super::energy::{LIFTED, smooth};
use super::mass::CentreOfMass;
use super::pose::Kinematics;
use super::problem::{DIRECTIONS, Problem};

/// Height in metres at which a rising heel no longer supports the body.
const RISEN: f64 = 0.4;

/// The distance from the centre of mass to the edge of the support in a direction, minus the margin.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Side {
    pub(super) value: f64,
    pub(super) direction: DVec3,
    /// The corner of the support that is farthest in this direction.
    corner: Corner,
}

#[derive(Clone, Copy, Debug, Default)]
struct Corner {
    /// The position of the corner, and the position that it would have if the foot were not lifted.
    at: DVec3,
    own: DVec3,
    /// The sideways offset of the corner from the middle of the foot. This vector turns with the foot.
    beside: DVec3,
    contact: usize,
    /// Weights of the heel and of the ball in the position of the corner, and the rate at which the weight shifts to
    /// the ball with the height of the heel.
    heel: f64,
    ball: f64,
    heel_slope: f64,
    /// The fraction by which a lifted foot has left the support, its derivative with respect to the height of the ball,
    /// and the position towards which the foot's corners move.
    lifted: f64,
    lifted_slope: f64,
    towards: Option<DVec3>,
}

/// Returns a horizontal unit vector.
pub(super) fn direction(index: usize) -> DVec3 {
    let angle = f64::from(u32::try_from(index).unwrap_or(0)) * std::f64::consts::TAU / DIRECTIONS as f64;
    DVec3::new(angle.sin(), 0.0, angle.cos())
}

impl Problem {
    /// Returns the distance from the centre of mass to the edge of the support in each direction.
    pub(super) fn support(&self, now: &Kinematics, centre: DVec3) -> [Side; DIRECTIONS] {
        let mut sides: [Side; DIRECTIONS] = std::array::from_fn(|index| {
            let value = if self.contacts.is_empty() { f64::INFINITY } else { f64::NEG_INFINITY };
            Side { value, direction: direction(index), corner: Corner::default() }
        });
        for index in 0..self.contacts.len() {
            for corner in self.corners(now, index) {
                for side in &mut sides {
                    let reach = corner.at.dot(side.direction);
                    if reach > side.value {
                        (side.value, side.corner) = (reach, corner);
                    }
                }
            }
        }
        for side in &mut sides {
            side.value -= side.direction.dot(centre) + constant::MARGIN;
        }
        sides
    }

    /// Returns the corners of a foot. The tip of a holding foot stays in place. The heel leaves the support as it
    /// rises.
    fn corners(&self, now: &Kinematics, index: usize) -> impl Iterator<Item = Corner> {
        let contact = &self.contacts[index];
        let foot = &self.feet[contact.foot];
        let side = now.rotations[foot.link] * contact.local_side * foot.half_width;
        let (heel, ball) = (now.point(foot.link, foot.heel), now.point(foot.link, foot.ball));
        let (risen, risen_slope) = smooth((heel.y - contact.heel.y) / RISEN);
        let tip = if contact.holds {
            let forward = (contact.ball - contact.heel).with_y(0.0).normalize_or_zero();
            contact.ball + forward * (foot.tip - foot.ball).length()
        } else {
            now.point(foot.link, foot.tip)
        };
        let other = self.contacts.iter().find(|c| c.holds).map(|c| c.ball).filter(|_| !contact.holds);
        let (lifted, lifted_slope) = other.map_or((0.0, 0.0), |_| smooth((ball.y - contact.ball.y) / LIFTED));
        let share = self.shifted();
        let (lifted, lifted_slope) = (share * lifted, share * lifted_slope);
        let back = Corner {
            at: heel.lerp(ball, risen),
            own: DVec3::ZERO,
            beside: DVec3::ZERO,
            contact: index,
            heel: 1.0 - risen,
            ball: risen,
            heel_slope: risen_slope / RISEN,
            lifted,
            lifted_slope: lifted_slope / LIFTED,
            towards: other,
        };
        let middle = Corner { at: ball, heel: 0.0, ball: 1.0, heel_slope: 0.0, ..back };
        let moves = if contact.holds { 0.0 } else { 1.0 };
        let front = Corner { at: tip, ball: moves, ..middle };
        let at = move |corner: Corner, beside: f64| {
            let own = corner.at + side * beside;
            Corner {
                at: other.map_or(own, |other| own.lerp(other, lifted)),
                own,
                beside: side * beside,
                ..corner
            }
        };
        [at(back, 1.0), at(back, -1.0), at(middle, 1.0), at(middle, -1.0), at(front, 0.5), at(front, -0.5)]
            .into_iter()
    }

    /// Adds the derivatives of the distance to the edge of the support to a row.
    pub(super) fn support_row(
        &self,
        now: &Kinematics,
        side: &Side,
        mass: &CentreOfMass,
        columns: &mut Vec<DVec3>,
        row: &mut [f64],
    ) {
        let (corner, direction) = (&side.corner, side.direction);
        row.iter_mut().zip(&mass.columns).for_each(|(r, c)| *r -= c.dot(direction));
        let Some(contact) = self.contacts.get(corner.contact) else { return };
        let foot = &self.feet[contact.foot];
        let (heel, ball) = (now.point(foot.link, foot.heel), now.point(foot.link, foot.ball));
        let stays = 1.0 - corner.lifted;
        let path = self.model.path(foot.link);
        if corner.heel > 0.0 || corner.heel_slope > 0.0 {
            now.point_columns(&self.model, foot.link, heel, columns);
            let towards = corner.heel_slope * (ball - heel).dot(direction);
            for (&d, c) in path.iter().zip(&*columns) {
                row[d] += stays * (corner.heel * c.dot(direction) + towards * c.y);
            }
        }
        now.direction_columns(&self.model, foot.link, corner.beside, columns);
        for (&d, c) in path.iter().zip(&*columns) {
            row[d] += stays * c.dot(direction);
        }
        now.point_columns(&self.model, foot.link, ball, columns);
        let leaving = corner.towards.map_or(0.0, |to| corner.lifted_slope * (to - corner.own).dot(direction));
        for (&d, c) in path.iter().zip(&*columns) {
            row[d] += stays * corner.ball * c.dot(direction) + leaving * c.y;
        }
    }
}

//! The Jacobian of a body, and steps in its coordinates.

use glam::{DAffine3, DQuat, DVec3};
use sinew_base::api::Missing;
use sinew_base::mathematics::accumulate_below;

use crate::link::parents;
use crate::{Limit, Link, LinkIndex, SolveError};

use super::Body;

/// The derivative of a point's position and of its link's orientation with respect to the joints of a [`Body`] (Whitney
/// 1969, "Resolved motion rate control of manipulators and human prostheses").
///
/// The matrix has one column for each degree of freedom, in the order of the links. A hinge and a prismatic joint have one column each. A
/// ball joint (free, cone or Euler) has three: rotations about the x, y and z axes of its parent's frame. Locked joints, joints of weight 0
/// and mimic joints have no column. The column of a leader includes the motion of its followers.
#[derive(Clone, Debug, PartialEq)]
pub struct Jacobian {
    columns: Vec<JacobianColumn>,
}

/// A column of a [`Jacobian`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct JacobianColumn {
    /// Index of the link whose joint moves.
    pub link: LinkIndex,
    /// Velocity of the point in the world, in metres per radian of rotation or per metre of displacement.
    pub linear: DVec3,
    /// Angular velocity of the point's link in the world, in radians per radian. Zero for a prismatic joint.
    pub angular: DVec3,
}

impl Jacobian {
    /// Returns the columns, one for each degree of freedom of the body. Columns of joints that do not move the point are zero.
    pub fn columns(&self) -> &[JacobianColumn] {
        &self.columns
    }

    /// Returns the six rows: the velocity of the point along x, y and z, then the angular velocity about x, y and z.
    pub fn rows(&self) -> [Vec<f64>; 6] {
        std::array::from_fn(|row| {
            let entry = |c: &JacobianColumn| if row < 3 { c.linear[row] } else { c.angular[row - 3] };
            self.columns.iter().map(entry).collect()
        })
    }

    /// Returns the point's velocity and its link's angular velocity, J·θ̇, for the given rates of the degrees of freedom.
    /// Missing rates count as 0.
    pub fn velocity(&self, rates: &[f64]) -> (DVec3, DVec3) {
        let add = |(v, w): (DVec3, DVec3), (c, rate): (&JacobianColumn, &f64)| {
            (v + c.linear * *rate, w + c.angular * *rate)
        };
        self.columns.iter().zip(rates).fold((DVec3::ZERO, DVec3::ZERO), add)
    }

    /// Returns the product Jᵀ·(force, torque): the torques and forces at the joints that balance a load at the point. This is
    /// also the gradient of the Jacobian transpose method (Wolovich & Elliott 1984).
    pub fn transposed(&self, force: DVec3, torque: DVec3) -> Vec<f64> {
        self.columns.iter().map(|c| c.linear.dot(force) + c.angular.dot(torque)).collect()
    }
}

/// A direction in which a joint moves, in its parent's frame.
enum Freedom {
    Turn(DVec3),
    Slide(DVec3),
}

impl Body {
    /// Returns the Jacobian of a point that is fixed to a link. `point` is in the link's frame. Returns `None` if the link does
    /// not exist.
    ///
    /// ```
    /// use sinew_ik::glam::{DAffine3, DVec3};
    /// use sinew_ik::{Body, Limit, Link, LinkIndex};
    ///
    /// // A planar arm of two hinges. Turning the first one moves the stretched hand at two metres per radian.
    /// let hinge = Limit::hinge(DVec3::Z, -3.0..=3.0);
    /// let links = vec![
    ///     Link::base().with_limit(hinge),
    ///     Link::child(LinkIndex(0), DVec3::X).with_limit(hinge),
    ///     Link::child(LinkIndex(1), DVec3::X).with_limit(Limit::Locked),
    /// ];
    /// let arm = Body::new(links, DAffine3::IDENTITY)?;
    /// let jacobian = arm.jacobian(LinkIndex(2), DVec3::ZERO).ok_or("link 2 is missing")?;
    /// let velocities: Vec<DVec3> = jacobian.columns().iter().map(|column| column.linear).collect();
    /// assert_eq!(velocities, [DVec3::Y * 2.0, DVec3::Y]);
    /// assert_eq!(jacobian.transposed(DVec3::Y, DVec3::ZERO), [2.0, 1.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn jacobian(&self, link: LinkIndex, point: DVec3) -> Option<Jacobian> {
        let (frames, orientations) = (self.world_from_links(), self.orientations());
        let position = frames.get(link.0)?.transform_point3(point);
        let mut moved = vec![false; self.links().len()];
        let mut up = Some(link.0);
        while let Some(index) = up {
            moved[index] = true;
            up = self.links()[index].parent_index();
        }
        let column = |index: usize, freedom: &Freedom, rate: f64| {
            let zero = JacobianColumn { link: LinkIndex(index), ..JacobianColumn::default() };
            if !moved[index] {
                return zero;
            }
            let parent = self.links()[index].parent_index();
            let world_from_parent = parent.map_or(self.world_from_base(), |p| frames[p]);
            let rotation = parent.map_or(self.world_from_base_rotation(), |p| orientations[p]);
            match *freedom {
                Freedom::Slide(axis) => {
                    JacobianColumn { linear: world_from_parent.matrix3 * axis * rate, ..zero }
                }
                Freedom::Turn(axis) => {
                    let centre = frames[index].translation;
                    // The turn is defined in the parent's frame, which may be scaled.
                    let away = world_from_parent.matrix3.inverse() * (position - centre);
                    let linear = world_from_parent.matrix3 * axis.cross(away) * rate;
                    JacobianColumn { linear, angular: rotation * axis * rate, ..zero }
                }
            }
        };
        let mut columns = Vec::new();
        for (index, freedom) in self.freedoms() {
            let mut sum = column(index, &freedom, 1.0);
            for (follower, ratio) in self.followers(index) {
                if let Some(freedom) = self.axis(follower) {
                    let own = column(follower, &freedom, ratio);
                    (sum.linear, sum.angular) = (sum.linear + own.linear, sum.angular + own.angular);
                }
            }
            columns.push(sum);
        }
        Some(Jacobian { columns })
    }

    /// Moves the joints by a step in the coordinates of [`Body::jacobian`]. Mimic joints follow their leaders. A joint stops at
    /// its limit. Missing and non-finite entries count as 0.
    ///
    /// ```
    /// use sinew_ik::glam::{DAffine3, DVec3};
    /// use sinew_ik::{Body, Limit, Link, LinkIndex};
    ///
    /// let hinge = Limit::hinge(DVec3::Z, -1.0..=1.0);
    /// let links = vec![Link::base().with_limit(hinge), Link::child(LinkIndex(0), DVec3::X).with_limit(hinge)];
    /// let mut arm = Body::new(links, DAffine3::IDENTITY)?;
    /// arm.move_joints(&[0.25, 2.0]);
    /// assert!(arm.joint_value(LinkIndex(0)).is_some_and(|angle| (angle - 0.25).abs() < 1e-12));
    /// // The second joint stops at its limit.
    /// assert!(arm.joint_value(LinkIndex(1)).is_some_and(|angle| (angle - 1.0).abs() < 1e-12));
    /// # Ok::<(), sinew_ik::SolveError>(())
    /// ```
    pub fn move_joints(&mut self, step: &[f64]) {
        let freedoms: Vec<_> = self.freedoms().collect();
        let mut steps = step.iter().map(|s| if s.is_finite() { *s } else { 0.0 });
        let mut turn = DVec3::ZERO;
        for (place, (index, freedom)) in freedoms.iter().enumerate() {
            let step = steps.next().unwrap_or(0.0);
            match freedom {
                Freedom::Slide(_) => {
                    let allowed = self
                        .coupled_limit(*index)
                        .nearest_displacement(self.displacement(LinkIndex(*index)) + step);
                    self.set_displacement(LinkIndex(*index), allowed);
                }
                Freedom::Turn(axis) => {
                    turn += *axis * step;
                    // The three turns of a ball joint are applied as one rotation.
                    if freedoms.get(place + 1).is_none_or(|(next, _)| next != index) {
                        self.turn_link(*index, turn);
                        turn = DVec3::ZERO;
                    }
                }
            }
        }
        self.follow_leaders();
    }

    /// Turns a link by a rotation vector in its parent's frame, as far as its limit allows.
    fn turn_link(&mut self, index: usize, turn: DVec3) {
        let rotation = DQuat::from_scaled_axis(turn) * self.rotations()[index];
        let link = Link { limit: self.coupled_limit(index), ..self.links()[index] };
        self.set_rotation(LinkIndex(index), link.nearest(rotation.normalize()));
    }

    /// Returns the degrees of freedom in the order of the links. Each item contains the index of the link and the direction of
    /// the motion.
    fn freedoms(&self) -> impl Iterator<Item = (usize, Freedom)> + '_ {
        let movable = |(_, link): &(usize, &Link)| link.weight > 0.0 && link.mimic.is_none();
        self.links().iter().enumerate().filter(movable).flat_map(|(index, link)| {
            let axes = match (link.limit, self.axis(index)) {
                (Limit::Locked, _) => Vec::new(),
                (_, Some(axis)) => vec![axis],
                _ => DVec3::AXES.map(Freedom::Turn).into(),
            };
            axes.into_iter().map(move |axis| (index, axis))
        })
    }

    /// Returns the direction in which a joint with one degree of freedom moves, or `None` for other joints.
    fn axis(&self, index: usize) -> Option<Freedom> {
        let link = &self.links()[index];
        match link.limit {
            Limit::Hinge { axis, .. } if link.reversed => Some(Freedom::Turn(-axis)),
            Limit::Hinge { axis, .. } => Some(Freedom::Turn(link.rest * axis)),
            Limit::Prismatic { .. } => {
                let axis = link.slide_axis()?;
                let turned = self.rotations()[index] * link.rest.conjugate() * axis;
                Some(Freedom::Slide(if link.reversed { turned } else { axis }))
            }
            _ => None,
        }
    }

    /// Returns the links that follow a leader, with their ratios.
    fn followers(&self, leader: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let follow = move |(index, link): (usize, &Link)| {
            link.mimic.filter(|m| m.of.0 == leader).map(|m| (index, m.ratio))
        };
        self.links().iter().enumerate().filter_map(follow)
    }

    /// Computes `world_from_link` of all links by forward kinematics.
    pub fn world_from_links(&self) -> Vec<DAffine3> {
        let base = self.world_from_base();
        let mut frames = vec![base; self.links().len()];
        accumulate_below(parents(self.links()), base, &mut frames, |link| self.parent_from_link(link));
        frames
    }

    /// Returns the world orientations of all links.
    fn orientations(&self) -> Vec<DQuat> {
        let base = self.world_from_base_rotation();
        let mut orientations = vec![base; self.links().len()];
        accumulate_below(parents(self.links()), base, &mut orientations, |link| self.rotations()[link]);
        orientations
    }

    /// Sets the angle of a hinge from rest in radians, or the displacement of a prismatic joint in metres, and moves the joints
    /// that mimic it. Limits do not apply.
    ///
    /// # Errors
    /// [`SolveError::Missing`] if the link does not exist, and [`SolveError::JointValue`] if its joint has another type or mimics another
    /// joint, or if the value is not finite. The body is then unchanged.
    pub fn set_joint_value(&mut self, link: LinkIndex, value: f64) -> Result<(), SolveError> {
        let refused = |why| Err(SolveError::JointValue { link, why });
        let missing = || Box::new(Missing::index_in("the body", "link", link.0, self.links().len()));
        let own = self.links().get(link.0).copied().ok_or_else(missing)?;
        if own.mimic.is_some() {
            return refused("it mimics another joint");
        }
        if !value.is_finite() {
            return refused("the value is not finite");
        }
        match own.limit {
            Limit::Prismatic { .. } => self.set_displacement(link, value),
            Limit::Hinge { .. } => self.set_rotation(link, own.hinge_rotation(value)),
            _ => return refused("its joint is neither a hinge nor prismatic"),
        }
        self.follow_leaders();
        Ok(())
    }
}

//! The goals of a solve.

use glam::{DQuat, DVec3};

use sinew_base::api::with_methods;

use super::{AxesFrame, Body, GoalAxes, LinkIndex, SolveError};

/// A goal for one link. It can have a target position, a target orientation and an aim at the same time.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Goal {
    /// Index of the link.
    pub link: LinkIndex,
    /// Target position of the link's point, in world metres.
    pub position: Option<DVec3>,
    /// Target orientation of the link in the world, a product of rotations without scale.
    pub orientation: Option<DQuat>,
    /// An axis of the link, and a position that the axis must point at.
    pub aim: Option<Aim>,
    /// The pole: a world position in metres towards which the limb that ends at the link bends.
    pub pole: Option<DVec3>,
    /// The point of the link that must reach the target position, in the link's frame. Zero is the joint itself.
    pub offset: DVec3,
    /// Weight relative to the other goals, not negative. The weight of a pin does not matter, unless the weight is zero. A pin of
    /// weight zero has no priority: it keeps the end of a figure's limb in place only as long as the limb can reach it.
    pub weight: f64,
    /// Weights and tolerances of the position and the orientation, along the axes of a frame.
    pub axes: GoalAxes,
    /// Whether the goal has priority over all goals that are not pinned.
    pub pinned: bool,
    /// Whether the link should touch another part of a figure. The flesh of that part then does not keep the link away.
    pub touches: bool,
    /// Whether the position of a pin is a spring that gives way to the constraints that keep the parts of a figure apart. The
    /// orientation of the pin does not give way. For bodies that are not figures, this has no effect.
    pub yields: bool,
}

with_methods!(Goal {
    with_link(link: LinkIndex),
    with_position(position: impl Into<Option<DVec3>>),
    with_orientation(orientation: impl Into<Option<DQuat>>),
    with_aim(aim: impl Into<Option<Aim>>),
    with_pole(pole: impl Into<Option<DVec3>>),
    with_offset(offset: DVec3),
    with_weight(weight: f64),
    with_axes(axes: GoalAxes),
    with_pinned(pinned: bool),
    with_touches(touches: bool),
    with_yields(yields: bool),
});

/// An axis of a link that must point at a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aim {
    /// Direction in the link's frame. Any length except zero is valid.
    pub axis: DVec3,
    /// World position to point at, in metres.
    pub at: DVec3,
}

impl Goal {
    /// Returns a goal for a link, without any target yet.
    pub fn new(link: LinkIndex) -> Self {
        Self {
            link,
            position: None,
            orientation: None,
            aim: None,
            pole: None,
            offset: DVec3::ZERO,
            weight: 1.0,
            axes: GoalAxes::default(),
            pinned: false,
            touches: false,
            yields: false,
        }
    }

    /// Returns a goal that moves the link's joint to a world position.
    pub fn position(link: LinkIndex, target: DVec3) -> Self {
        Self { position: Some(target), ..Self::new(link) }
    }

    /// Returns a goal that turns the link to a world orientation.
    pub fn orientation(link: LinkIndex, target: DQuat) -> Self {
        Self { orientation: Some(target), ..Self::new(link) }
    }

    /// Returns a goal with a world position and a world orientation.
    ///
    /// ```
    /// use sinew_ik::glam::{DAffine3, DQuat, DVec3};
    /// use sinew_ik::{Body, Goal, Link, LinkIndex, Options, Solver};
    ///
    /// let links = vec![Link::base(), Link::child(LinkIndex(0), DVec3::Y), Link::child(LinkIndex(1), DVec3::Y)];
    /// let mut arm = Body::new(links, DAffine3::IDENTITY)?;
    /// let level = DQuat::from_rotation_z(-90_f64.to_radians());
    /// let goal = Goal::pose(LinkIndex(2), DVec3::new(1.0, 1.0, 0.0), level);
    /// assert!(Solver::default().solve(&mut arm, &[goal], &Options::default())?.reached());
    /// let hand = arm.orientation(LinkIndex(2)).ok_or("link 2 is missing")?;
    /// assert!(hand.angle_between(level) < 1e-2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pose(link: LinkIndex, position: DVec3, orientation: DQuat) -> Self {
        Self { orientation: Some(orientation), ..Self::position(link, position) }
    }

    /// Returns a goal that points an axis at a world position. The axis is in the link's frame.
    ///
    /// ```
    /// use sinew_ik::glam::{DAffine3, DVec3};
    /// use sinew_ik::{Body, Goal, Link, LinkIndex, Options, Solver};
    ///
    /// // A lamp whose light leaves along +Z points at a place on the desk.
    /// let mut lamp = Body::new(vec![Link::base(), Link::child(LinkIndex(0), DVec3::Y * 0.4)], DAffine3::IDENTITY)?;
    /// let desk = DVec3::new(0.3, 0.0, 0.2);
    /// let goal = Goal::aim(LinkIndex(1), DVec3::Z, desk);
    /// assert!(Solver::default().solve(&mut lamp, &[goal], &Options::default())?.reached());
    /// let head = lamp.world_from_link(LinkIndex(1)).ok_or("link 1 is missing")?;
    /// let light = head.transform_vector3(DVec3::Z);
    /// assert!(light.angle_between(desk - head.translation) < 1e-2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn aim(link: LinkIndex, axis: DVec3, at: DVec3) -> Self {
        Self { aim: Some(Aim { axis, at }), ..Self::new(link) }
    }

    /// Returns a pinned goal, which keeps the link at a world position and orientation.
    ///
    /// ```
    /// use sinew_ik::glam::{DAffine3, DQuat, DVec3};
    /// use sinew_ik::{Body, Goal, Link, LinkIndex, Method, Options, Solver};
    ///
    /// // The middle of a chain stays where it is, although the tip is pulled out of reach.
    /// let joints = (1..=6).map(|index| Link::child(LinkIndex(index - 1), DVec3::X * 0.2));
    /// let links = std::iter::once(Link::base()).chain(joints).collect();
    /// let mut chain = Body::new(links, DAffine3::IDENTITY)?;
    /// let middle = DVec3::X * 0.6;
    /// let goals = [Goal::pin(LinkIndex(3), middle, DQuat::IDENTITY), Goal::position(LinkIndex(6), DVec3::new(0.6, 2.0, 0.0))];
    /// let options = Options::default().with_method(Method::Dls);
    /// let mut solver = Solver::default();
    /// let report = solver.solve(&mut chain, &goals, &options)?;
    /// assert!(report.goals[0].position_error.is_some_and(|metres| metres < 1e-3));
    /// assert!(report.goals[1].position_error.is_some_and(|metres| metres > 1.3));
    /// # Ok::<(), sinew_ik::SolveError>(())
    /// ```
    pub fn pin(link: LinkIndex, position: DVec3, orientation: DQuat) -> Self {
        Self { pinned: true, ..Self::pose(link, position, orientation) }
    }

    /// Returns the target position if no axis of the position is free.
    pub(super) fn whole_position(&self) -> Option<DVec3> {
        self.position.filter(|_| self.axes.position.effective_weights().min_element() > 0.0)
    }

    /// Returns whether the goal depends on the rotation of the link itself and not only on the links above it.
    pub(super) fn turns_own(&self) -> bool {
        self.orientation.is_some() || self.aim.is_some() || self.offset != DVec3::ZERO
    }

    /// Checks that the link exists and that all values are valid.
    pub(super) fn check(&self, index: usize, body: &Body) -> Result<(), SolveError> {
        let count = body.links().len();
        if self.link.0 >= count {
            return Err(SolveError::NoSuchLink { goal: index, link: self.link, count });
        }
        if self.is_plain_and_valid() { Ok(()) } else { self.check_values(index) }
    }

    /// Returns whether the goal has only a position, all axes count equally, and all values are valid. A solve with such a goal
    /// takes as little as 0.3 µs, and the complete check would take a tenth of that time.
    #[inline]
    fn is_plain_and_valid(&self) -> bool {
        let is_finite = |point: &Option<DVec3>| point.is_none_or(DVec3::is_finite);
        let is_plain = self.orientation.is_none() && self.aim.is_none() && self.axes == GoalAxes::default();
        let has_weight = (0.0..=f64::MAX).contains(&self.weight);
        is_plain
            && has_weight
            && is_finite(&self.position)
            && is_finite(&self.pole)
            && self.offset.is_finite()
    }

    fn check_values(&self, index: usize) -> Result<(), SolveError> {
        let invalid = |what, value: String| Err(SolveError::Goal { goal: index, what, value });
        let points = [("position", self.position), ("pole", self.pole), ("offset", Some(self.offset))];
        for (what, point) in points.into_iter().filter_map(|(what, p)| p.map(|p| (what, p))) {
            if !point.is_finite() {
                return invalid(what, point.to_string());
            }
        }
        if let Some(q) = self.orientation.filter(|q| !(q.is_finite() && q.length() > 0.0)) {
            return invalid("orientation", q.to_string());
        }
        if let Some(aim) = self.aim {
            if !aim.at.is_finite() {
                return invalid("aim", aim.at.to_string());
            }
            if !(aim.axis.is_finite() && aim.axis.length() > 0.0) {
                return invalid("aim axis", aim.axis.to_string());
            }
        }
        if !(self.weight.is_finite() && self.weight >= 0.0) {
            return invalid("weight", self.weight.to_string());
        }
        if let Err((what, value)) = self.axes.validate() {
            return invalid(what, value);
        }
        for (what, term) in
            [("position weights", self.axes.position), ("orientation weights", self.axes.orientation)]
        {
            let largest = self.weight * term.weights.max_element();
            if !largest.is_finite() {
                return invalid(what, term.weights.to_string());
            }
        }
        if self.axes.frame == AxesFrame::Target && self.orientation.is_none() {
            return invalid("frame of the axes", "that of the target".to_owned());
        }
        Ok(())
    }
}

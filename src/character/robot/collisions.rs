//! Collisions of a robot with itself and with obstacles.

use std::sync::Arc;

use glam::DVec3;

use crate::asset::Character;
use crate::ik::{
    Body, BodyCapsule, Clearance, CollisionBody, CollisionError, CollisionModel, JacobianColumn, LinkIndex,
    Obstacle,
};

use super::{Robot, RobotError, find_link};

/// The shapes of a robot and of its surroundings, and the pairs of links that may touch.
///
/// Links have capsules. Obstacles are spheres, capsules, boxes and convex hulls in the robot's own frame, with names. Links may touch if nothing moves one
/// relative to the other, if they are next to each other, if their capsules overlap in the rest pose ([`Robot::rest`]), or if a SRDF file
/// disables their collisions. Obstacles may touch the links that never move, such as the base.
#[derive(Clone, Debug, PartialEq)]
pub struct Collisions {
    model: CollisionModel,
    links: Vec<String>,
    obstacles: Vec<String>,
}

/// The smallest distance of a pose.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RobotClearance {
    /// The distance between the surfaces in metres. A negative value is the depth of the penetration.
    pub distance: f64,
    /// The names of a link, and of the link or obstacle that is nearest to it.
    pub pair: [String; 2],
    /// The nearest points of the two surfaces, in metres in the robot's own frame.
    pub points: [DVec3; 2],
    /// Unit vector in the robot's own frame from the second surface to the first.
    pub normal: DVec3,
}

impl Collisions {
    /// Fits capsules to the meshes of the links. All triangles of a link are inside its capsules, of which there are at most four.
    ///
    /// # Errors
    /// [`RobotError::Shape`] if a shape is not finite, or if the character is another robot.
    pub fn from_character(robot: &Robot, character: &Character) -> Result<Self, RobotError> {
        Self::from_capsules(robot, super::link_capsules::fit(character, &robot.nodes))
    }

    /// Uses the given capsules: links by their index in [`Robot::links`], and ends in metres in the frame of the link.
    ///
    /// # Errors
    /// [`RobotError::Shape`] if a link does not exist, or if a capsule is not finite or has no positive radius.
    pub fn from_capsules(robot: &Robot, capsules: Vec<BodyCapsule>) -> Result<Self, RobotError> {
        let links = robot.links().to_vec();
        let rest = robot.body(&robot.rest())?;
        let model = CollisionModel::new(&rest, capsules).map_err(|error| shape_error(&error, &links, ""))?;
        let mut own = Self { model, links, obstacles: Vec::new() };
        own.model.allow_overlaps(&rest);
        Ok(own)
    }

    /// Also lets the pairs of links touch that the text of a SRDF file lists as `<disable_collisions link1="A" link2="B"/>`.
    ///
    /// # Errors
    /// [`RobotError::Srdf`] with the line if the text is invalid, and [`RobotError::Link`] if a link does not exist.
    #[cfg(feature = "urdf")]
    pub fn with_srdf(mut self, text: &str) -> Result<Self, RobotError> {
        for [first, second] in crate::asset::disabled_collisions(text).map_err(RobotError::Srdf)? {
            self = self.with_allowed(&first, &second)?;
        }
        Ok(self)
    }

    /// Lets two links touch.
    ///
    /// # Errors
    /// [`RobotError::Link`] if a link does not exist.
    pub fn with_allowed(mut self, first: &str, second: &str) -> Result<Self, RobotError> {
        let [first, second] = [find_link(&self.links, first)?, find_link(&self.links, second)?];
        self.model.allow(CollisionBody::Link(first), CollisionBody::Link(second));
        Ok(self)
    }

    /// Adds an obstacle in the robot's own frame.
    ///
    /// # Errors
    /// [`RobotError::Obstacle`] if the name exists already, and [`RobotError::Shape`] if the obstacle has no positive size or is not finite.
    pub fn with_obstacle(mut self, name: &str, obstacle: Obstacle) -> Result<Self, RobotError> {
        if self.obstacles.iter().any(|other| other == name) {
            return Err(RobotError::Obstacle { name: name.into() });
        }
        self.model.add_obstacle(obstacle).map_err(|error| shape_error(&error, &self.links, name))?;
        self.obstacles.push(name.into());
        Ok(self)
    }

    /// Sets the distance in metres that all pairs must keep. The default is 0.
    ///
    /// # Errors
    /// [`RobotError::Shape`] if the margin is negative or not finite.
    pub fn with_margin(mut self, margin: f64) -> Result<Self, RobotError> {
        self.model.set_margin(margin).map_err(|error| shape_error(&error, &self.links, ""))?;
        Ok(self)
    }

    /// Returns the distance in metres that all pairs must keep.
    pub fn margin(&self) -> f64 {
        self.model.margin()
    }

    /// Returns the capsules of the links.
    pub fn capsules(&self) -> &[BodyCapsule] {
        self.model.capsules()
    }

    /// Returns the names of the pairs that must not touch.
    pub fn pairs(&self) -> Vec<[&str; 2]> {
        self.model.pairs().into_iter().map(|pair| pair.map(|body| self.name(body))).collect()
    }

    pub(super) fn model(&self) -> &CollisionModel {
        &self.model
    }

    fn name(&self, body: CollisionBody) -> &str {
        let name = match body {
            CollisionBody::Link(link) => self.links.get(link.0),
            CollisionBody::Obstacle(obstacle) => self.obstacles.get(obstacle),
        };
        name.map_or("", |name| name)
    }

    pub(super) fn describe(&self, clearance: &Clearance) -> RobotClearance {
        let Clearance { distance, pair, points, normal, .. } = *clearance;
        RobotClearance { distance, pair: pair.map(|body| self.name(body).to_owned()), points, normal }
    }
}

/// Replaces the indices in an error by names.
fn shape_error(error: &CollisionError, links: &[String], obstacle: &str) -> RobotError {
    let link = |link: LinkIndex| links.get(link.0).map_or(String::new(), |name| format!("link \"{name}\""));
    match error {
        CollisionError::Shape { body: CollisionBody::Link(own), why } => {
            RobotError::Shape { body: link(*own), why: (*why).into() }
        }
        CollisionError::Shape { why, .. } => {
            RobotError::Shape { body: format!("obstacle \"{obstacle}\""), why: (*why).into() }
        }
        other => RobotError::Shape { body: "collisions".into(), why: other.to_string() },
    }
}

impl Robot {
    /// Returns the robot with collisions that its solves avoid.
    ///
    /// The answers of [`Robot::solve`], [`Robot::solve_many`] and [`Robot::follow`] then keep all pairs apart by at least the margin. If the
    /// plain answer collides, bounded steps lead around the obstacles from `q0`, and then from other start poses (see
    /// [`Solver::solve_clear`](crate::ik::Solver::solve_clear)). An answer that still collides does not count as reached.
    ///
    /// ```
    /// # #[cfg(feature = "urdf")] {
    /// use sinew_character::ik::glam::DVec3;
    /// use sinew_character::ik::{BodyCapsule, Goal, Obstacle, Options};
    /// use sinew_character::robot::{Collisions, Robot, TrajectoryOptions};
    ///
    /// // A gantry of two slides, and a ball in its way.
    /// let slide = |name: &str, from: &str, to: &str, axis: &str| format!(
    ///     r#"<joint name="{name}" type="prismatic"><parent link="{from}"/><child link="{to}"/><axis xyz="{axis}"/>
    ///     <limit lower="-1" upper="1" effort="1" velocity="0.5"/></joint>"#);
    /// let robot = Robot::from_urdf(&format!(
    ///     r#"<robot name="gantry"><link name="base"/><link name="bridge"/><link name="tool"/>{}{}</robot>"#,
    ///     slide("x", "base", "bridge", "1 0 0"), slide("y", "bridge", "tool", "0 1 0")))?;
    /// let tool = robot.link("tool")?;
    /// let ball = BodyCapsule { link: tool, ends: [DVec3::ZERO; 2], radius: 0.05 };
    /// let collisions = Collisions::from_capsules(&robot, vec![ball])?
    ///     .with_obstacle("post", Obstacle::sphere(DVec3::new(0.5, 0.0, 0.0), 0.1))?
    ///     .with_margin(0.01)?;
    /// let robot = robot.with_collisions(collisions)?;
    /// let blocked = robot.solve(&[Goal::position(tool, DVec3::X * 0.5)], &[0.0, 0.0], &Options::default())?;
    /// assert!(!blocked.report.reached());
    /// assert!(blocked.clearance.is_some_and(|nearest| nearest.distance >= 0.01));
    ///
    /// let path = [0.0, 0.4].map(|y| vec![Goal::position(tool, DVec3::new(0.2, y, 0.0))]);
    /// let options = (Options::default(), TrajectoryOptions::default());
    /// let trajectory = robot.trajectory(&path, &[0.0, 0.0], &options.0, &options.1)?;
    /// assert!(trajectory.reached());
    /// // The tool moves 0.4 m at 0.5 m/s.
    /// assert!((trajectory.duration() - 0.8).abs() < 0.01);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`RobotError::Collisions`] if the collisions belong to a robot with other links.
    pub fn with_collisions(mut self, collisions: Collisions) -> Result<Self, RobotError> {
        if collisions.links != self.links {
            let (expected, found) = (collisions.links.len(), self.links.len());
            return Err(RobotError::Collisions { expected, robot: self.name, found });
        }
        self.collisions = Some(Arc::new(collisions));
        Ok(self)
    }

    /// Returns the collisions that solves avoid.
    pub fn collisions(&self) -> Option<&Collisions> {
        self.collisions.as_deref()
    }

    /// Returns the pair with the smallest distance for joint values, or `None` if the robot has no collisions to avoid.
    ///
    /// # Errors
    /// Those of [`Robot::check`].
    pub fn clearance(&self, q: &[f64]) -> Result<Option<RobotClearance>, RobotError> {
        let body = self.body(q)?;
        Ok(self.collisions().and_then(|own| Some(own.describe(&own.model.clearance(&body)?))))
    }

    /// Returns the derivative of the smallest distance with respect to `q`: metres per radian or per metre. It is empty if the robot has no
    /// collisions to avoid. The distance has a kink where another pair becomes the nearest.
    ///
    /// # Errors
    /// Those of [`Robot::check`].
    pub fn clearance_gradient(&self, q: &[f64]) -> Result<Vec<f64>, RobotError> {
        let body = self.body(q)?;
        let Some(own) = self.collisions() else { return Ok(Vec::new()) };
        let Some(least) = own.model.clearance(&body) else { return Ok(Vec::new()) };
        let slope = own.model.gradient(&body, &least);
        let columns = body
            .jacobian(LinkIndex(0), DVec3::ZERO)
            .map_or(Vec::new(), |jacobian| jacobian.columns().to_vec());
        let entry = |link: LinkIndex| {
            let place = columns.iter().position(|column: &JacobianColumn| column.link == link);
            place.and_then(|place| slope.get(place)).copied().unwrap_or(0.0)
        };
        Ok(self.joints.iter().map(|joint| entry(joint.link)).collect())
    }

    /// Returns the smallest distance on the way between two poses, whose joints move at constant rates.
    pub(super) fn clearance_between(&self, from: &Body, to: &Body) -> Option<RobotClearance> {
        let own = self.collisions()?;
        Some(own.describe(&own.model.clearance_between(from, to)?))
    }
}

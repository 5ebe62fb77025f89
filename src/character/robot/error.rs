//! Errors of robots.

use crate::api::Missing;
use crate::ik::{LinkIndex, SolveError};

/// The reason why a result cannot be computed for a robot. The message names the joint or the link.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RobotError {
    /// The character is not a robot.
    #[error("the character has no joints with values; robots are read from .urdf files")]
    NoRobot,
    /// The text is not a valid robot. The message names the element.
    #[error("{0}")]
    Load(String),
    /// A ball joint has no single value.
    #[error("joint \"{joint}\": a ball joint has no single value")]
    Ball {
        /// Name of the joint.
        joint: String,
    },
    /// A joint cannot follow another one.
    #[error("joint \"{joint}\" cannot mimic joint \"{leader}\": {why}")]
    Mimic {
        /// Name of the joint.
        joint: String,
        /// Name of its leader.
        leader: String,
        /// The requirement that is not met.
        why: &'static str,
    },
    /// A link does not exist.
    #[error(transparent)]
    Link(#[from] Missing),
    /// A joint does not exist or has no value.
    #[error("joint {} has no value in q; {}", .0.what, .0.existing)]
    Joint(Missing),
    /// `q` has the wrong number of values.
    #[error("q must have {expected} values ({joints}), but has {found}")]
    Count {
        /// Number of joints with a value.
        expected: usize,
        /// Their names.
        joints: String,
        /// Number of values.
        found: usize,
    },
    /// A value is not finite.
    #[error("q: the value of joint \"{joint}\" is not finite")]
    NotFinite {
        /// Name of the joint.
        joint: String,
    },
    /// A shape of a link or an obstacle is invalid.
    #[error("{body}: {why}")]
    Shape {
        /// The link or the obstacle with its name.
        body: String,
        /// The requirement that is not met.
        why: String,
    },
    /// Two obstacles have the same name.
    #[error("obstacle \"{name}\" already exists")]
    Obstacle {
        /// The name.
        name: String,
    },
    /// A text is not a valid SRDF file. The message has the line.
    #[error("SRDF: {0}")]
    Srdf(String),
    /// The collision model belongs to another robot.
    #[error("the collision model is for a robot of {expected} links, but \"{robot}\" has {found}")]
    Collisions {
        /// Number of links of the robot for which the model was created.
        expected: usize,
        /// Name of the robot.
        robot: String,
        /// Number of its links.
        found: usize,
    },
    /// A value of the options of a trajectory is invalid.
    #[error("{what} must be {wanted}, but is {value}")]
    Trajectory {
        /// Name of the option.
        what: &'static str,
        /// The requirement that is not met.
        wanted: &'static str,
        /// The invalid value.
        value: f64,
    },
    /// A joint would jump from one row of a trajectory to the next.
    #[error(
        "joint \"{joint}\" would jump by {change:.3} {unit}; at most {largest} {unit} is allowed between two rows"
    )]
    Jump {
        /// Name of the joint.
        joint: String,
        /// The change in radians or metres.
        change: f64,
        /// Symbol of the unit.
        unit: &'static str,
        /// The largest change that the options allow.
        largest: f64,
    },
    /// The solver rejected the problem.
    #[error(transparent)]
    Solve(#[from] SolveError),
}

impl RobotError {
    /// Converts an error of a body to an error with the names of its joints.
    pub(super) fn of(error: SolveError, name: &dyn Fn(LinkIndex) -> String) -> Self {
        match error {
            SolveError::Mimic { link, leader, why } => {
                Self::Mimic { joint: name(link), leader: name(leader), why }
            }
            error => Self::Solve(error),
        }
    }
}

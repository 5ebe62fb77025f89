//! Inverse kinematics: finds the joint rotations that bring effectors to their targets. The crate is pure
//! mathematics in double precision. It does not depend on files, meshes or windows.
//!
//! A [`Body`] is a posed tree of links. A [`Goal`] is a target for one link. A [`Solver`] turns the links with one of several [`Method`]s
//! until the goals are met, and returns a [`Report`]:
//!
//! ```
//! use sinew_ik::{Body, Goal, Link, LinkIndex, Options, Solver};
//! use sinew_ik::glam::{DAffine3, DVec3};
//!
//! // Two bones of one metre each. The base is at the origin, and link 2 is the effector.
//! let links = vec![Link::base(), Link::child(LinkIndex(0), DVec3::Y), Link::child(LinkIndex(1), DVec3::Y)];
//! let mut arm = Body::new(links, DAffine3::IDENTITY)?;
//! let goal = Goal::position(LinkIndex(2), DVec3::new(1.0, 1.0, 0.0));
//! let mut solver = Solver::default();
//! let report = solver.solve(&mut arm, &[goal], &Options::default())?;
//! assert!(report.reached());
//! # Ok::<(), sinew_ik::SolveError>(())
//! ```

mod batch;
#[doc(hidden)]
pub mod benchmark;
mod body;
mod chain;
mod collision;
mod custom;
mod custom_solve;
mod damping;
mod driver;
mod equilibrium;
mod error;
mod euler_order;
mod figure;
mod followers;
mod goal;
mod goal_axes;
mod index;
mod lanes;
mod last_solve;
mod limit;
mod linear;
mod link;
mod methods;
mod mimic;
mod options;
mod outcome;
mod posture;
mod qp;
mod report;
mod rotation;
mod rotation_error;
mod solver;
mod trace;
mod tree;
#[cfg(test)]
mod twins;

pub use batch::solve_many;
pub use body::{Body, Jacobian, JacobianColumn};
pub use collision::{Clearance, CollisionBody, CollisionError, CollisionModel, Obstacle};
pub use custom::{CustomMethod, RegisterError, register_method};
pub use error::SolveError;
pub use figure::{BodyCapsule, FigureParts, LimbParts, Sole};
pub use goal::{Aim, Goal};
pub use goal_axes::{AxesFrame, AxisTerm, GoalAxes, Tolerance};
pub use index::LinkIndex;
pub use limit::{Limit, round_cone, swing_twist};
pub use link::{Link, Mimic};
pub use methods::example::{DEFAULT_NEAREST, Examples};
pub use methods::limb::{Limb, LimbGoal, solve_limb, solve_limbs};
pub use methods::style::{BoundPrior, Learned, Learning, PosePrior, Style, StyleError};
pub use options::{
    Balance, CcdOptions, Correction, DEFAULT_ITERATIONS, Domain, FabrikOptions, FullBodyOptions,
    FusedOptions, JacobianOptions, JointParameters, LimbOptions, Method, OptimizeOptions, OptionError,
    OptionKind, OptionOverrides, OptionValue, Options, ParticleOptions, Secondary, SolverOption, Start,
    Swivel, Unit,
};
pub use posture::Posture;
pub use report::{GoalOutcome, Hold, Holds, Outcome, Report};
pub use rotation::{best_fit, inverse_fit, shortest_arc};
pub use solver::Solver;
pub use trace::{Step, StepKind};

/// The mathematics library whose vectors, quaternions and matrices the API uses.
pub use glam;
pub use sinew_base::api::{Missing, ParseError};

/// Items for the other crates of sinew. They may change in any version.
#[doc(hidden)]
pub mod shared {
    pub use crate::damping::{ERROR_SHARE, HINGE_FREEDOM};
    pub use crate::equilibrium::person;
    pub use crate::euler_order::{euler_axes, euler_order, euler_order_name};
    pub use crate::figure::SOFT_PART;
    pub use crate::limit::{append_bits, random_angle, random_rotation};
    pub use crate::mimic::{can_follow, narrow};
}

/// Compiles and runs the README's example as a doctest.
#[cfg(doctest)]
#[doc = include_str!("README.md")]
struct Readme;

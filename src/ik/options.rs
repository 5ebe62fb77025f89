//! How a solve is made.

use std::fmt;
use std::str::FromStr;

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Passes, unless asked otherwise.
pub const DEFAULT_ITERATIONS: usize = 100;
/// Tolerance, unless asked otherwise, as a share of the longest chain's length.
pub(super) const DEFAULT_TOLERANCE: f64 = 1e-4;
/// Tolerance of orientations and aims, unless asked otherwise, radians.
pub(super) const DEFAULT_ANGLE_TOLERANCE: f64 = 1e-3;

/// How goals are met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Two-bone for a limb, full-body for several goals, damped least squares otherwise.
    #[default]
    Auto,
    /// Cyclic coordinate descent.
    Ccd,
    /// Particles on springs, rotations fitted to them.
    Particle,
    /// Forward and backward reaching.
    Fabrik,
    /// The Jacobian's transpose, with the optimal step.
    JacobianTranspose,
    /// The Jacobian's pseudo-inverse.
    PseudoInverse,
    /// Damped least squares.
    Dls,
    /// Selectively damped least squares.
    Sdls,
    /// The closed form of limbs.
    TwoBone,
    /// Closed form on two halves, then damped least squares.
    Fused,
    /// Nonlinear least squares with a trust region.
    Optimize,
    /// Pins first, then goals, with root motion.
    FullBody,
    /// The likeliest posture of a [`Style`](super::Style), or a blend of [`Examples`](super::Examples), then full-body. It
    /// needs either: [`Solver::set_style`](super::Solver::set_style).
    Style,
}

impl Method {
    /// All that need nothing but a body: [`Method::Auto`], which is one of them, and [`Method::Style`] left out.
    pub const ALL: [Self; 11] = [
        Self::Ccd,
        Self::Particle,
        Self::Fabrik,
        Self::JacobianTranspose,
        Self::PseudoInverse,
        Self::Dls,
        Self::Sdls,
        Self::TwoBone,
        Self::Fused,
        Self::Optimize,
        Self::FullBody,
    ];

    /// The name that people write.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Ccd => "ccd",
            Self::Particle => "particle",
            Self::Fabrik => "fabrik",
            Self::JacobianTranspose => "jacobian-transpose",
            Self::PseudoInverse => "pseudo-inverse",
            Self::Dls => "dls",
            Self::Sdls => "sdls",
            Self::TwoBone => "two-bone",
            Self::Fused => "fused",
            Self::Optimize => "optimize",
            Self::FullBody => "full-body",
            Self::Style => "style",
        }
    }

    /// All that there are, in the order in which they are told.
    pub fn all() -> impl Iterator<Item = Self> {
        std::iter::once(Self::Auto).chain(Self::ALL).chain([Self::Style])
    }

    /// Whether it poses a whole figure at once, and may move its base.
    pub fn is_whole_body(self) -> bool {
        matches!(self, Self::FullBody | Self::Style)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Method {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = || Self::all().map(Self::name).collect::<Vec<_>>().join(", ");
        Self::all()
            .find(|m| m.name() == name)
            .ok_or_else(|| format!("no method is called {name}; there are {}", known()))
    }
}

/// The pose that a solve starts from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// The body's rotations as they are.
    #[default]
    Current,
    /// The rest rotations: the answer depends on the goals alone.
    Rest,
}

/// How a solve is made.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// By which method.
    pub method: Method,
    /// Passes at most.
    pub iterations: usize,
    /// World metres within which a goal's position counts as reached; `None`: a ten-thousandth of the longest chain.
    pub tolerance: Option<f64>,
    /// Radians within which an orientation or an aim counts as reached.
    pub angle_tolerance: f64,
    /// From where.
    pub start: Start,
    /// Whether limits are kept.
    pub limits: bool,
    /// How many other starts, always the same ones, may rescue a solve that stalls. None are tried where a solve goes
    /// on from its last answer: a drag must not jump.
    pub restarts: usize,
    /// Whether the report tells the error of each pass. Neither the way nor the answer depends on it.
    pub record: bool,
    /// Of [`Method::Ccd`].
    pub ccd: CcdOptions,
    /// Of [`Method::Particle`].
    pub stiffness: f64,
    /// Of the Jacobian methods.
    pub jacobian: JacobianOptions,
    /// Of limbs.
    pub limb: LimbOptions,
    /// Of [`Method::Optimize`].
    pub optimize: OptimizeOptions,
    /// Whether [`Method::FullBody`] and [`Method::Style`] move the base.
    pub root_motion: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            method: Method::default(),
            iterations: DEFAULT_ITERATIONS,
            tolerance: None,
            angle_tolerance: DEFAULT_ANGLE_TOLERANCE,
            start: Start::default(),
            limits: true,
            restarts: 8,
            record: false,
            ccd: CcdOptions::default(),
            stiffness: 1.0,
            jacobian: JacobianOptions::default(),
            limb: LimbOptions::default(),
            optimize: OptimizeOptions::default(),
            root_motion: false,
        }
    }
}

/// The order in which cyclic coordinate descent turns joints, and how far.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CcdOptions {
    /// From the base to the tip instead of from the tip to the base.
    pub base_first: bool,
    /// Radians that a joint may turn in one step.
    #[serde(with = "cap")]
    pub step: f64,
    /// Radians that a joint may turn in a whole solve.
    #[serde(with = "cap")]
    pub budget: f64,
    /// Whether a step's cap grows along the chain, one share more for each joint from the tip: as in MMD.
    pub growing: bool,
}

impl Default for CcdOptions {
    fn default() -> Self {
        Self { base_first: false, step: f64::INFINITY, budget: f64::INFINITY, growing: false }
    }
}

/// A cap that may be infinite, which text formats cannot say: then it is none.
mod cap {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
    pub(super) fn serialize<S: Serializer>(cap: &f64, to: S) -> Result<S::Ok, S::Error> {
        cap.is_finite().then_some(*cap).serialize(to)
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<f64, D::Error> {
        Ok(Option::deserialize(from)?.unwrap_or(f64::INFINITY))
    }
}

impl CcdOptions {
    /// As the dance program MMD does it: an angle cap a step, growing from the tip. Start from rest with it.
    pub fn mmd(step: f64) -> Self {
        Self { step, growing: true, ..Self::default() }
    }
}

/// What the joints' angles are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JointParameters {
    /// Rotation vectors on quaternions.
    #[default]
    RotationVector,
    /// Euler angles about x, then the turned y, then the twice turned z.
    Euler,
}

/// What is done with the freedom that the goals leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Secondary {
    /// Nothing.
    #[default]
    None,
    /// Towards the rest pose.
    Rest,
    /// Towards the posture that the body was given ([`Body::set_posture`](super::Body::set_posture)), else rest.
    Posture,
    /// Towards the middle of the limits.
    LimitCentres,
    /// Towards the pose that the solve started from.
    Start,
}

/// How the Jacobian methods step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JacobianOptions {
    /// What the unknowns are.
    pub parameters: JointParameters,
    /// The task of the null space.
    pub secondary: Secondary,
    /// Share of the secondary task done in a pass.
    pub secondary_gain: f64,
    /// λ of damped least squares as a share of the chain's length; `None`: it falls with the error.
    pub damping: Option<f64>,
    /// A pass aims no farther than this share of the chain's length.
    pub clamp: f64,
}

impl Default for JacobianOptions {
    fn default() -> Self {
        Self {
            parameters: JointParameters::default(),
            secondary: Secondary::default(),
            secondary_gain: 0.2,
            damping: None,
            clamp: 1.0,
        }
    }
}

/// Which of the poses of a limb is taken: they differ by the turn about the line from its base to its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Swivel {
    /// The present one, unless the goal has a pole.
    #[default]
    Keep,
    /// That of rest.
    Standard,
    /// So many radians beyond that of rest.
    Angle(f64),
    /// Radians beyond that of rest that follow the target: `at_base + slope · (target − base) / length`, base space.
    Follow {
        /// With the target at the base.
        at_base: f64,
        /// Radians a limb's length.
        slope: DVec3,
    },
}

/// How limbs are solved in closed form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LimbOptions {
    /// Where the middle joint goes.
    pub swivel: Swivel,
    /// Share of the limb's length over which it comes to full stretch softly; 0: at once.
    pub soften: f64,
}

/// What is made small beside the goals' errors: the answer is then a compromise, not the first pose that meets the
/// goals. A weight of one makes a radian of one joint count as much as the
/// chain's length of error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OptimizeOptions {
    /// Distance of each joint from rest.
    pub rest: f64,
    /// Distance of each joint from where the solve started.
    pub stay: f64,
    /// The middle of the mass above a place.
    pub balance: Option<Balance>,
}

/// The middle of the mass of what turns, above or below a place. Every stretch between two joints weighs as much as it
/// is long.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Balance {
    /// World position, metres; its height does not matter.
    pub support: DVec3,
    /// How much a metre beside it counts against a metre of a goal of weight one, squared.
    pub weight: f64,
}

//! Options of a solve.

use std::fmt;
use std::str::FromStr;

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Default for the maximum number of iterations.
pub const DEFAULT_ITERATIONS: usize = 100;
/// Default tolerance of positions, as a fraction of the longest chain's length.
pub(super) const DEFAULT_TOLERANCE: f64 = 1e-4;
/// Default tolerance of orientations and aims, radians.
pub(super) const DEFAULT_ANGLE_TOLERANCE: f64 = 1e-3;

/// A method that finds the rotations for the goals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Two-bone for a limb, full-body for several goals or pins, damped least squares otherwise.
    #[default]
    Auto,
    /// Cyclic coordinate descent.
    Ccd,
    /// Particles on springs, to which the rotations are fitted.
    Particle,
    /// Forward and backward reaching.
    Fabrik,
    /// Jacobian transpose with the optimal step size.
    JacobianTranspose,
    /// Jacobian pseudo-inverse.
    PseudoInverse,
    /// Damped least squares.
    Dls,
    /// Selectively damped least squares.
    Sdls,
    /// Closed form for limbs.
    TwoBone,
    /// Closed form on the two halves of a chain, then damped least squares.
    Fused,
    /// Nonlinear least squares with a trust region.
    Optimize,
    /// Damped least squares on the whole body: pins first, then the other goals, with root motion.
    FullBody,
    /// The likeliest posture of a [`Style`](super::Style), or a blend of [`Examples`](super::Examples), followed by
    /// the full-body method. Needs a pose prior from [`Solver::set_style`](super::Solver::set_style).
    Style,
}

impl Method {
    /// All methods that need only a body. This excludes [`Method::Auto`], which selects one of them, and
    /// [`Method::Style`].
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

    /// Returns the name of the method in files and on the command line.
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

    /// Returns all methods in the order in which they are listed.
    pub fn all() -> impl Iterator<Item = Self> {
        std::iter::once(Self::Auto).chain(Self::ALL).chain([Self::Style])
    }

    /// Returns whether the method poses a whole figure at once and may move its base.
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
            .ok_or_else(|| format!("unknown method \"{name}\", expected one of {}", known()))
    }
}

/// The pose that a solve starts from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// The current rotations of the body.
    #[default]
    Current,
    /// The rest rotations. The result then depends only on the goals.
    Rest,
}

/// Options of a solve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// The method.
    pub method: Method,
    /// Maximum number of iterations.
    pub iterations: usize,
    /// Tolerance of positions in world metres. `None` means a ten-thousandth of the longest chain's length.
    pub tolerance: Option<f64>,
    /// Tolerance of orientations and aims in radians.
    pub angle_tolerance: f64,
    /// The pose that the solve starts from.
    pub start: Start,
    /// Whether joint limits apply.
    pub limits: bool,
    /// Maximum number of restarts from other poses for a solve that stalls. The poses are always the same. A solve
    /// that continues from its last result never restarts, because a drag must not jump.
    pub restarts: usize,
    /// Whether the report contains the error of each iteration. Recording does not change the result.
    pub record: bool,
    /// Options of [`Method::Ccd`].
    pub ccd: CcdOptions,
    /// Fraction of a spring's error that [`Method::Particle`] corrects in one step.
    pub stiffness: f64,
    /// Options of the Jacobian methods.
    pub jacobian: JacobianOptions,
    /// Options of the closed form for limbs.
    pub limb: LimbOptions,
    /// Options of [`Method::Optimize`].
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

/// Options of cyclic coordinate descent: the order of the joints, and the maximum rotations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CcdOptions {
    /// Whether joints turn in order from the base to the tip instead of from the tip to the base.
    pub base_first: bool,
    /// Maximum rotation of a joint in one step, radians.
    #[serde(with = "cap")]
    pub step: f64,
    /// Maximum rotation of a joint in a whole solve, radians.
    #[serde(with = "cap")]
    pub budget: f64,
    /// Whether the maximum step is multiplied by the number of the joint, counted from the tip, as in MMD.
    pub growing: bool,
}

impl Default for CcdOptions {
    fn default() -> Self {
        Self { base_first: false, step: f64::INFINITY, budget: f64::INFINITY, growing: false }
    }
}

/// Serialises a maximum that may be infinite. Text formats cannot represent infinity, so it is written as a missing
/// value.
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
    /// Returns options that imitate the IK of MikuMikuDance (MMD), in which the maximum step grows from the tip. Use
    /// them with [`Start::Rest`].
    pub fn mmd(step: f64) -> Self {
        Self { step, growing: true, ..Self::default() }
    }
}

/// The parameters that describe a joint's rotation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JointParameters {
    /// Rotation vectors, applied to quaternions.
    #[default]
    RotationVector,
    /// Euler angles about x, then the turned y, then the twice turned z.
    Euler,
}

/// The secondary task, which uses the freedom that the goals leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Secondary {
    /// No secondary task.
    #[default]
    None,
    /// Pull towards the rest pose.
    Rest,
    /// Pull towards the posture from [`Body::set_posture`](super::Body::set_posture), or towards rest without
    /// such a posture.
    Posture,
    /// Pull towards the middle of the limits.
    LimitCentres,
    /// Pull towards the pose in which the solve started.
    Start,
}

/// Options of the Jacobian methods.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JacobianOptions {
    /// Parameters of the joint rotations.
    pub parameters: JointParameters,
    /// Secondary task in the null space.
    pub secondary: Secondary,
    /// Fraction of the secondary task that one iteration applies.
    pub secondary_gain: f64,
    /// λ of damped least squares as a fraction of the chain's length. With `None`, λ falls with the error.
    pub damping: Option<f64>,
    /// Maximum error that one iteration tries to correct, as a fraction of the chain's length.
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

/// The swivel of a limb, its rotation about the line from its first joint to its end. A target position does not
/// determine it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Swivel {
    /// The current swivel, unless the goal has a pole.
    #[default]
    Keep,
    /// The swivel of the rest pose.
    Standard,
    /// An angle relative to the swivel of the rest pose, radians.
    Angle(f64),
    /// An angle relative to the swivel of the rest pose that depends on the target: `at_base + slope · (target −
    /// base) / length`, in radians, with the vectors in base space.
    Follow {
        /// Angle for a target at the base, radians.
        at_base: f64,
        /// Gradient of the angle with respect to the target's position, radians per limb length.
        slope: DVec3,
    },
}

/// Options of the closed form for limbs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LimbOptions {
    /// Swivel of the limb.
    pub swivel: Swivel,
    /// Softening near full stretch: the limb slows down over this last fraction of its length. 0 means no softening.
    pub soften: f64,
}

/// Terms that [`Method::Optimize`] minimises together with the errors of the goals. The result is then a compromise
/// and not the first pose that meets the goals. With a weight of one, turning one joint by one radian counts as much
/// as an error of the chain's length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OptimizeOptions {
    /// Weight of the distance of each joint from rest.
    pub rest: f64,
    /// Weight of the distance of each joint from the start pose.
    pub stay: f64,
    /// Balance of the centre of mass over a support.
    pub balance: Option<Balance>,
}

/// A balance task: it keeps the centre of mass of the moving segments vertically above or below a support. Each
/// segment between two joints has a mass proportional to its length.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Balance {
    /// World position of the support, metres. Its height is ignored.
    pub support: DVec3,
    /// Weight of the squared horizontal distance, relative to the squared error of a goal of weight one.
    pub weight: f64,
}

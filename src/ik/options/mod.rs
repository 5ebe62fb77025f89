//! Options of a solve.

use sinew_base::api::with_methods;

mod ccd;
mod fabrik;
mod full_body;
mod fused;
mod jacobian;
mod limb;
mod method;
mod optimize;
mod particle;
mod registry;

pub use ccd::CcdOptions;
pub use fabrik::FabrikOptions;
pub use full_body::FullBodyOptions;
pub use fused::{Correction, FusedOptions};
pub use jacobian::{JacobianOptions, JointParameters, Secondary};
pub use limb::{LimbOptions, Swivel};
pub use method::Method;
pub use optimize::{Balance, OptimizeOptions};
pub use particle::ParticleOptions;
pub use registry::{Domain, OptionError, OptionKind, OptionOverrides, OptionValue, SolverOption, Unit};

/// Default for the maximum number of iterations.
pub const DEFAULT_ITERATIONS: usize = 100;
/// Default tolerance of positions, as a fraction of the longest chain's length.
pub(crate) const DEFAULT_TOLERANCE: f64 = 1e-4;
/// Default tolerance of orientations and aims, in radians.
pub(crate) const DEFAULT_ANGLE_TOLERANCE: f64 = 1e-3;
/// Default of [`Options::characteristic_length`]. The value was chosen, not derived.
pub(crate) const DEFAULT_CHARACTERISTIC_LENGTH: f64 = 0.3;

/// The pose that a solve starts from, and whether the solve may jump to another pose.
///
/// With [`Current`](Self::Current) and [`Rest`](Self::Rest), the solver keeps no state: the same problem gives the same result, to the last
/// bit, whatever the solver did before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Start {
    /// The current rotations of the body.
    #[default]
    Current,
    /// The rest rotations. The result then depends only on the goals.
    Rest,
    /// The current rotations of the body, which count as the result of the previous frame of a drag or of a tracked motion. The solve never
    /// restarts from another pose, because the body must not jump. The last result is returned unchanged if the problem is the same,
    /// including the rest rotations and limits of the links, and the body is still in that result's pose within single-precision rounding.
    /// The body therefore does not creep while its goals stay the same.
    Continue,
}

/// Options of a solve.
///
/// ```
/// use sinew_ik::{CcdOptions, Method, Options, Start};
///
/// let options = Options::default()
///     .with_method(Method::Ccd)
///     .with_ccd(CcdOptions::mmd(0.1))
///     .with_start(Start::Rest)
///     .with_tolerance(0.002);
/// assert_eq!((options.method, options.tolerance), ("ccd".parse()?, Some(0.002)));
/// # Ok::<(), sinew_ik::ParseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct Options {
    /// The method.
    pub method: Method,
    /// Maximum number of iterations. [`Method::Dls`], [`Method::Fused`], [`Method::Optimize`] and [`Method::PseudoInverse`] may take 2000
    /// iterations if the first start fails for a target pose within reach of an arm whose joints are all hinges or prismatic joints. This
    /// exception does not apply if the maximum is less than the default.
    pub iterations: usize,
    /// Tolerance of positions in world metres. `None` means a ten-thousandth of the longest chain's length.
    pub tolerance: Option<f64>,
    /// Tolerance of orientations and aims in radians.
    pub angle_tolerance: f64,
    /// Displacement that is weighted like an orientation error of one radian, as a fraction of the length of the goal's
    /// chain. This is the characteristic length, which makes positions and orientations comparable (Tandirci, Angeles &
    /// Ranjbaran 1992, "The characteristic point and the characteristic length of robotic manipulators"). The default
    /// is 0.3.
    pub characteristic_length: f64,
    /// The pose that the solve starts from.
    pub start: Start,
    /// Whether joint limits apply. If they do not, all joints turn freely, prismatic joints keep their displacement, and mimic joints do
    /// not follow their leaders.
    pub limits: bool,
    /// Maximum number of restarts from other poses for a solve that stalls. These poses are the same in every run. If
    /// the joints have limits and a target is out of reach, the restarts begin in the best of eight times as many
    /// poses. The arms described at [`Options::iterations`] get up to 50 times as many restarts, because many of their
    /// local minima are not solutions. A solve with [`Start::Continue`] never restarts.
    pub restarts: usize,
    /// Whether the report contains the error of each iteration. Recording does not change the result.
    pub record: bool,
    /// Whether the report contains every turn of every joint. Tracing does not change a bit of the result, but takes time and memory for
    /// each step.
    ///
    /// Cyclic coordinate descent turns one joint after another, and each turn is one step. Every other method turns all
    /// joints at once, and each of its steps is the turn of one of these joints, in order from the base. A free chain
    /// is solved in a form without joint frames. To trace it, the same algorithm runs a second time on the joint frames
    /// that the trace shows.
    pub trace: bool,
    /// Whether the method works exactly as its founding document states. The default is `false`.
    ///
    /// In this form, there is no initial bend, no restart and no second method. One iteration is one pass, the solve ends when the document
    /// says so, and the last pose is the result. The base keeps its position. `docs/solvers.md` describes the pass and the end condition of
    /// each method. The documents cover [`Method::Ccd`], [`Method::Particle`], [`Method::JacobianTranspose`], [`Method::PseudoInverse`],
    /// [`Method::Dls`], [`Method::TwoBone`] and [`Method::Fused`], with one goal that has a position. Other methods and other goals are
    /// errors. [`Method::JacobianTranspose`] needs [`JacobianOptions::step`], and [`Method::Dls`] needs [`JacobianOptions::damping`],
    /// because the documents do not specify these numbers.
    pub textbook: bool,
    /// Options of [`Method::Ccd`].
    pub ccd: CcdOptions,
    /// Options of [`Method::Particle`].
    pub particle: ParticleOptions,
    /// Options of [`Method::Fabrik`].
    pub fabrik: FabrikOptions,
    /// Options of [`Method::Fused`].
    pub fused: FusedOptions,
    /// Options of [`Method::FullBody`] for a body that is a figure.
    pub full_body: FullBodyOptions,
    /// Options of the Jacobian methods.
    pub jacobian: JacobianOptions,
    /// Options of the closed form for limbs.
    pub limb: LimbOptions,
    /// Options of [`Method::Optimize`].
    pub optimize: OptimizeOptions,
    /// Whether [`Method::FullBody`] and [`Method::Style`] move the base.
    pub root_motion: bool,
}

with_methods!(Options {
    with_method(method: Method),
    with_iterations(iterations: usize),
    with_tolerance(tolerance: impl Into<Option<f64>>),
    with_angle_tolerance(angle_tolerance: f64),
    with_characteristic_length(characteristic_length: f64),
    with_start(start: Start),
    with_limits(limits: bool),
    with_restarts(restarts: usize),
    with_record(record: bool),
    with_trace(trace: bool),
    with_textbook(textbook: bool),
    with_ccd(ccd: CcdOptions),
    with_particle(particle: ParticleOptions),
    with_fabrik(fabrik: FabrikOptions),
    with_fused(fused: FusedOptions),
    with_full_body(full_body: FullBodyOptions),
    with_jacobian(jacobian: JacobianOptions),
    with_limb(limb: LimbOptions),
    with_optimize(optimize: OptimizeOptions),
    with_root_motion(root_motion: bool),
});

impl Default for Options {
    fn default() -> Self {
        Self {
            method: Method::default(),
            iterations: DEFAULT_ITERATIONS,
            tolerance: None,
            angle_tolerance: DEFAULT_ANGLE_TOLERANCE,
            characteristic_length: DEFAULT_CHARACTERISTIC_LENGTH,
            start: Start::default(),
            limits: true,
            restarts: 8,
            record: false,
            trace: false,
            textbook: false,
            ccd: CcdOptions::default(),
            particle: ParticleOptions::default(),
            fabrik: FabrikOptions::default(),
            fused: FusedOptions::default(),
            full_body: FullBodyOptions::default(),
            jacobian: JacobianOptions::default(),
            limb: LimbOptions::default(),
            optimize: OptimizeOptions::default(),
            root_motion: false,
        }
    }
}

//! The methods, and their names.

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use sinew_base::api::{ParseError, named};

/// The name of [`Method::Custom`], once a method is registered.
static CUSTOM_NAME: OnceLock<&str> = OnceLock::new();

/// A method that finds joint rotations that meet the goals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Method {
    // Not `#[non_exhaustive]`: the compiler reports every place that a new variant affects, even in other crates.
    /// Selects full-body for a figure, two-bone for a limb, full-body for several goals or pins, and damped least
    /// squares otherwise.
    #[default]
    Auto,
    /// Cyclic coordinate descent.
    Ccd,
    /// Particles connected by springs. The rotations are fitted to the particles.
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
    /// Whole-body IK with root motion: the static equilibrium of a [figure](crate::FigureParts), or damped least
    /// squares on any other body, where pins take precedence over other goals.
    FullBody,
    /// The likeliest posture of a [`Style`](crate::Style), or a blend of [`Examples`](crate::Examples), followed by
    /// the full-body method. Needs a pose prior from [`Solver::set_style`](crate::Solver::set_style).
    Style,
    /// The method registered by [`register_method`](crate::register_method), with the name under which it was
    /// registered.
    Custom,
}

impl Method {
    /// All methods that need only a body. This excludes [`Method::Auto`], which selects one of them,
    /// [`Method::Style`] and [`Method::Custom`].
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
            Self::Custom => CUSTOM_NAME.get().copied().unwrap_or("custom"),
        }
    }

    /// Sets the name of [`Method::Custom`], unless it is already set.
    pub(crate) fn name_custom(name: &'static str) {
        CUSTOM_NAME.get_or_init(|| name);
    }

    /// Returns all methods in the order in which they are listed. [`Method::Custom`] is one of them if a method is registered.
    pub fn all() -> impl Iterator<Item = Self> {
        let custom = CUSTOM_NAME.get().map(|_| Self::Custom);
        std::iter::once(Self::Auto).chain(Self::ALL).chain([Self::Style]).chain(custom)
    }

    /// Returns the methods that need only a body: [`Method::ALL`], and [`Method::Custom`] if a method is registered.
    pub fn of_bodies() -> impl Iterator<Item = Self> {
        Self::all().filter(|method| !matches!(method, Self::Auto | Self::Style))
    }

    /// Returns whether the method can weigh the axes of a goal differently. The other methods move or turn an effector
    /// as a whole, towards the nearest point or orientation that its goal's free axes allow.
    pub(crate) fn weighs_axes(self) -> bool {
        !matches!(self, Self::Ccd | Self::Particle | Self::Fabrik | Self::TwoBone)
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
    type Err = ParseError;

    fn from_str(name: &str) -> Result<Self, ParseError> {
        named("method", name, Self::all().map(|method| (method.name(), method)))
    }
}

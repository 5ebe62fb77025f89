//! Options of nonlinear optimisation.

use glam::DVec3;

use sinew_base::api::with_methods;

/// Terms that [`Method::Optimize`](super::Method::Optimize) minimises together with the errors of the goals. The result is then a
/// compromise rather than the first pose that meets the goals. With a weight of one, turning one joint by one radian counts as much as an
/// error of the chain's length.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct OptimizeOptions {
    /// Weight of the distance of each joint from the rest pose.
    pub rest: f64,
    /// Weight of the distance of each joint from the start pose.
    pub stay: f64,
    /// Balance of the centre of mass over a support.
    pub balance: Option<Balance>,
}

with_methods!(OptimizeOptions {
    with_rest(rest: f64),
    with_stay(stay: f64),
    with_balance(balance: impl Into<Option<Balance>>),
});

/// A balance task: it keeps the centre of mass of the moving segments vertically above or below a support. Each
/// segment between two joints has a mass proportional to its length.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Balance {
    /// World position of the support, in metres. Its height is ignored.
    pub support: DVec3,
    /// Weight of the squared horizontal distance, relative to the squared error of a goal of weight one.
    pub weight: f64,
}

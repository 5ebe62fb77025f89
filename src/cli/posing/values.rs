//! The values of posing options: numbers, vectors and times.

use std::str::FromStr;

use glam::DVec3;

use crate::cli::failure::Failure;

/// An argument of the form `NODE=number,…` with `N` numbers.
#[derive(Clone, Debug)]
pub(super) struct Assignment<const N: usize> {
    pub(super) node: String,
    pub(super) values: [f64; N],
}

impl<const N: usize> FromStr for Assignment<N> {
    type Err = String;

    /// Splits at the last `=`, because a node's name may contain one.
    fn from_str(text: &str) -> Result<Self, String> {
        let (node, values) = text.rsplit_once('=').ok_or("'=' is missing after the name of the node")?;
        Ok(Self { node: node.to_owned(), values: numbers(values)? })
    }
}

pub(super) fn seconds(text: &str) -> Result<f32, String> {
    let seconds = text.parse::<f32>().ok().filter(|s| s.is_finite());
    seconds.ok_or_else(|| "must be a time in seconds".into())
}

/// Parses exactly `N` finite numbers separated by commas.
pub(in crate::cli) fn numbers<const N: usize>(text: &str) -> Result<[f64; N], String> {
    let parsed: Vec<f64> = text
        .split(',')
        .map(|n| n.trim().parse::<f64>().ok().filter(|x| x.is_finite()))
        .collect::<Option<_>>()
        .ok_or("expected finite numbers separated by commas")?;
    let count = parsed.len();
    parsed.try_into().map_err(|_| format!("expected {N} numbers, found {count}"))
}

/// Returns the vector scaled to length one, or `None` if its length is zero.
pub(in crate::cli) fn unit<const N: usize>(v: [f64; N]) -> Option<[f64; N]> {
    let largest = v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let v = v.map(|x| x / largest);
    let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    (largest > 0.0).then(|| v.map(|x| x / length))
}

/// Returns the position in an argument, or an error if a coordinate is not finite in single precision.
pub(super) fn position(option: &str, argument: &Assignment<3>) -> Result<DVec3, Failure> {
    let position = DVec3::from_array(argument.values);
    if position.as_vec3().is_finite() {
        return Ok(position);
    }
    let cause = "position is outside the range of single precision";
    Err(Failure::Usage(format!("{option} {}: {cause}", argument.node)))
}

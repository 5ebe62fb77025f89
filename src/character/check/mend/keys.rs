//! Repairs the keys of a clip without changing its motion: unit length, one hemisphere, increasing times.

use glam::Quat;

use crate::asset::{Clip, Interpolation, Values};
use crate::check::checker::{Checker, ClipReport};
use crate::check::kind::Check;

use super::change::{Difference, Repair};

/// Returns the clip with repaired keys, and the changes.
pub(super) fn repair(checker: &Checker<'_>, clip: &Clip, report: &ClipReport) -> (Clip, Vec<Repair>) {
    let mut repaired = clip.clone();
    for channel in &mut repaired.channels {
        let is_spline = channel.interpolation == Interpolation::CubicSpline;
        if let Values::Rotation(values) = &mut channel.values {
            if !is_spline {
                values.iter_mut().for_each(normalise);
            }
            unroll(values, if is_spline { 3 } else { 1 });
        }
    }
    let texts =
        [(Check::Unnormalised, "normalised the keys"), (Check::Hemisphere, "put the keys on one hemisphere")];
    let change = |(check, text): (Check, &str)| {
        let found: Vec<_> = report.findings.iter().filter(|f| f.check == check).collect();
        let nodes: Vec<usize> = found.iter().filter_map(|f| f.node).collect();
        let from = found.iter().map(|f| f.from).reduce(f32::min)?;
        let to = found.iter().map(|f| f.to).reduce(f32::max)?;
        let difference = Difference::between(checker, clip, &repaired).unwrap_or_default();
        Some(Repair { check, nodes, from, to, text: text.to_owned(), difference })
    };
    let changes = texts.into_iter().filter_map(change).collect();
    (repaired, changes)
}

fn normalise(q: &mut Quat) {
    let length = q.as_dquat().length();
    *q = if length > 0.0 && length.is_finite() { q.as_dquat().normalize().as_quat() } else { Quat::IDENTITY };
}

/// Puts each key, with its tangents, on the hemisphere of the previous key. `per_key`: number of values of a key.
fn unroll(values: &mut [Quat], per_key: usize) {
    let value_of = per_key / 2;
    let mut before: Option<Quat> = None;
    for key in values.chunks_mut(per_key) {
        let Some(value) = key.get(value_of).copied() else { continue };
        if before.is_some_and(|b| b.dot(value) < 0.0) {
            key.iter_mut().for_each(|q| *q = -*q);
        }
        before = key.get(value_of).copied();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_put_on_one_hemisphere_with_their_tangents() {
        let [a, b] = [Quat::IDENTITY, Quat::from_rotation_x(0.1)];
        let mut linear = vec![a, -b, a];
        unroll(&mut linear, 1);
        assert_eq!(linear, [a, b, a]);
        let mut spline = vec![a, a, a, b, -b, b];
        unroll(&mut spline, 3);
        assert_eq!(spline, [a, a, a, -b, b, -b]);
    }
}

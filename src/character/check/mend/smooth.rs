//! Undoes flips, and returns joints to their paths.

use glam::{DQuat, DVec3, Quat};

use crate::check::checker::ClipReport;
use crate::check::flip;
use crate::check::jerk::excursions;
use crate::check::kind::Check;
use crate::check::options::CheckOptions;
use crate::mathematics::spans::{number, runs};

use super::draft::Draft;

/// Number of filter passes that calm a trembling joint.
const PASSES: usize = 3;

/// Undoes the flips of a clip. The frames between a flip and the flip back are rotated by the inverse of the jump, so that their
/// own motion is kept. The remainder is distributed over these frames.
pub(super) fn flips(draft: &mut Draft<'_, '_>, report: &ClipReport, options: &CheckOptions) -> bool {
    let limit = options.limit(Check::Flip, draft.checker.anatomy.size);
    let nodes = nodes(report, Check::Flip);
    for &node in &nodes {
        let frames: Vec<usize> =
            flip::flips(&draft.sampled, node, limit).into_iter().map(|(f, _)| f).collect();
        let rotations = double(&draft.sampled.rotations(node));
        let mut repaired = rotations.clone();
        for pair in frames.chunks(2) {
            let (first, last) = match *pair {
                [first, last] => (first, last),
                [first] => (first, rotations.len() - 1),
                _ => continue,
            };
            undo(&mut repaired, first, last);
        }
        for (frame, rotation) in repaired.iter().enumerate() {
            draft.set_rotation(frame, node, rotation.as_quat());
        }
    }
    draft.refresh_all();
    !nodes.is_empty()
}

/// Undoes a jump between the frames `first` and `first + 1` by rotating the frames after it, up to and including `last`.
fn undo(rotations: &mut [DQuat], first: usize, last: usize) {
    let at = |i: usize| rotations.get(i).copied();
    let (Some(before), Some(after)) = (at(first), at(first + 1)) else { return };
    // The joint continues to turn as before the jump.
    let turn = first.checked_sub(1).and_then(at).map_or(DQuat::IDENTITY, |b| b.conjugate() * before);
    let jump = after * (before * turn).conjugate();
    let next = at(last + 1);
    let step = at(last + 2).zip(next).map_or(DQuat::IDENTITY, |(b, a)| a.conjugate() * b);
    let count = number(last - first).max(1.0);
    let fixed = |i: usize| at(i).map(|q| jump.conjugate() * q);
    let residual = match (next, fixed(last)) {
        (Some(next), Some(end)) => vector((next * step.conjugate()) * end.conjugate()),
        _ => DVec3::ZERO,
    };
    let repaired: Vec<Option<DQuat>> = (first + 1..=last)
        .map(|i| {
            let part = smoothstep(number(i - first) / count);
            fixed(i).map(|q| DQuat::from_scaled_axis(residual * part) * q)
        })
        .collect();
    for (slot, q) in rotations.iter_mut().skip(first + 1).zip(repaired) {
        *slot = q.unwrap_or(*slot);
    }
}

/// Replaces excursions with a smooth path, and filters joints that tremble.
pub(super) fn jerks(draft: &mut Draft<'_, '_>, report: &ClipReport, options: &CheckOptions) -> bool {
    let limit = options.limit(Check::Jerk, draft.checker.anatomy.size);
    let nodes = nodes(report, Check::Jerk);
    for &node in &nodes {
        let values = excursions(&draft.sampled, node);
        let mut rotations = double(&draft.sampled.rotations(node));
        for run in runs(values.len(), 1, |i| values[i] > 0.5 * limit) {
            let (first, last) = run.into_inner();
            if last - first >= 5 {
                filter(&mut rotations, first, last);
            } else {
                bridge(&mut rotations, first, last);
            }
        }
        for (frame, rotation) in rotations.iter().enumerate() {
            draft.set_rotation(frame, node, rotation.as_quat());
        }
    }
    draft.refresh_all();
    !nodes.is_empty()
}

/// Replaces the frames of a range with a cubic curve that matches the velocities at both ends. The curve is in the tangent space of the
/// frame before the range.
fn bridge(rotations: &mut [DQuat], first: usize, last: usize) {
    let Some(before) = first.checked_sub(1) else { return };
    let at = |i: usize| rotations.get(i).copied();
    let (Some(a), Some(b)) = (at(before), at(last + 1)) else { return };
    let whole = vector(a.conjugate() * b);
    let count = number(last + 1 - before);
    let velocity =
        |p: Option<DQuat>, q: Option<DQuat>| p.zip(q).map(|(p, q)| vector(p.conjugate() * q) * count);
    let start = velocity(before.checked_sub(1).and_then(at), Some(a)).unwrap_or(whole);
    let end = velocity(Some(b), at(last + 2)).unwrap_or(whole);
    for (i, slot) in rotations.iter_mut().enumerate().take(last + 1).skip(first) {
        let u = number(i - before) / count;
        let (u2, u3) = (u * u, u * u * u);
        let along = whole * (3.0 * u2 - 2.0 * u3) + start * (u3 - 2.0 * u2 + u) + end * (u3 - u2);
        *slot = a * DQuat::from_scaled_axis(along);
    }
}

/// Filters a range of frames with the weights 1, 4, 6, 4, 1.
fn filter(rotations: &mut [DQuat], first: usize, last: usize) {
    for _ in 0..PASSES {
        let source = rotations.to_vec();
        let at = |i: usize| source.get(i.min(source.len() - 1)).copied().unwrap_or(DQuat::IDENTITY);
        for (i, slot) in rotations.iter_mut().enumerate().take(last + 1).skip(first) {
            let centre = at(i);
            let offset = |j: usize| vector(centre.conjugate() * at(j));
            let near = offset(i.saturating_sub(1)) + offset(i + 1);
            let far = offset(i.saturating_sub(2)) + offset(i + 2);
            *slot = centre * DQuat::from_scaled_axis((near * 4.0 + far) / 16.0);
        }
    }
}

pub(super) fn nodes(report: &ClipReport, check: Check) -> Vec<usize> {
    let mut nodes: Vec<usize> = report.errors(check).filter_map(|f| f.node).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

pub(super) fn double(rotations: &[Quat]) -> Vec<DQuat> {
    rotations.iter().map(|q| q.as_dquat().normalize()).collect()
}

/// Returns the shorter rotation vector of a rotation.
pub(super) fn vector(q: DQuat) -> DVec3 {
    let q = if q.w < 0.0 { -q } else { q };
    q.normalize().to_scaled_axis()
}

/// Returns the value of a curve that rises from 0 to 1 with zero velocity at its ends.
pub(super) fn smoothstep(u: f64) -> f64 {
    let u = u.clamp(0.0, 1.0);
    u * u * (3.0 - 2.0 * u)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(count: u8) -> Vec<DQuat> {
        (0..count).map(|i| DQuat::from_rotation_x(0.05 * f64::from(i))).collect()
    }

    #[test]
    fn a_flip_is_undone() {
        let clean = turns(20);
        let mut faulty = clean.clone();
        faulty[6..12].iter_mut().for_each(|q| *q = DQuat::from_rotation_y(3.0) * *q);
        undo(&mut faulty, 5, 11);
        for (a, b) in faulty.iter().zip(&clean) {
            assert!(vector(a.conjugate() * *b).length() < 1e-6);
        }
    }

    #[test]
    fn an_excursion_is_bridged() {
        let clean = turns(20);
        let mut faulty = clean.clone();
        faulty[8] = DQuat::from_rotation_z(0.5) * faulty[8];
        bridge(&mut faulty, 8, 8);
        assert!(vector(faulty[8].conjugate() * clean[8]).length() < 1e-6);
    }
}

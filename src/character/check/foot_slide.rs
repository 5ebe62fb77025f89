//! Feet that move over the ground while they stand.
//!
//! A foot stands on the contact point that moves least. A foot that rolls from the heel to the toes or turns on its ball therefore does not
//! slide. In a clip that walks in place, a foot must move as fast as the ground below it.

use glam::Vec2;

use super::contacts::{Contacts, FootTrack};
use super::finding::{Curve, Finding, Measured, length};
use super::kind::Check;
use super::sampled::Sampled;

/// In a clip that walks in place, the speed of the ground is unknown and need not be constant, so the limit is multiplied by this factor.
const TREADMILL_FACTOR: f64 = 2.0;

pub(super) fn check(sampled: &Sampled, contacts: &Contacts, limit: f64) -> Measured {
    let limit = if contacts.treadmill.is_some() { limit * TREADMILL_FACTOR } else { limit };
    let mut measured = Measured::default();
    for foot in &contacts.feet {
        let mut values = vec![0.0; sampled.len()];
        let mut faults = Vec::new();
        for &(first, last) in &foot.contacts {
            let path = path(foot, sampled, contacts.ground(), first, last);
            for (value, p) in values.iter_mut().skip(first).zip(&path) {
                *value = f64::from(p.length());
            }
            let (farthest, from, to) = farthest_pair(&path);
            let at = (first + from.min(to), first + from.max(to));
            if farthest > limit {
                faults.push((at, farthest));
            }
        }
        for ((first, last), distance) in faults {
            let how = if contacts.treadmill.is_some() {
                "from the ground that moves below it"
            } else {
                "while it stands"
            };
            let text = format!("slides {} {how}", length(distance));
            let span = sampled.span(first, last);
            measured.findings.push(Finding::new(
                Check::FootSlide,
                Some(foot.node),
                span,
                distance,
                limit,
                text,
            ));
        }
        measured.curves.push(Curve {
            check: Check::FootSlide,
            node: Some(foot.node),
            limit: Some(limit),
            times: sampled.times.clone(),
            values,
        });
    }
    measured
}

/// Returns the path of a foot relative to the ground from frame `first` to frame `last`, in metres. It starts at zero.
pub(super) fn path(
    foot: &FootTrack,
    sampled: &Sampled,
    ground: Vec2,
    first: usize,
    last: usize,
) -> Vec<Vec2> {
    let mut at = Vec2::ZERO;
    let mut path = vec![at];
    for i in first..last {
        let seconds = sampled.span(i, i + 1);
        let step = foot.steps.get(i).copied().flatten().unwrap_or(ground * (seconds.1 - seconds.0));
        at += step - ground * (seconds.1 - seconds.0);
        path.push(at);
    }
    path
}

/// Number of directions in which the extent of a path is measured. The largest of these extents is at most 1 % shorter than the distance
/// between the path's farthest points.
const DIRECTIONS: u8 = 12;

/// Returns the distance between the two points of a path that are farthest apart, and their indices. Takes time linear in the length of the
/// path.
fn farthest_pair(path: &[Vec2]) -> (f64, usize, usize) {
    let mut farthest = (0.0, 0, 0);
    for direction in 0..DIRECTIONS {
        let along = Vec2::from_angle(std::f32::consts::PI * f32::from(direction) / f32::from(DIRECTIONS));
        let by_extent =
            |(_, a): &(usize, &Vec2), (_, b): &(usize, &Vec2)| a.dot(along).total_cmp(&b.dot(along));
        let ends = path.iter().enumerate().min_by(by_extent).zip(path.iter().enumerate().max_by(by_extent));
        if let Some(((i, p), (j, q))) = ends {
            let distance = f64::from(p.distance(*q));
            if distance > farthest.0 {
                farthest = (distance, i, j);
            }
        }
    }
    farthest
}

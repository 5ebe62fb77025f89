//! The speed of the root, compared with the speed that follows from the standing feet.

use glam::Vec2;

use crate::mathematics::quantile;

use super::anatomy::Anatomy;
use super::contacts::{Contacts, flat};
use super::finding::{Curve, Finding, Measured};
use super::kind::Check;
use super::options::CheckOptions;
use super::sampled::Sampled;

/// Minimum speed of a walking root, in metres per second at human size.
const MIN_SPEED: f32 = 0.3;
/// Fraction of the root speed that is added to the limit, because low feet do not stand all the time.
const TOLERANCE: f64 = 0.1;
/// Minimum number of measurements from which a speed is computed.
const MIN_STEPS: usize = 3;
/// Height above the floor that a stepping foot sometimes exceeds, in metres at human size.
const LIFTED: f32 = 0.04;
/// Minimum speed of a walking root in most frames, as a fraction of its mean speed.
const EVEN: f32 = 0.4;
/// Maximum height of a low foot above the floor, in metres at human size.
const LOW: f32 = 0.08;

/// The speed of the root and the speed that follows from the feet, in metres per second.
#[derive(Clone, Copy, Debug)]
pub(super) struct Speeds {
    pub(super) root: f32,
    pub(super) feet: f32,
}

/// Measures the speeds of a clip that walks. Returns `None` if it does not walk, or if its feet do not touch the floor.
pub(super) fn speeds(
    anatomy: &Anatomy,
    sampled: &Sampled,
    contacts: &Contacts,
    declared: Option<f32>,
) -> Option<Speeds> {
    let last = sampled.len().checked_sub(1).filter(|last| *last > 2)?;
    let (start, end) = sampled.span(0, last);
    let travel = flat(sampled.position(last, anatomy.hips) - sampled.position(0, anatomy.hips));
    let seconds = end - start;
    let in_place = contacts.treadmill.zip(declared);
    let (root, along) = match in_place {
        Some((ground, speed)) => (speed, -ground.normalize_or_zero()),
        None => (travel.length() / seconds, travel.normalize_or_zero()),
    };
    if root < MIN_SPEED * anatomy.size || along == Vec2::ZERO {
        return None;
    }
    if in_place.is_none() && !walks(anatomy, sampled, contacts, along, root) {
        return None;
    }
    // Forward speeds of the hips relative to each foot that touches the floor, and relative to the lowest foot if it is low.
    let (mut standing, mut low) = (Vec::new(), Vec::new());
    for frame in 0..last {
        let (from, to) = sampled.span(frame, frame + 1);
        let of = |node: usize| flat(sampled.position(frame + 1, node) - sampled.position(frame, node));
        let speed = |foot: Vec2| f64::from((of(anatomy.hips) - foot).dot(along) / (to - from).max(1e-6));
        let steps = contacts.feet.iter().filter_map(|f| f.lowest_steps.get(frame).copied().flatten());
        standing.extend(steps.map(speed));
        let lowest = contacts.feet.iter().min_by(|a, b| height(a, frame).total_cmp(&height(b, frame)))?;
        if height(lowest, frame).max(height(lowest, frame + 1)) < LOW * anatomy.size {
            low.push(speed(of(lowest.node)));
        }
    }
    let relative = if standing.len() < MIN_STEPS { low } else { standing };
    if relative.len() < MIN_STEPS {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "speeds are single precision")]
    let feet = quantile(relative, 0.5) as f32;
    Some(Speeds { root, feet })
}

/// Returns whether the root moves evenly and each foot is sometimes low and sometimes raised, unlike in a jump or fall.
fn walks(anatomy: &Anatomy, sampled: &Sampled, contacts: &Contacts, along: Vec2, speed: f32) -> bool {
    let last = sampled.len() - 1;
    let advance =
        |i: usize| flat(sampled.position(i + 1, anatomy.hips) - sampled.position(i, anatomy.hips)).dot(along);
    let is_even = |i: &usize| advance(*i) > EVEN * speed * sampled.step;
    let even = (0..last).filter(is_even).count();
    let steps = |foot: &super::contacts::FootTrack| {
        let is_low = |i: usize| height(foot, i) < LOW * anatomy.size;
        (0..=last).any(is_low) && (0..=last).any(|i| height(foot, i) > LIFTED * anatomy.size)
    };
    contacts.feet.len() > 1 && 5 * even > 4 * last && contacts.feet.iter().all(steps)
}

fn height(foot: &super::contacts::FootTrack, frame: usize) -> f32 {
    foot.heights.get(frame).copied().unwrap_or(f32::INFINITY)
}

pub(super) fn check(
    anatomy: &Anatomy,
    sampled: &Sampled,
    contacts: &Contacts,
    options: &CheckOptions,
) -> Measured {
    let Some(speeds) = speeds(anatomy, sampled, contacts, options.speed) else {
        let reason = match contacts.treadmill {
            Some(_) => "the clip walks in place, and the speed of the program that plays it is unknown",
            None => "the root does not walk",
        };
        return Measured::not_applied(Check::RootSpeed, reason);
    };
    let limit = options.limit(Check::RootSpeed, anatomy.size) + TOLERANCE * f64::from(speeds.root);
    let difference = f64::from((speeds.root - speeds.feet).abs());
    let mut measured = Measured::default();
    let span = sampled.span(0, sampled.len().saturating_sub(1));
    if difference > limit {
        let text =
            format!("moves at {:.2} m/s, and the feet carry it at {:.2} m/s", speeds.root, speeds.feet);
        let finding = Finding::new(Check::RootSpeed, Some(anatomy.hips), span, difference, limit, text);
        measured.findings.push(finding);
    }
    let speed = |i: usize| {
        let (from, to) = sampled.span(i - 1, i);
        let moved = flat(sampled.position(i, anatomy.hips) - sampled.position(i - 1, anatomy.hips));
        f64::from(moved.length() / (to - from).max(1e-6))
    };
    measured.curves.push(Curve {
        check: Check::RootSpeed,
        node: Some(anatomy.hips),
        limit: None,
        times: sampled.times.iter().skip(1).copied().collect(),
        values: (1..sampled.len()).map(speed).collect(),
    });
    measured
}

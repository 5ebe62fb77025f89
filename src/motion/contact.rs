//! When feet stand.

use glam::Vec3;

/// A foot this much of the hips' height above its lowest place is down.
const DOWN: f32 = 0.05;
/// A foot that moves less than this much of the hips' height a second stands still.
const STILL: f32 = 0.45;
/// Shorter gaps between contacts, and shorter contacts, seconds, are noise.
const SHORT: f32 = 0.06;

/// A while in which a foot is on the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The foot's node index.
    pub node: usize,
    /// Seconds into the clip.
    pub from: f32,
    /// Seconds into the clip.
    pub to: f32,
    /// Whether it stays where it is; not so where a figure walks in place, as on a treadmill.
    pub still: bool,
}

/// Where a foot was, at equal steps of time.
pub(super) struct Track {
    pub(super) node: usize,
    /// World, metres.
    pub(super) places: Vec<Vec3>,
}

/// When feet are on the ground: low, and, in a motion that stands still on it, slow.
///
/// `step`: seconds between two places, `height`: of the hips above the feet, metres.
pub(super) fn contacts(tracks: &[Track], step: f32, height: f32) -> Vec<Contact> {
    let all = || tracks.iter().flat_map(|t| &t.places);
    let lowest = all().map(|p| p.y).fold(f32::INFINITY, f32::min);
    let is_down = |p: &Vec3| p.y < lowest + DOWN * height;
    let mut speeds: Vec<f32> = Vec::new();
    for track in tracks {
        let down = (0..track.places.len()).filter(|&i| is_down(&track.places[i]));
        speeds.extend(down.map(|i| speed(&track.places, i, step)));
    }
    speeds.sort_by(f32::total_cmp);
    let still = speeds.get(speeds.len() / 2).is_some_and(|&median| median < STILL * height);
    let mut found = Vec::new();
    for track in tracks {
        let stands = |i: usize| {
            is_down(&track.places[i]) && (!still || speed(&track.places, i, step) < STILL * height)
        };
        for (from, to) in runs(track.places.len(), step, stands) {
            found.push(Contact { node: track.node, from, to, still });
        }
    }
    found
}

/// Whiles in which something holds, gaps and whiles that are too short left out.
pub(super) fn runs(count: usize, step: f32, holds: impl Fn(usize) -> bool) -> Vec<(f32, f32)> {
    #[expect(clippy::cast_precision_loss, reason = "a count of steps, far below 2²⁴")]
    let at = |i: usize| i as f32 * step;
    let mut runs: Vec<(f32, f32)> = Vec::new();
    for i in (0..count).filter(|&i| holds(i)) {
        match runs.last_mut().filter(|(_, to)| at(i) - *to < SHORT) {
            Some((_, to)) => *to = at(i),
            None => runs.push((at(i), at(i))),
        }
    }
    runs.retain(|(from, to)| to - from >= SHORT);
    runs
}

/// Horizontal metres a second, from the places before and after.
fn speed(places: &[Vec3], i: usize, step: f32) -> f32 {
    let (before, after) = (i.saturating_sub(1), (i + 1).min(places.len() - 1));
    #[expect(clippy::cast_precision_loss, reason = "at most two")]
    let seconds = (after - before) as f32 * step;
    let way = places[after] - places[before];
    if seconds > 0.0 { Vec3::new(way.x, 0.0, way.z).length() / seconds } else { 0.0 }
}

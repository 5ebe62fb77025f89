//! Checks the times and values of keys, as stored in the file.

use glam::Quat;

use crate::asset::{Channel, Character, Clip, Interpolation};
use crate::export::bake::rate_of_keys;

use super::finding::{Finding, Measured};
use super::key_values::{key_count, rotations, value_error};
use super::kind::{Check, Severity};
use super::options::CheckOptions;
use super::sampled::degrees_between;

/// Maximum distance between a key and the frame grid, as a fraction of a frame.
const OFF_GRID: f32 = 0.05;

/// Checks the keys of a clip. `index` is the clip's position in the character, if the clip belongs to it.
pub(super) fn check(
    character: &Character,
    clip: &Clip,
    index: Option<usize>,
    options: &CheckOptions,
) -> Measured {
    let mut findings = Vec::new();
    for channel in &clip.channels {
        let Some(times) = clip.timelines.get(channel.timeline) else { continue };
        findings.extend(not_finite(channel, times));
        findings.extend(key_times(channel, times));
        findings.extend(unnormalised(channel, times, options.limit(Check::Unnormalised, 1.0)));
        findings.extend(sparse(channel, times, options.limit(Check::SparseKeys, 1.0)));
    }
    findings.extend(hemispheres(clip));
    findings.extend(corrected(character, index, options.limit(Check::Unnormalised, 1.0)));
    findings.extend(duration(clip, options.limit(Check::Duration, 1.0)));
    findings.extend(frame_grid(clip));
    Measured { findings, ..Measured::default() }
}

fn span(times: &[f32], keys: impl Iterator<Item = usize> + Clone) -> (f32, f32) {
    let at =
        |i: Option<usize>| i.and_then(|i| times.get(i)).copied().filter(|t| t.is_finite()).unwrap_or(0.0);
    (at(keys.clone().next()), at(keys.last()))
}

fn count(keys: usize) -> f64 {
    crate::mathematics::spans::number(keys)
}

fn not_finite(channel: &Channel, times: &[f32]) -> Option<Finding> {
    let is_bad = |i: &usize| !times[*i].is_finite() || value_error(channel, *i, |x| !x.is_finite());
    let bad: Vec<usize> = (0..times.len()).filter(is_bad).collect();
    let text = format!("has {} keys that are not finite", bad.len());
    let span = span(times, bad.iter().copied());
    let found = count(bad.len());
    (!bad.is_empty()).then(|| Finding::new(Check::NotFinite, Some(channel.node), span, found, 0.0, text))
}

fn key_times(channel: &Channel, times: &[f32]) -> Option<Finding> {
    let bad: Vec<usize> =
        (0..times.len()).filter(|&i| times[i] < 0.0 || i > 0 && times[i] <= times[i - 1]).collect();
    if bad.is_empty() {
        return None;
    }
    let is_worse = bad.iter().any(|&i| times[i] < 0.0 || i > 0 && times[i] < times[i - 1]);
    let text = format!("has {} keys at or before the time of the key before them", bad.len());
    let span = span(times, bad.iter().copied());
    let finding = Finding::new(Check::KeyTimes, Some(channel.node), span, count(bad.len()), 0.0, text);
    // Two keys at the same time form a jump, which some programs write on purpose.
    Some(finding.with_severity(if is_worse { Severity::Error } else { Severity::Warning }))
}

fn unnormalised(channel: &Channel, times: &[f32], limit: f64) -> Option<Finding> {
    let error = |q: &Quat| (q.as_dquat().length() - 1.0).abs();
    if channel.interpolation == Interpolation::CubicSpline {
        return None;
    }
    let keys = rotations(channel);
    let bad: Vec<usize> = (0..keys.len()).filter(|&i| error(&keys[i]) > limit).collect();
    let worst = keys.iter().map(error).fold(0.0, f64::max);
    let text = format!("has {} rotation keys without unit length, off by up to {worst:.3}", bad.len());
    let span = span(times, bad.iter().copied());
    (!bad.is_empty()).then(|| Finding::new(Check::Unnormalised, Some(channel.node), span, worst, limit, text))
}

/// Reports the keys that loading has normalised.
fn corrected(character: &Character, index: Option<usize>, limit: f64) -> Vec<Finding> {
    let of_clip = character.corrected_keys.iter().filter(|keys| Some(keys.clip) == index);
    let finding = |keys: &crate::asset::CorrectedKeys| {
        let text =
            format!("has {} rotation keys without unit length, off by up to {:.3}", keys.count, keys.error);
        let [from, to] = keys.span;
        Finding::new(Check::Unnormalised, Some(keys.node), (from, to), f64::from(keys.error), limit, text)
    };
    of_clip.filter(|keys| f64::from(keys.error) > limit).map(finding).collect()
}

/// Reports all joints of a clip in one finding, because most exporters write such keys everywhere or nowhere.
fn hemispheres(clip: &Clip) -> Option<Finding> {
    let (mut joints, mut keys, mut first) = (0, 0, None);
    let mut span = (f32::INFINITY, 0.0_f32);
    for channel in &clip.channels {
        let Some(times) = clip.timelines.get(channel.timeline) else { continue };
        let rotations = rotations(channel);
        let bad = (1..rotations.len()).filter(|&i| rotations[i].dot(rotations[i - 1]) < 0.0);
        let at: Vec<f32> = bad.filter_map(|i| times.get(i).copied()).collect();
        if let Some((from, to)) = at.first().zip(at.last()) {
            span = (span.0.min(*from), span.1.max(*to));
            (joints, keys) = (joints + 1, keys + at.len());
            first = first.or(Some(channel.node));
        }
    }
    let text = format!(
        "and {} other joints have {keys} keys on the other hemisphere than the key before",
        joints - first.map_or(0, |_| 1)
    );
    let text = if joints == 1 {
        format!("has {keys} keys on the other hemisphere than the key before")
    } else {
        text
    };
    first.map(|node| Finding::new(Check::Hemisphere, Some(node), span, count(keys), 0.0, text))
}

fn sparse(channel: &Channel, times: &[f32], limit: f64) -> Option<Finding> {
    if channel.interpolation == Interpolation::Step {
        return None;
    }
    let keys = rotations(channel);
    let turns = (1..keys.len()).map(|i| (degrees_between(keys[i - 1], keys[i]), i));
    // Two keys at the same time form a jump and not a turn.
    let turns = turns.filter(|(_, i)| times.get(*i) > times.get(i - 1));
    let (worst, at) = turns.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let text = format!(
        "turns by {worst:.0} degrees between two keys, which different programs interpolate differently"
    );
    let span = span(times, at - 1..=at);
    (worst > limit).then(|| Finding::new(Check::SparseKeys, Some(channel.node), span, worst, limit, text))
}

fn duration(clip: &Clip, limit: f64) -> Vec<Finding> {
    let has_keys = clip.channels.iter().any(|c| key_count(clip, c) > 0) || !clip.properties.is_empty();
    let whole = |severity: Severity, value: f64, text: &str| {
        let finding = Finding::new(Check::Duration, None, (0.0, clip.seconds), value, limit, text.to_owned());
        finding.with_severity(severity)
    };
    if !has_keys {
        return vec![whole(Severity::Error, 0.0, "the clip has no keys")];
    }
    if clip.seconds <= 0.0 {
        return vec![whole(Severity::Information, 0.0, "the clip is a single pose")];
    }
    let late = |times: &Vec<f32>| times.first().copied().filter(|first| f64::from(*first) > limit);
    let mut findings = Vec::new();
    if let Some(first) = clip.timelines.iter().filter_map(late).reduce(f32::max)
        && clip.timelines.iter().all(|t| late(t).is_some())
    {
        let text = format!("the first key of the clip is at {first:.3} s");
        findings.push(whole(Severity::Information, f64::from(first), &text));
    }
    let early: Vec<_> = clip
        .channels
        .iter()
        .filter_map(|c| Some((c, clip.timelines.get(c.timeline)?)))
        .filter(|(_, times)| times.len() > 1)
        .filter_map(|(c, times)| Some((c, f64::from(clip.seconds - times.last()?))))
        .filter(|(_, missing)| *missing > limit)
        .collect();
    if let Some((_, missing)) = early.iter().max_by(|a, b| a.1.total_cmp(&b.1)) {
        let text = format!("{} channels end up to {missing:.2} s before the clip", early.len());
        let end = clip.seconds;
        #[expect(clippy::cast_possible_truncation, reason = "a time of a clip")]
        let from = end - *missing as f32;
        let finding = Finding::new(Check::Duration, None, (from, end), *missing, limit, text);
        findings.push(finding.with_severity(Severity::Warning));
    }
    findings
}

/// Reports keys that are not on the frame grid that most keys share.
fn frame_grid(clip: &Clip) -> Option<Finding> {
    let rate = clip.timelines.iter().filter_map(|t| rate_of_keys(t)).reduce(f32::max)?;
    let is_off = |time: &f32| ((time * rate) - (time * rate).round()).abs() > OFF_GRID;
    let off = |times: &&Vec<f32>| times.iter().filter(|t| is_off(t)).count() > times.len() / 10;
    let bad = clip.timelines.iter().filter(off).count();
    let text = format!(
        "{bad} of {} lists of key times are not on a grid of {rate:.0} frames per second",
        clip.timelines.len()
    );
    let whole = (0.0, clip.seconds);
    (bad > 0).then(|| Finding::new(Check::FrameGrid, None, whole, count(bad), 0.0, text))
}

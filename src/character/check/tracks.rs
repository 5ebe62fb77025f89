//! Checks whole channels: scales, constant channels, limbs that do not move, and the start pose.

use crate::asset::{Character, Clip};
use crate::rig::{BodyPlan, Rig};

use super::anatomy::Anatomy;
use super::contacts::{Contacts, flat};
use super::finding::{Finding, Measured, length};
use super::key_values::{is_constant, key_count, scales};
use super::kind::{Check, Severity};
use super::options::CheckOptions;
use super::sampled::{Sampled, degrees_between};
use super::seam::{LoopKind, Seam};
use crate::mathematics::spans::number;

/// Rotation beyond which a joint counts as moving, in degrees.
const MOVES: f64 = 0.1;

pub(super) fn check(
    character: &Character,
    rig: &Rig,
    clip: &Clip,
    index: Option<usize>,
    options: &CheckOptions,
) -> Measured {
    let mut findings = scale(character, clip, options.limit(Check::Scale, 1.0));
    findings.extend(constant(clip));
    findings.extend(rig.body.as_ref().and_then(|plan| frozen(plan, clip)));
    findings.extend(missing_targets(character, clip, index));
    Measured { findings, ..Measured::default() }
}

fn scale(character: &Character, clip: &Clip, limit: f64) -> Vec<Finding> {
    let mut findings = Vec::new();
    for channel in &clip.channels {
        let keys = scales(channel);
        let Some(&first) = keys.first() else { continue };
        let add = |severity: Severity, value: f32, text: String| {
            let span = (0.0, clip.seconds);
            let finding = Finding::new(Check::Scale, Some(channel.node), span, f64::from(value), limit, text);
            finding.with_severity(severity)
        };
        let change = keys.iter().map(|s| (*s - first).abs().max_element()).fold(0.0, f32::max);
        let uneven = keys.iter().map(|s| s.max_element() - s.min_element()).fold(0.0, f32::max);
        let smallest = keys.iter().map(|s| s.min_element()).fold(f32::INFINITY, f32::min);
        let at_rest = character.skeleton.nodes.get(channel.node).map_or(1.0, |n| n.rest.scale.min_element());
        if smallest < 0.0 && at_rest > 0.0 {
            findings.push(add(Severity::Error, smallest, format!("is mirrored by a scale of {smallest:.3}")));
        } else if f64::from(uneven) > limit {
            let text = format!("is scaled differently on its axes, by up to {uneven:.3}");
            findings.push(add(Severity::Warning, uneven, text));
        } else if f64::from(change) > limit {
            findings.push(add(Severity::Information, change, format!("changes its scale by {change:.3}")));
        } else if f64::from((first - 1.0).abs().max_element()) > limit {
            let text = format!("has a constant scale of {:.3}", first.x);
            findings.push(add(Severity::Information, first.x, text));
        }
    }
    findings
}

fn constant(clip: &Clip) -> Option<Finding> {
    let is_redundant = |c: &&crate::asset::Channel| key_count(clip, c) > 1 && is_constant(c);
    let constant: Vec<_> = clip.channels.iter().filter(is_redundant).collect();
    let keys: usize = constant.iter().map(|c| key_count(clip, c)).sum();
    let text =
        format!("{} of {} channels never change, with {keys} keys", constant.len(), clip.channels.len());
    let (span, found) = ((0.0, clip.seconds), number(constant.len()));
    (!constant.is_empty()).then(|| Finding::new(Check::Constant, None, span, found, 0.0, text))
}

/// Reports the first limb that no channel moves, if other limbs are moved.
fn frozen(plan: &BodyPlan, clip: &Clip) -> Option<Finding> {
    let moves = |node: &usize| clip.channels.iter().any(|c| c.node == *node && !is_constant(c));
    let frozen: Vec<_> = plan.limbs.iter().filter(|limb| !limb.joints.iter().any(moves)).collect();
    if frozen.is_empty() || frozen.len() == plan.limbs.len() {
        return None;
    }
    let text = format!("never moves; {} of {} limbs do not", frozen.len(), plan.limbs.len());
    let node = frozen.first().map(|limb| limb.end());
    Some(Finding::new(Check::Frozen, node, (0.0, clip.seconds), number(frozen.len()), 0.0, text))
}

/// Reports channels that loading has dropped, and channels of nodes that do not exist.
fn missing_targets(character: &Character, clip: &Clip, index: Option<usize>) -> Option<Finding> {
    let own = index.map(|index| format!("animations[{index}]."));
    let is_dropped =
        |line: &&String| own.as_ref().is_some_and(|own| line.starts_with(own)) && line.contains("ignored");
    let dropped = character.warnings.iter().filter(is_dropped).count();
    let nodes = character.skeleton.nodes.len();
    let missing = clip.channels.iter().filter(|c| c.node >= nodes).count();
    let text = format!("{} channels cannot be played", dropped + missing);
    let (span, found) = ((0.0, clip.seconds), number(dropped + missing));
    (dropped + missing > 0).then(|| Finding::new(Check::MissingTarget, None, span, found, 0.0, text))
}

/// Compares the first frame with the rest pose.
pub(super) fn start_pose(
    character: &Character,
    anatomy: &Anatomy,
    sampled: &Sampled,
    limit: f64,
) -> Measured {
    let nodes = &character.skeleton.nodes;
    let turn =
        |&n: &usize| Some((degrees_between(nodes.get(n)?.rest.rotation, sampled.local(0, n).rotation), n));
    let worst = anatomy.joints.iter().filter_map(turn).max_by(|a, b| a.0.total_cmp(&b.0));
    let worst = worst.filter(|(angle, _)| sampled.len() > 0 && *angle > limit);
    let finding = |(angle, node)| {
        let text = format!("begins {angle:.0} degrees from its rest pose");
        Finding::new(Check::StartPose, Some(node), (0.0, 0.0), angle, limit, text)
    };
    Measured { findings: worst.map(finding).into_iter().collect(), ..Measured::default() }
}

/// Reports a root that drifts away in a loop of walking in place or standing.
pub(super) fn root_drift(
    anatomy: &Anatomy,
    sampled: &Sampled,
    contacts: &Contacts,
    seam: &Seam,
    limit: f64,
) -> Measured {
    let Some(last) = sampled.len().checked_sub(1).filter(|last| *last > 0) else {
        return Measured::default();
    };
    if seam.kind == LoopKind::Once {
        return Measured::not_applied(Check::RootDrift, "the clip is not a loop");
    }
    let at = |frame: usize| flat(sampled.position(frame, anatomy.hips));
    let drift = f64::from(at(last).distance(at(0)));
    // In a loop that travels, the feet stand still while the root moves over them.
    let walks = contacts.treadmill.is_none() && drift > 3.0 * limit;
    let span = sampled.span(0, last);
    let text = format!("ends {} from where it began", length(drift));
    let finding = Finding::new(Check::RootDrift, Some(anatomy.hips), span, drift, limit, text);
    Measured {
        findings: (drift > limit && !walks).then_some(finding).into_iter().collect(),
        ..Measured::default()
    }
}

pub(super) fn turning_nodes(sampled: &Sampled, nodes: &[usize]) -> Vec<usize> {
    let turns = |node: usize| {
        let first = sampled.local(0, node).rotation;
        (1..sampled.len()).any(|frame| degrees_between(first, sampled.local(frame, node).rotation) > MOVES)
    };
    nodes.iter().copied().filter(|n| turns(*n)).collect()
}

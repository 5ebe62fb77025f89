//! Moves limbs out of other parts of the body, in the directions in which they entered and left it.

use glam::Vec3;

use crate::check::checker::ClipReport;
use crate::check::kind::Check;
use crate::check::options::CheckOptions;
use crate::check::self_penetration::{Pair, depth, depths};
use crate::mathematics::spans::{number, runs};
use crate::rig::BodyLimb;

use super::draft::Draft;
use super::limb;
use super::smooth::smoothstep;

/// The fraction of the accepted depth that remains.
const KEPT: f64 = 0.5;
/// Time in which a limb moves out or back, in seconds.
const EASE: f32 = 0.15;
/// After this many rounds, a limb that still passes through the body is moved past it along the shortest path.
const BRIDGE_AFTER: usize = 3;
/// Factor for a push at the end of a limb, because such a push moves the limb's middle less.
const LEVER: f32 = 1.15;

pub(super) fn repair(draft: &mut Draft<'_, '_>, report: &ClipReport, options: &CheckOptions) -> bool {
    let accepted = options.limit(Check::SelfPenetration, draft.checker.anatomy.size);
    let faulty: Vec<usize> = report.errors(Check::SelfPenetration).filter_map(|f| f.node).collect();
    let mut repaired = false;
    let checker = draft.checker;
    for pair in &checker.pairs {
        let Some(capsule) = checker.anatomy.capsules.get(pair.limb) else { continue };
        let Some(end) = end_of(draft, capsule.node).filter(|_| faulty.contains(&capsule.node)) else {
            continue;
        };
        let values = depths(&checker.anatomy, &draft.sampled, pair);
        for run in runs(values.len(), 2, |i| values[i] > KEPT * accepted) {
            if !run.clone().any(|i| values[i] > accepted) {
                continue;
            }
            let frames: Vec<usize> = run.collect();
            if draft.round >= BRIDGE_AFTER {
                repaired |= bridge(draft, end, &frames);
                continue;
            }
            let ways = [*frames.first().unwrap_or(&0), *frames.last().unwrap_or(&0)]
                .map(|i| separation(draft, pair, i).normalize_or(Vec3::Y));
            let push = |i: usize| {
                let place = number(i - frames.first().unwrap_or(&i)) / number(frames.len());
                #[expect(clippy::cast_possible_truncation, reason = "from 0 to 1")]
                let way = ways[0].lerp(ways[1], place as f32).normalize_or(ways[0]);
                way * (LEVER * needed(separation(draft, pair, i), way, values[i] - KEPT * accepted))
            };
            let ease = draft.sampled.frames_in(EASE);
            let offsets = limb::eased(&frames, values.len(), ease, push);
            repaired |= limb::move_end(draft, end, &offsets);
        }
    }
    repaired
}

/// Returns the vector from the other part's axis to the limb's axis at their closest points.
fn separation(draft: &Draft<'_, '_>, pair: &Pair, frame: usize) -> Vec3 {
    let (_, _, [p, q]) = depth(&draft.checker.anatomy, pair, |n| draft.sampled.matrix(frame, n));
    p - q
}

/// Returns the distance that a limb must move along a unit vector so that its distance from the other part grows by `depth`.
fn needed(separation: Vec3, way: Vec3, depth: f64) -> f32 {
    if depth <= 0.0 {
        return 0.0;
    }
    #[expect(clippy::cast_possible_truncation, reason = "lengths are single precision")]
    let wanted = separation.length() + depth as f32;
    let along = separation.dot(way);
    (along * along - separation.length_squared() + wanted * wanted).max(0.0).sqrt() - along
}

/// Interpolates the rotations of all joints of a limb from before to after a fault.
fn bridge(draft: &mut Draft<'_, '_>, end: usize, frames: &[usize]) -> bool {
    let (Some(&first), Some(&last)) = (frames.first(), frames.last()) else { return false };
    let around = draft.sampled.frames_in(2.0 * EASE);
    let (a, b) = (first.saturating_sub(around), (last + around).min(draft.sampled.len() - 1));
    let rig = draft.checker.rig;
    let limb = rig.body.as_ref().and_then(|plan| plan.limb_ending_at(end));
    for &node in limb.iter().flat_map(|limb| &limb.joints) {
        let rotations = draft.sampled.rotations(node);
        let (Some(from), Some(to)) = (rotations.get(a).copied(), rotations.get(b).copied()) else { continue };
        for frame in a + 1..b {
            #[expect(clippy::cast_possible_truncation, reason = "from 0 to 1")]
            let part = smoothstep(number(frame - a) / number(b - a)) as f32;
            draft.set_rotation(frame, node, from.slerp(to, part));
        }
    }
    draft.refresh_all();
    true
}

/// Returns the end of the limb that a joint belongs to.
fn end_of(draft: &Draft<'_, '_>, node: usize) -> Option<usize> {
    draft.checker.rig.body.as_ref()?.limb_of(node).map(BodyLimb::end)
}

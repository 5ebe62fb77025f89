//! Lifts parts below the floor and lowers parts that hover: the whole body, or a leg if the other foot stands on the floor.

use glam::Vec3;

use crate::check::checker::ClipReport;
use crate::check::floating::lowest_points;
use crate::check::kind::Check;
use crate::check::options::CheckOptions;
use crate::mathematics::spans::runs;

use super::draft::Draft;
use super::limb;

/// Remaining distance from the floor after a repair, as a fraction of the accepted distance.
const KEPT: f32 = 0.1;

pub(super) fn repair(draft: &mut Draft<'_, '_>, report: &ClipReport, options: &CheckOptions) -> bool {
    let size = draft.checker.anatomy.size;
    #[expect(clippy::cast_possible_truncation, reason = "lengths are single precision")]
    let accepted = [Check::Penetration, Check::Floating].map(|c| options.limit(c, size) as f32);
    let kept = [KEPT * accepted[0], KEPT * accepted[1]];
    let mut repaired = false;
    let spans = |check: Check| report.errors(check).map(|f| (f.node, f.from, f.to)).collect::<Vec<_>>();
    let (sunk, hovering) = (spans(Check::Penetration), spans(Check::Floating));
    // Feet are corrected first. Moving the body corrects the rest.
    for index in 0..draft.checker.anatomy.feet.len() {
        let foot = draft.checker.anatomy.feet[index].node;
        let heights: Vec<f32> = draft.contacts.feet.get(index).map(|f| f.heights.clone()).unwrap_or_default();
        let excess = |h: f32| {
            if h < -kept[0] { h + kept[0] } else { (h - kept[1]).max(0.0) }
        };
        let is_sunk = |i: usize| heights[i] < -kept[0];
        for run in runs(heights.len(), 0, is_sunk) {
            let is_fault = run.clone().any(|i| heights[i] < -accepted[0]) && overlaps(draft, &sunk, &run);
            if is_fault && other_stands(draft, index, &run, accepted) {
                let frames = run.map(|i| (i, Vec3::Y * -excess(heights[i]))).collect::<Vec<_>>();
                repaired |= limb::move_end(draft, foot, &frames);
            }
        }
        let of_foot: Vec<_> = hovering.iter().filter(|(node, ..)| *node == Some(foot)).copied().collect();
        for (_, from, to) in of_foot {
            let in_span = |i: usize| (from..=to).contains(&draft.sampled.times[i]);
            let frames: Vec<usize> = (0..heights.len()).filter(|i| in_span(*i)).collect();
            let ease = draft.sampled.frames_in(0.2);
            let offsets = limb::eased(&frames, heights.len(), ease, |i| Vec3::Y * -excess(heights[i]));
            repaired |= limb::move_end(draft, foot, &offsets);
        }
    }
    let body_hovers = hovering.iter().any(|(node, ..)| node.is_none());
    let lowest = lowest_points(&draft.checker.anatomy, &draft.sampled, draft.floor);
    #[expect(clippy::cast_possible_truncation, reason = "lengths are single precision")]
    let lowest: Vec<f32> = lowest.iter().map(|h| *h as f32).collect();
    let root = draft.body_root();
    if !sunk.is_empty() {
        for run in runs(lowest.len(), 0, |i| lowest[i] < -kept[0]) {
            if run.clone().any(|i| lowest[i] < -accepted[0]) {
                run.for_each(|i| draft.shift(i, root, Vec3::Y * -(lowest[i] + kept[0])));
                repaired = true;
            }
        }
    }
    if body_hovers {
        let spans: Vec<_> = hovering.iter().filter(|(node, ..)| node.is_none()).copied().collect();
        for run in runs(lowest.len(), 0, |i| lowest[i] > kept[1]) {
            if overlaps(draft, &spans, &run) {
                run.for_each(|i| draft.shift(i, root, Vec3::Y * -(lowest[i] - kept[1])));
                repaired = true;
            }
        }
    }
    repaired
}

type Span = (Option<usize>, f32, f32);

fn overlaps(draft: &Draft<'_, '_>, spans: &[Span], run: &std::ops::RangeInclusive<usize>) -> bool {
    let (from, to) = draft.sampled.span(*run.start(), *run.end());
    spans.iter().any(|(_, a, b)| *a <= to && *b >= from)
}

/// Returns whether another foot stands on the floor during most of a run. The body as a whole is then in place.
fn other_stands(
    draft: &Draft<'_, '_>,
    foot: usize,
    run: &std::ops::RangeInclusive<usize>,
    accepted: [f32; 2],
) -> bool {
    let others = || draft.contacts.feet.iter().enumerate().filter(|(i, _)| *i != foot);
    let stands = |frame: usize| {
        let height = |i: &(usize, &crate::check::contacts::FootTrack)| i.1.heights.get(frame).copied();
        others().filter_map(|o| height(&o)).any(|h| h > -accepted[0] && h < accepted[1])
    };
    let count = run.clone().count();
    2 * run.clone().filter(|frame| stands(*frame)).count() > count
}

//! Plants sliding feet: each stays near its mean position during a contact, and moves there and back while it is in the air.

use glam::{Vec2, Vec3};

use crate::check::checker::ClipReport;
use crate::check::foot_slide::path;
use crate::check::kind::Check;
use crate::check::options::CheckOptions;

use super::draft::Draft;
use super::limb;

/// Remaining slide on each side of the mean after a repair, as a fraction of the accepted slide.
const KEPT: f32 = 0.3;
/// Time before and after a contact in which a foot moves to or from its place, in seconds.
const EASE: f32 = 0.2;

pub(super) fn repair(draft: &mut Draft<'_, '_>, report: &ClipReport, options: &CheckOptions) -> bool {
    let mut repaired = false;
    let size = draft.checker.anatomy.size;
    #[expect(clippy::cast_possible_truncation, reason = "lengths are single precision")]
    let kept = KEPT * options.limit(Check::FootSlide, size) as f32;
    let faults: Vec<_> = report.errors(Check::FootSlide).map(|f| (f.node, f.time())).collect();
    let ground = draft.contacts.ground();
    for index in 0..draft.contacts.feet.len() {
        let Some(foot) = draft.contacts.feet.get(index).cloned() else { continue };
        for &(first, last) in &foot.contacts {
            let (from, to) = draft.sampled.span(first, last);
            let is_fault =
                |(node, time): &(Option<usize>, f32)| *node == Some(foot.node) && (from..=to).contains(time);
            if !faults.iter().any(is_fault) {
                continue;
            }
            let path = path(&foot, &draft.sampled, ground, first, last);
            #[expect(clippy::cast_precision_loss, reason = "a small number of frames")]
            let mean = path.iter().sum::<Vec2>() / path.len() as f32;
            let offset = |frame: usize| {
                let away = path.get(frame - first).copied().unwrap_or(mean) - mean;
                let excess = (away.length() - kept).max(0.0);
                let back = -away.normalize_or_zero() * excess;
                Vec3::new(back.x, 0.0, back.y)
            };
            // The foot returns before its next contact.
            let next = foot.contacts.iter().map(|c| c.0).find(|start| *start > last).unwrap_or(usize::MAX);
            let before = foot.contacts.iter().map(|c| c.1).filter(|end| *end < first).max();
            let room = next.saturating_sub(last).min(before.map_or(usize::MAX, |end| first - end));
            let ease = draft.sampled.frames_in(EASE).min(room.max(1));
            let frames: Vec<usize> = (first..=last).collect();
            let offsets = limb::eased(&frames, draft.sampled.len(), ease, offset);
            repaired |= limb::move_end(draft, foot.node, &offsets);
        }
    }
    repaired
}

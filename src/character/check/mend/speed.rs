//! Matches the root's speed to the feet.

use glam::Vec3;

use crate::check::checker::ClipReport;
use crate::check::contacts::flat;
use crate::check::options::CheckOptions;
use crate::check::root_speed::speeds;

use super::draft::Draft;

pub(super) fn repair(draft: &mut Draft<'_, '_>, _: &ClipReport, options: &CheckOptions) -> bool {
    let anatomy = &draft.checker.anatomy;
    // If a program sets the speed, the clip cannot change it.
    let moved = speeds(anatomy, &draft.sampled, &draft.contacts, None);
    let Some(speeds) = moved.filter(|s| s.feet > 0.0 && options.speed.is_none()) else { return false };
    let (node, hips, last) = (draft.body_root(), anatomy.hips, draft.sampled.len() - 1);
    let start = flat(draft.sampled.position(0, hips));
    let along = (flat(draft.sampled.position(last, hips)) - start).normalize_or_zero();
    let factor = speeds.feet / speeds.root - 1.0;
    for frame in 0..=last {
        let travelled = (flat(draft.sampled.position(frame, hips)) - start).dot(along);
        let offset = along * (factor * travelled);
        draft.shift(frame, node, Vec3::new(offset.x, 0.0, offset.y));
    }
    true
}

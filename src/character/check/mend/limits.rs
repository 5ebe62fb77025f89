//! Moves joints back within their limits.

use crate::check::checker::ClipReport;
use crate::check::kind::Check;
use crate::check::options::CheckOptions;
use crate::mathematics::spans::runs;

use super::draft::Draft;
use super::smooth::nodes;

/// The fraction of the accepted excess that remains, so that the rotation does not stop abruptly.
const KEPT: f64 = 0.6;

pub(super) fn repair(draft: &mut Draft<'_, '_>, report: &ClipReport, options: &CheckOptions) -> bool {
    let checker = draft.checker;
    let accepted = options.limit(Check::Limit, checker.anatomy.size);
    let kept = KEPT * accepted;
    let nodes = nodes(report, Check::Limit);
    for joint in checker.limited.iter().filter(|joint| nodes.contains(&joint.node)) {
        let values = joint.excesses(&draft.sampled);
        // Repairs the whole run above `kept`, so that its ends are continuous.
        for run in runs(values.len(), 0, |i| values[i] > kept) {
            if run.clone().any(|i| values[i] > accepted) {
                for frame in run {
                    let repaired = joint.repaired(&draft.sampled, frame, kept);
                    draft.set_rotation(frame, joint.node, repaired.as_quat());
                }
            }
        }
    }
    draft.refresh_all();
    !nodes.is_empty()
}

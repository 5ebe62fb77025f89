//! Moves the end of a limb by small offsets on top of its animation: the joint in the middle bends, the first joint swings, and the end
//! keeps its orientation. Everything else keeps its animation, and an offset of zero changes nothing.
//!
//! The solvers of `ik` pose a limb within its limits. Here, the animation must be kept even where it exceeds them, and the change must
//! vanish as the offset approaches zero.

use glam::{Quat, Vec3};

use super::draft::Draft;

/// A limb is never stretched beyond this fraction of its length.
const MAX_REACH: f32 = 0.9995;

/// Returns offsets for the frames of a fault, and eased offsets around them. `frames` are increasing.
pub(in crate::check) fn eased(
    frames: &[usize],
    count: usize,
    ease: usize,
    offset: impl Fn(usize) -> Vec3,
) -> Vec<(usize, Vec3)> {
    let (Some(&first), Some(&last)) = (frames.first(), frames.last()) else { return Vec::new() };
    let part = |k: usize, ease: usize| {
        #[expect(clippy::cast_precision_loss, reason = "a small number of frames")]
        let u = 1.0 - k as f32 / (ease + 1) as f32;
        u * u * (3.0 - 2.0 * u)
    };
    // The ends of the clip do not change, so that a loop stays closed.
    let (room, rest) = (ease.min(first.saturating_sub(1)), ease.min(count.saturating_sub(last + 2)));
    let before = (1..=room).rev().map(|k| (first - k, offset(first) * part(k, room)));
    let after = (1..=rest).map(|k| (last + k, offset(last) * part(k, rest)));
    before.chain(frames.iter().map(|i| (*i, offset(*i)))).chain(after).collect()
}

/// Moves the end of a limb, the node `end`, by a world offset in each given frame. Returns whether anything moved.
pub(in crate::check) fn move_end(draft: &mut Draft<'_, '_>, end: usize, offsets: &[(usize, Vec3)]) -> bool {
    let Some(joints) = limb_joints(draft, end) else { return false };
    let mut moved = false;
    for &(frame, offset) in offsets {
        if offset.length_squared() > 0.0 && offset.is_finite() {
            let target = draft.sampled.position(frame, end) + offset;
            moved |= solve(draft, frame, joints, target);
        }
    }
    moved
}

/// Returns the first joint of a limb, the joint that divides it most evenly, and its end.
fn limb_joints(draft: &Draft<'_, '_>, end: usize) -> Option<[usize; 3]> {
    let rig = draft.checker.rig;
    let of_plan = || Some(rig.body.as_ref()?.limb_ending_at(end)?.joints.as_slice());
    let of_chain = || rig.chain(end).map(|chain| chain.joints.as_slice());
    let of_foot = || draft.checker.anatomy.feet.iter().find(|f| f.node == end).map(|f| f.leg);
    let joints = of_plan().or_else(of_chain).or_else(of_foot)?;
    let at = |n: usize| draft.checker.anatomy.world.get(n).map(|m| Vec3::from(m.translation));
    let (&first, inner) = joints.split_first()?;
    let inner = inner.split_last()?.1;
    // The joint that is farthest from the nearer end can bend the limb most.
    let lever = |n: &usize| Some(at(first)?.distance(at(*n)?).min(at(*n)?.distance(at(end)?)));
    let middle =
        inner.iter().copied().max_by(|a, b| lever(a).unwrap_or(0.0).total_cmp(&lever(b).unwrap_or(0.0)))?;
    Some([first, middle, end])
}

fn solve(draft: &mut Draft<'_, '_>, frame: usize, [first, middle, end]: [usize; 3], target: Vec3) -> bool {
    let at = |draft: &Draft<'_, '_>, n: usize| draft.sampled.position(frame, n);
    let kept = draft.orientation(frame, Some(end));
    let (a, b, c) = (at(draft, first), at(draft, middle), at(draft, end));
    let (upper, lower) = (b - a, c - b);
    let (l1, l2) = (upper.length(), lower.length());
    if l1 <= 0.0 || l2 <= 0.0 {
        return false;
    }
    let wanted = target.distance(a).clamp((l1 - l2).abs() * 1.0005, (l1 + l2) * MAX_REACH);
    // The angle between the two bones, by the law of cosines.
    let angle_for = |d: f32| (((l1 * l1 + l2 * l2 - d * d) / (2.0 * l1 * l2)).clamp(-1.0, 1.0)).acos();
    let change = angle_for(a.distance(c)) - angle_for(wanted);
    let axis = upper.cross(lower);
    let bend_axis = axis.try_normalize().or_else(|| rest_axis(draft, frame, [first, middle, end]));
    let Some(bend_axis) = bend_axis else { return false };
    let bend = Quat::from_axis_angle(bend_axis, change);
    turn(draft, frame, middle, bend);
    let bent = b + bend * (c - b);
    let (from, to) = (bent - a, target - a);
    let mut reached = bent;
    if from.length() > 0.0 && to.length() > 0.0 {
        let swing = Quat::from_rotation_arc(from.normalize(), to.normalize());
        turn(draft, frame, first, swing);
        reached = a + swing * from;
    }
    // In some rigs, the feet or parts of them are not descendants of their legs.
    let is_detached = !draft.checker.character.skeleton.ancestors(end).any(|n| n == middle);
    if is_detached {
        let moved = reached - at(draft, end);
        draft.shift(frame, end, moved);
    }
    let moved = at(draft, end) - c;
    detached_parts(draft, end, middle).into_iter().for_each(|node| draft.shift(frame, node, moved));
    let above = draft.parent(end);
    let local = draft.orientation(frame, above).conjugate() * kept;
    draft.set_rotation(frame, end, local);
    draft.refresh(frame);
    true
}

/// Returns the nodes of a foot that descend neither from the foot's node nor from the middle joint of its leg.
fn detached_parts(draft: &Draft<'_, '_>, end: usize, middle: usize) -> Vec<usize> {
    let skeleton = &draft.checker.character.skeleton;
    let foot = draft.checker.anatomy.feet.iter().find(|f| f.node == end);
    let mut nodes: Vec<usize> = foot.map(|f| f.points.iter().map(|(n, _)| *n).collect()).unwrap_or_default();
    nodes.sort_unstable();
    nodes.dedup();
    let all = nodes.clone();
    // A part that is a descendant of another part moves with it.
    nodes.retain(|n| !skeleton.ancestors(*n).any(|a| a == end || a == middle || a != *n && all.contains(&a)));
    nodes
}

/// Returns the axis about which a straight limb bends: the axis of the rest pose, rotated with the limb.
fn rest_axis(draft: &Draft<'_, '_>, frame: usize, [first, middle, end]: [usize; 3]) -> Option<Vec3> {
    let at = |n: usize| draft.checker.anatomy.world.get(n).map(|m| Vec3::from(m.translation));
    let (a, b, c) = (at(first)?, at(middle)?, at(end)?);
    let bend = draft.checker.rig.chain(end).and_then(|chain| chain.bend);
    let axis = (b - a).cross(c - b).try_normalize().or_else(|| bend?.cross(c - a).try_normalize())?;
    let rest = crate::pose::rest_orientation(&draft.checker.character.skeleton, first).as_quat();
    Some(draft.orientation(frame, Some(first)) * (rest.conjugate() * axis))
}

/// Rotates a joint and its descendants by a rotation in world space.
fn turn(draft: &mut Draft<'_, '_>, frame: usize, node: usize, rotation: Quat) {
    let above = draft.orientation(frame, draft.parent(node));
    let local = draft.sampled.local(frame, node).rotation;
    draft.set_rotation(frame, node, above.conjugate() * rotation * above * local);
    draft.refresh(frame);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_rise_and_fall_around_a_fault() {
        let offsets = eased(&[4, 5], 8, 3, |_| Vec3::Y);
        let frames: Vec<usize> = offsets.iter().map(|(frame, _)| *frame).collect();
        assert_eq!(frames, [1, 2, 3, 4, 5, 6]);
        let heights: Vec<f32> = offsets.iter().map(|(_, o)| o.y).collect();
        assert!(
            heights.windows(2).take(3).all(|w| w[0] < w[1])
                && heights[5] < 1.0
                && heights[4] == 1.0
                && heights[0] > 0.0
        );
        assert!(eased(&[], 8, 3, |_| Vec3::Y).is_empty());
    }
}

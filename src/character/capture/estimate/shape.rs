//! The shape of an estimated skeleton: the offsets of joints from their parents.

use std::collections::BTreeMap;

use glam::{DVec3, Quat, Vec3};

use crate::asset::Skeleton;
use crate::capture::{calibration_pose, facing};
use crate::mathematics::best_fit;
use crate::pose::{Pose, world_matrices};

use super::Positions;

/// Number of iterations for the mean shape. Each iteration aligns all frames with the mean of the previous iteration.
const ITERATIONS: usize = 3;

/// Returns the offset of each joint from its parent in the unit of the take, from the frame in which the most joints were seen. Several
/// children of a joint form a rigid shape, whose mean over all frames is used (generalized Procrustes analysis, Gower 1975). The offset of
/// the root is its position.
pub(super) fn offsets(frames: &Positions, parents: &[Option<usize>]) -> Vec<DVec3> {
    let mut children = vec![Vec::new(); parents.len()];
    for (joint, parent) in parents.iter().enumerate() {
        if let Some(children) = parent.and_then(|p| children.get_mut(p)) {
            children.push(joint);
        }
    }
    let seen = |frame: usize| (0..parents.len()).filter(|&j| frames.at(frame, j).is_some()).count();
    // The first of the frames in which the most joints were seen.
    let template = (0..frames.len()).rev().max_by_key(|&frame| seen(frame)).unwrap_or(0);
    let mut offsets = vec![DVec3::ZERO; parents.len()];
    for (joint, children) in children.iter().enumerate() {
        for (child, offset) in mean_shape(frames, template, joint, children) {
            offsets[child] = offset;
        }
        if parents[joint].is_none() {
            offsets[joint] = frames.at(template, joint).unwrap_or_default();
        }
    }
    offsets
}

/// Returns the mean offsets of the children of a joint.
fn mean_shape(frames: &Positions, template: usize, joint: usize, children: &[usize]) -> Vec<(usize, DVec3)> {
    let offset = |frame: usize, child: usize| Some(frames.at(frame, child)? - frames.at(frame, joint)?);
    let all = |frame: usize| children.iter().map(|&c| offset(frame, c)).collect::<Option<Vec<DVec3>>>();
    let order = || std::iter::once(template).chain(0..frames.len());
    if children.len() >= 2
        && let Some(mut mean) = order().find_map(all)
    {
        for _ in 0..ITERATIONS {
            let mut sums = vec![DVec3::ZERO; children.len()];
            let mut count = 0.0;
            for shape in (0..frames.len()).filter_map(all) {
                let turn = best_fit(mean.iter().zip(&shape).map(|(from, to)| (*from, *to, 1.0)));
                sums.iter_mut().zip(&shape).for_each(|(sum, to)| *sum += turn.conjugate() * *to);
                count += 1.0;
            }
            if count > 0.0 {
                mean = sums.into_iter().map(|sum| sum / count).collect();
            }
        }
        return children.iter().copied().zip(mean).collect();
    }
    let first = |child: usize| order().find_map(|frame| offset(frame, child)).unwrap_or_default();
    children.iter().map(|&child| (child, first(child))).collect()
}

/// Returns the rest positions of the joints on the floor. A humanoid is in the T-pose and faces +Z. `bones` is the humanoid's map.
pub(super) fn rest_positions(skeleton: &Skeleton, bones: Option<&BTreeMap<String, usize>>) -> Vec<Vec3> {
    let (pose, turn) = match bones {
        Some(bones) => (calibration_pose(skeleton, bones, 0.0), facing(skeleton, bones).inverse()),
        None => (Pose::rest(skeleton), Quat::IDENTITY),
    };
    let mut world = Vec::new();
    world_matrices(skeleton, &pose, &mut world);
    let mut positions: Vec<Vec3> = world.iter().map(|m| turn * Vec3::from(m.translation)).collect();
    let root = skeleton.parents_first.first().and_then(|(root, _)| positions.get(*root)).copied();
    let floor = positions.iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
    let origin = root.map_or(Vec3::ZERO, |root| Vec3::new(root.x, floor, root.z));
    positions.iter_mut().for_each(|p| *p -= origin);
    positions
}

//! Finds the soles of feet from the vertices that they move.

use std::collections::BTreeMap;

use glam::{Affine3A, Vec3};

use crate::asset::{Character, Skeleton};
use crate::ik::Sole;

use super::body_plan::{BodyPlan, LimbKind};
use super::foot::{Foot, POINTS};
use super::rest_skin::for_each_part;

/// Maximum height of a sole's vertices above its lowest point, as a fraction of the height of the ankle.
const SOLE_HEIGHT: f32 = 0.3;
/// The same limit as a fraction of the leg length, for feet whose ankle is on the floor.
const LEAST_HEIGHT: f32 = 0.02;
/// Half the length of a foot without vertices, as a fraction of the leg length.
const DEFAULT_FOOT: f32 = 0.12;

/// The vertices that each foot moves, in the rest pose.
pub(crate) struct Soles {
    /// For each leg: world positions, and the node that moves each of them most.
    vertices: Vec<Vec<(Vec3, usize)>>,
    ankles: Vec<Vec3>,
}

/// The sole of a foot.
pub(crate) struct SolePoints {
    /// World positions in the rest pose, and the node that moves each of them.
    pub(crate) points: Vec<(Vec3, usize)>,
    /// Indices of the backmost and the foremost point.
    pub(crate) heel: u32,
    pub(crate) toe: u32,
}

/// Returns the points that are farthest in 26 evenly spread directions.
pub(crate) fn outermost(points: &[Vec3]) -> Vec<Vec3> {
    let steps = [-1.0, 0.0, 1.0];
    let mut found: Vec<Vec3> = Vec::new();
    for (x, y, z) in steps.iter().flat_map(|x| steps.iter().flat_map(move |y| steps.map(|z| (*x, *y, z)))) {
        let along = Vec3::new(x, y, z).normalize_or_zero();
        let farthest = points.iter().max_by(|a, b| a.dot(along).total_cmp(&b.dot(along)));
        if let Some(&point) = farthest.filter(|p| along != Vec3::ZERO && !found.contains(p)) {
            found.push(point);
        }
    }
    found
}

impl Soles {
    /// Finds the vertices that the ends of legs and their descendants move. `world` contains the world matrices in the rest pose.
    pub(crate) fn new(
        character: &Character,
        scene: usize,
        world: &[Affine3A],
        ends: &[usize],
        slot: &dyn Fn(usize) -> Option<u32>,
    ) -> Self {
        let skeleton = &character.skeleton;
        let mut legs: Vec<Option<usize>> = vec![None; skeleton.nodes.len()];
        // For each node, the nearest node with a slot: the node itself or one of its ancestors.
        let mut owners: Vec<usize> = (0..skeleton.nodes.len()).collect();
        for &(node, parent) in &skeleton.parents_first {
            let own = ends.iter().position(|end| *end == node);
            legs[node] = own.or_else(|| parent.and_then(|parent| legs[parent]));
            if let Some(parent) = parent.filter(|_| slot(node).is_none()) {
                owners[node] = owners[parent];
            }
        }
        let mut vertices = vec![Vec::new(); ends.len()];
        for_each_part(character, scene, world, |part| {
            for (position, node) in part.positions.iter().zip(&part.nodes) {
                let found = node.and_then(|node| Some((node, (*legs.get(node)?)?)));
                if let Some((node, leg)) = found.filter(|_| position.is_finite()) {
                    vertices[leg].push((*position, owners[node]));
                }
            }
        });
        let ankle = |end: &usize| world.get(*end).map_or(Vec3::ZERO, |m| m.translation.into());
        Self { vertices, ankles: ends.iter().map(ankle).collect() }
    }

    /// Returns the vertices that are outermost on each node of a foot, as nodes and positions in their frames. `world` contains the world
    /// matrices in the rest pose.
    pub(crate) fn outermost(&self, leg: usize, world: &[Affine3A]) -> Vec<(usize, Vec3)> {
        let mut of_nodes: BTreeMap<usize, Vec<Vec3>> = BTreeMap::new();
        for &(at, node) in self.vertices.get(leg).into_iter().flatten() {
            let local = world.get(node).map(|matrix| matrix.inverse().transform_point3(at));
            of_nodes.entry(node).or_default().extend(local.filter(|p| p.is_finite()));
        }
        of_nodes.iter().flat_map(|(node, points)| outermost(points).into_iter().map(|p| (*node, p))).collect()
    }

    /// Returns the sole of a leg: its outermost points in six directions, all at the height of the lowest point. `facing` is the direction
    /// in which the body faces, and `size` is the length of the leg.
    pub(crate) fn of_leg(&self, leg: usize, end: usize, facing: Vec3, size: f32) -> SolePoints {
        let ankle = self.ankles.get(leg).copied().unwrap_or_default();
        let facing = Vec3::new(facing.x, 0.0, facing.z).try_normalize().unwrap_or(Vec3::Z);
        let side = Vec3::Y.cross(facing);
        let vertices = self.vertices.get(leg).map_or(&[][..], Vec::as_slice);
        let height = vertices.iter().map(|(p, _)| p.y).fold(f32::INFINITY, f32::min);
        let mut points: Vec<(Vec3, usize)> = Vec::new();
        if vertices.is_empty() {
            let half = DEFAULT_FOOT * size;
            points.push((ankle - facing * half, end));
            points.push((ankle + facing * half, end));
        } else {
            let below = height + (SOLE_HEIGHT * (ankle.y - height)).max(LEAST_HEIGHT * size);
            let outwards = [
                -facing + 0.4 * side,
                -facing - 0.4 * side,
                facing + 0.4 * side,
                facing - 0.4 * side,
                side + 0.3 * facing,
                0.3 * facing - side,
            ];
            for direction in outwards {
                let low = vertices.iter().filter(|(p, _)| p.y <= below);
                let outermost = low.max_by(|(a, _), (b, _)| a.dot(direction).total_cmp(&b.dot(direction)));
                points.extend(outermost.map(|&(p, node)| (Vec3::new(p.x, height, p.z), node)));
            }
        }
        let along = |index: usize| points.get(index).map_or(0.0, |(p, _)| p.dot(facing));
        let heel = (0..points.len()).min_by(|a, b| along(*a).total_cmp(&along(*b))).unwrap_or(0);
        let toe = (0..points.len()).max_by(|a, b| along(*a).total_cmp(&along(*b))).unwrap_or(0);
        SolePoints { heel: u32::try_from(heel).unwrap_or(0), toe: u32::try_from(toe).unwrap_or(0), points }
    }
}

/// Sets the soles and the feet of a body's standing legs from the matrices in the rest pose.
pub(super) fn measure(character: &Character, world: &[Affine3A], plan: &mut BodyPlan) {
    let facing = plan.facing;
    let limbs = plan.limbs.iter_mut();
    let mut legs: Vec<_> = limbs.filter(|limb| limb.kind == LimbKind::Leg && limb.stands).collect();
    let ends: Vec<usize> = legs.iter().map(|limb| limb.end()).collect();
    let soles =
        Soles::new(character, character.default_scene, world, &ends, &|node| u32::try_from(node).ok());
    for (index, limb) in legs.iter_mut().enumerate() {
        let at = |node: &usize| world.get(*node).map_or(Vec3::ZERO, |m| m.translation.into());
        let length = limb.joints.windows(2).map(|w| at(&w[0]).distance(at(&w[1]))).sum();
        let (ankle, side) = (at(&limb.end()), Vec3::Y.cross(facing));
        let mut sole = soles.of_leg(index, limb.end(), facing, length);
        let is_bare = soles.vertices.get(index).is_none_or(Vec::is_empty);
        if is_bare {
            sole.points.iter_mut().for_each(|(point, _)| point.y = plan.floor);
        }
        limb.foot = foot(&character.skeleton, world, limb.end(), &sole, plan.floor, plan.size);
        if is_bare {
            continue;
        }
        let from_ankle = |(point, _): &(Vec3, usize)| *point - ankle;
        let end = |index: u32| sole.points.get(index as usize).map(|p| f64::from(from_ankle(p).dot(facing)));
        let across = || sole.points.iter().map(|p| f64::from(from_ankle(p).dot(side)));
        let width = across().fold(f64::NEG_INFINITY, f64::max) - across().fold(f64::INFINITY, f64::min);
        limb.sole =
            end(sole.heel).zip(end(sole.toe)).map(|(heel, toe)| Sole { heel, toe, half_width: 0.5 * width });
    }
}

/// Returns the foot of a leg that ends at a node, with the points of its sole. `floor` is the height of the floor, and `size` is the size
/// of the body. `world` contains the world matrices in the rest pose. Returns `None` if a node of the foot has zero scale.
fn foot(
    skeleton: &Skeleton,
    world: &[Affine3A],
    node: usize,
    points: &SolePoints,
    floor: f32,
    size: f32,
) -> Option<Foot> {
    let points = &points.points;
    let local = |node: usize, point: Vec3| {
        let point = world.get(node)?.inverse().transform_point3(point);
        point.is_finite().then_some(point)
    };
    let mut sole = [(node, Vec3::ZERO); POINTS];
    for (slot, &(point, node)) in sole.iter_mut().zip(points.iter().cycle()) {
        *slot = (node, local(node, point)?);
    }
    // With a skin, a sole has two points at the back, followed by two in front. Without a skin, it has one of each.
    let ends = points.get(..4).unwrap_or(points);
    let (behind, before) = ends.split_at(ends.len() / 2);
    let middle = |points: &[(Vec3, usize)]| {
        let first = points.first().map(|(point, _)| *point)?;
        let last = points.last().map(|(point, _)| *point)?;
        local(node, first.midpoint(last))
    };
    let is_toe = |n: &usize| skeleton.nodes.get(*n).is_some_and(|toe| toe.parent == Some(node));
    let toes = before.iter().find_map(|&(_, below)| skeleton.ancestors(below).find(is_toe));
    let ball = match toes.and_then(|toes| world.get(toes)) {
        Some(toes) => local(node, toes.translation.into()),
        None => middle(before),
    }?;
    Some(Foot { node, heel: middle(behind)?, ball, sole, floor: Some(floor), size })
}

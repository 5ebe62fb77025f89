//! Problems with the same structure, which are solved together.

use std::collections::HashMap;
use std::ops::Range;

use bytemuck::Zeroable;
use glam::{DAffine3, DQuat, DVec3};
use rayon::prelude::*;

use crate::ik::shared::{ERROR_SHARE, append_bits};
use crate::ik::{Body, Goal, GoalAxes, JacobianOptions, Link, LinkIndex, Method, Options, Start};

use super::block_buffers::ProblemSize;
use super::body::{MAX_GOALS, MAX_JOINTS};
use super::gpu_types::{ChainConstants, ChainTarget, TreeConstants, TreeGoal};
use super::options::{ANGLE_TOLERANCE, POSITION_TOLERANCE};
use super::shaders::MAX_CHAIN;
use super::structure::{Effector, ReducedJoint, Structure, four, quaternion, single};

/// Position error, as a fraction of the chain's length, and orientation error, in radians, at which the shaders stop.
/// Steps converge quadratically, so a looser tolerance would hardly save a step.
const STOP: [f64; 2] = [3e-6, 2e-5];

/// Identifies a structure and everything else that the problems of a group share.
type Key = Vec<u64>;

/// Problems with the same structure.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) structure: Structure,
    pub(super) problems: Vec<usize>,
    /// Whether the bodies are figures, which the CPU would pose with its figure solver.
    pub(super) is_figure: bool,
    /// The key of the structure. Equal structures have equal keys, even in later solves.
    pub(super) key: Key,
}

/// Groups the problems. For a problem that the GPU does not support, returns the reason instead of a group.
pub(super) fn groups(
    bodies: &[Body],
    goals: &[Vec<Goal>],
    options: &Options,
) -> (Vec<Group>, Vec<(usize, &'static str)>) {
    let (mut groups, mut unsupported) = (Vec::<Group>::new(), Vec::new());
    // Clones of a body share their links, so that most links are compared only by address.
    let mut from_address: HashMap<*const Link, usize> = HashMap::new();
    let mut from_links: HashMap<Key, usize> = HashMap::new();
    let mut from_key: HashMap<Key, Result<usize, &'static str>> = HashMap::new();
    // Neighbours in a batch are usually alike, so the last key and the last address are compared before the maps are searched.
    let (mut key, mut last_key) = (Key::new(), None::<(Key, Result<usize, &'static str>)>);
    let mut last_links = None::<(*const Link, usize)>;
    let option_error = unsupported_option(options);
    for (index, (body, goals)) in bodies.iter().zip(goals).enumerate() {
        if let Some(what) = option_error.or_else(|| unsupported_goal(body, goals)) {
            unsupported.push((index, what));
            continue;
        }
        let address = body.links().as_ptr();
        let links = match last_links {
            Some((last, links)) if last == address => links,
            _ => {
                let count = from_links.len();
                *from_address
                    .entry(address)
                    .or_insert_with(|| *from_links.entry(links_key(body.links())).or_insert(count))
            }
        };
        last_links = Some((address, links));
        let is_figure = moves_root(options) && body.poses_as_figure();
        write_problem_key(&mut key, links, body, goals);
        key.push(u64::from(is_figure));
        if let Some((_, Ok(group))) = last_key.as_ref().filter(|(last, _)| *last == key) {
            groups[*group].problems.push(index);
            continue;
        }
        let found = match from_key.get(&key) {
            Some(found) => *found,
            None => {
                let built = Structure::new(body, goals, options).and_then(check_size);
                let found = built.map(|structure| {
                    let mut key = key.clone();
                    key.extend(links_key(body.links()));
                    key.extend([u64::from(options.limits), options.characteristic_length.to_bits()]);
                    groups.push(Group { structure, problems: Vec::new(), is_figure, key });
                    groups.len() - 1
                });
                from_key.insert(key.clone(), found);
                found
            }
        };
        last_key = Some((key.clone(), found));
        match found {
            Ok(group) => groups[group].problems.push(index),
            Err(what) => unsupported.push((index, what)),
        }
    }
    (groups, unsupported)
}

fn check_size(structure: Structure) -> Result<Structure, &'static str> {
    let is_finite = structure.packed.iter().all(|j| j.offset.iter().chain(&j.before).all(|x| x.is_finite()));
    if structure.joints.len() > MAX_JOINTS {
        Err("more than 96 joints")
    } else if structure.effectors.len() > MAX_GOALS {
        Err("more than 8 goals")
    } else if !is_finite {
        Err("lengths beyond single precision")
    } else {
        Ok(structure)
    }
}

fn unsupported_option(options: &Options) -> Option<&'static str> {
    let positive = [options.tolerance.unwrap_or(1.0), options.angle_tolerance, options.characteristic_length];
    if !positive.iter().all(|x| x.is_finite() && *x > 0.0) {
        Some("invalid options")
    } else if !matches!(options.method, Method::Auto | Method::Dls | Method::FullBody) {
        Some("other methods than auto, dls and full-body")
    } else if options.jacobian != JacobianOptions::default() {
        Some("options of the Jacobian methods")
    } else if options.textbook {
        Some("the methods of the founding documents")
    } else if options.record || options.trace {
        Some("records and traces")
    } else if options.limb != Default::default() {
        Some("options of limbs")
    } else {
        None
    }
}

fn unsupported_goal(body: &Body, goals: &[Goal]) -> Option<&'static str> {
    let is_valid = |g: &Goal| {
        let turn = g.orientation.unwrap_or_default();
        g.link.0 < body.links().len()
            && g.position.unwrap_or_default().is_finite()
            && g.offset.is_finite()
            && turn.is_finite()
            && turn.length() > 0.0
            && (0.0..=f64::MAX).contains(&g.weight)
    };
    if goals.is_empty() || !goals.iter().all(is_valid) {
        Some("empty or invalid problems")
    } else if goals.iter().any(|g| g.aim.is_some() || g.pole.is_some()) {
        Some("aims and poles")
    } else if goals.iter().any(|g| g.axes != GoalAxes::default()) {
        Some("free or weighted axes")
    } else if goals.iter().all(|g| g.position.is_none() && g.orientation.is_none()) {
        Some("goals without targets")
    } else if goals.len() > MAX_GOALS {
        Some("more than 8 goals")
    } else if world_scale(body).is_none() {
        Some("uneven scale above the base")
    } else {
        None
    }
}

/// Returns the scale of the map from base space to the world, if it is positive and uniform.
pub(super) fn world_scale(body: &Body) -> Option<f64> {
    const UNEVENNESS: f64 = 1e-5;
    let m = body.world_from_base().matrix3;
    let lengths = DVec3::new(m.x_axis.length(), m.y_axis.length(), m.z_axis.length());
    let most = lengths.max_element();
    let products = [m.x_axis.dot(m.y_axis), m.y_axis.dot(m.z_axis), m.z_axis.dot(m.x_axis)];
    let is_even = most - lengths.min_element() <= UNEVENNESS * most
        && products.iter().all(|p| p.abs() <= UNEVENNESS * most * most);
    (is_even && m.determinant() > 0.0).then_some(most)
}

fn vector_bits(v: DVec3) -> [u64; 3] {
    v.to_array().map(f64::to_bits)
}

fn links_key(links: &[Link]) -> Key {
    let mut key = vec![links.len() as u64];
    for link in links {
        key.push(link.parent.map_or(u64::MAX, |p| p.0 as u64));
        key.extend(vector_bits(link.offset));
        key.extend(link.rest.to_array().map(f64::to_bits));
        key.extend(vector_bits(link.scale));
        key.extend([link.weight.to_bits(), u64::from(link.reversed), u64::from(link.mimic.is_some())]);
        append_bits(&link.limit, &mut key);
    }
    key
}

/// Writes the key of a problem: its links, its goals without targets, and the rotations of links that never turn.
fn write_problem_key(key: &mut Key, links: usize, body: &Body, goals: &[Goal]) {
    key.clear();
    key.extend([links as u64, goals.len() as u64]);
    for goal in goals {
        let has = [goal.position.is_some(), goal.orientation.is_some(), goal.pinned].map(u64::from);
        key.extend([goal.link.0 as u64, has[0] | has[1] << 1 | has[2] << 2, goal.weight.to_bits()]);
        key.extend(vector_bits(goal.offset));
    }
    let is_still = |(_, link): &(&DQuat, &Link)| link.weight == 0.0;
    for (rotation, _) in body.rotations().iter().zip(body.links()).filter(is_still) {
        key.extend(rotation.to_array().map(f64::to_bits));
    }
}

/// The data that the shaders read for the problems of a group.
pub(super) struct Inputs {
    pub(super) targets: Vec<ChainTarget>,
    pub(super) starts: Vec<[f32; 4]>,
}

impl Group {
    /// Returns whether the chain shader solves the group. Otherwise the body shader does.
    pub(super) fn is_chain(&self, options: &Options) -> bool {
        self.structure.effectors.len() == 1
            && self.structure.joints.len() <= MAX_CHAIN
            && !moves_root(options)
    }

    /// Returns the size of a problem. Only the answers of the body shader contain the translation of the base.
    pub(super) fn problem_size(&self, options: &Options, is_measured: bool) -> ProblemSize {
        let (joints, goals) = (self.structure.joints.len() as u64, self.structure.effectors.len() as u64);
        ProblemSize { joints, goals, has_root: !self.is_chain(options), is_measured }
    }

    /// Returns the data of some problems, given by their places in the group.
    pub(super) fn inputs(
        &self,
        problems: Range<usize>,
        bodies: &[Body],
        goals: &[Vec<Goal>],
        options: &Options,
    ) -> Inputs {
        let problems = self.problems.get(problems).unwrap_or_default();
        let (joints, effectors) = (self.structure.joints.len(), self.structure.effectors.len());
        let mut targets = vec![ChainTarget::zeroed(); problems.len() * effectors];
        let mut starts = vec![[0.0; 4]; problems.len() * joints];
        // A group has at least one joint and one goal.
        let parts = targets.par_chunks_mut(effectors.max(1)).zip(starts.par_chunks_mut(joints.max(1)));
        parts.zip(problems).for_each(|((targets, starts), &index)| {
            self.write_targets(&bodies[index], &goals[index], options, targets);
            self.write_starts(&bodies[index], options, starts);
        });
        Inputs { targets, starts }
    }

    fn write_targets(&self, body: &Body, goals: &[Goal], options: &Options, to: &mut [ChainTarget]) {
        let root = start_root(body, options);
        let base_from_world: DAffine3 = body.world_from_base().inverse();
        let world_from_base = world_from_base_rotation(body);
        let target = |(goal, effector): (&Goal, &Effector)| {
            let place = goal.position.unwrap_or_default();
            let place = (base_from_world.transform_point3(place) - root) / self.structure.length;
            let orientation = goal.orientation.map_or(DQuat::IDENTITY, DQuat::normalize);
            // `orientation` is now the target orientation of the last joint.
            let orientation = world_from_base.conjugate() * orientation * effector.rotation.conjugate();
            ChainTarget { position: four(place, 0.0), orientation: quaternion(orientation.normalize()) }
        };
        let targets = goals.iter().zip(&self.structure.effectors).map(target);
        to.iter_mut().zip(targets).for_each(|(to, target)| *to = target);
    }

    fn write_starts(&self, body: &Body, options: &Options, to: &mut [[f32; 4]]) {
        let start = |joint: &ReducedJoint| {
            let link = &body.links()[joint.link];
            let rotation =
                if options.start == Start::Rest { link.rest } else { body.rotations()[joint.link] };
            let allowed = if options.limits { link.nearest(rotation) } else { rotation };
            quaternion(joint.own(link, allowed).normalize())
        };
        let starts = self.structure.joints.iter().map(start);
        to.iter_mut().zip(starts).for_each(|(to, start)| *to = start);
    }

    /// Returns the scales of position and orientation errors of a goal.
    fn scales(&self, index: usize, goal: &Goal, options: &Options) -> [f64; 2] {
        let effector = &self.structure.effectors[index];
        let radian = options.characteristic_length * effector.length / self.structure.length;
        let has = |part: bool| if part { effector.scale } else { 0.0 };
        [has(goal.position.is_some()), has(goal.orientation.is_some()) * radian]
    }

    /// Returns the constants of the chain shader.
    pub(super) fn chain(&self, goal: &Goal, options: &Options) -> ChainConstants {
        let [place, turn] = self.scales(0, goal, options);
        let effector = &self.structure.effectors[0];
        ChainConstants {
            end: four(effector.place / self.structure.length, place),
            tolerances: [STOP[0], STOP[1], turn, ERROR_SHARE * self.structure.freedom].map(single),
            problems: 0,
            restarts: 0,
            iterations: 0,
            poses: 0,
            joints: u32::try_from(self.structure.joints.len()).unwrap_or(u32::MAX),
            reserved_0: 0,
            reserved_1: 0,
            reserved_2: 0,
        }
    }

    /// Returns the constants of the body shader, its goals, and the index of the error for each of its rows.
    pub(super) fn tree(&self, goals: &[Goal], options: &Options) -> (TreeConstants, Vec<TreeGoal>, Vec<u32>) {
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let goal = |(index, goal): (usize, &Goal)| {
            let [place, turn] = self.scales(index, goal, options);
            let effector = &self.structure.effectors[index];
            let mut above = [0; 3];
            for joint in self.structure.above(effector) {
                if let Some(word) = above.get_mut(joint / 32) {
                    *word |= 1 << (joint % 32);
                }
            }
            TreeGoal {
                end: four(effector.place / self.structure.length, place),
                tolerances: [STOP[0], STOP[1], turn, 0.0].map(single),
                above,
                joint: count(effector.joint),
            }
        };
        let goals: Vec<TreeGoal> = goals.iter().enumerate().map(goal).collect();
        let counts = |(index, goal): (usize, &TreeGoal)| {
            let parts = [(goal.end[3], 0), (goal.tolerances[2], 3)];
            let parts = parts.into_iter().filter(|(scale, _)| *scale > 0.0);
            parts
                .flat_map(move |(_, first)| (0..3).map(move |i| count(6 * index + first + i)))
                .collect::<Vec<_>>()
        };
        let rows: Vec<u32> = goals.iter().enumerate().flat_map(counts).collect();
        let tree = TreeConstants {
            joints: count(self.structure.joints.len()),
            goals: count(goals.len()),
            problems: 0,
            iterations: 0,
            depth: self.structure.depth(),
            root_weight: if moves_root(options) { 1.0 } else { 0.0 },
            damping: single(ERROR_SHARE * self.structure.freedom),
            rows: count(rows.len()),
        };
        (tree, goals, rows)
    }
}

/// Returns the translation of the base from which a solve starts.
pub(super) fn start_root(body: &Body, options: &Options) -> DVec3 {
    if options.start == Start::Rest { DVec3::ZERO } else { body.root() }
}

pub(super) fn moves_root(options: &Options) -> bool {
    options.root_motion && matches!(options.method, Method::Auto | Method::FullBody)
}

/// Returns the product of the rotations above the base.
pub(super) fn world_from_base_rotation(body: &Body) -> DQuat {
    let base = body.rotations().first().copied().unwrap_or_default();
    body.orientation(LinkIndex(0)).unwrap_or_default() * base.conjugate()
}

/// Returns the tolerances of a goal in world metres and radians. `length` is the length of its chain in world metres.
pub(super) fn tolerances(goal: &Goal, length: f64, options: &Options) -> [f64; 2] {
    /// Default tolerance, as a fraction of the chain's length. The CPU uses the same values.
    const DEFAULT: f64 = 1e-4;
    const PIN: f64 = 2e-5;
    let mut position = options.tolerance.unwrap_or(DEFAULT * length);
    if goal.pinned {
        position = position.min(PIN * length);
    }
    [position.max(POSITION_TOLERANCE * length), options.angle_tolerance.max(ANGLE_TOLERANCE)]
}

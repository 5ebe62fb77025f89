//! Joints that follow those of the same part of the body.

use std::collections::BTreeMap;

use glam::{Affine3A, Quat, Vec3};

use crate::asset::{Character, Skeleton};
use crate::motion::Hold;
use crate::pose::Pose;

use super::align::{SIDES, align};
use super::figure::{Figure, mirror, turn};
use super::ground::ground;
use super::turns::{Pairs, Turn};
use crate::motion::interpolate::slerp;

/// A foot is held up to the first of these heights above where it stands, and free from the second on, in heights of the hips.
const HELD: f32 = 0.05;
const FREE: f32 = 0.25;
/// A foot stands on its toes where its heel is so much higher, and on its sole where it is so much lower.
const ROLLS: f32 = 0.01;
/// How far the hips are lowered at most so that feet reach the ground, in heights of the hips.
const LOWERED: f32 = 0.15;

/// All that is known of two bodies before a pose is.
#[derive(Clone, Debug)]
pub(super) struct Bodies {
    /// `target_world_from_source_world`: the source as large as the target, its ground on the target's.
    pub(super) target_from_source: Affine3A,
    turn: Quat,
    source: Tree,
    target: Tree,
    rest: Pose,
    turns: Vec<Turn>,
    /// For each node of the target its place in `turns`.
    turn_of: Vec<Option<usize>>,
    anchor: usize,
    /// The anchor from the middle of the hips, in its own frame: metres of the world.
    anchor_from_middle: Vec3,
    /// The source's joints of the hips.
    hips: [usize; 2],
    feet: Vec<Foot>,
    arms: Vec<Arm>,
    /// Joints that the file does not hang on what carries them.
    loose: Vec<Loose>,
    /// Which way is up, and how high the hips and the ground are.
    up: Vec3,
    height: f32,
}

/// The nodes that matter and all above them, parents first, with what a frame writes.
#[derive(Clone, Debug)]
struct Tree {
    order: Vec<(usize, Option<usize>)>,
    /// World orientations and, where asked for, matrices, by node.
    turns: Vec<Quat>,
    world: Vec<Affine3A>,
    /// Nodes whose matrices are asked for, and all above them.
    placed: Vec<(usize, Option<usize>)>,
    parents: Vec<Option<usize>>,
}

#[derive(Clone, Copy, Debug)]
struct Foot {
    from: usize,
    toes: Option<usize>,
    to: usize,
    /// The node that is held, and whether the foot hangs elsewhere.
    held: usize,
    is_loose: bool,
    /// The target's foot at rest, to the world.
    rest: Quat,
    /// From the source's ankle to the target's in the shared posture.
    offset: Vec3,
    /// What of the offset turns with the foot while it stands on its sole, and on its toes.
    on_sole: Vec3,
    on_toes: Vec3,
    /// Heights of the target's ankle and of the source's toes where they stand, along the target's up.
    ankle_height: f32,
    toes_height: f32,
    /// The target's joint of the hip from the anchor, in the anchor's frame, and how far it is from there to the ankle of a
    /// straight leg.
    hip: Vec3,
    reach: f32,
}

impl Foot {
    /// From the source's ankle to the target's now. What the foot stands on shall keep its place while the foot rolls over
    /// it; so the offset is split: one part turns with the foot, the other with its heading alone.
    ///
    /// `raised`: how much higher the heel is than the toes, in heights of the hips.
    fn offset(&self, foot: Quat, up: Vec3, raised: f32) -> Vec3 {
        let turn = foot * self.rest.conjugate();
        let about_up = turn.xyz().dot(up);
        let heading = Quat::from_xyzw(up.x * about_up, up.y * about_up, up.z * about_up, turn.w);
        let heading = if heading.length() > 1e-3 { heading.normalize() } else { Quat::IDENTITY };
        let share = (0.5 + 0.5 * raised / ROLLS).clamp(0.0, 1.0);
        let turning = self.on_sole.lerp(self.on_toes, share);
        heading * (self.offset - turning) + turn * turning
    }
}

#[derive(Clone, Copy, Debug)]
struct Arm {
    from: usize,
    to: usize,
    /// Both upper arms of the source, and of the target.
    from_shoulders: [usize; 2],
    to_shoulders: [usize; 2],
    ratio: f32,
}

#[derive(Clone, Copy, Debug)]
struct Loose {
    node: usize,
    carrier: usize,
    /// In the carrier's frame at rest.
    place: Vec3,
}

impl Bodies {
    /// `None` where a body has no height.
    pub(super) fn new(character: &Character, source: &Figure, target: &Figure) -> Option<Self> {
        let aligned = align(source, target);
        let ground = ground(character, source, target);
        let up = target.up();
        let height = target.height();
        let ratio = height / standing(source, &aligned);
        if !(ratio.is_finite() && ratio > 0.0 && height > 0.0) {
            return None;
        }
        let source_up = ground.turn.conjugate() * up;
        let from = source.middle + source_up * (ground.height - source.middle.dot(source_up));
        let to = target.middle - up * height;
        let linear = Affine3A::from_scale_rotation_translation(Vec3::splat(ratio), ground.turn, Vec3::ZERO);
        let target_from_source = Affine3A::from_translation(to - linear.transform_point3(from)) * linear;
        let turns = Pairs { source, target, aligned: &aligned }.turns();
        let mut turn_of = vec![None; target.places.len()];
        turns.iter().enumerate().for_each(|(i, t)| turn_of[t.node] = Some(i));
        let anchor = target.anchor()?;
        let hips = [source.node("leftUpperLeg")?, source.node("rightUpperLeg")?];
        let feet: Vec<Foot> = SIDES
            .into_iter()
            .filter_map(|side| foot(side, (source, target), &aligned, ratio, anchor))
            .collect();
        let arms: Vec<Arm> = SIDES.into_iter().filter_map(|side| arm(side, source, target, ratio)).collect();
        let loose = loose(target, anchor);
        let from_turns = turns.iter().flat_map(|t| [t.from.0, t.to.0]);
        let from_places = hips.into_iter().chain(feet.iter().flat_map(|f| [Some(f.from), f.toes]).flatten());
        let from_places =
            from_places.chain(arms.iter().flat_map(|a| [a.from, a.from_shoulders[0], a.from_shoulders[1]]));
        let to_turns = turns.iter().map(|t| t.node);
        let to_places = loose.iter().flat_map(|l| [l.node, l.carrier]);
        let to_places = to_places.chain(arms.iter().flat_map(|a| a.to_shoulders));
        Some(Self {
            source: Tree::new(source.skeleton, from_turns, from_places),
            target: Tree::new(target.skeleton, to_turns, to_places),
            turn: ground.turn,
            target_from_source,
            rest: Pose::rest(target.skeleton),
            turn_of,
            turns,
            anchor,
            anchor_from_middle: target.turns[anchor].conjugate() * (target.places[anchor] - target.middle),
            hips,
            feet,
            arms,
            loose,
            up,
            height,
        })
    }

    pub(super) fn pose(&mut self, source: &Pose, hands: bool, out: &mut Pose, holds: &mut Vec<Hold>) {
        out.clone_from(&self.rest);
        if source.locals.len() != self.source.turns.len() {
            return;
        }
        self.source.follow(source, self.turn);
        self.source.place(source, self.target_from_source);
        self.turn_all(out);
        self.feet_holds(holds);
        self.set_anchor(holds, out);
        self.carry(out);
        self.put_feet(out, holds);
        if hands {
            self.hold_hands(out, holds);
        }
    }

    /// Every rotation of the target, parents first.
    fn turn_all(&mut self, out: &mut Pose) {
        for &(node, parent) in &self.target.order {
            let above = parent.map_or(Quat::IDENTITY, |p| self.target.turns[p]);
            let local = &mut out.locals[node];
            self.target.turns[node] = match self.turn_of[node].map(|t| &self.turns[t]) {
                Some(t) => {
                    let of = |(joint, shared): (usize, Quat)| self.source.turns[joint] * shared;
                    let world = if t.share > 0.0 { slerp(of(t.from), of(t.to), t.share) } else { of(t.from) };
                    local.rotation =
                        (above.conjugate() * world * mirror(local.scale).conjugate()).normalize();
                    world
                }
                None => above * turn(local),
            };
        }
    }

    /// The hips where the source's are, each measured in the middle between its legs; and lower where a leg is too short for the
    /// place that its foot is held at.
    fn set_anchor(&mut self, holds: &[Hold], out: &mut Pose) {
        let [left, right] = self.hips.map(|n| self.source.at(n));
        let turn = self.target.turns[self.anchor];
        let place = 0.5 * (left + right) + turn * self.anchor_from_middle;
        let lowered = self.feet.iter().zip(holds).map(|(f, hold)| {
            let way = place + turn * f.hip - hold.position;
            let high = way.dot(self.up);
            let across = (way.length_squared() - high * high).max(0.0);
            let reached = (f.reach * f.reach - across).max(0.0).sqrt();
            hold.weight * (high - reached).clamp(0.0, LOWERED * self.height)
        });
        let place = place - self.up * lowered.fold(0.0, f32::max);
        let above = self.target.parents[self.anchor].map(|p| self.target.world_of(p, out));
        let place = above.map_or(place, |above| within(above, place));
        if place.is_finite() {
            out.locals[self.anchor].translation = place;
        }
    }

    /// What hangs elsewhere goes with its limb all the same.
    fn carry(&mut self, out: &mut Pose) {
        for l in &self.loose {
            let place = self.target.world_of(l.carrier, out).transform_point3(l.place);
            put(&self.target, l.node, place, out);
        }
    }

    /// A hold a foot, before the hips are where they will be.
    fn feet_holds(&self, holds: &mut Vec<Hold>) {
        holds.extend(self.feet.iter().map(|f| {
            let ankle = self.source.at(f.from);
            let heel = ankle.dot(self.up) - f.ankle_height;
            let toes = f.toes.map_or(heel, |t| self.source.at(t).dot(self.up) - f.toes_height);
            let position = ankle + f.offset(self.target.turns[f.to], self.up, (heel - toes) / self.height);
            let above = (heel.min(toes) / self.height - HELD) / (FREE - HELD);
            let above = above.clamp(0.0, 1.0);
            let weight = 1.0 - above * above * (3.0 - 2.0 * above);
            Hold { node: f.held, position, orientation: None, weight }
        }));
    }

    /// Feet that hang elsewhere go where they are held; the others tell how they are turned.
    fn put_feet(&self, out: &mut Pose, holds: &mut [Hold]) {
        for (f, hold) in self.feet.iter().zip(holds) {
            if f.is_loose {
                let now = self.target.world_of(f.to, out).translation.into();
                put(&self.target, f.to, Vec3::lerp(now, hold.position, hold.weight), out);
            } else {
                hold.orientation = Some(self.target.orientation(f.to, out));
            }
        }
    }

    fn hold_hands(&mut self, out: &mut Pose, holds: &mut Vec<Hold>) {
        for a in &self.arms {
            let [left, right] = a.from_shoulders.map(|n| self.source.at(n));
            let reach = self.source.at(a.from) - 0.5 * (left + right);
            let [left, right] = a.to_shoulders.map(|n| Vec3::from(self.target.world_of(n, out).translation));
            let position = 0.5 * (left + right) + a.ratio * reach;
            let orientation = Some(self.target.orientation(a.to, out));
            holds.push(Hold { node: a.to, position, orientation, weight: 1.0 });
        }
    }
}

impl Tree {
    fn new(
        skeleton: &Skeleton,
        turned: impl Iterator<Item = usize>,
        placed: impl Iterator<Item = usize>,
    ) -> Self {
        let count = skeleton.nodes.len();
        let above = |nodes: &mut dyn Iterator<Item = usize>| {
            let mut wanted = vec![false; count];
            nodes.flat_map(|n| skeleton.ancestors(n)).for_each(|n| wanted[n] = true);
            skeleton.parents_first.iter().copied().filter(|(n, _)| wanted[*n]).collect::<Vec<_>>()
        };
        let (mut turned, mut placed) = (turned, placed);
        Self {
            order: above(&mut turned),
            placed: above(&mut placed),
            turns: vec![Quat::IDENTITY; count],
            world: vec![Affine3A::IDENTITY; count],
            parents: skeleton.nodes.iter().map(|n| n.parent).collect(),
        }
    }

    /// World orientations of a pose in a world that is turned.
    fn follow(&mut self, pose: &Pose, world: Quat) {
        for &(node, parent) in &self.order {
            let above = parent.map_or(world, |p| self.turns[p]);
            self.turns[node] = above * turn(&pose.locals[node]);
        }
    }

    /// World matrices of a pose in a world that stands elsewhere.
    fn place(&mut self, pose: &Pose, world: Affine3A) {
        for &(node, parent) in &self.placed {
            let above = parent.map_or(world, |p| self.world[p]);
            self.world[node] = above * pose.locals[node].to_affine();
        }
    }

    fn at(&self, node: usize) -> Vec3 {
        self.world[node].translation.into()
    }

    /// A node and all above it, from the node up.
    fn up(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(node), |&n| self.parents[n])
    }

    /// One node's matrix in a pose.
    fn world_of(&self, node: usize, pose: &Pose) -> Affine3A {
        self.up(node).fold(Affine3A::IDENTITY, |below, n| pose.locals[n].to_affine() * below)
    }

    /// One node's orientation by the product of rotations.
    fn orientation(&self, node: usize, pose: &Pose) -> Quat {
        self.up(node).fold(Quat::IDENTITY, |below, n| pose.locals[n].rotation * below).normalize()
    }
}

/// Moves a node to a place of the world.
fn put(tree: &Tree, node: usize, place: Vec3, out: &mut Pose) {
    let above = tree.parents[node].map_or(Affine3A::IDENTITY, |p| tree.world_of(p, out));
    let place = within(above, place);
    if place.is_finite() {
        out.locals[node].translation = place;
    }
}

fn within(world: Affine3A, place: Vec3) -> Vec3 {
    world.inverse().transform_point3(place)
}

/// The way from the middle of the hips to an ankle in the shared posture, in the body's frame.
fn leg(side: &str, figure: &Figure, aligned: &BTreeMap<String, Quat>) -> Option<Vec3> {
    let place = |bone: &str| figure.place(&format!("{side}{bone}"));
    let turned = |bone: &str, way: Vec3| aligned.get(&format!("{side}{bone}")).map_or(way, |q| *q * way);
    let (top, knee, ankle) = (place("UpperLeg")?, place("LowerLeg")?, place("Foot")?);
    let (thigh, shin) = (figure.way(top, knee), figure.way(knee, ankle));
    Some(figure.way(figure.middle, top) + turned("UpperLeg", thigh) + turned("LowerLeg", shin))
}

/// How high the hips are above the ground in the shared posture.
fn standing(source: &Figure, aligned: &BTreeMap<String, Quat>) -> f32 {
    let legs = SIDES.into_iter().filter_map(|side| Some(-leg(side, source, aligned)?.y));
    match legs.fold((0.0, 0.0), |(sum, count), y| (sum + y, count + 1.0)) {
        (_, count) if count == 0.0 => source.height(),
        (sum, count) => sum / count + source.ankle - source.ground,
    }
}

fn foot(
    side: &str,
    (source, target): (&Figure, &Figure),
    aligned: &BTreeMap<String, Quat>,
    ratio: f32,
    anchor: usize,
) -> Option<Foot> {
    let hip = target.place(&format!("{side}UpperLeg"))?;
    let bone = format!("{side}Foot");
    let (from, to) = (source.node(&bone)?, target.node(&bone)?);
    let shared = target.middle + target.body * (ratio * leg(side, source, aligned)?);
    let up = target.up();
    let rises = target.ankle - target.ground - ratio * (source.ankle - source.ground);
    let (on_sole, mut on_toes) = (up * rises, up * rises);
    let toes = source.node(&format!("{side}Toes"));
    if let Some((toes, own)) = toes.zip(target.node(&format!("{side}Toes"))) {
        let turned = aligned.get(&bone).copied().unwrap_or(Quat::IDENTITY);
        let length = turned * source.way(source.places[from], source.places[toes]);
        on_toes = ratio * (target.body * length) - (target.places[own] - target.places[to]);
    }
    let above = |node: usize| source.places[node].dot(source.up()) - source.ground;
    let lower = target.node(&format!("{side}LowerLeg"))?;
    let is_loose = !target.below(to, lower);
    let shin = target.places[lower].distance(target.places[to]);
    let thigh = target.places[lower].distance(hip);
    let marks = |n: &usize| target.places[*n].distance(target.places[to]) < 0.15 * shin;
    let mark = target.skeleton.nodes.get(lower)?.children.iter().copied().find(marks);
    Some(Foot {
        from,
        toes,
        to,
        held: mark.filter(|_| is_loose).unwrap_or(to),
        is_loose,
        rest: target.turns[to],
        offset: target.places[to] - shared,
        on_sole,
        on_toes,
        ankle_height: target.ground + ratio * (source.ankle - source.ground),
        toes_height: toes.map_or(0.0, |t| target.ground + ratio * above(t)),
        hip: target.turns[anchor].conjugate() * (hip - target.places[anchor]),
        reach: thigh + shin,
    })
}

/// By the way from between the shoulders to the hand, along the bones.
fn arm(side: &str, source: &Figure, target: &Figure, ratio: f32) -> Option<Arm> {
    let shoulders = |f: &Figure| Some([f.node("leftUpperArm")?, f.node("rightUpperArm")?]);
    let span = |f: &Figure| {
        let place = |bone: &str| f.place(&format!("{side}{bone}"));
        let [left, right] = shoulders(f)?.map(|n| f.places[n]);
        let arm = [place("UpperArm")?, place("LowerArm")?, place("Hand")?];
        Some(0.5 * left.distance(right) + arm[0].distance(arm[1]) + arm[1].distance(arm[2]))
    };
    let bone = format!("{side}Hand");
    let scale = span(target)? / (ratio * span(source)?);
    Some(Arm {
        from: source.node(&bone)?,
        to: target.node(&bone)?,
        from_shoulders: shoulders(source)?,
        to_shoulders: shoulders(target)?,
        ratio: Some(scale).filter(|s| s.is_finite())?,
    })
}

/// Legs that hang beside what carries the hips, and feet that hang beside their legs.
fn loose(target: &Figure, anchor: usize) -> Vec<Loose> {
    let of = |bone: String, carrier: usize| {
        let node = target.node(&bone).filter(|n| !target.below(*n, carrier))?;
        // Scale does not matter here: places go back the way they came.
        let world = target.skeleton.ancestors(carrier);
        let world =
            world.fold(Affine3A::IDENTITY, |below, n| target.skeleton.nodes[n].rest.to_affine() * below);
        Some(Loose { node, carrier, place: within(world, target.places[node]) })
    };
    let legs = SIDES.into_iter().filter_map(|side| of(format!("{side}UpperLeg"), anchor));
    let lower = |side| target.node(&format!("{side}LowerLeg"));
    let feet = SIDES.into_iter().filter_map(|side| of(format!("{side}Foot"), lower(side)?));
    legs.chain(feet).collect()
}

//! What is known of a pair of legs and arms before a pose is.

use std::collections::BTreeMap;

use glam::{Affine3A, Quat, Vec3};

use super::align::SIDES;
use super::figure::Figure;
use super::tree::within;

/// A foot stands on its toes where its heel is so much higher, and on its sole where it is so much lower.
const ROLLS: f32 = 0.01;

/// A foot of the source and of the target.
#[derive(Clone, Copy, Debug)]
pub(super) struct Foot {
    pub(super) from: usize,
    pub(super) toes: Option<usize>,
    pub(super) to: usize,
    /// The node that is held, and whether the foot hangs elsewhere.
    pub(super) held: usize,
    pub(super) is_loose: bool,
    /// The target's foot at rest, to the world.
    pub(super) rest: Quat,
    /// From the source's ankle to the target's in the shared posture.
    pub(super) offset: Vec3,
    /// What of the offset turns with the foot while it stands on its sole, and on its toes.
    pub(super) on_sole: Vec3,
    pub(super) on_toes: Vec3,
    /// Heights of the target's ankle and of the source's toes where they stand, along the target's up.
    pub(super) ankle_height: f32,
    pub(super) toes_height: f32,
    /// The target's joint of the hip from the anchor, in the anchor's frame, and how far it is from there to the ankle of a
    /// straight leg.
    pub(super) hip: Vec3,
    pub(super) reach: f32,
}

impl Foot {
    /// From the source's ankle to the target's now. What the foot stands on shall keep its place while the foot rolls over
    /// it; so the offset is split: one part turns with the foot, the other with its heading alone.
    ///
    /// `raised`: how much higher the heel is than the toes, in heights of the hips.
    pub(super) fn offset(&self, foot: Quat, up: Vec3, raised: f32) -> Vec3 {
        let turn = foot * self.rest.conjugate();
        let about_up = turn.xyz().dot(up);
        let heading = Quat::from_xyzw(up.x * about_up, up.y * about_up, up.z * about_up, turn.w);
        let heading = if heading.length() > 1e-3 { heading.normalize() } else { Quat::IDENTITY };
        let share = (0.5 + 0.5 * raised / ROLLS).clamp(0.0, 1.0);
        let turning = self.on_sole.lerp(self.on_toes, share);
        heading * (self.offset - turning) + turn * turning
    }
}

/// A hand of both, with the joints that its reach is measured from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arm {
    pub(super) from: usize,
    pub(super) to: usize,
    /// Both upper arms of the source, and of the target.
    pub(super) from_shoulders: [usize; 2],
    pub(super) to_shoulders: [usize; 2],
    pub(super) ratio: f32,
}

/// A joint that the file does not hang on what carries it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loose {
    pub(super) node: usize,
    pub(super) carrier: usize,
    /// In the carrier's frame at rest.
    pub(super) place: Vec3,
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
pub(super) fn standing(source: &Figure, aligned: &BTreeMap<String, Quat>) -> f32 {
    let legs: Vec<f32> = SIDES.into_iter().filter_map(|side| Some(-leg(side, source, aligned)?.y)).collect();
    let lowest = legs.iter().copied().reduce(f32::max);
    lowest.map_or(source.height(), |leg| leg + source.ankle - source.ground)
}

pub(super) fn foot(
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
pub(super) fn arm(side: &str, source: &Figure, target: &Figure, ratio: f32) -> Option<Arm> {
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
pub(super) fn loose(target: &Figure, anchor: usize) -> Vec<Loose> {
    let of = |bone: String, carrier: usize| {
        let node = target.node(&bone).filter(|n| !target.below(*n, carrier))?;
        // Scale does not matter here: places go back the way they came.
        let world = target.skeleton.ancestors(carrier);
        let world = world.fold(Affine3A::IDENTITY, |below, n| target.pose.locals[n].to_affine() * below);
        Some(Loose { node, carrier, place: within(world, target.places[node]) })
    };
    let legs = SIDES.into_iter().filter_map(|side| of(format!("{side}UpperLeg"), anchor));
    let lower = |side| target.node(&format!("{side}LowerLeg"));
    let feet = SIDES.into_iter().filter_map(|side| of(format!("{side}Foot"), lower(side)?));
    legs.chain(feet).collect()
}

//! Precomputed data about the feet, hands and detached joints of two humanoids.

use std::collections::BTreeMap;

use glam::{Affine3A, Quat, Vec3};

use super::figure::RestFigure;
use super::frame::SIDES;
use super::tree::to_local;

/// A foot stands on its toes if its heel is at least this much higher than the toes, and on its sole if the heel is
/// at least this much lower. The value is a fraction of the hip height.
const ROLL: f32 = 0.01;

/// A foot of the source and the corresponding foot of the target.
#[derive(Clone, Copy, Debug)]
pub(super) struct FootPair {
    pub(super) from: usize,
    pub(super) toes: Option<usize>,
    pub(super) to: usize,
    /// The node to which the contact constraint applies.
    pub(super) constrained: usize,
    /// Whether the foot is not a descendant of the lower leg in the hierarchy.
    pub(super) is_detached: bool,
    /// World orientation of the target's foot in the rest pose.
    pub(super) rest: Quat,
    /// Offset from the source's ankle to the target's in the shared posture.
    pub(super) offset: Vec3,
    /// The parts of the offset that rotate with the foot while it stands on its sole and while it stands on its toes.
    pub(super) on_sole: Vec3,
    pub(super) on_toes: Vec3,
    /// Heights of the target's ankle and of the source's toes on the ground, along the target's up axis.
    pub(super) ankle_height: f32,
    pub(super) toes_height: f32,
    /// Offset of the target's hip joint from the anchor, in the anchor's frame, and the length of the straight leg from
    /// the hip joint to the ankle.
    pub(super) hip: Vec3,
    pub(super) reach: f32,
}

impl FootPair {
    /// Returns the current offset from the source's ankle to the target's.
    ///
    /// The point of contact must stay in place while the foot rolls over it. Therefore one part of the offset rotates
    /// with the foot, and the other part only with its heading.
    ///
    /// `raised` is the height of the heel above the toes, as a fraction of the hip height.
    pub(super) fn offset(&self, foot: Quat, up: Vec3, raised: f32) -> Vec3 {
        let turn = foot * self.rest.conjugate();
        let about_up = turn.xyz().dot(up);
        let heading = Quat::from_xyzw(up.x * about_up, up.y * about_up, up.z * about_up, turn.w);
        let heading = if heading.length() > 1e-3 { heading.normalize() } else { Quat::IDENTITY };
        let on_toes = (0.5 + 0.5 * raised / ROLL).clamp(0.0, 1.0);
        let rotating = self.on_sole.lerp(self.on_toes, on_toes);
        heading * (self.offset - rotating) + turn * rotating
    }
}

/// A hand of the source and the corresponding hand of the target, with the shoulders from which their offsets are
/// measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArmPair {
    pub(super) from: usize,
    pub(super) to: usize,
    /// Both upper arms of the source, and both upper arms of the target.
    pub(super) from_shoulders: [usize; 2],
    pub(super) to_shoulders: [usize; 2],
    pub(super) ratio: f32,
}

/// A joint that is not a descendant of its logical parent in the file's hierarchy.
#[derive(Clone, Copy, Debug)]
pub(super) struct DetachedJoint {
    pub(super) node: usize,
    pub(super) logical_parent: usize,
    /// Position in the logical parent's frame, in the rest pose.
    pub(super) position: Vec3,
}

/// Returns the offset from the midpoint of the hip joints to an ankle in the shared posture, in the body frame.
fn leg(side: &str, figure: &RestFigure, aligned: &BTreeMap<String, Quat>) -> Option<Vec3> {
    let position = |bone: &str| figure.position(&format!("{side}{bone}"));
    let rotated = |bone: &str, v: Vec3| aligned.get(&format!("{side}{bone}")).map_or(v, |q| *q * v);
    let (top, knee, ankle) = (position("UpperLeg")?, position("LowerLeg")?, position("Foot")?);
    let (thigh, shin) = (figure.offset(top, knee), figure.offset(knee, ankle));
    Some(figure.offset(figure.middle, top) + rotated("UpperLeg", thigh) + rotated("LowerLeg", shin))
}

/// Returns the height of the source's hips above the ground in the shared posture.
pub(super) fn standing_height(source: &RestFigure, aligned: &BTreeMap<String, Quat>) -> f32 {
    let legs: Vec<f32> = SIDES.into_iter().filter_map(|side| Some(-leg(side, source, aligned)?.y)).collect();
    let lowest = legs.iter().copied().reduce(f32::max);
    lowest.map_or(source.height(), |leg| leg + source.ankle - source.ground)
}

/// Precomputes the data of a foot.
pub(super) fn foot(
    side: &str,
    source: &RestFigure,
    target: &RestFigure,
    aligned: &BTreeMap<String, Quat>,
    ratio: f32,
    anchor: usize,
) -> Option<FootPair> {
    let hip = target.position(&format!("{side}UpperLeg"))?;
    let bone = format!("{side}Foot");
    let (from, to) = (source.node(&bone)?, target.node(&bone)?);
    let shared = target.middle + target.body * (ratio * leg(side, source, aligned)?);
    let up = target.up();
    let rise = target.ankle - target.ground - ratio * (source.ankle - source.ground);
    let (on_sole, mut on_toes) = (up * rise, up * rise);
    let toes = source.node(&format!("{side}Toes"));
    if let Some((toes, target_toes)) = toes.zip(target.node(&format!("{side}Toes"))) {
        let rotation = aligned.get(&bone).copied().unwrap_or(Quat::IDENTITY);
        let length = rotation * source.offset(source.positions[from], source.positions[toes]);
        on_toes = ratio * (target.body * length) - (target.positions[target_toes] - target.positions[to]);
    }
    let height = |node: usize| source.positions[node].dot(source.up()) - source.ground;
    let lower = target.node(&format!("{side}LowerLeg"))?;
    let is_detached = !target.below(to, lower);
    let shin = target.positions[lower].distance(target.positions[to]);
    let thigh = target.positions[lower].distance(hip);
    let marks_ankle = |n: &usize| target.positions[*n].distance(target.positions[to]) < 0.15 * shin;
    let mark = target.skeleton.nodes.get(lower)?.children.iter().copied().find(marks_ankle);
    Some(FootPair {
        from,
        toes,
        to,
        constrained: mark.filter(|_| is_detached).unwrap_or(to),
        is_detached,
        rest: target.turns[to],
        offset: target.positions[to] - shared,
        on_sole,
        on_toes,
        ankle_height: target.ground + ratio * (source.ankle - source.ground),
        toes_height: toes.map_or(0.0, |t| target.ground + ratio * height(t)),
        hip: target.turns[anchor].conjugate() * (hip - target.positions[anchor]),
        reach: thigh + shin,
    })
}

/// Precomputes the data of an arm. The arm span is measured along the bones from the midpoint of the shoulders to the
/// hand.
pub(super) fn arm(side: &str, source: &RestFigure, target: &RestFigure, ratio: f32) -> Option<ArmPair> {
    let shoulders = |f: &RestFigure| Some([f.node("leftUpperArm")?, f.node("rightUpperArm")?]);
    let span = |f: &RestFigure| {
        let position = |bone: &str| f.position(&format!("{side}{bone}"));
        let [left, right] = shoulders(f)?.map(|n| f.positions[n]);
        let arm = [position("UpperArm")?, position("LowerArm")?, position("Hand")?];
        Some(0.5 * left.distance(right) + arm[0].distance(arm[1]) + arm[1].distance(arm[2]))
    };
    let bone = format!("{side}Hand");
    let scale = span(target)? / (ratio * span(source)?);
    Some(ArmPair {
        from: source.node(&bone)?,
        to: target.node(&bone)?,
        from_shoulders: shoulders(source)?,
        to_shoulders: shoulders(target)?,
        ratio: Some(scale).filter(|s| s.is_finite())?,
    })
}

/// Finds the legs that do not descend from the anchor, and the feet that do not descend from their legs.
pub(super) fn detached_joints(target: &RestFigure, anchor: usize) -> Vec<DetachedJoint> {
    let detached = |bone: String, logical_parent: usize| {
        let node = target.node(&bone).filter(|n| !target.below(*n, logical_parent))?;
        // The scale of this matrix does not matter, because the position is later transformed by the matrix of the same
        // node, which has the same scale.
        let world = target.skeleton.ancestors(logical_parent);
        let world = world.fold(Affine3A::IDENTITY, |below, n| target.pose.locals[n].to_affine() * below);
        Some(DetachedJoint { node, logical_parent, position: to_local(world, target.positions[node]) })
    };
    let legs = SIDES.into_iter().filter_map(|side| detached(format!("{side}UpperLeg"), anchor));
    let lower = |side| target.node(&format!("{side}LowerLeg"));
    let feet = SIDES.into_iter().filter_map(|side| detached(format!("{side}Foot"), lower(side)?));
    legs.chain(feet).collect()
}

//! Chooses the joints of the source that each joint of the target follows.

use std::collections::BTreeMap;

use glam::Quat;

use super::align::{FINGERS, phalanges};
use super::figure::RestFigure;
use super::frame::SIDES;

/// A joint of the target that follows a joint of the source, or the interpolation of two.
#[derive(Clone, Copy, Debug)]
pub(super) struct FollowedJoint {
    /// Node index in the target.
    pub(super) node: usize,
    /// Node indices in the source, each with `source_joint_from_target_joint` in the shared posture.
    pub(super) from: (usize, Quat),
    pub(super) to: (usize, Quat),
    /// Interpolation factor from the first joint (0) to the second (1).
    pub(super) factor: f32,
}

/// Two figures and the rotations that align them.
pub(super) struct FigurePair<'a> {
    pub(super) source: &'a RestFigure<'a>,
    pub(super) target: &'a RestFigure<'a>,
    pub(super) aligned: &'a BTreeMap<String, Quat>,
}

impl FigurePair<'_> {
    /// Returns the joints of the target that follow joints of the source.
    pub(super) fn followed_joints(&self) -> Vec<FollowedJoint> {
        let mut turns = Vec::new();
        self.trunk(&mut turns);
        for side in SIDES {
            let fingers = FINGERS.iter().flat_map(|f| phalanges(f).map(|p| format!("{f}{p}")));
            let limbs = ["Shoulder", "UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot", "Toes"];
            for bone in limbs.map(str::to_owned).into_iter().chain(fingers) {
                let bone = format!("{side}{bone}");
                let nodes = self.source.node(&bone).zip(self.target.node(&bone));
                let aligned = self.aligned.get(&bone).copied().unwrap_or(Quat::IDENTITY);
                turns.extend(nodes.map(|(s, t)| self.turn(t, s, s, 0.0, aligned)));
            }
        }
        turns
    }

    /// Adds the joints of the hips, spine, neck and head. If the numbers of joints in the spine or the neck differ, the
    /// total rotation is distributed evenly. If the source has no neck, the target's neck follows an orientation
    /// halfway between the chest and the head.
    fn trunk(&self, turns: &mut Vec<FollowedJoint>) {
        let (Some(hips), Some(anchor)) = (self.source.node("hips"), self.target.anchor()) else { return };
        turns.push(self.turn(anchor, hips, hips, 0.0, Quat::IDENTITY));
        let back = |f: &RestFigure| f.node("hips").zip(f.chest()).map_or(Vec::new(), |(h, c)| f.path(h, c));
        let (source_back, target_back) = (back(self.source), back(self.target));
        // The legs may be attached above the hips. In that case, the target's hips follow as part of the spine.
        let source_back: Vec<usize> = [hips].into_iter().chain(source_back).collect();
        self.spread(&source_back, &target_back, 0, turns);
        let neck = |f: &RestFigure| {
            let end = f.node("head").or_else(|| f.node("neck"));
            f.chest().zip(end).map_or(Vec::new(), |(c, e)| f.path(c, e))
        };
        let (mut source_neck, mut target_neck) = (neck(self.source), neck(self.target));
        let heads = self.source.node("head").zip(self.target.node("head"));
        turns.extend(heads.map(|(s, t)| self.turn(t, s, s, 0.0, Quat::IDENTITY)));
        if self.target.node("head").is_some() {
            target_neck.pop();
        }
        let neckless = source_neck.len() == 1;
        if heads.is_some() && !neckless {
            source_neck.pop();
        }
        let chest = self.source.chest().unwrap_or(hips);
        let source_neck: Vec<usize> = [chest].into_iter().chain(source_neck).collect();
        self.spread(&source_neck, &target_neck, usize::from(heads.is_some() && neckless), turns);
    }

    /// Distributes the rotations of a chain over a chain with a different number of joints. The first joint of the
    /// source is the parent of both chains. The source's last joint corresponds to the joint that is `after` joints
    /// beyond the last joint of the target.
    fn spread(&self, source: &[usize], target: &[usize], after: usize, turns: &mut Vec<FollowedJoint>) {
        let (last, steps) = (source.len().saturating_sub(1), target.len() + after);
        if last == 0 {
            return;
        }
        for (i, &node) in target.iter().enumerate() {
            let (index, remainder) = ((i + 1) * last / steps, (i + 1) * last % steps);
            let (Some(&from), to) = (source.get(index), source.get(index + 1)) else { continue };
            #[expect(clippy::cast_precision_loss, reason = "spines have few joints")]
            let factor = remainder as f32 / steps as f32;
            turns.push(self.turn(node, from, *to.unwrap_or(&from), factor, Quat::IDENTITY));
        }
    }

    fn turn(&self, node: usize, from: usize, to: usize, factor: f32, aligned: Quat) -> FollowedJoint {
        let Self { source, target, .. } = self;
        let shared = source.body * aligned.conjugate() * target.body.conjugate() * target.turns[node];
        let relative = |joint: usize| (joint, (source.turns[joint].conjugate() * shared).normalize());
        FollowedJoint { node, from: relative(from), to: relative(to), factor }
    }
}

//! Which joint of the source turns which of the target.

use std::collections::BTreeMap;

use glam::Quat;

use super::align::{FINGERS, SIDES, phalanges};
use super::figure::Figure;

/// A joint of the target that follows one of the source, or a place between two.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    /// Node index in the target.
    pub(super) node: usize,
    /// Node indices in the source, and for each `source_joint_from_target_joint` in the shared posture.
    pub(super) from: (usize, Quat),
    pub(super) to: (usize, Quat),
    /// From the first (0) to the second (1).
    pub(super) share: f32,
}

/// A pair of figures and the turns that align them.
pub(super) struct Pairs<'a> {
    pub(super) source: &'a Figure<'a>,
    pub(super) target: &'a Figure<'a>,
    pub(super) aligned: &'a BTreeMap<String, Quat>,
}

impl Pairs<'_> {
    /// One a joint of the target that follows.
    pub(super) fn turns(&self) -> Vec<Turn> {
        let mut turns = Vec::new();
        self.trunk(&mut turns);
        for side in SIDES {
            let fingers = FINGERS.iter().flat_map(|f| phalanges(f).map(|p| format!("{f}{p}")));
            let limbs = ["Shoulder", "UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot", "Toes"];
            for bone in limbs.map(str::to_owned).into_iter().chain(fingers) {
                let bone = format!("{side}{bone}");
                let nodes = self.source.node(&bone).zip(self.target.node(&bone));
                let aligned = self.aligned.get(&bone).copied().unwrap_or(Quat::IDENTITY);
                turns.extend(nodes.map(|(s, t)| self.turn(t, (s, s), 0.0, aligned)));
            }
        }
        turns
    }

    /// Hips, back, neck and head. A back of other length shares the same turn evenly; so does a neck. What the source has
    /// no neck for is half way from chest to head.
    fn trunk(&self, turns: &mut Vec<Turn>) {
        let (Some(hips), Some(anchor)) = (self.source.node("hips"), self.target.anchor()) else { return };
        turns.push(self.turn(anchor, (hips, hips), 0.0, Quat::IDENTITY));
        let back = |f: &Figure| f.node("hips").zip(f.chest()).map_or(Vec::new(), |(h, c)| f.path(h, c));
        let (source_back, target_back) = (back(self.source), back(self.target));
        // What the legs hang on may be above the hips; then the hips themselves go with it.
        let source_back: Vec<usize> = [hips].into_iter().chain(source_back).collect();
        self.spread(&source_back, &target_back, 0, turns);
        let neck = |f: &Figure| {
            let end = f.node("head").or_else(|| f.node("neck"));
            f.chest().zip(end).map_or(Vec::new(), |(c, e)| f.path(c, e))
        };
        let (mut source_neck, mut target_neck) = (neck(self.source), neck(self.target));
        let heads = self.source.node("head").zip(self.target.node("head"));
        turns.extend(heads.map(|(s, t)| self.turn(t, (s, s), 0.0, Quat::IDENTITY)));
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

    /// Spreads a chain over another of other length: the first of the source stands above both, the ends belong together,
    /// or the source's end to what comes so many joints after the target's.
    fn spread(&self, source: &[usize], target: &[usize], after: usize, turns: &mut Vec<Turn>) {
        let (last, steps) = (source.len().saturating_sub(1), target.len() + after);
        if last == 0 {
            return;
        }
        for (i, &node) in target.iter().enumerate() {
            let (whole, rest) = ((i + 1) * last / steps, (i + 1) * last % steps);
            let (Some(&from), to) = (source.get(whole), source.get(whole + 1)) else { continue };
            #[expect(clippy::cast_precision_loss, reason = "backs have few joints")]
            let share = rest as f32 / steps as f32;
            turns.push(self.turn(node, (from, *to.unwrap_or(&from)), share, Quat::IDENTITY));
        }
    }

    fn turn(&self, node: usize, (from, to): (usize, usize), share: f32, aligned: Quat) -> Turn {
        let Self { source, target, .. } = self;
        let shared = source.body * aligned.conjugate() * target.body.conjugate() * target.turns[node];
        let of = |joint: usize| (joint, (source.turns[joint].conjugate() * shared).normalize());
        Turn { node, from: of(from), to: of(to), share }
    }
}

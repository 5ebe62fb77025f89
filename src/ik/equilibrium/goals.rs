//! The pulls that the goals of a figure exert.

use glam::{DMat3, DVec3};

use super::constant::{LEVER, LIGHT_PULL, PULL};
use super::model::{FigureJoint, Freedom};
use super::problem::Problem;
use super::pull::{Pull, PullKind};
use super::yielding::Yielding;
use crate::body::unit;
use crate::figure::{Figure, FigurePart};
use crate::{AxisTerm, Goal};

impl Problem {
    /// Updates the pulls to the current targets of the goals. Returns the largest distance by which a target has moved,
    /// in metres.
    pub(super) fn move_targets(&mut self, figure: &Figure, goals: &[Goal]) -> f64 {
        std::mem::swap(&mut self.pulls, &mut self.last_pulls);
        self.pulls.clear();
        self.yielding.clear();
        self.set_pulls(figure, goals);
        // The pulls of raised feet come after the pulls of the goals, and stay unchanged.
        self.pulls.extend_from_slice(self.last_pulls.get(self.pulls.len()..).unwrap_or_default());
        let mut moved = 0.0_f64;
        for (pull, last) in self.pulls.iter_mut().zip(&self.last_pulls) {
            pull.holds = last.holds;
            if let (PullKind::Position { end, .. }, PullKind::Position { end: before, .. }) =
                (&pull.kind, &last.kind)
            {
                moved = moved.max(end.distance(*before));
            }
        }
        moved
    }

    pub(super) fn set_pulls(&mut self, figure: &Figure, goals: &[Goal]) {
        let largest = goals.iter().filter(|g| !g.pinned).map(|g| g.weight).fold(0.0, f64::max);
        for (index, goal) in goals.iter().enumerate() {
            let is_light = goal.pinned && goal.weight <= 0.0;
            if !goal.pinned && goal.weight <= 0.0 {
                continue;
            }
            let force = if is_light {
                LIGHT_PULL
            } else if goal.pinned {
                PULL
            } else {
                let pull = match self.part_of(goal.link.0) {
                    Some(FigurePart::Limb(limb, _)) => figure.parts.limbs[limb].pull,
                    _ => 1.0,
                };
                (PULL * pull * goal.weight / largest).max(LIGHT_PULL)
            };
            let is_pin = goal.pinned && !is_light;
            let is_held = !is_light;
            for kind in self.kinds(goal).into_iter().flatten() {
                if let (true, PullKind::Position { offset, start, end, .. }) = (is_pin && goal.yields, &kind)
                {
                    let (offset, start, end) = (*offset, *start, *end);
                    self.yielding.push(Yielding { link: goal.link.0, offset, start, end });
                    continue;
                }
                let lever = if matches!(kind, PullKind::Position { .. }) { 1.0 } else { LEVER };
                let force = force * lever;
                self.pulls.push(Pull { goal: index, link: goal.link.0, kind, force, holds: is_held, is_pin });
            }
            self.pulls.extend(self.pole(index, goal));
        }
    }

    fn kinds(&self, goal: &Goal) -> [Option<PullKind>; 3] {
        let Self { model, stance_now: now, .. } = self;
        let space = &model.space;
        let mut kinds = [None; 3];
        let offset = model.point(goal.link.0, goal.offset);
        let weighted = |term: &AxisTerm| {
            let weights = term.effective_weights();
            let largest = weights.max_element();
            (largest > 0.0).then(|| {
                let map = space.from_world.matrix3 * space.size;
                let axes = (map * goal.axes.world_from_axes(goal.orientation)).transpose();
                let is_free = DVec3::select(weights.cmpeq(DVec3::ZERO), DVec3::ONE, DVec3::ZERO);
                (DMat3::from_diagonal(weights / largest) * axes, DMat3::from_diagonal(is_free) * axes)
            })
        };
        if let (Some(position), Some((axes, free))) = (goal.position, weighted(&goal.axes.position)) {
            let end = space.from_world.transform_point3(position);
            let start = now.point(goal.link.0, offset);
            kinds[0] = Some(PullKind::Position { offset, axes, free, start, end, target: end });
        }
        if let (Some(orientation), Some((axes, _))) = (goal.orientation, weighted(&goal.axes.orientation)) {
            // Orientation goals are ignored for links with reflected axes, because they would not mean what a user
            // expects.
            if model.up(goal.link.0).all(|link| model.joints[link].signs[0] == DVec3::ONE) {
                let end = unit(space.orientation(orientation) * model.frame(goal.link.0));
                let start = now.rotations[goal.link.0];
                kinds[1] = Some(PullKind::Orientation { axes, start, end, target: end });
            }
        }
        if let Some(aim) = goal.aim {
            let axis = model.axes(goal.link.0)
                * (aim.axis * model.joints[goal.link.0].signs[1]).normalize_or(DVec3::Z);
            let (eye, end) = (now.positions[goal.link.0], space.from_world.transform_point3(aim.at));
            let start = eye + now.rotations[goal.link.0] * axis * eye.distance(end);
            kinds[2] = Some(PullKind::Aim { axis, eye, start, end, target: end });
        }
        kinds
    }

    /// Returns the light pull of a pole on the joint in the middle of the limb.
    fn pole(&self, index: usize, goal: &Goal) -> Option<Pull> {
        let pole = self.model.space.from_world.transform_point3(goal.pole?);
        let Some(FigurePart::Limb(limb, _)) = self.part_of(goal.link.0) else { return None };
        let inner = |joint: &FigureJoint| matches!((joint.part, joint.freedom), (Some(FigurePart::Limb(l, _)), Freedom::Hinge { .. }) if l == limb);
        let link = self.model.joints.iter().position(inner)?;
        let (axes, free, start) = (DMat3::IDENTITY, DMat3::ZERO, self.stance_now.positions[link]);
        let kind = PullKind::Position { offset: DVec3::ZERO, axes, free, start, end: pole, target: pole };
        Some(Pull { goal: index, link, kind, force: LIGHT_PULL, holds: false, is_pin: false })
    }

    /// Returns whether nothing holds the body and only limbs are pulled. In that case, the limbs must not drag the body along.
    pub(super) fn hangs_on_limbs(&self) -> bool {
        let is_limb = |pull: &Pull| {
            matches!(self.part_of(pull.link), Some(FigurePart::Limb(..) | FigurePart::Collar(_)))
        };
        self.contacts.is_empty() && self.pulls.iter().all(|pull| !pull.is_pin && is_limb(pull))
    }

    /// Returns whether a target is farther from a standing foot or a pin than the total length of the bones between
    /// them.
    pub(super) fn is_beyond_bones(&self, goal: usize) -> bool {
        let pinned = self.pulls.iter().filter(|p| p.is_pin).filter_map(|p| match p.kind {
            PullKind::Position { offset, end, .. } => Some((p.link, offset, end)),
            _ => None,
        });
        let standing = self.contacts.iter().filter(|c| c.keeps()).map(|c| {
            let foot = &self.feet[c.foot];
            (foot.link, foot.ball, c.ball)
        });
        self.pulls.iter().filter(|p| p.goal == goal && !p.is_pin).any(|pull| {
            let PullKind::Position { offset, axes, target, .. } = pull.kind else { return false };
            standing.clone().chain(pinned.clone()).any(|(link, own, at)| {
                let bones = own.length() + offset.length() + self.bones([link, pull.link]);
                (axes * (target - at)).length() > bones
            })
        })
    }

    /// Returns the total length of the bones between two links.
    fn bones(&self, [a, b]: [usize; 2]) -> f64 {
        let is_above = |above: usize, link: usize| self.model.up(link).any(|l| l == above);
        let up = |link: usize, other: usize| self.model.up(link).take_while(move |&l| !is_above(l, other));
        let length = |l: usize| self.model.joints[l].offset.length();
        up(a, b).map(length).sum::<f64>() + up(b, a).map(length).sum::<f64>()
    }
}

//! Sorts goals into what the trunk and what the limbs must do.

use glam::{DQuat, DVec3};

use crate::ik::Goal;
use crate::ik::figure::Part;

use super::limb::{LimbShape, MAX_BENDS, Nature, Reach};
use super::posed::Posed;
use super::trunk_tasks::{Rope, Subject, TrunkPoint, TrunkTasks, TrunkTurn};

/// What a limb must do.
#[derive(Clone, Copy, Debug)]
pub(super) struct LimbTask {
    pub(super) reach: Reach,
    /// World orientation of the last joint.
    pub(super) orientation: Option<DQuat>,
    /// Weight with which the limb pulls on the trunk. Zero if its end only stays where it is as long as the limb can reach.
    pub(super) weight: f64,
    /// World position towards which the limb bends.
    pole: Option<DVec3>,
    /// The link that carries the point, and the point in its frame, metres.
    carrier: usize,
    offset: DVec3,
}

impl LimbTask {
    /// Returns whether the end is fixed, and the trunk must allow it.
    pub(super) fn holds(&self) -> bool {
        self.reach.held
    }

    /// Returns how the limb bends by nature, the more the farther its end is from the stance, or towards its pole. `None` if it
    /// is no arm and has no pole.
    pub(super) fn nature(&self, subject: &Subject<'_>, posed: &Posed, limb: usize) -> Option<Nature> {
        if self.pole.is_none() && (self.reach.fixed || !subject.figure.parts.limbs[limb].is_arm) {
            return None;
        }
        let (link, from_figure) = subject.figure.carriages[limb];
        let spin = posed.spins[link] * from_figure;
        let away = subject.stance.point(self.carrier, self.offset).distance(self.reach.target);
        let away = away / (NATURE_REACH * subject.weights.size);
        let share = if self.pole.is_some() { 1.0 } else { 1.0 - (-away * away).exp() };
        let (hanging, elbow) = (spin * DVec3::NEG_Y, spin * DVec3::NEG_Z);
        Some(Nature { hanging, elbow, share, pole: self.pole })
    }
}

/// The target of a goal in the last step of a drag.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastTarget {
    link: usize,
    offset: DVec3,
    position: DVec3,
}

impl LastTarget {
    /// Returns the target of a goal that has a position.
    pub(super) fn new(goal: &Goal) -> Option<Self> {
        Some(Self { link: goal.link, offset: goal.offset, position: goal.position? })
    }
}

/// Distance from the stance at which an arm bends mostly by its nature, metres of a person.
const NATURE_REACH: f64 = 0.3;
/// A limb is stretched if it is longer than this fraction of its largest length.
const STRETCHED: f64 = 0.999;
/// A limb pulls noticeably when it is shorter than its largest length by this many widths of its softness.
const SLACK_WIDTHS: f64 = 9.0;
/// Distance from the stance at which a limb that was stretched in it pulls like any other, metres of a person.
const SLACK_REACH: f64 = 0.15;

/// A target that moves from where its point is to where it must be.
#[derive(Clone, Copy, Debug)]
struct Way {
    from: DVec3,
    to: DVec3,
    task: Moving,
}

/// A point of a limb whose end is fixed. The trunk carries its first joint along with the point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Carried {
    link: usize,
    offset: DVec3,
    target: DVec3,
    /// The point of the trunk that moves it, by index.
    point: usize,
}

/// What moves with a target.
#[derive(Clone, Copy, Debug)]
enum Moving {
    /// A point of a limb whose end is fixed, by index.
    Carried(usize),
    /// A point of the trunk, by index.
    Point(usize),
    /// The end of a limb, by index.
    Limb(usize),
}

/// The tasks of a solve.
#[derive(Clone, Debug, Default)]
pub(super) struct Tasks {
    pub(super) trunk: TrunkTasks,
    /// The task of each limb.
    pub(super) limbs: Vec<Option<LimbTask>>,
    /// The rope of each limb with a task.
    ranges: Vec<[f64; 2]>,
    ways: Vec<Way>,
    carried: Vec<Carried>,
    last: Vec<LastTarget>,
    /// Whether a goal poses the head.
    pub(super) poses_head: bool,
}

impl Tasks {
    /// Sorts the goals. Pins come first, because a limb can have only one task.
    pub(super) fn set(&mut self, subject: &Subject<'_>, posed: &Posed, goals: &[Goal], last: &[LastTarget]) {
        let figure = subject.figure;
        let TrunkTasks { ropes, points, turns, joints, guards, support } = &mut self.trunk;
        ropes.clear();
        points.clear();
        turns.clear();
        joints.clear();
        guards.clear();
        *support = None;
        // Guards and corrections are added later.
        let limbs = figure.parts.limbs.len();
        guards.reserve(2 * limbs + 1);
        points.reserve(goals.len() + limbs);
        self.limbs.clear();
        self.limbs.resize(figure.parts.limbs.len(), None);
        self.ranges.clear();
        self.ranges.resize(figure.parts.limbs.len(), [0.0; 2]);
        self.ways.clear();
        self.carried.clear();
        self.poses_head = false;
        self.last.clear();
        self.last.extend_from_slice(last);
        for pinned in [true, false] {
            let these = goals.iter().filter(|g| g.pinned == pinned && (pinned || g.weight > 0.0));
            these.for_each(|goal| self.add(subject, posed, goal));
        }
        self.choose_joints(subject);
        self.set_support(subject);
    }

    /// Measures the ground under the fixed limbs.
    fn set_support(&mut self, subject: &Subject<'_>) {
        let limbs = subject.figure.parts.limbs.iter().zip(&self.limbs);
        let fixed = limbs.filter(|(_, task)| task.is_some_and(|t| t.holds())).map(|(limb, _)| limb);
        let links = fixed.flat_map(|limb| limb.digits.iter().chain(limb.joints.last()));
        let points = links.map(|&link| subject.stance.positions[link]);
        self.trunk.support = points.map(|p| [p, p]).reduce(|[lo, hi], [p, q]| [lo.min(p), hi.max(q)]);
    }

    /// Returns where a target is at the start: where it was in the last step of a drag, or else at its point.
    fn start(&self, goal: &Goal, at: DVec3) -> DVec3 {
        let known = self.last.iter().find(|l| l.link == goal.link && l.offset == goal.offset);
        known.map_or(at, |l| l.position)
    }

    fn add(&mut self, subject: &Subject<'_>, posed: &Posed, goal: &Goal) {
        let carrier = subject.figure.carriers[goal.link];
        let offset = goal.offset * posed.scales[goal.link];
        let is_joint = carrier == goal.link && offset == DVec3::ZERO;
        match subject.figure.roles[carrier] {
            Part::Limb(limb, joint) if joint > 0 || !is_joint => {
                self.add_limb(subject, posed, goal, (limb, joint, is_joint));
            }
            role => {
                self.poses_head |= role == Part::Neck;
                if goal.weight == 0.0 {
                    return;
                }
                let weight = if goal.pinned { subject.weights.fixed } else { subject.weights.pull };
                let at = posed.point(goal.link, offset);
                let offset = posed.spins[carrier].conjugate() * (at - posed.positions[carrier]);
                if let Some(to) = goal.position {
                    let to = above_floor(subject, to);
                    let from = above_floor(subject, self.start(goal, at));
                    self.ways.push(Way { from, to, task: Moving::Point(self.trunk.points.len()) });
                    self.trunk.points.push(TrunkPoint {
                        link: carrier,
                        offset,
                        target: to,
                        along: None,
                        weight,
                    });
                }
                if let Some(target) = goal.orientation {
                    let target = target * posed.spins[goal.link].conjugate() * posed.spins[carrier];
                    self.trunk.turns.push(TrunkTurn { link: carrier, target, weight });
                }
            }
        }
    }

    fn add_limb(
        &mut self,
        subject: &Subject<'_>,
        posed: &Posed,
        goal: &Goal,
        (limb, joint, is_joint): (usize, usize, bool),
    ) {
        let Some(mut target) = goal.position else { return };
        if self.limbs[limb].is_some() {
            self.add_carried(subject, posed, (goal, target), limb);
            return;
        }
        let parts = &subject.figure.parts.limbs[limb];
        let end = parts.joints.len() - 1;
        let mut offset = goal.offset * posed.scales[goal.link];
        let mut link = goal.link;
        if let Some(orientation) = goal.orientation.filter(|_| joint == end) {
            // The last joint turns by itself, so that only its position is left for the limb.
            let carried =
                subject.stance.point(goal.link, offset) - subject.stance.positions[parts.joints[end]];
            let carried = subject.stance.spins[goal.link].conjugate() * carried;
            target -= orientation * carried;
            (link, offset) = (parts.joints[end], DVec3::ZERO);
        }
        let last = if is_joint || joint == end { joint - 1 } else { joint };
        let last = last.min(MAX_BENDS);
        let holder = parts.joints[last];
        // The joints below the last one that bends are as in the stance.
        let at = subject.stance.point(link, offset) - subject.stance.positions[holder];
        let point = subject.stance.spins[holder].conjugate() * at;
        let shape = LimbShape::new(
            subject.stance,
            &subject.limits,
            (&parts.joints, &subject.figure.hinges[limb]),
            (last, point),
        );
        self.ranges[limb] = shape.reach();
        let to = above_floor(subject, target);
        let pull = subject.weights.pull * parts.pull;
        let weight = match goal.pinned {
            true if goal.weight > 0.0 => subject.weights.fixed,
            true => 0.0,
            false => pull,
        };
        let reach = Reach { last, point, target: to, fixed: goal.pinned, held: goal.pinned && weight > 0.0 };
        let orientation = goal.orientation.filter(|_| joint == end);
        self.limbs[limb] =
            Some(LimbTask { reach, orientation, weight, pole: goal.pole, carrier: link, offset });
        let from = above_floor(subject, self.start(goal, posed.point(link, offset)));
        self.ways.push(Way { from, to, task: Moving::Limb(limb) });
    }

    /// Adds a goal for a limb that has a task. Only the trunk can meet it.
    fn add_carried(
        &mut self,
        subject: &Subject<'_>,
        posed: &Posed,
        (goal, target): (&Goal, DVec3),
        limb: usize,
    ) {
        let offset = goal.offset * posed.scales[goal.link];
        let to = above_floor(subject, target);
        let from = above_floor(subject, self.start(goal, posed.point(goal.link, offset)));
        let (link, point) = (subject.figure.parts.limbs[limb].joints[0], self.trunk.points.len());
        let weight = subject.weights.pull;
        self.trunk.points.push(TrunkPoint { link, offset: DVec3::ZERO, target: to, along: None, weight });
        self.ways.push(Way { from, to, task: Moving::Carried(self.carried.len()) });
        self.carried.push(Carried { link: goal.link, offset, target: to, point });
    }

    /// Moves the targets of the trunk that carry points of fixed limbs. Returns the largest distance of such a point from
    /// its target.
    pub(super) fn carry(&mut self, posed: &Posed) -> f64 {
        let mut largest = 0.0_f64;
        for carried in &self.carried {
            let missing = carried.target - posed.point(carried.link, carried.offset);
            let point = &mut self.trunk.points[carried.point];
            point.target = posed.positions[point.link] + missing;
            largest = largest.max(missing.length());
        }
        largest
    }

    /// Chooses the joints of the trunk that may turn.
    fn choose_joints(&mut self, subject: &Subject<'_>) {
        let figure = subject.figure;
        let turns = |&link: &usize| subject.limits.body.links()[link].weight > 0.0;
        let joints = &mut self.trunk.joints;
        joints.extend(figure.parts.spine.iter().copied().filter(turns));
        for (limb, task) in figure.parts.limbs.iter().zip(&self.limbs) {
            let is_pulled = task.is_some_and(|t| !t.reach.fixed)
                || self.trunk.points.iter().any(|p| Some(&p.link) == limb.joints.first());
            if is_pulled {
                joints.extend(limb.collar.iter().copied().filter(turns));
            }
        }
        if self.poses_head {
            joints.extend(figure.parts.neck.iter().copied().filter(turns));
        }
    }

    /// Returns whether a limb with a task is as long as it can be.
    pub(super) fn is_stretched(&self, posed: &Posed) -> bool {
        self.trunk
            .ropes
            .iter()
            .any(|rope| posed.positions[rope.link].distance(rope.target) > STRETCHED * rope.range[1])
    }

    /// Returns the largest length of the limb that begins at a link, or infinity if it has no task.
    pub(super) fn longest(&self, first: usize) -> f64 {
        let rope = self.trunk.ropes.iter().find(|rope| rope.link == first);
        rope.map_or(f64::INFINITY, |rope| rope.range[1])
    }

    /// Returns the largest distance between a target and its point.
    pub(super) fn distance(&self) -> f64 {
        self.ways.iter().map(|w| w.from.distance(w.to)).fold(0.0, f64::max)
    }

    /// Moves all targets to a fraction of their way.
    pub(super) fn advance(&mut self, subject: &Subject<'_>, fraction: f64) {
        for way in &self.ways {
            let target = if fraction < 1.0 { way.from.lerp(way.to, fraction) } else { way.to };
            match way.task {
                Moving::Point(index) => self.trunk.points[index].target = target,
                Moving::Carried(index) => self.carried[index].target = target,
                Moving::Limb(limb) => {
                    if let Some(task) = &mut self.limbs[limb] {
                        task.reach.target = target;
                    }
                }
            }
        }
        self.trunk.ropes.clear();
        for (limb, task) in self.limbs.iter().enumerate() {
            let Some(task) = task.filter(|t| t.reach.held || !t.reach.fixed) else { continue };
            let link = subject.figure.parts.limbs[limb].joints[0];
            let range = self.ranges[limb];
            // A limb that is stretched in the stance does not pull there, but more and more as its end moves away.
            let from = subject.stance.point(task.carrier, task.offset);
            let stretched = from.distance(subject.stance.positions[link])
                + SLACK_WIDTHS * subject.weights.softness * range[1];
            let away = from.distance(task.reach.target) / (SLACK_REACH * subject.weights.size);
            let slack = (stretched - range[1]).max(0.0) * (-away * away).exp();
            self.trunk.ropes.push(Rope {
                link,
                target: task.reach.target,
                range,
                slack,
                pull: (!task.reach.fixed).then_some(task.weight),
            });
        }
    }
}

/// Returns a target, moved up to the floor if it is below.
fn above_floor(subject: &Subject<'_>, target: DVec3) -> DVec3 {
    subject.floor.map_or(target, |floor| target.with_y(target.y.max(floor)))
}

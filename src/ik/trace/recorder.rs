//! Records how a solve changes the pose of a body, and turns the record into steps.

use glam::{DQuat, DVec3};

use crate::methods::textbook::particle::Move;
use crate::rotation::{any_perpendicular, rotation_vector};
use crate::tree::Tree;
use crate::{Body, Goal, LinkIndex};

use super::{Step, StepKind, orientation_above, slide_direction};

/// Turns below this angle in radians, and translations below this length in base-space metres, count as rounding errors.
const ROUNDING: f64 = 1e-12;
/// Maximum angle, in radians, by which the result of the fast solver for free chains may differ from the result of the
/// tree that is traced instead. A smaller difference is added to the last turn of the joint.
const TWIN: f64 = 1e-5;
/// Maximum number of steps, which take about 15 MB. Later iterations are left out, and the last steps lead directly to
/// the result.
const MAX_STEPS: usize = 1 << 17;

/// The order in which the joints of a tree turn in one pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Order {
    #[default]
    BaseFirst,
    TipFirst,
    /// The middle joint of a limb bends, and then the first joint swings the limb.
    Limb,
}

impl Order {
    /// Returns the index of the joint that turns at a position in the order.
    fn index(self, place: usize, count: usize) -> usize {
        match (self, place) {
            (Self::TipFirst, _) => count - 1 - place,
            (Self::Limb, 0 | 1) if count > 1 => 1 - place,
            _ => place,
        }
    }
}

/// The stage of a solve in which a change happens.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stage {
    pub(crate) kind: StepKind,
    pub(crate) start: usize,
    pub(crate) iteration: usize,
}

/// The value that a step changes.
#[derive(Clone, Copy, Debug)]
enum Value {
    Rotation(DQuat),
    Displacement(f64),
    Root(DVec3),
    /// A move of particles, in world metres: the displacement of the lower particle, the positions of both particles,
    /// and the error of the end's particle.
    Particles {
        moved: DVec3,
        points: [DVec3; 2],
        error: f64,
    },
}

#[derive(Clone, Copy, Debug)]
struct PoseChange {
    stage: Stage,
    link: usize,
    to: Value,
}

/// Records the changes of a pose during a solve. The recorder does nothing unless [`Recorder::begin`] was called.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorder {
    is_active: bool,
    /// The pose after the last change.
    rotations: Vec<DQuat>,
    displacements: Vec<f64>,
    root: DVec3,
    changes: Vec<PoseChange>,
}

impl Recorder {
    /// Begins a record in the pose of a body.
    pub(crate) fn begin(&mut self, body: &Body) {
        self.is_active = true;
        self.rotations.clear();
        self.rotations.extend_from_slice(body.rotations());
        self.displacements.clear();
        self.displacements.extend((0..body.links().len()).map(|link| body.displacement(LinkIndex(link))));
        self.root = body.root();
        self.changes.clear();
    }

    /// Ends a record without a result, and frees its memory.
    pub(crate) fn stop(&mut self) {
        if self.is_active {
            *self = Self::default();
        }
    }

    /// Returns whether a record has begun.
    pub(crate) fn is_active(&self) -> bool {
        self.is_active
    }

    /// Records the joints of a tree that have turned since the last call, in the order in which they turned.
    #[inline]
    pub(crate) fn note(&mut self, tree: &Tree, order: Order, stage: Stage) {
        if self.is_active {
            self.note_root(tree.root, stage);
            let count = tree.joints.len();
            for joint in (0..count).filter_map(|place| tree.joints.get(order.index(place, count))) {
                self.note_rotation(joint.link, joint.rotation, stage);
                // A joint that does not slide in this solve keeps the displacement of its link.
                if joint.prismatic.is_some() {
                    self.note_displacement(joint.link, joint.displacement, stage);
                }
            }
        }
    }

    /// Records the links of a body that have turned since the last call.
    pub(crate) fn note_body(&mut self, body: &Body, stage: Stage) {
        if self.is_active {
            self.note_root(body.root(), stage);
            for (link, &rotation) in body.rotations().iter().enumerate() {
                self.note_rotation(link, rotation, stage);
                self.note_displacement(link, body.displacement(LinkIndex(link)), stage);
            }
        }
    }

    fn note_root(&mut self, root: DVec3, stage: Stage) {
        if root.distance(self.root) > ROUNDING && self.has_room(stage) {
            self.root = root;
            self.changes.push(PoseChange { stage, link: 0, to: Value::Root(root) });
        }
    }

    fn note_rotation(&mut self, link: usize, rotation: DQuat, stage: Stage) {
        let has_room = self.has_room(stage);
        let Some(last) = self.rotations.get_mut(link).filter(|last| has_room && differ(**last, rotation))
        else {
            return;
        };
        *last = rotation;
        self.changes.push(PoseChange { stage, link, to: Value::Rotation(rotation) });
    }

    fn note_displacement(&mut self, link: usize, displacement: f64, stage: Stage) {
        let has_room = self.has_room(stage);
        let differs = |last: &&mut f64| has_room && (**last - displacement).abs() > ROUNDING;
        let Some(last) = self.displacements.get_mut(link).filter(differs) else { return };
        *last = displacement;
        self.changes.push(PoseChange { stage, link, to: Value::Displacement(displacement) });
    }

    /// Records a move of particles.
    pub(crate) fn note_particles(&mut self, tree: &Tree, moved: &Move, start: usize, iteration: usize) {
        let Some((joint, target)) =
            tree.joints.get(moved.joint).zip(tree.tasks.first().and_then(|t| t.target))
        else {
            return;
        };
        let kind = if moved.is_spring { StepKind::Spring } else { StepKind::Pull };
        let stage = Stage { kind, start, iteration };
        if self.is_active && moved.moved.length() > ROUNDING && self.has_room(stage) {
            let to = Value::Particles {
                moved: tree.to_world(moved.moved),
                points: moved.points.map(|point| tree.point_to_world(point)),
                error: tree.to_world(target - moved.end).length(),
            };
            self.changes.push(PoseChange { stage, link: joint.link, to });
        }
    }

    fn has_room(&self, stage: Stage) -> bool {
        self.changes.len() < MAX_STEPS || stage.kind == StepKind::Result
    }

    /// Ends the record in the pose of the solved body, and writes the recorded steps to `steps`. `body` is the body in
    /// its pose before the solve.
    pub(crate) fn finish(&mut self, mut body: Body, solved: &Body, goals: &[Goal], steps: &mut Vec<Step>) {
        self.settle(solved);
        steps.clear();
        for change in &self.changes {
            let step = step(change, &body);
            match change.to {
                // Use the recorded value, because it does not contain the rounding errors of the previous steps.
                Value::Rotation(rotation) => body.set_rotation(LinkIndex(change.link), rotation),
                Value::Displacement(displacement) => {
                    body.set_displacement(LinkIndex(change.link), displacement);
                }
                Value::Root(root) => body.set_root(root),
                Value::Particles { error, .. } => {
                    steps.push(Step { position_error: Some(error), ..step });
                    continue;
                }
            }
            let (position_error, orientation_error) = errors(&body, goals);
            steps.push(Step { position_error, orientation_error, ..step });
        }
        self.stop();
    }

    /// Makes the record end in the pose of the solved body.
    fn settle(&mut self, solved: &Body) {
        let mut last_change = vec![None; self.rotations.len()];
        for (index, change) in self.changes.iter().enumerate() {
            if matches!(change.to, Value::Rotation(_)) {
                last_change.get_mut(change.link).into_iter().for_each(|last| *last = Some(index));
            }
        }
        for (link, &rotation) in solved.rotations().iter().enumerate() {
            let Some(last) = self.rotations.get_mut(link) else { continue };
            if rotation_vector(rotation * last.conjugate()).length() < TWIN
                && let Some(change) =
                    last_change.get(link).copied().flatten().and_then(|index| self.changes.get_mut(index))
            {
                (change.to, *last) = (Value::Rotation(rotation), rotation);
            }
        }
        let (start, iteration) =
            self.changes.last().map_or((0, 0), |last| (last.stage.start, last.stage.iteration));
        self.note_body(solved, Stage { kind: StepKind::Result, start, iteration });
    }
}

/// Returns whether two rotations differ by more than rounding errors.
fn differ(a: DQuat, b: DQuat) -> bool {
    rotation_vector(b * a.conjugate()).length() > ROUNDING
}

/// Returns the step for a change of a body. The errors of the step are not set.
fn step(change: &PoseChange, body: &Body) -> Step {
    let Stage { kind, start, iteration } = change.stage;
    let (link, none) = (change.link, any_perpendicular(DVec3::Y));
    let mut particles = None;
    let (axis, angle, distance) = match change.to {
        Value::Rotation(to) => {
            let from = body.rotations().get(link).copied().unwrap_or(to);
            let turn = rotation_vector(to * from.conjugate());
            let axis = orientation_above(body, LinkIndex(link)) * turn.normalize_or(none);
            (axis.normalize_or(none), turn.length(), 0.0)
        }
        Value::Displacement(to) => {
            let direction = slide_direction(body, LinkIndex(link)).unwrap_or(none);
            let shift = direction * (to - body.displacement(LinkIndex(link)));
            (shift.normalize_or(none), 0.0, shift.length())
        }
        Value::Root(to) => {
            let shift = body.world_from_base().matrix3 * (to - body.root());
            (shift.normalize_or(none), 0.0, shift.length())
        }
        Value::Particles { moved, points, .. } => {
            particles = Some(points);
            (moved.normalize_or(none), 0.0, moved.length())
        }
    };
    let is_reversed = body.links().get(link).is_some_and(|link| link.reversed);
    Step {
        kind,
        start,
        iteration,
        link: LinkIndex(link),
        sign: if is_reversed { -1 } else { 1 },
        axis,
        angle,
        distance,
        particles,
        position_error: None,
        orientation_error: None,
    }
}

/// Returns the largest position error in world metres, and the largest orientation or aim error in radians. Free axes do
/// not count.
fn errors(body: &Body, goals: &[Goal]) -> (Option<f64>, Option<f64>) {
    let (mut metres, mut radians) = (None, None);
    let largest = |of: &mut Option<f64>, error: f64| *of = Some(of.map_or(error, |e: f64| e.max(error)));
    for goal in goals.iter().filter(|g| g.pinned || g.weight > 0.0) {
        let Some((world, now)) = body.world_from_link(goal.link).zip(body.orientation(goal.link)) else {
            continue;
        };
        let point = world.transform_point3(goal.offset);
        let away = |target| goal.axes.position_error(target - point, goal.orientation);
        if let Some(error) = goal.position.and_then(away) {
            largest(&mut metres, error);
        }
        if let Some(error) = goal.orientation.and_then(|target| goal.axes.orientation_error(target, now)) {
            largest(&mut radians, error);
        }
        if let Some(aim) = goal.aim {
            let way = aim.at - point;
            if way.length_squared() > 0.0 {
                largest(&mut radians, (now * aim.axis).angle_between(way));
            }
        }
    }
    (metres, radians)
}

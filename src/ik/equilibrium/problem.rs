//! The problem of a figure in a stance: what it stands on, what pulls on it, and what it must not pass.

use glam::{DMat3, DQuat, DVec3};

use super::capsule::Capsules;
use super::constant::{self, GRAVITY, LEVER, LIGHT_PULL, PULL, RELAXED};
use super::foot::{Contact, Foot};
use super::mass::CentreOfMass;
use super::model::{Freedom, Model};
use super::pose::{Kinematics, Pose};
use super::pull::{Pull, PullKind};
use super::table::{self, MASS};
use crate::ik::body::unit;
use crate::ik::figure::{Figure, Part};
use crate::ik::{Body, Goal, Options};

/// Number of directions in which the centre of mass keeps its distance from the edge of the support.
pub(super) const DIRECTIONS: usize = 16;

/// A point that must stay above the floor.
#[derive(Clone, Copy, Debug)]
pub(super) struct FloorPoint {
    pub(super) link: usize,
    pub(super) offset: DVec3,
    pub(super) height: f64,
}

/// The problem. Every bound is relaxed so that the stance is allowed.
#[derive(Clone, Debug, Default)]
pub(super) struct Problem {
    pub(super) model: Model,
    pub(super) stance: Pose,
    pub(super) stance_now: Kinematics,
    pub(super) feet: Vec<Foot>,
    pub(super) contacts: Vec<Contact>,
    pub(super) pulls: Vec<Pull>,
    /// Whether anything but pins pulls.
    pub(super) is_pulled: bool,
    pub(super) has_balance: bool,
    pub(super) centre: DVec3,
    pub(super) support_slack: [f64; DIRECTIONS],
    /// Joints whose parts hang, with their weights, newtons.
    pub(super) weights: Vec<(usize, f64)>,
    /// The moments of these weights in the stance, which the springs balance there.
    pub(super) preload: Vec<f64>,
    /// Stiffness of each joint, after relaxing what is pulled.
    pub(super) stiffness: Vec<DVec3>,
    pub(super) root_stiffness: f64,
    /// How far the limits of each joint are exceeded in the stance.
    pub(super) limit_slack: Vec<[f64; 6]>,
    /// See [`Problem::is_far_from_limit`].
    pub(super) safe_turns: Vec<f64>,
    pub(super) floor_points: Vec<FloorPoint>,
    pub(super) capsules: Capsules,
    pub(super) capsule_slack: Vec<f64>,
    /// A direction that the head turns to, with its stiffness.
    pub(super) look: Option<(DVec3, f64)>,
}

impl Problem {
    /// Builds the problem of a body in its stance, or in its pose if it has none.
    pub(super) fn new(body: &Body, figure: &Figure, goals: &[Goal], options: &Options) -> Self {
        let (rotations, root) = match body.stance() {
            Some(stance) => (&stance.rotations[..], stance.root),
            None => (body.rotations(), body.root()),
        };
        let mut model = Model::new(body, figure, (rotations, root), options);
        table::weigh(&mut model, figure);
        table::stiffen(&mut model, body, figure, options);
        let mut problem = Self { model, ..Self::default() };
        problem.stance = problem.pose(body, rotations, root);
        problem.stance_now.update(&problem.model, &problem.stance);
        problem.keep_from_overstretching(figure);
        problem.is_pulled = goals.iter().any(|goal| !goal.pinned && goal.weight > 0.0);
        problem.stiffness = problem.model.joints.iter().map(|joint| joint.stiffness).collect();
        let rest = problem.rest(body, figure.parts.hips);
        problem.feet = Foot::all(&problem.model, figure, &rest);
        problem.set_pulls(figure, goals);
        problem.set_contacts(figure, goals);
        problem.has_balance = problem.is_pulled && options.full_body.balance && !problem.contacts.is_empty();
        if problem.is_pulled {
            problem.relax(figure, goals);
            problem.relax_legs(figure);
            problem.set_floor(figure, &rest);
            problem.capsules = Capsules::new(&problem.model, figure, &rest);
            problem.capsule_slack = problem.capsules.slack(&problem.stance_now);
            problem.look = problem.looks_at(figure, options);
        } else {
            problem.stiffen_trunk();
        }
        problem.root_stiffness = constant::ROOT * if problem.is_pulled { 1.0 } else { constant::UNPULLED };
        problem.limit_slack = problem.limit_slacks();
        problem.safe_turns = problem.safe_turns();
        problem.centre = CentreOfMass::place(&problem.model, &problem.stance_now);
        problem.set_preload();
        let support = problem.support(&problem.stance_now, problem.centre);
        problem.support_slack = support.map(|side| (-side.value).max(0.0));
        problem
    }

    /// Ends the ranges of elbows and knees where they are straight, or at the stance beyond that. A joint that is pushed over would stay
    /// on the other side.
    fn keep_from_overstretching(&mut self, figure: &Figure) {
        let Self { model, stance, stance_now, .. } = self;
        for joints in figure.parts.limbs.iter().flat_map(|limb| limb.joints.windows(3)) {
            let [above, link, end] = [joints[0], joints[1], joints[2]];
            let Some((straight, side)) = stance_now.straight(model, stance, [above, link, end]) else {
                continue;
            };
            let [low, high] = &mut model.joints[link].range;
            if side > 0.0 {
                *low = low.max(straight.min(0.0)).min(*high);
            } else {
                *high = high.min(straight.max(0.0)).max(*low);
            }
        }
    }

    /// Returns a pose of a body.
    pub(super) fn pose(&self, body: &Body, rotations: &[DQuat], root: DVec3) -> Pose {
        let model = &self.model;
        let hips = body.world_from_base().transform_point3(body.links()[0].offset + root);
        let mut pose = Pose {
            hips: model.space.from_world.transform_point3(hips),
            turns: rotations.iter().enumerate().map(|(link, &local)| model.turn(link, local)).collect(),
            angles: vec![0.0; rotations.len()],
        };
        for (link, joint) in model.joints.iter().enumerate() {
            if let Freedom::Hinge { axis, stance } = joint.freedom {
                let turn = pose.turns[link] * stance.conjugate();
                let angle = crate::ik::limit::swing_twist(turn, axis).1;
                if angle != 0.0 {
                    pose.set_angle(model, link, angle);
                }
            }
        }
        pose
    }

    /// Returns the rest pose, in which all links have the axes of the figure.
    fn rest(&self, body: &Body, hips: Option<DVec3>) -> Kinematics {
        let model = &self.model;
        let hips = hips.unwrap_or(body.links()[0].offset);
        let hips = body.world_from_base().transform_point3(hips);
        let mut turns = vec![DQuat::IDENTITY; model.joints.len()];
        turns[0] = model.turn(0, body.links()[0].rest);
        let rest = Pose {
            hips: model.space.from_world.transform_point3(hips),
            angles: vec![0.0; turns.len()],
            turns,
        };
        let mut now = Kinematics::default();
        now.update(model, &rest);
        now
    }

    /// Sets the targets of the pulls of goals that have moved. Returns how far, metres.
    pub(super) fn move_targets(&mut self, figure: &Figure, goals: &[Goal]) -> f64 {
        let last = std::mem::take(&mut self.pulls);
        self.set_pulls(figure, goals);
        let mut moved = 0.0_f64;
        for (pull, last) in self.pulls.iter_mut().zip(last) {
            pull.holds = last.holds;
            if let (PullKind::Position { end, .. }, PullKind::Position { end: before, .. }) =
                (&pull.kind, last.kind)
            {
                moved = moved.max(end.distance(before));
            }
        }
        moved
    }

    fn set_pulls(&mut self, figure: &Figure, goals: &[Goal]) {
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
                let pull = match self.carrier(goal.link) {
                    Some(Part::Limb(limb, _)) => figure.parts.limbs[limb].pull,
                    _ => 1.0,
                };
                (PULL * pull * goal.weight / largest).max(LIGHT_PULL)
            };
            let is_pin = goal.pinned && !is_light;
            let is_held = !is_light;
            for kind in self.kinds(goal) {
                let lever = if matches!(kind, PullKind::Position { .. }) { 1.0 } else { LEVER };
                let force = force * lever;
                self.pulls.push(Pull { goal: index, link: goal.link, kind, force, holds: is_held, is_pin });
            }
            self.pulls.extend(self.pole(index, goal));
        }
    }

    /// Returns the parts of a goal.
    fn kinds(&self, goal: &Goal) -> Vec<PullKind> {
        let Self { model, stance_now: now, .. } = self;
        let space = &model.space;
        let mut kinds = Vec::new();
        let offset = self.point(goal.link, goal.offset);
        let weighted = |term: &crate::ik::AxisTerm| {
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
            let start = now.point(goal.link, offset);
            kinds.push(PullKind::Position { offset, axes, free, start, end, target: end });
        }
        if let (Some(orientation), Some((axes, _))) = (goal.orientation, weighted(&goal.axes.orientation)) {
            // Orientations of links with reflected axes have no meaning that a person would expect.
            if model.up(goal.link).all(|link| model.joints[link].signs[0] == DVec3::ONE) {
                let end = unit(space.orientation(orientation) * model.frame(goal.link));
                let start = now.spins[goal.link];
                kinds.push(PullKind::Orientation { axes, start, end, target: end });
            }
        }
        if let Some(aim) = goal.aim {
            let axis =
                model.axes(goal.link) * (aim.axis * model.joints[goal.link].signs[1]).normalize_or(DVec3::Z);
            let (eye, end) = (now.positions[goal.link], space.from_world.transform_point3(aim.at));
            let start = eye + now.spins[goal.link] * axis * eye.distance(end);
            kinds.push(PullKind::Aim { axis, eye, start, end, target: end });
        }
        kinds
    }

    /// Returns a point of a link, given in its frame, along the axes of the figure.
    fn point(&self, link: usize, offset: DVec3) -> DVec3 {
        let joint = &self.model.joints[link];
        self.model.axes(link) * (offset * joint.signs[1]) * joint.scale
    }

    /// Returns the light pull of a pole on the joint in the middle of the limb.
    fn pole(&self, index: usize, goal: &Goal) -> Option<Pull> {
        let pole = self.model.space.from_world.transform_point3(goal.pole?);
        let Some(Part::Limb(limb, _)) = self.carrier(goal.link) else { return None };
        let inner = |joint: &super::model::Joint| matches!((joint.part, joint.freedom), (Some(Part::Limb(l, _)), Freedom::Hinge { .. }) if l == limb);
        let link = self.model.joints.iter().position(inner)?;
        let (axes, free, start) = (DMat3::IDENTITY, DMat3::ZERO, self.stance_now.positions[link]);
        let kind = PullKind::Position { offset: DVec3::ZERO, axes, free, start, end: pole, target: pole };
        Some(Pull { goal: index, link, kind, force: LIGHT_PULL, holds: false, is_pin: false })
    }

    /// Returns the part that carries a link.
    pub(super) fn carrier(&self, link: usize) -> Option<Part> {
        self.model.up(link).find_map(|l| self.model.joints[l].part)
    }

    /// Adds the feet that stand in the stance. Without a pull, only what is pinned stays.
    fn set_contacts(&mut self, figure: &Figure, goals: &[Goal]) {
        let Some(floor) = self.model.floor.filter(|_| self.is_pulled) else { return };
        let mut raised: Vec<(usize, usize)> = Vec::new();
        for (index, foot) in self.feet.iter().enumerate() {
            let limb = &figure.parts.limbs[foot.limb];
            let is_of_leg = |goal: &&Goal| {
                let above = |l: &usize| limb.joints[1..].contains(l);
                self.model.up(goal.link).any(|l| above(&l))
            };
            let is_pinned = goals.iter().filter(|g| g.pinned && g.weight > 0.0).any(|g| is_of_leg(&g));
            if !foot.stands(&self.stance_now, floor) {
                let is_pulled = goals.iter().any(|g| is_of_leg(&g));
                raised.extend((!is_pulled).then_some((foot.link, foot.limb)));
                continue;
            }
            let is_pulled = goals.iter().filter(|g| !g.pinned && g.weight > 0.0).any(|g| is_of_leg(&g));
            let is_below =
                |goal: &Goal| goal.link != foot.link && self.model.up(goal.link).any(|l| l == foot.link);
            let is_on_toes = goals.iter().any(|g| !g.pinned && g.weight > 0.0 && is_below(g));
            let contact = Contact::new(index, foot, &self.stance_now);
            self.contacts.push(Contact { is_on_toes, is_pinned, holds: is_pinned || !is_pulled, ..contact });
        }
        if !self.contacts.is_empty() {
            raised
                .into_iter()
                .for_each(|(link, limb)| self.keep_raised(link, &figure.parts.limbs[limb].joints));
        }
    }

    /// Keeps a raised foot where it is, as long as its leg reaches. The leg is no counterweight: it counts at the hip.
    fn keep_raised(&mut self, link: usize, leg: &[usize]) {
        let place = self.stance_now.positions[link];
        let (axes, free) = (DMat3::IDENTITY, DMat3::ZERO);
        let kind =
            PullKind::Position { offset: DVec3::ZERO, axes, free, start: place, end: place, target: place };
        self.pulls.push(Pull { goal: usize::MAX, link, kind, force: LIGHT_PULL, holds: true, is_pin: false });
        let mass: f64 = leg.iter().map(|&l| self.model.joints[l].balance_mass).sum();
        for (index, &joint) in leg.iter().enumerate() {
            let joint = &mut self.model.joints[joint];
            (joint.balance_mass, joint.counts_above) = (if index == 0 { mass } else { 0.0 }, true);
        }
    }

    /// Relaxes the arms that are pulled.
    fn relax(&mut self, figure: &Figure, goals: &[Goal]) {
        let arms = figure.parts.limbs.iter().enumerate().filter(|(_, limb)| limb.is_arm);
        for (index, limb) in arms {
            let is_of_arm = |goal: &Goal| {
                let part = self.carrier(goal.link);
                matches!(part, Some(Part::Limb(l, joint)) if l == index && joint > 0)
            };
            let is_pulled = goals.iter().any(|g| !g.pinned && g.weight > 0.0 && is_of_arm(g));
            let share = if is_pulled { RELAXED } else { 1.0 };
            for &link in &limb.joints {
                self.stiffness[link] *= share;
                self.weights.push((link, share * self.model.joints[link].mass * MASS * GRAVITY));
            }
        }
    }

    /// Relaxes the legs that are pulled, more than arms, because a pelvis tilts easily and a stiff ankle keeps a knee from bending.
    fn relax_legs(&mut self, figure: &Figure) {
        for contact in self.contacts.iter().filter(|c| !c.holds) {
            let leg = &figure.parts.limbs[self.feet[contact.foot].limb].joints;
            leg.iter().for_each(|&link| self.stiffness[link] *= RELAXED * RELAXED);
        }
    }

    /// Stiffens what no pin should move: the trunk.
    fn stiffen_trunk(&mut self) {
        for (joint, stiffness) in self.model.joints.iter().zip(&mut self.stiffness) {
            if !matches!(joint.part, Some(Part::Limb(..))) {
                *stiffness = stiffness.max(DVec3::splat(constant::ROOT)) * constant::UNPULLED;
            }
        }
    }

    fn set_preload(&mut self) {
        self.preload = vec![0.0; self.model.count];
        let mut columns = Vec::new();
        for &(link, weight) in &self.weights {
            let at = self.stance_now.point(link, self.model.joints[link].centre);
            self.stance_now.point_columns(&self.model, link, at, &mut columns);
            for (&d, column) in self.model.path(link).iter().zip(&columns) {
                self.preload[d] += weight * column.y;
            }
        }
    }

    /// Sets the points that stay above the floor: knees, elbows, hands, head, hips, and feet that do not stand.
    fn set_floor(&mut self, figure: &Figure, rest: &Kinematics) {
        let Some(floor) = self.model.floor else { return };
        // An animal lays its nose on the floor.
        let radius = if self.model.is_person { 0.1 } else { 0.0 };
        let mut points: Vec<(usize, DVec3, f64)> = vec![(0, DVec3::ZERO, 0.1)];
        points.extend(self.model.head.map(|head| (head, DVec3::ZERO, radius)));
        for limb in &figure.parts.limbs {
            let inner = &limb.joints[1..limb.joints.len() - 1];
            points.extend(inner.iter().map(|&l| (l, DVec3::ZERO, if limb.is_arm { 0.04 } else { 0.055 })));
            if let Some(&end) = limb.joints.last().filter(|_| limb.is_arm || !limb.stands) {
                // Hands and fingers are thin.
                let thin = std::iter::once(end).chain(limb.digits.iter().copied());
                points.extend(thin.map(|link| (link, DVec3::ZERO, 0.005)));
            }
        }
        for foot in &self.feet {
            let holds = self.contacts.iter().any(|c| c.holds && self.feet[c.foot].link == foot.link);
            if !holds {
                let tip = foot.tip.with_y(foot.heel.y);
                let ends = [(foot.heel, foot.rest[0]), (foot.ball, foot.rest[1]), (tip, foot.rest[0])];
                points.extend(ends.map(|(at, height)| (foot.link, at, height)));
            }
        }
        self.floor_points.extend(points.into_iter().map(|(link, offset, radius)| {
            // Neither in the stance nor at rest is a point beyond its bound.
            let least = self.stance_now.point(link, offset).y.min(rest.point(link, offset).y);
            FloorPoint { link, offset, height: least.min(floor + radius) }
        }));
    }

    /// Returns where the head looks while a hand is pulled.
    fn looks_at(&self, figure: &Figure, options: &Options) -> Option<(DVec3, f64)> {
        let head = self.model.head.filter(|_| options.full_body.look > 0.0)?;
        let is_hand = |pull: &&Pull| {
            let part = self.carrier(pull.link);
            !pull.is_pin && matches!(part, Some(Part::Limb(l, _)) if figure.parts.limbs[l].is_arm)
        };
        let pull = self.pulls.iter().find(is_hand)?;
        let PullKind::Position { end, .. } = pull.kind else { return None };
        let sight = (end - self.stance_now.positions[head]).try_normalize()?;
        let stiffness = 10.0 * constant::HEAD_UPRIGHT * options.full_body.look.min(1.0);
        Some((sight, stiffness))
    }
}

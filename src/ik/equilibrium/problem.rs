//! The problem of a figure in a stance: its contacts, the pulls on it, and the constraints on its pose.

use glam::{DMat3, DQuat, DVec3};

use super::buffers::Buffers;
use super::capsule::Capsules;
use super::constant::{self, GRAVITY, LIGHT_PULL, RELAXED};
use super::foot::{Contact, Foot};
use super::mass::CentreOfMass;
use super::model::{Freedom, Model};
use super::pose::{FigurePose, Kinematics};
use super::pull::{Pull, PullKind};
use super::table::{self, MASS};
use super::yielding::Yielding;
use crate::figure::{Figure, FigurePart};
use crate::{Body, Goal, LinkIndex, Options};

/// Number of horizontal directions in which the centre of mass must keep its distance from the edge of the support.
pub(super) const DIRECTIONS: usize = 16;

/// A point that must stay above the floor.
#[derive(Clone, Copy, Debug)]
pub(super) struct FloorPoint {
    pub(super) link: usize,
    pub(super) offset: DVec3,
    pub(super) height: f64,
}

/// The problem of a figure. Every bound is relaxed so that the stance is allowed.
#[derive(Clone, Debug, Default)]
pub(super) struct Problem {
    pub(super) model: Model,
    pub(super) stance: FigurePose,
    pub(super) stance_now: Kinematics,
    pub(super) feet: Vec<Foot>,
    pub(super) contacts: Vec<Contact>,
    pub(super) pulls: Vec<Pull>,
    pub(super) yielding: Vec<Yielding>,
    /// Whether at least one goal other than a pin exerts a pull.
    pub(super) is_pulled: bool,
    pub(super) has_balance: bool,
    pub(super) centre: DVec3,
    pub(super) support_slack: [f64; DIRECTIONS],
    /// Links whose parts hang, with their weights in newtons.
    pub(super) weights: Vec<(usize, f64)>,
    /// The moments of `weights` in the stance. The springs balance these moments.
    pub(super) preload: Vec<f64>,
    /// Stiffness of each joint, after relaxing the limbs that are pulled.
    pub(super) stiffness: Vec<DVec3>,
    pub(super) root_stiffness: f64,
    /// Amounts by which the stance exceeds the limits of each joint.
    pub(super) limit_slack: Vec<[f64; 6]>,
    /// See [`Problem::is_far_from_limit`].
    pub(super) safe_turns: Vec<f64>,
    pub(super) floor_points: Vec<FloorPoint>,
    pub(super) capsules: Capsules,
    pub(super) capsule_slack: Vec<f64>,
    /// The direction that the head turns towards, and the stiffness of the spring that turns the head.
    pub(super) look: Option<(DVec3, f64)>,
    rest: Kinematics,
    rest_pose: FigurePose,
    pub(super) last_pulls: Vec<Pull>,
    buffers: Buffers,
}

impl Problem {
    /// Sets the problem of a body in its stance, or in its current pose if it has no stance. Allocates nothing once the buffers are
    /// large enough.
    pub(super) fn set(&mut self, body: &Body, figure: &Figure, goals: &[Goal], options: &Options) {
        let (rotations, root) = match body.stance() {
            Some(stance) => (&stance.rotations[..], stance.root),
            None => (body.rotations(), body.root()),
        };
        self.clear();
        self.model.set(body, figure, rotations, root, options);
        table::weigh(&mut self.model, figure);
        table::stiffen(&mut self.model, body, figure, options);
        self.set_stance(body, rotations, root);
        self.keep_from_overstretching(figure);
        self.is_pulled = goals.iter().any(|goal| !goal.pinned && goal.weight > 0.0);
        self.stiffness.extend(self.model.joints.iter().map(|joint| joint.stiffness));
        self.set_rest(body, figure.parts.hips);
        self.feet.extend(Foot::all(&self.model, figure, &self.rest));
        self.set_pulls(figure, goals);
        self.set_contacts(figure, goals);
        self.has_balance = self.is_pulled && options.full_body.balance && !self.contacts.is_empty();
        let unpulled = if options.full_body.clear { constant::CLEARED } else { constant::UNPULLED };
        if self.is_pulled {
            self.relax(figure, goals);
            self.relax_legs(figure);
            self.set_floor(figure);
            self.look = self.looks_at(figure, options);
        } else {
            self.stiffen_trunk(unpulled);
        }
        if self.is_pulled || options.full_body.clear {
            self.capsules.set(&self.model, figure, &self.rest, options.full_body.clear);
            let (allowed, soft) = match options.full_body.clear {
                true => (&self.rest, true),
                false => (&self.stance_now, false),
            };
            self.capsules.measure(allowed, soft, &mut self.buffers.places, &mut self.capsule_slack);
            for goal in goals.iter().filter(|goal| goal.touches) {
                self.capsules.let_touch(&self.model, goal.link.0, &mut self.capsule_slack);
            }
        }
        if options.full_body.clear {
            self.keep_above_floor(figure);
        }
        self.root_stiffness = if !self.is_pulled {
            constant::ROOT * unpulled
        } else if self.hangs_on_limbs() {
            constant::ROOT_IN_AIR
        } else {
            constant::ROOT
        };
        self.measure_limits();
        self.centre = CentreOfMass::place(&self.model, &self.stance_now);
        self.set_preload();
        self.support_slack = [0.0; DIRECTIONS];
        let support = self.support(&self.stance_now, self.centre);
        self.support_slack = support.map(|side| (-side.value).max(0.0));
    }

    /// Empties the fields that [`Problem::set`] fills.
    fn clear(&mut self) {
        self.stiffness.clear();
        self.feet.clear();
        self.contacts.clear();
        self.pulls.clear();
        self.yielding.clear();
        self.weights.clear();
        self.floor_points.clear();
        self.capsules.clear();
        self.capsule_slack.clear();
        self.look = None;
    }

    /// Ends the range of each elbow and knee at the angle of the straight limb, or at the stance if the limb is overstretched there. A
    /// joint that is pushed beyond that point would stay there.
    fn keep_from_overstretching(&mut self, figure: &Figure) {
        let Self { model, stance, stance_now, .. } = self;
        for joints in figure.parts.limbs.iter().flat_map(|limb| limb.joints.windows(3)) {
            let [above, link, end] = [joints[0], joints[1], joints[2]];
            let Some((straight, side)) = stance_now.straight(model, stance, [above.0, link.0, end.0]) else {
                continue;
            };
            let [low, high] = &mut model.joints[link.0].range;
            if side > 0.0 {
                *low = low.max(straight.min(0.0)).min(*high);
            } else {
                *high = high.min(straight.max(0.0)).max(*low);
            }
        }
    }

    /// Sets the stance from the pose of a body.
    fn set_stance(&mut self, body: &Body, rotations: &[DQuat], root: DVec3) {
        let Self { model, stance, stance_now, .. } = self;
        let hips = body.world_from_base().transform_point3(body.links()[0].offset + root);
        stance.hips = model.space.from_world.transform_point3(hips);
        stance.turns.clear();
        stance.turns.extend(rotations.iter().enumerate().map(|(link, &local)| model.turn(link, local)));
        stance.angles.clear();
        stance.angles.resize(rotations.len(), 0.0);
        for (link, joint) in model.joints.iter().enumerate() {
            if let Freedom::Hinge { axis, stance: own } = joint.freedom {
                let turn = stance.turns[link] * own.conjugate();
                let angle = crate::limit::swing_twist(turn, axis).1;
                if angle != 0.0 {
                    stance.set_angle(model, link, angle);
                }
            }
        }
        stance_now.update(model, stance);
    }

    /// Sets the rest pose, in which all links are aligned with the axes of the figure. This pose is upright even if a node above the hips
    /// leans.
    fn set_rest(&mut self, body: &Body, hips: Option<DVec3>) {
        let Self { model, rest, rest_pose, .. } = self;
        let hips = hips.unwrap_or_else(|| body.world_from_base().transform_point3(body.links()[0].offset));
        rest_pose.hips = model.space.from_world.transform_point3(hips);
        rest_pose.turns.clear();
        rest_pose.turns.resize(model.joints.len(), DQuat::IDENTITY);
        rest.place(model, rest_pose);
    }

    /// Returns the part of the figure that contains a link, or the nearest part above the link.
    pub(super) fn part_of(&self, link: usize) -> Option<FigurePart> {
        self.model.up(link).find_map(|l| self.model.joints[l].part)
    }

    /// Adds the feet that are on the floor in the stance. Adds none if nothing pulls, because then only pinned parts stay in place.
    fn set_contacts(&mut self, figure: &Figure, goals: &[Goal]) {
        let Some(floor) = self.model.floor.filter(|_| self.is_pulled) else { return };
        let is_of_leg = |model: &Model, foot: &Foot, goal: &Goal| {
            let leg = &figure.parts.limbs[foot.limb].joints[1..];
            model.up(goal.link.0).any(|l| leg.contains(&LinkIndex(l)))
        };
        let pulls = |goal: &&Goal| !goal.pinned && goal.weight > 0.0;
        for (index, foot) in self.feet.iter().enumerate().filter(|(_, f)| f.stands(&self.stance_now, floor)) {
            let is_own = |goal: &Goal| is_of_leg(&self.model, foot, goal);
            let is_pinned = goals.iter().any(|g| g.pinned && g.weight > 0.0 && is_own(g));
            let is_pulled = goals.iter().filter(pulls).any(is_own);
            let is_below =
                |goal: &Goal| goal.link.0 != foot.link && self.model.up(goal.link.0).any(|l| l == foot.link);
            let is_on_toes = goals.iter().filter(pulls).any(is_below);
            let contact = Contact::new(index, foot, &self.stance_now);
            self.contacts.push(Contact { is_on_toes, is_pinned, holds: is_pinned || !is_pulled, ..contact });
        }
        if self.contacts.is_empty() {
            return;
        }
        for index in 0..self.feet.len() {
            let foot = &self.feet[index];
            let is_free = !goals.iter().any(|goal| is_of_leg(&self.model, foot, goal));
            if is_free && !foot.stands(&self.stance_now, floor) {
                self.keep_raised(foot.link, &figure.parts.limbs[foot.limb].joints);
            }
        }
    }

    /// Keeps a raised foot in place, as long as its leg can reach it. The mass of the leg is lumped at the hip, so that the leg is not
    /// used as a counterweight.
    fn keep_raised(&mut self, link: usize, leg: &[LinkIndex]) {
        let place = self.stance_now.positions[link];
        let (axes, free) = (DMat3::IDENTITY, DMat3::ZERO);
        let kind =
            PullKind::Position { offset: DVec3::ZERO, axes, free, start: place, end: place, target: place };
        self.pulls.push(Pull { goal: usize::MAX, link, kind, force: LIGHT_PULL, holds: true, is_pin: false });
        let mass: f64 = leg.iter().map(|&l| self.model.joints[l.0].balance_mass).sum();
        for (index, &joint) in leg.iter().enumerate() {
            let joint = &mut self.model.joints[joint.0];
            (joint.balance_mass, joint.counts_above) = (if index == 0 { mass } else { 0.0 }, true);
        }
    }

    /// Relaxes the arms that are pulled.
    fn relax(&mut self, figure: &Figure, goals: &[Goal]) {
        let arms = figure.parts.limbs.iter().enumerate().filter(|(_, limb)| limb.is_arm);
        for (index, limb) in arms {
            let is_of_arm = |goal: &Goal| {
                let part = self.part_of(goal.link.0);
                matches!(part, Some(FigurePart::Limb(l, joint)) if l == index && joint > 0)
            };
            let is_pulled = goals.iter().any(|g| !g.pinned && g.weight > 0.0 && is_of_arm(g));
            let share = if is_pulled { RELAXED } else { 1.0 };
            for &link in &limb.joints {
                self.stiffness[link.0] *= share;
                self.weights.push((link.0, share * self.model.joints[link.0].mass * MASS * GRAVITY));
            }
        }
    }

    /// Relaxes the legs that are pulled. Legs are relaxed more than arms, because a pelvis tilts easily and a stiff ankle keeps a knee
    /// from bending.
    fn relax_legs(&mut self, figure: &Figure) {
        for contact in self.contacts.iter().filter(|c| !c.holds) {
            let leg = &figure.parts.limbs[self.feet[contact.foot].limb].joints;
            leg.iter().for_each(|&link| self.stiffness[link.0] *= RELAXED * RELAXED);
        }
    }

    /// Stiffens the trunk, because pins should not move it.
    fn stiffen_trunk(&mut self, factor: f64) {
        for (joint, stiffness) in self.model.joints.iter().zip(&mut self.stiffness) {
            if !matches!(joint.part, Some(FigurePart::Limb(..))) {
                *stiffness = stiffness.max(DVec3::splat(constant::ROOT)) * factor;
            }
        }
    }

    fn set_preload(&mut self) {
        let Self { model, stance_now, weights, preload, buffers, .. } = self;
        preload.clear();
        preload.resize(model.count, 0.0);
        let columns = &mut buffers.columns[0];
        for &(link, weight) in &*weights {
            let at = stance_now.point(link, model.joints[link].centre);
            stance_now.point_columns(model, link, at, columns);
            for (&d, column) in model.path(link).iter().zip(&*columns) {
                preload[d] += weight * column.y;
            }
        }
    }

    /// Sets the points that stay above the floor: knees, elbows, hands, head, hips, and feet that do not stand.
    fn set_floor(&mut self, figure: &Figure) {
        let Self { model, stance_now, rest, floor_points, feet, contacts, .. } = self;
        let Some(floor) = model.floor else { return };
        let mut add = |link: usize, offset: DVec3, radius: f64| {
            // The bound is lowered so that the point is allowed both in the stance and in the rest pose.
            let least = stance_now.point(link, offset).y.min(rest.point(link, offset).y);
            floor_points.push(FloorPoint { link, offset, height: least.min(floor + radius) });
        };
        add(0, DVec3::ZERO, 0.1);
        // An animal may lay its nose on the floor.
        let radius = if model.is_person { 0.1 } else { 0.0 };
        model.head.into_iter().for_each(|head| add(head, DVec3::ZERO, radius));
        for limb in &figure.parts.limbs {
            let [_, inner @ .., end] = &limb.joints[..] else { continue };
            inner.iter().for_each(|&l| add(l.0, DVec3::ZERO, if limb.is_arm { 0.04 } else { 0.055 }));
            if limb.is_arm || !limb.stands {
                // Hands and fingers are thin.
                std::iter::once(end).chain(&limb.digits).for_each(|&link| add(link.0, DVec3::ZERO, 0.005));
            }
        }
        for foot in &*feet {
            let holds = contacts.iter().any(|c| c.holds && feet[c.foot].link == foot.link);
            if !holds {
                let tip = foot.tip.with_y(foot.heel.y);
                let ends = [(foot.heel, foot.rest[0]), (foot.ball, foot.rest[1]), (tip, foot.rest[0])];
                ends.into_iter().for_each(|(at, height)| add(foot.link, at, height));
            }
        }
    }

    /// Keeps the skin above the floor, or the ends of all capsules if there is no skin. These points are raised even if they start below
    /// the floor, but not above their rest height.
    fn keep_above_floor(&mut self, figure: &Figure) {
        let Self { model, rest, floor_points, capsules, .. } = self;
        let Some(floor) = model.floor else { return };
        if !figure.parts.skin.is_empty() {
            floor_points.extend(figure.parts.skin.iter().map(|&(link, at)| {
                let offset = model.point(link.0, at);
                FloorPoint { link: link.0, offset, height: rest.point(link.0, offset).y.min(floor) }
            }));
            return;
        }
        floor_points.extend(capsules.ends(figure).map(|(link, offset, radius)| {
            let height = rest.point(link, offset).y.min(floor + radius);
            FloorPoint { link, offset, height }
        }));
        // A finger extends beyond each of its joints by the length of the bone before that joint.
        for link in
            figure.parts.limbs.iter().filter(|limb| limb.is_arm).flat_map(|limb| limb.digits.iter().copied())
        {
            let Some(above) = model.up(link.0).nth(1) else { continue };
            let offset = rest.positions[link.0] - rest.positions[above];
            floor_points.push(FloorPoint {
                link: link.0,
                offset,
                height: rest.point(link.0, offset).y.min(floor),
            });
        }
    }

    /// Returns the direction in which the head looks while a hand is pulled, and the stiffness of the spring that turns the head in this
    /// direction.
    fn looks_at(&self, figure: &Figure, options: &Options) -> Option<(DVec3, f64)> {
        let head = self.model.head.filter(|_| options.full_body.look > 0.0)?;
        let is_hand = |pull: &&Pull| {
            let part = self.part_of(pull.link);
            !pull.is_pin && matches!(part, Some(FigurePart::Limb(l, _)) if figure.parts.limbs[l].is_arm)
        };
        let pull = self.pulls.iter().find(is_hand)?;
        let PullKind::Position { end, .. } = pull.kind else { return None };
        let sight = (end - self.stance_now.positions[head]).try_normalize()?;
        let stiffness = 10.0 * constant::HEAD_UPRIGHT * options.full_body.look.min(1.0);
        Some((sight, stiffness))
    }
}

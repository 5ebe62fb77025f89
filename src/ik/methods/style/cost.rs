//! The objective of posing in a learned style, and its gradient.
//!
//! L = C/λ + L_IK, where C is the error of the goals and L_IK is the paper's equation 6, L_IK(x, y) = |W(y − f(x))|²
//! / 2σ²(x) + D/2 ln σ²(x) + ½ |x|².
//!
//! The posture is y = f(x) + σ(x) W⁻¹ v, and the search varies v instead of y. Moving x then moves the whole posture
//! along the model, and |W(y − f)|²/σ² becomes |v|². The minimum is the same, but the search finds it in far fewer
//! steps.

use std::ops::Mul;

use glam::{DMat3, DQuat, DVec2, DVec3};
use sinew_base::mathematics::accumulate_below;

use crate::link::parents;
use crate::posture::{PINNED, Placement};
use crate::rotation::{any_perpendicular, rotation_vector, shortest_arc};
use crate::{Body, Goal, Limit, LinkIndex, Options, posture};

use super::axes::WeightedError;
use super::model::{FEATURES, Prediction, Style};

/// √λ for positions, as a fraction of the longest chain to a goal. An error of this size counts as much as a posture
/// that is one standard deviation away.
const NEAR: f64 = 0.005;
/// Changes of the heading (radians) and of the two ground coordinates (metres) when their unknowns change by one.
const PLACEMENT_STEP: [f64; 3] = [0.2, 0.1, 0.1];

/// A feature that the search varies.
#[derive(Clone, Copy, Debug)]
struct Unknown {
    link: usize,
    /// Index of the feature in the model.
    feature: usize,
}

/// The objective of posing. The unknowns are the latent position, v, and the placement of the figure.
pub(super) struct Cost<'a> {
    style: &'a Style,
    goals: &'a [Goal],
    /// The body in the last pose that was evaluated.
    pub(super) body: Body,
    unknowns: Vec<Unknown>,
    /// Whether the search varies the heading, and whether it varies the position of the base.
    turns: bool,
    moves: bool,
    /// The placement from which the search starts.
    pub(super) place: Placement,
    size: f64,
    characteristic_length: f64,
    prediction: Prediction,
    features: Vec<f64>,
    frames: Vec<LinkFrame>,
    torques: Vec<DVec3>,
    feature_gradient: Vec<f64>,
}

/// The transform from a link to the world, or to its parent.
#[derive(Clone, Copy, Debug)]
struct LinkFrame {
    linear: DMat3,
    position: DVec3,
    /// Product of the rotations.
    rotation: DQuat,
}

impl Mul for LinkFrame {
    type Output = Self;

    #[inline]
    fn mul(self, own: Self) -> Self {
        Self {
            linear: self.linear * own.linear,
            position: self.position + self.linear * own.position,
            rotation: self.rotation * own.rotation,
        }
    }
}

impl<'a> Cost<'a> {
    /// Creates the objective. `is_free` returns whether a link of the body may turn. It uses only the options
    /// `root_motion` and `characteristic_length`.
    pub(super) fn new(
        style: &'a Style,
        joints: &[Option<usize>],
        goals: &'a [Goal],
        body: &Body,
        options: &Options,
        is_free: impl Fn(usize) -> bool,
    ) -> Self {
        let includes_base = posture::includes_base(joints);
        let turns = includes_base && is_free(0);
        let moves = includes_base && options.root_motion;
        let mut unknowns = Vec::new();
        for (link, joint) in joints.iter().enumerate() {
            let Some(joint) = *joint else { continue };
            // The first feature of the base is its height. The others are its tilt.
            let first = if joint > 0 || (link == 0 && moves) { 0 } else { 1 };
            let last = if is_free(link) && (joint > 0 || link == 0) { FEATURES } else { 1 };
            let of = |k| Unknown { link, feature: FEATURES * joint + k };
            if joint == 0 || is_free(link) {
                unknowns.extend((first..last).map(of));
            }
        }
        let base = posture::base_position(body);
        let place =
            Placement { heading: posture::heading_and_tilt(body).0, ground: DVec2::new(base.x, base.z) };
        Self {
            style,
            goals,
            body: body.clone(),
            unknowns,
            turns,
            moves,
            place,
            size: size(body, goals),
            characteristic_length: options.characteristic_length,
            prediction: Prediction::default(),
            features: Vec::new(),
            frames: Vec::new(),
            torques: Vec::new(),
            feature_gradient: Vec::new(),
        }
    }

    /// Returns the unknowns at a latent position, with the posture that the model predicts there.
    pub(super) fn start(&self, latent: &[f64]) -> Vec<f64> {
        let mut z = latent.to_vec();
        z.resize(latent.len() + self.unknowns.len() + PLACEMENT_STEP.len(), 0.0);
        z
    }

    /// Returns C / λ for the current pose of the body.
    pub(super) fn goals_cost(&mut self) -> f64 {
        self.forward();
        self.goal_terms(false)
    }

    /// Returns L and computes its gradient.
    pub(super) fn evaluate(&mut self, z: &[f64], gradient: &mut [f64]) -> f64 {
        let dims = self.style.dimensions;
        let (x, rest) = z.split_at(dims);
        let (v, place) = rest.split_at(self.unknowns.len());
        self.style.predict(x, &mut self.prediction);
        let (variance, count) = (self.prediction.variance, self.unknowns.len() as f64);
        let sigma = variance.sqrt();
        self.pose(v, place, sigma);
        self.forward();
        let goals = self.goal_terms(true);
        // Derivatives with respect to the placement.
        gradient.fill(0.0);
        let (by_latent, by_rest) = gradient.split_at_mut(dims);
        let (by_v, by_place) = by_rest.split_at_mut(self.unknowns.len());
        let rotation = self.body.world_from_base_rotation();
        let torque = rotation * self.torques.first().copied().unwrap_or_default();
        let turns = f64::from(u8::from(self.turns));
        by_place[0] = PLACEMENT_STEP[0] * torque.y * turns;
        if self.moves {
            let force = self.torques.last().copied().unwrap_or_default();
            (by_place[1], by_place[2]) = (PLACEMENT_STEP[1] * force.x, PLACEMENT_STEP[2] * force.z);
        }
        // Derivatives with respect to the features.
        self.feature_gradient.clear();
        self.feature_gradient.resize(self.style.features(), 0.0);
        self.compute_feature_gradient(self.place.heading + PLACEMENT_STEP[0] * place[0] * turns);
        // Derivatives with respect to v and the latent position.
        let mut along = 0.0;
        for ((unknown, v), out) in self.unknowns.iter().zip(v).zip(by_v) {
            let by = self.feature_gradient[unknown.feature];
            let scale = self.style.scales[unknown.feature];
            *out = v + by * sigma / scale;
            along += by * v / scale;
        }
        let by_variance = 0.5 * count / variance + along / (2.0 * sigma);
        for (axis, out) in by_latent.iter_mut().enumerate() {
            *out = x[axis] + by_variance * self.prediction.variance_slope[axis];
        }
        self.style.pull_back(&self.prediction, &self.feature_gradient, by_latent);
        let squares = |of: &[f64]| of.iter().map(|x| x * x).sum::<f64>();
        goals + 0.5 * (squares(v) + squares(x) + count * variance.ln())
    }

    /// Puts the body into the pose that the unknowns describe.
    fn pose(&mut self, v: &[f64], place: &[f64], sigma: f64) {
        self.features.clone_from(&self.prediction.features);
        for (unknown, v) in self.unknowns.iter().zip(v) {
            self.features[unknown.feature] += sigma * v / self.style.scales[unknown.feature];
        }
        let posture = self.style.posture(&self.features);
        let heading = self.place.heading + if self.turns { PLACEMENT_STEP[0] * place[0] } else { 0.0 };
        let ground = self.place.ground
            + if self.moves {
                DVec2::new(PLACEMENT_STEP[1] * place[1], PLACEMENT_STEP[2] * place[2])
            } else {
                DVec2::ZERO
            };
        let mut done = None;
        for unknown in self.unknowns.iter().filter(|u| u.feature % FEATURES == FEATURES - 1) {
            if done == Some(unknown.link) {
                continue;
            }
            done = Some(unknown.link);
            let Some(&rotation) = posture.rotations.get(unknown.feature / FEATURES) else { continue };
            let link = self.body.links()[unknown.link];
            let turned = if unknown.feature < FEATURES {
                posture::base_rotation(&self.body, heading, rotation)
            } else if link.reversed {
                rotation.conjugate() * link.rest
            } else {
                link.rest * rotation
            };
            self.body.set_rotation(LinkIndex(unknown.link), turned);
        }
        if self.moves {
            posture::move_base(&mut self.body, DVec3::new(ground.x, posture.height, ground.y));
        }
    }

    /// Computes the world transforms of all links.
    fn forward(&mut self) {
        let (body, frames) = (&self.body, &mut self.frames);
        let base = LinkFrame {
            linear: body.world_from_base().matrix3,
            position: body.world_from_base().translation,
            rotation: body.world_from_base_rotation(),
        };
        frames.resize(body.links().len(), base);
        accumulate_below(parents(body.links()), base, frames, |index| {
            let (link, rotation) = (&body.links()[index], body.rotations()[index]);
            let root = if link.parent.is_none() { body.root() } else { DVec3::ZERO };
            LinkFrame {
                linear: DMat3::from_quat(rotation) * DMat3::from_diagonal(link.scale),
                position: link.offset + root,
                rotation,
            }
        });
    }

    /// Returns C / λ. If `slopes` is set, also computes the derivatives with respect to a turn of each link about axes
    /// of its parent's frame. The last entry is the derivative with respect to a translation of the whole body in the
    /// world.
    fn goal_terms(&mut self, slopes: bool) -> f64 {
        let links = self.frames.len();
        self.torques.clear();
        self.torques.resize(links + 1, DVec3::ZERO);
        let mut cost = 0.0;
        for goal in self.goals.iter().filter(|g| g.weight > 0.0) {
            let frame = self.frames[goal.link.0];
            let point = frame.position + frame.linear * goal.offset;
            let near = NEAR * self.size;
            let weight = goal.weight * if goal.pinned { PINNED } else { 1.0 } / (near * near);
            let radian = self.characteristic_length * self.size;
            let turn = weight * radian * radian;
            let (mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO);
            if let Some(target) = goal.position {
                let error = target - point;
                let WeightedError { square, pull } = WeightedError::position(goal, error);
                cost += 0.5 * weight * square;
                force -= weight * pull;
            }
            if let Some(target) = goal.orientation {
                let WeightedError { square, pull } = WeightedError::orientation(goal, target, frame.rotation);
                cost += 0.5 * turn * square;
                torque -= turn * pull;
            }
            let aim = goal.aim.and_then(|aim| {
                let away = aim.at - point;
                Some(((frame.rotation * aim.axis).try_normalize()?, away.try_normalize()?, away.length()))
            });
            if let Some((now, wanted, far)) = aim {
                let error = rotation_vector(shortest_arc(now, wanted, any_perpendicular(now)));
                cost += 0.5 * turn * error.length_squared();
                torque -= turn * error;
                force -= turn * error.cross(wanted) / far;
            }
            if slopes {
                self.propagate(goal, force, torque);
            }
        }
        cost
    }

    /// Adds the effect of a force at a goal's point and a torque on its link to the goal's link and all its ancestors.
    fn propagate(&mut self, goal: &Goal, force: DVec3, torque: DVec3) {
        let body = &self.body;
        let (mut next, mut local) = (Some(goal.link), goal.offset);
        while let Some(index) = next {
            let link = &body.links()[index.0];
            let (linear, rotation) = link.parent_index().map_or_else(
                || (body.world_from_base().matrix3, body.world_from_base_rotation()),
                |p| (self.frames[p].linear, self.frames[p].rotation),
            );
            let arm = body.rotations()[index.0] * (link.scale * local);
            self.torques[index.0] += arm.cross(linear.transpose() * force) + rotation.conjugate() * torque;
            local = link.offset + arm;
            next = link.parent_index().map(LinkIndex);
        }
        if let Some(shift) = self.torques.last_mut() {
            *shift += force;
        }
    }

    /// Converts derivatives with respect to turns about axes to derivatives with respect to features.
    fn compute_feature_gradient(&mut self, heading: f64) {
        let Some(&shift) = self.torques.last() else { return };
        for unknown in &self.unknowns {
            let first = unknown.feature - unknown.feature % FEATURES;
            let k = unknown.feature - first;
            let triple = DVec3::from_slice(&self.features[first..first + FEATURES]);
            let torque = self.torques[unknown.link];
            let link = &self.body.links()[unknown.link];
            let slope = if first == 0 {
                let rotation = self.body.world_from_base_rotation();
                let inside = DQuat::from_rotation_y(-heading) * (rotation * torque);
                let tilt = pull_back_turn(DVec3::new(triple.y, 0.0, triple.z), inside);
                DVec3::new(shift.y, tilt.x, tilt.z)
            } else if link.reversed {
                -pull_back_turn(-triple, torque)
            } else {
                let frame = link.rest * self.style.means[first / FEATURES];
                pull_back_turn(triple, frame.conjugate() * torque)
            };
            self.feature_gradient[unknown.feature] = slope[k];
        }
    }
}

/// Returns Jᵀ t for the left Jacobian J of the rotation vector y, with exp(y + dy) = exp(J dy) exp(y).
fn pull_back_turn(y: DVec3, t: DVec3) -> DVec3 {
    let angle = y.length();
    if angle < 1e-6 {
        return t - 0.5 * y.cross(t);
    }
    let (axis, sinc) = (y / angle, angle.sin() / angle);
    sinc * t + (1.0 - sinc) * axis.dot(t) * axis - (1.0 - angle.cos()) / angle * axis.cross(t)
}

/// Returns the length of the longest chain from the base to a goal's link, in world metres.
fn size(body: &Body, goals: &[Goal]) -> f64 {
    let way = |goal: &Goal| {
        let (mut next, mut length) = (Some(goal.link), 0.0);
        while let Some(link) = next.and_then(|i| body.links().get(i.0)).filter(|l| l.parent.is_some()) {
            length += (body.world_from_base().matrix3 * link.offset).length();
            next = link.parent_index().map(LinkIndex);
        }
        length
    };
    let longest = goals.iter().map(way).fold(0.0, f64::max);
    if longest > 0.0 { longest } else { 1.0 }
}

pub(super) fn may_turn(body: &Body, link: usize, limits: bool) -> bool {
    let may = |l: &crate::Link| l.weight > 0.0 && !(limits && l.limit == Limit::Locked);
    body.links().get(link).is_some_and(may)
}

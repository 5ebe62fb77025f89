//! The Jacobian family: what the tips do as the joints turn, inverted in five ways.
//!
//! With ball joints the columns of J come in threes, a 3×3 lever a joint and task, and everything is solved in the
//! small space of the tasks: y = (J W Jᵀ + λ²I)⁻¹ (e − J h), then ω = h + W Jᵀ y. No matrix has the size of the
//! chain, and h, projected by the same two lines onto the null space of J, is the secondary task (Liégeois 1977).
//!
//! - transpose: y = α e with the step that is best to first order (Wolovich & Elliott 1984; Buss 2004, eq. 8);
//! - pseudo-inverse: λ = 0, singular directions left out (Whitney 1969);
//! - damped least squares: Wampler 1986; Nakamura & Hanafusa 1986; λ that falls with the error after Chan & Lawrence
//!   1988 and Sugihara 2011, eq. 19;
//! - selectively damped: Buss & Kim 2005, section 4;
//! - W, weights of the joints: W⁻¹Jᵀ(JW⁻¹Jᵀ)⁻¹ with our W = its W⁻¹ (Whitney 1972).

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_4};

use glam::{DMat3, DQuat, DVec3};

use super::linear::{eigen, solve_cholesky};
use super::rotation::rotation_vector;
use super::tree::{Joint, Tree, skew};
use super::{JacobianOptions, JointParameters, Limit};

/// What is pinned counts this much more.
const PINNED: f64 = 1e8;
/// Radians that a joint turns in a pass at most.
const LARGEST_TURN: f64 = 1.0;
/// Rounds of locking what came to its limit and solving again for the rest, in a pass.
const ROUNDS: usize = 6;

/// Passes that may bring pins back.
const RESTORES: usize = 12;

/// How y is found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Inverse {
    Transpose,
    Pseudo,
    /// λ², base-space metres squared.
    Damped(f64),
    Selective,
}

/// What a row of three is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Position,
    Orientation,
    Aim,
}

#[derive(Clone, Copy, Debug)]
struct Task {
    tip: usize,
    kind: Kind,
    /// Rows are multiplied by this, the root of their weight.
    scale: f64,
    /// Base-space metres that a radian counts for.
    radian: f64,
    error: DVec3,
}

/// A joint's share in a task: ∂task/∂ω.
#[derive(Clone, Copy, Debug)]
struct Lever {
    task: usize,
    matrix: DMat3,
}

/// Buffers, kept from pass to pass.
#[derive(Clone, Debug, Default)]
pub(super) struct Jacobian {
    tasks: Vec<Task>,
    levers: Vec<Lever>,
    /// Where each joint's levers begin and end.
    spans: Vec<(usize, usize)>,
    /// Which way each joint may turn, with its weight: symmetric, base space.
    freedom: Vec<DMat3>,
    /// Turns that are made whatever the tasks say: the secondary task, and what came to its limit.
    pub(super) pull: Vec<DVec3>,
    /// The weight of moving the base; zero where it is held.
    pub(super) root_weight: f64,
    /// How far the base moves, whatever the tasks say.
    pub(super) root_pull: DVec3,
    /// The turns found, rotation vectors in base space.
    pub(super) turns: Vec<DVec3>,
    pub(super) root_step: DVec3,
    matrix: Vec<f64>,
    /// Eigenvectors of it, row by row.
    vectors: Vec<f64>,
    right: Vec<f64>,
    y: Vec<f64>,
    total: Vec<DVec3>,
    before: Vec<DQuat>,
    before_root: DVec3,
    start: Vec<DQuat>,
    last_cost: f64,
    boost: f64,
}

impl Jacobian {
    /// Takes over the tasks of a tree.
    pub(super) fn set(&mut self, tree: &Tree) {
        self.tasks.clear();
        for (index, tip) in tree.tips.iter().enumerate().filter(|(_, t)| t.weight > 0.0) {
            let scale = (tip.weight * if tip.pinned { PINNED } else { 1.0 }).sqrt();
            let kinds = [
                (Kind::Position, tip.target.is_some()),
                (Kind::Orientation, tip.orientation.is_some()),
                (Kind::Aim, tip.aim.is_some()),
            ];
            let radian = tip.radian;
            for (kind, _) in kinds.into_iter().filter(|(_, wanted)| *wanted) {
                self.tasks.push(Task { tip: index, kind, scale, radian, error: DVec3::ZERO });
            }
        }
        self.spans.clear();
        self.levers.clear();
        for joint in 0..tree.joints.len() {
            let first = self.levers.len();
            for tip in tree.tips_below(joint).map(|place| tree.tip_at(place)) {
                let of_tip = self.tasks.iter().enumerate().filter(|(_, t)| t.tip == tip);
                self.levers.extend(of_tip.map(|(task, _)| Lever { task, matrix: DMat3::ZERO }));
            }
            self.spans.push((first, self.levers.len()));
        }
        self.pull.clear();
        self.pull.resize(tree.joints.len(), DVec3::ZERO);
        self.turns.clone_from(&self.pull);
        (self.root_pull, self.root_weight) = (DVec3::ZERO, 0.0);
        (self.last_cost, self.boost) = (f64::INFINITY, 1.0);
    }

    /// The pose that a solve starts from.
    pub(super) fn set_start(&mut self, tree: &Tree) {
        self.start.clear();
        self.start.extend(tree.joints.iter().map(|j| j.rotation));
    }

    /// Brings what is pinned back within tolerance, whatever that does to the other goals.
    pub(super) fn restore_pins(&mut self, tree: &mut Tree) {
        self.set(tree);
        for _ in 0..RESTORES {
            if tree.measure().keeps_pins() {
                break;
            }
            self.evaluate(tree, f64::INFINITY);
            for (index, task) in self.tasks.iter_mut().enumerate().filter(|(_, t)| !tree.tips[t.tip].pinned) {
                task.error = DVec3::ZERO;
                self.levers.iter_mut().filter(|l| l.task == index).for_each(|l| l.matrix = DMat3::ZERO);
            }
            self.free(tree, JointParameters::RotationVector);
            self.pull.fill(DVec3::ZERO);
            let length = tree.length();
            self.solve(tree, Inverse::Damped(1e-9 * length * length));
            self.apply(tree, JointParameters::RotationVector);
        }
    }

    /// Errors and levers at the present pose. No error counts for more than `clamp` base-space metres.
    pub(super) fn evaluate(&mut self, tree: &Tree, clamp: f64) {
        for task in &mut self.tasks {
            let tip = &tree.tips[task.tip];
            let error = match task.kind {
                Kind::Position => tip.target.map(|target| target - tip.position),
                Kind::Orientation => tip.orientation_error().map(|e| e * task.radian),
                Kind::Aim => tip.aim_error().map(|e| e * task.radian),
            };
            task.error = error.unwrap_or(DVec3::ZERO).clamp_length_max(clamp) * task.scale;
        }
        for (joint, &(first, last)) in tree.joints.iter().zip(&self.spans) {
            for lever in &mut self.levers[first..last] {
                let task = &self.tasks[lever.task];
                let tip = &tree.tips[task.tip];
                lever.matrix = task.scale
                    * match task.kind {
                        Kind::Position => tree.lever(joint, tip.position - joint.position),
                        Kind::Orientation => DMat3::from_diagonal(DVec3::splat(task.radian)),
                        Kind::Aim => match (tip.aim_directions(), tip.aim) {
                            (Some((_, wanted)), Some((_, at))) => {
                                // The place that it looks from moves too, and turns the wanted direction the other way.
                                let from = tree.lever(joint, tip.position - joint.position);
                                let distance = (at - tip.position).length();
                                let across = DMat3::IDENTITY - outer(wanted, wanted);
                                task.radian * (across + skew(wanted) * from * (1.0 / distance))
                            }
                            _ => DMat3::ZERO,
                        },
                    };
            }
        }
    }

    /// Which way joints may turn, by their limits' kinds and weights.
    pub(super) fn free(&mut self, tree: &Tree, parameters: JointParameters) {
        self.freedom.clear();
        self.freedom.extend(tree.joints.iter().map(|joint| {
            let base_from_axes = || tree.base_from_axes(joint);
            let freedom = match (&joint.limit, parameters) {
                (Limit::Hinge { .. }, _) => {
                    let axis = base_from_axes() * joint.hinge_axis().unwrap_or(DVec3::X);
                    outer(axis, axis)
                }
                (_, JointParameters::RotationVector) => DMat3::IDENTITY,
                (_, JointParameters::Euler) => {
                    let axes = base_from_axes() * euler_axes(joint.rotation);
                    axes * axes.transpose()
                }
            };
            freedom * joint.weight
        }));
    }

    /// The turns that meet the tasks to first order, none beyond a limit: what comes to its limit goes there, is locked
    /// for the rest of the pass, and its share comes off the error that the others solve for.
    pub(super) fn solve(&mut self, tree: &Tree, inverse: Inverse) {
        for round in 0..ROUNDS {
            self.solve_free(inverse);
            let last_round = round + 1 == ROUNDS;
            if last_round || !self.lock(tree) {
                return;
            }
        }
    }

    /// Locks what the present turns take beyond limits; whether there was any.
    fn lock(&mut self, tree: &Tree) -> bool {
        let mut locked = false;
        for (index, joint) in tree.joints.iter().enumerate() {
            if joint.limit == Limit::Free || self.turns[index] == DVec3::ZERO {
                continue;
            }
            let asked = (retract(tree.axis_to_frame(joint, self.turns[index])) * joint.rotation).normalize();
            let beyond = rotation_vector(asked * joint.allowed(asked).conjugate());
            let length = beyond.length();
            if length < 1e-9 {
                continue;
            }
            let outward = tree.base_from_axes(joint) * (beyond / length);
            let freedom = &mut self.freedom[index];
            let open = DMat3::IDENTITY - outer(outward, outward);
            // Already locked that way: only the curvature of the limit is left.
            if outward.dot(*freedom * outward) < 1e-9 * joint.weight {
                continue;
            }
            let to_limit = self.turns[index].dot(outward) - length;
            *freedom = open * *freedom * open;
            self.pull[index] = open * self.pull[index] + outward * to_limit;
            locked = true;
        }
        locked
    }

    /// The turns without regard to limits.
    fn solve_free(&mut self, inverse: Inverse) {
        let n = 3 * self.tasks.len();
        self.assemble(n);
        match inverse {
            Inverse::Damped(lambda2) => {
                (0..n).for_each(|i| self.matrix[i * n + i] += lambda2);
                solve_cholesky(&mut self.matrix, &mut self.y);
            }
            Inverse::Transpose => {
                // ⟨e, M e⟩ and ⟨M e, M e⟩.
                let (top, bottom) = (0..n).fold((0.0, 0.0), |(top, bottom), i| {
                    let row = dot(&self.matrix[i * n..(i + 1) * n], &self.y);
                    (top + row * self.y[i], bottom + row * row)
                });
                let step = if bottom > 0.0 { top / bottom } else { 0.0 };
                self.y.iter_mut().for_each(|e| *e *= step);
            }
            Inverse::Pseudo => {
                eigen(&mut self.matrix, &mut self.vectors, n);
                let largest = (0..n).map(|i| self.matrix[i * n + i]).fold(0.0, f64::max);
                self.right.clone_from(&self.y);
                self.y.fill(0.0);
                for (i, vector) in self.vectors.chunks_exact(n).enumerate() {
                    let value = self.matrix[i * n + i];
                    // Below a thousandth of the largest singular value a direction counts as lost.
                    if value > 1e-6 * largest {
                        let share = dot(vector, &self.right) / value;
                        self.y.iter_mut().zip(vector).for_each(|(y, v)| *y += share * v);
                    }
                }
            }
            Inverse::Selective => return self.solve_selective(n),
        }
        self.turn();
    }

    /// M = J W Jᵀ into `matrix`, e − J h into `y`.
    fn assemble(&mut self, n: usize) {
        self.matrix.clear();
        self.matrix.resize(n * n, 0.0);
        self.y.clear();
        self.y.extend(self.tasks.iter().flat_map(|t| t.error.to_array()));
        for (joint, &(first, last)) in self.spans.iter().enumerate() {
            let (freedom, pull) = (self.freedom[joint], self.pull[joint]);
            for (place, a) in self.levers[first..last].iter().enumerate() {
                if pull != DVec3::ZERO {
                    let done = (a.matrix * pull).to_array();
                    self.y[3 * a.task..].iter_mut().zip(done).for_each(|(y, d)| *y -= d);
                }
                let moved = a.matrix * freedom;
                for b in &self.levers[first..=first + place] {
                    add_block(&mut self.matrix, n, a.task, b.task, moved * b.matrix.transpose());
                }
            }
        }
        if self.root_weight > 0.0 {
            for (i, a) in self.tasks.iter().enumerate().filter(|(_, t)| t.kind == Kind::Position) {
                let done = (a.scale * self.root_pull).to_array();
                self.y[3 * i..].iter_mut().zip(done).for_each(|(y, d)| *y -= d);
                for (j, b) in
                    self.tasks.iter().enumerate().take(i + 1).filter(|(_, t)| t.kind == Kind::Position)
                {
                    let block = DMat3::from_diagonal(DVec3::splat(a.scale * b.scale * self.root_weight));
                    add_block(&mut self.matrix, n, i, j, block);
                }
            }
        }
        for i in 0..n {
            for j in 0..i {
                self.matrix[j * n + i] = self.matrix[i * n + j];
            }
        }
    }

    /// ω = h + W Jᵀ y.
    fn turn(&mut self) {
        for (joint, &(first, last)) in self.spans.iter().enumerate() {
            let levers = self.levers[first..last].iter();
            let sum: DVec3 = levers.map(|l| l.matrix.transpose_mul_vec3(three(&self.y, l.task))).sum();
            self.turns[joint] = self.pull[joint] + self.freedom[joint] * sum;
        }
        let positions = self.tasks.iter().enumerate().filter(|(_, t)| t.kind == Kind::Position);
        let pulled: DVec3 = positions.map(|(i, t)| t.scale * three(&self.y, i)).sum();
        self.root_step = self.root_pull + self.root_weight * pulled;
    }

    /// Buss & Kim 2005: each singular direction is damped by how far it would move the tips beyond what it gains them.
    fn solve_selective(&mut self, n: usize) {
        eigen(&mut self.matrix, &mut self.vectors, n);
        self.total.clear();
        self.total.extend_from_slice(&self.pull);
        let largest = (0..n).map(|i| self.matrix[i * n + i]).fold(0.0, f64::max);
        for (i, u) in self.vectors.chunks_exact(n).enumerate() {
            let value = self.matrix[i * n + i];
            if value <= 1e-12 * largest {
                continue;
            }
            let (sigma, alpha) = (value.sqrt(), dot(u, &self.y));
            let gained: f64 = u.chunks_exact(3).map(|u| DVec3::from_slice(u).length()).sum();
            let (mut spread, mut largest) = (0.0, 0.0_f64);
            for (joint, &(first, last)) in self.spans.iter().enumerate() {
                let levers = &self.levers[first..last];
                let along: DVec3 = levers.iter().map(|l| l.matrix.transpose_mul_vec3(three(u, l.task))).sum();
                let v = self.freedom[joint] * along / sigma;
                // A lever is a cross product: its Frobenius norm is √2 times its length.
                let reach: f64 = levers.iter().map(|l| frobenius(l.matrix) * FRAC_1_SQRT_2).sum();
                spread += v.length() * reach / sigma;
                self.turns[joint] = v * (alpha / sigma);
                largest = largest.max(self.turns[joint].length());
            }
            let allowed = FRAC_PI_4 * if spread > gained { gained / spread } else { 1.0 };
            let share = if largest > allowed { allowed / largest } else { 1.0 };
            self.total.iter_mut().zip(&self.turns).for_each(|(t, v)| *t += *v * share);
        }
        let largest = self.total.iter().map(|t| t.length()).fold(0.0, f64::max);
        let share = if largest > FRAC_PI_4 { FRAC_PI_4 / largest } else { 1.0 };
        self.turns.iter_mut().zip(&self.total).for_each(|(turn, sum)| *turn = *sum * share);
    }

    /// Turns the joints, none beyond its limit, and moves the base.
    pub(super) fn apply(&mut self, tree: &mut Tree, parameters: JointParameters) {
        let largest = self.turns.iter().map(|t| t.length_squared()).fold(0.0, f64::max).sqrt();
        let share = if largest > LARGEST_TURN { LARGEST_TURN / largest } else { 1.0 };
        for (index, turn) in self.turns.iter().enumerate() {
            let joint = &tree.joints[index];
            let local = tree.axis_to_frame(joint, *turn * share);
            let euler = parameters == JointParameters::Euler && joint.hinge_axis().is_none();
            let asked =
                if euler { euler_step(joint.rotation, local) } else { retract(local) * joint.rotation };
            let allowed = joint.allowed(asked.normalize());
            tree.joints[index].rotation = allowed;
        }
        if self.root_weight > 0.0 {
            tree.root += self.root_step * share;
        }
        tree.forward();
    }

    /// The sum of the tasks' squared errors, weighted.
    pub(super) fn cost(&self) -> f64 {
        self.tasks.iter().map(|t| t.error.length_squared()).sum()
    }

    /// Scales which way a joint may turn.
    pub(super) fn scale_freedom(&mut self, joint: usize, by: f64) {
        self.freedom[joint] *= by;
    }

    /// By how much the turns found make the cost smaller, to first order.
    pub(super) fn predicted_gain(&mut self) -> f64 {
        self.right.clear();
        self.right.extend(self.tasks.iter().flat_map(|t| t.error.to_array()));
        for (turn, &(first, last)) in self.turns.iter().zip(&self.spans) {
            for lever in &self.levers[first..last] {
                let done = (lever.matrix * *turn).to_array();
                self.right[3 * lever.task..].iter_mut().zip(done).for_each(|(r, d)| *r -= d);
            }
        }
        self.cost() - dot(&self.right, &self.right)
    }

    /// One pass of transpose, pseudo-inverse, damped or selectively damped least squares.
    ///
    /// `additional`: the secondary task's turns, base space, in place of the options' own.
    ///
    /// A step of damped least squares that made the error larger is taken back and made again with more damping.
    pub(super) fn pass(
        &mut self,
        tree: &mut Tree,
        kind: super::Method,
        options: &JacobianOptions,
        additional: Option<&[DVec3]>,
    ) {
        let damped = matches!(kind, super::Method::Dls | super::Method::Fused | super::Method::FullBody);
        let mut cost = tree.measure().sum;
        let failed = damped && cost > self.last_cost;
        if failed {
            for (joint, &rotation) in tree.joints.iter_mut().zip(&self.before) {
                joint.rotation = rotation;
            }
            tree.root = self.before_root;
            tree.forward();
            self.boost = (self.boost * 8.0).min(1e12);
            cost = self.last_cost;
        } else {
            self.boost = (self.boost * 0.25).max(1.0);
        }
        self.last_cost = cost;
        self.before.clear();
        self.before.extend(tree.joints.iter().map(|j| j.rotation));
        self.before_root = tree.root;
        let length = tree.length();
        self.evaluate(tree, options.clamp * length);
        self.free(tree, options.parameters);
        match additional {
            // What led too far is no direction to go on in.
            Some(_) if failed => self.pull.fill(DVec3::ZERO),
            Some(turns) => self.pull.copy_from_slice(turns),
            None => self.secondary(tree, options),
        }
        let error2: f64 = self.tasks.iter().map(|t| t.error.length_squared() / (t.scale * t.scale)).sum();
        let inverse = match kind {
            super::Method::JacobianTranspose => Inverse::Transpose,
            super::Method::PseudoInverse => Inverse::Pseudo,
            super::Method::Sdls => Inverse::Selective,
            _ => Inverse::Damped(
                self.boost
                    * match options.damping {
                        Some(share) => (share * length).powi(2),
                        None => DAMPING * error2 + 1e-14 * length * length,
                    },
            ),
        };
        self.solve(tree, inverse);
        self.apply(tree, options.parameters);
    }

    /// The secondary task's turns.
    fn secondary(&mut self, tree: &Tree, options: &JacobianOptions) {
        use super::Secondary as S;
        for (index, joint) in tree.joints.iter().enumerate() {
            let wanted = match options.secondary {
                S::None => {
                    self.pull[index] = DVec3::ZERO;
                    continue;
                }
                S::Rest => joint.rest,
                S::Start => self.start[index],
                S::LimitCentres => joint.centre(),
            };
            self.pull[index] = towards(tree, joint, wanted) * options.secondary_gain;
        }
    }
}

/// The turn that brings a joint to a rotation, as far as its axes go: a rotation vector in base space.
pub(super) fn towards(tree: &Tree, joint: &Joint, wanted: DQuat) -> DVec3 {
    let turn = rotation_vector(wanted * joint.rotation.conjugate());
    let turn = joint.hinge_axis().map_or(turn, |axis| axis * turn.dot(axis));
    tree.base_from_axes(joint) * turn
}

/// λ² of damped least squares as a share of the squared error.
const DAMPING: f64 = 0.02;

fn add_block(matrix: &mut [f64], n: usize, row: usize, column: usize, block: DMat3) {
    // The block of a lower column is that of the transposed place.
    let (row, column, block) =
        if row >= column { (row, column, block) } else { (column, row, block.transpose()) };
    for i in 0..3 {
        let at = (3 * row + i) * n + 3 * column;
        matrix[at..at + 3].iter_mut().zip(block.row(i).to_array()).for_each(|(m, b)| *m += b);
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The rows of a task.
fn three(y: &[f64], task: usize) -> DVec3 {
    DVec3::from_slice(&y[3 * task..3 * task + 3])
}

fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

fn frobenius(m: DMat3) -> f64 {
    (m.x_axis.length_squared() + m.y_axis.length_squared() + m.z_axis.length_squared()).sqrt()
}

/// A unit quaternion that turns by a rotation vector to first order, and never by more than π.
pub(super) fn retract(v: DVec3) -> DQuat {
    let half = v * 0.5;
    let scale = 1.0 / (1.0 + half.length_squared()).sqrt();
    DQuat::from_vec4((half * scale).extend(scale))
}

/// The axes, in the frame before turning, of the angles about x, then y, then z that make up a rotation.
fn euler_axes(rotation: DQuat) -> DMat3 {
    let (a, b, _) = rotation.to_euler(glam::EulerRot::XYZ);
    let x = DQuat::from_rotation_x(a);
    let y = x * DVec3::Y;
    DMat3::from_cols(DVec3::X, y, x * (DQuat::from_rotation_y(b) * DVec3::Z))
}

/// Moves the three angles of a rotation by the rates of Jᵀy: E E ᵀ maps those to a turn, which is what is given.
fn euler_step(rotation: DQuat, turn: DVec3) -> DQuat {
    let (a, b, c) = rotation.to_euler(glam::EulerRot::XYZ);
    let axes = euler_axes(rotation);
    // At gimbal lock two axes are one: the least angles that make the turn, a little damped.
    let m = axes.transpose() * axes + DMat3::from_diagonal(DVec3::splat(1e-9));
    let rates = m.inverse() * axes.transpose_mul_vec3(turn);
    DQuat::from_euler(glam::EulerRot::XYZ, a + rates.x, b + rates.y, c + rates.z)
}

#[cfg(test)]
mod tests {
    use glam::{DAffine3, DQuat, DVec3};

    use super::super::tree::Tree;
    use super::super::{Body, Goal, Link};
    use super::{Jacobian, Kind, retract};

    /// Three joints, with scale or without, and goals that are almost met: there the error of a rotation is linear.
    fn tree(scale: DVec3) -> Tree {
        let mut links = vec![Link::base()];
        links.push(Link { scale, ..Link::child(0, DVec3::new(0.1, 0.5, 0.0)) });
        links.push(Link::child(1, DVec3::new(0.0, 0.4, 0.1)));
        links.push(Link::child(2, DVec3::new(0.2, 0.3, 0.0)));
        let mut body = Body::new(links, DAffine3::IDENTITY).unwrap_or_else(|e| panic!("{e}"));
        (0..4).for_each(|i| {
            body.set_rotation(i, DQuat::from_euler(glam::EulerRot::XYZ, 0.3, -0.2 * i as f64, 0.5));
        });
        let here = body.world_from_link(3).unwrap_or_default().translation;
        let turned = body.orientation(3).unwrap_or_default();
        let at = here + turned * (DVec3::Z + DVec3::X * 1e-5) * 2.0;
        let goals = [
            Goal::position(3, here + DVec3::new(0.3, 0.1, -0.2)),
            Goal::orientation(3, DQuat::from_rotation_y(1e-5) * turned),
            Goal::aim(3, DVec3::Z, at),
        ];
        let mut tree = Tree::default();
        tree.set(&body, &goals, true);
        tree
    }

    #[test]
    fn levers_are_the_derivatives_of_the_errors() {
        const STEP: f64 = 1e-6;
        for scale in [DVec3::ONE, DVec3::new(1.0, 1.5, 0.7)] {
            let tree = tree(scale);
            let mut jacobian = Jacobian::default();
            jacobian.set(&tree);
            jacobian.evaluate(&tree, f64::INFINITY);
            for joint in 0..tree.joints.len() {
                for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                    let errors = |step: f64| {
                        let mut moved = tree.clone();
                        let local = moved.axis_to_frame(&moved.joints[joint], axis * step);
                        moved.joints[joint].rotation = retract(local) * moved.joints[joint].rotation;
                        moved.forward();
                        let mut after = Jacobian::default();
                        after.set(&moved);
                        after.evaluate(&moved, f64::INFINITY);
                        after.tasks.iter().map(|t| (t.kind, t.error)).collect::<Vec<_>>()
                    };
                    let (plus, minus) = (errors(STEP), errors(-STEP));
                    let (first, last) = jacobian.spans[joint];
                    for lever in &jacobian.levers[first..last] {
                        let found = (minus[lever.task].1 - plus[lever.task].1) / (2.0 * STEP);
                        let told = lever.matrix * axis;
                        // Aims are linear to first order in what they are off by.
                        let near = if plus[lever.task].0 == Kind::Position { 1e-8 } else { 1e-4 };
                        assert!(
                            found.abs_diff_eq(told, near),
                            "{:?}: {found} is not {told}",
                            plus[lever.task].0
                        );
                    }
                }
            }
        }
    }
}

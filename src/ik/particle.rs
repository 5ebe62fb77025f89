//! Particle inverse kinematics: Hecker et al. 2008, "Real-time motion retargeting to highly varied user-created
//! morphologies", section 6.

use glam::DVec3;

use super::rotation::{best_fit, shortest_arc};
use super::tree::{Joint, Tree};

/// Sweeps over the springs between two fits, which cost as much as several of them.
const SWEEPS: usize = 8;

/// The particles, kept from pass to pass: one on every joint, then one on every tip.
#[derive(Clone, Debug, Default)]
pub(super) struct Particles {
    positions: Vec<DVec3>,
    /// What each hangs on; `None` for those that are held.
    parents: Vec<Option<usize>>,
    /// Distance to keep from it.
    lengths: Vec<f64>,
    /// Where it is in the turned frame of the joint that it hangs on.
    locals: Vec<DVec3>,
    /// Whether two particles hang on the same joint.
    branches: bool,
    /// The particles that hang on joints, those of each joint together, and where each joint's begin and end.
    hanging: Vec<usize>,
    places: Vec<(usize, usize)>,
}

impl Particles {
    /// Puts the particles where the joints and tips are.
    pub(super) fn set(&mut self, tree: &Tree) {
        self.follow(tree);
        self.parents.clear();
        self.parents.extend(tree.joints.iter().map(|j| j.parent).chain(tree.tips.iter().map(|t| t.joint)));
        self.hanging.clear();
        self.hanging.extend((0..self.parents.len()).filter(|&p| self.parents[p].is_some()));
        self.hanging.sort_by_key(|&p| self.parents[p]);
        self.places.clear();
        let mut start = 0;
        for joint in 0..tree.joints.len() {
            let on = self.hanging[start..].iter().take_while(|&&p| self.parents[p] == Some(joint)).count();
            self.places.push((start, start + on));
            start += on;
        }
        self.branches = self.places.iter().any(|(start, end)| end - start > 1);
        self.locals.clear();
        self.locals.extend((0..tree.joints.len()).map(|j| tree.local(j)));
        self.locals.extend(tree.tips.iter().map(|t| t.local));
        self.measure();
    }

    fn measure(&mut self) {
        self.lengths.clear();
        let distance = |(i, parent): (usize, &Option<usize>)| {
            parent.map_or(0.0, |p| (self.positions[i] - self.positions[p]).length())
        };
        self.lengths.extend(self.parents.iter().enumerate().map(distance));
    }

    /// One pass: [`SWEEPS`] times the tips on their targets and the springs relaxed, from the tips to the root and
    /// back; then rotations fitted.
    ///
    /// The way to the root is the method as published; the way back, the same springs in the other order, carries the
    /// root's pull to the tips in the same pass.
    pub(super) fn pass(&mut self, tree: &mut Tree) {
        if self.branches || !tree.rigid {
            self.follow(tree);
        }
        if !tree.rigid {
            // Under scale, links change their length as they turn: each pass works with those of the present pose.
            self.measure();
        }
        let joints = tree.joints.len();
        for _ in 0..SWEEPS {
            for (position, tip) in self.positions.iter_mut().skip(joints).zip(&tree.tips) {
                *position = tip.target;
            }
            for particle in (0..self.positions.len()).rev() {
                self.relax(particle);
            }
            for particle in 0..joints {
                self.relax(particle);
            }
        }
        self.fit(tree);
    }

    /// Both ends of a spring move by half of its error: m = (P₁ − P₀)(0.5 − 0.5 d_dest / d_src). At the root, which
    /// is held, the other end moves by all of it.
    fn relax(&mut self, particle: usize) {
        let Some(parent) = self.parents[particle] else { return };
        let spring = self.positions[parent] - self.positions[particle];
        let length = spring.length();
        if length == 0.0 {
            return;
        }
        let half = spring * (0.5 - 0.5 * self.lengths[particle] / length);
        if self.parents[parent].is_none() {
            self.positions[particle] += 2.0 * half;
        } else {
            self.positions[particle] += half;
            self.positions[parent] -= half;
        }
    }

    /// Turns the joints, root to tip, so that what hangs on each comes as near to its particles as it can: by the
    /// shortest arc to one, by the best fit to several.
    fn fit(&self, tree: &mut Tree) {
        for index in 0..tree.joints.len() {
            tree.place(index);
            let joint = tree.joints[index];
            let (start, end) = self.places[index];
            let vectors = |p: usize| (joint.turn(self.locals[p]), joint.to_frame(self.positions[p]));
            let arc = match self.hanging[start..end] {
                [] => continue,
                [only] => {
                    let (from, to) = vectors(only);
                    shortest_arc(from, to, DVec3::X)
                }
                ref several => best_fit(several.iter().map(|&p| {
                    let (from, to) = vectors(p);
                    (from, to, 1.0)
                })),
            };
            tree.joints[index].rotation = (arc * joint.rotation).normalize();
            tree.place(index);
        }
        tree.place_tips();
    }

    /// Puts the particles where the fitted joints are: joints that share a parent are rigid to each other, which no
    /// spring tells them.
    fn follow(&mut self, tree: &Tree) {
        let fitted = tree.joints.iter().map(Joint::position).chain(tree.tips.iter().map(|t| t.position));
        self.positions.clear();
        self.positions.extend(fitted);
    }
}

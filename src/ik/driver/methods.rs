//! The buffers of all methods, and the code that runs one iteration of a method.

use crate::methods::ccd::Ccd;
use crate::methods::fabrik::{Fabrik, swing_whole};
use crate::methods::full_body;
use crate::methods::fused::Fused;
use crate::methods::jacobian::Jacobian;
use crate::methods::optimize::Optimize;
use crate::methods::particle::Particles;
use crate::methods::segments::needs_segments;
use crate::trace::Order;
use crate::tree::Tree;
use crate::{Balance, Method, Options, Start};

#[derive(Clone, Debug, Default)]
pub(super) struct Methods {
    ccd: Ccd,
    particles: Particles,
    fabrik: Fabrik,
    jacobian: Jacobian,
    fused: Fused,
    optimize: Optimize,
}

impl Methods {
    /// Stores the pose in which a solve starts.
    pub(super) fn set_start(&mut self, tree: &Tree) {
        self.jacobian.set_start(tree);
        self.optimize.set_start(tree);
    }

    /// Prepares a method for the current pose of the tree.
    pub(super) fn prepare(&mut self, method: Method, tree: &Tree) {
        match method {
            Method::Ccd => self.ccd.set(tree),
            Method::Particle | Method::Fabrik => self.particles.set(tree),
            Method::Fused => {
                self.fused.set(tree);
                self.jacobian.set(tree);
            }
            Method::Optimize => {
                self.optimize.set(tree);
                self.jacobian.set(tree);
            }
            _ => self.jacobian.set(tree),
        }
    }

    /// Returns the order in which the next iteration of a method turns the joints.
    pub(super) fn order(&self, method: Method, options: &Options) -> Order {
        let tip_first = method == Method::Ccd && !self.ccd.is_base_first(&options.ccd);
        if tip_first { Order::TipFirst } else { Order::BaseFirst }
    }

    /// Runs one iteration of a method. [`Methods::extrapolate`] must follow.
    pub(super) fn pass(&mut self, method: Method, tree: &mut Tree, options: &Options) {
        match method {
            Method::Ccd => self.ccd.pass(tree, &options.ccd),
            Method::Particle => self.particles.pass(tree, &options.particle),
            Method::Fabrik => {
                self.fabrik.pass(&mut self.particles, tree, &options.fabrik);
                if options.start == Start::Continue && needs_segments(tree) {
                    swing_whole(tree);
                }
            }
            Method::Fused => self.fused.pass(tree, &mut self.jacobian, &options.fused, &options.jacobian),
            Method::Optimize => self.optimize.pass(&mut self.jacobian, tree, &options.optimize),
            Method::FullBody => {
                full_body::pass(&mut self.jacobian, tree, &options.jacobian);
            }
            _ => self.jacobian.pass(tree, method, &options.jacobian),
        }
    }

    /// Ends an iteration: if the method extrapolates, all joints repeat their turns from this iteration together.
    /// Returns whether the method extrapolates.
    pub(super) fn extrapolate(&mut self, method: Method, tree: &mut Tree, options: &Options) -> bool {
        let extrapolates = method == Method::Ccd && options.ccd.extrapolate;
        if extrapolates {
            self.ccd.extrapolate(tree);
        }
        extrapolates
    }

    /// Returns whether the method cannot continue from the current pose, whose weighted error is `sum`.
    pub(super) fn stops(&mut self, method: Method, options: &Options, sum: f64) -> bool {
        match method {
            Method::Dls | Method::FullBody => self.jacobian.is_stuck(),
            Method::Fused => self.fused.is_stuck(&self.jacobian),
            Method::Ccd => self.ccd.stops(&options.ccd, sum),
            _ => false,
        }
    }

    /// Returns whether the method must not start again from another pose, because its own stopping rule ended it.
    pub(super) fn has_stopped(&self, method: Method) -> bool {
        method == Method::Ccd && self.ccd.has_stopped()
    }

    /// Turns the joints a fraction of the way back to the start pose without moving effectors away from their targets.
    pub(super) fn return_towards_start(&mut self, tree: &mut Tree, fraction: f64) {
        self.jacobian.return_towards_start(tree, fraction);
    }

    /// Brings pinned goals back within tolerance, regardless of the other goals.
    pub(super) fn restore_pins(&mut self, tree: &mut Tree) {
        self.jacobian.restore_pins(tree);
    }

    /// Prepares the minimisation of a sum that contains other terms besides the goals' errors.
    pub(super) fn start_minimising(&mut self, tree: &Tree, options: &Options) {
        let usable = |b: &Balance| b.support.is_finite() && b.weight.is_finite() && b.weight > 0.0;
        let balance = options.optimize.balance.filter(usable);
        self.jacobian.balance = balance.map(|b| (tree.to_base(b.support), b.weight));
        self.prepare(Method::Optimize, tree);
    }

    /// Returns whether the minimised sum no longer falls.
    pub(super) fn is_minimal(&self) -> bool {
        self.optimize.is_converged()
    }

    /// Ends a minimisation in the pose with the smallest sum.
    pub(super) fn finish_minimising(&mut self, tree: &mut Tree) {
        self.optimize.restore_best(tree);
        self.jacobian.balance = None;
    }
}

//! The loops of the methods as given in the original documents (see [`Options::textbook`]). One iteration is one pass. The last pose is the
//! result, even if an earlier pose was nearer to the target.

use crate::methods::textbook::ccd::{Ccd, Form, stretch};
use crate::methods::textbook::fused::{Fused, closed_form};
use crate::methods::textbook::jacobian::{Inverse, Jacobian, LARGEST_STEP};
use crate::methods::textbook::limb::{LimbStep, TextbookLimb};
use crate::methods::textbook::particle::Particles;
use crate::trace::Order;
use crate::tree::Tree;
use crate::{Method, Options, StepKind};

use super::{Driver, Progress, Task};

/// The buffers of the methods.
#[derive(Clone, Debug, Default)]
pub(super) struct Textbook {
    ccd: Ccd,
    particles: Particles,
    jacobian: Jacobian,
    fused: Fused,
}

impl Driver {
    /// Solves with the loop given in the original document of a method.
    pub(super) fn follow_document(&mut self, tree: &mut Tree, task: &Task<'_>) -> Progress {
        let Task { method, options, .. } = *task;
        let mut textbook = std::mem::take(&mut self.textbook);
        self.record(tree, options);
        match method {
            Method::Ccd => self.descend_joints(&mut textbook.ccd, tree, options),
            Method::Particle => self.move_particles(&mut textbook.particles, tree, options),
            Method::TwoBone => self.pose_limb(tree, options),
            _ => self.differentiate(&mut textbook, tree, task),
        }
        self.textbook = textbook;
        let spent = method != Method::TwoBone && self.iterations >= options.iterations;
        Progress { iterations: self.iterations, method, spent }
    }

    /// Returns whether another iteration may begin. If so, counts the iteration.
    fn begin_pass(&mut self, options: &Options) -> bool {
        let begins = self.iterations < options.iterations;
        self.iterations += usize::from(begins);
        begins
    }

    fn end_pass(&mut self, tree: &Tree, options: &Options) {
        self.record(tree, options);
    }

    fn descend_joints(&mut self, ccd: &mut Ccd, tree: &mut Tree, options: &Options) {
        ccd.set(tree, &options.ccd);
        if ccd.form == Form::Planar && tree.lengths(0).too_far() {
            if self.begin_pass(options) {
                stretch(tree);
                self.trace(tree, Order::BaseFirst, StepKind::ClosedForm);
                self.end_pass(tree, options);
            }
            return;
        }
        let mut last = f64::INFINITY;
        loop {
            if ccd.form == Form::Planar && tree.is_reached(0) || !self.begin_pass(options) {
                return;
            }
            let mut listed = f64::INFINITY;
            for index in (0..tree.joints.len()).rev() {
                if ccd.form == Form::Planar && tree.is_reached(0) {
                    break;
                }
                listed = tree.largest_error();
                ccd.turn(tree, index, self.iterations == 1, &options.ccd);
            }
            self.trace(tree, Order::TipFirst, StepKind::Iteration);
            self.end_pass(tree, options);
            let error = tree.largest_error();
            let tolerance = tree.tasks.first().map_or(0.0, |task| task.tolerance);
            let ends = match ccd.form {
                // The listing compares the vectors of the last joint, which were computed before that joint turned.
                Form::Tmps => listed < tolerance,
                Form::Mmd => error >= last,
                Form::Lecture => error <= tolerance,
                Form::Planar => false,
            };
            if ends {
                return;
            }
            last = error;
        }
    }

    /// Runs all iterations, because the listing never stops early, and then fits the joints once.
    fn move_particles(&mut self, particles: &mut Particles, tree: &mut Tree, options: &Options) {
        let Some(target) = tree.tasks.first().and_then(|task| task.target) else { return };
        particles.set(tree);
        while self.begin_pass(options) {
            let Self { recorder, start, iterations: iteration, .. } = self;
            particles.pass(target, |moved| recorder.note_particles(tree, &moved, *start, *iteration));
        }
        for index in 0..tree.joints.len() {
            particles.fit(tree, index);
            self.trace(tree, Order::BaseFirst, StepKind::Fit);
        }
        self.end_pass(tree, options);
    }

    fn pose_limb(&mut self, tree: &mut Tree, options: &Options) {
        self.iterations += 1;
        if let Some(limb) = TextbookLimb::new(tree, &options.limb) {
            for step in LimbStep::ALL {
                limb.apply(tree, step, &options.limb);
                let kind = if step == LimbStep::Hang { StepKind::Start } else { StepKind::ClosedForm };
                self.trace(tree, Order::BaseFirst, kind);
            }
        }
        self.end_pass(tree, options);
    }

    /// Iterates with a Jacobian. The fused method begins with its closed form.
    fn differentiate(&mut self, textbook: &mut Textbook, tree: &mut Tree, task: &Task<'_>) {
        let Task { method, options, .. } = *task;
        let Textbook { jacobian, fused, .. } = textbook;
        jacobian.set(tree);
        fused.set(tree);
        if method == Method::Fused && !tree.is_reached(0) && self.begin_pass(options) {
            closed_form(tree);
            self.trace(tree, Order::BaseFirst, StepKind::ClosedForm);
            self.end_pass(tree, options);
        }
        let (length, own) = (tree.length(), options.jacobian);
        while !tree.is_reached(0) && self.iterations < options.iterations {
            let longest = own.clamp.min(LARGEST_STEP) * length;
            let has_moved = match method {
                Method::Fused => fused.step(tree, jacobian, &options.fused, &own),
                Method::JacobianTranspose => {
                    let delta = own.step.unwrap_or(0.0) / (length * length);
                    jacobian.step(tree, Inverse::Transpose(delta), own.parameters, f64::INFINITY)
                }
                _ => {
                    jacobian.set_secondary(tree, &own);
                    let damping = own.damping.filter(|_| method == Method::Dls).unwrap_or(0.0) * length;
                    jacobian.step(tree, Inverse::Pseudo(damping * damping), own.parameters, longest)
                }
            };
            // If there is no inverse, there is no step, and the next iteration would fail in the same way.
            if !has_moved {
                return;
            }
            self.iterations += 1;
            self.trace(tree, Order::BaseFirst, StepKind::Iteration);
            self.end_pass(tree, options);
        }
    }
}

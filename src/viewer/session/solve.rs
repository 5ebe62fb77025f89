//! From goals to a pose.

use std::time::Instant;

use crate::ik::{Method, Options};
use crate::puppet::{Puppet, Target};

use super::super::gizmo::Hold;
use super::Session;

impl Session {
    /// Solves another way from now on. Numbers that mean nothing become the usual ones.
    pub(super) fn set_solver(&mut self, mut options: Options) {
        options.iterations = options.iterations.min(10_000);
        options.restarts = options.restarts.min(64);
        options.tolerance = options.tolerance.filter(|m| *m > 0.0 && m.is_finite());
        options.jacobian.damping = options.jacobian.damping.filter(|d| *d > 0.0 && d.is_finite());
        self.options = options;
        self.solve();
    }

    /// The pose as it is held, or with a clip the goals on top of it.
    pub(in super::super) fn show(&mut self) {
        if self.puppet.clip.is_some() {
            self.solve();
            return;
        }
        self.puppet.held = Some(self.state.held.clone());
        (self.puppet.targets, self.puppet.pins) = (Vec::new(), Vec::new());
        self.puppet.rotations.clear();
        self.reports.clear();
        self.error = self.puppet.update().err().map(|e| e.to_string());
    }

    /// Meets all goals from where the character stands.
    pub(in super::super) fn solve(&mut self) {
        let started = Instant::now();
        self.puppet.held = Some(self.state.held.clone());
        self.puppet.options = self.options;
        let mut targets: Vec<Target> = self.state.goals.clone();
        let mut pins = self.state.pins.clone();
        if let Some(hand) = &self.hand {
            targets.retain(|t| t.node != hand.target.node);
            targets.push(hand.target);
            let pinned = |node: usize| self.state.pins.iter().any(|p| p.node == node);
            pins.extend(hand.pins.iter().filter(|p| !pinned(p.node)));
            pins.retain(|p| p.node != hand.target.node);
            if hand.whole {
                self.puppet.options.method = Method::FullBody;
            }
        }
        if let Some(target) = self.hold.as_ref().and_then(Hold::target) {
            targets.retain(|t| t.node != target.node);
            targets.push(target);
            pins.retain(|p| p.node != target.node);
        }
        let turned = self.hold.as_ref().and_then(|hold| hold.rotation(self));
        self.puppet.rotations = turned.into_iter().collect();
        let any = !targets.is_empty() || turned.is_some();
        if targets.is_empty() {
            pins.clear();
        }
        (self.puppet.targets, self.puppet.pins) = (targets, pins);
        if self.puppet.clip.is_some() {
            // The answer then depends on the clip's pose and the goals alone, not on how many pictures came before.
            self.puppet.forget();
        }
        match self.puppet.update() {
            Ok(reports) => {
                (self.reports, self.error) = (reports, None);
                if any && self.puppet.clip.is_none() && is_finite(&self.puppet) {
                    self.state.held.clone_from(self.puppet.pose());
                }
            }
            Err(error) => self.error = Some(error.to_string()),
        }
        if self.costs.len() == 120 {
            self.costs.remove(0);
        }
        self.costs.push(started.elapsed().as_secs_f32() * 1e6);
    }
}

fn is_finite(puppet: &Puppet) -> bool {
    puppet.pose().locals.iter().all(|l| l.translation.is_finite() && l.rotation.is_finite())
}

//! Feet and hands that a motion holds in their places.

use glam::{DQuat, Vec3};

use crate::ik::{Method, Options};
use crate::motion::Hold;
use crate::rig;

use super::{Puppet, Target};

impl Puppet {
    /// Takes every joint that the motion holds to its place, each by its own chain; a joint with a goal of its own, or
    /// that no chain can move, is left as it is.
    pub(super) fn keep(&mut self) {
        if self.holds.is_empty() {
            return;
        }
        let holds = std::mem::take(&mut self.holds);
        let mut targets: Vec<Target> = Vec::with_capacity(holds.len());
        for hold in &holds {
            if self.targets.iter().any(|t| t.node == hold.node) || hold.node >= self.pose.locals.len() {
                continue;
            }
            match targets.iter_mut().find(|t| t.node == hold.node) {
                Some(target) => hold_on(hold, target),
                None => {
                    let place = Vec3::from(self.world_from_node[hold.node].translation).as_dvec3();
                    let turned = rig::orientation(&self.character.skeleton, &self.pose, hold.node);
                    let (position, orientation) = (Some(place), Some(turned));
                    let mut target = Target { position, orientation, ..Target::new(hold.node) };
                    hold_on(hold, &mut target);
                    targets.push(target);
                }
            }
        }
        self.holds = holds;
        let options = Options { method: Method::Auto, tolerance: None, ..self.options };
        let (given, own) = (std::mem::replace(&mut self.options, options), self.take_pins());
        std::mem::swap(&mut self.solver, &mut self.keeper);
        for group in self.groups(&targets, &[], Method::Auto) {
            // A chain that cannot be solved leaves its foot where the motion puts it.
            drop(self.solve_group(&group, 0));
        }
        std::mem::swap(&mut self.solver, &mut self.keeper);
        (self.options, (self.pins, self.rig.pins)) = (given, own);
    }

    /// What is pinned is pinned for goals: where the motion, and what it holds, puts it.
    fn take_pins(&mut self) -> (Vec<super::Pin>, Vec<usize>) {
        (std::mem::take(&mut self.pins), std::mem::take(&mut self.rig.pins))
    }
}

/// A share of the way from where it is.
fn hold_on(hold: &Hold, target: &mut Target) {
    let weight = f64::from(hold.weight.clamp(0.0, 1.0));
    target.position = target.position.map(|at| at.lerp(hold.position.as_dvec3(), weight));
    let toward = |turned: DQuat, hold: glam::Quat| turned.slerp(hold.as_dquat(), weight);
    target.orientation =
        target.orientation.map(|turned| hold.orientation.map_or(turned, |h| toward(turned, h)));
}

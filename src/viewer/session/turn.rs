//! Turning a joint to a given rotation.

use std::sync::Arc;

use glam::Quat;

use super::Session;
use super::history::EditRun;

impl Session {
    /// Turns a joint to the rotation in its parent's frame that is nearest to the given one within its limit. Consecutive turns of a
    /// joint, until the next release, form one undo step.
    pub(super) fn turn_joint(&mut self, node: usize, local: Quat) {
        let length = local.length_squared();
        if node >= self.state.held.locals.len() || !length.is_finite() || length < 1e-6 {
            return;
        }
        if self.is_dragging() {
            self.release();
        }
        let rotation = self.allowed(node, local.normalize().as_dquat()).as_quat().normalize();
        self.history.remember_run(EditRun::Turn(node), &self.state);
        // A goal of the joint would turn it back.
        self.state.goals.retain(|goal| goal.node != node);
        if self.puppet.is_posed_by_hand() {
            if let Some(joint) = self.state.held.locals.get_mut(node) {
                joint.rotation = rotation;
            }
        } else {
            // A clip would overwrite the pose, so the turn becomes a key. All turns of a run start from the same motion.
            if let Some(before) = self.history.last() {
                self.state.motion = Arc::clone(&before.motion);
            }
            let keyed = self.keyed_motion(|own| {
                let mut pose = own.clone();
                pose.locals.iter_mut().skip(node).take(1).for_each(|joint| joint.rotation = rotation);
                pose
            });
            if let Some(motion) = keyed {
                self.state.motion = Arc::new(motion);
            }
            self.apply_motion();
        }
        self.problem = None;
        self.refresh_pins();
        self.show();
    }
}

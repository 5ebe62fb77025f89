//! Setting joint rotations.

use std::sync::Arc;

use glam::Quat;

use crate::ik::Limit;
use crate::pose::Pose;

use super::Session;
use super::place::allowed;
use crate::document::EditRun;

/// Minimum amount, in degrees, by which a limit must shorten a turn for the limit to be reported.
const MIN_NOTED: f32 = 0.5;

impl Session {
    /// Sets joint rotations, in the parents' frames, to the allowed rotations nearest to the given ones. Consecutive turns of the same
    /// kind, until the next release, form one undo step. Unknown joints and invalid rotations are ignored.
    pub(super) fn turn_joints(&mut self, turns: &[(usize, Quat)], run: EditRun) {
        let is_valid = |(node, local): &&(usize, Quat)| {
            let length = local.length_squared();
            *node < self.document.scene.held.locals.len() && length.is_finite() && length >= 1e-6
        };
        let valid: Vec<(usize, Quat)> = turns.iter().filter(is_valid).copied().collect();
        if valid.is_empty() {
            return;
        }
        let limits = self.document.settings.solver.limits;
        let nearest = |&(node, local): &(usize, Quat)| {
            (node, allowed(&self.puppet, limits, node, local.normalize().as_dquat()).as_quat().normalize())
        };
        let turns: Vec<(usize, Quat)> = valid.iter().map(nearest).collect();
        self.begin_edit(Some(run));
        // A goal for a turned joint would turn it back.
        let turned: Vec<usize> = turns.iter().map(|(node, _)| *node).collect();
        self.document.scene.remove_goals(&turned);
        if self.puppet.is_posed_by_hand() {
            turn(&mut self.document.scene.held, &turns);
        } else {
            // A clip would overwrite the pose, so the turn becomes a key. All turns of a run start from the same motion.
            if let Some(before) = self.history.last() {
                self.document.scene.motion = Arc::clone(&before.motion);
            }
            let keyed = self.keyed_motion(|own| {
                let mut pose = own.clone();
                turn(&mut pose, &turns);
                pose
            });
            if let Some(motion) = keyed {
                self.document.scene.motion = Arc::new(motion);
            }
            self.apply_motion();
        }
        self.problem = None;
        self.refresh_pins();
        self.show();
        self.limit_note = self.limit_note_of(&valid, &turns);
    }

    /// Returns a note that names the joint whose limit stops it short of the wanted rotation, and says how to exceed that limit.
    fn limit_note_of(&self, wanted: &[(usize, Quat)], allowed: &[(usize, Quat)]) -> Option<String> {
        let missing = |(wanted, allowed): (&(usize, Quat), &(usize, Quat))| {
            (wanted.0, wanted.1.normalize().angle_between(allowed.1).to_degrees())
        };
        let turned = wanted.iter().zip(allowed).map(missing);
        let (node, angle) =
            turned.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, angle)| *angle > MIN_NOTED)?;
        let name = self.puppet.character().skeleton.label(node);
        let remedy = match self.puppet.rig.joint(node).limit {
            Limit::Free | Limit::Locked | Limit::Prismatic { .. } => "choose another limit in the inspector",
            Limit::Cone { .. } | Limit::Euler { .. } if !self.document.settings.show_limits => {
                "turn on Show in the inspector and drag the end of an arc to widen the limit"
            }
            _ => "drag the end of its arc to widen the limit",
        };
        Some(format!(
            "the limit of {name} stops it {angle:.1}° before; {remedy}, or turn limits off in the pane Solver"
        ))
    }
}

/// Sets local rotations in a pose.
fn turn(pose: &mut Pose, turns: &[(usize, Quat)]) {
    for &(node, rotation) in turns {
        if let Some(joint) = pose.locals.get_mut(node) {
            joint.rotation = rotation;
        }
    }
}

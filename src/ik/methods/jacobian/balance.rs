//! The balance of the centre of mass, as a goal or as a secondary task.

use glam::DVec3;

use crate::tree::{Tree, TreeJoint};

use super::{Jacobian, LEVELS, TaskKind};

impl Jacobian {
    /// Adds the balance as a secondary task, or removes it. One iteration corrects the fraction `gain` of the task's error.
    pub(super) fn set_secondary_balance(&mut self, tree: &Tree, gain: Option<f64>) {
        if self.secondary_balance != gain {
            self.secondary_balance = gain;
            self.set_tasks(tree, LEVELS);
        }
    }

    /// Computes the error of the balance task, and the masses that its columns need. A joint moves only its descendant
    /// segments, so its column is the column of the centre of mass of these segments, times their mass as a fraction of
    /// the total mass.
    pub(super) fn evaluate_balance(&mut self, tree: &Tree) {
        let Some(row) = self.rows.last_mut().filter(|row| row.kind == TaskKind::Balance) else { return };
        let below = &mut self.masses.below;
        below.clear();
        below.resize(tree.joints.len(), (0.0, DVec3::ZERO));
        let mut total = (0.0, DVec3::ZERO);
        let stretch = |from: DVec3, to: DVec3| (from.distance(to), (from + to) * (0.5 * from.distance(to)));
        for task in &tree.tasks {
            if let Some(joint) = task.joint {
                let (mass, moment) = stretch(tree.joints[joint].position, task.position);
                below[joint] = (below[joint].0 + mass, below[joint].1 + moment);
            }
        }
        for (index, joint) in tree.joints.iter().enumerate().rev() {
            let (mass, moment) = below[index];
            match joint.parent {
                Some(parent) => {
                    let own = stretch(tree.joints[parent].position, joint.position);
                    let above = &mut below[parent];
                    *above = (above.0 + mass + own.0, above.1 + moment + own.1);
                }
                None => total = (total.0 + mass, total.1 + moment),
            }
        }
        self.masses.total = total.0;
        row.error = DVec3::ZERO;
        if total.0 > 0.0 {
            let (support, gain) = match (self.balance, self.secondary_balance) {
                (_, Some(gain)) => (support(tree), gain),
                (Some((support, _)), None) => (support, 1.0),
                (None, None) => return,
            };
            row.direction = tree.up();
            let error = (support - total.1 / total.0).reject_from_normalized(row.direction);
            row.error = error * (gain * row.scale);
        }
    }
}

/// The masses of a body. Each segment between two joints has a mass equal to its length.
#[derive(Clone, Debug, Default)]
pub(super) struct Masses {
    /// For each joint, the total mass of its descendant segments, and the sum of their masses times their centres.
    below: Vec<(f64, DVec3)>,
    total: f64,
}

impl Masses {
    /// Returns the vector from a joint to the centre of the mass that it moves, and this mass as a fraction of the
    /// total mass.
    #[inline]
    pub(super) fn arm(&self, index: usize, joint: &TreeJoint) -> (DVec3, f64) {
        match self.below.get(index) {
            Some(&(mass, moment)) if mass > 0.0 => (moment / mass - joint.position, mass / self.total),
            _ => (DVec3::ZERO, 0.0),
        }
    }
}

/// Returns the support of the secondary balance task in base space: the mean of the positions of the pins, or the
/// position of the base if there are no pins.
fn support(tree: &Tree) -> DVec3 {
    let pins = tree.tasks.iter().filter(|t| t.pinned).filter_map(|t| t.target);
    let (count, sum) = pins.fold((0.0, DVec3::ZERO), |(count, sum), at| (count + 1.0, sum + at));
    if count > 0.0 { sum / count } else { tree.joints.first().map_or(tree.root, |joint| joint.position) }
}

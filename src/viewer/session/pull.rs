//! The pull of a limb: how strongly its goals take the body along.

use crate::rig::Chain;
use crate::viewer::session::history::EditRun;

use super::Session;

impl Session {
    /// Returns the chain of the limb of the body that contains a joint, and the pull of the limb from 0 to 1. `None` if the joint is
    /// in no limb of a recognised body.
    pub(in crate::viewer) fn limb_pull(&self, node: usize) -> Option<(&Chain, f64)> {
        let rig = &self.puppet.rig;
        let contains = |joints: &[usize]| joints.contains(&node);
        let limb = rig.body.as_ref()?.limbs.iter().find(|limb| {
            contains(&limb.joints)
                || contains(&limb.collar)
                || limb.digits.iter().any(|digit| contains(digit))
        })?;
        Some((rig.chain(limb.end())?, f64::from(limb.pull)))
    }

    /// Sets the pull of the limb that ends at a node, and solves again. Consecutive changes of the same limb, until the next
    /// release, form one undo step.
    pub(super) fn set_pull(&mut self, end: usize, pull: f64) {
        if !(0.0..=1.0).contains(&pull) || self.limb_pull(end).is_none_or(|(chain, _)| chain.effector != end)
        {
            return;
        }
        if self.is_dragging() {
            self.release();
        }
        self.history.remember_run(EditRun::Pull(end), &self.state);
        self.change_rig(|rig| rig.set_pull(end, pull));
        self.solve();
    }
}

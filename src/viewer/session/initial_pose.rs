//! The initial pose and bounds of a session.

use crate::puppet::Puppet;
use crate::view::Bounds;

/// Number of intervals into which a clip is divided for sampling its bounds.
const BOUNDS_SAMPLES: u8 = 24;

/// Maximum distance between the ground plane and the feet of a body that stands on it, in metres at human size.
const GROUND_TOLERANCE: f32 = 0.1;

/// Puts a puppet into its initial pose and returns its bounds.
///
/// A file with clips but no meshes contains only motion, and its rest pose may be far from the poses in its frames. If its body does not
/// stand on the ground plane in the rest pose, the puppet therefore starts at the first frame of the first clip. The bounds then cover all
/// sampled frames, so that the character stays in view.
pub(super) fn apply(puppet: &mut Puppet) -> Bounds {
    let seconds = puppet.character().clips.first().map(|c| c.seconds);
    let plays = puppet.parts().is_empty() && !stands_at_rest(puppet);
    let Some(seconds) = seconds.filter(|_| plays) else {
        return puppet.bounds();
    };
    let mut all = Bounds::default();
    // Iterate backwards, so that the puppet ends at the first frame.
    for sample in (0..=BOUNDS_SAMPLES).rev() {
        puppet.play(0, seconds * f32::from(sample) / f32::from(BOUNDS_SAMPLES));
        // The update cannot fail because there are no goals yet.
        drop(puppet.update());
        let now = puppet.bounds();
        all.extend([now.lo, now.hi]);
    }
    all
}

/// Returns whether a recognised body stands on the ground plane in the rest pose.
fn stands_at_rest(puppet: &Puppet) -> bool {
    let Some(plan) = &puppet.rig.body else { return false };
    plan.limbs.iter().any(|limb| limb.stands) && plan.floor.abs() < GROUND_TOLERANCE * plan.size
}

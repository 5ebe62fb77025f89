//! The initial pose and bounds of a session.

use crate::camera::Bounds;
use crate::puppet::Puppet;

/// Number of times at which a clip is sampled for its bounds.
const LOOKS: u8 = 24;

/// Puts a puppet into its initial pose and returns its bounds.
///
/// A file that has clips but no meshes is a motion, and its rest pose may be far from its frames. It starts at the first
/// frame of the first clip, and its bounds cover all frames so that it stays in view.
pub(super) fn begin(puppet: &mut Puppet) -> Bounds {
    let seconds = puppet.character().clips.first().map(|c| c.seconds);
    let Some(seconds) = seconds.filter(|_| puppet.parts().is_empty()) else {
        return puppet.bounds();
    };
    let mut all = Bounds::default();
    // Backwards, so that the first frame is the one that remains.
    for look in (0..=LOOKS).rev() {
        puppet.play(0, seconds * f32::from(look) / f32::from(LOOKS));
        // The update cannot fail because there are no goals yet.
        drop(puppet.update());
        let now = puppet.bounds();
        all.extend([now.lo, now.hi]);
    }
    all
}

//! How a session begins.

use crate::camera::Bounds;
use crate::puppet::Puppet;

/// Times of a clip that are looked at for the room that it takes.
const LOOKS: u8 = 24;

/// The box of a character as it begins.
///
/// A file without meshes but with clips is motion, whose rest may be elsewhere: it begins with the first frame of its
/// first clip, and the box is that of all frames, so that it stays in sight.
pub(super) fn begin(puppet: &mut Puppet) -> Bounds {
    let seconds = puppet.character().clips.first().map(|c| c.seconds);
    let Some(seconds) = seconds.filter(|_| puppet.parts().is_empty()) else {
        return puppet.bounds();
    };
    let mut all = Bounds::default();
    // From its end: the first frame is what stays.
    for look in (0..=LOOKS).rev() {
        puppet.play(0, seconds * f32::from(look) / f32::from(LOOKS));
        // There are no goals yet that could be refused.
        drop(puppet.update());
        let now = puppet.bounds();
        all.extend([now.lo, now.hi]);
    }
    all
}

//! Display names of clips.

use crate::Session;
use crate::motion::WeightedClip;

/// Describes the clips and weights of a clip strip. Some programs export clip names as `SKELETON|CLIP`, so only the
/// part after the last `|` is shown.
pub(super) fn names(session: &Session, weighted_clips: &[WeightedClip]) -> String {
    let sum: f32 = weighted_clips.iter().map(|s| s.weight).sum();
    let name = |weighted: &WeightedClip| {
        let full = name(session, weighted.clip);
        full.rsplit('|').find(|part| !part.is_empty()).unwrap_or(&full).to_owned()
    };
    match weighted_clips {
        [only] => name(only),
        several => {
            let one = |s: &WeightedClip| format!("{} {:.0} %", name(s), 100.0 * s.weight / sum);
            several.iter().map(one).collect::<Vec<_>>().join("  ")
        }
    }
}

/// Returns a clip's display name, or `#INDEX` if it has none.
pub(super) fn name(session: &Session, clip: usize) -> String {
    let clips = &session.puppet.character().clips;
    let name = clips.get(clip).and_then(|c| c.name.as_deref());
    name.map_or_else(|| format!("#{clip}"), super::name)
}

//! Blends of clips.

use crate::cli::failure::Failure;
use crate::cli::names;
use crate::cli::posing::PosingArgs;
use crate::cli::posing::values::{Assignment, position};
use crate::motion::{Motion, ParametricMotion, ParametricOptions, WeightedClip};
use crate::puppet::Puppet;

impl PosingArgs {
    /// Blends the clips of `--blend`.
    pub(super) fn blend(&self, puppet: &mut Puppet, clip: usize) -> Result<Option<String>, Failure> {
        if self.blend.is_empty() {
            return Ok(None);
        }
        if let Some(target) = &self.blend_to {
            return self.blend_to(puppet, clip, target).map(Some);
        }
        let mut weighted_clips = Vec::new();
        for text in &self.blend {
            let (name, weight) = text.rsplit_once('=').unwrap_or((text, "none"));
            let weight = weight.parse::<f32>().ok().filter(|w| (0.0..=1.0).contains(w));
            let weight = weight.ok_or_else(|| {
                Failure::Usage(format!("--blend {text}: weight must be between 0 and 1, as in NAME=0.5"))
            })?;
            weighted_clips.push(WeightedClip { clip: puppet.character().clip_index(name)?, weight });
        }
        let sum: f32 = weighted_clips.iter().map(|s| s.weight).sum();
        if sum > 1.0 {
            return Err(Failure::Usage(format!(
                "--blend: the sum of all weights is {sum}; it must be at most 1"
            )));
        }
        weighted_clips.insert(0, WeightedClip { clip, weight: 1.0 - sum });
        let mut motion = Motion::clip(clip);
        motion.strips.iter_mut().for_each(|strip| strip.clips.clone_from(&weighted_clips));
        puppet.motion = motion;
        Ok(None)
    }

    /// Blends the clips so that a node reaches a target, and describes the blend.
    fn blend_to(&self, puppet: &mut Puppet, clip: usize, target: &Assignment<3>) -> Result<String, Failure> {
        let position = position("--blend-to", target)?.as_vec3();
        let (character, rig) = (puppet.shared_character(), &puppet.rig);
        let node = names::Nodes { character: &character, bones: &rig.bones }.find(&target.node)?;
        let mut clips = vec![clip];
        for name in &self.blend {
            clips.push(character.clip_index(name)?);
        }
        let options = ParametricOptions::default()
            .with_feet(rig.soles().map(|foot| foot.node).collect::<Vec<_>>())
            .with_root(rig.bones.get("hips").copied());
        let blend = ParametricMotion::new(&character, &clips, node, options)
            .and_then(|motion| motion.blend(position))
            .map_err(|e| Failure::Usage(format!("--blend-to {}: {e}", target.node)))?;
        let weight = |c: &WeightedClip| format!("{} {:.3}", character.clip_name(c.clip), c.weight);
        let weights: Vec<String> = blend.strip.clips.iter().map(weight).collect();
        puppet.motion = Motion { strips: vec![blend.strip], ..Motion::default() };
        let (name, off) = (&target.node, blend.distance);
        Ok(format!(
            "blend: {}; at {:.3} s, {name} is {off:.4} m from its target",
            weights.join(", "),
            blend.time
        ))
    }
}

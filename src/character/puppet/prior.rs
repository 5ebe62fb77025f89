//! Pose priors from a puppet's clips: postures of the clips as examples, or a style that is learned from them.

use std::sync::Arc;

use glam::Affine3A;

use crate::asset::Character;
use crate::ik::{Body, Examples, Learned, Learning, PosePrior, Posture, Style, StyleError};
use crate::motion::Motion;
use crate::pose::{Pose, world_matrices};
use crate::rig::{Binding, default_base};

use super::Puppet;

/// Sampling rate of clips in hertz. It is reduced for clips that would yield more postures than [`MOST_POSTURES`].
const RATE: f32 = 30.0;
/// Maximum number of postures.
const MOST_POSTURES: usize = 4096;

/// The reason why nothing can be learned from clips.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LearnError {
    /// None of the character's clips rotates a joint.
    #[error("no clip moves a joint, so there is nothing to learn from")]
    NoMotion,
    /// The joints do not form a body.
    #[error("cannot learn from the clips: {0}")]
    Body(String),
    /// No model can be learned from the postures.
    #[error("cannot learn from the clips: {0}")]
    Style(#[from] StyleError),
}

/// A pose prior, which is a style or examples, with the names of its joints.
#[derive(Clone, Debug)]
pub struct CharacterPrior {
    /// The style or the examples.
    pub prior: PosePrior,
    /// The names of the joints.
    pub joints: Arc<[String]>,
}

impl From<Style> for CharacterPrior {
    fn from(style: Style) -> Self {
        let joints = style.joints().into();
        Self { prior: PosePrior::Style(Arc::new(style)), joints }
    }
}

/// All joints of a character as one body, and their names.
#[derive(Clone, Debug)]
pub struct PostureBody {
    /// The node of each link, base first.
    pub nodes: Vec<usize>,
    /// The name of each node.
    pub names: Vec<String>,
    binding: Binding,
}

impl PostureBody {
    /// Collects the joints of a puppet's skins at or below the default base of the first joint. If there are no skins, collects the nodes
    /// that clips move.
    ///
    /// # Errors
    /// [`LearnError`] if there are no such nodes, or if they do not form a body.
    pub fn new(puppet: &Puppet) -> Result<Self, LearnError> {
        let character = puppet.character();
        let skeleton = &character.skeleton;
        let joints = joints(character);
        let base = default_base(character, *joints.first().ok_or(LearnError::NoMotion)?);
        let below: Vec<usize> =
            joints.into_iter().filter(|&n| skeleton.ancestors(n).any(|above| above == base)).collect();
        let binding = Binding::new(skeleton, &character.skins, &puppet.rig, base, &below)
            .map_err(|e| LearnError::Body(e.to_string()))?;
        let nodes: Vec<usize> = binding.nodes().flatten().collect();
        let names = nodes.iter().map(|&n| skeleton.label(n)).collect();
        Ok(Self { nodes, names, binding })
    }

    /// Returns the body in a pose of the character.
    ///
    /// # Errors
    /// [`LearnError`] if a number of the pose or the rig is invalid.
    pub fn body(&self, character: &Character, pose: &Pose) -> Result<Body, LearnError> {
        let mut world: Vec<Affine3A> = Vec::new();
        world_matrices(&character.skeleton, pose, &mut world);
        let body = self.binding.body(&character.skeleton, pose, &world);
        body.map_err(|e| LearnError::Body(e.to_string()))
    }
}

/// Returns the joints of all skins, or the nodes that clips move if there are no skins. Parents come first.
fn joints(character: &Character) -> Vec<usize> {
    let skinned = character.skins.iter().flat_map(|s| s.joints.iter().copied());
    let moved = character.clips.iter().flat_map(|c| c.channels.iter().map(|c| c.node));
    let mut joints: Vec<usize> = if character.skins.is_empty() { moved.collect() } else { skinned.collect() };
    let mut order = vec![usize::MAX; character.skeleton.nodes.len()];
    for (position, (node, _)) in character.skeleton.parents_first.iter().enumerate() {
        order[*node] = position;
    }
    joints.sort_unstable();
    joints.dedup();
    joints.sort_by_key(|n| order.get(*n).copied());
    joints
}

impl Puppet {
    /// Returns the postures of some clips, sampled 30 times per second, and the body that they belong to. The rate is
    /// lower if 30 Hz would yield more than 4096 postures.
    ///
    /// # Errors
    /// Same as [`PostureBody::new`].
    pub fn postures(&self, clips: &[usize]) -> Result<(PostureBody, Vec<Posture>), LearnError> {
        let figure = PostureBody::new(self)?;
        let character = self.character();
        let mut postures = Vec::new();
        let seconds = |clip: usize| character.clips.get(clip).map_or(0.0, |c| c.seconds);
        let total: f32 = clips.iter().map(|&c| seconds(c)).sum();
        let rate = if total * RATE > MOST_POSTURES as f32 { MOST_POSTURES as f32 / total } else { RATE };
        let mut player = self.clone();
        (player.held, player.targets, player.pins) = (None, Vec::new(), Vec::new());
        for &clip in clips {
            player.motion = Motion::clip(clip);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few thousand")]
            let frames = ((seconds(clip) * rate).floor() as usize).min(MOST_POSTURES);
            for frame in 0..=frames {
                player.time = frame as f32 / rate;
                player.sample();
                postures.push(Posture::of(&figure.body(character, &player.pose)?));
            }
        }
        Ok((figure, postures))
    }

    /// Returns the postures of some clips as examples for blending.
    ///
    /// ```
    /// use sinew_character::glam::DVec3;
    /// use sinew_character::ik::Method;
    /// use sinew_character::{asset, puppet::{Puppet, Target}};
    ///
    /// // Moves a hand in a pose that resembles those of the clips.
    /// let mut puppet = Puppet::new(asset::mannequin()?, 0);
    /// let hand = puppet.character().skeleton.find("leftHand").ok_or("no hand")?;
    /// puppet.style = Some(puppet.examples(&[1, 4])?);
    /// puppet.options.solver = puppet.options.solver.with_method(Method::Style);
    /// puppet.targets.push(Target::new(hand).with_position(DVec3::new(0.4, 1.2, 0.3)));
    /// let reports = puppet.update()?;
    /// assert!(reports[0].position_error.is_some_and(|metres| metres < 0.01));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`Puppet::postures`].
    pub fn examples(&self, clips: &[usize]) -> Result<CharacterPrior, LearnError> {
        let (figure, postures) = self.postures(clips)?;
        let prior = PosePrior::Examples(Arc::new(Examples::new(postures)));
        Ok(CharacterPrior { prior, joints: figure.names.into() })
    }

    /// Learns a style from some clips.
    ///
    /// # Errors
    /// Same as [`Puppet::postures`] and [`Style::learn`].
    pub fn learn(&self, clips: &[usize], learning: &Learning) -> Result<(Style, Learned), LearnError> {
        let (figure, postures) = self.postures(clips)?;
        Ok(Style::learn(figure.names, &postures, learning)?)
    }
}

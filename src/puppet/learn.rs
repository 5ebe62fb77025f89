//! What a puppet's clips teach: its postures, as examples, and a style learned from them.

use std::sync::Arc;

use glam::Affine3A;

use crate::asset::Character;
use crate::ik::{Body, Examples, Learned, Learning, Posture, Style, StyleError, Teaching};
use crate::motion::Motion;
use crate::pose::{Pose, world_matrices};
use crate::rig::{Lease, default_base};

use super::Puppet;

/// Samples of a clip a second.
const RATE: f32 = 30.0;
/// Postures that are looked at, at most; of more, as many are taken evenly.
const MOST: usize = 4096;

/// Why there is nothing to learn from.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LearnError {
    /// No joint of the character is turned by its clips.
    #[error("no clip moves a joint: there is nothing to learn from")]
    NoMotion,
    /// The joints make no body.
    #[error("learning: {0}")]
    Body(String),
    /// The postures make no model.
    #[error("learning: {0}")]
    Style(#[from] StyleError),
}

/// A style or examples, and what their joints are called.
#[derive(Clone, Debug)]
pub struct Manner {
    /// Where postures come from.
    pub teaching: Teaching,
    /// The names of their joints.
    pub joints: Arc<[String]>,
}

impl From<Style> for Manner {
    fn from(style: Style) -> Self {
        let joints = style.joints().into();
        Self { teaching: Teaching::Style(Arc::new(style)), joints }
    }
}

/// The joints of a character as one body, and what they are called.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The node of each link, the base first.
    pub nodes: Vec<usize>,
    /// Their names.
    pub names: Vec<String>,
    lease: Lease,
}

impl Figure {
    /// All joints of a puppet's skins below the base of its full body; without a skin, all nodes that clips turn.
    ///
    /// # Errors
    /// [`LearnError`] if there are none, or if they make no body.
    pub fn new(puppet: &Puppet) -> Result<Self, LearnError> {
        let character = puppet.character();
        let skeleton = &character.skeleton;
        let joints = joints(character);
        let base = default_base(character, *joints.first().ok_or(LearnError::NoMotion)?);
        let below: Vec<usize> =
            joints.into_iter().filter(|&n| skeleton.ancestors(n).any(|above| above == base)).collect();
        let bad = |e: &dyn std::fmt::Display| LearnError::Body(e.to_string());
        let lease = Lease::new(skeleton, &character.skins, &puppet.rig, base, &below).map_err(|e| bad(&e))?;
        let nodes: Vec<usize> = lease.nodes().flatten().collect();
        let names = nodes.iter().map(|&n| skeleton.label(n)).collect();
        Ok(Self { nodes, names, lease })
    }

    /// The body in a pose of the character.
    ///
    /// # Errors
    /// [`LearnError`] if the pose's numbers make no body.
    pub fn body(&self, character: &Character, pose: &Pose) -> Result<Body, LearnError> {
        let mut world: Vec<Affine3A> = Vec::new();
        world_matrices(&character.skeleton, pose, &mut world);
        let body = self.lease.body(&character.skeleton, pose, &world);
        body.map_err(|e| LearnError::Body(e.to_string()))
    }
}

/// The joints that skins or, without any, clips name.
fn joints(character: &Character) -> Vec<usize> {
    let skinned = character.skins.iter().flat_map(|s| s.joints.iter().copied());
    let turned = character.clips.iter().flat_map(|c| c.channels.iter().map(|c| c.node));
    let mut joints: Vec<usize> =
        if character.skins.is_empty() { turned.collect() } else { skinned.collect() };
    let mut order = vec![usize::MAX; character.skeleton.nodes.len()];
    for (place, (node, _)) in character.skeleton.parents_first.iter().enumerate() {
        order[*node] = place;
    }
    joints.sort_unstable();
    joints.dedup();
    joints.sort_by_key(|n| order.get(*n).copied());
    joints
}

impl Puppet {
    /// The postures of some of its clips, sampled 30 times a second, and the figure that they are of.
    ///
    /// # Errors
    /// [`LearnError`] as [`Figure::new`].
    pub fn postures(&self, clips: &[usize]) -> Result<(Figure, Vec<Posture>), LearnError> {
        let figure = Figure::new(self)?;
        let character = self.character();
        let mut postures = Vec::new();
        let lasts = |clip: usize| character.clips.get(clip).map_or(0.0, |c| c.seconds);
        let total: f32 = clips.iter().map(|&c| lasts(c)).sum();
        let rate = if total * RATE > MOST as f32 { MOST as f32 / total } else { RATE };
        let mut player = self.clone();
        (player.held, player.targets, player.pins) = (None, Vec::new(), Vec::new());
        for &clip in clips {
            player.motion = Motion::clip(clip);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few thousand")]
            let frames = ((lasts(clip) * rate).floor() as usize).min(MOST);
            for frame in 0..=frames {
                player.time = frame as f32 / rate;
                player.sample();
                postures.push(Posture::of(&figure.body(character, &player.pose)?));
            }
        }
        Ok((figure, postures))
    }

    /// The postures of some of its clips as examples to be blended.
    ///
    /// # Errors
    /// [`LearnError`] as [`Puppet::postures`].
    pub fn examples(&self, clips: &[usize]) -> Result<Manner, LearnError> {
        let (figure, postures) = self.postures(clips)?;
        let teaching = Teaching::Examples(Arc::new(Examples::new(postures)));
        Ok(Manner { teaching, joints: figure.names.into() })
    }

    /// A style learned from some of its clips.
    ///
    /// # Errors
    /// [`LearnError`] as [`Puppet::postures`] and [`Style::learn`].
    pub fn learn(&self, clips: &[usize], learning: &Learning) -> Result<(Style, Learned), LearnError> {
        let (figure, postures) = self.postures(clips)?;
        Ok(Style::learn(figure.names, &postures, learning)?)
    }
}

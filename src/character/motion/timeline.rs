//! The description of a motion: clips, layers and edits on a timeline.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::asset::{Character, Clip, Values};

use super::{Contact, Edit, GoalKey, PoseKey};

/// A motion: key poses and clip strips on a timeline, with layers and edits on top of them. An empty motion is the rest pose.
///
/// Clips and nodes are indices into one character. References to clips and nodes that do not exist are ignored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Motion {
    /// Clip strips, sorted by start time. Where two strips overlap, they crossfade.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub strips: Vec<Strip>,
    /// Layers on top of the strips, in order of application.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<Layer>,
    /// Edits on top of the layers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<Edit>,
    /// Key poses of the whole character or of some joints, sorted by time. Strips are played on top of them. The first strip crossfades
    /// with the keys that are later than its start.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<PoseKey>,
    /// Contacts of feet and hands. Until a contact ends, it holds its point at its initial position, regardless of keys and strips.
    /// Contacts take precedence over the contacts of keys. They do not extend the motion.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contacts: Vec<Contact>,
    /// Keys of goals, sorted by time. A goal defines where inverse kinematics puts a node, on top of keys, strips, layers and edits. A
    /// contact takes precedence over the goal of its node.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<GoalKey>,
    /// Duration in seconds, if it differs from the duration of the content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration: Option<f32>,
    /// Whether feet that stand on the ground are kept in place.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub plant: bool,
    /// A node above the hips that carries the root motion. It receives the ground position and the heading of the hips, and the joints
    /// below it keep the rest of the motion. All other nodes stay in place in the world. If `None`, the root motion stays on the nodes that
    /// the clips animate. A node that is not above the hips is ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root_node: Option<usize>,
}

/// A clip strip: a clip or a blend of clips on the timeline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Strip {
    /// The clips with their weights. Several clips are blended and warped in time so that their steps coincide.
    pub clips: Vec<WeightedClip>,
    /// Start on the timeline, in seconds.
    #[serde(default)]
    pub start: f32,
    /// Duration in seconds. `None` plays the clip until it ends, or for one cycle if it loops. A clip that ends earlier and does not
    /// loop holds its last pose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f32>,
    /// Start within the clip, in clip seconds.
    #[serde(default)]
    pub from: f32,
    /// Playback speed in clip seconds per second. A negative speed plays backwards, from the clip's end if `from` is 0.
    #[serde(default = "one")]
    pub speed: f32,
    /// Whether the clip loops.
    #[serde(default)]
    pub looping: bool,
    /// How the root motion of the clips is treated.
    #[serde(default, rename = "root_motion")]
    pub root_motion: RootMotion,
    /// Whether the clips are mirrored, so that left becomes right. The root motion is mirrored too. The player needs a mirror
    /// ([`Player::mirror`](super::Player::mirror)).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mirror: bool,
    /// Duration of the fade-in over the content below or before the strip, in seconds. If `None`, the fade lasts as long as the overlap
    /// with the preceding strip or with the key poses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fade_in: Option<f32>,
    /// Times at which the same event happens in several clips, such as the arrival of a hand. Each mark is the index of a clip and a time
    /// in that clip in seconds. If all blended clips have a mark, they are warped in time so that their marks coincide.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<(usize, f32)>,
}

/// A clip and its weight in a blend.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeightedClip {
    /// The clip's index.
    pub clip: usize,
    /// The clip's weight, relative to the sum of the weights of the strip.
    pub weight: f32,
}

/// How the root motion of a clip is treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum RootMotion {
    /// Accumulate: each cycle of the clip continues from where the previous cycle ended.
    #[default]
    Accumulate,
    /// In place: the displacement and the rotation from the clip's first frame to its last are removed at a constant rate. The character
    /// stays in place and keeps the rest of its motion. For a strip that plays a part of one clip without looping, the first and the last
    /// frame of that part are used.
    InPlace,
}

/// A clip on top of the strips.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Layer {
    /// The clip's index.
    pub clip: usize,
    /// Weight of the layer, from 0 to 1.
    #[serde(default = "one")]
    pub weight: f32,
    /// Whether the layer adds its difference from the clip's first pose. Otherwise it replaces the pose below it.
    #[serde(default)]
    pub additive: bool,
    /// The nodes that the layer affects. Empty means all nodes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mask: Vec<usize>,
    /// Playback speed in clip seconds per second. The layer always loops.
    #[serde(default = "one")]
    pub speed: f32,
}

fn one() -> f32 {
    1.0
}

/// The reason why a motion is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct MotionError {
    message: String,
}

impl Motion {
    /// A motion that plays one clip once.
    pub fn clip(clip: usize) -> Self {
        Self { strips: vec![Strip::new(clip)], ..Self::default() }
    }

    /// The clip of a motion that only plays one clip once, such as a motion created by [`Motion::clip`].
    pub fn only(&self) -> Option<usize> {
        let [Strip { clips, .. }] = self.strips.as_slice() else { return None };
        let [weighted] = clips.as_slice() else { return None };
        (*self == Self::clip(weighted.clip)).then_some(weighted.clip)
    }

    /// The morph weights that the motion's clips animate, as indices into
    /// [`Pose::weights`](crate::pose::Pose::weights).
    pub fn moved_weights(&self, character: &Character) -> BTreeSet<usize> {
        let strips = self.strips.iter().flat_map(|strip| &strip.clips).filter(|s| s.weight > 0.0);
        let everywhere = strips.map(|weighted| (weighted.clip, &[][..]));
        let layers = self.layers.iter().filter(|l| l.weight > 0.0).map(|l| (l.clip, l.mask.as_slice()));
        let mut moved = BTreeSet::new();
        for (clip, mask) in everywhere.chain(layers) {
            let found = character.clips.get(clip);
            // Layers with a mask do not change weights that belong to no node.
            let properties = found.filter(|_| mask.is_empty()).into_iter().flat_map(|clip| &clip.properties);
            moved.extend(properties.flat_map(|track| track.first..track.first.saturating_add(track.count)));
            let channels = found.into_iter().flat_map(|clip| &clip.channels);
            for channel in channels.filter(|c| matches!(c.values, Values::Weights(_))) {
                let node = character.skeleton.nodes.get(channel.node);
                if mask.is_empty() || mask.contains(&channel.node) {
                    moved.extend(node.into_iter().flat_map(|n| n.morph_weights.clone()));
                }
            }
        }
        moved
    }

    /// Whether the motion has no keys, strips, layers, edits or goals.
    pub fn is_rest(&self) -> bool {
        self.takes_keys() && self.keys.is_empty() && self.goals.is_empty()
    }

    /// Whether all clips and nodes that the motion refers to exist in a character, and no contact is on its own node or one of its
    /// descendants.
    pub fn fits(&self, character: &Character) -> bool {
        let (clips, nodes) = (character.clips.len(), character.skeleton.nodes.len());
        let changed = self.edits.iter().flat_map(|e| e.turns.iter().chain(&e.shifts));
        let played = self.strips.iter().flat_map(|b| &b.clips).map(|s| s.clip);
        let masked = self.layers.iter().flat_map(|l| &l.mask);
        let eased = self.keys.iter().flat_map(|k| &k.easings).map(|(node, _)| node);
        let keyed = self.keys.iter().flat_map(|k| &k.joints).map(|(node, _)| node).chain(eased);
        let held = self.contacts.iter().flat_map(|contact| [Some(&contact.node), contact.on.as_ref()]);
        let goals = self.goals.iter().flat_map(|goal| [Some(&goal.node), goal.on.as_ref()]);
        played.chain(self.layers.iter().map(|l| l.clip)).all(|clip| clip < clips)
            && changed
                .map(|(node, _)| node)
                .chain(masked)
                .chain(keyed)
                .chain(&self.root_node)
                .chain(held.chain(goals).flatten())
                .all(|&n| n < nodes)
            && !self.contacts.iter().any(|contact| contact.is_on_own_part(&character.skeleton))
            && !self.goals.iter().any(|goal| goal.is_on_own_part(&character.skeleton))
    }

    /// Memory use in bytes.
    pub fn bytes(&self) -> usize {
        let strip = |b: &Strip| size_of_val(&b.clips[..]) + size_of_val(&b.marks[..]);
        let strips: usize = self.strips.iter().map(strip).sum();
        let layers: usize = self.layers.iter().map(|l| size_of_val(&l.mask[..])).sum();
        let edits: usize =
            self.edits.iter().map(|e| size_of_val(&e.turns[..]) + size_of_val(&e.shifts[..])).sum();
        let own =
            size_of_val(&self.strips[..]) + size_of_val(&self.layers[..]) + size_of_val(&self.edits[..]);
        let keys: usize = self
            .keys
            .iter()
            .map(|k| size_of_val(&k.joints[..]) + size_of_val(&k.easings[..]) + size_of_val(&k.morphs[..]))
            .sum();
        let own = own + size_of_val(&self.keys[..]);
        let own = own + size_of_val(&self.contacts[..]) + size_of_val(&self.goals[..]);
        size_of::<Self>() + own + strips + layers + edits + keys
    }

    /// Duration in seconds: [`Motion::duration`] if it is set, otherwise the end of the strip that ends last. Without strips, it is the end
    /// of the longest layer, the last edit or the last key, whichever is latest.
    pub fn seconds(&self, clips: &[Clip]) -> f32 {
        if let Some(duration) = self.duration {
            return duration;
        }
        let strips = self.strips.iter().map(|b| b.start + b.length(clips));
        let layers = self.layers.iter().filter_map(|l| Some(clips.get(l.clip)?.seconds / l.speed.abs()));
        let edits = self.edits.iter().map(|e| e.time + e.after);
        let keys = self.keys.iter().map(|k| k.time).chain(self.goals.iter().map(|g| g.time));
        let longest =
            |times: &mut dyn Iterator<Item = f32>| times.filter(|t| t.is_finite()).fold(0.0_f32, f32::max);
        match longest(&mut strips.into_iter()) {
            end if end <= 0.0 => longest(&mut layers.chain(edits).chain(keys)),
            end => end,
        }
    }

    /// Checks the motion.
    ///
    /// ```
    /// use sinew_character::motion::{Motion, Strip};
    ///
    /// let walk = Strip { looping: true, seconds: Some(4.0), ..Strip::new(2) };
    /// let mut motion = Motion { strips: vec![walk], ..Motion::default() };
    /// motion.validate()?;
    /// motion.strips[0].speed = f32::NAN;
    /// assert!(motion.validate().is_err());
    /// # Ok::<(), sinew_character::motion::MotionError>(())
    /// ```
    ///
    /// # Errors
    /// Returns the first error, such as a number that is not finite or a negative weight.
    pub fn validate(&self) -> Result<(), MotionError> {
        let strip = |b: &Strip| {
            let (seconds, fade_in) = (b.seconds.unwrap_or(0.0), b.fade_in.unwrap_or(0.0));
            let weights = b.clips.iter().map(|s| s.weight);
            match () {
                () if b.marks.iter().any(|(_, time)| !time.is_finite()) => Some("marks must be finite"),
                () if [b.start, b.from, b.speed, seconds, fade_in].iter().any(|n| !n.is_finite()) => {
                    Some("start, from, speed, seconds and fade_in must be finite")
                }
                () if seconds < 0.0 || fade_in < 0.0 => Some("seconds and fade_in must not be negative"),
                () if weights.clone().any(|w| !(w.is_finite() && w >= 0.0)) => {
                    Some("weights must be finite and not negative")
                }
                () if weights.clone().sum::<f32>() <= 0.0 => {
                    Some("at least one weight must be greater than 0")
                }
                () if !weights.sum::<f32>().is_finite() => Some("the sum of the weights is too large"),
                () => None,
            }
        };
        let located = |list: &str, i: usize, error: &str| format!("{list}[{i}]: {error}");
        let strips = self.strips.iter().enumerate().find_map(|(i, b)| Some(located("strips", i, strip(b)?)));
        let layer = |l: &Layer| match () {
            () if !(0.0..=1.0).contains(&l.weight) => Some("weight must be from 0 to 1"),
            () if !l.speed.is_finite() => Some("speed must be finite"),
            () => None,
        };
        let layers = self.layers.iter().enumerate().find_map(|(i, l)| Some(located("layers", i, layer(l)?)));
        let edits = self.edits.iter().position(|e| !e.is_valid());
        let edits = edits.map(|i| {
            located("edits", i, "a number is not finite or too large, or before or after is negative")
        });
        let keys = self.keys.iter().enumerate().find_map(|(i, k)| Some(located("keys", i, k.error()?)));
        let contacts = self.contacts.iter().enumerate();
        let contacts = contacts.filter_map(|(i, c)| Some(located("contacts", i, c.error()?))).next();
        let goals = self.goals.iter().enumerate();
        let goals = goals.filter_map(|(i, g)| Some(located("goals", i, g.error()?))).next();
        let is_sorted = self.keys.is_sorted_by(|a, b| a.time < b.time);
        let is_sorted = is_sorted && self.goals.is_sorted_by(|a, b| a.time <= b.time);
        let order = (!is_sorted).then(|| "keys must be in the order of their times".to_owned());
        let is_duration = self.duration.is_none_or(|d| d.is_finite() && d > 0.0);
        let duration = (!is_duration).then(|| "duration must be finite and greater than 0".to_owned());
        strips
            .or(layers)
            .or(edits)
            .or(keys)
            .or(order)
            .or(contacts)
            .or(goals)
            .or(duration)
            .map_or(Ok(()), |message| Err(MotionError { message }))
    }
}

impl Strip {
    /// A strip that plays one clip once, from the start of the timeline.
    pub fn new(clip: usize) -> Self {
        Self {
            clips: vec![WeightedClip { clip, weight: 1.0 }],
            start: 0.0,
            seconds: None,
            from: 0.0,
            speed: 1.0,
            looping: false,
            root_motion: RootMotion::Accumulate,
            mirror: false,
            fade_in: None,
            marks: Vec::new(),
        }
    }

    /// Returns the existing clips of the strip, with weights that sum to one.
    pub(super) fn normalized_weights<'a>(
        &'a self,
        clips: &'a [Clip],
    ) -> impl Iterator<Item = (usize, f32)> + 'a {
        let counts = move |s: &&WeightedClip| s.clip < clips.len() && s.weight.is_finite() && s.weight > 0.0;
        let sum: f32 = self.clips.iter().filter(counts).map(|s| s.weight).sum();
        self.clips.iter().filter(counts).map(move |s| (s.clip, s.weight / sum))
    }

    /// Length of one cycle in clip seconds: the weighted mean length of the clips.
    pub fn cycle_seconds(&self, clips: &[Clip]) -> f32 {
        self.normalized_weights(clips).map(|(clip, weight)| clips[clip].seconds * weight).sum()
    }

    /// Time within the clips at which the strip begins, in clip seconds: [`Strip::from`], or the end of the clips if they are played
    /// backwards from 0.
    pub fn clip_start(&self, clips: &[Clip]) -> f32 {
        if self.speed < 0.0 && self.from == 0.0 { self.cycle_seconds(clips) } else { self.from }
    }

    /// Duration in seconds until the clips end, or until their start if they are played backwards. Zero if the speed is zero.
    pub fn seconds_left(&self, clips: &[Clip]) -> f32 {
        let start = self.clip_start(clips);
        let left = if self.speed < 0.0 { start } else { self.cycle_seconds(clips) - start };
        if self.speed == 0.0 { 0.0 } else { left.max(0.0) / self.speed.abs() }
    }

    /// Duration on the timeline, in seconds. If [`Strip::seconds`] is not set, it is one cycle for clips that loop, and the remaining time
    /// for clips that do not.
    pub fn length(&self, clips: &[Clip]) -> f32 {
        let once = || match self.looping && self.speed != 0.0 {
            true => self.cycle_seconds(clips) / self.speed.abs(),
            false => self.seconds_left(clips),
        };
        self.seconds.unwrap_or_else(once).max(0.0)
    }
}

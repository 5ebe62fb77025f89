//! Parameterised motions: blends of examples that bring a node to a target at one moment.

use std::collections::BTreeMap;

use glam::Vec3;

use crate::api::{Missing, with_methods};
use crate::asset::{Character, Clip};
use crate::pose::Pose;

use super::clip_sampler::ClipSampler;
use super::gait::{Gait, MAX_SAMPLES, RATE};
use super::locomotion::{self, LocomotionRoot};
use super::strip::PreparedStrip;
use super::{Strip, WeightedClip};

/// Maximum number of examples in a sample. In three dimensions, four examples can enclose a target.
const MAX_BLENDED: usize = 4;
/// Default for the maximum number of samples.
const DEFAULT_SAMPLES: usize = 1000;
/// Default for the number of samples that are interpolated.
const DEFAULT_NEIGHBOURS: usize = 5;
/// If the nearest sample is within this distance of the target, in metres, it is used alone.
const EXACT: f32 = 1e-6;

/// Options of a [`ParametricMotion`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ParametricOptions {
    /// The moment of each example: the index of its clip, and the time in that clip in seconds. For unlisted examples, the moment is the
    /// time at which the node is farthest from its start, relative to the character.
    pub marks: Vec<(usize, f32)>,
    /// Nodes of the feet. Foot strikes are aligned too.
    pub feet: Vec<usize>,
    /// The node that defines the character's position on the ground ([`Player::root`](super::Player::root)).
    pub root: Option<usize>,
    /// Maximum number of samples, 1000 by default. Each example is always a sample.
    pub samples: usize,
    /// Number of nearest samples that are interpolated, at least 2, and 5 by default.
    pub neighbours: usize,
}

impl Default for ParametricOptions {
    fn default() -> Self {
        let (samples, neighbours) = (DEFAULT_SAMPLES, DEFAULT_NEIGHBOURS);
        Self { marks: Vec::new(), feet: Vec::new(), root: None, samples, neighbours }
    }
}

with_methods!(ParametricOptions {
    with_marks(marks: impl Into<Vec<(usize, f32)>>),
    with_feet(feet: impl Into<Vec<usize>>),
    with_root(root: impl Into<Option<usize>>),
    with_samples(samples: usize),
    with_neighbours(neighbours: usize),
});

/// Why a parameterised motion cannot be built, or cannot provide a blend for a target.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParametricError {
    /// There are fewer than two examples.
    #[error("a parameterised motion needs at least two clips, and has {count}")]
    FewClips {
        /// Number of examples.
        count: usize,
    },
    /// A clip is listed twice, or has no duration.
    #[error("clip {clip} occurs twice or has no length")]
    Clip {
        /// Index of the clip.
        clip: usize,
    },
    /// A clip or the node does not exist.
    #[error(transparent)]
    Missing(#[from] Missing),
    /// A mark or a coordinate of the target is not finite.
    #[error("marks and targets must be finite")]
    NotFinite,
}

/// A parameterised motion. It blends clips of one kind, such as reaches with a hand to several places, to reach a target.
///
/// Kovar & Gleicher 2004, "Automated extraction and parameterization of motions in large data sets", section 5: the examples are aligned in
/// time and on the ground, their blends are sampled, and the parameter of each sample (here the position of a node at one moment) is
/// computed from its pose. The weights for a target are interpolated from its nearest samples by αᵢ ∝ 1 / dᵢ − 1 / dₖ for the distances d₁
/// … dₖ. The result never exceeds the range of the examples: for a target out of their reach, the blend only comes close.
///
/// Two things differ from the paper. The samples form a regular grid of blends of up to four examples and are not random, so the same input
/// gives the same result. The examples are given, not found in a large data set. The examples are aligned in time by their moments and by
/// foot strikes ([`Strip::marks`]).
///
/// ```
/// use sinew_character::asset;
/// use sinew_character::glam::Vec3;
/// use sinew_character::motion::{ParametricMotion, ParametricOptions};
///
/// // Strides between a walk and a run. The parameter is the position at which the left foot is farthest from its start.
/// let character = asset::mannequin()?;
/// let clip = |name: &str| character.clips.iter().position(|clip| clip.name.as_deref() == Some(name));
/// let clips = [clip("walk").ok_or("no walk")?, clip("run").ok_or("no run")?];
/// let foot = character.skeleton.find("leftFoot").ok_or("no foot")?;
/// let strides = ParametricMotion::new(&character, &clips, foot, ParametricOptions::default())?;
/// let (first, last) = (strides.position_of(&[1.0, 0.0])?, strides.position_of(&[0.0, 1.0])?);
/// let blend = strides.blend(first.lerp(last, 0.5))?;
/// assert!(blend.strip.clips.iter().all(|clip| clip.weight > 0.2));
/// // The position of an example gives that example.
/// assert_eq!(strides.blend(last)?.strip.clips[0].clip, clips[1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ParametricMotion<'a> {
    character: &'a Character,
    clips: Vec<usize>,
    node: usize,
    options: ParametricOptions,
    locomotion: LocomotionRoot,
    gaits: BTreeMap<usize, Gait>,
    samples: Vec<Sample>,
}

/// A blend, and the position of the node at the blend's moment.
#[derive(Clone, Debug)]
struct Sample {
    /// One weight for each example. The weights sum to one.
    weights: Vec<f32>,
    position: Vec3,
}

/// The blend for a target.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ParametricBlend {
    /// The blend, which plays once from the start of the timeline.
    pub strip: Strip,
    /// The moment of the blend, in seconds.
    pub time: f32,
    /// Position of the node at that moment, in metres in the character's space.
    pub position: Vec3,
    /// Distance of that position from the target, in metres.
    pub distance: f32,
}

impl<'a> ParametricMotion<'a> {
    /// Builds a parameterised motion from clips of a character, given as indices. Samples blends of the clips, each with the position of a
    /// node.
    ///
    /// # Errors
    /// [`ParametricError`] if there are fewer than two clips, or if a clip, the node or a mark is invalid.
    pub fn new(
        character: &'a Character,
        clips: &[usize],
        node: usize,
        options: ParametricOptions,
    ) -> Result<Self, ParametricError> {
        if clips.len() < 2 {
            return Err(ParametricError::FewClips { count: clips.len() });
        }
        character.skeleton.check_nodes([node].into_iter())?;
        if options.marks.iter().any(|(_, time)| !time.is_finite()) {
            return Err(ParametricError::NotFinite);
        }
        let locomotion = LocomotionRoot::new(character, &options.feet, options.root);
        let (clips, gaits, samples) = (clips.to_vec(), BTreeMap::new(), Vec::new());
        let mut motion = Self { character, clips, node, options, locomotion, gaits, samples };
        motion.options.marks.retain(|(clip, _)| motion.clips.contains(clip));
        for clip in motion.clips.clone() {
            let missing = || Missing::index("clip", clip, character.clips.len());
            let found = character.clips.get(clip).ok_or_else(missing)?;
            let is_example = found.seconds > 0.0 && !motion.gaits.contains_key(&clip);
            if !is_example {
                return Err(ParametricError::Clip { clip });
            }
            let mut sampler = ClipSampler::new(found, None);
            let gait =
                Gait::measure(found, &mut sampler, character, &motion.locomotion, &motion.options.feet);
            motion.gaits.insert(clip, gait);
            if !motion.options.marks.iter().any(|(of, _)| *of == clip) {
                let mark = motion.farthest(clip, found.seconds);
                motion.options.marks.push((clip, mark));
            }
        }
        for weights in grid(motion.clips.len(), motion.options.samples) {
            let position = motion.position_of(&weights)?;
            motion.samples.push(Sample { weights, position });
        }
        Ok(motion)
    }

    /// The moment of each example: the index of its clip, and the time in that clip in seconds.
    pub fn marks(&self) -> &[(usize, f32)] {
        &self.options.marks
    }

    /// The number of samples.
    pub fn sample_count(&self) -> usize {
        self.samples.len()
    }

    /// Returns the position of the node at the moment of a blend, in metres in the character's space. `weights` contains one weight for
    /// each example, relative to their sum.
    ///
    /// # Errors
    /// [`ParametricError::NotFinite`] if no weight is positive, or if the position is not finite.
    pub fn position_of(&self, weights: &[f32]) -> Result<Vec3, ParametricError> {
        Ok(self.moment(&self.strip(weights))?.1)
    }

    /// Returns the blend for a target position in metres in the character's space.
    ///
    /// # Errors
    /// [`ParametricError::NotFinite`] if the target is not finite.
    pub fn blend(&self, target: Vec3) -> Result<ParametricBlend, ParametricError> {
        if !target.is_finite() {
            return Err(ParametricError::NotFinite);
        }
        let mut nearest: Vec<(f32, &Sample)> =
            self.samples.iter().map(|sample| (sample.position.distance(target), sample)).collect();
        // The sort is stable, so the result is deterministic.
        nearest.sort_by(|a, b| a.0.total_cmp(&b.0));
        nearest.truncate(self.options.neighbours.max(2));
        let mut weights = vec![0.0; self.clips.len()];
        for ((_, sample), share) in nearest.iter().zip(shares(nearest.iter().map(|(d, _)| *d))) {
            weights.iter_mut().zip(&sample.weights).for_each(|(sum, weight)| *sum += share * weight);
        }
        let strip = self.strip(&weights);
        let (time, position) = self.moment(&strip)?;
        Ok(ParametricBlend { strip, time, position, distance: position.distance(target) })
    }

    /// Returns a strip of the examples whose weight is positive.
    fn strip(&self, weights: &[f32]) -> Strip {
        let clips = self.clips.iter().zip(weights).filter(|(_, weight)| **weight > 0.0);
        let clips: Vec<_> = clips.map(|(&clip, &weight)| WeightedClip { clip, weight }).collect();
        let is_blended = |clip: usize| clips.iter().any(|blended| blended.clip == clip);
        let marks = self.options.marks.iter().copied().filter(|(clip, _)| is_blended(*clip)).collect();
        Strip { clips, marks, ..Strip::new(0) }
    }

    /// Returns the moment of a strip in seconds, and the position of the node at that moment.
    fn moment(&self, strip: &Strip) -> Result<(f32, Vec3), ParametricError> {
        let skeleton = &self.character.skeleton;
        let gait = |(clip, _): (usize, &Clip), _: &mut ClipSampler| {
            self.gaits.get(&clip).cloned().unwrap_or_default()
        };
        let prepared = PreparedStrip::with_gaits(strip, self.character, &self.locomotion, None, gait);
        let found = prepared.and_then(|mut prepared| {
            let first = strip.clips.first()?.clip;
            let mark = self.options.marks.iter().find(|(clip, _)| *clip == first)?.1;
            let time = prepared.since(mark, &self.character.clips)?;
            let rest = Pose::rest(skeleton);
            let mut pose = rest.clone();
            prepared.pose(time, self.character, &self.locomotion.tops, &rest, &mut pose);
            Some((time, locomotion::position(skeleton, &pose, self.node)))
        });
        found
            .filter(|(time, position)| time.is_finite() && position.is_finite())
            .ok_or(ParametricError::NotFinite)
    }

    /// Returns the time of a clip at which the node is farthest from its start, relative to the character.
    fn farthest(&self, clip: usize, seconds: f32) -> f32 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped to a small range"
        )]
        let count = (seconds * RATE).ceil().clamp(1.0, MAX_SAMPLES as f32) as u16;
        let skeleton = &self.character.skeleton;
        let Some(found) = self.character.clips.get(clip) else { return 0.0 };
        let (mut sampler, mut pose) = (ClipSampler::new(found, None), Pose::rest(skeleton));
        let mut place = |time: f32| {
            pose.reset(skeleton);
            sampler.sample(found, time, skeleton, &mut pose);
            let here = self.locomotion.planar_transform(skeleton, &pose).inverse();
            here.transform_point(locomotion::position(skeleton, &pose, self.node))
        };
        let start = place(0.0);
        let mut farthest = (0.0, 0.0);
        for step in 1..=count {
            let time = seconds * f32::from(step) / f32::from(count);
            let distance = place(time).distance(start);
            if distance > farthest.1 {
                farthest = (time, distance);
            }
        }
        farthest.0
    }
}

/// Computes the weights of samples from their distances in ascending order. The weights sum to one.
fn shares(distances: impl ExactSizeIterator<Item = f32> + Clone) -> Vec<f32> {
    let (first, last) = (distances.clone().next().unwrap_or_default(), distances.clone().last());
    if first <= EXACT {
        return (0..distances.len()).map(|i| f32::from(u8::from(i == 0))).collect();
    }
    let last = last.unwrap_or(first);
    let raw: Vec<f32> = distances.map(|distance| 1.0 / distance - 1.0 / last).collect();
    let sum: f32 = raw.iter().sum();
    // If all samples are equally far away, their weights are equal.
    #[expect(clippy::cast_precision_loss, reason = "there are few samples")]
    let equal = 1.0 / raw.len().max(1) as f32;
    raw.into_iter().map(|share| if sum > 0.0 { share / sum } else { equal }).collect()
}

/// Returns a grid of blends. The weights of a blend are multiples of a fraction and sum to one, and at most [`MAX_BLENDED`] of them are
/// positive. The fraction is the smallest that gives at most `most` blends.
fn grid(clips: usize, most: usize) -> Vec<Vec<f32>> {
    let choose =
        |n: usize, k: usize| (0..k).map(|i| (n as f64 - i as f64) / (i as f64 + 1.0)).product::<f64>();
    let count = |parts: usize| -> f64 {
        (1..=MAX_BLENDED.min(parts).min(clips)).map(|k| choose(clips, k) * choose(parts - 1, k - 1)).sum()
    };
    // With one part, only the examples are sampled. There are at least two examples, so a grid has more blends than parts.
    let parts = (2..=most.max(1)).take_while(|&parts| count(parts) <= most as f64).last().unwrap_or(1);
    let (mut found, mut weights) = (Vec::new(), vec![0; clips]);
    compose(&mut weights, 0, parts, MAX_BLENDED, &mut |weights| {
        found.push(weights.iter().map(|&part| part as f32 / parts as f32).collect());
    });
    found
}

/// Calls `found` with every way to divide `parts` among the entries from `place` on, with at most `most` positive entries.
fn compose(
    weights: &mut Vec<usize>,
    place: usize,
    parts: usize,
    most: usize,
    found: &mut impl FnMut(&[usize]),
) {
    if parts == 0 {
        return found(weights);
    }
    if place >= weights.len() || most == 0 {
        return;
    }
    for part in (0..=parts).rev() {
        if let Some(weight) = weights.get_mut(place) {
            *weight = part;
        }
        compose(weights, place + 1, parts - part, most - usize::from(part > 0), found);
    }
    if let Some(weight) = weights.get_mut(place) {
        *weight = 0;
    }
}

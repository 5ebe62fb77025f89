//! What is played: clips on a line of time.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::asset::{Character, Clip, Values};

use super::Edit;

/// Clips on a line of time, what lies on top of them, and what is changed in them. The empty one is rest. Clips and
/// nodes are indices of one character; what names none of it counts as absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Motion {
    /// In the order in which they start. Where two overlap, the first passes into the second.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bars: Vec<Bar>,
    /// On top of the bars, in this order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<Layer>,
    /// Changes on top of all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<Edit>,
    /// Whether a foot that stands stays where it stands.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub plant: bool,
}

/// A clip, or several blended, for a while.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Bar {
    /// What is played. Several are blended by their weights, and warped in time so that their steps coincide.
    pub clips: Vec<Share>,
    /// Where on the line it starts, seconds.
    #[serde(default)]
    pub start: f32,
    /// How long it lasts, seconds; `None`: once through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f32>,
    /// Where in the clip it begins, clip seconds.
    #[serde(default)]
    pub from: f32,
    /// Clip seconds a second; backwards below zero: from the end, where it begins at zero.
    #[serde(default = "one")]
    pub speed: f32,
    /// Whether the clip starts again where it ends.
    #[serde(default)]
    pub again: bool,
    /// What becomes of the way that it goes.
    #[serde(default)]
    pub travel: Travel,
}

/// A clip's part in a blend.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Share {
    /// The clip's index.
    pub clip: usize,
    /// Its weight: what counts is its share of all weights of the bar.
    pub weight: f32,
}

/// What becomes of the way that a clip's root goes over the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Travel {
    /// It goes on where it starts again.
    #[default]
    Kept,
    /// The way from the clip's first place to its last, and the turn, are taken out evenly: the character stays where
    /// it is, and sways as it did.
    Stripped,
}

/// A clip on top of others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Layer {
    /// The clip's index.
    pub clip: usize,
    /// From 0, not at all, to 1.
    #[serde(default = "one")]
    pub weight: f32,
    /// Whether it adds what it is beyond its own first pose, or takes the place of what is below.
    #[serde(default)]
    pub additive: bool,
    /// The nodes that it moves; empty: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mask: Vec<usize>,
    /// Clip seconds a second. It starts again where it ends.
    #[serde(default = "one")]
    pub speed: f32,
}

fn one() -> f32 {
    1.0
}

impl Motion {
    /// One clip, once through.
    pub fn clip(clip: usize) -> Self {
        Self { bars: vec![Bar::new(clip)], ..Self::default() }
    }

    /// Its only clip, if that is all it is.
    pub fn only(&self) -> Option<usize> {
        let [Bar { clips, .. }] = self.bars.as_slice() else { return None };
        let [share] = clips.as_slice() else { return None };
        (*self == Self::clip(share.clip)).then_some(share.clip)
    }

    /// The morph weights, by their places in a pose, that its clips move at any time.
    pub fn moved_weights(&self, character: &Character) -> BTreeSet<usize> {
        let bars = self.bars.iter().flat_map(|bar| &bar.clips).filter(|s| s.weight > 0.0);
        let everywhere = bars.map(|share| (share.clip, &[][..]));
        let layers = self.layers.iter().filter(|l| l.weight > 0.0).map(|l| (l.clip, l.mask.as_slice()));
        let mut moved = BTreeSet::new();
        for (clip, mask) in everywhere.chain(layers) {
            let channels = character.clips.get(clip).into_iter().flat_map(|clip| &clip.channels);
            for channel in channels.filter(|c| matches!(c.values, Values::Weights(_))) {
                let node = character.skeleton.nodes.get(channel.node);
                if mask.is_empty() || mask.contains(&channel.node) {
                    moved.extend(node.into_iter().flat_map(|n| n.morph_weights.clone()));
                }
            }
        }
        moved
    }

    /// Whether nothing is played.
    pub fn is_rest(&self) -> bool {
        self.bars.is_empty() && self.layers.is_empty() && self.edits.is_empty()
    }

    /// Whether every clip and node that it names is there.
    pub fn fits(&self, character: &Character) -> bool {
        let (clips, nodes) = (character.clips.len(), character.skeleton.nodes.len());
        let changed = self.edits.iter().flat_map(|e| e.turns.iter().chain(&e.shifts));
        let played = self.bars.iter().flat_map(|b| &b.clips).map(|s| s.clip);
        let masked = self.layers.iter().flat_map(|l| &l.mask);
        played.chain(self.layers.iter().map(|l| l.clip)).all(|clip| clip < clips)
            && changed.map(|(node, _)| node).chain(masked).all(|&node| node < nodes)
    }

    /// What it takes, bytes.
    pub fn bytes(&self) -> usize {
        let bars: usize = self.bars.iter().map(|b| size_of_val(&b.clips[..])).sum();
        let layers: usize = self.layers.iter().map(|l| size_of_val(&l.mask[..])).sum();
        let edits: usize =
            self.edits.iter().map(|e| size_of_val(&e.turns[..]) + size_of_val(&e.shifts[..])).sum();
        let own = size_of_val(&self.bars[..]) + size_of_val(&self.layers[..]) + size_of_val(&self.edits[..]);
        size_of::<Self>() + own + bars + layers + edits
    }

    /// Where the last bar ends, seconds; without any, the longest layer or the last edit.
    pub fn seconds(&self, clips: &[Clip]) -> f32 {
        let bars = self.bars.iter().map(|b| b.start + b.length(clips));
        let layers = self.layers.iter().filter_map(|l| Some(clips.get(l.clip)?.seconds / l.speed.abs()));
        let edits = self.edits.iter().map(|e| e.time + e.after);
        let longest =
            |times: &mut dyn Iterator<Item = f32>| times.filter(|t| t.is_finite()).fold(0.0_f32, f32::max);
        match longest(&mut bars.into_iter()) {
            none if none <= 0.0 => longest(&mut layers.chain(edits)),
            some => some,
        }
    }

    /// What is wrong with it, in words: numbers that are none, weights below zero.
    pub fn fault(&self) -> Option<String> {
        let bar = |b: &Bar| {
            let numbers = [b.start, b.from, b.speed, b.seconds.unwrap_or(0.0)];
            let weights = b.clips.iter().map(|s| s.weight);
            match () {
                () if numbers.iter().any(|n| !n.is_finite()) => Some("a number that is none"),
                () if b.seconds.is_some_and(|s| s < 0.0) => Some("it lasts less than no time"),
                () if weights.clone().any(|w| !(w.is_finite() && w >= 0.0)) => {
                    Some("a weight below zero, or none")
                }
                () if weights.clone().sum::<f32>() <= 0.0 => Some("all its weights are zero"),
                () if !weights.sum::<f32>().is_finite() => Some("the sum of its weights is too large"),
                () => None,
            }
        };
        let named = |what: &str, i: usize, why: &str| format!("{what}[{i}]: {why}");
        let bars = self.bars.iter().enumerate().find_map(|(i, b)| Some(named("bars", i, bar(b)?)));
        let layer = |l: &Layer| match () {
            () if !(0.0..=1.0).contains(&l.weight) => Some("weight must be from 0 to 1"),
            () if !l.speed.is_finite() => Some("speed is not finite"),
            () => None,
        };
        let layers = self.layers.iter().enumerate().find_map(|(i, l)| Some(named("layers", i, layer(l)?)));
        let edits = self.edits.iter().position(|e| !e.is_sound());
        let edits =
            edits.map(|i| named("edits", i, "a number is not finite or too large, or a window negative"));
        bars.or(layers).or(edits)
    }
}

impl Bar {
    /// One clip, once through, from the line's start.
    pub fn new(clip: usize) -> Self {
        Self {
            clips: vec![Share { clip, weight: 1.0 }],
            start: 0.0,
            seconds: None,
            from: 0.0,
            speed: 1.0,
            again: false,
            travel: Travel::Kept,
        }
    }

    /// The shares of the clips that are there, which sum to one.
    pub(super) fn shares<'a>(&'a self, clips: &'a [Clip]) -> impl Iterator<Item = (usize, f32)> + 'a {
        let there = move |s: &&Share| s.clip < clips.len() && s.weight.is_finite() && s.weight > 0.0;
        let sum: f32 = self.clips.iter().filter(there).map(|s| s.weight).sum();
        self.clips.iter().filter(there).map(move |s| (s.clip, s.weight / sum))
    }

    /// Once through, clip seconds: as long as its clips are on average.
    pub fn cycle(&self, clips: &[Clip]) -> f32 {
        self.shares(clips).map(|(clip, share)| clips[clip].seconds * share).sum()
    }

    /// How long it lasts, seconds.
    pub fn length(&self, clips: &[Clip]) -> f32 {
        let once = || if self.speed == 0.0 { 0.0 } else { self.cycle(clips) / self.speed.abs() };
        self.seconds.unwrap_or_else(once).max(0.0)
    }
}

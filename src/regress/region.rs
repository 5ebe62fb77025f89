//! Restricts a comparison to image regions selected by joints, parts and materials.

use std::collections::BTreeSet;

use crate::api::Missing;
use crate::puppet::Puppet;
use crate::render::DecodedImage;
use crate::rig::LimbKind;

use super::explain::visible;
use super::record::{SceneRecord, part_names};

/// The names of a region, as a suite lists them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegionNames {
    /// Names of what is compared. Empty if everything is compared.
    pub only: Vec<String>,
    /// Names of what is ignored.
    pub ignore: Vec<String>,
}

/// The region of a puppet that is compared.
#[derive(Clone, Debug, Default)]
pub(super) struct Region {
    only: Option<Selection>,
    ignore: Selection,
    /// Names of the nodes, as in goldens of joints.
    labels: Vec<String>,
}

/// Selected parts and nodes. A node selects the surfaces that it moves.
#[derive(Clone, Debug, Default)]
struct Selection {
    nodes: BTreeSet<usize>,
    parts: BTreeSet<u32>,
}

impl RegionNames {
    /// Resolves the names: a limb of a recognised body (`left arm`), a bone of a human body (`leftLowerArm`), a joint or a node
    /// with all its descendants, a part, or a material.
    ///
    /// # Errors
    /// The first unknown name, with similar ones.
    pub(super) fn resolve(&self, puppet: &Puppet) -> Result<Region, String> {
        if *self == Self::default() {
            return Ok(Region::default());
        }
        let find = |names: &[String], key: &str| {
            names.iter().try_fold(Selection::default(), |mut selection, name| {
                selection.add(puppet, name).map_err(|missing| format!("{key}: {missing}"))?;
                Ok::<Selection, String>(selection)
            })
        };
        let only = (!self.only.is_empty()).then(|| find(&self.only, "only")).transpose()?;
        let skeleton = &puppet.character().skeleton;
        let labels = (0..skeleton.nodes.len()).map(|node| skeleton.label(node)).collect();
        Ok(Region { only, ignore: find(&self.ignore, "ignore")?, labels })
    }
}

impl Selection {
    fn contains(&self, part: u32, node: usize) -> bool {
        self.nodes.contains(&node) || self.parts.contains(&part)
    }

    fn add(&mut self, puppet: &Puppet, name: &str) -> Result<(), Missing> {
        let character = puppet.character();
        let skeleton = &character.skeleton;
        let limbs = limbs(puppet);
        let bones = &puppet.rig.bones;
        let limb = limbs.iter().find(|(limb, _)| limb == name).map(|(_, node)| *node);
        let node = limb.or_else(|| skeleton.find(name)).or_else(|| bones.get(name).copied());
        if let Some(node) = node {
            let below = |n: &usize| skeleton.ancestors(*n).any(|ancestor| ancestor == node);
            self.nodes.extend((0..skeleton.nodes.len()).filter(below));
        }
        let names = part_names(puppet);
        let materials: Vec<Option<&str>> = puppet
            .parts()
            .iter()
            .map(|part| character.materials.get(character.primitive(*part).material?)?.name.as_deref())
            .collect();
        let mut found = node.is_some();
        for (index, (part, material)) in (0..).zip(names.iter().zip(&materials)) {
            if part == name || *material == Some(name) {
                self.parts.insert(index);
                found = true;
            }
        }
        if found {
            return Ok(());
        }
        let labels = (0..skeleton.nodes.len()).map(|node| skeleton.label(node));
        let known = labels.chain(limbs.into_iter().map(|(limb, _)| limb)).chain(names);
        let known = known.chain(materials.into_iter().flatten().map(str::to_owned));
        let known: Vec<String> = known.chain(bones.keys().cloned()).collect();
        Err(Missing::name("joint, part, material or limb", name, known.iter().map(String::as_str)))
    }
}

/// The joints at which the limbs of a recognised body begin, with their names.
fn limbs(puppet: &Puppet) -> Vec<(String, usize)> {
    let Some(body) = &puppet.rig.body else { return Vec::new() };
    let mut limbs = Vec::new();
    for limb in &body.limbs {
        let (side, kind) = (limb.side.prefix(), limb.kind.name());
        let end = match limb.kind {
            LimbKind::Arm => "hand",
            LimbKind::Leg => "foot",
            LimbKind::Wing => "wing tip",
        };
        limbs.extend(limb.joints.first().map(|first| (format!("{side}{kind}"), *first)));
        limbs.push((format!("{side}{end}"), limb.end()));
    }
    limbs.extend(body.head().map(|head| ("head".to_owned(), head)));
    limbs.extend(body.tails.iter().filter_map(|tail| tail.first()).map(|tail| ("tail".to_owned(), *tail)));
    limbs
}

impl Region {
    /// Returns whether the joint with this name in a golden is compared. In the golden of a session, a frame number and a slash precede
    /// the name.
    pub(super) fn has_joint(&self, name: &str) -> bool {
        let in_selection = |selection: &Selection| {
            let bare = name.split_once('/').filter(|(frame, _)| frame.parse::<u32>().is_ok());
            let bare = bare.map_or(name, |(_, name)| name);
            selection
                .nodes
                .iter()
                .any(|n| self.labels.get(*n).is_some_and(|label| label == name || label == bare))
        };
        // Parts are not joints, so a list of only parts does not exclude joints.
        let only = self.only.as_ref().filter(|only| !only.nodes.is_empty());
        only.is_none_or(in_selection) && !in_selection(&self.ignore)
    }

    /// Returns whether anything is left out.
    pub(super) fn restricts(&self) -> bool {
        self.only.is_some() || !self.ignore.nodes.is_empty() || !self.ignore.parts.is_empty()
    }

    /// Returns the second image, which shows the scene of `record`. Pixels that are not compared are replaced with pixels of the first
    /// image, the golden. A pixel is ignored if it or a neighbour shows something ignored in either image. Returns `None` if everything is
    /// compared.
    pub(super) fn mask(
        &self,
        puppet: &Puppet,
        golden: Option<&SceneRecord>,
        record: &SceneRecord,
        images: [&DecodedImage; 2],
    ) -> Option<DecodedImage> {
        let [expected, actual] = images;
        let ignores = !self.ignore.nodes.is_empty() || !self.ignore.parts.is_empty();
        let is_same = expected.rgba.len() != actual.rgba.len() || expected.rgba == actual.rgba;
        if !self.restricts() || is_same {
            return None;
        }
        let size = (actual.width, actual.height);
        let now = visible(puppet, record, size);
        let before =
            golden.map(|golden| visible(puppet, &golden.named_like(record), size)).unwrap_or_default();
        let shows = |selection: &Selection, index: usize| {
            let hits = [&now, &before].map(|ids| ids.get(index).copied().flatten());
            hits.into_iter().flatten().any(|(part, node)| selection.contains(part, node))
        };
        let (width, height) = (actual.width as usize, actual.height as usize);
        let is_near = |selection: &Selection, index: usize| {
            let (x, y) = (index % width.max(1), index / width.max(1));
            let rows = y.saturating_sub(1)..(y + 2).min(height);
            rows.flat_map(|y| (x.saturating_sub(1)..(x + 2).min(width)).map(move |x| y * width + x))
                .any(|index| shows(selection, index))
        };
        let mut masked = actual.clone();
        let pixels = masked.rgba.chunks_exact_mut(4).zip(expected.rgba.chunks_exact(4)).enumerate();
        for (index, (pixel, expected)) in pixels.filter(|(_, (pixel, expected))| pixel != expected) {
            let included = self.only.as_ref().is_none_or(|only| shows(only, index));
            if !included || ignores && is_near(&self.ignore, index) {
                pixel.copy_from_slice(expected);
            }
        }
        Some(masked)
    }
}

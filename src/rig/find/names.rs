//! What found chains are called, and which way they bend.

use std::collections::BTreeMap;

use glam::Vec3;

use super::super::model::{Chain, ChainKind};
use super::{Finder, Found};
use crate::asset::Side;

impl Finder<'_> {
    /// Gives chains their names, sides and bends, in the order in which people look for them.
    pub(super) fn named_chains(&self, mut found: Vec<Found>) -> Vec<Chain> {
        found.sort_by_key(|f| f.kind);
        let called = |f: &Found| f.joints.first().map(|&n| finger(&self.names[n]));
        let mut namesakes: BTreeMap<Option<&str>, usize> = BTreeMap::new();
        found.iter().for_each(|f| *namesakes.entry(called(f)).or_default() += 1);
        let side = |f: &Found| {
            let end = f.joints.last().map_or(0.0, |&n| self.places[n].x - self.middle);
            let sided =
                matches!(f.kind, ChainKind::Arm | ChainKind::Leg | ChainKind::Finger | ChainKind::Limb);
            // A lone hand's fingers are on no side of it.
            let alone =
                f.kind == ChainKind::Finger && namesakes.get(&called(f)).is_none_or(|count| *count < 2);
            // A limb's name tells. Of others the place does: the character faces +Z, its left is +X.
            let limb = matches!(f.kind, ChainKind::Arm | ChainKind::Leg);
            match f.joints.last().filter(|_| limb).and_then(|&n| Side::from_name(&self.names[n])) {
                _ if !sided || alone || end.abs() <= 0.02 * self.width => "",
                Some(Side::Left) => "left ",
                Some(Side::Right) => "right ",
                None if end > 0.0 => "left ",
                None => "right ",
            }
        };
        let depth = |f: &Found| f.joints.first().map_or(0.0, |&n| self.places[n].z);
        // How far forward those of a kind and a side begin, the foremost first.
        let mut alike: BTreeMap<(ChainKind, &str), Vec<f32>> = BTreeMap::new();
        found.iter().for_each(|f| alike.entry((f.kind, side(f))).or_default().push(depth(f)));
        alike.values_mut().for_each(|depths| depths.sort_by(|a, b| b.total_cmp(a)));
        let labels: Vec<String> = found
            .iter()
            .map(|f| {
                let alike = &alike[&(f.kind, side(f))];
                let before = alike.partition_point(|d| *d > depth(f));
                let kind = f.kind.name();
                match (f.kind, alike.len()) {
                    (ChainKind::Finger, _) => format!("{}{}", side(f), finger(&self.names[f.joints[0]])),
                    (_, 1) => format!("{}{kind}", side(f)),
                    (ChainKind::Leg, 2) if before == 0 => format!("{}front leg", side(f)),
                    (ChainKind::Leg, 2) => format!("{}hind leg", side(f)),
                    _ => format!("{}{kind} {}", side(f), before + 1),
                }
            })
            .collect();
        let chain = |(f, name): (Found, String)| {
            let (base, effector) = (*f.joints.first()?, *f.joints.last()?);
            Some(Chain {
                name,
                kind: f.kind,
                effector,
                base,
                bend: self.bend(&f),
                joints: f.joints,
                pole: None,
                weight: 1.0,
            })
        };
        found.into_iter().zip(labels).filter_map(chain).collect()
    }

    /// Which way an arm or a leg bends: as it does at rest; a straight arm backwards, a straight leg forwards.
    fn bend(&self, found: &Found) -> Option<Vec3> {
        let usual = match found.kind {
            ChainKind::Arm => Vec3::NEG_Z,
            ChainKind::Leg => Vec3::Z,
            _ => return None,
        };
        let (start, end) = (self.places[*found.joints.first()?], self.places[*found.joints.last()?]);
        let along = (end - start).try_normalize()?;
        let away = |n: &usize| (self.places[*n] - start).reject_from_normalized(along);
        let farthest = found.joints.iter().map(away).max_by(|a, b| a.length().total_cmp(&b.length()))?;
        // A bend of a few degrees is meant.
        if farthest.length() > 0.02 * start.distance(end) {
            return farthest.try_normalize();
        }
        usual.reject_from_normalized(along).try_normalize()
    }
}

/// What a finger is called.
fn finger(name: &str) -> &'static str {
    let lower = name.to_lowercase();
    let known = ["thumb", "index", "middle", "ring", "pinky", "little"];
    let word = known.into_iter().find(|w| lower.contains(w));
    match word {
        Some("thumb") => "thumb",
        Some("index") => "index finger",
        Some("middle") => "middle finger",
        Some("ring") if !lower.contains("pinky") => "ring finger",
        Some(_) => "little finger",
        None => "fingers",
    }
}

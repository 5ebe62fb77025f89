//! Names and bend directions of found chains.

use std::collections::BTreeMap;

use glam::Vec3;

use crate::asset::Side;
use crate::rig::model::{Chain, ChainKind};

use super::{ChainFinder, FoundChain};

impl ChainFinder<'_> {
    /// Assigns names, sides and bend directions to chains, and sorts the chains by importance to the user. `facing` is the direction of the
    /// front.
    pub(super) fn named_chains(&self, mut found: Vec<FoundChain>, facing: Vec3) -> Vec<Chain> {
        found.sort_by_key(|f| f.kind);
        let finger_name = |f: &FoundChain| f.joints.first().map(|&n| finger(&self.names[n]));
        let mut count_by_name: BTreeMap<Option<&str>, usize> = BTreeMap::new();
        found.iter().for_each(|f| *count_by_name.entry(finger_name(f)).or_default() += 1);
        let side = |f: &FoundChain| {
            let end = f.joints.last().map_or(0.0, |&n| self.positions[n].x - self.middle);
            let sided =
                matches!(f.kind, ChainKind::Arm | ChainKind::Leg | ChainKind::Finger | ChainKind::Limb);
            // Without a second hand, the fingers have no side.
            let is_single_hand = f.kind == ChainKind::Finger
                && count_by_name.get(&finger_name(f)).is_none_or(|count| *count < 2);
            // The side of an arm or a leg follows from its name if possible. Otherwise it follows from the position:
            // the character faces +Z, so its left is at +X.
            if let Some(side) = f.side {
                return side.prefix();
            }
            let limb = matches!(f.kind, ChainKind::Arm | ChainKind::Leg);
            match f.joints.last().filter(|_| limb).and_then(|&n| Side::from_name(&self.names[n])) {
                _ if !sided || is_single_hand || end.abs() <= 0.02 * self.width => "",
                Some(Side::Left) => "left ",
                Some(Side::Right) => "right ",
                None if end > 0.0 => "left ",
                None => "right ",
            }
        };
        let depth = |f: &FoundChain| f.joints.first().map_or(0.0, |&n| self.positions[n].dot(facing));
        // For each kind and side, the depths (forward positions) of the chains' first joints, in descending order.
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
                    (ChainKind::Finger, several)
                        if several > 1 && finger(&self.names[f.joints[0]]) == "fingers" =>
                    {
                        format!("{}finger {}", side(f), before + 1)
                    }
                    (ChainKind::Finger, _) => format!("{}{}", side(f), finger(&self.names[f.joints[0]])),
                    (_, 1) => format!("{}{kind}", side(f)),
                    (ChainKind::Leg, 2) if before == 0 => format!("{}front leg", side(f)),
                    (ChainKind::Leg, 2) => format!("{}hind leg", side(f)),
                    _ => format!("{}{kind} {}", side(f), before + 1),
                }
            })
            .collect();
        let chain = |(f, name): (FoundChain, String)| {
            let bend = self.bend(&f);
            Some(Chain { bend, ..Chain::new(name, f.kind, f.joints)? })
        };
        found.into_iter().zip(labels).filter_map(chain).collect()
    }

    /// Returns the direction in which an arm or a leg is bent in the rest pose. If it is straight, an arm bends
    /// backwards and a leg forwards.
    fn bend(&self, found: &FoundChain) -> Option<Vec3> {
        if found.bend.is_some() {
            return found.bend;
        }
        let default = match found.kind {
            ChainKind::Arm => Vec3::NEG_Z,
            ChainKind::Leg => Vec3::Z,
            _ => return None,
        };
        let (start, end) = (self.positions[*found.joints.first()?], self.positions[*found.joints.last()?]);
        let along = (end - start).try_normalize()?;
        let away = |n: &usize| (self.positions[*n] - start).reject_from_normalized(along);
        let farthest = found.joints.iter().map(away).max_by(|a, b| a.length().total_cmp(&b.length()))?;
        // A bend of more than a few degrees counts as intended.
        if farthest.length() > 0.02 * start.distance(end) {
            return farthest.try_normalize();
        }
        default.reject_from_normalized(along).try_normalize()
    }
}

/// Returns the display name of a finger.
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

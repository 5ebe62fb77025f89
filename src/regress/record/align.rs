//! Gives the contents of an older record their current names. A file that another program has rewritten may have a different order of
//! nodes, so that nodes and meshes without names have different indices.

use std::collections::BTreeMap;

use glam::Affine3A;

use crate::view::Bounds;

use super::{JointRecord, SceneRecord};

/// Largest difference between two world matrices of the same joint, relative to the size of the figure.
const SAME: f32 = 1e-4;

/// Maximum number of unnamed joints to search for, because every pair is compared.
const MAX_UNNAMED: usize = 500;

impl SceneRecord {
    /// Returns this record with names from another one: an unnamed joint takes the name of a joint at the same place, and a part takes the
    /// name of a part with the same positions.
    pub(crate) fn named_like(&self, other: &Self) -> Self {
        let mut record = self.clone();
        record.rename_parts(other);
        record.rename_joints(other);
        record
    }

    fn rename_parts(&mut self, other: &Self) {
        let mut free: Vec<_> =
            other.parts.iter().filter(|part| self.parts.iter().all(|own| own.name != part.name)).collect();
        for part in &mut self.parts {
            if other.parts.iter().any(|known| known.name == part.name) {
                continue;
            }
            let shape = |digests: &BTreeMap<super::Attribute, String>| {
                digests.get(&super::Attribute::Positions).cloned()
            };
            let same = free.iter().position(|known| shape(&known.digests) == shape(&part.digests));
            if let Some(index) = same {
                part.name.clone_from(&free.swap_remove(index).name);
            }
        }
    }

    fn rename_joints(&mut self, other: &Self) {
        let is_unnamed = |joint: &&JointRecord| joint.name.starts_with('#');
        let size =
            Bounds::around(self.joints.iter().map(|joint| joint.matrix().translation.into())).sphere().1;
        let is_same = |a: &JointRecord, b: &JointRecord| {
            a.world.iter().zip(b.world).zip(0..).all(|((a, b), index)| {
                let unit = if index < 9 { 1.0 } else { size };
                (a - b).abs() <= SAME * unit.max(f32::MIN_POSITIVE)
            })
        };
        let mut free: Vec<&JointRecord> = other.joints.iter().filter(is_unnamed).collect();
        if free.len() > MAX_UNNAMED {
            return;
        }
        let mut waiting = Vec::new();
        // A joint that has not moved keeps its name.
        for (index, joint) in self.joints.iter().enumerate().filter(|(_, joint)| is_unnamed(joint)) {
            match free.iter().position(|known| known.name == joint.name && is_same(known, joint)) {
                Some(known) => drop(free.swap_remove(known)),
                None => waiting.push(index),
            }
        }
        let mut names: BTreeMap<usize, String> = BTreeMap::new();
        waiting.retain(|&index| {
            let place = self.joints.get(index).and_then(|joint| free.iter().position(|f| is_same(f, joint)));
            place.is_none_or(|place| names.insert(index, free.swap_remove(place).name.clone()).is_some())
        });
        // Moved joints still have the same inverse bind matrix.
        let bind = |record: &Self, name: &String| record.binds.get(name).cloned();
        waiting.retain(|&index| {
            let own = self.joints.get(index).and_then(|joint| bind(self, &joint.name));
            let known =
                own.and_then(|own| free.iter().position(|f| bind(other, &f.name).as_ref() == Some(&own)));
            known.is_none_or(|known| names.insert(index, free.swap_remove(known).name.clone()).is_some())
        });
        // The other joints keep their names or take the remaining names.
        waiting.retain(|&index| {
            let own = self.joints.get(index).and_then(|j| free.iter().position(|f| f.name == j.name));
            own.is_none_or(|own| names.insert(index, free.swap_remove(own).name.clone()).is_some())
        });
        names.extend(waiting.into_iter().zip(free.into_iter().map(|joint| joint.name.clone())));
        let mut binds = self.binds.clone();
        let changed = |index: &usize| self.joints.get(*index).map(|joint| joint.name.clone());
        let before: Vec<(String, String)> =
            names.iter().filter_map(|(index, name)| Some((changed(index)?, name.clone()))).collect();
        before.iter().for_each(|(old, _)| drop(binds.remove(old)));
        let moved = before.iter().filter_map(|(old, new)| Some((new.clone(), self.binds.get(old)?.clone())));
        binds.extend(moved);
        self.binds = binds;
        for (index, name) in names {
            if let Some(joint) = self.joints.get_mut(index) {
                joint.name = name;
            }
        }
    }
}

impl JointRecord {
    fn matrix(&self) -> Affine3A {
        Affine3A::from_cols_array(&self.world)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joint(name: &str, x: f32) -> JointRecord {
        let world = Affine3A::from_translation(glam::Vec3::new(x, 1.0, 0.0)).to_cols_array();
        JointRecord { name: name.into(), world }
    }

    #[test]
    fn joints_without_names_are_found_by_their_place() {
        let golden = SceneRecord {
            joints: vec![joint("#0", 0.0), joint("#1", 1.0), joint("hand", 2.0), joint("#3", 3.0)],
            ..SceneRecord::default()
        };
        // The joints are in a different order, and one joint has moved.
        let now = SceneRecord {
            joints: vec![joint("#0", 1.0), joint("#1", 0.0), joint("#2", 3.5), joint("hand", 2.0)],
            ..SceneRecord::default()
        };
        let names: Vec<String> = golden.named_like(&now).joints.into_iter().map(|joint| joint.name).collect();
        assert_eq!(names, ["#1", "#0", "hand", "#2"]);
    }
}

//! Updates a motion after the indices of clips and nodes have changed.

use super::{Contact, Edit, GoalKey, Layer, Motion, WeightedClip};

impl Motion {
    /// Returns the motion with new indices of clips and nodes. `clip` and `node` return the new index, or `None` if the clip or the node no
    /// longer exists. References to missing clips and nodes are removed. Strips and edits that become empty are removed too, as are layers
    /// that lose their clip or all their nodes. Contacts and goals are removed if they lose a node. Key poses lose the missing nodes.
    #[must_use]
    pub fn renumbered(
        &self,
        clip: impl Fn(usize) -> Option<usize>,
        node: impl Fn(usize) -> Option<usize>,
    ) -> Self {
        let mut motion = self.clone();
        for strip in &mut motion.strips {
            let weighted =
                |weighted: &WeightedClip| Some(WeightedClip { clip: clip(weighted.clip)?, ..*weighted });
            strip.clips = strip.clips.iter().filter_map(weighted).collect();
            strip.marks = strip.marks.iter().filter_map(|&(of, time)| Some((clip(of)?, time))).collect();
        }
        motion.strips.retain(|strip| strip.clips.iter().any(|weighted| weighted.weight > 0.0));
        let layer = |layer: &Layer| {
            let mask: Vec<usize> = layer.mask.iter().filter_map(|&n| node(n)).collect();
            // An empty mask would affect all nodes.
            let is_mask_lost = mask.is_empty() && !layer.mask.is_empty();
            (!is_mask_lost).then(|| Some(Layer { clip: clip(layer.clip)?, mask, ..layer.clone() }))?
        };
        motion.layers = self.layers.iter().filter_map(layer).collect();
        let edit = |edit: &Edit| {
            let turns = edit.turns.iter().filter_map(|&(n, turn)| Some((node(n)?, turn))).collect();
            let shifts = edit.shifts.iter().filter_map(|&(n, shift)| Some((node(n)?, shift))).collect();
            Edit { turns, shifts, ..edit.clone() }
        };
        motion.edits = self.edits.iter().map(edit).collect();
        motion.edits.retain(|edit| !(edit.turns.is_empty() && edit.shifts.is_empty()));
        for (key, before) in motion.keys.iter_mut().zip(&self.keys) {
            key.joints = before.joints.iter().filter_map(|(n, local)| Some((node(*n)?, *local))).collect();
            key.easings =
                before.easings.iter().filter_map(|(n, easing)| Some((node(*n)?, *easing))).collect();
        }
        motion.keys.retain(|key| !key.is_empty());
        let contact = |contact: &Contact| {
            let on = contact.on.map(|on| node(on).ok_or(())).transpose().ok()?;
            Some(Contact { node: node(contact.node)?, on, ..*contact })
        };
        motion.contacts = self.contacts.iter().filter_map(contact).collect();
        let goal = |goal: &GoalKey| {
            let on = goal.on.map(|on| node(on).ok_or(())).transpose().ok()?;
            Some(GoalKey { node: node(goal.node)?, on, ..*goal })
        };
        motion.goals = self.goals.iter().filter_map(goal).collect();
        motion
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::motion::Strip;

    #[test]
    fn references_to_removed_clips_and_nodes_are_dropped() {
        let weights = [0, 1].map(|clip| WeightedClip { clip, weight: 0.5 });
        let edit =
            |node| Edit { time: 1.0, before: 0.1, after: 0.1, turns: vec![(node, Vec3::X)], shifts: vec![] };
        let layer = |mask| Layer { clip: 1, weight: 1.0, additive: false, mask, speed: 1.0 };
        let contact = |node, on| Contact { node, point: Vec3::Y, from: 0.0, to: 1.0, slides: false, on };
        let motion = Motion {
            strips: vec![
                Strip { clips: weights.into(), marks: vec![(0, 0.2), (1, 0.3)], ..Strip::new(0) },
                Strip { start: 2.0, ..Strip::new(0) },
            ],
            layers: vec![layer(vec![4, 5]), layer(vec![5]), layer(vec![])],
            edits: vec![edit(4), edit(5)],
            contacts: vec![contact(4, None), contact(4, Some(4)), contact(5, None), contact(4, Some(5))],
            plant: true,
            ..Motion::default()
        };
        assert_eq!(motion.renumbered(Some, Some), motion);
        let renumbered = motion.renumbered(|clip| (clip == 1).then_some(7), |node| (node == 4).then_some(2));
        let expected = Motion {
            strips: vec![Strip {
                clips: vec![WeightedClip { clip: 7, weight: 0.5 }],
                marks: vec![(7, 0.3)],
                ..Strip::new(0)
            }],
            layers: [vec![2], vec![]].map(|mask| Layer { clip: 7, ..layer(mask) }).into(),
            edits: vec![edit(2)],
            contacts: vec![contact(2, None), contact(2, Some(2))],
            plant: true,
            ..Motion::default()
        };
        assert_eq!(renumbered, expected);
        assert!(motion.renumbered(|_| None, |_| None).is_rest());
    }
}

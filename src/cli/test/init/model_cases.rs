//! The cases of a new suite for one character.

use std::collections::BTreeSet;
use std::sync::Arc;

use glam::{DQuat, DVec3, Vec3};

use crate::asset::Character;
use crate::cli::names;
use crate::puppet::Puppet;
use crate::regress::shared::{Coverage, NewCase, has_file_name};
use crate::rig;
use crate::rig::{RangePose, Rig};

use super::cameras::Cameras;

/// The compared frames of a clip, as fractions of its length. At the ends of a loop, the character is often near the rest pose.
const MOMENTS: [f64; 2] = [0.25, 0.75];
/// Suffix for the names of cases whose camera is behind the character.
const BEHIND: &str = "from behind";
/// Clip names are shortened to this number of characters.
const MAX_CLIP_NAME: usize = 40;

/// Makes the cases of a character.
pub(super) struct ModelCases {
    puppet: Puppet,
    facing: Vec3,
    /// The joints that the cases move.
    pub(super) coverage: Coverage,
    /// Poses that cannot be drawn.
    pub(super) warnings: Vec<String>,
}

impl ModelCases {
    pub(super) fn new(character: impl Into<Arc<Character>>, rig: Rig, coverage: Coverage) -> Self {
        let facing = rig.body.as_ref().map_or(Vec3::Z, |body| body.facing);
        let character = character.into();
        let scene = character.default_scene;
        let puppet = Puppet::with_rig(character, scene, rig);
        Self { puppet, facing, coverage, warnings: Vec::new() }
    }

    /// Returns all cases with their names.
    pub(super) fn all(&mut self) -> Vec<(String, NewCase)> {
        let mut cases = self.range_of_motion();
        cases.extend(self.clips());
        cases
    }

    /// Returns cases for the rest pose and the range-of-motion poses, each seen from the front and from behind.
    fn range_of_motion(&mut self) -> Vec<(String, NewCase)> {
        let rest = RangePose { name: "rest".into(), turns: Vec::new(), is_detail: false };
        let range = rig::range_of_motion(self.puppet.character(), &self.puppet.rig);
        let poses: Vec<RangePose> = std::iter::once(rest).chain(range).collect();
        let mut whole = Cameras::new(self.facing);
        let mut cases: Vec<(RangePose, Option<Cameras>)> = Vec::new();
        for pose in poses {
            if !self.pose(&pose) {
                continue;
            }
            let near = pose.is_detail.then(|| {
                let mut near = Cameras::new(self.facing);
                near.add_part(&self.puppet, &self.below(&pose));
                near
            });
            if near.is_none() {
                whole.add(&self.puppet);
            }
            cases.push((pose, near));
        }
        let mut list = Vec::new();
        for (pose, near) in cases {
            for (camera, suffix) in near.as_ref().unwrap_or(&whole).fixed().into_iter().zip(["", BEHIND]) {
                let case = match pose.turns.is_empty() {
                    true => NewCase::default(),
                    false => NewCase::default().texts("turn", &self.turns(&pose)),
                };
                let joints = suffix.is_empty();
                let case = camera
                    .add_to(case)
                    .texts("compare", if joints { &["image", "joints"][..] } else { &["image"] });
                list.push((format!("{} {suffix}", pose.name).trim_end().to_owned(), case));
            }
        }
        list
    }

    /// Poses the puppet. Returns false, with a warning, if the pose is not finite.
    fn pose(&mut self, pose: &RangePose) -> bool {
        let turn = |(node, turn): &(usize, DVec3)| (*node, DQuat::from_scaled_axis(*turn).as_quat());
        self.puppet.turns = pose.turns.iter().map(turn).collect();
        self.update(&pose.name)
    }

    fn update(&mut self, name: &str) -> bool {
        match self.puppet.update() {
            Ok(_) => self.coverage.add(&self.puppet),
            Err(error) => {
                self.warnings.push(format!("{name}: {error}"));
                return false;
            }
        }
        true
    }

    /// Returns the joints that a pose rotates, and all their descendants.
    fn below(&self, pose: &RangePose) -> BTreeSet<usize> {
        let skeleton = &self.puppet.character().skeleton;
        let turned: BTreeSet<usize> = pose.turns.iter().map(|(node, _)| *node).collect();
        let is_below = |node: &usize| skeleton.ancestors(*node).any(|above| turned.contains(&above));
        (0..skeleton.nodes.len()).filter(is_below).collect()
    }

    /// Returns the turns of a pose as values of the option `turn`.
    fn turns(&self, pose: &RangePose) -> Vec<String> {
        let character = self.puppet.character();
        let turn = |(node, turn): &(usize, DVec3)| {
            // Round to a tenth of a degree. Adding zero turns -0 into 0.
            let [x, y, z] = turn.to_array().map(|x| (x.to_degrees() * 10.0).round() / 10.0 + 0.0);
            format!("{}={x},{y},{z}", names::of_node(character, *node))
        };
        pose.turns.iter().map(turn).collect()
    }

    /// Returns cases for frames of all clips. All frames of a clip have the same camera.
    fn clips(&mut self) -> Vec<(String, NewCase)> {
        let mut list = Vec::new();
        self.puppet.turns.clear();
        for clip in 0..self.puppet.character().clips.len() {
            let character = self.puppet.shared_character();
            let Some(seconds) = character.clips.get(clip).map(|clip| f64::from(clip.seconds)) else {
                continue;
            };
            let known = character.clip_name(clip);
            let animation = if character.find_clip(&known) == Some(clip) { known } else { clip.to_string() };
            let short: String = animation.chars().take(MAX_CLIP_NAME).collect();
            let name = if has_file_name(&short) { short } else { format!("clip {clip}") };
            let mut times = MOMENTS.map(|part| (part * seconds * 1e3).round() / 1e3).to_vec();
            times.dedup();
            let mut cameras = Cameras::new(self.facing);
            times.retain(|&time| {
                #[expect(clippy::cast_possible_truncation, reason = "times have single precision")]
                self.puppet.play(clip, time as f32);
                let is_drawn = self.update(&name);
                if is_drawn {
                    cameras.add(&self.puppet);
                }
                is_drawn
            });
            for time in times {
                let case = NewCase::default().text("animation", &animation).number("animation-time", time);
                let [front, _] = cameras.fixed();
                let case = front.add_to(case).texts("compare", &["image", "joints"]);
                list.push((format!("{name} {time}"), case));
            }
        }
        list
    }
}

//! Motions for learning: clips of the mannequin, and captured motions if the external test data is available.

use std::f64::consts::FRAC_PI_2;

use glam::{DAffine3, DQuat, DVec3};
use sinew::asset;
use sinew::ik::{Body, LinkIndex};
use sinew::pose::Pose;
use sinew::puppet::{PostureBody, Puppet};

use sinew_testkit::external;

const MANNEQUIN: [&str; 5] = ["leftHand", "rightHand", "leftFoot", "rightFoot", "head"];
const HANDS: [&str; 5] = ["LeftHand", "RightHand", "LeftFoot", "RightFoot", "Head"];
const WRISTS: [&str; 5] = ["LeftWrist", "RightWrist", "LeftAnkle", "RightAnkle", "Head"];
const DOTTED: [&str; 5] = ["hand.l", "hand.r", "foot.l", "foot.r", "head"];

/// A motion, and how its frames are split for learning and testing.
pub(super) struct Case {
    pub(super) name: &'static str,
    /// Path below `models` of the external test data. Empty for the mannequin.
    file: &'static str,
    /// Suffixes of the clip names. If the list is empty, the first clip is used.
    clips: &'static [&'static str],
    effectors: [&'static str; 5],
    /// Whether the file has +Z up.
    z_up: bool,
    /// Frames per block. Every third block is held back for testing. With `None`, the last two fifths of the frames are
    /// held back.
    block: Option<usize>,
    /// Maximum mean error of the interpolation and style methods, as a fraction of the dls or full-body error, whichever
    /// is smaller. With `None`, the error is not limited.
    pub(super) most: Option<f64>,
}

/// The bounds leave a margin above the measured 0.15, 0.32, 0.18 and 0.55. The wave is not tested alone, because it
/// bends an elbow beyond the detected limit, which no method exceeds.
pub(super) const BUILT_IN: [Case; 4] = [
    Case {
        name: "mannequin, walk",
        file: "",
        clips: &["walk"],
        effectors: MANNEQUIN,
        z_up: false,
        block: Some(4),
        most: Some(0.25),
    },
    Case {
        name: "mannequin, run",
        file: "",
        clips: &["run"],
        effectors: MANNEQUIN,
        z_up: false,
        block: Some(4),
        most: Some(0.45),
    },
    Case {
        name: "mannequin, crouch",
        file: "",
        clips: &["crouch"],
        effectors: MANNEQUIN,
        z_up: false,
        block: Some(4),
        most: Some(0.3),
    },
    Case {
        name: "mannequin, all clips",
        file: "",
        clips: &["idle", "walk", "run", "wave", "crouch"],
        effectors: MANNEQUIN,
        z_up: false,
        block: Some(10),
        most: Some(0.7),
    },
];

pub(super) const EXTERNAL: [Case; 5] = [
    Case {
        name: "walk",
        file: "bvh/pybvh/cmu_12_01_walk.bvh",
        clips: &[],
        effectors: HANDS,
        z_up: false,
        block: None,
        most: Some(0.7),
    },
    Case {
        name: "jumping jacks",
        file: "bvh/AnimatedDrawings/cmu1/jumping_jacks.bvh",
        clips: &[],
        effectors: WRISTS,
        z_up: false,
        block: None,
        most: Some(0.7),
    },
    Case {
        name: "reach",
        file: "kaykit-char/anim/Med_General.glb",
        clips: &["Interact", "PickUp", "Throw", "Use_Item"],
        effectors: DOTTED,
        z_up: false,
        block: Some(4),
        most: Some(0.7),
    },
    Case {
        name: "mocapbank",
        file: "bvh/20tab-bvh-python/test_mocapbank.bvh",
        clips: &[],
        effectors: WRISTS,
        z_up: false,
        block: Some(10),
        most: Some(0.7),
    },
    // The dance does not repeat its movements, so its examples contain little information about the rest of it.
    Case {
        name: "dance",
        file: "bvh/AnimatedDrawings/fair1/dab.bvh",
        clips: &[],
        effectors: HANDS,
        z_up: true,
        block: Some(10),
        most: None,
    },
];

/// The poses of a motion, one body per frame.
pub(super) struct StyleMotion {
    pub(super) bodies: Vec<Body>,
    pub(super) names: Vec<String>,
    pub(super) effectors: [LinkIndex; 5],
    /// Factor by which lengths of the file are multiplied so that the figure is 1.75 m tall.
    pub(super) scale: f64,
}

pub(super) fn at(body: &Body, link: LinkIndex) -> DVec3 {
    body.world_from_link(link).unwrap().translation
}

impl Case {
    /// Returns the motion at 30 frames per second, or `None` if the file is missing.
    pub(super) fn motion(&self) -> Option<StyleMotion> {
        let character = match self.file {
            "" => asset::mannequin(),
            file => asset::load(&external(&format!("models/{file}"))?),
        };
        let mut puppet = Puppet::new(character.unwrap(), 0);
        let figure = PostureBody::new(&puppet).unwrap();
        let character = puppet.character().clone();
        let upright = |mut body: Body| {
            if self.z_up {
                let turn = DQuat::from_rotation_x(-FRAC_PI_2);
                body.place(DAffine3::from_quat(turn), turn).unwrap();
            }
            body
        };
        let chosen = |name: &str| self.clips.iter().any(|end| name.ends_with(end));
        let clips: Vec<usize> = (0..character.clips.len())
            .filter(|&c| match self.clips {
                [] => c == 0,
                _ => character.clips[c].name.as_deref().is_some_and(chosen),
            })
            .collect();
        let mut bodies = Vec::new();
        for clip in clips {
            let frames = (character.clips[clip].seconds * 30.0) as usize;
            for frame in 0..=frames {
                puppet.play(clip, frame as f32 / 30.0);
                puppet.update().unwrap();
                bodies.push(upright(figure.body(&character, puppet.pose()).unwrap()));
            }
        }
        let rest = upright(figure.body(&character, &Pose::rest(&character.skeleton)).unwrap());
        let heights: Vec<f64> = (0..rest.links().len()).map(|l| at(&rest, LinkIndex(l)).y).collect();
        let height = heights.iter().copied().fold(f64::MIN, f64::max)
            - heights.iter().copied().fold(f64::MAX, f64::min);
        let link = |name: &str| LinkIndex(figure.names.iter().position(|n| n == name).unwrap());
        let effectors = self.effectors.map(link);
        Some(StyleMotion { bodies, names: figure.names.clone(), effectors, scale: 1.75 / height })
    }

    /// Returns the frames to learn from and the frames to test, which are every second or fourth frame that is held back.
    pub(super) fn split(&self, frames: usize) -> (Vec<usize>, Vec<usize>) {
        let back = |f: &usize| self.block.map_or(*f >= frames * 6 / 10, |block| f / block % 3 == 1);
        let (held_back, learned_from): (Vec<usize>, Vec<usize>) = (0..frames).partition(back);
        let step = if self.block.is_some_and(|b| b < 5) { 2 } else { 4 };
        (learned_from, held_back.into_iter().step_by(step).collect())
    }
}

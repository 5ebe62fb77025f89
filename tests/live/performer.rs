//! Encodes the mannequin's walk as packets of the VMC protocol.

use std::collections::BTreeMap;

use glam::{Affine3A, Quat, Vec3};
use sinew::asset::Character;
use sinew::capture::calibration_pose;
use sinew::capture::vmc::{BONES, Bone};
use sinew::motion::Playhead;
use sinew::pose::{Pose, world_matrices};

use sinew_testkit::osc;

/// A simulated performer whose packets contain the mannequin's walk.
pub(crate) struct WalkingPerformer {
    character: Character,
    clip: usize,
    playhead: Playhead,
    pose: Pose,
    world: Vec<Affine3A>,
    /// World matrices of the nodes in the T-pose.
    t_pose: Vec<Affine3A>,
}

impl WalkingPerformer {
    /// Number of transforms in a packet: all bones, the root, and four bones that no humanoid has.
    pub(crate) const JOINTS: usize = BONES + 5;

    pub(crate) fn new(character: Character) -> Self {
        let bones = &character.humanoid.as_ref().unwrap().bones;
        let mut t_pose = Vec::new();
        world_matrices(&character.skeleton, &calibration_pose(&character.skeleton, bones, 0.0), &mut t_pose);
        let clip = character.clips.iter().position(|c| c.name.as_deref() == Some("walk")).unwrap();
        let (pose, playhead) = (Pose::rest(&character.skeleton), Playhead::default());
        Self { clip, playhead, pose, world: Vec::new(), t_pose, character }
    }

    /// Returns the packet for a time in seconds.
    pub(crate) fn packet(&mut self, time: f32) -> Vec<u8> {
        let Self { character, clip, playhead, pose, world, t_pose } = self;
        let clip = &character.clips[*clip];
        *pose = Pose::rest(&character.skeleton);
        playhead.sample(clip, time % clip.seconds, &character.skeleton, pose);
        world_matrices(&character.skeleton, pose, world);
        let bones = &character.humanoid.as_ref().unwrap().bones;
        let turned = |node: usize| {
            Quat::from_mat3a(&world[node].matrix3) * Quat::from_mat3a(&t_pose[node].matrix3).inverse()
        };
        // Unity's space is mirrored in x.
        let transform = |address: &str, name: &str, p: Vec3, q: Quat| {
            osc::named(address, name.as_bytes(), &[-p.x, p.y, p.z, q.x, -q.y, -q.z, q.w])
        };
        let mut turns = BTreeMap::new();
        let mut content = vec![
            osc::message("/VMC/Ext/OK", "i", &1_i32.to_be_bytes()),
            osc::message("/VMC/Ext/T", "f", &time.to_be_bytes()),
            transform("/VMC/Ext/Root/Pos", "root", Vec3::ZERO, Quat::IDENTITY),
        ];
        for bone in Bone::all() {
            let above = bone.logical_parent().map_or(Quat::IDENTITY, |c| turns[&c]);
            let turn = bones.get(&bone.vrm()).map_or(above, |&node| turned(node));
            turns.insert(bone, turn);
            let position =
                if bone == Bone::HIPS { world[bones["hips"]].translation.into() } else { Vec3::ZERO };
            content.push(transform("/VMC/Ext/Bone/Pos", bone.unity(), position, above.inverse() * turn));
        }
        for tail in ["Tail1", "Tail2", "Tail3", "Tail4"] {
            content.push(transform("/VMC/Ext/Bone/Pos", tail, Vec3::ZERO, Quat::IDENTITY));
        }
        for (name, value) in [("Joy", time.sin().abs()), ("Blink", 0.5), ("A", 0.25), ("Fun", 0.0)] {
            content.push(osc::named("/VMC/Ext/Blend/Val", name.as_bytes(), &[value]));
        }
        content.push(osc::message("/VMC/Ext/Blend/Apply", "", &[]));
        osc::bundle(&content)
    }

    /// Returns the node of a bone.
    #[cfg(feature = "render")]
    pub(crate) fn bone(&self, name: &str) -> usize {
        self.character.humanoid.as_ref().unwrap().bones[name]
    }

    /// Returns the world position of a node in metres, as sent in the last packet.
    #[cfg(feature = "render")]
    pub(crate) fn position(&self, node: usize) -> Vec3 {
        self.world[node].translation.into()
    }

    /// Returns the nodes of the bones and their world positions in metres, as sent in the last packet.
    pub(crate) fn positions(&self) -> impl Iterator<Item = (usize, Vec3)> {
        let bones = self.character.humanoid.as_ref().unwrap().bones.values();
        bones.map(|&node| (node, self.world[node].translation.into()))
    }
}

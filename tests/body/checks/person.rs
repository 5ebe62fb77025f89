//! A recognised person in its rest pose, and the positions and rotations of its joints in a pose.

use std::path::Path;

use glam::{DQuat, Vec3};
use sinew::pose::{Pose, orientation};
use sinew::puppet::Puppet;
use sinew::rig::BodyKind;

use super::runner::body::GestureBody;
use super::runner::rules::{self, angle, position};
use super::runner::sole::Sole;
use super::runner::{Side, Subject};

/// Joints that are too small to pull a body by.
const SMALL: [&str; 7] = ["Thumb", "Index", "Middle", "Ring", "Little", "Eye", "jaw"];

/// A person to check.
#[derive(Debug)]
pub struct Person {
    pub subject: Subject,
    /// The character in its rest pose, for single solves.
    pub puppet: Puppet,
    pub pose: Pose,
    /// The names and nodes of the joints that are compared.
    pub joints: Vec<(String, usize)>,
    pub rest: Snapshot,
    pub soles: Vec<Sole>,
    /// The joints of hands and feet, with the heights that they must not fall below.
    pub low: Vec<(usize, f32)>,
}

impl Person {
    /// Loads a character. `None` stands for the built-in one. The error is the reason why it cannot be checked.
    pub fn load(file: Option<&Path>) -> Result<Self, String> {
        let subject = Subject::load(file)?;
        let is_person = subject.rig.body.as_ref().is_some_and(|plan| plan.kind == BodyKind::Biped);
        if !is_person {
            return Err("the body of a person is not recognised".into());
        }
        let session = subject.session(glam::Vec2::ONE);
        let pose = session.puppet().pose().clone();
        let scene = subject.character.default_scene;
        let mut puppet = Puppet::with_rig(subject.character.clone(), scene, subject.rig.clone());
        puppet.held = Some(pose.clone());
        puppet.update().map_err(|e| e.to_string())?;
        let body = &subject.body;
        let is_small = |name: &str| SMALL.iter().any(|part| name.contains(part));
        let mut joints: Vec<(String, usize)> = Vec::new();
        for (name, &node) in body.joints.iter().filter(|(name, _)| !is_small(name)) {
            if joints.iter().all(|(_, known)| *known != node) {
                joints.push((name.clone(), node));
            }
        }
        let rest = Snapshot::new(&joints, &puppet);
        let soles = body.standing().into_iter().filter_map(|foot| Sole::new(&subject.body, &puppet, foot));
        let soles = soles.collect();
        let low = rules::low(body, &subject.character.skeleton, &puppet);
        Ok(Self { puppet, pose, joints, rest, soles, low, subject })
    }

    pub fn body(&self) -> &GestureBody {
        &self.subject.body
    }

    /// Converts metres at human size (1.75 m) to metres at the character's size.
    pub fn metres(&self, metres: f32) -> f32 {
        metres * self.body().scale
    }

    /// Converts metres at the character's size to metres at human size (1.75 m).
    pub fn scaled(&self, metres: f32) -> f64 {
        f64::from(metres / self.body().scale)
    }

    /// Returns the length of an arm and of a leg, in metres at the character's size.
    pub fn arm(&self, side: Side) -> Result<f32, String> {
        Ok(self.body().length(self.body().arm(side)?))
    }

    pub fn leg(&self, side: Side) -> Result<f32, String> {
        Ok(self.body().length(self.body().leg(side)?))
    }

    /// Returns the rest position of a joint.
    pub fn at(&self, node: usize) -> Vec3 {
        self.body().rest[node]
    }

    /// Returns the chest or, if there is none, the upper chest or the spine.
    pub fn chest(&self) -> Result<usize, String> {
        let body = self.body();
        body.node("chest").or_else(|_| body.node("upperChest")).or_else(|_| body.node("spine"))
    }

    /// Returns the direction away from the middle of the body on one side.
    pub fn outwards(&self, side: Side) -> Vec3 {
        if side == Side::Left { self.body().left() } else { -self.body().left() }
    }

    pub fn snapshot(&self, puppet: &Puppet) -> Snapshot {
        Snapshot::new(&self.joints, puppet)
    }

    /// Returns the largest distance between the positions of a joint in two poses, in metres at human size, and the joint.
    pub fn distance(&self, a: &Snapshot, b: &Snapshot) -> (f64, &str) {
        self.largest((0..self.joints.len()).map(|i| self.scaled(a.places[i].distance(b.places[i]))))
    }

    /// Returns the largest rotation of a joint between two poses in degrees, and the joint.
    pub fn turn(&self, a: &Snapshot, b: &Snapshot) -> (f64, &str) {
        self.largest(a.turns_to(b))
    }

    fn largest(&self, figures: impl Iterator<Item = f64>) -> (f64, &str) {
        let worst = figures.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
        worst.map_or((0.0, ""), |(index, figure)| (figure, self.joints[index].0.as_str()))
    }
}

/// The positions of the joints in a pose in metres, and their rotations relative to their parent joints.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub places: Vec<Vec3>,
    turns: Vec<DQuat>,
}

impl Snapshot {
    fn new(joints: &[(String, usize)], puppet: &Puppet) -> Self {
        let skeleton = &puppet.character().skeleton;
        let world = |node| orientation(skeleton, puppet.pose(), node);
        let turn = |node| {
            let above = puppet.rig.above(skeleton, node).map_or(DQuat::IDENTITY, world);
            above.conjugate() * world(node)
        };
        Self {
            places: joints.iter().map(|&(_, node)| position(puppet, node)).collect(),
            turns: joints.iter().map(|&(_, node)| turn(node)).collect(),
        }
    }

    /// Returns the angles by which all joints differ from another pose, in degrees.
    fn turns_to<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = f64> + 'a {
        self.turns.iter().zip(&other.turns).map(|(a, b)| angle(*a, *b).to_degrees())
    }

    /// Returns the mean angle by which the joints differ from another pose, in degrees.
    pub fn mean_turn(&self, other: &Self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a small count")]
        let count = self.turns.len().max(1) as f64;
        self.turns_to(other).sum::<f64>() / count
    }
}

//! Robots in the sense of robotics: joint values `q` with names, order, ranges and units, forward kinematics, Jacobians, and
//! solves from `q` to `q`.
//!
//! Everything is in double precision and in the frame of the robot's root link, with +Z up (ROS REP 103). Lengths are in metres and
//! angles in radians.

mod collisions;
mod error;
mod joint;
mod kinematics;
mod link_capsules;
mod path;
mod pose;
mod redundancy;
mod solve;
mod table;
#[cfg(test)]
mod tests;
mod trajectory;

pub use collisions::{Collisions, RobotClearance};
pub use error::RobotError;
pub use joint::{JointUnit, RobotJoint, RobotMimic};
pub use redundancy::Redundancy;
pub use solve::Solution;
pub use table::{JointTable, TableError};
pub use trajectory::{Trajectory, TrajectoryError, TrajectoryOptions};

use std::collections::HashMap;
use std::sync::Arc;

use glam::{DAffine3, DQuat};

use crate::api::Missing;
use crate::asset::{Character, JointKind};
use crate::ik::{Body, Limit, Link, LinkIndex, Mimic};
use crate::rig::joint_limit;

/// A robot: its links, and its joints in the order of its file.
///
/// `q` has one value for each joint that moves by itself, in the order of [`Robot::joints`]: the angle of a hinge in radians, or the
/// displacement of a slide in metres, from the zero position of the file. Fixed joints have no value, and mimic joints follow their
/// leaders.
#[derive(Clone, Debug)]
pub struct Robot {
    name: String,
    joints: Vec<RobotJoint>,
    mimics: Vec<RobotMimic>,
    links: Vec<String>,
    /// The node of each link.
    nodes: Vec<usize>,
    /// The body with all joints at 0.
    body: Body,
    collisions: Option<Arc<Collisions>>,
}

impl Robot {
    /// Describes the joints of a character that was loaded from a robot file.
    ///
    /// ```
    /// # #[cfg(feature = "urdf")] {
    /// use sinew_character::robot::Robot;
    ///
    /// let folder = std::env::temp_dir().join("sinew-robot");
    /// std::fs::create_dir_all(&folder)?;
    /// let file = folder.join("arm.urdf");
    /// std::fs::write(&file, r#"<robot name="arm"><link name="base"/><link name="tool"/>
    ///     <joint name="lift" type="prismatic"><parent link="base"/><child link="tool"/>
    ///     <axis xyz="0 0 1"/><limit lower="0" upper="0.5" effort="1" velocity="1"/></joint></robot>"#)?;
    /// let robot = Robot::new(&sinew_character::asset::load(&file)?)?;
    /// assert_eq!(robot.joints()[0].name, "lift");
    /// let tool = robot.link("tool")?;
    /// assert_eq!(robot.world_from_link(&[0.2], tool)?.translation.z, 0.2);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`RobotError`] if the character has no joints of a machine, or if one of them has no single value.
    pub fn new(character: &Character) -> Result<Self, RobotError> {
        let skeleton = &character.skeleton;
        if character.joints.is_empty() {
            return Err(RobotError::NoRobot);
        }
        let nodes: Vec<usize> = skeleton.parents_first.iter().map(|(node, _)| *node).collect();
        let link_of: HashMap<usize, LinkIndex> =
            nodes.iter().enumerate().map(|(link, node)| (*node, LinkIndex(link))).collect();
        let (mut links, mut joints, mut mimics) = (Vec::new(), Vec::new(), Vec::new());
        for (index, (node, parent)) in skeleton.parents_first.iter().enumerate() {
            let link = LinkIndex(index);
            let Some(joint) = character.joints.get(node) else { return Err(RobotError::NoRobot) };
            if joint.kind == JointKind::Ball {
                return Err(RobotError::Ball { joint: joint.name.clone() });
            }
            let mimic = joint.mimic.and_then(|(leader, ratio, offset)| {
                Some(Mimic { of: *link_of.get(&leader)?, ratio, offset })
            });
            // The frame of the root link is the robot's frame.
            let (position, rotation) = if parent.is_none() { Default::default() } else { joint.origin };
            let limit = joint_limit(&joint.kind, 0.0);
            links.push(
                Link::base()
                    .with_parent(parent.and_then(|p| link_of.get(&p)).copied())
                    .with_offset(position)
                    .with_rest(if parent.is_none() { DQuat::IDENTITY } else { rotation })
                    .with_limit(limit)
                    .with_mimic(mimic.filter(|_| limit != Limit::Locked)),
            );
            let Some(unit) = JointUnit::of(&limit) else { continue };
            match mimic {
                Some(mimic) => {
                    mimics.push((joint.order, link, (joint.name.clone(), joint.velocity), mimic, unit));
                }
                None => joints.push((joint.order, RobotJoint::new(joint, link, unit))),
            }
        }
        joints.sort_by_key(|(order, _)| *order);
        mimics.sort_by_key(|(order, ..)| *order);
        let body = Body::new(links, DAffine3::IDENTITY).map_err(|error| {
            RobotError::of(error, &|link| {
                nodes
                    .get(link.0)
                    .and_then(|node| character.joints.get(node))
                    .map_or(String::new(), |j| j.name.clone())
            })
        })?;
        let mut joints: Vec<RobotJoint> = joints.into_iter().map(|(_, joint)| joint).collect();
        for joint in &mut joints {
            // Followers narrow the range of their leader.
            if mimics.iter().any(|(_, _, _, mimic, _)| mimic.of == joint.link) {
                joint.range = body.value_range(joint.link);
                joint.is_leader = true;
            }
        }
        type Follower = (usize, LinkIndex, (String, Option<f64>), Mimic, JointUnit);
        let mimic = |(_, link, (name, velocity), mimic, unit): Follower| {
            let leader = joints.iter().position(|joint| joint.link == mimic.of)?;
            Some(RobotMimic { name, unit, leader, ratio: mimic.ratio, offset: mimic.offset, velocity, link })
        };
        let mimics = mimics.into_iter().filter_map(mimic).collect();
        let names = nodes.iter().map(|node| skeleton.label(*node)).collect();
        let scene = character.scenes.get(character.default_scene);
        let name = scene.and_then(|scene| scene.name.clone()).unwrap_or_default();
        Ok(Self { name, joints, mimics, links: names, nodes, body, collisions: None })
    }

    /// Reads the joints of a robot from the text of a URDF file. Shapes are not read.
    ///
    /// # Errors
    /// [`RobotError`] if the text is not a robot, or a joint is invalid. The message names the joint.
    #[cfg(feature = "urdf")]
    pub fn from_urdf(text: &str) -> Result<Self, RobotError> {
        let read = crate::asset::urdf_joints(text, std::path::Path::new("URDF"));
        Self::new(&read.map_err(|error| RobotError::Load(error.to_string()))?)
    }

    /// The robot's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the joints that have a value in `q`, in the order of `q`.
    pub fn joints(&self) -> &[RobotJoint] {
        &self.joints
    }

    /// Returns the joints that follow others.
    pub fn mimics(&self) -> &[RobotMimic] {
        &self.mimics
    }

    /// Returns the names of the links. The root is the first one, and parents precede their children.
    pub fn links(&self) -> &[String] {
        &self.links
    }

    /// Returns the index of a link.
    ///
    /// # Errors
    /// [`RobotError::Link`] if no link has this name.
    pub fn link(&self, name: &str) -> Result<LinkIndex, RobotError> {
        find_link(&self.links, name)
    }

    /// Returns the position of a joint in `q`.
    ///
    /// # Errors
    /// [`RobotError::Joint`] if no joint with this name has a value in `q`.
    pub fn joint(&self, name: &str) -> Result<usize, RobotError> {
        let joint = self.joints.iter().position(|joint| joint.name == name);
        let names = self.joints.iter().map(|joint| joint.name.as_str());
        joint.ok_or_else(|| RobotError::Joint(Missing::name("joint", name, names)))
    }

    /// Returns the links that have no child and are moved by a joint.
    pub fn tips(&self) -> Vec<LinkIndex> {
        let links = self.body.links();
        let is_tip = |link: &LinkIndex| {
            !links.iter().any(|other| other.parent == Some(*link))
                && self.joints_above(*link).next().is_some()
        };
        (0..links.len()).map(LinkIndex).filter(is_tip).collect()
    }

    /// Returns the links that are moved by joints, from the given link (inclusive) up to the root.
    pub fn joints_above(&self, link: LinkIndex) -> impl Iterator<Item = LinkIndex> + '_ {
        let links = self.body.links();
        let up = std::iter::successors(Some(link), move |link| links.get(link.0)?.parent);
        up.filter(move |link| links.get(link.0).is_some_and(|link| link.limit != Limit::Locked))
    }

    /// Returns an upper bound for the distance between a link's origin and the first joint that moves the link, in metres.
    pub fn reach(&self, link: LinkIndex) -> f64 {
        let links = self.body.links();
        let up: Vec<LinkIndex> =
            std::iter::successors(Some(link), |link| links.get(link.0)?.parent).collect();
        let Some(first) =
            up.iter().rposition(|link| links.get(link.0).is_some_and(|l| l.limit != Limit::Locked))
        else {
            return 0.0;
        };
        let slide = |limit: &Limit| match *limit {
            Limit::Prismatic { min, max, .. } => min.abs().max(max.abs()),
            _ => 0.0,
        };
        let length = |(place, link): (usize, &LinkIndex)| {
            let link = links.get(link.0);
            // The offset of the first joint itself does not count.
            let offset = link.filter(|_| place < first).map_or(0.0, |link| link.offset.length());
            offset + link.map_or(0.0, |link| slide(&link.limit))
        };
        up.iter().take(first + 1).enumerate().map(length).sum()
    }
}

/// Returns the index of the link with this name.
fn find_link(links: &[String], name: &str) -> Result<LinkIndex, RobotError> {
    let missing = || RobotError::Link(Missing::name("link", name, links.iter().map(String::as_str)));
    links.iter().position(|link| link == name).map(LinkIndex).ok_or_else(missing)
}

//! Targets and pins of a puppet, and the reports of a solve.

use std::fmt;

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

use crate::api::with_methods;
use crate::asset::Skeleton;
use crate::ik::{GoalAxes, Hold, Holds, Method, Outcome};
use crate::puppet::LengthUnit;

/// Goals for one node. They can be combined freely.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// The effector's node index.
    pub node: usize,
    /// The node that stays fixed. `None` means the base of the rig's chain that ends at the node. Without such a chain, `None` means
    /// [`rig::default_base`](crate::rig::default_base) for a position goal, and the node itself for a look-at goal. For an orientation
    /// alone, `None` always means the node itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<usize>,
    /// The point that should reach the position, in the node's frame. Zero is the node's origin.
    pub offset: DVec3,
    /// World position to reach, in metres.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<DVec3>,
    /// World orientation to reach, as a product of rotations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orientation: Option<DQuat>,
    /// World position that the node's forward axis should point at. Forward is the model's +Z in the rest pose (−Z in VRM 0).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub look: Option<DVec3>,
    /// World position towards which the limb that ends at the node bends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pole: Option<DVec3>,
    /// Weight relative to other targets with the same base.
    pub weight: f64,
    /// Weights and tolerances of the position and the orientation, along the axes of a frame.
    #[serde(default, skip_serializing_if = "is_default")]
    pub axes: GoalAxes,
    /// Whether the node, a hand of a recognised body, should touch another part of the body. In that case, that part does not push the hand
    /// away.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub touches: bool,
}

with_methods!(Target {
    with_node(node: usize),
    with_base(base: impl Into<Option<usize>>),
    with_offset(offset: DVec3),
    with_position(position: impl Into<Option<DVec3>>),
    with_orientation(orientation: impl Into<Option<DQuat>>),
    with_look(look: impl Into<Option<DVec3>>),
    with_pole(pole: impl Into<Option<DVec3>>),
    with_weight(weight: f64),
    with_axes(axes: GoalAxes),
    with_touches(touches: bool),
});

/// Returns whether the axes of a target are the default: equal weights, and the tolerances of the options.
fn is_default(axes: &GoalAxes) -> bool {
    *axes == GoalAxes::default()
}

impl Target {
    /// Creates a target for a node, without any goal yet.
    ///
    /// ```
    /// use sinew_character::glam::DVec3;
    /// use sinew_character::{asset, puppet::{Puppet, Target}};
    ///
    /// // The head turns until its own +Z axis points at a place on the left.
    /// let mut puppet = Puppet::new(asset::mannequin()?, 0);
    /// let head = puppet.character().skeleton.find("head").ok_or("no head")?;
    /// let place = DVec3::new(1.0, 1.6, 2.0);
    /// puppet.targets.push(Target::new(head).with_look(place));
    /// let reports = puppet.update()?;
    /// assert!(reports[0].orientation_error.is_some_and(|radians| radians < 0.02));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(node: usize) -> Self {
        Self {
            node,
            base: None,
            offset: DVec3::ZERO,
            position: None,
            orientation: None,
            look: None,
            pole: None,
            weight: 1.0,
            axes: GoalAxes::default(),
            touches: false,
        }
    }
}

/// A node that must stay in place, with priority over all targets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// The node's index.
    pub node: usize,
    /// World position in metres, and orientation as a product of rotations. `None` means the position and orientation in the motion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<(DVec3, DQuat)>,
}

impl From<usize> for Pin {
    fn from(node: usize) -> Self {
        Self { node, target: None }
    }
}

/// The subject of a [`GoalReport`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum GoalKind {
    /// A [`Target`].
    #[default]
    Goal,
    /// A node that must stay in place: a [`Pin`], a pin of the rig, or the base of another target.
    Pin,
    /// A contact constraint of the motion.
    Contact,
}

impl fmt::Display for GoalKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Goal => "goal",
            Self::Pin => "pin",
            Self::Contact => "contact",
        })
    }
}

/// The result of a solve for one target, pin or contact constraint.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct GoalReport {
    /// The effector's node index.
    pub node: usize,
    /// The number of the solve. Targets and pins that were solved together have the same number.
    pub solve: usize,
    /// The subject of the report.
    pub kind: GoalKind,
    /// The method that was used.
    pub method: Method,
    /// The outcome. It is [`Outcome::Stalled`] for a contact constraint that a later solve has moved away from its position, and
    /// [`Outcome::OutOfReach`] for a contact constraint that no joint can move to its position.
    pub outcome: Outcome,
    /// The causes that keep the body from reaching a missed target. Refers to nodes instead of links.
    pub held_by: Holds<usize>,
    /// Number of iterations.
    pub iterations: usize,
    /// Distance between the effector and its target position in the returned pose, in metres in world space, without its components along
    /// free axes.
    pub position_error: Option<f64>,
    /// Angle between the effector's orientation or forward axis and its target, in radians. `None` if the target has neither. Rotations
    /// about free axes do not count.
    pub orientation_error: Option<f64>,
    /// The position error along all axes, in metres in world space.
    pub full_position_error: Option<f64>,
    /// The orientation error about all axes, in radians.
    pub full_orientation_error: Option<f64>,
    /// Duration of the whole solve, from reading the pose to writing it back, in seconds.
    pub seconds: f64,
}

impl GoalReport {
    /// Returns a report for a node before anything has been solved.
    pub(super) fn new(kind: GoalKind, node: usize) -> Self {
        Self {
            node,
            solve: 0,
            kind,
            method: Method::Auto,
            outcome: Outcome::default(),
            held_by: Holds::default(),
            iterations: 0,
            position_error: None,
            orientation_error: None,
            full_position_error: None,
            full_orientation_error: None,
            seconds: 0.0,
        }
    }

    /// Returns the causes that hold the body back, as text for users: "limit of leftFoot and balance". Empty if nothing holds it back.
    pub fn holders(&self, skeleton: &Skeleton) -> String {
        let text = |hold: &Hold<usize>| match *hold {
            Hold::Limit(node) => format!("limit of {}", skeleton.label(node)),
            Hold::Floor(node) => format!("floor under {}", skeleton.label(node)),
            Hold::Body(a, b) => format!("{} against {}", skeleton.label(a), skeleton.label(b)),
            Hold::Obstacle(node, _) => format!("{} against an obstacle", skeleton.label(node)),
            Hold::Pin(_) => "pin".to_owned(),
            _ => "balance".to_owned(),
        };
        let texts: Vec<String> = self.held_by.iter().map(text).collect();
        match &texts[..] {
            [most @ .., last] if !most.is_empty() => format!("{} and {last}", most.join(", ")),
            _ => texts.concat(),
        }
    }
}

/// Returns the largest errors of the reports whose targets were not reached, for messages: `3.00 mm and 12.4°`. An error that would be
/// printed as zero is left out, unless both would be printed as zero.
pub fn worst_miss<'a>(reports: impl Iterator<Item = &'a GoalReport>, unit: LengthUnit) -> String {
    let missed = reports.filter(|r| r.outcome != Outcome::Reached);
    let (distance, angle) = missed.fold((0.0_f64, 0.0_f64), |(distance, angle), report| {
        let turn = report.orientation_error.unwrap_or(0.0);
        (distance.max(report.position_error.unwrap_or(0.0)), angle.max(turn))
    });
    let (length, angle) = (unit.text(distance), angle.to_degrees());
    match (!length.starts_with("0.00 "), angle >= 0.05) {
        (true, true) => format!("{length} and {angle:.1}°"),
        (false, true) => format!("{angle:.1}°"),
        _ => length,
    }
}

/// A pinned node, with the world position and the world orientation that it must keep.
#[derive(Clone, Copy, Debug)]
pub(super) struct PinnedNode {
    pub(super) node: usize,
    pub(super) position: DVec3,
    pub(super) orientation: DQuat,
}

impl PinnedNode {
    pub(super) fn target(&self) -> Target {
        let (position, orientation) = (Some(self.position), Some(self.orientation));
        Target { position, orientation, ..Target::new(self.node) }
    }
}

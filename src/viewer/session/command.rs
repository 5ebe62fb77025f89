//! The commands of the viewer.

use std::time::Duration;

use glam::{DVec3, Quat, Vec2};
use serde::{Deserialize, Serialize};

use crate::asset::Transform;
use crate::ik::{GoalAxes, Limit, Method, Options};
use crate::motion::{Easing, Motion};
use crate::puppet::Target;
use crate::render::{Light, ShadingMode};
use crate::skin::Skinning;
use crate::view::Framing;
use crate::viewer::{AddedClips, Display, EyeTarget, OnionSkin, Orbit, RingMode, Snapshot, Tool};

use super::sparse;

/// A world axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    /// Sideways.
    X,
    /// Up.
    Y,
    /// Forward.
    Z,
}

impl Axis {
    /// All axes.
    pub(in crate::viewer) const ALL: [Self; 3] = [Self::X, Self::Y, Self::Z];
}

/// What a drag moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DragScope {
    /// The whole body follows, if the character has a recognised one. Otherwise as [`DragScope::Limb`].
    #[default]
    Body,
    /// Only the chain of the grabbed joint follows, and its base stays in place.
    Limb,
    /// Only the nearest joint above the grabbed point turns. Everything below it moves with it rigidly.
    Joint,
}

impl DragScope {
    /// Returns the scope that a drag has while Alt is down.
    pub(in crate::viewer) fn other(self) -> Self {
        match self {
            Self::Body => Self::Limb,
            Self::Limb | Self::Joint => Self::Body,
        }
    }
}

/// A point of a node.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodePoint {
    /// The node.
    pub node: usize,
    /// Position of the point in the frame of the node, in the node's units.
    #[serde(default)]
    pub offset: DVec3,
}

/// One action of the user. Positions are in pixels, with row 0 at the top. Recorded sessions use these names, see
/// `docs/session.md`. The aliases are deprecated spellings, see `docs/deprecated.md`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Command {
    /// Sets the width and height of the scene in pixels, without the panel.
    Resize(Vec2),
    /// Moves the pointer without a button.
    Hover(Vec2),
    /// Starts dragging the part at a position.
    Grab(Vec2),
    /// Starts dragging the selected joint. The position of the pointer may be anywhere.
    GrabSelected(Vec2),
    /// Starts dragging all selected joints, except those below others. The position of the pointer may be anywhere.
    GrabSelection(Vec2),
    /// Starts dragging a point of a node. Neither the camera nor the pointer matters.
    GrabNode(NodePoint),
    /// Moves the dragged part to a position.
    Drag(Vec2),
    /// Moves the target of the drag to a world position in metres.
    DragTo(DVec3),
    /// Pushes the dragged part away from the camera by 4 % of its distance per step.
    Push(f32),
    /// Constrains the drag to an axis through its start, or removes the constraint if the axis is the same.
    Constrain(Axis),
    /// Sets whether drags snap to steps.
    Snap(bool),
    /// Sets what drags move, also the current one.
    DragScope(DragScope),
    /// Sets what the current drag moves. The next drag has the scope of [`Command::DragScope`] again.
    CurrentScope(DragScope),
    /// Sets whether the counterpart of a dragged joint on the other side of the body follows.
    Symmetry(bool),
    /// Ends the drag.
    Release,
    /// Cancels the drag and restores the state before it.
    Cancel,
    /// Orbits the camera around its target by some pixels.
    Orbit(Vec2),
    /// Pans the camera by some pixels.
    Pan(Vec2),
    /// Zooms towards the surface at a position by some wheel steps.
    Zoom(Vec2, f32),
    /// Makes the surface at a position the camera's target.
    Center(Vec2),
    /// Frames the whole character.
    FrameAll,
    /// Sets how the whole character is framed from now on.
    Framing(Framing),
    /// Pins the joint under the pointer, or removes its pin.
    Pin,
    /// Pins a node at its current position and orientation, or removes its pin.
    PinNode(usize),
    /// Makes the joint under the pointer the fixed base of the chain, or clears the base.
    Base,
    /// Resets the joint under the pointer to its rest pose. `true` resets its whole chain.
    Rest(bool),
    /// Turns a joint to a rotation in its parent's frame, within its limit. Consecutive turns of the same joint until
    /// [`Command::Release`] are one undo step.
    Turn(usize, Quat),
    /// Turns several joints to rotations in their parents' frames. Consecutive turns until [`Command::Release`] are one undo step.
    TurnJoints(Vec<(usize, Quat)>),
    /// Resets the whole character to its rest pose.
    RestAll,
    /// Resets the selected joints to their rest pose.
    ResetJoint,
    /// Resets the limbs of the selected joints to their rest pose.
    ResetLimb,
    /// Exchanges the poses, pins and goals of the left and the right side.
    MirrorPose,
    /// Copies the pose of the selected limb to the other side.
    MirrorLimb,
    /// Sets local transforms of some nodes, and all morph weights unless the list is empty. Removes all goals.
    SetPose(Vec<(usize, Transform)>, Vec<f32>),
    /// Undoes the last change.
    Undo,
    /// Redoes the last undone change.
    Redo,
    /// Selects a joint and nothing else, or clears the selection.
    Select(Option<usize>),
    /// Adds a joint to the selection and makes it the active one.
    SelectAdd(usize),
    /// Removes a joint from the selection.
    SelectRemove(usize),
    /// Highlights a joint, or clears the highlight.
    #[serde(alias = "hint")]
    Highlight(Option<usize>),
    /// Sets the limit of a joint. Consecutive changes of the same joint's limit until [`Command::Release`] are one
    /// undo step.
    Limit(usize, Limit),
    /// Sets how strongly goals of the limb that ends at a node take the body along, from 0 to 1. Consecutive changes of the same
    /// limb until [`Command::Release`] are one undo step.
    Pull(usize, f64),
    /// Sets whether the rings of the gizmo rotate the joint alone, and about which axes.
    #[serde(alias = "turning")]
    RingMode(RingMode),
    /// Sets what the gizmo of the selected joint is for.
    Tool(Tool),
    /// Sets the pixels per point, which scale the gizmo for picking.
    Scale(f32),
    /// Sets the solver's options.
    #[serde(with = "sparse")]
    Solver(Box<Options>),
    /// Stores the solver's options in the rig, as its defaults.
    StoreOptions,
    /// Sets the methods that solve the same goals for comparison and are shown as ghosts.
    Compare(Vec<Method>),
    /// Sets whether goals stay active after a drag ends.
    #[serde(alias = "keep")]
    KeepGoals(bool),
    /// Clears all goals, all pins and the base.
    #[serde(alias = "let-go")]
    ClearGoals,
    /// Removes the goal of a node.
    #[serde(alias = "forget")]
    RemoveGoal(usize),
    /// Sets the weight of a node's goal relative to other goals. Consecutive changes of the same goal's weight until
    /// [`Command::Release`] are one undo step.
    #[serde(alias = "weight")]
    GoalWeight(usize, f64),
    /// Shows the pose after this number of steps of the last solve, one joint at a time, and pauses playback. `None`
    /// shows the solved pose.
    Step(Option<usize>),
    /// Sets the weights and tolerances of a node's goal along its axes. Consecutive changes of the same goal until
    /// [`Command::Release`] are one undo step.
    GoalAxes(usize, GoalAxes),
    /// Plays a clip, or removes the motion if `None`.
    Clip(Option<usize>),
    /// Plays a motion, which consists of clip strips, layers and edits. A motion with unknown clips or nodes is not
    /// played.
    Motion(Box<Motion>),
    /// Inserts a key with the current pose into the motion, and clears the goals and the drag that made the pose.
    Key,
    /// Moves the key at a time to another time. Consecutive moves until [`Command::Release`] are one undo step.
    KeyMove(f32, f32),
    /// Copies the key at a time to another time.
    KeyCopy(f32, f32),
    /// Removes the key at a time.
    KeyDelete(f32),
    /// Moves the key poses of joints at a time to another time. Consecutive moves until [`Command::Release`] are one undo step.
    KeyJointsMove(Vec<usize>, f32, f32),
    /// Copies the key poses of joints at a time to another time.
    KeyJointsCopy(Vec<usize>, f32, f32),
    /// Removes joints from the key pose at a time.
    KeyJointsDelete(Vec<usize>, f32),
    /// Sets how the pose changes from the key pose at a time to the next one.
    KeyEasing(f32, Easing),
    /// Sets whether a drag or another edit of the pose inserts a key when it ends.
    AutoKey(bool),
    /// Sets the duration of the motion in seconds. `None` is that of its content.
    Duration(Option<f32>),
    /// Starts or pauses playback.
    Play(bool),
    /// Jumps to a time of the motion in seconds.
    Seek(f32),
    /// Sets the playback speed in seconds of the motion per second.
    Speed(f32),
    /// Sets whether playback starts over when the motion ends.
    #[serde(alias = "loop")]
    Looping(bool),
    /// Advances the time. This is not recorded, because every recorded command has a time stamp.
    #[serde(skip)]
    Tick(Duration),
    /// Adds the clips of another file or a take to the character. An addition whose file was not read has no effect.
    #[serde(alias = "add")]
    AddClips(Box<AddedClips>),
    /// Sets a morph weight by its index in the pose.
    Morph(usize, f32),
    /// Blends the pose with local transforms of some nodes, and with all morph weights unless the list is empty, by a weight
    /// from 0 to 1. Removes all goals. Consecutive blends until [`Command::Release`] start from the same pose and are one
    /// undo step.
    BlendPose(Vec<(usize, Transform)>, Vec<f32>, f32),
    /// Applies local transforms and morph weights from a live source. Without weights, the morphs do not change.
    #[serde(alias = "follow")]
    LivePose(Vec<(usize, Transform)>, Vec<f32>),
    /// Sets goals from a live source, in addition to those of other nodes. The next [`Command::LivePose`] solves them.
    LiveGoals(Vec<Target>),
    /// Sets the shading mode.
    #[serde(alias = "mode")]
    ShadingMode(ShadingMode),
    /// Shows the materials of a variant of the character, or those of the file.
    Variant(Option<String>),
    /// Sets the skinning method.
    Skinning(Skinning),
    /// Sets whether the spring bones of hair and clothes swing.
    Springs(bool),
    /// Sets what the eyes look at.
    LookAt(EyeTarget),
    /// Sets the display options.
    Display(Display),
    /// Sets the light of the shaded modes.
    Light(Light),
    /// Sets which ghosts of the motion are shown.
    OnionSkin(OnionSkin),
    /// Sets the camera.
    #[serde(alias = "view")]
    Camera(Orbit),
    /// Sets the complete state of the character and clears the undo history.
    #[serde(alias = "stand")]
    Restore(Box<Snapshot>),
}

impl Command {
    /// Checks for values that are invalid in every session.
    ///
    /// # Errors
    /// The reason why the command is invalid.
    pub(in crate::viewer) fn validate(&self) -> Result<(), String> {
        match self {
            Self::Motion(motion) => motion.validate().map_err(|e| e.to_string()),
            Self::Restore(snapshot) => snapshot.motion.validate().map_err(|e| e.to_string()),
            Self::Light(light) => light.validate(),
            Self::GrabNode(point) => check_position("offset", point.offset),
            Self::Turn(_, rotation) if !rotation.is_finite() => Err("rotation is not finite".into()),
            Self::TurnJoints(turns) if turns.iter().any(|(_, rotation)| !rotation.is_finite()) => {
                Err("rotation is not finite".into())
            }
            Self::LookAt(EyeTarget::Point(point)) => check_position("point", *point),
            Self::DragTo(position) => check_position("position", *position),
            _ => Ok(()),
        }
    }
}

/// Checks that a position is finite in single precision, which poses use.
fn check_position(name: &str, position: DVec3) -> Result<(), String> {
    if position.as_vec3().is_finite() { Ok(()) } else { Err(format!("{name} is not finite")) }
}

//! The commands of the viewer, and the settings that some of them change.

use std::time::Duration;

use glam::{DVec3, Quat, Vec2};
use serde::{Deserialize, Serialize};

use crate::asset::Transform;
use crate::document::prop::Prop;
use crate::ik::{GoalAxes, Limit, Method, Options};
use crate::motion::{Easing, Motion};
use crate::puppet::{PuppetOptions, Target};
use crate::render::{Light, LightSource, ShadingMode};
use crate::session::default_options;
use crate::skin::Skinning;
use crate::view::Framing;
use crate::{
    AddedClips, Axis, Display, DragScope, EyeTarget, NodePoint, OnionSkin, Orbit, RingMode, Snapshot,
    StyleSource, Timeline, Tool,
};

use super::super::sparse;

/// Declares all commands. A row of `settings` is a field of [`Settings`], the command that sets it, and its initial value. If the setting is
/// also an option of the puppet, the row ends with `=>` and the name of the option. These rows define how settings are copied, recorded and
/// restored.
macro_rules! commands {
    (
        settings {
            $($(#[$about:meta])* $field:ident $setting:ident: $type:ty = $initial:expr $(=> $option:ident)?;)*
        }
        actions { $($(#[$meta:meta])* $action:ident $(($($value:ty),*))?,)* }
    ) => {
        /// One user action. Positions are in pixels, with row 0 at the top. Recorded sessions use these names; see `docs/session.md`.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Command {
            $($(#[$about])* $setting($type),)*
            $($(#[$meta])* $action $(($($value),*))?,)*
        }

        /// The settings of a session: its behaviour, and the appearance of the scene except for the character and the camera. Undo does not
        /// affect them.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Settings {
            $(#[doc = concat!("See [`Command::", stringify!($setting), "`].")] pub $field: $type,)*
        }

        impl Default for Settings {
            fn default() -> Self {
                Self { $($field: $initial,)* }
            }
        }

        impl Settings {
            /// Stores the clamped value of a setting command. Invalid values and other commands change nothing.
            pub(crate) fn set(&mut self, command: Command) {
                match within_range(command) {
                    $(Some(Command::$setting(value)) => self.$field = value,)*
                    _ => {}
                }
            }

            /// Stores a setting that is also an option of the puppet, in both. Returns false for other commands.
            pub(crate) fn set_option(&mut self, command: &Command, options: &mut PuppetOptions) -> bool {
                match command {
                    $($(Command::$setting(value) => (self.$field, options.$option) = (*value, *value),)?)*
                    _ => return false,
                }
                true
            }

            /// Returns the commands that set all settings.
            pub(crate) fn commands(&self) -> Vec<Command> {
                vec![$(Command::$setting(self.$field.clone()),)*]
            }
        }
    };
}

/// Returns a command with its value clamped to the setting's range, or `None` if the value is invalid.
fn within_range(command: Command) -> Option<Command> {
    Some(match command {
        Command::Scale(scale) if scale.is_finite() => Command::Scale(scale.clamp(0.1, 16.0)),
        Command::Speed(speed) if speed.is_finite() => Command::Speed(speed.clamp(-8.0, 8.0)),
        Command::Scale(_) | Command::Speed(_) => return None,
        Command::OnionSkin(skin) => Command::OnionSkin(skin.within_range()),
        Command::Timeline(timeline) => Command::Timeline(timeline.within_range()),
        command => return command.validate().is_ok().then_some(command),
    })
}

commands! {
    settings {
        /// Sets the scope of drags, including the current drag.
        drag_scope DragScope: DragScope = DragScope::default();
        /// Sets whether a dragged joint's counterpart on the other side of the body follows.
        symmetry Symmetry: bool = false;
        /// Sets whether a dragged hand or foot lands on the surface under the pointer.
        landing Landing: bool = true;
        /// Sets how the whole character is framed from now on.
        framing Framing: Framing = Framing::Auto;
        /// Sets whether the rings of the gizmo rotate the joint alone, and about which axes.
        ring_mode RingMode: RingMode = RingMode::default();
        /// Sets whether the limits of ball joints are shown in the scene.
        show_limits ShowLimits: bool = false;
        /// Sets the gizmo's tool for the selected joint.
        tool Tool: Tool = Tool::default();
        /// Sets the number of pixels per point, which scales the gizmo for picking.
        scale Scale: f32 = 1.0;
        /// Sets the solver's options.
        #[serde(with = "sparse")]
        solver Solver: Box<Options> = Box::new(default_options(Method::Auto));
        /// Sets the style source of the method `style`.
        style Style: StyleSource = StyleSource::default();
        /// Sets the methods that solve the same goals for comparison. Their results are shown as ghosts.
        compare Compare: Vec<Method> = Vec::new();
        /// Sets whether goals stay active after a drag ends.
        keep_goals KeepGoals: bool = false;
        /// Sets whether a drag or another edit of the pose inserts a key when it ends.
        auto_key AutoKey: bool = false;
        /// Sets the playback speed, in seconds of the motion per second of real time.
        speed Speed: f32 = 1.0;
        /// Sets whether playback starts over when the motion ends.
        looping Looping: bool = true;
        /// Sets the frame rate, time display, snapping and looping of the timeline.
        timeline Timeline: Timeline = Timeline::default();
        /// Sets the shading mode.
        shading_mode ShadingMode: ShadingMode = ShadingMode::Shaded;
        /// Shows a variant's materials, or the file's default materials.
        variant Variant: Option<String> = None;
        /// Sets the skinning method.
        skinning Skinning: Skinning = Skinning::default() => skinning;
        /// Sets whether the spring bones of hair and clothes swing.
        springs Springs: bool = true;
        /// Sets the look-at target of the character's eyes, or of its head if the file does not define eyes.
        look_at LookAt: EyeTarget = EyeTarget::default();
        /// Sets the models that joints carry.
        props Props: Vec<Prop> = Vec::new();
        /// Sets the display options.
        display Display: Display = Display::default();
        /// Sets the light of the shaded modes.
        light Light: Light = Light::new(LightSource::Studio);
        /// Sets which ghosts of the motion are shown.
        onion_skin OnionSkin: OnionSkin = OnionSkin::default();
    }
    actions {
        /// Sets the width and height of the scene in pixels, without the panel.
        Resize(Vec2),
        /// Moves the pointer without a button.
        Hover(Vec2),
        /// Starts dragging the part at a position.
        Grab(Vec2),
        /// Starts dragging the selected joint, wherever the pointer is.
        GrabSelected(Vec2),
        /// Starts dragging the topmost selected joints, wherever the pointer is.
        GrabSelection(Vec2),
        /// Starts dragging a point of a node, independently of the camera and the pointer.
        GrabNode(NodePoint),
        /// Moves the dragged part to a position.
        Drag(Vec2),
        /// Moves the drag target to a world position in metres.
        DragTo(DVec3),
        /// Pushes the dragged part away from the camera by 4 % of its distance per step.
        Push(f32),
        /// Constrains the drag to an axis through its starting point. Repeating the command with the same axis removes the constraint.
        Constrain(Axis),
        /// Sets whether drags snap to steps.
        Snap(bool),
        /// Sets the scope of the current drag. The next drag uses the scope of [`Command::DragScope`] again.
        CurrentScope(DragScope),
        /// Ends the drag.
        Release,
        /// Cancels the drag and restores the state before it.
        Cancel,
        /// Orbits the camera around its target by a pointer movement in pixels.
        Orbit(Vec2),
        /// Pans the camera by a pointer movement in pixels.
        Pan(Vec2),
        /// Zooms towards the surface at a position, by a number of wheel steps.
        Zoom(Vec2, f32),
        /// Makes the surface at a position the camera's target.
        Center(Vec2),
        /// Frames the whole character.
        FrameAll,
        /// Pins the joint under the pointer, or removes its pin.
        Pin,
        /// Pins a node at its current position and orientation, or removes its pin.
        PinNode(usize),
        /// Makes the joint under the pointer the fixed base of the chain, or clears the base.
        Base,
        /// Resets the joint under the pointer to its rest pose. `true` resets its whole chain.
        Rest(bool),
        /// Sets the rotation of a joint in its parent's frame, within the joint's limit. Consecutive turns of the same joint until
        /// [`Command::Release`] are one undo step.
        Turn(usize, Quat),
        /// Sets the rotations of several joints in their parents' frames. Consecutive turns until [`Command::Release`] are one undo step.
        TurnJoints(Vec<(usize, Quat)>),
        /// Resets the whole character to its rest pose.
        RestAll,
        /// Resets the selected joints to their rest pose.
        ResetJoint,
        /// Resets the limbs of the selected joints to their rest pose.
        ResetLimb,
        /// Exchanges the poses, pins and goals of the left and right sides.
        MirrorPose,
        /// Copies the pose of the selected limb to the other side.
        MirrorLimb,
        /// Sets local transforms of some nodes, and all morph weights unless the list is empty. Removes all goals.
        SetPose(Vec<(usize, Transform)>, Vec<f32>),
        /// Undoes the last change.
        Undo,
        /// Redoes the last undone change.
        Redo,
        /// Selects only this joint, or clears the selection.
        Select(Option<usize>),
        /// Adds a joint to the selection and makes it the active one.
        SelectAdd(usize),
        /// Removes a joint from the selection.
        SelectRemove(usize),
        /// Highlights a joint, or clears the highlight.
        Highlight(Option<usize>),
        /// Sets the limit of a joint. Consecutive changes to the same joint's limit until [`Command::Release`] are one undo step.
        Limit(usize, Limit),
        /// Assigns a node to a bone of the body, named as in VRM 1.0, or returns that bone to automatic recognition. The assignment becomes
        /// part of the rig.
        Bone(String, Option<usize>),
        /// Sets how strongly goals of the limb that ends at a node pull the body, from 0 to 1. Consecutive changes to the same limb until
        /// [`Command::Release`] are one undo step.
        Pull(usize, f64),
        /// Stores the solver's options in the rig, as its defaults.
        StoreOptions,
        /// Clears all goals, all pins and the base.
        ClearGoals,
        /// Removes the goal of a node.
        RemoveGoal(usize),
        /// Sets the weight of a node's goal relative to other goals. Consecutive changes to the same goal's weight until
        /// [`Command::Release`] are one undo step.
        GoalWeight(usize, f64),
        /// Shows the pose after this many steps of the last solve, and pauses playback. Each step moves one joint. `None` shows the solved
        /// pose.
        Step(Option<usize>),
        /// Sets the weights and tolerances of a node's goal along its axes. Consecutive changes to the same goal until [`Command::Release`]
        /// are one undo step.
        GoalAxes(usize, GoalAxes),
        /// Plays a clip, or removes the motion if `None`.
        Clip(Option<usize>),
        /// Plays a motion, which consists of clip strips, layers and edits. A motion with unknown clips or nodes is rejected.
        Motion(Box<Motion>),
        /// Inserts a key with the current pose into the motion, clears the goals and ends the drag that produced the pose.
        Key,
        /// Moves the key at the first time to the second time. Consecutive moves until [`Command::Release`] are one undo step.
        KeyMove(f32, f32),
        /// Copies the key at the first time to the second time.
        KeyCopy(f32, f32),
        /// Removes the key at a time.
        KeyDelete(f32),
        /// Moves the key poses of some joints from the first time to the second time. Consecutive moves until [`Command::Release`] are one
        /// undo step.
        KeyJointsMove(Vec<usize>, f32, f32),
        /// Copies the key poses of some joints from the first time to the second time.
        KeyJointsCopy(Vec<usize>, f32, f32),
        /// Removes some joints from the key pose at a time.
        KeyJointsDelete(Vec<usize>, f32),
        /// Sets the easing from the key pose at a time to the next key pose.
        KeyEasing(f32, Easing),
        /// Stores the contacts that the key poses imply. A contact is implied if a foot is in the same place in successive keys.
        PlantKeys,
        /// Adds a contact of the foot or hand at the end of a joint's limb, from the current time to the next key, or for one second.
        AddContact(usize),
        /// Stores a joint's position as a goal key at the current time. The key also stores the orientation, unless the joint has a goal
        /// without an orientation. The key replaces the joint's goal and pin.
        KeyGoal(usize),
        /// Sets the motion's duration in seconds. `None` uses the duration of its content.
        Duration(Option<f32>),
        /// Starts or pauses playback.
        Play(bool),
        /// Jumps to a time of the motion in seconds.
        Seek(f32),
        /// Advances the time. This is not recorded, because every recorded command has a time stamp.
        #[serde(skip)]
        Tick(Duration),
        /// Adds the clips of another file or a take to the character. The command has no effect if the file was not read.
        AddClips(Box<AddedClips>),
        /// Sets a morph weight by its index in the pose.
        Morph(usize, f32),
        /// Blends the pose with local transforms of some nodes, and with all morph weights unless that list is empty. The last value is the
        /// blend weight, from 0 to 1. Removes all goals. Until [`Command::Release`], consecutive blends start from the same pose and are
        /// one undo step.
        BlendPose(Vec<(usize, Transform)>, Vec<f32>, f32),
        /// Applies local transforms and morph weights from a live source. If there are no weights, the morphs do not change.
        LivePose(Vec<(usize, Transform)>, Vec<f32>),
        /// Sets goals from a live source, and keeps the goals of other nodes. The next [`Command::LivePose`] solves for all of them.
        LiveGoals(Vec<Target>),
        /// Sets the camera.
        Camera(Orbit),
        /// Sets the complete state of the character and clears the undo history.
        Restore(Box<Snapshot>),
    }
}

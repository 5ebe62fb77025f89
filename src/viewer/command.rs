//! What can be done in the viewer.

use std::time::Duration;

use glam::Vec2;
use serde::{Deserialize, Serialize};

use crate::asset::Transform;
use crate::ik::{Limit, Method, Options};
use crate::motion::Motion;
use crate::render::Mode;
use crate::skin::Skinning;

use super::{Addition, Display, Orbit, Stance, Turning, sparse};

/// An axis of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    /// To the side.
    X,
    /// Up.
    Y,
    /// To the front.
    Z,
}

/// One thing that a person does. Places are pixels, row 0 on top. Sessions are recorded in these names: `docs/session.md`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Command {
    /// The scene has so many pixels across and down: a window's without what the panel takes.
    Resize(Vec2),
    /// The pointer is there, no button down.
    Hover(Vec2),
    /// Takes hold of what is there.
    Grab(Vec2),
    /// Takes hold of the selected joint, wherever the pointer is.
    GrabSelected(Vec2),
    /// Pulls what is held there.
    Drag(Vec2),
    /// Pushes what is held away from the camera, a tenth of its distance a step.
    Push(f32),
    /// Keeps what is held on an axis through where it was, or lets it off if it is on that axis already.
    Constrain(Axis),
    /// Whether what is held moves in steps.
    Snap(bool),
    /// Lets go.
    Release,
    /// Puts what is held back to where it was.
    Cancel,
    /// Turns the camera around its target, by pixels.
    Orbit(Vec2),
    /// Moves the camera sideways, by pixels.
    Pan(Vec2),
    /// Nearer to what is at a place, in steps of the wheel.
    Zoom(Vec2, f32),
    /// Turns around what is at a place from now on.
    Center(Vec2),
    /// Shows the whole character.
    FrameAll,
    /// Pins the joint under the pointer where it is, or frees it.
    Pin,
    /// Holds the joint under the pointer still while others follow, or no longer.
    Base,
    /// Puts the joint under the pointer back to rest; `true`: its whole chain.
    Rest(bool),
    /// Puts everything back to rest.
    RestAll,
    /// Takes the last change back.
    Undo,
    /// Makes it again.
    Redo,
    /// Selects a joint, or none.
    Select(Option<usize>),
    /// Points a joint out, or none.
    Hint(Option<usize>),
    /// Limits a joint. What follows on the same joint until [`Command::Release`] is one step.
    Limit(usize, Limit),
    /// What rings turn.
    Turning(Turning),
    /// Pixels a point: how large gizmos are for the pointer.
    Scale(f32),
    /// How is solved.
    #[serde(with = "sparse")]
    Solver(Box<Options>),
    /// Which methods meet the same goals beside the one that solves, as ghosts.
    Compare(Vec<Method>),
    /// Whether goals stay when they are let go.
    Keep(bool),
    /// Forgets all goals, pins and the base.
    LetGo,
    /// Forgets the goal of a node.
    Forget(usize),
    /// How much the goal of a node counts against others. What follows on the same goal until [`Command::Release`] is one
    /// step.
    Weight(usize, f64),
    /// Plays another clip, or none.
    Clip(Option<usize>),
    /// Plays a motion: clips blended, one after another, with layers and edits. One that names what is not there is
    /// not played.
    Motion(Box<Motion>),
    /// Makes the pose as goals and drags have it, at this time of the motion, part of the motion, and lets them go.
    Key,
    /// Plays or pauses.
    Play(bool),
    /// Seconds into the motion.
    Seek(f32),
    /// Clip seconds a second.
    Speed(f32),
    /// Whether a clip starts again at its end.
    Loop(bool),
    /// Time has passed. It is not recorded: every other command has its time.
    #[serde(skip)]
    Tick(Duration),
    /// Adds the clips of another file, or a take, to those of the character. What no file was read for adds none.
    Add(Box<Addition>),
    /// A morph weight, by its place in the pose.
    Morph(usize, f32),
    /// A live source has put nodes there, and given all morphs these weights if there are any.
    Follow(Vec<(usize, Transform)>, Vec<f32>),
    /// How surfaces look.
    Mode(Mode),
    /// How joints move the skin.
    Skinning(Skinning),
    /// What is shown.
    Display(Display),
    /// Looks from there.
    View(Orbit),
    /// Stands as told, without a clip, as if it had come so: nothing of before can be taken back.
    Stand(Box<Stance>),
}

impl Command {
    /// Why no session can carry it out; `None` if one may.
    pub(super) fn fault(&self) -> Option<String> {
        match self {
            Self::Motion(motion) => motion.fault(),
            Self::Stand(stance) => stance.motion.fault(),
            _ => None,
        }
    }
}

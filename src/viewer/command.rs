//! What can be done in the viewer.

use glam::Vec2;

use crate::ik::{Method, Options};
use crate::render::Mode;
use crate::skin::Skinning;

use super::Display;

/// An axis of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// To the side.
    X,
    /// Up.
    Y,
    /// To the front.
    Z,
}

/// One thing that a person does. Places are pixels, row 0 on top.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// The picture has so many pixels across and down.
    Resize(Vec2),
    /// The pointer is there, no button down.
    Hover(Vec2),
    /// Takes hold of what is there.
    Grab(Vec2),
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
    /// How is solved.
    Solver(Box<Options>),
    /// Which methods meet the same goals beside the one that solves, as ghosts.
    Compare(Vec<Method>),
    /// Whether goals stay when they are let go.
    Keep(bool),
    /// Forgets all goals, pins and the base.
    LetGo,
    /// Plays another clip, or none.
    Clip(Option<usize>),
    /// Plays or pauses.
    Play(bool),
    /// Seconds into the clip.
    Seek(f32),
    /// Clip seconds a second.
    Speed(f32),
    /// Whether a clip starts again at its end.
    Loop(bool),
    /// Seconds have passed.
    Tick(f32),
    /// A morph weight, by its place in the pose.
    Morph(usize, f32),
    /// How surfaces look.
    Mode(Mode),
    /// How joints move the skin.
    Skinning(Skinning),
    /// What is shown.
    Display(Display),
}

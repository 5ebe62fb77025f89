//! Translates actions that concern the session into commands.

use glam::Vec3;

use crate::ik::{JointParameters, Method};
use crate::session::timeline::key_beside;
use crate::{Action, Axis, Command, Display, RingMode, Session, Timeline};

impl Action {
    /// Returns the command that performs the action. Returns `None` if the action has no effect now, or if it does not concern the session.
    pub fn command(self, session: &Session) -> Option<Command> {
        let (motion, now) = (&session.document.scene.motion, session.puppet.time);
        let settings = &session.document.settings;
        let timeline = settings.timeline;
        let [start, end] = timeline.looped(session.puppet.seconds());
        let looped = |range| Command::Timeline(Timeline { range: Some(range), ..timeline });
        Some(match self {
            Self::Undo => Command::Undo,
            Self::Redo => Command::Redo,
            Self::MirrorPose => Command::MirrorPose,
            Self::MirrorLimb => Command::MirrorLimb,
            Self::ResetLimb => Command::Rest(true),
            Self::ResetJoint => Command::Rest(false),
            Self::RestAll => Command::RestAll,
            Self::ClearGoals => Command::ClearGoals,
            Self::Pin => Command::Pin,
            Self::Base => Command::Base,
            Self::RingMode => {
                Command::RingMode(RingMode { alone: !settings.ring_mode.alone, ..settings.ring_mode })
            }
            Self::AxisX => Command::Constrain(Axis::X),
            Self::AxisY => Command::Constrain(Axis::Y),
            Self::AxisZ => Command::Constrain(Axis::Z),
            Self::Scope => Command::DragScope(session.next_scope()),
            Self::Symmetry if session.has_body() => Command::Symmetry(!settings.symmetry),
            Self::Landing if session.has_body() => Command::Landing(!settings.landing),
            Self::Key => Command::Key,
            Self::AutoKey => Command::AutoKey(!settings.auto_key),
            Self::Play => Command::Play(!session.is_playing()),
            Self::PreviousFrame => Command::Seek(timeline.beside(now, false)),
            Self::NextFrame => Command::Seek(timeline.beside(now, true)),
            Self::PreviousKey => Command::Seek(key_beside(motion, now, false)?),
            Self::NextKey => Command::Seek(key_beside(motion, now, true)?),
            Self::FirstFrame => Command::Seek(start),
            Self::LastFrame => Command::Seek(end),
            Self::LoopStart => looped([now, if now < end { end } else { session.puppet.seconds() }]),
            Self::LoopEnd => looped([if start < now { start } else { 0.0 }, now]),
            Self::LoopAll => Command::Timeline(Timeline { range: None, ..timeline }),
            Self::Front => Command::Camera(session.document.orbit.from_side(Vec3::Z)),
            Self::Back => Command::Camera(session.document.orbit.from_side(Vec3::NEG_Z)),
            Self::Side => Command::Camera(session.document.orbit.from_side(Vec3::X)),
            Self::OtherSide => Command::Camera(session.document.orbit.from_side(Vec3::NEG_X)),
            Self::Top => Command::Camera(session.document.orbit.from_side(Vec3::Y)),
            Self::Bottom => Command::Camera(session.document.orbit.from_side(Vec3::NEG_Y)),
            Self::Projection => Command::Camera(session.document.orbit.with_other_projection()),
            Self::FrameAll => Command::FrameAll,
            Self::FrameSelected => Command::Camera(session.selection_view()),
            Self::HomeView => Command::Camera(session.home_view()),
            Self::Follow => {
                Command::Display(Display { follow: !settings.display.follow, ..settings.display })
            }
            Self::Skeleton => {
                Command::Display(Display { skeleton: !settings.display.skeleton, ..settings.display })
            }
            Self::NextStep => match session.shown_steps() {
                Some((shown, count)) => Command::Step(Some((shown + 1).min(count))),
                None if session.can_step() => Command::Step(Some(0)),
                None => return None,
            },
            Self::PreviousStep => Command::Step(Some(session.shown_steps()?.0.saturating_sub(1))),
            other => return method(other, session),
        })
    }
}

/// Returns the command that selects a method.
fn method(action: Action, session: &Session) -> Option<Command> {
    let mut options = session.document.settings.solver.with_method(match action {
        Action::Ccd => Method::Ccd,
        Action::Particle => Method::Particle,
        Action::DlsEuler | Action::Dls => Method::Dls,
        Action::Fabrik => Method::Fabrik,
        Action::TwoBone => Method::TwoBone,
        Action::Fused => Method::Fused,
        Action::Optimize => Method::Optimize,
        Action::FullBody => Method::FullBody,
        Action::Auto => Method::Auto,
        _ => return None,
    });
    match action {
        Action::DlsEuler => options.jacobian.parameters = JointParameters::Euler,
        Action::Dls => options.jacobian.parameters = JointParameters::RotationVector,
        _ => {}
    }
    Some(Command::Solver(Box::new(options)))
}

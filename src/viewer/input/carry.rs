//! Pulling and turning the selected joint without holding a button, with axis constraints and typed numbers, as in Blender.

use glam::{DVec3, Quat, Vec2};

use crate::rig::orientation;
use crate::{Axis, Command, Session, Tool};

/// Maximum number of typed characters.
const MAX_TYPED: usize = 12;

/// The state while the selected joints follow the pointer. A click or a key ends it.
#[derive(Clone, Debug)]
pub(super) struct Carry {
    kind: Kind,
    axis: Option<Axis>,
    /// The typed number, in metres along the axis or in degrees.
    typed: String,
}

#[derive(Clone, Debug)]
enum Kind {
    /// Pulls the joint from the position `start`. `grip` is the offset from the pointer to the joint in the view, in pixels.
    Move {
        start: DVec3,
        grip: Vec2,
    },
    Turn(Turn),
}

/// The rotations of the selected joints when a turn began.
#[derive(Clone, Debug)]
struct Turn {
    /// For each joint: node, local rotation, and parent orientation.
    joints: Vec<(usize, Quat, Quat)>,
    /// The active joint's position in the view in pixels, and the angle of the direction from the joint to the pointer in radians.
    center: Vec2,
    from: f32,
    has_turned: bool,
}

impl Carry {
    /// Starts to pull the selected joints.
    pub(super) fn pull(session: &mut Session, at: Vec2) -> Option<Self> {
        session.selected()?;
        session.apply(Command::Tool(Tool::Pull));
        session.apply(if session.selection().len() > 1 {
            Command::GrabSelection(at)
        } else {
            Command::GrabSelected(at)
        });
        let start = session
            .selected()
            .filter(|_| session.is_dragging())
            .and_then(|node| session.position_of(node))?;
        let seen = crate::scene::picking::pixel(&session.camera(), start, session.size());
        let grip = seen.map_or(Vec2::ZERO, |seen| seen - at);
        Some(Self { kind: Kind::Move { start: start.as_dvec3(), grip }, axis: None, typed: String::new() })
    }

    /// Starts to turn the topmost selected joints, each about its own origin.
    pub(super) fn turn(session: &mut Session, at: Vec2) -> Option<Self> {
        session.apply(Command::Release);
        let node = session.selected()?;
        session.apply(Command::Tool(Tool::Turn));
        // Use the primary pose: the look-at rotation must not become part of the pose.
        let (skeleton, pose) = (&session.puppet().character().skeleton, session.puppet().primary_pose());
        let joint = |node: usize| {
            let parent = skeleton.nodes.get(node)?.parent;
            let parent = parent.map_or(glam::DQuat::IDENTITY, |p| orientation(skeleton, pose, p));
            Some((node, pose.locals.get(node)?.rotation, parent.as_quat().normalize()))
        };
        let joints = session
            .document
            .selection
            .topmost(&session.puppet.character().skeleton)
            .into_iter()
            .filter_map(joint)
            .collect();
        let center =
            crate::scene::picking::pixel(&session.camera(), session.position_of(node)?, session.size())?;
        let turn = Turn { joints, center, from: angle(at - center), has_turned: false };
        Some(Self { kind: Kind::Turn(turn), axis: None, typed: String::new() })
    }

    /// Follows the pointer, unless a number was typed.
    pub(super) fn follow(&mut self, at: Vec2, session: &mut Session) {
        if self.typed.is_empty() {
            match &self.kind {
                Kind::Move { grip, .. } => session.apply(Command::Drag(at + *grip)),
                Kind::Turn(turn) => self.turn_by(angle(at - turn.center) - turn.from, session),
            }
        }
    }

    /// Constrains the joint to an axis, or removes the constraint if the joint is already constrained to that axis.
    pub(super) fn constrain(&mut self, axis: Axis, session: &mut Session) {
        self.axis = (self.axis != Some(axis)).then_some(axis);
        if matches!(self.kind, Kind::Move { .. }) {
            session.apply(Command::Constrain(axis));
        }
        self.apply_number(session);
    }

    /// Adds a character to the typed number. Returns whether the character can be part of a number.
    pub(super) fn type_character(&mut self, character: char, session: &mut Session) -> bool {
        let belongs = character.is_ascii_digit() || character == '.' || character == '-';
        if belongs && self.typed.len() < MAX_TYPED {
            match (character, self.typed.strip_prefix('-')) {
                // A minus sign changes the sign of the number, whenever it is typed.
                ('-', Some(positive)) => self.typed = positive.to_owned(),
                ('-', None) => self.typed.insert(0, '-'),
                _ => self.typed.push(character),
            }
            self.apply_number(session);
        }
        belongs
    }

    /// Removes the last character of the typed number.
    pub(super) fn erase(&mut self, session: &mut Session) {
        self.typed.pop();
        self.apply_number(session);
    }

    fn apply_number(&mut self, session: &mut Session) {
        let Some(number) = self.typed.parse::<f32>().ok().filter(|number| number.is_finite()) else { return };
        match self.kind {
            // As in Blender, a number without an axis constraint is a distance along X.
            Kind::Move { start, .. } => {
                let by = self.axis.unwrap_or(Axis::X).unit() * number;
                session.apply(Command::DragTo(start + by.as_dvec3()));
            }
            // Positive typed angles turn counter-clockwise, but pixel coordinates increase downwards.
            Kind::Turn(_) => {
                let sign = if self.axis.is_none() { -1.0 } else { 1.0 };
                self.turn_by(sign * number.to_radians(), session);
            }
        }
    }

    /// Turns the joints by an angle from their initial rotations, about the constraint axis if there is one, and otherwise about the line
    /// of sight.
    fn turn_by(&mut self, angle: f32, session: &mut Session) {
        let Kind::Turn(turn) = &mut self.kind else { return };
        let camera = session.camera();
        let sight = camera.direction();
        let axis = self.axis.map_or(sight, Axis::unit);
        // If the axis points at the camera, the pointer's angle has the opposite sign.
        let seen = if self.axis.is_some() && self.typed.is_empty() { axis.dot(sight).signum() } else { 1.0 };
        let by = Quat::from_axis_angle(axis, angle * seen);
        let turned = |&(node, local, parent): &(usize, Quat, Quat)| {
            (node, (parent.conjugate() * by * parent * local).normalize())
        };
        turn.has_turned = true;
        let turns: Vec<(usize, Quat)> = turn.joints.iter().map(turned).collect();
        session.apply(match turns[..] {
            [(node, rotation)] => Command::Turn(node, rotation),
            _ => Command::TurnJoints(turns),
        });
    }

    /// Ends the pull or turn and keeps the pose.
    pub(super) fn finish(self, session: &mut Session) {
        session.apply(Command::Release);
    }

    /// Ends the pull or turn and restores the previous pose.
    pub(super) fn cancel(self, session: &mut Session) {
        match self.kind {
            Kind::Move { .. } => session.apply(Command::Cancel),
            // If no joint has turned, there is nothing to cancel, and earlier edits must be kept.
            Kind::Turn(turn) if turn.has_turned => session.apply(Command::Cancel),
            Kind::Turn(_) => {}
        }
    }
}

/// Returns the angle, in radians, of a direction in the view.
fn angle(direction: Vec2) -> f32 {
    direction.y.atan2(direction.x)
}

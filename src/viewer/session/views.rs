//! Views of the character, and a camera that follows it.

use std::collections::HashSet;

use glam::Vec3;

use crate::scene::picking::pixel;
use crate::view::{Bounds, Framing};
use crate::{Command, Orbit};

use super::Session;

/// Minimum radius that a view of joints shows, as a fraction of the character's radius.
const MIN_FOCUS: f32 = 0.12;
/// Distance by which the character may rise or sink before the camera follows, as a fraction of the character's radius. Without this slack,
/// the image would bob with every step.
const VERTICAL_SLACK: f32 = 0.12;

/// Positions of the followed joint and the camera at the last command. Recorded commands replace both positions. Clock ticks leave them
/// unchanged, so that the camera is independent of the frame rate.
#[derive(Clone, Copy, Debug)]
pub(super) struct FollowAnchor {
    node: usize,
    /// Position of the joint in world metres. While the joint remains near this height, the camera's target keeps its height.
    position: Vec3,
    /// The camera's target.
    target: Vec3,
    /// Height by which the camera has risen since the last command.
    rise: f32,
}

impl Session {
    /// Returns the initial front view of the whole character at its current position.
    pub fn home_view(&self) -> Orbit {
        let mut view = self.home.view(self.document.settings.framing, self.size.x / self.size.y);
        if let Some(now) = self.followed_position() {
            view.target = now.with_y(view.target.y);
        } else if let Some((now, start)) = self.body_position().zip(self.home.position) {
            view.target += (now - start).with_y(0.0);
        }
        view
    }

    /// Returns the body's position: its hips, or else the joint that moves the character.
    pub(crate) fn body_position(&self) -> Option<Vec3> {
        self.home.body_position(&self.puppet)
    }

    /// Returns a view of the whole character from the current direction.
    pub(super) fn whole_view(&self) -> Orbit {
        let mut view = self.document.orbit;
        let (bounds, aspect) = (self.puppet.bounds(), self.size.x / self.size.y);
        match self.document.settings.framing {
            Framing::Auto => view.frame(&bounds, aspect),
            Framing::Tight => view.fit(self.puppet.points(), &bounds, aspect),
        }
        view
    }

    /// Returns a view of the selected joints and their bones from the current direction. If nothing is selected, it shows the whole
    /// character.
    pub fn selection_view(&self) -> Orbit {
        let mut view = self.document.orbit;
        let aspect = self.size.x / self.size.y;
        let selected = self.selection();
        if selected.is_empty() {
            return self.whole_view();
        }
        let nodes = &self.puppet.character().skeleton.nodes;
        let set: HashSet<usize> = selected.iter().copied().collect();
        let is_selected = |node: usize| set.contains(&node);
        let parents = selected.iter().filter_map(|&node| nodes.get(node)?.parent);
        let is_child = |node: &crate::asset::Node| node.parent.is_some_and(is_selected);
        let children = nodes.iter().enumerate().filter(|(_, node)| is_child(node)).map(|(index, _)| index);
        let shown = selected.iter().copied().chain(parents).chain(children);
        let bounds = Bounds::around(shown.filter_map(|node| self.position_of(node)));
        let (center, radius) = bounds.sphere();
        view.focus(center, radius.max(MIN_FOCUS * self.home.radius()), aspect);
        view
    }

    /// Returns the scene's bounds. If the camera follows the character, the bounds, the floor and the light move with it.
    pub(super) fn scene_bounds(&self) -> Bounds {
        let Bounds { lo, hi } = self.home.scene_bounds;
        let center = self.home.scene_bounds.sphere().0;
        let by = self.followed_position().map_or(Vec3::ZERO, |now| (now - center).with_y(0.0));
        Bounds { lo: lo + by, hi: hi + by }
    }

    /// Returns the position of the joint that the camera follows.
    pub(super) fn followed_position(&self) -> Option<Vec3> {
        self.position_of(self.anchor?.node).filter(|p| p.is_finite())
    }

    /// Moves the camera with the character, except while the user drags the body, because the target would then move away from the pointer.
    pub(super) fn follow(&mut self) {
        let Some(now) = self.followed_position().filter(|_| !self.is_dragging()) else { return };
        let slack = VERTICAL_SLACK * self.home.radius();
        if let Some(anchor) = &mut self.anchor {
            let by = now - anchor.position;
            anchor.rise = by.y - by.y.clamp(-slack, slack);
            self.document.orbit.set_target(anchor.target + by.with_y(anchor.rise));
        }
    }

    /// Returns the state before a command, for [`Self::update_anchor`].
    pub(super) fn before_command(&self) -> BeforeCommand {
        let (position, target) = (self.followed_position(), self.document.orbit.target);
        BeforeCommand { position, target, is_dragging: self.is_dragging() }
    }

    /// Records the positions of the camera and the followed joint after a command.
    pub(super) fn update_anchor(&mut self, effect: CameraEffect, before: BeforeCommand) {
        if !self.document.settings.display.follow {
            self.anchor = None;
            return;
        }
        if self.anchor.is_none() || effect == CameraEffect::Chooses {
            self.choose_followed(effect);
        }
        if effect == CameraEffect::Follows {
            self.follow();
        }
        let (Some(now), is_dragging) = (self.followed_position(), self.is_dragging()) else { return };
        // A command that changes neither the joint nor the camera leaves the anchor unchanged, because a replay skips most of these commands.
        let is_same = before
            == BeforeCommand { position: Some(now), target: self.document.orbit.target, is_dragging: false };
        if effect == CameraEffect::None && is_same && !is_dragging {
            return;
        }
        let Some(anchor) = &mut self.anchor else { return };
        let height = anchor.position.y + anchor.rise;
        let height = match effect {
            CameraEffect::Follows if !is_dragging => height,
            // An edit of the pose does not move the camera.
            CameraEffect::None if !is_dragging => {
                height + before.position.map_or(0.0, |before| now.y - before.y)
            }
            _ => now.y,
        };
        *anchor = FollowAnchor {
            position: now.with_y(height),
            target: self.document.orbit.target,
            rise: 0.0,
            node: anchor.node,
        };
    }

    /// Chooses the joint that the camera follows. If it is outside the image, the camera is centred on it.
    fn choose_followed(&mut self, effect: CameraEffect) {
        let is_new = self.anchor.is_none();
        let node = self.home.body_node(&self.puppet);
        let Some(position) = self.position_of(node) else { return };
        let target = self.document.orbit.target;
        if is_new && effect == CameraEffect::Chooses {
            let seen = pixel(&self.camera(), position, self.size);
            let is_inside = |at: glam::Vec2| at.cmpge(glam::Vec2::ZERO).all() && at.cmplt(self.size).all();
            if position.is_finite() && !seen.is_some_and(is_inside) {
                self.document.orbit.set_target(position);
            }
        }
        self.anchor = Some(FollowAnchor { node, position, target, rise: 0.0 });
    }
}

/// The followed joint and the camera before a command.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BeforeCommand {
    position: Option<Vec3>,
    target: Vec3,
    is_dragging: bool,
}

/// A command's effect on a camera that follows the character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CameraEffect {
    /// The command may change the pose, but not the time.
    None,
    /// The command changes the time, or applies a pose from another time.
    Follows,
    /// The command sets the camera.
    Sets,
    /// The command may change whether a joint is followed, and which joint.
    Chooses,
}

impl CameraEffect {
    /// Returns the effect of a recorded command.
    pub(super) fn of(command: &Command) -> Self {
        match command {
            Command::Seek(_) | Command::Clip(_) | Command::LivePose(..) => Self::Follows,
            Command::Camera(_) | Command::FrameAll => Self::Sets,
            Command::Display(_) | Command::AddClips(_) => Self::Chooses,
            _ => Self::None,
        }
    }
}

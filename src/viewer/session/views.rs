//! The view of a character, and a camera that follows it.

use std::collections::HashSet;

use glam::{Vec2, Vec3};

use crate::document::Document;
use crate::puppet::Puppet;
use crate::scene::picking::pixel;
use crate::view::{Bounds, Camera, Framing};
use crate::{Command, Orbit};

use super::home::Home;
use super::place::position;

/// Minimum radius that a view of joints shows, as a fraction of the character's radius.
const MIN_FOCUS: f32 = 0.12;
/// Distance by which the character may rise or sink before the camera follows, as a fraction of the character's radius. Without this slack,
/// the image would bob with every step.
const VERTICAL_SLACK: f32 = 0.12;

/// Positions of the followed joint and the camera at the last command. Recorded commands replace both positions. Clock ticks leave them
/// unchanged, so that the camera is independent of the frame rate.
#[derive(Clone, Copy, Debug)]
struct FollowAnchor {
    node: usize,
    /// Position of the joint in world metres. While the joint remains near this height, the camera's target keeps its height.
    position: Vec3,
    /// The camera's target.
    target: Vec3,
    /// Height by which the camera has risen since the last command.
    rise: f32,
}

/// The size of the view, and the places that its camera shows.
#[derive(Debug)]
pub(crate) struct View {
    pub(crate) home: Home,
    /// Width and height in pixels.
    pub(super) size: Vec2,
    /// The camera's anchor, if [`Display::follow`](crate::Display::follow) is set.
    anchor: Option<FollowAnchor>,
}

impl View {
    pub(super) fn new(home: Home, size: Vec2) -> Self {
        Self { home, size: sanitize_size(size), anchor: None }
    }

    /// Returns the ratio of the width to the height.
    pub(super) fn aspect(&self) -> f32 {
        self.size.x / self.size.y
    }

    /// Changes the size, and adapts the camera to it.
    pub(super) fn resize(&mut self, size: Vec2, orbit: &mut Orbit) {
        let before = self.aspect();
        self.size = sanitize_size(size);
        orbit.reshape(before, self.aspect());
    }

    pub(super) fn camera(&self, puppet: &Puppet, orbit: &Orbit) -> Camera {
        let mut bounds = self.scene_bounds(puppet);
        // An orthographic camera shows the character at the same size wherever it walks, even towards the camera.
        if orbit.is_orthographic() {
            bounds.extend(puppet.world_from_node().iter().map(|node| node.translation.into()));
        }
        orbit.camera(&bounds)
    }

    /// Returns the initial front view of the whole character at its current position.
    pub(super) fn initial(&self, puppet: &Puppet, framing: Framing) -> Orbit {
        let mut view = self.home.view(framing, self.aspect());
        if let Some(now) = self.followed_position(puppet) {
            view.target = now.with_y(view.target.y);
        } else if let Some((now, start)) = self.home.body_position(puppet).zip(self.home.position) {
            view.target += (now - start).with_y(0.0);
        }
        view
    }

    /// Returns a view of the whole character from the current direction.
    pub(super) fn whole(&self, puppet: &Puppet, document: &Document) -> Orbit {
        let mut view = document.orbit;
        let (bounds, aspect) = (puppet.bounds(), self.aspect());
        match document.settings.framing {
            Framing::Auto => view.frame(&bounds, aspect),
            Framing::Tight => view.fit(puppet.points(), &bounds, aspect),
        }
        view
    }

    /// Returns a view of the selected joints and their bones from the current direction. If nothing is selected, it shows the whole
    /// character.
    pub(super) fn of_selection(&self, puppet: &Puppet, document: &Document) -> Orbit {
        let mut view = document.orbit;
        let selected = document.selection.nodes();
        if selected.is_empty() {
            return self.whole(puppet, document);
        }
        let nodes = &puppet.character().skeleton.nodes;
        let set: HashSet<usize> = selected.iter().copied().collect();
        let is_selected = |node: usize| set.contains(&node);
        let parents = selected.iter().filter_map(|&node| nodes.get(node)?.parent);
        let is_child = |node: &crate::asset::Node| node.parent.is_some_and(is_selected);
        let children = nodes.iter().enumerate().filter(|(_, node)| is_child(node)).map(|(index, _)| index);
        let shown = selected.iter().copied().chain(parents).chain(children);
        let bounds = Bounds::around(shown.filter_map(|node| position(puppet, node)));
        let (center, radius) = bounds.sphere();
        view.focus(center, radius.max(MIN_FOCUS * self.home.radius()), self.aspect());
        view
    }

    /// Returns the scene's bounds. If the camera follows the character, the bounds, the floor and the light move with it.
    pub(super) fn scene_bounds(&self, puppet: &Puppet) -> Bounds {
        let Bounds { lo, hi } = self.home.scene_bounds;
        let center = self.home.scene_bounds.sphere().0;
        let by = self.followed_position(puppet).map_or(Vec3::ZERO, |now| (now - center).with_y(0.0));
        Bounds { lo: lo + by, hi: hi + by }
    }

    /// Returns the position of the joint that the camera follows.
    fn followed_position(&self, puppet: &Puppet) -> Option<Vec3> {
        position(puppet, self.anchor?.node).filter(|p| p.is_finite())
    }

    /// Moves the camera with the character.
    pub(super) fn follow(&mut self, puppet: &Puppet, orbit: &mut Orbit) {
        let Some(now) = self.followed_position(puppet) else { return };
        let slack = VERTICAL_SLACK * self.home.radius();
        if let Some(anchor) = &mut self.anchor {
            let by = now - anchor.position;
            anchor.rise = by.y - by.y.clamp(-slack, slack);
            orbit.set_target(anchor.target + by.with_y(anchor.rise));
        }
    }

    /// Returns the state before a command, for [`Self::update_anchor`].
    pub(super) fn before_command(&self, puppet: &Puppet, orbit: &Orbit, is_dragging: bool) -> BeforeCommand {
        BeforeCommand { position: self.followed_position(puppet), target: orbit.target, is_dragging }
    }

    /// Records the positions of the camera and the followed joint after a command.
    pub(super) fn update_anchor(
        &mut self,
        effect: CameraEffect,
        before: BeforeCommand,
        puppet: &Puppet,
        document: &mut Document,
        is_dragging: bool,
    ) {
        if !document.settings.display.follow {
            self.anchor = None;
            return;
        }
        let orbit = &mut document.orbit;
        if self.anchor.is_none() || effect == CameraEffect::Chooses {
            self.choose_followed(effect, puppet, orbit);
        }
        // If the camera moved while the user drags the body, the target would move away from the pointer.
        if effect == CameraEffect::Follows && !is_dragging {
            self.follow(puppet, orbit);
        }
        let Some(now) = self.followed_position(puppet) else { return };
        // A command that changes neither the joint nor the camera leaves the anchor unchanged, because a replay skips most of these commands.
        let is_same =
            before == BeforeCommand { position: Some(now), target: orbit.target, is_dragging: false };
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
        *anchor =
            FollowAnchor { position: now.with_y(height), target: orbit.target, rise: 0.0, node: anchor.node };
    }

    /// Chooses the joint that the camera follows. If it is outside the image, the camera is centred on it.
    fn choose_followed(&mut self, effect: CameraEffect, puppet: &Puppet, orbit: &mut Orbit) {
        let node = self.home.body_node(puppet);
        let Some(position) = position(puppet, node) else { return };
        let target = orbit.target;
        if self.anchor.is_none() && effect == CameraEffect::Chooses {
            let seen = pixel(&self.camera(puppet, orbit), position, self.size);
            let is_inside = |at: Vec2| at.cmpge(Vec2::ZERO).all() && at.cmplt(self.size).all();
            if position.is_finite() && !seen.is_some_and(is_inside) {
                orbit.set_target(position);
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
    /// Returns the effect of a recorded command, and whether the command may instantly change the object under the pointer.
    pub(super) fn of(command: &Command) -> (Self, bool) {
        use Command::*;
        match command {
            Seek(_) | Clip(_) => (Self::Follows, true),
            LivePose(..) => (Self::Follows, false),
            Camera(_) | FrameAll => (Self::Sets, true),
            Display(_) | AddClips(_) => (Self::Chooses, false),
            Release | Cancel | Undo | Redo | Key | KeyMove(..) | KeyCopy(..) | KeyDelete(_)
            | KeyJointsMove(..) | KeyJointsCopy(..) | KeyJointsDelete(..) | PlantKeys | AddContact(_)
            | KeyGoal(_) | Rest(_) | RestAll | ResetJoint | ResetLimb | MirrorPose | MirrorLimb
            | SetPose(..) | RemoveGoal(_) | Select(_) | SelectAdd(_) | SelectRemove(_) | RingMode(_)
            | Tool(_) | Center(_) => (Self::None, true),
            _ => (Self::None, false),
        }
    }
}

/// Clamps the size of a view. A window may have no pixels, but an image must have at least one.
fn sanitize_size(size: Vec2) -> Vec2 {
    if size.is_finite() { size.clamp(Vec2::ONE, Vec2::splat(32_768.0)) } else { Vec2::ONE }
}

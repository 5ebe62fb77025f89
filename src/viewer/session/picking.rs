//! The part of a character under the pointer. From a distance, a finger is picked as part of its hand.

use glam::{DVec3, Vec2, Vec3};

use crate::DragScope;
use crate::document::Document;
use crate::puppet::Puppet;
use crate::rig::{Chain, ChainKind};
use crate::scene::picking::{HANDLE_RADIUS, Hit, Ray, pick, pick_beside, pixel};
use crate::view::Camera;

use super::place::position;
use super::views::View;

/// Maximum distance in points from the skin at which the pointer still grabs it.
const MARGIN: f32 = 8.0;
/// Minimum distance of the hips behind the skin at which their dot is not a part of this skin, as a fraction of the body's radius.
const FAR_BEHIND: f32 = 0.25;
/// Minimum length on screen, in points, of a finger that can be picked separately.
const MIN_FINGER_POINTS: f32 = 48.0;

/// The camera, the size and the scale with which a puppet and its gizmo are drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Viewport {
    pub(crate) camera: Camera,
    /// Width and height in pixels.
    pub(crate) size: Vec2,
    /// Pixels per point.
    pub(crate) scale: f32,
}

impl Viewport {
    /// Projects a world position to a pixel. `None` if it cannot be projected.
    pub(super) fn pixel(&self, position: Vec3) -> Option<Vec2> {
        pixel(&self.camera, position, self.size)
    }

    /// Returns the ray through a pixel.
    pub(super) fn ray(&self, at: Vec2) -> Option<Ray> {
        Ray::through(&self.camera, at, self.size)
    }

    /// Returns the viewing direction, a unit vector.
    pub(super) fn direction(&self) -> Vec3 {
        self.camera.direction()
    }

    /// Converts a distance in points at a position to world metres.
    pub(super) fn metres(&self, position: Vec3, points: f32) -> f32 {
        self.camera.height_at(position) * points * self.scale / self.size.y
    }
}

/// The picture of a puppet in which the pointer picks parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Picture<'a> {
    pub(super) puppet: &'a Puppet,
    pub(super) document: &'a Document,
    pub(super) viewport: Viewport,
    /// Radius of the character at the start in metres.
    radius: f32,
}

impl<'a> Picture<'a> {
    pub(super) fn new(puppet: &'a Puppet, document: &'a Document, view: &View) -> Self {
        let camera = view.camera(puppet, &document.orbit);
        let radius = view.home.radius();
        let viewport = Viewport { camera, size: view.size, scale: document.settings.scale };
        Self { puppet, document, viewport, radius }
    }

    /// Returns the picture at another scale, in pixels per point.
    pub(super) fn at_scale(self, scale: f32) -> Self {
        Self { viewport: Viewport { scale, ..self.viewport }, ..self }
    }

    pub(super) fn contains(&self, at: Vec2) -> bool {
        at.cmpge(Vec2::ZERO).all() && at.cmple(self.viewport.size).all()
    }

    /// Returns the part of the character that a click at a pixel grabs.
    pub(super) fn under(&self, at: Vec2) -> Option<Hit> {
        if !self.contains(at) {
            return None;
        }
        let (camera, size) = (&self.viewport.camera, self.viewport.size);
        let beside = || pick_beside(self.puppet, camera, at, size, MARGIN * self.document.settings.scale);
        let hit = pick(self.puppet, camera, at, size, &self.pickable_nodes()).or_else(beside)?;
        Some(self.hips_behind(&hit, at).unwrap_or_else(|| self.resolve_finger(hit)))
    }

    /// Returns the hips if the pointer is on their dot, and the trunk far in front of the dot would be grabbed instead. This is so for an
    /// animal that is seen from the front.
    fn hips_behind(&self, hit: &Hit, at: Vec2) -> Option<Hit> {
        let body = self.puppet.rig.body.as_ref()?;
        let is_limb = body.limb_of(hit.node).is_some();
        let point = position(self.puppet, body.hips)?;
        let eye = self.viewport.ray(at)?.origin;
        let is_behind = point.distance(eye) > hit.point.distance(eye) + self.radius * FAR_BEHIND;
        let is_at = self.viewport.pixel(point)?.distance(at) < HANDLE_RADIUS;
        (self.document.settings.drag_scope == DragScope::Body
            && !hit.handle
            && !is_limb
            && is_behind
            && is_at)
            .then_some(Hit { node: body.hips, point, offset: DVec3::ZERO, handle: false })
    }

    /// Returns the nodes that take precedence over the skin: the chain ends and, if the skeleton is shown, all skin joints.
    fn pickable_nodes(&self) -> Vec<usize> {
        let mut nodes: Vec<usize> = self.handles().collect();
        if self.document.settings.display.skeleton {
            nodes.extend(self.puppet.character().skins.iter().flat_map(|s| &s.joints));
        }
        nodes
    }

    /// Returns the chain ends that can be dragged at the current distance.
    pub(crate) fn handles(self) -> impl Iterator<Item = usize> {
        let chains = &self.puppet.rig.chains;
        let is_hidden = move |node: usize| chains.iter().any(|c| c.effector == node && self.is_small(c));
        chains.iter().map(|chain| chain.effector).filter(move |&n| !is_hidden(n))
    }

    /// Replaces a hit on a finger that is too small with a hit on its hand.
    fn resolve_finger(&self, hit: Hit) -> Hit {
        let finger = self.puppet.rig.chains.iter().find(|c| c.joints.contains(&hit.node));
        let hand = finger.filter(|c| !hit.handle && self.is_small(c)).and_then(|c| self.hand_of(c));
        let world = hand.and_then(|hand| self.puppet.world_from_node().get(hand));
        let Some((node, world)) = hand.zip(world) else { return hit };
        let offset = world.inverse().transform_point3(hit.point).as_dvec3();
        if offset.is_finite() { Hit { node, offset, ..hit } } else { hit }
    }

    /// Returns whether a chain is a finger that is too small on screen.
    fn is_small(&self, chain: &Chain) -> bool {
        chain.kind == ChainKind::Finger
            && self.hand_of(chain).is_some()
            && self.screen_length(chain) < MIN_FINGER_POINTS * self.document.settings.scale
    }

    /// Returns the joint to which a finger is attached.
    fn hand_of(&self, finger: &Chain) -> Option<usize> {
        self.puppet.rig.above(&self.puppet.character().skeleton, finger.base)
    }

    /// Returns a chain's length on screen in pixels, as if it were straight and perpendicular to the line of sight.
    fn screen_length(&self, chain: &Chain) -> f32 {
        let positions: Vec<Vec3> = chain.joints.iter().filter_map(|&n| position(self.puppet, n)).collect();
        let length: f32 = positions.windows(2).map(|p| p[0].distance(p[1])).sum();
        let viewport = &self.viewport;
        let ends = || {
            let start = *positions.first()?;
            let up = viewport.ray(viewport.pixel(start)?)?.direction.any_orthonormal_vector() * length;
            Some(viewport.pixel(start)?.distance(viewport.pixel(start + up)?))
        };
        // A chain behind the camera is not visible.
        ends().unwrap_or(0.0)
    }
}

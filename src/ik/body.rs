//! What is to be posed: a tree of links.

use std::sync::Arc;

use glam::{DAffine3, DMat3, DQuat, DVec3};

use super::{Limit, SolveError};

/// One joint and the stretch to it from its parent. As in glTF,
/// `parent_from_link = translate(offset) · rotate(rotation) · scale(scale)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Index of the link that it hangs on, less than its own; `None` for the base.
    pub parent: Option<usize>,
    /// Where the joint is in its parent's frame.
    pub offset: DVec3,
    /// Rotation at rest.
    pub rest: DQuat,
    /// Scale of what hangs on the joint; one unless the file scales it. May be negative.
    pub scale: DVec3,
    /// How far it may turn.
    pub limit: Limit,
    /// How willingly it turns: 1 normally, 0 never.
    pub weight: f64,
    /// Whether the chain is walked against the skeleton here: the link's rotations, `rest` too, are then inverses of the
    /// joint's own. The limit is the joint's own all the same.
    pub reversed: bool,
}

impl Link {
    /// A link without a parent, at the origin, unturned at rest.
    pub fn base() -> Self {
        Self {
            parent: None,
            offset: DVec3::ZERO,
            rest: DQuat::IDENTITY,
            scale: DVec3::ONE,
            limit: Limit::Free,
            weight: 1.0,
            reversed: false,
        }
    }

    /// A link that hangs on another, unturned at rest.
    pub fn child(parent: usize, offset: DVec3) -> Self {
        Self { parent: Some(parent), offset, ..Self::base() }
    }

    /// The rotation next to one that its limit allows.
    pub fn nearest(&self, rotation: DQuat) -> DQuat {
        nearest(&self.limit, self.rest, self.reversed, rotation)
    }

    /// Radians by which a rotation goes beyond its limit.
    pub fn excess(&self, rotation: DQuat) -> f64 {
        self.limit.excess(own(self.rest, self.reversed, rotation))
    }

    /// What is wrong with its numbers.
    fn fault(&self) -> Option<&'static str> {
        let fields = [
            ("offset", self.offset.is_finite()),
            ("rest", self.rest.is_finite()),
            ("scale", self.scale.is_finite()),
            ("weight", self.weight.is_finite() && self.weight >= 0.0),
        ];
        let bad = fields.into_iter().find(|(_, good)| !good).map(|(what, _)| what);
        bad.or_else(|| self.limit.fault())
    }
}

/// A joint's own q = rest⁻¹ · local, whichever way its link is walked.
pub(super) fn own(rest: DQuat, reversed: bool, rotation: DQuat) -> DQuat {
    if reversed { rest * rotation.conjugate() } else { rest.conjugate() * rotation }
}

/// The rotation next to one that a limit allows.
pub(super) fn nearest(limit: &Limit, rest: DQuat, reversed: bool, rotation: DQuat) -> DQuat {
    if *limit == Limit::Free {
        return rotation;
    }
    let asked = own(rest, reversed, rotation);
    let given = limit.nearest(asked);
    if given == asked {
        rotation
    } else if reversed {
        given.conjugate() * rest
    } else {
        rest * given
    }
}

/// A tree of links, base first, every parent before its children, in some pose.
///
/// It lives in the space above its base, where a chain without scale is rigid; `world_from_base` leads out of there
/// and may be any invertible affine map, such as the ×100 that many files have above their skeleton.
#[derive(Clone, Debug)]
pub struct Body {
    links: Arc<[Link]>,
    rotations: Vec<DQuat>,
    /// The pose that [`Secondary::Posture`](super::Secondary::Posture) goes for; `None`: rest.
    posture: Option<Arc<[DQuat]>>,
    /// How far the base has been moved from its offset, base space.
    root: DVec3,
    world_from_base: DAffine3,
    base_from_world: DAffine3,
    world_from_base_rotation: DQuat,
    /// World metres in a metre of base space, where that is the same to all sides.
    even_scale: Option<f64>,
}

impl PartialEq for Body {
    fn eq(&self, other: &Self) -> bool {
        (Arc::ptr_eq(&self.links, &other.links) || self.links == other.links)
            && self.rotations == other.rotations
            && self.posture == other.posture
            && self.is_placed_as(other)
    }
}

impl Body {
    /// Checks the links; the pose is that of rest.
    ///
    /// # Errors
    /// [`SolveError`], naming the link, if there are none, if the order is wrong, if a number is not finite, or if
    /// `world_from_base` cannot be inverted.
    pub fn new(mut links: Vec<Link>, world_from_base: DAffine3) -> Result<Self, SolveError> {
        if links.is_empty() {
            return Err(SolveError::Empty);
        }
        for (index, link) in links.iter_mut().enumerate() {
            if !link.parent.map_or(index == 0, |parent| parent < index) {
                return Err(SolveError::Parent { link: index, parent: link.parent });
            }
            if let Some(what) = link.fault() {
                return Err(SolveError::Link { link: index, what });
            }
            link.rest = unit(link.rest);
        }
        let rotations = links.iter().map(|l| l.rest).collect();
        let mut body = Self {
            links: links.into(),
            rotations,
            posture: None,
            root: DVec3::ZERO,
            world_from_base: DAffine3::IDENTITY,
            base_from_world: DAffine3::IDENTITY,
            world_from_base_rotation: DQuat::IDENTITY,
            even_scale: Some(1.0),
        };
        let (_, rotation, _) = world_from_base.to_scale_rotation_translation();
        body.place(world_from_base, rotation)?;
        Ok(body)
    }

    /// Sets the way out of base space. `rotation`: the product of the rotations along it, by which orientations are
    /// told; it cannot be had from the matrix where that has uneven scale.
    ///
    /// # Errors
    /// [`SolveError::Singular`] if the map cannot be inverted; nothing has then changed.
    pub fn place(&mut self, world_from_base: DAffine3, rotation: DQuat) -> Result<(), SolveError> {
        let base_from_world = world_from_base.inverse();
        if !(world_from_base.is_finite() && base_from_world.is_finite() && rotation.is_finite()) {
            return Err(SolveError::Singular);
        }
        (self.world_from_base, self.base_from_world) = (world_from_base, base_from_world);
        self.world_from_base_rotation = unit(rotation);
        let [x, y, z] =
            [world_from_base.matrix3.x_axis, world_from_base.matrix3.y_axis, world_from_base.matrix3.z_axis];
        let scale = x.length();
        let small = 1e-9 * scale;
        let even = (y.length() - scale).abs() <= small && (z.length() - scale).abs() <= small;
        let across = x.dot(y).abs().max(y.dot(z).abs()).max(z.dot(x).abs()) <= small * scale;
        self.even_scale = Some(scale).filter(|_| even && across);
        Ok(())
    }

    /// The links, base first.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Shared with every body cloned from this one.
    pub(super) fn shape(&self) -> &Arc<[Link]> {
        &self.links
    }

    /// The links' local rotations, unit quaternions.
    pub fn rotations(&self) -> &[DQuat] {
        &self.rotations
    }

    /// How far the base was moved by a method that moves it, base space, metres.
    pub fn root(&self) -> DVec3 {
        self.root
    }

    /// Leads from the space above the base to the world.
    pub fn world_from_base(&self) -> DAffine3 {
        self.world_from_base
    }

    /// Leads from the world to the space above the base.
    pub(super) fn base_from_world(&self) -> DAffine3 {
        self.base_from_world
    }

    /// World metres in a metre of base space, where that is the same to all sides.
    pub(super) fn even_scale(&self) -> Option<f64> {
        self.even_scale
    }

    /// The product of rotations above the base.
    pub(super) fn world_from_base_rotation(&self) -> DQuat {
        self.world_from_base_rotation
    }

    /// Turns a link. The rotation is made a unit quaternion; a link that does not exist is left alone.
    pub fn set_rotation(&mut self, link: usize, rotation: DQuat) {
        if let Some(own) = self.rotations.get_mut(link).filter(|_| rotation.is_finite()) {
            *own = unit(rotation);
        }
    }

    /// Gives the posture that [`Secondary::Posture`](super::Secondary::Posture) goes for: local rotations, a link
    /// each. They are made unit quaternions; what is missing, or is no rotation, is at rest.
    pub fn set_posture(&mut self, rotations: &[DQuat]) {
        let given = |(i, l): (usize, &Link)| {
            let rotation = rotations.get(i).filter(|q| q.is_finite() && q.length_squared() > 0.0);
            rotation.map_or(l.rest, |q| unit(*q))
        };
        self.posture = Some(self.links.iter().enumerate().map(given).collect());
    }

    pub(super) fn posture(&self) -> Option<&Arc<[DQuat]>> {
        self.posture.as_ref()
    }

    /// All rotations at once; the caller has made them unit quaternions.
    pub(super) fn rotations_mut(&mut self) -> &mut Vec<DQuat> {
        &mut self.rotations
    }

    /// Moves the base, base space, metres.
    pub fn set_root(&mut self, root: DVec3) {
        if root.is_finite() {
            self.root = root;
        }
    }

    /// Back to rest, links that never turn left as they are.
    pub fn reset(&mut self) {
        for (rotation, link) in
            self.rotations.iter_mut().zip(self.links.iter()).filter(|(_, l)| l.weight > 0.0)
        {
            *rotation = link.rest;
        }
        self.root = DVec3::ZERO;
    }

    /// Whether no link that may turn is turned, nor the base moved.
    pub(super) fn is_at_rest(&self) -> bool {
        let turned = |(r, l): (&DQuat, &Link)| l.weight > 0.0 && r.dot(l.rest).abs() < 1.0 - 1e-12;
        self.root == DVec3::ZERO && !self.rotations.iter().zip(self.links.iter()).any(turned)
    }

    /// Whether both have the same way out of base space, and their bases at the same place.
    pub(super) fn is_placed_as(&self, other: &Self) -> bool {
        self.root == other.root
            && self.world_from_base == other.world_from_base
            && self.world_from_base_rotation == other.world_from_base_rotation
    }

    /// `parent_from_link`.
    fn parent_from_link(&self, index: usize) -> DAffine3 {
        let (link, rotation) = (&self.links[index], self.rotations[index]);
        let root = if link.parent.is_none() { self.root } else { DVec3::ZERO };
        let linear = DMat3::from_quat(rotation) * DMat3::from_diagonal(link.scale);
        DAffine3 { matrix3: linear, translation: link.offset + root }
    }

    /// `world_from_link` by forward kinematics; `None` for a link that does not exist.
    pub fn world_from_link(&self, link: usize) -> Option<DAffine3> {
        let mut parent = self.links.get(link)?.parent;
        let mut affine = self.parent_from_link(link);
        while let Some(above) = parent {
            affine = self.parent_from_link(above) * affine;
            parent = self.links[above].parent;
        }
        Some(self.world_from_base * affine)
    }

    /// A link's world orientation, the product of rotations; `None` for a link that does not exist.
    pub fn orientation(&self, link: usize) -> Option<DQuat> {
        let mut rotation = *self.rotations.get(link)?;
        let mut parent = self.links[link].parent;
        while let Some(above) = parent {
            rotation = self.rotations[above] * rotation;
            parent = self.links[above].parent;
        }
        Some(self.world_from_base_rotation * rotation)
    }
}

/// The unit quaternion along another; identity for zero.
pub(super) fn unit(q: DQuat) -> DQuat {
    let length = q.length();
    // A quaternion that is of unit length already keeps its bits.
    if (length - 1.0).abs() < 1e-15 {
        q
    } else if length > 0.0 && length.is_finite() {
        q / length
    } else {
        DQuat::IDENTITY
    }
}

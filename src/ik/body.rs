//! The body that a solver poses: a tree of links with a rotation for each link.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use glam::{DAffine3, DQuat, DVec3};

use super::figure::Figure;
use super::mimic::{CoupledLimits, coupled_limits};
use super::{Limit, Link, LinkIndex, SolveError};

mod figure;
mod jacobian;
mod placement;
mod same;
mod slide;

pub(super) use figure::Stance;
pub use jacobian::{Jacobian, JacobianColumn};

/// A rotation counts as the rest rotation if the dot product of the two is at least 1 minus this value.
const AT_REST: f64 = 1e-12;
/// A quaternion is not normalised if its length differs from 1 by less than this value.
const UNIT_LENGTH: f64 = 1e-15;

/// Identifies the values of a body's links. Bodies with the same shape have equal links, but bodies with equal links
/// may have different shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape(u64);

impl Shape {
    /// Returns a new shape, which no other body has.
    fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// A tree of links in a pose. The base comes first, and every parent precedes its children.
///
/// A body is defined in base space, the parent space of its base, in which a chain without scale is rigid.
/// `world_from_base` maps base space to the world. This map may be any invertible affine map. Many files, for example, have
/// a scale of 100 above their skeleton.
#[derive(Clone, Debug)]
pub struct Body {
    links: Arc<[Link]>,
    shape: Shape,
    rotations: Vec<DQuat>,
    /// Displacements of the links in metres. Empty if no joint is prismatic.
    displacements: Vec<f64>,
    /// The limits of the leaders that mimic joints follow.
    coupled_limits: Arc<CoupledLimits>,
    /// The pose that [`Secondary::Posture`](super::Secondary::Posture) pulls towards. `None` means the rest pose.
    posture: Option<Arc<[DQuat]>>,
    /// See [`Body::set_figure`].
    figure: Option<Arc<Figure>>,
    /// See [`Body::set_stance`].
    stance: Option<Stance>,
    /// Translation of the base from its offset, in base space.
    root: DVec3,
    world_from_base: DAffine3,
    base_from_world: DAffine3,
    world_from_base_rotation: DQuat,
    /// See [`Body::set_facing`].
    facing: DQuat,
    /// See [`Body::uniform_scale`].
    uniform_scale: Option<f64>,
}

impl PartialEq for Body {
    fn eq(&self, other: &Self) -> bool {
        (self.shape == other.shape || self.links == other.links)
            && self.rotations == other.rotations
            && self.displacements == other.displacements
            && self.posture == other.posture
            && self.figure == other.figure
            && self.stance == other.stance
            && self.facing == other.facing
            && self.is_placed_as(other)
    }
}

impl Body {
    /// Creates a body in its rest pose.
    ///
    /// ```
    /// use sinew_ik::glam::{DAffine3, DQuat, DVec3};
    /// use sinew_ik::{Body, Link, LinkIndex};
    ///
    /// // An arm of two bones, 0.3 m long each. The shoulder is 1.4 m above the ground.
    /// let bone = DVec3::X * 0.3;
    /// let links = vec![Link::base(), Link::child(LinkIndex(0), bone), Link::child(LinkIndex(1), bone)];
    /// let mut arm = Body::new(links, DAffine3::from_translation(DVec3::Y * 1.4))?;
    ///
    /// // The elbow bends by 90 degrees, so that the forearm points up.
    /// arm.set_rotation(LinkIndex(1), DQuat::from_rotation_z(90_f64.to_radians()));
    /// let hand = arm.world_from_link(LinkIndex(2)).ok_or("link 2 is missing")?;
    /// assert!(hand.translation.abs_diff_eq(DVec3::new(0.3, 1.7, 0.0), 1e-12));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`SolveError`] if there are no links, if a parent does not come before its link, if a link contains an invalid
    /// number, if a mimic joint cannot follow its leader, or if `world_from_base` cannot be inverted. An error about a link
    /// contains the link's index.
    pub fn new(mut links: Vec<Link>, world_from_base: DAffine3) -> Result<Self, SolveError> {
        if links.is_empty() {
            return Err(SolveError::Empty);
        }
        for (index, link) in links.iter_mut().enumerate() {
            if !link.parent.map_or(index == 0, |parent| parent.0 < index) {
                return Err(SolveError::Parent { link: LinkIndex(index), parent: link.parent });
            }
            if let Some(what) = link.invalid_field() {
                return Err(SolveError::Link { link: LinkIndex(index), what });
            }
            link.rest = unit(link.rest);
        }
        let rotations = links.iter().map(|l| l.rest).collect();
        let has_slides = links.iter().any(|l| matches!(l.limit, Limit::Prismatic { .. }));
        let coupled_limits = Arc::new(coupled_limits(&links)?);
        let mut body = Self {
            displacements: if has_slides { vec![0.0; links.len()] } else { Vec::new() },
            coupled_limits,
            links: links.into(),
            shape: Shape::new(),
            rotations,
            posture: None,
            figure: None,
            stance: None,
            root: DVec3::ZERO,
            world_from_base: DAffine3::IDENTITY,
            base_from_world: DAffine3::IDENTITY,
            world_from_base_rotation: DQuat::IDENTITY,
            facing: DQuat::IDENTITY,
            uniform_scale: Some(1.0),
        };
        let (_, rotation, _) = world_from_base.to_scale_rotation_translation();
        body.place(world_from_base, rotation)?;
        body.facing = body.world_from_base_rotation.conjugate();
        Ok(body)
    }

    /// Sets the offset and the scale of every link. `geometry` returns both for the index of a link. The pose does not
    /// change.
    ///
    /// Allocates nothing, unless the links are shared with a clone of the body.
    ///
    /// # Errors
    /// [`SolveError::Link`] for the first link with a value that is not finite. The body is then unchanged.
    pub fn set_geometry(&mut self, geometry: impl Fn(LinkIndex) -> (DVec3, DVec3)) -> Result<(), SolveError> {
        let bits = |v: DVec3| [v.x.to_bits(), v.y.to_bits(), v.z.to_bits()];
        let mut changed = false;
        for (index, link) in self.links.iter().enumerate() {
            let (offset, scale) = geometry(LinkIndex(index));
            let fields = [("offset", offset), ("scale", scale)];
            if let Some((what, _)) = fields.into_iter().find(|(_, value)| !value.is_finite()) {
                return Err(SolveError::Link { link: LinkIndex(index), what });
            }
            changed |= bits(offset) != bits(link.offset) || bits(scale) != bits(link.scale);
        }
        if changed {
            self.shape = Shape::new();
            for (index, link) in Arc::make_mut(&mut self.links).iter_mut().enumerate() {
                (link.offset, link.scale) = geometry(LinkIndex(index));
            }
        }
        Ok(())
    }

    /// Returns the links, base first. The place of a link is its [`LinkIndex`].
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    pub(super) fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns the local rotations of the links as unit quaternions.
    pub fn rotations(&self) -> &[DQuat] {
        &self.rotations
    }

    /// Returns the translation by which a method has moved the base, in metres in base space.
    pub fn root(&self) -> DVec3 {
        self.root
    }

    /// Returns the map from base space to the world.
    pub fn world_from_base(&self) -> DAffine3 {
        self.world_from_base
    }

    pub(super) fn base_from_world(&self) -> DAffine3 {
        self.base_from_world
    }

    /// Returns the product of the rotations above the base.
    pub(super) fn world_from_base_rotation(&self) -> DQuat {
        self.world_from_base_rotation
    }

    /// Normalises a rotation and assigns it to a link. Does nothing if the link does not exist or the rotation is not
    /// finite.
    #[inline]
    pub fn set_rotation(&mut self, link: LinkIndex, rotation: DQuat) {
        if let Some(own) = self.rotations.get_mut(link.0).filter(|_| rotation.is_finite()) {
            *own = unit(rotation);
        }
    }

    /// Returns the limits of leaders, narrowed to the ranges that their mimic joints allow.
    pub(super) fn coupled_limits(&self) -> &CoupledLimits {
        &self.coupled_limits
    }

    /// Returns the limit of a link. The limit of a leader is narrowed to the range that its followers allow.
    #[inline]
    pub(super) fn coupled_limit(&self, index: usize) -> Limit {
        if self.coupled_limits.is_empty() {
            return self.links[index].limit;
        }
        let place = self.coupled_limits.binary_search_by_key(&index, |(leader, _)| *leader);
        place.map_or(self.links[index].limit, |place| self.coupled_limits[place].1)
    }

    /// Sets the posture that [`Secondary::Posture`](super::Secondary::Posture) pulls towards, as one local rotation per
    /// link. The rotations are normalised. A rotation that is missing, zero or not finite is replaced by the rest
    /// rotation.
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

    /// Returns the local rotations for writing. The caller must write unit quaternions.
    pub(super) fn rotations_mut(&mut self) -> &mut Vec<DQuat> {
        &mut self.rotations
    }

    /// Sets the translation of the base, in metres in base space. Does nothing if the vector is not finite.
    pub fn set_root(&mut self, root: DVec3) {
        if root.is_finite() {
            self.root = root;
        }
    }

    /// Resets the body to its rest pose. Links of weight zero keep their rotation.
    pub fn reset(&mut self) {
        for (rotation, link) in
            self.rotations.iter_mut().zip(self.links.iter()).filter(|(_, l)| l.weight > 0.0)
        {
            *rotation = link.rest;
        }
        for (displacement, _) in
            self.displacements.iter_mut().zip(self.links.iter()).filter(|(_, l)| l.weight > 0.0)
        {
            *displacement = 0.0;
        }
        self.root = DVec3::ZERO;
    }

    /// Returns whether the base and all links that may rotate are in the rest pose.
    pub(super) fn is_at_rest(&self) -> bool {
        let turned = |(r, l): (&DQuat, &Link)| l.weight > 0.0 && r.dot(l.rest).abs() < 1.0 - AT_REST;
        let moved = |(d, l): (&f64, &Link)| l.weight > 0.0 && *d != 0.0;
        self.root == DVec3::ZERO
            && !self.rotations.iter().zip(self.links.iter()).any(turned)
            && !self.displacements.iter().zip(self.links.iter()).any(moved)
    }
}

/// Returns the normalised quaternion, or the identity if its length is zero or not finite.
#[inline]
pub(super) fn unit(q: DQuat) -> DQuat {
    let length = q.length();
    if (length - 1.0).abs() < UNIT_LENGTH {
        q
    } else if length > 0.0 && length.is_finite() {
        q / length
    } else {
        DQuat::IDENTITY
    }
}

//! The links of a body.

use glam::{DQuat, DVec3};

use sinew_base::api::with_methods;

use super::{Limit, LinkIndex};

/// A scale counts as uniform if its components differ by at most this fraction of the largest. Single precision rounds
/// to 6e-8, and a few products of such numbers stay below this bound.
const UNEVENNESS: f64 = 1e-6;

/// A joint and its offset from its parent. As in glTF,
/// `parent_from_link = translate(offset) · rotate(rotation) · scale(scale)`. A [prismatic](Limit::Prismatic) joint adds
/// its displacement to the offset.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Link {
    /// Index of the parent link, which must be less than the index of this link. `None` for the base.
    pub parent: Option<LinkIndex>,
    /// Position of the joint in its parent's frame.
    pub offset: DVec3,
    /// Local rotation in the rest pose.
    pub rest: DQuat,
    /// Scale of the link and everything below it, one by default. May be negative.
    pub scale: DVec3,
    /// The type of the joint, and the range of its rotation or displacement.
    pub limit: Limit,
    /// The joint that this joint follows, or `None` if the joint moves independently.
    pub mimic: Option<Mimic>,
    /// How readily the joint turns relative to other joints. The default is 1, and a joint of weight 0 never turns.
    pub weight: f64,
    /// Maximum rotation of the joint in one solve by [`Method::Ccd`](super::Method::Ccd), in radians. Applies in addition to
    /// [`CcdOptions::budget`](super::CcdOptions::budget). Infinite by default. If it is 0, the joint never turns. This is the per-joint
    /// rotation limit of Unreal Engine's CCDIK node.
    pub ccd_budget: f64,
    /// Whether the link leads from a joint to its parent in the skeleton. The rotations of the link, `rest` included, are
    /// then the inverses of the joint's rotations. The limit still applies to the joint's own rotation.
    pub reversed: bool,
}

with_methods!(Link {
    with_parent(parent: impl Into<Option<LinkIndex>>),
    with_offset(offset: DVec3),
    with_rest(rest: DQuat),
    with_scale(scale: DVec3),
    with_limit(limit: Limit),
    with_mimic(mimic: impl Into<Option<Mimic>>),
    with_weight(weight: f64),
    with_ccd_budget(ccd_budget: f64),
    with_reversed(reversed: bool),
});

impl Link {
    /// Returns a link without a parent, at the origin, with the identity as its rest rotation.
    pub fn base() -> Self {
        Self {
            parent: None,
            offset: DVec3::ZERO,
            rest: DQuat::IDENTITY,
            scale: DVec3::ONE,
            limit: Limit::Free,
            mimic: None,
            weight: 1.0,
            ccd_budget: f64::INFINITY,
            reversed: false,
        }
    }

    /// Returns a link below another link, with the identity as its rest rotation.
    pub fn child(parent: LinkIndex, offset: DVec3) -> Self {
        Self { parent: Some(parent), offset, ..Self::base() }
    }

    /// Returns the rotation within the limit that is nearest to a given rotation.
    ///
    /// ```
    /// use sinew_ik::glam::{DQuat, DVec3};
    /// use sinew_ik::{Limit, Link};
    ///
    /// // A limit is relative to the rest rotation of the link.
    /// let rest = DQuat::from_rotation_x(0.5);
    /// let knee = Link::base().with_rest(rest).with_limit(Limit::hinge(DVec3::X, 0.0..=1.0));
    /// let nearest = knee.nearest(DQuat::from_rotation_x(2.0));
    /// assert!(nearest.abs_diff_eq(DQuat::from_rotation_x(1.5), 1e-12));
    /// ```
    #[inline]
    pub fn nearest(&self, rotation: DQuat) -> DQuat {
        nearest(&self.limit, self.rest, self.reversed, rotation)
    }

    /// Returns the angle in radians from a rotation to the nearest allowed rotation.
    pub fn limit_violation(&self, rotation: DQuat) -> f64 {
        self.limit.limit_violation(own(self.rest, self.reversed, rotation))
    }

    /// Returns whether a rotation is within `margin` radians of the border of the limit, or beyond it.
    pub fn is_at_border(&self, rotation: DQuat, margin: f64) -> bool {
        self.limit.is_at_border(own(self.rest, self.reversed, rotation), margin)
    }

    /// Returns the index of the parent link as a plain number, for loops over slices of links.
    pub(super) fn parent_index(&self) -> Option<usize> {
        self.parent.map(|parent| parent.0)
    }

    /// Returns the translation of a prismatic joint per metre of displacement, in its parent's frame: a unit vector. Returns
    /// `None` for other joints.
    ///
    /// A reversed link leads from the joint to its parent, so the displacement moves the link's origin in the opposite
    /// direction.
    pub(super) fn slide_axis(&self) -> Option<DVec3> {
        let Limit::Prismatic { axis, .. } = self.limit else { return None };
        Some(if self.reversed { -axis } else { self.rest * axis })
    }

    /// Returns whether the absolute scale is uniform up to rounding errors.
    #[inline]
    pub(super) fn is_scaled_evenly(&self) -> bool {
        let sizes = self.scale.abs();
        sizes.max_element() - sizes.min_element() <= UNEVENNESS * sizes.max_element()
    }

    /// Returns the name of the first field with an invalid number.
    pub(super) fn invalid_field(&self) -> Option<&'static str> {
        let fields = [
            ("offset", self.offset.is_finite()),
            ("rest", self.rest.is_finite()),
            ("scale", self.scale.is_finite()),
            ("weight", self.weight.is_finite() && self.weight >= 0.0),
            ("ccd_budget", self.ccd_budget >= 0.0),
        ];
        let invalid = fields.into_iter().find(|(_, valid)| !valid).map(|(what, _)| what);
        invalid.or_else(|| self.limit.validate().err())
    }
}

/// How a joint follows another joint: `ratio · leader + offset`.
///
/// Both joints must be hinges, or both must be prismatic. The value of a hinge is its angle from rest in radians, and the
/// value of a prismatic joint is its displacement in metres. The leader of a mimic joint turns by less than π from the
/// middle of its range, and only as far as its followers' own limits allow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mimic {
    /// Index of the leader's link. The leader must not be a mimic joint itself.
    pub of: LinkIndex,
    /// Factor of the leader's value. This is the `multiplier` of URDF.
    pub ratio: f64,
    /// Offset that is added to the product, in radians or metres. This is the `offset` of URDF.
    pub offset: f64,
}

/// Returns the indices of links with their parents. Every parent comes before its children.
pub(super) fn parents(links: &[Link]) -> impl ExactSizeIterator<Item = (usize, Option<usize>)> {
    links.iter().map(Link::parent_index).enumerate()
}

/// Returns a joint's own rotation from rest, q = rest⁻¹ · local, for either direction of its link.
#[inline]
pub(super) fn own(rest: DQuat, reversed: bool, rotation: DQuat) -> DQuat {
    if reversed { rest * rotation.conjugate() } else { rest.conjugate() * rotation }
}

/// Returns the rotation within a limit that is nearest to a given rotation.
#[inline]
pub(super) fn nearest(limit: &Limit, rest: DQuat, reversed: bool, rotation: DQuat) -> DQuat {
    if *limit == Limit::Free {
        return rotation;
    }
    let wanted = own(rest, reversed, rotation);
    let allowed = limit.nearest(wanted);
    if allowed == wanted {
        rotation
    } else if reversed {
        allowed.conjugate() * rest
    } else {
        rest * allowed
    }
}

//! What is to be posed: a tree of links.

use glam::{DAffine3, DMat3, DQuat, DVec3};

use super::SolveError;

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
    /// Rotation now.
    pub rotation: DQuat,
    /// Scale of what hangs on the joint; one unless the file scales it. May be negative.
    pub scale: DVec3,
    /// How willingly it turns: 1 normally, 0 never.
    pub weight: f64,
}

impl Link {
    /// A link without a parent, at the origin, unturned.
    pub fn base() -> Self {
        Self {
            parent: None,
            offset: DVec3::ZERO,
            rest: DQuat::IDENTITY,
            rotation: DQuat::IDENTITY,
            scale: DVec3::ONE,
            weight: 1.0,
        }
    }

    /// A link that hangs on another, unturned.
    pub fn child(parent: usize, offset: DVec3) -> Self {
        Self { parent: Some(parent), offset, ..Self::base() }
    }

    /// `parent_from_link`.
    pub(super) fn to_affine(self) -> DAffine3 {
        let linear = DMat3::from_quat(self.rotation) * DMat3::from_diagonal(self.scale);
        DAffine3 { matrix3: linear, translation: self.offset }
    }
}

/// A tree of links, base first, every parent before its children.
///
/// It lives in the space above its base, where a chain without scale is rigid; `world_from_base` leads out of there
/// and may be any invertible affine map, such as the ×100 that many files have above their skeleton.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    links: Vec<Link>,
    world_from_base: DAffine3,
    base_from_world: DAffine3,
}

impl Body {
    /// Checks the links and makes their rotations unit quaternions (identity for zero).
    ///
    /// # Errors
    /// [`SolveError`], naming the link, if there are none, if the order is wrong, if a number is not finite, or if
    /// `world_from_base` cannot be inverted.
    pub fn new(mut links: Vec<Link>, world_from_base: DAffine3) -> Result<Self, SolveError> {
        if links.is_empty() {
            return Err(SolveError::Empty);
        }
        for (index, link) in links.iter_mut().enumerate() {
            let in_order = link.parent.map_or(index == 0, |parent| parent < index);
            if !in_order {
                return Err(SolveError::Parent { link: index, parent: link.parent });
            }
            let fields = [
                ("offset", link.offset.is_finite()),
                ("rest", link.rest.is_finite()),
                ("rotation", link.rotation.is_finite()),
                ("scale", link.scale.is_finite()),
                ("weight", link.weight.is_finite()),
            ];
            if let Some((what, _)) = fields.into_iter().find(|(_, finite)| !finite) {
                return Err(SolveError::Link { link: index, what });
            }
            link.rest = unit(link.rest);
            link.rotation = unit(link.rotation);
        }
        let base_from_world = world_from_base.inverse();
        if !(world_from_base.is_finite() && base_from_world.is_finite()) {
            return Err(SolveError::Singular);
        }
        Ok(Self { links, world_from_base, base_from_world })
    }

    /// The links, base first.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Leads from the space above the base to the world.
    pub fn world_from_base(&self) -> DAffine3 {
        self.world_from_base
    }

    /// Leads from the world to the space above the base.
    pub(super) fn base_from_world(&self) -> DAffine3 {
        self.base_from_world
    }

    /// Turns a link. The rotation is made a unit quaternion; a link that does not exist is left alone.
    pub fn set_rotation(&mut self, link: usize, rotation: DQuat) {
        if let Some(link) = self.links.get_mut(link).filter(|_| rotation.is_finite()) {
            link.rotation = unit(rotation);
        }
    }

    /// `world_from_link` by forward kinematics; `None` for a link that does not exist.
    pub fn world_from_link(&self, link: usize) -> Option<DAffine3> {
        let mut affine = self.links.get(link)?.to_affine();
        let mut parent = self.links.get(link)?.parent;
        while let Some(above) = parent.and_then(|p| self.links.get(p)) {
            affine = above.to_affine() * affine;
            parent = above.parent;
        }
        Some(self.world_from_base * affine)
    }
}

/// The unit quaternion along another; identity for zero.
fn unit(q: DQuat) -> DQuat {
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

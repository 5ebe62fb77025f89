//! The parts of a figure, such as a person or an animal, for [`Method::FullBody`](super::Method::FullBody).

use glam::DVec3;
use sinew_base::api::Missing;

use super::{Link, LinkIndex, SolveError};

/// The parts of a figure, as links of a [`Body`](super::Body) whose base is the hips.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FigureParts {
    /// Position of the hips in the upright rest pose, in the world. `None` means the base's position.
    pub hips: Option<DVec3>,
    /// The links of the back, from the link above the hips to the chest.
    pub spine: Vec<LinkIndex>,
    /// The links from the link above the chest to the head, including both.
    pub neck: Vec<LinkIndex>,
    /// Arms, legs and wings.
    pub limbs: Vec<LimbParts>,
    /// Height of the floor in the world, in metres. `None` if there is no floor.
    pub floor: Option<f64>,
    /// Size of the figure relative to a person of 1.75 m. The solver's constant lengths are scaled by this factor.
    pub size: f64,
    /// Capsules of a person's body, which limbs must not penetrate. A link without capsules uses the capsules of a person of the figure's
    /// size.
    pub capsules: Vec<BodyCapsule>,
    /// Points of the skin: links, and positions in the frames of these links. With `full_body.clear`, these points stay above the floor.
    /// If there are none, the ends of the capsules stay above the floor instead.
    pub skin: Vec<(LinkIndex, DVec3)>,
}

/// Capsules are fitted to the middle of the flesh. Bodies are soft, so capsules may overlap by this fraction of the smaller radius.
pub const SOFT_PART: f64 = 0.5;

/// A part of a body for collisions: a segment with a radius, which moves with a link. A link may have several capsules.
///
/// In a [`CollisionModel`](crate::CollisionModel), any link may have capsules. In a figure, capsules belong to the parts of a person.
/// Capsules of the hips, the back, the neck, the head and the collars belong to the trunk. Forearms and hands cannot
/// penetrate the trunk, legs or the other arm. Legs cannot penetrate each other. With `full_body.clear`, shins cannot
/// penetrate the trunk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyCapsule {
    /// The link that carries the capsule. In a figure, it must belong to a part of the figure.
    pub link: LinkIndex,
    /// The ends of the segment in the frame of the link and in the units of that frame.
    pub ends: [DVec3; 2],
    /// The radius in world metres. Must be positive.
    pub radius: f64,
}

/// A limb of a figure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LimbParts {
    /// The links between the trunk and the limb, such as a collarbone.
    pub collar: Vec<LinkIndex>,
    /// The links from the shoulder or the hip to the hand or the foot, including both. A limb must have at least three links.
    pub joints: Vec<LinkIndex>,
    /// Whether the limb is an arm. The elbow of an arm points down while the hand is in front.
    pub is_arm: bool,
    /// Links below the end that must stay above the floor.
    pub digits: Vec<LinkIndex>,
    /// Unit direction in base space in which the middle of the limb bends in the rest pose.
    pub bend: DVec3,
    /// How strongly the limb pulls on the trunk, from 0 (not at all) to 1.
    pub pull: f64,
    /// Whether the limb is a leg that stands on the floor in the rest pose.
    pub stands: bool,
    /// The sole of a leg that stands. If it is `None`, the foot has the size of a person's foot.
    pub sole: Option<Sole>,
}

/// The extent of a foot's sole in the rest pose, in world metres. Lengths are measured from the ankle along the horizontal direction in
/// which the body faces, and the width is measured from the middle of the foot to each side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sole {
    /// Forward distance from the ankle to the end of the heel. It is negative if the end is behind the ankle.
    pub heel: f64,
    /// Forward distance from the ankle to the end of the toes.
    pub toe: f64,
    /// Half the width of the foot.
    pub half_width: f64,
}

/// The parts of a figure, prepared for solving. See [`Body::set_figure`].
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Figure {
    pub(super) parts: FigureParts,
    /// The part that each link belongs to.
    pub(super) roles: Vec<FigurePart>,
}

/// The part of a figure that a link belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FigurePart {
    /// The hips.
    Hips,
    /// The back.
    Spine,
    /// The neck or the head.
    Neck,
    /// The collar of a limb. Contains the index of the limb.
    Collar(usize),
    /// A joint of a limb: the index of the limb, and the index of the joint in the limb.
    Limb(usize, usize),
    /// Any other link. Such a link never turns.
    Other,
}

impl Figure {
    /// Prepares the parts of a figure for the links of a body.
    ///
    /// # Errors
    /// [`SolveError::Missing`] if a link does not exist, and [`SolveError::Figure`] if a link occurs twice, if a limb has fewer than three
    /// joints, if a link is not below the part that it belongs to, or if a number is invalid.
    pub(super) fn new(links: &[Link], parts: FigureParts) -> Result<Self, SolveError> {
        let mut roles = vec![FigurePart::Other; links.len()];
        let mut take = |link: LinkIndex, part: FigurePart| {
            let missing = || Box::new(Missing::index_in("the body", "link", link.0, links.len()));
            let role = roles.get_mut(link.0).ok_or_else(missing)?;
            let is_free = *role == FigurePart::Other;
            *role = part;
            if is_free { Ok(()) } else { Err(SolveError::Figure { link, what: "occurs twice" }) }
        };
        take(LinkIndex(0), FigurePart::Hips)?;
        let is_size = parts.size.is_finite() && parts.size > 0.0;
        if !is_size
            || parts.hips.is_some_and(|hips| !hips.is_finite())
            || parts.floor.is_some_and(|floor| !floor.is_finite())
        {
            return Err(SolveError::Figure {
                link: LinkIndex(0),
                what: "has a size, a place or a floor that is not a valid number",
            });
        }
        for limb in &parts.limbs {
            if !(0.0..=1.0).contains(&limb.pull) {
                let link = limb.joints.first().copied().unwrap_or_default();
                return Err(SolveError::Figure { link, what: "begins a limb whose pull is not from 0 to 1" });
            }
        }
        parts.spine.iter().try_for_each(|&l| take(l, FigurePart::Spine))?;
        parts.neck.iter().try_for_each(|&l| take(l, FigurePart::Neck))?;
        for (index, limb) in parts.limbs.iter().enumerate() {
            limb.collar.iter().try_for_each(|&l| take(l, FigurePart::Collar(index)))?;
            limb.joints.iter().enumerate().try_for_each(|(i, &l)| take(l, FigurePart::Limb(index, i)))?;
            if limb.joints.len() < 3 {
                let link = limb.joints.first().copied().unwrap_or_default();
                return Err(SolveError::Figure { link, what: "begins a limb of fewer than three joints" });
            }
        }
        for capsule in &parts.capsules {
            let is_part = roles.get(capsule.link.0).is_some_and(|role| *role != FigurePart::Other);
            let is_valid = capsule.ends.iter().all(|end| end.is_finite())
                && capsule.radius.is_finite()
                && capsule.radius > 0.0;
            if !(is_part && is_valid) {
                let what = if is_part {
                    "has an invalid capsule"
                } else {
                    "has a capsule, but is no part of the figure"
                };
                return Err(SolveError::Figure { link: capsule.link, what });
            }
        }
        if let Some((link, _)) = parts.skin.iter().find(|(link, at)| link.0 >= links.len() || !at.is_finite())
        {
            return Err(SolveError::Figure { link: *link, what: "has an invalid point of the skin" });
        }
        let figure = Self { parts, roles };
        figure.check_order(links)?;
        Ok(figure)
    }

    /// Returns the link that carries the front limbs: the last link of the spine, or the hips.
    pub(super) fn chest(&self) -> usize {
        self.parts.spine.last().map_or(0, |link| link.0)
    }

    /// Returns whether the figure is built like a person: two arms and two legs.
    pub(super) fn is_person(&self) -> bool {
        let arms = self.parts.limbs.iter().filter(|limb| limb.is_arm).count();
        arms == 2 && self.parts.limbs.len() == 4
    }

    pub(super) fn part(&self, link: usize) -> Option<FigurePart> {
        self.roles.get(link).copied().filter(|part| *part != FigurePart::Other)
    }

    /// Checks that each link of a chain is a descendant of the previous link.
    fn check_order(&self, links: &[Link]) -> Result<(), SolveError> {
        let above = |link: LinkIndex| std::iter::successors(links[link.0].parent, |l| links[l.0].parent);
        let check = |chain: &[LinkIndex]| {
            let below = |pair: &[LinkIndex]| above(pair[1]).any(|l| l == pair[0]);
            let wrong = chain.windows(2).find(|pair| !below(pair));
            wrong.map_or(Ok(()), |pair| {
                Err(SolveError::Figure { link: pair[1], what: "is not below its part" })
            })
        };
        let FigureParts { spine, neck, limbs, .. } = &self.parts;
        check(spine)?;
        check(neck)?;
        for limb in limbs {
            check(&limb.collar)?;
            check(&limb.joints)?;
            for &digit in &limb.digits {
                let end = limb.joints.last().copied().unwrap_or_default();
                if digit.0 >= links.len() || !above(digit).any(|l| l == end) {
                    return Err(SolveError::Figure { link: digit, what: "is not below its part" });
                }
            }
        }
        Ok(())
    }
}

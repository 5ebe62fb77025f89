//! The parts of a figure, such as a person or an animal, for [`Method::FullBody`](super::Method::FullBody).

use std::f64::consts::PI;

use glam::{DQuat, DVec3};

use super::rotation::any_perpendicular;
use super::{Limit, Link, SolveError};

/// Largest bend of a joint inside a limb that has no hinge limit, measured from straight, radians.
const MAX_BEND: f64 = 155.0 * PI / 180.0;
/// How far such a joint may bend the wrong way, radians.
const OVERBEND: f64 = 3.0 * PI / 180.0;
/// Two bones whose angle has at least this sine determine the axis of the joint between them.
const BENT: f64 = 0.05;

/// The parts of a figure, as links of a [`Body`](super::Body) whose base is the hips.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FigureParts {
    /// Position of the hips at rest in base space. `None` means the offset of the base.
    pub hips: Option<DVec3>,
    /// The links of the back from above the hips to the chest.
    pub spine: Vec<usize>,
    /// The links from above the chest to the head, both included.
    pub neck: Vec<usize>,
    /// Arms, legs and wings.
    pub limbs: Vec<LimbParts>,
    /// Height of the floor in the world, metres. `None` if there is no floor.
    pub floor: Option<f64>,
    /// Size relative to a person of 1.75 m, to which lengths are compared.
    pub size: f64,
}

/// A limb of a figure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LimbParts {
    /// The links between the trunk and the limb, such as a collarbone.
    pub collar: Vec<usize>,
    /// The links from the shoulder or the hip to the hand or the foot, both included. At least three.
    pub joints: Vec<usize>,
    /// Whether it is an arm, whose elbow points down while the hand is in front.
    pub is_arm: bool,
    /// Links below the end that must stay above the floor.
    pub digits: Vec<usize>,
    /// Unit direction in base space in which the middle of the limb bends at rest.
    pub bend: DVec3,
    /// How strongly the limb pulls on the trunk, from 0 (not at all) to 1.
    pub pull: f64,
    /// Whether the limb is a leg that stands on the floor at rest.
    pub stands: bool,
    /// The sole of such a leg. Without it, a foot has the size of a person's.
    pub sole: Option<Sole>,
}

/// The sole of a foot at rest, in metres of the world: how far it reaches from the ankle along the horizontal direction in which the body
/// faces, and to each side of its middle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sole {
    /// The end of the heel. Behind the ankle it is negative.
    pub heel: f64,
    /// The end of the toes.
    pub toe: f64,
    /// Half the width.
    pub half_width: f64,
}

/// The parts of a figure, prepared for solving. See [`Body::set_figure`].
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Figure {
    pub(super) parts: FigureParts,
    /// For each limb, the joints between its first and its last.
    pub(super) hinges: Vec<Vec<LimbHinge>>,
    /// The part that each link belongs to.
    pub(super) roles: Vec<Part>,
    /// For each link, the last link with a role at or above it.
    pub(super) carriers: Vec<usize>,
    /// All links above a limb or the head, parents first.
    pub(super) trunk: Vec<usize>,
    /// For each limb, the link of the trunk that carries it, and the rotation from the space of the figure (+Y up, +Z to
    /// its front) to that link at rest.
    pub(super) carriages: Vec<(usize, DQuat)>,
    /// For each limb, its first joint and all links below it, parents first.
    pub(super) below: Vec<Vec<usize>>,
}

/// The part of a figure that a link belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The hips.
    Hips,
    /// The back.
    Spine,
    /// The neck or the head.
    Neck,
    /// The collar of a limb, by index.
    Collar(usize),
    /// A joint of a limb: the index of the limb, and that of the joint in it.
    Limb(usize, usize),
    /// Anything else, which never turns.
    Other,
}

/// The axis of a joint inside a limb.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LimbHinge {
    /// Unit axis in the joint's rest frame.
    pub(super) axis: DVec3,
    /// Minimum and maximum angle, radians.
    pub(super) range: [f64; 2],
}

impl Figure {
    /// Prepares the parts of a figure for the links of a body. `facing`: see [`Body::set_facing`](super::Body::set_facing).
    ///
    /// # Errors
    /// [`SolveError::Figure`] if a link does not exist or occurs twice, if a limb has fewer than three joints, if a link
    /// is not below the part that it belongs to, or if a number is invalid.
    pub(super) fn new(links: &[Link], facing: DQuat, parts: FigureParts) -> Result<Self, SolveError> {
        let mut roles = vec![Part::Other; links.len()];
        let mut take = |link: usize, part: Part| {
            let role = roles.get_mut(link).ok_or(SolveError::Figure { link, what: "does not exist" })?;
            let is_free = *role == Part::Other;
            *role = part;
            if is_free { Ok(()) } else { Err(SolveError::Figure { link, what: "occurs twice" }) }
        };
        take(0, Part::Hips)?;
        let is_size = parts.size.is_finite() && parts.size > 0.0;
        if !is_size
            || parts.hips.is_some_and(|hips| !hips.is_finite())
            || parts.floor.is_some_and(|floor| !floor.is_finite())
        {
            return Err(SolveError::Figure {
                link: 0,
                what: "has a size, a place or a floor that is not a valid number",
            });
        }
        for limb in &parts.limbs {
            if !(0.0..=1.0).contains(&limb.pull) {
                let link = limb.joints.first().copied().unwrap_or_default();
                return Err(SolveError::Figure { link, what: "begins a limb whose pull is not from 0 to 1" });
            }
        }
        parts.spine.iter().try_for_each(|&l| take(l, Part::Spine))?;
        parts.neck.iter().try_for_each(|&l| take(l, Part::Neck))?;
        for (index, limb) in parts.limbs.iter().enumerate() {
            limb.collar.iter().try_for_each(|&l| take(l, Part::Collar(index)))?;
            limb.joints.iter().enumerate().try_for_each(|(i, &l)| take(l, Part::Limb(index, i)))?;
            if limb.joints.len() < 3 {
                let link = limb.joints.first().copied().unwrap_or_default();
                return Err(SolveError::Figure { link, what: "begins a limb of fewer than three joints" });
            }
        }
        let mut carriers: Vec<usize> = (0..links.len()).collect();
        for (link, role) in roles.iter().enumerate() {
            if *role == Part::Other {
                carriers[link] = links[link].parent.map_or(0, |p| carriers[p]);
            }
        }
        let (hinges, carriages, below) = (Vec::new(), Vec::new(), Vec::new());
        let figure = Self { trunk: trunk(links, &parts), hinges, carriages, below, parts, roles, carriers };
        figure.check_order(links)?;
        let rest = RestPose::new(links);
        let hinges = figure.parts.limbs.iter().map(|limb| rest.hinges(links, limb)).collect();
        let carriage = |limb: &LimbParts| {
            let first = limb.collar.first().or(limb.joints.first()).copied().unwrap_or_default();
            let link = links[first].parent.unwrap_or(0);
            (link, rest.rotations[link].conjugate() * facing)
        };
        let carriages = figure.parts.limbs.iter().map(carriage).collect();
        let below = figure.parts.limbs.iter().map(|limb| links_below(links, limb)).collect();
        Ok(Self { hinges, carriages, below, ..figure })
    }

    /// Returns the link that carries the front limbs.
    pub(super) fn chest(&self) -> usize {
        self.parts.spine.last().copied().unwrap_or(0)
    }

    /// Returns whether the figure is built like a person: two arms and two legs.
    pub(super) fn is_person(&self) -> bool {
        let arms = self.parts.limbs.iter().filter(|limb| limb.is_arm).count();
        arms == 2 && self.parts.limbs.len() == 4
    }

    /// Returns the part of a link, if it has one.
    pub(super) fn part(&self, link: usize) -> Option<Part> {
        self.roles.get(link).copied().filter(|part| *part != Part::Other)
    }

    /// Checks that the links of each chain follow each other downwards.
    fn check_order(&self, links: &[Link]) -> Result<(), SolveError> {
        let above = |link: usize| std::iter::successors(links[link].parent, |&l| links[l].parent);
        let check = |chain: &[usize]| {
            let below = |pair: &[usize]| above(pair[1]).any(|l| l == pair[0]);
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
                if digit >= links.len() || !above(digit).any(|l| l == end) {
                    return Err(SolveError::Figure { link: digit, what: "is not below its part" });
                }
            }
        }
        Ok(())
    }
}

/// Returns all links above a limb or the head, parents first.
fn trunk(links: &[Link], parts: &FigureParts) -> Vec<usize> {
    let mut is_trunk = vec![false; links.len()];
    let starts = parts.limbs.iter().filter_map(|l| l.joints.first());
    for &start in starts.chain(parts.neck.last()).chain(parts.spine.last()) {
        let mut next = (start < links.len()).then_some(start);
        while let Some(link) = next.filter(|&l| !is_trunk[l]) {
            is_trunk[link] = true;
            next = links[link].parent;
        }
    }
    (0..links.len()).filter(|&l| l == 0 || is_trunk[l]).collect()
}

/// Returns the first joint of a limb and all links below it, parents first.
fn links_below(links: &[Link], limb: &LimbParts) -> Vec<usize> {
    let first = limb.joints.first().copied().unwrap_or_default();
    let mut is_below = vec![false; links.len()];
    let is_in = links.iter().enumerate().map(|(index, link)| {
        is_below[index] = index == first || link.parent.is_some_and(|p| is_below[p]);
        is_below[index]
    });
    let is_in: Vec<bool> = is_in.collect();
    (0..is_in.len()).filter(|&link| is_in[link]).collect()
}

/// The rest pose in base space.
struct RestPose {
    positions: Vec<DVec3>,
    rotations: Vec<DQuat>,
}

impl RestPose {
    fn new(links: &[Link]) -> Self {
        let mut rest = Self { positions: Vec::new(), rotations: Vec::new() };
        for link in links {
            let above = link
                .parent
                .map_or((DVec3::ZERO, DQuat::IDENTITY), |p| (rest.positions[p], rest.rotations[p]));
            rest.positions.push(above.0 + above.1 * link.offset);
            rest.rotations.push(above.1 * link.rest);
        }
        rest
    }

    /// Returns the hinges of the joints inside a limb.
    fn hinges(&self, links: &[Link], limb: &LimbParts) -> Vec<LimbHinge> {
        let at = |i: usize| self.positions[limb.joints[i]];
        let last = limb.joints.len() - 1;
        let hinge = |i: usize| {
            let joint = limb.joints[i];
            let (into, out) = (at(i) - at(i - 1), at(i + 1) - at(i));
            let normal = into.cross(out);
            let is_bent = normal.length() > BENT * into.length() * out.length();
            let bent = if is_bent { normal } else { limb.bend.cross(at(last) - at(0)) };
            let axis = bent.try_normalize().unwrap_or_else(|| any_perpendicular(into.normalize_or(DVec3::Y)));
            let angle = if is_bent { into.angle_between(out) } else { 0.0 };
            let axis = self.rotations[joint].conjugate() * axis;
            match links[joint].limit {
                Limit::Hinge { axis, min, max } => LimbHinge { axis, range: [min, max] },
                _ => LimbHinge { axis, range: [-angle - OVERBEND, MAX_BEND - angle] },
            }
        };
        (1..last).map(hinge).collect()
    }
}

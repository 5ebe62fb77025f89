//! Capsules that approximate the body. Limbs must not penetrate them.

use glam::DVec3;

use super::model::Model;
use super::person;
use super::pose::Kinematics;
use crate::figure::{Figure, FigurePart, SOFT_PART};
use sinew_base::mathematics::nearest_points;

/// Start of the capsule on the first bone and on the other bones of an arm or a leg, as a fraction of the bone's length. These values apply
/// to bones without a measured capsule. The first bone begins inside the trunk.
const ARM_STARTS: [f64; 2] = [0.45, 0.1];
const LEG_STARTS: [f64; 2] = [0.25, 0.1];
/// Flesh gives way by [`SOFT_PART`] of the smaller radius plus this distance, in metres.
const SOFT: f64 = 0.02;
/// Additional distance by which a forearm's flesh gives way when the hand touches the body, in metres.
const TOUCH: f64 = 0.03;
/// The nearest points of two capsules are not computed if they are farther apart than this distance, in metres.
pub(super) const NEAR: f64 = 0.03;

/// A segment with a radius, relative to its link and along the axes of the figure.
#[derive(Clone, Copy, Debug)]
struct Capsule {
    link: usize,
    ends: [DVec3; 2],
    radius: f64,
    /// The sum of half the segment's length and the radius.
    reach: f64,
    part: BodyPart,
}

impl Capsule {
    fn new(link: usize, ends: [DVec3; 2], radius: f64, part: BodyPart) -> Self {
        Self { link, ends, radius, reach: 0.5 * ends[0].distance(ends[1]) + radius, part }
    }
}

/// The part of the body that a capsule belongs to. Capsules of the same part are never tested against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BodyPart {
    Trunk,
    UpperArm(usize),
    Arm(usize),
    UpperLeg(usize),
    Leg(usize),
}

impl BodyPart {
    fn of(figure: &Figure, link: usize) -> Option<Self> {
        Some(match figure.part(link)? {
            FigurePart::Hips | FigurePart::Spine | FigurePart::Neck | FigurePart::Collar(_) => Self::Trunk,
            FigurePart::Limb(limb, joint) if figure.parts.limbs[limb].is_arm => {
                if joint == 0 {
                    Self::UpperArm(limb)
                } else {
                    Self::Arm(limb)
                }
            }
            FigurePart::Limb(limb, 0) => Self::UpperLeg(limb),
            FigurePart::Limb(limb, _) => Self::Leg(limb),
            FigurePart::Other => return None,
        })
    }
}

/// The gap between two capsules in a pose. A negative value is a penetration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gap {
    pub(super) value: f64,
    /// Direction from the second capsule to the first.
    pub(super) normal: DVec3,
    pub(super) links: [usize; 2],
    pub(super) points: [DVec3; 2],
}

/// The capsules of a person, and the pairs that are tested for contact.
#[derive(Clone, Debug, Default)]
pub(super) struct Capsules {
    capsules: Vec<Capsule>,
    pub(super) pairs: Vec<[usize; 2]>,
}

impl Capsules {
    /// Sets the capsules of a figure. Links without a measured capsule get a person's capsule. Shins may pass through the trunk unless
    /// they are `cleared`, because a short figure could not squat otherwise.
    pub(super) fn set(&mut self, model: &Model, figure: &Figure, rest: &Kinematics, cleared: bool) {
        self.clear();
        if !model.is_person {
            return;
        }
        for capsule in &figure.parts.capsules {
            let Some(part) = BodyPart::of(figure, capsule.link.0) else { continue };
            let ends = capsule.ends.map(|end| model.point(capsule.link.0, end));
            self.capsules.push(Capsule::new(capsule.link.0, ends, capsule.radius / model.space.size, part));
        }
        self.add_trunk(model, figure, rest);
        self.add_limbs(model, figure, rest);
        self.pair(cleared);
    }

    /// Adds a capsule of a person if the link has no measured capsule.
    fn add(&mut self, figure: &Figure, link: usize, ends: [DVec3; 2], radius: f64) {
        let is_measured = figure.parts.capsules.iter().any(|capsule| capsule.link.0 == link);
        if let Some(part) = BodyPart::of(figure, link).filter(|_| !is_measured) {
            self.capsules.push(Capsule::new(link, ends, radius, part));
        }
    }

    fn add_limbs(&mut self, model: &Model, figure: &Figure, rest: &Kinematics) {
        for limb in &figure.parts.limbs {
            let [first, .., end] = limb.joints[..] else { continue };
            for w in limb.joints.windows(2) {
                let (link, to) = (w[0], rest.positions[w[1].0] - rest.positions[w[0].0]);
                let place = usize::from(link != first);
                let (radius, start) = if limb.is_arm {
                    (person::ARM[place], ARM_STARTS[place])
                } else {
                    (person::LEG[place], LEG_STARTS[place])
                };
                // The radius is limited to half of the bone's length, because legs may be short.
                self.add(figure, link.0, [to * start, to], radius.min(0.5 * to.length()));
            }
            if limb.is_arm {
                let to = model.joints[end.0].centre * (0.14 / 0.09);
                self.add(figure, end.0, [to * 0.1, to], person::ARM[2]);
            }
        }
    }

    pub(super) fn clear(&mut self) {
        self.capsules.clear();
        self.pairs.clear();
    }

    fn add_trunk(&mut self, model: &Model, figure: &Figure, rest: &Kinematics) {
        let mut arms = figure.parts.limbs.iter().filter(|l| l.is_arm).map(|l| rest.positions[l.joints[0].0]);
        let (Some(left), Some(right)) = (arms.next(), arms.next()) else { return };
        let width = left.distance(right);
        let chest = model.chest;
        let neck = figure.parts.neck.first().map_or(left.lerp(right, 0.5), |&n| rest.positions[n.0]);
        let up = neck.y - rest.positions[chest].y;
        for side in [-0.2, 0.2] {
            let x = side * width;
            let ends = [DVec3::new(x, up - 0.10, 0.0), DVec3::new(x, up - 0.30, 0.01)];
            self.add(figure, chest, ends, person::CHEST);
        }
        self.add(figure, 0, [DVec3::X * -0.05, DVec3::X * 0.05], person::PELVIS);
        if let Some(&belly) = figure.parts.spine.first() {
            let ends = [DVec3::new(-0.04, 0.05, 0.0), DVec3::new(0.04, 0.05, 0.0)];
            self.add(figure, belly.0, ends, person::BELLY);
        }
        if let Some(head) = model.head {
            let ends = [DVec3::new(0.0, 0.06, 0.02), DVec3::new(0.0, 0.10, 0.02)];
            self.add(figure, head, ends, person::HEAD);
        }
    }

    /// Adds the pairs that may collide: an arm with everything but itself, legs with each other, and cleared shins with the trunk.
    /// Upper arms and thighs are not paired with the trunk, because they lie against it.
    fn pair(&mut self, cleared: bool) {
        use BodyPart::{Arm, Leg, Trunk, UpperArm, UpperLeg};
        for b in 0..self.capsules.len() {
            for a in 0..b {
                let meets = match (self.capsules[a].part, self.capsules[b].part) {
                    (Trunk, Trunk | UpperArm(_) | UpperLeg(_)) | (UpperArm(_) | UpperLeg(_), Trunk) => false,
                    (Trunk, Leg(_)) | (Leg(_), Trunk) => cleared,
                    (UpperArm(i) | Arm(i), UpperArm(j) | Arm(j))
                    | (UpperLeg(i) | Leg(i), UpperLeg(j) | Leg(j)) => i != j,
                    _ => true,
                };
                if meets {
                    self.pairs.push([a, b]);
                }
            }
        }
    }

    pub(super) fn links(&self, pair: [usize; 2]) -> [usize; 2] {
        pair.map(|index| self.capsules[index].link)
    }

    /// Returns the capsule ends that should stay above the floor, each with its link, its point relative to the link, and its radius.
    /// Ankles and feet are left out. Their contacts already keep them near the floor.
    pub(super) fn ends(&self, figure: &Figure) -> impl Iterator<Item = (usize, DVec3, f64)> {
        let count = |capsule: &Capsule| {
            let (BodyPart::UpperLeg(limb) | BodyPart::Leg(limb)) = capsule.part else { return 2 };
            let joints = &figure.parts.limbs[limb].joints;
            let below = joints.iter().rev().position(|link| link.0 == capsule.link);
            below.map_or(0, |below| below.min(2))
        };
        self.capsules
            .iter()
            .flat_map(move |c| c.ends.into_iter().take(count(c)).map(|end| (c.link, end, c.radius)))
    }

    /// Sets `slack` to the penetration depth of each pair in a pose, plus the distance by which flesh gives way if the body is `soft`.
    pub(super) fn measure(
        &self,
        pose: &Kinematics,
        soft: bool,
        places: &mut Vec<Place>,
        slack: &mut Vec<f64>,
    ) {
        self.place(pose, places);
        let depth = |&pair: &[usize; 2]| {
            let radius = self.capsules[pair[0]].radius.min(self.capsules[pair[1]].radius);
            let give = if soft { SOFT_PART * radius + SOFT } else { 0.0 };
            give + self.gap(places, pair).map_or(0.0, |gap| (-gap.value).max(0.0))
        };
        slack.clear();
        slack.extend(self.pairs.iter().map(depth));
    }

    /// Lets a link touch other parts. The capsules of the link and its descendants may penetrate freely, and the bone above the link
    /// gives way by [`TOUCH`].
    pub(super) fn let_touch(&self, model: &Model, link: usize, slack: &mut [f64]) {
        let before = model.up(link).nth(1);
        for (pair, slack) in self.pairs.iter().zip(slack) {
            let links = self.links(*pair);
            if links.iter().any(|&other| model.up(other).any(|above| above == link)) {
                *slack = f64::INFINITY;
            } else if links.iter().any(|&other| Some(other) == before) {
                *slack += TOUCH;
            }
        }
    }

    /// Sets `places` to the positions of the capsules in a pose.
    pub(super) fn place(&self, now: &Kinematics, places: &mut Vec<Place>) {
        places.clear();
        for capsule in &self.capsules {
            let [a, b] = capsule.ends;
            let ends = [now.point(capsule.link, a), now.point(capsule.link, b)];
            places.push(Place { ends, middle: 0.5 * (ends[0] + ends[1]), reach: capsule.reach });
        }
    }

    /// Returns the gap of a pair, or `None` if the capsules are far apart.
    #[inline]
    pub(super) fn gap(&self, places: &[Place], [first, second]: [usize; 2]) -> Option<Gap> {
        let (p, q) = (&places[first], &places[second]);
        let reach = p.reach + q.reach + NEAR;
        if p.middle.distance_squared(q.middle) > reach * reach {
            return None;
        }
        let (a, b) = (&self.capsules[first], &self.capsules[second]);
        let (x, y) = nearest_points(p.ends, q.ends);
        let between = x - y;
        let distance = between.length().max(1e-9);
        let normal = between / distance;
        let value = distance - a.radius - b.radius;
        Some(Gap { value, normal, links: [a.link, b.link], points: [x, y] })
    }
}

/// The position of a capsule: its ends, its middle, and its extent from the middle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    ends: [DVec3; 2],
    middle: DVec3,
    reach: f64,
}

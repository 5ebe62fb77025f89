//! The body as capsules, which limbs must not pass.

use glam::DVec3;

use super::model::Model;
use super::pose::Kinematics;
use crate::ik::figure::Figure;
use crate::mathematics::nearest_points;

/// Radii of a person's parts, metres: chest, pelvis, belly, head; upper arm, forearm, hand; thigh and shin.
const CHEST: f64 = 0.115;
const PELVIS: f64 = 0.13;
const BELLY: f64 = 0.115;
const HEAD: f64 = 0.10;
const ARM: [f64; 3] = [0.05, 0.04, 0.035];
const LEG: [f64; 2] = [0.075, 0.055];
/// Pairs that are farther apart need no nearest points, metres.
pub(super) const NEAR: f64 = 0.03;

/// A segment with a radius, in the axes of the figure at its link.
#[derive(Clone, Copy, Debug)]
struct Capsule {
    link: usize,
    ends: [DVec3; 2],
    radius: f64,
    /// Half its length and its radius.
    reach: f64,
    part: BodyPart,
}

impl Capsule {
    fn new(link: usize, ends: [DVec3; 2], radius: f64, part: BodyPart) -> Self {
        Self { link, ends, radius, reach: 0.5 * ends[0].distance(ends[1]) + radius, part }
    }
}

/// Capsules of one part never meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BodyPart {
    Trunk,
    UpperArm(usize),
    Arm(usize),
    Leg(usize),
}

/// Two capsules in a pose.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gap {
    pub(super) value: f64,
    /// From the second to the first.
    pub(super) normal: DVec3,
    pub(super) links: [usize; 2],
    pub(super) points: [DVec3; 2],
}

/// The capsules of a person, and the pairs that may meet.
#[derive(Clone, Debug, Default)]
pub(super) struct Capsules {
    capsules: Vec<Capsule>,
    pub(super) pairs: Vec<[usize; 2]>,
}

impl Capsules {
    /// Sets the capsules of a figure.
    pub(super) fn set(&mut self, model: &Model, figure: &Figure, rest: &Kinematics) {
        self.clear();
        if !model.is_person {
            return;
        }
        self.add_trunk(model, figure, rest);
        for (index, limb) in figure.parts.limbs.iter().enumerate() {
            let [first, .., end] = limb.joints[..] else { continue };
            let bone = |l: usize, next: usize| rest.positions[next] - rest.positions[l];
            for w in limb.joints.windows(2) {
                let (link, to) = (w[0], bone(w[0], w[1]));
                let is_upper = link == first;
                let (radius, part, start) = match (limb.is_arm, is_upper) {
                    (true, true) => (ARM[0], BodyPart::UpperArm(index), 0.45),
                    (true, false) => (ARM[1], BodyPart::Arm(index), 0.1),
                    (false, true) => (LEG[0], BodyPart::Leg(index), 0.25),
                    (false, false) => (LEG[1], BodyPart::Leg(index), 0.1),
                };
                // The knee of a short leg is as thick as the leg.
                let radius = radius.min(0.5 * to.length());
                self.capsules.push(Capsule::new(link, [to * start, to], radius, part));
            }
            if limb.is_arm {
                let to = model.joints[end].centre * (0.14 / 0.09);
                self.capsules.push(Capsule::new(end, [to * 0.1, to], ARM[2], BodyPart::Arm(index)));
            }
        }
        self.pair();
    }

    /// Removes all capsules.
    pub(super) fn clear(&mut self) {
        self.capsules.clear();
        self.pairs.clear();
    }

    fn add_trunk(&mut self, model: &Model, figure: &Figure, rest: &Kinematics) {
        let mut arms = figure.parts.limbs.iter().filter(|l| l.is_arm).map(|l| rest.positions[l.joints[0]]);
        let (Some(left), Some(right)) = (arms.next(), arms.next()) else { return };
        let width = left.distance(right);
        let chest = model.chest;
        let neck = figure.parts.neck.first().map_or(left.lerp(right, 0.5), |&n| rest.positions[n]);
        let up = neck.y - rest.positions[chest].y;
        let trunk = |link, ends, radius| Capsule::new(link, ends, radius, BodyPart::Trunk);
        for side in [-0.2, 0.2] {
            let x = side * width;
            let ends = [DVec3::new(x, up - 0.10, 0.0), DVec3::new(x, up - 0.30, 0.01)];
            self.capsules.push(trunk(chest, ends, CHEST));
        }
        self.capsules.push(trunk(0, [DVec3::X * -0.05, DVec3::X * 0.05], PELVIS));
        if let Some(&belly) = figure.parts.spine.first() {
            let ends = [DVec3::new(-0.04, 0.05, 0.0), DVec3::new(0.04, 0.05, 0.0)];
            self.capsules.push(trunk(belly, ends, BELLY));
        }
        if let Some(head) = model.head {
            self.capsules.push(trunk(head, [DVec3::new(0.0, 0.06, 0.02), DVec3::new(0.0, 0.10, 0.02)], HEAD));
        }
    }

    /// Pairs parts that may meet: arms with everything but themselves, and legs with each other. An upper arm lies against the trunk.
    fn pair(&mut self) {
        use BodyPart::{Arm, Leg, Trunk, UpperArm};
        for b in 0..self.capsules.len() {
            for a in 0..b {
                let meets = match (self.capsules[a].part, self.capsules[b].part) {
                    (Trunk, Trunk | UpperArm(_) | Leg(_)) | (UpperArm(_) | Leg(_), Trunk) => false,
                    (UpperArm(i) | Arm(i), UpperArm(j) | Arm(j)) | (Leg(i), Leg(j)) => i != j,
                    _ => true,
                };
                if meets {
                    self.pairs.push([a, b]);
                }
            }
        }
    }

    /// Returns the links of a pair.
    pub(super) fn links(&self, pair: [usize; 2]) -> [usize; 2] {
        pair.map(|index| self.capsules[index].link)
    }

    /// Sets `slack` to how deep each pair is in the stance.
    pub(super) fn measure(&self, stance: &Kinematics, places: &mut Vec<Place>, slack: &mut Vec<f64>) {
        self.place(stance, places);
        let depth = |&pair: &[usize; 2]| self.gap(places, pair).map_or(0.0, |gap| (-gap.value).max(0.0));
        slack.clear();
        slack.extend(self.pairs.iter().map(depth));
    }

    /// Sets `places` to where the capsules are.
    pub(super) fn place(&self, now: &Kinematics, places: &mut Vec<Place>) {
        places.clear();
        for capsule in &self.capsules {
            let [a, b] = capsule.ends;
            let ends = [now.point(capsule.link, a), now.point(capsule.link, b)];
            places.push(Place { ends, middle: 0.5 * (ends[0] + ends[1]), reach: capsule.reach });
        }
    }

    /// Returns the gap of a pair, or `None` if it is wide.
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

/// Where a capsule is: its ends, its middle, and how far it reaches from there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    ends: [DVec3; 2],
    middle: DVec3,
    reach: f64,
}

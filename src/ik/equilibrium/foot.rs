//! Feet, and their contacts with the floor.

use glam::{DQuat, DVec3};
use sinew_base::mathematics::limb::hinge_angles;

use super::model::{Freedom, Model};
use super::pose::{FigurePose, Kinematics};
use crate::LinkIndex;
use crate::figure::Figure;
use crate::rotation::shortest_arc;

/// Minimum and maximum of the values that are measured on the skin: forward offsets of heel and tip from the ankle, and half the width
/// of the foot, in metres at human size.
const MEASURED: [[f64; 2]; 3] = [[-0.15, -0.03], [0.08, 0.35], [0.03, 0.15]];
/// Length (Winter 2009: 0.152 of the height) and half the width of a person's foot, in metres at human size. The other constants are
/// fractions of the length: `HEEL`, `BALL` and `TIP` are forward offsets from the ankle (negative: behind it), and `TOES` is the distance
/// from ball to tip.
const LENGTH: f64 = 0.266;
const HALF_WIDTH: f64 = 0.045;
const HEEL: f64 = -0.25;
const BALL: f64 = 0.45;
const TOES: f64 = 0.3;
const TIP: f64 = 0.7;
/// A foot is on the floor if its ball is less than the first value above its rest height and its heel is lower than the second value.
const STANDING: [f64; 2] = [0.03, 0.15];
/// Maximum height of a person's ankle above the sole, in metres at human size. This maximum also applies if the floor is far below.
const HIGHEST: f64 = 0.25;
/// The end of a leg without toes stands on a single point, at any angle, if its height above the floor in the rest pose is less than this
/// value.
const TIP_HEIGHT: f64 = 0.04;

/// The sole of a leg. Positions are relative to the ankle, along the axes of the figure in the rest pose.
#[derive(Clone, Copy, Debug)]
pub(super) struct Foot {
    pub(super) limb: usize,
    pub(super) link: usize,
    /// The hip and the knee of a leg with one knee, which is posed in closed form.
    pub(super) leg: Option<[usize; 2]>,
    pub(super) heel: DVec3,
    pub(super) ball: DVec3,
    pub(super) tip: DVec3,
    pub(super) half_width: f64,
    /// Whether the foot stands on a single point at any angle.
    pub(super) is_point: bool,
    /// Heights of heel and ball in the rest pose.
    pub(super) rest: [f64; 2],
}

impl Foot {
    /// Returns the feet of a figure.
    pub(super) fn all<'a>(
        model: &'a Model,
        figure: &'a Figure,
        rest: &'a Kinematics,
    ) -> impl Iterator<Item = Self> + 'a {
        let legs = figure.parts.limbs.iter().enumerate().filter(|(_, l)| !l.is_arm && l.stands);
        legs.filter_map(|(index, _)| Self::new(model, figure, rest, index))
    }

    fn new(model: &Model, figure: &Figure, rest: &Kinematics, index: usize) -> Option<Self> {
        let limb = &figure.parts.limbs[index];
        let floor = model.floor?;
        let &link = limb.joints.last()?;
        let leg = match limb.joints[..] {
            [hip, knee, ankle] => {
                let is_hinge = matches!(model.joints[knee.0].freedom, Freedom::Hinge { .. });
                let is_ball = |j: usize| model.joints[j].freedom == Freedom::Ball;
                (is_hinge && is_ball(hip.0) && is_ball(ankle.0)).then_some([hip.0, knee.0])
            }
            _ => None,
        };
        let ankle = rest.positions[link.0];
        let height = ankle.y - floor;
        let height = if model.is_person { height.min(HIGHEST) } else { height };
        let level = |link: usize| (rest.positions[link] - ankle).with_y(0.0);
        let farthest =
            limb.digits.iter().map(|&d| level(d.0)).max_by(|a, b| a.length().total_cmp(&b.length()));
        let is_point =
            !model.is_person && limb.digits.is_empty() && height < TIP_HEIGHT && limb.sole.is_none();
        // The first toe joint that is far enough in front is the ball.
        let toes = limb.digits.iter().copied().find(|&d| level(d.0).length() > 0.02);
        let forward = toes.map_or(DVec3::Z, |d| level(d.0).normalize_or(DVec3::Z));
        let length =
            if model.is_person { LENGTH } else { farthest.map_or(0.0, DVec3::length).clamp(0.05, LENGTH) };
        let is_ball = |d: &LinkIndex| (0.12 * length..=0.75 * length).contains(&level(d.0).length());
        let ball = toes.filter(is_ball).filter(|_| model.is_person);
        let (ahead, up) = ball.map_or((BALL * length, 0.0), |d| {
            (level(d.0).length(), (rest.positions[d.0].y - floor).clamp(0.0, 0.05))
        });
        let at = |ahead: f64, up: f64| forward * ahead + DVec3::Y * (up - height);
        let usual = [HEEL * length, (ahead + TOES * length).max(TIP * length), HALF_WIDTH * length / LENGTH];
        let measured = limb.sole.filter(|_| model.is_person).map(|sole| {
            let metres = [sole.heel, sole.toe, sole.half_width].map(|x| x / model.space.size);
            std::array::from_fn(|i| metres[i].clamp(MEASURED[i][0], MEASURED[i][1]))
        });
        let [behind, before, half_width]: [f64; 3] = measured.unwrap_or(usual);
        // A person's foot without a toe joint is rigid up to its tip, so the tip serves as the ball.
        let ahead = if ball.is_some() || !model.is_person { ahead } else { before };
        let foot = Self {
            limb: index,
            link: link.0,
            leg,
            heel: at(behind, 0.0),
            ball: at(ahead, up),
            tip: at(before.max(ahead + 0.01), 0.0),
            half_width,
            is_point,
            rest: [0.0, up],
        };
        let point = DVec3::Y * -height.max(0.0);
        Some(if is_point {
            Self { heel: point, ball: point, tip: point, half_width: 0.0, ..foot }
        } else {
            foot
        })
    }

    /// Returns whether the foot is on the floor in a pose.
    pub(super) fn stands(&self, kinematics: &Kinematics, floor: f64) -> bool {
        let height = |point| kinematics.point(self.link, point).y - floor;
        height(self.ball) < self.rest[1] + STANDING[0] && height(self.heel) < STANDING[1]
    }
}

/// A standing foot. The foot may turn about its ball so that the heel rises.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contact {
    pub(super) foot: usize,
    pub(super) ball: DVec3,
    pub(super) heel: DVec3,
    /// The sideways axis of the foot in the link's frame and in the space of the figure, and the forward axis in that space.
    pub(super) local_side: DVec3,
    pub(super) side: DVec3,
    pub(super) forward: DVec3,
    /// Whether the foot stays in place. The foot of a pulled leg sticks in place only up to the force of friction.
    pub(super) holds: bool,
    /// Whether the toes are pulled, so that only the ball sticks.
    pub(super) is_on_toes: bool,
    /// Whether a pin keeps the foot in place. Such a foot also carries the body.
    pub(super) is_pinned: bool,
}

impl Contact {
    pub(super) fn new(index: usize, foot: &Foot, stance: &Kinematics) -> Self {
        let along = (foot.ball - foot.heel).with_y(0.0).normalize_or(DVec3::Z);
        let local_side = DVec3::Y.cross(along);
        let side = stance.rotations[foot.link] * local_side;
        Self {
            foot: index,
            ball: stance.point(foot.link, foot.ball),
            heel: stance.point(foot.link, foot.heel),
            local_side,
            side,
            forward: side.cross(DVec3::Y).normalize_or(DVec3::Z),
            holds: true,
            is_on_toes: false,
            is_pinned: false,
        }
    }

    /// Returns whether the contact's own rows keep the foot in place.
    pub(super) fn keeps(&self) -> bool {
        self.holds && !self.is_pinned
    }

    /// Returns the middle of the sole in the stance.
    pub(super) fn middle(&self) -> DVec3 {
        self.ball.lerp(self.heel, 0.5)
    }

    /// Moves the foot back exactly into place, in closed form. The knee bends according to the law of cosines, the hip aims the leg, and
    /// the ankle keeps the orientation of the foot. This avoids the singularity of a straight leg.
    pub(super) fn retract(&self, model: &Model, foot: &Foot, pose: &mut FigurePose, now: &Kinematics) {
        let (Some([hip, knee]), ankle) = (foot.leg, foot.link) else { return };
        let Freedom::Hinge { axis, .. } = model.joints[knee].freedom else { return };
        let turn = |from: DVec3, to: DVec3| shortest_arc(from, to, DVec3::ZERO);
        let rotation = if foot.is_point {
            now.rotations[ankle]
        } else {
            (turn(now.rotations[ankle] * self.local_side, self.side) * now.rotations[ankle]).normalize()
        };
        let wanted = self.ball - rotation * foot.ball - now.positions[hip];
        // Compute both bones in the frame above the knee, with the hinge as in the stance.
        let above = |link: usize| model.joints[link].parent.map_or(DQuat::IDENTITY, |p| now.rotations[p]);
        let frame = above(knee);
        let angle = pose.angles[knee];
        let thigh = frame.conjugate() * (now.positions[knee] - now.positions[hip]);
        let shin = frame.conjugate() * (now.positions[ankle] - now.positions[knee]);
        let shin = DQuat::from_axis_angle(axis, -angle) * shin;
        let flat = |v: DVec3| v - axis * axis.dot(v);
        let (a, b) = (flat(thigh), flat(shin));
        let turning = [a.dot(b), a.dot(axis.cross(b))];
        let along = axis.dot(thigh) * axis.dot(shin);
        let squares = [wanted, thigh, shin].map(DVec3::length_squared);
        let Some((straight, half)) = hinge_angles(turning, along, squares, 1e-9) else { return };
        let [low, high] = model.joints[knee].range;
        // There are two solutions. Choose the bend direction that the range of the knee allows.
        let side = if 0.5 * (low + high) >= straight { 1.0 } else { -1.0 };
        let bent = (straight + side * half).clamp(low, high);
        pose.set_angle(model, knee, bent);
        let reached = frame * (thigh + DQuat::from_axis_angle(axis, bent) * shin);
        let aim = turn(reached, wanted);
        pose.turns[hip] = (above(hip).conjugate() * aim * now.rotations[hip]).normalize();
        // The links between hip and knee turn with the hip.
        let frame = aim * frame;
        let knee_rotation = (frame * pose.turns[knee]).normalize();
        let below_knee = now.rotations[knee].conjugate() * above(ankle);
        pose.turns[ankle] = ((knee_rotation * below_knee).conjugate() * rotation).normalize();
    }
}

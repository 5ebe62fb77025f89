//! Bodies for comparing solvers, and seeded targets for them.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use glam::{DAffine3, DQuat, DVec3};

use crate::limit::random_rotation;
use crate::{Body, Goal, Limit, Link, LinkIndex, SolveError, round_cone};
use sinew_base::Random;

/// A body, and a sequence of goals for its end.
pub struct Cases {
    pub name: String,
    pub joints: usize,
    pub limits: bool,
    pub body: Body,
    pub goals: Vec<Goal>,
    /// Whether each solve starts from the previous result. If so, the first goal only sets the start pose.
    pub warm: bool,
    /// Length of the fully stretched body, in metres.
    pub reach: f64,
}

impl Cases {
    /// Returns the distance in metres from the body's end to the target. For a target out of reach, the distance from
    /// the target to the sphere that the stretched body can reach is subtracted, so that the best possible result is
    /// zero.
    pub fn error(&self, body: &Body, goal: &Goal) -> f64 {
        let Some(target) = goal.position else { return 0.0 };
        let end = body.world_from_link(goal.link).map_or(target, |m| m.translation);
        end.distance(target) - (target.length() - self.reach).max(0.0)
    }
}

/// A family of targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    Reach,
    Near,
    Unreach,
    Pose,
    Drag,
    DragOut,
}

impl Set {
    pub const ALL: [Self; 6] =
        [Self::Reach, Self::Near, Self::Unreach, Self::Pose, Self::Drag, Self::DragOut];

    /// Returns the description for the program's help.
    pub fn description(self) -> &'static str {
        match self {
            Self::Reach => "Targets at 0.2 to 0.95 of the chain's reach",
            Self::Near => {
                "Targets at 0.98 to 0.9999 of the chain's reach, where the chain is almost straight"
            }
            Self::Unreach => "Targets at 1.05 to 1.5 of the chain's reach",
            Self::Pose => "Position and orientation of the end",
            Self::Drag => "A path at 60 Hz, where each solve starts from the previous result",
            Self::DragOut => "Like drag, but along a path that leaves the reach and returns",
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Reach => "reach",
            Self::Near => "near",
            Self::Unreach => "unreach",
            Self::Pose => "pose",
            Self::Drag => "drag",
            Self::DragOut => "drag-out",
        }
    }

    fn goals(self, end: usize, count: usize, seed: u64) -> Vec<Goal> {
        let order = match self {
            Self::Reach => 0,
            Self::Unreach => 1,
            Self::Near => 2,
            _ => 3,
        };
        let random = &mut Random(seed + order);
        let mut positions =
            |lo, hi| (0..count).map(|_| Goal::position(LinkIndex(end), shell(random, lo, hi))).collect();
        match self {
            Self::Reach => positions(0.2, 0.95),
            Self::Near => positions(0.98, 0.9999),
            Self::Unreach => positions(1.05, 1.5),
            Self::Pose => (0..count)
                .map(|_| Goal::pose(LinkIndex(end), shell(random, 0.2, 0.65), random.rotation()))
                .collect(),
            Self::Drag => (0..=count).map(|i| Goal::position(LinkIndex(end), path(i, 0.6, 0.3))).collect(),
            Self::DragOut => {
                (0..=count).map(|i| Goal::position(LinkIndex(end), path(i, 0.9, 0.35))).collect()
            }
        }
    }
}

/// A uniformly distributed point between two spheres around the origin.
fn shell(random: &mut Random, lo: f64, hi: f64) -> DVec3 {
    let r = (lo.powi(3) + random.unit() * (hi.powi(3) - lo.powi(3))).cbrt();
    let z = 2.0 * random.unit() - 1.0;
    let (sin, cos) = (TAU * random.unit()).sin_cos();
    let s = (1.0 - z * z).max(0.0).sqrt();
    DVec3::new(r * s * cos, r * s * sin, r * z)
}

/// Returns the target position on a dragged path in a given frame, at 60 frames per second.
fn path(frame: usize, middle: f64, swing: f64) -> DVec3 {
    #[expect(clippy::cast_precision_loss, reason = "frames are few")]
    let w = TAU * frame as f64 / 60.0;
    let r = middle + swing * (0.31 * w).sin();
    let azimuth = 0.17 * w + 0.5 * (0.43 * w).sin();
    let elevation = 0.9 * (0.23 * w).sin();
    let (cos, sin) = (elevation.cos(), elevation.sin());
    DVec3::new(r * cos * azimuth.cos(), r * sin, r * cos * azimuth.sin())
}

/// A slightly bent chain of `n` ball joints that points up, with equal links and a total length of one.
pub fn free_chain(n: usize) -> Result<Body, SolveError> {
    #[expect(clippy::cast_precision_loss, reason = "chains are short")]
    let count = n as f64;
    let mut links = vec![Link::base()];
    links.extend((0..n).map(|i| Link::child(LinkIndex(i), DVec3::Y / count)));
    let mut body = Body::new(links, DAffine3::IDENTITY)?;
    for i in 0..n {
        let side = if i % 2 == 0 { 1.0 } else { -1.0 };
        body.set_rotation(
            LinkIndex(i),
            DQuat::from_rotation_x(0.6 / count) * DQuat::from_rotation_z(side * 0.3 / count),
        );
    }
    Ok(body)
}

/// A chain of `n` ball joints without limits, and targets for its end.
pub fn free(n: usize, set: Set, count: usize, seed: u64) -> Result<Cases, SolveError> {
    Ok(Cases {
        name: set.name().into(),
        joints: n,
        limits: false,
        body: free_chain(n)?,
        goals: set.goals(n, count, seed),
        warm: matches!(set, Set::Drag | Set::DragOut),
        reach: 1.0,
    })
}

pub fn degrees(angle: f64) -> f64 {
    angle * PI / 180.0
}

pub fn hinge(axis: DVec3, min: f64, max: f64) -> Limit {
    Limit::Hinge { axis, min: degrees(min), max: degrees(max) }
}

pub fn arm(limits: &[(Limit, DVec3)]) -> Result<Body, SolveError> {
    let mut links: Vec<Link> = Vec::with_capacity(limits.len() + 1);
    let mut offset = DVec3::ZERO;
    for (i, &(limit, to_next)) in limits.iter().enumerate() {
        let link = Link::base().with_parent(i.checked_sub(1).map(LinkIndex)).with_offset(offset);
        links.push(link.with_limit(limit));
        offset = to_next;
    }
    links.push(Link::child(LinkIndex(limits.len() - 1), offset));
    Body::new(links, DAffine3::IDENTITY)
}

/// An arm with seven degrees of freedom: a cone shoulder, a hinge elbow, a cone wrist and a hand.
fn seven() -> Result<Body, SolveError> {
    arm(&[
        (round_cone(DVec3::Y, degrees(80.0), [degrees(-70.0), degrees(70.0)]), DVec3::Y * 0.4),
        (hinge(DVec3::X, 0.0, 150.0), DVec3::Y * 0.4),
        (round_cone(DVec3::Y, degrees(60.0), [degrees(-60.0), degrees(60.0)]), DVec3::Y * 0.2),
    ])
}

/// The arm of Li & Peng 2013, with three hinges in a plane and the limits θ₁ ∈ [−90°, 90°], θ₂ ∈ [0°, 110°], θ₃ ∈
/// [−20°, 20°].
fn paper() -> Result<Body, SolveError> {
    let link = DVec3::X / 3.0;
    arm(&[
        (hinge(DVec3::Z, -90.0, 90.0), link),
        (hinge(DVec3::Z, 0.0, 110.0), link),
        (hinge(DVec3::Z, -20.0, 20.0), link),
    ])
}

/// A human arm with an elliptic shoulder, a hinge elbow, a twisting forearm and an elliptic wrist.
pub fn human() -> Result<Body, SolveError> {
    let cone = |swing: [f64; 2], twist: f64| Limit::Cone {
        axis: DVec3::Y,
        side: DVec3::X,
        swing: swing.map(degrees),
        twist: [degrees(-twist), degrees(twist)],
    };
    arm(&[
        (cone([110.0, 75.0], 80.0), DVec3::Y * 0.30),
        (hinge(DVec3::X, 0.0, 145.0), DVec3::Y * 0.13),
        (hinge(DVec3::Y, -80.0, 80.0), DVec3::Y * 0.13),
        (cone([70.0, 25.0], 5.0), DVec3::Y * 0.09),
    ])
}

/// A chain of `n` joints with limits. Every third joint is a hinge, the others are cones.
fn limited_chain(n: usize) -> Result<Body, SolveError> {
    #[expect(clippy::cast_precision_loss, reason = "chains are short")]
    let link = DVec3::Y / n as f64;
    let limit = |i: usize| {
        if i % 3 == 1 {
            hinge(DVec3::X, -10.0, 120.0)
        } else {
            round_cone(DVec3::Y, degrees(60.0), [-FRAC_PI_2, FRAC_PI_2])
        }
    };
    arm(&(0..n).map(|i| (limit(i), link)).collect::<Vec<_>>())
}

/// Gives every joint except the last a random rotation within its limit. Hinge and twist angles, points in swing ellipses and free
/// rotations are uniformly distributed.
pub fn pose_randomly(body: &mut Body, random: &mut Random) {
    for i in 0..body.links().len() - 1 {
        let link = body.links()[i];
        let turn = random_rotation(&link.limit, random, Random::range);
        let turn = turn.unwrap_or_else(|| random.rotation());
        body.set_rotation(LinkIndex(i), link.rest * turn);
    }
}

/// Reachable targets for a body with limits: the positions of its end in random poses within the limits.
fn within_limits(name: &str, body: Body, joints: usize, count: usize, seed: u64) -> Cases {
    let mut random = Random(seed);
    let end = body.links().len() - 1;
    let mut posed = body.clone();
    let mut goal = |_| {
        pose_randomly(&mut posed, &mut random);
        let position = posed.world_from_link(LinkIndex(end)).map_or(DVec3::ZERO, |m| m.translation);
        Goal::position(LinkIndex(end), position)
    };
    let goals = (0..count).map(&mut goal).collect();
    let reach = body.links().iter().map(|l| l.offset.length()).sum();
    Cases { name: name.into(), joints, limits: true, body, goals, warm: false, reach }
}

/// The arm of Li & Peng 2013, with its limits or with ball joints.
pub fn paper_cases(limits: bool, count: usize, seed: u64) -> Result<Cases, SolveError> {
    let mut cases = within_limits("arm-paper", paper()?, 3, count, seed);
    if !limits {
        let links = cases.body.links().iter().map(|l| (*l).with_limit(Limit::Free)).collect();
        cases.body = Body::new(links, DAffine3::IDENTITY)?;
        cases.limits = false;
    }
    Ok(cases)
}

/// Returns the cases of all arms with limits.
pub fn arms(count: usize, seed: u64) -> Result<Vec<Cases>, SolveError> {
    Ok(vec![
        within_limits("arm-7", seven()?, 3, count, seed),
        within_limits("arm-paper", paper()?, 3, count, seed),
        within_limits("arm-human", human()?, 4, count, seed),
    ])
}

/// A chain of `n` joints with limits, and targets for its end.
pub fn limited(n: usize, count: usize, seed: u64) -> Result<Cases, SolveError> {
    Ok(within_limits("reach", limited_chain(n)?, n, count, seed))
}

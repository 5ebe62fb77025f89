//! Checks that outcomes are true. Measures how much continuous motion from the final pose can still reduce the error, with and without the
//! limits.

use std::f64::consts::TAU;

use glam::{DAffine3, DQuat, DVec2, DVec3, EulerRot};
use sinew_ik::{Body, Goal, Limit, Link, LinkIndex, Method, Options, Outcome, round_cone, swing_twist};

use crate::{error, report};
use sinew_base::Random;

/// Number of steps of a descent, and the largest turn of a joint in a step, in radians.
const STEPS: usize = 400;
const STEP: f64 = 0.05;
/// Number of random problems.
const CASES: usize = 24;
/// Change of a coordinate in radians, used to compute derivatives.
const PROBE: f64 = 1e-5;

/// The coordinates of a pose: the angle of each hinge, the swing and the twist of each cone, and Euler angles.
struct PoseCoordinates<'a> {
    body: &'a Body,
    goal: Goal,
    limits: bool,
    values: Vec<[f64; 3]>,
}

impl<'a> PoseCoordinates<'a> {
    fn new(body: &'a Body, goal: Goal, limits: bool) -> Self {
        let value = |(link, &rotation): (&Link, &DQuat)| {
            let own = link.rest.conjugate() * rotation;
            match link.limit {
                Limit::Hinge { axis, min, max } => {
                    let (angle, middle) = (swing_twist(own, axis).1, 0.5 * (min + max));
                    [angle - TAU * ((angle - middle) / TAU).round(), 0.0, 0.0]
                }
                Limit::Cone { axis, side, .. } => {
                    let (swing, twist) = swing_twist(own, axis);
                    let swing = if swing.w < 0.0 { -swing } else { swing }.to_scaled_axis();
                    [swing.dot(side), swing.dot(axis.cross(side)), twist]
                }
                Limit::Euler { order, .. } => own.to_euler(order).into(),
                _ => [0.0; 3],
            }
        };
        let values = body.links().iter().zip(body.rotations()).map(value).collect();
        Self { body, goal, limits, values }
    }

    /// Returns the number of coordinates of a link.
    fn count(&self, link: usize) -> usize {
        match self.body.links()[link].limit {
            Limit::Hinge { .. } => 1,
            Limit::Cone { .. } | Limit::Euler { .. } => 3,
            _ => 0,
        }
    }

    /// Returns the nearest allowed coordinates of a link.
    fn allowed(&self, link: usize, value: [f64; 3]) -> [f64; 3] {
        match self.body.links()[link].limit {
            _ if !self.limits => value,
            Limit::Hinge { min, max, .. } => [value[0].clamp(min, max), 0.0, 0.0],
            Limit::Cone { swing, twist, .. } => {
                // All cones of this test are round.
                let at = DVec2::new(value[0], value[1]).clamp_length_max(swing[0]);
                [at.x, at.y, value[2].clamp(twist[0], twist[1])]
            }
            Limit::Euler { min, max, .. } => std::array::from_fn(|i| value[i].clamp(min[i], max[i])),
            _ => value,
        }
    }

    fn rotations(&self, values: &[[f64; 3]]) -> impl Iterator<Item = DQuat> {
        self.body.links().iter().zip(values).map(|(link, value)| {
            let own = match link.limit {
                Limit::Hinge { axis, .. } => DQuat::from_axis_angle(axis, value[0]),
                Limit::Cone { axis, side, .. } => {
                    let swing = side * value[0] + axis.cross(side) * value[1];
                    DQuat::from_scaled_axis(swing) * DQuat::from_axis_angle(axis, value[2])
                }
                Limit::Euler { order, .. } => DQuat::from_euler(order, value[0], value[1], value[2]),
                _ => DQuat::IDENTITY,
            };
            link.rest * own
        })
    }

    fn error(&self, values: &[[f64; 3]]) -> f64 {
        let places = self.body.links().iter().zip(self.rotations(values));
        let world = places.fold(DAffine3::IDENTITY, |world, (link, rotation)| {
            world * DAffine3::from_rotation_translation(rotation, link.offset)
        });
        self.goal.position.map_or(0.0, |target| target.distance(world.translation))
    }

    /// Returns the error after small steps along the projected gradient.
    fn descend(&mut self) -> f64 {
        let (mut now, mut size) = (self.error(&self.values), f64::INFINITY);
        for _ in 0..STEPS {
            let mut slopes = vec![[0.0; 3]; self.values.len()];
            let mut steepest = 0.0_f64;
            for link in 0..self.values.len() {
                for i in 0..self.count(link) {
                    let at = |change: f64| {
                        let mut values = self.values.clone();
                        values[link][i] += change;
                        self.error(&values).powi(2)
                    };
                    slopes[link][i] = (at(PROBE) - at(-PROBE)) / (2.0 * PROBE);
                    steepest = steepest.max(slopes[link][i].abs());
                }
            }
            size = (4.0 * size).min(STEP / steepest);
            let before = now;
            for _ in 0..24 {
                let moved = |(link, value): (usize, &[f64; 3])| {
                    self.allowed(link, std::array::from_fn(|i| value[i] - size * slopes[link][i]))
                };
                let values: Vec<[f64; 3]> = self.values.iter().enumerate().map(moved).collect();
                let error = self.error(&values);
                if error < now {
                    (now, self.values) = (error, values);
                    break;
                }
                size *= 0.5;
            }
            if now > before * (1.0 - 1e-7) {
                break;
            }
        }
        now
    }
}

/// Returns a random chain of `joints` joints with limits and a length of one.
fn random_chain(kind: usize, joints: usize, random: &mut Random) -> Body {
    let mut links: Vec<Link> = Vec::new();
    let offset = DVec3::Y / joints as f64;
    for index in 0..joints {
        let axes = [DVec3::X, DVec3::Z, DVec3::new(0.6, 0.0, 0.8), DVec3::Y];
        let axis = axes[random.below(4)];
        let limit = match if kind == 3 { random.below(3) } else { kind } {
            0 => Limit::Hinge {
                axis: if axis == DVec3::Y && index > 0 { DVec3::X } else { axis },
                min: -random.range(0.0, 1.5),
                max: random.range(0.2, 2.5),
            },
            1 => {
                let twist = random.range(0.1, 1.5);
                round_cone(DVec3::Y, random.range(0.2, 1.5), [-twist, twist])
            }
            _ => Limit::Euler {
                order: EulerRot::XYZ,
                min: [(); 3].map(|()| -random.range(0.0, 1.0)),
                max: [(); 3].map(|()| random.range(0.1, 1.2)),
            },
        };
        let offset = if index == 0 { DVec3::ZERO } else { offset };
        links.push(
            Link::base()
                .with_limit(limit)
                .with_offset(offset)
                .with_parent(index.checked_sub(1).map(LinkIndex)),
        );
    }
    links.push(Link::child(LinkIndex(joints - 1), offset));
    Body::new(links, DAffine3::IDENTITY).unwrap()
}

/// Returns a target that is within reach despite the limits, farther away than the bones reach, or within reach of the bones without
/// limits.
fn random_target(kind: usize, body: &Body, random: &mut Random) -> Goal {
    let end = body.links().len() - 1;
    let way = random.direction();
    let target = match kind {
        0 => {
            let mut posed = body.clone();
            crate::cases::pose_randomly(&mut posed, random);
            crate::position(&posed, end)
        }
        1 => way * random.range(1.05, 1.6),
        _ => way * random.range(0.2, 0.95),
    };
    Goal::position(LinkIndex(end), target)
}

/// Reliability of the outcomes of many solves.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    reached: usize,
    /// `blocked` counts solves reported as blocked by limits. `moving` counts the blocked solves in which the joints can still turn to a
    /// nearer pose, and `free` counts the blocked solves in which no limit holds the chain back.
    blocked: usize,
    moving: usize,
    free: usize,
    /// `far` counts solves reported as out of reach. `near` counts the far solves whose target is not beyond the bones, and `held` counts
    /// the far solves in which a limit holds the chain back.
    far: usize,
    near: usize,
    held: usize,
    /// `open` counts all others. `unseen` counts the open solves that limits do block.
    open: usize,
    unseen: usize,
}

impl Count {
    fn add(&mut self, posed: &Body, goal: Goal, outcome: Outcome) {
        if outcome == Outcome::Reached {
            self.reached += 1;
            return;
        }
        let now = error(posed, &goal);
        // A metre is the length of the chain.
        let scale = now.min(1.0);
        let [bound, free] = [true, false].map(|limits| PoseCoordinates::new(posed, goal, limits).descend());
        let (moves, is_held) = (now - bound > 0.02 * scale, bound - free > 0.02 * scale);
        match outcome {
            Outcome::BlockedByLimits => {
                self.blocked += 1;
                self.moving += usize::from(moves);
                self.free += usize::from(now - free < 0.005 * scale);
            }
            Outcome::OutOfReach => {
                self.far += 1;
                self.held += usize::from(is_held);
                self.near += usize::from(goal.position.is_some_and(|target| target.length() < 1.0));
            }
            _ => {
                self.open += 1;
                self.unseen += usize::from(!moves && is_held);
            }
        }
    }
}

/// Regression: with limits, most goals beyond the bones were `out-of-reach` although a limit held the chain back. Without
/// restarts, some were blocked in poses from which the joints could continue.
#[test]
fn outcomes_are_true_for_every_method_and_any_number_of_restarts() {
    let mut random = Random(11);
    let mut counts = [(0, Count::default()), (8, Count::default())];
    for number in 0..CASES {
        let joints = if number % 3 == 2 { 2 } else { 3 + random.below(8) };
        let body = random_chain(number % 4, joints, &mut random);
        let goal = random_target(number / 4 % 3, &body, &mut random);
        for (restarts, count) in &mut counts {
            for method in Method::ALL.into_iter().chain([Method::Auto]) {
                if method == Method::TwoBone && joints != 2 {
                    continue;
                }
                let mut posed = body.clone();
                let options = Options::default().with_method(method).with_restarts(*restarts);
                let report = report(&mut posed, &[goal], &options);
                count.add(&posed, goal, report.goals[0].outcome);
            }
        }
    }
    for (restarts, count) in counts {
        println!("{restarts} restarts: {count:?}");
        let Count { blocked, moving, free, far, near, held, open, unseen, .. } = count;
        assert!(blocked > CASES && far > CASES / 2, "{restarts}: {count:?}");
        assert!(50 * moving <= blocked && free == 0, "{restarts}: {count:?}");
        assert!(near == 0 && held == 0, "{restarts}: {count:?}");
        assert!(2 * unseen <= open, "{restarts}: {count:?}");
    }
}

fn outcomes(body: &Body, goals: &[Goal], method: Method) -> Vec<Outcome> {
    let options = Options::default().with_method(method).with_restarts(0);
    report(&mut body.clone(), goals, &options).goals.iter().map(|goal| goal.outcome).collect()
}

/// Both the swing and the twist of a shoulder are at the ends of their ranges, and the error has components along both borders. Without
/// iterations, only the given pose matters.
#[test]
fn a_ball_joint_is_blocked_at_the_border_and_in_the_corner_of_its_limit() {
    let cone = round_cone(DVec3::Y, 0.5, [-0.2, 0.4]);
    let euler = Limit::Euler { order: EulerRot::XYZ, min: [-0.5, -0.2, -0.3], max: [0.5, 0.4, 0.3] };
    let mut random = Random(4);
    for limit in [cone, euler] {
        for number in 0..60 {
            let hand = DVec3::new(0.4, 1.0, 0.0);
            let elbow = Link::child(LinkIndex(0), DVec3::Y).with_limit(if number % 2 == 0 {
                Limit::Locked
            } else {
                limit
            });
            let links = vec![Link::base().with_limit(limit), elbow, Link::child(LinkIndex(1), hand)];
            let mut body = Body::new(links, DAffine3::IDENTITY).unwrap();
            let goal = Goal::position(LinkIndex(2), random.turn(1.0) * 1.2);
            let now = error(&body, &goal);
            let mut pose = PoseCoordinates::new(&body, goal, true);
            let bound = pose.descend();
            let rotations: Vec<DQuat> = pose.rotations(&pose.values).collect();
            let options = Options::default().with_iterations(0);
            let judged = |body: &Body| report(&mut body.clone(), &[goal], &options).goals[0].outcome;
            let start = judged(&body);
            assert!(start != Outcome::BlockedByLimits || bound > 0.98 * now, "{number}, {limit:?}");
            rotations
                .into_iter()
                .enumerate()
                .for_each(|(link, rotation)| body.set_rotation(LinkIndex(link), rotation));
            let free = PoseCoordinates::new(&body, goal, false).descend();
            if bound > 1e-3 && bound - free > 0.02 * bound {
                assert_eq!(judged(&body), Outcome::BlockedByLimits, "{number}, {limit:?}: {bound} {free}");
            }
        }
    }
}

/// A limit holds the chain back from a target beyond the bones if the chain cannot point at the target.
#[test]
fn a_target_beyond_the_bones_is_out_of_reach_only_where_no_limit_holds_back() {
    let hinge = |min: f64, max: f64| Limit::hinge(DVec3::Z, min..=max);
    let links = vec![
        Link::base().with_limit(hinge(-0.5, 1.0)),
        Link::child(LinkIndex(0), DVec3::Y * 0.5).with_limit(hinge(0.0, 2.5)),
        Link::child(LinkIndex(1), DVec3::Y * 0.5),
    ];
    let mut body = Body::new(links, DAffine3::IDENTITY).unwrap();
    body.set_rotation(LinkIndex(1), DQuat::from_rotation_z(0.5));
    for method in Method::ALL.into_iter().filter(|m| *m != Method::PseudoInverse) {
        for (angle, wanted) in [(0.5, Outcome::OutOfReach), (-1.0, Outcome::BlockedByLimits)] {
            let goal = Goal::position(LinkIndex(2), DQuat::from_rotation_z(angle) * DVec3::Y * 1.3);
            assert_eq!(outcomes(&body, &[goal], method), [wanted], "{method}, {angle}");
        }
    }
}

/// Two hands on one beam. If the hands pull against each other, the limit of the beam blocks neither of them.
#[test]
fn a_goal_that_another_goal_holds_back_is_not_blocked_by_limits() {
    let links = |max: f64| {
        vec![
            Link::base().with_limit(Limit::hinge(DVec3::Z, -1.0..=max)),
            Link::child(LinkIndex(0), DVec3::X),
            Link::child(LinkIndex(0), DVec3::NEG_X),
        ]
    };
    let goals = |left: f64, right: f64| {
        let at = |angle: f64, end: DVec3| DQuat::from_rotation_z(angle) * end;
        [
            Goal::position(LinkIndex(1), at(left, DVec3::X)),
            Goal::position(LinkIndex(2), at(right, DVec3::NEG_X)),
        ]
    };
    for method in [Method::Dls, Method::FullBody, Method::Optimize] {
        let body = |max: f64| Body::new(links(max), DAffine3::IDENTITY).unwrap();
        assert_eq!(outcomes(&body(1.0), &goals(0.3, -0.3), method), [Outcome::Stalled; 2], "{method}");
        assert_eq!(outcomes(&body(0.1), &goals(0.4, 0.4), method), [Outcome::BlockedByLimits; 2], "{method}");
    }
}

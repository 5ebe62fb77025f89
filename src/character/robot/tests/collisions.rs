use glam::DVec3;
use proptest::prelude::*;
use sinew_base::Random;

use crate::ik::{BodyCapsule, Goal, LinkIndex, Obstacle, Options, Outcome};
use crate::robot::{Collisions, Robot, RobotError};

use super::panda::{READY, panda, robot};

/// Returns the arm with a post in front of it.
fn guarded() -> Robot {
    let robot = robot();
    let post = Obstacle::capsule([DVec3::new(0.45, 0.1, 0.0), DVec3::new(0.45, 0.1, 0.6)], 0.06);
    let table = Obstacle::cuboid(DVec3::new(0.4, 0.0, -0.06), DVec3::new(1.0, 1.2, 0.1));
    let collisions = Collisions::from_character(&robot, &panda()).unwrap();
    let collisions = collisions.with_obstacle("post", post).unwrap().with_obstacle("table", table).unwrap();
    robot.clone().with_collisions(collisions.with_margin(0.005).unwrap()).unwrap()
}

/// Returns random joint values within the ranges.
fn random_q(robot: &Robot, random: &mut Random) -> Vec<f64> {
    let range = |range: Option<[f64; 2]>| range.unwrap_or([-3.0, 3.0]);
    robot.joints().iter().map(|joint| random.range(range(joint.range)[0], range(joint.range)[1])).collect()
}

/// Returns the goal that a link's pose for joint values meets.
fn goal_at(robot: &Robot, q: &[f64], link: LinkIndex) -> Goal {
    let body = robot.body(q).unwrap();
    Goal::pose(link, body.world_from_link(link).unwrap().translation, body.orientation(link).unwrap())
}

#[test]
fn every_triangle_of_a_link_is_inside_its_capsules() {
    let (robot, character) = (robot(), panda());
    let collisions = Collisions::from_character(&robot, &character).unwrap();
    for (link, name) in robot.links().iter().enumerate() {
        let own: Vec<&BodyCapsule> = collisions.capsules().iter().filter(|c| c.link.0 == link).collect();
        assert!((1..=4).contains(&own.len()), "{name}: {own:?}");
        for at in &character.meshes[robot.nodes[link]].primitives[0].positions {
            let inside = |c: &&BodyCapsule| {
                let [a, b] = c.ends;
                let t = (at.as_dvec3() - a).dot(b - a) / (b - a).length_squared().max(1e-12);
                at.as_dvec3().distance(a.lerp(b, t.clamp(0.0, 1.0))) <= c.radius + 1e-6
            };
            assert!(own.iter().any(inside), "{name}: {at}");
        }
    }
}

#[test]
fn links_next_to_each_other_may_touch() {
    let robot = guarded();
    let pairs = robot.collisions().unwrap().pairs();
    for [first, second] in &pairs {
        assert!(!(*first == "link1" && *second == "link2"), "{pairs:?}");
        assert!(!(*first == "link0" && (*second == "table" || *second == "post")), "{pairs:?}");
    }
    assert!(pairs.contains(&["link1", "link7"]) && pairs.contains(&["hand", "post"]), "{pairs:?}");
    // The hand is fixed to the last link and carries the fingers, which are not next to each other.
    assert!(!pairs.contains(&["hand", "finger1"]) && !pairs.contains(&["link7", "finger1"]), "{pairs:?}");
    assert!(pairs.contains(&["finger1", "finger2"]), "{pairs:?}");
    // In the ready pose, the hand overlaps the post a little, so that solves start from a collision.
    let ready = robot.clearance(&READY).unwrap().unwrap();
    assert_eq!(ready.pair, ["hand", "post"]);
    assert!((-0.02..0.0).contains(&ready.distance), "{ready:?}");
}

#[cfg(feature = "urdf")]
#[test]
fn a_semantic_file_lets_links_touch() {
    let robot = robot();
    let collisions = Collisions::from_character(&robot, &panda()).unwrap();
    let count = collisions.pairs().len();
    let text = "<robot name='panda'><disable_collisions link1='link7' link2='link1' reason='Never'/></robot>";
    let allowed = collisions.clone().with_srdf(text).unwrap();
    assert_eq!(allowed.pairs().len(), count - 1);
    let cause = collisions.clone().with_srdf(&text.replace("link7", "lnk7")).unwrap_err().to_string();
    assert_eq!(cause, "link \"lnk7\" does not exist; did you mean \"link7\"?");
    let cause = collisions.with_srdf("<robot><disable_collisions/></robot>").unwrap_err().to_string();
    assert_eq!(cause, "SRDF: line 1: <disable_collisions> lacks link1");
}

proptest! {
    /// The gradient of the clearance is its difference quotient.
    #[test]
    fn clearance_gradients_are_the_derivatives(seed in 0_u64..10_000) {
        let robot = guarded();
        let q = random_q(&robot, &mut Random(seed));
        let here = robot.clearance(&q).unwrap().unwrap();
        let slope = robot.clearance_gradient(&q).unwrap();
        for (place, own) in slope.iter().enumerate() {
            let at = |step: f64| {
                let mut q = q.clone();
                q[place] += step;
                robot.clearance(&q).unwrap().unwrap()
            };
            let (after, before) = (at(1e-6), at(-1e-6));
            let sides = [(after.distance - here.distance) / 1e-6, (here.distance - before.distance) / 1e-6];
            let is_smooth = (sides[0] - sides[1]).abs() < 1e-3;
            if is_smooth && after.pair == here.pair && before.pair == here.pair {
                let numeric = 0.5 * (sides[0] + sides[1]);
                prop_assert!((own - numeric).abs() < 2e-3, "{place}: {own} and {numeric}");
            }
        }
    }

    /// An answer that is reported as reached keeps the margin and meets the goal.
    #[test]
    fn reached_answers_are_free_of_collisions(seed in 0_u64..10_000) {
        let robot = guarded();
        let (hand, options) = (robot.link("hand").unwrap(), Options::default().with_tolerance(1e-5));
        let goal = goal_at(&robot, &random_q(&robot, &mut Random(seed)), hand);
        let solution = robot.solve(&[goal], &READY, &options).unwrap();
        let nearest = solution.clearance.clone().unwrap();
        prop_assert_eq!(robot.clearance(&solution.q).unwrap(), Some(nearest.clone()));
        if solution.report.reached() {
            prop_assert!(nearest.distance >= 0.005 - 1e-12, "{nearest:?}");
            let there = robot.world_from_link(&solution.q, hand).unwrap().translation;
            prop_assert!(there.distance(goal.position.unwrap()) < 1.1e-5);
        } else if nearest.distance < 0.004 {
            prop_assert_eq!(solution.report.goals[0].outcome, Outcome::BlockedByContact);
        }
        for (joint, value) in robot.joints().iter().zip(&solution.q) {
            prop_assert!(joint.range.is_none_or(|[min, max]| (min..=max).contains(value)));
        }
    }
}

/// Story: the hand went through a post on its way from one side to the other.
#[test]
fn a_path_does_not_pass_through_an_obstacle() {
    let robot = guarded();
    let hand = robot.link("hand").unwrap();
    let side = |y: f64| DVec3::new(0.45, y, 0.35);
    let path: Vec<Vec<Goal>> =
        (0..=60).map(|i| vec![Goal::position(hand, side(-0.25 + 0.01 * f64::from(i)))]).collect();
    let solutions = robot.follow(&path, &READY, &Options::default()).unwrap();
    for pair in solutions.windows(2) {
        let [from, to] = [0, 1].map(|i| robot.body(&pair[i].q).unwrap());
        let nearest = robot.clearance_between(&from, &to).unwrap();
        assert!(nearest.distance > 0.0, "{nearest:?}");
    }
    // The targets inside the post are not reached.
    assert!(!solutions[35].report.reached());
    assert_eq!(solutions[35].report.goals[0].outcome, Outcome::BlockedByContact);
}

#[test]
fn many_answers_have_the_bits_of_single_ones() {
    let robot = guarded();
    let (hand, options) = (robot.link("hand").unwrap(), Options::default());
    let mut random = Random(3);
    let goals: Vec<Vec<Goal>> =
        (0..12).map(|_| vec![goal_at(&robot, &random_q(&robot, &mut random), hand)]).collect();
    for (solution, goals) in robot.solve_many(&goals, |_| &READY, &options).iter().zip(&goals) {
        assert_eq!(solution.as_ref().unwrap().q, robot.solve(goals, &READY, &options).unwrap().q);
    }
}

/// Story: each fault names the link or the obstacle.
#[test]
fn faults_name_the_link_or_the_obstacle() {
    let robot = robot();
    let collisions = Collisions::from_character(&robot, &panda()).unwrap();
    let ball = |radius| Obstacle::sphere(DVec3::X, radius);
    let cause = |result: Result<Collisions, RobotError>| result.unwrap_err().to_string();
    let twice = collisions.clone().with_obstacle("ball", ball(0.1)).unwrap().with_obstacle("ball", ball(0.1));
    assert_eq!(cause(twice), "obstacle \"ball\" already exists");
    let flat = collisions.clone().with_obstacle("ball", ball(0.0));
    assert_eq!(cause(flat), "obstacle \"ball\": the radius must be finite and greater than 0");
    let negative = collisions.clone().with_margin(f64::NAN);
    assert_eq!(cause(negative), "collisions: the margin must be finite and at least 0, but is NaN");
    let unknown = collisions.clone().with_allowed("hand", "thumb");
    assert!(cause(unknown).starts_with("link \"thumb\" does not exist; nearest: \"hand\", "));
    let thin = BodyCapsule { link: LinkIndex(8), ends: [DVec3::ZERO; 2], radius: -1.0 };
    let thin = Collisions::from_capsules(&robot, vec![thin]);
    assert_eq!(cause(thin), "link \"hand\": the radius of a capsule must be finite and greater than 0");
    let far = Collisions::from_capsules(
        &robot,
        vec![BodyCapsule { link: LinkIndex(99), ends: [DVec3::ZERO; 2], radius: 1.0 }],
    );
    assert!(cause(far).contains("link 99"));
    let other = Robot::new(&super::arm()).unwrap().with_collisions(collisions).unwrap_err().to_string();
    assert_eq!(other, "the collision model is for a robot of 11 links, but \"arm\" has 6");
    assert_eq!(robot.clearance(&READY), Ok(None));
    assert_eq!(robot.clearance_gradient(&READY), Ok(Vec::new()));
    assert!(guarded().clearance(&[0.0]).unwrap_err().to_string().contains("8 values"));
}

/// At least 99.5 % of reachable poses that are free of collisions are reached, all of them without a collision. `--nocapture` prints the
/// times.
#[test]
fn reachable_poses_are_reached_without_collisions() {
    let (plain, guarded) = (robot(), guarded());
    let (hand, options) = (plain.link("hand").unwrap(), Options::default().with_tolerance(1e-6));
    let (mut random, mut goals) = (Random(2026), Vec::new());
    while goals.len() < 1000 {
        let q = random_q(&plain, &mut random);
        if guarded.clearance(&q).unwrap().unwrap().distance >= 0.005 {
            goals.push(vec![goal_at(&plain, &q, hand)]);
        }
    }
    for (name, robot) in [("without", &plain), ("with", &guarded)] {
        let mut solver = crate::ik::Solver::default();
        let mut times = Vec::new();
        let (mut reached, mut clear) = (0, 0);
        for goals in &goals {
            let start = std::time::Instant::now();
            let solution = robot.solve_with(&mut solver, goals, &READY, &options).unwrap();
            times.push(start.elapsed().as_secs_f64() * 1e6);
            reached += usize::from(solution.report.reached());
            let distance = guarded.clearance(&solution.q).unwrap().unwrap().distance;
            clear += usize::from(solution.report.reached() && distance >= 0.005 - 1e-12);
        }
        let mean = times.iter().sum::<f64>() / 1000.0;
        times.sort_by(f64::total_cmp);
        println!(
            "{name} collisions: mean {mean:.0} µs, median {:.0} µs, p99 {:.0} µs, reached {reached}, of them free {clear}",
            times[500], times[990]
        );
        assert!(reached >= 995, "{name}: {reached} of 1000");
        assert!(robot.collisions().is_none() || clear == reached, "{name}: {clear} of {reached}");
    }
}

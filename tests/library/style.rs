//! Compares pose priors with other methods. Each method restores whole postures from five effectors, for frames that
//! were not used for learning. `--nocapture` prints the table of `docs/decisions/motion.md`.

mod motions;

use std::sync::Arc;
use std::time::Instant;

use glam::{DQuat, DVec3};
use sinew::ik::benchmark::cases::free_chain;
use sinew::ik::{
    Body, BoundPrior, DEFAULT_NEAREST, Examples, Goal, Learned, Learning, LinkIndex, Method, Options,
    Posture, SolveError, Solver, Start, Style,
};

use motions::{BUILT_IN, EXTERNAL, StyleMotion, at};

/// The result of one method: the mean error of all joints over all frames, the mean error of all joints in the worst
/// frame (both in metres), and the seconds per solve.
#[derive(Clone, Copy, Debug, Default)]
struct MethodResult {
    mean: f64,
    worst: f64,
    seconds: f64,
}

impl StyleMotion {
    fn goals(&self, frame: usize) -> [Goal; 5] {
        self.effectors.map(|link| Goal::position(link, at(&self.bodies[frame], link)))
    }

    fn postures(&self, frames: &[usize]) -> Vec<Posture> {
        frames.iter().map(|&f| Posture::of(&self.bodies[f])).collect()
    }

    /// Returns a body at rest whose base has the true position and rotation.
    fn start(&self, frame: usize) -> Body {
        let truth = &self.bodies[frame];
        let mut body = truth.clone();
        body.reset();
        body.set_root(truth.root());
        body.set_rotation(LinkIndex(0), truth.rotations()[0]);
        body
    }

    fn measure(&self, held_back: &[usize], mut solve: impl FnMut(&mut Body, &[Goal])) -> MethodResult {
        let mut row = MethodResult::default();
        for &frame in held_back {
            let (truth, mut body, goals) = (&self.bodies[frame], self.start(frame), self.goals(frame));
            let started = Instant::now();
            solve(&mut body, &goals);
            row.seconds += started.elapsed().as_secs_f64() / held_back.len() as f64;
            let links = truth.links().len();
            let away = |link| at(&body, LinkIndex(link)).distance(at(truth, LinkIndex(link)));
            let mean = self.scale * (0..links).map(away).sum::<f64>() / links as f64;
            row.mean += mean / held_back.len() as f64;
            row.worst = row.worst.max(mean);
        }
        row
    }

    /// Returns the results of dls, full-body, the nearest example, interpolation and style.
    fn table(&self, (learned_from, held_back): (&[usize], &[usize])) -> ([MethodResult; 5], Learned) {
        let postures = self.postures(learned_from);
        let (style, learned) = Style::learn(self.names.clone(), &postures, &Learning::default()).unwrap();
        let joints: Vec<Option<usize>> = (0..self.names.len()).map(Some).collect();
        let plain = |method| {
            self.measure(held_back, |body, goals| {
                Solver::default().solve(body, goals, &options(method)).unwrap();
            })
        };
        let blended = |nearest| {
            let examples = Examples { nearest, ..Examples::new(postures.clone()) };
            self.measure(held_back, |body, goals| {
                let (mut solver, whole) = (Solver::default(), options(Method::FullBody));
                examples.solve(&mut solver, body, &joints, goals, &whole).unwrap();
            })
        };
        let mut solver = Solver::default();
        solver.set_style(Some(BoundPrior::whole(Arc::new(style))));
        let styled = self.measure(held_back, |body, goals| {
            assert!(solver.solve(body, goals, &options(Method::Style)).unwrap().reached());
        });
        let rows =
            [plain(Method::Dls), plain(Method::FullBody), blended(1), blended(DEFAULT_NEAREST), styled];
        (rows, learned)
    }
}

fn options(method: Method) -> Options {
    Options::default().with_method(method).with_root_motion(method.is_whole_body())
}

#[test]
fn pose_priors_reduce_the_error_of_joints_without_goals() {
    for case in BUILT_IN.iter().chain(&EXTERNAL) {
        let Some(motion) = case.motion() else { continue };
        let (learned_from, held_back) = case.split(motion.bodies.len());
        let (rows, learned) = motion.table((&learned_from, &held_back));
        println!(
            "{}, {} joints, {} frames held back: {learned:?}",
            case.name,
            motion.names.len(),
            held_back.len()
        );
        for (name, row) in ["dls", "full-body", "nearest", "interpolation", "style"].iter().zip(&rows) {
            let MethodResult { mean, worst, seconds } = row;
            println!(
                "  {name:14} {:6.1} mm, worst {:6.1} mm, {:5.2} ms",
                1e3 * mean,
                1e3 * worst,
                1e3 * seconds
            );
        }
        if let Some(most) = case.most {
            let [dls, full_body, _, interpolation, style] = rows.map(|r| r.mean);
            let without = dls.min(full_body);
            assert!(interpolation < most * without, "{}: {interpolation}, {without}", case.name);
            assert!(style < most * without, "{}: {style}, {without}", case.name);
        }
    }
}

#[test]
fn learning_and_posing_are_deterministic() {
    let motion = BUILT_IN[3].motion().unwrap();
    let postures = motion.postures(&(0..60).collect::<Vec<_>>());
    let learning = Learning::default().with_postures(25).with_steps(40);
    let learn = || Style::learn(motion.names.clone(), &postures, &learning).unwrap().0;
    let style = learn();
    assert_eq!(style, learn());
    let solve = || {
        let (mut solver, mut body) = (Solver::default(), motion.start(100));
        solver.set_style(Some(BoundPrior::whole(Arc::new(style.clone()))));
        let options = options(Method::Style).with_start(Start::Continue);
        solver.solve(&mut body, &motion.goals(100), &options).unwrap();
        // Solving again returns the same result.
        let answer = body.clone();
        solver.solve(&mut body, &motion.goals(100), &options).unwrap();
        assert_eq!(body, answer);
        body
    };
    assert_eq!(solve(), solve());
}

#[test]
fn style_method_requires_a_pose_prior_for_the_body() {
    let mut body = free_chain(4).unwrap();
    let goals = [Goal::position(LinkIndex(4), DVec3::new(0.5, 0.5, 0.0))];
    let before = body.clone();
    let mut solver = Solver::default();
    let refused = |solver: &mut Solver, body: &mut Body| {
        let error = solver.solve(body, &goals, &options(Method::Style)).unwrap_err();
        assert!(matches!(error, SolveError::Unsuited { method: Method::Style, .. }), "{error}");
        assert_eq!(*body, before);
        error.to_string()
    };
    assert!(refused(&mut solver, &mut body).contains("needs a style"));
    assert!(options(Method::Style).refusal(&body, &goals).is_some());
    // The style was learned for another body.
    let examples: Vec<Posture> = (0..5)
        .map(|i| {
            let mut other = free_chain(2).unwrap();
            other.set_rotation(LinkIndex(1), DQuat::from_rotation_x(0.2 * f64::from(i)));
            Posture::of(&other)
        })
        .collect();
    let names = ["a", "b", "c"].map(str::to_owned).to_vec();
    let (style, _) = Style::learn(names, &examples, &Learning::default()).unwrap();
    solver.set_style(Some(BoundPrior::whole(Arc::new(style))));
    assert!(refused(&mut solver, &mut body).contains("different number of links"));
    // Other methods ignore the style.
    assert!(solver.solve(&mut body, &goals, &options(Method::Dls)).unwrap().reached());
}

#[test]
fn style_method_respects_limits() {
    use sinew::ik::{Limit, Link, round_cone};
    let motion = BUILT_IN[3].motion().unwrap();
    let (learned_from, held_back) = BUILT_IN[3].split(motion.bodies.len());
    let style =
        Style::learn(motion.names.clone(), &motion.postures(&learned_from), &Learning::default()).unwrap().0;
    let mut solver = Solver::default();
    solver.set_style(Some(BoundPrior::whole(Arc::new(style))));
    for &frame in &held_back[..4] {
        let free = motion.start(frame);
        let limit = |(i, l): (usize, &Link)| {
            (*l).with_limit(if i == 0 { Limit::Free } else { round_cone(DVec3::Y, 0.3, [-0.2, 0.2]) })
        };
        let links = free.links().iter().enumerate().map(limit).collect();
        let mut body = Body::new(links, free.world_from_base()).unwrap();
        body.set_root(free.root());
        solver.solve(&mut body, &motion.goals(frame), &options(Method::Style)).unwrap();
        for (link, rotation) in body.links().iter().zip(body.rotations()) {
            assert!(link.limit_violation(*rotation) < 1e-6, "{}", link.limit_violation(*rotation));
        }
    }
}

//! Whether examples earn their keep: a whole posture from five effectors, on frames that were held back. With
//! `--nocapture` the table of `docs/motion-examples-draft.md`.

use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;
use std::time::Instant;

use glam::{DAffine3, DQuat, DVec3};
use sinew::asset;
use sinew::ik::{
    Body, DEFAULT_NEAREST, Examples, Goal, Learned, Learning, Method, Options, Posture, SolveError, Solver,
    Style, Styled,
};
use sinew::pose::Pose;
use sinew::puppet::{Figure, Puppet};

use crate::support::models;

const HANDS: [&str; 5] = ["LeftHand", "RightHand", "LeftFoot", "RightFoot", "Head"];
const WRISTS: [&str; 5] = ["LeftWrist", "RightWrist", "LeftAnkle", "RightAnkle", "Head"];
const DOTTED: [&str; 5] = ["hand.l", "hand.r", "foot.l", "foot.r", "head"];

/// What is learned from and what is held back.
struct Case {
    name: &'static str,
    file: &'static str,
    /// Clips by the ends of their names; without any, the first.
    clips: &'static [&'static str],
    effectors: [&'static str; 5],
    /// The file has +Z up.
    z_up: bool,
    /// Frames of a block, of which every third is held back; `None`: the last two fifths.
    block: Option<usize>,
}

const CASES: [Case; 5] = [
    Case {
        name: "walk",
        file: "bvh/pybvh/cmu_12_01_walk.bvh",
        clips: &[],
        effectors: HANDS,
        z_up: false,
        block: None,
    },
    Case {
        name: "jumping jacks",
        file: "bvh/AnimatedDrawings/cmu1/jumping_jacks.bvh",
        clips: &[],
        effectors: WRISTS,
        z_up: false,
        block: None,
    },
    Case {
        name: "reach",
        file: "kaykit-char/anim/Med_General.glb",
        clips: &["Interact", "PickUp", "Throw", "Use_Item"],
        effectors: DOTTED,
        z_up: false,
        block: Some(4),
    },
    Case {
        name: "mocapbank",
        file: "bvh/20tab-bvh-python/test_mocapbank.bvh",
        clips: &[],
        effectors: WRISTS,
        z_up: false,
        block: Some(10),
    },
    Case {
        name: "dance",
        file: "bvh/AnimatedDrawings/fair1/dab.bvh",
        clips: &[],
        effectors: HANDS,
        z_up: true,
        block: Some(10),
    },
];

/// Bodies, one a frame.
struct Motion {
    bodies: Vec<Body>,
    names: Vec<String>,
    effectors: [usize; 5],
    /// From the file's metres to those of a figure of 1.75 m.
    scale: f64,
}

/// What some way of solving came to: the mean error of all joints and frames, the mean of the worst frame, metres; and
/// seconds a solve.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    mean: f64,
    worst: f64,
    seconds: f64,
}

fn at(body: &Body, link: usize) -> DVec3 {
    body.world_from_link(link).unwrap().translation
}

impl Case {
    /// The frames, 30 a second; `None` without the models.
    fn motion(&self) -> Option<Motion> {
        let (folder, file) = self.file.split_once('/').unwrap();
        let mut puppet = Puppet::new(asset::load(&models(folder)?.join(file)).unwrap(), 0);
        let figure = Figure::new(&puppet).unwrap();
        let character = puppet.character().clone();
        let upright = |mut body: Body| {
            if self.z_up {
                let turn = DQuat::from_rotation_x(-FRAC_PI_2);
                body.place(DAffine3::from_quat(turn), turn).unwrap();
            }
            body
        };
        let chosen = |name: &str| self.clips.iter().any(|end| name.ends_with(end));
        let clips: Vec<usize> = (0..character.clips.len())
            .filter(|&c| match self.clips {
                [] => c == 0,
                _ => character.clips[c].name.as_deref().is_some_and(chosen),
            })
            .collect();
        let mut bodies = Vec::new();
        for clip in clips {
            let frames = (character.clips[clip].seconds * 30.0) as usize;
            for frame in 0..=frames {
                puppet.play(clip, frame as f32 / 30.0);
                puppet.update().unwrap();
                bodies.push(upright(figure.body(&character, puppet.pose()).unwrap()));
            }
        }
        let rest = upright(figure.body(&character, &Pose::rest(&character.skeleton)).unwrap());
        let heights: Vec<f64> = (0..rest.links().len()).map(|l| at(&rest, l).y).collect();
        let height = heights.iter().copied().fold(f64::MIN, f64::max)
            - heights.iter().copied().fold(f64::MAX, f64::min);
        let link = |name: &str| figure.names.iter().position(|n| n == name).unwrap();
        let effectors = self.effectors.map(link);
        Some(Motion { bodies, names: figure.names.clone(), effectors, scale: 1.75 / height })
    }

    /// Frames to learn from, and every fourth of those held back.
    fn split(&self, frames: usize) -> (Vec<usize>, Vec<usize>) {
        let back = |f: &usize| self.block.map_or(*f >= frames * 6 / 10, |block| f / block % 3 == 1);
        let (held_back, learned_from): (Vec<usize>, Vec<usize>) = (0..frames).partition(back);
        let step = if self.block.is_some_and(|b| b < 5) { 2 } else { 4 };
        (learned_from, held_back.into_iter().step_by(step).collect())
    }
}

impl Motion {
    fn goals(&self, frame: usize) -> [Goal; 5] {
        self.effectors.map(|link| Goal::position(link, at(&self.bodies[frame], link)))
    }

    fn postures(&self, frames: &[usize]) -> Vec<Posture> {
        frames.iter().map(|&f| Posture::of(&self.bodies[f])).collect()
    }

    /// A body at rest, but for the true place and turn of its base.
    fn start(&self, frame: usize) -> Body {
        let truth = &self.bodies[frame];
        let mut body = truth.clone();
        body.reset();
        body.set_root(truth.root());
        body.set_rotation(0, truth.rotations()[0]);
        body
    }

    fn measure(&self, held_back: &[usize], mut solve: impl FnMut(&mut Body, &[Goal])) -> Row {
        let mut row = Row::default();
        for &frame in held_back {
            let (truth, mut body, goals) = (&self.bodies[frame], self.start(frame), self.goals(frame));
            let started = Instant::now();
            solve(&mut body, &goals);
            row.seconds += started.elapsed().as_secs_f64() / held_back.len() as f64;
            let links = truth.links().len();
            let away = |link| at(&body, link).distance(at(truth, link));
            let mean = self.scale * (0..links).map(away).sum::<f64>() / links as f64;
            row.mean += mean / held_back.len() as f64;
            row.worst = row.worst.max(mean);
        }
        row
    }

    /// Rows of dls, full-body, the nearest example, interpolation and style.
    fn table(&self, (learned_from, held_back): (&[usize], &[usize])) -> ([Row; 5], Learned) {
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
        solver.set_style(Some(Styled::whole(Arc::new(style))));
        let styled = self.measure(held_back, |body, goals| {
            assert!(solver.solve(body, goals, &options(Method::Style)).unwrap().reached());
        });
        let rows =
            [plain(Method::Dls), plain(Method::FullBody), blended(1), blended(DEFAULT_NEAREST), styled];
        (rows, learned)
    }
}

fn options(method: Method) -> Options {
    Options { method, root_motion: method.is_whole_body(), ..Options::default() }
}

#[test]
fn examples_tell_postures_that_goals_leave_open() {
    for case in &CASES {
        let Some(motion) = case.motion() else { return };
        let (learned_from, held_back) = case.split(motion.bodies.len());
        let (rows, learned) = motion.table((&learned_from, &held_back));
        println!(
            "{}, {} joints, {} frames held back: {learned:?}",
            case.name,
            motion.names.len(),
            held_back.len()
        );
        for (name, row) in ["dls", "full-body", "nearest", "interpolation", "style"].iter().zip(&rows) {
            let Row { mean, worst, seconds } = row;
            println!(
                "  {name:14} {:6.1} mm, worst {:6.1} mm, {:5.2} ms",
                1e3 * mean,
                1e3 * worst,
                1e3 * seconds
            );
        }
        // The dance does not come back to what it did: its examples do not tell.
        if case.name != "dance" {
            let [dls, full_body, _, interpolation, style] = rows.map(|r| r.mean);
            let without = dls.min(full_body);
            assert!(interpolation < 0.7 * without, "{}: {interpolation}, {without}", case.name);
            assert!(style < 0.7 * without, "{}: {style}, {without}", case.name);
        }
    }
}

#[test]
fn a_style_is_the_same_every_time() {
    let Some(motion) = CASES[0].motion() else { return };
    let postures = motion.postures(&(0..60).collect::<Vec<_>>());
    let learning = Learning { postures: 25, steps: 40, ..Learning::default() };
    let learn = || Style::learn(motion.names.clone(), &postures, &learning).unwrap().0;
    let style = learn();
    assert_eq!(style, learn());
    let solve = || {
        let (mut solver, mut body) = (Solver::default(), motion.start(100));
        solver.set_style(Some(Styled::whole(Arc::new(style.clone()))));
        solver.solve(&mut body, &motion.goals(100), &options(Method::Style)).unwrap();
        // Asked again, the same is answered.
        let answer = body.clone();
        solver.solve(&mut body, &motion.goals(100), &options(Method::Style)).unwrap();
        assert_eq!(body, answer);
        body
    };
    assert_eq!(solve(), solve());
}

#[test]
fn without_a_style_the_method_says_so() {
    let mut body = crate::chain(4);
    let goals = [Goal::position(4, DVec3::new(0.5, 0.5, 0.0))];
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
    // One of another body.
    let examples: Vec<Posture> = (0..5)
        .map(|i| {
            let mut other = crate::chain(2);
            other.set_rotation(1, DQuat::from_rotation_x(0.2 * f64::from(i)));
            Posture::of(&other)
        })
        .collect();
    let names = ["a", "b", "c"].map(str::to_owned).to_vec();
    let (style, _) = Style::learn(names, &examples, &Learning::default()).unwrap();
    solver.set_style(Some(Styled::whole(Arc::new(style))));
    assert!(refused(&mut solver, &mut body).contains("other links"));
    // Other methods are not touched by it.
    assert!(solver.solve(&mut body, &goals, &options(Method::Dls)).unwrap().reached());
}

#[test]
fn limits_are_kept_in_a_style() {
    use sinew::ik::{Limit, Link, round_cone};
    let Some(motion) = CASES[0].motion() else { return };
    let (learned_from, held_back) = CASES[0].split(motion.bodies.len());
    let style =
        Style::learn(motion.names.clone(), &motion.postures(&learned_from), &Learning::default()).unwrap().0;
    let mut solver = Solver::default();
    solver.set_style(Some(Styled::whole(Arc::new(style))));
    for &frame in &held_back[..4] {
        let free = motion.start(frame);
        let limit = |(i, l): (usize, &Link)| Link {
            limit: if i == 0 { Limit::Free } else { round_cone(DVec3::Y, 0.3, [-0.2, 0.2]) },
            ..*l
        };
        let links = free.links().iter().enumerate().map(limit).collect();
        let mut body = Body::new(links, free.world_from_base()).unwrap();
        body.set_root(free.root());
        solver.solve(&mut body, &motion.goals(frame), &options(Method::Style)).unwrap();
        for (link, rotation) in body.links().iter().zip(body.rotations()) {
            assert!(link.excess(*rotation) < 1e-6, "{}", link.excess(*rotation));
        }
    }
}

//! Whether examples earn their keep: a whole posture from five effectors, on frames that were held back.

use std::f64::consts::FRAC_PI_2;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use glam::{DAffine3, DQuat, DVec3};
use sinew::asset;
use sinew::ik::{Body, Examples, Goal, Learned, Learning, Method, Options, Posture, Solver, Style, Styled};
use sinew::pose::Pose;
use sinew::puppet::{Figure, Puppet};

use crate::support::models;

/// A clip, the frames from which on nothing is learned, and the effectors' names: hands, feet, head.
struct Motion {
    bodies: Vec<Body>,
    names: Vec<String>,
    effectors: [usize; 5],
    /// From the file's metres to those of a figure of 1.75 m.
    scale: f64,
}

/// Mean error of all joints and frames in metres, the largest of the means of a frame, and seconds a solve.
#[derive(Clone, Copy, Debug)]
struct Row {
    mean: f64,
    worst: f64,
    seconds: f64,
}

fn motion(path: &Path, effectors: [&str; 5], z_up: bool) -> Motion {
    let mut puppet = Puppet::new(asset::load(path).unwrap(), 0);
    let figure = Figure::new(&puppet).unwrap();
    let character = puppet.character().clone();
    let upright = |mut body: Body| {
        if z_up {
            let turn = DQuat::from_rotation_x(-FRAC_PI_2);
            body.place(DAffine3::from_quat(turn), turn).unwrap();
        }
        body
    };
    let rest = upright(figure.body(&character, &Pose::rest(&character.skeleton)).unwrap());
    let seconds = character.clips[0].seconds;
    let frames = (seconds * 30.0) as usize;
    let bodies = (0..=frames)
        .map(|frame| {
            puppet.play(0, frame as f32 / 30.0);
            puppet.update().unwrap();
            upright(figure.body(&character, puppet.pose()).unwrap())
        })
        .collect();
    let link = |name: &str| figure.names.iter().position(|n| n == name).unwrap();
    let heights: Vec<f64> = (0..rest.links().len()).map(|l| at(&rest, l).y).collect();
    let height =
        heights.iter().copied().fold(f64::MIN, f64::max) - heights.iter().copied().fold(f64::MAX, f64::min);
    Motion { bodies, names: figure.names.clone(), effectors: effectors.map(link), scale: 1.75 / height }
}

fn at(body: &Body, link: usize) -> DVec3 {
    body.world_from_link(link).unwrap().translation
}

impl Motion {
    /// How some way of solving does on frames. It gets a body at rest, but for the true place and turn of its base.
    fn measure(&self, held_back: &[usize], mut solve: impl FnMut(&mut Body, &[Goal])) -> Row {
        let mut row = Row { mean: 0.0, worst: 0.0, seconds: 0.0 };
        for &frame in held_back {
            let truth = &self.bodies[frame];
            let goals = self.effectors.map(|link| Goal::position(link, at(truth, link)));
            let mut body = truth.clone();
            body.reset();
            body.set_root(truth.root());
            body.set_rotation(0, truth.rotations()[0]);
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

    fn learn(&self, frames: &[usize]) -> (Vec<Posture>, Style, Learned) {
        let postures: Vec<Posture> = frames.iter().map(|&f| Posture::of(&self.bodies[f])).collect();
        let (style, learned) = Style::learn(self.names.clone(), &postures, &tuned()).unwrap();
        (postures, style, learned)
    }

    /// Rows of dls, full-body, the nearest example, interpolation and style.
    fn table(&self, learned_from: &[usize], held_back: &[usize]) -> ([Row; 5], Learned) {
        let (postures, style, learned) = self.learn(learned_from);
        let joints: Vec<Option<usize>> = (0..self.names.len()).map(Some).collect();
        let options = |method| Options { method, root_motion: method.is_whole_body(), ..Options::default() };
        let plain = |method| {
            self.measure(held_back, |body, goals| {
                Solver::default().solve(body, goals, &options(method)).unwrap();
            })
        };
        let blended = |nearest| {
            let examples = Examples { nearest, ..Examples::new(postures.clone()) };
            self.measure(held_back, |body, goals| {
                let whole = options(Method::FullBody);
                examples.solve(&mut Solver::default(), body, &joints, goals, &whole).unwrap();
            })
        };
        let mut styled = Solver::default();
        styled.set_style(Some(Styled::whole(Arc::new(style))));
        let style = self.measure(held_back, |body, goals| {
            styled.solve(body, goals, &options(Method::Style)).unwrap();
        });
        let nearest = env("NEAREST", 6.0) as usize;
        ([plain(Method::Dls), plain(Method::FullBody), blended(1), blended(nearest), style], learned)
    }
}

const HUMAN: [&str; 5] = ["LeftHand", "RightHand", "LeftFoot", "RightFoot", "Head"];

fn print(name: &str, rows: &[Row; 5], learned: &Learned) {
    println!("{name}: {learned:?}");
    let names = ["dls", "full-body", "nearest example", "interpolation", "style"];
    for (name, row) in names.iter().zip(rows) {
        println!("  {name:16} {:.4} {:.4} m, {:.2} ms", row.mean, row.worst, 1e3 * row.seconds);
    }
}

/// Frames to learn from and those held back: the end of a clip, or every third block of ten frames.
fn split(frames: usize, blocks: bool) -> (Vec<usize>, Vec<usize>) {
    let back = |f: &usize| if blocks { f / 10 % 3 == 1 } else { *f >= frames * 6 / 10 };
    let (held_back, learned_from): (Vec<usize>, Vec<usize>) = (0..frames).partition(back);
    (learned_from, held_back.into_iter().step_by(4).collect())
}

const WRISTS: [&str; 5] = ["LeftWrist", "RightWrist", "LeftAnkle", "RightAnkle", "Head"];

#[test]
fn table() {
    let Some(folder) = models("bvh") else { return };
    for (file, effectors, z_up, blocks) in [
        ("pybvh/cmu_12_01_walk.bvh", HUMAN, false, false),
        ("AnimatedDrawings/cmu1/jumping_jacks.bvh", WRISTS, false, false),
        ("AnimatedDrawings/cmu1/jumping_jacks.bvh", WRISTS, false, true),
        ("AnimatedDrawings/fair1/dab.bvh", HUMAN, true, false),
        ("AnimatedDrawings/fair1/dab.bvh", HUMAN, true, true),
        ("20tab-bvh-python/test_mocapbank.bvh", WRISTS, false, true),
    ] {
        let motion = motion(&folder.join(file), effectors, z_up);
        let (learned_from, held_back) = split(motion.bodies.len(), blocks);
        let (rows, learned) = motion.table(&learned_from, &held_back);
        println!("{} joints, scale {}, blocks {blocks}", motion.names.len(), motion.scale);
        print(file, &rows, &learned);
    }
}

fn env(name: &str, usual: f64) -> f64 {
    std::env::var(name).map_or(usual, |v| v.parse().unwrap())
}
fn tuned() -> Learning {
    Learning {
        dimensions: env("DIMS", 3.0) as usize,
        postures: env("POSTURES", 60.0) as usize,
        steps: env("STEPS", 150.0) as usize,
        noise: env("NOISE", 0.02),
    }
}

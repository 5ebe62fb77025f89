//! Measures how continuously solvers follow dragged paths. The bodies are a free chain, and bodies with limits that are dragged
//! beyond their reach and back.

use std::f64::consts::{FRAC_PI_4, TAU};
use std::time::Instant;

use glam::{DQuat, DVec3};
use serde::Serialize;

use crate::ik::{Body, Goal, LinkIndex, Method, Options, SolveError, Solver, Start};

use super::drag_bodies::{Dragged, dragged_bodies};
use super::least_turn::turn_ratio;
use super::measure::nearest_rank;
use crate::ik::benchmark::cases;

/// The methods that the table contains by default.
pub(super) const METHODS: [Method; 7] = [
    Method::TwoBone,
    Method::Dls,
    Method::Fused,
    Method::FullBody,
    Method::Optimize,
    Method::Ccd,
    Method::Fabrik,
];
/// Largest step of a target between two frames, as a fraction of the reach.
const STEP: f64 = 0.002;
/// A frame counts as a jump if the end moves by more than this multiple of the target's step, plus twice the tolerance.
const JUMP: f64 = 5.0;
/// Tolerance of the solves, as a fraction of the reach.
const TOLERANCE: f64 = 1e-4;
/// Turns are compared with the least turn in frames where the end moves by at least this multiple of the target's step. In other frames,
/// the target moves along the border of the reach or beyond it, and the least turn is almost zero.
const MOVED: f64 = 0.1;
/// Number of repeated solves of the last target.
const REPEATS: usize = 10;

/// The continuity of a method along a dragged path.
#[derive(Clone, Debug, Serialize)]
pub(super) struct DragRow {
    pub(super) body: String,
    pub(super) path: String,
    pub(super) method: String,
    pub(super) joints: usize,
    pub(super) frames: usize,
    /// Number of frames in which the end moves by more than five times the target's step plus twice the tolerance.
    pub(super) jumps: usize,
    /// Number of frames in which the end moves against the direction of the target's step by more than a tenth of the step's length.
    pub(super) reversals: usize,
    /// The largest turn of a frame as a multiple of the least turn within the limits that moves the end by the same displacement. A turn is
    /// the square root of the sum of the squared angles of the joints that move the end. `None` for a body with other goals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) turn_ratio: Option<f64>,
    /// 99th percentile of the largest joint rotation in a frame, radians.
    pub(super) p99: f64,
    /// Largest rotation of a joint in one frame, radians.
    pub(super) largest: f64,
    /// Number of frames in which a joint rotates by more than 45°.
    pub(super) flips: usize,
    /// Largest rotation of a joint while the target does not move, radians.
    pub(super) jitter: f64,
    /// Largest rotation of a joint, in radians, between the results of two solves for the same target from the rest pose, with other
    /// targets solved in between.
    pub(super) drift: f64,
    /// Median time of a solve, microseconds.
    pub(super) median_us: f64,
}

/// Returns the target position at a fraction of the path, from 0 to 1.
type Path = Box<dyn Fn(f64) -> DVec3>;

/// A path for the end of a body.
struct Drag {
    dragged: Dragged,
    path: Path,
    name: &'static str,
    pole: Option<DVec3>,
}

/// Returns the paths for a free chain of length one. All but the first three come near singular poses.
fn free_paths() -> [(&'static str, Path); 6] {
    [
        ("line", Box::new(|t| DVec3::new(0.8 * (TAU * t).cos(), 0.3, 0.2))),
        ("circle", Box::new(|t| DVec3::new(0.5 * (TAU * t).cos(), 0.4, 0.5 * (TAU * t).sin()))),
        (
            "lissajous",
            Box::new(|t| {
                DVec3::new(
                    0.6 * (2.0 * TAU * t).sin(),
                    0.3 + 0.4 * (3.0 * TAU * t).cos(),
                    0.4 * (TAU * t).sin(),
                )
            }),
        ),
        // This path passes the base at a distance of a hundredth of the reach.
        ("base", Box::new(|t| DVec3::new(0.7 * (TAU * t).cos(), 0.01, 0.0))),
        (
            "border",
            Box::new(|t| DVec3::new(0.3, (1.0 + 0.3 * (2.0 * TAU * t).sin()) * 0.9, 0.2 * (TAU * t).cos())),
        ),
        (
            "pole",
            Box::new(|t| DVec3::new(0.1 * (TAU * t).sin(), 0.6 * (TAU * t).cos(), 0.3 * (TAU * t).sin())),
        ),
    ]
}

/// Returns a path from the end's position straight out to 1.15 times the reach, sideways beyond the reach, and back.
fn border_path(dragged: &Dragged) -> Path {
    let (base, reach) = (dragged.base, dragged.reach);
    let start = position(&dragged.body, dragged.end);
    let out = (start - base).normalize_or(DVec3::Y);
    let side = out.any_orthonormal_vector();
    let beyond = |angle: f64| base + (out * angle.cos() + side * angle.sin()) * (1.15 * reach);
    let corners = [start, beyond(0.0), beyond(0.7), start];
    Box::new(move |t| {
        let at = 3.0 * t.clamp(0.0, 1.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 3")]
        let from = (at as usize).min(2);
        let fraction = at - from as f64;
        corners[from].lerp(corners[from + 1], fraction)
    })
}

/// Measures the methods along all paths. `report` receives each row when it is complete.
pub(super) fn measure(
    methods: &[Method],
    mut report: impl FnMut(DragRow) -> Result<(), String>,
) -> Result<(), String> {
    let text = |e: SolveError| e.to_string();
    for (name, path) in free_paths() {
        let path = std::rc::Rc::new(path);
        for &method in methods {
            let joints = if method == Method::TwoBone { 2 } else { 6 };
            let body = cases::free_chain(joints).map_err(text)?;
            let dragged = Dragged {
                name: "free chain",
                body,
                end: LinkIndex(joints),
                held: Vec::new(),
                reach: 1.0,
                base: DVec3::ZERO,
                is_chain: true,
            };
            let pole = (name == "pole" && method == Method::TwoBone).then_some(DVec3::new(0.0, 0.2, 3.0));
            let path = std::rc::Rc::clone(&path);
            let drag = Drag { dragged, path: Box::new(move |t| path(t)), name, pole };
            if let Some(row) = drag.row(method).map_err(text)? {
                report(row)?;
            }
        }
    }
    for &method in methods {
        for dragged in dragged_bodies()? {
            let drag = Drag { path: border_path(&dragged), dragged, name: "border", pole: None };
            if let Some(row) = drag.row(method).map_err(text)? {
                report(row)?;
            }
        }
    }
    Ok(())
}

/// The measurements of a drag's frames.
#[derive(Default)]
struct Frames {
    turns: Vec<f64>,
    times: Vec<f64>,
    jumps: usize,
    reversals: usize,
    turn_ratio: f64,
}

impl Drag {
    fn goals(&self, target: DVec3) -> Vec<Goal> {
        let goal = Goal::position(self.dragged.end, target).with_pole(self.pole);
        std::iter::once(goal).chain(self.dragged.held.iter().copied()).collect()
    }

    /// Returns the number of frames into which the path is divided, so that no step of the target exceeds [`STEP`].
    fn frame_count(&self) -> usize {
        const SAMPLES: usize = 6000;
        #[expect(clippy::cast_precision_loss, reason = "samples are few")]
        let at = |i: usize| (self.path)(i as f64 / SAMPLES as f64);
        let fastest = (0..SAMPLES).map(|i| at(i).distance(at(i + 1))).fold(0.0, f64::max);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a few thousand"
        )]
        let count = (fastest * SAMPLES as f64 / (STEP * self.dragged.reach)).ceil() as usize;
        count.max(1)
    }

    /// Drags the end along the path. Returns `None` if the method does not support the body.
    fn row(&self, method: Method) -> Result<Option<DragRow>, SolveError> {
        let options = Options::default()
            .with_method(method)
            .with_start(Start::Continue)
            .with_tolerance(Some(TOLERANCE * self.dragged.reach));
        let start = &self.dragged.body;
        if options.refusal(start, &self.goals((self.path)(0.0))).is_some() {
            return Ok(None);
        }
        let (mut body, mut solver) = (start.clone(), Solver::default());
        let mut frames = self.follow(&mut body, &mut solver, &options)?;
        let jitter = self.jitter(&mut body, &options)?;
        let drift = self.drift(&mut solver, &options)?;
        frames.turns.sort_by(f64::total_cmp);
        frames.times.sort_by(f64::total_cmp);
        Ok(Some(DragRow {
            body: self.dragged.name.into(),
            path: self.name.into(),
            method: method.to_string(),
            joints: start.links().len() - 1,
            frames: frames.turns.len(),
            jumps: frames.jumps,
            reversals: frames.reversals,
            turn_ratio: self.dragged.is_chain.then_some(frames.turn_ratio),
            p99: nearest_rank(&frames.turns, 0.99),
            largest: nearest_rank(&frames.turns, 1.0),
            flips: frames.turns.iter().filter(|t| **t > FRAC_PI_4).count(),
            jitter,
            drift,
            median_us: nearest_rank(&frames.times, 0.5) * 1e6,
        }))
    }

    /// Solves every frame of the path from the result of the previous one.
    fn follow(&self, body: &mut Body, solver: &mut Solver, options: &Options) -> Result<Frames, SolveError> {
        let (mut frames, count) = (Frames::default(), self.frame_count());
        let mut target = (self.path)(0.0);
        solver.solve(body, &self.goals(target), options)?;
        for frame in 1..=count {
            let before = body.clone();
            #[expect(clippy::cast_precision_loss, reason = "frames are few")]
            let next = (self.path)(frame as f64 / count as f64);
            let goals = self.goals(next);
            let started = Instant::now();
            solver.solve(body, &goals, options)?;
            frames.times.push(started.elapsed().as_secs_f64());
            let (step, end) = (next - target, self.dragged.end);
            let moved = position(body, end) - position(&before, end);
            let slack = 2.0 * TOLERANCE * self.dragged.reach;
            frames.jumps += usize::from(moved.length() > JUMP * step.length() + slack);
            frames.reversals += usize::from(moved.dot(step) < -0.1 * step.length_squared());
            if moved.length() > MOVED * step.length() {
                let ratio = turn_ratio(&before, body, end, self.pole.is_some(), frames.turn_ratio);
                frames.turn_ratio = frames.turn_ratio.max(ratio);
            }
            frames.turns.push(largest_turn(before.rotations(), body));
            target = next;
        }
        Ok(frames)
    }

    /// Solves for the last target again with new solvers, which have no warm-start state.
    fn jitter(&self, body: &mut Body, options: &Options) -> Result<f64, SolveError> {
        let before = body.rotations().to_vec();
        for _ in 0..REPEATS {
            Solver::default().solve(body, &self.goals((self.path)(1.0)), options)?;
        }
        Ok(largest_turn(&before, body))
    }

    /// Solves for the same target twice from the rest pose, with other targets in between.
    fn drift(&self, solver: &mut Solver, options: &Options) -> Result<f64, SolveError> {
        let rest = options.with_start(Start::Rest);
        let mut solve = |t: f64| -> Result<Body, SolveError> {
            let mut body = self.dragged.body.clone();
            solver.solve(&mut body, &self.goals((self.path)(t)), &rest)?;
            Ok(body)
        };
        let first = solve(0.2)?;
        for t in [0.3, 0.4, 0.5, 0.4, 0.3] {
            solve(t)?;
        }
        Ok(largest_turn(first.rotations(), &solve(0.2)?))
    }
}

fn position(body: &Body, link: LinkIndex) -> DVec3 {
    body.world_from_link(link).map_or(DVec3::ZERO, |m| m.translation)
}

/// Returns the angles in radians by which the joints have rotated.
fn angles<'a>(before: &'a [DQuat], body: &'a Body) -> impl Iterator<Item = f64> + 'a {
    before.iter().zip(body.rotations()).map(|(a, b)| {
        let d = a.conjugate() * *b;
        2.0 * d.xyz().length().atan2(d.w.abs())
    })
}

fn largest_turn(before: &[DQuat], body: &Body) -> f64 {
    angles(before, body).fold(0.0, f64::max)
}

pub(super) fn heading() -> String {
    format!(
        "{:<10} {:<10} {:<9} {:>6} {:>6} {:>5} {:>5} {:>6} {:>8} {:>8} {:>5} {:>8} {:>8} {:>9}",
        "body",
        "path",
        "method",
        "joints",
        "frames",
        "jumps",
        "revs",
        "ratio",
        "p99 rad",
        "max rad",
        "flips",
        "jitter",
        "drift",
        "median us",
    )
}

impl DragRow {
    pub(super) fn line(&self) -> String {
        let ratio = self.turn_ratio.map_or_else(|| "-".to_owned(), |r| format!("{r:.2}"));
        format!(
            "{:<10} {:<10} {:<9} {:>6} {:>6} {:>5} {:>5} {ratio:>6} {:>8.4} {:>8.4} {:>5} {:>8.1e} {:>8.1e} {:>9.2}",
            self.body,
            self.path,
            self.method,
            self.joints,
            self.frames,
            self.jumps,
            self.reversals,
            self.p99,
            self.largest,
            self.flips,
            self.jitter,
            self.drift,
            self.median_us,
        )
    }
}

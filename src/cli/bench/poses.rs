//! Pose targets for robot arms: the success rate, errors and times of every method, and the throughput of [`solve_many`].

use std::time::Instant;

use serde::Serialize;

use crate::ik::{Body, Goal, Limit, Method, Options, SolveError, Solver, solve_many};

use super::measure::{mean, nearest_rank, sorted, timer_overhead};
use crate::ik::benchmark::cases::Cases;

/// Tolerance of positions in metres and of orientations in radians.
pub(super) const TOLERANCE: f64 = 1e-6;
/// Tolerances in metres and radians within which robotics papers often count a solve as successful.
const COARSE: (f64, f64) = (5e-3, 0.05);
/// Number of times each target is solved. The fastest solve counts.
const ROUNDS: usize = 3;
/// If the first round takes longer than this many seconds, the others are skipped.
const LONG_ROUND: f64 = 20.0;

/// The results of one method on the poses of one robot arm.
#[derive(Clone, Debug, Serialize)]
pub(super) struct PoseRow {
    pub(super) arm: String,
    pub(super) method: String,
    pub(super) cases: usize,
    /// Fraction of the cases within [`TOLERANCE`].
    pub(super) success: f64,
    /// Fraction of the cases within 5 mm and 0.05 rad.
    pub(super) coarse_success: f64,
    /// 90th percentiles of the errors, in metres and radians.
    pub(super) position_p90: f64,
    pub(super) orientation_p90: f64,
    pub(super) median_us: f64,
    pub(super) mean_us: f64,
    pub(super) p99_us: f64,
    pub(super) mean_per_median: f64,
    pub(super) p99_per_median: f64,
    /// Number of threads used to measure the throughput.
    pub(super) threads: usize,
    /// Poses that [`solve_many`] solves per second on all threads, whether or not the solves succeed.
    pub(super) poses_per_second: f64,
}

/// Solves all cases with a method. Returns `None` if the method does not support the body.
pub(super) fn row(cases: &Cases, method: Method, iterations: usize) -> Result<Option<PoseRow>, SolveError> {
    let options = Options::default()
        .with_method(method)
        .with_iterations(iterations)
        .with_tolerance(Some(TOLERANCE))
        .with_angle_tolerance(TOLERANCE);
    if matches!(
        cases.goals.first().and_then(|g| options.refusal(&cases.body, &[*g])),
        Some(SolveError::Unsuited { .. })
    ) {
        return Ok(None);
    }
    let Solved { times, errors } = solve_each(cases, &options)?;
    let within = |position: f64, angle: f64| {
        fraction(&errors, |(p, a)| *p <= position * (1.0 + 1e-6) && *a <= angle * (1.0 + 1e-6))
    };
    let (median, average) = (nearest_rank(&times, 0.5), mean(&times));
    let p99 = nearest_rank(&times, 0.99);
    let p90 =
        |of: fn(&(f64, f64)) -> f64| nearest_rank(&sorted(&errors.iter().map(of).collect::<Vec<_>>()), 0.9);
    Ok(Some(PoseRow {
        arm: cases.name.clone(),
        method: method.to_string(),
        cases: cases.goals.len(),
        success: within(TOLERANCE, TOLERANCE),
        coarse_success: within(COARSE.0, COARSE.1),
        position_p90: p90(|e| e.0),
        orientation_p90: p90(|e| e.1),
        median_us: median * 1e6,
        mean_us: average * 1e6,
        p99_us: p99 * 1e6,
        mean_per_median: average / median,
        p99_per_median: p99 / median,
        threads: rayon::current_num_threads(),
        poses_per_second: throughput(cases, &options)?,
    }))
}

/// The results of the single solves.
struct Solved {
    /// Times in ascending order, seconds.
    times: Vec<f64>,
    /// Position errors in metres and orientation errors in radians, computed with the body's own forward kinematics.
    errors: Vec<(f64, f64)>,
}

/// Solves every case from the start pose, one after another.
fn solve_each(cases: &Cases, options: &Options) -> Result<Solved, SolveError> {
    let count = cases.goals.len();
    let (mut times, mut errors) = (vec![f64::INFINITY; count], vec![(0.0, 0.0); count]);
    let overhead = timer_overhead();
    let (mut solver, mut body) = (Solver::default(), cases.body.clone());
    for _ in 0..ROUNDS {
        let round = Instant::now();
        for ((goal, time), error) in cases.goals.iter().zip(&mut times).zip(&mut errors) {
            body.clone_from(&cases.body);
            // Discard the warm-start state, so that every case is independent of the previous one.
            solver.reset();
            let started = Instant::now();
            solver.solve(&mut body, std::slice::from_ref(goal), options)?;
            *time = time.min((started.elapsed().as_secs_f64() - overhead).max(0.0));
            *error = pose_error(&body, goal);
        }
        if round.elapsed().as_secs_f64() > LONG_ROUND {
            break;
        }
    }
    Ok(Solved { times: sorted(&times), errors })
}

/// Returns the distance in metres and the angle in radians between a link and its goal.
fn pose_error(body: &Body, goal: &Goal) -> (f64, f64) {
    let position =
        body.world_from_link(goal.link).zip(goal.position).map_or(0.0, |(m, p)| m.translation.distance(p));
    let turn = body.orientation(goal.link).zip(goal.orientation).map(|(q, wanted)| q.conjugate() * wanted);
    (position, turn.map_or(0.0, |d| 2.0 * d.xyz().length().atan2(d.w.abs())))
}

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
fn fraction<T>(of: &[T], is: impl Fn(&T) -> bool) -> f64 {
    of.iter().filter(|x| is(x)).count() as f64 / of.len().max(1) as f64
}

/// Returns the number of poses that [`solve_many`] solves per second.
fn throughput(cases: &Cases, options: &Options) -> Result<f64, SolveError> {
    let goals: Vec<Vec<Goal>> = cases.goals.iter().map(|g| vec![*g]).collect();
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let mut bodies = vec![cases.body.clone(); goals.len()];
        let started = Instant::now();
        let reports = solve_many(&mut bodies, &goals, options);
        let seconds = started.elapsed().as_secs_f64();
        reports.into_iter().collect::<Result<Vec<_>, _>>()?;
        best = best.min(seconds);
        if seconds > LONG_ROUND {
            break;
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    let count = goals.len() as f64;
    Ok(count / best)
}

pub(super) fn heading() -> String {
    format!(
        "{:<6} {:<19} {:>9} {:>9} {:>9} {:>9} {:>10} {:>10} {:>10} {:>8} {:>8} {:>10} {:>7}",
        "arm",
        "method",
        "<=1e-6",
        "<=5mm",
        "p90 m",
        "p90 rad",
        "median us",
        "mean us",
        "p99 us",
        "mean/med",
        "p99/med",
        "poses/s",
        "threads",
    )
}

impl PoseRow {
    pub(super) fn line(&self) -> String {
        format!(
            "{:<6} {:<19} {:>7.2} % {:>7.2} % {:>9.1e} {:>9.1e} {:>10.2} {:>10.2} {:>10.2} {:>8.2} {:>8.2} {:>10.0} {:>7}",
            self.arm,
            self.method,
            self.success * 100.0,
            self.coarse_success * 100.0,
            self.position_p90,
            self.orientation_p90,
            self.median_us,
            self.mean_us,
            self.p99_us,
            self.mean_per_median,
            self.p99_per_median,
            self.poses_per_second,
            self.threads,
        )
    }
}

/// A robot arm and its targets, for other programs that solve the same cases.
#[derive(Serialize)]
pub(super) struct Targets {
    format: &'static str,
    arm: String,
    joints: Vec<TargetJoint>,
    /// Position of the flange in metres, in the last joint's frame after that joint's rotation.
    flange: [f64; 3],
    /// Position (x, y, z) in metres and orientation quaternion (x, y, z, w) of each target, in the frame of the base.
    targets: Vec<[f64; 7]>,
}

#[derive(Serialize)]
struct TargetJoint {
    /// Position in metres, in the previous joint's frame after that joint's rotation.
    offset: [f64; 3],
    /// Orientation at angle zero relative to the same frame, as a quaternion x, y, z, w.
    rest: [f64; 4],
    axis: [f64; 3],
    /// Minimum and maximum angle, radians.
    range: [f64; 2],
    /// Angle in the start pose, radians.
    start: f64,
}

impl Targets {
    pub(super) fn new(cases: &Cases) -> Self {
        let (links, rotations) = (cases.body.links(), cases.body.rotations());
        let joint = |(link, rotation): (&crate::ik::Link, &glam::DQuat)| {
            let Limit::Hinge { axis, min, max } = link.limit else { return None };
            let turn = link.rest.conjugate() * *rotation;
            Some(TargetJoint {
                offset: link.offset.to_array(),
                rest: link.rest.to_array(),
                axis: axis.to_array(),
                range: [min, max],
                start: 2.0 * turn.xyz().dot(axis).atan2(turn.w),
            })
        };
        let target = |goal: &Goal| {
            let (p, q) = (goal.position.unwrap_or_default(), goal.orientation.unwrap_or_default());
            [p.x, p.y, p.z, q.x, q.y, q.z, q.w]
        };
        Self {
            format: "sinew-targets-1",
            arm: cases.name.clone(),
            joints: links.iter().zip(rotations).filter_map(joint).collect(),
            flange: links.last().map_or([0.0; 3], |l| l.offset.to_array()),
            targets: cases.goals.iter().map(target).collect(),
        }
    }
}

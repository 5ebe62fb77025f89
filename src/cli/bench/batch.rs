//! Batched solves on the GPU and on the CPU: success and problems per second by batch size.

use std::time::Instant;

use glam::{DAffine3, DQuat, DVec3};
use serde::Serialize;

use crate::cli::failure::Failure;
use crate::cli::output;
use crate::gpu_ik::{Choice, GpuOptions, GpuSolver, SolvedBy};
use crate::ik::{Body, Goal, Limit, Link, Method, Options, SolveError, round_cone};
use crate::render::{AdapterChoice, Gpu};
use sinew_base::Random;

use crate::ik::benchmark::cases::pose_randomly;
use crate::ik::benchmark::robots::Robot;

/// Number of times each batch is solved. The fastest solve counts.
const ROUNDS: usize = 3;
/// If the first round takes longer than this many seconds, the others are skipped.
const LONG_ROUND: f64 = 5.0;

/// The results of one solver on one batch.
#[derive(Clone, Debug, Serialize)]
pub(super) struct BatchRow {
    pub(super) bodies: &'static str,
    pub(super) solver: &'static str,
    pub(super) batch: usize,
    /// Fraction of the problems that reach their goals within the default tolerances.
    pub(super) success: f64,
    /// Fraction of the problems that the GPU solved.
    pub(super) on_gpu: f64,
    pub(super) problems_per_second: f64,
    /// Problems per second on the GPU alone, from upload to download, without reports.
    pub(super) device_per_second: Option<f64>,
}

/// Problems of one kind, in their start poses.
struct Batch {
    name: &'static str,
    options: Options,
    bodies: Vec<Body>,
    goals: Vec<Vec<Goal>>,
}

/// Measures the solvers on batches of up to `count` problems. Prints each row when it is complete, unless the report is
/// JSON.
pub(super) fn print(
    adapter: Option<&AdapterChoice>,
    (count, seed): (usize, u64),
    is_json: bool,
) -> Result<Vec<BatchRow>, Failure> {
    let gpu = Gpu::new(adapter.unwrap_or(&AdapterChoice::Auto))?;
    let print = |line: String| if is_json { Ok(()) } else { output::lines([line]) };
    print(format!("adapter: {}", gpu.describe()))?;
    print(heading())?;
    let failure = |error: SolveError| Failure::Usage(error.to_string());
    let (mut solver, mut rows) = (GpuSolver::new(&gpu), Vec::new());
    let kinds = [arms(Robot::Panda, count, seed), figures(count, seed)];
    for all in kinds {
        let all = all.map_err(failure)?;
        for size in std::iter::successors(Some(1), |n| Some(n * 10)).take_while(|n| *n <= count) {
            for (name, choice, polish) in [
                ("gpu", Choice::Gpu, false),
                ("gpu, polished", Choice::Gpu, true),
                ("cpu", Choice::Cpu, false),
            ] {
                let mut options = GpuOptions::default();
                (options.options, options.choice, options.polish) = (all.options, choice, polish);
                let row = row(&mut solver, &all, size, (name, &options)).map_err(failure)?;
                print(row.line())?;
                rows.push(row);
            }
        }
    }
    Ok(rows)
}

fn row(
    solver: &mut GpuSolver,
    all: &Batch,
    size: usize,
    (name, options): (&'static str, &GpuOptions),
) -> Result<BatchRow, SolveError> {
    let goals = &all.goals[..size];
    let (mut best, mut device) = (f64::INFINITY, f64::INFINITY);
    let (mut reached, mut on_gpu) = (0, 0);
    // Solve one problem first, to compile the shaders before the measurement.
    drop(solver.solve_many(&mut all.bodies[..1].to_vec(), &goals[..1], options));
    for _ in 0..ROUNDS {
        let mut bodies = all.bodies[..size].to_vec();
        let started = Instant::now();
        let solved = solver.solve_many(&mut bodies, goals, options);
        let seconds = started.elapsed().as_secs_f64();
        let solved = solved.into_iter().collect::<Result<Vec<_>, _>>()?;
        reached = solved.iter().filter(|s| s.report.reached()).count();
        on_gpu = solved.iter().filter(|s| !matches!(s.by, SolvedBy::Cpu(_))).count();
        best = best.min(seconds);
        device = device.min(solver.device_time().as_secs_f64());
        if seconds > LONG_ROUND {
            break;
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    let [count, reached, on_gpu] = [size, reached, on_gpu].map(|n| n as f64);
    Ok(BatchRow {
        bodies: all.name,
        solver: name,
        batch: size,
        success: reached / count,
        on_gpu: on_gpu / count,
        problems_per_second: count / best,
        device_per_second: (on_gpu > 0.0).then_some(count / device),
    })
}

/// Returns target poses for the flange of a robot arm.
fn arms(robot: Robot, count: usize, seed: u64) -> Result<Batch, SolveError> {
    let cases = robot.cases(count, seed)?;
    Ok(Batch {
        name: robot.name(),
        options: Options::default().with_method(Method::Dls),
        bodies: vec![cases.body; count],
        goals: cases.goals.into_iter().map(|goal| vec![goal]).collect(),
    })
}

/// Returns bodies with a trunk, five limbs, and cone and hinge limits. Each body has reachable goals for its five ends, one of which is
/// pinned.
fn figures(count: usize, seed: u64) -> Result<Batch, SolveError> {
    let cone = |axis: DVec3| round_cone(axis, 1.0, [-0.5, 0.5]);
    let mut links = vec![Link::base()];
    for _ in 0..3 {
        links.push(Link::child(links.len() - 1, DVec3::Y * 0.15).with_limit(cone(DVec3::Y)));
    }
    let mut ends = Vec::new();
    for (root, offset, way) in [
        (0, DVec3::new(0.1, 0.0, 0.0), DVec3::NEG_Y),
        (0, DVec3::new(-0.1, 0.0, 0.0), DVec3::NEG_Y),
        (3, DVec3::new(0.2, 0.1, 0.0), DVec3::NEG_Y),
        (3, DVec3::new(-0.2, 0.1, 0.0), DVec3::NEG_Y),
        (3, DVec3::new(0.0, 0.15, 0.0), DVec3::Y),
    ] {
        links.push(Link::child(root, offset).with_limit(cone(way)));
        let hinge = Limit::Hinge { axis: DVec3::X, min: 0.05, max: 2.4 };
        links.push(Link::child(links.len() - 1, way * 0.4).with_limit(hinge));
        links.push(Link::child(links.len() - 1, way * 0.4).with_limit(cone(way)));
        ends.push(links.len() - 1);
    }
    let mut body = Body::new(links, DAffine3::from_translation(DVec3::Y))?;
    for link in 0..body.links().len() {
        body.set_rotation(link, body.links()[link].nearest(DQuat::from_rotation_x(0.3)));
    }
    let mut random = Random(seed);
    let mut goals = |_| {
        let mut posed = body.clone();
        pose_randomly(&mut posed, &mut random);
        // Rotate each joint only halfway to its random rotation, so that all ends can reach their goals together.
        for link in 0..body.links().len() {
            posed.set_rotation(link, body.rotations()[link].slerp(posed.rotations()[link], 0.5));
        }
        let goal = |(index, end): (usize, &usize)| {
            let place = posed.world_from_link(*end).map_or(DVec3::ZERO, |m| m.translation);
            let orientation = posed.orientation(*end).unwrap_or_default();
            match index {
                0 => Goal::pin(*end, place, orientation),
                1 => Goal::pose(*end, place, orientation),
                _ => Goal::position(*end, place),
            }
        };
        ends.iter().enumerate().map(goal).collect()
    };
    let goals = (0..count).map(&mut goals).collect();
    let options = Options::default().with_method(Method::FullBody).with_root_motion(true);
    Ok(Batch { name: "body", options, bodies: vec![body; count], goals })
}

fn heading() -> String {
    format!(
        "{:<6} {:<13} {:>7} {:>9} {:>9} {:>12} {:>12}",
        "bodies", "solver", "batch", "success", "on GPU", "per second", "GPU alone/s",
    )
}

impl BatchRow {
    fn line(&self) -> String {
        let device = self.device_per_second.map_or("-".to_owned(), |n| format!("{n:.0}"));
        format!(
            "{:<6} {:<13} {:>7} {:>7.2} % {:>7.2} % {:>12.0} {device:>12}",
            self.bodies,
            self.solver,
            self.batch,
            self.success * 100.0,
            self.on_gpu * 100.0,
            self.problems_per_second,
        )
    }
}

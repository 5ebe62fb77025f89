//! Batched solves on the GPU and on the CPU: success and problems per second by batch size.

use std::time::Instant;

use serde::Serialize;

use crate::cli::failure::Failure;
use crate::cli::output;
use crate::gpu_ik::{Choice, GpuOptions, GpuSolver, SolvedBy};
use crate::ik::benchmark::figures::figures;
use crate::ik::benchmark::robots::Robot;
use crate::ik::{Body, Goal, Method, Options, SolveError};
use crate::render::{AdapterChoice, Gpu};

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
    /// Fraction of the time in which the CPU uploaded data and waited for the GPU, if the GPU solved problems.
    pub(super) waiting: Option<f64>,
}

/// A way to solve a batch.
struct Way {
    name: &'static str,
    choice: Choice,
    polish: bool,
    /// Whether the bodies are posed. Otherwise, only the errors are returned.
    poses: bool,
}

const WAYS: [Way; 4] = [
    Way { name: "gpu", choice: Choice::Gpu, polish: false, poses: true },
    Way { name: "gpu, errors", choice: Choice::Gpu, polish: false, poses: false },
    Way { name: "gpu, polished", choice: Choice::Gpu, polish: true, poses: true },
    Way { name: "cpu", choice: Choice::Cpu, polish: false, poses: true },
];

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
    count: usize,
    seed: u64,
    is_json: bool,
) -> Result<Vec<BatchRow>, Failure> {
    let gpu = Gpu::new(adapter.unwrap_or(&AdapterChoice::Auto))?;
    let print = |line: String| if is_json { Ok(()) } else { output::lines([line]) };
    print(format!("adapter: {}", gpu.describe()))?;
    print(heading())?;
    let failure = |error: SolveError| Failure::Usage(error.to_string());
    let (mut solver, mut rows) = (GpuSolver::new(&gpu), Vec::new());
    let kinds = [arms(Robot::Panda, count, seed), bodies(count, seed)];
    for all in kinds {
        let all = all.map_err(failure)?;
        for size in std::iter::successors(Some(1), |n| Some(n * 10)).take_while(|n| *n <= count) {
            for way in &WAYS {
                let row = row(&mut solver, &all, size, way).map_err(failure)?;
                print(row.line())?;
                rows.push(row);
            }
        }
    }
    Ok(rows)
}

fn row(solver: &mut GpuSolver, all: &Batch, size: usize, way: &Way) -> Result<BatchRow, SolveError> {
    let mut options = GpuOptions::default();
    (options.options, options.choice, options.polish) = (all.options, way.choice, way.polish);
    let goals = &all.goals[..size];
    let (mut best, mut waited) = (f64::INFINITY, 0.0);
    let mut counts = [0; 2];
    // Solve one problem first, to compile the shaders before the measurement.
    timed(solver, all.bodies[..1].to_vec(), &goals[..1], &options, way.poses)?;
    for _ in 0..ROUNDS {
        let bodies = all.bodies[..size].to_vec();
        let (seconds, found) = timed(solver, bodies, goals, &options, way.poses)?;
        counts = found;
        if seconds < best {
            (best, waited) = (seconds, solver.wait_time().as_secs_f64());
        }
        if seconds > LONG_ROUND {
            break;
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    let [count, reached, on_gpu] = [size, counts[0], counts[1]].map(|n| n as f64);
    Ok(BatchRow {
        bodies: all.name,
        solver: way.name,
        batch: size,
        success: reached / count,
        on_gpu: on_gpu / count,
        problems_per_second: count / best,
        waiting: (on_gpu > 0.0).then_some(waited / best),
    })
}

/// Solves a batch. Returns the seconds, the number of problems that reach their goals, and the number that the GPU solved.
fn timed(
    solver: &mut GpuSolver,
    mut bodies: Vec<Body>,
    goals: &[Vec<Goal>],
    options: &GpuOptions,
    poses: bool,
) -> Result<(f64, [usize; 2]), SolveError> {
    let started = Instant::now();
    if poses {
        let solved = solver.solve_many(&mut bodies, goals, options);
        let seconds = started.elapsed().as_secs_f64();
        let solved = solved.into_iter().collect::<Result<Vec<_>, _>>()?;
        let reached = solved.iter().filter(|s| s.report.reached()).count();
        let on_gpu = solved.iter().filter(|s| !matches!(s.by, SolvedBy::Cpu(_))).count();
        return Ok((seconds, [reached, on_gpu]));
    }
    let batch = solver.solve_batch(&bodies, goals, options);
    let seconds = started.elapsed().as_secs_f64();
    let reached = (0..batch.len()).filter(|&index| batch.reached(index)).count();
    let on_gpu = (0..batch.len()).filter(|&index| batch.solved_by(index) == Some(SolvedBy::Gpu)).count();
    Ok((seconds, [reached, on_gpu]))
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

/// Returns whole bodies with goals for their five ends.
fn bodies(count: usize, seed: u64) -> Result<Batch, SolveError> {
    let (body, goals) = figures(count, seed)?;
    let options = Options::default().with_method(Method::FullBody).with_root_motion(true);
    Ok(Batch { name: "body", options, bodies: vec![body; count], goals })
}

fn heading() -> String {
    format!(
        "{:<6} {:<13} {:>7} {:>9} {:>9} {:>12} {:>12}",
        "bodies", "solver", "batch", "success", "on GPU", "per second", "waiting",
    )
}

impl BatchRow {
    fn line(&self) -> String {
        let waiting = self.waiting.map_or("-".to_owned(), |part| format!("{:.0} %", part * 100.0));
        format!(
            "{:<6} {:<13} {:>7} {:>7.2} % {:>7.2} % {:>12.0} {waiting:>12}",
            self.bodies,
            self.solver,
            self.batch,
            self.success * 100.0,
            self.on_gpu * 100.0,
            self.problems_per_second,
        )
    }
}

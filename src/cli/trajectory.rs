//! `sinew trajectory`: moves a robot along a path of poses, and writes its joint values over time.

mod collisions;
mod obstacles;
mod poses;
mod report;

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use crate::asset::Character;
use crate::ik::{Goal, LinkIndex, Options};
use crate::robot::{Redundancy, Robot, RobotError, TrajectoryError, TrajectoryOptions};

use super::failure::Failure;
use super::posing::robot::{is_table, read_table};
use super::posing::{SolverArgs, metres};
use super::timing::Stopwatch;
use super::{ModelArg, Verbosity, output};
use collisions::CollisionArgs;
use poses::PathPose;

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sinew trajectory robot.urdf --path poses.csv -o q.csv
  sinew trajectory robot.urdf --path poses.csv --obstacles cell.toml --margin 0.01 --require-reached -o q.csv")]
pub(super) struct TrajectoryArgs {
    #[command(flatten)]
    model: ModelArg,
    /// Poses to move through: CSV with the columns x, y and z in metres, and optionally qx, qy, qz and qw, in the robot's own frame
    #[arg(long, value_name = "POSES.csv")]
    path: PathBuf,
    /// Link that moves through the poses [default: the only tip of the robot]
    #[arg(long, value_name = "NAME")]
    link: Option<String>,
    /// Write the joint values over time to OUT.csv [default: stdout]
    #[arg(short, long, value_name = "OUT.csv")]
    output: Option<PathBuf>,
    /// Joint values from which the first pose is solved: CSV with one line, or JSON [default: the rest values]
    #[arg(long, value_name = "FILE")]
    q0: Option<PathBuf>,
    #[command(flatten)]
    collisions: CollisionArgs,
    /// How the robot uses the freedom that the poses leave
    #[arg(long, value_name = "WHICH", default_value = "nearest")]
    redundancy: RedundancyArg,
    /// Fraction of the velocity limits that the joints use [default: 1]
    #[arg(long, value_name = "FRACTION", value_parser = speed)]
    speed: Option<f64>,
    /// Largest distance between successive rows in metres; intermediate poses are on straight lines [default: 0.01]
    #[arg(long, value_name = "METRES", value_parser = metres)]
    spacing: Option<f64>,
    /// Largest turn between successive rows in degrees [default: 2.86]
    #[arg(long, value_name = "DEGREES", value_parser = degrees)]
    turn_spacing: Option<f64>,
    #[command(flatten)]
    solver: SolverArgs,
    /// Exit 1 unless every pose is reached, and the whole way is free of collisions
    #[arg(long)]
    require_reached: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum RedundancyArg {
    /// Each pose is as near as possible to the last one
    Nearest,
    /// The joints move towards their rest values
    Rest,
    /// The joints move towards the middle of their ranges
    Centres,
    /// The joints move away from singular poses
    Manipulability,
}

impl From<RedundancyArg> for Redundancy {
    fn from(arg: RedundancyArg) -> Self {
        match arg {
            RedundancyArg::Nearest => Self::Nearest,
            RedundancyArg::Rest => Self::Rest,
            RedundancyArg::Centres => Self::JointCentres,
            RedundancyArg::Manipulability => Self::Manipulability,
        }
    }
}

fn speed(text: &str) -> Result<f64, String> {
    let speed = text.parse::<f64>().ok().filter(|speed| *speed > 0.0 && *speed <= 1.0);
    speed.ok_or_else(|| "must be greater than 0 and at most 1".into())
}

fn degrees(text: &str) -> Result<f64, String> {
    let degrees = text.parse::<f64>().ok().filter(|degrees| *degrees > 0.0 && degrees.is_finite());
    degrees.ok_or_else(|| "must be a positive number of degrees".into())
}

/// Returns the error for a file.
fn refused(path: &Path, cause: &dyn Display) -> Failure {
    Failure::Usage(format!("{}: {cause}", path.display()))
}

pub(super) fn run(args: &TrajectoryArgs, verbosity: Verbosity) -> Result<ExitCode, Failure> {
    let mut watch = Stopwatch::new(verbosity.verbose);
    let out = args.output()?;
    let options = args.solver_options()?;
    let poses = poses::read(&args.path)?;
    let character = args.model.load()?;
    output::protect(out, character.files.iter().map(PathBuf::as_path))?;
    verbosity.warn(&character.warnings);
    let robot = args.robot(&character)?;
    let (link, q0) = (args.link(&robot)?, args.start(&robot)?);
    watch.stage("load");
    let path: Vec<Vec<Goal>> = poses.iter().map(|pose| vec![pose.goal(link)]).collect();
    let trajectory = robot.trajectory(&path, &q0, &options, &args.options());
    let trajectory = trajectory.map_err(|error| args.refused(&error, &poses))?;
    watch.stage("solve");
    output::file(out, trajectory.to_csv(&robot).as_bytes())?;
    verbosity.warn(&report::warnings(&trajectory, &robot, &args.path, &poses));
    let name = if output::is_stdout(out) { "stdout".to_owned() } else { out.display().to_string() };
    verbosity.print(&format!("{name}: {}", report::summary(&trajectory)));
    watch.stage("write");
    watch.total();
    Ok(ExitCode::from(u8::from(args.require_reached && !trajectory.reached())))
}

impl TrajectoryArgs {
    /// Returns the path of the output. Checks that it can be written, and that it does not replace an input.
    fn output(&self) -> Result<&Path, Failure> {
        let path = self.output.as_deref().unwrap_or(Path::new("-"));
        if !(is_table(path) || path == Path::new("-") || path.starts_with("/dev")) {
            let cause = "unknown file type; use .csv";
            return Err(Failure::Usage(format!("--output {}: {cause}", path.display())));
        }
        let inputs = [Some(&self.path), self.model.file.as_ref(), self.q0.as_ref()];
        let inputs = inputs.into_iter().flatten().map(PathBuf::as_path);
        output::protect(path, inputs.chain(self.collisions.files()))?;
        output::check(path)?;
        Ok(path)
    }

    fn solver_options(&self) -> Result<Options, Failure> {
        let mut options = Options::default();
        self.solver.apply(&mut options)?;
        if !options.limits {
            let cause = "the joint values of a trajectory are always within their ranges";
            return Err(Failure::Usage(format!("--option limits=false: {cause}")));
        }
        Ok(options)
    }

    fn options(&self) -> TrajectoryOptions {
        let default = TrajectoryOptions::default();
        default
            .with_spacing(self.spacing.unwrap_or(default.spacing))
            .with_turn_spacing(self.turn_spacing.map_or(default.turn_spacing, f64::to_radians))
            .with_speed(self.speed.unwrap_or(default.speed))
            .with_redundancy(self.redundancy.into())
    }

    /// Returns the robot, with the collisions that the options request.
    fn robot(&self, character: &Character) -> Result<Robot, Failure> {
        let failed = |error: RobotError| refused(&character.path, &error);
        let robot = Robot::new(character).map_err(failed)?;
        match self.collisions.read(&robot, character)? {
            Some(collisions) => robot.with_collisions(collisions).map_err(failed),
            None => Ok(robot),
        }
    }

    /// Returns the link that moves through the poses.
    fn link(&self, robot: &Robot) -> Result<LinkIndex, Failure> {
        if let Some(name) = &self.link {
            return robot.link(name).map_err(|error| Failure::Usage(format!("--link: {error}")));
        }
        let tips = robot.tips();
        match tips.as_slice() {
            [tip] => Ok(*tip),
            [] => Err(Failure::Usage("the robot has no tip, because no joint moves a link".into())),
            _ => {
                let names = tips.iter().filter_map(|tip| robot.links().get(tip.0));
                let names: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
                let (count, names) = (tips.len(), names.join(", "));
                let cause = format!("the robot has {count} tips; choose a link with --link: {names}");
                Err(Failure::Usage(cause))
            }
        }
    }

    /// Returns the joint values from which the first pose is solved.
    fn start(&self, robot: &Robot) -> Result<Vec<f64>, Failure> {
        let Some(path) = &self.q0 else { return Ok(robot.rest()) };
        let rows = read_table("--q0", path, robot)?.rows;
        let start = <[(f64, Vec<f64>); 1]>::try_from(rows).map(|[(_, q)]| q);
        start.map_err(|rows| {
            let (path, count) = (path.display(), rows.len());
            Failure::Usage(format!("--q0 {path}: {count} lines of joint values; the start has only one"))
        })
    }

    /// Returns an error that names the line of the pose instead of its index.
    fn refused(&self, error: &TrajectoryError, poses: &[PathPose]) -> Failure {
        match error {
            TrajectoryError::Pose { index, source } => {
                let line = poses.get(*index).map_or(1, |pose| pose.line);
                refused(&self.path, &format_args!("line {line}: {source}"))
            }
            other => Failure::Usage(other.to_string()),
        }
    }
}

//! The program: arguments in, calls, an exit code out. One file a subcommand.

mod bake;
mod bench;
mod clips;
#[cfg(target_os = "linux")]
mod device_select;
mod failure;
mod first_look;
mod inspect;
mod names;
mod output;
mod pose;
mod posing;
mod progress;
mod render;
mod replay;
mod signals;
mod style;
mod test;
mod timing;
mod view;
#[cfg(feature = "viewer")]
mod window;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ArgAction, ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::asset::{self, Character};
use crate::regress::OptionKey;
use crate::rig::{self, Rig};
use failure::Failure;

/// Skinning and inverse kinematics for glTF characters.
///
/// With a FILE, or alone: opens a window to pull it, or the character inside the program, about. Without a display it
/// is drawn to sinew.png.
#[derive(Debug, Parser)]
#[command(name = "sinew", version, about, max_term_width = 100, args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(flatten)]
    model: ModelArg,
    #[command(flatten)]
    talk: Talk,
    #[command(subcommand)]
    command: Option<Command>,
}

/// How much is said on stderr.
#[derive(Args, Clone, Copy, Debug)]
struct Talk {
    /// No warnings
    #[arg(short, long, global = true)]
    quiet: bool,
    /// Timings by stage, and the graphics adapter
    #[arg(short, long, global = true)]
    verbose: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Open the viewer
    #[cfg(feature = "viewer")]
    View(window::WindowArgs),
    /// Draw one picture, or a sequence, without a window
    Render(Box<render::RenderArgs>),
    /// Solve, and write the pose as JSON or as a posed copy
    Pose(Box<pose::PoseArgs>),
    /// Run a suite of image and joint regressions
    Test(Box<test::TestArgs>),
    /// Write a clip: of motions, blends, and what is solved on top of them
    Bake(Box<bake::BakeArgs>),
    /// What is in a file
    Inspect(inspect::InspectArgs),
    /// Learn the style of a file's clips, for --style
    Style(style::StyleArgs),
    /// Compare the solvers on seeded cases
    Bench(bench::BenchArgs),
}

/// A model to work on.
#[derive(Args, Clone, Debug)]
struct ModelArg {
    /// A .gltf, .glb or .bvh file [default: the character inside the program]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// How long a unit of a .bvh file is [default: such that a person is as large as one]
    #[arg(long, value_name = "METRES")]
    units: Option<f64>,
}

impl ModelArg {
    fn load(&self) -> Result<Character, Failure> {
        match &self.file {
            Some(path) => Ok(asset::load_in_units(path, self.units)?),
            None if self.units.is_some() => {
                Err(Failure::Usage("--units: the character inside the program is in metres".into()))
            }
            None => Ok(asset::mannequin()?),
        }
    }
}

/// The rig of a character: from a file that is named, else from `NAME.rig.toml` beside the model, else found.
fn rig_of(character: &Character, named: Option<&Path>) -> Result<Rig, Failure> {
    rig::load(character, named).map_err(|e| Failure::Usage(e.to_string()))
}

impl Talk {
    /// What was done.
    fn say(self, line: &str) {
        if !self.quiet {
            output::message(line);
        }
    }

    /// Warnings, a line each.
    fn warnings(self, warnings: &[String]) {
        if !self.quiet {
            warnings.iter().for_each(|w| output::message(&format!("warning: {w}")));
        }
    }
}

/// Runs the program on the arguments of the process.
pub fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    device_select::turn_off();
    signals::watch();
    let matches = match command().try_get_matches() {
        Ok(matches) => matches,
        Err(error) => return failure::usage(&error),
    };
    match run(&matches) {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}

/// The arguments. Every option takes a negative number as its value, so that one that cannot be negative is refused by name.
fn command() -> clap::Command {
    let signed = |argument: clap::Arg| match argument.get_action() {
        ArgAction::Set | ArgAction::Append if !argument.is_positional() => {
            argument.allow_negative_numbers(true)
        }
        _ => argument,
    };
    Cli::command().mut_args(signed).mut_subcommands(|subcommand| subcommand.mut_args(signed))
}

fn run(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let cli = Cli::from_arg_matches(matches).map_err(|e| Failure::Usage(failure::first_line(&e)))?;
    let arguments = matches.subcommand().map_or(matches, |(_, arguments)| arguments);
    match cli.command {
        #[cfg(feature = "viewer")]
        None => window::run_or_draw(&cli.model, cli.talk),
        #[cfg(feature = "viewer")]
        Some(Command::View(args)) => window::run(&args, cli.talk),
        #[cfg(not(feature = "viewer"))]
        None => first_look::run(&cli.model, cli.talk),
        Some(Command::Render(args)) => render::run(&args, arguments, cli.talk),
        Some(Command::Pose(args)) => pose::run(&args, arguments, cli.talk),
        Some(Command::Bake(args)) => bake::run(&args, arguments, cli.talk),
        Some(Command::Test(args)) => test::run(&args, cli.talk),
        Some(Command::Inspect(args)) => inspect::run(&args, cli.talk),
        Some(Command::Style(args)) => style::run(&args, cli.talk),
        Some(Command::Bench(args)) => bench::run(&args),
    }
}

/// Parses a command line, the name of the program first, without carrying it out.
///
/// # Errors
/// In a line, what is wrong with it.
pub fn check<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Result<(), String> {
    let parsed = Cli::command().try_get_matches_from(arguments);
    let parsed = parsed.and_then(|matches| Cli::from_arg_matches(&matches));
    parsed.map(|_| ()).map_err(|e| failure::first_line(&e))
}

/// The options that a case of a suite may set.
pub fn case_options() -> Vec<OptionKey> {
    test::case_options()
}

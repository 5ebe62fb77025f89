//! The `sinew` program: parses the arguments, runs a subcommand and returns an exit code. Each subcommand is implemented in its own file or
//! folder.

mod bake;
mod bench;
mod check;
mod crowd;
mod default_image;
#[cfg(target_os = "linux")]
mod device_select;
mod failure;
mod image_args;
mod inspect;
mod light_args;
mod mend;
mod message;
mod names;
mod output;
mod pose;
mod posing;
mod progress;
mod render;
mod rig_args;
mod session;
mod signals;
mod style;
mod terrain_args;
mod test;
mod timing;
mod trace;
mod trajectory;
#[cfg(feature = "viewer")]
mod view;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ArgAction, ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::asset::{Character, References};
use crate::capture::{LoadOptions, load_character};
use crate::files::Progress;
use crate::regress::shared::OptionKey;
use crate::rig::Rig;
use crate::{asset, rig, viewer};
use failure::Failure;

/// Skinning and inverse kinematics for glTF characters
///
/// Opens FILE, or the built-in character, in the viewer. Without a display, draws it to sinew.png instead.
#[derive(Debug, Parser)]
#[command(name = "sinew", version, about, max_term_width = 100, args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(flatten)]
    model: ModelArg,
    #[command(flatten)]
    verbosity: Verbosity,
    #[command(subcommand)]
    command: Option<Command>,
}

/// How much is printed to stderr.
#[derive(Args, Clone, Copy, Debug)]
struct Verbosity {
    /// Print results and errors only
    #[arg(short, long, global = true, display_order = 900)]
    quiet: bool,
    /// Print stage times, the graphics adapter, and all comparisons of a test
    #[arg(short, long, global = true, display_order = 901)]
    verbose: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Open the viewer
    #[cfg(feature = "viewer")]
    View(view::ViewArgs),
    /// Refused, because the program was built without the viewer
    #[cfg(not(feature = "viewer"))]
    #[command(hide = true, disable_help_flag = true)]
    View(MissingViewArgs),
    /// Draw an image, or a sequence of images, without a window
    Render(Box<render::RenderArgs>),
    /// Draw a crowd that walks over a terrain, without a window
    Crowd(Box<crowd::CrowdArgs>),
    /// Solve a pose and write it as JSON or as a posed copy of the model
    Pose(Box<pose::PoseArgs>),
    /// Run a suite of image and joint regression tests
    Test(Box<test::TestArgs>),
    /// Write clips, blends and inverse kinematics as one new clip
    Bake(Box<bake::BakeArgs>),
    /// Move a robot along a path of poses, and write its joint values over time
    Trajectory(Box<trajectory::TrajectoryArgs>),
    /// Look for faults in the clips of a file
    Check(Box<check::CheckArgs>),
    /// Repair the faults that `sinew check` finds, with the least change
    Mend(Box<mend::MendArgs>),
    /// Show what a file contains
    Inspect(inspect::InspectArgs),
    /// Learn a pose prior from the clips of a file, for the option --style
    Style(style::StyleArgs),
    /// Compare the solvers on seeded cases
    Bench(bench::BenchArgs),
}

/// Any arguments of the command that this build lacks.
#[cfg(not(feature = "viewer"))]
#[derive(Args, Debug)]
struct MissingViewArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<std::ffi::OsString>,
}

/// The model to work on.
#[derive(Args, Clone, Debug, Default)]
struct ModelArg {
    /// Model or project to load: .gltf, .glb, .vrm, .fbx, .urdf, .bvh, a take as .csv, .trc or .c3d, or .sinew [default: the built-in character]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Length of one BVH or CSV unit in metres [default: guessed so that the figure is human-sized]
    #[arg(long, value_name = "METRES")]
    units: Option<f64>,
    /// Folder of a ROS package to which the meshes of a robot refer (repeatable) [default: found above the robot's file]
    #[arg(long, value_name = "NAME=DIR", value_parser = package)]
    package: Vec<(String, PathBuf)>,
    /// Also read files outside of the model's folder to which the model refers, such as ../textures/skin.png
    #[arg(long)]
    allow_parent: bool,
}

/// Parses `NAME=DIR`.
fn package(text: &str) -> Result<(String, PathBuf), String> {
    let pair = text.split_once('=').filter(|(name, folder)| !name.is_empty() && !folder.is_empty());
    pair.map(|(name, folder)| (name.into(), folder.into())).ok_or_else(|| "expected NAME=DIR".into())
}

impl ModelArg {
    /// Returns the file if it is a project.
    fn project(&self) -> Option<&Path> {
        self.file.as_deref().filter(|file| viewer::is_project(file))
    }

    /// Drops the file if it is a project, because the project names its model.
    fn without_project(&self) -> Self {
        Self { file: self.file.clone().filter(|file| !viewer::is_project(file)), ..self.clone() }
    }

    /// Returns the permitted locations of the files that the model refers to.
    fn references(&self) -> References {
        References { packages: self.package.iter().cloned().collect(), allow_parent: self.allow_parent }
    }

    fn load(&self) -> Result<Character, Failure> {
        self.load_with(&Progress::default())
    }

    fn load_with(&self, progress: &Progress) -> Result<Character, Failure> {
        self.load_as(&LoadOptions::default(), progress)
    }

    /// Loads the model with these options, except for its units.
    fn load_as(&self, options: &LoadOptions, progress: &Progress) -> Result<Character, Failure> {
        match &self.file {
            Some(path) if viewer::is_project(path) => {
                let cause = "is a project, which view, render, pose and bake can open; name its model here";
                Err(Failure::Usage(format!("{}: {cause}", path.display())))
            }
            Some(path) => {
                let options = options.clone().with_units(self.units).with_references(self.references());
                Ok(load_character(path, &options, progress)?)
            }
            None if self.units.is_some() => {
                Err(Failure::Usage("--units: the built-in character is in metres; name a .bvh file".into()))
            }
            // Clips that are added to the built-in character may refer to other files.
            None => Ok(Character { references: self.references(), ..asset::mannequin()? }),
        }
    }
}

/// Returns the rig of a character. It is read from the file `named` or from `NAME.rig.toml` beside the model, or derived from the model.
fn rig_of(character: &Character, named: Option<&Path>) -> Result<Rig, Failure> {
    rig::load(character, named).map_err(|e| Failure::Usage(e.to_string()))
}

impl Verbosity {
    /// Prints a message, unless `--quiet` is given.
    fn print(self, line: &str) {
        if !self.quiet {
            message::print(line);
        }
    }

    /// Prints each warning on one line, unless `--quiet` is given.
    fn warn(self, warnings: &[String]) {
        if !self.quiet {
            warnings.iter().for_each(|w| message::print(&format!("warning: {w}")));
        }
    }
}

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    device_select::disable();
    signals::watch();
    let arguments: Vec<_> = std::env::args_os().collect();
    if let Some(list) = posing::requested_options(&arguments) {
        return posing::print_options(list).map_or_else(|failure| failure.report(), |()| ExitCode::SUCCESS);
    }
    let matches = match command().try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(error) => return failure::usage(&error),
    };
    match run(&matches) {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}

/// Returns the command-line parser. Every option accepts a negative number as its value, so that the error for an invalid value
/// names the option.
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
    if cli.command.is_none() {
        check_command_name(&cli.model)?;
    }
    let arguments = matches.subcommand().map_or(matches, |(_, arguments)| arguments);
    match cli.command {
        #[cfg(feature = "viewer")]
        None => view::run_or_draw(&cli.model, cli.verbosity),
        #[cfg(feature = "viewer")]
        Some(Command::View(args)) => view::run(&args, cli.verbosity),
        #[cfg(not(feature = "viewer"))]
        Some(Command::View(_)) => {
            let cause = "this program was built without the viewer (the feature `viewer`)";
            Err(Failure::Usage(format!("{cause}; use `sinew render` to draw without a window")))
        }
        #[cfg(not(feature = "viewer"))]
        None => default_image::run(&cli.model, cli.verbosity),
        Some(Command::Render(args)) => render::run(&args, arguments, cli.verbosity),
        Some(Command::Crowd(args)) => crowd::run(&args, arguments, cli.verbosity),
        Some(Command::Pose(args)) => pose::run(&args, arguments, cli.verbosity),
        Some(Command::Bake(args)) => bake::run(&args, arguments, cli.verbosity),
        Some(Command::Trajectory(args)) => trajectory::run(&args, cli.verbosity),
        Some(Command::Test(args)) => test::run(&args, cli.verbosity),
        Some(Command::Check(args)) => check::run(&args, cli.verbosity),
        Some(Command::Mend(args)) => mend::run(&args, cli.verbosity),
        Some(Command::Inspect(args)) => inspect::run(&args, cli.verbosity),
        Some(Command::Style(args)) => style::run(&args, cli.verbosity),
        Some(Command::Bench(args)) => bench::run(&args),
    }
}

/// Refuses a file that does not exist if its name is similar to a subcommand's name.
fn check_command_name(model: &ModelArg) -> Result<(), Failure> {
    let Some(file) = model.file.as_deref().filter(|file| !file.exists()) else { return Ok(()) };
    let typed = file.to_string_lossy();
    let command = Cli::command();
    let similarity = |name: &str| strsim::normalized_damerau_levenshtein(&typed, name);
    let shown = command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set());
    let names = shown.map(clap::Command::get_name);
    match names.filter(|name| similarity(name) > 0.5).max_by(|a, b| similarity(a).total_cmp(&similarity(b))) {
        None => Ok(()),
        Some(nearest) => {
            let cause = "neither a file nor a command; did you mean";
            Err(Failure::Usage(format!("{typed}: {cause} `sinew {nearest}`?")))
        }
    }
}

/// Parses a command line, which starts with the program's name, without running it.
///
/// # Errors
/// The parser's message on one line.
pub fn check<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Result<(), String> {
    let parsed = Cli::command().try_get_matches_from(arguments);
    let parsed = parsed.and_then(|matches| Cli::from_arg_matches(&matches));
    parsed.map(|_| ()).map_err(|e| failure::first_line(&e))
}

/// Returns the options that a suite's case may set.
pub fn case_options() -> Vec<OptionKey> {
    test::case_options()
}

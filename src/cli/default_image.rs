//! `sinew [FILE]` without a display: draws FILE, or the built-in character reaching for a point, to `sinew.png`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Command, FromArgMatches};

use crate::viewer::is_project;

use super::failure::Failure;
use super::{ModelArg, Verbosity, failure, render};

const IMAGE: &str = "sinew.png";
/// Arguments of `sinew render` for the built-in character: it reaches for a point ahead and above, and looks at it.
const REACHING: [&str; 8] = [
    "--reach=leftHand=0.36,1.86,0.3",
    "--option=full_body.look=0.5",
    "--camera-position=1.6,1.35,2.75",
    "--camera-focal-point=0.05,1.04,0.1",
    "--camera-view-angle=42",
    "--mode=skeleton",
    "--ground=on",
    "--shadow=on",
];

pub(super) fn run(model: &ModelArg, verbosity: Verbosity) -> Result<ExitCode, Failure> {
    let mut arguments: Vec<OsString> = ["render", "--output", IMAGE].map(OsString::from).into();
    // A project has its own camera, so the framing is set only for other files.
    if !model.file.as_deref().is_some_and(is_project) {
        arguments.push("--framing=tight".into());
    }
    arguments.extend(model.units.map(|units| format!("--units={units}").into()));
    let package = |(name, folder): &(String, PathBuf)| {
        let mut argument = OsString::from(format!("--package={name}="));
        argument.push(folder);
        argument
    };
    arguments.extend(model.package.iter().map(package));
    arguments.extend(model.allow_parent.then(|| "--allow-parent".into()));
    match &model.file {
        Some(file) => arguments.extend(["--".into(), file.into()]),
        None => arguments.extend(REACHING.map(OsString::from)),
    }
    let usage = |e: clap::Error| Failure::Usage(failure::first_line(&e));
    let command = render::RenderArgs::augment_args(Command::new("render"));
    let matches = command.try_get_matches_from(arguments).map_err(usage)?;
    let args = render::RenderArgs::from_arg_matches(&matches).map_err(usage)?;
    let code = render::run(&args, &matches, verbosity)?;
    verbosity.print(&match &model.file {
        Some(file) => format!("drew {} to {IMAGE}", file.display()),
        None => format!("drew the built-in character to {IMAGE}; see --help for all commands"),
    });
    Ok(code)
}

//! `sinew [FILE]`: a picture of FILE, or of the built-in character reaching for a point, in `sinew.png`.

use std::path::Path;
use std::process::ExitCode;

use clap::{Args, Command, FromArgMatches};

use super::failure::{self, Failure};
use super::{ModelArg, Talk, render};

const PICTURE: &str = "sinew.png";
/// What the built-in character does, as anybody could have typed it.
const REACH: [&str; 4] =
    ["--base=spine", "--reach=leftHand=0.42,1.62,0.36", "--base=hips", "--mode=skeleton"];

pub(super) fn run(model: &ModelArg, talk: Talk) -> Result<ExitCode, Failure> {
    let output = ["--output", PICTURE];
    let file = model.file.as_deref().map(Path::as_os_str);
    let posing = if file.is_none() { &REACH[..] } else { &[] };
    let typed = ["render"].iter().chain(&output).chain(posing).map(std::convert::AsRef::as_ref);
    let command = render::RenderArgs::augment_args(Command::new("render"));
    let usage = |e: clap::Error| Failure::Usage(failure::first_line(&e));
    let matches = command
        .try_get_matches_from(typed.chain(["--"].iter().map(std::convert::AsRef::as_ref)).chain(file))
        .map_err(usage)?;
    let args = render::RenderArgs::from_arg_matches(&matches).map_err(usage)?;
    let code = render::run(&args, &matches, talk)?;
    talk.say(&match file {
        Some(file) => format!("{} is drawn in {PICTURE}", Path::new(file).display()),
        None => format!(
            "the built-in character reaches for a point in {PICTURE}; see --help for what else it can do"
        ),
    });
    Ok(code)
}

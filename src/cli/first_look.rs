//! `sinew [FILE]`: a picture of FILE, or of the built-in character reaching for a point, in `sinew.png`.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Args, Command, FromArgMatches};

use super::failure::{self, Failure};
use super::{ModelArg, Talk, render};

const PICTURE: &str = "sinew.png";
/// What the built-in character does, as anybody could have typed it.
const REACHING: [&str; 5] =
    ["--base=spine", "--reach=leftHand=0.42,1.62,0.36", "--mode=skeleton", "--ground=on", "--shadow=on"];

pub(super) fn run(model: &ModelArg, talk: Talk) -> Result<ExitCode, Failure> {
    let mut typed: Vec<OsString> = ["render", "--output", PICTURE].map(OsString::from).into();
    typed.extend(model.units.map(|units| format!("--units={units}").into()));
    match &model.file {
        Some(file) => typed.extend(["--".into(), file.into()]),
        None => typed.extend(REACHING.map(OsString::from)),
    }
    let usage = |e: clap::Error| Failure::Usage(failure::first_line(&e));
    let command = render::RenderArgs::augment_args(Command::new("render"));
    let matches = command.try_get_matches_from(typed).map_err(usage)?;
    let args = render::RenderArgs::from_arg_matches(&matches).map_err(usage)?;
    let code = render::run(&args, &matches, talk)?;
    talk.say(&match &model.file {
        Some(file) => format!("{} is drawn in {PICTURE}", file.display()),
        None => {
            format!(
                "the built-in character reaches for a point in {PICTURE}; --help shows what else there is"
            )
        }
    });
    Ok(code)
}

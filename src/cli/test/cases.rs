//! Cases of a suite: their options, and what they pose.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use clap::{ArgAction, Command, CommandFactory, FromArgMatches, Parser, ValueHint};

use crate::asset::{self, Character};
use crate::cli::failure::{Failure, first_line};
use crate::cli::posing::{PosingArgs, methods};
use crate::cli::render::others;
use crate::cli::view::ViewArgs;
use crate::compare::Comparison;
use crate::puppet::{GoalReport, Puppet};
use crate::regress::{Case, Joints, Moment, OptionKey, Posed, Replayed, Takes};
use crate::render::Frame;
use crate::rig::{self, Rig};
use crate::stage::{self, Shot};
use crate::viewer::{Recording, Replay, ReplayError};

/// The options of a case: those of `sinew render` that determine the image.
#[derive(Debug, Parser)]
#[command(name = "case", no_binary_name = true, disable_help_flag = true)]
pub(super) struct CaseArgs {
    #[command(flatten)]
    view: ViewArgs,
    #[command(flatten)]
    posing: PosingArgs,
    /// Other methods that meet the same goals, as ghosts
    #[arg(long, value_name = "NAME", value_parser = methods())]
    ghosts: Vec<String>,
}

/// Small and without multisampling: quick to draw.
const DEFAULTS: [&str; 2] = ["--resolution=256,256", "--samples=1"];
/// Frames of a session whose joints are compared.
const MOST_FRAMES: u32 = 100_000;
/// Options that are the suite's, not a case's.
const NOT_FOR_CASES: [&str; 2] = ["adapter", "require-reached"];

impl CaseArgs {
    fn command() -> Command {
        // The last value counts: a case's own options come after the defaults.
        <Self as CommandFactory>::command().args_override_self(true)
    }

    /// What a suite may set, by the names of the command line.
    pub(super) fn keys() -> Vec<OptionKey> {
        let command = Self::command();
        let keys = command.get_arguments().filter_map(|argument| {
            let name = argument.get_long().filter(|n| !NOT_FOR_CASES.contains(n))?.to_owned();
            let takes = match argument.get_action() {
                ArgAction::SetTrue => Takes::Flag,
                ArgAction::Append => Takes::Many,
                _ => Takes::One,
            };
            let is_path = matches!(argument.get_value_hint(), ValueHint::AnyPath | ValueHint::FilePath);
            Some(OptionKey { name, takes, is_path })
        });
        keys.collect()
    }
}

/// A posed character and the view of it.
struct Scene {
    puppet: Puppet,
    others: Comparison,
    reports: Vec<GoalReport>,
    shot: Shot,
    size: (u32, u32),
}

impl Posed for Scene {
    fn frame(&self) -> Frame<'_> {
        let mut frame = stage::frame(&self.puppet, &self.shot);
        self.others.show(&mut frame, &self.puppet, self.shot.scale);
        frame
    }

    fn puppet(&self) -> &Puppet {
        &self.puppet
    }

    fn reports(&self) -> &[GoalReport] {
        &self.reports
    }

    fn size(&self) -> (u32, u32) {
        self.size
    }
}

/// A session played back up to some time.
struct Played {
    replay: Replay,
    view: ViewArgs,
    /// The joints of every frame up to then.
    track: Option<Joints>,
}

impl Posed for Played {
    fn frame(&self) -> Frame<'_> {
        self.view.replayed(self.replay.session()).0
    }

    fn puppet(&self) -> &Puppet {
        self.replay.session().puppet()
    }

    fn reports(&self) -> &[GoalReport] {
        self.replay.session().reports()
    }

    fn size(&self) -> (u32, u32) {
        self.view.replayed(self.replay.session()).1
    }

    fn joints(&self) -> Joints {
        self.track.clone().unwrap_or_else(|| Joints::of(self.puppet()))
    }
}

/// The characters and rigs of a run, each read once.
#[derive(Default)]
pub(super) struct Library {
    read: Mutex<HashMap<Option<PathBuf>, Shelf>>,
    /// By the character's path and the rig's.
    rigs: Mutex<HashMap<(PathBuf, Option<PathBuf>), Rig>>,
}

/// A character, or why it cannot be read; the first thread that needs it reads it.
type Shelf = Arc<OnceLock<Result<Arc<Character>, String>>>;

impl Library {
    fn get(&self, path: Option<&Path>) -> Result<Arc<Character>, String> {
        let shelf = {
            let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(read.entry(path.map(Path::to_path_buf)).or_default())
        };
        let load =
            || path.map_or_else(asset::mannequin, asset::load).map(Arc::new).map_err(|e| e.to_string());
        shelf.get_or_init(load).clone()
    }

    /// The rig of a character, by the file that is named or what is used without one.
    fn rig(&self, character: &Character, named: Option<&Path>) -> Result<Rig, String> {
        let key = (character.path.clone(), named.map(Path::to_path_buf));
        if let Some(rig) = self.rigs.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(rig.clone());
        }
        let rig = rig::load(character, named).map_err(|e| e.to_string())?;
        self.rigs.lock().unwrap_or_else(PoisonError::into_inner).insert(key, rig.clone());
        Ok(rig)
    }

    /// Poses a case.
    pub(super) fn pose(&self, case: &Case) -> Result<Box<dyn Posed>, String> {
        if let Some(replayed) = &case.replay {
            return self.play(case, replayed);
        }
        let character = self.get(case.model.as_deref())?;
        let arguments = DEFAULTS.iter().map(|a| (*a).to_owned()).chain(case.arguments.iter().cloned());
        let matches = CaseArgs::command().try_get_matches_from(arguments).map_err(|e| first_line(&e))?;
        let args = CaseArgs::from_arg_matches(&matches).map_err(|e| first_line(&e))?;
        let said = |e: Failure| e.to_string();
        let rig = self.rig(&character, args.posing.rig())?;
        let character = args.posing.extend(character, &rig).map_err(said)?;
        let mut puppet = args.posing.puppet_of(character, rig, &matches).map_err(said)?;
        puppet.skinning = args.view.skinning();
        let reports = puppet.update().map_err(|e| e.to_string())?;
        let others = others(&args.ghosts, &puppet);
        if let Some(why) = others.contenders().iter().find_map(|c| c.refusal()) {
            return Err(why.to_owned());
        }
        let shot = args.view.shot(&puppet.bounds()).map_err(said)?;
        Ok(Box::new(Scene { puppet, others, reports, shot, size: args.view.size() }))
    }

    /// A case that plays a session back, up to one frame or to its end.
    fn play(&self, case: &Case, replayed: &Replayed) -> Result<Box<dyn Posed>, String> {
        let matches =
            CaseArgs::command().try_get_matches_from(&case.arguments).map_err(|e| first_line(&e))?;
        let view = CaseArgs::from_arg_matches(&matches).map_err(|e| first_line(&e))?.view;
        let said = |e: ReplayError| e.to_string();
        let recording = Recording::open(&replayed.session).map_err(said)?;
        let character = self.get(case.model.clone().or_else(|| recording.character()).as_deref())?;
        let rig = self.rig(&character, None)?;
        if let Some(other) = recording.warnings(&character, &rig).into_iter().next() {
            return Err(other);
        }
        let mut replay = Replay::new(&recording, character, rig).map_err(said)?;
        let time = |frame: u32| {
            Duration::try_from_secs_f64(f64::from(frame) / replayed.fps).unwrap_or(Duration::MAX)
        };
        let mut track: Option<Joints> = None;
        match replayed.moment {
            Moment::Frame(frame) => replay.advance(time(frame)).map_err(said)?,
            Moment::Track => {
                let all = recording.length().as_secs_f64() * replayed.fps;
                if all > f64::from(MOST_FRAMES) {
                    return Err(format!("{all:.0} frames are more than {MOST_FRAMES}: take fewer fps"));
                }
                for frame in (0..=MOST_FRAMES).take_while(|&f| time(f) <= recording.length()) {
                    replay.advance(time(frame)).map_err(said)?;
                    let puppet = replay.session().puppet();
                    track.get_or_insert_with(Joints::none).add(puppet, &format!("{frame}/"));
                }
            }
        }
        Ok(Box::new(Played { replay, view, track }))
    }
}

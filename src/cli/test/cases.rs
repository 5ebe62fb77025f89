//! Options of a suite's cases, and the poses and views that they describe.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use clap::{ArgAction, Command, CommandFactory, FromArgMatches, Parser, ValueHint};

use crate::asset::{Character, References};
use crate::capture::LoadOptions;
use crate::cli::failure::{Failure, first_line};
use crate::cli::image_args::ImageArgs;
use crate::cli::posing::{PosingArgs, methods, secondary};
use crate::cli::render::comparison;
use crate::files::Progress;
use crate::puppet::{GoalReport, Puppet};
use crate::regress::Joints;
use crate::regress::shared::{Case, Coverage, Moment, OptionArity, OptionKey, Posed, Replayed};
use crate::render::Frame;
use crate::rig::Rig;
use crate::scene;
use crate::scene::ViewSettings;
use crate::scene::compare::Comparison;
use crate::viewer::{Recording, Replay, ReplayError};

use super::sources::{CharacterSource, RigSource};

/// The options of a case. These are the options of `sinew render` that determine the image.
#[derive(Debug, Parser)]
#[command(name = "case", no_binary_name = true, disable_help_flag = true)]
pub(super) struct CaseArgs {
    #[command(flatten)]
    image: ImageArgs,
    #[command(flatten)]
    posing: PosingArgs,
    /// Methods to compare with, drawn as ghosts
    #[arg(long, value_name = "NAME", value_parser = methods())]
    ghosts: Vec<String>,
}

/// Default options of a case. Small images without multisampling are quick to draw.
const DEFAULTS: [&str; 3] = ["--resolution=256,256", "--samples=1", CLASSIC];
/// The default light of a case. This light never changes, so goldens remain valid.
const CLASSIC: &str = "--light=classic";
/// Maximum number of session frames whose joints are compared.
const MAX_FRAMES: u32 = 100_000;
/// Options of the command line that a suite file must not contain.
const SUITE_OPTIONS: [&str; 2] = ["adapter", "require-reached"];

impl CaseArgs {
    fn command() -> Command {
        // If an option occurs twice, its last value takes effect. A case's options follow the defaults and therefore override them.
        <Self as CommandFactory>::command().args_override_self(true)
    }

    /// Returns the keys that a suite may set. The keys have the same names as the command-line options.
    pub(super) fn keys() -> Vec<OptionKey> {
        let command = Self::command();
        let keys = command.get_arguments().filter_map(|argument| {
            let name = argument.get_long().filter(|n| !SUITE_OPTIONS.contains(n))?.to_owned();
            let takes = match argument.get_action() {
                ArgAction::SetTrue => OptionArity::Flag,
                ArgAction::Append => OptionArity::Many,
                _ => OptionArity::One,
            };
            let is_path = matches!(argument.get_value_hint(), ValueHint::AnyPath | ValueHint::FilePath);
            Some(OptionKey { name, takes, is_path })
        });
        keys.collect()
    }
}

/// A case with a posed character and its view settings.
struct PosedCase {
    puppet: Puppet,
    comparison: Comparison,
    reports: Vec<GoalReport>,
    settings: ViewSettings,
    size: (u32, u32),
}

impl Posed for PosedCase {
    fn frame(&self) -> Frame<'_> {
        let mut frame = scene::frame(&self.puppet, &self.settings);
        self.comparison.add_to_frame(&mut frame, &self.puppet, self.settings.scale);
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

/// A case with a session that is replayed up to a given time.
struct ReplayedCase {
    replay: Replay,
    image: ImageArgs,
    /// The joints of every frame up to that time.
    track: Option<Joints>,
}

impl Posed for ReplayedCase {
    fn frame(&self) -> Frame<'_> {
        self.image.replayed(self.replay.session()).0
    }

    fn puppet(&self) -> &Puppet {
        self.replay.session().puppet()
    }

    fn others(&self) -> Vec<&Puppet> {
        self.replay.session().prop_puppets().collect()
    }

    fn reports(&self) -> &[GoalReport] {
        self.replay.session().reports()
    }

    fn size(&self) -> (u32, u32) {
        self.image.replayed(self.replay.session()).1
    }

    fn joints(&self) -> Joints {
        self.track.clone().unwrap_or_else(|| Joints::of(self.puppet()))
    }
}

/// The characters and rigs of a run. Each is loaded once.
#[derive(Default)]
pub(super) struct AssetCache {
    /// The permitted locations of the files that the characters reference.
    references: References,
    characters: Mutex<HashMap<CharacterSource, CharacterCell>>,
    rigs: Mutex<HashMap<RigSource, Rig>>,
    /// The joints that the cases move, by character path.
    coverage: Mutex<BTreeMap<PathBuf, (Arc<Character>, Coverage)>>,
}

/// A character or its load error. The first thread that needs the character loads it.
type CharacterCell = Arc<OnceLock<Result<Arc<Character>, String>>>;

impl AssetCache {
    pub(super) fn new(references: References) -> Self {
        Self { references, ..Self::default() }
    }

    fn character(&self, source: &CharacterSource) -> Result<Arc<Character>, String> {
        let cell = {
            let mut characters = self.characters.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(characters.entry(source.clone()).or_default())
        };
        cell.get_or_init(|| source.load()).clone()
    }

    /// Returns the rig of a character from the file `named`, or from the rig's default source if `named` is `None`. `source` is where the
    /// character was loaded from.
    fn rig(
        &self,
        character: &Character,
        source: CharacterSource,
        named: Option<&Path>,
    ) -> Result<Rig, String> {
        let key = RigSource { character: source, file: named.map(Path::to_path_buf) };
        if let Some(rig) = self.rigs.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(rig.clone());
        }
        let rig = key.load(character)?;
        self.rigs.lock().unwrap_or_else(PoisonError::into_inner).insert(key, rig.clone());
        Ok(rig)
    }

    /// Records which joints a posed case moves.
    fn cover(&self, puppet: &Puppet) {
        let mut coverage = self.coverage.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || (puppet.shared_character(), Coverage::new(puppet.character()));
        coverage.entry(puppet.character().path.clone()).or_insert_with(new).1.add(puppet);
    }

    /// Returns a line for each character with joints that no posed case moves.
    pub(super) fn coverage_warnings(&self) -> Vec<String> {
        let coverage = self.coverage.lock().unwrap_or_else(PoisonError::into_inner);
        let line = |(path, (character, coverage)): (&PathBuf, &(Arc<Character>, Coverage))| {
            Some(format!("{}: {}", path.display(), coverage.warning(character)?))
        };
        coverage.iter().filter_map(line).collect()
    }

    /// Poses a case.
    pub(super) fn pose(&self, case: &Case) -> Result<Box<dyn Posed>, String> {
        if let Some(replayed) = &case.replay {
            return self.replay(case, replayed);
        }
        let arguments = DEFAULTS.iter().map(|a| (*a).to_owned()).chain(case.arguments.iter().cloned());
        let matches = CaseArgs::command().try_get_matches_from(arguments).map_err(|e| first_line(&e))?;
        let args = CaseArgs::from_arg_matches(&matches).map_err(|e| first_line(&e))?;
        let message = |e: Failure| e.to_string();
        let options = args.posing.load_options(case.model.as_deref()).map_err(message)?;
        let source =
            CharacterSource::new(case.model.as_deref(), options.with_references(self.references.clone()));
        let character = self.character(&source)?;
        let rig_args = args.posing.rig();
        let rig = match rig_args.names_no_bones() {
            true => self.rig(&character, source, rig_args.file())?,
            false => rig_args.load(&character).map_err(message)?,
        };
        let (character, _) = args.posing.extend(character, &rig).map_err(message)?;
        let mut puppet = args.posing.puppet_of(character, rig, &matches).map_err(message)?;
        puppet.options.skinning = args.image.skinning();
        secondary::pose(&mut puppet).map_err(|e| e.to_string())?;
        self.cover(&puppet);
        let reports = puppet.reports().to_vec();
        let comparison = comparison(&args.ghosts, &puppet);
        if let Some(cause) = comparison.candidates().iter().find_map(|c| c.refusal()) {
            return Err(cause.to_owned());
        }
        let mut subject = args.image.subject();
        subject.add(&puppet);
        let settings = args.image.settings(&subject, &puppet).map_err(message)?;
        Ok(Box::new(PosedCase { puppet, comparison, reports, settings, size: args.image.size() }))
    }

    /// Replays the session of a case, up to one frame or to its end.
    fn replay(&self, case: &Case, replayed: &Replayed) -> Result<Box<dyn Posed>, String> {
        let arguments = std::iter::once(CLASSIC.to_owned()).chain(case.arguments.iter().cloned());
        let matches = CaseArgs::command().try_get_matches_from(arguments).map_err(|e| first_line(&e))?;
        let image = CaseArgs::from_arg_matches(&matches).map_err(|e| first_line(&e))?.image;
        let message = |e: ReplayError| e.to_string();
        let recording = Recording::open_with(&replayed.session, &self.references, &Progress::default())
            .map_err(message)?;
        let units = recording.units().filter(|_| case.model.is_none());
        let options = LoadOptions::default().with_units(units).with_references(self.references.clone());
        let model = case.model.clone().or_else(|| recording.character());
        let source = CharacterSource::new(model.as_deref(), options);
        let character = self.character(&source)?;
        let rig = self.rig(&character, source, None)?;
        if let Some(warning) = recording.warnings(&character, &rig).into_iter().next() {
            return Err(warning);
        }
        let mut replay = Replay::new(&recording, character, rig).map_err(message)?;
        let time = |frame: u32| {
            Duration::try_from_secs_f64(f64::from(frame) / replayed.fps).unwrap_or(Duration::MAX)
        };
        let mut track: Option<Joints> = None;
        match replayed.moment {
            Moment::Frame(frame) => replay.advance(time(frame)).map_err(message)?,
            Moment::AllFrames => {
                let count = recording.length().as_secs_f64() * replayed.fps;
                if count > f64::from(MAX_FRAMES) {
                    return Err(format!("{count:.0} frames exceed the limit of {MAX_FRAMES}; lower fps"));
                }
                for frame in (0..=MAX_FRAMES).take_while(|&f| time(f) <= recording.length()) {
                    replay.advance(time(frame)).map_err(message)?;
                    let puppet = replay.session().puppet();
                    track.get_or_insert_with(Joints::none).add(puppet, &format!("{frame}/"));
                }
            }
        }
        self.cover(replay.session().puppet());
        Ok(Box::new(ReplayedCase { replay, image, track }))
    }
}

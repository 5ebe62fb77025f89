//! `sinew test`: run a suite of image and joint regressions.

use std::collections::HashMap;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use clap::{ArgAction, Args, Command, CommandFactory, FromArgMatches, Parser, ValueHint};

use crate::asset::{self, Character};
use crate::compare::Comparison;
use crate::puppet::{GoalReport, Puppet};
use crate::regress::{
    Case, Joints, Machine, Moment, OptionKey, Outcome, Posed, Replayed, Rule, Run, Settings, Status, Suite,
    Takes, Update, csv, junit, orphans, page,
};
use crate::render::{AdapterChoice, Frame};
use crate::rig::{self, Rig};
use crate::stage::{self, Shot};
use crate::viewer::{Recording, Replay, ReplayError};

use super::Talk;
use super::failure::Failure;
use super::output;
use super::posing::{PosingArgs, methods};
use super::progress::Progress;
use super::render::others;
use super::view::ViewArgs;

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sinew test suite.toml
  sinew test suite.toml --report report.html --junit report.xml
  sinew test suite.toml --filter walk --update")]
pub(super) struct TestArgs {
    /// Cases, as docs/testing.md describes them
    #[arg(value_name = "SUITE.toml")]
    suite: PathBuf,
    /// Write goldens anew: those of failing cases, or all
    #[arg(long, value_name = "WHICH", num_args = 0..=1, require_equals = true, default_missing_value = "failing", value_parser = ["failing", "all"])]
    update: Option<String>,
    /// Remove goldens that no case names, and what failed cases have left
    #[arg(long)]
    prune: bool,
    /// Write a page that shows what moved
    #[arg(long, value_name = "OUT.html")]
    report: Option<PathBuf>,
    /// Write a JUnit report
    #[arg(long, value_name = "OUT.xml")]
    junit: Option<PathBuf>,
    /// Write the measured differences, one line per case
    #[arg(long, value_name = "OUT.csv")]
    csv: Option<PathBuf>,
    /// Only cases with this in their name (repeatable: with any of them)
    #[arg(long, value_name = "TEXT")]
    filter: Vec<String>,
    /// Say which cases there are, and run none
    #[arg(long)]
    list: bool,
    /// Cases worked on at once [default: one a processor, and one that waits for the device]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZero<usize>>,
    /// Only the I-th of N parts of the cases
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Begin no case after the first failure
    #[arg(long)]
    fail_fast: bool,
    /// auto, cpu, or vulkan, gl, metal, dx12 with part of its name
    #[arg(long, value_name = "KIND[:TEXT]", default_value = "cpu")]
    adapter: AdapterChoice,
}

/// The `index`-th of `count` parts, from one.
#[derive(Clone, Copy, Debug)]
struct Shard {
    index: usize,
    count: usize,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        let (index, count) = parsed.ok_or_else(|| format!("\"{text}\" is not I/N"))?;
        if (1..=count).contains(&index) {
            Ok(Self { index, count })
        } else {
            Err(format!("\"{text}\" is no part"))
        }
    }
}

/// The options of a case: those of `render` that say what is seen.
#[derive(Debug, Parser)]
#[command(name = "case", no_binary_name = true, disable_help_flag = true)]
struct CaseArgs {
    #[command(flatten)]
    view: ViewArgs,
    #[command(flatten)]
    posing: PosingArgs,
    /// Other methods that meet the same goals, as ghosts
    #[arg(long, value_name = "NAME", value_parser = methods())]
    ghosts: Vec<String>,
}

/// Small and without smoothing: quick to draw, and the same on more drivers.
const USUAL: [&str; 2] = ["--resolution=256,256", "--samples=1"];
/// Frames of a session whose joints are compared.
const MOST_FRAMES: u32 = 100_000;
/// Options that are the suite's, not a case's.
const NOT_FOR_CASES: [&str; 2] = ["adapter", "require-reached"];

impl CaseArgs {
    fn command() -> Command {
        // What comes later counts: what a case says stands after what is usual.
        <Self as CommandFactory>::command().args_override_self(true)
    }

    /// What a suite may set, by the names of the command line.
    fn keys() -> Vec<OptionKey> {
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

/// A puppet and how it is looked at.
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

/// A session at a time.
struct Played {
    replay: Replay,
    view: ViewArgs,
    /// Where joints were on the way.
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

/// Characters that have been read, by their paths.
#[derive(Default)]
struct Library {
    read: Mutex<HashMap<Option<PathBuf>, Shelf>>,
    /// By the character's path and the rig's.
    rigs: Mutex<HashMap<(PathBuf, Option<PathBuf>), Rig>>,
}

/// A character, or why there is none; read by whoever comes first.
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

    /// A case as it is posed and seen.
    fn pose(&self, case: &Case) -> Result<Box<dyn Posed>, String> {
        if let Some(replayed) = &case.replay {
            return self.play(case, replayed);
        }
        let character = self.get(case.model.as_deref())?;
        let arguments = USUAL.iter().map(|a| (*a).to_owned()).chain(case.arguments.iter().cloned());
        let matches = CaseArgs::command()
            .try_get_matches_from(arguments)
            .map_err(|e| super::failure::first_line(&e))?;
        let args = CaseArgs::from_arg_matches(&matches).map_err(|e| super::failure::first_line(&e))?;
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
        let matches = CaseArgs::command()
            .try_get_matches_from(&case.arguments)
            .map_err(|e| super::failure::first_line(&e))?;
        let view = CaseArgs::from_arg_matches(&matches).map_err(|e| super::failure::first_line(&e))?.view;
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

pub(super) fn run(args: &TestArgs, talk: Talk) -> Result<ExitCode, Failure> {
    let started = Instant::now();
    let suite = Suite::read(&args.suite, &CaseArgs::keys()).map_err(|e| Failure::Usage(e.to_string()))?;
    let places = chosen(&suite, args);
    if args.list {
        let names: Vec<&str> =
            places.iter().filter_map(|&p| Some(suite.cases.get(p)?.name.as_str())).collect();
        output::text(&names.iter().map(|n| format!("{n}\n")).collect::<String>())?;
        return Ok(ExitCode::SUCCESS);
    }
    if places.is_empty() {
        return Err(Failure::Usage(format!("{}: no case to run", args.suite.display())));
    }
    let library = Library::default();
    let pose = |case: &Case| library.pose(case);
    let settings = Settings {
        update: match args.update.as_deref() {
            None => Update::No,
            Some("all") => Update::All,
            Some(_) => Update::Failing,
        },
        jobs: args
            .jobs
            .map_or_else(|| std::thread::available_parallelism().map_or(1, NonZero::get) + 1, NonZero::get),
        fail_fast: args.fail_fast,
        pictures: args.report.is_some(),
    };
    let run = Run::new(&suite, &pose, &args.adapter, settings);
    let progress = Progress::new(places.len().try_into().unwrap_or(u32::MAX), "cases", talk);
    let mut written = Ok(());
    let outcomes = run.cases(&places, |outcome| {
        let name = suite.cases.get(outcome.case).map_or("", |c| c.name.as_str());
        if written.is_ok() {
            written = progress.around(|| line(name, outcome, talk));
        }
        progress.step();
    });
    progress.finish();
    written?;
    let outcomes = outcomes?;
    let seconds = started.elapsed().as_secs_f64();
    let machine = run.machine();
    if let Some(path) = &args.report {
        let page = page(&suite, &outcomes, &machine, seconds).map_err(Failure::Usage)?;
        output::file(path, page.as_bytes())?;
    }
    if let Some(path) = &args.junit {
        output::file(path, junit(&suite, &outcomes, &machine).map_err(Failure::Usage)?.as_bytes())?;
    }
    if let Some(path) = &args.csv {
        output::file(path, csv(&suite, &outcomes).as_bytes())?;
    }
    if args.prune {
        prune(&suite, &outcomes, talk)?;
    }
    summary(&outcomes, places.len(), seconds, &machine, talk)?;
    let failed = outcomes.iter().any(|o| o.status.is_failure());
    Ok(ExitCode::from(u8::from(failed)))
}

/// The places of the cases that filter and shard let through.
fn chosen(suite: &Suite, args: &TestArgs) -> Vec<usize> {
    let wanted = |name: &str| args.filter.is_empty() || args.filter.iter().any(|f| name.contains(f.as_str()));
    let places = suite.cases.iter().enumerate().filter(|(_, c)| wanted(&c.name)).map(|(place, _)| place);
    let shard = args.shard.unwrap_or(Shard { index: 1, count: 1 });
    let mine = |turn: &usize| turn % shard.count == shard.index - 1;
    places.enumerate().filter(|(turn, _)| mine(turn)).map(|(_, place)| place).collect()
}

/// A line a case; of those that pass only the name and the time.
fn line(name: &str, outcome: &Outcome, talk: Talk) -> Result<(), Failure> {
    let mut text = format!("{:8}{name}  {:.1} ms\n", outcome.status.name(), outcome.seconds * 1e3);
    let told = outcome.findings.iter().filter(|f| !f.passed || talk.verbose);
    told.for_each(|f| text.push_str(&format!("        {}\n", f.text)));
    output::text(&text)
}

/// How many cases ended how, by which rules their images were judged, and which machine drew them.
fn summary(
    outcomes: &[Outcome],
    wanted: usize,
    seconds: f64,
    machine: &Machine,
    talk: Talk,
) -> Result<(), Failure> {
    if talk.quiet {
        return Ok(());
    }
    let count = |status: Status| outcomes.iter().filter(|o| o.status == status).count();
    let all = [Status::Passed, Status::Updated, Status::Failed, Status::Missing, Status::Broken];
    let mut words: Vec<String> =
        all.iter().filter(|s| count(**s) > 0).map(|s| format!("{} {}", count(*s), s.name())).collect();
    if outcomes.len() < wanted {
        words.push(format!("{} not run", wanted - outcomes.len()));
    }
    let each = seconds * 1e3 / f64::from(u32::try_from(outcomes.len().max(1)).unwrap_or(u32::MAX));
    let judged = |rule: Rule| {
        outcomes.iter().filter_map(|o| o.difference.as_ref()).filter(|d| d.rule() == rule).count()
    };
    let mut text = String::new();
    if machine.adapter.is_some() {
        let [identical, levels, flip] = [Rule::Identical, Rule::Levels, Rule::Flip].map(judged);
        text = format!(
            "images: {identical} identical, {levels} equal by levels, {flip} judged by FLIP\ndrawn by {machine}\n"
        );
    }
    text.push_str(&format!("{}; {seconds:.2} s, {each:.1} ms a case\n", words.join(", ")));
    output::text(&text)
}

fn prune(suite: &Suite, outcomes: &[Outcome], talk: Talk) -> Result<(), Failure> {
    let folder = &suite.goldens;
    for path in orphans(suite, outcomes).map_err(Failure::write(folder))? {
        std::fs::remove_file(&path).map_err(Failure::write(&path))?;
        talk.say(&format!("removed {}", path.display()));
    }
    Ok(())
}

//! The posing options that `render` and `pose` share: what the user wrote, and the puppet that it makes.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::Arc;

use clap::builder::PossibleValuesParser;
use clap::{ArgMatches, Args, ValueEnum};
use glam::{DQuat, DVec3, Quat};

use crate::asset::Character;
use crate::ik;
use crate::puppet::{GoalReport, Pin, Puppet, Target};

use crate::rig::Rig;

use super::failure::Failure;
use super::names;
use super::{ModelArg, Talk};

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Posing")]
pub(super) struct PosingArgs {
    /// Play a clip, by name, then by index
    #[arg(long, value_name = "NAME|INDEX", group = "moving")]
    animation: Option<String>,
    /// Time in the clip, seconds, clamped to its ends
    #[arg(long, value_name = "S", default_value = "0", value_parser = seconds)]
    animation_time: f32,
    /// Add the clips of another file, put on this character (repeatable)
    #[arg(long, value_name = "FILE")]
    pub(super) clips: Vec<PathBuf>,
    /// Blend another clip into the animation, in step with it, by its share (repeatable)
    #[arg(long, value_name = "NAME=W", requires = "animation")]
    pub(super) blend: Vec<String>,
    /// Play a motion file: clips one after another, layers, edits
    #[arg(long, value_name = "FILE", group = "moving", conflicts_with = "blend")]
    pub(super) motion: Option<PathBuf>,
    /// Play it as a loop: times beyond its end are in another round
    #[arg(long = "loop")]
    again: bool,
    /// Keep feet that stand where they stand
    #[arg(long)]
    pub(super) plant_feet: bool,
    /// Of clips put on this character, keep hands where they were too: as far from the shoulders, by the span of the
    /// arms
    #[arg(long)]
    pub(super) keep_hands: bool,
    /// Replace a node's local rotation after the clip (repeatable)
    #[arg(long, value_name = "NODE=X,Y,Z,W")]
    rotate: Vec<Assignment<4>>,
    /// World position that an effector shall reach (repeatable)
    #[arg(long, value_name = "NODE=X,Y,Z")]
    reach: Vec<Assignment<3>>,
    /// World orientation that it shall take (repeatable)
    #[arg(long, value_name = "NODE=X,Y,Z,W")]
    orient: Vec<Assignment<4>>,
    /// World position that a node's forward axis shall point at (repeatable)
    #[arg(long, value_name = "NODE=X,Y,Z")]
    look: Vec<Assignment<3>>,
    /// World position that the limb that ends at the node bends to (repeatable)
    #[arg(long, value_name = "NODE=X,Y,Z")]
    pole: Vec<Assignment<3>>,
    /// Keep this joint where the clip put it (repeatable)
    #[arg(long, value_name = "NODE")]
    pin: Vec<String>,
    /// Weight of that node's goals [default: 1] (repeatable)
    #[arg(long, value_name = "NODE=W")]
    weight: Vec<Assignment<1>>,
    /// The joint held still, for the reaches that follow [default: the base of the chain that ends there]
    #[arg(long, value_name = "NODE")]
    base: Vec<String>,
    /// Chains and limits [default: NAME.rig.toml beside the model, else found in it]
    #[arg(long, value_name = "FILE")]
    rig: Option<PathBuf>,
    /// How to solve
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = methods())]
    method: String,
    /// What --method style poses in: a style learned by `sinew style`, or a file of motion (glTF, BVH, CSV), whose
    /// clips are examples to blend
    #[arg(long, value_name = "FILE")]
    style: Option<PathBuf>,
    /// What the unknowns of the Jacobian methods are
    #[arg(long, value_name = "WHICH", default_value = "rotation-vector")]
    joint_parameters: ParametersArg,
    /// Ignore joint limits
    #[arg(long)]
    no_limits: bool,
    /// Stop after this many passes
    #[arg(long, value_name = "N", default_value_t = ik::DEFAULT_ITERATIONS)]
    iterations: usize,
    /// Stop when this near, metres [default: 1e-4 of the chain's length]
    #[arg(long, value_name = "M", value_parser = metres)]
    tolerance: Option<f64>,
    /// Solve from the clip's pose, or from rest
    #[arg(long, value_name = "POSE", default_value = "current")]
    start: StartArg,
    /// Exit 1 unless every goal is reached
    #[arg(long)]
    require_reached: bool,
    /// Scene to show, by name, then by index [default: the file's]
    #[arg(long, value_name = "NAME|INDEX")]
    scene: Option<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ParametersArg {
    RotationVector,
    Euler,
}

/// The methods' names.
pub(super) fn methods() -> PossibleValuesParser {
    PossibleValuesParser::new(ik::Method::all().map(ik::Method::name))
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum StartArg {
    Current,
    Rest,
}

/// `NODE=number,…`, with as many numbers as it takes.
#[derive(Clone, Debug)]
struct Assignment<const N: usize> {
    node: String,
    values: [f64; N],
}

impl<const N: usize> FromStr for Assignment<N> {
    type Err = String;

    /// The last `=` divides: a node's name may hold one.
    fn from_str(text: &str) -> Result<Self, String> {
        let (node, values) = text.rsplit_once('=').ok_or("there is no '='")?;
        Ok(Self { node: node.to_owned(), values: numbers(values)? })
    }
}

fn seconds(text: &str) -> Result<f32, String> {
    let seconds = text.parse::<f32>().ok().filter(|s| s.is_finite());
    seconds.ok_or_else(|| format!("\"{text}\" is not a time in seconds"))
}

fn metres(text: &str) -> Result<f64, String> {
    let metres = text.parse::<f64>().ok().filter(|m| *m > 0.0 && m.is_finite());
    metres.ok_or_else(|| format!("\"{text}\" is not a positive number of metres"))
}

/// Exactly `N` finite numbers with commas between them.
pub(super) fn numbers<const N: usize>(text: &str) -> Result<[f64; N], String> {
    let parsed: Vec<f64> = text
        .split(',')
        .map(|n| n.trim().parse::<f64>().ok().filter(|x| x.is_finite()))
        .collect::<Option<_>>()
        .ok_or_else(|| format!("\"{text}\" is not a list of numbers"))?;
    let count = parsed.len();
    parsed.try_into().map_err(|_| format!("{count} numbers where {N} are needed"))
}

/// The vector at length one, whatever its own; `None` if it has none.
pub(super) fn unit<const N: usize>(v: [f64; N]) -> Option<[f64; N]> {
    let largest = v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let v = v.map(|x| x / largest);
    let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    (largest > 0.0).then(|| v.map(|x| x / length))
}

impl PosingArgs {
    /// A puppet posed as the options say. `matches`: this subcommand's, for the order in which options were given.
    pub(super) fn puppet(
        &self,
        character: Character,
        matches: &ArgMatches,
        talk: Talk,
    ) -> Result<Puppet, Failure> {
        talk.warnings(&character.warnings);
        let rig = super::rig_of(&character, self.rig())?;
        let character = self.extend(character.into(), &rig)?;
        self.puppet_of(character, rig, matches)
    }

    /// Files that are read, the model's too.
    pub(super) fn files<'a>(&'a self, model: &'a ModelArg) -> impl Iterator<Item = &'a Path> {
        let named = [&model.file, &self.motion, &self.rig, &self.style];
        named.into_iter().flatten().chain(&self.clips).map(PathBuf::as_path)
    }

    /// The rig's file, if one is named.
    pub(super) fn rig(&self) -> Option<&Path> {
        self.rig.as_deref()
    }

    /// The same of a character that others use too, with all clips and its rig.
    pub(super) fn puppet_of(
        &self,
        character: Arc<Character>,
        rig: Rig,
        matches: &ArgMatches,
    ) -> Result<Puppet, Failure> {
        let scene = match &self.scene {
            Some(name) => names::scene(&character, name)?,
            None => character.default_scene,
        };
        let clip = self.animation.as_deref().map(|name| names::clip(&character, name)).transpose()?;
        let targets = self.targets(&character, matches)?;
        let pins = self.pin.iter().map(|n| Ok(names::node(&character, n)?.into()));
        let pins = pins.collect::<Result<Vec<Pin>, Failure>>()?;
        let rotations = self.rotations(&character)?;
        let style = |path| super::style::of(path, &character, &rig, self.keep_hands);
        let style = self.style.as_deref().map(style).transpose()?;
        let mut puppet = Puppet::with_rig(character, scene, rig);
        puppet.style = style;
        self.play(&mut puppet, clip, self.animation_time)?;
        puppet.again = self.again;
        puppet.rotations = rotations;
        puppet.targets = targets;
        puppet.pins = pins;
        puppet.options.iterations = self.iterations;
        puppet.options.tolerance = self.tolerance;
        puppet.options.start = match self.start {
            StartArg::Current => ik::Start::Current,
            StartArg::Rest => ik::Start::Rest,
        };
        // The parser has let only known names through.
        puppet.options.method = self.method.parse().unwrap_or_default();
        puppet.options.jacobian.parameters = match self.joint_parameters {
            ParametersArg::RotationVector => ik::JointParameters::RotationVector,
            ParametersArg::Euler => ik::JointParameters::Euler,
        };
        puppet.options.limits = !self.no_limits;
        Ok(puppet)
    }

    /// 1 if every goal had to be reached and one was not.
    pub(super) fn exit_code(&self, reports: &[GoalReport]) -> ExitCode {
        let reached = reports.iter().all(|r| r.outcome == ik::Outcome::Reached);
        ExitCode::from(u8::from(self.require_reached && !reached))
    }

    fn rotations(&self, character: &Character) -> Result<Vec<(usize, Quat)>, Failure> {
        let one = |a: &Assignment<4>| {
            let node = names::node(character, &a.node)?;
            let q = unit(a.values)
                .ok_or_else(|| Failure::Usage(format!("--rotate {}: a quaternion of length zero", a.node)))?;
            Ok((node, DQuat::from_array(q).as_quat()))
        };
        self.rotate.iter().map(one).collect()
    }

    /// What each node shall do, nodes in the order in which they are first named.
    fn targets(&self, character: &Character, matches: &ArgMatches) -> Result<Vec<Target>, Failure> {
        let places = |id: &str| matches.indices_of(id).into_iter().flatten();
        let bases: Vec<_> = places("base").zip(&self.base).collect();
        let base_at = |place: usize| {
            let base = bases.iter().rev().find(|(at, _)| *at < place);
            base.map(|(_, name)| names::node(character, name)).transpose()
        };
        let mut targets: Vec<(usize, Target)> = Vec::new();
        for (place, reach) in places("reach").zip(&self.reach) {
            let node = names::node(character, &reach.node)?;
            let position = Some(position("--reach", reach)?);
            targets.push((place, Target { position, base: base_at(place)?, ..Target::new(node) }));
        }
        for (place, orient) in places("orient").zip(&self.orient) {
            let node = names::node(character, &orient.node)?;
            let zero = || Failure::Usage(format!("--orient {}: a quaternion of length zero", orient.node));
            let orientation = DQuat::from_array(unit(orient.values).ok_or_else(zero)?);
            target(&mut targets, node, place, base_at(place)?).orientation = Some(orientation);
        }
        for (place, look) in places("look").zip(&self.look) {
            let node = names::node(character, &look.node)?;
            target(&mut targets, node, place, base_at(place)?).look = Some(position("--look", look)?);
        }
        targets.sort_by_key(|(place, _)| *place);
        let mut targets: Vec<Target> = targets.into_iter().map(|(_, t)| t).collect();
        let last = ["reach", "orient", "look"].iter().flat_map(|id| places(id)).max();
        if let Some((_, name)) = bases.iter().find(|(at, _)| last.is_none_or(|last| *at > last)) {
            return Err(Failure::Usage(format!("--base {name}: no --reach follows that it could hold for")));
        }
        let goals = |targets: &mut Vec<Target>, option: &str, name: &str, set: &dyn Fn(&mut Target)| {
            let node = names::node(character, name)?;
            if !targets.iter().any(|t| t.node == node) {
                return Err(Failure::Usage(format!("{option} {name}: it has no goal")));
            }
            targets.iter_mut().filter(|t| t.node == node).for_each(set);
            Ok(())
        };
        for pole in &self.pole {
            let place = position("--pole", pole)?;
            goals(&mut targets, "--pole", &pole.node, &|t| t.pole = Some(place))?;
        }
        for weight in &self.weight {
            let [value] = weight.values;
            if value < 0.0 {
                return Err(Failure::Usage(format!("--weight {}: {value} is negative", weight.node)));
            }
            goals(&mut targets, "--weight", &weight.node, &|t| t.weight = value)?;
        }
        Ok(targets)
    }
}

/// The target of a node: the one there, else a new one.
fn target(targets: &mut Vec<(usize, Target)>, node: usize, place: usize, base: Option<usize>) -> &mut Target {
    let known = targets.iter().position(|(_, t)| t.node == node);
    let index = known.unwrap_or(targets.len());
    if known.is_none() {
        targets.push((place, Target { base, ..Target::new(node) }));
    }
    &mut targets[index].1
}

/// A place that single precision holds.
fn position(option: &str, place: &Assignment<3>) -> Result<DVec3, Failure> {
    let target = DVec3::from_array(place.values);
    if target.as_vec3().is_finite() {
        return Ok(target);
    }
    let why = "a target beyond what single precision holds";
    Err(Failure::Usage(format!("{option} {}: {why}", place.node)))
}

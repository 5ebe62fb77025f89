//! The posing options that `render` and `pose` share: what the user wrote, and the puppet that it makes.

use std::process::ExitCode;
use std::str::FromStr;

use clap::{ArgMatches, Args, ValueEnum};
use glam::{DQuat, DVec3, Quat};

use crate::asset::Character;
use crate::ik;
use crate::puppet::{GoalReport, Puppet, Reach};

use super::Talk;
use super::failure::Failure;
use super::names;

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Posing")]
pub(super) struct PosingArgs {
    /// Play a clip, by name, then by index
    #[arg(long, value_name = "NAME|INDEX")]
    animation: Option<String>,
    /// Time in the clip, seconds, clamped to its ends
    #[arg(long, value_name = "S", default_value = "0", allow_negative_numbers = true, value_parser = seconds)]
    animation_time: f32,
    /// Replace a node's local rotation after the clip (repeatable)
    #[arg(long, value_name = "NODE=X,Y,Z,W")]
    rotate: Vec<Assignment<4>>,
    /// World position that an effector shall reach (repeatable)
    #[arg(long, value_name = "NODE=X,Y,Z")]
    reach: Vec<Assignment<3>>,
    /// Weight of that node's goals [default: 1] (repeatable)
    #[arg(long, value_name = "NODE=W")]
    weight: Vec<Assignment<1>>,
    /// The joint held still, for the reaches that follow
    #[arg(long, value_name = "NODE")]
    base: Vec<String>,
    /// How to solve
    #[arg(long, value_name = "NAME", default_value = "auto")]
    method: MethodArg,
    /// Stop after this many passes
    #[arg(long, value_name = "N", default_value_t = ik::DEFAULT_ITERATIONS)]
    iterations: usize,
    /// Stop when this near, metres [default: 1e-4 of the chain's length]
    #[arg(long, value_name = "M")]
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
enum MethodArg {
    Auto,
    Ccd,
    Particle,
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
        let scene = match &self.scene {
            Some(name) => names::scene(&character, name)?,
            None => character.default_scene,
        };
        let clip = self.animation.as_deref().map(|name| names::clip(&character, name)).transpose()?;
        let reaches = self.reaches(&character, matches)?;
        let rotations = self.rotations(&character)?;
        talk.warnings(&character.warnings);
        let mut puppet = Puppet::new(character, scene);
        puppet.clip = clip.map(|clip| (clip, self.animation_time));
        puppet.rotations = rotations;
        puppet.reaches = reaches;
        puppet.options.iterations = self.iterations;
        puppet.options.tolerance = self.tolerance;
        puppet.options.start = match self.start {
            StartArg::Current => ik::Start::Current,
            StartArg::Rest => ik::Start::Rest,
        };
        puppet.options.method = match self.method {
            MethodArg::Auto | MethodArg::Ccd => ik::Method::Ccd,
            MethodArg::Particle => ik::Method::Particle,
        };
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

    fn reaches(&self, character: &Character, matches: &ArgMatches) -> Result<Vec<Reach>, Failure> {
        let places = |id: &str| matches.indices_of(id).into_iter().flatten();
        let bases: Vec<_> = places("base").zip(&self.base).collect();
        let mut reaches = Vec::with_capacity(self.reach.len());
        for (place, reach) in places("reach").zip(&self.reach) {
            let node = names::node(character, &reach.node)?;
            let target = DVec3::from_array(reach.values);
            if !target.as_vec3().is_finite() {
                let why = "a target beyond what single precision holds";
                return Err(Failure::Usage(format!("--reach {}: {why}", reach.node)));
            }
            let base = bases.iter().rev().find(|(at, _)| *at < place);
            let base = base.map(|(_, name)| names::node(character, name)).transpose()?;
            reaches.push(Reach { node, base, target, weight: 1.0 });
        }
        let last = places("reach").last();
        if let Some((_, name)) = bases.iter().find(|(at, _)| last.is_none_or(|last| *at > last)) {
            return Err(Failure::Usage(format!("--base {name}: no --reach follows that it could hold for")));
        }
        for weight in &self.weight {
            let node = names::node(character, &weight.node)?;
            let [value] = weight.values;
            if value < 0.0 {
                return Err(Failure::Usage(format!("--weight {}: {value} is negative", weight.node)));
            }
            if !reaches.iter().any(|r| r.node == node) {
                return Err(Failure::Usage(format!("--weight {}: it has no goal", weight.node)));
            }
            reaches.iter_mut().filter(|r| r.node == node).for_each(|r| r.weight = value);
        }
        Ok(reaches)
    }
}

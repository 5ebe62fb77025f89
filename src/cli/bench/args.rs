//! The arguments of `sinew bench`.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use crate::cli::failure::Failure;
use crate::ik::benchmark::cases::Set;
use crate::ik::{Method, OptionValue, SolverOption};
use crate::render::AdapterChoice;

use super::tables::Table;

/// Default seed, and default maximum number of iterations.
const SEED: u64 = 1;
const ITERATIONS: usize = 500;

#[derive(Args, Debug)]
#[command(after_help = "Example: sinew bench --methods dls,ccd --joints 3,10 --set reach,near")]
pub(in crate::cli) struct BenchArgs {
    /// Methods to compare [default: all]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub(super) methods: Vec<Method>,
    /// Chain lengths, in joints [default: 3,6,10,20]
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = joints)]
    pub(super) joints: Vec<usize>,
    /// Sets of targets for chains without limits [default: reach]
    #[arg(long, value_name = "SET,…", value_delimiter = ',', value_parser = set())]
    pub(super) set: Vec<Set>,
    /// Bodies to solve: chains without limits (off), chains and arms with limits (on), or both [default: both]
    #[arg(long, value_name = "WHICH")]
    pub(super) limits: Option<LimitsArg>,
    /// Number of targets for each body [default: 1000; 10000 for a robot arm]
    #[arg(long, value_name = "N", value_parser = cases_count)]
    pub(super) cases: Option<usize>,
    /// Seed of the random targets [default: 1]
    #[arg(long, value_name = "S")]
    pub(super) seed: Option<u64>,
    /// Distance at which a goal counts as reached, as a fraction of the body's length [default: 1e-4]
    #[arg(long, value_name = "FRACTION", value_parser = fraction)]
    pub(super) tolerance: Option<f64>,
    /// Maximum number of iterations [default: 500]
    #[arg(long, value_name = "N")]
    pub(super) iterations: Option<usize>,
    /// Set a solver option of all methods, for example ccd.step=5deg (repeatable; --option help lists them)
    #[arg(long, value_name = "KEY=VALUE", value_parser = option)]
    pub(super) option: Vec<(&'static SolverOption, OptionValue)>,
    /// Print one of these tables instead
    #[arg(long, value_name = "NAME")]
    pub(super) table: Option<Table>,
    /// Graphics adapter of `--table batch`, as for `sinew render` [default: auto]
    #[arg(long, value_name = "KIND[:TEXT]")]
    pub(super) adapter: Option<AdapterChoice>,
    /// Write the robot arm and the targets of `--table panda`, `ur5`, `iiwa` or `fr3` to a JSON file
    #[arg(long, value_name = "FILE.json")]
    pub(super) targets: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

impl BenchArgs {
    /// Rejects an option that would have no effect.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let given = [
            ("--methods", !self.methods.is_empty()),
            ("--joints", !self.joints.is_empty()),
            ("--set", !self.set.is_empty()),
            ("--limits", self.limits.is_some()),
            ("--cases", self.cases.is_some()),
            ("--seed", self.seed.is_some()),
            ("--tolerance", self.tolerance.is_some()),
            ("--iterations", self.iterations.is_some()),
            ("--adapter", self.adapter.is_some()),
            ("--targets", self.targets.is_some()),
            ("--option", !self.option.is_empty()),
        ];
        let without_effect =
            |used: &[&str]| given.iter().find(|(name, given)| *given && !used.contains(name)).map(|g| g.0);
        let refuse = |option: &str, with: &str| {
            Err(Failure::Usage(format!("{option} has no effect with {with}; remove one of them")))
        };
        if let Some(table) = self.table {
            let name = table.to_possible_value().map(|v| v.get_name().to_owned()).unwrap_or_default();
            return without_effect(table.options())
                .map_or(Ok(()), |option| refuse(option, &format!("--table {name}")));
        }
        match self.limits {
            _ if self.adapter.is_some() => {
                Err(Failure::Usage("--adapter has no effect with chains; add --table batch".into()))
            }
            _ if self.targets.is_some() => Err(Failure::Usage(
                "--targets has no effect with chains; add --table panda, ur5, iiwa or fr3".into(),
            )),
            Some(LimitsArg::On) if !self.set.is_empty() => refuse("--set", "--limits on"),
            _ => Ok(()),
        }
    }

    pub(super) fn cases(&self, default: usize) -> usize {
        self.cases.unwrap_or(default)
    }

    pub(super) fn seed(&self) -> u64 {
        self.seed.unwrap_or(SEED)
    }

    pub(super) fn iterations(&self) -> usize {
        self.iterations.unwrap_or(ITERATIONS)
    }

    /// Returns the requested methods, or all if none was requested.
    pub(super) fn methods_or_all(&self) -> Vec<Method> {
        if self.methods.is_empty() { Method::of_bodies().collect() } else { self.methods.clone() }
    }

    /// Returns the requested methods, or the default ones if none was requested.
    pub(super) fn methods<'a>(&'a self, default: &'a [Method]) -> &'a [Method] {
        if self.methods.is_empty() { default } else { &self.methods }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum LimitsArg {
    On,
    Off,
    Both,
}

fn set() -> impl TypedValueParser<Value = Set> {
    let values = Set::ALL.map(|set| PossibleValue::new(set.name()).help(set.description()));
    let named = |name: String| Set::ALL.into_iter().find(|set| set.name() == name).ok_or("unknown set");
    PossibleValuesParser::new(values).try_map(named)
}

fn joints(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|n| (1..=10_000).contains(n));
    count.ok_or_else(|| "must be a whole number from 1 to 10000".into())
}

fn cases_count(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|n| (1..=1_000_000).contains(n));
    count.ok_or_else(|| "must be a whole number from 1 to 1000000".into())
}

fn fraction(text: &str) -> Result<f64, String> {
    let fraction = text.parse().ok().filter(|t: &f64| t.is_finite() && *t > 0.0);
    fraction.ok_or_else(|| "must be a positive number".into())
}

/// Parses the value of `--option`. Options for which `sinew bench` has a separate flag are rejected.
fn option(text: &str) -> Result<(&'static SolverOption, OptionValue), String> {
    let (option, value) = SolverOption::parse_assignment(text).map_err(|e| e.to_string())?;
    let own = match option.key {
        "method" => "--methods",
        "iterations" => "--iterations",
        "tolerance" | "angle_tolerance" => "--tolerance",
        "limits" => "--limits",
        _ => return Ok((option, value)),
    };
    Err(format!("use {own} instead"))
}

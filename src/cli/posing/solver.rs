//! The solver options, set with their own flags or with `--option`.

use std::ffi::OsString;
use std::str::FromStr;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};

use crate::api::ParseError;
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::ik;
use crate::ik::{OptionValue, SolverOption};

use super::PosingArgs;

/// The value of `--option` that lists the most important options, and the additional argument that lists all options.
const HELP: &str = "help";
const ALL: &str = "all";

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum ParametersArg {
    RotationVector,
    Euler,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum StartArg {
    Current,
    Rest,
}

/// Returns a parser that accepts the names of the IK methods.
pub(in crate::cli) fn methods() -> PossibleValuesParser {
    PossibleValuesParser::new(ik::Method::all().map(ik::Method::name))
}

pub(in crate::cli) fn metres(text: &str) -> Result<f64, String> {
    let metres = text.parse::<f64>().ok().filter(|m| *m > 0.0 && m.is_finite());
    metres.ok_or_else(|| "must be a positive number of metres".into())
}

/// The value of `--option`.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct OptionArg {
    option: &'static SolverOption,
    value: OptionValue,
}

impl FromStr for OptionArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (option, value) = SolverOption::parse_assignment(text).map_err(|e| e.to_string())?;
        match option.refusal {
            Some(why) => Err(format!("{} cannot be set for a character: {why}", option.key)),
            None => Ok(Self { option, value }),
        }
    }
}

/// The solver options of a command that poses no character.
#[derive(Args, Clone, Debug)]
pub(in crate::cli) struct SolverArgs {
    /// Solver to use [default: auto]
    #[arg(long, value_name = "NAME", value_parser = methods())]
    method: Option<String>,
    /// Maximum number of iterations [default: 100]
    #[arg(long, value_name = "N")]
    iterations: Option<usize>,
    /// Distance at which a position counts as reached, in metres [default: 1e-4 of the chain's length]
    #[arg(long, value_name = "M", value_parser = metres)]
    tolerance: Option<f64>,
    /// Set any solver option, for example ccd.step=5deg (repeatable; --option help lists them)
    #[arg(long, value_name = "KEY=VALUE")]
    option: Vec<OptionArg>,
}

/// The flag, the key and the value of an option that has its own flag.
type NamedOption = (&'static str, &'static str, OptionValue);

impl SolverArgs {
    /// Applies the options. If several `--option`s set the same key, the last one takes effect.
    ///
    /// # Errors
    /// [`Failure::Usage`] if an option and `--option` set the same key to different values.
    pub(in crate::cli) fn apply(&self, options: &mut ik::Options) -> Result<(), Failure> {
        self.apply_with(Vec::new(), options)
    }

    /// Like [`Self::apply`], with more options that have their own flags.
    fn apply_with(&self, more: Vec<NamedOption>, options: &mut ik::Options) -> Result<(), Failure> {
        let failure = |e: ik::OptionError| Failure::Usage(e.to_string());
        for OptionArg { option, value } in &self.option {
            option.set(options, *value).map_err(failure)?;
        }
        for (flag, key, value) in self.named()?.into_iter().chain(more) {
            let option = SolverOption::find(key).map_err(failure)?;
            let last = self.option.iter().rev().find(|o| o.option.key == key);
            if let Some(other) = last.filter(|o| o.value != value) {
                let other = option.print(&other.value);
                let cause = format!("{flag} and --option {key}={other} contradict each other; remove one");
                return Err(Failure::Usage(cause));
            }
            option.set(options, value).map_err(failure)?;
        }
        Ok(())
    }

    /// Returns each given option that has its own flag.
    fn named(&self) -> Result<Vec<NamedOption>, Failure> {
        let mut named = Vec::new();
        if let Some(method) = &self.method {
            let method: ik::Method =
                method.parse().map_err(|error: ParseError| Failure::Usage(error.to_string()))?;
            named.push(("--method", "method", OptionValue::Name(method.name())));
        }
        if let Some(count) = self.iterations {
            named.push(("--iterations", "iterations", OptionValue::Count(count)));
        }
        if let Some(metres) = self.tolerance {
            named.push(("--tolerance", "tolerance", OptionValue::Number(metres)));
        }
        Ok(named)
    }
}

impl PosingArgs {
    /// Applies the solver options on top of the rig's.
    ///
    /// # Errors
    /// Those of [`SolverArgs::apply`].
    pub(super) fn apply_solver_options(&self, options: &mut ik::Options) -> Result<(), Failure> {
        let Self { iterations, tolerance, .. } = *self;
        let (method, option) = (self.method.clone(), self.option.clone());
        SolverArgs { method, iterations, tolerance, option }.apply_with(self.named(), options)
    }

    /// Returns each given option that has its own flag and applies only to characters.
    fn named(&self) -> Vec<NamedOption> {
        let mut named = Vec::new();
        if let Some(parameters) = self.joint_parameters {
            let name = match parameters {
                ParametersArg::RotationVector => "rotation-vector",
                ParametersArg::Euler => "euler",
            };
            named.push(("--joint-parameters", "jacobian.parameters", OptionValue::Name(name)));
        }
        if self.no_limits {
            named.push(("--no-limits", "limits", OptionValue::Flag(false)));
        }
        if let Some(start) = self.start {
            let name = match start {
                StartArg::Current => "current",
                StartArg::Rest => "rest",
            };
            named.push(("--start", "start", OptionValue::Name(name)));
        }
        named
    }
}

/// The options that `--option help` lists. `--option help all` also lists the others.
const FIRST: [&str; 20] = [
    "method",
    "iterations",
    "tolerance",
    "angle_tolerance",
    "start",
    "limits",
    "restarts",
    "textbook",
    "ccd.step",
    "ccd.base_first",
    "particle.stiffness",
    "jacobian.damping",
    "jacobian.clamp",
    "jacobian.secondary",
    "limb.swivel",
    "limb.soften",
    "full_body.balance",
    "full_body.spine_stiffness",
    "full_body.look",
    "optimize.balance",
];

/// Which options are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum OptionList {
    First,
    All,
}

/// Returns the list that `--option help` or `--option help all` requests. Such a request needs no other arguments.
pub(in crate::cli) fn requested_options(arguments: &[OsString]) -> Option<OptionList> {
    let arguments = arguments.iter().take_while(|a| *a != "--");
    let texts: Vec<_> = arguments.map(|a| a.to_string_lossy()).collect();
    let after = texts.iter().position(|a| a.strip_prefix("--option=") == Some(HELP)).map(|at| at + 1);
    let pair = || texts.windows(2).position(|pair| pair[0] == "--option" && pair[1] == HELP);
    let after = after.or_else(|| pair().map(|at| at + 2))?;
    let is_all = texts.get(after).is_some_and(|a| a == ALL);
    Some(if is_all { OptionList::All } else { OptionList::First })
}

/// Prints options with their defaults, values and methods.
pub(in crate::cli) fn print_options(list: OptionList) -> Result<(), Failure> {
    let mut lines = vec![
        "Solver options: KEY=DEFAULT, the accepted values, and the methods that use the option.".to_owned(),
        "Angles are in deg or rad, lengths in m, cm or mm. Without a unit: radians and metres.".to_owned(),
    ];
    let accepted: Vec<&SolverOption> = SolverOption::all().iter().filter(|o| o.refusal.is_none()).collect();
    let is_listed = |option: &&&SolverOption| list == OptionList::All || FIRST.contains(&option.key);
    let listed: Vec<&&SolverOption> = accepted.iter().filter(is_listed).collect();
    for option in &listed {
        let methods: Vec<_> = option.methods.iter().map(|m| m.name()).collect();
        let methods = if methods.is_empty() { "all methods".to_owned() } else { methods.join(", ") };
        lines.push(String::new());
        lines.push(format!("  {}={}", option.key, option.print(&option.default())));
        lines.push(format!("      {}", option.help));
        lines.push(format!("      {}  [{methods}]", option.values()));
    }
    if listed.len() < accepted.len() {
        lines.push(String::new());
        lines.push(format!("--option help all lists all {}.", accepted.len()));
    }
    output::lines(lines)
}

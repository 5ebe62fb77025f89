//! The options that weight the position and the orientation of goals, free some of their axes, and set their tolerances.

use std::f64::consts::PI;
use std::str::FromStr;

use clap::ValueEnum;
use glam::{DQuat, DVec3};

use crate::cli::failure::Failure;
use crate::cli::names::Nodes;
use crate::ik::{AxesFrame, AxisTerm, Tolerance, Unit};
use crate::puppet::Target;

use super::PosingArgs;

/// The unit of an argument's numbers.
trait ArgumentUnit {
    const UNIT: Unit;
}

/// Numbers without a unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlainUnit;
/// Lengths in metres.
#[derive(Clone, Copy, Debug)]
pub(super) struct LengthUnit;
/// Angles in radians.
#[derive(Clone, Copy, Debug)]
pub(super) struct AngleUnit;

impl ArgumentUnit for PlainUnit {
    const UNIT: Unit = Unit::Plain;
}

impl ArgumentUnit for LengthUnit {
    const UNIT: Unit = Unit::Length;
}

impl ArgumentUnit for AngleUnit {
    const UNIT: Unit = Unit::Angle;
}

/// One number for all axes, or one for each.
#[derive(Clone, Copy, Debug)]
enum Numbers {
    All(f64),
    Each(DVec3),
}

/// An argument of the form `NODE=number` or `NODE=number,number,number`.
#[derive(Clone, Debug)]
pub(super) struct AxisValues<U> {
    node: String,
    values: Numbers,
    unit: std::marker::PhantomData<U>,
}

impl<U: ArgumentUnit> FromStr for AxisValues<U> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (node, values) = split(text)?;
        let numbers = values.split(',').map(|text| U::UNIT.parse(text.trim()));
        let numbers = numbers.collect::<Result<Vec<f64>, String>>()?;
        let values = match numbers[..] {
            [all] => Numbers::All(all),
            [x, y, z] => Numbers::Each(DVec3::new(x, y, z)),
            _ => return Err(format!("expected 1 or 3 numbers, found {}", numbers.len())),
        };
        Ok(Self { node, values, unit: std::marker::PhantomData })
    }
}

impl<U> AxisValues<U> {
    fn weights(&self) -> DVec3 {
        match self.values {
            Numbers::All(weight) => DVec3::splat(weight),
            Numbers::Each(weights) => weights,
        }
    }

    fn tolerance(&self) -> Tolerance {
        match self.values {
            Numbers::All(norm) => Tolerance::Norm(norm),
            Numbers::Each(axes) => Tolerance::Axes(axes),
        }
    }
}

/// An argument of the form `NODE=world` or `NODE=target`.
#[derive(Clone, Debug)]
pub(super) struct NodeFrame {
    node: String,
    frame: FrameArg,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FrameArg {
    World,
    Target,
}

impl FromStr for NodeFrame {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (node, frame) = split(text)?;
        let frame = FrameArg::from_str(frame, false).map_err(|_| "expected world or target")?;
        Ok(Self { node, frame })
    }
}

/// Splits at the last `=`, because a node's name may contain one.
fn split(text: &str) -> Result<(String, &str), String> {
    let (node, value) = text.rsplit_once('=').ok_or("'=' is missing after the name of the node")?;
    Ok((node.to_owned(), value))
}

impl PosingArgs {
    /// Applies the weights, the tolerances and the frame of the axes to the targets of their nodes.
    ///
    /// # Errors
    /// [`Failure::Usage`] if a node does not exist or has no goal to which the option applies, or if a number is invalid.
    pub(super) fn apply_axes(&self, targets: &mut [Target], nodes: Nodes<'_>) -> Result<(), Failure> {
        let has_position = |t: &Target| t.position.is_some();
        let turns = |t: &Target| t.orientation.is_some();
        let turns_or_looks = |t: &Target| t.orientation.is_some() || t.look.is_some();
        for weight in &self.position_weight {
            let option = GoalChange::new("--position-weight", &weight.node, "--reach");
            option.apply(targets, nodes, has_position, |t| set_weights(&mut t.axes.position, weight))?;
        }
        for weight in &self.orientation_weight {
            let option = GoalChange::new("--orientation-weight", &weight.node, "--orient");
            option.apply(targets, nodes, turns, |t| set_weights(&mut t.axes.orientation, weight))?;
        }
        for tolerance in &self.position_tolerance {
            let option = GoalChange::new("--position-tolerance", &tolerance.node, "--reach");
            let tolerance = Some(tolerance.tolerance());
            option.apply(targets, nodes, has_position, |t| t.axes.position.tolerance = tolerance)?;
        }
        for tolerance in &self.orientation_tolerance {
            let option = GoalChange::new("--orientation-tolerance", &tolerance.node, "--orient or --look");
            let tolerance = Some(tolerance.tolerance());
            option.apply(targets, nodes, turns_or_looks, |t| t.axes.orientation.tolerance = tolerance)?;
        }
        for NodeFrame { node, frame } in &self.axes {
            let frame = match frame {
                FrameArg::World => AxesFrame::World,
                FrameArg::Target => AxesFrame::Target,
            };
            let needs_turn = |t: &Target| frame == AxesFrame::World || turns(t);
            let option = GoalChange::new("--axes", node, "--orient");
            option.apply(targets, nodes, needs_turn, |t| t.axes.frame = frame)?;
        }
        match targets.iter().find(|t| has_no_effect(t)) {
            Some(target) => {
                let name = nodes.character.skeleton.label(target.node);
                Err(Failure::Usage(format!(
                    "{name}: all axes of its goal are free, so that it has no effect"
                )))
            }
            None => Ok(()),
        }
    }
}

/// Returns whether a target has at least one goal and all axes of its goals are free.
fn has_no_effect(target: &Target) -> bool {
    let position = target.position.map(|_| target.axes.position_error(DVec3::ONE, None).is_some());
    let half_turn = DQuat::from_rotation_x(PI);
    let orientation = target.orientation.map(|q| target.axes.orientation_error(q, half_turn * q).is_some());
    let counts = [position, orientation, target.look.map(|_| true)];
    counts.iter().any(Option::is_some) && !counts.contains(&Some(true))
}

fn set_weights(term: &mut AxisTerm, argument: &AxisValues<PlainUnit>) {
    term.weights = argument.weights();
}

/// An option that changes the goals of a node.
struct GoalChange<'a> {
    option: &'static str,
    node: &'a str,
    /// The option that would add a goal of the right kind.
    needed: &'static str,
}

impl<'a> GoalChange<'a> {
    fn new(option: &'static str, node: &'a str, needed: &'static str) -> Self {
        Self { option, node, needed }
    }

    /// Changes the targets of the node that have a goal of the right kind, and checks the result.
    fn apply(
        &self,
        targets: &mut [Target],
        nodes: Nodes<'_>,
        fits: impl Fn(&Target) -> bool,
        set: impl Fn(&mut Target),
    ) -> Result<(), Failure> {
        let Self { option, node: name, needed } = self;
        let node = nodes.find(name)?;
        let mut found = false;
        for target in targets.iter_mut().filter(|t| t.node == node && fits(t)) {
            set(target);
            if let Err((field, value)) = target.axes.validate() {
                let rule = if field.ends_with("weights") { "at least 0" } else { "greater than 0" };
                return Err(Failure::Usage(format!("{option} {name}: must be {rule}, but is {value}")));
            }
            found = true;
        }
        if found {
            return Ok(());
        }
        Err(Failure::Usage(format!("{option} {name}: the node has no such target; add {needed} for it")))
    }
}

//! The goals of nodes, and the rotations that replace or follow those of the clip.

use clap::ArgMatches;
use glam::{DQuat, DVec3, Quat};

use crate::cli::failure::Failure;
use crate::cli::names::Nodes;
use crate::puppet::Target;

use super::PosingArgs;
use super::values::{Assignment, position, unit};

/// Largest component of a turn, in degrees. Larger components would lose precision and add only full revolutions.
const MAX_TURN: f64 = 3600.0;

impl PosingArgs {
    pub(super) fn rotations(&self, nodes: Nodes<'_>) -> Result<Vec<(usize, Quat)>, Failure> {
        let rotation = |a: &Assignment<4>| {
            let node = nodes.find(&a.node)?;
            let q = unit(a.values)
                .ok_or_else(|| Failure::Usage(format!("--rotate {}: quaternion has zero length", a.node)))?;
            Ok((node, DQuat::from_array(q).as_quat()))
        };
        self.rotate.iter().map(rotation).collect()
    }

    /// Returns the rotations that `--turn` adds to nodes. The option specifies them in degrees.
    pub(super) fn turns(&self, nodes: Nodes<'_>) -> Result<Vec<(usize, Quat)>, Failure> {
        let turn = |turn: &Assignment<3>| {
            let node = nodes.find(&turn.node)?;
            let degrees = DVec3::from_array(turn.values);
            if degrees.abs().max_element() > MAX_TURN {
                let cause = format!("a turn must be at most {MAX_TURN} degrees");
                return Err(Failure::Usage(format!("--turn {}: {cause}", turn.node)));
            }
            let radians = degrees.to_array().map(f64::to_radians);
            Ok((node, DQuat::from_scaled_axis(DVec3::from_array(radians)).as_quat()))
        };
        self.turn.iter().map(turn).collect()
    }

    /// Returns the goals of each node. Nodes are in the order in which the options first name them.
    pub(super) fn targets(&self, nodes: Nodes<'_>, matches: &ArgMatches) -> Result<Vec<Target>, Failure> {
        let indices = |id: &str| matches.indices_of(id).into_iter().flatten();
        let bases: Vec<_> = indices("base").zip(&self.base).collect();
        let base_at = |index: usize| {
            let base = bases.iter().rev().find(|(at, _)| *at < index);
            base.map(|(_, name)| nodes.find(name)).transpose()
        };
        let mut targets: Vec<(usize, Target)> = Vec::new();
        for (index, reach) in indices("reach").zip(&self.reach) {
            let node = nodes.find(&reach.node)?;
            let position = Some(position("--reach", reach)?);
            targets.push((index, Target { position, base: base_at(index)?, ..Target::new(node) }));
        }
        for (index, orient) in indices("orient").zip(&self.orient) {
            let node = nodes.find(&orient.node)?;
            let zero = || Failure::Usage(format!("--orient {}: quaternion has zero length", orient.node));
            let orientation = DQuat::from_array(unit(orient.values).ok_or_else(zero)?);
            target(&mut targets, node, index, base_at(index)?).orientation = Some(orientation);
        }
        for (index, look) in indices("look").zip(&self.look) {
            let node = nodes.find(&look.node)?;
            target(&mut targets, node, index, base_at(index)?).look = Some(position("--look", look)?);
        }
        targets.sort_by_key(|(index, _)| *index);
        let mut targets: Vec<Target> = targets.into_iter().map(|(_, t)| t).collect();
        let last = ["reach", "orient", "look"].iter().flat_map(|id| indices(id)).max();
        if let Some((_, name)) = bases.iter().find(|(at, _)| last.is_none_or(|last| *at > last)) {
            return Err(Failure::Usage(format!("--base {name}: no --reach, --orient or --look follows it")));
        }
        let update = |targets: &mut Vec<Target>, option: &str, name: &str, set: &dyn Fn(&mut Target)| {
            let node = nodes.find(name)?;
            if !targets.iter().any(|t| t.node == node) {
                let cause = "node has no goal; add --reach, --orient or --look for it";
                return Err(Failure::Usage(format!("{option} {name}: {cause}")));
            }
            targets.iter_mut().filter(|t| t.node == node).for_each(set);
            Ok(())
        };
        for pole in &self.pole {
            let position = position("--pole", pole)?;
            update(&mut targets, "--pole", &pole.node, &|t| t.pole = Some(position))?;
        }
        for weight in &self.weight {
            let [value] = weight.values;
            if value < 0.0 {
                let cause = "weight must be at least 0";
                return Err(Failure::Usage(format!("--weight {}={value}: {cause}", weight.node)));
            }
            update(&mut targets, "--weight", &weight.node, &|t| t.weight = value)?;
        }
        self.apply_axes(&mut targets, nodes)?;
        Ok(targets)
    }
}

/// Returns a node's target. Adds the target for the argument at `index` if the node has no target yet.
fn target(targets: &mut Vec<(usize, Target)>, node: usize, index: usize, base: Option<usize>) -> &mut Target {
    let existing = targets.iter().position(|(_, t)| t.node == node);
    let at = existing.unwrap_or(targets.len());
    if existing.is_none() {
        targets.push((index, Target { base, ..Target::new(node) }));
    }
    &mut targets[at].1
}

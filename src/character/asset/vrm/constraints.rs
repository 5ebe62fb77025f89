//! Node constraints (`VRMC_node_constraint`): rotations of nodes that follow other nodes.

use glam::DVec3;
use serde_json::Value;

use crate::asset::Skeleton;

use super::json::{Problems, index, number};

/// A node whose rotation follows another node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constraint {
    /// The node that is rotated.
    pub node: usize,
    /// The node that the constrained node follows.
    pub source: usize,
    /// How it follows the source.
    pub kind: ConstraintKind,
    /// 0 keeps the rest rotation, and 1 follows the source fully.
    pub weight: f64,
}

/// How a node follows another node.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ConstraintKind {
    /// Rotates about one of its own axes by the same angle as the source.
    Roll(ConstraintAxis),
    /// Points one of its own axes at the source.
    Aim(ConstraintAxis),
    /// Copies the rotation of the source relative to its rest rotation.
    Rotation,
}

/// An axis of a node, with a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintAxis {
    /// +X.
    PositiveX,
    /// −X.
    NegativeX,
    /// +Y.
    PositiveY,
    /// −Y.
    NegativeY,
    /// +Z.
    PositiveZ,
    /// −Z.
    NegativeZ,
}

impl ConstraintAxis {
    /// Returns the axis as a unit vector.
    pub fn vector(self) -> DVec3 {
        match self {
            Self::PositiveX => DVec3::X,
            Self::NegativeX => DVec3::NEG_X,
            Self::PositiveY => DVec3::Y,
            Self::NegativeY => DVec3::NEG_Y,
            Self::PositiveZ => DVec3::Z,
            Self::NegativeZ => DVec3::NEG_Z,
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "X" | "PositiveX" => Self::PositiveX,
            "NegativeX" => Self::NegativeX,
            "Y" | "PositiveY" => Self::PositiveY,
            "NegativeY" => Self::NegativeY,
            "Z" | "PositiveZ" => Self::PositiveZ,
            "NegativeZ" => Self::NegativeZ,
            _ => return None,
        })
    }
}

/// Maximum total number of ancestors of the nodes and sources of all aim constraints. Each evaluation visits these nodes.
const MAX_VISITS: usize = 1 << 20;

/// Returns for each node the number of its ancestors, including the node itself.
fn depths(skeleton: &Skeleton) -> Vec<usize> {
    let mut depths = vec![1; skeleton.nodes.len()];
    for &(node, parent) in &skeleton.parents_first {
        depths[node] = 1 + parent.map_or(0, |p| depths[p]);
    }
    depths
}

/// A node, and the JSON of its constraint.
pub(in crate::asset) type ConstraintJson<'a> = (usize, &'a Value);

/// Reads the constraints of all nodes, ordered so that each comes after the constraints that move its source. A constraint that
/// would depend on itself is left out.
pub(in crate::asset) fn constraints<'a>(
    nodes: impl Iterator<Item = ConstraintJson<'a>>,
    skeleton: &Skeleton,
    problems: &mut Problems,
) -> Vec<Constraint> {
    let mut found = Vec::new();
    let depths = depths(skeleton);
    let depth = |node: usize| depths.get(node).copied().unwrap_or_default();
    let mut visits = 0_usize;
    for (node, json) in nodes {
        match read(node, json, skeleton) {
            Ok(constraint) => {
                if matches!(constraint.kind, ConstraintKind::Aim(_)) {
                    visits = visits.saturating_add(depth(node)).saturating_add(depth(constraint.source));
                    if visits > MAX_VISITS {
                        problems
                            .push(|| format!("nodes[{node}]: too many aim constraints, so it is ignored"));
                        continue;
                    }
                }
                found.push(constraint);
            }
            Err(cause) => {
                problems.push(|| format!("nodes[{node}].extensions.VRMC_node_constraint: {cause}"));
            }
        }
    }
    let order = Order::new(&found, skeleton).sorted();
    let mut is_sorted = vec![false; found.len()];
    order.iter().for_each(|&c| is_sorted[c] = true);
    for (constraint, _) in found.iter().zip(&is_sorted).filter(|(_, sorted)| !**sorted) {
        let node = constraint.node;
        problems.push(|| format!("nodes[{node}]: the constraint depends on its own result and is ignored"));
    }
    order.into_iter().filter_map(|c| found.get(c).copied()).collect()
}

fn read(node: usize, json: &Value, skeleton: &Skeleton) -> Result<Constraint, String> {
    let constraint = json.get("constraint").ok_or("constraint is missing")?;
    let axis = |kind: &Value, key: &str| {
        let name = kind.get(key).and_then(Value::as_str).unwrap_or_default();
        ConstraintAxis::from_name(name).ok_or_else(|| format!("{key} is missing or unknown"))
    };
    let (json, kind) = if let Some(roll) = constraint.get("roll") {
        (roll, ConstraintKind::Roll(axis(roll, "rollAxis")?))
    } else if let Some(aim) = constraint.get("aim") {
        (aim, ConstraintKind::Aim(axis(aim, "aimAxis")?))
    } else if let Some(rotation) = constraint.get("rotation") {
        (rotation, ConstraintKind::Rotation)
    } else {
        return Err("the kind of constraint is missing or unknown".to_owned());
    };
    let source = index(json, "source", skeleton.nodes.len())?.ok_or("source is missing")?;
    let weight = number(json, "weight").unwrap_or(1.0).clamp(0.0, 1.0);
    Ok(Constraint { node, source, kind, weight })
}

/// Sorts constraints by their dependencies. There are two steps for each constraint `c`: `2 c` evaluates it, and `2 c + 1`
/// stands for the final world matrix of its node, which also needs the constraints of the node's ancestors.
struct Order {
    /// For each step, the steps that it needs. There are at most two.
    needs: Vec<[Option<usize>; 2]>,
}

impl Order {
    fn new(constraints: &[Constraint], skeleton: &Skeleton) -> Self {
        let mut own = vec![None; skeleton.nodes.len()];
        for (c, constraint) in constraints.iter().enumerate() {
            own[constraint.node] = Some(c);
        }
        // For each node, its own constraint, or otherwise the constraint of its nearest constrained ancestor.
        let mut nearest = own.clone();
        for &(node, parent) in &skeleton.parents_first {
            nearest[node] = nearest[node].or_else(|| parent.and_then(|p| nearest[p]));
        }
        let parent = |node: usize| skeleton.nodes.get(node).and_then(|n| n.parent);
        let world = |node: usize| nearest.get(node).copied().flatten().map(|c: usize| 2 * c + 1);
        let mut needs = Vec::with_capacity(2 * constraints.len());
        for (c, constraint) in constraints.iter().enumerate() {
            let above = parent(constraint.node).and_then(world);
            needs.push(match constraint.kind {
                ConstraintKind::Aim(_) => [world(constraint.source), above],
                _ => [own.get(constraint.source).copied().flatten().map(|c| 2 * c), None],
            });
            needs.push([Some(2 * c), above]);
        }
        Self { needs }
    }

    /// Returns the constraints that can be evaluated, in order. Constraints that are in a cycle or depend on one are left out.
    fn sorted(&self) -> Vec<usize> {
        let mut missing: Vec<usize> = self.needs.iter().map(|needs| needs.iter().flatten().count()).collect();
        let mut waiting = vec![Vec::new(); self.needs.len()];
        for (step, needs) in self.needs.iter().enumerate() {
            needs.iter().flatten().for_each(|&need| waiting[need].push(step));
        }
        let mut ready: std::collections::VecDeque<usize> =
            (0..missing.len()).filter(|&step| missing[step] == 0).collect();
        let mut order = Vec::new();
        while let Some(step) = ready.pop_front() {
            if step % 2 == 0 {
                order.push(step / 2);
            }
            for &next in &waiting[step] {
                missing[next] -= 1;
                if missing[next] == 0 {
                    ready.push_back(next);
                }
            }
        }
        order
    }
}

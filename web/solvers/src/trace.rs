//! The steps of a solve ([`sinew_ik::Step`]).

use sinew_ik as ik;
use wasm_bindgen::prelude::*;

use crate::{Body, positions};

/// One step of a solve: the turn of one link, or a move of particles. Lengths are in the unit of the body.
#[wasm_bindgen]
#[derive(Clone, Debug)]
pub struct Step {
    step: ik::Step,
    positions: Vec<f64>,
    rotations: Vec<f64>,
}

#[wasm_bindgen]
impl Step {
    /// Why the link turned: `start`, `iteration`, `closed-form`, `bend`, `swivel`, `restart`, `pins`, `pull`, `spring`, `fit` or `result`.
    #[wasm_bindgen(getter)]
    pub fn kind(&self) -> String {
        self.step.kind.to_string()
    }

    /// Index of the link that turns. For a step of a spring, the link at the spring's upper end.
    #[wasm_bindgen(getter)]
    pub fn link(&self) -> usize {
        self.step.link.0
    }

    /// Number of the iteration, counted from 1, or 0 before the first iteration.
    #[wasm_bindgen(getter)]
    pub fn iteration(&self) -> usize {
        self.step.iteration
    }

    /// Axis of the turn, or direction of the move: a unit vector in world space.
    #[wasm_bindgen(getter)]
    pub fn axis(&self) -> Vec<f64> {
        self.step.axis.to_array().to_vec()
    }

    /// Angle of the turn in radians, from 0 to π.
    #[wasm_bindgen(getter)]
    pub fn angle(&self) -> f64 {
        self.step.angle
    }

    /// Length of a move. If two particles move, the length of the lower one's move.
    #[wasm_bindgen(getter)]
    pub fn distance(&self) -> f64 {
        self.step.distance
    }

    /// Largest distance from a goal after the step, or `undefined` if no goal has a position. For moves of particles, the distance from
    /// the particle at the end to its goal.
    #[wasm_bindgen(getter)]
    pub fn error(&self) -> Option<f64> {
        self.step.position_error
    }

    /// Positions of the lower and the upper particle after a `pull` or a `spring`, three numbers each. Empty for other steps.
    #[wasm_bindgen(getter)]
    pub fn particles(&self) -> Vec<f64> {
        self.step.particles.iter().flatten().flat_map(|point| point.to_array()).collect()
    }

    /// Positions of all links after the step, three numbers each. Moves of particles leave the links where they are.
    #[wasm_bindgen(getter)]
    pub fn positions(&self) -> Vec<f64> {
        self.positions.clone()
    }

    /// Rotations of all links after the step, relative to their parents, four numbers each.
    #[wasm_bindgen(getter)]
    pub fn rotations(&self) -> Vec<f64> {
        self.rotations.clone()
    }
}

#[wasm_bindgen]
impl Body {
    /// Returns the steps of the last solve in order. Empty unless the option `trace=true` was set.
    pub fn steps(&self) -> Vec<Step> {
        let mut body = self.before.clone();
        let replay = |step: &ik::Step| {
            step.apply(&mut body);
            let rotations = body.rotations().iter().flat_map(|rotation| rotation.to_array()).collect();
            Step { step: *step, positions: positions(&body), rotations }
        };
        self.report.trace.iter().map(replay).collect()
    }
}

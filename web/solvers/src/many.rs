//! Many targets that are solved from the same pose, for measurements.

use sinew_ik::{Goal, LinkIndex};
use wasm_bindgen::prelude::*;

use crate::{Body, error, points};

/// The results for many targets, in the order of the targets.
#[wasm_bindgen]
#[derive(Clone, Debug, Default)]
pub struct Results {
    errors: Vec<f64>,
    iterations: Vec<u32>,
}

#[wasm_bindgen]
impl Results {
    /// Remaining distances, in the unit of the body.
    #[wasm_bindgen(getter)]
    pub fn errors(&self) -> Vec<f64> {
        self.errors.clone()
    }

    /// Numbers of iterations.
    #[wasm_bindgen(getter)]
    pub fn iterations(&self) -> Vec<u32> {
        self.iterations.clone()
    }
}

#[wasm_bindgen]
impl Body {
    /// Solves a link for many targets, three numbers each, and starts each solve from the current pose. The pose is unchanged.
    /// One call for all targets makes times comparable, because a call from JavaScript may cost more than a solve.
    ///
    /// # Errors
    /// The same as for [`Body::solve`].
    #[wasm_bindgen(js_name = solveMany)]
    pub fn solve_many(&mut self, link: usize, targets: &[f64]) -> Result<Results, JsError> {
        let mut results = Results::default();
        let mut body = self.body.clone();
        for target in points(targets)? {
            body.clone_from(&self.body);
            let goal = Goal::position(LinkIndex(link), target);
            let report = self.solver.solve(&mut body, &[goal], &self.options).map_err(error)?;
            results.errors.push(report.position_error());
            results.iterations.push(u32::try_from(report.iterations).unwrap_or(u32::MAX));
        }
        Ok(results)
    }
}

//! Solves for goals by example: blends postures, and then runs the full-body method.

use crate::{Body, Examples, Goal, Method, Options, Report, SolveError, Solver};

impl Examples {
    /// Blends the postures whose points are nearest to the target positions, and then runs the full-body method from
    /// the blended pose. `joints` maps each link of the body to a joint of the postures. The examples are rotated about
    /// +Y and, if the root may move, shifted on the ground. The same input gives bit-identical results.
    ///
    /// # Errors
    /// The errors of [`Solver::solve`], and [`SolveError::Unsuited`] if there are no postures or `joints` does not
    /// have one entry per link. The body is then left unchanged.
    pub fn solve<'a>(
        &self,
        solver: &'a mut Solver,
        body: &mut Body,
        joints: &[Option<usize>],
        goals: &[Goal],
        options: &Options,
    ) -> Result<&'a Report, SolveError> {
        let options = Options { method: Method::FullBody, ..*options };
        if let Some(refused) = options.refusal(body, goals) {
            return Err(refused);
        }
        let unsuited = |why| Err(SolveError::Unsuited { method: options.method, why });
        if self.postures.is_empty() {
            return unsuited("there are no examples to blend");
        }
        if joints.len() != body.links().len() {
            return unsuited("the examples are for a body with a different number of links");
        }
        self.blend(body, joints, goals, options.root_motion);
        solver.solve(body, goals, &options)
    }
}

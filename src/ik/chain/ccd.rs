//! Cyclic coordinate descent on a free chain. For the algorithm, see [`crate::methods::ccd`].

use glam::{DQuat, DVec3};

use crate::CcdOptions;
use crate::methods::ccd::{linear_turn, partial_turn};
use crate::rotation::{any_perpendicular, shortest_arc};

use super::stall::StallDetector;
use super::{ChainOutcome, FreeChain};

/// Two vectors count as opposite if 1 + cos of the angle between them is at most this value, as in [`shortest_arc`].
const OPPOSITE: f64 = 1e-9;

impl FreeChain {
    /// Returns whether [`Self::descend`] supports these options.
    pub(super) fn supports_ccd(&self, options: &CcdOptions) -> bool {
        let is_budgeted = self.has_ccd_budgets || options.budget.is_finite();
        !(is_budgeted || options.extrapolate || options.early_stop)
    }

    /// Runs cyclic coordinate descent. `target` is relative to the base.
    pub(crate) fn descend(
        &mut self,
        target: DVec3,
        tolerance: f64,
        iterations: usize,
        options: &CcdOptions,
    ) -> ChainOutcome {
        let mut stall = StallDetector::new();
        for iteration in 0..=iterations {
            let end = self.measure_arms();
            let error = end.distance(target);
            self.record_error(error);
            if error <= tolerance {
                return ChainOutcome::Reached(iteration);
            }
            if iteration == iterations || stall.is_stalled(error) {
                break;
            }
            let (base_first, reach, count) =
                (options.is_base_first(iteration), self.reach, self.vectors.len());
            let part =
                |index: usize, from: DVec3, to: DVec3| part_of_turn(options, reach, count - index, from, to);
            match (options.has_full_turns(), base_first) {
                (true, false) => self.sweep_to_base(end, target, |_, from, to| whole_turn(from, to)),
                (true, true) => self.sweep_to_end(end, target, |_, from, to| whole_turn(from, to)),
                (false, false) => self.sweep_to_base(end, target, part),
                (false, true) => self.sweep_to_end(end, target, part),
            }
        }
        ChainOutcome::Stuck
    }

    /// Turns each joint once, from the end to the base. This updates only the position of the end. A second loop from
    /// the base applies the turns of the joints above to each joint. `turn` takes the vectors from a joint to the end
    /// and to the target. It returns the joint's turn and the turned vector to the end.
    #[inline(always)]
    fn sweep_to_base(
        &mut self,
        end: DVec3,
        target: DVec3,
        mut turn: impl FnMut(usize, DVec3, DVec3) -> (DQuat, DVec3),
    ) {
        let mut effector = end;
        for (index, (arm, arc)) in self.arms.iter().zip(&mut self.arcs).enumerate().rev() {
            let joint = end - *arm;
            let moved;
            (*arc, moved) = turn(index, effector - joint, target - joint);
            effector = joint + moved;
        }
        let mut carried = DQuat::IDENTITY;
        for ((vector, q), arc) in self.vectors.iter_mut().zip(&mut self.orientations).zip(&self.arcs) {
            carried *= *arc;
            *vector = carried * *vector;
            *q = carried * *q;
        }
    }

    /// Turns each joint once, from the base to the end.
    #[inline(always)]
    fn sweep_to_end(
        &mut self,
        end: DVec3,
        target: DVec3,
        mut turn: impl FnMut(usize, DVec3, DVec3) -> (DQuat, DVec3),
    ) {
        let (mut joint, mut effector, mut carried) = (DVec3::ZERO, end, DQuat::IDENTITY);
        for (index, (vector, q)) in self.vectors.iter_mut().zip(&mut self.orientations).enumerate() {
            let (arc, moved) = turn(index, effector - joint, target - joint);
            effector = joint + moved;
            carried = arc * carried;
            *vector = carried * *vector;
            *q = carried * *q;
            joint += *vector;
        }
    }
}

/// Returns the shortest arc from `from` to `to`, and `from` after this turn.
#[inline(always)]
fn whole_turn(from: DVec3, to: DVec3) -> (DQuat, DVec3) {
    let (from2, to2) = (from.length_squared(), to.length_squared());
    let lengths = (from2 * to2).sqrt();
    let w = lengths + from.dot(to);
    if w > OPPOSITE * lengths {
        // |(w, from × to)|² = 2 w |from| |to|.
        let scale = 1.0 / (2.0 * w * lengths).sqrt();
        let arc = DQuat::from_vec4((from.cross(to) * scale).extend(w * scale));
        (arc, to * (from2 / to2).sqrt())
    } else {
        let arc = shortest_arc(from, to, any_perpendicular(from));
        (arc, arc * from)
    }
}

/// Returns the part of a turn that the options allow, and `from` after this turn. `place` is the joint's number counted
/// from the tip.
#[inline]
fn part_of_turn(options: &CcdOptions, reach: f64, place: usize, from: DVec3, to: DVec3) -> (DQuat, DVec3) {
    let best = match options.linear {
        true => linear_turn(None, &[(from, to, 1.0)], reach * reach),
        false => whole_turn(from, to).0,
    };
    let arc = partial_turn(best, 1.0, place, f64::INFINITY, options);
    (arc, arc * from)
}

#[cfg(test)]
mod tests {
    use glam::DAffine3;

    use crate::limit::angle_between;
    use crate::methods::ccd::Ccd;
    use crate::tree::Tree;
    use crate::{Body, Goal, Link, LinkIndex, Options};
    use sinew_base::Random;

    use super::*;

    const ITERATIONS: usize = 24;

    /// Returns a chain of links of different lengths in a random pose.
    fn body(random: &mut Random, joints: usize) -> Body {
        let mut links = vec![Link::base()];
        links.extend(
            (0..joints)
                .map(|i| Link::child(LinkIndex(i), DVec3::Y * random.range(0.2, 1.0) + random.turn(0.1))),
        );
        let mut body = Body::new(links, DAffine3::IDENTITY).unwrap_or_else(|e| panic!("{e}"));
        (0..joints).for_each(|i| body.set_rotation(LinkIndex(i), DQuat::from_scaled_axis(random.turn(0.8))));
        body
    }

    /// Runs the given number of iterations on the tree, regardless of the error, and returns the rotations of all
    /// joints.
    fn tree_poses(body: &Body, goal: &Goal, options: &CcdOptions, iterations: usize) -> Vec<DQuat> {
        let (mut tree, mut ccd) = (Tree::default(), Ccd::default());
        tree.set(body, &[*goal], &Options::default());
        ccd.set(&tree);
        (0..iterations).for_each(|_| ccd.pass(&mut tree, options));
        tree.joints.iter().map(|j| j.rotation).collect()
    }

    #[test]
    fn the_chain_and_the_tree_run_the_same_algorithm() {
        let default = CcdOptions::default();
        let all = [
            default,
            CcdOptions { base_first: true, ..default },
            CcdOptions { alternating: true, ..default },
            CcdOptions { step: 0.05, growing: true, ..default },
            CcdOptions { relaxation: 0.6, ..default },
            CcdOptions { relaxation: 1.5, base_first: true, ..default },
            CcdOptions { linear: true, relaxation: 1.2, ..default },
        ];
        for options in all {
            let mut random = Random(5);
            let mut sum = 0.0;
            for case in 0..60 {
                let mut body = body(&mut random, 2 + case % 9);
                let end = body.links().len() - 1;
                let target = random.turn(0.25 * end as f64);
                let goal = Goal::position(LinkIndex(end), target);
                let mut chain = FreeChain::default();
                assert!(chain.supports(&body, &[goal], true) && chain.supports_ccd(&options));
                chain.load(&body, false);
                chain.record = true;
                chain.descend(target, 0.0, ITERATIONS, &options);
                // A chain that stalls stops early, so the tree runs the same number of iterations.
                let expected = tree_poses(&body, &goal, &options, chain.errors.len() - 1);
                chain.write(&mut body);
                for (a, b) in body.rotations().iter().zip(&expected) {
                    let away = angle_between(*a, *b);
                    assert!(away < 1e-6, "{options:?}, case {case}: {away} rad");
                    sum += away;
                }
            }
            assert!(sum > 0.0, "the paths must differ in rounding errors");
        }
    }
}

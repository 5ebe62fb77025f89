//! The search for a pose that meets the goals without collisions: bounded steps from the start, then from random poses.

use crate::collision::{CollisionModel, Gap};
use crate::damping::Damping;
use crate::methods::jacobian::{Bounded, GapRow, Jacobian};
use crate::tree::{Measure, Tree, TreePose};
use crate::{Body, Method, Options, Start};

use super::{Driver, Progress, arm, seed};

/// Fraction of the remaining gap that one step may close.
const APPROACH: f64 = 0.8;
/// Gaps smaller than this fraction of the longest chain, in addition to the margin, become rows of a step.
const INFLUENCE: f64 = 0.3;
/// Largest amount by which one step opens a gap, as a fraction of the longest chain.
const LARGEST_PUSH: f64 = 0.1;
/// Maximum number of rows for gaps. Farther gaps are left out.
const MOST_ROWS: usize = 48;
/// Steps aim at a gap that exceeds the margin by this fraction of the longest chain, because they are only exact to first order.
const SLACK: f64 = 1e-5;
/// An overlap that falls to less than this fraction counts as progress.
const SHRINKS: f64 = 0.95;
/// When the first start and the restarts stall.
const STALL: Stall = Stall { window: 16, ratio: 0.98 };
const RESTART_STALL: Stall = Stall { window: 6, ratio: 0.6 };

/// A start stalls if `window` iterations do not reduce its error below the fraction `ratio`.
#[derive(Clone, Copy, Debug)]
struct Stall {
    window: usize,
    ratio: f64,
}

/// The state of a pose: its errors and its smallest gap.
#[derive(Clone, Copy, Debug)]
struct Found {
    measure: Measure,
    /// The depth in metres by which the smallest gap falls short of the margin.
    overlap: f64,
}

impl Found {
    fn is_done(&self) -> bool {
        self.measure.done && self.overlap <= 0.0
    }

    /// Returns whether this pose is a better result. The smaller overlap counts first.
    fn is_better(&self, than: &Self) -> bool {
        let order = self.overlap.max(0.0).total_cmp(&than.overlap.max(0.0));
        order.is_lt() || order.is_eq() && self.measure.is_better(&than.measure)
    }

    /// Returns whether a step to this pose makes progress.
    fn improves(&self, than: &Self) -> bool {
        if than.overlap > 0.0 {
            let is_less = self.overlap <= than.overlap && self.measure.sum < than.measure.sum;
            return self.overlap < SHRINKS * than.overlap || is_less;
        }
        self.overlap <= 0.0 && self.measure.is_better(&than.measure)
    }
}

/// The buffers of the search.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClearSearch {
    jacobian: Jacobian,
    bounded: Bounded,
    gaps: Vec<Gap>,
    rows: Vec<GapRow>,
    turns: Vec<bool>,
    before: TreePose,
    best_pose: TreePose,
    best: Option<Found>,
    start: TreePose,
    seed: TreePose,
    iterations: usize,
}

impl ClearSearch {
    /// Searches from the pose of the tree, and leaves the best pose in the tree and in the body. `is_reachable` states whether the goals can
    /// be met if collisions do not count.
    pub(crate) fn run(
        &mut self,
        tree: &mut Tree,
        body: &mut Body,
        options: &Options,
        model: &CollisionModel,
        is_reachable: bool,
    ) -> Progress {
        Driver::set_tolerances(tree, options);
        (self.best, self.iterations) = (None, 0);
        self.start.store(tree);
        self.jacobian.set_start(tree);
        self.turns.clear();
        self.turns.resize(tree.joints.len(), true);
        let mut search = Search { tree, body, model, options: *options };
        self.descend(&mut search, STALL);
        let (mut restarts, mut limit) = (options.restarts, options.iterations);
        if is_reachable {
            restarts = restarts.saturating_mul(arm::RESTARTS);
            limit = arm::patient(options).iterations;
        }
        if search.is_drag() || !search.model.has_pairs() {
            restarts = 0;
        }
        search.options.iterations = limit;
        for number in 0..restarts {
            if self.iterations >= limit || self.best.is_some_and(|best| best.is_done()) {
                break;
            }
            self.start.apply(search.tree);
            seed::place(search.tree, &self.turns, number, true, &mut self.seed);
            self.descend(&mut search, RESTART_STALL);
        }
        self.best_pose.apply(search.tree);
        search.write();
        Progress { iterations: self.iterations, method: Method::Dls, spent: self.iterations >= limit }
    }

    /// Takes bounded steps from the current pose until the goals are met without collisions, or until there is no progress.
    fn descend(&mut self, search: &mut Search<'_>, stall: Stall) {
        self.jacobian.set(search.tree);
        let mut here = self.look(search);
        let (mut damping, mut mark) = (Damping::CLEAR, f64::INFINITY);
        for pass in 0.. {
            self.keep(&here, search.tree);
            if here.is_done() || self.iterations >= search.options.iterations {
                return;
            }
            if pass % stall.window == 0 {
                let merit = here.measure.sum.sqrt() + here.overlap.max(0.0);
                if merit > stall.ratio * mark {
                    return;
                }
                mark = merit;
            }
            self.iterations += 1;
            self.set_rows(search);
            self.before.store(search.tree);
            self.jacobian.bounded_step(
                search.tree,
                search.body,
                &self.rows,
                &mut self.bounded,
                damping.value(),
                &search.options.jacobian,
            );
            let from = search.is_drag().then(|| search.body.clone());
            let there = self.look(search);
            let is_way_clear = || {
                let nearest =
                    from.as_ref().and_then(|from| search.model.clearance_between(from, search.body));
                here.overlap > 0.0 || nearest.is_none_or(|n| n.distance >= search.model.margin())
            };
            if there.improves(&here) && is_way_clear() {
                damping.accept_marquardt();
                here = there;
                continue;
            }
            self.before.apply(search.tree);
            here = self.look(search);
            if damping.reject_marquardt() {
                return;
            }
        }
    }

    fn keep(&mut self, found: &Found, tree: &Tree) {
        if self.best.is_none_or(|best| found.is_better(&best)) {
            self.best = Some(*found);
            self.best_pose.store(tree);
        }
    }

    /// Measures the current pose, and lists its small gaps.
    fn look(&mut self, search: &mut Search<'_>) -> Found {
        search.write();
        let margin = search.model.margin();
        let within = margin + INFLUENCE * search.length();
        search.model.gaps(&search.body.world_from_links(), within, &mut self.gaps);
        let least = self.gaps.iter().map(|gap| gap.distance).fold(f64::INFINITY, f64::min);
        Found { measure: search.tree.measure(), overlap: margin - least }
    }

    /// Sets the rows of the smallest gaps.
    fn set_rows(&mut self, search: &Search<'_>) {
        let length = search.length();
        let wanted = search.model.margin() + SLACK * length;
        self.gaps.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        self.rows.clear();
        for gap in self.gaps.iter().take(MOST_ROWS) {
            let sides = gap.sides.map(|(link, point)| Some((link?, search.tree.to_base(point))));
            let least = (APPROACH * (wanted - gap.distance)).min(LARGEST_PUSH * length);
            // The product of a velocity in base space with this vector is the velocity along the normal in the world.
            let normal = search.tree.world_gradient_to_base(gap.normal);
            self.rows.push(GapRow { sides, normal, least });
        }
    }
}

/// The problem of a search.
struct Search<'a> {
    tree: &'a mut Tree,
    body: &'a mut Body,
    model: &'a CollisionModel,
    options: Options,
}

impl Search<'_> {
    /// Writes the pose of the tree to the body.
    fn write(&mut self) {
        self.tree.write(self.body);
        if self.options.limits {
            self.body.follow_leaders();
        }
    }

    fn is_drag(&self) -> bool {
        self.options.start == Start::Continue
    }

    /// Returns the length of the longest chain in world metres.
    fn length(&self) -> f64 {
        self.tree.tasks.iter().map(|task| task.length).fold(0.0, f64::max)
    }
}

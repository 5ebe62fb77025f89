//! Compares IK methods on the same goals. Each method starts from the same pose and poses its own copy of the lead puppet. The copy is
//! drawn as a ghost beside the lead.

use glam::{DVec3, Vec3, Vec4};
use rayon::prelude::*;

use crate::ik::{Method, Outcome};
use crate::pose::Pose;
use crate::puppet::{GoalKind, GoalReport, Pin, Puppet, Target};
use crate::scene;
use crate::srgb::to_linear;
use crate::view::Camera;
use crate::{Frame, Instance, Line};

/// Width of the topmost line along a chain, in points.
const LINE_WIDTH: f32 = 1.6;
/// Extra width of each line that lies under another one, in points, so that lines that coincide remain visible.
const WIDTH_STEP: f32 = 1.3;
/// Extra width of the dark outline around a line, in points.
const OUTLINE: f32 = 2.0;
const OUTLINE_COLOR: Vec4 = Vec4::new(0.01, 0.012, 0.02, 0.55);

/// Returns the sRGB colour of a method. Six come from the palette of Okabe and Ito 2008 ("Color Universal Design"), whose colours are
/// distinguishable for people with any type of colour vision. The others differ from these in lightness.
pub fn color(method: Method) -> [u8; 3] {
    match method {
        Method::Auto => [0xB4, 0xBA, 0xC6],
        Method::Ccd => [0xE6, 0x9F, 0x00],
        Method::Particle => [0x56, 0xB4, 0xE9],
        Method::Fabrik => [0x00, 0x9E, 0x73],
        Method::JacobianTranspose => [0xF0, 0xE4, 0x42],
        Method::PseudoInverse => [0x2F, 0x7F, 0xD0],
        Method::Dls => [0xD5, 0x5E, 0x00],
        Method::Sdls => [0xCC, 0x79, 0xA7],
        Method::TwoBone => [0xA8, 0x8B, 0xF5],
        Method::Fused => [0x8F, 0xE3, 0xC8],
        Method::Optimize => [0xF4, 0xB6, 0xC2],
        Method::FullBody => [0x8C, 0x56, 0x2E],
        Method::Style => [0x5B, 0x4A, 0x9E],
        Method::Custom => [0xF2, 0x4B, 0x6A],
    }
}

/// Returns [`color`] as linear RGB.
fn linear(method: Method) -> Vec3 {
    DVec3::from_array(color(method).map(|v| to_linear(f64::from(v) / 255.0))).as_vec3()
}

/// The result of a solve with several goals and pins, in one line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The method.
    pub method: Method,
    /// The outcome of the goal or pin with the largest error. Goals and pins that were missed take precedence.
    pub outcome: Outcome,
    /// The largest position error in metres, or `None` if no goal has a position.
    pub error: Option<f64>,
    /// Total number of iterations of all solves.
    pub iterations: usize,
    /// Total time of all solves, in seconds.
    pub seconds: f64,
}

impl Summary {
    /// Summarises the reports of all goals and pins of an update. Returns `None` if there are none. Contacts are left out, because the
    /// goals' IK method does not solve them.
    pub fn of(reports: &[GoalReport]) -> Option<Self> {
        let reports = || reports.iter().filter(|r| r.kind != GoalKind::Contact);
        let rank = |r: &&GoalReport| (r.outcome != Outcome::Reached, r.position_error.unwrap_or(0.0));
        let worst = reports().max_by(|a, b| {
            let ((missed, error), (other, than)) = (rank(a), rank(b));
            missed.cmp(&other).then(error.total_cmp(&than))
        })?;
        let mut solves: Vec<&GoalReport> = reports().collect();
        solves.dedup_by_key(|r| r.solve);
        Some(Self {
            method: worst.method,
            outcome: worst.outcome,
            error: reports().filter_map(|r| r.position_error).reduce(f64::max),
            iterations: solves.iter().map(|r| r.iterations).sum(),
            seconds: solves.iter().map(|r| r.seconds).sum(),
        })
    }
}

/// A candidate in a comparison: one method with its puppet and results.
#[derive(Clone, Debug)]
pub struct Candidate {
    method: Method,
    puppet: Puppet,
    reports: Vec<GoalReport>,
    refusal: Option<String>,
}

impl Candidate {
    /// Returns the method.
    pub fn method(&self) -> Method {
        self.method
    }

    /// Returns the character as posed by this method.
    pub fn puppet(&self) -> &Puppet {
        &self.puppet
    }

    /// Returns the reports of the goals. The list is empty if there was no problem to solve or if the method rejected
    /// it.
    pub fn reports(&self) -> &[GoalReport] {
        &self.reports
    }

    /// Returns the reason why the method cannot solve the goals, or `None` if it can.
    pub fn refusal(&self) -> Option<&str> {
        self.refusal.as_deref()
    }

    /// Solves the lead's problem with this candidate's puppet, from its current pose or, if a motion is playing, from
    /// `start`.
    fn solve(&mut self, lead: &Puppet, problem: &SharedProblem, start: &Pose) {
        let puppet = &mut self.puppet;
        puppet.share_clips(lead);
        if puppet.rig != lead.rig {
            puppet.rig.clone_from(&lead.rig);
        }
        let solver = lead.options.solver.with_method(self.method);
        puppet.options = lead.options.with_solver(solver).with_shown_steps(None::<usize>);
        puppet.style.clone_from(&lead.style);
        (puppet.time, puppet.look_at) = (lead.time, lead.look_at);
        if puppet.motion != lead.motion {
            puppet.motion.clone_from(&lead.motion);
        }
        if puppet.stance != lead.stance {
            puppet.stance.clone_from(&lead.stance);
        }
        puppet.rotations.clone_from(&lead.rotations);
        puppet.turns.clone_from(&lead.turns);
        puppet.weights.clone_from(&lead.weights);
        puppet.targets.clear();
        puppet.targets.extend_from_slice(&problem.targets);
        puppet.pins.clear();
        puppet.pins.extend_from_slice(&problem.pins);
        if !puppet.is_posed_by_hand() {
            // The clip determines the start pose of each frame, so the result must not depend on earlier frames.
            puppet.held = Some(start.clone());
            puppet.reset_solver();
        }
        self.reports.clear();
        let solved = puppet.update();
        self.refusal = solved.as_ref().err().map(ToString::to_string);
        let Ok(reports) = solved else { return };
        self.reports.extend_from_slice(reports);
        if puppet.is_posed_by_hand() {
            puppet.held = Some(puppet.primary_pose().clone());
        }
    }
}

/// The goals of the last problem that all candidates solved.
#[derive(Clone, Debug, Default)]
struct SharedProblem {
    targets: Vec<Target>,
    pins: Vec<Pin>,
}

/// A comparison of methods. Each method solves the goals of a lead puppet on its own copy of that puppet. All start
/// from the same pose, and each continues from its own last result, so a drag shows how smoothly each method
/// moves. The lead is never changed.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    candidates: Vec<Candidate>,
    start: Option<Pose>,
    problem: SharedProblem,
}

impl Comparison {
    /// Returns the candidates in the order of [`Method::all`].
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// Returns the methods that are being compared.
    pub fn methods(&self) -> Vec<Method> {
        self.candidates.iter().map(|c| c.method).collect()
    }

    /// Returns the candidate for a method.
    pub fn get(&self, method: Method) -> Option<&Candidate> {
        self.candidates.iter().find(|c| c.method == method)
    }

    /// Sets the methods to compare. A new candidate solves the last problem from the common start pose.
    pub fn set_methods(&mut self, methods: &[Method], lead: &Puppet) {
        let mut old = std::mem::take(&mut self.candidates);
        for method in Method::all().filter(|m| methods.contains(m)) {
            let existing = old.iter().position(|c| c.method == method).map(|index| old.swap_remove(index));
            let candidate = existing.unwrap_or_else(|| {
                let mut puppet = lead.clone();
                // Ghosts are not simulated.
                puppet.set_springs(false);
                puppet.held = self.start.clone().or(puppet.held);
                let mut added = Candidate { method, puppet, reports: Vec::new(), refusal: None };
                if let Some(start) = self.start.as_ref().filter(|_| !self.problem.targets.is_empty()) {
                    added.solve(lead, &self.problem, start);
                }
                added
            });
            self.candidates.push(candidate);
        }
    }

    /// Sets the pose of all candidates, from which the following solves start.
    pub fn set_start_pose(&mut self, start: &Pose) {
        for candidate in &mut self.candidates {
            candidate.puppet.held = Some(start.clone());
        }
        self.start = Some(start.clone());
    }

    /// Solves the lead's current problem with all candidates. Does nothing if the lead has no goals.
    ///
    /// ```
    /// use sinew_character::glam::DVec3;
    /// use sinew_character::ik::Method;
    /// use sinew_render::scene::compare::{Comparison, Summary};
    /// use sinew_character::{asset, puppet::{Puppet, Target}};
    ///
    /// let mut puppet = Puppet::new(asset::mannequin()?, 0);
    /// let hand = puppet.character().skeleton.find("leftHand").ok_or("no hand")?;
    /// let mut comparison = Comparison::default();
    /// comparison.set_methods(&[Method::Ccd, Method::Fabrik], &puppet);
    /// comparison.set_start_pose(puppet.pose());
    /// puppet.targets.push(Target::new(hand).with_position(DVec3::new(0.4, 1.3, 0.3)));
    /// comparison.solve(&puppet);
    /// for candidate in comparison.candidates() {
    ///     let summary = Summary::of(candidate.reports()).ok_or("no result")?;
    ///     assert!(summary.error.is_some_and(|metres| metres < 0.01));
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn solve(&mut self, lead: &Puppet) {
        if self.copy_problem(lead) {
            self.solve_problem(lead);
        }
    }

    /// Copies the lead's goals and pins. Returns false, and copies nothing, if the lead has no goals.
    fn copy_problem(&mut self, lead: &Puppet) -> bool {
        if !lead.targets.is_empty() {
            self.problem.targets.clear();
            // All candidates solve the same problem, which every method supports.
            self.problem.targets.extend(lead.targets.iter().map(|target| target.with_known_depth()));
            self.problem.pins.clone_from(&lead.pins);
        }
        !lead.targets.is_empty()
    }

    /// Restarts all candidates from the common start pose, and solves the lead's current problem, or the last one if
    /// the lead no longer has goals.
    pub fn refresh(&mut self, lead: &Puppet) {
        self.copy_problem(lead);
        if let Some(start) = self.start.clone().filter(|_| !self.problem.targets.is_empty()) {
            self.set_start_pose(&start);
            self.solve_problem(lead);
        }
    }

    /// Solves the last problem with all candidates in parallel. Candidates are independent, so the number of threads
    /// does not change the results.
    fn solve_problem(&mut self, lead: &Puppet) {
        let (Some(start), problem) = (&self.start, &self.problem) else { return };
        self.candidates.par_iter_mut().for_each(|c| c.solve(lead, problem, start));
    }

    /// Lets all candidates look at a point in the world, without solving again. See [`Puppet::look_at`].
    pub fn look_at(&mut self, point: Option<DVec3>) {
        for candidate in &mut self.candidates {
            candidate.puppet.look_at = point;
            if let Err(error) = candidate.puppet.refresh_secondary() {
                candidate.refusal = Some(error.to_string());
                candidate.reports.clear();
            }
        }
    }

    /// Discards the last problem and all results.
    pub fn clear(&mut self) {
        self.problem.targets.clear();
        for candidate in &mut self.candidates {
            candidate.reports.clear();
            candidate.refusal = None;
        }
    }

    /// Replaces all measured solve times, in seconds, so that an image of the results does not depend on the machine.
    pub fn set_solve_times(&mut self, seconds: f64) {
        self.candidates.iter_mut().flat_map(|c| &mut c.reports).for_each(|r| r.seconds = seconds);
    }

    fn solved(&self) -> impl Iterator<Item = &Candidate> {
        self.candidates.iter().filter(|c| !c.reports.is_empty())
    }

    /// Adds the candidates to a frame of the lead: their ghosts, and their lines under the lead's lines. `scale` is the number of
    /// pixels per point.
    pub fn add_to_frame<'a>(&'a self, frame: &mut Frame<'a>, lead: &Puppet, scale: f32) {
        if !frame.mode.is_data() {
            frame.ghosts = self.ghosts(lead, &frame.camera);
            frame.lines.splice(0..0, self.lines(scale));
        }
    }

    /// Returns ghosts of the candidates that differ from the lead, the farthest from the camera first.
    fn ghosts(&self, lead: &Puppet, camera: &Camera) -> Vec<Instance<'_>> {
        let distance = |c: &&Candidate| {
            let effector = c.puppet.targets.first().and_then(|t| c.puppet.world_from_node().get(t.node));
            effector.map_or(0.0, |m| camera.position.distance(m.translation.into()))
        };
        let mut order: Vec<&Candidate> = self.solved().collect();
        order.sort_by(|a, b| distance(b).total_cmp(&distance(a)));
        let ghosts = order.into_iter().map(|c| scene::ghost(&c.puppet, lead, linear(c.method)));
        ghosts.filter(|g| !g.draws.is_empty()).collect()
    }

    /// Returns lines along the chain of each goal, in the colours of the methods.
    fn lines(&self, scale: f32) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut below = self.solved().count();
        for candidate in self.solved() {
            below = below.saturating_sub(1);
            #[expect(clippy::cast_precision_loss, reason = "a dozen methods at most")]
            let width = LINE_WIDTH + WIDTH_STEP * below.min(5) as f32;
            let color = linear(candidate.method).extend(1.0);
            let chains = candidate.puppet.targets.iter().map(|t| chain_positions(&candidate.puppet, t));
            let mut chain_lines = Vec::new();
            for pair in chains.flat_map(|c| c.windows(2).map(<[Vec3]>::to_vec).collect::<Vec<_>>()) {
                if let [start, end] = pair[..] {
                    chain_lines.push(Line { start, end, widths: [width * scale; 2], color });
                }
            }
            let outline =
                |l: &Line| Line { widths: l.widths.map(|w| w + OUTLINE * scale), color: OUTLINE_COLOR, ..*l };
            lines.extend(chain_lines.iter().map(outline).collect::<Vec<_>>());
            lines.append(&mut chain_lines);
        }
        lines
    }
}

/// Returns world positions along the chain of a target, from the end effector to the base.
fn chain_positions(puppet: &Puppet, target: &Target) -> Vec<Vec3> {
    let world = puppet.world_from_node();
    let base = puppet.base(target);
    let up: Vec<usize> = puppet.character().skeleton.ancestors(target.node).collect();
    let count = up.iter().position(|&n| n == base).map_or(up.len(), |index| index + 1);
    let reaching = world.get(target.node).map(|m| m.transform_point3(target.offset.as_vec3()));
    let joints = up.iter().take(count).filter_map(|&n| world.get(n)).map(|m| Vec3::from(m.translation));
    reaching.into_iter().chain(joints).collect()
}

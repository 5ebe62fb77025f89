//! The same goals met by several methods: each from the same start, with a puppet of its own that shows as a ghost beside
//! the one they are compared with.

use glam::{DVec3, Vec3, Vec4};
use rayon::prelude::*;

use crate::camera::Camera;
use crate::ik::{Method, Options, Outcome};
use crate::pose::Pose;
use crate::puppet::{GoalReport, Pin, Puppet, Target};
use crate::render::srgb::to_linear;
use crate::render::{Frame, Ghost, Line};
use crate::stage;

/// Points across: the innermost of the lines along a chain, and what each line below another is wider, so that lines which
/// coincide are seen beside each other.
const LINE: f32 = 1.6;
const WIDER: f32 = 1.3;
/// Points of dark around the lines.
const RIM: f32 = 2.0;
const DARK: Vec4 = Vec4::new(0.01, 0.012, 0.02, 0.55);

/// The colour of a method, sRGB: those of Okabe & Ito 2008 ("Color Universal Design"), which people with any colour vision
/// tell apart, and further ones that differ from them in lightness.
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
    }
}

/// [`color`], linear.
fn linear(method: Method) -> Vec3 {
    DVec3::from_array(color(method).map(|v| to_linear(f64::from(v) / 255.0))).as_vec3()
}

/// What a solve of several goals came to, in one line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// Who solved.
    pub method: Method,
    /// That of the goal with the largest error, among those that are not reached if there are any.
    pub outcome: Outcome,
    /// The largest position error, metres; `None`: no goal has a position.
    pub error: Option<f64>,
    /// Passes of all solves.
    pub iterations: usize,
    /// Time of all solves.
    pub seconds: f64,
}

impl Summary {
    /// Of all goals of an update; `None`: there were none.
    pub fn of(reports: &[GoalReport]) -> Option<Self> {
        let rank = |r: &&GoalReport| (r.outcome != Outcome::Reached, r.position_error.unwrap_or(0.0));
        let worst = reports.iter().max_by(|a, b| {
            let ((missed, error), (other, than)) = (rank(a), rank(b));
            missed.cmp(&other).then(error.total_cmp(&than))
        })?;
        let mut solves: Vec<&GoalReport> = reports.iter().collect();
        solves.dedup_by_key(|r| r.solve);
        Some(Self {
            method: worst.method,
            outcome: worst.outcome,
            error: reports.iter().filter_map(|r| r.position_error).reduce(f64::max),
            iterations: solves.iter().map(|r| r.iterations).sum(),
            seconds: solves.iter().map(|r| r.seconds).sum(),
        })
    }
}

/// One method's puppet, and what came of it.
#[derive(Clone, Debug)]
pub struct Contender {
    method: Method,
    puppet: Puppet,
    reports: Vec<GoalReport>,
    refusal: Option<String>,
}

impl Contender {
    /// Who solves.
    pub fn method(&self) -> Method {
        self.method
    }

    /// The character as this method poses it.
    pub fn puppet(&self) -> &Puppet {
        &self.puppet
    }

    /// How the goals were met; empty where nothing was asked, or it was refused.
    pub fn reports(&self) -> &[GoalReport] {
        &self.reports
    }

    /// Why the method cannot treat the goals.
    pub fn refusal(&self) -> Option<&str> {
        self.refusal.as_deref()
    }

    /// Poses the puppet as another one was asked to, from where it stands itself.
    fn follow(&mut self, lead: &Puppet, (targets, pins): (&[Target], &[Pin]), start: &Pose) {
        let puppet = &mut self.puppet;
        puppet.share_clips(lead);
        if puppet.rig != lead.rig {
            puppet.rig.clone_from(&lead.rig);
        }
        puppet.options = Options { method: self.method, ..lead.options };
        (puppet.time, puppet.skinning) = (lead.time, lead.skinning);
        if puppet.motion != lead.motion {
            puppet.motion.clone_from(&lead.motion);
        }
        puppet.rotations.clone_from(&lead.rotations);
        puppet.targets.clear();
        puppet.targets.extend_from_slice(targets);
        puppet.pins.clear();
        puppet.pins.extend_from_slice(pins);
        if !puppet.motion.is_rest() {
            // A clip says anew where each solve starts, and no picture before has a say.
            puppet.held = Some(start.clone());
            puppet.reset_solver();
        }
        self.reports.clear();
        let solved = puppet.update();
        self.refusal = solved.as_ref().err().map(ToString::to_string);
        let Ok(reports) = solved else { return };
        self.reports.extend_from_slice(reports);
        if puppet.motion.is_rest() {
            puppet.held = Some(puppet.pose().clone());
        }
    }
}

/// What was last asked of everyone.
#[derive(Clone, Debug, Default)]
struct Asked {
    targets: Vec<Target>,
    pins: Vec<Pin>,
}

/// Methods that are compared. Each solves the goals of a leading puppet on a copy of it: from the same start, and then
/// on from its own last answer, so that over a drag each shows its own continuity. The lead is never touched.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    contenders: Vec<Contender>,
    start: Option<Pose>,
    asked: Asked,
}

impl Comparison {
    /// Who is compared, in the order of [`Method::all`].
    pub fn contenders(&self) -> &[Contender] {
        &self.contenders
    }

    /// The names of who is compared.
    pub fn methods(&self) -> Vec<Method> {
        self.contenders.iter().map(|c| c.method).collect()
    }

    /// The contender of a method.
    pub fn get(&self, method: Method) -> Option<&Contender> {
        self.contenders.iter().find(|c| c.method == method)
    }

    /// Compares these from now on. Who joins meets the last goals from where all started.
    pub fn choose(&mut self, methods: &[Method], lead: &Puppet) {
        let mut old = std::mem::take(&mut self.contenders);
        for method in Method::all().filter(|m| methods.contains(m)) {
            let known = old.iter().position(|c| c.method == method).map(|place| old.swap_remove(place));
            let contender = known.unwrap_or_else(|| {
                let mut puppet = lead.clone();
                puppet.held = self.start.clone().or(puppet.held);
                let mut joins = Contender { method, puppet, reports: Vec::new(), refusal: None };
                if let Some(start) = self.start.as_ref().filter(|_| !self.asked.targets.is_empty()) {
                    joins.follow(lead, (&self.asked.targets, &self.asked.pins), start);
                }
                joins
            });
            self.contenders.push(contender);
        }
    }

    /// Stands everyone in a pose, local transforms of all nodes: what is asked from now on starts there.
    pub fn begin(&mut self, start: &Pose) {
        for contender in &mut self.contenders {
            contender.puppet.held = Some(start.clone());
        }
        self.start = Some(start.clone());
    }

    /// Asks everyone what the lead was asked last; nothing if it has no goals.
    pub fn follow(&mut self, lead: &Puppet) {
        if self.take(lead) {
            self.ask(lead);
        }
    }

    /// The lead's goals are the question now; whether it has any.
    fn take(&mut self, lead: &Puppet) -> bool {
        if !lead.targets.is_empty() {
            self.asked.targets.clone_from(&lead.targets);
            self.asked.pins.clone_from(&lead.pins);
        }
        !lead.targets.is_empty()
    }

    /// Asks what the lead was asked last, or what was asked before it had no goals any more, from where everyone started.
    pub fn again(&mut self, lead: &Puppet) {
        self.take(lead);
        if let Some(start) = self.start.clone().filter(|_| !self.asked.targets.is_empty()) {
            self.begin(&start);
            self.ask(lead);
        }
    }

    /// Each is solved alone, so that the number of threads changes no bit.
    fn ask(&mut self, lead: &Puppet) {
        let (Some(start), asked) = (&self.start, &self.asked) else { return };
        self.contenders.par_iter_mut().for_each(|c| c.follow(lead, (&asked.targets, &asked.pins), start));
    }

    /// Forgets the last question; nobody has an answer any more.
    pub fn clear(&mut self) {
        self.asked.targets.clear();
        for contender in &mut self.contenders {
            contender.reports.clear();
            contender.refusal = None;
        }
    }

    /// Says that each solve took so many seconds, whatever was measured.
    #[cfg(all(test, feature = "viewer"))]
    pub(crate) fn took(&mut self, seconds: f64) {
        self.contenders.iter_mut().flat_map(|c| &mut c.reports).for_each(|r| r.seconds = seconds);
    }

    /// Who has an answer.
    fn answers(&self) -> impl Iterator<Item = &Contender> {
        self.contenders.iter().filter(|c| !c.reports.is_empty())
    }

    /// Adds all ghosts to a frame of the lead, and under its lines their own. `scale`: pixels a point.
    pub fn show<'a>(&'a self, frame: &mut Frame<'a>, lead: &Puppet, scale: f32) {
        if !frame.mode.is_data() {
            frame.ghosts = self.ghosts(lead, &frame.camera);
            frame.lines.splice(0..0, self.lines(scale));
        }
    }

    /// What stands otherwise than the lead, the farthest first.
    fn ghosts(&self, lead: &Puppet, camera: &Camera) -> Vec<Ghost<'_>> {
        let distance = |c: &&Contender| {
            let place = c.puppet.targets.first().and_then(|t| c.puppet.world_from_node().get(t.node));
            place.map_or(0.0, |m| camera.position.distance(m.translation.into()))
        };
        let mut order: Vec<&Contender> = self.answers().collect();
        order.sort_by(|a, b| distance(b).total_cmp(&distance(a)));
        let ghosts = order.into_iter().map(|c| stage::ghost(&c.puppet, lead, linear(c.method)));
        ghosts.filter(|g| !g.draws.is_empty()).collect()
    }

    /// A line along the joints of each goal's chain, in the colour of each method.
    fn lines(&self, scale: f32) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut below = self.answers().count();
        for contender in self.answers() {
            below = below.saturating_sub(1);
            #[expect(clippy::cast_precision_loss, reason = "a dozen methods at most")]
            let width = LINE + WIDER * below.min(5) as f32;
            let color = linear(contender.method).extend(1.0);
            let chains = contender.puppet.targets.iter().map(|t| chain(&contender.puppet, t));
            let mut own = Vec::new();
            for pair in chains.flat_map(|c| c.windows(2).map(<[Vec3]>::to_vec).collect::<Vec<_>>()) {
                if let [start, end] = pair[..] {
                    own.push(Line { start, end, widths: [width * scale; 2], color });
                }
            }
            let rim = |l: &Line| Line { widths: l.widths.map(|w| w + RIM * scale), color: DARK, ..*l };
            lines.extend(own.iter().map(rim).collect::<Vec<_>>());
            lines.append(&mut own);
        }
        lines
    }
}

/// World places from what reaches for a target up to the base of its chain.
fn chain(puppet: &Puppet, target: &Target) -> Vec<Vec3> {
    let world = puppet.world_from_node();
    let base = puppet.base(target);
    let up: Vec<usize> = puppet.character().skeleton.ancestors(target.node).collect();
    let count = up.iter().position(|&n| n == base).map_or(up.len(), |place| place + 1);
    let reaching = world.get(target.node).map(|m| m.transform_point3(target.offset.as_vec3()));
    let joints = up.iter().take(count).filter_map(|&n| world.get(n)).map(|m| Vec3::from(m.translation));
    reaching.into_iter().chain(joints).collect()
}

//! Finds the methods that cannot solve the current problem. The panel needs these methods in every frame, so the last result is cached.

use std::cell::RefCell;
use std::sync::Arc;

use glam::{DQuat, DVec3, Vec3};

use crate::document::Document;
use crate::ik::{Method, Options};
use crate::puppet::{Pin, Puppet, Target};
use crate::rig::Rig;
use crate::scene::picking::Hit;

use super::drag::Drag;
use super::drag_goal::DragGoal;
use super::drags::Drags;
use super::style::{LoadedStyle, NO_CLIPS, StyleLoader, StyleSource};

/// Methods that cannot solve a problem, each with the reason.
pub type Refusals = Arc<[(Method, String)]>;

/// The last cache key, and the refusals for that key.
#[derive(Debug, Default)]
pub(super) struct RefusalCache(RefCell<Option<(RefusalKey, Refusals)>>);

/// Everything that refusals depend on. Only the presence of a goal's position matters, not its value, so the key does
/// not change during a drag.
#[derive(Debug)]
struct RefusalKey {
    targets: Vec<Target>,
    pins: Vec<usize>,
    options: Options,
    rig: Arc<Rig>,
    /// Number of clips, and the loaded style.
    style: (usize, Option<LoadedStyle>),
    /// Nodes at their parent's position and nodes with a scale other than one, each with its scale.
    degenerate: Vec<(usize, Vec3)>,
}

impl RefusalKey {
    fn new(problem: &CurrentProblem<'_>) -> Self {
        let CurrentProblem { puppet, document, style, targets, pins } = problem;
        let nodes = puppet.pose().locals.iter().enumerate();
        let degenerate = nodes.filter(|(_, l)| l.scale != Vec3::ONE || l.translation == Vec3::ZERO);
        Self {
            targets: targets.iter().map(with_zeroed_values).collect(),
            pins: pins.iter().map(|p| p.node).collect(),
            options: puppet.options.solver.with_method(Method::Auto),
            rig: Arc::clone(&document.scene.rig),
            style: (puppet.character().clips.len(), style.loaded.clone()),
            degenerate: degenerate.map(|(node, l)| (node, l.scale)).collect(),
        }
    }

    fn matches(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.rig, &other.rig)
            && (&self.targets, &self.pins, &self.degenerate)
                == (&other.targets, &other.pins, &other.degenerate)
            && (self.options, &self.style) == (other.options, &other.style)
    }
}

/// Returns a target with all finite numbers replaced by zero, except that non-zero offset components become one. A NaN remains and is never
/// equal to itself, so the refusals of such a target are never cached.
fn with_zeroed_values(target: &Target) -> Target {
    let zero = |v: DVec3| v * 0.0;
    Target {
        offset: if target.offset == DVec3::ZERO { DVec3::ZERO } else { zero(target.offset) + DVec3::ONE },
        position: target.position.map(zero),
        orientation: target.orientation.map(|q| DQuat::from_vec4(glam::DVec4::from(q) * 0.0)),
        look: target.look.map(zero),
        pole: target.pole.map(zero),
        weight: target.weight * 0.0,
        ..*target
    }
}

/// The goals and pins that are solved for now, or that a drag at the pointer would solve for.
pub(super) struct CurrentProblem<'a> {
    puppet: &'a Puppet,
    document: &'a Document,
    style: &'a StyleLoader,
    targets: Vec<Target>,
    pins: Vec<Pin>,
}

impl<'a> CurrentProblem<'a> {
    /// Creates the problem of the current drag, of a drag that would start at the hovered point, or of the last solve, in this order of
    /// precedence.
    pub(super) fn new(
        puppet: &'a Puppet,
        document: &'a Document,
        style: &'a StyleLoader,
        drags: &Drags,
        hovered: Option<Hit>,
    ) -> Self {
        let (scope, base) = (document.settings.drag_scope, document.scene.base);
        let hovered = hovered.filter(|_| drags.joint.is_none());
        let hovered = hovered.map(|hit| DragGoal::new(&hit, puppet, scope, base));
        let held = drags.joint.as_ref().map(Drag::plain_target_and_pins);
        let held = held.or(hovered.as_ref().map(|goal| (goal.target, goal.pins.as_slice())));
        let (mut targets, mut pins) = drags.targets_and_pins(puppet, &document.scene, held);
        if targets.is_empty() {
            targets = puppet.targets.iter().map(|t| t.with_known_depth()).collect();
            pins.clone_from(&puppet.pins);
        }
        Self { puppet, document, style, targets, pins }
    }

    /// Returns why a method cannot solve the problem, or `None` if it can.
    pub(super) fn refusal(&self, method: Method) -> Option<String> {
        let needs_clips = !matches!(self.document.settings.style, StyleSource::File { .. });
        if method == Method::Style && needs_clips && self.puppet.character().clips.is_empty() {
            return Some(NO_CLIPS.into());
        }
        if let Some(failure) = self.style.failure().filter(|_| method == Method::Style) {
            return Some(failure.to_owned());
        }
        // The postures of the clips are not sampled before the method `style` is selected. Until then, use the refusals of the full-body
        // method, which solves in the same way.
        let is_ready = method != Method::Style || self.puppet.style.is_some();
        let method = if is_ready { method } else { Method::FullBody };
        self.puppet.refusal(&self.targets, &self.pins, method).map(|error| error.to_string())
    }
}

impl RefusalCache {
    /// Returns the methods that cannot solve a problem, each with the reason.
    pub(super) fn of(&self, problem: &CurrentProblem<'_>) -> Refusals {
        let key = RefusalKey::new(problem);
        let mut cache = self.0.borrow_mut();
        if let Some((_, known)) = cache.as_ref().filter(|(last, _)| last.matches(&key)) {
            return Arc::clone(known);
        }
        let refusal = |method| Some((method, problem.refusal(method)?));
        let refusals: Refusals = Method::all().filter_map(refusal).collect();
        *cache = Some((key, Arc::clone(&refusals)));
        refusals
    }
}

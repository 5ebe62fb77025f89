//! Which methods cannot treat what is held, or would be. The panel asks at every picture: what was asked already is known.

use std::cell::RefCell;
use std::sync::Arc;

use glam::{DQuat, DVec3, Vec3};

use crate::ik::{Method, Options};
use crate::puppet::{Pin, Target};
use crate::rig::Rig;

use super::super::hand::{Hand, Reach};
use super::Session;

/// Methods, and why they cannot.
pub type Refusals = Arc<[(Method, String)]>;

/// The last question and its answer.
#[derive(Debug, Default)]
pub(super) struct Memory(RefCell<Option<(Question, Refusals)>>);

/// All that refusals follow from. Where a goal is does not matter, only that it is somewhere: while something is pulled
/// the question stays the same.
#[derive(Debug)]
struct Question {
    targets: Vec<Target>,
    pins: Vec<usize>,
    options: Options,
    rig: Arc<Rig>,
    /// Nodes that stand on their parent's place, or have a scale.
    odd: Vec<(usize, Vec3)>,
}

impl Question {
    fn new(session: &Session, targets: &[Target], pins: &[Pin]) -> Self {
        let nodes = session.puppet.pose().locals.iter().enumerate();
        let odd = nodes.filter(|(_, l)| l.scale != Vec3::ONE || l.translation == Vec3::ZERO);
        Self {
            targets: targets.iter().map(shape).collect(),
            pins: pins.iter().map(|p| p.node).collect(),
            options: Options { method: Method::Auto, ..session.puppet.options },
            rig: Arc::clone(&session.state.rig),
            odd: odd.map(|(node, l)| (node, l.scale)).collect(),
        }
    }

    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.rig, &other.rig)
            && (&self.targets, &self.pins, &self.odd) == (&other.targets, &other.pins, &other.odd)
            && self.options == other.options
    }
}

/// A target without its numbers. One that is none stays none: it is equal to nothing, and asked about again.
fn shape(target: &Target) -> Target {
    let none = |place: DVec3| place * 0.0;
    Target {
        offset: if target.offset == DVec3::ZERO { DVec3::ZERO } else { none(target.offset) + DVec3::ONE },
        position: target.position.map(none),
        orientation: target.orientation.map(|q| DQuat::from_vec4(glam::DVec4::from(q) * 0.0)),
        look: target.look.map(none),
        pole: target.pole.map(none),
        weight: target.weight * 0.0,
        ..*target
    }
}

impl Session {
    /// Why a method cannot treat what is held; where nothing is, what is under the pointer, or what was held last.
    pub fn refusal(&self, method: Method) -> Option<String> {
        let (targets, pins) = self.at_hand();
        self.puppet.refusal(&targets, &pins, method).map(|e| e.to_string())
    }

    /// All methods that cannot treat it, and why: as [`Session::refusal`].
    pub fn refusals(&self) -> Refusals {
        let (targets, pins) = self.at_hand();
        let question = Question::new(self, &targets, &pins);
        let mut memory = self.refusals.0.borrow_mut();
        if let Some((_, known)) = memory.as_ref().filter(|(asked, _)| asked.is(&question)) {
            return Arc::clone(known);
        }
        let refusal = |method| Some((method, self.puppet.refusal(&targets, &pins, method)?.to_string()));
        let answer: Refusals = std::iter::once(Method::Auto).chain(Method::ALL).filter_map(refusal).collect();
        *memory = Some((question, Arc::clone(&answer)));
        answer
    }

    /// What is or would be asked.
    fn at_hand(&self) -> (Vec<Target>, Vec<Pin>) {
        let would = self.hover.filter(|_| self.hand.is_none());
        let would = would.map(|hit| Reach::new(&hit, &self.puppet, self.state.base));
        let held = self.hand.as_ref().map(Hand::asks);
        let (targets, pins) = self.wanted(held.or(would.as_ref().map(|r| (r.target, r.pins.as_slice()))));
        if targets.is_empty() {
            (self.puppet.targets.clone(), self.puppet.pins.clone())
        } else {
            (targets, pins)
        }
    }
}

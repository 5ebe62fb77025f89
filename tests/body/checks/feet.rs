//! The rules for feet and the floor.

use sinew::puppet::Puppet;

use super::person::Person;
use super::runner::rules::{name, position};
use super::runner::sole::Sole;
use super::verdict::{CheckResult, Rule};

/// Watches the feet and the floor while a joint is pulled.
#[derive(Debug)]
pub struct Watch<'a> {
    person: &'a Person,
    standing: Vec<&'a Sole>,
}

impl<'a> Watch<'a> {
    /// The foot of a leg that is pulled at any joint may move.
    pub fn new(person: &'a Person, pulled: usize) -> Self {
        let subject = &person.subject;
        let is_pulled = |foot: usize| {
            let mut legs = subject.rig.limbs().iter().filter(|limb| limb.end() == foot);
            let is_below = subject.character.skeleton.ancestors(pulled).any(|n| n == foot);
            is_below || legs.any(|leg| leg.joints.contains(&pulled))
        };
        Self { person, standing: person.soles.iter().filter(|sole| !is_pulled(sole.foot)).collect() }
    }

    /// Checks a pose. `place` says when or where, as in "in frame 12".
    pub fn check(&self, puppet: &Puppet, result: &mut CheckResult, place: impl Fn() -> String) {
        let person = self.person;
        for sole in &self.standing {
            let (slide, degrees) = sole.moved(puppet);
            let millimetres = 1e3 * person.scaled(slide);
            let foot = || name(puppet, sole.foot);
            result.judge(Rule::Slide, millimetres, || {
                format!("{} slides by {millimetres:.1} mm {}", foot(), place())
            });
            result
                .judge(Rule::FootTurn, degrees, || format!("{} turns by {degrees:.1}° {}", foot(), place()));
        }
        let depth = |&(node, height): &(usize, f32)| (node, height - position(puppet, node).y);
        let deepest = person.low.iter().map(depth).max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((node, depth)) = deepest {
            let millimetres = 1e3 * person.scaled(depth);
            result.judge(Rule::Depth, millimetres.max(0.0), || {
                format!("{} is {millimetres:.0} mm under the floor {}", name(puppet, node), place())
            });
        }
    }
}

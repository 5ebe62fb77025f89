//! Single solves from rest.

use glam::Vec3;
use sinew::ik::{Options, Outcome};
use sinew::puppet::{GoalKind, GoalReport, Puppet, Target};

use super::feet::Watch;
use super::honest::{Entry, check_report};
use super::person::{Person, Snapshot};
use super::runner::rules::position;
use super::verdict::{CheckResult, Rule};

/// A pose and the report about its target.
#[derive(Clone, Debug)]
pub struct End {
    pub pose: Snapshot,
    /// The distance from the target in metres at human size.
    pub error: f64,
    pub outcome: Outcome,
}

/// Solves for one target after another, each from rest.
#[derive(Debug)]
pub struct Shooter<'a> {
    person: &'a Person,
    puppet: Puppet,
}

impl<'a> Shooter<'a> {
    pub fn new(person: &'a Person) -> Self {
        Self { person, puppet: person.puppet.clone() }
    }

    /// Changes the options of the following solves.
    pub fn set_options(&mut self, change: impl FnOnce(Options) -> Options) {
        self.puppet.options.solver = change(self.puppet.options.solver);
    }

    /// Returns the puppet after a solve.
    pub fn puppet(&self) -> &Puppet {
        &self.puppet
    }

    /// Solves for a position of a node. `None` means that the solver rejected it.
    pub fn solve(&mut self, node: usize, target: Vec3, result: &mut CheckResult) -> Option<End> {
        let puppet = &mut self.puppet;
        puppet.reset_solver();
        puppet.targets = vec![Target::new(node).with_position(target.as_dvec3())];
        let place = || format!("with the target at {target:.3}");
        let refusal = puppet.update().err();
        let report = own_report(puppet.reports(), node);
        let Some(report) = report.filter(|_| refusal.is_none()) else {
            let reason = refusal.map_or("nothing is reported".to_owned(), |e| e.to_string());
            result.judge(Rule::Refused, 1.0, || format!("{reason} {}", place()));
            return None;
        };
        result.iterations.push(report.iterations);
        Watch::new(self.person, node).check(puppet, result, place);
        check_report(self.person, puppet, report, target, result, place);
        let error = self.person.scaled(position(puppet, node).distance(target));
        let outcome = report.outcome;
        result.ends.push(Entry { node, target, outcome, run: "one shot".into() });
        Some(End { pose: self.person.snapshot(puppet), error, outcome })
    }
}

/// Returns the report about the target of a node.
pub fn own_report(reports: &[GoalReport], node: usize) -> Option<&GoalReport> {
    reports.iter().find(|r| r.kind == GoalKind::Goal && r.node == node)
}

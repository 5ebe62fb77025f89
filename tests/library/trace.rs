//! The traces of a puppet's solves, and the poses along them.

use glam::{DVec3, Vec3};
use sinew::asset;
use sinew::ik::{Method, Start, StepKind};
use sinew::puppet::{Puppet, Target};

/// Maximum distance in metres between a node in single precision and its expected position.
const ROUNDING: f32 = 1e-5;

fn node(puppet: &Puppet, name: &str) -> usize {
    puppet.character().skeleton.find(name).unwrap()
}

fn place(puppet: &Puppet, node: usize) -> Vec3 {
    puppet.world_from_node()[node].translation.into()
}

/// Returns the mannequin with goals for both hands, which are solved one after the other.
fn with_two_goals(method: Method) -> Puppet {
    let mut puppet = Puppet::new(asset::mannequin().unwrap(), 0);
    puppet.options.solver = puppet.options.solver.with_method(method).with_start(Start::Continue);
    for (name, by) in [("leftHand", DVec3::new(-0.2, 0.2, 0.2)), ("rightHand", DVec3::new(0.1, 0.1, 0.2))] {
        let hand = node(&puppet, name);
        let position = Some(place(&puppet, hand).as_dvec3() + by);
        puppet.targets.push(Target::new(hand).with_position(position));
    }
    // A recognised body would be solved as a whole, in one group.
    puppet.rig.body = None;
    puppet
}

#[test]
fn shown_steps_lead_from_the_pose_before_the_first_solve_to_the_result_of_the_last() {
    for method in [Method::Auto, Method::Ccd, Method::Fabrik, Method::Dls] {
        let mut puppet = with_two_goals(method);
        let before = puppet.pose().clone();
        puppet.update().unwrap();
        assert_eq!(puppet.steps().count(), 0, "a solve is only traced if that is requested");
        let (solved, reports) = (puppet.pose().clone(), puppet.reports().to_vec());
        puppet.reset_solver();
        puppet.options.solver.trace = true;
        puppet.update().unwrap();
        assert_eq!(*puppet.pose(), solved, "{method}: a trace must not change the pose");
        let count = puppet.steps().count();
        let solves: Vec<usize> = puppet.traces().iter().map(|t| t.solve).collect();
        assert_eq!(solves, [0, 1], "{method}");
        assert!(puppet.traces().iter().all(|t| t.targets.len() == 1 && !t.steps.is_empty()), "{method}");
        puppet.options.solver.trace = false;
        for shown in 0..=count {
            puppet.options.shown_steps = Some(shown);
            puppet.reset_solver();
            let outcomes: Vec<_> = puppet.update().unwrap().iter().map(|r| r.outcome).collect();
            assert_eq!(outcomes, reports.iter().map(|r| r.outcome).collect::<Vec<_>>());
            assert_eq!(puppet.steps().count(), count);
            let Some(last) = shown.checked_sub(1) else {
                assert_eq!(*puppet.pose(), before, "{method}");
                continue;
            };
            let (trace, step) = puppet.steps().nth(last).unwrap();
            let goal = trace.targets[0];
            let error = place(&puppet, goal.node).distance(goal.position.unwrap().as_vec3());
            let expected = step.step.position_error.unwrap();
            assert!((f64::from(error) - expected).abs() < 1e-5, "{method}, step {shown}: {error} {expected}");
        }
        assert_eq!(*puppet.pose(), solved, "{method}");
        puppet.options.shown_steps = Some(usize::MAX);
        puppet.reset_solver();
        puppet.update().unwrap();
        assert_eq!(*puppet.pose(), solved, "{method}");
    }
}

/// The path from the base first leads up to the chest, so the whole body moves while the base stays in place.
#[test]
fn a_base_below_the_chest_stays_in_place_at_every_step() {
    let mut puppet = Puppet::new(asset::mannequin().unwrap(), 0);
    let (base, hand) = (node(&puppet, "rightHand"), node(&puppet, "leftHand"));
    let (start, lengths) = (place(&puppet, base), |p: &Puppet, a, b| place(p, a).distance(place(p, b)));
    let bones = [("rightUpperArm", "rightLowerArm"), ("spine", "chest"), ("leftLowerArm", "leftHand")];
    let bones = bones.map(|(a, b)| (node(&puppet, a), node(&puppet, b)));
    let rest = bones.map(|(a, b)| lengths(&puppet, a, b));
    let target = DVec3::new(0.2, 1.5, 0.4);
    puppet.targets = vec![Target::new(hand).with_base(base).with_position(target)];
    puppet.options.shown_steps = Some(0);
    puppet.update().unwrap();
    let nodes: Vec<usize> = puppet.steps().map(|(_, step)| step.node).collect();
    assert!(nodes.contains(&node(&puppet, "rightUpperArm")) && nodes.len() > 6, "{nodes:?}");
    for shown in 1..=nodes.len() {
        puppet.options.shown_steps = Some(shown);
        puppet.update().unwrap();
        assert!(place(&puppet, base).distance(start) < ROUNDING, "step {shown}");
        for ((a, b), rest) in bones.into_iter().zip(rest) {
            assert!((lengths(&puppet, a, b) - rest).abs() < ROUNDING, "step {shown}");
        }
        let (_, step) = puppet.steps().nth(shown - 1).unwrap();
        let error = place(&puppet, hand).as_dvec3().distance(target);
        assert!((error - step.step.position_error.unwrap()).abs() < 1e-5, "step {shown}");
    }
}

/// A style poses the body before the first iteration.
#[test]
fn the_posture_of_a_style_is_the_first_part_of_its_trace() {
    let mut puppet = with_two_goals(Method::Style);
    puppet.style = Some(puppet.examples(&[0]).unwrap());
    puppet.update().unwrap();
    let solved = puppet.pose().clone();
    puppet.options.shown_steps = Some(usize::MAX);
    puppet.reset_solver();
    puppet.update().unwrap();
    assert_eq!(*puppet.pose(), solved, "a trace must not change the pose");
    let kinds: Vec<StepKind> = puppet.steps().map(|(_, step)| step.step.kind).collect();
    assert_eq!(kinds[0], StepKind::Start);
    assert!(kinds.contains(&StepKind::Iteration), "{kinds:?}");
    for shown in [1, kinds.len() / 2, kinds.len() - 1] {
        puppet.options.shown_steps = Some(shown);
        puppet.reset_solver();
        puppet.update().unwrap();
        let (trace, step) = puppet.steps().nth(shown - 1).unwrap();
        let error = |t: &Target| place(&puppet, t.node).distance(t.position.unwrap().as_vec3());
        let largest = trace.targets.iter().map(error).fold(0.0, f32::max);
        let expected = step.step.position_error.unwrap();
        assert!((f64::from(largest) - expected).abs() < 1e-5, "step {shown}: {largest} {expected}");
    }
}

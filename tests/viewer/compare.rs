//! Tests of comparison: several methods solve the same goals alongside the active one.

use std::sync::Arc;

use glam::{DVec3, Vec2};
use sinew::asset::{load, mannequin};
use sinew::ik::{Limit, Method, Options, Outcome, Start};
use sinew::motion::Motion;
use sinew::pose::Pose;
use sinew::puppet::{Puppet, Target};
use sinew::render::ShadingMode;
use sinew::scene::compare::Comparison;
use sinew::viewer::{Button, Command, Event, EyeTarget, Input, Key, Session};
use sinew_testkit::asset_path;

use crate::support::{SIZE, at, detected_session, drag, drag_joint, node, numbers, pose, set_method};

const SOME: [Method; 4] = [Method::Ccd, Method::Particle, Method::Fabrik, Method::Dls];
const BY: Vec2 = Vec2::new(-60.0, -50.0);

fn compared(methods: &[Method]) -> Session {
    let (mut session, mut input) = (detected_session(), Input::default());
    session.apply(Command::Compare(methods.to_vec()));
    drag_joint(&mut session, &mut input, "leftHand", BY);
    session
}

fn cast(name: &str) -> Session {
    Session::new(load(&asset_path(&format!("{name}.glb"))).unwrap(), None, SIZE)
}

#[test]
fn candidates_follow_the_drag_and_stay_after_release() {
    let mut session = compared(&SOME);
    let target = session.puppet().targets[0];
    assert_eq!(session.comparison().methods(), SOME);
    for candidate in session.comparison().candidates() {
        let [report] = candidate.reports() else {
            panic!("{}: {:?}", candidate.method(), candidate.refusal())
        };
        assert_eq!(report.method, candidate.method());
        let world = candidate.puppet().world_from_node()[target.node];
        let reached = world.transform_point3(target.offset.as_vec3()).as_dvec3();
        let error = reached.distance(target.position.unwrap());
        assert!((error - report.position_error.unwrap()).abs() < 1e-6, "{}", candidate.method());
        assert!(error < 0.02, "{}: {error} m", candidate.method());
        assert_eq!(report.outcome == Outcome::Reached, error < 1e-3);
        let curve = candidate.puppet().convergence();
        assert_eq!(curve.len(), report.iterations + 1, "{}", candidate.method());
    }
    let counts = |s: &Session| (s.frame(1.0).ghosts.len(), s.frame(1.0).lines.len());
    let (ghosts, lines) = counts(&session);
    assert!(ghosts >= 3 && lines > 3 * 4, "{ghosts} ghosts, {lines} lines");
    session.apply(Command::Release);
    assert_eq!(counts(&session).0, ghosts);
    session.apply(Command::ShadingMode(ShadingMode::Mask));
    assert_eq!(counts(&session), (0, 0));
    session.apply(Command::ShadingMode(ShadingMode::Shaded));
    session.apply(Command::RestAll);
    assert_eq!(counts(&session).0, 0, "ghosts without goals must not be shown");
}

#[test]
fn candidates_do_not_affect_the_active_method() {
    let (alone, compared) = (compared(&[]), compared(&Method::ALL));
    assert_eq!(pose(&alone), pose(&compared));
    assert_eq!(alone.puppet().convergence(), compared.puppet().convergence());
    let reports = |s: &Session| -> Vec<_> {
        s.reports().iter().map(|r| (r.outcome, r.iterations, r.position_error.map(f64::to_bits))).collect()
    };
    assert_eq!(reports(&alone), reports(&compared));
}

#[test]
fn the_same_drag_gives_identical_candidates() {
    let poses = |s: &Session| -> Vec<_> {
        s.comparison().candidates().iter().map(|c| c.puppet().pose().clone()).collect()
    };
    let (one, other) = (compared(&Method::ALL), compared(&Method::ALL));
    assert_eq!(poses(&one), poses(&other));
    // The result of a candidate does not depend on the other candidates.
    let few = compared(&SOME);
    for candidate in few.comparison().candidates() {
        let same = one.comparison().get(candidate.method()).unwrap();
        assert_eq!(candidate.puppet().pose(), same.puppet().pose(), "{}", candidate.method());
    }
}

#[test]
fn ghost_of_the_active_method_matches_the_character() {
    let (mut session, mut input) = (detected_session(), Input::default());
    set_method(&mut session, Method::Fabrik);
    session.apply(Command::Compare(vec![Method::Fabrik]));
    drag_joint(&mut session, &mut input, "leftHand", BY);
    let ghost = session.comparison().get(Method::Fabrik).unwrap();
    assert_eq!(ghost.puppet().pose(), &pose(&session));
    assert!(session.frame(1.0).ghosts.is_empty(), "an identical ghost must not be drawn");
}

/// Regression test: a candidate kept the options and the gaze that the lead had when the candidate was added.
#[test]
fn candidates_take_over_later_options_of_the_lead() {
    let mut lead = Puppet::new(mannequin().unwrap(), 0);
    lead.options.solver.method = Method::Ccd;
    let mut comparison = Comparison::default();
    comparison.set_methods(&[Method::Ccd], &lead);
    comparison.set_start_pose(&Pose::rest(&lead.character().skeleton));
    let hand = lead.character().skeleton.find("leftHand").unwrap();
    lead.targets.push(Target::new(hand).with_position(DVec3::new(0.4, 1.3, 0.3)));
    lead.motion = Motion::clip(2);
    lead.time = 1.5 * lead.seconds();
    let mut poses = Vec::new();
    for (looping, look_at) in
        [(false, None), (true, None), (true, Some(DVec3::new(2.0, 1.6, 2.0))), (false, None)]
    {
        (lead.options.looping, lead.look_at) = (looping, look_at);
        lead.reset_solver();
        lead.update().unwrap();
        comparison.solve(&lead);
        assert_eq!(comparison.candidates()[0].puppet().pose(), lead.pose(), "{looping} {look_at:?}");
        poses.push(lead.pose().clone());
    }
    assert!(poses[0] != poses[1] && poses[1] != poses[2] && poses[2] != poses[3]);
}

#[test]
fn ghosts_look_where_the_character_looks() {
    let (mut session, mut input) = (detected_session(), Input::default());
    set_method(&mut session, Method::Fabrik);
    session.apply(Command::Compare(vec![Method::Fabrik]));
    drag_joint(&mut session, &mut input, "leftHand", BY);
    let before = pose(&session);
    session.apply(Command::LookAt(EyeTarget::Point(DVec3::new(1.0, 1.6, 1.0))));
    assert_ne!(pose(&session), before);
    let ghost = session.comparison().get(Method::Fabrik).unwrap();
    assert_eq!(ghost.puppet().pose(), &pose(&session));
}

#[test]
fn candidate_added_after_a_drag_solves_its_last_goals_from_its_start() {
    let mut session = compared(&[]);
    session.apply(Command::Release);
    session.apply(Command::Compare(vec![Method::Ccd]));
    let candidate = session.comparison().get(Method::Ccd).unwrap();
    assert_eq!(candidate.reports()[0].outcome, Outcome::Reached);
    let first = candidate.puppet().pose().clone();
    // If the options change, the candidate is solved again from the same start pose. The original options restore the original result.
    let changed =
        |ccd| Command::Solver(Box::new(Options::default().with_ccd(ccd).with_record(true).with_restarts(0)));
    session.apply(changed(sinew::ik::CcdOptions::default().with_base_first(true)));
    assert_ne!(&first, session.comparison().get(Method::Ccd).unwrap().puppet().pose());
    session.apply(changed(Default::default()));
    assert_eq!(&first, session.comparison().get(Method::Ccd).unwrap().puppet().pose());
}

/// Before a drag, the session reports which methods cannot solve it. These refusals must agree with the refusals of the solve.
#[test]
fn refusals_agree_with_the_solve() {
    let two_joints =
        "node \"segment_39\": two-bone cannot solve this: the chain must have two joints above its end";
    let mut tentacle = cast("tentacle");
    tentacle.apply(Command::Hover(at(&tentacle, "segment_39")));
    assert_eq!(*tentacle.refusals(), [(Method::TwoBone, two_joints.to_owned())]);

    let mut figure = detected_session();
    figure.apply(Command::Hover(at(&figure, "leftHand")));
    assert_eq!(*figure.refusals(), [], "every method must support an arm");

    // A pin counts as a second goal.
    figure.apply(Command::Hover(at(&figure, "rightFoot")));
    figure.apply(Command::Pin);
    figure.apply(Command::Hover(at(&figure, "leftHand")));
    let [(Method::TwoBone, why)] = &figure.refusals()[..] else { panic!("{:?}", figure.refusals()) };
    assert!(why.ends_with("two-bone cannot solve this: one goal is needed"), "{why}");

    let mut hips = detected_session();
    hips.apply(Command::Hover(at(&hips, "hips")));
    // Only full-body and auto move the hips of a recognised body. The other methods turn the hips, and two-bone has no chain for that.
    let [(Method::TwoBone, _)] = &hips.refusals()[..] else { panic!("{:?}", hips.refusals()) };

    for mut session in [tentacle, figure, hips] {
        let (refusals, mut input) = (session.refusals(), Input::default());
        let place = session.hovered().unwrap().point;
        let from = sinew::scene::picking::pixel(&session.camera(), place, SIZE).unwrap();
        session.apply(Command::Compare(Method::ALL.to_vec()));
        drag(&mut session, &mut input, from, Vec2::new(0.0, 20.0));
        for candidate in session.comparison().candidates() {
            let refusal =
                refusals.iter().find(|(m, _)| *m == candidate.method()).map(|(_, why)| why.as_str());
            assert_eq!(candidate.refusal(), refusal, "{}", candidate.method());
            assert_eq!(candidate.reports().is_empty(), refusal.is_some());
        }
    }
}

/// The panel queries the refusals in every frame, so they are cached. The cache must always match the actual refusals.
#[test]
fn cached_refusals_are_never_stale() {
    let mut session = detected_session();
    let mut input = Input::default();
    let mut next = numbers(0x2545_F491_4F6C_DD1D);
    let elbow = node(&session, "leftLowerArm");
    let mut answers = std::collections::HashSet::new();
    session.apply(Command::KeepGoals(true));
    for step in 0..600 {
        let joints = ["leftHand", "rightHand", "hips", "head", "leftFoot", "leftLowerArm"];
        let place = at(&session, joints[usize::from(next(6))]) + Vec2::splat(f32::from(next(30)));
        let event = match next(6) {
            0..3 => Event::Moved(place),
            3 => Event::Pressed(Button::Left, false),
            4 => Event::Released(Button::Left),
            _ => Event::Key(Key::Char(char::from(b"0123456789pbre "[usize::from(next(15))]))),
        };
        input.handle(event, &mut session);
        match step % 50 {
            0 => session.apply(Command::FrameAll),
            5 => session.apply(Command::Clip(None)),
            10 => session.apply(Command::Limit(elbow, Limit::Locked)),
            20 => session.apply(Command::Undo),
            30 => session.apply(Command::ClearGoals),
            40 => {
                let limits = step % 100 < 50;
                session.apply(Command::Solver(Box::new(Options::default().with_limits(limits))));
            }
            _ => {}
        }
        let cached = session.refusals();
        let actual: Vec<_> = Method::all().filter_map(|m| Some((m, session.refusal(m)?))).collect();
        assert_eq!(*cached, actual, "after step {step}");
        answers.insert(actual);
    }
    assert!(answers.len() > 5, "only {} different answers", answers.len());
}

#[test]
fn refusals_are_computed_once_per_drag() {
    let (mut session, mut input) = (detected_session(), Input::default());
    let start = at(&session, "leftHand");
    drag(&mut session, &mut input, start, BY);
    let cached = session.refusals();
    for step in 0..20_u8 {
        input.handle(Event::Moved(start - Vec2::splat(f32::from(step))), &mut session);
        assert!(Arc::ptr_eq(&cached, &session.refusals()), "recomputed at step {step}");
    }
    input.handle(Event::Released(Button::Left), &mut session);
    let elbow = node(&session, "leftLowerArm");
    session.apply(Command::Limit(elbow, Limit::Locked));
    assert!(!Arc::ptr_eq(&cached, &session.refusals()), "a new limit must recompute the refusals");
}

#[test]
fn unsupported_method_reports_an_error_and_keeps_the_pose() {
    let (mut session, mut input) = (cast("tentacle"), Input::default());
    drag_joint(&mut session, &mut input, "segment_39", Vec2::new(40.0, 60.0));
    let before = pose(&session);
    input.handle(Event::Key(Key::Char('5')), &mut session);
    assert!(session.error().unwrap().ends_with("two joints above its end"), "{:?}", session.error());
    assert!(session.reports().is_empty());
    assert_eq!(before, pose(&session));
    input.handle(Event::Key(Key::Char('4')), &mut session);
    assert_eq!(session.error(), None);
    input.handle(Event::Released(Button::Left), &mut session);
    // The error also appears without a drag.
    input.handle(Event::Key(Key::Char('5')), &mut session);
    assert!(session.error().is_some());
}

#[test]
fn invalid_options_are_replaced_by_defaults() {
    let mut session = detected_session();
    session.apply(Command::Solver(Box::default()));
    let defaults = session.puppet().options.solver;
    assert_eq!(defaults.start, Start::Continue);
    // Old recordings store the start of a drag as `current`, or omit it.
    let mut invalid = Options::default().with_start(Start::Current).with_restarts(0).with_record(true);
    invalid.particle.stiffness = f64::NAN;
    invalid.angle_tolerance = -1.0;
    invalid.ccd.step = -3.0;
    invalid.ccd.budget = f64::NAN;
    invalid.jacobian.clamp = 0.0;
    invalid.jacobian.secondary_gain = f64::INFINITY;
    invalid.limb.soften = 7.0;
    invalid.optimize.rest = f64::NEG_INFINITY;
    session.apply(Command::Solver(Box::new(invalid)));
    let sanitized = session.puppet().options.solver;
    assert_eq!(sanitized, defaults.with_restarts(0).with_record(true));
}

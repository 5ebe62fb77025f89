//! Several methods meet the same goals beside the one that solves.

use std::path::Path;
use std::sync::Arc;

use glam::Vec2;
use sinew::asset::gltf;
use sinew::ik::{Limit, Method, Options, Outcome};
use sinew::render::Mode;
use sinew::viewer::{Button, Command, Event, Input, Key, Session};

use crate::{SIZE, at, drag, pose, session};

const SOME: [Method; 4] = [Method::Ccd, Method::Particle, Method::Fabrik, Method::Dls];
const BY: Vec2 = Vec2::new(-60.0, -50.0);

fn dragged(methods: &[Method]) -> Session {
    let (mut session, mut input) = (session(), Input::default());
    session.apply(Command::Compare(methods.to_vec()));
    let start = at(&session, "leftHand");
    drag(&mut session, &mut input, start, BY);
    session
}

fn cast(name: &str) -> Session {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("assets/{name}.glb"));
    Session::new(gltf::load_bytes(&path, &std::fs::read(&path).unwrap(), None).unwrap(), None, SIZE)
}

fn solver(session: &mut Session, method: Method) {
    session.apply(Command::Solver(Box::new(Options { method, ..Options::default() })));
}

#[test]
fn everyone_follows_the_drag_and_stays_when_it_ends() {
    let mut session = dragged(&SOME);
    let wanted = session.puppet().targets[0];
    assert_eq!(session.comparison().methods(), SOME);
    for contender in session.comparison().contenders() {
        let [report] = contender.reports() else {
            panic!("{}: {:?}", contender.method(), contender.refusal())
        };
        assert_eq!(report.method, contender.method());
        let world = contender.puppet().world_from_node()[wanted.node];
        let place = world.transform_point3(wanted.offset.as_vec3()).as_dvec3();
        let error = place.distance(wanted.position.unwrap());
        assert!((error - report.position_error.unwrap()).abs() < 1e-6, "{}", contender.method());
        assert!(error < 0.02, "{}: {error} m", contender.method());
        assert_eq!(report.outcome == Outcome::Reached, error < 1e-3);
        let curve = contender.puppet().convergence();
        assert_eq!(curve.len(), report.iterations + 1, "{}", contender.method());
    }
    let shown = |s: &Session| (s.frame(1.0).ghosts.len(), s.frame(1.0).lines.len());
    let (ghosts, lines) = shown(&session);
    assert!(ghosts >= 3 && lines > 3 * 4, "{ghosts} ghosts, {lines} lines");
    session.apply(Command::Release);
    assert_eq!(shown(&session).0, ghosts);
    session.apply(Command::Mode(Mode::Mask));
    assert_eq!(shown(&session), (0, 0));
    session.apply(Command::Mode(Mode::Shaded));
    session.apply(Command::RestAll);
    assert_eq!(shown(&session).0, 0, "what nobody asks for any more is not shown");
}

#[test]
fn who_solves_knows_nothing_of_the_others() {
    let (alone, watched) = (dragged(&[]), dragged(&Method::ALL));
    assert_eq!(pose(&alone), pose(&watched));
    assert_eq!(alone.puppet().convergence(), watched.puppet().convergence());
    let reports = |s: &Session| -> Vec<_> {
        s.reports().iter().map(|r| (r.outcome, r.iterations, r.position_error.map(f64::to_bits))).collect()
    };
    assert_eq!(reports(&alone), reports(&watched));
}

#[test]
fn the_same_drag_gives_everyone_the_same_bits() {
    let poses = |s: &Session| -> Vec<_> {
        s.comparison().contenders().iter().map(|c| c.puppet().pose().clone()).collect()
    };
    let (one, other) = (dragged(&Method::ALL), dragged(&Method::ALL));
    assert_eq!(poses(&one), poses(&other));
    // Who is ticked beside does not matter either.
    let few = dragged(&SOME);
    for contender in few.comparison().contenders() {
        let among = one.comparison().get(contender.method()).unwrap();
        assert_eq!(contender.puppet().pose(), among.puppet().pose(), "{}", contender.method());
    }
}

#[test]
fn the_ghost_of_who_solves_stands_where_the_character_does() {
    let (mut session, mut input) = (session(), Input::default());
    solver(&mut session, Method::Fabrik);
    session.apply(Command::Compare(vec![Method::Fabrik]));
    let start = at(&session, "leftHand");
    drag(&mut session, &mut input, start, BY);
    let ghost = session.comparison().get(Method::Fabrik).unwrap();
    assert_eq!(ghost.puppet().pose(), &pose(&session));
    assert!(session.frame(1.0).ghosts.is_empty(), "nothing of it stands otherwise");
}

#[test]
fn who_joins_later_meets_the_last_goals_from_where_the_drag_started() {
    let mut session = dragged(&[]);
    session.apply(Command::Release);
    session.apply(Command::Compare(vec![Method::Ccd]));
    let joined = session.comparison().get(Method::Ccd).unwrap();
    assert_eq!(joined.reports()[0].outcome, Outcome::Reached);
    let once = joined.puppet().pose().clone();
    // Another setting solves again, from there; the setting before gives the bits of before.
    let changed =
        |ccd| Command::Solver(Box::new(Options { ccd, record: true, restarts: 0, ..Options::default() }));
    session.apply(changed(sinew::ik::CcdOptions { base_first: true, ..Default::default() }));
    assert_ne!(&once, session.comparison().get(Method::Ccd).unwrap().puppet().pose());
    session.apply(changed(Default::default()));
    assert_eq!(&once, session.comparison().get(Method::Ccd).unwrap().puppet().pose());
}

/// What each character, pulled at some place, lets no method do; and that solving says the same.
#[test]
fn methods_that_cannot_say_why() {
    let two_joints = "reaching with node \"segment_39\": two-bone cannot solve this: the chain must have two joints above its end";
    let mut tentacle = cast("tentacle");
    tentacle.apply(Command::Hover(at(&tentacle, "segment_39")));
    assert_eq!(*tentacle.refusals(), [(Method::TwoBone, two_joints.to_owned())]);

    let mut figure = session();
    figure.apply(Command::Hover(at(&figure, "leftHand")));
    assert_eq!(*figure.refusals(), [], "an arm is a limb");

    // A pin is a second goal.
    figure.apply(Command::Hover(at(&figure, "rightFoot")));
    figure.apply(Command::Pin);
    figure.apply(Command::Hover(at(&figure, "leftHand")));
    let [(Method::TwoBone, why)] = &figure.refusals()[..] else { panic!("{:?}", figure.refusals()) };
    assert!(why.ends_with("two-bone cannot solve this: one goal is needed"), "{why}");

    let mut hips = session();
    hips.apply(Command::Hover(at(&hips, "hips")));
    let refused = hips.refusals();
    assert_eq!(refused.len(), Method::ALL.len() - 1);
    assert!(
        refused.iter().all(|(m, why)| why.ends_with(&format!("{m} does not move the root, full-body does")))
    );

    for mut session in [tentacle, figure, hips] {
        let (refused, mut input) = (session.refusals(), Input::default());
        let place = session.hovered().unwrap().point;
        let from = sinew::picking::pixel(&session.camera(), place, SIZE).unwrap();
        session.apply(Command::Compare(Method::ALL.to_vec()));
        drag(&mut session, &mut input, from, Vec2::new(0.0, 20.0));
        for contender in session.comparison().contenders() {
            let said = refused.iter().find(|(m, _)| *m == contender.method()).map(|(_, why)| why.as_str());
            assert_eq!(contender.refusal(), said, "{}", contender.method());
            assert_eq!(contender.reports().is_empty(), said.is_some());
        }
    }
}

/// The panel asks at every picture, and what is known is not worked out again: whatever happens, it must be as if it were.
#[test]
fn what_is_known_of_methods_is_what_is_so_now() {
    let mut session = session();
    let mut input = Input::default();
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut next = move |below: u16| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u16::try_from((state >> 33) % u64::from(below)).unwrap()
    };
    let elbow = session.puppet().character().skeleton.find("leftLowerArm").unwrap();
    let mut answers = std::collections::HashSet::new();
    session.apply(Command::Keep(true));
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
            30 => session.apply(Command::LetGo),
            40 => {
                let limits = step % 100 < 50;
                session.apply(Command::Solver(Box::new(Options { limits, ..Options::default() })));
            }
            _ => {}
        }
        let known = session.refusals();
        let all = std::iter::once(Method::Auto).chain(Method::ALL);
        let now: Vec<_> = all.filter_map(|m| Some((m, session.refusal(m)?))).collect();
        assert_eq!(*known, now, "after step {step}");
        answers.insert(now);
    }
    assert!(answers.len() > 5, "only {} answers", answers.len());
}

#[test]
fn a_drag_asks_of_methods_once() {
    let (mut session, mut input) = (session(), Input::default());
    let start = at(&session, "leftHand");
    drag(&mut session, &mut input, start, BY);
    let known = session.refusals();
    for step in 0..20_u8 {
        input.handle(Event::Moved(start - Vec2::splat(f32::from(step))), &mut session);
        assert!(Arc::ptr_eq(&known, &session.refusals()), "asked again at step {step}");
    }
    input.handle(Event::Released(Button::Left), &mut session);
    let elbow = session.puppet().character().skeleton.find("leftLowerArm").unwrap();
    session.apply(Command::Limit(elbow, Limit::Locked));
    assert!(!Arc::ptr_eq(&known, &session.refusals()), "another question");
}

#[test]
fn a_key_for_a_method_that_cannot_says_why_and_leaves_the_pose() {
    let (mut session, mut input) = (cast("tentacle"), Input::default());
    let start = at(&session, "segment_39");
    drag(&mut session, &mut input, start, Vec2::new(40.0, 60.0));
    let before = pose(&session);
    input.handle(Event::Key(Key::Char('5')), &mut session);
    assert!(session.error().unwrap().ends_with("two joints above its end"), "{:?}", session.error());
    assert!(session.reports().is_empty());
    assert_eq!(before, pose(&session));
    input.handle(Event::Key(Key::Char('4')), &mut session);
    assert_eq!(session.error(), None);
    input.handle(Event::Released(Button::Left), &mut session);
    // Not only in a drag.
    input.handle(Event::Key(Key::Char('5')), &mut session);
    assert!(session.error().is_some());
}

#[test]
fn numbers_that_mean_nothing_become_the_usual_ones() {
    let mut session = session();
    let usual = session.puppet().options;
    let mut odd = Options { restarts: 0, record: true, ..Options::default() };
    odd.stiffness = f64::NAN;
    odd.angle_tolerance = -1.0;
    odd.ccd.step = -3.0;
    odd.ccd.budget = f64::NAN;
    odd.jacobian.clamp = 0.0;
    odd.jacobian.secondary_gain = f64::INFINITY;
    odd.limb.soften = 7.0;
    odd.optimize.rest = f64::NEG_INFINITY;
    session.apply(Command::Solver(Box::new(odd)));
    let kept = session.puppet().options;
    assert_eq!(kept, Options { restarts: 0, record: true, ..usual });
}

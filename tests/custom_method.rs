//! A method that is written outside sinew. It runs in its own process, because a method stays registered.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use glam::{DAffine3, DQuat, DVec3};
use sinew::ik::{
    Body, CustomMethod, Goal, Limit, Link, LinkIndex, Method, Options, SolveError, Solver, register_method,
};

/// In each pass, turns the base by 0.3 rad and the link `TURNED` by 1 rad about z.
struct Turning;

/// The links of the body: one that the method turns beyond its limit, and one that it leaves alone.
const TURNED: LinkIndex = LinkIndex(1);
const LEFT_ALONE: LinkIndex = LinkIndex(2);

impl CustomMethod for Turning {
    fn name(&self) -> &'static str {
        "turning"
    }

    fn pass(&self, body: &mut Body, _: &[Goal], _: &Options) -> Result<(), &'static str> {
        for (link, angle) in [(LinkIndex(0), 0.3), (TURNED, 1.0)] {
            let turned = DQuat::from_rotation_z(angle) * body.rotations()[link.0];
            body.set_rotation(link, turned);
        }
        Ok(())
    }
}

fn body() -> Body {
    let hinge = Limit::hinge(DVec3::Z, -0.1..=0.5);
    let child = |parent| Link::child(LinkIndex(parent), DVec3::X).with_limit(hinge);
    let links = vec![Link::base(), child(0), child(1), Link::child(LinkIndex(2), DVec3::X)];
    let mut body = Body::new(links, DAffine3::IDENTITY).unwrap();
    body.set_rotation(LEFT_ALONE, DQuat::from_rotation_z(1.2));
    body
}

/// Solves, and returns the error, which must equal [`Options::refusal`].
fn error(options: &Options) -> Option<SolveError> {
    let goals = [Goal::position(LinkIndex(3), DVec3::new(0.5, 2.5, 0.0))];
    let solved = Solver::default().solve(&mut body(), &goals, options).err();
    assert_eq!(options.refusal(&body(), &goals), solved);
    solved
}

/// Regression tests: `Options::refusal` disagreed with `Solver::solve`, and links that were already beyond their limits were moved back
/// although the method had not turned them.
#[test]
fn a_custom_method_is_refused_and_limited_like_any_other() {
    let options = Options::default().with_method(Method::Custom).with_iterations(1);
    let unregistered = error(&options).unwrap().to_string();
    assert!(unregistered.contains("no method is registered"), "{unregistered}");

    register_method(Turning).unwrap();
    assert_eq!(error(&options), None);
    let textbook = error(&options.with_textbook(true)).unwrap().to_string();
    assert!(textbook.contains("textbook=true needs a method of a founding document"), "{textbook}");

    let mut body = body();
    let goal = Goal::position(LinkIndex(3), DVec3::new(0.5, 2.5, 0.0));
    Solver::default().solve(&mut body, &[goal], &options).unwrap();
    let angle = |link: LinkIndex| body.rotations()[link.0].angle_between(DQuat::IDENTITY);
    assert!((angle(LinkIndex(0)) - 0.3).abs() < 1e-9, "{}", angle(LinkIndex(0)));
    assert!((angle(TURNED) - 0.5).abs() < 1e-9, "{}", angle(TURNED));
    assert!((angle(LEFT_ALONE) - 1.2).abs() < 1e-9, "{}", angle(LEFT_ALONE));
}

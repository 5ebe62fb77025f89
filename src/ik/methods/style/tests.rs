use glam::{DAffine3, DQuat, DVec3};

use crate::posture::Placement;
use crate::posture::tests::figure;
use crate::{AxesFrame, AxisTerm, Body, Goal, GoalAxes, Link, LinkIndex, Options, Posture};
use sinew_base::Random;

use super::cost::Cost;
use super::learn::Likelihood;
use super::*;

/// Returns postures that depend on two parameters. Learning must find these parameters.
fn examples(body: &Body) -> Vec<Posture> {
    let posture = |i: usize| {
        let (a, b) = (0.21 * i as f64, 0.37 * i as f64);
        let mut body = body.clone();
        for link in 0..body.links().len() {
            let k = link as f64;
            let turn = DVec3::new(0.5 * (a + k).sin(), 0.3 * (b - k).cos(), 0.4 * (a - b + 0.5 * k).sin());
            body.set_rotation(LinkIndex(link), body.rotations()[link] * DQuat::from_scaled_axis(turn));
        }
        body.set_root(DVec3::Y * 0.1 * a.sin());
        Posture::of(&body)
    };
    (0..40).map(posture).collect()
}

fn style(body: &Body) -> (Style, Learned) {
    let names = (0..body.links().len()).map(|i| format!("joint {i}")).collect();
    let learning = Learning { postures: 20, dimensions: 2, ..Learning::default() };
    Style::learn(names, &examples(body), &learning).unwrap_or_else(|e| panic!("{e}"))
}

/// Compares the gradient of a function with central differences. The tolerance is relative to the largest component of
/// the gradient.
fn assert_gradient(x: &[f64], mut function: impl FnMut(&[f64], &mut [f64]) -> f64) {
    const STEP: f64 = 1e-5;
    let (mut gradient, mut other) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    function(x, &mut gradient);
    let largest = gradient.iter().fold(0.0_f64, |m, g| m.max(g.abs()));
    for i in 0..x.len() {
        let mut at = |step: f64| {
            let mut x = x.to_vec();
            x[i] += step;
            function(&x, &mut other)
        };
        let found = (at(STEP) - at(-STEP)) / (2.0 * STEP);
        assert!(
            (found - gradient[i]).abs() < 1e-5 * largest,
            "component {i}: difference quotient {found}, gradient {}",
            gradient[i]
        );
    }
}

#[test]
fn learning_gradient_matches_finite_differences() {
    let mut random = Random(3);
    let postures: Vec<f64> = (0..8 * 5).map(|_| random.range(-1.0, 1.0)).collect();
    let mut search = Likelihood { postures: &postures, n: 8, dimensions: 2, noise: 0.1 };
    let mut x = search.start();
    x.iter_mut().for_each(|x| *x += random.range(-0.3, 0.3));
    assert_gradient(&x, |x, g| search.evaluate(x, g));
}

#[test]
fn posing_gradient_matches_finite_differences() {
    let mut body = figure();
    let (style, _) = style(&body);
    let mut links = body.links().to_vec();
    // One link has scale and another one is reversed.
    links[1].scale = DVec3::new(1.1, 0.8, 1.3);
    links[4].reversed = true;
    let (above, turned) = (body.world_from_base(), body.world_from_base_rotation());
    body = Body::new(links, above).unwrap_or_else(|e| panic!("{e}"));
    body.place(above, turned).unwrap_or_else(|e| panic!("{e}"));
    let joints: Vec<_> = (0..6).map(Some).collect();
    let goals = [
        Goal { offset: DVec3::new(0.1, 0.0, 0.2), ..Goal::position(LinkIndex(3), DVec3::new(0.5, 1.0, 0.3)) },
        Goal::pin(LinkIndex(5), DVec3::new(-0.6, 1.2, 0.1), DQuat::from_rotation_z(0.4)),
        Goal { weight: 0.5, ..Goal::aim(LinkIndex(2), DVec3::X, DVec3::new(1.0, 2.0, 3.0)) },
        with_weights(AxesFrame::World, DVec3::new(1.0, 0.0, 1.0), DVec3::new(1.0, 0.0, 0.5)),
        with_weights(AxesFrame::Target, DVec3::new(0.2, 2.0, 1.0), DVec3::new(0.3, 1.0, 2.0)),
        with_weights(AxesFrame::Target, DVec3::Z, DVec3::Y),
    ];
    let mut random = Random(5);
    for root_motion in [true, false] {
        let options = Options { root_motion, ..Options::default() };
        let mut cost = Cost::new(&style, &joints, &goals, &body, &options, |l| l != 1);
        let mut z = cost.start(style.latent(4));
        z.iter_mut().for_each(|z| *z += random.range(-0.5, 0.5));
        assert_gradient(&z, |z, g| cost.evaluate(z, g));
    }
}

/// Returns a goal whose axes have different weights.
fn with_weights(frame: AxesFrame, position: DVec3, orientation: DVec3) -> Goal {
    let term = |weights| AxisTerm { weights, ..AxisTerm::default() };
    let axes = GoalAxes { frame, position: term(position), orientation: term(orientation) };
    let turned = DQuat::from_scaled_axis(DVec3::new(0.5, 0.3, -0.4));
    Goal { axes, ..Goal::pose(LinkIndex(3), DVec3::new(0.3, 0.9, 0.4), turned) }
}

#[test]
fn model_predicts_the_postures_it_keeps() {
    let body = figure();
    let (style, learned) = style(&body);
    assert!(learned.likelihood[1] < learned.likelihood[0] - 50.0, "{learned:?}");
    assert_eq!((learned.examples, learned.postures, style.postures()), (40, 20, 20));
    let mut prediction = model::Prediction::default();
    for kept in 0..style.postures() {
        style.predict(style.latent(kept), &mut prediction);
        let kept = style.kept_posture(kept);
        assert_eq!(prediction.features.len(), kept.len());
        for (predicted, kept) in prediction.features.iter().zip(kept) {
            assert!((predicted - kept).abs() < 0.005, "predicted {predicted}, kept {kept}");
        }
    }
    style.predict(&[50.0, 50.0], &mut prediction);
    assert!(
        (prediction.variance - 1.0).abs() < 0.5,
        "far from the examples the variance must be that of the prior"
    );
}

#[test]
fn two_points_determine_the_posture() {
    let mut body = figure();
    let (style, _) = style(&body);
    let bound_prior = BoundPrior::whole(Arc::new(style));
    let options = Options { root_motion: true, ..Options::default() };
    for (example, wanted) in examples(&body).iter().enumerate().skip(1).step_by(6) {
        let place = Placement { heading: 0.1 * example as f64, ground: glam::DVec2::new(2.0, -1.0) };
        let mut truth = body.clone();
        wanted.apply(&mut truth, &bound_prior.joints, place, true);
        let at =
            |body: &Body, link: usize| body.world_from_link(LinkIndex(link)).unwrap_or_default().translation;
        let goals = [3, 5].map(|link| Goal::position(LinkIndex(link), at(&truth, link)));
        body.reset();
        bound_prior.pose(&mut body, &goals, &options);
        for link in 0..6 {
            let away = at(&body, link).distance(at(&truth, link));
            assert!(away < 0.06, "example {example}, link {link}: {away}");
        }
    }
}

#[test]
#[cfg(feature = "serde")]
fn style_is_unchanged_after_writing_and_reading() {
    let (style, _) = style(&figure());
    let text = serde_json::to_string(&style).unwrap_or_default();
    let read: Style = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(read, style);
    // A style that cannot be read must not be written.
    let unreadable = Style { beta: f64::INFINITY, ..style.clone() };
    let error = serde_json::to_string(&unreadable).err().map(|e| e.to_string());
    assert!(error.is_some_and(|e| e.contains("rates")));
    let refused = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        let read = serde_json::from_str::<Style>(&text.replacen(from, to, 1));
        read.err().unwrap_or_else(|| panic!("{from} → {to} was accepted")).to_string()
    };
    assert!(refused("sinew-style-1", "sinew-style-9").contains("format"));
    assert!(refused("\"joint 0\",", "").contains("means"));
    assert!(refused("\"beta\":", "\"beta\":-").contains("rates"));
    assert!(refused("\"x\":[", "\"x\":[0.0,").contains("posture 1"));
    assert!(refused("\"y\":[", "\"y\":[1e9,").contains("posture 0"));
    assert!(refused("\"scales\":[", "\"scales\":[-1,").contains("scales"));
    assert!(refused("\"joints\"", "\"bones\"").contains("bones"));
}

#[test]
fn invalid_examples_are_rejected() {
    let examples = examples(&figure());
    let names = |n: usize| (0..n).map(|i| i.to_string()).collect::<Vec<_>>();
    let learn = |n: usize, examples: &[Posture]| Style::learn(names(n), examples, &Learning::default()).err();
    assert_eq!(learn(6, &examples[..2]), Some(StyleError::Few { count: 2 }));
    assert_eq!(learn(6, &examples[..3]), None);
    assert_eq!(learn(5, &examples), Some(StyleError::Posture { posture: 0 }));
    let mut broken = examples.clone();
    broken[7].rotations[2].x = f64::NAN;
    assert_eq!(learn(6, &broken), Some(StyleError::Posture { posture: 7 }));
    assert!(matches!(learn(0, &examples), Some(StyleError::Joints { .. })));
    // Copies of one posture contain little information, but are valid.
    assert!(learn(6, &vec![examples[0].clone(); 9]).is_none());
}

#[test]
fn signs_of_quaternions_do_not_matter() {
    let body = figure();
    let learn = |examples: &[Posture]| {
        let names = (0..6).map(|i| i.to_string()).collect();
        let learning = Learning { postures: 20, dimensions: 2, ..Learning::default() };
        Style::learn(names, examples, &learning).unwrap_or_else(|e| panic!("{e}")).1.likelihood
    };
    let mut flipped = examples(&body);
    for posture in flipped.iter_mut().skip(1).step_by(2) {
        posture.rotations.iter_mut().skip(1).for_each(|q| *q = -*q);
    }
    let (expected, found) = (learn(&examples(&body)), learn(&flipped));
    assert!(
        expected.iter().zip(found).all(|(a, b)| (a - b).abs() < 1e-3),
        "expected {expected:?}, got {found:?}"
    );
}

#[test]
fn pose_prior_of_another_body_is_invalid() {
    let (style, _) = style(&figure());
    let mut bound_prior = BoundPrior::whole(Arc::new(style));
    assert!(bound_prior.validate(6).is_ok() && bound_prior.validate(7).is_err());
    bound_prior.joints[2] = Some(6);
    assert!(bound_prior.validate(6).is_err());
    bound_prior.joints = vec![None; 6];
    assert!(bound_prior.validate(6).is_err());
    let lone = Body::new(vec![Link::base()], DAffine3::IDENTITY);
    assert!(lone.is_ok_and(|b| Posture::of(&b).rotations.len() == 1));
}

#[test]
fn pose_priors_with_equal_models_and_joints_are_equal() {
    let (first, second) = (Arc::new(style(&figure()).0), Arc::new(style(&figure()).0));
    let bound_prior = BoundPrior::whole(Arc::clone(&first));
    assert_eq!(bound_prior, BoundPrior::whole(first));
    assert_ne!(bound_prior, BoundPrior::whole(second), "styles are compared by pointer");
    let mut other = bound_prior.clone();
    other.joints.swap(1, 2);
    assert_ne!(bound_prior, other);
}

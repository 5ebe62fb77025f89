//! The table of solver options. Each entry has a key, help, the methods that use it, the values that it accepts, and its
//! field.

use std::f64::consts::PI;

use super::SolverOption;
use super::field::Field;
use super::kind::{Domain, OptionKind};
use crate::options::{Method, Options};

const ALL: &[Method] = &[];
const CCD: &[Method] = &[Method::Ccd];
/// The methods with a founding document.
const TEXTBOOK: &[Method] = &[
    Method::Ccd,
    Method::Particle,
    Method::JacobianTranspose,
    Method::PseudoInverse,
    Method::Dls,
    Method::TwoBone,
    Method::Fused,
];
const PARTICLE: &[Method] = &[Method::Particle];
const TRANSPOSE: &[Method] = &[Method::JacobianTranspose];
const FABRIK: &[Method] = &[Method::Fabrik];
const LIMB: &[Method] = &[Method::TwoBone];
const FUSED: &[Method] = &[Method::Fused];
const OPTIMIZE: &[Method] = &[Method::Optimize];
const WHOLE_BODY: &[Method] = &[Method::FullBody, Method::Style];
/// The method that poses figures.
const FIGURE: &[Method] = &[Method::FullBody];
const JACOBIAN: &[Method] = &[
    Method::JacobianTranspose,
    Method::PseudoInverse,
    Method::Dls,
    Method::Sdls,
    Method::Fused,
    Method::FullBody,
    Method::Style,
];
/// The Jacobian methods, except the method with its own secondary task.
const SECONDARY: &[Method] = &[
    Method::JacobianTranspose,
    Method::PseudoInverse,
    Method::Dls,
    Method::Sdls,
    Method::FullBody,
    Method::Style,
];
const DAMPED: &[Method] = &[Method::Dls, Method::Fused, Method::FullBody, Method::Style];

const FLAG: OptionKind = OptionKind::Flag;
const CHOICE: OptionKind = OptionKind::Choice;

const fn count(min: usize, max: usize, common: [usize; 2]) -> OptionKind {
    OptionKind::Count { min, max, common }
}

const fn number(domain: Domain) -> OptionKind {
    OptionKind::Number(domain)
}

const FRACTION: Domain = Domain::plain(0.0, 1.0).common(0.0, 1.0);
/// A fraction that may be negative.
const SIGNED: Domain = Domain::plain(-1.0, 1.0).common(-1.0, 1.0).initial(0.5);
/// A weight relative to other weights.
const WEIGHT: Domain = Domain::plain(0.0, f64::MAX).common(0.0, 1.0).logarithmic();
const MAX_ANGLE: Domain = Domain::angle(0.0, f64::MAX).above().common(0.5 * PI / 180.0, PI).or("none");

const fn option(
    key: &'static str,
    help: &'static str,
    methods: &'static [Method],
    kind: OptionKind,
    field: fn(&mut Options) -> Field<'_>,
) -> SolverOption {
    SolverOption { key, help, kind, methods, refusal: None, field }
}

impl SolverOption {
    /// Makes the option unavailable for characters, for the reason `why`.
    const fn refused(self, why: &'static str) -> Self {
        Self { refusal: Some(why), ..self }
    }
}

/// All options, in the order in which they are listed.
#[rustfmt::skip]
pub(super) static OPTIONS: &[SolverOption] = &[
    option("method", "Solver to use", ALL, CHOICE, |o| Field::Choice(&mut o.method)),
    option("iterations", "Maximum number of iterations", ALL, count(0, 1_000_000_000, [1, 500]), |o| Field::Count(&mut o.iterations)),
    option("tolerance", "Distance at which a position counts as reached; auto: 1e-4 of the chain's length", ALL, number(Domain::length(0.0, f64::MAX).above().common(1e-6, 0.05).logarithmic().or("auto").initial(1e-4)), |o| Field::Optional(&mut o.tolerance)),
    option("angle_tolerance", "Angle at which an orientation or an aim counts as reached", ALL, number(Domain::angle(0.0, PI).above().common(0.01 * PI / 180.0, 10.0 * PI / 180.0)), |o| Field::Number(&mut o.angle_tolerance)),
    option("characteristic_length", "Metres that one radian of orientation error counts as, as a fraction of the chain's length", ALL, number(Domain::plain(0.0, f64::MAX).above().common(0.01, 3.0).logarithmic().initial(0.3)), |o| Field::Number(&mut o.characteristic_length)),
    option("start", "Pose that the solve starts from", ALL, CHOICE, |o| Field::Choice(&mut o.start)),
    option("limits", "Whether joint limits apply", ALL, FLAG, |o| Field::Flag(&mut o.limits)),
    option("restarts", "Maximum number of restarts from other poses for a solve that stalls", ALL, count(0, 10_000, [0, 16]), |o| Field::Count(&mut o.restarts)),
    option("record", "Whether reports contain the error of each iteration", ALL, FLAG, |o| Field::Flag(&mut o.record)).refused("it does not change the result"),
    option("trace", "Whether reports contain every turn of every joint", ALL, FLAG, |o| Field::Flag(&mut o.trace)).refused("it does not change the result; use --trace"),
    option("root_motion", "Whether the base of the body moves", WHOLE_BODY, FLAG, |o| Field::Flag(&mut o.root_motion)).refused("the root of a character moves unless a base is given; use a base"),
    option("textbook", "Whether the method is solved exactly as its founding document states it", TEXTBOOK, FLAG, |o| Field::Flag(&mut o.textbook)),
    option("ccd.base_first", "Whether joints turn in order from the base to the tip instead of from the tip to the base", CCD, FLAG, |o| Field::Flag(&mut o.ccd.base_first)),
    option("ccd.step", "Maximum rotation of a joint in one iteration", CCD, number(Domain { max: PI, ..MAX_ANGLE }), |o| Field::Number(&mut o.ccd.step)),
    option("ccd.budget", "Maximum rotation of a joint in a whole solve", CCD, number(MAX_ANGLE), |o| Field::Number(&mut o.ccd.budget)),
    option("ccd.growing", "Whether the maximum step is multiplied by the number of the joint, counted from the tip, as in MMD", CCD, FLAG, |o| Field::Flag(&mut o.ccd.growing)),
    option("ccd.alternating", "Whether every second iteration turns the joints in the opposite order", CCD, FLAG, |o| Field::Flag(&mut o.ccd.alternating)),
    option("ccd.relaxation", "Fraction of each turn that is applied; more than 1 is over-relaxation", CCD, number(Domain::plain(0.01, 1.95).common(0.1, 1.95)), |o| Field::Number(&mut o.ccd.relaxation)),
    option("ccd.linear", "Whether each turn is linearised: the rotation vector is l × Δp / L²", CCD, FLAG, |o| Field::Flag(&mut o.ccd.linear)),
    option("ccd.extrapolate", "Whether the turns of an iteration are repeated by all joints together if this reduces the error", CCD, FLAG, |o| Field::Flag(&mut o.ccd.extrapolate)),
    option("ccd.early_stop", "Whether the solve ends as soon as an iteration does not reduce the error, as in MMD", CCD, FLAG, |o| Field::Flag(&mut o.ccd.early_stop)),
    option("particle.stiffness", "Fraction of a spring's error that one relaxation corrects", PARTICLE, number(FRACTION.common(0.05, 1.0)), |o| Field::Number(&mut o.particle.stiffness)),
    option("particle.sweeps", "Number of sweeps over the springs in one iteration", PARTICLE, count(1, 1000, [1, 32]), |o| Field::Count(&mut o.particle.sweeps)),
    option("fabrik.sweeps", "Number of sweeps in one iteration", FABRIK, count(1, 1000, [1, 16]), |o| Field::Count(&mut o.fabrik.sweeps)),
    option("fused.correction", "Additional task, which uses the freedom that the goal leaves: the interpolated midpoint of the last step (eqs. 15 and 16), or a pull towards the middle angles (eq. 14)", FUSED, CHOICE, |o| Field::Choice(&mut o.fused.correction)),
    option("fused.alpha", "α of eq. 16: the place of the midpoint between the rotations before the last step (0) and after it (1)", FUSED, number(FRACTION), |o| Field::Number(&mut o.fused.alpha)),
    option("fused.first_weight", "αᵢ of eq. 15 for the first joint; joints between the first and the last one have weights in between", FUSED, number(SIGNED), |o| Field::Number(&mut o.fused.first_weight)),
    option("fused.last_weight", "αᵢ of eq. 15 for the last joint", FUSED, number(SIGNED), |o| Field::Number(&mut o.fused.last_weight)),
    option("full_body.balance", "Whether a figure keeps its balance; otherwise it may fall over for a goal", FIGURE, FLAG, |o| Field::Flag(&mut o.full_body.balance)),
    option("full_body.spine_stiffness", "Stiffness of a figure's back; a stiff back leads to a squat, a soft one to a bow", FIGURE, number(Domain::plain(0.01, 100.0).common(0.1, 10.0).logarithmic()), |o| Field::Number(&mut o.full_body.spine_stiffness)),
    option("full_body.clear", "Whether parts of a figure that pass through each other or the floor at the start are moved out", FIGURE, FLAG, |o| Field::Flag(&mut o.full_body.clear)),
    option("full_body.look", "How far the head of a figure turns towards what a hand reaches for", FIGURE, number(FRACTION), |o| Field::Number(&mut o.full_body.look)),
    option("jacobian.parameters", "Parameters of the joint rotations", JACOBIAN, CHOICE, |o| Field::Choice(&mut o.jacobian.parameters)),
    option("jacobian.secondary", "Secondary task, which uses the freedom that the goals leave", SECONDARY, CHOICE, |o| Field::Choice(&mut o.jacobian.secondary)),
    option("jacobian.secondary_gain", "Fraction of the secondary task that one iteration applies", SECONDARY, number(FRACTION), |o| Field::Number(&mut o.jacobian.secondary_gain)),
    option("jacobian.damping", "Damping as a fraction of the chain's length; auto: falls with the error", DAMPED, number(Domain::plain(0.0, f64::MAX).above().common(0.001, 1.0).logarithmic().or("auto").initial(0.05)), |o| Field::Optional(&mut o.jacobian.damping)),
    option("jacobian.clamp", "Maximum error that one iteration tries to correct, as a fraction of the chain's length", JACOBIAN, number(Domain::plain(0.0, f64::MAX).above().common(0.05, 1.0)), |o| Field::Number(&mut o.jacobian.clamp)),
    option("jacobian.step", "Fixed step size of the transpose, as a fraction of the step that turns a straight hinge to its target; auto: optimal to first order", TRANSPOSE, number(Domain::plain(0.0, f64::MAX).above().common(0.01, 2.0).logarithmic().or("auto").initial(0.5)), |o| Field::Optional(&mut o.jacobian.step)),
    option("limb.swivel", "Rotation of a limb about the line from its first joint to its end", LIMB, OptionKind::Swivel, |o| Field::Swivel(&mut o.limb.swivel)),
    option("limb.soften", "Last fraction of a limb's length over which it slows down before full stretch", LIMB, number(FRACTION.common(0.0, 0.5)), |o| Field::Number(&mut o.limb.soften)),
    option("optimize.rest", "Weight of the distance of each joint from rest", OPTIMIZE, number(WEIGHT), |o| Field::Number(&mut o.optimize.rest)),
    option("optimize.stay", "Weight of the distance of each joint from the start pose", OPTIMIZE, number(WEIGHT), |o| Field::Number(&mut o.optimize.stay)),
    option("optimize.balance", "Support over which the centre of mass is kept, a world position in metres, and the weight of this task", OPTIMIZE, OptionKind::Balance, |o| Field::Balance(&mut o.optimize.balance)),
];

//! The Jacobian methods of the lecture and of Li & Peng (eqs. 5 to 10), and the transpose method of the lecture notes.

use glam::DVec3;
use sinew_ik::{Body, JacobianOptions, JointParameters, LinkIndex, Method, Options, Secondary};

use super::{PLANAR_TARGET, TARGET, Table, assert_table, passes, planar, position, solve, spatial};

const ROTATION_VECTORS: [Table; 2] = [
    [
        [0.339686220, 0.401987735, -0.141850573],
        [0.545955078, 0.461132600, -0.004173258],
        [0.695732418, 0.382814463, 0.150529741],
    ],
    [
        [0.308716291, 0.427564799, -0.168203901],
        [0.499436506, 0.504732176, -0.017634994],
        [0.621652902, 0.416203655, 0.154776878],
    ],
];
const EULER: [Table; 2] = [
    [
        [0.339433820, 0.402396397, -0.141317603],
        [0.548077972, 0.456523316, -0.005163667],
        [0.702352721, 0.372412469, 0.141889614],
    ],
    [
        [0.306207953, 0.430662328, -0.165369491],
        [0.500172834, 0.501408798, -0.015794887],
        [0.632467624, 0.402685301, 0.143113135],
    ],
];
const DAMPED: Table = [
    [0.347409056, 0.396370863, -0.115074583],
    [0.544990730, 0.470090950, 0.028197295],
    [0.702123986, 0.426304371, 0.189106820],
];
const WEIGHTS: Table = [
    [0.307745690, 0.432169487, -0.154213075],
    [0.503103113, 0.518453761, -0.014963294],
    [0.621834748, 0.417052848, 0.152728845],
];
const NULL_SPACE: Table = [
    [0.313903449, 0.421727647, -0.171289306],
    [0.512619725, 0.499386313, -0.031715050],
    [0.618097346, 0.422608933, 0.156645524],
];
const IN_THE_PLANE: Table =
    [[0.289832069, -0.077442701, 0.0], [0.345840720, 0.166202596, 0.0], [0.432749742, 0.346332610, 0.0]];
const TRANSPOSE: [Table; 2] = [
    [
        [0.295699543, 0.447064104, -0.074289741],
        [0.394165575, 0.610144896, 0.095147846],
        [0.477011769, 0.681376050, 0.296549512],
    ],
    [
        [0.273332057, 0.462903758, -0.071058473],
        [0.329905016, 0.637543049, 0.105861334],
        [0.369227023, 0.715955195, 0.317533995],
    ],
];
/// The δ of the transpose method's table, in radians per square metre.
const DELTA: f64 = 1.5;
/// The length of the chain in the tables.
const LENGTH: f64 = 0.8003075264442692;

fn solved(method: Method, count: usize, own: JacobianOptions, mut body: Body, target: DVec3) -> Body {
    let report = solve(&mut body, target, &passes(method, count).with_jacobian(own));
    assert_eq!(report.iterations, count);
    body
}

#[test]
fn the_pseudo_inverse_of_the_lecture() {
    let parameters = [
        ("rotation vectors", JointParameters::RotationVector, ROTATION_VECTORS),
        ("Euler angles", JointParameters::Euler, EULER),
    ];
    for (name, parameters, tables) in parameters {
        for (count, table) in (1..).zip(tables) {
            let own = JacobianOptions::default().with_parameters(parameters);
            let body = solved(Method::PseudoInverse, count, own, spatial(|_, _| {}), TARGET);
            assert_table(&format!("lecture, J⁺ with {name}, {count}"), &body, table);
        }
    }
}

#[test]
fn a_planar_chain_has_two_rows() {
    let body = solved(Method::PseudoInverse, 2, JacobianOptions::default(), planar(), PLANAR_TARGET);
    assert_table("lecture, J⁺ in a plane, 2", &body, IN_THE_PLANE);
}

#[test]
fn the_weights_of_the_lecture() {
    let weights = [1.0, 0.25, 0.5, 1.0];
    let body = spatial(|index, link| link.weight = weights[index]);
    let body = solved(Method::PseudoInverse, 2, JacobianOptions::default(), body, TARGET);
    assert_table("lecture, weights, 2", &body, WEIGHTS);
}

#[test]
fn the_null_space_of_the_lecture() {
    let own = JacobianOptions::default().with_secondary(Secondary::Rest).with_secondary_gain(0.2);
    let body = solved(Method::PseudoInverse, 2, own, spatial(|_, _| {}), TARGET);
    assert_table("lecture, null space (Li & Peng, eq. 8), 2", &body, NULL_SPACE);
}

#[test]
fn the_damped_step_of_li_and_peng() {
    let own = JacobianOptions::default().with_damping(0.3);
    let body = solved(Method::Dls, 2, own, spatial(|_, _| {}), TARGET);
    assert_table("Li & Peng, eq. 7, 2", &body, DAMPED);
}

#[test]
fn the_transpose_of_the_notes() {
    let own = JacobianOptions::default().with_step(DELTA * LENGTH * LENGTH);
    for (count, table) in (1..).zip(TRANSPOSE) {
        let body = solved(Method::JacobianTranspose, count, own, spatial(|_, _| {}), TARGET);
        assert_table(&format!("notes, Jᵀ with δ, {count}"), &body, table);
    }
}

/// One hinge in a plane has fewer columns than rows: J⁺ = (Jᵀ J)⁻¹ Jᵀ (Li & Peng, eq. 9). With a = z, l = x and Δp = 0.05 y, the
/// angle is 0.05 / 1, and with Δp across the line it is 0.
#[test]
fn fewer_columns_than_rows() {
    let hinge = sinew_ik::Limit::hinge(DVec3::Z, -3.0..=3.0);
    let links = vec![sinew_ik::Link::base().with_limit(hinge), sinew_ik::Link::child(LinkIndex(0), DVec3::X)];
    let body = || Body::new(links.clone(), glam::DAffine3::IDENTITY).unwrap();
    let target = DVec3::new(1.0, 0.05, 0.0);
    let turned = solved(Method::PseudoInverse, 1, JacobianOptions::default(), body(), target);
    let away = position(&turned, 1).distance(DVec3::new(0.05_f64.cos(), 0.05_f64.sin(), 0.0));
    println!("Li & Peng, eq. 9: {away:.1e} m");
    assert!(away < 1e-12);
    let target = DVec3::new(0.95, 0.0, 0.0);
    let same = solved(Method::PseudoInverse, 1, JacobianOptions::default(), body(), target);
    assert_eq!(position(&same, 1), DVec3::X);
}

/// The method stops when the end is within tolerance, and takes no step if the end is already there at the start.
#[test]
fn the_steps_end_at_the_target() {
    let options = Options::default().with_method(Method::PseudoInverse).with_textbook(true);
    let mut body = spatial(|_, _| {});
    let report = solve(&mut body, TARGET, &options);
    assert!(report.reached() && report.iterations > 5, "{}", report.iterations);
    assert_eq!(solve(&mut body, TARGET, &options).iterations, 0);
}

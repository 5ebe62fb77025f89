//! Exercise 9: rotations of joints from the positions of joints.

use glam::{DMat3, DQuat, DVec3, Quat};
use sinew::asset;
use sinew::capture::Fit;
use sinew::ik::best_fit;
use sinew::pose::Pose;

use crate::page::{Page, assert_printed};

const PAGE: &str = include_str!("../../docs/exercises/09-capture-fit.md");

/// Neck, left arm and right arm at rest, relative to the chest. The arms are `forward` metres in front of the chest.
fn rest(forward: f64) -> [DVec3; 3] {
    [DVec3::new(0.0, 0.3, 0.0), DVec3::new(0.2, 0.2, forward), DVec3::new(-0.2, 0.2, forward)]
}

/// Returns the matrix of Oshita's lecture, (l_j l_k l_m)(l_j0 l_k0 l_m0)⁻¹. It is a rotation only for exact positions.
fn matrix(rest: [DVec3; 3], measured: [DVec3; 3]) -> DMat3 {
    let columns = |v: [DVec3; 3]| DMat3::from_cols(v[0], v[1], v[2]);
    columns(measured) * columns(rest).inverse()
}

/// Converts a matrix to a rotation by the Gram–Schmidt process. `first` is the axis that keeps its direction, and
/// `second` keeps its plane.
fn orthonormal(matrix: DMat3, first: usize, second: usize) -> DQuat {
    let a = matrix.col(first).normalize();
    let b = matrix.col(second).reject_from_normalized(a).normalize();
    // In the order x, y, z, x the cross product of two axes is the next one.
    let c = if (first + 1) % 3 == second { a.cross(b) } else { b.cross(a) };
    let mut axes = [c; 3];
    (axes[first], axes[second]) = (a, b);
    DQuat::from_mat3(&DMat3::from_cols(axes[0], axes[1], axes[2]))
}

/// Returns the rotation with the least sum of squared distances.
fn least_squares(rest: [DVec3; 3], measured: [DVec3; 3]) -> DQuat {
    best_fit(rest.into_iter().zip(measured).map(|(from, to)| (from, to, 1.0)))
}

const QUARTER: f64 = std::f64::consts::FRAC_PI_2;

/// The measured positions of the page, relative to the chest: the chest has turned by 90° about y, and the position of the left arm is
/// wrong by 2 cm.
fn measured() -> [DVec3; 3] {
    let mut measured = rest(0.05).map(|v| DQuat::from_rotation_y(QUARTER) * v);
    measured[1].x += 0.02;
    measured
}

fn turn(q: DQuat) -> f64 {
    q.to_scaled_axis().y.to_degrees()
}

fn residual(rotation: DQuat) -> f64 {
    let pairs = rest(0.05).into_iter().zip(measured());
    pairs.map(|(from, to)| (rotation * from).distance_squared(to)).sum::<f64>().sqrt()
}

#[test]
fn the_page_has_the_rotations_of_all_three() {
    let page = Page::new("capture_fit", PAGE);
    page.assert_blocks_are_in(include_str!("capture_fit.rs"));
    let matrix = matrix(rest(0.05), measured());
    for (row, axis) in page.table("The matrix:").iter().zip(0..3) {
        row[1..]
            .iter()
            .zip(matrix.row(axis).to_array())
            .for_each(|(cell, value)| assert_printed(cell, value));
    }
    let fits = [orthonormal(matrix, 0, 1), orthonormal(matrix, 2, 1), least_squares(rest(0.05), measured())];
    for (row, fit) in page.table("Rotations of the chest:").iter().zip(fits) {
        assert_printed(row[1], turn(fit));
        assert_printed(row[2], 1000.0 * residual(fit));
    }
}

#[test]
fn the_program_and_the_library_fit_by_least_squares() {
    let page = Page::new("capture_fit_program", PAGE);
    let rotation = |json: &str, name: &str| {
        let pose: serde_json::Value = serde_json::from_str(json).unwrap();
        let node = pose["nodes"].as_array().unwrap().iter().find(|n| n["name"] == name).unwrap().clone();
        DQuat::from_array([0, 1, 2, 3].map(|i| node["rotation"][i].as_f64().unwrap()))
    };
    let exact = page.run("--animation-time 1");
    assert!((turn(rotation(&exact, "chest")) - 90.0).abs() < 0.05);
    assert!((turn(rotation(&exact, "leftArm")) + 90.0).abs() < 0.05);
    let noisy = page.run("--animation-time 2");
    let fitted = least_squares(rest(0.05), measured());
    assert!(
        (turn(rotation(&noisy, "chest")) - turn(fitted)).abs() < 0.05,
        "{}",
        turn(rotation(&noisy, "chest"))
    );

    let character = asset::load(&page.path("torso.gltf")).unwrap();
    let skeleton = &character.skeleton;
    let joints = ["hips", "chest", "neck", "leftArm", "rightArm"].map(|name| skeleton.find(name).unwrap());
    let chest = DVec3::new(0.0, 0.5, 0.0);
    let mut positions = vec![DVec3::ZERO, chest];
    positions.extend(measured().map(|p| chest + p));
    let positions: Vec<_> = positions.iter().map(|p| Some(p.as_vec3())).collect();
    let mut pose = Pose::rest(skeleton);
    Fit::new(skeleton, &joints).unwrap().pose(&positions, &mut pose);
    let of_library: Quat = pose.locals[joints[1]].rotation;
    assert!(of_library.as_dquat().angle_between(fitted) < 1e-3);
}

/// A pseudo-random sequence of numbers from −1 to 1: the linear congruential generator of Knuth's MMIX.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// Returns the mean errors of the lecture's matrix in two orders and of least squares, in degrees. Each coordinate is wrong by up
/// to 5 mm.
fn mean_errors(forward: f64) -> [f64; 3] {
    const CASES: u32 = 1000;
    let (mut noise, mut sums) = (Noise(1), [0.0; 3]);
    let truth = DQuat::from_rotation_y(QUARTER);
    for _ in 0..CASES {
        let mut noisy = |v: DVec3| truth * v + 0.005 * DVec3::new(noise.next(), noise.next(), noise.next());
        let measured = rest(forward).map(&mut noisy);
        let matrix = matrix(rest(forward), measured);
        let least_squares = least_squares(rest(forward), measured);
        let fits = [orthonormal(matrix, 2, 1), orthonormal(matrix, 0, 1), least_squares];
        sums.iter_mut().zip(fits).for_each(|(sum, fit)| *sum += fit.angle_between(truth).to_degrees());
    }
    sums.map(|sum| sum / f64::from(CASES))
}

#[test]
fn the_inverse_amplifies_noise_where_the_bones_are_nearly_in_a_plane() {
    let page = Page::new("capture_fit_noise", PAGE);
    for row in page.table("Mean errors with noise:") {
        let forward: f64 = row[0].split(' ').next().unwrap().parse().unwrap();
        let errors = mean_errors(forward);
        errors.iter().zip(&row[1..]).for_each(|(error, cell)| assert_printed(cell, *error));
    }
    // In a plane, the matrix of the rest positions has no inverse.
    let flat = rest(0.0);
    assert!(DMat3::from_cols(flat[0], flat[1], flat[2]).determinant().abs() < 1e-12);
}

//! Exercise 5: particles with masses, and two methods as limiting cases.

use glam::{DAffine3, DQuat, DVec3};
use sinew::ik::{Body, Goal, Link, LinkIndex, Method, Options, Solver};

use crate::page::{Page, assert_printed, planar_turns};

const PAGE: &str = include_str!("../../docs/exercises/05-particle-masses.md");

/// Particles on springs, root first.
#[derive(Clone)]
struct Rope {
    particles: Vec<DVec3>,
    /// Length of the spring from each particle to the next one.
    lengths: Vec<f64>,
    /// One divided by the mass of each particle. The root has 0.
    inverse_masses: Vec<f64>,
}

impl Rope {
    fn new(particles: Vec<DVec3>, inverse_masses: &[f64]) -> Self {
        let lengths = particles.windows(2).map(|w| w[0].distance(w[1])).collect();
        Self { particles, lengths, inverse_masses: inverse_masses.to_vec() }
    }

    /// Restores the length of a spring. The ends share the correction in proportion to their inverse masses.
    fn relax(&mut self, spring: usize, weights: [f64; 2]) {
        let vector = self.particles[spring + 1] - self.particles[spring];
        let excess = vector * (1.0 - self.lengths[spring] / vector.length());
        let sum = weights[0] + weights[1];
        self.particles[spring] += excess * (weights[0] / sum);
        self.particles[spring + 1] -= excess * (weights[1] / sum);
    }

    /// Pulls the tip to the target, and relaxes the springs from the tip to the root.
    fn sweep(&mut self, target: DVec3) {
        *self.particles.last_mut().unwrap() = target;
        for spring in (0..self.lengths.len()).rev() {
            self.relax(spring, [self.inverse_masses[spring], self.inverse_masses[spring + 1]]);
        }
    }

    /// A sweep to the root in which each parent has no mass, and one back in which each child has none.
    fn sweep_with_extreme_masses(&mut self, target: DVec3) {
        *self.particles.last_mut().unwrap() = target;
        (0..self.lengths.len()).rev().for_each(|spring| self.relax(spring, [1.0, 0.0]));
        self.particles[0] = DVec3::ZERO;
        (0..self.lengths.len()).for_each(|spring| self.relax(spring, [0.0, 1.0]));
    }
}

/// The arm of the page, with its elbow bent by 90°.
fn arm() -> Body {
    let bone = |parent, length| Link::child(LinkIndex(parent), DVec3::X * length);
    let links = vec![Link::base(), bone(0, 4.0), bone(1, 3.0), bone(2, 2.0)];
    let mut arm = Body::new(links, DAffine3::IDENTITY).unwrap();
    arm.set_rotation(LinkIndex(1), DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2));
    arm
}

const JOINTS: [DVec3; 4] =
    [DVec3::ZERO, DVec3::new(4.0, 0.0, 0.0), DVec3::new(4.0, 3.0, 0.0), DVec3::new(4.0, 5.0, 0.0)];
const TARGET: DVec3 = DVec3::new(4.0, 6.0, 0.0);

fn joints_after(options: &Options, target: DVec3) -> Vec<DVec3> {
    let mut arm = arm();
    Solver::default().solve(&mut arm, &[Goal::position(LinkIndex(3), target)], options).unwrap();
    (0..4).map(|link| arm.world_from_link(LinkIndex(link)).unwrap().translation).collect()
}

/// Returns the joints of an arm whose bones point from the position of their joint to the next particle.
fn fitted(rope: &Rope) -> Vec<DVec3> {
    let mut joints = vec![DVec3::ZERO];
    for (below, length) in rope.particles.iter().skip(1).zip(&rope.lengths) {
        let here = joints[joints.len() - 1];
        joints.push(here + (*below - here).normalize() * *length);
    }
    joints
}

fn options(method: Method) -> Options {
    let mut options = Options::default();
    options.method = method;
    options.iterations = 1;
    options.textbook = method == Method::Particle;
    options.fabrik.sweeps = 1;
    options
}

#[test]
fn one_sweep_with_equal_masses_is_the_founding_formula() {
    let page = Page::new("particle_masses", PAGE);
    page.assert_blocks_are_in(include_str!("particle_masses.rs"));
    let mut rope = Rope::new(JOINTS.to_vec(), &[0.0, 1.0, 1.0, 1.0]);
    rope.sweep(TARGET);
    for (particle, row) in rope.particles.iter().zip(page.table("Particles after the sweep:")) {
        assert_printed(row[1], particle.x);
        assert_printed(row[2], particle.y);
    }
    let (by_hand, of_sinew) = (fitted(&rope), joints_after(&options(Method::Particle), TARGET));
    for (hand, sinew) in by_hand.iter().zip(&of_sinew) {
        assert!(hand.distance(*sinew) < 1e-9, "{hand} by hand, {sinew} by sinew");
    }
    let trace = page.run("textbook=true");
    assert_eq!(trace.lines().filter(|line| line.contains(",spring,")).count(), 3, "{trace}");
    let fit: Vec<&str> =
        trace.lines().enumerate().filter(|(i, l)| *i == 0 || l.contains(",fit,")).map(|(_, l)| l).collect();
    let turns = planar_turns(&fit.join("\n"));
    let mut before = 0.0;
    let error = by_hand[3].distance(TARGET);
    assert!((turns.last().unwrap().2 - error).abs() < 1e-6);
    for (index, (row, turn)) in page.table("Turns of the fit:").iter().zip(&turns).enumerate() {
        let bone = by_hand[index + 1] - by_hand[index];
        let angle = bone.y.atan2(bone.x).to_degrees();
        let rest = [0.0, 90.0, 0.0][index];
        assert_printed(row[1], angle);
        assert_printed(row[2], angle - before - rest);
        assert!((turn.1 - (angle - before - rest)).abs() < 1e-5, "{turn:?}");
        before = angle;
    }
}

#[test]
fn the_springs_keep_the_momentum() {
    // Without the root, no spring moves the centre of mass.
    let inverse = [0.5, 1.0, 4.0, 0.25];
    let mut rope = Rope::new(JOINTS.to_vec(), &inverse);
    rope.particles[3] += DVec3::new(0.4, 1.0, 0.3);
    let momentum = |rope: &Rope| rope.particles.iter().zip(inverse).map(|(p, w)| *p / w).sum::<DVec3>();
    let before = momentum(&rope);
    (0..3).rev().for_each(|spring| rope.relax(spring, [inverse[spring], inverse[spring + 1]]));
    assert!(momentum(&rope).distance(before) < 1e-12);
}

#[test]
fn extreme_masses_are_fabrik() {
    let mut rope = Rope::new(JOINTS.to_vec(), &[0.0; 4]);
    rope.sweep_with_extreme_masses(DVec3::new(2.0, 1.0, 0.0));
    let of_sinew = joints_after(&options(Method::Fabrik), DVec3::new(2.0, 1.0, 0.0));
    for (hand, sinew) in rope.particles.iter().zip(&of_sinew) {
        assert!(hand.distance(*sinew) < 1e-9, "{hand} by hand, {sinew} by sinew");
    }
}

/// Returns the number of sweeps until the error is a hundredth of a millimetre, and the displacements of elbow, wrist and tip.
fn settled(inverse_masses: &[f64]) -> (usize, [f64; 3]) {
    let target = DVec3::new(5.0, 4.0, 0.0);
    let mut rope = Rope::new(JOINTS.to_vec(), inverse_masses);
    let mut sweeps = 0;
    while sweeps == 0 || rope.particles[3].distance(target) > 1e-5 {
        rope.sweep(target);
        sweeps += 1;
        assert!(sweeps < 100_000);
    }
    (sweeps, [1, 2, 3].map(|i| rope.particles[i].distance(JOINTS[i])))
}

#[test]
fn masses_choose_among_the_solutions() {
    let page = Page::new("particle_masses_settled", PAGE);
    let cases = [[0.0, 1.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.0], [0.0, 1.0, 0.1, 1.0], [0.0, 1.0, 1.0, 0.1]];
    for (masses, row) in cases.iter().zip(page.table("Settled ropes:")) {
        let (sweeps, displacements) = settled(masses);
        assert_eq!(row[1], sweeps.to_string());
        displacements.iter().zip(&row[2..]).for_each(|(distance, cell)| assert_printed(cell, *distance));
    }
}

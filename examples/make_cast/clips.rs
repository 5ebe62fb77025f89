//! The movements, as formulas over one turn of the loop: every clip ends as it begins.

use crate::gait;
use crate::skeleton::{FOOT, HAND, HIPS, LOWER_ARM, UPPER_LEG, mirrored};
use glam::{DQuat, DVec3, dvec3};
use std::f64::consts::TAU;

/// Keys for each second.
const RATE: usize = 20;

/// What a clip does to one joint.
pub(crate) enum Track {
    /// Local rotation at each key.
    Rotation(String, Vec<DQuat>),
    /// Local translation at each key.
    Translation(String, Vec<DVec3>),
    /// Weights of all morph targets of a mesh at each key, one key after another.
    Morphs(String, Vec<f64>),
}

/// A looping movement.
pub(crate) struct Clip {
    pub(crate) name: &'static str,
    /// The times of the keys, in seconds; the last key repeats the first.
    pub(crate) times: Vec<f64>,
    pub(crate) tracks: Vec<Track>,
    /// Whether keys are cubic Hermite: in-tangent, value, out-tangent.
    pub(crate) cubic: bool,
}

/// The clips of the figure.
pub(crate) fn clips() -> Vec<Clip> {
    vec![idle(), wave(), gait::walk(), gait::run(), gait::crouch()]
}

/// Breathes, shifts its weight a little and looks about.
fn idle() -> Clip {
    let mut clip = Clip::new("idle", 4);
    clip.sway(0.008, 1.0);
    clip.turns("spine", |t| turn(DVec3::Z, 0.8 * wave_at(t, 1.0, 0.0)));
    clip.turns("chest", |t| turn(DVec3::X, -1.2 * wave_at(t, 1.0, 0.1)));
    clip.turns("upperChest", |t| turn(DVec3::X, -wave_at(t, 1.0, 0.1)));
    clip.turns("neck", |t| turn(DVec3::Y, 3.0 * wave_at(t, 1.0, 0.6)));
    clip.turns("head", |t| {
        turn(DVec3::Y, 6.0 * wave_at(t, 1.0, 0.55)) * turn(DVec3::X, 1.5 * wave_at(t, 1.0, 0.2))
    });
    for (side, sign) in [(LEFT, 1.0), (RIGHT, -1.0)] {
        clip.turns(side.shoulder, move |t| turn(DVec3::Z, sign * (0.8 * wave_at(t, 1.0, 0.1) - 1.0)));
        clip.hang(&side, sign);
    }
    clip
}

/// Greets with the right hand.
fn wave() -> Clip {
    let mut clip = Clip::new("wave", 2);
    clip.sway(-0.012, 1.0);
    clip.turns("spine", |t| turn(DVec3::Z, 2.0 + 1.2 * wave_at(t, 1.0, 0.05)));
    clip.turns("chest", |t| turn(DVec3::Z, 2.0 + wave_at(t, 1.0, 0.1)) * turn(DVec3::Y, -3.0));
    clip.turns("upperChest", |t| turn(DVec3::X, -wave_at(t, 1.0, 0.0)));
    clip.turns("neck", |t| turn(DVec3::Y, -4.0 + 2.0 * wave_at(t, 1.0, 0.3)));
    clip.turns("head", |t| turn(DVec3::Y, -5.0 + 4.0 * wave_at(t, 1.0, 0.35)) * turn(DVec3::Z, -6.0));
    clip.turns(RIGHT.shoulder, |t| turn(DVec3::Z, -12.0 + wave_at(t, 2.0, 0.0)));
    clip.turns(RIGHT.upper_arm, |t| {
        turn(DVec3::Z, -42.0 - 3.0 * wave_at(t, 2.0, 0.0)) * turn(DVec3::Y, -14.0)
    });
    let fore = mirrored(HAND - LOWER_ARM).normalize();
    clip.turns(RIGHT.lower_arm, move |t| {
        turn(DVec3::Z, -80.0 + 20.0 * wave_at(t, 2.0, 0.08)) * turn(fore, 48.0)
    });
    clip.turns(RIGHT.hand, move |t| {
        turn(fore, 30.0) * turn(DVec3::Z.cross(fore), -9.0 * wave_at(t, 2.0, 0.2))
    });
    clip.hang(&LEFT, 1.0);
    clip
}

/// The joints of one arm.
struct Arm {
    shoulder: &'static str,
    upper_arm: &'static str,
    lower_arm: &'static str,
    hand: &'static str,
}

const LEFT: Arm =
    Arm { shoulder: "leftShoulder", upper_arm: "leftUpperArm", lower_arm: "leftLowerArm", hand: "leftHand" };
const RIGHT: Arm = Arm {
    shoulder: "rightShoulder",
    upper_arm: "rightUpperArm",
    lower_arm: "rightLowerArm",
    hand: "rightHand",
};

impl Clip {
    /// A loop of `keys` steps of a `rate`th of a second.
    pub(crate) fn at_rate(name: &'static str, keys: usize, rate: usize) -> Self {
        let times = (0..=keys).map(|key| key as f64 / rate as f64).collect();
        Self { name, times, tracks: Vec::new(), cubic: false }
    }

    fn new(name: &'static str, seconds: usize) -> Self {
        Self::at_rate(name, seconds * RATE, RATE)
    }

    /// The keys' places in the loop, from zero up to and including one.
    pub(crate) fn turns_of_loop(&self) -> impl Iterator<Item = f64> {
        let last = (self.times.len() - 1) as f64;
        // One is written as zero, so that the last key is the first to the bit.
        (0..self.times.len()).map(move |key| if key as f64 == last { 0.0 } else { key as f64 / last })
    }

    pub(crate) fn turns(&mut self, joint: &str, rotation: impl Fn(f64) -> DQuat) {
        let keys = self.turns_of_loop().map(rotation).collect();
        self.tracks.push(Track::Rotation(joint.to_owned(), keys));
    }

    /// Moves the hips sideways by `reach` metres and turns the legs against it, so that the soles stay.
    fn sway(&mut self, reach: f64, cycles: f64) {
        let shift = move |t: f64| reach * wave_at(t, cycles, 0.0);
        let keys = self.turns_of_loop().map(|t| HIPS + DVec3::X * shift(t)).collect();
        self.tracks.push(Track::Translation("hips".to_owned(), keys));
        let lean = move |t: f64| libm::atan(shift(t) / (UPPER_LEG.y - FOOT.y)).to_degrees();
        for (leg, foot) in [("leftUpperLeg", "leftFoot"), ("rightUpperLeg", "rightFoot")] {
            self.turns(leg, move |t| turn(DVec3::Z, -lean(t)));
            self.turns(foot, move |t| turn(DVec3::Z, lean(t)));
        }
    }

    /// Lets an arm hang from the A-pose to the side, its elbow a little bent; `sign` is 1 for the left.
    fn hang(&mut self, arm: &Arm, sign: f64) {
        let forward = dvec3(-0.71, -sign * 0.7, 0.0);
        self.turns(arm.upper_arm, move |t| turn(DVec3::Z, sign * (-24.0 + 1.2 * wave_at(t, 1.0, 0.2))));
        self.turns(arm.lower_arm, move |t| {
            turn(DVec3::Z, -4.0 * sign) * turn(forward, 14.0 + 1.5 * wave_at(t, 1.0, 0.3))
        });
        self.turns(arm.hand, move |_| turn(DVec3::Z, -4.0 * sign) * turn(forward, 4.0));
    }
}

/// A sine of `cycles` whole cycles in the loop, late by `delay` of the loop.
pub(crate) fn wave_at(t: f64, cycles: f64, delay: f64) -> f64 {
    libm::sin(TAU * (t * cycles - delay))
}

/// The rotation by `degrees` about `axis`.
pub(crate) fn turn(axis: DVec3, degrees: f64) -> DQuat {
    let half = 0.5 * degrees.to_radians();
    let v = axis.normalize() * libm::sin(half);
    DQuat::from_xyzw(v.x, v.y, v.z, libm::cos(half))
}

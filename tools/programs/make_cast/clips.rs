//! Animation clips, defined by formulas over one cycle. Every clip loops seamlessly.

use crate::gait;
use crate::skeleton::{FOOT, HAND, HIPS, LOWER_ARM, UPPER_LEG, mirrored};
use glam::{DQuat, DVec3, dvec3};
use std::f64::consts::TAU;

/// Keys per second.
const RATE: usize = 20;

/// The keys of one animated property.
pub(crate) enum Track {
    /// The joint, and its local rotation at each key.
    Rotation(String, Vec<DQuat>),
    /// The joint, and its local translation at each key.
    Translation(String, Vec<DVec3>),
    /// The mesh, and the weights of all its morph targets, key by key.
    Morphs(String, Vec<f64>),
}

/// A looping clip.
pub(crate) struct Clip {
    pub(crate) name: &'static str,
    /// Times of the keys in seconds. The last key repeats the first.
    pub(crate) times: Vec<f64>,
    pub(crate) tracks: Vec<Track>,
    /// Whether the clip uses cubic Hermite splines. Each key is then an in-tangent, a value and an out-tangent.
    pub(crate) cubic: bool,
}

pub(crate) fn clips() -> Vec<Clip> {
    vec![idle(), wave(), gait::walk(), gait::run(), gait::crouch()]
}

/// Returns the idle clip, in which the mannequin breathes, shifts its weight slightly and looks around.
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
    for (side, sign) in [(LEFT_ARM, 1.0), (RIGHT_ARM, -1.0)] {
        clip.turns(side.shoulder, move |t| turn(DVec3::Z, sign * (0.8 * wave_at(t, 1.0, 0.1) - 1.0)));
        clip.hang(&side, sign);
    }
    clip
}

/// Returns the clip in which the mannequin waves with its right hand.
fn wave() -> Clip {
    let mut clip = Clip::new("wave", 2);
    clip.sway(-0.012, 1.0);
    clip.turns("spine", |t| turn(DVec3::Z, 2.0 + 1.2 * wave_at(t, 1.0, 0.05)));
    clip.turns("chest", |t| turn(DVec3::Z, 2.0 + wave_at(t, 1.0, 0.1)) * turn(DVec3::Y, -3.0));
    clip.turns("upperChest", |t| turn(DVec3::X, -wave_at(t, 1.0, 0.0)));
    clip.turns("neck", |t| turn(DVec3::Y, -4.0 + 2.0 * wave_at(t, 1.0, 0.3)));
    clip.turns("head", |t| turn(DVec3::Y, -5.0 + 4.0 * wave_at(t, 1.0, 0.35)) * turn(DVec3::Z, -6.0));
    clip.turns(RIGHT_ARM.shoulder, |t| turn(DVec3::Z, -12.0 + wave_at(t, 2.0, 0.0)));
    clip.turns(RIGHT_ARM.upper_arm, |t| {
        turn(DVec3::Z, -42.0 - 3.0 * wave_at(t, 2.0, 0.0)) * turn(DVec3::Y, -14.0)
    });
    let fore = mirrored(HAND - LOWER_ARM).normalize();
    clip.turns(RIGHT_ARM.lower_arm, move |t| {
        turn(DVec3::Z, -80.0 + 20.0 * wave_at(t, 2.0, 0.08)) * turn(fore, 48.0)
    });
    clip.turns(RIGHT_ARM.hand, move |t| {
        turn(fore, 30.0) * turn(DVec3::Z.cross(fore), -9.0 * wave_at(t, 2.0, 0.2))
    });
    clip.hang(&LEFT_ARM, 1.0);
    clip
}

/// The joints of one arm.
struct Arm {
    shoulder: &'static str,
    upper_arm: &'static str,
    lower_arm: &'static str,
    hand: &'static str,
}

const LEFT_ARM: Arm =
    Arm { shoulder: "leftShoulder", upper_arm: "leftUpperArm", lower_arm: "leftLowerArm", hand: "leftHand" };
const RIGHT_ARM: Arm = Arm {
    shoulder: "rightShoulder",
    upper_arm: "rightUpperArm",
    lower_arm: "rightLowerArm",
    hand: "rightHand",
};

impl Clip {
    /// Creates an empty looping clip of `keys` intervals, each 1/`rate` seconds long.
    pub(crate) fn at_rate(name: &'static str, keys: usize, rate: usize) -> Self {
        let times = (0..=keys).map(|key| key as f64 / rate as f64).collect();
        Self { name, times, tracks: Vec::new(), cubic: false }
    }

    fn new(name: &'static str, seconds: usize) -> Self {
        Self::at_rate(name, seconds * RATE, RATE)
    }

    /// Returns the phases of all keys in the cycle. The last one is 0 instead of 1.
    pub(crate) fn phases(&self) -> impl Iterator<Item = f64> {
        let last = (self.times.len() - 1) as f64;
        // Phase 0 instead of 1 makes the last key equal to the first bit for bit.
        (0..self.times.len()).map(move |key| if key as f64 == last { 0.0 } else { key as f64 / last })
    }

    /// Adds a rotation track for a joint, sampled from a function of the phase.
    pub(crate) fn turns(&mut self, joint: &str, rotation: impl Fn(f64) -> DQuat) {
        let keys = self.phases().map(rotation).collect();
        self.tracks.push(Track::Rotation(joint.to_owned(), keys));
    }

    /// Adds tracks that sway the hips sideways by up to `reach` metres, and rotate the legs so that the soles stay in
    /// place.
    fn sway(&mut self, reach: f64, cycles: f64) {
        let shift = move |t: f64| reach * wave_at(t, cycles, 0.0);
        let keys = self.phases().map(|t| HIPS + DVec3::X * shift(t)).collect();
        self.tracks.push(Track::Translation("hips".to_owned(), keys));
        let lean = move |t: f64| libm::atan(shift(t) / (UPPER_LEG.y - FOOT.y)).to_degrees();
        for (leg, foot) in [("leftUpperLeg", "leftFoot"), ("rightUpperLeg", "rightFoot")] {
            self.turns(leg, move |t| turn(DVec3::Z, -lean(t)));
            self.turns(foot, move |t| turn(DVec3::Z, lean(t)));
        }
    }

    /// Adds tracks that lower an arm from the A-pose to the side, with the elbow slightly bent. `sign` is 1 for the
    /// left arm and −1 for the right one.
    fn hang(&mut self, arm: &Arm, sign: f64) {
        let forward = dvec3(-0.71, -sign * 0.7, 0.0);
        self.turns(arm.upper_arm, move |t| turn(DVec3::Z, sign * (-24.0 + 1.2 * wave_at(t, 1.0, 0.2))));
        self.turns(arm.lower_arm, move |t| {
            turn(DVec3::Z, -4.0 * sign) * turn(forward, 14.0 + 1.5 * wave_at(t, 1.0, 0.3))
        });
        self.turns(arm.hand, move |_| turn(DVec3::Z, -4.0 * sign) * turn(forward, 4.0));
    }
}

/// Returns the value at phase `t` of a sine wave with `cycles` periods per loop. `delay` is a phase shift in periods.
pub(crate) fn wave_at(t: f64, cycles: f64, delay: f64) -> f64 {
    libm::sin(TAU * (t * cycles - delay))
}

/// Returns the rotation by `degrees` about `axis`.
pub(crate) fn turn(axis: DVec3, degrees: f64) -> DQuat {
    let half = 0.5 * degrees.to_radians();
    let v = axis.normalize() * libm::sin(half);
    DQuat::from_xyzw(v.x, v.y, v.z, libm::cos(half))
}

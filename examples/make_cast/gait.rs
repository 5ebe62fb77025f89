//! Walk, run and crouch of the mannequin: feet follow paths on the ground, legs by the two-bone closed form.
//!
//! All are in place, as on a treadmill: a foot on the ground moves backwards at one speed.

use crate::clips::{Clip, Track, turn, wave_at};
use crate::sdf::smoothstep;
use crate::skeleton::{FOOT, HAND, HIPS, LOWER_ARM, LOWER_LEG, TOES, UPPER_LEG, mirrored};
use glam::{DMat3, DQuat, DVec3, dvec3};
use std::f64::consts::PI;

const RATE: usize = 30;

/// How one goes.
struct Gait {
    /// Part of the cycle that a foot is on the ground.
    stance: f64,
    /// Metres that a foot on the ground moves back in that time.
    stride: f64,
    /// Metres that the foot is lifted when it swings.
    lift: f64,
    /// Degrees that the toes point up when the heel comes down, and down when they leave.
    strike: f64,
    off: f64,
    /// Metres that the hips are lower than at rest, and that they go up and down.
    drop: f64,
    bob: f64,
    /// The part of the cycle at which the hips are highest.
    high: f64,
    /// Degrees that the trunk leans forward.
    lean: f64,
    /// Degrees that arms swing, and that elbows are bent.
    swing: f64,
    elbow: f64,
}

pub(crate) fn walk() -> Clip {
    let gait = Gait {
        stance: 0.6,
        stride: 0.54,
        lift: 0.045,
        strike: 18.0,
        off: 42.0,
        drop: 0.044,
        bob: 0.016,
        high: 0.3,
        lean: 3.0,
        swing: 24.0,
        elbow: 18.0,
    };
    gait.clip(Clip::at_rate("walk", 30, RATE))
}

pub(crate) fn run() -> Clip {
    let gait = Gait {
        stance: 0.36,
        stride: 0.62,
        lift: 0.2,
        strike: 4.0,
        off: 46.0,
        drop: 0.075,
        bob: 0.035,
        high: 0.43,
        lean: 11.0,
        swing: 38.0,
        elbow: 82.0,
    };
    gait.clip(Clip::at_rate("run", 21, RATE))
}

/// Goes down on its knees' springs, and up again; the feet stay.
pub(crate) fn crouch() -> Clip {
    let mut clip = Clip::at_rate("crouch", 75, RATE);
    let deep = |t: f64| 0.5 - 0.5 * libm::cos(2.0 * PI * t);
    let hips = move |t: f64| (HIPS + dvec3(0.0, -0.36, -0.1) * deep(t), turn(DVec3::X, 22.0 * deep(t)));
    clip.body(hips, |_, _| Step { ball: 0.0, height: 0.0, pitch: 0.0 });
    clip.turns("spine", move |t| turn(DVec3::X, 8.0 * deep(t)));
    clip.turns("chest", move |t| turn(DVec3::X, 8.0 * deep(t)));
    clip.turns("neck", move |t| turn(DVec3::X, -14.0 * deep(t)));
    clip.turns("head", move |t| turn(DVec3::X, -16.0 * deep(t)));
    for (side, sign) in SIDES {
        clip.turns(&format!("{side}UpperArm"), move |t| {
            turn(DVec3::X, -72.0 * deep(t)) * turn(DVec3::Z, -24.0 * sign)
        });
        clip.turns(&format!("{side}LowerArm"), move |t| turn(forward(sign), 14.0 + 42.0 * deep(t)));
    }
    clip
}

const SIDES: [(&str, f64); 2] = [("left", 1.0), ("right", -1.0)];

/// The axis about which an elbow bends forwards.
fn forward(sign: f64) -> DVec3 {
    let fore = HAND - LOWER_ARM;
    let axis = dvec3(fore.x, fore.y, 0.0).normalize().cross(DVec3::Z);
    dvec3(axis.x, sign * axis.y, 0.0)
}

/// Where a foot is: metres forward of rest and above the ground, radians that the toes point down.
struct Step {
    ball: f64,
    height: f64,
    pitch: f64,
}

impl Gait {
    /// The foot at `t` of its own cycle, which begins as it comes down.
    fn step(&self, t: f64) -> Step {
        let half = 0.5 * self.stride;
        let (strike, off) = (-self.strike.to_radians(), self.off.to_radians());
        if t < self.stance {
            let u = t / self.stance;
            let pitch = strike * (1.0 - smoothstep(0.0, 0.22, u)) + off * ease_in(((u - 0.6) / 0.4).max(0.0));
            return Step { ball: half - self.stride * u, height: 0.0, pitch };
        }
        let u = (t - self.stance) / (1.0 - self.stance);
        // The speed on the ground, for the way of the swing.
        let slope = -self.stride / self.stance * (1.0 - self.stance);
        let (u2, u3) = (u * u, u * u * u);
        let ball = -half * (2.0 * u3 - 3.0 * u2 + 1.0)
            + half * (3.0 * u2 - 2.0 * u3)
            + slope * (u3 - 2.0 * u2 + u)
            + slope * (u3 - u2);
        let arch = libm::sin(PI * u);
        Step { ball, height: self.lift * arch * arch, pitch: off + (strike - off) * smoothstep(0.0, 0.92, u) }
    }

    fn clip(&self, mut clip: Clip) -> Clip {
        let g = self;
        let lean = g.lean;
        let hips = |t: f64| {
            let high = libm::cos(4.0 * PI * (t - g.high));
            let place = HIPS + dvec3(0.014 * wave_at(t, 1.0, 0.05), g.bob * high - g.drop - g.bob, 0.0);
            (
                place,
                turn(DVec3::Y, -6.0 * wave_at(t, 1.0, 0.0 - 0.25))
                    * turn(DVec3::X, 0.5 * lean)
                    * turn(DVec3::Z, -2.5 * wave_at(t, 1.0, 0.05)),
            )
        };
        clip.body(hips, |sign, t| g.step(if sign > 0.0 { t } else { (t + 0.5).fract() }));
        let yaw = |t: f64| wave_at(t, 1.0, -0.25);
        clip.turns("spine", |t| turn(DVec3::Y, 4.0 * yaw(t)) * turn(DVec3::X, 0.25 * lean));
        clip.turns("chest", |t| turn(DVec3::Y, 5.0 * yaw(t)) * turn(DVec3::X, 0.25 * lean));
        clip.turns("upperChest", |t| {
            turn(DVec3::Y, 3.0 * yaw(t)) * turn(DVec3::Z, 1.5 * wave_at(t, 1.0, 0.05))
        });
        clip.turns("neck", |t| turn(DVec3::Y, -3.0 * yaw(t)) * turn(DVec3::X, -0.4 * lean));
        clip.turns("head", |t| turn(DVec3::Y, -3.0 * yaw(t)) * turn(DVec3::X, -0.6 * lean));
        for (side, sign) in SIDES {
            // The arm goes back as the leg of its side goes forward.
            let back = move |t: f64| sign * wave_at(t, 1.0, -0.23);
            clip.turns(&format!("{side}UpperArm"), move |t| {
                turn(DVec3::X, g.swing * back(t) + 0.12 * g.elbow) * turn(DVec3::Z, -25.0 * sign)
            });
            clip.turns(&format!("{side}LowerArm"), move |t| {
                turn(forward(sign), g.elbow - 0.3 * g.swing * back(t))
            });
        }
        clip
    }
}

fn ease_in(x: f64) -> f64 {
    x * x * (1.6 - 0.6 * x)
}

impl Clip {
    /// Hips at a place and an orientation, and legs that bring the feet where they shall be: `step` of a side (1 for
    /// the left) at a place in the loop.
    fn body(&mut self, hips: impl Fn(f64) -> (DVec3, DQuat), step: impl Fn(f64, f64) -> Step) {
        let turns: Vec<f64> = self.turns_of_loop().collect();
        self.tracks.push(Track::Translation("hips".to_owned(), turns.iter().map(|&t| hips(t).0).collect()));
        self.turns("hips", |t| hips(t).1);
        for (side, sign) in SIDES {
            let own = |v: DVec3| if sign > 0.0 { v } else { mirrored(v) };
            let [hip, knee, ankle, toes] = [UPPER_LEG, LOWER_LEG, FOOT, TOES].map(own);
            let mut keys = [const { Vec::new() }; 4];
            for &t in &turns {
                let (place, spin) = hips(t);
                let step = step(sign, t);
                let pitch = turn(DVec3::X, step.pitch.to_degrees());
                // Turned about the heel while the toes are up, about the joint of the toes, which stay flat, while they are down.
                let pivot = if step.pitch < 0.0 { dvec3(ankle.x, 0.0, -0.075) } else { toes };
                let track = dvec3(0.0, step.height, step.ball);
                let target = pivot + track + pitch * (ankle - pivot);
                let from = place + spin * (hip - HIPS);
                let (thigh, shin) = leg([hip, knee, ankle], from, target, spin * DVec3::Z);
                let local = spin.conjugate() * thigh;
                // Flat on the ground, half curled in the air.
                let flat = 1.0 - 0.6 * (step.height / 0.03).min(1.0);
                let flat = turn(DVec3::X, -flat * step.pitch.max(0.0).to_degrees());
                for (keys, q) in
                    keys.iter_mut().zip([local, thigh.conjugate() * shin, shin.conjugate() * pitch, flat])
                {
                    keys.push(q);
                }
            }
            for (bone, keys) in ["UpperLeg", "LowerLeg", "Foot", "Toes"].into_iter().zip(keys) {
                self.tracks.push(Track::Rotation(format!("{side}{bone}"), keys));
            }
        }
    }
}

/// World rotations of thigh and shin that bring the ankle to `target`, the knee towards `front`: two circles.
pub(crate) fn leg(rest: [DVec3; 3], from: DVec3, target: DVec3, front: DVec3) -> (DQuat, DQuat) {
    let [hip, knee, ankle] = rest;
    let (a, b) = ((knee - hip).length(), (ankle - knee).length());
    let way = target - from;
    let far = way.length().clamp((a - b).abs() + 1e-3, 0.9995 * (a + b));
    let along = way.normalize();
    let bend = front.reject_from_normalized(along).normalize();
    let x = (a * a - b * b + far * far) / (2.0 * far);
    let middle = from + along * x + bend * (a * a - x * x).max(0.0).sqrt();
    let end = from + along * far;
    // Frames of a bone and the hinge's axis, at rest and now.
    let hinge = (ankle - hip).normalize().cross(DVec3::Z).normalize();
    let now = along.cross(bend).normalize();
    let carry = |rest: DVec3, to: DVec3| {
        let frame = |bone: DVec3, axis: DVec3| {
            let bone = bone.normalize();
            let axis = axis.reject_from_normalized(bone).normalize();
            DMat3::from_cols(bone, axis, bone.cross(axis))
        };
        DQuat::from_mat3(&(frame(to, now) * frame(rest, hinge).transpose()))
    };
    (carry(knee - hip, middle - from), carry(ankle - knee, end - middle))
}

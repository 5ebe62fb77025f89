//! The walk, run and crouch clips of the mannequin. Feet follow paths, and closed-form two-bone IK solves for the legs.
//!
//! All clips are in place, as on a treadmill: a foot on the ground moves backwards at constant speed.

use crate::clips::{Clip, Track, turn, wave_at};
use crate::sdf::smoothstep;
use crate::skeleton::{FOOT, HAND, HIPS, LOWER_ARM, LOWER_LEG, TOES, UPPER_LEG, mirrored};
use glam::{DMat3, DQuat, DVec3, dvec3};
use std::f64::consts::PI;

/// Keys per second.
const RATE: usize = 30;

/// The parameters of a gait.
struct Gait {
    /// Fraction of the cycle during which a foot is on the ground.
    stance: f64,
    /// Distance in metres by which a foot moves back while it is on the ground.
    stride: f64,
    /// Maximum height in metres of a swinging foot.
    lift: f64,
    /// Angle in degrees by which the toes point up when the heel touches the ground.
    strike: f64,
    /// Angle in degrees by which the toes point down when they leave the ground.
    off: f64,
    /// Distance in metres from the rest position of the hips down to their highest position in the cycle.
    drop: f64,
    /// Amplitude in metres of the vertical motion of the hips.
    bob: f64,
    /// Phase of the cycle at which the hips are highest.
    high: f64,
    /// Forward lean of the torso in degrees.
    lean: f64,
    /// Amplitude of the arm swing in degrees.
    swing: f64,
    /// Mean bend of the elbows in degrees.
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

/// Returns the clip in which the mannequin crouches and stands up again. The feet stay in place.
pub(crate) fn crouch() -> Clip {
    let mut clip = Clip::at_rate("crouch", 75, RATE);
    let deep = |t: f64| 0.5 - 0.5 * libm::cos(2.0 * PI * t);
    let hips = move |t: f64| (HIPS + dvec3(0.0, -0.36, -0.1) * deep(t), turn(DVec3::X, 22.0 * deep(t)));
    clip.body(hips, |_, _| FootPlacement { ball: 0.0, height: 0.0, pitch: 0.0 });
    clip.turns("spine", move |t| turn(DVec3::X, 8.0 * deep(t)));
    clip.turns("chest", move |t| turn(DVec3::X, 8.0 * deep(t)));
    clip.turns("neck", move |t| turn(DVec3::X, -14.0 * deep(t)));
    clip.turns("head", move |t| turn(DVec3::X, -16.0 * deep(t)));
    for (side, sign) in SIDES {
        clip.turns(&format!("{side}UpperArm"), move |t| {
            turn(DVec3::X, -72.0 * deep(t)) * turn(DVec3::Z, -24.0 * sign)
        });
        clip.turns(&format!("{side}LowerArm"), move |t| turn(elbow_axis(sign), 14.0 + 42.0 * deep(t)));
    }
    clip
}

const SIDES: [(&str, f64); 2] = [("left", 1.0), ("right", -1.0)];

/// Returns the axis about which an elbow bends forwards. `sign` is 1 for the left arm and −1 for the right one.
fn elbow_axis(sign: f64) -> DVec3 {
    let fore = HAND - LOWER_ARM;
    let axis = dvec3(fore.x, fore.y, 0.0).normalize().cross(DVec3::Z);
    dvec3(axis.x, sign * axis.y, 0.0)
}

/// The placement of a foot relative to its rest position.
struct FootPlacement {
    /// Forward offset in metres.
    ball: f64,
    /// Height above the ground in metres.
    height: f64,
    /// Angle in radians by which the toes point down.
    pitch: f64,
}

impl Gait {
    /// Returns the placement of a foot at phase `t` of its cycle, which starts when the foot touches the ground.
    fn step(&self, t: f64) -> FootPlacement {
        let half = 0.5 * self.stride;
        let (strike, off) = (-self.strike.to_radians(), self.off.to_radians());
        if t < self.stance {
            let u = t / self.stance;
            let pitch = strike * (1.0 - smoothstep(0.0, 0.22, u)) + off * ease_in(((u - 0.6) / 0.4).max(0.0));
            return FootPlacement { ball: half - self.stride * u, height: 0.0, pitch };
        }
        let u = (t - self.stance) / (1.0 - self.stance);
        // The swing starts and ends at the speed of a foot on the ground.
        let slope = -self.stride / self.stance * (1.0 - self.stance);
        let (u2, u3) = (u * u, u * u * u);
        let ball = -half * (2.0 * u3 - 3.0 * u2 + 1.0)
            + half * (3.0 * u2 - 2.0 * u3)
            + slope * (u3 - 2.0 * u2 + u)
            + slope * (u3 - u2);
        let arch = libm::sin(PI * u);
        FootPlacement {
            ball,
            height: self.lift * arch * arch,
            pitch: off + (strike - off) * smoothstep(0.0, 0.92, u),
        }
    }

    fn clip(&self, mut clip: Clip) -> Clip {
        let g = self;
        let lean = g.lean;
        let hips = |t: f64| {
            let high = libm::cos(4.0 * PI * (t - g.high));
            let position = HIPS + dvec3(0.014 * wave_at(t, 1.0, 0.05), g.bob * high - g.drop - g.bob, 0.0);
            (
                position,
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
            // The arm swings back while the leg on its side swings forward.
            let back = move |t: f64| sign * wave_at(t, 1.0, -0.23);
            clip.turns(&format!("{side}UpperArm"), move |t| {
                turn(DVec3::X, g.swing * back(t) + 0.12 * g.elbow) * turn(DVec3::Z, -25.0 * sign)
            });
            clip.turns(&format!("{side}LowerArm"), move |t| {
                turn(elbow_axis(sign), g.elbow - 0.3 * g.swing * back(t))
            });
        }
        clip
    }
}

fn ease_in(x: f64) -> f64 {
    x * x * (1.6 - 0.6 * x)
}

impl Clip {
    /// Adds tracks for the hips and the legs. `hips` returns the position and the rotation at a phase of the loop. `step` returns the
    /// placement of a foot for a side (1 for the left, −1 for the right) and a phase.
    fn body(&mut self, hips: impl Fn(f64) -> (DVec3, DQuat), step: impl Fn(f64, f64) -> FootPlacement) {
        let phases: Vec<f64> = self.phases().collect();
        self.tracks.push(Track::Translation("hips".to_owned(), phases.iter().map(|&t| hips(t).0).collect()));
        self.turns("hips", |t| hips(t).1);
        for (side, sign) in SIDES {
            let on_side = |v: DVec3| if sign > 0.0 { v } else { mirrored(v) };
            let [hip, knee, ankle, toes] = [UPPER_LEG, LOWER_LEG, FOOT, TOES].map(on_side);
            let mut keys = [const { Vec::new() }; 4];
            for &t in &phases {
                let (position, rotation) = hips(t);
                let step = step(sign, t);
                let pitch = turn(DVec3::X, step.pitch.to_degrees());
                // The foot pivots on the heel while the toes point up, and on the toe joint while they point down.
                let pivot = if step.pitch < 0.0 { dvec3(ankle.x, 0.0, -0.075) } else { toes };
                let track = dvec3(0.0, step.height, step.ball);
                let target = pivot + track + pitch * (ankle - pivot);
                let from = position + rotation * (hip - HIPS);
                let (thigh, shin) = leg([hip, knee, ankle], from, target, rotation * DVec3::Z);
                let local = rotation.conjugate() * thigh;
                // On the ground, the toes rotate against the foot's pitch and stay flat. In the air, they rotate less.
                let uncurl = 1.0 - 0.6 * (step.height / 0.03).min(1.0);
                let flat = turn(DVec3::X, -uncurl * step.pitch.max(0.0).to_degrees());
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

/// Returns the world rotations of the thigh and the shin that move the ankle to `target` with the knee towards `front`. `rest` contains the
/// rest positions of the hip, the knee and the ankle, and `from` is the current position of the hip. The knee is an intersection of two
/// circles.
pub(crate) fn leg(rest: [DVec3; 3], from: DVec3, target: DVec3, front: DVec3) -> (DQuat, DQuat) {
    let [hip, knee, ankle] = rest;
    let (a, b) = ((knee - hip).length(), (ankle - knee).length());
    let offset = target - from;
    let far = offset.length().clamp((a - b).abs() + 1e-3, 0.9995 * (a + b));
    let along = offset.normalize();
    let bend = front.reject_from_normalized(along).normalize();
    let x = (a * a - b * b + far * far) / (2.0 * far);
    let middle = from + along * x + bend * (a * a - x * x).max(0.0).sqrt();
    let end = from + along * far;
    // The rotation from the rest frame to the current frame, each spanned by a bone and its hinge axis.
    let hinge = (ankle - hip).normalize().cross(DVec3::Z).normalize();
    let now = along.cross(bend).normalize();
    let rotation_between = |rest: DVec3, to: DVec3| {
        let frame = |bone: DVec3, axis: DVec3| {
            let bone = bone.normalize();
            let axis = axis.reject_from_normalized(bone).normalize();
            DMat3::from_cols(bone, axis, bone.cross(axis))
        };
        DQuat::from_mat3(&(frame(to, now) * frame(rest, hinge).transpose()))
    };
    (rotation_between(knee - hip, middle - from), rotation_between(ankle - knee, end - middle))
}

//! Hinges: joints that turn about one axis.

use std::f64::consts::{PI, TAU};

use glam::{DQuat, DVec3};

/// If a range of about ±180° leaves a gap smaller than this, in radians, the range covers the whole circle, and the joint may keep turning
/// across the gap. Files often store π with few digits.
const SMALL_GAP: f64 = 1e-3;

/// A joint that turns about one axis. Its angle φ is measured from the middle of its range, and its rotation is middle ·
/// cos(φ/2) + side · sin(φ/2), where both quaternions are constant and perpendicular. The angle can therefore be read from a
/// rotation and written to it with a few multiplications, without a quaternion product or a trigonometric function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hinge {
    /// Unit axis in the joint's frame before it turns.
    pub(crate) axis: DVec3,
    /// The rotation in the middle of the range.
    middle: DQuat,
    /// The rotation half a turn from the middle.
    side: DQuat,
    /// Half of the range in radians, or `None` if the range covers the whole circle.
    half: Option<f64>,
    /// Whether the joint may turn from one end of its range to the other across the gap between them.
    goes_round: bool,
    /// Cosine and sine of a quarter of the range.
    border: (f64, f64),
}

impl Hinge {
    /// Creates a hinge from its axis in the joint's frame, the rotation in the middle of its range, and the size of the
    /// range in radians.
    pub(super) fn new(axis: DVec3, middle: DQuat, range: f64) -> Self {
        let half = Some(0.5 * range).filter(|half| *half < PI);
        let (sin, cos) = (0.25 * range).sin_cos();
        let side = DQuat::from_vec4(axis.extend(0.0)) * middle;
        Self { axis, middle, side, half, goes_round: range > TAU - SMALL_GAP, border: (cos, sin) }
    }

    /// Returns a copy of the hinge that does not turn across the gap of its range. It is used for joints whose followers
    /// would jump.
    pub(super) fn stopping(self) -> Self {
        Self { goes_round: false, ..self }
    }

    /// Returns the cosine and the sine of half the angle, where the cosine is not negative.
    #[inline]
    fn half_angle(&self, rotation: DQuat) -> (f64, f64) {
        let (cos, sin) = (self.middle.dot(rotation), self.side.dot(rotation));
        if cos < 0.0 { (-cos, -sin) } else { (cos, sin) }
    }

    /// Returns the angle by which the hinge may turn in the direction of `turn` if `turn` would exceed the range by more than `margin`
    /// radians, and `None` otherwise.
    #[inline]
    pub(crate) fn room(&self, rotation: DQuat, turn: f64, margin: f64) -> Option<f64> {
        let half = self.half.filter(|_| !self.goes_round)?;
        let (cos, sin) = self.half_angle(rotation);
        // |φ| ≤ π |sin(φ/2)|, so most turns need no arctangent.
        if PI * sin.abs() + turn.abs() <= half {
            return None;
        }
        let room = half - 2.0 * sin.atan2(cos) * turn.signum();
        Some(room.max(0.0)).filter(|room| turn.abs() > room + margin)
    }

    /// Returns the rotation after a turn of at most one radian. The rotation stops at the border of the range.
    #[inline]
    pub(crate) fn turned(&self, rotation: DQuat, turn: f64) -> DQuat {
        self.turned_by(rotation, small_cos_sin(0.5 * turn))
    }

    /// Returns the rotation after a turn of any size, which [`retract`](super::retract) maps to an angle below π. The
    /// rotation stops at the border of the range.
    #[inline]
    pub(crate) fn retracted(&self, rotation: DQuat, turn: f64) -> DQuat {
        let half = 0.5 * turn;
        let cos = 1.0 / (1.0 + half * half).sqrt();
        self.turned_by(rotation, (cos, half * cos))
    }

    /// Returns the rotation after a turn, given the cosine and the sine of half its angle.
    #[inline]
    fn turned_by(&self, rotation: DQuat, (c, s): (f64, f64)) -> DQuat {
        let (cos, sin) = self.half_angle(rotation);
        let (mut cos, mut sin) = (cos * c - sin * s, sin * c + cos * s);
        if self.goes_round && cos < 0.0 {
            (cos, sin) = (-cos, -sin);
        }
        if self.half.is_some() && (cos < 0.0 || sin.abs() > self.border.1) {
            (cos, sin) = (self.border.0, self.border.1.copysign(sin));
        }
        let turned = self.middle * cos + self.side * sin;
        // One step of Newton's method for 1/√x, starting at 1. The length differs from 1 only by rounding errors.
        turned * (1.5 - 0.5 * turned.length_squared())
    }
}

/// Returns the cosine and the sine of an angle of at most half a radian, by their Taylor series. The first omitted
/// terms are below 1e-16.
#[inline]
fn small_cos_sin(x: f64) -> (f64, f64) {
    let x2 = x * x;
    let mut cos = 1.0 / 479_001_600.0 - x2 * (1.0 / 87_178_291_200.0);
    cos = -1.0 / 3_628_800.0 + x2 * cos;
    cos = 1.0 / 40_320.0 + x2 * cos;
    cos = -1.0 / 720.0 + x2 * cos;
    cos = 1.0 / 24.0 + x2 * cos;
    cos = -0.5 + x2 * cos;
    let mut sin = -1.0 / 39_916_800.0 + x2 * (1.0 / 6_227_020_800.0);
    sin = 1.0 / 362_880.0 + x2 * sin;
    sin = -1.0 / 5_040.0 + x2 * sin;
    sin = 1.0 / 120.0 + x2 * sin;
    sin = -1.0 / 6.0 + x2 * sin;
    (1.0 + x2 * cos, x + x * x2 * sin)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use glam::{DQuat, DVec3};

    use super::{Hinge, small_cos_sin};

    #[test]
    fn series_agree_with_the_library() {
        for i in -50..=50 {
            let x = 0.01 * f64::from(i);
            let (cos, sin) = small_cos_sin(x);
            assert!((cos - x.cos()).abs() < 2e-16 && (sin - x.sin()).abs() < 2e-16, "{x}");
        }
    }

    /// Regression test: a turret with limits of ±3.14159 stopped behind its base when it was dragged in a full circle.
    #[test]
    fn a_hinge_of_half_a_turn_to_both_sides_goes_round() {
        let (axis, gap) = (DVec3::Y, 1e-5);
        let hinge = Hinge::new(axis, DQuat::IDENTITY, 2.0 * PI - gap);
        let mut rotation = DQuat::IDENTITY;
        for step in 1..200 {
            let turn = 0.05;
            assert_eq!(hinge.room(rotation, turn, 1e-9), None);
            rotation = hinge.turned(rotation, turn);
            let wanted = DQuat::from_axis_angle(axis, turn * f64::from(step));
            assert!(rotation.angle_between(wanted) < 2.0 * gap, "{step}");
        }
        // The hinge never stops inside the gap.
        let inside = hinge.turned(DQuat::from_axis_angle(axis, PI - 0.1), 0.1 + 0.1 * gap);
        assert!(inside.w.abs() > 0.249 * gap, "{inside}");
        // A follower would jump to the other end of its range.
        let stopping = hinge.stopping();
        assert!(stopping.room(DQuat::from_axis_angle(axis, PI - 0.1), 0.2, 1e-9).is_some());
        assert!(!Hinge::new(axis, DQuat::IDENTITY, 2.0 * PI - 0.01).goes_round);
    }

    #[test]
    fn hinges_turn_about_their_axis_and_stop_at_the_border() {
        let (axis, middle) = (DVec3::new(0.6, 0.0, 0.8), DQuat::from_rotation_y(0.7));
        let at = |angle: f64| DQuat::from_axis_angle(axis, angle) * middle;
        for range in [0.0, 0.4, 3.0, 6.0, 7.0] {
            let hinge = Hinge::new(axis, middle, range);
            let border = if range < 2.0 * PI { 0.5 * range } else { f64::INFINITY };
            for from in [-1.0, -0.5, 0.0, 0.3, 1.0].map(|f: f64| f * border.min(3.0)) {
                for turn in [-1.0, -0.1, 0.0, 0.2, 1.0_f64] {
                    // A quaternion and its negative are the same rotation.
                    for start in [at(from), -at(from)] {
                        let wanted = (from + turn).clamp(-border, border);
                        let away = hinge.turned(start, turn).angle_between(at(wanted));
                        assert!(away < 1e-7, "{range} {from} {turn}: {away}");
                        let retracted = hinge.retracted(start, 2.0 * (0.5 * turn).tan());
                        assert!(retracted.angle_between(at(wanted)) < 1e-7, "{range} {from} {turn}");
                        let room = hinge.room(start, turn, 1e-9);
                        let expected = border - from * turn.signum();
                        match room {
                            Some(room) => assert!((room - expected).abs() < 1e-9, "{range} {from} {turn}"),
                            None => assert!(turn.abs() <= expected + 2e-9, "{range} {from} {turn}"),
                        }
                    }
                }
            }
        }
    }
}

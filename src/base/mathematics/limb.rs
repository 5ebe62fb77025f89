//! The triangle of a limb: its two bones, and the line from its first joint to its end.

use glam::{DQuat, DVec3, Quat, Vec3};

/// Returns the length to which a limb stretches for a target at the given distance. The length equals the distance,
/// except for the last `fraction` of the full length. In this last part, it approaches the full length exponentially,
/// so that the limb never snaps straight. l(x) = f − s e^(−(x − f + s)/s) with s = fraction · f.
#[inline]
pub fn softened(distance: f64, full: f64, fraction: f64) -> f64 {
    let soft = fraction * full;
    if soft <= 0.0 || distance <= full - soft {
        return distance;
    }
    full - soft * (-(distance - full + soft) / soft).exp()
}

/// Returns the angle at which a hinge makes a limb straightest, and the difference between this angle and the two angles
/// at which the end is at distance d from the first joint. A distance out of range is clamped. Returns `None` if a turn
/// of the hinge changes the dot product of the bones by less than `least`.
///
/// If u is the bone into the hinge, v the bone out of it and n the axis, |u + R(θ)v|² = d² becomes C cos θ + S sin θ +
/// c₀ = ½(d² − u² − v²).
#[inline]
pub fn hinge_angles([c, s]: [f64; 2], c0: f64, [d2, u2, v2]: [f64; 3], least: f64) -> Option<(f64, f64)> {
    let amplitude = c.hypot(s);
    if amplitude < least {
        return None;
    }
    let wanted = (0.5 * (d2 - u2 - v2) - c0) / amplitude;
    Some((s.atan2(c), wanted.clamp(-1.0, 1.0).acos()))
}

/// Defines the functions that are needed in both precisions, with the same operations in the same order.
macro_rules! turns {
    ($turns_in_plane:ident, $half_angle_turn:ident, $float:ty, $vector:ty, $quaternion:ty) => {
        /// Returns the rotations of both bones within the limb's plane that move the end along its line from the first
        /// joint to a distance, clamped to the limb's reach. The quaternions have any length. Also returns the line, and
        /// the unit normal of the plane.
        ///
        /// A straight limb bends about `bend`. A squared length below the fraction `tiny` of its maximum counts as zero.
        /// If the squared distance is at most `folded2`, the upper bone becomes perpendicular to the line. `unit`
        /// normalises the normal, which can be zero.
        #[inline]
        pub fn $turns_in_plane(
            [upper, lower]: [$vector; 2],
            bend: $vector,
            distance2: $float,
            [tiny, folded2]: [$float; 2],
            unit: impl Fn($vector) -> $vector,
        ) -> ([$quaternion; 2], $vector, $vector) {
            let (end, area) = (upper + lower, upper.cross(lower));
            let (a2, b2, e2) = (upper.length_squared(), lower.length_squared(), end.length_squared());
            // The line from the first joint to the end, or along the upper bone if the two coincide.
            let is_open = e2 > tiny * a2;
            let (line, line2) = if is_open { (end, e2) } else { (upper, a2) };
            let is_bent = area.length_squared() > tiny * a2 * b2;
            let normal = unit(if is_bent { area } else { bend * line2 - line * bend.dot(line) });
            // The squared distance, clamped to the reach of the limb, which is from (a − b)² to (a + b)².
            let twice_ab = 2.0 * (a2 * b2).sqrt();
            let (least, most) = (a2 + b2 - twice_ab, a2 + b2 + twice_ab);
            let out2 = distance2.min(most).max(least);
            // Coordinates of the middle joint along the line (law of cosines) and across it (Heron's formula), both
            // multiplied by twice the distance.
            let is_folded = out2 <= folded2;
            let far2 = if is_folded { 1.0 } else { out2 };
            let (along, rest) = (out2 + a2 - b2, out2 + b2 - a2);
            let heron = if is_folded { 4.0 * a2 } else { (most - out2) * (out2 - least) };
            let aside = heron.max(0.0).sqrt();
            // Coordinates of the current bones along the line and across it, multiplied by the length of the line.
            let height = normal.dot(area);
            let (ux, uy) = (upper.dot(line), if is_open { height } else { 0.0 });
            let (lx, ly) = (lower.dot(line), -height);
            let both = 2.0 * (far2 * line2).sqrt();
            let turns = [
                $half_angle_turn(-normal, along * ux + aside * uy, aside * ux - along * uy, a2 * both),
                $half_angle_turn(-normal, rest * lx - aside * ly, -(aside * lx) - rest * ly, b2 * both),
            ];
            (turns, line, normal)
        }

        /// Returns an unnormalised rotation about `axis` by the angle with cosine `cos / whole` and sine `sin / whole`,
        /// or the identity if `whole` is zero.
        ///
        /// (1 + cos, sin) and (sin, 1 − cos) are both multiples of the cosine and sine of the half angle. The pair
        /// without cancellation is used.
        #[inline]
        pub fn $half_angle_turn(axis: $vector, cos: $float, sin: $float, whole: $float) -> $quaternion {
            if cos > 0.0 {
                <$quaternion>::from_vec4((axis * sin).extend(whole + cos))
            } else if whole > 0.0 {
                <$quaternion>::from_vec4((axis * (whole - cos)).extend(sin))
            } else {
                <$quaternion>::IDENTITY
            }
        }
    };
}

turns!(turns_in_plane, half_angle_turn, f64, DVec3, DQuat);
turns!(turns_in_plane_single, half_angle_turn_single, f32, Vec3, Quat);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn vector() -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-1.0_f64..1.0).prop_map(DVec3::from)
    }

    proptest! {
        #[test]
        fn bones_turn_to_the_side_on_which_they_bend(
            upper in vector(), lower in vector(), bend in vector(), is_straight in any::<bool>(),
            near in 0.5_f32..4.0,
        ) {
            let distance = f64::from(near);
            let lower = if is_straight { upper * 0.8 } else { lower };
            let (a, b) = (upper.length(), lower.length());
            prop_assume!(a.min(b) > 0.2 && (upper + lower).length() > 0.2);
            prop_assume!(bend.cross(upper).length() > 0.1);
            prop_assume!(is_straight || upper.cross(lower).length() > 0.05 * a * b);
            let limits = [1e-12, 0.0];
            let (turns, line, normal) =
                turns_in_plane([upper, lower], bend, distance * distance, limits, DVec3::normalize);
            let [first, second] = turns.map(DQuat::normalize);
            let (middle, end) = (first * upper, line.normalize() * distance.clamp((a - b).abs(), a + b));
            prop_assert!((middle.length() - a).abs() < 1e-9 && (middle.distance(end) - b).abs() < 1e-5);
            prop_assert!((middle + second * lower).distance(end) < 1e-5);
            prop_assert!(middle.cross(end).dot(normal) > -1e-5);
            // The other precision agrees. Half of the digits are lost if the limb becomes almost straight or folded.
            let [u, l, axis] = [upper, lower, bend].map(DVec3::as_vec3);
            let limits = [1e-10, 0.0];
            let (turns, ..) = turns_in_plane_single([u, l], axis, near * near, limits, Vec3::normalize);
            let [first, second] = turns.map(Quat::normalize);
            prop_assert!((first * u).as_dvec3().distance(middle) < 0.05);
            prop_assert!((first * u + second * l).as_dvec3().distance(end) < 0.05);
        }

        #[test]
        fn a_hinge_moves_the_end_to_its_distance(
            into in vector(), out in vector(), axis in vector(), angle in -3.0_f64..3.0,
        ) {
            prop_assume!(axis.length() > 0.1);
            let axis = axis.normalize();
            let end = |angle: f64| into + DQuat::from_axis_angle(axis, angle) * out;
            let fixed = axis.dot(into) * axis.dot(out);
            let turning = [into.dot(out) - fixed, into.dot(axis.cross(out))];
            let squares = [end(angle), into, out].map(DVec3::length_squared);
            let found = hinge_angles(turning, fixed, squares, 1e-3);
            prop_assume!(found.is_some());
            let (straight, half) = found.unwrap_or_default();
            for angle in [straight - half, straight + half] {
                prop_assert!((end(angle).length_squared() - squares[0]).abs() < 1e-9);
            }
            prop_assert!(end(straight).length_squared() > squares[0] - 1e-9);
        }

        #[test]
        fn a_softened_limb_bends_continuously_across_full_stretch(
            a in 0.2_f64..1.7, b in 0.2_f64..1.7, fraction in 0.01_f64..0.1,
        ) {
            let full = a + b;
            let bend = |step: u32| {
                let length = softened(full * (0.9 + 1e-4 * f64::from(step)), full, fraction);
                let squares = [length * length, a * a, b * b];
                hinge_angles([a * b, 0.0], 0.0, squares, 0.0).map_or(f64::NAN, |found| found.1)
            };
            // Without softening, the last step to full stretch would change the bend by at least 0.028.
            for step in 0..3000 {
                let change = bend(step) - bend(step + 1);
                prop_assert!((-1e-6..0.005).contains(&change), "{step}: {change}");
            }
        }
    }
}

//! The direction in which a body faces.

use glam::Vec3;

use super::anatomy::Anatomy;
use super::limb::LimbJoints;

/// The weighted observations that show where the front is.
pub(super) struct Facing {
    /// The horizontal axis along which the body faces, in either direction.
    axis: Vec3,
    sum: f32,
    total: f32,
    pub(super) reasons: Vec<String>,
}

impl Facing {
    /// `across` is the horizontal direction from side to side.
    pub(super) fn new(across: Vec3) -> Self {
        Self { axis: across.cross(Vec3::Y), sum: 0.0, total: 0.0, reasons: Vec::new() }
    }

    /// Adds an observation: something points to the front. The length of `direction` relative to `scale` is its strength.
    fn add(&mut self, what: &str, direction: Vec3, scale: f32, weight: f32) {
        let along = direction.dot(self.axis) / scale.max(f32::MIN_POSITIVE);
        if !along.is_finite() || along.abs() < 0.05 {
            return;
        }
        self.sum += weight * along.clamp(-1.0, 1.0);
        self.total += weight * along.abs().min(1.0);
        let sense = if along > 0.0 { 1.0 } else { -1.0 };
        self.reasons.push(format!("{what} {}", axis_name(sense * self.axis)));
    }

    /// Feet and toes point to the front.
    pub(super) fn add_feet(&mut self, anatomy: &Anatomy<'_>, legs: &[&LimbJoints]) {
        let mut direction = Vec3::ZERO;
        let mut scale = 0.0;
        for leg in legs {
            // Without an ankle, the foot cannot be separated from the leg.
            let [top, _, .., foot] = leg.joints[..] else { continue };
            direction += foot_direction(anatomy, foot);
            scale += anatomy.length(top, foot);
        }
        self.add("the feet point to", direction, 0.2 * scale, 4.0);
    }

    /// Knees bend to the front.
    pub(super) fn add_knees(&mut self, anatomy: &Anatomy<'_>, legs: &[&LimbJoints]) {
        let mut direction = Vec3::ZERO;
        let mut scale = 0.0;
        for leg in legs {
            // The joint after the hip is the knee, even in legs with a hock.
            let [first, knee, .., last] = leg.joints[..] else { continue };
            let Some(along) = (anatomy.at[last] - anatomy.at[first]).try_normalize() else { continue };
            direction += (anatomy.at[knee] - anatomy.at[first]).reject_from_normalized(along).with_y(0.0);
            scale += anatomy.length(first, last);
        }
        self.add("the knees bend to", direction, 0.1 * scale, 2.0);
    }

    /// Elbows bend to the back.
    pub(super) fn add_elbows(&mut self, anatomy: &Anatomy<'_>, arms: &[&LimbJoints]) {
        let mut direction = Vec3::ZERO;
        let mut scale = 0.0;
        for arm in arms {
            let [first, .., last] = arm.joints[..] else { continue };
            direction -= deviation(anatomy, &arm.joints).with_y(0.0);
            scale += anatomy.length(first, last);
        }
        self.add("the elbows show that the front is at", direction, 0.1 * scale, 1.5);
    }

    /// Adds another observation: the head is at the front of a quadruped, and the face is at the front of a head.
    pub(super) fn add_direction(&mut self, what: &str, direction: Vec3, scale: f32, weight: f32) {
        self.add(what, direction, scale, weight);
    }

    /// Returns the direction of the front and its certainty, from 0 to 1.
    pub(super) fn result(&self) -> (Vec3, f32) {
        // Observations must agree, and weak ones alone are not enough.
        let agreement = self.sum.abs() / self.total.max(f32::MIN_POSITIVE);
        let certainty = agreement * self.total.min(1.0);
        (if self.sum < 0.0 { -self.axis } else { self.axis }, certainty)
    }
}

/// Returns the horizontal vector from an ankle to the toes, or to the middle of the skin of the foot if it has no toes.
fn foot_direction(anatomy: &Anatomy<'_>, foot: usize) -> Vec3 {
    // Markers are often misplaced, so they count only in feet that have neither toes nor skin.
    let path = anatomy.longest_path(foot);
    let toe = path.iter().copied().rfind(|&n| !anatomy.is_marker[n] && n != foot);
    let end = toe.or(path.last().copied().filter(|_| anatomy.skin_below(foot).0 == 0.0)).unwrap_or(foot);
    let to_toe = (anatomy.at[end] - anatomy.at[foot]).with_y(0.0);
    let (mass, middle) = anatomy.skin_below(foot);
    let to_skin = 2.0 * (middle - anatomy.at[foot]).with_y(0.0);
    let has_skin = mass > 0.0;
    match (to_toe.length() > 0.01 * anatomy.size, has_skin) {
        (true, true) => to_toe + 0.5 * to_skin,
        (true, false) => to_toe,
        (false, _) => to_skin,
    }
}

/// Returns the offset of the joint that is farthest from the line between the ends of a limb.
pub(super) fn deviation(anatomy: &Anatomy<'_>, joints: &[usize]) -> Vec3 {
    let [first, .., last] = *joints else { return Vec3::ZERO };
    let Some(along) = (anatomy.at[last] - anatomy.at[first]).try_normalize() else { return Vec3::ZERO };
    let away = |&n: &usize| (anatomy.at[n] - anatomy.at[first]).reject_from_normalized(along);
    let farthest = joints.iter().map(away).max_by(|a, b| a.length().total_cmp(&b.length()));
    farthest.unwrap_or(Vec3::ZERO)
}

/// Returns the name of a horizontal direction: the nearest axis.
pub(super) fn axis_name(direction: Vec3) -> &'static str {
    match () {
        () if direction.x.abs() > direction.z.abs() && direction.x > 0.0 => "+X",
        () if direction.x.abs() > direction.z.abs() => "-X",
        () if direction.z > 0.0 => "+Z",
        () => "-Z",
    }
}

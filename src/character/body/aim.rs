//! Turns the neck and the head so that the face looks at a point: the CPU twin of `shaders/crowd/aim.wgsl`.

use glam::{Quat, Vec3};

use super::frames::{from_parent, normalize_or, part_of, to_parent};
use super::{Figure, NECK};
use crate::mathematics::single::shortest_arc;

/// Time constant with which the head follows its target, in seconds.
const AIM_FOLLOW: f32 = 0.12;
/// Width of the zone outside the field of view in which the weight falls to zero, as a difference between cosines.
const AIM_FADE: f32 = 0.25;

impl Figure<'_> {
    /// Turns the neck and the head towards a point, given in model space before the hips move.
    pub(super) fn aim_head(&mut self, at: Vec3, weight: f32) {
        let parts = &self.body.parts;
        let necks = parts.neck.get(..(parts.necks as usize).min(NECK)).unwrap_or_default();
        let Some(&head) = necks.last() else { return };
        let mut eye = self.position(head);
        let mut face = normalize_or(self.rows(head).vector(parts.facing), Vec3::Z);
        let forward = normalize_or(self.rows(parts.chest).vector(parts.forward), face);
        let offset = at - eye;
        let distance = offset.length();
        let follow = self.seconds / (self.seconds + AIM_FOLLOW);
        let is_known = self.stance.is_known != 0;
        let mut strength = self.stance.aim_weight;
        let mut wanted = 0.0;
        if weight > 0.0 && at.is_finite() && distance > 1e-3 * parts.size {
            let direction = offset / distance;
            let t = ((forward.dot(direction) - parts.field_cos) / AIM_FADE + 1.0).clamp(0.0, 1.0);
            wanted = weight.min(1.0) * t * t * (3.0 - 2.0 * t);
            // If there is no previous target, the head aims at the new one at once, because only the weight must change smoothly.
            let part = if !is_known || strength < 1e-3 { 1.0 } else { follow };
            let mixed = self.stance.aim * (1.0 - part) + direction * part;
            self.stance.aim = normalize_or(mixed, direction);
        }
        strength = if is_known { strength + (wanted - strength) * follow } else { wanted };
        self.stance.aim_weight = strength;
        if strength.is_nan() || strength <= 1e-4 {
            return;
        }
        let direction = normalize_or(face * (1.0 - strength) + self.stance.aim * strength, face);
        let goal = eye + direction * distance.max(parts.size);
        // The accumulated rotation and translation of all joints above the current one.
        let (mut total, mut shift) = (Quat::IDENTITY, Vec3::ZERO);
        for ((&joint, limit), left) in necks.iter().zip(&parts.neck_limits).zip((1..=necks.len()).rev()) {
            let pivot = total * self.position(joint) + shift;
            #[expect(clippy::cast_precision_loss, reason = "at most four")]
            let arc = part_of(shortest_arc(face, goal - eye), 1.0 / left as f32);
            let above = self.parent_rows(joint);
            let turn = to_parent(&above, total.conjugate() * (arc * total));
            let rotation = self.turned(joint, limit, turn);
            let made = total * from_parent(&above, rotation * self.rotation(joint).conjugate());
            self.set_rotation(joint, rotation);
            let step = made * total.conjugate();
            face = step * face;
            eye = pivot + step * (eye - pivot);
            shift = pivot + step * (shift - pivot);
            total = made;
        }
    }
}

//! Fingers and eyes of the mannequin. They are separate solids that are set into the palms and the face.

use crate::body::{PUPIL, hand_axes};
use crate::model::{Skin, Vertex, influences};
use crate::paint::{INK, TEAL, shaded};
use crate::sdf::smoothstep;
use crate::skeleton::{EYE_INDEX, HAND, LIMB_COUNT, THUMB, TRUNK_COUNT, mirrored};
use crate::solids::{Solid, ball, tube};
use glam::{DVec3, dvec3};

/// A finger with three bones.
pub(crate) struct Finger {
    /// VRM 1.0 name without the side and the bone.
    pub(crate) name: &'static str,
    /// Name suffixes of the bones, from the palm to the tip.
    pub(crate) bones: [&'static str; 3],
    /// Position of the knuckle relative to the hand: metres along the fingers, and metres towards the thumb. Unused for
    /// the thumb.
    base: (f64, f64),
    /// Lengths of the bones in metres.
    lengths: [f64; 3],
    /// Radius at the knuckle in metres.
    radius: f64,
}

const BONES: [&str; 3] = ["Proximal", "Intermediate", "Distal"];

/// The fingers in VRM's order.
#[rustfmt::skip]
pub(crate) const FINGERS: [Finger; 5] = [
    Finger { name: "Thumb", bones: ["Metacarpal", "Proximal", "Distal"], base: (0.0, 0.0), lengths: [0.032, 0.028, 0.021], radius: 0.0125 },
    Finger { name: "Index", bones: BONES, base: (0.081, 0.0275), lengths: [0.036, 0.024, 0.018], radius: 0.0095 },
    Finger { name: "Middle", bones: BONES, base: (0.085, 0.0092), lengths: [0.040, 0.027, 0.019], radius: 0.0098 },
    Finger { name: "Ring", bones: BONES, base: (0.082, -0.0092), lengths: [0.037, 0.025, 0.018], radius: 0.0093 },
    Finger { name: "Little", bones: BONES, base: (0.076, -0.0268), lengths: [0.028, 0.019, 0.016], radius: 0.0082 },
];

impl Finger {
    /// Returns the positions of the finger's three joints and its tip on the left hand. The finger is slightly curled.
    pub(crate) fn joints(&self) -> [DVec3; 4] {
        let (out, up) = hand_axes();
        let thumb = self.name == "Thumb";
        let mut at = HAND + out * self.base.0 - up * 0.003 + DVec3::Z * self.base.1;
        // Components of each bone's direction: towards the palm, and towards the thumb.
        let (curl, aside) = if thumb {
            ([0.25, 0.3, 0.35], [0.75, 0.5, 0.25])
        } else {
            ([0.1, 0.28, 0.45], [self.base.1 * 3.0; 3])
        };
        if thumb {
            at = THUMB;
        }
        let mut positions = [at; 4];
        for bone in 0..3 {
            let direction = (out - up * curl[bone] + DVec3::Z * aside[bone]).normalize();
            at += direction * self.lengths[bone];
            positions[bone + 1] = at;
        }
        positions
    }

    /// Returns the tube of the finger on the left hand. The root of the tube is inside the palm.
    fn tube(&self) -> Solid {
        let joints = self.joints();
        let radius = [self.radius, 0.96 * self.radius, 0.86 * self.radius, 0.74 * self.radius];
        let mut rings = vec![(joints[0] - (joints[1] - joints[0]) * 0.35, radius[0] * 0.9)];
        for bone in 0..3 {
            for step in 0..4 {
                let t = f64::from(step) / 4.0;
                // A finger is slightly thinner between two knuckles.
                let waist = 1.0 - 0.24 * t * (1.0 - t);
                rings.push((
                    joints[bone].lerp(joints[bone + 1], t),
                    (radius[bone] + (radius[bone + 1] - radius[bone]) * t) * waist,
                ));
            }
        }
        let along = (joints[3] - joints[2]).normalize() * radius[3];
        rings.extend(
            [(-0.35, 1.0), (0.15, 0.92), (0.55, 0.72), (0.82, 0.42)]
                .map(|(t, r)| (joints[3] + along * t, radius[3] * r)),
        );
        tube(&rings, DVec3::Z, 10)
    }

    /// Returns the skin weights of the hand and the three bones at a point.
    fn weights(&self, p: DVec3) -> [f64; 4] {
        let joints = self.joints();
        let mut weights = [1.0, 0.0, 0.0, 0.0];
        for bone in 0..3 {
            let before =
                if bone == 0 { joints[0] - joints[1] } else { joints[bone - 1] - joints[bone] }.normalize();
            let direction = ((joints[bone + 1] - joints[bone]).normalize() - before).normalize();
            let reach = 0.9 * self.radius;
            let past = smoothstep(-reach, reach, (p - joints[bone]).dot(direction));
            weights[bone + 1] = weights[bone] * past;
            weights[bone] -= weights[bone + 1];
        }
        weights
    }
}

/// Adds the fingers and eyes of both sides to the mannequin's skin.
pub(crate) fn add(skin: &mut Skin) -> Result<(), std::num::TryFromIntError> {
    for (side, right) in [(TRUNK_COUNT, false), (TRUNK_COUNT + LIMB_COUNT, true)] {
        for (index, finger) in FINGERS.iter().enumerate() {
            let first = side + EYE_INDEX + 1 + 3 * index;
            let joints = [side + 3, first, first + 1, first + 2];
            append(skin, &finger.tube(), TEAL, right, |p| {
                joints.into_iter().zip(finger.weights(p)).collect()
            })?;
        }
        let eye = ball(1.0, 10).stretched(dvec3(0.0125, 0.0195, 0.0085)).at(PUPIL);
        append(skin, &eye, INK, right, |_| vec![(side + EYE_INDEX, 1.0)])?;
    }
    Ok(())
}

/// Adds a solid of the left side, or its mirror image for the right side.
fn append(
    skin: &mut Skin,
    solid: &Solid,
    srgb: [u8; 3],
    right: bool,
    weights: impl Fn(DVec3) -> Vec<(usize, f64)>,
) -> Result<(), std::num::TryFromIntError> {
    let first = skin.vertices.len();
    let on_side = |v: DVec3| if right { mirrored(v) } else { v };
    for (&p, &n) in solid.points.iter().zip(&solid.normals) {
        skin.vertices.push(Vertex {
            position: on_side(p).as_vec3().to_array(),
            normal: on_side(n).as_vec3().to_array(),
            colour: shaded(srgb, p, n),
            influences: influences(weights(p).into_iter(), 4),
        });
    }
    for &[a, b, c] in &solid.triangles {
        for i in if right { [a, c, b] } else { [a, b, c] } {
            skin.indices.push(u16::try_from(first + i)?);
        }
    }
    Ok(())
}

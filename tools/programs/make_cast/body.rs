//! The signed distance field of the mannequin: round cones and ellipsoids, blended into one solid that is symmetric
//! about `x = 0`.

use crate::sdf::{ball, blend, ellipsoid, limb, round_cone, trim};
use crate::skeleton::{
    FOOT, HAND, HEAD, LOWER_ARM, LOWER_LEG, NECK, THUMB, TOES, UPPER_ARM, UPPER_LEG, mirrored,
};
use glam::{DVec3, dvec3};

/// Centre of the visible part of the left eye.
pub(crate) const PUPIL: DVec3 = dvec3(0.034, 1.63, 0.0835);

/// Returns the signed distance to the whole body.
pub(crate) fn figure(p: DVec3) -> f64 {
    let other = mirrored(p);
    let legs = blend(leg(p), leg(other), 0.012);
    let arms = arm(p).min(arm(other));
    let lower = blend(torso(p), legs, 0.05);
    let whole = blend(lower, arms, 0.05);
    blend(whole, head(p), 0.022)
}

/// Returns the signed distance to the torso and the neck, without the limbs and the head.
pub(crate) fn torso(p: DVec3) -> f64 {
    let side = dvec3(p.x.abs(), p.y, p.z);
    let ribs = ellipsoid(p, dvec3(0.0, 1.275, -0.008), dvec3(0.146, 0.17, 0.102));
    let breast = ellipsoid(side, dvec3(0.058, 1.325, 0.02), dvec3(0.086, 0.075, 0.066));
    let waist = ellipsoid(p, dvec3(0.0, 1.09, 0.0), dvec3(0.108, 0.15, 0.08));
    let pelvis = ellipsoid(p, dvec3(0.0, 0.955, -0.004), dvec3(0.134, 0.095, 0.095));
    let seat = ellipsoid(side, dvec3(0.062, 0.912, -0.042), dvec3(0.066, 0.072, 0.064));
    let yoke = round_cone(side, dvec3(0.02, 1.405, -0.022), dvec3(0.15, 1.395, -0.018), 0.055, 0.05);
    let slope = round_cone(side, dvec3(0.0, 1.462, -0.026), dvec3(0.12, 1.408, -0.022), 0.032, 0.03);
    let neck = round_cone(p, NECK - dvec3(0.0, 0.03, 0.0), HEAD + dvec3(0.0, 0.03, 0.0), 0.05, 0.045);
    let chest = blend(blend(ribs, breast, 0.05), yoke, 0.06);
    let trunk = blend(blend(chest, waist, 0.1), blend(pelvis, seat, 0.05), 0.09);
    blend(trunk, blend(neck, slope, 0.045), 0.04)
}

/// Returns the signed distance to the head, which is egg-shaped with a narrow chin and a small nose.
pub(crate) fn head(p: DVec3) -> f64 {
    // The head is modelled round and then squeezed in x, so that it is narrower than it is deep.
    const SQUEEZE: f64 = 0.88;
    let round = dvec3(p.x / SQUEEZE, p.y, p.z);
    let skull = round_cone(round, dvec3(0.0, 1.653, -0.003), dvec3(0.0, 1.585, 0.02), 0.097, 0.079);
    let nose = round_cone(p, dvec3(0.0, 1.622, 0.088), dvec3(0.0, 1.607, 0.096), 0.004, 0.0065);
    blend(skull * SQUEEZE, nose, 0.022)
}

/// Returns the signed distance to the left arm with the palm.
pub(crate) fn arm(p: DVec3) -> f64 {
    let shoulder = ball(p, UPPER_ARM + dvec3(0.004, 0.0, 0.0), 0.058);
    let biceps = dvec3(0.0, 0.0, 0.006);
    let upper = limb(p, UPPER_ARM, LOWER_ARM, biceps, [0.05, 0.049, 0.0465, 0.0415, 0.0385]);
    let fore = limb(p, LOWER_ARM, HAND, DVec3::ZERO, [0.0385, 0.042, 0.0375, 0.031, 0.027]);
    blend(blend(blend(shoulder, upper, 0.02), fore, 0.008), palm(p), 0.016)
}

/// Returns the signed distance to the left palm, which faces the thigh. Fingers are separate tubes (`hands`).
pub(crate) fn palm(p: DVec3) -> f64 {
    let (out, up) = hand_axes();
    // Hand coordinates: along the fingers, out of the back of the hand, and towards the thumb.
    let local = dvec3((p - HAND).dot(out), (p - HAND).dot(up), p.z - HAND.z);
    // The palm is modelled round and then flattened from palm to back.
    const SQUEEZE: f64 = 0.5;
    let round = dvec3(local.x, local.y / SQUEEZE, local.z);
    let side = |z: f64| round_cone(round, dvec3(0.016, 0.0, 0.3 * z), dvec3(0.07, -0.004, z), 0.027, 0.022);
    let heel = round_cone(p, HAND + out * 0.022 + DVec3::Z * 0.012 - up * 0.004, THUMB, 0.017, 0.014);
    blend(blend(side(0.0165), side(-0.0165), 0.02) * SQUEEZE, heel, 0.016)
}

/// Returns unit vectors along the fingers and out of the back of the left hand. Both are in the frontal plane.
pub(crate) fn hand_axes() -> (DVec3, DVec3) {
    let out = dvec3(0.7, -0.714, 0.0).normalize();
    (out, dvec3(-out.y, out.x, 0.0))
}

/// Returns the signed distance to the left leg with the foot.
pub(crate) fn leg(p: DVec3) -> f64 {
    let hip = UPPER_LEG - dvec3(0.0, 0.0, 0.004);
    let thigh = limb(p, hip, LOWER_LEG, dvec3(0.004, 0.0, 0.01), [0.079, 0.078, 0.069, 0.058, 0.052]);
    let calf = limb(p, LOWER_LEG, FOOT, dvec3(0.002, 0.0, -0.014), [0.052, 0.0555, 0.05, 0.039, 0.034]);
    blend(blend(thigh, calf, 0.01), foot(p), 0.02)
}

/// Returns the signed distance to the left foot, which has a flat sole.
pub(crate) fn foot(p: DVec3) -> f64 {
    let heel = ellipsoid(p, dvec3(0.102, 0.036, -0.042), dvec3(0.036, 0.046, 0.046));
    let instep = round_cone(p, dvec3(0.104, 0.068, -0.008), TOES + dvec3(0.0, 0.004, -0.01), 0.038, 0.032);
    let sole = round_cone(p, dvec3(0.102, 0.026, -0.046), TOES + dvec3(0.0, 0.0, 0.03), 0.036, 0.038);
    let ball = ellipsoid(p, TOES + dvec3(0.002, 0.001, 0.005), dvec3(0.046, 0.036, 0.074));
    let solid = blend(blend(blend(heel, instep, 0.04), ball, 0.035), sole, 0.02);
    trim(solid, -p.y, 0.016)
}

/// Returns the desired edge length of the mesh near `p`. Edges are short where the shape is small or bends.
pub(crate) fn edge_length(p: DVec3) -> f64 {
    const WIDEST: f64 = 0.026;
    let fine = [
        (PUPIL, 0.02, 0.0075),
        (dvec3(0.0, 1.605, 0.1), 0.012, 0.0075),
        (HEAD + dvec3(0.0, 0.12, 0.02), 0.12, 0.0135),
        (NECK, 0.06, 0.018),
        (UPPER_ARM, 0.06, 0.018),
        (LOWER_ARM, 0.05, 0.013),
        (HAND, 0.02, 0.0115),
        (HAND.lerp(THUMB, 1.6), 0.05, 0.0098),
        (UPPER_LEG, 0.06, 0.0205),
        (LOWER_LEG, 0.05, 0.016),
        (FOOT, 0.04, 0.0145),
        (TOES, 0.07, 0.0115),
    ];
    fine.iter().fold(WIDEST, |least, &(centre, radius, length)| {
        least.min(length + 0.12 * ((p - centre).length() - radius).max(0.0))
    })
}

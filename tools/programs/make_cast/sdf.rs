//! Signed distance functions of the solids that form the body. Distances are in metres and negative inside.
//!
//! The distance functions use only sums, products and square roots, which IEEE 754 rounds the same way on every
//! machine.

use glam::DVec3;

/// Returns the signed distance to a round cone, which is the convex hull of two spheres at `a` and `b` (Quilez,
/// "distance functions", 2018).
pub(crate) fn round_cone(p: DVec3, a: DVec3, b: DVec3, radius_a: f64, radius_b: f64) -> f64 {
    let axis = b - a;
    let length2 = axis.dot(axis);
    let taper = radius_a - radius_b;
    let slope2 = length2 - taper * taper;
    let from_a = p - a;
    let y = from_a.dot(axis);
    let z = y - length2;
    let across = from_a * length2 - axis * y;
    let x2 = across.dot(across);
    let y2 = y * y * length2;
    let z2 = z * z * length2;
    let k = taper.signum() * taper * taper * x2;
    if z.signum() * slope2 * z2 > k {
        return (x2 + z2).sqrt() / length2 - radius_b;
    }
    if y.signum() * slope2 * y2 < k {
        return (x2 + y2).sqrt() / length2 - radius_a;
    }
    ((x2 * slope2 / length2).sqrt() + y * taper) / length2 - radius_a
}

/// Returns the signed distance to a sphere.
pub(crate) fn ball(p: DVec3, centre: DVec3, radius: f64) -> f64 {
    (p - centre).length() - radius
}

/// Returns the approximate signed distance to a limb from `a` to `b`. Its middle is displaced by `bow`, and its radius
/// is interpolated smoothly between five evenly spaced values.
///
/// A limb is one solid because a blend of several would bulge where they overlap.
pub(crate) fn limb(p: DVec3, a: DVec3, b: DVec3, bow: DVec3, radii: [f64; 5]) -> f64 {
    let axis = b - a;
    let t = ((p - a).dot(axis) / axis.length_squared()).clamp(0.0, 1.0);
    let centre = a + axis * t + bow * (4.0 * t * (1.0 - t));
    (p - centre).length() - profile(radii, t)
}

/// Evaluates the Catmull-Rom spline through five values at `t` = 0, 1/4, 1/2, 3/4 and 1. Its slope is zero at both
/// ends.
fn profile(values: [f64; 5], t: f64) -> f64 {
    let scaled = t * 4.0;
    let (i, u) = [3, 2, 1].into_iter().find(|&i| scaled >= f64::from(i)).map_or((0, scaled), |i| {
        let whole = f64::from(i);
        (i as usize, scaled - whole)
    });
    let (from, to) = (values[i], values[i + 1]);
    let slope_from = if i == 0 { 0.0 } else { 0.5 * (to - values[i - 1]) };
    let slope_to = if i == 3 { 0.0 } else { 0.5 * (values[i + 2] - from) };
    let (u2, u3) = (u * u, u * u * u);
    from * (2.0 * u3 - 3.0 * u2 + 1.0)
        + slope_from * (u3 - 2.0 * u2 + u)
        + to * (3.0 * u2 - 2.0 * u3)
        + slope_to * (u3 - u2)
}

/// Returns the first-order approximation of the signed distance to an axis-aligned ellipsoid (Quilez 2008).
pub(crate) fn ellipsoid(p: DVec3, centre: DVec3, radii: DVec3) -> f64 {
    let scaled = (p - centre) / radii;
    let k0 = scaled.length();
    let k1 = (scaled / radii).length();
    if k1 > 0.0 { k0 * (k0 - 1.0) / k1 } else { -radii.min_element() }
}

/// Returns the union of two solids with a fillet of about width `k`, using the quadratic smooth minimum (Quilez 2013).
pub(crate) fn blend(a: f64, b: f64, k: f64) -> f64 {
    let overlap = (k - (a - b).abs()).max(0.0) / k;
    a.min(b) - overlap * overlap * k * 0.25
}

/// Returns the intersection of two solids with an edge that is rounded over about width `k`.
pub(crate) fn trim(a: f64, b: f64, k: f64) -> f64 {
    -blend(-a, -b, k)
}

/// Smoothstep: returns 0 below `low`, 1 above `high`, and a cubic Hermite interpolation in between.
pub(crate) fn smoothstep(low: f64, high: f64, x: f64) -> f64 {
    let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Returns the gradient of `field` at `p`, computed by central differences.
pub(crate) fn gradient(field: impl Fn(DVec3) -> f64, p: DVec3) -> DVec3 {
    const STEP: f64 = 1e-4;
    let along = |axis: DVec3| (field(p + axis * STEP) - field(p - axis * STEP)) / (2.0 * STEP);
    DVec3::new(along(DVec3::X), along(DVec3::Y), along(DVec3::Z))
}

/// Projects `p` onto the zero level of `field` by Newton steps along the gradient. A point with `x == 0` stays in the
/// plane of symmetry.
pub(crate) fn project(field: impl Fn(DVec3) -> f64, mut p: DVec3) -> DVec3 {
    for _ in 0..3 {
        let mut slope = gradient(&field, p);
        if p.x == 0.0 {
            slope.x = 0.0;
        }
        let steepness = slope.length_squared();
        if steepness > 1e-6 {
            p -= slope * (field(p) / steepness);
        }
    }
    p
}

/// Converts an sRGB value to linear light in 0–1 (IEC 61966-2-1).
pub(crate) fn linear(c: u8) -> f64 {
    let c = f64::from(c) / 255.0;
    if c <= 0.04045 { c / 12.92 } else { libm::pow((c + 0.055) / 1.055, 2.4) }
}

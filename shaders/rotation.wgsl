// Rotations as unit quaternions (xyz: vector part; w: scalar part). Only products, square roots and divisions are used,
// because WGSL promises little about the precision of trigonometric functions. The CPU twin is src/base/mathematics/single.rs.

const IDENTITY: vec4<f32> = vec4<f32>(0.0, 0.0, 0.0, 1.0);

// Returns the rotation that applies b first and then a.
fn quat_mul(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz));
}

fn quat_conjugate(q: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(-q.xyz, q.w);
}

fn quat_rotate(q: vec4<f32>, v: vec3<f32>) -> vec3<f32> {
    let t = 2.0 * cross(q.xyz, v);
    return v + q.w * t + cross(q.xyz, t);
}

// Returns the identity for a quaternion of zero length.
fn quat_normalize(q: vec4<f32>) -> vec4<f32> {
    let square = dot(q, q);
    if !(square > 0.0) {
        return IDENTITY;
    }
    return q / sqrt(square);
}

// Returns a unit vector perpendicular to v.
fn any_perpendicular(v: vec3<f32>) -> vec3<f32> {
    let away = select(vec3<f32>(0.0, 1.0, 0.0), vec3<f32>(1.0, 0.0, 0.0), abs(v.x) < 0.7 * length(v));
    let across = cross(v, away);
    let l = length(across);
    if !(l > 0.0) {
        return vec3<f32>(1.0, 0.0, 0.0);
    }
    return across / l;
}

// Returns the smallest rotation from one direction to another. The vectors may have any length. Opposite vectors turn about
// a fixed perpendicular vector. A zero vector gives the identity.
fn shortest_arc(from_dir: vec3<f32>, to_dir: vec3<f32>) -> vec4<f32> {
    let lengths = sqrt(dot(from_dir, from_dir) * dot(to_dir, to_dir));
    if !(lengths > 0.0) {
        return IDENTITY;
    }
    let w = lengths + dot(from_dir, to_dir);
    if w < 1e-6 * lengths {
        return vec4<f32>(any_perpendicular(from_dir), 0.0);
    }
    return quat_normalize(vec4<f32>(cross(from_dir, to_dir), w));
}

// Returns sin(tθ)/sin θ from x = 1 − cos θ by its power series (Eberly 2011, "A fast and accurate algorithm for computing
// SLERP", eq. 12). θ is at most 45°.
fn sine_ratio(t: f32, x: f32) -> f32 {
    let s = t * t;
    var sum = 1.0 + (64.0 - s) * (1.0 / 136.0) * x;
    sum = 1.0 + (49.0 - s) * (1.0 / 105.0) * x * sum;
    sum = 1.0 + (36.0 - s) * (1.0 / 78.0) * x * sum;
    sum = 1.0 + (25.0 - s) * (1.0 / 55.0) * x * sum;
    sum = 1.0 + (16.0 - s) * (1.0 / 36.0) * x * sum;
    sum = 1.0 + (9.0 - s) * (1.0 / 21.0) * x * sum;
    sum = 1.0 + (4.0 - s) * (1.0 / 10.0) * x * sum;
    sum = 1.0 + (1.0 - s) * (1.0 / 3.0) * x * sum;
    return t * sum;
}

// Spherical linear interpolation along the shorter arc (Shoemake 1985), with t from 0 to 1. The arc is halved first, so that
// the series converges quickly.
fn slerp(a: vec4<f32>, b: vec4<f32>, t: f32) -> vec4<f32> {
    let end = select(b, -b, dot(a, b) < 0.0);
    let middle = quat_normalize(a + end);
    let is_late = t > 0.5;
    let first = select(a, middle, is_late);
    let last = select(middle, end, is_late);
    let u = select(2.0 * t, 2.0 * t - 1.0, is_late);
    // Half of the squared chord is more accurate than 1 − cos θ for small angles.
    let chord = last - first;
    let x = 0.5 * dot(chord, chord);
    return quat_normalize(first * sine_ratio(1.0 - u, x) + last * sine_ratio(u, x));
}

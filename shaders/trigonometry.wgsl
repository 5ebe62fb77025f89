// Trigonometric functions of bounded arguments, because WGSL promises little about the precision of its own functions. The CPU
// twin is src/base/mathematics/single_trigonometry.rs.

const PI: f32 = 3.14159265;

// Returns atan(y / x) for y and x that are not negative. The polynomial is 4.4.49 of Abramowitz & Stegun 1964, whose error
// is at most 2e-8; rounding makes it 2e-7. Two zeros give zero.
fn atan2_first_quadrant(y: f32, x: f32) -> f32 {
    let most = max(x, y);
    if !(most > 0.0) {
        return 0.0;
    }
    let t = min(x, y) / most;
    let s = t * t;
    var sum = 0.0028662257;
    sum = -0.0161657367 + s * sum;
    sum = 0.0429096138 + s * sum;
    sum = -0.0752896400 + s * sum;
    sum = 0.1065626393 + s * sum;
    sum = -0.1420889944 + s * sum;
    sum = 0.1999355085 + s * sum;
    sum = -0.3333314528 + s * sum;
    let angle = t + t * s * sum;
    return select(angle, 0.5 * PI - angle, y > x);
}

// Returns the cosine and the sine of an angle within ±π/2 by their Taylor series, with an error of at most 2e-7.
fn cos_sin(angle: f32) -> vec2<f32> {
    let s = angle * angle;
    var cosine = 1.0 / 479001600.0;
    cosine = -1.0 / 3628800.0 + s * cosine;
    cosine = 1.0 / 40320.0 + s * cosine;
    cosine = -1.0 / 720.0 + s * cosine;
    cosine = 1.0 / 24.0 + s * cosine;
    cosine = -0.5 + s * cosine;
    var sine = -1.0 / 39916800.0;
    sine = 1.0 / 362880.0 + s * sine;
    sine = -1.0 / 5040.0 + s * sine;
    sine = 1.0 / 120.0 + s * sine;
    sine = -1.0 / 6.0 + s * sine;
    return vec2<f32>(1.0 + s * cosine, angle + angle * s * sine);
}

// Returns the rotation vector of a rotation, with an angle within ±π.
fn rotation_vector(rotation: vec4<f32>) -> vec3<f32> {
    let q = select(rotation, -rotation, rotation.w < 0.0);
    let sine = length(q.xyz);
    if sine < 1e-6 {
        return 2.0 * q.xyz;
    }
    return q.xyz * (2.0 * atan2_first_quadrant(sine, q.w) / sine);
}

// Returns the rotation of a rotation vector that is at most π long.
fn from_rotation_vector(v: vec3<f32>) -> vec4<f32> {
    let angle = length(v);
    if angle < 1e-6 {
        return vec4<f32>(0.5 * v, 1.0);
    }
    let half = cos_sin(0.5 * angle);
    return vec4<f32>(v * (half.y / angle), half.x);
}

// Returns the rotation of a step: exact to first order, and never more than half a turn (the Cayley map).
fn retract(v: vec3<f32>) -> vec4<f32> {
    let q = vec4<f32>(0.5 * v, 1.0);
    return q / sqrt(dot(q, q));
}

// Returns the step that retract maps to a rotation. Half a turn, which no step reaches, becomes a long step.
fn step_of(rotation: vec4<f32>) -> vec3<f32> {
    let q = select(rotation, -rotation, rotation.w < 0.0);
    return q.xyz * (2.0 / max(q.w, 1e-3));
}

// The nearest rotations that the limits of joints allow, as defined by `Limit::nearest`. The CPU twin is src/character/body/limit.rs. An
// angle is stored as the cosine and the sine of its half, so that only the swing of a cone needs trigonometric functions.
//
// Each module defines the constant KINDS, which has a bit for each kind of limit that occurs, so that compilers leave out the rest.
// #import rotation, trigonometry

const FREE: u32 = 0u;
const HINGE: u32 = 1u;
const CONE: u32 = 2u;
const EULER: u32 = 3u;
const LOCKED: u32 = 4u;
// One bit for each kind.
const ALL_KINDS: u32 = 31u;

// The rotations of a joint from rest that are allowed, in its rest frame.
struct JointLimit {
    axis: vec3<f32>,          // of a hinge or of the twist of a cone, unit
    side_swing: f32,          // largest swing of a cone about `side`
    side: vec3<f32>,          // first swing axis of a cone, unit and perpendicular to `axis`
    other_swing: f32,         // largest swing of a cone about axis × side
    // Ranges of the hinge, the twist or the three Euler angles: cosine and sine of half the middle angle, and of half the
    // angle from the middle to the ends.
    ranges: array<vec4<f32>, 3>,
    kind: u32,
    // Bits 0 to 5: the axes of the Euler angles. Bit 6: their order is odd. Bit 7: the inverse rotation is limited.
    order: u32,
    reserved: array<u32, 2>,
}

// Returns a pair scaled to length one, or the zero angle for a pair of length zero.
fn unit_pair(pair: vec2<f32>) -> vec2<f32> {
    let square = dot(pair, pair);
    if !(square > 1e-12) {
        return vec2<f32>(1.0, 0.0);
    }
    return pair / sqrt(square);
}

// Returns the nearest angle of a range.
fn clamp_pair(pair: vec2<f32>, range: vec4<f32>) -> vec2<f32> {
    var away = vec2<f32>(pair.x * range.x + pair.y * range.y, pair.y * range.x - pair.x * range.y);
    away = select(away, -away, away.x < 0.0);
    if away.x < range.z {
        away = vec2<f32>(range.z, select(range.w, -range.w, away.y < 0.0));
    }
    return vec2<f32>(away.x * range.x - away.y * range.y, away.y * range.x + away.x * range.y);
}

fn hinge_nearest(q: vec4<f32>, axis: vec3<f32>, range: vec4<f32>) -> vec4<f32> {
    let pair = clamp_pair(unit_pair(vec2<f32>(q.w, dot(q.xyz, axis))), range);
    return vec4<f32>(axis * pair.y, pair.x);
}

// Returns the nearest point of a filled ellipse (Eberly 2011, "Distance from a point to an ellipse"). Newton's method approaches the root
// from below and never passes it. The point therefore ends up outside, and is then moved to the border along its ray.
fn nearest_in_ellipse(p: vec2<f32>, size: vec2<f32>) -> vec2<f32> {
    if min(size.x, size.y) <= 0.0 {
        return clamp(p, -size, size);
    }
    let inside = p / size;
    if dot(inside, inside) <= 1.0 {
        return p;
    }
    let squares = size * size;
    var t = 0.0;
    for (var i = 0; i < 12; i++) {
        let sum = squares + t;
        let ratio = size * p / sum;
        let slope = 2.0 * dot(ratio * ratio / sum, vec2<f32>(1.0));
        t += max(dot(ratio, ratio) - 1.0, 0.0) / slope;
    }
    let nearest = p * squares / (squares + t);
    return nearest / max(length(nearest / size), 1.0);
}

fn cone_nearest(q: vec4<f32>, limit: JointLimit) -> vec4<f32> {
    let axis = limit.axis;
    let twist = unit_pair(vec2<f32>(q.w, dot(q.xyz, axis)));
    let swing = quat_mul(q, vec4<f32>(-axis * twist.y, twist.x));
    let vector = rotation_vector(swing);
    let other = cross(axis, limit.side);
    let at = vec2<f32>(dot(vector, limit.side), dot(vector, other));
    let nearest = nearest_in_ellipse(at, vec2<f32>(limit.side_swing, limit.other_swing));
    var allowed = swing;
    if any(nearest != at) {
        allowed = from_rotation_vector(limit.side * nearest.x + other * nearest.y);
    }
    let pair = clamp_pair(twist, limit.ranges[0]);
    return quat_mul(allowed, vec4<f32>(axis * pair.y, pair.x));
}

// Halves an angle that is given as a pair of its cosine and its sine.
fn half_pair(pair: vec2<f32>) -> vec2<f32> {
    let away = select(-1.0, 1.0, pair.y >= 0.0);
    return unit_pair(select(vec2<f32>(abs(pair.y), away * (1.0 - pair.x)), vec2<f32>(1.0 + pair.x, pair.y), pair.x > 0.0));
}

// Returns the rotation by three angles, given as pairs: about x, then the rotated y, then the twice rotated z.
fn from_euler(a: vec2<f32>, b: vec2<f32>, c: vec2<f32>) -> vec4<f32> {
    return vec4<f32>(
        a.y * b.x * c.x + a.x * b.y * c.y,
        a.x * b.y * c.x - a.y * b.x * c.y,
        a.x * b.x * c.y + a.y * b.y * c.x,
        a.x * b.x * c.x - a.y * b.y * c.y,
    );
}

// The sum and the difference of the outer angles are the arguments of (w + y) + i(x + z) and (w − y) + i(x − z). The absolute values of
// these numbers are the sum and the difference of the middle angle's cosine and sine. Renaming the axes converts any other order to this
// one. If the order is odd, it also changes the signs of the angles.
fn euler_nearest(rotation: vec4<f32>, limit: JointLimit) -> vec4<f32> {
    let i = limit.order & 3u;
    let j = (limit.order >> 2u) & 3u;
    let k = (limit.order >> 4u) & 3u;
    let parity = select(1.0, -1.0, (limit.order & 64u) != 0u);
    let q = vec4<f32>(parity * rotation[i], parity * rotation[j], parity * rotation[k], rotation.w);
    let sum = vec2<f32>(q.w + q.y, q.x + q.z);
    let difference = vec2<f32>(q.w - q.y, q.x - q.z);
    let u = unit_pair(sum);
    let v = unit_pair(difference);
    let lengths = vec2<f32>(length(sum), length(difference));
    let flip = vec2<f32>(1.0, parity);
    let a = flip * half_pair(vec2<f32>(u.x * v.x - u.y * v.y, u.y * v.x + u.x * v.y));
    let b = flip * unit_pair(vec2<f32>(lengths.x + lengths.y, lengths.x - lengths.y));
    let c = flip * half_pair(vec2<f32>(u.x * v.x + u.y * v.y, u.y * v.x - u.x * v.y));
    // A second triple of angles, a + π, π − b and c + π, describes the same rotation.
    let first = from_euler(
        flip * clamp_pair(a, limit.ranges[0]),
        flip * clamp_pair(b, limit.ranges[1]),
        flip * clamp_pair(c, limit.ranges[2]),
    );
    let second = from_euler(
        flip * clamp_pair(vec2<f32>(-a.y, a.x), limit.ranges[0]),
        flip * clamp_pair(b.yx, limit.ranges[1]),
        flip * clamp_pair(vec2<f32>(-c.y, c.x), limit.ranges[2]),
    );
    let nearest = select(second, first, abs(dot(first, q)) >= abs(dot(second, q)));
    var allowed = vec4<f32>(0.0, 0.0, 0.0, nearest.w);
    allowed[i] = parity * nearest.x;
    allowed[j] = parity * nearest.y;
    allowed[k] = parity * nearest.z;
    return allowed;
}

// Returns the allowed rotation that is nearest to a unit quaternion.
fn nearest_allowed(rotation: vec4<f32>, limit: JointLimit) -> vec4<f32> {
    if (KINDS & (1u << HINGE)) != 0u && limit.kind == HINGE {
        return hinge_nearest(rotation, limit.axis, limit.ranges[0]);
    }
    if (KINDS & (1u << LOCKED)) != 0u && limit.kind == LOCKED {
        return IDENTITY;
    }
    if (KINDS & ((1u << CONE) | (1u << EULER))) == 0u || limit.kind < CONE {
        return rotation;
    }
    let is_inverted = (limit.order & 128u) != 0u;
    let q = select(rotation, quat_conjugate(rotation), is_inverted);
    var allowed = q;
    if (KINDS & (1u << CONE)) != 0u && limit.kind == CONE {
        allowed = cone_nearest(q, limit);
    }
    if (KINDS & (1u << EULER)) != 0u && limit.kind == EULER {
        allowed = euler_nearest(q, limit);
    }
    return quat_normalize(select(allowed, quat_conjugate(allowed), is_inverted));
}

// Limits a turn. All allowed rotations are moved so that they contain the rotation before the turn, because a pose must not jump when a
// solve begins.
fn limited(limit: JointLimit, q: vec4<f32>, before: vec4<f32>) -> vec4<f32> {
    let excess = quat_mul(before, quat_conjugate(nearest_allowed(before, limit)));
    return quat_mul(excess, nearest_allowed(quat_mul(quat_conjugate(excess), q), limit));
}

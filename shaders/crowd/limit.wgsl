// Joint limits, and rotations in the frames of parents. Requires rotation.wgsl, body.wgsl and the bindings `joints`, `locals`
// and `models`. The CPU twin is src/character/body/limit.rs.

fn is_finite_number(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7f800000u) != 0x7f800000u;
}

fn is_finite(v: vec4<f32>) -> bool {
    return is_finite_number(v.x) && is_finite_number(v.y) && is_finite_number(v.z) && is_finite_number(v.w);
}

fn is_finite3(v: vec3<f32>) -> bool {
    return is_finite(vec4<f32>(v, 0.0));
}

fn normalize_or(v: vec3<f32>, otherwise: vec3<f32>) -> vec3<f32> {
    let square = dot(v, v);
    if !(square > 0.0) {
        return otherwise;
    }
    return v / sqrt(square);
}

fn position_of(rows: Rows) -> vec3<f32> {
    return vec3<f32>(rows.x.w, rows.y.w, rows.z.w);
}

// Returns the matrix of the parent of a joint.
fn parent_rows(first: u32, joint: u32) -> Rows {
    let parent = joints[joint].parent;
    if parent == NONE {
        return Rows(vec4<f32>(1.0, 0.0, 0.0, 0.0), vec4<f32>(0.0, 1.0, 0.0, 0.0), vec4<f32>(0.0, 0.0, 1.0, 0.0));
    }
    return models[first + parent];
}

// Returns the cofactors of the linear part of a matrix, row by row, up to a positive factor. They transform the axes of
// rotations, even in mirrored frames.
fn cofactors(m: Rows) -> array<vec3<f32>, 3> {
    let largest = max(max(abs(m.x.xyz), abs(m.y.xyz)), abs(m.z.xyz));
    let unit = max(max(largest.x, largest.y), max(largest.z, 1e-30));
    let x = m.x.xyz / unit;
    let y = m.y.xyz / unit;
    let z = m.z.xyz / unit;
    return array<vec3<f32>, 3>(cross(y, z), cross(z, x), cross(x, y));
}

// Returns the direction of an axis of a joint's frame in model space.
fn axis_in_model(m: Rows, axis: vec3<f32>) -> vec3<f32> {
    let c = cofactors(m);
    return vec3<f32>(dot(c[0], axis), dot(c[1], axis), dot(c[2], axis));
}

// Returns a rotation with a different axis and the same angle. A zero axis gives the identity.
fn with_axis(q: vec4<f32>, axis: vec3<f32>) -> vec4<f32> {
    let square = dot(axis, axis);
    if !(square > 0.0) {
        return IDENTITY;
    }
    return quat_normalize(vec4<f32>(axis * sqrt(dot(q.xyz, q.xyz) / square), q.w));
}

// Converts a rotation from model space to the frame of a parent. Exact if the parent is scaled uniformly.
fn to_parent(m: Rows, q: vec4<f32>) -> vec4<f32> {
    let c = cofactors(m);
    if dot(q.xyz, q.xyz) == 0.0 {
        return IDENTITY;
    }
    return with_axis(q, q.x * c[0] + q.y * c[1] + q.z * c[2]);
}

// Converts a rotation from the frame of a parent to model space.
fn from_parent(m: Rows, q: vec4<f32>) -> vec4<f32> {
    if dot(q.xyz, q.xyz) == 0.0 {
        return IDENTITY;
    }
    return with_axis(q, axis_in_model(m, q.xyz));
}

// Converts a vector from model space to the frame of a parent. A flat frame gives zero.
fn vector_in_frame(m: Rows, v: vec3<f32>) -> vec3<f32> {
    let c = cofactors(m);
    let square = dot(m.x.xyz, c[0]);
    if !(abs(square) > 1e-30) {
        return vec3<f32>(0.0);
    }
    return (v.x * c[0] + v.y * c[1] + v.z * c[2]) / square;
}

// Returns the rotation of a joint in model space: the product of its ancestors' rotations and its own.
fn orientation(first: u32, joint: u32) -> vec4<f32> {
    var q = locals[first + joint].rotation;
    var above = joints[joint].parent;
    for (var i = 0u; i < 256u && above != NONE; i++) {
        q = quat_mul(locals[first + above].rotation, q);
        above = joints[above].parent;
    }
    return quat_normalize(q);
}

fn translate(first: u32, joint: u32, offset: vec3<f32>) {
    let at = locals[first + joint].translation + offset;
    if is_finite3(at) {
        locals[first + joint].translation = at;
    }
}

// The motion that the hips give to their descendants, in model space.
struct Base {
    turn: vec4<f32>,
    shift: vec3<f32>,
}

fn moved(base: Base, p: vec3<f32>) -> vec3<f32> {
    return quat_rotate(base.turn, p) + base.shift;
}

// Returns the position of a point before the hips moved it.
fn unmoved(base: Base, p: vec3<f32>) -> vec3<f32> {
    return quat_rotate(quat_conjugate(base.turn), p - base.shift);
}

// Interpolates from the identity to q at varying speed.
fn part_of(q: vec4<f32>, t: f32) -> vec4<f32> {
    let nearer = select(q, -q, q.w < 0.0);
    return quat_normalize(vec4<f32>(nearer.xyz * t, 1.0 - t + nearer.w * t));
}

// Returns the twist of a rotation about a unit axis.
fn twist_of(q: vec4<f32>, axis: vec3<f32>) -> vec4<f32> {
    return quat_normalize(vec4<f32>(axis * dot(q.xyz, axis), q.w));
}

// Returns the tangent of half the angle of a twist, at most 1e6.
fn half_tangent(twist: vec4<f32>, axis: vec3<f32>) -> f32 {
    let along = dot(twist.xyz, axis);
    return clamp(select(along, -along, twist.w < 0.0) / max(abs(twist.w), 1e-6), -1e6, 1e6);
}

// Returns the swing vector: the axis times the tangent of a quarter of the angle.
fn swing_vector(swing: vec4<f32>) -> vec3<f32> {
    let nearer = select(swing, -swing, swing.w < 0.0);
    return nearer.xyz / (1.0 + nearer.w);
}

// Returns an allowed rotation relative to rest. Swing and twist are limited separately: the swing is shortened, and the twist is
// clamped. The limit is widened so that it contains the rotation before the solve, because a solve must not jump when it begins.
fn limited(limit: JointLimit, q: vec4<f32>, before: vec4<f32>) -> vec4<f32> {
    if limit.kind == FREE {
        return q;
    }
    if limit.kind == LOCKED {
        return before;
    }
    let twist = twist_of(q, limit.axis);
    let twist_before = twist_of(before, limit.axis);
    let angle = half_tangent(twist, limit.axis);
    let angle_before = half_tangent(twist_before, limit.axis);
    let clamped = clamp(angle, min(limit.twist.x, angle_before), max(limit.twist.y, angle_before));
    let new_twist = select(quat_normalize(vec4<f32>(limit.axis * clamped, 1.0)), twist, clamped == angle);
    let swing_before = quat_mul(before, quat_conjugate(twist_before));
    if limit.kind == HINGE {
        return quat_mul(swing_before, new_twist);
    }
    let other = cross(limit.axis, limit.side);
    let m = swing_vector(quat_mul(q, quat_conjugate(twist)));
    let m0 = swing_vector(swing_before);
    let at = vec2<f32>(dot(m, limit.side), dot(m, other)) / limit.swing;
    let at0 = vec2<f32>(dot(m0, limit.side), dot(m0, other)) / limit.swing;
    let most = max(1.0, dot(at0, at0));
    let square = dot(at, at);
    if square <= most && clamped == angle {
        return q;
    }
    let inside = m * select(1.0, sqrt(most / square), square > most);
    let s = dot(inside, inside);
    return quat_mul(vec4<f32>(2.0 * inside, 1.0 - s) / (1.0 + s), new_twist);
}

// Returns the local rotation of a joint after a rotation in its parent's frame. The result is within the joint's limit.
fn turned(first: u32, joint: u32, limit: JointLimit, turn: vec4<f32>) -> vec4<f32> {
    let rest = quat_conjugate(joints[joint].rest_rotation);
    let before = locals[first + joint].rotation;
    let after = quat_mul(turn, before);
    if limit.kind == FREE {
        return after;
    }
    let q = limited(limit, quat_mul(rest, after), quat_mul(rest, before));
    return quat_mul(joints[joint].rest_rotation, q);
}

fn set_rotation(first: u32, joint: u32, rotation: vec4<f32>) {
    let unit = quat_normalize(rotation);
    if is_finite(unit) {
        locals[first + joint].rotation = unit;
    }
}

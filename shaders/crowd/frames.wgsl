// Rotations in the frames of parents. The CPU twin is src/character/body/frames.rs.
// #import crowd/bodies, crowd/types, joint_limits, rotation

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

// Returns the local rotation of a joint after a rotation in its parent's frame. The result is within the limit, which is moved if the joint
// is already outside it.
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

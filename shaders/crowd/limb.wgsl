// Inverse kinematics of limbs with two bones in closed form, after Tolani et al. 2000, "Real-time inverse kinematics techniques for
// anthropomorphic limbs". The CPU twin is src/character/body/limb.rs.
// #import crowd/bodies, crowd/body, crowd/frames, joint_limits, rotation

// The last part of the reach, in which a limb stretches more and more slowly, as a fraction of the reach.
const SOFT: f32 = 0.004;
const LEAST_SOFT: f32 = 5e-5;
// If the sine of a limb's bend is below this, the limb bends in the direction that its middle joint prefers.
const STRAIGHT: f32 = 0.05;

// The effect of the pole fades if one of two quantities is below these values: the squared sine of the angle between the pole and the limb,
// and the squared distance of the middle joint from the limb's line, relative to the squared bone lengths.
const POLE_FADE: f32 = 0.02;
const KNEE_FADE: f32 = 1e-7;
// If the target is nearer to the first joint than this fraction of the reach, its direction is blended with the direction of the
// limb.
const AT_BASE: f32 = 0.05;

// Rotations of both bones in model space, and the position of the end relative to the first joint.
struct TwoBone {
    upper: vec4<f32>,
    lower: vec4<f32>,
    end: vec3<f32>,
}

// Returns the smallest rotation about a unit axis from one perpendicular vector to another.
fn arc_about(axis: vec3<f32>, from_dir: vec3<f32>, to_dir: vec3<f32>) -> vec4<f32> {
    let lengths = sqrt(dot(from_dir, from_dir) * dot(to_dir, to_dir));
    return axis_turn(axis, dot(from_dir, to_dir) / lengths, dot(axis, cross(from_dir, to_dir)) / lengths);
}

// Returns the normal of the plane in which a limb without a hinge bends. A limb that is nearly straight or overstretched bends
// about its preferred axis.
fn bend_normal(upper: vec3<f32>, lower: vec3<f32>, hinge: vec3<f32>) -> vec3<f32> {
    let line = normalize_or(upper + lower, upper);
    let across = cross(upper, lower);
    let least = STRAIGHT * sqrt(dot(upper, upper) * dot(lower, lower));
    let missing = max(least - length(across), 0.0);
    var normal = across + hinge * missing;
    if missing > 0.0 && dot(across, hinge) < 0.0 {
        normal = hinge;
    }
    normal -= line * dot(line, normal);
    return normalize_or(normal, any_perpendicular(line));
}

// Returns the rotation about a unit axis by an angle, given its cosine and its sine.
fn axis_turn(axis: vec3<f32>, cosine: f32, sine: f32) -> vec4<f32> {
    // The tangent of half the angle, computed without cancellation.
    if cosine < 0.0 {
        return quat_normalize(vec4<f32>(axis * (1.0 - cosine), sine));
    }
    return quat_normalize(vec4<f32>(axis * sine, 1.0 + cosine));
}

// Solves a limb. `target_at` and the result are relative to the first joint. The middle turns about the unit axis `hinge`, so that the end
// is as far from the first joint as the target. Then the first joint turns. `cosines` are the smallest and the largest cosine of the angle
// between the two bones. A zero pole keeps the plane of the limb. Both bones must have non-zero lengths.
fn two_bone(
    upper: vec3<f32>,
    lower: vec3<f32>,
    target_at: vec3<f32>,
    hinge: vec3<f32>,
    cosines: vec2<f32>,
    pole: vec3<f32>,
) -> TwoBone {
    let squares = dot(upper, upper) + dot(lower, lower);
    let product = sqrt(dot(upper, upper) * dot(lower, lower));
    let now = length(upper + lower);
    let line = select(normalize_or(upper, hinge), (upper + lower) / now, now * now > 1e-8 * squares);
    // If the middle turns by φ, the dot product of the two bones is upper · lower = fixed + c cos φ + s sin φ, which is largest at the
    // angle with cosine c/r and sine s/r. There the limb is straightest.
    let fixed_part = dot(upper, hinge) * dot(lower, hinge);
    let c = dot(upper, lower) - fixed_part;
    let s = dot(upper, cross(hinge, lower));
    let r = sqrt(c * c + s * s);
    // Angles near the straightest pose are computed from one minus their cosine, because the cosine itself is inexact. `missing` is the
    // product of the bone lengths minus the dot product of the bones in that pose.
    let straight = fixed_part + r;
    let across = upper - hinge * dot(upper, hinge);
    let ratio = dot(upper, hinge) * r / max(dot(across, across), 1e-12 * squares);
    let skew = ratio - dot(lower, hinge);
    let missing = dot(across, across) * skew * skew / max(product + straight, 1e-6 * product);
    // The limb may become as straight as the limit allows, or as it is now if that is straighter.
    let versed_now = select(1.0 - c / max(r, 1e-6 * product), s * s / max(r * (r + c), 1e-12 * product * product), c > 0.0);
    let versed_far = min(max(product * (1.0 - cosines.y) - missing, 0.0) / max(r, 1e-6 * product), versed_now);
    // The distance to the target is limited to the range that the hinge and the lengths allow. Near the largest distance f, the distance x
    // becomes f − s² / (x − f + 2s), so that its value and slope are continuous.
    let far = sqrt(max(squares + 2.0 * (straight - r * versed_far), 0.0));
    let near = min(sqrt(max(squares + 2.0 * max(product * cosines.x, fixed_part - r), 0.0)), now);
    let soft = clamp(far - now, LEAST_SOFT * far, SOFT * far);
    let wanted = length(target_at);
    var gap = far - wanted;
    if gap < soft {
        gap = soft * soft / (2.0 * soft - gap);
    }
    gap = max(min(gap, far - max(near, 1e-3 * far)), 0.0);
    var bend = IDENTITY;
    // The normal of the plane in which the limb is bent. Its length is the length of the cross product of the two bones.
    var normal = cross(upper, lower);
    if r > 1e-6 * product {
        let versed = min(versed_far + 0.5 * gap * (2.0 * far - gap) / r, 2.0);
        let cosine = 1.0 - versed;
        // The limb bends about the axis in the positive direction, unless it is clearly bent the other way.
        let sine = sqrt(versed * (2.0 - versed)) * select(1.0, -1.0, s > STRAIGHT * r);
        bend = axis_turn(hinge, (cosine * c - sine * s) / r, (sine * c + cosine * s) / r);
        normal = hinge * (r * sine) - across * (ratio * sine) + cross(hinge, across) * (skew - ratio * versed);
    }
    let bent = upper + quat_rotate(bend, lower);
    let reached = length(bent);
    // A target at the first joint has no direction. Near it, the direction of the limb is used instead.
    let direction = normalize_or(target_at + line * max(AT_BASE * far - wanted, 0.0), line);
    var carry = quat_mul(shortest_arc(line, direction), shortest_arc(bent, line));
    // The vector from the limb's line to its middle joint. Because it is computed from the normal, it is exact even for a nearly straight
    // limb.
    let knee_aside = quat_rotate(carry, cross(bent, normal)) / max(reached * reached, 1e-30);
    let pole_aside = pole - direction * dot(direction, pole);
    // A pole on the line of the limb has no direction, and a straight limb has no side, so their effect fades.
    let pole_part = dot(pole_aside, pole_aside) / max(POLE_FADE * dot(pole, pole), 1e-30);
    let part = min(min(pole_part, dot(knee_aside, knee_aside) / (KNEE_FADE * squares)), 1.0);
    if part > 0.0 {
        carry = quat_mul(part_of(arc_about(direction, knee_aside, pole_aside), part), carry);
    }
    return TwoBone(carry, quat_mul(carry, bend), direction * reached);
}

// Moves the end of a limb to a target and rotates it. The target and the rotation are in model space, before the hips moved. `base` is the
// motion of the hips. The limit of the first joint applies only if `is_limited` is set.
fn solve_limb(
    first: u32,
    index: u32,
    base: Base,
    target_at: vec3<f32>,
    turn: vec4<f32>,
    pole: vec3<f32>,
    is_limited: bool,
) {
    let top = body.limb[index].first;
    let middle = body.limb[index].middle;
    let end = body.limb[index].end;
    let origin = position_of(models[first + top]);
    let joint = position_of(models[first + middle]);
    let flags = body.limb[index].flags;
    let tip = position_of(models[first + end]);
    let upper = joint - origin;
    let lower = tip - joint;
    let least = 1e-8 * body.size * body.size;
    if !(dot(upper, upper) > least && dot(lower, lower) > least) || !is_finite3(target_at) {
        return;
    }
    let axis = axis_in_model(models[first + middle], body.limb[index].hinge);
    var hinge = normalize_or(axis, vec3<f32>(1.0, 0.0, 0.0));
    if (flags & HINGED) == 0u {
        hinge = bend_normal(upper, lower, hinge);
    }
    let cosines = vec2<f32>(body.limb[index].least_cos, body.limb[index].most_cos);
    let bones = two_bone(upper, lower, target_at - origin, hinge, cosines, pole);
    // A bone's rotation in model space is its parent's rotation followed by its own. The parents' matrices are still those from
    // before the solve.
    let above = parent_rows(first, top);
    let wanted = to_parent(above, bones.upper);
    let before = locals[first + top].rotation;
    var rotation = quat_mul(wanted, before);
    var swung = bones.upper;
    if is_limited && body.limb[index].limit.kind != FREE {
        rotation = turned(first, top, body.limb[index].limit, wanted);
        swung = from_parent(above, quat_mul(rotation, quat_conjugate(before)));
    }
    // The part of the rotation that the limit of the first joint removes.
    let back = quat_mul(swung, quat_conjugate(bones.upper));
    let lowered = quat_mul(back, bones.lower);
    let bend = to_parent(parent_rows(first, middle), quat_mul(quat_conjugate(bones.upper), bones.lower));
    let end_above = parent_rows(first, end);
    var last = to_parent(end_above, quat_mul(quat_conjugate(lowered), turn));
    if (flags & DETACHED) != 0u {
        // The end does not move with its bones. It moves with the hips only if it is their descendant.
        var reached = origin + quat_rotate(back, bones.end);
        var end_turn = turn;
        if (flags & BELOW_HIPS) == 0u {
            reached = moved(base, reached);
            end_turn = quat_mul(base.turn, turn);
        }
        last = to_parent(end_above, end_turn);
        translate(first, end, vector_in_frame(end_above, reached - tip));
    }
    set_rotation(first, middle, quat_mul(bend, locals[first + middle].rotation));
    set_rotation(first, end, quat_mul(last, locals[first + end].rotation));
    set_rotation(first, top, rotation);
}
